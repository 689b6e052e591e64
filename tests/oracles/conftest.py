"""The count of compared cases, printed at the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from oracles.adapter import OPS
from oracles.files import case_counts
from oracles.replay import Outcome
from oracles.scope import OUT_OF_SCOPE

TALLY: pytest.StashKey[list[Outcome]] = pytest.StashKey()


@pytest.fixture(scope="session")
def tally(pytestconfig: pytest.Config) -> list[Outcome]:
    """The outcome of every case that ran."""
    return pytestconfig.stash.setdefault(TALLY, [])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    ran = config.stash.get(TALLY, [])
    if not ran:
        return
    counts = case_counts(Path(os.environ["TENFERRO_ORACLES"]))
    missing = {name: count for name, count in sorted(counts.items()) if name not in OPS}
    terminalreporter.section("oracles")
    terminalreporter.write_line(
        f"{len(ran)} of {counts.total()} cases compared, {sum(not o.case.is_empty for o in ran)} of them without "
        f"zero-size inputs, {sum(o.hvp is not None for o in ran)} with an hvp, {sum(bool(o.problems) for o in ran)} wrong"
    )
    for reason, names in OUT_OF_SCOPE.items():
        listed = ", ".join(f"{name} {count}" for name, count in missing.items() if name in names)
        total = sum(count for name, count in missing.items() if name in names)
        terminalreporter.write_line(f"out of scope, {reason}: {total} cases: {listed}")
