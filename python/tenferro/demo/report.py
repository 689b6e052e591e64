"""What a demo program hands back, and the table at the end."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """One line of the table: what came out beside what is known."""

    quantity: str
    found: str
    known: str
    passed: bool


@dataclass(frozen=True)
class Result:
    title: str
    checks: list[Check]
    picture: Path
    seconds: float


def table(results: list[Result]) -> str:
    header = ("quantity", "came out", "known answer", "")
    lines: list[tuple[str, ...]] = [header]
    for result in results:
        lines.append((f"{result.title} ({result.seconds:.0f} s)",))
        for check in result.checks:
            lines.append((f"  {check.quantity}", check.found, check.known, "PASS" if check.passed else "FAIL"))
    rows = [line for line in lines if len(line) == len(header)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    widths[0] = max(widths[0], *(len(line[0]) for line in lines))
    rule = "─" * (sum(widths) + 2 * len(widths) - 2)
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=False)).rstrip() for line in lines]
    pictures = [f"picture: {result.picture}" for result in results]
    return "\n".join([rule, text[0], rule, *text[1:], rule, *pictures])
