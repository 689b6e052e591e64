"""`select`/`where`, `clamp`/`clip`, `cast`/`astype` and `convert` against NumPy."""

import itertools

import numpy as np
import pytest

import tenferro as tf
from support import ALL, COMPLEX, FLOATS, INTS, VIEWS, assert_equals, gradient, leaf, sample, tf_dtype

COND = np.array([[True, False, True], [False, True, True]])


@pytest.mark.parametrize("dtype", ALL)
def test_select(dtype):
    a, b = sample(dtype, (2, 3), seed=1), sample(dtype, (3,), seed=2)
    expected = np.where(COND, a, b)
    cond, x, y = tf.tensor(COND), tf.tensor(a), tf.tensor(b)
    with x.runtime.session() as s:
        results = [
            tf.select(cond, x, y),
            tf.where(cond, x, y),
            cond.select(x, y),
            cond.where(x, y),
            s.select(cond, x, y),
            s.where(cond, x, y),
            tf.where(COND, x, y),
        ]
    for result in results:
        assert_equals(result, expected)


@pytest.mark.parametrize(
    ("cond", "a", "b"),
    [
        ((), (2, 3), (3,)),
        ((2, 1), (3,), ()),
        ((3,), (), ()),
        ((1,), (0,), (1,)),
        ((4, 1, 1), (3, 1), (2,)),
    ],
    ids=str,
)
def test_select_broadcasts_all_three(cond, a, b):
    c, x, y = sample("bool", cond, seed=3), sample("float64", a, seed=1), sample("float64", b, seed=2)
    assert_equals(tf.where(tf.tensor(c), tf.tensor(x), tf.tensor(y)), np.where(c, x, y))


@pytest.mark.parametrize("layout", VIEWS)
def test_select_strided(layout):
    c, x, y = sample("bool", (3, 4)), sample("float64", (3, 4), seed=1), sample("float64", (3, 4), seed=2)
    assert_equals(tf.where(VIEWS[layout](c), VIEWS[layout](x), tf.tensor(y)), np.where(c, x, y))


@pytest.mark.parametrize("dtype", ["float64", "int64", "complex128"])
def test_select_wants_a_bool_condition(dtype):
    with pytest.raises(tf.DTypeMismatchError, match="select.*bool") as caught:
        tf.select(tf.ones((2,), dtype=dtype), tf.ones((2,)), tf.ones((2,)))
    assert (caught.value.expected, caught.value.actual) == (tf.bool_, tf_dtype(dtype))


def test_select_shapes_must_broadcast():
    with pytest.raises(tf.ShapeMismatchError, match="select"):
        tf.select(tf.tensor([True, False]), tf.ones((3,)), tf.ones((2,)))


def test_select_routes_the_gradient():
    x, y = leaf(np.ones((2, 3))), leaf(np.ones(3))
    w = np.arange(6.0).reshape(2, 3)
    gx, gy = gradient((tf.where(COND, x, y) * w).sum(), x, y)
    assert np.array_equal(gx, np.where(COND, w, 0))
    assert np.array_equal(gy, np.where(COND, 0, w).sum(axis=0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp(dtype):
    a = sample(dtype, (4, 5), low=-3, high=3)
    x = tf.tensor(a)
    lower, upper = np.asarray(-1, dtype=dtype), np.asarray(1.5, dtype=dtype)
    with x.runtime.session() as s:
        results = [
            x.clamp(-1.0, 1.5),
            tf.clamp(x, lower=-1.0, upper=1.5),
            x.clip(-1.0, 1.5),
            tf.clip(x, min=-1.0, max=1.5),
            s.clamp(x, lower, upper),
            tf.clamp(x, tf.tensor(lower), tf.tensor(upper)),
        ]
    for result in results:
        assert_equals(result, np.clip(a, lower, upper))


def test_clamp_broadcasts_bounds():
    a, low, high = sample("float64", (4, 3), low=-3, high=3), np.array([-1.0, 0.0, 1.0]), np.full((4, 1), 1.5)
    assert_equals(tf.clamp(tf.tensor(a), tf.tensor(low), tf.tensor(high)), np.clip(a, low, high))


def test_clamp_with_one_bound():
    a = sample("float64", (5,))
    assert_equals(tf.tensor(a).clip(min=0.0), np.clip(a, 0.0, None))
    assert_equals(tf.tensor(a).clip(max=0.0), np.clip(a, None, 0.0))


def test_clamp_gradients_are_strict():
    x = leaf([-2.0, -1.0, 0.0, 1.0, 2.0])
    low, high = leaf(-1.0), leaf(1.0)
    gx, gl, gh = gradient((tf.clamp(x, low, high) * np.array([1.0, 2.0, 4.0, 8.0, 16.0])).sum(), x, low, high)
    assert gx.tolist() == [0.0, 0.0, 4.0, 0.0, 0.0]
    assert (gl, gh) == (1.0, 16.0)


def test_clamp_keeps_nan():
    assert np.isnan(tf.tensor(np.nan).clamp(0.0, 1.0).item())


@pytest.mark.parametrize("dtype", COMPLEX)
def test_clamp_of_complex_is_refused(dtype):
    with pytest.raises(tf.UnsupportedDTypeError, match="clamp.*complex"):
        tf.ones((2,), dtype=dtype).clamp(0.0, 1.0)


def test_both_keyword_spellings_at_once_are_refused():
    with pytest.raises(tf.InvalidArgumentError, match="lower|min"):
        tf.clamp(tf.ones((2,)), lower=0.0, min=0.0, upper=1.0)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(ALL, ALL)))
def test_cast(source, target):
    a = sample(source, (2, 3), low=-3, high=3)
    real = a.real if np.dtype(source).kind == "c" and np.dtype(target).kind in "if" else a
    expected = real.astype(target)
    x = tf.tensor(a)
    with x.runtime.session() as s:
        results = [
            x.cast(target),
            x.astype(target),
            tf.cast(x, tf_dtype(target)),
            tf.astype(x, target),
            s.cast(x, target),
        ]
    for result in results:
        assert_equals(result, expected, rtol=0.0)


@pytest.mark.parametrize("layout", VIEWS)
def test_cast_strided(layout):
    a = sample("float64", (3, 4), low=-9, high=9)
    assert_equals(VIEWS[layout](a).cast(tf.int32), a.astype(np.int32))


def test_cast_to_bool_is_not_zero():
    assert tf.tensor([0.0, -0.0, 0.5, np.nan]).cast(tf.bool_).numpy().tolist() == [False, False, True, True]
    assert tf.tensor([0j, 1j]).cast(tf.bool_).numpy().tolist() == [False, True]


def test_cast_truncates_toward_zero():
    assert tf.tensor([1.9, -1.9]).cast(tf.int32).numpy().tolist() == [1, -1]


def test_cast_of_int64_to_int32_wraps():
    a = np.array([2**31, -(2**31) - 1, 2**40 + 5])
    assert_equals(tf.tensor(a).cast(tf.int32), a.astype(np.int32))


@pytest.mark.parametrize("target", INTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_cast_of_what_no_integer_holds(target, value):
    with pytest.raises(tf.InvalidArgumentError, match="cast") as caught:
        tf.tensor([0.0, value]).cast(target)
    assert (caught.value.op, caught.value.argument) == ("cast", "value")


def test_cast_at_the_rim_of_int64():
    assert tf.tensor([-(2.0**63)]).cast(tf.int64).numpy().tolist() == [-(2**63)]
    with pytest.raises(tf.InvalidArgumentError):
        tf.tensor([2.0**63]).cast(tf.int64)


WIDENS = {
    "bool": ALL,
    "int32": ("int32", "int64", "float64", "complex128"),
    "int64": ("int64", "float64", "complex128"),
    "float32": ("float32", "float64", "complex64", "complex128"),
    "float64": ("float64", "complex128"),
    "complex64": ("complex64", "complex128"),
    "complex128": ("complex128",),
}


@pytest.mark.parametrize(("source", "target"), list(itertools.product(ALL, ALL)))
def test_convert_only_widens(source, target):
    a = sample(source, (3,))
    x = tf.tensor(a)
    if target in WIDENS[source]:
        assert_equals(x.convert(target), a.astype(target), rtol=0.0)
        assert_equals(tf.convert(x, target), a.astype(target), rtol=0.0)
        return
    with pytest.raises(tf.UnsupportedDTypeError, match="convert") as caught:
        x.convert(target)
    assert (caught.value.from_dtype, caught.value.to_dtype) == (source, target)


@pytest.mark.parametrize("target", ["float32", "complex64", "complex128"])
def test_cast_is_differentiable_between_inexact_dtypes(target):
    x = leaf([1.0, 2.0])
    y = x.cast(target) * np.asarray(3, dtype=target)
    assert y.dtype == np.dtype(target)
    y.backward_with(tf.ones((2,), dtype=target))
    assert x.grad.dtype == tf.float64
    assert x.grad.numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("bad", ["float16", "int8", "uint64", "object", "U3", "datetime64[s]"])
def test_dtypes_that_do_not_exist_here(bad):
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.ones((2,)).cast(bad)


def test_a_word_that_is_no_dtype():
    with pytest.raises(TypeError, match="nonsense"):
        tf.ones((2,)).cast("nonsense")
