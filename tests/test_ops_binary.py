"""Elementwise binary ops and comparison against NumPy: dtypes, broadcasting, layouts, integer rules."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, FLOATS, INEXACT, INTS, NUMERIC, VIEWS, assert_equals, sample, spellings

REFERENCE = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
ORDERED = ("maximum", "minimum")

SHAPE_PAIRS = [
    ((), ()),
    ((3,), ()),
    ((), (2, 3)),
    ((4,), (4,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((2, 3, 4), (3, 1)),
    ((1, 3, 1), (2, 1, 4)),
    ((0,), (1,)),
    ((0, 3), (3,)),
    ((2, 0, 3), (1, 1, 3)),
    ((5, 1), (0,)),
]


def operands(name: str, dtype: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    a, b = sample(dtype, lhs, seed=1), sample(dtype, rhs, seed=2)
    if name == "pow":
        a = a + np.asarray(3, dtype=dtype)
    if name == "div" and np.dtype(dtype).kind == "i":
        b = np.where(b == 0, np.asarray(1, dtype=dtype), b)
    return a, b


@pytest.mark.parametrize(("lhs", "rhs"), SHAPE_PAIRS, ids=str)
@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("name", REFERENCE)
def test_values_broadcast(name, dtype, lhs, rhs):
    a, b = operands(name, dtype, lhs, rhs)
    op = getattr(tf, name)
    if name in ORDERED and np.dtype(dtype).kind == "c":
        with pytest.raises(tf.UnsupportedDTypeError, match=name):
            op(tf.tensor(a), tf.tensor(b))
        return
    expected = REFERENCE[name](a, b)
    assert_equals(op(tf.tensor(a), tf.tensor(b)), expected)
    assert_equals(op(a, tf.tensor(b)), expected)
    assert_equals(op(tf.tensor(a), b), expected)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "maximum", "minimum"])
def test_integers(name, dtype):
    a, b = sample(dtype, (2, 3), seed=1, low=-9, high=9), sample(dtype, (3,), seed=2, low=-9, high=9)
    assert_equals(getattr(tf, name)(tf.tensor(a), tf.tensor(b)), REFERENCE[name](a, b))


@pytest.mark.parametrize("left", VIEWS)
@pytest.mark.parametrize("right", VIEWS)
@pytest.mark.parametrize("name", REFERENCE)
def test_strided_operands(name, left, right):
    a, b = operands(name, "float64", (3, 2, 4), (2, 4))
    result = getattr(tf, name)(VIEWS[left](a), VIEWS[right](b))
    assert_equals(result, REFERENCE[name](a, b))
    assert result.numpy().flags.f_contiguous


@pytest.mark.parametrize("name", REFERENCE)
def test_three_spellings(name):
    a, b = operands(name, "float64", (2, 3), (3,))
    for result in spellings(name, tf.tensor(a), tf.tensor(b)):
        assert_equals(result, REFERENCE[name](a, b))


@pytest.mark.parametrize("name", REFERENCE)
def test_shapes_that_do_not_broadcast(name):
    with pytest.raises(tf.ShapeMismatchError) as caught:
        getattr(tf, name)(tf.ones((2, 3)), tf.ones((2, 4)))
    assert (caught.value.op, caught.value.lhs, caught.value.rhs) == (name, (2, 3), (2, 4))


@pytest.mark.parametrize("dtype", INTS)
def test_integers_wrap(dtype):
    info = np.iinfo(dtype)
    x = tf.tensor(np.array([info.max, info.min], dtype=dtype))
    one = tf.tensor(np.array([1, 1], dtype=dtype))
    assert (x + one).numpy().tolist() == [info.min, info.min + 1]
    assert (x - one).numpy().tolist() == [info.max - 1, info.max]
    assert (x * (one + one)).numpy().tolist() == [-2, 0]


@pytest.mark.parametrize("dtype", INTS)
def test_div_of_integers_truncates(dtype):
    a = tf.tensor(np.array([7, -7, 7, -7], dtype=dtype))
    b = tf.tensor(np.array([2, 2, -2, -2], dtype=dtype))
    assert_equals(tf.div(a, b), np.array([3, -3, -3, 3], dtype=dtype))


@pytest.mark.parametrize("dtype", INTS)
def test_smallest_integer_by_minus_one(dtype):
    smallest = np.array([np.iinfo(dtype).min], dtype=dtype)
    assert_equals(tf.div(tf.tensor(smallest), tf.tensor(np.array([-1], dtype=dtype))), smallest)


@pytest.mark.parametrize("dtype", INTS)
def test_division_of_integers_by_zero(dtype):
    x = tf.tensor(np.array([1, 2], dtype=dtype))
    zero = tf.tensor(np.array([1, 0], dtype=dtype))
    for operation in (tf.div, lambda a, b: a // b, lambda a, b: a % b):
        with pytest.raises(tf.DivisionByZeroError) as caught:
            operation(x, zero)
        assert isinstance(caught.value, ZeroDivisionError)
        assert isinstance(caught.value, tf.NumericalError)


def test_division_of_floats_by_zero_is_ieee():
    x = tf.tensor([1.0, -1.0, 0.0])
    assert_equals(x / 0.0, np.array([np.inf, -np.inf, np.nan]))


@pytest.mark.parametrize("dtype", INTS)
def test_pow_of_integers_stays_integer_and_wraps(dtype):
    a = np.array([2, -3, 0, 7], dtype=dtype)
    assert_equals(
        tf.pow(tf.tensor(a), tf.tensor(np.array([5, 3, 0, 1], dtype=dtype))), a ** np.array([5, 3, 0, 1]).astype(dtype)
    )
    bits = np.dtype(dtype).itemsize * 8
    assert tf.pow(tf.tensor(np.array([2], dtype=dtype)), tf.tensor(np.array([bits], dtype=dtype))).numpy().tolist() == [
        0
    ]


@pytest.mark.parametrize("dtype", INTS)
def test_pow_of_integers_to_a_negative_exponent(dtype):
    with pytest.raises(tf.NumericalError, match="pow") as caught:
        tf.pow(tf.tensor(np.array([2], dtype=dtype)), tf.tensor(np.array([-1], dtype=dtype)))
    assert isinstance(caught.value, ArithmeticError)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_of_bools_is_refused(name):
    with pytest.raises(tf.UnsupportedDTypeError, match=rf"{name}.*bool"):
        getattr(tf, name)(tf.tensor([True]), tf.tensor([False]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ORDERED)
def test_maximum_and_minimum_propagate_nan(name, dtype):
    a = np.array([1.0, np.nan, np.inf, -np.inf], dtype=dtype)
    b = np.array([np.nan, 1.0, 3.0, 4.0], dtype=dtype)
    assert_equals(getattr(tf, name)(tf.tensor(a), tf.tensor(b)), REFERENCE[name](a, b))


def test_pow_special_cases():
    base = np.array([0.0, 0.0, 0.0, -2.0, -2.0, np.nan, 1.0, np.inf, -0.0])
    exponent = np.array([0.0, 2.0, -1.0, 3.0, 0.5, 0.0, np.nan, -1.0, -3.0])
    with np.errstate(all="ignore"):
        expected = np.power(base, exponent)
    assert_equals(tf.pow(tf.tensor(base), tf.tensor(exponent)), expected)


def test_pow_of_complex_principal_values():
    z = np.array([-1 + 0j, 2j, 1 + 1j, 3 - 4j])
    w = np.array([0.5, 1.5 - 1j, 2.0, -1.0])
    assert_equals(tf.pow(tf.tensor(z), tf.tensor(w)), z**w)


def test_complex_division_is_scaled():
    z = np.array([1e300 + 1e300j, 1e-300 + 1e-300j])
    assert_equals(tf.tensor(z) / tf.tensor(z), np.ones(2, dtype=complex), rtol=1e-14)


DIRECTIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
ALIASES = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("dtype", ALL)
def test_compare(dtype, direction):
    a, b = sample(dtype, (2, 6), seed=1), sample(dtype, (6,), seed=2)
    b[:3] = a[0, :3]
    x, y = tf.tensor(a), tf.tensor(b)
    if np.dtype(dtype).kind == "c" and direction not in ("eq", "ne"):
        with pytest.raises(tf.UnsupportedDTypeError, match="compare|less|greater"):
            tf.compare(x, y, direction)
        return
    expected = DIRECTIONS[direction](a, b)
    for result in (*spellings("compare", x, y, direction), *spellings(ALIASES[direction], x, y)):
        assert_equals(result, expected)
        assert not result.tracks_grad


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_compare_nan(direction):
    a = np.array([np.nan, 1.0, np.nan])
    b = np.array([np.nan, np.nan, 1.0])
    assert_equals(tf.compare(tf.tensor(a), tf.tensor(b), direction), DIRECTIONS[direction](a, b))


def test_compare_refuses_an_unknown_direction():
    with pytest.raises(tf.InvalidArgumentError, match="between") as caught:
        tf.compare(tf.ones((2,)), tf.ones((2,)), "between")
    assert caught.value.argument == "dir"


@pytest.mark.parametrize("dtype", NUMERIC)
def test_results_do_not_depend_on_layout_or_size(dtype):
    a, b = sample(dtype, (40, 50), seed=1), sample(dtype, (40, 50), seed=2)
    flat = (tf.tensor(a) * tf.tensor(b) + tf.tensor(a)).numpy()
    turned = (tf.tensor(a.T).T * tf.tensor(b) + tf.tensor(a.T).T).numpy()
    assert np.array_equal(flat, turned)
