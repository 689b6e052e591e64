"""Reductions against NumPy: axes, keepdims, dtypes, layouts, zero-length axes, both spellings."""

import numpy as np
import pytest

import tenferro as tf
from support import COMPLEX, FLOATS, INEXACT, INTS, VIEWS, assert_equals, gradient, leaf, sample, spellings

REFERENCE = {
    "reduce_sum": np.sum,
    "reduce_prod": np.prod,
    "reduce_mean": np.mean,
    "reduce_max": np.max,
    "reduce_min": np.min,
}
NUMPY_NAMES = {
    "reduce_sum": ("sum",),
    "reduce_prod": ("prod",),
    "reduce_mean": ("mean",),
    "reduce_max": ("max", "amax"),
    "reduce_min": ("min", "amin"),
}
ORDERED = ("reduce_max", "reduce_min")
AXES = [None, 0, 1, -1, (0,), (0, 2), (1, -1), (2, 0, 1), [1]]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("name", REFERENCE)
def test_axes_and_keepdims(name, axes, keepdims):
    a = sample("float64", (2, 3, 4))
    axis = tuple(axes) if isinstance(axes, list) else axes
    expected = np.asarray(REFERENCE[name](a, axis=axis, keepdims=keepdims))
    for result in spellings(name, tf.tensor(a), axes=axes, keepdims=keepdims):
        assert_equals(result, expected)
        assert result.numpy().flags.f_contiguous
    for alias in NUMPY_NAMES[name]:
        for result in spellings(alias, tf.tensor(a), axis=axes, keepdims=keepdims):
            assert_equals(result, expected)


@pytest.mark.parametrize("name", REFERENCE)
def test_axes_by_position(name):
    a = sample("float64", (2, 3))
    assert_equals(getattr(tf, name)(tf.tensor(a), [0]), REFERENCE[name](a, axis=0))
    assert_equals(getattr(tf.tensor(a), NUMPY_NAMES[name][0])(1), REFERENCE[name](a, axis=1))


@pytest.mark.parametrize("name", REFERENCE)
def test_both_spellings_take_both_keywords(name):
    a = sample("float64", (2, 3))
    alias = NUMPY_NAMES[name][0]
    assert_equals(getattr(tf, name)(tf.tensor(a), axis=0), REFERENCE[name](a, axis=0))
    assert_equals(getattr(tf, alias)(tf.tensor(a), axes=0), REFERENCE[name](a, axis=0))
    with pytest.raises(tf.InvalidArgumentError, match="axis"):
        getattr(tf, name)(tf.tensor(a), axis=0, axes=0)


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("name", REFERENCE)
def test_dtypes(name, dtype):
    a = sample(dtype, (3, 4))
    x = tf.tensor(a)
    if dtype in COMPLEX and name in ORDERED:
        with pytest.raises(tf.UnsupportedDTypeError, match=name):
            getattr(tf, name)(x)
        return
    assert_equals(getattr(tf, name)(x, 0), REFERENCE[name](a, axis=0))
    assert_equals(getattr(tf, name)(x), np.asarray(REFERENCE[name](a)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool"])
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_prod"])
def test_sums_of_integers_and_bools_are_int64(name, dtype):
    a = sample(dtype, (3, 4), low=1, high=3)
    assert_equals(getattr(tf, name)(tf.tensor(a), 1), REFERENCE[name](a.astype(np.int64), axis=1))


def test_a_sum_of_int32_does_not_wrap_at_32_bits():
    a = np.full(4, 2**31 - 1, dtype=np.int32)
    assert tf.tensor(a).sum().item() == 4 * (2**31 - 1)


@pytest.mark.parametrize("dtype", INTS)
def test_means_of_integers_are_float64(dtype):
    a = np.array([[1, 2], [4, 8]], dtype=dtype)
    assert_equals(tf.tensor(a).mean(axis=0), a.mean(axis=0))


def test_mean_of_bools_is_float64():
    assert_equals(tf.tensor([True, False, True, True]).mean(), np.asarray(0.75))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ORDERED)
def test_extremes_keep_integers(name, dtype):
    a = sample(dtype, (3, 4), low=-9, high=9)
    assert_equals(getattr(tf, name)(tf.tensor(a), 0), REFERENCE[name](a, axis=0))


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("axes", [None, 0, 1, (0, 2)], ids=str)
@pytest.mark.parametrize("name", REFERENCE)
def test_strided_inputs(name, axes, layout):
    a = sample("float64", (3, 4, 2))
    result = getattr(tf, name)(VIEWS[layout](a), axes)
    assert_equals(result, np.asarray(REFERENCE[name](a, axis=axes)))


@pytest.mark.parametrize("name", REFERENCE)
def test_broadcast_views(name):
    a = np.broadcast_to(np.array([1.5, -2.0, 3.0]), (4, 3))
    x = tf.tensor([1.5, -2.0, 3.0]).broadcast_in_dim((4, 3), [1])
    for axes in (None, 0, 1):
        assert_equals(getattr(tf, name)(x, axes), np.asarray(REFERENCE[name](a, axis=axes)))


@pytest.mark.parametrize("dtype", ["float64", "bool", "int32"])
@pytest.mark.parametrize("name", REFERENCE)
def test_no_axes_is_the_identity(name, dtype):
    a = sample(dtype, (2, 3))
    assert_equals(getattr(tf, name)(tf.tensor(a), axes=()), a)


@pytest.mark.parametrize("name", REFERENCE)
def test_rank_zero(name):
    assert_equals(getattr(tf, name)(tf.tensor(2.5)), np.asarray(2.5))


ZERO_LENGTH = [((0,), None), ((0, 3), 0), ((2, 0, 3), 1), ((2, 0, 3), None), ((0, 0), (0, 1))]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axes"), ZERO_LENGTH, ids=str)
def test_zero_length_axes(shape, axes, keepdims):
    a = np.zeros(shape)
    x = tf.tensor(a)
    assert_equals(x.sum(axes, keepdims=keepdims), np.asarray(a.sum(axis=axes, keepdims=keepdims)))
    assert_equals(x.prod(axes, keepdims=keepdims), np.asarray(a.prod(axis=axes, keepdims=keepdims)))
    mean = x.mean(axes, keepdims=keepdims)
    assert mean.shape == a.sum(axis=axes, keepdims=keepdims).shape
    assert np.isnan(mean.numpy()).all()
    for name in ORDERED:
        with pytest.raises(tf.InvalidArgumentError, match=name) as caught:
            getattr(tf, name)(x, axes)
        assert caught.value.argument in ("axes", "axis")


@pytest.mark.parametrize("name", REFERENCE)
def test_other_axes_of_an_empty_tensor(name):
    assert getattr(tf, name)(tf.zeros((0, 3)), 1).shape == (0,)
    assert getattr(tf, name)(tf.zeros((2, 0, 3)), (0, 2)).shape == (0,)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ORDERED)
def test_extremes_propagate_nan(name, dtype):
    a = np.array([[1.0, np.nan, 3.0], [np.inf, -np.inf, 2.0]], dtype=dtype)
    assert_equals(getattr(tf, name)(tf.tensor(a), 1), REFERENCE[name](a, axis=1))
    wide = np.ones(1000, dtype=dtype)
    wide[777] = np.nan
    assert np.isnan(getattr(tf, name)(tf.tensor(wide)).item())


@pytest.mark.parametrize("axis", [2, -3, 100])
@pytest.mark.parametrize("name", REFERENCE)
def test_axis_out_of_bounds(name, axis):
    with pytest.raises(tf.AxisOutOfBoundsError, match=name) as caught:
        getattr(tf, name)(tf.ones((2, 3)), axis)
    assert (caught.value.axis, caught.value.rank) == (axis, 2)


@pytest.mark.parametrize("axes", [(0, 0), (1, -1)])
@pytest.mark.parametrize("name", REFERENCE)
def test_an_axis_twice(name, axes):
    with pytest.raises(tf.DuplicateAxisError, match=name) as caught:
        getattr(tf, name)(tf.ones((2, 3)), axes)
    assert caught.value.axis in (0, 1)
    assert isinstance(caught.value.role, str)


def test_sums_are_accurate():
    """A million times 0.1 in float32: the error stays near rounding, not near a million roundings."""
    x = tf.full((1_000_000,), 0.1, dtype=tf.float32)
    exact = 1_000_000 * float(np.float32(0.1))
    assert x.sum().item() == pytest.approx(exact, rel=2e-6)


def test_sums_of_large_arrays_do_not_depend_on_threads():
    a = sample("float64", (400_000,))
    totals = set()
    for threads in (1, 2, 4):
        tf.set_num_threads(threads)
        totals.add((tf.tensor(a).sum().item(), tf.tensor(a.reshape(400, 1000)).sum(0).sum().item()))
    assert len(totals) == 1


def test_gradient_of_mean_with_keepdims():
    x = leaf(sample("float64", (2, 3)))
    centred = x - x.mean(axis=1, keepdims=True)
    assert gradient((centred * centred).sum(), x) == pytest.approx(2 * centred.numpy())


def test_ties_share_the_gradient():
    x = leaf([3.0, 1.0, 3.0, 3.0])
    assert gradient(x.max(), x) == pytest.approx([1 / 3, 0.0, 1 / 3, 1 / 3])
    y = leaf([[1.0, 1.0], [2.0, 0.0]])
    assert gradient(y.min(axis=1).sum(), y) == pytest.approx(np.array([[0.5, 0.5], [0.0, 1.0]]))
