"""Elementwise calls of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from parity.calls import ALL, FLOATS, INF, INTS, NAN, REALS, Json, Shape, call, reals, shown, tensor, unary, values

ANALYTIC = {
    "exp": (-1.5, 1.5),
    "log": (0.3, 3.0),
    "expm1": (-1.5, 1.5),
    "log1p": (-0.6, 2.0),
    "sqrt": (0.3, 3.0),
    "rsqrt": (0.3, 3.0),
    "sin": (-2.0, 2.0),
    "cos": (-2.0, 2.0),
    "tanh": (-1.2, 1.2),
}


def elementwise() -> Iterator[Json]:
    for op, domain in ANALYTIC.items():
        yield from unary(op, domain, (*FLOATS, "int64", "bool"))
        yield call(op, "special points", reals(0.0, INF, "-inf", NAN))
        if op in ("log", "log1p", "sqrt", "rsqrt"):
            yield call(op, "beyond the real domain", reals(-2.0, -1.0))
            yield call(op, "other quadrants", tensor("complex128", (2,), [[-1.5, 0.7], [-0.4, -1.2]]))
    yield from unary("erf", (-2.0, 2.0), (*REALS, "complex128", "int64"))
    yield call("erf", "special points", reals(0.0, INF, "-inf", NAN, 6.5, 1e-9))
    for op in ("neg", "abs", "sign"):
        yield from unary(op, (-2.0, 2.0), ALL)
        yield call(op, "special points", reals(0.0, INF, "-inf", NAN))
        yield call(op, "zero", tensor("complex128", (2,), [[0.0, 0.0], [3.0, 4.0]]))
    yield from unary("conj", (-2.0, 2.0), ALL)
    for dtype, to in product(ALL, ALL):
        for op in ("cast", "convert"):
            yield call(op, f"to {to}", values(dtype, (2,)), dtype=to)
    for x in (NAN, INF, 3e9, -3e9):
        yield call("cast", f"{x} to int32", reals(x), dtype="int32")
    for dtype in ALL:
        yield call("scale_real", "by 2.5", values(dtype), factor=2.5)
        yield call("scale_complex", "by 0.5-2i", values(dtype), factor=[0.5, -2.0])
    yield from binary()
    yield from choices()


PAIRS: tuple[tuple[Shape, Shape], ...] = (((2, 1), (3,)), ((), (2,)), ((0, 2), (2,)), ((), ()))
PROMOTIONS = (
    ("bool", "int32"),
    ("int32", "int64"),
    ("int64", "float32"),
    ("float32", "float64"),
    ("int32", "complex64"),
    ("float32", "complex64"),
    ("float64", "complex64"),
    ("complex64", "complex128"),
    ("bool", "float32"),
)
BINARY = {
    "add": (-2.0, 2.0),
    "sub": (-2.0, 2.0),
    "mul": (-2.0, 2.0),
    "div": (0.4, 2.0),
    "pow": (0.4, 2.0),
    "rem": (0.4, 2.0),
    "maximum": (-2.0, 2.0),
    "minimum": (-2.0, 2.0),
}


def pair(dtypes: tuple[str, str], shapes: tuple[Shape, Shape], domain: tuple[float, float]) -> tuple[Json, Json]:
    return values(dtypes[0], shapes[0], *domain, salt=2), values(dtypes[1], shapes[1], *domain, salt=5)


def binary() -> Iterator[Json]:
    for op, domain in BINARY.items():
        for dtype in ALL:
            yield call(op, "3 and 3", *pair((dtype, dtype), ((3,), (3,)), domain))
        for dtype, (a, b) in product(("float64", "complex128"), PAIRS):
            yield call(op, f"{shown(a)} and {shown(b)}", *pair((dtype, dtype), (a, b), domain))
        for dtypes in PROMOTIONS:
            yield call(op, "2 and 2", *pair(dtypes, ((2,), (2,)), domain))
    for op in ("maximum", "minimum"):
        yield call(op, "ties and NaN", reals(1.0, NAN, 2.0, INF), reals(1.0, 1.0, NAN, INF))
    for op in ("div", "rem"):
        yield call(op, "signs", reals(7.0, -7.0, 7.0, -7.0), reals(2.0, 2.0, -2.0, -2.0))
        for dtype in INTS:
            yield call(op, "signs", reals(7, -7, 7, -7, dtype=dtype), reals(2, 2, -2, -2, dtype=dtype))
            yield call(op, "by zero", reals(7, dtype=dtype), reals(0, dtype=dtype))
        yield call(op, "the smallest by -1", reals(-(2**31), dtype="int32"), reals(-1, dtype="int32"))
        yield call(op, "by zero", reals(1.0, -1.0, 0.0), reals(0.0, 0.0, 0.0))
    yield call("pow", "negative base", reals(-2.0, -2.0, -1.5), reals(2.0, 3.0, 0.5))
    yield call("pow", "zero base", reals(0.0, 0.0, 0.0, 0.0), reals(2.0, 1.0, 0.5, 0.0))
    yield call("pow", "exponents 0, 1, 2", reals(1.5, 1.5, 1.5), reals(0.0, 1.0, 2.0))
    yield call("pow", "negative exponent", reals(2, dtype="int64"), reals(-1, dtype="int64"))
    yield call("pow", "wraps", reals(7, dtype="int32"), reals(20, dtype="int32"))


def choices() -> Iterator[Json]:
    for way in ("eq", "lt", "le", "gt", "ge"):
        for dtype in ALL:
            a, b = values(dtype, (3,), salt=2), values(dtype, (3,), salt=5)
            b["data"][1] = a["data"][1]
            yield call("compare", way, a, b, dir=way)
    yield call("compare", "lt, broadcast", values("float64", (2, 1)), values("float64", (3,), salt=4), dir="lt")
    yield call("compare", "eq, NaN", reals(NAN, 1.0), reals(NAN, 1.0), dir="eq")
    yield call("compare", "lt", values("int64"), values("float32", salt=4), dir="lt")
    for dtype in ALL:
        yield call("select", "3", values("bool"), values(dtype, salt=2), values(dtype, salt=3))
    condition = values("bool", (2, 1))
    yield call("select", "broadcast", condition, values("float64", (3,), salt=2), values("float64", (2, 3), salt=3))
    yield call("select", "promoted", values("bool"), values("float32", salt=2), values("complex128", salt=3))
    yield call("select", "empty", values("bool", (0,)), values("float64", (0,)), values("float64", (0,)))
    yield call("select", "infinite branch", tensor("bool", (2,), [True, False]), reals(1.0, INF), reals(NAN, 2.0))
    for dtype in ALL:
        low, high = values(dtype, (4,), -1.2, -0.4, 3), values(dtype, (4,), 0.4, 1.2, 4)
        yield call("clamp", "4", values(dtype, (4,), -2.0, 2.0, 2), low, high)
    yield call("clamp", "at the bounds", reals(-1.0, 1.0, 0.0, NAN, INF), reals(*[-1.0] * 5), reals(*[1.0] * 5))
    yield call("clamp", "crossed bounds", reals(-2.0, 0.0, 2.0), reals(1.0, 1.0, 1.0), reals(-1.0, -1.0, -1.0))
    bounds = values("float64", (), -1.2, -0.4), values("float64", (3,), 0.4, 1.2)
    yield call("clamp", "broadcast", values("float64", (2, 3)), *bounds)
