"""Creation: zeros, ones, full, eye, arange, linspace and their `_like` forms against NumPy; shapes that cannot be."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, NUMERIC, SHAPES, assert_equals, leaf, run_child, sample, tf_dtype


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_zeros_and_ones(dtype, shape):
    assert_equals(tf.zeros(shape, dtype=dtype), np.zeros(shape, dtype=dtype))
    assert_equals(tf.ones(shape, dtype=dtype), np.ones(shape, dtype=dtype))


def test_defaults():
    assert tf.zeros((2,)).dtype == tf.float64
    assert tf.ones(3).shape == (3,)
    assert tf.zeros([2, 3]).shape == (2, 3)
    assert tf.zeros(np.array([2, 3])).shape == (2, 3)
    assert tf.zeros((np.int64(2), np.int32(1))).shape == (2, 1)
    assert not tf.zeros((2,)).tracks_grad


@pytest.mark.parametrize("value", [3, 2.5, True, 1j, np.float32(1.5)], ids=repr)
def test_full_takes_the_dtype_of_its_value(value):
    assert_equals(tf.full((2, 3), value), np.full((2, 3), value))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_full_with_a_dtype(dtype):
    assert_equals(tf.full((2,), 3, dtype=dtype), np.full((2,), 3, dtype=dtype))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(("n", "m"), [(3, None), (2, 4), (4, 2), (0, None), (0, 3)])
def test_eye(n, m, dtype):
    assert_equals(tf.eye(n, m, dtype=dtype), np.eye(n, m, dtype=dtype))


@pytest.mark.parametrize(
    "arguments", [(5,), (2, 7), (1, 10, 3), (10, 0, -2), (0.0, 1.0, 0.25), (5, 2), (0,), (-2.5, 2.5)], ids=str
)
def test_arange(arguments):
    assert_equals(tf.arange(*arguments), np.arange(*arguments))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_arange_with_a_dtype(dtype):
    assert_equals(tf.arange(4, dtype=dtype), np.arange(4).astype(dtype))


@pytest.mark.parametrize(
    ("start", "stop", "num"), [(0.0, 1.0, 5), (-1.0, 1.0, 50), (2.0, 2.0, 3), (0.0, 1.0, 1), (0.0, 1.0, 0), (3, 0, 7)]
)
def test_linspace(start, stop, num):
    assert_equals(tf.linspace(start, stop, num), np.linspace(start, stop, num))


def test_linspace_ends_exactly_where_it_should():
    for n in (2, 3, 7, 50, 101):
        x = tf.linspace(0.1, 0.7, n).numpy()
        assert (x[0], x[-1]) == (0.1, 0.7)


@pytest.mark.parametrize("dtype", ALL)
def test_like(dtype):
    x = tf.tensor(sample(dtype, (2, 3)))
    assert_equals(tf.zeros_like(x), np.zeros((2, 3), dtype=dtype))
    assert_equals(tf.ones_like(x), np.ones((2, 3), dtype=dtype))
    assert_equals(tf.full_like(x, 1), np.full((2, 3), 1, dtype=dtype))


def test_like_keeps_the_runtime_and_is_untracked(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    for made in (tf.zeros_like(x), tf.ones_like(x), tf.full_like(x, 2.0)):
        assert made.ctx_id == ctx.id
        assert not made.tracks_grad


def test_like_takes_another_dtype():
    assert tf.zeros_like(tf.ones((2,)), dtype=tf.int32).dtype == tf.int32


def test_results_are_independent():
    assert not np.shares_memory(tf.zeros((3,)).numpy(), tf.zeros((3,)).numpy())


@pytest.mark.parametrize("dtype", ALL)
def test_requires_grad_of_tensor(dtype):
    x = tf.tensor(sample(dtype, (2,)), requires_grad=True)
    assert x.tracks_grad
    assert x.dtype == tf_dtype(dtype)


IMPOSSIBLE = {
    "b63 too many bytes": ((2, 2, 1, 2305843009213693952), (ValueError, MemoryError)),
    "b64 two to the sixty-fourth": ((2,) * 64, (ValueError, MemoryError)),
    "overflow of the product": ((2**31, 2**31, 4), (ValueError, MemoryError)),
    "overflow with a zero": ((0, 2**62, 2**62), (ValueError, MemoryError)),
    "extent beyond 63 bits": ((2**63,), (ValueError, OverflowError, MemoryError)),
    "extent beyond 64 bits": ((2**64, 2), (ValueError, OverflowError)),
    "b66 absurd extent": ((2 * 10**20,), (ValueError, OverflowError)),
    "negative": ((-1,), ValueError),
    "negative and huge": ((-(10**30),), (ValueError, OverflowError)),
    "bool": ((True, 2), TypeError),
    "float": ((2.0, 3), TypeError),
    "text": ("ab", TypeError),
    "None": (None, TypeError),
}
CREATORS = {
    "zeros": tf.zeros,
    "ones": tf.ones,
    "full": lambda shape: tf.full(shape, 2.0),
    "normal": lambda shape: tf.random.normal(tf.random.key(0), shape),
    "broadcast": lambda shape: tf.tensor(1.0).broadcast_in_dim(shape, []) + 1.0,
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("creator", CREATORS)
def test_impossible_shapes(creator, name):
    shape, errors = IMPOSSIBLE[name]
    with pytest.raises(errors) as caught:
        CREATORS[creator](shape)
    if errors is not TypeError:
        assert isinstance(caught.value, tf.TenferroError)


def test_b66_says_that_the_size_is_too_large():
    with pytest.raises((ValueError, OverflowError), match="200000000000000000000"):
        tf.zeros((2 * 10**20,))


@pytest.mark.parametrize("arguments", [(1069990502085580415,), (10**6, 3948000418890973690)], ids=str)
def test_b67_eye_that_fits_nowhere(arguments):
    with pytest.raises((MemoryError, tf.IntegerOverflowError)):
        tf.eye(*arguments)


def test_importing_is_quiet_and_light():
    out = run_child(
        """
        import sys, numpy
        before = set(sys.modules)
        import tenferro
        heavy = {"scipy", "torch", "jax", "pandas", "matplotlib"} & (set(sys.modules) - before)
        print(sorted(heavy), tenferro.__name__)
        """
    )
    assert out == "[] tenferro\n"
