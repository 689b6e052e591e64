"""Quantiles, partitions and positions without NaN, against NumPy."""

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, assert_equals, sample

QS = [0.0, 0.1, 0.5, 0.35, 1.0]
METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]
NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "int32", "bool"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles(method, axis, dtype):
    a = sample(dtype, (4, 5))
    # Integers and bool become float64, whatever the method.
    b = a if dtype in FLOATS else a.astype(np.float64)
    rtol = 1e-6 if dtype == "float32" else 1e-14
    for q in (0.3, QS):
        for keepdims in (False, True):
            expected = np.quantile(b, q, axis=axis, keepdims=keepdims, method=method).astype(b.dtype)
            assert_equals(tf.quantile(a, q, axis, keepdims, method=method), expected, rtol=rtol, atol=rtol)
            hundred = np.multiply(q, 100)
            assert_equals(tf.percentile(a, hundred, axis, keepdims, method=method), expected, rtol=rtol, atol=rtol)


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_without_nan(method, axis):
    a = sample("float64", (4, 5))
    a[1, 2] = a[0, 0] = a[3, 0] = NAN
    a[2] = NAN
    expected = np.nanquantile(a, QS, axis=axis, method=method)
    assert_equals(tf.nanquantile(a, QS, axis, method=method), expected, rtol=1e-14)
    assert_equals(tf.nanpercentile(a, np.multiply(QS, 100), axis, method=method), expected, rtol=1e-14)
    assert_equals(tf.nanmedian(a, axis), np.asarray(np.nanmedian(a, axis=axis)), rtol=1e-14)


def test_nan_is_contagious():
    a = np.array([[1.0, 2.0], [NAN, 4.0]])
    assert_equals(tf.quantile(a, 0.0, axis=0), np.quantile(a, 0.0, axis=0))
    assert np.isnan(tf.quantile(a, [0.1, 0.9]).numpy()).all()


def test_infinities():
    assert tf.quantile([1.0, INF], 0.0).item() == 1.0
    assert tf.quantile([INF, INF, 1.0], [0.75, 1.0]).tolist() == [INF, INF]
    assert tf.quantile([-INF, -INF, 1.0], 0.25).item() == -INF
    assert np.isnan(tf.quantile([-INF, INF], 0.5).item())


def test_quantiles_of_nothing():
    assert np.isnan(tf.quantile(np.zeros((0, 3)), QS, axis=0).numpy()).all()
    assert tf.quantile(np.zeros((0, 3)), QS, axis=0).shape == (5, 3)
    assert tf.quantile(np.zeros((0, 3)), QS, axis=1).shape == (5, 0)
    assert tf.quantile([1.0], []).shape == (0,)
    assert np.isnan(tf.nanmedian([NAN, NAN]).item())


def test_places_are_found_in_double_precision():
    """In single precision q·(n − 1) would miss by elements."""
    n = 2**20
    x = tf.arange(n, dtype=tf.float32)
    assert tf.quantile(x, 0.7).item() == pytest.approx(0.7 * (n - 1), abs=0.07)


def test_the_derivative_in_the_place():
    x, q = tf.tensor([0.0, 1.0, 5.0]), tf.tensor([0.25, 0.75], requires_grad=True)
    assert q.runtime.grad(tf.quantile(x, q).sum(), q).tolist() == [2.0, 8.0]


def test_wrong_quantiles():
    for q in (-0.1, 1.1, NAN, [0.5, 2.0]):
        with pytest.raises(tf.InvalidArgumentError, match="q"):
            tf.quantile([1.0], q)
    with pytest.raises(tf.InvalidArgumentError, match="100"):
        tf.percentile([1.0], 101)
    with pytest.raises(tf.InvalidArgumentError, match="method"):
        tf.quantile([1.0], 0.5, method="weibull")
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.quantile([1j], 0.5)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.quantile([1.0], 0.5j)
    with pytest.raises(tf.RankMismatchError):
        tf.quantile([1.0], [[0.5]])
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.quantile([1.0], 0.5, axis=1)


@pytest.mark.parametrize("kth", [0, 2, -1, [1, 3]])
def test_partitions(kth):
    a = sample("float64", (3, 5))
    for axis in (0, 1) if kth in (0, 2, -1) else (1,):
        got = tf.partition(a, kth, axis).numpy()
        picked = np.partition(a, kth, axis=axis)
        assert np.take(got, kth, axis=axis).tolist() == np.take(picked, kth, axis=axis).tolist()
        places = tf.argpartition(a, kth, axis).numpy()
        assert np.take_along_axis(a, places, axis=axis).tolist() == got.tolist()
    for name in ("partition", "argpartition"):
        with pytest.raises(tf.InvalidArgumentError, match="kth") as caught:
            getattr(tf, name)(a, 5)
        assert caught.value.op == name
        with pytest.raises(tf.UnsupportedDTypeError):
            getattr(tf, name)([1j], 0)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_positions_without_nan(name, axis):
    a = sample("float64", (4, 5))
    a[1, 2] = a[0, 0] = a[3, 0] = NAN
    a[2, 1] = INF
    a[3, 1] = -INF
    expected = getattr(np, name)(a.T if axis is None else a, axis=axis)
    assert_equals(getattr(tf, name)(a, axis), np.asarray(expected))
    kept = getattr(tf, name)(a, axis, True)
    assert kept.numpy().ravel().tolist() == np.ravel(expected).tolist()
    assert getattr(tf, name)([3, 1, 2]).item() == getattr(np, name)([3, 1, 2])


def test_positions_beside_infinities_of_the_same_sign_as_nothing():
    assert tf.nanargmax([NAN, -INF, NAN]).item() == 1
    assert tf.nanargmin([NAN, NAN, INF]).item() == 2
    assert tf.nanargmax([NAN, NAN]).item() == 0
