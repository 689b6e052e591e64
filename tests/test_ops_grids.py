"""Numbers at equal ratios, and lists of indices, against NumPy."""

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, assert_equals

SHAPE = (3, 4, 2)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_equal_ratios(num, endpoint, dtype):
    rtol = 1e-6 if dtype == "float32" else 1e-14
    for start, stop in ((-1.0, 3.0), (2.0, 2.0), (3.0, 0.5)):
        expected = np.logspace(start, stop, num, endpoint=endpoint, base=2.5, dtype=dtype)
        assert_equals(tf.logspace(start, stop, num, endpoint=endpoint, base=2.5, dtype=dtype), expected, rtol=rtol)
    for start, stop in ((1e-3, 1e3), (-5.0, -0.1), (1.0, 1e300)):
        expected = np.geomspace(start, stop, num, endpoint=endpoint)
        if dtype == "float32" and stop == 1e300:
            continue
        got = tf.geomspace(start, stop, num, endpoint=endpoint, dtype=dtype)
        assert_equals(got, expected.astype(dtype), rtol=1e-6 if dtype == "float32" else 2e-13)
    assert tf.geomspace(0.1, 0.7, 9).tolist()[::8] == [0.1, 0.7]
    assert tf.logspace(0, 3, 4).tolist() == [1.0, 10.0, 100.0, 1000.0]
    assert tf.logspace(0, 1).shape == (50,)


def test_wrong_ratios():
    for start, stop in ((0.0, 1.0), (-1.0, 1.0), (1.0, np.inf), (np.nan, 1.0)):
        with pytest.raises(tf.InvalidArgumentError, match="sign"):
            tf.geomspace(start, stop)
    for f in (tf.logspace, tf.geomspace):
        with pytest.raises(tf.InvalidArgumentError, match="num"):
            f(1.0, 2.0, -1)


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
@pytest.mark.parametrize("k", [-5, -1, 0, 1, 2, 9])
def test_triangles(name, k):
    for n, m in ((3, None), (2, 4), (4, 2), (0, 3), (3, 0)):
        got = getattr(tf, name)(n, k, m)
        for one, want in zip(got, getattr(np, name)(n, k, m), strict=True):
            assert_equals(one, want.astype(np.int64))
    with pytest.raises(tf.InvalidArgumentError, match="n"):
        getattr(tf, name)(-1)


@pytest.mark.parametrize("order", ["F", "C"])
def test_positions_and_indices(order):
    flat = np.arange(24).reshape(4, 6)[::-1]
    got = tf.unravel_index(flat, SHAPE, order=order)
    for one, want in zip(got, np.unravel_index(flat, SHAPE, order=order), strict=True):
        assert_equals(one, want.astype(np.int64))
    assert_equals(tf.ravel_multi_index(got, SHAPE, order=order), flat)
    assert [one.item() for one in tf.unravel_index(0, (), order=order)] == []


def test_where_the_greatest_element_is():
    a = np.random.default_rng(1).normal(size=SHAPE)
    place = tuple(one.item() for one in tf.unravel_index(tf.argmax(a), SHAPE))
    assert a[place] == a.max()


def test_wrong_indices():
    for wrong in (24, -1):
        with pytest.raises(tf.IndexOutOfBoundsError):
            tf.unravel_index(wrong, SHAPE)
    for wrong in ([3, 0, 0], [0, -1, 0]):
        with pytest.raises(tf.IndexOutOfBoundsError):
            tf.ravel_multi_index(wrong, SHAPE)
    with pytest.raises(tf.DTypeMismatchError):
        tf.unravel_index(1.0, SHAPE)
    with pytest.raises(tf.InvalidArgumentError, match="one per axis"):
        tf.ravel_multi_index([0, 0], SHAPE)
    with pytest.raises(tf.ShapeMismatchError):
        tf.ravel_multi_index([0, [0, 1], 0], SHAPE)
    with pytest.raises(tf.InvalidArgumentError, match="shape"):
        tf.unravel_index(0, (2, -1))


def test_there_are_no_arbitrary_elements():
    assert tf.empty((2, 2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tf.empty_like(tf.tensor([1, 2])).tolist() == [0, 0]
