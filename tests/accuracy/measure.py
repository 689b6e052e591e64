"""Errors of a function against mpmath: where it is evaluated, and in what units the error is given."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray

import tenferro as tf
from accuracy.references import Function

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
DIGITS = {"float32": 24, "complex64": 24, "float64": 53, "complex128": 53}
LOWEST = {"float32": -149, "complex64": -149, "float64": -1074, "complex128": -1074}
HIGHEST = {"float32": 128, "complex64": 128, "float64": 1024, "complex128": 1024}
# Stands for a zero part on a branch cut, whose sign says from which side the cut is approached.
BESIDE = mp.mpf(2) ** -20_000


@dataclass(frozen=True)
class Worst:
    """The largest error, in ulp or eps, and where it is."""

    error: float
    at: tuple[Any, ...]
    got: Any
    points: int


def dtypes(function: Function) -> Iterator[tuple[str, float]]:
    """The dtypes with a bound, and the bound."""
    for names, bound in ((REAL, function.ulps), (COMPLEX, function.eps)):
        if bound is not None:
            for name in names:
                yield name, bound


def magnitudes(rng: np.random.Generator, count: int, low: float, high: float) -> NDArray[np.float64]:
    return np.exp2(rng.uniform(math.log2(low), math.log2(high), count))


def signs(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return rng.choice([-1.0, 1.0], count)


def real_points(function: Function, dtype: str, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """A third of the points over the whole range, a third of moderate size, a third around the listed points."""
    info = np.finfo(dtype)
    low = max(function.smallest, float(info.smallest_subnormal))
    high = min(function.largest, float(info.max))
    # Twice the number, because the domain may leave half of them out.
    third = 2 * count // 3
    parts = [
        signs(rng, third) * magnitudes(rng, third, low, high),
        signs(rng, third) * magnitudes(rng, third, max(low, 1e-3), min(high, 1e3)),
        np.array([0.0, -0.0, low, -low, float(info.tiny), high, -high]),
    ]
    centres = [complex(p).real for p in function.near if complex(p).imag == 0]
    for centre in centres:
        each = third // len(centres)
        size = float(abs(centre)) or 1.0
        parts.append(centre + size * signs(rng, each) * magnitudes(rng, each, 1e-17, 1e-1))
        parts.append(np.array([centre]))
    with np.errstate(over="ignore"):
        x = np.concatenate(parts).astype(dtype)
    if dtype == "float32":
        neighbours = [np.nextafter(np.float32(c), np.float32(s * math.inf)) for c in centres for s in (-1, 1)]
        x = np.concatenate([x, np.array(neighbours, dtype="float32")])
    return x[np.isfinite(x) & (np.abs(x) <= np.asarray(high, dtype=dtype))]


def complex_points(function: Function, dtype: str, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """As `real_points`, with parts of independent and of like size, and points on both axes."""
    part = "float32" if dtype == "complex64" else "float64"
    info = np.finfo(part)
    low = max(function.smallest, float(info.smallest_subnormal))
    high = min(function.largest, float(info.max))
    each = count // 6

    def spread(n: int, low: float, high: float) -> NDArray[np.float64]:
        return signs(rng, n) * magnitudes(rng, n, low, high)

    size = magnitudes(rng, each, low, high / 2)
    turn = rng.uniform(0, 2 * np.pi, each)
    moderate = (max(low, 1e-3), min(high, 1e3))
    parts = [
        spread(each, low, high) + 1j * spread(each, low, high),
        size * np.cos(turn) + 1j * (size * np.sin(turn)),
        spread(each, *moderate) + 1j * spread(each, *moderate),
        spread(each, max(low, 1e-12), min(high, 1e6)) + 1j * spread(each, max(low, 1e-12), min(high, 1e6)),
    ]
    on_axes = spread(each // 4, *moderate)
    zeros = np.zeros_like(on_axes)
    for re, im in ((on_axes, zeros), (on_axes, -zeros), (zeros, on_axes), (-zeros, on_axes)):
        z = np.empty(len(re), dtype="complex128")
        z.real, z.imag = re, im
        parts.append(z)
    for centre in function.near:
        around = 2 * each // len(function.near)
        scale = abs(centre) or 1.0
        off = scale * magnitudes(rng, around, 1e-17, 1e-1) * np.exp(1j * rng.uniform(0, 2 * np.pi, around))
        z = centre + off
        bent = scale * (spread(around, 1e-17, 1e-1) + 1j * spread(around, 1e-17, 1e-1))
        parts += [z, centre + bent, np.array([complex(centre)])]
    with np.errstate(over="ignore"):
        z = np.concatenate(parts).astype(dtype)
    return z[np.isfinite(z.real) & np.isfinite(z.imag)]


def points(function: Function, dtype: str, count: int) -> list[NDArray[Any]]:
    """One array per operand, reproducible."""
    rng = np.random.default_rng([count, *function.name.encode()])
    make = complex_points if dtype in COMPLEX else real_points
    operands = [make(function, dtype, count, rng) for _ in range(function.operands)]
    shortest = min(len(x) for x in operands)
    operands = [rng.permutation(x)[:shortest] for x in operands]
    if dtype in REAL:
        kept = np.array([function.domain(*map(float, x)) for x in zip(*operands, strict=True)], dtype=bool)
        operands = [x[kept] for x in operands]
    return operands


def beside(part: float) -> Any:
    """A part of a complex number; zero lies beside the axis, on the side of its sign."""
    return mp.mpf(part) if part else math.copysign(1.0, part) * BESIDE


def exact(x: Any) -> Any:
    """The number in mpmath."""
    if not isinstance(x, complex):
        return mp.mpf(x)
    return mp.mpc(beside(x.real), beside(x.imag)) if x else mp.mpc(0)


def precision(function: Function, *xs: Any) -> int:
    """Bits to carry."""
    if not function.cancels:
        return 120
    parts = [abs(part) for x in xs for part in (complex(x).real, complex(x).imag) if part]
    return 160 + 2 * max((abs(math.frexp(p)[1]) for p in parts), default=0)


def clipped(x: Any, dtype: str) -> Any:
    """Infinity, and what rounds to it, as the first number that is too large."""
    limit = mp.mpf(2) ** HIGHEST[dtype]
    return max(-limit, min(limit, mp.mpf(x)))


def unit(size: Any, dtype: str, normwise: bool) -> Any:
    """The unit in the last place of a number of this size, or an epsilon of it; not below the smallest number."""
    smallest = mp.mpf(2) ** LOWEST[dtype]
    if normwise:
        return max(smallest, mp.ldexp(size, 1 - DIGITS[dtype]))
    exponent = mp.frexp(size)[1] if size else LOWEST[dtype]
    return max(smallest, mp.ldexp(1, min(exponent, HIGHEST[dtype]) - DIGITS[dtype]))


def error(got: complex, want: Any, dtype: str) -> float:
    """|got − want| in ulp for real dtypes, in eps of the modulus for complex ones; infinite for NaN."""
    normwise = dtype in COMPLEX
    parts = ((got.real, mp.re(want)), (got.imag, mp.im(want)))
    if any(math.isnan(g) for g, _ in parts):
        return math.inf
    pairs = [(clipped(g, dtype), clipped(w, dtype)) for g, w in parts]
    off = mp.hypot(*(g - w for g, w in pairs))
    size = mp.hypot(*(w for _, w in pairs))
    return float(off / unit(size, dtype, normwise))


def worst(function: Function, dtype: str, count: int = 500) -> Worst:
    """The largest error over about `count` points."""
    operands = points(function, dtype, count)
    result = getattr(tf, function.name)(*(tf.tensor(x) for x in operands)).numpy()
    found = Worst(-1.0, (), None, len(result))
    for *xs, got in zip(*(x.tolist() for x in operands), result.tolist(), strict=True):
        if any(x in function.poles for x in xs):
            continue
        with mp.workprec(precision(function, *xs)):
            try:
                want = function.reference(*map(exact, xs))
            except ZeroDivisionError:
                continue
            if mp.isnan(want) or mp.isinf(want):
                continue
            off = error(complex(got), want, dtype)
        if off > found.error:
            found = Worst(off, tuple(xs), got, len(result))
    return found


def table(functions: tuple[Function, ...], count: int) -> Iterator[tuple[Function, str, float, Worst]]:
    for function in functions:
        if not hasattr(tf, function.name):
            print(f"{function.name}: not there", file=sys.stderr)
            continue
        for dtype, bound in dtypes(function):
            yield function, dtype, bound, worst(function, dtype, count)
