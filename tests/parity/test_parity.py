"""Values, derivatives and errors of the original, as the golden files hold them, against those of this library.

Every difference has a row with its reason in docs/parity.md, and every row there is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tenferro as tf
from parity.catalogue import FAMILIES
from parity.compare import GOLDEN, Difference, Outcome, apart, array, cases, compared, judged

PAGE = Path(__file__).parents[2] / "docs/parity.md"


@dataclass(frozen=True)
class Row:
    """A row of the table of differences: patterns of names of cases, and what is different there."""

    names: list[str]
    what: list[str]

    def covers(self, name: str, difference: Difference) -> bool:
        return self.has(name) and any(matches(difference.what, pattern) for pattern in self.what)

    def has(self, name: str) -> bool:
        return any(matches(name, pattern) for pattern in self.names)


def matches(name: str, pattern: str) -> bool:
    """`*` stands for anything, {a,b} for one of several; all other signs for themselves."""
    parts = re.split(r"(\*|\{[^}]*\})", pattern)
    regex = ""
    for part in parts:
        if part == "*":
            regex += ".*"
        elif part.startswith("{"):
            regex += f"({'|'.join(re.escape(word) for word in part[1:-1].split(','))})"
        else:
            regex += re.escape(part)
    return re.fullmatch(regex, name) is not None


def table(heading: str) -> list[list[str]]:
    """The rows of the table below a heading of docs/parity.md, cell by cell."""
    section = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def rows() -> list[Row]:
    return [Row(re.findall(r"`([^`]+)`", r[0]), re.findall(r"`([^`]+)`", r[1])) for r in table("Differences")]


def not_here() -> set[str]:
    return {name for r in table("Ops that are not here") for name in re.findall(r"`([^`]+)`", r[0])}


@cache
def outcomes(family: str) -> list[Outcome]:
    return [compared(case) for case in cases(GOLDEN / f"{family}.json")]


def everything() -> list[Outcome]:
    return [outcome for family in FAMILIES for outcome in outcomes(family)]


@pytest.mark.parametrize("family", FAMILIES)
def test_golden_files_hold_the_catalogue(family: str) -> None:
    stored = cases(GOLDEN / f"{family}.json")
    asked = list(FAMILIES[family]())
    assert [{key: case[key] for key in ("op", "name", "inputs", "args")} for case in stored] == asked


@pytest.mark.parametrize("family", FAMILIES)
def test_differences_have_a_reason(family: str, tally: list[Outcome]) -> None:
    found = outcomes(family)
    tally.extend(found)
    known = rows()
    unexplained = [
        f"{outcome.name}: {difference.what}: {difference.how}"
        for outcome in found
        for difference in outcome.differences
        if not any(row.covers(outcome.name, difference) for row in known)
    ]
    assert not unexplained, f"{len(unexplained)} differences without a row in docs/parity.md:\n" + "\n".join(
        unexplained
    )


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.names[0])
def test_a_listed_difference_is_one(row: Row) -> None:
    for pattern in row.names:
        concerned = [o for o in everything() if matches(o.name, pattern)]
        assert concerned, f"no case is called {pattern}"
        for outcome in concerned:
            different = any(row.covers(outcome.name, difference) for difference in outcome.differences)
            assert different or outcome.missing, f"{outcome.name} is not different any more in {row.what}"
    if all(o.missing for o in everything() if row.has(o.name)):
        return
    for what in row.what:
        used = [d for o in everything() if row.has(o.name) for d in o.differences if matches(d.what, what)]
        assert used, f"no difference in {what}"


def test_ops_that_are_not_here_are_listed() -> None:
    assert {o.op for o in everything() if o.missing} == not_here()


def test_most_results_are_compared_and_equal() -> None:
    there = [o for o in everything() if not o.missing]
    assert sum(o.compared for o in there) > 2000
    assert sum(bool(o.differences) for o in there) < len(there) / 3


def test_a_wrong_result_is_noticed() -> None:
    want = {"dtype": "float64", "shape": [2], "data": [1.0, "nan"]}
    assert judged(tf.tensor([1.0, float("nan")]), want) is None
    for wrong in ([1.0 + 1e-9, float("nan")], [1.0, 2.0], [float("nan"), float("nan")], [1.0]):
        assert judged(tf.tensor(wrong), want) is not None
    assert judged(tf.tensor([1.0, float("nan")], dtype="float32"), want) is not None
    assert judged(None, want) is not None
    assert judged(tf.tensor([1.0]), None) is not None
    assert judged(tf.tensor([1.0]), {"error": "Unsupported"}) is not None
    assert apart(np.array([[1, 2]]), array({"dtype": "int64", "shape": [1, 2], "data": [1, 3]})) is not None
