"""Every example and every documented error of the seed page of `GradientValue`, in Python.

Documented errors that cannot arise here, and why:

- `RuntimeState` of `value`, `tensor_read`, `as_slice` and `to_tensor` (the retained record or an execution session is
  gone): a `GradientValue` holds its numbers itself and needs no session.
- `HostAccess` of `as_slice` and `to_tensor` for storage that cannot be mapped: all storage is host memory. The error's
  other cause, a guard used after its with-block, is raised in `test_guards.py`.
"""

import copy
import gc

import numpy as np
import pytest

import tenferro as tf


def gradient_of_square(*values: float) -> tuple[tf.EagerTensor, tf.GradientValue]:
    ctx = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend())
    x = tf.EagerTensor.requires_grad_in(tf.Tensor.from_vec_col_major((len(values),), list(values)), ctx)
    loss = x.mul(x).reduce_sum([0])
    loss.backward()
    assert x.grad is not None
    return x, x.grad


def test_example_of_the_type():
    _, gradient = gradient_of_square(2.0, 3.0)
    assert gradient.shape == (2,)


def test_dtype():
    _, gradient = gradient_of_square(2.0, 3.0)
    assert gradient.dtype == tf.float64


def test_value_borrows():
    _, gradient = gradient_of_square(2.0, 3.0)
    with gradient.value() as guard:
        assert guard.as_slice(tf.float64).tolist() == [4.0, 6.0]
        assert np.shares_memory(guard.numpy(), gradient.numpy())


def test_tensor_read_borrows():
    _, gradient = gradient_of_square(2.0, 3.0)
    with gradient.tensor_read() as read:
        assert (read.dtype, read.shape, read.strides) == (tf.float64, (2,), (1,))
        assert np.shares_memory(read.numpy(), gradient.numpy())


@pytest.mark.parametrize("dtype", [None, tf.float64, np.float64, "float64"])
def test_as_slice(dtype):
    _, gradient = gradient_of_square(2.0, 3.0)
    flat = gradient.as_slice(dtype)
    assert flat.tolist() == [4.0, 6.0]
    assert not flat.flags.writeable


def test_error_of_as_slice_dtype_mismatch():
    _, gradient = gradient_of_square(2.0, 3.0)
    with pytest.raises(tf.DTypeMismatchError) as caught:
        gradient.as_slice(tf.float32)
    assert (caught.value.expected, caught.value.actual) == (tf.float32, tf.float64)


def test_to_tensor_is_a_copy():
    _, gradient = gradient_of_square(2.0, 3.0)
    tensor = gradient.to_tensor()
    assert isinstance(tensor, tf.Tensor)
    assert tensor.as_slice(tf.float64).tolist() == [4.0, 6.0]
    assert not np.shares_memory(tensor.numpy(), gradient.numpy())


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_clone(duplicate):
    _, gradient = gradient_of_square(2.0, 3.0)
    assert duplicate(gradient).numpy().tolist() == [4.0, 6.0]


def test_debug_shows_shape_dtype_and_values():
    _, gradient = gradient_of_square(2.0, 3.5)
    text = repr(gradient)
    assert "float64" in text
    assert "7." in text
    assert "0x" not in text


def test_is_a_snapshot():
    x, gradient = gradient_of_square(2.0, 3.0)
    x.mul(x).sum().backward()
    assert gradient.numpy().tolist() == [4.0, 6.0]
    assert x.grad.numpy().tolist() == [8.0, 12.0]
    x.clear_grad()
    assert gradient.numpy().tolist() == [4.0, 6.0]
    del x
    gc.collect()
    assert gradient.numpy().tolist() == [4.0, 6.0]


OPERATIONS = {
    "mul": (lambda g: 0.5 * g, [2.0, 3.0]),
    "add": (lambda g: g + g, [8.0, 12.0]),
    "sub": (lambda g: 1.0 - g, [-3.0, -5.0]),
    "div": (lambda g: g / 2, [2.0, 3.0]),
    "pow": (lambda g: g**2, [16.0, 36.0]),
    "neg": (lambda g: -g, [-4.0, -6.0]),
    "op": (lambda g: tf.sqrt(g), [2.0, 6.0**0.5]),
    "array": (lambda g: np.array([1.0, 2.0]) * g, [4.0, 12.0]),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_is_an_untracked_constant_of_every_op(name):
    _, gradient = gradient_of_square(2.0, 3.0)
    operation, expected = OPERATIONS[name]
    result = operation(gradient)
    assert isinstance(result, tf.EagerTensor)
    assert not result.tracks_grad
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-15)


def test_steps_a_leaf_downhill():
    x, gradient = gradient_of_square(2.0, 3.0)
    moved = (x - 0.1 * gradient).as_leaf()
    assert moved.tracks_grad
    np.testing.assert_allclose(moved.numpy(), [1.6, 2.4], rtol=1e-15)
    assert moved.as_leaf(False).tracks_grad is False


def test_becomes_an_array():
    _, gradient = gradient_of_square(2.0, 3.0)
    assert np.asarray(gradient).tolist() == [4.0, 6.0]
    assert not np.asarray(gradient).flags.writeable
