"""Promotion: the lattice of the original, and Python scalars as the only weak operands."""

import itertools
import operator

import numpy as np
import pytest

import tenferro as tf
from support import ALL, NUMERIC, assert_equals, tf_dtype

KINDS = {"bool": "b", "int32": "i", "int64": "i", "float32": "f", "float64": "f", "complex64": "c", "complex128": "c"}
WIDTH = {"bool": 0, "int32": 4, "int64": 8, "float32": 4, "float64": 8, "complex64": 4, "complex128": 8}
OF_KIND = {
    ("i", 4): "int32",
    ("i", 8): "int64",
    ("f", 4): "float32",
    ("f", 8): "float64",
    ("c", 4): "complex64",
    ("c", 8): "complex128",
}


def promoted(a: str, b: str) -> str:
    """Bool below all; same kind to the wider; any int with a float or complex to the widest of that kind."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    kinds = {KINDS[a], KINDS[b]}
    top = max(kinds, key="ifc".index)
    wide = 8 if "i" in kinds and top != "i" else max(WIDTH[a], WIDTH[b])
    return OF_KIND[top, wide]


def one(dtype: str) -> tf.EagerTensor:
    return tf.tensor(np.ones((2,), dtype=dtype))


PAIRS = [(a, b) for a, b in itertools.product(ALL, ALL) if (a, b) != ("bool", "bool")]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_pairs_of_tensors(a, b):
    expected = tf_dtype(promoted(a, b))
    for name in ("add", "sub", "mul"):
        assert getattr(tf, name)(one(a), one(b)).dtype == expected
    with tf.EagerRuntime().session() as s:
        x, y = (s.constant_from(one(d).to_tensor()) for d in (a, b))
        assert s.add(x, y).dtype == expected


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_select_and_concatenate_promote_their_values(a, b):
    expected = tf_dtype(promoted(a, b))
    cond = tf.tensor([True, False])
    assert tf.select(cond, one(a), one(b)).dtype == expected
    assert tf.concatenate([one(a), one(b)], axis=0).dtype == expected
    assert tf.stack([one(a), one(b)], 0).dtype == expected


@pytest.mark.parametrize(("a", "b"), [p for p in PAIRS if "bool" not in p])
def test_contraction_promotes_the_pair(a, b):
    result = one(a) @ one(b)
    assert result.dtype == tf_dtype(promoted(a, b))
    assert result.item() == 2


@pytest.mark.parametrize(
    "rank_zero",
    [
        lambda d: tf.tensor(np.ones((), dtype=d)),
        lambda d: np.ones((), dtype=d),
        lambda d: np.dtype(d).type(1),
        lambda d: np.ones((2,), dtype=d),
        lambda d: tf.Tensor.from_numpy(np.ones((2,), dtype=d)),
    ],
    ids=["rank-0 tensor", "0-d array", "NumPy scalar", "array", "Tensor"],
)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_everything_with_a_dtype_is_strong(a, b, rank_zero):
    expected = tf_dtype(promoted(a, b))
    assert (one(a) + rank_zero(b)).dtype == expected
    assert (rank_zero(b) + one(a)).dtype == expected


def test_gradients_are_strong():
    x = tf.tensor(np.ones(2), requires_grad=True)
    (x * x).sum().backward()
    assert (one("float32") * x.grad).dtype == tf.float64


WEAK = [
    ("bool", True, "bool"),
    ("int32", True, "int32"),
    ("float32", True, "float32"),
    ("int32", 2, "int32"),
    ("int64", 2, "int64"),
    ("float32", 2, "float32"),
    ("complex64", 2, "complex64"),
    ("int32", 2.5, "float64"),
    ("int64", 2.0, "float64"),
    ("float32", 2.0, "float32"),
    ("float64", 2.0, "float64"),
    ("complex64", 2.0, "complex64"),
    ("complex128", 2.0, "complex128"),
    ("int32", 1j, "complex128"),
    ("int64", 1j, "complex128"),
    ("float32", 1j, "complex64"),
    ("float64", 1j, "complex128"),
    ("complex64", 1j, "complex64"),
    ("complex128", 1j, "complex128"),
    ("bool", 2, "int64"),
    ("bool", 2.0, "float64"),
    ("bool", 1j, "complex128"),
]


@pytest.mark.parametrize(
    ("dtype", "scalar", "expected"), [row for row in WEAK if row[0] != "bool" or row[1] is not True]
)
def test_python_scalars_are_weak(dtype, scalar, expected):
    x = one(dtype)
    for result in (x + scalar, scalar + x, x * scalar, scalar - x, tf.mul(x, scalar), tf.mul(scalar, x)):
        assert result.dtype == tf_dtype(expected)


@pytest.mark.parametrize(("dtype", "scalar", "expected"), WEAK)
def test_python_scalars_are_weak_in_select(dtype, scalar, expected):
    cond = tf.tensor([True, False])
    assert tf.where(cond, one(dtype), scalar).dtype == tf_dtype(expected)
    assert tf.where(cond, scalar, one(dtype)).dtype == tf_dtype(expected)


def test_a_weak_scalar_is_rounded_once():
    x = tf.tensor(np.array([1.0], dtype=np.float32))
    assert_equals(x * 0.1, np.array([np.float32(0.1)], dtype=np.float32), rtol=0.0)


@pytest.mark.parametrize("value", [2**40, -(2**40), 2**31])
def test_a_weak_int_that_does_not_fit_is_an_overflow(value):
    with pytest.raises(tf.IntegerOverflowError, match="int32") as caught:
        one("int32") * value
    assert isinstance(caught.value, OverflowError)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_weak_int_beyond_int64_is_an_overflow(dtype):
    with pytest.raises(tf.IntegerOverflowError):
        one(dtype) + 2**63


def test_the_largest_int_fits():
    assert (one("int64") * 0 + (2**63 - 1)).numpy().tolist() == [2**63 - 1] * 2
    assert (one("int32") * 0 + (-(2**31))).numpy().tolist() == [-(2**31)] * 2


def test_two_scalars_make_a_tensor():
    assert tf.add(1, 2).dtype == tf.int64
    assert tf.add(1.0, 2).dtype == tf.float64
    assert tf.mul(1j, 2).dtype == tf.complex128


@pytest.mark.parametrize("dtype", NUMERIC)
def test_comparison_with_a_scalar_keeps_the_tensor_dtype_out_of_the_result(dtype):
    assert (one(dtype) == 1).dtype == tf.bool_
    assert bool((one(dtype) == 1).numpy().all())


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("scalar", [2.5, np.float32(2.5)])
def test_comparison_of_ints_with_floats_is_exact_enough(dtype, scalar):
    x = tf.tensor(np.array([2, 3], dtype=dtype))
    assert (x < scalar).numpy().tolist() == [True, False]


@pytest.mark.parametrize("symbol", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("b", ["int8", "uint16", "float16", "longdouble"])
def test_arrays_of_other_dtypes_are_refused(symbol, b):
    with pytest.raises(tf.UnsupportedDTypeError, match=np.dtype(b).name):
        symbol(one("float64"), np.ones(2, dtype=b))


@pytest.mark.parametrize("dtype", ALL)
def test_dtypes_behave_like_numpy_dtypes(dtype):
    d = tf_dtype(dtype)
    assert isinstance(d, tf.DType)
    assert d == np.dtype(dtype)
    assert np.dtype(dtype) == d
    assert hash(d) == hash(np.dtype(dtype))
    assert np.zeros(2, dtype=d).dtype == np.dtype(dtype)
    assert {np.dtype(dtype): 1}[d] == 1
    assert one(dtype).dtype is not None
    assert dtype in repr(d)
    others = [tf_dtype(o) for o in ALL if o != dtype]
    assert all(d != o for o in others)


@pytest.mark.parametrize("spelling", [tf.float32, np.float32, np.dtype("float32"), "float32", "f4", "<f4"])
def test_every_dtype_argument_takes_numpy_spellings(spelling):
    assert tf.zeros((2,), dtype=spelling).dtype == tf.float32
    assert tf.ones((2,)).cast(spelling).dtype == tf.float32
    assert tf.tensor([1, 2], dtype=spelling).dtype == tf.float32


@pytest.mark.parametrize("python_type", [(bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")])
def test_python_types_name_dtypes_as_in_numpy(python_type):
    kind, name = python_type
    assert tf.zeros((2,), dtype=kind).dtype == tf_dtype(name)
