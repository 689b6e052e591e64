"""Values on a line, against NumPy."""

import numpy as np
import pytest

import tenferro as tf
from support import INEXACT, assert_equals, sample

XP = np.array([-1.0, 0.0, 0.5, 2.0])
INF = float("inf")
NAN = float("nan")


@pytest.mark.parametrize("dtype", INEXACT)
def test_interpolation(dtype):
    fp = sample(dtype, (4,))
    x = np.array([-3.0, -1.0, -0.25, 0.0, 0.3, 0.5, 1.9, 2.0, 7.0, NAN, INF, -INF])
    real = fp.real.dtype
    x, xp = x.astype(real), XP.astype(real)
    rtol = 1e-6 if real == np.float32 else 1e-14
    assert_equals(tf.interp(x, xp, fp), np.interp(x, xp, fp).astype(dtype), rtol=rtol)
    expected = np.interp(x, xp, fp, left=-5.0, right=7.0).astype(dtype)
    assert_equals(tf.interp(x, xp, fp, -5.0, 7.0), expected, rtol=rtol)
    assert_equals(tf.interp(x, xp, fp, right=7.0), np.interp(x, xp, fp, right=7.0).astype(dtype), rtol=rtol)


def test_interpolation_at_one_point_and_at_jumps():
    assert tf.interp([0.0, 1.0, 2.0], [1.0], [5.0], left=-1.0, right=9.0).tolist() == [-1.0, 5.0, 9.0]
    assert tf.interp([[0.5], [1.0]], [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 3.0, 4.0]).tolist() == [[0.5], [3.0]]
    x = tf.tensor([-2.0, 0.0, 3.0, 1.0], requires_grad=True)
    assert x.runtime.grad(tf.interp(x, [-1.0, 0.0, 2.0], [0.0, 1.0, 5.0]).sum(), x).tolist() == [0.0, 2.0, 0.0, 2.0]
    with pytest.raises(tf.InvalidArgumentError, match="xp"):
        tf.interp([1.0], [], [])
    with pytest.raises(tf.ShapeMismatchError, match="fp"):
        tf.interp([1.0], [1.0, 2.0], [1.0])
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.interp([1j], [1.0], [1.0])


def test_interpolation_maps():
    fp = sample("float64", (3, 4))
    got = tf.vmap(lambda f: tf.interp([0.2, 0.9], XP, f))(tf.tensor(fp))
    assert_equals(got, np.array([np.interp([0.2, 0.9], XP, f) for f in fp]), rtol=1e-14)


@pytest.mark.parametrize("dtype", [*INEXACT, "int64"])
@pytest.mark.parametrize("order", [1, 2])
def test_difference_quotients(order, dtype):
    a = sample(dtype, (4, 5))
    rtol = 2e-6 if dtype in ("float32", "complex64") else 1e-13
    for axis in (0, 1):
        expected = np.gradient(a, 0.5, axis=axis, edge_order=order)
        assert_equals(tf.gradient(a, 0.5, axis, order), expected, rtol=rtol)
        assert_equals(tf.gradient(a, axis=axis), np.gradient(a, axis=axis), rtol=rtol)
        x = np.cumsum(np.arange(1.0, a.shape[axis] + 1)).astype(expected.real.dtype)
        assert_equals(tf.gradient(a, x, axis, order), np.gradient(a, x, axis=axis, edge_order=order), rtol=rtol)


def test_difference_quotients_are_exact_for_parabolas():
    x = np.array([0.0, 0.5, 2.0, 2.25, 4.0])
    assert_equals(tf.gradient(x**2, x, edge_order=2), 2 * x, rtol=1e-14)
    with pytest.raises(tf.InvalidArgumentError, match="at least 3"):
        tf.gradient([1.0, 2.0], edge_order=2)
    with pytest.raises(tf.InvalidArgumentError, match="edge_order"):
        tf.gradient([1.0, 2.0], edge_order=3)
    with pytest.raises(tf.ShapeMismatchError):
        tf.gradient([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("dtype", [*INEXACT, "int64", "bool"])
@pytest.mark.parametrize("axis", [0, 1])
def test_integrals(axis, dtype):
    a = sample(dtype, (4, 5))
    rtol = 2e-6 if dtype in ("float32", "complex64") else 1e-13
    wanted = a.dtype if dtype in INEXACT else np.dtype(np.float64)
    whole = np.asarray(np.trapezoid(a.astype(wanted), dx=0.5, axis=axis), wanted)
    assert_equals(tf.trapezoid(a, dx=0.5, axis=axis), whole, rtol=rtol)
    x = np.cumsum(np.arange(1.0, a.shape[axis] + 1)).astype(np.zeros(1, wanted).real.dtype)
    by_x = np.asarray(np.trapezoid(a.astype(wanted), x, axis=axis), wanted)
    assert_equals(tf.trapezoid(a, x, axis=axis), by_x, rtol=rtol)
    running = tf.cumulative_trapezoid(a, x, axis=axis, include_initial=True).numpy()
    assert running.shape == a.shape
    np.testing.assert_allclose(np.take(running, -1, axis), by_x, rtol=rtol, atol=rtol)
    assert not np.take(running, 0, axis).any()


def test_integrals_of_one_point_and_wrong_ones():
    assert tf.trapezoid([3.0]).item() == 0.0
    assert tf.trapezoid(np.zeros(0)).item() == 0.0
    assert tf.cumulative_trapezoid([3.0], include_initial=True).tolist() == [0.0]
    assert tf.trapezoid([[1.0], [3.0]], x=[[0.0], [2.0]], axis=0).tolist() == [4.0]
    for x in ([1.0, 2.0, 3.0], 1.0):
        with pytest.raises(tf.ShapeMismatchError):
            tf.trapezoid([1.0, 2.0], x)
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.trapezoid([1.0, 2.0], axis=1)


def test_phases_without_jumps():
    phase = np.cumsum(sample("float64", (3, 40), low=-3, high=3), axis=1)
    wrapped = np.angle(np.exp(1j * phase))
    assert_equals(tf.unwrap(wrapped), np.unwrap(wrapped), rtol=1e-12)
    turns = tf.unwrap(wrapped).numpy() - phase
    np.testing.assert_allclose(turns, np.broadcast_to(turns[:, :1], turns.shape), atol=1e-12)
    assert_equals(tf.unwrap(wrapped.T, 0, period=1.5), np.unwrap(wrapped.T, axis=0, period=1.5), rtol=1e-12)
    for period in (0.0, -1.0, INF, NAN):
        with pytest.raises(tf.InvalidArgumentError, match="period"):
            tf.unwrap([1.0], period=period)


@pytest.mark.parametrize("dtype", [*INEXACT, "int64"])
def test_powers_and_polynomials(dtype):
    x = sample(dtype, (4,))
    rtol = 4e-6 if dtype in ("float32", "complex64") else 1e-14
    for n in (None, 0, 1, 2, 6):
        for increasing in (False, True):
            expected = np.vander(x, n, increasing).astype(dtype)
            assert_equals(tf.vander(x, n, increasing), expected, rtol=rtol)
    p = sample(dtype, (3,), seed=2)
    assert_equals(tf.polyval(p, x.reshape(2, 2)), np.polyval(p, x.reshape(2, 2)), rtol=rtol)
    assert tf.polyval([], [1.0, 2.0]).tolist() == [0.0, 0.0]
    zero = tf.tensor([0.0], requires_grad=True)
    assert zero.runtime.grad(tf.vander(zero, 4)[0, 2], zero).tolist() == [1.0]
    for name, args in (("vander", ([[1.0]],)), ("polyval", (1.0, 2.0)), ("polyval", ([[1.0]], 2.0))):
        with pytest.raises(tf.RankMismatchError) as caught:
            getattr(tf, name)(*args)
        assert caught.value.op == name


@pytest.mark.parametrize("dtype", [*INEXACT, "int64"])
def test_covariances(dtype):
    a, b = sample(dtype, (3, 6)), sample(dtype, (2, 6), seed=4)
    rtol = 2e-5 if dtype in ("float32", "complex64") else 1e-13
    wanted = dtype if dtype in INEXACT else "float64"
    for rowvar in (True, False):
        x, y = (a, b) if rowvar else (a.T, b.T)
        for ddof in (0, 1):
            expected = np.cov(x, y, rowvar=rowvar, ddof=ddof).astype(wanted)
            assert_equals(tf.cov(x, y, rowvar, ddof=ddof), expected, rtol=rtol)
        assert_equals(tf.cov(x, rowvar=rowvar), np.cov(x, rowvar=rowvar).astype(wanted), rtol=rtol)
        assert_equals(tf.corrcoef(x, y, rowvar), np.corrcoef(x, y, rowvar=rowvar).astype(wanted), rtol=rtol)
    assert_equals(tf.cov(a[0]), np.cov(a[0]).astype(wanted), rtol=rtol)
    assert tf.corrcoef(a[0]).shape == ()
    assert np.isnan(tf.cov([1.0]).item())
    with pytest.raises(tf.ShapeMismatchError):
        tf.cov(a, b[:, 1:])
    with pytest.raises(tf.RankMismatchError):
        tf.cov(np.zeros((2, 2, 2)))
    with pytest.raises(tf.InvalidArgumentError, match="both"):
        tf.cov(a, correction=1, ddof=1)
    with pytest.raises(tf.InvalidArgumentError, match="finite"):
        tf.cov(a, ddof=NAN)
