"""Every function of the table stays within its bound, in every dtype."""

import pytest

from accuracy.measure import dtypes, worst
from accuracy.references import FUNCTIONS, Function

CASES = [pytest.param(f, dtype, bound, id=f"{f.name}-{dtype}") for f in FUNCTIONS for dtype, bound in dtypes(f)]


@pytest.mark.parametrize(("function", "dtype", "bound"), CASES)
def test_within_the_bound(function: Function, dtype: str, bound: float) -> None:
    found = worst(function, dtype)
    assert found.points > 150
    assert found.error <= bound, f"{found.error} at {found.at}: {found.got}"
