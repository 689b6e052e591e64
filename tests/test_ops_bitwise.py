"""Connectives of bits and truth values, and shifts, against NumPy."""

from typing import Any

import numpy as np
import pytest

import tenferro as tf
from support import INTS, assert_equals, leaf, sample

CONNECTIVES = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}


@pytest.mark.parametrize("name", CONNECTIVES)
@pytest.mark.parametrize("dtype", [*INTS, "bool"])
def test_bitwise(name: str, dtype: str) -> None:
    x, y = sample(dtype, (2, 3), 1, -90, 90), sample(dtype, (3,), 2, -90, 90)
    assert_equals(getattr(tf, name)(x, y), CONNECTIVES[name](x, y))
    with pytest.raises(tf.UnsupportedDTypeError, match="int32, int64, bool"):
        getattr(tf, name)(x * 1.0, y)


@pytest.mark.parametrize("name", LOGICAL)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "bool"])
def test_logical(name: str, dtype: str) -> None:
    x = np.array([0, 0, 1, 1], dtype=dtype)
    y = np.array([0, 1, 0, 1], dtype=dtype)
    assert_equals(getattr(tf, name)(x, y), LOGICAL[name](x, y))


@pytest.mark.parametrize("dtype", [*INTS, "bool"])
def test_complement(dtype: str) -> None:
    x = sample(dtype, (5,), 3, -9, 9)
    assert_equals(tf.bitwise_not(x), ~x)
    assert_equals(tf.bitwise_invert(x), ~x)
    assert_equals(~tf.tensor(x), ~x)
    assert_equals(tf.logical_not(x), np.logical_not(x))


@pytest.mark.parametrize("dtype", INTS)
def test_shifts_are_those_of_unbounded_integers(dtype: str) -> None:
    width = np.iinfo(dtype).bits
    x = np.array([0, 1, -1, 5, -6, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype=dtype)
    for count in (0, 1, 3, width - 1, width, width + 5, np.iinfo(dtype).max):
        right = np.array([int(v) >> min(count, 200) for v in x], dtype=dtype)
        wrapped = [(int(v) << min(count, 200)) % (1 << width) for v in x]
        left = np.array([w - (1 << width) if w >> (width - 1) else w for w in wrapped], dtype=dtype)
        y = np.full((), count, dtype=dtype)
        for name in ("left_shift", "bitwise_left_shift"):
            assert_equals(getattr(tf, name)(x, y), left)
        for name in ("right_shift", "bitwise_right_shift"):
            assert_equals(getattr(tf, name)(x, y), right)
        assert_equals(tf.tensor(x) << y, left)
        assert_equals(tf.tensor(x) >> y, right)


def test_shifts_broadcast_and_promote() -> None:
    x, y = np.arange(6, dtype="int32").reshape(2, 3), np.array([1, 0, 2])
    assert_equals(tf.left_shift(x, y), x << y)
    assert_equals(x << tf.tensor(y), x << y)
    assert_equals(1 << tf.tensor(y), 1 << y)
    assert_equals(tf.right_shift(tf.tensor(x).T, y[:2]), x.T >> y[:2])
    assert tf.left_shift(np.zeros((0, 3), dtype=int), y).shape == (0, 3)


@pytest.mark.parametrize("name", ["left_shift", "right_shift"])
def test_wrong_shifts(name: str) -> None:
    with pytest.raises(tf.InvalidArgumentError, match=rf"{name}: argument 'y': .*at least 0, got -1") as caught:
        getattr(tf, name)([1, 2], [0, -1])
    assert caught.value.argument == "y"
    for x in ([1.5], [1j], [True]):
        with pytest.raises(tf.UnsupportedDTypeError, match=f"{name}.*int32"):
            getattr(tf, name)(x, x)


def test_a_tracked_float_beside_bits_is_refused() -> None:
    x: Any = leaf(np.array([1.0]))
    with pytest.raises(tf.UnsupportedDTypeError):
        x & 1
