"""Ops along one axis, against NumPy: running totals, extrema and their places, sorting, searching, distinct elements."""

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, INEXACT, INTS, NUMERIC, assert_equals, gradient, leaf, sample

ORDERED = (*FLOATS, *INTS)
SHAPES = [(5,), (3, 4), (2, 3, 4), (4, 1), (3, 0), (0,)]


def axes(shape):
    return [*range(-len(shape), len(shape)), None]


def wide(a):
    return a.astype(np.int64) if a.dtype.kind in "bi" else a


@pytest.mark.parametrize("dtype", (*NUMERIC, "bool"))
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals(name, shape, dtype):
    a = sample(dtype, shape)
    for axis in axes(shape):
        flat = a.ravel(order="F") if axis is None else a
        expected = getattr(np, name)(wide(flat), axis=axis)
        for spelled in (getattr(tf, name)(a, axis), getattr(tf.tensor(a), name)(axis=axis)):
            assert_equals(spelled, expected, rtol=1e-5 if dtype in ("float32", "complex64") else 1e-13)


def test_running_totals_backwards_and_with_a_start():
    a = sample("float64", (3, 4))
    assert_equals(tf.cumsum(a, 1, reverse=True), np.cumsum(a[:, ::-1], 1)[:, ::-1])
    assert_equals(tf.cumulative_sum(a, 0, include_initial=True), np.concatenate([np.zeros((1, 4)), np.cumsum(a, 0)]))
    assert_equals(tf.cumulative_prod(a, 0, include_initial=True), np.concatenate([np.ones((1, 4)), np.cumprod(a, 0)]))
    assert_equals(tf.cumsum(a, order="C"), np.cumsum(a))


@pytest.mark.parametrize("dtype", FLOATS)
def test_logcumsumexp(dtype):
    a = sample(dtype, (3, 4), low=-5, high=5)
    expected = np.logaddexp.accumulate(a.astype(np.float64), axis=1).astype(dtype)
    assert_equals(tf.logcumsumexp(a, 1), expected)
    assert tf.logcumsumexp([-np.inf, -np.inf, 0.0]).tolist() == [-np.inf, -np.inf, 0.0]


@pytest.mark.parametrize("dtype", INEXACT)
def test_gradient_of_a_running_product_with_zeros(dtype, ctx):
    a = np.array([2.0, 0.0, 3.0, 0.0, 5.0], dtype=dtype)
    x = tf.tensor(a, requires_grad=True)
    total = tf.cumprod(x)
    for k in range(5):
        expected = [np.prod(np.delete(a[: k + 1], i)) if i <= k else 0 for i in range(5)]
        assert x.runtime.grad(total[k], x).tolist() == expected


@pytest.mark.parametrize("dtype", ORDERED)
@pytest.mark.parametrize("shape", SHAPES)
def test_running_extrema(shape, dtype):
    a = sample(dtype, shape)
    for axis in range(len(shape)):
        assert_equals(tf.cummax(a, axis), np.maximum.accumulate(a, axis))
        assert_equals(tf.cummin(a, axis), np.minimum.accumulate(a, axis))
    assert np.array_equal(tf.cummax([1.0, np.nan, 2.0]).numpy(), [1.0, np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize("dtype", (*ORDERED, "bool"))
@pytest.mark.parametrize("shape", [s for s in SHAPES if 0 not in s])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_extrema(name, shape, dtype):
    a = sample(dtype, shape)
    for axis in axes(shape):
        flat = a.ravel(order="F") if axis is None else a
        assert_equals(getattr(tf, name)(a, axis), np.asarray(getattr(np, name)(flat, axis=axis), dtype=np.int64))
    kept = getattr(tf, name)(a, -1, keepdims=True)
    assert_equals(kept, getattr(np, name)(a, axis=-1, keepdims=True))
    assert getattr(tf, name)(a, keepdims=True).shape == (1,) * len(shape)
    assert getattr(tf, name)(a, order="C").item() == getattr(np, name)(a)


def test_a_nan_is_the_extremum():
    assert tf.argmax([1.0, np.nan, 3.0]).item() == 1
    assert tf.argmin([1.0, np.nan, -3.0]).item() == 1


@pytest.mark.parametrize("dtype", (*ORDERED, "bool"))
@pytest.mark.parametrize("shape", SHAPES)
def test_sort_and_argsort(shape, dtype):
    a = sample(dtype, shape)
    for axis in axes(shape):
        flat = a.ravel(order="F") if axis is None else a
        assert_equals(tf.sort(a, axis), np.sort(flat, axis=axis))
        assert_equals(tf.argsort(a, axis), np.argsort(flat, axis=axis, kind="stable"))
        assert_equals(tf.sort(a, axis, descending=True), np.flip(np.sort(flat, axis=axis), axis=axis))
    down = tf.argsort([2, 1, 2, 1], descending=True).tolist()
    assert down == [0, 2, 1, 3]


def test_sort_puts_nan_last_and_keeps_the_order_of_equal_elements():
    a = np.array([np.nan, 0.0, -0.0, -np.inf, 1.0, np.nan, np.inf])
    assert np.array_equal(tf.sort(a).numpy(), np.sort(a), equal_nan=True)
    assert tf.argsort(a).tolist() == np.argsort(a, kind="stable").tolist()
    assert np.array_equal(tf.sort(a, descending=True).numpy()[:2], [np.inf, 1.0])
    assert np.isnan(tf.sort(a, descending=True).numpy()[-2:]).all()


def test_the_gradient_of_sort_follows_the_elements():
    x = tf.tensor([3.0, 1.0, 2.0, 1.0], requires_grad=True)
    weights = [10.0, 20.0, 30.0, 40.0]
    assert x.runtime.grad((tf.sort(x) * weights).sum(), x).tolist() == [40.0, 10.0, 30.0, 20.0]


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("axis", [0, -1])
def test_topk(axis, largest):
    a = sample("float64", (4, 5))
    values, indices = tf.topk(a, 2, axis, largest=largest)
    order = np.argsort(-a if largest else a, axis=axis, kind="stable").take([0, 1], axis)
    assert_equals(indices, order)
    assert_equals(values, np.take_along_axis(a, order, axis))
    result = tf.tensor(a).topk(1)
    assert result.values.shape == result.indices.shape == (4, 1)
    with pytest.raises(tf.InvalidArgumentError, match="at most 5"):
        tf.topk(a, 6)


@pytest.mark.parametrize("dtype", (*ORDERED, "bool"))
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side, dtype):
    a, v = np.sort(sample(dtype, (7,))), sample(dtype, (3, 2), seed=1)
    assert_equals(tf.searchsorted(a, v, side), np.asarray(np.searchsorted(a, v, side), dtype=np.int64))
    assert tf.searchsorted([1.0, 2.0], 1.5).item() == 1
    with pytest.raises(tf.InvalidArgumentError, match="'left' or 'right'"):
        tf.searchsorted(a, v, "middle")
    with pytest.raises(tf.RankMismatchError):
        tf.searchsorted(a.reshape(1, 7), v)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("dtype", NUMERIC)
def test_diff(dtype, n):
    a = sample(dtype, (3, 4))
    assert_equals(tf.diff(a, n), np.diff(a, n), rtol=1e-5 if dtype in ("float32", "complex64") else 1e-13)
    assert_equals(tf.diff(a, n, 0), np.diff(a, n, 0), rtol=1e-5 if dtype in ("float32", "complex64") else 1e-13)


@pytest.mark.parametrize("shape", [(5,), (4,), (3, 4), (1, 2)])
def test_median(shape):
    a = sample("float64", shape)
    for axis in axes(shape):
        assert_equals(tf.median(a, axis), np.asarray(np.median(a, axis)))
    assert_equals(tf.median(a, -1, keepdims=True), np.median(a, -1, keepdims=True))
    assert np.isnan(tf.median([1.0, np.nan, 2.0]).item())
    assert np.isnan(tf.median(np.zeros((0,))).item())


@pytest.mark.parametrize("dtype", (*ORDERED, "bool"))
@pytest.mark.parametrize("shape", [(9,), (3, 4), (0,), ()])
def test_unique(shape, dtype):
    a = sample(dtype, shape, low=-1, high=1).round() if dtype != "bool" else sample(dtype, shape)
    flat = a.ravel(order="F")
    values, first, inverse, counts = np.unique(flat, return_index=True, return_inverse=True, return_counts=True)
    assert_equals(tf.unique(a), values)
    found = tf.unique_all(a)
    assert_equals(found.values, values)
    assert_equals(found.counts, counts.astype(np.int64))
    assert_equals(found.indices, first.astype(np.int64))
    assert found.inverse_indices.shape == shape
    assert_equals(found.inverse_indices.ravel(), inverse.astype(np.int64).ravel())


def test_isin():
    a, b = sample("int64", (3, 4)), np.array([[1, -2], [0, 0]])
    assert_equals(tf.isin(a, b), np.isin(a, b))
    assert tf.isin([np.nan, 1.0], [np.nan, 1.0]).tolist() == [False, True]
    assert tf.isin([1, 2], np.zeros((0,), dtype=np.int64)).tolist() == [False, False]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis(axis):
    a = sample("complex128", (3, 4))
    indices = np.argsort(a.real, axis=axis).take([0, -1], axis)
    assert_equals(tf.take_along_axis(a, indices, axis), np.take_along_axis(a, indices, axis))
    assert_equals(tf.tensor(a).take_along_axis(indices - a.shape[axis], axis), np.take_along_axis(a, indices, axis))
    one = np.zeros((1, 1), dtype=np.int32)
    assert_equals(
        tf.take_along_axis(a, one, axis), np.take_along_axis(a, np.zeros(indices.take([0], axis).shape, int), axis)
    )
    assert_equals(tf.take_along_axis(a, np.array([5, -1]), None), a.ravel(order="F")[[5, -1]])


def test_wrong_calls_along_an_axis():
    a = sample("float64", (3, 4))
    with pytest.raises(tf.IndexOutOfBoundsError, match="4"):
        tf.take_along_axis(a, np.full((3, 1), 4), 1)
    with pytest.raises(tf.DTypeMismatchError, match="indices"):
        tf.take_along_axis(a, np.zeros((3, 1)), 1)
    with pytest.raises(tf.RankMismatchError):
        tf.take_along_axis(a, [0], 1)
    with pytest.raises(tf.ShapeMismatchError):
        tf.take_along_axis(a, np.zeros((2, 1), dtype=int), 1)
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.cumsum(a, 2)
    for name in ("argmax", "argmin"):
        with pytest.raises(tf.InvalidArgumentError, match="extent 0"):
            getattr(tf, name)(np.zeros((0, 3)), 0)
        assert getattr(tf, name)(np.zeros((0, 3)), 1).shape == (0,)
    for op in (tf.sort, tf.argsort, tf.argmax, tf.cummax, tf.unique, tf.median):
        with pytest.raises(tf.UnsupportedDTypeError):
            op(a + 1j)
    with pytest.raises(tf.InvalidArgumentError, match="order"):
        tf.cumsum(a, order="K")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running_totals_without_nan(name, axis):
    a = sample("float64", (3, 4))
    a[1, 2] = a[0, 0] = np.nan
    assert_equals(getattr(tf, name)(a, axis), getattr(np, name)(a, axis=axis), rtol=1e-14)
    x = leaf(a)
    assert np.isfinite(gradient(getattr(tf, name)(x, axis).sum(), x)).all()
    assert_equals(getattr(tf, name)([1, 2, 3]), getattr(np, name)([1, 2, 3]))


def test_parts_of_unique():
    a = np.array([[3.0, 1.0], [3.0, 2.0]])
    found, counts, inverse = tf.unique_all(a), tf.unique_counts(a), tf.unique_inverse(a)
    assert counts.values.tolist() == inverse.values.tolist() == found.values.tolist() == [1.0, 2.0, 3.0]
    assert counts.counts.tolist() == [1, 1, 2]
    assert inverse.inverse_indices.tolist() == found.inverse_indices.tolist() == [[2, 0], [2, 1]]
