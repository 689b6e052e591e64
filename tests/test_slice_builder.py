"""`SliceBuilder` (behaviour 5.6): lazy selections, one slice, then takes in call order."""

import numpy as np
import pytest

import tenferro as tf
from support import leaf


@pytest.fixture
def x(ctx) -> tf.EagerTensor:
    """Shape (3, 4), column-major 1..12."""
    return tf.EagerTensor.from_vec_col_major_in((3, 4), [float(i) for i in range(1, 13)], ctx)


def test_example_of_the_contract(x):
    y = x.slice_builder().axis(0, range(0, 2)).take_axis(1, [3, 1, 3]).apply()
    assert y.shape == (2, 3)
    assert y.numpy().ravel(order="F").tolist() == [10.0, 11.0, 4.0, 5.0, 10.0, 11.0]


def test_apply_with_and_without_a_session_agree(ctx, x):
    builder = x.slice_builder().axis(0, range(1, 3)).axis_step(1, range(0, 4), 2)
    with ctx.session() as s:
        inside = builder.apply(s)
    assert np.array_equal(inside.numpy(), builder.apply().numpy())
    assert np.array_equal(inside.numpy(), x.numpy()[1:3, 0:4:2])


@pytest.mark.parametrize(
    "spelling",
    [
        lambda b: b.axis(0, range(1, 3)),
        lambda b: b.axis(0, slice(1, 3)),
        lambda b: b.axis(0, 1, 3),
    ],
)
def test_ranges_slices_and_two_ints(x, spelling):
    assert np.array_equal(spelling(x.slice_builder()).apply().numpy(), x.numpy()[1:3])


@pytest.mark.parametrize(
    "spelling",
    [
        lambda b: b.axis_step(1, range(0, 4), 2),
        lambda b: b.axis_step(1, slice(0, 4), 2),
        lambda b: b.axis_step(1, 0, 4, 2),
        lambda b: b.axis(1, range(0, 4, 2)),
        lambda b: b.axis(1, slice(0, 4, 2)),
    ],
)
def test_steps(x, spelling):
    assert np.array_equal(spelling(x.slice_builder()).apply().numpy(), x.numpy()[:, 0:4:2])


def test_rank_is_preserved(x):
    assert x.slice_builder().axis(0, range(1, 2)).take_axis(1, [0]).apply().shape == (1, 1)


def test_nothing_selected_is_the_same_value(x):
    y = x.slice_builder().apply()
    assert y.shape == (3, 4)
    assert np.shares_memory(y.numpy(), x.numpy())


def test_an_empty_range_is_an_empty_axis(x):
    assert x.slice_builder().axis(0, range(2, 2)).apply().shape == (0, 4)


def test_negative_axes_count_from_the_end(x):
    assert np.array_equal(x.slice_builder().axis(-1, range(1, 3)).apply().numpy(), x.numpy()[:, 1:3])


def test_is_differentiable():
    x = leaf(np.arange(12.0).reshape(3, 4))
    y = x.slice_builder().axis(0, range(0, 2)).take_axis(1, [3, 1, 3]).apply()
    y.backward_with(tf.tensor(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
    assert x.grad.numpy().tolist() == [[0.0, 2.0, 0.0, 4.0], [0.0, 5.0, 0.0, 10.0], [0.0, 0.0, 0.0, 0.0]]


ERRORS = {
    "axis": (lambda b: b.axis(2, range(0, 1)), tf.AxisOutOfBoundsError, {"axis": 2, "rank": 2}),
    "take axis": (lambda b: b.take_axis(5, [0]), tf.AxisOutOfBoundsError, {"axis": 5, "rank": 2}),
    "negative axis": (lambda b: b.axis(-3, range(0, 1)), tf.AxisOutOfBoundsError, {"axis": -3, "rank": 2}),
    "axis twice": (
        lambda b: b.axis(0, range(0, 1)).axis(0, range(0, 1)),
        tf.DuplicateAxisError,
        {"axis": 0, "role": "selection"},
    ),
    "axis and take": (
        lambda b: b.axis(1, range(0, 1)).take_axis(-1, [0]),
        tf.DuplicateAxisError,
        {"axis": 1, "role": "selection"},
    ),
    "zero step": (lambda b: b.axis_step(0, range(0, 3), 0), tf.InvalidArgumentError, {"argument": "step"}),
    "start after end": (lambda b: b.axis(0, 2, 1), tf.InvalidArgumentError, {"argument": "range"}),
    "end too large": (lambda b: b.axis(0, range(0, 4)), tf.InvalidArgumentError, {"argument": "range"}),
    "position": (lambda b: b.take_axis(1, [0, 4]), tf.IndexOutOfBoundsError, {}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_selections_are_checked_when_applied(x, name):
    select, error, fields = ERRORS[name]
    builder = select(x.slice_builder())
    with pytest.raises(error) as caught:
        builder.apply()
    assert {field: getattr(caught.value, field) for field in fields} == fields


def test_a_finished_session_is_refused(ctx, x):
    with ctx.session() as s:
        pass
    with pytest.raises(tf.RuntimeStateError):
        x.slice_builder().axis(0, range(0, 1)).apply(s)
