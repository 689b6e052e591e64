"""Reading the oracle files: every record becomes a `Case` in one form, whichever file it comes from."""

from __future__ import annotations

import json
import lzma
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Case:
    """One call `op(*args, **kwargs)` with the derivatives that PyTorch found.

    A `Leaf` in `args` stands for the tensor of that name; `wrt` names those that carry a derivative.
    """

    label: str
    from_second_file: bool
    dtype: str
    args: list[Any]
    kwargs: dict[str, Any]
    tensors: Arrays
    wrt: list[str]
    direction: Arrays
    cotangent: NDArray[Any]
    value: NDArray[Any] | None
    jvp: NDArray[Any]
    vjp: Arrays
    hvp: Arrays | None

    @property
    def is_empty(self) -> bool:
        return any(x.size == 0 for x in self.tensors.values())


@dataclass(frozen=True)
class Leaf:
    """The place of a tensor in a call."""

    name: str


def array(record: dict[str, Any]) -> NDArray[Any]:
    """A stored tensor: row-major data, complex numbers as pairs."""
    dtype = np.dtype(record["dtype"])
    if dtype.kind == "c":
        pairs = np.array(record["data"], dtype=np.float64).reshape(-1, 2)
        return (pairs[:, 0] + 1j * pairs[:, 1]).astype(dtype).reshape(record["shape"])
    return np.array(record["data"], dtype=dtype).reshape(record["shape"])


def arrays(records: dict[str, Any]) -> Arrays:
    return {name: array(record) for name, record in records.items()}


def only(records: Any) -> Any:
    """The single output of an op; ops with several outputs have no adapter yet."""
    (record,) = records.values() if isinstance(records, dict) else records
    return record


def variant(op: str, args: list[Any], kwargs: dict[str, Any], rank: int) -> str:
    """The name of an op, apart for options that need another algorithm: norms by singular values, random slopes."""
    name = op.replace(".", "_").removeprefix("linalg_")
    order = args[0] if args else kwargs.get("ord")
    if name in ("norm", "matrix_norm") and rank > 1 and order in ("nuc", 2, -2):
        return f"{name} (by singular values)"
    if kwargs.get("training"):
        return f"{name} (random)"
    return name


def first_file_case(record: dict[str, Any]) -> Case:
    probe = only(record["probes"])
    reference = probe["pytorch_ref"]
    tensors = arrays(record["inputs"])
    return Case(
        label=record["case_id"],
        from_second_file=False,
        dtype=record["dtype"],
        args=[*map(Leaf, tensors), *(record.get("op_args") or [])],
        kwargs=record.get("op_kwargs") or {},
        tensors=tensors,
        wrt=list(tensors),
        direction=arrays(probe["direction"]),
        cotangent=array(only(probe["cotangent"])),
        value=None,
        jvp=array(only(reference["jvp"])),
        vjp=arrays(reference["vjp"]),
        hvp=arrays(reference["hvp"]) if "hvp" in reference else None,
    )


def argument(stored: Any) -> Any:
    """An argument of a call in the second file."""
    if isinstance(stored, list):
        return [argument(item) for item in stored]
    if not isinstance(stored, dict):
        return stored
    ((tag, content),) = stored.items()
    if tag == "$t":
        return Leaf(content)
    if tag == "$c":
        return complex(*content)
    if tag == "$slice":
        return slice(*content)
    if tag == "$dtype":
        return content
    raise ValueError(f"unknown argument {stored!r}")


def second_file_case(record: dict[str, Any]) -> Case:
    call = record["call"]
    return Case(
        label=f"{record['op']} {record['variant']} {record['dtype']} {record['idx']}",
        from_second_file=True,
        dtype=record["dtype"],
        args=[argument(call["input"]), *map(argument, call["args"])],
        kwargs={key: argument(value) for key, value in call["kwargs"].items()},
        tensors=arrays(record["tensors"]),
        wrt=record["diff"],
        direction=arrays(record["dir"]),
        cotangent=array(only(record["ct"])),
        value=array(only(record["out"])),
        jvp=array(only(record["jvp"])),
        vjp=arrays(record["vjp"]),
        hvp=None,
    )


def lines_of_first_file(folder: Path) -> Iterator[bytes]:
    with tarfile.open(folder / "ad_oracles.tar.xz") as archive:
        for member in archive:
            if member.name.endswith(".jsonl"):
                content = archive.extractfile(member)
                assert content is not None
                yield from content


@cache
def raw_records(folder: Path) -> tuple[dict[str, list[bytes]], dict[str, list[bytes]]]:
    """The lines of the first and of the second file by op, not yet turned into arrays."""
    first: dict[str, list[bytes]] = {}
    for line in lines_of_first_file(folder):
        record = json.loads(line)
        rank = len(next(iter(record["inputs"].values()))["shape"])
        name = variant(record["op"], record.get("op_args") or [], record.get("op_kwargs") or {}, rank)
        first.setdefault(name, []).append(line)
    second: dict[str, list[bytes]] = {}
    with lzma.open(folder / "opinfo.jsonl.xz") as lines:
        for line in lines:
            record = json.loads(line)
            name = variant(record["op"], record["call"]["args"], record["call"]["kwargs"], 0)
            second.setdefault(name, []).append(line)
    return first, second


def cases(folder: Path, name: str) -> Iterator[Case]:
    """All cases of an op in both files."""
    first, second = raw_records(folder)
    yield from (first_file_case(json.loads(line)) for line in first.get(name, []))
    yield from (second_file_case(json.loads(line)) for line in second.get(name, []))


def case_counts(folder: Path) -> Counter[str]:
    """How many cases each op has in both files together."""
    counts: Counter[str] = Counter()
    for records in raw_records(folder):
        counts.update({name: len(lines) for name, lines in records.items()})
    return counts
