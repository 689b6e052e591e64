"""Values and derivatives against those that PyTorch computed, for every op that can be spelled with this library.

The environment variable TENFERRO_ORACLES names the folder of the two files; without it there is nothing to compare with.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from oracles.adapter import OPS
from oracles.files import case_counts
from oracles.replay import Outcome, outcomes
from oracles.scope import OUT_OF_SCOPE

FOLDER = os.environ.get("TENFERRO_ORACLES")
NAMES = sorted(OPS) if FOLDER else []


@pytest.fixture(scope="module")
def folder() -> Path:
    if FOLDER is None:
        pytest.skip("TENFERRO_ORACLES does not name the folder of the oracle files")
    return Path(FOLDER)


@pytest.fixture(scope="module")
def everything(folder: Path) -> list[Outcome]:
    return [outcome for name in NAMES for outcome in outcomes(folder, name)]


def test_the_files_are_complete(folder: Path) -> None:
    counts = case_counts(folder)
    assert counts.total() == 8140 + 1086
    assert set(OPS) <= set(counts)


def test_what_is_not_compared_has_a_reason(folder: Path) -> None:
    named = set().union(*OUT_OF_SCOPE.values())
    assert set(case_counts(folder)) - set(OPS) == named


if FOLDER:

    @pytest.mark.parametrize("name", NAMES)
    def test_op(name: str, folder: Path, tally: list[Outcome]) -> None:
        found = outcomes(folder, name)
        tally.extend(found)
        wrong = [f"{o.case.label}: {'; '.join(o.problems)}" for o in found if o.problems]
        assert found, f"no case of {name}"
        assert not wrong, f"{len(wrong)} of {len(found)} cases of {name} are wrong:\n" + "\n".join(wrong[:10])

    @pytest.mark.parametrize(("is_32_bit", "limit"), [(False, 1e-12), (True, 2e-5)])
    def test_ninety_nine_of_a_hundred_are_closer(everything: list[Outcome], is_32_bit: bool, limit: float) -> None:
        errors = [o.first_order for o in everything if o.is_32_bit == is_32_bit and not o.case.from_second_file]
        assert len(errors) > 500
        assert np.mean(np.array(errors) <= limit) >= 0.99
