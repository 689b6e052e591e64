"""Special values of the elementwise functions: those that the array API standard lists, and what follows by symmetry.

A row gives the argument and the value. Every row of a complex function whose values at conjugate arguments are
conjugate is checked there, too; odd and even functions are checked at the opposite argument. `ZERO` and `INFINITE` stand for parts whose
sign is free.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tenferro as tf

INF, NAN, PI = math.inf, math.nan, math.pi

ODD = {"sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "cbrt", "deg2rad", "rad2deg", "sinpi"}
EVEN = {"cos", "cospi", "cosh", "sinc", "abs"}

REAL: dict[str, list[tuple[float, float]]] = {
    "acos": [(1, 0.0), (2, NAN), (-2, NAN), (-1, PI), (0.0, PI / 2), (NAN, NAN), (INF, NAN)],
    "acosh": [(1, 0.0), (0.5, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "asin": [(0.0, 0.0), (1, PI / 2), (2, NAN), (INF, NAN), (NAN, NAN), (5e-324, 5e-324)],
    "asinh": [(0.0, 0.0), (INF, INF), (NAN, NAN), (5e-324, 5e-324), (1.7e308, 710.4199840737882)],
    "atan": [(0.0, 0.0), (INF, PI / 2), (1e300, PI / 2), (NAN, NAN), (5e-324, 5e-324)],
    "atanh": [(0.0, 0.0), (1, INF), (2, NAN), (INF, NAN), (NAN, NAN), (5e-324, 5e-324)],
    "cos": [(0.0, 1.0), (INF, NAN), (NAN, NAN)],
    "cosh": [(0.0, 1.0), (INF, INF), (NAN, NAN), (711, INF)],
    "sin": [(0.0, 0.0), (INF, NAN), (NAN, NAN), (5e-324, 5e-324)],
    "sinh": [(0.0, 0.0), (INF, INF), (NAN, NAN), (711, INF), (5e-324, 5e-324)],
    "tan": [(0.0, 0.0), (INF, NAN), (NAN, NAN), (5e-324, 5e-324)],
    "tanh": [(0.0, 0.0), (INF, 1.0), (NAN, NAN), (5e-324, 5e-324)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (-746, 0.0), (710, INF)],
    "exp2": [(0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1023, 2.0**1023), (1024, INF), (-1074, 5e-324)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN), (5e-324, 5e-324)],
    "log": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (NAN, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -INF), (-2, NAN), (INF, INF), (NAN, NAN), (5e-324, 5e-324)],
    "log2": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (NAN, NAN), (5e-324, -1074), (8, 3)],
    "log10": [(1, 0.0), (0.0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (NAN, NAN), (1e22, 22), (1000, 3)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (-1, NAN), (INF, INF), (NAN, NAN)],
    "cbrt": [(0.0, 0.0), (27, 3), (INF, INF), (NAN, NAN)],
    "sinc": [(0.0, 1.0), (-0.0, 1.0), (5e-324, 1.0), (NAN, NAN)],
    "sinpi": [(0.0, 0.0), (0.5, 1), (1.5, -1), (2, 0.0), (1e300, 0.0), (INF, NAN), (NAN, NAN), (5e-324, 1.5e-323)],
    "cospi": [(0.0, 1), (0.5, 0.0), (1, -1), (1.5, 0.0), (1e300, 1), (INF, NAN), (NAN, NAN)],
    "deg2rad": [(0.0, 0.0), (INF, INF), (NAN, NAN), (180, PI), (1.7e308, 2.9670597283903604e306)],
    "rad2deg": [(0.0, 0.0), (INF, INF), (NAN, NAN), (PI, 180), (1.7e308, INF)],
    "angle": [(0.0, 0.0), (-0.0, PI), (2, 0.0), (-2, PI), (INF, 0.0), (-INF, PI), (NAN, NAN)],
    "reciprocal": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN)],
    "sign": [(0.0, 0.0), (-0.0, -0.0), (-3, -1), (NAN, NAN), (INF, 1)],
    "abs": [(-0.0, 0.0), (-INF, INF), (NAN, NAN)],
    "floor": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-0.5, -1)],
    "ceil": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-0.5, -0.0)],
    "trunc": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-0.5, -0.0)],
    "round": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-0.5, -0.0), (0.5, 0.0), (1.5, 2), (2.5, 2)],
}


class Unsigned:
    """A number whose sign does not matter."""

    def __init__(self, value: float) -> None:
        self.value = value


ZERO, INFINITE = Unsigned(0.0), Unsigned(INF)
Row = tuple[tuple[float, float], tuple[Any, Any]]

COMPLEX: dict[str, list[Row]] = {
    "acos": [
        ((0.0, 0.0), (PI / 2, -0.0)),
        ((-0.0, 0.0), (PI / 2, -0.0)),
        ((0.0, NAN), (PI / 2, NAN)),
        ((1.0, INF), (PI / 2, -INF)),
        ((1.0, NAN), (NAN, NAN)),
        ((-INF, 1.0), (PI, -INF)),
        ((INF, 1.0), (0.0, -INF)),
        ((-INF, INF), (3 * PI / 4, -INF)),
        ((INF, INF), (PI / 4, -INF)),
        ((INF, NAN), (NAN, INFINITE)),
        ((-INF, NAN), (NAN, INFINITE)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (NAN, -INF)),
        ((NAN, NAN), (NAN, NAN)),
        ((1.0, 0.0), (0.0, -0.0)),
        ((-1.0, 0.0), (PI, -0.0)),
        ((2.0, 0.0), (0.0, -1.3169578969248166)),
        ((-2.0, 0.0), (PI, -1.3169578969248166)),
    ],
    "asin": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, INF), (0.0, INF)),
        ((INF, 1.0), (PI / 2, INF)),
        ((INF, INF), (PI / 4, INF)),
        ((0.0, NAN), (0.0, NAN)),
        ((1.0, NAN), (NAN, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (NAN, INFINITE)),
        ((INF, NAN), (NAN, INFINITE)),
        ((NAN, NAN), (NAN, NAN)),
        ((1.0, 0.0), (PI / 2, 0.0)),
        ((2.0, 0.0), (PI / 2, 1.3169578969248166)),
    ],
    "acosh": [
        ((0.0, 0.0), (0.0, PI / 2)),
        ((-0.0, 0.0), (0.0, PI / 2)),
        ((1.0, INF), (INF, PI / 2)),
        ((0.0, NAN), (NAN, PI / 2)),
        ((1.0, NAN), (NAN, NAN)),
        ((-INF, 1.0), (INF, PI)),
        ((INF, 1.0), (INF, 0.0)),
        ((-INF, INF), (INF, 3 * PI / 4)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((-INF, NAN), (INF, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (INF, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((1.0, 0.0), (0.0, 0.0)),
        ((-1.0, 0.0), (0.0, PI)),
        ((0.5, 0.0), (0.0, PI / 3)),
        ((-2.0, 0.0), (1.3169578969248166, PI)),
    ],
    "asinh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, INF), (INF, PI / 2)),
        ((1.0, NAN), (NAN, NAN)),
        ((INF, 1.0), (INF, 0.0)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (INFINITE, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((0.0, 1.0), (0.0, PI / 2)),
        ((0.0, 2.0), (1.3169578969248166, PI / 2)),
        ((-0.0, 2.0), (-1.3169578969248166, PI / 2)),
    ],
    "atanh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, NAN), (0.0, NAN)),
        ((1.0, 0.0), (INF, 0.0)),
        ((1.0, INF), (0.0, PI / 2)),
        ((1.0, NAN), (NAN, NAN)),
        ((INF, 1.0), (0.0, PI / 2)),
        ((INF, INF), (0.0, PI / 2)),
        ((INF, NAN), (0.0, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (ZERO, PI / 2)),
        ((NAN, NAN), (NAN, NAN)),
        ((2.0, 0.0), (0.5493061443340549, PI / 2)),
    ],
    "atan": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, 1.0), (0.0, INF)),
        ((INF, 1.0), (PI / 2, 0.0)),
        ((INF, INF), (PI / 2, 0.0)),
        ((1.0, INF), (PI / 2, 0.0)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, INF), (NAN, 0.0)),
        ((1.0, NAN), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((0.0, 2.0), (PI / 2, 0.5493061443340549)),
        ((-0.0, 2.0), (-PI / 2, 0.5493061443340549)),
    ],
    "sinh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, INF), (ZERO, NAN)),
        ((0.0, NAN), (ZERO, NAN)),
        ((1.0, INF), (NAN, NAN)),
        ((1.0, NAN), (NAN, NAN)),
        ((INF, 0.0), (INF, 0.0)),
        ((INF, 1.0), (INF, INF)),
        ((INF, INF), (INFINITE, NAN)),
        ((INF, NAN), (INFINITE, NAN)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "cosh": [
        ((0.0, 0.0), (1.0, 0.0)),
        ((0.0, INF), (NAN, ZERO)),
        ((0.0, NAN), (NAN, ZERO)),
        ((1.0, INF), (NAN, NAN)),
        ((1.0, NAN), (NAN, NAN)),
        ((INF, 0.0), (INF, 0.0)),
        ((INF, 1.0), (INF, INF)),
        ((INF, INF), (INF, NAN)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0.0), (NAN, ZERO)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "tanh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, INF), (NAN, NAN)),
        ((0.0, INF), (ZERO, NAN)),
        ((1.0, NAN), (NAN, NAN)),
        ((0.0, NAN), (ZERO, NAN)),
        ((INF, 1.0), (1.0, ZERO)),
        ((INF, INF), (1.0, ZERO)),
        ((INF, NAN), (1.0, ZERO)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "tan": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, INF), (ZERO, 1.0)),
        ((INF, INF), (ZERO, 1.0)),
        ((NAN, INF), (ZERO, 1.0)),
        ((INF, 1.0), (NAN, NAN)),
        ((0.0, NAN), (0.0, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "exp2": [
        ((0.0, 0.0), (1.0, 0.0)),
        ((1.0, INF), (NAN, NAN)),
        ((INF, 0.0), (INF, 0.0)),
        ((-INF, INF), (ZERO, ZERO)),
        ((INF, INF), (INFINITE, NAN)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, 1.0), (NAN, NAN)),
    ],
    "log2": [
        ((-0.0, 0.0), (-INF, PI / math.log(2))),
        ((0.0, 0.0), (-INF, 0.0)),
        ((8.0, 0.0), (3.0, 0.0)),
        ((-8.0, 0.0), (3.0, PI / math.log(2))),
        ((INF, INF), (INF, PI / 4 / math.log(2))),
        ((-INF, 1.0), (INF, PI / math.log(2))),
        ((NAN, INF), (INF, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
    ],
    "log10": [
        ((-0.0, 0.0), (-INF, PI / math.log(10))),
        ((0.0, 0.0), (-INF, 0.0)),
        ((-1000.0, 0.0), (3.0, PI / math.log(10))),
        ((INF, 1.0), (INF, 0.0)),
        ((NAN, INF), (INF, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
    ],
    "sinc": [
        ((0.0, 0.0), (1.0, ZERO)),
        ((1.0, 0.0), (ZERO, ZERO)),
        ((NAN, 0.0), (NAN, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
        ((1.0, INF), (NAN, NAN)),
    ],
}


def matches(actual: float, expected: Any, close: bool) -> bool:
    if isinstance(expected, Unsigned):
        return abs(actual) == expected.value
    if math.isnan(expected):
        return math.isnan(actual)
    if expected == 0 or math.isinf(expected):
        return actual == expected and math.copysign(1, actual) == math.copysign(1, expected)
    return math.isclose(actual, expected, rel_tol=1e-6 if close else 5e-16)


def negative(x: Any) -> Any:
    return x if isinstance(x, Unsigned) else -x


def representable(dtype: str, *values: Any) -> bool:
    """Whether the numbers neither overflow nor vanish in the dtype."""
    if dtype in ("float64", "complex128"):
        return True
    sizes = [abs(v) for v in values if not isinstance(v, Unsigned) and v and math.isfinite(v)]
    return all(1e-38 < size < 1e38 for size in sizes)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", REAL)
def test_real(name: str, dtype: str) -> None:
    rows = list(REAL[name])
    if name in ODD:
        rows += [(-x, -y) for x, y in rows]
    if name in EVEN:
        rows += [(-x, y) for x, y in rows]
    rows = [row for row in rows if representable(dtype, *row)]
    result = getattr(tf, name)(np.array([x for x, _ in rows], dtype=dtype)).tolist()
    for (x, expected), actual in zip(rows, result, strict=True):
        assert matches(actual, expected, dtype == "float32"), f"{name}({x}) is {actual}, expected {expected}"


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name: str, dtype: str) -> None:
    rows = list(COMPLEX[name])
    rows += [((x, -y), (re, negative(im))) for (x, y), (re, im) in rows]
    if name in ODD:
        rows += [((-x, -y), (negative(re), negative(im))) for (x, y), (re, im) in rows]
    if name in EVEN:
        rows += [((-x, -y), (re, im)) for (x, y), (re, im) in rows]
    z = np.empty(len(rows), dtype=dtype)
    z.real, z.imag = [x for (x, _), _ in rows], [y for (_, y), _ in rows]
    result = getattr(tf, name)(z).tolist()
    for (at, (re, im)), actual in zip(rows, result, strict=True):
        right = matches(actual.real, re, dtype == "complex64") and matches(actual.imag, im, dtype == "complex64")
        shown = [p.value if isinstance(p, Unsigned) else p for p in (re, im)]
        assert right, f"{name}{at} is {actual}, expected {shown}"
