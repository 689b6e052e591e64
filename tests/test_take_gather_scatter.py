"""`take`, `gather` and `scatter` (behaviour 4.8): positions, clamping, accumulation, derivatives."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, INTS, NUMERIC, VIEWS, assert_equals, gradient, leaf, sample, spellings

A = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("positions", [[0], [1, 0, 1], [-1, 0], [], [[0, 1], [1, 0]]], ids=str)
def test_take(axis, positions):
    index = np.array(positions, dtype=np.int64)
    for result in spellings("take", tf.tensor(A), positions, axis=axis):
        assert_equals(result, np.take(A, index, axis=axis))
    assert_equals(tf.take(tf.tensor(A), index, axis=axis), np.take(A, index, axis=axis))
    assert_equals(tf.take(tf.tensor(A), tf.tensor(index), axis=axis), np.take(A, index, axis=axis))


def test_take_of_one_position_drops_the_axis():
    assert_equals(tf.tensor(A).take(1, axis=1), np.take(A, 1, axis=1))


@pytest.mark.parametrize("order", ["F", "C"])
def test_take_without_an_axis_flattens_column_major(order):
    a = np.arange(6.0).reshape(2, 3)
    positions = [0, 1, 5]
    assert_equals(tf.tensor(a).take(positions, order=order), a.ravel(order=order)[positions])
    assert_equals(tf.tensor(a).take(positions), a.ravel(order="F")[positions])


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("dtype", ALL)
def test_take_every_dtype_and_layout(dtype, layout):
    a = sample(dtype, (3, 4, 2))
    assert_equals(VIEWS[layout](a).take([3, 0, 0], axis=1), np.take(a, [3, 0, 0], axis=1))


def test_take_gradient_sums_repeats():
    x = leaf([1.0, 2.0, 3.0])
    assert gradient((x.take([1, 1, 2]) * np.array([10.0, 20.0, 30.0])).sum(), x).tolist() == [0.0, 30.0, 30.0]


@pytest.mark.parametrize("position", [3, -4, 100])
def test_take_out_of_bounds(position):
    with pytest.raises(tf.IndexOutOfBoundsError, match="take") as caught:
        tf.tensor([1.0, 2.0, 3.0]).take([0, position], axis=0)
    assert isinstance(caught.value, IndexError)
    assert str(position) in str(caught.value)


def test_take_wrong_calls():
    x = tf.tensor(A)
    with pytest.raises(tf.AxisOutOfBoundsError, match="take"):
        x.take([0], axis=3)
    with pytest.raises((TypeError, tf.ValidationError), match="take"):
        x.take([0.5], axis=0)
    with pytest.raises((TypeError, tf.ValidationError), match="take"):
        x.take(tf.tensor([1j]), axis=0)


ROWS = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}


def test_gather_rows():
    a = np.arange(12.0).reshape(4, 3)
    index = np.array([[2], [0], [2]])
    for result in spellings("gather", tf.tensor(a), tf.tensor(index), **ROWS, slice_sizes=[1, 3]):
        assert_equals(result, a[[2, 0, 2]])


def test_gather_scalar_indices():
    """index_vector_dim equal to the rank of the indices: each index is one start."""
    a = np.arange(12.0).reshape(4, 3)
    fields = {**ROWS, "index_vector_dim": 1}
    result = tf.gather(tf.tensor(a), tf.tensor([3, 1]), **fields, slice_sizes=[1, 3])
    assert_equals(result, a[[3, 1]])


def test_gather_windows_keep_their_axes():
    """Windows of 2 × 2 at two starts; window axes first, batch of starts last."""
    a = np.arange(20.0).reshape(4, 5)
    starts = np.array([[0, 1], [2, 3]])
    result = tf.gather(
        tf.tensor(a),
        tf.tensor(starts),
        offset_dims=[0, 1],
        collapsed_slice_dims=[],
        start_index_map=[0, 1],
        index_vector_dim=1,
        slice_sizes=[2, 2],
    )
    assert_equals(result, np.stack([a[0:2, 1:3], a[2:4, 3:5]], axis=2))


def test_gather_start_index_map_permutes():
    a = np.arange(20.0).reshape(4, 5)
    starts = np.array([[1, 0], [3, 2]])
    result = tf.gather(
        tf.tensor(a),
        tf.tensor(starts),
        offset_dims=[1, 2],
        collapsed_slice_dims=[],
        start_index_map=[1, 0],
        index_vector_dim=1,
        slice_sizes=[2, 2],
    )
    assert_equals(result, np.stack([a[0:2, 1:3], a[2:4, 3:5]], axis=0))


def test_gather_index_vector_on_the_first_axis():
    a = np.arange(20.0).reshape(4, 5)
    starts = np.array([[0, 2, 3], [1, 3, 4]])
    result = tf.gather(
        tf.tensor(a),
        tf.tensor(starts),
        offset_dims=[],
        collapsed_slice_dims=[0, 1],
        start_index_map=[0, 1],
        index_vector_dim=0,
        slice_sizes=[1, 1],
    )
    assert_equals(result, a[starts[0], starts[1]])


@pytest.mark.parametrize(("start", "clamped"), [(-5, 0), (-1, 0), (3, 2), (100, 2), (1, 1)])
def test_gather_clamps_so_that_the_window_fits(start, clamped):
    a = np.arange(8.0).reshape(4, 2)
    result = tf.gather(
        tf.tensor(a),
        tf.tensor([[start]]),
        offset_dims=[1, 2],
        collapsed_slice_dims=[],
        start_index_map=[0],
        index_vector_dim=1,
        slice_sizes=[2, 2],
    )
    assert_equals(result, a[None, clamped : clamped + 2])


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_gather_index_dtypes(dtype):
    a = np.arange(12.0).reshape(4, 3)
    index = np.array([[2], [0]], dtype=dtype)
    assert_equals(tf.gather(tf.tensor(a), tf.tensor(index), **ROWS, slice_sizes=[1, 3]), a[[2, 0]])


@pytest.mark.parametrize("index", [np.array([[True]]), np.array([[1j]])], ids=["bool", "complex"])
def test_gather_refuses_other_index_dtypes(index):
    with pytest.raises(tf.UnsupportedDTypeError, match="gather"):
        tf.gather(tf.ones((4, 3)), tf.tensor(index), **ROWS, slice_sizes=[1, 3])


@pytest.mark.parametrize("value", [0.5, np.nan, np.inf, 1e300])
def test_gather_refuses_fractional_positions(value):
    with pytest.raises(tf.InvalidArgumentError, match="gather"):
        tf.gather(tf.ones((4, 3)), tf.tensor([[value]]), **ROWS, slice_sizes=[1, 3])


@pytest.mark.parametrize("dtype", ALL)
def test_gather_every_dtype(dtype):
    a = sample(dtype, (4, 3))
    assert_equals(tf.gather(tf.tensor(a), tf.tensor([[1], [3]]), **ROWS, slice_sizes=[1, 3]), a[[1, 3]])


def test_gather_gradient_is_a_scatter_add():
    x = leaf(np.arange(12.0).reshape(4, 3))
    y = tf.gather(x, tf.tensor([[2], [0], [2]]), **ROWS, slice_sizes=[1, 3])
    w = np.arange(9.0).reshape(3, 3)
    expected = np.zeros((4, 3))
    np.add.at(expected, [2, 0, 2], w)
    assert np.array_equal(gradient((y * w).sum(), x), expected)


WRONG_GATHERS = {
    "slice sizes": {**ROWS, "slice_sizes": [1]},
    "window too large": {**ROWS, "slice_sizes": [1, 4]},
    "collapsed extent": {**ROWS, "slice_sizes": [2, 3]},
    "offset dims": {**ROWS, "offset_dims": [0, 1], "slice_sizes": [1, 3]},
    "start index map": {**ROWS, "start_index_map": [0, 1], "slice_sizes": [1, 3]},
    "map out of range": {**ROWS, "start_index_map": [2], "slice_sizes": [1, 3]},
    "collapsed out of range": {**ROWS, "collapsed_slice_dims": [5], "slice_sizes": [1, 3]},
    "index vector dim": {**ROWS, "index_vector_dim": 3, "slice_sizes": [1, 3]},
}


@pytest.mark.parametrize("name", WRONG_GATHERS)
def test_gather_checks_its_configuration(name):
    with pytest.raises(tf.ValidationError, match="gather"):
        tf.gather(tf.ones((4, 3)), tf.tensor([[0], [1]]), **WRONG_GATHERS[name])


ADD_ROWS = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}
POINTS = {
    "update_window_dims": [],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}


@pytest.mark.parametrize("dtype", NUMERIC)
def test_scatter_adds_rows(dtype):
    a, updates = sample(dtype, (4, 3), seed=1), sample(dtype, (3, 3), seed=2)
    expected = a.copy()
    np.add.at(expected, [2, 0, 2], updates)
    index = tf.tensor(np.array([[2], [0], [2]]))
    for result in spellings("scatter", tf.tensor(a), index, tf.tensor(updates), **ADD_ROWS):
        assert_equals(result, expected)


@pytest.mark.parametrize("dtype", INTS)
def test_scatter_clamps(dtype):
    result = tf.scatter(
        tf.zeros((4,)), tf.tensor(np.array([[-1], [4], [1]], dtype=dtype)), tf.tensor([1.0, 2.0, 4.0]), **POINTS
    )
    assert result.numpy().tolist() == [1.0, 4.0, 0.0, 2.0]


def test_scatter_promotes_operand_and_updates():
    result = tf.scatter(tf.zeros((2,), dtype=tf.float32), tf.tensor([[0]]), tf.tensor([1j]), **POINTS)
    assert result.dtype == tf.complex128


def test_scatter_of_bools_is_refused():
    with pytest.raises(tf.UnsupportedDTypeError, match="scatter"):
        tf.scatter(tf.tensor([True]), tf.tensor([[0]]), tf.tensor([True]), **POINTS)


def test_scatter_gradients():
    x, u = leaf(np.zeros(4)), leaf([1.0, 2.0, 3.0])
    w = np.array([10.0, 20.0, 30.0, 40.0])
    gx, gu = gradient((tf.scatter(x, tf.tensor([[1], [3], [1]]), u, **POINTS) * w).sum(), x, u)
    assert np.array_equal(gx, w)
    assert gu.tolist() == [20.0, 40.0, 20.0]


@pytest.mark.parametrize("updates", [(2,), (3, 3), (3, 4), (2, 3, 1)], ids=str)
def test_scatter_checks_the_shape_of_updates(updates):
    with pytest.raises(tf.ValidationError, match="scatter"):
        tf.scatter(tf.zeros((4, 3)), tf.tensor([[0], [1]]), tf.ones(updates), **ADD_ROWS)
