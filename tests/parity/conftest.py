"""The count of compared results, printed at the end."""

from __future__ import annotations

from typing import Any

import pytest

from parity.compare import Outcome

TALLY: pytest.StashKey[list[Outcome]] = pytest.StashKey()


@pytest.fixture(scope="session")
def tally(pytestconfig: pytest.Config) -> list[Outcome]:
    """The outcome of every case that ran."""
    return pytestconfig.stash.setdefault(TALLY, [])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    ran = config.stash.get(TALLY, [])
    if not ran:
        return
    there = [o for o in ran if not o.missing]
    missing = sorted({o.op for o in ran if o.missing})
    terminalreporter.section("parity with the original")
    terminalreporter.write_line(
        f"{sum(o.compared for o in there)} results of {len(there)} calls of {len({o.op for o in there})} ops compared, "
        f"{sum(bool(o.differences) for o in there)} calls with a difference (docs/parity.md gives the reasons); "
        f"{len(ran) - len(there)} calls of {len(missing)} ops that are not here: {', '.join(missing) or 'none'}"
    )
