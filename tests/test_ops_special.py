"""Special functions: dtypes, shapes, views, spellings, special values. Accuracy is measured in tests/accuracy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from numpy.typing import NDArray

import tenferro as tf
from support import COMPLEX, FLOATS, INTS, SHAPES, assert_equals, gradient, leaf, sample

INF, NAN = float("inf"), float("nan")

UNARY: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
    "erf": (mp.erf, (-2, 2)),
    "erfc": (mp.erfc, (-2, 4)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-2, 4)),
    "erfinv": (mp.erfinv, (-0.9, 0.9)),
    "erfcinv": (lambda x: mp.erfinv(1 - x), (0.1, 1.9)),
    "ndtr": (mp.ncdf, (-4, 4)),
    "ndtri": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (0.1, 0.9)),
    "log_ndtr": (lambda x: mp.log(mp.ncdf(x)), (-9, 2)),
    "lgamma": (mp.loggamma, (0.1, 9)),
    "gammaln": (mp.loggamma, (0.1, 9)),
    "gamma": (mp.gamma, (0.1, 9)),
    "digamma": (mp.digamma, (2, 9)),
    "i0": (lambda x: mp.besseli(0, x), (-9, 9)),
    "i0e": (lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), (-9, 9)),
    "i1": (lambda x: mp.besseli(1, x), (-9, 9)),
    "i1e": (lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), (-9, 9)),
    "entr": (lambda x: -x * mp.log(x), (0.1, 0.9)),
    "logit": (lambda p: mp.log(p / (1 - p)), (0.6, 0.9)),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), (-9, 9)),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), (-9, 9)),
    "log_sigmoid": (lambda x: -mp.log(1 + mp.exp(-x)), (-9, 9)),
    "softplus": (lambda x: mp.log(1 + mp.exp(x)), (-9, 9)),
}


def reference(f: Callable[[Any], Any], x: NDArray[Any]) -> NDArray[Any]:
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype("float64")
    return np.array([float(f(mp.mpf(v))) for v in x.ravel().tolist()]).reshape(x.shape).astype(dtype)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_values_over_shapes_views_and_spellings(name: str, dtype: str) -> None:
    f, ends = UNARY[name]
    function = getattr(tf, name)
    for shape in SHAPES:
        x = sample(dtype, shape, 3, *ends)
        want = reference(f, x)
        assert_equals(function(x), want)
        assert_equals(getattr(tf.tensor(x), name)(), want)
        with tf.EagerRuntime().session() as s:
            assert_equals(getattr(s, name)(x), want)
    x = sample(dtype, (4, 6), 4, *ends)
    assert_equals(function(tf.tensor(x)[::2, ::-3]), reference(f, x[::2, ::-3]))
    assert_equals(function(tf.tensor(x).T), reference(f, x.T))


@pytest.mark.parametrize("name", UNARY)
def test_integers_become_float64_and_complex_is_refused(name: str) -> None:
    for dtype in (*INTS, "bool"):
        x = np.array([0, 1], dtype=dtype)
        assert_equals(getattr(tf, name)(x), getattr(tf, name)(x.astype("float64")).numpy())
    for dtype in COMPLEX:
        with pytest.raises(tf.UnsupportedDTypeError, match="complex"):
            getattr(tf, name)(np.ones(2, dtype=dtype))


SPECIAL_VALUES: list[tuple[str, list[float], list[float]]] = [
    ("erf", [INF, -INF, NAN, -0.0], [1, -1, NAN, -0.0]),
    ("erfc", [INF, -INF, NAN], [0, 2, NAN]),
    ("erfcx", [INF, -INF, NAN, 0.0, -30.0], [0, INF, NAN, 1, INF]),
    ("erfinv", [1, -1, 1.5, NAN, -0.0], [INF, -INF, NAN, NAN, -0.0]),
    ("erfcinv", [0, 2, 1, -0.5, 2.5, NAN], [INF, -INF, 0, NAN, NAN, NAN]),
    ("ndtr", [INF, -INF, NAN, 0, -50], [1, 0, NAN, 0.5, 0]),
    ("ndtri", [0, 1, 0.5, -0.5, 1.5, NAN], [-INF, INF, 0, NAN, NAN, NAN]),
    ("log_ndtr", [INF, -INF, NAN], [0, -INF, NAN]),
    ("lgamma", [INF, -INF, NAN, 0, -1, 1, 2], [INF, INF, NAN, INF, INF, 0, 0]),
    ("gamma", [INF, NAN, 0.0, -0.0, 5, 172], [INF, NAN, INF, -INF, 24, INF]),
    ("digamma", [INF, NAN, 0.0, -0.0, -1], [INF, NAN, -INF, INF, NAN]),
    ("i0", [INF, -INF, NAN, 0], [INF, INF, NAN, 1]),
    ("i1", [INF, -INF, NAN, 0], [INF, -INF, NAN, 0]),
    ("i0e", [INF, -INF, NAN, 0], [0, 0, NAN, 1]),
    ("i1e", [INF, -INF, NAN, 0], [0, -0.0, NAN, 0]),
    ("entr", [INF, -INF, NAN, 0, -1], [-INF, -INF, NAN, 0, -INF]),
    ("logit", [0, 1, 0.5, -0.5, 1.5, NAN], [-INF, INF, 0, NAN, NAN, NAN]),
    ("sigmoid", [INF, -INF, NAN], [1, 0, NAN]),
    ("softplus", [INF, -INF, NAN, 1000], [INF, 0, NAN, 1000]),
    ("log_sigmoid", [INF, -INF, NAN, -1000], [0, -INF, NAN, -1000]),
]


@pytest.mark.parametrize(("name", "x", "want"), SPECIAL_VALUES, ids=[v[0] for v in SPECIAL_VALUES])
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(name: str, x: list[float], want: list[float], dtype: str) -> None:
    got = getattr(tf, name)(np.array(x, dtype=dtype)).numpy()
    np.testing.assert_array_equal(got, np.array(want, dtype=dtype))


@pytest.mark.parametrize("name", [n for n in UNARY if n not in ("erfcinv",)])
def test_every_finite_number_has_a_value_of_the_right_kind(name: str) -> None:
    """The ends of the range, and powers of two over all of it: no panic, and NaN only outside the domain."""
    x = np.concatenate([s * 2.0 ** np.arange(-1074, 1024) for s in (1, -1)])
    got = getattr(tf, name)(x).numpy()
    inside = {"erfinv": abs(x) <= 1, "ndtri": (x >= 0) & (x <= 1), "logit": (x >= 0) & (x <= 1)}
    poles = {"digamma": (x < 0) & (x == np.floor(x)), "gamma": (x < 0) & (x == np.floor(x))}
    nan = ~inside.get(name, np.ones(len(x), dtype=bool)) | poles.get(name, np.zeros(len(x), dtype=bool))
    assert np.array_equal(np.isnan(got), nan)


def test_polygamma() -> None:
    x = sample("float64", (2, 3), 1, 0.5, 9)
    for n in (0, 1, 2, 5):
        want = reference(lambda v, n=n: mp.psi(n, v), x)
        assert_equals(tf.polygamma(n, x), want)
        assert_equals(tf.tensor(x).polygamma(n), want)
        with tf.EagerRuntime().session() as s:
            assert_equals(s.polygamma(n, x), want)
    assert_equals(tf.polygamma(1, x.astype("float32")), reference(lambda v: mp.psi(1, v), x.astype("float32")))
    assert_equals(tf.polygamma(1, [1]), np.array([np.pi**2 / 6]))
    got = tf.polygamma(1, [0.0, -0.0, -3.0, INF, NAN, -INF]).numpy()
    np.testing.assert_array_equal(got, [INF, INF, INF, 0, NAN, NAN])
    got = tf.polygamma(2, [0.0, -0.0, -3.0, INF, NAN, -INF]).numpy()
    np.testing.assert_array_equal(got, [-INF, INF, NAN, 0, NAN, NAN])
    for n in (-1, 171, 10**30):
        with pytest.raises(tf.InvalidArgumentError, match="argument 'n': expected an order from 0 to 170"):
            tf.polygamma(n, x)
    for wrong in (1.5, True, "1", [1]):
        with pytest.raises(TypeError, match="argument 'n'"):
            tf.polygamma(wrong, x)  # type: ignore[arg-type]
    with pytest.raises(tf.UnsupportedDTypeError, match="polygamma"):
        tf.polygamma(1, [1j])


def test_mvlgamma_outside_its_domain() -> None:
    got = tf.mvlgamma([1.0, 1.5, NAN, 1.0000001], 3).numpy()
    assert np.isnan(got).tolist() == [True, False, True, False]
    for p in (0, -1, 1001):
        with pytest.raises(tf.InvalidArgumentError, match="argument 'p'"):
            tf.mvlgamma([1.0], p)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_xlogy(dtype: str) -> None:
    x, y = sample(dtype, (2, 3), 1, 0.5, 2), sample(dtype, (3,), 2, 0.5, 2)
    assert_equals(tf.xlogy(x, y), x * np.log(y))
    assert_equals(tf.xlog1py(x, y), x * np.log1p(y))
    zero = np.zeros(3, dtype=dtype)
    assert_equals(tf.xlogy(zero, np.array([0, INF, NAN], dtype=dtype)), np.array([0, 0, NAN], dtype=dtype))
    assert_equals(tf.xlog1py(zero, np.array([-1, INF, NAN], dtype=dtype)), np.array([0, 0, NAN], dtype=dtype))


def test_xlogy_of_negative_numbers_and_derivatives_at_zero() -> None:
    np.testing.assert_array_equal(tf.xlogy([0.0, 1.0], [-1.0, -1.0]).numpy(), [0.0, NAN])
    x, y = leaf([0.0, 0.0, 2.0]), leaf([0.0, 3.0, 4.0])
    gx, gy = gradient(tf.xlogy(x, y).sum(), x, y)
    np.testing.assert_allclose(gx, [0.0, np.log(3.0), np.log(4.0)], rtol=1e-15)
    np.testing.assert_allclose(gy, [0.0, 0.0, 0.5], rtol=1e-15)


def test_logit_with_a_bound() -> None:
    x = leaf([0.0, 0.1, 0.5, 1.0])
    y = tf.logit(x, eps=0.2)
    np.testing.assert_allclose(y.numpy(), [-np.log(4), -np.log(4), 0.0, np.log(4)], rtol=1e-15)
    np.testing.assert_array_equal(gradient(y.sum(), x), [0.0, 0.0, 4.0, 0.0])


DERIVATIVES: list[tuple[str, list[float], list[float]]] = [
    ("log_ndtr", [INF, 50.0, -50.0], [0.0, 0.0, 50.01998403190564]),
    ("sigmoid", [INF, -INF, 40.0], [0.0, 0.0, 4.248354255291589e-18]),
    ("softplus", [INF, -INF], [1.0, 0.0]),
    ("log_sigmoid", [INF, -INF], [0.0, 1.0]),
    ("entr", [0.0, 1.0], [INF, -1.0]),
    ("i0e", [0.0], [0.0]),
    ("i1", [0.0], [0.5]),
    ("i1e", [0.0], [0.5]),
    ("erf", [INF, -INF], [0.0, 0.0]),
]


@pytest.mark.parametrize(("name", "x", "want"), DERIVATIVES, ids=[v[0] for v in DERIVATIVES])
def test_derivatives_at_special_points(name: str, x: list[float], want: list[float]) -> None:
    x_ = leaf(x)
    np.testing.assert_allclose(gradient(getattr(tf, name)(x_).sum(), x_), want, rtol=1e-14)


def test_second_derivatives_where_formulas_overflow() -> None:
    runtime = tf.EagerRuntime()
    x = tf.EagerTensor.requires_grad_in(tf.Tensor.from_numpy(np.array([40.0, -1e6, 1e300])), runtime)
    g = runtime.grad(tf.log_ndtr(x).sum(), x)
    np.testing.assert_allclose(runtime.grad(g.sum(), x).numpy(), [0.0, -1.0, 0.0], rtol=1e-11, atol=1e-300)
