"""Structural ops against NumPy: transpose, reshape, broadcast_in_dim, reverse, slice, pad, concatenate, stack."""

import itertools

import numpy as np
import pytest

import tenferro as tf
from support import ALL, VIEWS, assert_equals, gradient, leaf, sample, spellings

A = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("perm", list(itertools.permutations(range(3))), ids=str)
def test_transpose(dtype, perm):
    a = sample(dtype, (2, 3, 4))
    for result in spellings("transpose", tf.tensor(a), perm):
        assert_equals(result, a.transpose(perm))
    for result in spellings("permute_dims", tf.tensor(a), perm):
        assert_equals(result, a.transpose(perm))


def test_transpose_without_a_permutation_reverses():
    assert_equals(tf.transpose(tf.tensor(A)), A.T)
    assert_equals(tf.tensor(A).transpose(), A.T)
    assert_equals(tf.tensor(A).transpose([-1, 0, 1]), A.transpose(-1, 0, 1))


def test_transpose_is_a_view():
    x = tf.tensor(A)
    assert np.shares_memory(x.transpose([2, 0, 1]).numpy(), x.numpy())


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize("shape", [(24,), (6, 4), (2, 12), (4, 3, 2), (1, 24, 1), (2, -1), (-1,), (3, -1, 2)], ids=str)
def test_reshape(shape, order):
    expected = A.reshape(shape, order=order)
    for result in spellings("reshape", tf.tensor(A), shape, order=order):
        assert_equals(result, expected)
    assert_equals(tf.tensor(A).reshape(*shape, order=order), expected)


@pytest.mark.parametrize("layout", VIEWS)
def test_reshape_is_column_major_for_every_layout(layout):
    assert_equals(VIEWS[layout](A).reshape((6, 4)), A.reshape((6, 4), order="F"))


@pytest.mark.parametrize(
    ("source", "target"), [((0, 3), (3, 0)), ((0,), (2, 0, 5)), ((), (1, 1)), ((1, 1), ()), ((0, 3), (0,))]
)
def test_reshape_of_empty_and_scalar_shapes(source, target):
    assert tf.zeros(source).reshape(target).shape == target


@pytest.mark.parametrize("shape", [(5,), (2, 3), (25,), (-1, 5), (0,), (2, 3, 4, 2)])
def test_reshape_needs_the_same_number_of_elements(shape):
    with pytest.raises(tf.ValidationError, match="reshape") as caught:
        tf.tensor(A).reshape(shape)
    assert isinstance(caught.value, tf.InvalidArgumentError if -1 in shape else tf.ShapeMismatchError)


@pytest.mark.parametrize("shape", [(-1, -1), (-2, 12), (0, -1)])
def test_reshape_needs_one_unknown_at_most(shape):
    with pytest.raises(tf.ValidationError, match="reshape") as caught:
        tf.tensor(A).reshape(shape)
    assert isinstance(caught.value, tf.InvalidArgumentError | tf.ShapeMismatchError)


@pytest.mark.parametrize(
    ("source", "shape", "dims"),
    [
        ((3,), (3, 2), [0]),
        ((3,), (2, 3), [1]),
        ((), (2, 3), []),
        ((2, 3), (2, 4, 3), [0, 2]),
        ((2, 3), (3, 4, 2), [2, 0]),
        ((1, 3), (5, 3), [0, 1]),
        ((3,), (0, 3), [1]),
        ((0,), (0, 4), [0]),
    ],
)
def test_broadcast_in_dim(source, shape, dims):
    a = sample("float64", source)
    order = np.argsort(dims, kind="stable") if dims else []
    aligned = [1] * len(shape)
    for axis, dim in enumerate(dims):
        aligned[dim] = source[axis]
    expected = np.broadcast_to(a.transpose(order).reshape(aligned), shape)
    for result in spellings("broadcast_in_dim", tf.tensor(a), shape, dims):
        assert_equals(result, expected)


def test_broadcast_in_dim_sums_in_the_backward_pass():
    x = leaf([1.0, 2.0, 3.0])
    w = np.arange(6.0).reshape(3, 2)
    assert gradient((x.broadcast_in_dim((3, 2), [0]) * w).sum(), x).tolist() == w.sum(axis=1).tolist()


@pytest.mark.parametrize("name", ["reverse", "flip"])
@pytest.mark.parametrize("axes", [[0], [1, 2], [0, 1, 2], [-1], []], ids=str)
def test_reverse(name, axes):
    for result in spellings(name, tf.tensor(A), axes):
        assert_equals(result, np.flip(A, axis=tuple(axes)))


SLICES = [
    ([0, 0, 0], [2, 3, 4], None),
    ([1, 0, 1], [2, 2, 4], None),
    ([0, 0, 0], [2, 3, 4], [2, 2, 3]),
    ([0, 1, 0], [1, 1, 4], [1, 1, 1]),
    ([1, 2, 3], [2, 3, 4], [5, 5, 5]),
]


@pytest.mark.parametrize("dtype", ["float64", "bool", "complex64"])
@pytest.mark.parametrize(("starts", "limits", "strides"), SLICES, ids=str)
def test_slice(dtype, starts, limits, strides):
    a = sample(dtype, (2, 3, 4))
    expected = a[tuple(slice(i, j, k) for i, j, k in zip(starts, limits, strides or [1, 1, 1], strict=True))]
    for result in spellings("slice", tf.tensor(a), starts, limits, strides):
        assert_equals(result, expected)


def lax_pad(a, low, high, interior):
    """Zeros between, then around; negative edges crop."""
    dilated_shape = [n + max(n - 1, 0) * k for n, k in zip(a.shape, interior, strict=True)]
    out = np.zeros(dilated_shape, dtype=a.dtype)
    out[tuple(slice(None, None, k + 1) for k in interior)] = a
    out = np.pad(out, [(max(p, 0), max(q, 0)) for p, q in zip(low, high, strict=True)])
    keep = tuple(slice(max(-p, 0), n - max(-q, 0)) for p, q, n in zip(low, high, out.shape, strict=True))
    return out[keep]


PADS = [
    ((3,), [1], [2], [0]),
    ((3,), [0], [0], [2]),
    ((3,), [-1], [1], [0]),
    ((4,), [-1], [-2], [1]),
    ((2, 3), [1, 0], [0, 2], [1, 0]),
    ((2, 3), [-1, 2], [3, -2], [0, 2]),
    ((0,), [2], [1], [3]),
    ((0, 2), [0, 1], [1, 0], [1, 1]),
]


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32", "bool"])
@pytest.mark.parametrize(("shape", "low", "high", "interior"), PADS, ids=str)
def test_pad(dtype, shape, low, high, interior):
    a = sample(dtype, shape, low=1, high=3)
    expected = lax_pad(a, low, high, interior)
    for result in spellings("pad", tf.tensor(a), low, high, interior):
        assert_equals(result, expected)


@pytest.mark.parametrize("width", [1, (1, 2), ((1, 2), (0, 3)), ((1, 1), (2, 2))], ids=str)
def test_pad_takes_pad_width(width):
    a = sample("float64", (2, 3))
    assert_equals(tf.pad(tf.tensor(a), pad_width=width), np.pad(a, width))


@pytest.mark.parametrize(("shape", "low", "high", "interior"), PADS[:6], ids=str)
def test_pad_cropping_gradient(shape, low, high, interior):
    x = leaf(sample("float64", shape))
    y = x.pad(low, high, interior)
    w = sample("float64", y.shape, seed=9)
    position = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    placed = lax_pad(position, low, high, interior)
    expected = np.array([w[placed == p].sum() for p in position.ravel()]).reshape(shape)
    assert np.array_equal(gradient((y * w).sum(), x), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ALL)
def test_concatenate(dtype, axis):
    parts = [sample(dtype, (2, 3), seed=k) for k in range(3)]
    expected = np.concatenate(parts, axis=axis)
    tensors = [tf.tensor(p) for p in parts]
    assert_equals(tf.concatenate(tensors, axis=axis), expected)
    assert_equals(tf.concatenate(tensors, axis), expected)
    with tf.default_runtime().session() as s:
        assert_equals(s.concatenate(tensors, axis=axis), expected)


def test_concatenate_of_different_lengths_and_kinds():
    parts = [np.ones((2, 1)), np.zeros((2, 0)), np.full((2, 3), 2.0)]
    mixed = [tf.tensor(parts[0]), parts[1], tf.tensor(parts[2].T).T]
    assert_equals(tf.concatenate(mixed, axis=1), np.concatenate(parts, axis=1))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_stack(axis):
    parts = [sample("float64", (2, 3), seed=k) for k in range(3)]
    tensors = [tf.tensor(p) for p in parts]
    expected = np.stack(parts, axis=axis)
    assert_equals(tf.stack(tensors, axis), expected)
    assert_equals(tf.stack(tensors, axis=axis), expected)
    with tf.default_runtime().session() as s:
        assert_equals(s.stack(tensors, axis), expected)


@pytest.mark.parametrize("join", [tf.concatenate, tf.stack])
def test_joining_nothing_is_refused(join):
    with pytest.raises(tf.InvalidArgumentError) as caught:
        join([], 0)
    assert caught.value.argument == "inputs"


def test_joins_are_differentiable():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    w = np.arange(4.0)
    gx, gy = gradient((tf.concatenate([x, y, x], 0) * np.arange(6.0)).sum(), x, y)
    assert (gx.tolist(), gy.tolist()) == ([4.0, 6.0], [2.0, 3.0])
    gx, gy = gradient((tf.stack([x, y], 1) * w.reshape(2, 2)).sum(), x, y)
    assert (gx.tolist(), gy.tolist()) == ([0.0, 2.0], [1.0, 3.0])


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.transpose([1, 0]),
        lambda x: x.reverse([0]),
        lambda x: x.slice([0, 1], [2, 3]),
        lambda x: x.broadcast_in_dim((2, 3, 2), [0, 1]),
    ],
)
def test_views_share_the_storage(view):
    x = tf.tensor(np.arange(6.0).reshape(2, 3))
    assert np.shares_memory(view(x).numpy(), x.numpy())


def test_rank_above_numpys_limit():
    x = tf.ones((1,) * 65)
    assert x.ndim == 65
    assert x.sum().item() == 1.0
    assert x.reshape(()).item() == 1.0
    assert (x + x).transpose(tuple(range(65))[::-1]).shape == (1,) * 65
