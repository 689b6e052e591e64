"""Windows at computed starts, rows, columns and blocks, writing along an axis, and lists of places."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, INEXACT, INTS, assert_equals, sample


def clamped(starts, shape, sizes):
    return tuple(slice(s, s + n) for s, n in zip(np.clip(starts, 0, np.subtract(shape, sizes)), sizes, strict=True))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("starts", [(0, 0), (1, 2), (-5, 9), (9, -1)])
def test_windows_are_clamped(starts, dtype):
    a, u = sample(dtype, (3, 4)), sample(dtype, (2, 1), seed=1)
    window = clamped(starts, (3, 4), (2, 1))
    assert_equals(tf.dynamic_slice(a, np.array(starts), (2, 1)), a[window])
    changed = a.copy()
    changed[window] = u
    assert_equals(tf.dynamic_update_slice(a, u, np.array(starts)), changed)
    assert_equals(tf.tensor(a).dynamic_slice(list(starts), [2, 1]), a[window])


def test_windows_of_rank_zero_and_of_nothing():
    assert tf.dynamic_slice(tf.tensor(3.0), np.zeros((0,), dtype=int), ()).item() == 3.0
    assert tf.dynamic_slice(tf.zeros((0, 2)), [0, 1], (0, 1)).shape == (0, 1)


@pytest.mark.parametrize("dtype", INEXACT)
def test_derivatives_of_windows(dtype):
    x = tf.tensor(sample(dtype, (3, 4)), requires_grad=True)
    u = tf.tensor(sample(dtype, (2, 2), seed=1), requires_grad=True)
    ct, window = sample(dtype, (3, 4), seed=2), (slice(1, 3), slice(2, 4))
    into_x, into_u = x.runtime.vjp(tf.dynamic_update_slice(x, u, [9, 9]), [x, u], tf.tensor(ct))
    kept = ct.copy()
    kept[window] = 0
    assert_equals(into_x, kept)
    assert_equals(into_u, ct[window])
    back = x.runtime.vjp(tf.dynamic_slice(x, [9, 9], (2, 2)), x, tf.tensor(ct[window]))
    assert_equals(back, ct - kept)
    for f, args in (
        (lambda x: tf.dynamic_slice(x * x, [1, 1], (2, 2)), (x,)),
        (lambda x, u: tf.dynamic_update_slice(x * x, u * x[0, 0], [0, 1]), (x, u)),
    ):
        if np.dtype(dtype).itemsize >= 8 and dtype != "complex64":
            tf.check_grads(f, args, order=2)


def test_wrong_windows():
    a = np.zeros((3, 4))
    for wrong in (lambda: tf.dynamic_slice(a, [0, 0], (4, 1)), lambda: tf.dynamic_slice(a, [0, 0], (1,))):
        with pytest.raises(tf.InvalidArgumentError, match="sizes"):
            wrong()
    with pytest.raises(tf.ShapeMismatchError, match="starts"):
        tf.dynamic_slice(a, [0], (1, 1))
    with pytest.raises(tf.RankMismatchError, match="starts"):
        tf.dynamic_slice(a, [[0, 0]], (1, 1))
    with pytest.raises(tf.TenferroError):
        tf.dynamic_update_slice(a, np.zeros((4, 1)), [0, 0])


def test_rows_columns_and_blocks():
    a = sample("complex64", (3, 4, 2))
    assert_equals(tf.take_rows(a, [2, 0, -1]), a[[2, 0, -1]])
    assert_equals(tf.take_cols(a, [1, 1]), a[:, [1, 1]])
    assert_equals(tf.take_block(a, [2, 0], [3, -4, 1]), a[np.ix_([2, 0], [3, -4, 1])])
    x = tf.tensor([1.0, 2.0, 3.0], requires_grad=True)
    seed = tf.tensor([10.0, 20.0, 30.0])
    assert x.runtime.vjp(tf.take_rows(x, [1, 1, 2]), x, seed).tolist() == [0.0, 30.0, 30.0]
    with pytest.raises(tf.IndexOutOfBoundsError):
        tf.take_rows(a, [3])
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.take_cols([1.0], [0])
    with pytest.raises(tf.RankMismatchError):
        tf.take_rows(a, [[0]])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_writing_along_an_axis(axis):
    a = sample("float64", (3, 4))
    indices = np.argsort(a, axis=axis).take([0, 2], axis)
    values = sample("float64", indices.shape, seed=1)
    put = a.copy()
    np.put_along_axis(put, indices, values, axis)
    assert_equals(tf.put_along_axis(a, indices, values, axis), put)
    added = a.copy()
    np.put_along_axis(added, indices, np.take_along_axis(a, indices, axis) + values, axis)
    assert_equals(tf.add_along_axis(a, indices - a.shape[axis], values, axis), added)
    assert tf.add_along_axis([1.0, 5.0, 2.0], [1, 1], [10.0, 20.0]).tolist() == [1.0, 35.0, 2.0]


def test_derivatives_of_writing_along_an_axis():
    x, v = tf.tensor([[1.0, 2.0, 3.0]], requires_grad=True), tf.tensor([[5.0, 7.0]], requires_grad=True)
    seed = tf.tensor([[10.0, 20.0, 30.0]])
    into_x, into_v = x.runtime.vjp(tf.put_along_axis(x, [[2, 0]], v), [x, v], seed)
    assert into_x.tolist() == [[0.0, 20.0, 0.0]]
    assert into_v.tolist() == [[30.0, 10.0]]
    into_x, into_v = x.runtime.vjp(tf.add_along_axis(x, [[2, 2]], v), [x, v], seed)
    assert into_x.tolist() == seed.tolist()
    assert into_v.tolist() == [[30.0, 30.0]]


def test_wrong_writing_along_an_axis():
    a = np.zeros((2, 3))
    with pytest.raises(tf.IndexOutOfBoundsError):
        tf.put_along_axis(a, [[3], [0]], 1.0, 1)
    with pytest.raises(tf.DTypeMismatchError, match="indices"):
        tf.put_along_axis(a, [[0.0], [0.0]], 1.0, 1)
    with pytest.raises(tf.RankMismatchError):
        tf.put_along_axis(a, [0], 1.0, 1)
    with pytest.raises(tf.ShapeMismatchError):
        tf.put_along_axis(np.zeros((1, 3)), np.zeros((2, 1), dtype=int), 1.0, 1)


def test_lists_of_places():
    a = np.array([[0, 3, 0], [4, 0, 5]])
    assert_equals(tf.argwhere(a), np.argwhere(a))
    assert_equals(tf.flatnonzero(a, order="C"), np.flatnonzero(a))
    assert_equals(tf.flatnonzero(a), np.flatnonzero(a.T))
    assert tf.argwhere(5.0).shape == np.argwhere(5.0).shape
    assert tf.argwhere(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("dtype", INTS)
def test_bincount(dtype):
    a = np.array([0, 2, 2, 5], dtype=dtype)
    assert_equals(tf.bincount(a), np.bincount(a).astype(np.int64))
    assert_equals(tf.bincount(a, minlength=9), np.bincount(a, minlength=9).astype(np.int64))
    w = np.array([0.5, 1.0, 2.0, -1.0])
    assert_equals(tf.bincount(a, w), np.bincount(a, w))
    assert_equals(tf.bincount(a, np.array([1, 2, 3, 4])), np.bincount(a, [1, 2, 3, 4]))
    assert tf.bincount(np.zeros((0,), dtype=dtype)).shape == (0,)
    v = tf.tensor(w, requires_grad=True)
    assert v.runtime.vjp(tf.bincount(a, v), v, tf.tensor(np.arange(6.0))).tolist() == [0.0, 2.0, 2.0, 5.0]
    with pytest.raises(tf.InvalidArgumentError, match="at least 0"):
        tf.bincount([-1])
    with pytest.raises(tf.RankMismatchError):
        tf.bincount([[1]])
    with pytest.raises(tf.ShapeMismatchError, match="weights"):
        tf.bincount(a, [1.0])


def test_places_inside_vmap():
    x = tf.tensor(sample("float64", (4, 3)))
    assert_equals(tf.vmap(lambda v: tf.dynamic_slice(v, [1], (2,)))(x), x.numpy()[:, 1:])
    for reads in (tf.flatnonzero, tf.argwhere, lambda v: tf.bincount(v.cast(tf.int64))):
        with pytest.raises(tf.RuntimeStateError, match="vmap"):
            tf.vmap(reads)(x)
