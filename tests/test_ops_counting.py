"""Histograms, bins, and numbers taken apart, against NumPy."""

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, assert_equals, sample

NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "bool"])
@pytest.mark.parametrize("bins", [None, 1, 7, [-1.0, 0.0, 0.0, 0.25, 1.0], [0.5, 1.5]])
def test_histograms(bins, dtype):
    a = sample(dtype, (6, 7))
    given = {} if bins is None else {"bins": bins}
    counts, edges = tf.histogram(a, bins)
    expected, places = np.histogram(a.astype(np.float64), **given)
    assert_equals(counts, expected)
    assert_equals(edges, np.asarray(places, np.float64), rtol=1e-15)
    w = sample("float64", (6, 7), seed=3)
    assert_equals(
        tf.histogram(a, bins, weights=w).counts, np.histogram(a.astype(np.float64), weights=w, **given)[0], rtol=1e-13
    )
    if bins != [-1.0, 0.0, 0.0, 0.25, 1.0]:
        density = np.histogram(a.astype(np.float64), density=True, **given)[0]
        assert_equals(tf.histogram(a, bins, density=True).counts, density, rtol=1e-14)


def test_edges_belong_to_their_bins():
    edges = np.linspace(0, 1, 8)
    assert tf.histogram(edges, 7).counts.tolist() == [1, 1, 1, 1, 1, 1, 2]
    assert tf.histogram([0.0, 1.0, 1.0, 2.0, 3.0], [0, 1, 2]).counts.tolist() == [1, 3]
    assert tf.histogram([1.0, 5.0], [1.0]).counts.shape == (0,)


def test_histograms_over_a_range():
    a = [0.1, 0.9, 1.0, 5.0, NAN, -INF]
    assert tf.histogram(a, 2, range=(0, 1)).counts.tolist() == [1, 2]
    assert tf.histogram([], 2).edges.tolist() == [0.0, 0.5, 1.0]
    assert tf.histogram([3.0, 3.0], 2).edges.tolist() == [2.5, 3.0, 3.5]


def test_weights_have_a_gradient():
    w = tf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    counts = tf.histogram([0.2, 0.9, 7.0], 2, (0, 1), w).counts
    assert w.runtime.grad((counts * tf.tensor([3.0, 5.0])).sum(), w).tolist() == [3.0, 5.0, 0.0]


def test_wrong_histograms():
    for bins in (0, -1, 2.5, [], [1.0, 0.0], [[1.0]], [0.0, NAN]):
        with pytest.raises(tf.InvalidArgumentError, match="bins"):
            tf.histogram([1.0], bins)
    for a, given in (([1.0], (2, 1)), ([1.0], (0, INF)), ([NAN], None), ([INF], None)):
        with pytest.raises(tf.InvalidArgumentError, match="range"):
            tf.histogram(a, 2, given)
    with pytest.raises(tf.ShapeMismatchError, match="weights"):
        tf.histogram([1.0], weights=[1.0, 2.0])
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.histogram([1j])


@pytest.mark.parametrize("right", [False, True])
def test_bins_of_elements(right):
    bins = np.array([0.0, 1.0, 1.0, 2.5])
    x = np.array([[-1.0, 0.0, 0.5], [1.0, 2.5, 3.0]])
    assert_equals(tf.digitize(x, bins, right), np.digitize(x, bins, right))


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_taken_apart(dtype):
    tiny = float(np.finfo(dtype).smallest_subnormal)
    largest = float(np.finfo(dtype).max)
    powers = [s * 2.0**k for k in range(-120, 120, 7) for s in (1, -1)]
    near = [np.nextafter(np.asarray(p, dtype), np.asarray(0, dtype)) for p in powers]
    special = [0.0, -0.0, INF, -INF, NAN, tiny, 3 * tiny, largest, -largest, 1.0, 0.1, 12.0]
    x = np.array([*powers, *near, *special], dtype)
    mantissa, exponent = tf.frexp(x)
    expected, whole = np.frexp(x)
    assert mantissa.numpy().tobytes() == expected.tobytes()
    assert_equals(exponent, whole.astype(np.int64))
    parts, wholes = tf.modf(x), np.modf(x)
    for got, want in zip(parts, wholes, strict=True):
        assert_equals(got, want, rtol=0.0)
        assert (np.signbit(got.numpy()) == np.signbit(want))[~np.isnan(x)].all()


def test_quotient_and_remainder():
    a, b = np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])
    for got, want in zip(tf.divmod(a, b), np.divmod(a, b), strict=True):
        assert_equals(got, want)
    for got, want in zip(tf.divmod(a / 2, 1.5), np.divmod(a / 2, 1.5), strict=True):
        assert_equals(got, want)
