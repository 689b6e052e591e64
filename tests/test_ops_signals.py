"""Convolution and correlation, against NumPy."""

import numpy as np
import pytest

import tenferro as tf
from support import NUMERIC, assert_equals, sample


@pytest.mark.parametrize("dtype", [*NUMERIC, "bool"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_values(name, mode, dtype):
    rtol = 4e-6 if dtype in ("float32", "complex64") else 1e-13
    for n, m in ((7, 3), (7, 4), (6, 2), (3, 7), (4, 7), (2, 6), (5, 5), (4, 4), (1, 3), (3, 1), (1, 1)):
        a, v = sample(dtype, (n,)), sample(dtype, (m,), seed=5)
        wide = np.int64 if dtype == "bool" else dtype
        expected = getattr(np, name)(a.astype(wide), v.astype(wide), mode)
        assert_equals(getattr(tf, name)(a, v, mode), expected, rtol=rtol)


def test_defaults_are_numpys():
    a, v = sample("float64", (7,)), sample("float64", (3,))
    assert_equals(tf.convolve(a, v), np.convolve(a, v), rtol=1e-14)
    assert_equals(tf.correlate(a, v), np.correlate(a, v), rtol=1e-14)


def test_a_convolution_is_a_product_of_spectra():
    a, v = sample("complex128", (9,)), sample("complex128", (4,))
    product = tf.fft.fft(a, 12) * tf.fft.fft(v, 12)
    assert_equals(tf.fft.ifft(product), tf.convolve(a, v).numpy(), rtol=1e-13)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_wrong_calls(name):
    f = getattr(tf, name)
    with pytest.raises(tf.InvalidArgumentError, match="mode"):
        f([1.0], [1.0], "circular")
    for a, v in (([], [1.0]), ([1.0], [])):
        with pytest.raises(tf.InvalidArgumentError, match="at least one") as caught:
            f(a, v)
        assert caught.value.op == name
    for a, v in (([[1.0]], [1.0]), ([1.0], 1.0)):
        with pytest.raises(tf.RankMismatchError):
            f(a, v)
