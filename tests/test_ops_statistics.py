"""Statistics and log-sum-exp, against NumPy and their definitions."""

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, INEXACT, NUMERIC, assert_equals, sample

AXES = [None, 0, 1, (0, 1), -1]


def real_dtype(dtype):
    return np.zeros(1, dtype).real.dtype if np.dtype(dtype).kind in "fc" else np.dtype(np.float64)


def loose(dtype):
    return 2e-5 if dtype in ("float32", "complex64") else 1e-12


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("correction", [0, 1])
def test_variance_and_deviation(correction, axis, dtype):
    a = sample(dtype, (3, 4))
    for keepdims in (False, True):
        for name in ("var", "std"):
            expected = getattr(np, name)(a, axis=axis, ddof=correction, keepdims=keepdims)
            expected = np.asarray(expected, dtype=real_dtype(dtype))
            got = getattr(tf, name)(a, axis=axis, correction=correction, keepdims=keepdims)
            assert_equals(got, expected, rtol=loose(dtype))
            assert_equals(getattr(tf.tensor(a), name)(axis, keepdims, ddof=correction), expected, rtol=loose(dtype))


def test_variance_needs_no_warning_and_no_offset():
    assert np.isnan(tf.var([3.0], correction=1).item())
    assert tf.var(np.array([1.0, 2.0, 3.0]) + 1e9).item() == pytest.approx(2 / 3, rel=1e-6)
    with pytest.raises(tf.InvalidArgumentError, match="both"):
        tf.var([1.0], correction=1, ddof=1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_b29_derivatives_at_a_constant_vector(dtype):
    x = tf.tensor(np.full(4, 2.5, dtype=dtype), requires_grad=True)
    assert x.runtime.grad(tf.std(x), x).tolist() == [0.0] * 4
    assert x.runtime.grad(tf.var(x), x).tolist() == [0.0] * 4


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("axis", AXES)
def test_logsumexp(axis, dtype):
    a = sample(dtype, (3, 4), low=-3, high=3)
    expected = np.log(np.sum(np.exp(a), axis=axis)).astype(dtype)
    assert_equals(tf.logsumexp(a, axis), expected, rtol=loose(dtype))
    kept = tf.logsumexp(a, axis, True)
    assert kept.numpy().ravel().tolist() == tf.logsumexp(a, axis).numpy().ravel().tolist()


def test_logsumexp_at_the_rims():
    assert tf.logsumexp([1e4, 1e4]).item() == 1e4 + np.log(2)
    assert tf.logsumexp(np.full(3, -np.inf)).item() == -np.inf
    assert tf.logsumexp([np.inf, 1.0]).item() == np.inf
    assert np.isnan(tf.logsumexp([np.nan, 1.0]).item())
    assert tf.logsumexp(np.zeros((2, 0)), 1).tolist() == [-np.inf, -np.inf]
    x = tf.tensor([-np.inf, -np.inf], requires_grad=True)
    assert x.runtime.grad(tf.logsumexp(x), x).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean"])
def test_reductions_without_nan(name, axis, dtype):
    a = sample(dtype, (3, 4))
    a[1, 2] = a[0, 0] = np.nan
    assert_equals(getattr(tf, name)(a, axis), np.asarray(getattr(np, name)(a, axis=axis), dtype), rtol=loose(dtype))
    x = tf.tensor(a, requires_grad=True)
    g = x.runtime.grad(getattr(tf, name)(x), x).numpy()
    assert g[1, 2] == g[0, 0] == 0
    assert np.isfinite(g).all()


def test_reductions_of_nothing_but_nan():
    a = np.full((2, 3), np.nan)
    assert tf.nansum(a).item() == 0.0
    assert tf.nanprod(a).item() == 1.0
    for f in (tf.nanmax, tf.nanmin, tf.nanmean):
        assert np.isnan(f(a, 0).numpy()).all()


@pytest.mark.parametrize("axis", AXES)
def test_counts_ranges_squares_and_averages(axis):
    a = sample("float64", (3, 4)).round()
    assert_equals(tf.count_nonzero(a, axis), np.asarray(np.count_nonzero(a, axis=axis), np.int64))
    assert_equals(tf.ptp(a, axis), np.asarray(np.ptp(a, axis=axis)))
    z = sample("complex128", (3, 4))
    assert_equals(tf.sum_squares(z, axis), np.asarray((abs(z) ** 2).sum(axis=axis)))
    w = sample("float64", (3, 4), seed=3, low=0.1, high=1.0)
    assert_equals(tf.average(a, axis, w), np.asarray(np.average(a, axis, w)))
    assert_equals(tf.average(a, axis), np.asarray(np.average(a, axis)))


def test_averages_along_one_axis():
    a = sample("float64", (3, 4))
    for axis in (0, 1):
        w = np.arange(1.0, a.shape[axis] + 1)
        assert_equals(tf.average(a, axis, w), np.average(a, axis, w))
        assert_equals(tf.average(a, axis, w, keepdims=True), np.average(a, axis, w, keepdims=True))
    with pytest.raises(tf.ShapeMismatchError):
        tf.average(a, 0, np.ones(5))


def test_stop_gradient():
    x = tf.tensor([2.0, 3.0], requires_grad=True)
    assert x.runtime.grad((x * tf.stop_gradient(x)).sum(), x).tolist() == [2.0, 3.0]
    assert not tf.stop_gradient(x).tracks_grad


@pytest.mark.parametrize("axis", [*AXES])
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_variance_without_nan(name, axis):
    for dtype in INEXACT:
        a = sample(dtype, (3, 4))
        a[1, 2] = a[0, 0] = np.nan
        for ddof in (0, 1):
            expected = np.asarray(getattr(np, name)(a, axis=axis, ddof=ddof), real_dtype(dtype))
            assert_equals(getattr(tf, name)(a, axis, ddof=ddof), expected, rtol=loose(dtype))
    assert np.isnan(getattr(tf, name)([np.nan, 1.0], correction=1).item())


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_statistics_of_nan_alone_have_the_same_derivative_in_both_modes(name):
    x = tf.tensor([np.nan, np.nan], requires_grad=True)
    y = getattr(tf, name)(x)
    assert np.isnan(y.item())
    assert x.runtime.grad(y, x).tolist() == [0.0, 0.0]
    assert x.runtime.jvp(y, x, tf.tensor([1.0, 1.0])).item() == 0.0


def test_complex_logsumexp_of_nothing():
    """A sum of no complex numbers is complex, too."""
    for shape, axis in (((0,), None), ((2, 0), 1), ((0, 3), (0, 1))):
        z = tf.tensor(np.zeros(shape, complex))
        assert z.logsumexp(axis).dtype == tf.complex128
        assert np.isneginf(z.logsumexp(axis).numpy().real).all()
