"""Softmax and normalisation: values, edge slices, gradients."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import gradient, leaf

INF, NAN = math.inf, math.nan


def reference(a, axis=-1):
    e = np.exp(a - a.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_values(dtype, axis):
    a = (np.random.default_rng(1).standard_normal((3, 4)) * 2).astype(dtype)
    wide = a.astype(np.float64)
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    y, z = tf.softmax(tf.tensor(a), axis), tf.log_softmax(tf.tensor(a), axis=axis)
    assert y.dtype == z.dtype == np.dtype("float32" if dtype == "float32" else "float64")
    np.testing.assert_allclose(y.numpy(), reference(wide, axis), rtol=tolerance)
    np.testing.assert_allclose(z.numpy(), np.log(reference(wide, axis)), rtol=tolerance * 10)


def test_large_and_small_numbers():
    assert tf.softmax([1e308, 1e308]).tolist() == [0.5, 0.5]
    np.testing.assert_allclose(tf.log_softmax([0.0, -1000.0]).numpy(), [0.0, -1000.0])


def test_slices_of_minus_infinity_and_nan():
    a = np.array([[-INF, -INF], [NAN, 0.0], [INF, 0.0], [0.0, 0.0], [-INF, 0.0]])
    x = leaf(a)
    y = tf.softmax(x)
    np.testing.assert_array_equal(y.numpy(), [[0, 0], [NAN, NAN], [NAN, NAN], [0.5, 0.5], [0, 1]])
    g = gradient((y * tf.tensor([1.0, 2.0])).sum(), x)
    np.testing.assert_array_equal(g[0], [0, 0])
    np.testing.assert_allclose(g[3], [-0.25, 0.25])
    np.testing.assert_array_equal(g[4], [0, 0])
    z = tf.log_softmax(x)
    np.testing.assert_array_equal(z.numpy()[[0, 1, 2]], [[-INF, -INF], [NAN, NAN], [NAN, NAN]])
    g = gradient(z.sum(), x)
    assert np.isfinite(g[[0, 3, 4]]).all()


def test_masks():
    x = leaf([[1.0, NAN, 2.0], [1.0, 2.0, 3.0]])
    mask = [[True, False, True], [False, False, False]]
    y = tf.masked_softmax(x, mask)
    np.testing.assert_allclose(y.numpy()[0], [1 / (1 + math.e), 0, math.e / (1 + math.e)])
    assert y.numpy()[1].tolist() == [0, 0, 0]
    g = gradient((y * tf.tensor([1.0, 2.0, 3.0])).sum(), x)
    assert np.isfinite(g).all()
    assert g[0, 1] == 0
    assert (g[1] == 0).all()
    z = tf.masked_log_softmax(x, mask)
    np.testing.assert_array_equal(z.numpy()[1], [-INF] * 3)
    assert z.numpy()[0, 1] == -INF
    g = gradient(z[0].sum(), x)
    p = y.numpy()[0]
    np.testing.assert_allclose(g, [[1 - 2 * p[0], 0, 1 - 2 * p[2]], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(x.masked_softmax(np.array([True, False, True])).numpy()[1, 1], 0)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_layer_norm(axis):
    rng = np.random.default_rng(2)
    a, n = rng.standard_normal((3, 4)), (3, 4)[axis]
    w, b = rng.standard_normal(n), rng.standard_normal(n)
    laid = (slice(None), None) if axis == 0 else (None, slice(None))
    centred = a - a.mean(axis, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis, keepdims=True) + 1e-3)
    np.testing.assert_allclose(tf.layer_norm(a, axis, eps=1e-3).numpy(), expected, rtol=1e-13)
    full = tf.layer_norm(a, axis, w, b, 1e-3)
    np.testing.assert_allclose(full.numpy(), expected * w[laid] + b[laid], rtol=1e-12)
    np.testing.assert_allclose(tf.layer_norm(a, axis, bias=b, eps=1e-3).numpy(), expected + b[laid], rtol=1e-12)
    scaled = a / np.sqrt((a**2).mean(axis, keepdims=True) + 1e-5)
    np.testing.assert_allclose(tf.rms_norm(a, axis, w).numpy(), scaled * w[laid], rtol=1e-13)


def test_gradients_of_norms():
    x, w = leaf([1.0, 2.0, 4.0]), leaf([1.0, -1.0, 2.0])
    for f in (tf.layer_norm, tf.rms_norm):
        y = (f(x, weight=w) * tf.tensor([0.3, -0.5, 1.0])).sum()
        g = gradient(y, x)
        for i in range(3):
            step = np.eye(3)[i] * 1e-5
            ahead, behind = (f(x.numpy() + s, weight=w.numpy()) for s in (step, -step))
            slope = (((ahead - behind) * tf.tensor([0.3, -0.5, 1.0])).sum() / 2e-5).item()
            assert g[i] == pytest.approx(slope, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(gradient(tf.rms_norm(x, weight=w).sum(), w), tf.rms_norm(x).numpy())


def test_wrong_calls():
    x = tf.ones((2, 3))
    for eps in (-1.0, INF, NAN):
        with pytest.raises(tf.InvalidArgumentError, match="'eps'"):
            tf.layer_norm(x, eps=eps)
        with pytest.raises(tf.InvalidArgumentError, match="'eps'"):
            tf.rms_norm(x, eps=eps)
    with pytest.raises(tf.ShapeMismatchError, match=r"layer_norm: argument 'bias'.*\(3,\).*\(2,\)"):
        tf.layer_norm(x, bias=tf.ones(2))
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.softmax(x, axis=2)
    with pytest.raises(tf.UnsupportedDTypeError, match="softmax"):
        tf.softmax(x.to_complex())
    with pytest.raises(tf.DTypeMismatchError, match="'mask'"):
        tf.masked_softmax(x, [1, 0, 1])
    with pytest.raises(tf.ShapeMismatchError):
        tf.masked_softmax(x, [True, False])
    assert tf.softmax(tf.zeros((2, 0))).shape == (2, 0)
