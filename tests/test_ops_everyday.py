"""Ops that NumPy's users look for beside the original's names: rounding, remainders, logic, tests of values, shapes."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, FLOATS, INTS, NUMERIC, VIEWS, assert_equals, gradient, leaf, sample, spellings

A = np.arange(24.0).reshape(2, 3, 4)
STEPS = np.array([-2.5, -2.0, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.0, 2.5, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["floor", "ceil", "round", "trunc"])
def test_rounding(name, dtype):
    a = STEPS.astype(dtype)
    for result in spellings(name, tf.tensor(a)):
        assert_equals(result, getattr(np, name)(a), atol=0.0)
    x = leaf(np.array([-1.25, 0.75], dtype=dtype))
    assert gradient(getattr(x, name)().sum(), x).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ["floor", "ceil", "round", "trunc"])
def test_rounding_keeps_integers(name, dtype):
    a = np.array([-3, 0, 5], dtype=dtype)
    assert_equals(getattr(tf, name)(tf.tensor(a)), a)


REMAINDERS = {"remainder": np.remainder, "mod": np.mod, "rem": np.fmod, "fmod": np.fmod}


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders(name, dtype):
    a, b = np.array([7, -7, 7, -7, 0, 3], dtype=dtype), np.array([3, 3, -3, -3, 5, 3], dtype=dtype)
    for result in spellings(name, tf.tensor(a), tf.tensor(b)):
        assert_equals(result, REMAINDERS[name](a, b))


@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders_at_the_edges(name):
    a = np.array([5.5, -5.5, np.inf, 1.0, np.nan, 1.0, -1.0, 0.0, -0.0, 6.0])
    b = np.array([0.0, 0.0, 2.0, np.inf, 1.0, np.nan, np.inf, 3.0, 3.0, -3.0])
    with np.errstate(all="ignore"):
        expected = REMAINDERS[name](a, b)
    assert_equals(getattr(tf, name)(tf.tensor(a), tf.tensor(b)), expected)


@pytest.mark.parametrize("name", REMAINDERS)
@pytest.mark.parametrize(("x", "y"), [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0)])
def test_derivatives_of_remainders(name, x, y):
    a, b = leaf([x]), leaf([y])
    ga, gb = gradient(getattr(tf, name)(a, b).sum(), a, b)
    quotient = np.floor(x / y) if REMAINDERS[name] is not np.fmod else np.trunc(x / y)
    assert (ga.tolist(), gb.tolist()) == ([1.0], [-quotient])


@pytest.mark.parametrize("name", ["rem", "remainder", "fmod"])
@pytest.mark.parametrize("dtype", INTS)
def test_integer_remainders_by_zero(name, dtype):
    with pytest.raises(tf.DivisionByZeroError):
        getattr(tf, name)(tf.tensor(np.array([1], dtype=dtype)), tf.tensor(np.array([0], dtype=dtype)))


@pytest.mark.parametrize("dtype", INTS)
def test_smallest_integer_rem_minus_one(dtype):
    x = tf.tensor(np.array([np.iinfo(dtype).min], dtype=dtype))
    assert tf.rem(x, tf.tensor(np.array([-1], dtype=dtype))).numpy().tolist() == [0]


@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_floor_divide(dtype):
    a, b = np.array([7, -7, 7, -7], dtype=dtype), np.array([2, 2, -2, -2], dtype=dtype)
    for result in spellings("floor_divide", tf.tensor(a), tf.tensor(b)):
        assert_equals(result, np.floor_divide(a, b))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_square_and_reciprocal(dtype):
    a = sample(dtype, (4,), low=1, high=3)
    assert_equals(tf.square(tf.tensor(a)), np.square(a))
    if np.dtype(dtype).kind != "i":
        assert_equals(tf.reciprocal(tf.tensor(a)), 1 / a)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["isfinite", "isnan", "isinf"])
def test_tests_of_values(name, dtype):
    a = STEPS.astype(dtype)
    if np.dtype(dtype).kind == "c":
        a = np.concatenate([a, [complex(1.0, v) for v in STEPS]]).astype(dtype)
    for result in spellings(name, tf.tensor(a)):
        assert_equals(result, getattr(np, name)(a))


@pytest.mark.parametrize("dtype", [*INTS, "bool"])
def test_integers_are_finite(dtype):
    x = tf.tensor(np.ones(3, dtype=dtype))
    assert tf.isfinite(x).numpy().all()
    assert not tf.isnan(x).numpy().any()
    assert not tf.isinf(x).numpy().any()


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)], ids=str)
@pytest.mark.parametrize("name", ["all", "any"])
def test_all_and_any(name, axis, dtype):
    a = sample(dtype, (4, 3), low=0, high=1)
    for keepdims in (False, True):
        for result in spellings(name, tf.tensor(a), axis=axis, keepdims=keepdims):
            assert_equals(result, np.asarray(getattr(np, name)(a, axis=axis, keepdims=keepdims)))


def test_all_and_any_of_nothing():
    assert tf.zeros((0,)).all().item() is True
    assert tf.zeros((0,)).any().item() is False
    assert tf.zeros((0, 3)).all(axis=0).numpy().tolist() == [True] * 3


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("dtype", ALL)
def test_logic(name, dtype):
    a, b = sample(dtype, (8,), seed=1, low=0, high=1), sample(dtype, (8,), seed=2, low=0, high=1)
    assert_equals(getattr(tf, name)(tf.tensor(a), tf.tensor(b)), getattr(np, name)(a, b))
    assert_equals(tf.logical_not(tf.tensor(a)), np.logical_not(a))


SHAPE_OPS = {
    "broadcast_to": [((5, 2, 3, 4),), ((2, 3, 4),)],
    "expand_dims": [(0,), (1,), (-1,)],
    "moveaxis": [(0, 2), (-1, 0), ([0, 1], [2, 0])],
    "swapaxes": [(0, 2), (-1, 0), (1, 1)],
}


@pytest.mark.parametrize(("name", "arguments"), [(n, a) for n, rows in SHAPE_OPS.items() for a in rows], ids=str)
def test_shapes(name, arguments):
    for result in spellings(name, tf.tensor(A), *arguments):
        assert_equals(result, getattr(np, name)(A, *arguments))


@pytest.mark.parametrize("axis", [None, 0, 2, -1, (0, 2)], ids=str)
def test_squeeze(axis):
    a = np.arange(3.0).reshape(1, 3, 1)
    for result in spellings("squeeze", tf.tensor(a), axis=axis):
        assert_equals(result, np.squeeze(a, axis=axis))


def test_squeeze_of_a_longer_axis_is_refused():
    with pytest.raises(tf.ValidationError, match="squeeze"):
        tf.tensor(A).squeeze(axis=0)


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize("layout", VIEWS)
def test_ravel(layout, order):
    for result in spellings("ravel", VIEWS[layout](A), order=order):
        assert_equals(result, A.ravel(order=order))
    assert_equals(VIEWS[layout](A).ravel(), A.ravel(order="F"))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_index_select(axis):
    for result in spellings("index_select", tf.tensor(A), axis=axis, indices=[1, 0, 1]):
        assert_equals(result, np.take(A, [1, 0, 1], axis=axis))


@pytest.mark.parametrize("position", [2, -3])
def test_index_select_out_of_bounds(position):
    with pytest.raises(tf.IndexOutOfBoundsError, match="index_select") as caught:
        tf.index_select(tf.tensor(A), axis=0, indices=[0, position])
    assert str(position) in str(caught.value)


@pytest.mark.parametrize("dtype", ["float64", "bool", "int32", "complex64"])
def test_nonzero_follows_numpy(dtype):
    a = sample(dtype, (3, 4), low=0, high=1)
    a[0] = 0
    found = tf.nonzero(tf.tensor(a))
    expected = np.nonzero(a)
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert_equals(got, want)


NAMES = {
    "absolute": "abs",
    "conjugate": "conj",
    "negative": "neg",
    "multiply": "mul",
    "subtract": "sub",
    "power": "pow",
    "concat": "concatenate",
    "where_select": "select",
}


@pytest.mark.parametrize("alias", NAMES)
def test_both_names_are_one_function(alias):
    x = tf.tensor([[1.5, -2.0]])
    if alias == "concat":
        results = [f([x, x], 0) for f in (tf.concat, tf.concatenate)]
    elif alias == "where_select":
        results = [f(x > 0, x, 0.0) for f in (tf.where_select, tf.select)]
    elif alias in ("multiply", "subtract", "power"):
        results = [f(x, 2.0) for f in (getattr(tf, alias), getattr(tf, NAMES[alias]))]
    else:
        results = [f(x) for f in (getattr(tf, alias), getattr(tf, NAMES[alias]))]
    assert np.array_equal(results[0].numpy(), results[1].numpy())


@pytest.mark.parametrize("dtype", FLOATS)
def test_to_complex(dtype):
    a = sample(dtype, (3,))
    assert_equals(tf.to_complex(tf.tensor(a)), a.astype("complex64" if dtype == "float32" else "complex128"))
