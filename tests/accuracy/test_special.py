"""The special functions stay within their bounds; where the relative error cannot be bounded, the absolute one is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import tenferro as tf
from accuracy.measure import dtypes, worst
from accuracy.references import Function
from accuracy.special import SPECIAL

CASES = [pytest.param(f, dtype, bound, id=f"{f.name}-{dtype}") for f in SPECIAL for dtype, bound in dtypes(f)]
EPS = float(np.finfo("float64").eps)


@pytest.mark.parametrize(("function", "dtype", "bound"), CASES)
def test_within_the_bound(function: Function, dtype: str, bound: float) -> None:
    found = worst(function, dtype, 1200)
    assert found.points > 150
    assert found.error <= bound, f"{found.error} at {found.at}: {found.got}"


def largest_error(got: Any, want: Callable[[Any], Any], points: Any, scale: Callable[[Any, Any], Any]) -> float:
    """max |got − want| in eps of scale(x, want)."""
    off = 0.0
    with mp.workprec(300):
        for x, y in zip(points.tolist(), got.tolist(), strict=True):
            w = want(mp.mpf(x))
            off = max(off, float(abs(y - w) / scale(mp.mpf(x), w) / EPS))
    return off


def around(centre: float, count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return centre + rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-15, -1.3, count)


@pytest.mark.parametrize("zero", [1.4616321449683622, -0.504083008264455, -1.5734984731623904, -2.6107208684441449])
def test_digamma_near_its_zeros(zero: float) -> None:
    x = around(zero, 200, 1)
    assert largest_error(tf.digamma(x).numpy(), mp.digamma, x, lambda _, w: max(1, abs(w))) <= 1


@pytest.mark.parametrize("zero", [-2.4570247382208006, -2.7476826467274127, -3.1435808883499798, -3.955294284858598])
def test_lgamma_near_its_zeros(zero: float) -> None:
    x = around(zero, 200, 2)

    def want(x):
        return mp.log(abs(mp.gamma(x)))

    assert largest_error(tf.lgamma(x).numpy(), want, x, lambda _, w: max(1, abs(w))) <= 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20])
def test_polygamma_of_positive_numbers(n: int) -> None:
    rng = np.random.default_rng(n)
    x = np.concatenate([10 ** rng.uniform(-8, 8, 150), rng.uniform(0.5, 40, 100)])
    got = tf.polygamma(n, x).numpy()
    kept = np.isfinite(got) & (np.abs(got) > 1e-300)
    x, got = x[kept], got[kept]
    assert len(x) > 200
    assert largest_error(got, lambda x: mp.psi(n, x), x, lambda _, w: abs(w)) <= 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_polygamma_of_negative_numbers(n: int) -> None:
    """Relative to the term of the nearest pole, which the others may cancel."""
    rng = np.random.default_rng(n)
    x = np.concatenate([-rng.uniform(0, 40, 150), -rng.uniform(40, 1e4, 50)])
    got = tf.polygamma(n, x).numpy()

    def pole(x, w):
        return max(abs(w), mp.factorial(n) / abs(x - mp.nint(x)) ** (n + 1))

    assert largest_error(got, lambda x: mp.psi(n, x), x, pole) <= 8


@pytest.mark.parametrize(("p", "bound"), [(1, 4), (3, 4), (10, 8)])
def test_mvlgamma(p: int, bound: float) -> None:
    x = np.random.default_rng(p).uniform((p - 1) / 2 + 1e-3, 60, 100)

    def want(x: Any) -> Any:
        return p * (p - 1) * mp.log(mp.pi) / 4 + sum(mp.loggamma(x - mp.mpf(j) / 2) for j in range(p))

    def terms(x, w):
        return max(abs(w), p * (p - 1) / 4, abs(mp.loggamma(x - mp.mpf(p - 1) / 2)))

    assert largest_error(tf.mvlgamma(x, p).numpy(), want, x, terms) <= bound


@pytest.mark.parametrize("base", [mp.e, mp.mpf(2)])
def test_log_add_exp(base: Any) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-40, 40, 400), rng.uniform(-40, 40, 400)
    y[::2] = x[::2] + rng.uniform(-2, 2, 200)
    got = (tf.logaddexp if base == mp.e else tf.logaddexp2)(x, y).numpy()
    with mp.workprec(200):
        for a, b, g in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
            w = mp.log(base ** mp.mpf(a) + base ** mp.mpf(b)) / mp.log(base)
            assert abs(g - w) <= 2 * EPS * max(abs(a), abs(b), abs(w), 1)


def derivatives(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    """dᵏf/dxᵏ by nested forward derivatives."""
    runtime = tf.EagerRuntime()
    leaf = tf.EagerTensor.requires_grad_in(tf.Tensor.from_numpy(x), runtime)
    out = f(leaf)
    for _ in range(order):
        out = runtime.jvp(out, leaf, np.ones_like(x))
    return out.numpy()


CHAINS: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], tuple[float, float], float]] = [
    ("erfcx", tf.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x), (-2, 1e3), 16),
    ("log_ndtr", tf.log_ndtr, lambda x: mp.log(mp.ncdf(x)), (-1e3, 5), 64),
    ("i1", tf.i1, lambda x: mp.besseli(1, x), (0.1, 100), 16),
    ("digamma", tf.digamma, mp.digamma, (0.1, 100), 16),
    ("sigmoid", tf.sigmoid, lambda x: 1 / (1 + mp.exp(-x)), (-30, 30), 64),
]


@pytest.mark.parametrize(("name", "f", "want", "ends", "bound"), CHAINS, ids=[c[0] for c in CHAINS])
def test_derivatives_keep_their_digits(
    name: str, f: Callable[[Any], Any], want: Callable[[Any], Any], ends: tuple[float, float], bound: float
) -> None:
    x = np.random.default_rng(9).uniform(*ends, 24)
    for order in (1, 2):
        got = derivatives(f, x, order)
        with mp.workdps(120):
            for at, g in zip(x.tolist(), got.tolist(), strict=True):
                w = mp.diff(want, mp.mpf(at), order, h=mp.mpf(10) ** -30)
                assert abs(g - w) <= bound * EPS * max(abs(w), mp.mpf(10) ** -290), (name, order, at, g, w)
