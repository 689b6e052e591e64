"""Results as a table for the terminal and for docs/performance.md."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]


def time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def limit(record: Record, limits: dict[str, float]) -> str:
    """How much of what the machine can do; two threads have twice the arithmetic, and about the same memory."""
    own = record["times"].get("tenferro")
    if own is None or not limits:
        return ""
    if record["flops"]:
        narrow = record["dtype"] in ("f32", "c64")
        peak = limits["fused f32 GFLOP/s" if narrow else "fused f64 GFLOP/s"] * record["threads"]
        return f"{record['flops'] / own['median'] / 1e9 / peak:.0%}"
    if record["bytes"]:
        sizes = {"16 KiB": 1 << 15, "256 KiB": 1 << 19, "4 MiB": 1 << 23}
        fits = next((name for name, size in sizes.items() if record["bytes"] <= size), "160 MB")
        return f"{record['bytes'] / own['median'] / 1e9 / limits[f'copy {fits} GB/s']:.0%}"
    return ""


def row(record: Record, libraries: list[str], limits: dict[str, float]) -> list[str]:
    times = {name: found["median"] for name, found in record["times"].items()}
    own = times.get("tenferro")
    cells = [record["name"], record["dtype"], str(record["threads"])]
    for name in libraries:
        if name not in times:
            cells.append("")
        elif name == "tenferro" or own is None:
            cells.append(time(times[name]))
        else:
            cells.append(f"{time(times[name])} ({times[name] / own:.2g}×)")
    others = [value for name, value in times.items() if name != "tenferro"]
    cells.append(f"{min(others) / own:.2f}" if others and own else "")
    cells.append(limit(record, limits))
    return cells


def tables(records: list[Record], libraries: list[str], limits: dict[str, float]) -> list[tuple[str, list[list[str]]]]:
    head = ["", "dtype", "threads", *libraries, "best other / ours", "of the limit"]
    groups = dict.fromkeys(record["group"] for record in records)
    return [
        (group, [head, *(row(record, libraries, limits) for record in records if record["group"] == group)])
        for group in groups
    ]


def text(rows: list[list[str]]) -> str:
    widths = [max(len(cells[k]) for cells in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip() for cells in rows)


def markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def figures(found: list[Record], libraries: list[str]) -> list[list[str]]:
    rows = [["", *libraries]]
    for one in found:
        cells = [f"{one['values'][name]:.3g} {one['unit']}" if name in one["values"] else "" for name in libraries]
        rows.append([one["name"], *cells])
    return rows


def summary(records: list[Record]) -> str:
    ratios = []
    for record in records:
        own = record["times"].get("tenferro")
        others = [found["median"] for name, found in record["times"].items() if name != "tenferro"]
        if own and others:
            ratios.append(min(others) / own["median"])
    first = sum(ratio >= 1.0 for ratio in ratios)
    return f"first on {first} of {len(ratios)} rows, {len(ratios) - first} behind"
