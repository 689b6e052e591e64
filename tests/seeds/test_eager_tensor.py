"""Every example and every documented error of the seed page of `EagerTensor`, in Python.

Documented errors that cannot arise here, and why:

- `RuntimeState` of `from_tensor_in`, `from_vec_col_major_in`, `requires_grad_in`, `detach_into` (metadata cannot be
  registered), of `grad` and `clear_grad` (a poisoned slot) and of `value`, `duplicate_value`, `to_tensor` (a retained
  record is gone): there is no registry and no lock that a panic could poison, and a live handle always holds its value.
  The one way to lose the value is `into_value`; `test_a_consumed_handle_is_refused` raises that error for each member.
- Backend errors while a value is materialised: values live in host memory. A failed allocation is `OutOfMemoryError`,
  raised in `test_out_of_memory.py`.
- The panic of `tensor_read`: no panic reaches Python.
- `UnsupportedAdRule` of `backward` and `backward_with`: every built-in op has its rule; only a custom op can lack one.
- `Extract` because a descriptor is invalid: only the other reason, a value that is a view, exists here.
"""

import copy

import numpy as np
import pytest

import tenferro as tf


@pytest.fixture
def ctx() -> tf.EagerRuntime:
    return tf.EagerRuntime.with_cpu_backend(tf.CpuBackend())


def vector(*values: float) -> tf.Tensor:
    return tf.Tensor.from_vec_col_major((len(values),), list(values))


def test_example_of_the_type_gradients_accumulate(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0, 3.0), ctx)
    for _ in range(2):
        loss = x.runtime.with_eager_session(lambda s: s.reduce_sum(s.mul(x, x), [0]))
        loss.backward()
    assert x.grad.as_slice(tf.float64).tolist() == [4.0, 8.0, 12.0]
    x.clear_grad()
    assert x.grad is None


def test_example_of_from_tensor_in(ctx):
    x = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), ctx)
    assert x.value().as_slice(tf.float64).tolist() == [1.0, 2.0]
    assert not x.tracks_grad


def test_from_vec_col_major_in_reads_column_major(ctx):
    x = tf.EagerTensor.from_vec_col_major_in((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ctx)
    assert x.numpy().tolist() == [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]
    assert not x.tracks_grad


def test_error_of_from_vec_col_major_in_shape_and_length_disagree(ctx):
    with pytest.raises(tf.ShapeMismatchError) as caught:
        tf.EagerTensor.from_vec_col_major_in((2, 3), [1.0, 2.0, 3.0], ctx)
    assert caught.value.expected == (6,)
    assert caught.value.actual == (3,)


def test_error_of_from_vec_col_major_in_shape_overflows(ctx):
    with pytest.raises(tf.IntegerOverflowError) as caught:
        tf.EagerTensor.from_vec_col_major_in((2**40, 2**40), [1.0], ctx)
    assert isinstance(caught.value, OverflowError)


def test_example_of_requires_grad_in(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0), ctx)
    assert x.grad is None
    assert x.tracks_grad


def test_example_of_detach(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0), ctx)
    y = x.detach()
    assert y.value().as_slice(tf.float64).tolist() == [1.0, 2.0]
    assert y.grad is None


def test_example_of_detach_into():
    ctx_a = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend())
    ctx_b = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend())
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0), ctx_a)
    d = x.detach_into(ctx_b)
    assert not d.tracks_grad
    assert d.ctx_id == ctx_b.id


def test_value_borrows_without_a_copy(ctx):
    x = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), ctx)
    with x.value() as guard:
        assert np.shares_memory(guard.as_slice(), x.numpy())


def test_example_of_duplicate_value(ctx):
    value = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), ctx)
    duplicate = value.duplicate_value()
    assert duplicate.as_slice(tf.float64).tolist() == [1.0, 2.0]
    assert not np.shares_memory(duplicate.numpy(), value.numpy())


def test_example_of_into_value(ctx):
    value = tf.EagerTensor.from_tensor_in(tf.Tensor.from_vec_col_major((1,), [3.0]), ctx)
    owner = value.into_value()
    assert owner.as_slice(tf.float64).tolist() == [3.0]


def test_error_of_into_value_not_unique(ctx):
    value = tf.EagerTensor.from_tensor_in(vector(3.0), ctx)
    second = value.clone()
    with pytest.raises(tf.NotUniqueError) as caught:
        value.into_value()
    assert caught.value.handle is value
    assert value.numpy().tolist() == second.numpy().tolist() == [3.0]


def test_error_of_into_value_extract(ctx):
    view = tf.EagerTensor.from_vec_col_major_in((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ctx).transpose([1, 0])
    with pytest.raises(tf.ExtractError) as caught:
        view.into_value()
    assert caught.value.handle is view
    assert caught.value.error is not None
    assert view.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


USES_OF_A_HANDLE = {
    "shape": lambda x: x.shape,
    "dtype": lambda x: x.dtype,
    "grad": lambda x: x.grad,
    "value": lambda x: x.value(),
    "duplicate_value": lambda x: x.duplicate_value(),
    "to_tensor": lambda x: x.to_tensor(),
    "tensor_read": lambda x: x.tensor_read(),
    "detach": lambda x: x.detach(),
    "detach_into": lambda x: x.detach_into(tf.EagerRuntime()),
    "clear_grad": lambda x: x.clear_grad(),
    "backward": lambda x: x.backward(),
    "clone": lambda x: x.clone(),
    "numpy": lambda x: x.numpy(),
    "op": lambda x: x + 1.0,
    "into_value": lambda x: x.into_value(),
    "slice_builder": lambda x: x.slice_builder().axis(0, range(1)).apply(),
}


@pytest.mark.parametrize("use", USES_OF_A_HANDLE)
def test_a_consumed_handle_is_refused(ctx, use):
    x = tf.EagerTensor.from_tensor_in(vector(3.0), ctx)
    x.into_value()
    with pytest.raises(tf.RuntimeStateError):
        USES_OF_A_HANDLE[use](x)


def test_dtype_and_shape(ctx):
    x = tf.EagerTensor.from_vec_col_major_in((2, 3), [1j] * 6, ctx)
    assert x.dtype == tf.complex128
    assert x.shape == (2, 3)


def test_tensor_read_borrows(ctx):
    x = tf.EagerTensor.from_vec_col_major_in((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ctx)
    with x.transpose([1, 0]).tensor_read() as read:
        assert read.shape == (3, 2)
        assert read.strides == (2, 1)
        assert np.shares_memory(read.numpy(), x.numpy())


def test_to_tensor_is_compact_and_its_own(ctx):
    x = tf.EagerTensor.from_vec_col_major_in((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ctx)
    t = x.transpose([1, 0]).to_tensor()
    assert t.as_slice(tf.float64).tolist() == [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]
    assert not np.shares_memory(t.numpy(), x.numpy())


def test_example_of_grad(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0), ctx)
    loss = ctx.with_eager_session(lambda s: s.reduce_sum(s.exp(x), [0]))
    loss.backward()
    assert x.grad.shape == (2,)
    np.testing.assert_allclose(x.grad.numpy(), np.exp([1.0, 2.0]), rtol=1e-14)


def test_example_of_clear_grad(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0, 3.0), ctx)
    y = tf.EagerTensor.requires_grad_in(vector(4.0, 5.0, 6.0), ctx)
    loss = x.runtime.with_eager_session(lambda s: s.reduce_sum(s.mul(x, y), [0]))
    loss.backward()
    x.clear_grad()
    assert x.grad is None
    assert y.grad is not None


def test_example_of_tracks_grad(ctx):
    plain = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), ctx)
    tracked = tf.EagerTensor.requires_grad_in(vector(3.0, 4.0), ctx)
    detached = tracked.detach()
    assert not plain.tracks_grad
    assert tracked.tracks_grad
    assert not detached.tracks_grad


def test_example_of_ctx_id(ctx):
    x = tf.EagerTensor.from_tensor_in(vector(1.0), ctx)
    assert x.ctx_id == ctx.id


def test_runtime_is_the_one_it_was_made_in(ctx):
    assert tf.EagerTensor.from_tensor_in(vector(1.0), ctx).runtime.id == ctx.id


def test_example_of_same_context(ctx):
    x = tf.EagerTensor.from_tensor_in(vector(1.0), ctx)
    y = tf.EagerTensor.from_tensor_in(vector(2.0), ctx)
    assert x.same_context(y)
    assert not x.same_context(tf.EagerTensor.from_tensor_in(vector(2.0), tf.EagerRuntime()))


def test_example_of_backward(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0, 3.0), ctx)
    for _ in range(2):
        loss = x.runtime.with_eager_session(lambda s: s.reduce_sum(s.add(x, x), [0]))
        loss.backward()
    assert x.grad.as_slice(tf.float64).tolist() == [4.0, 4.0, 4.0]


def test_error_of_backward_not_scalar(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0, 3.0), ctx)
    with pytest.raises(tf.NonScalarGradError) as caught:
        (x * x).backward()
    assert caught.value.shape == (3,)


def test_example_of_backward_with(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(2.0, 3.0), ctx)
    seed = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), ctx)
    y = x.runtime.with_eager_session(lambda s: s.mul(x, x))
    y.backward_with(seed)
    assert x.grad.as_slice(tf.float64).tolist() == [4.0, 12.0]


def test_error_of_backward_with_foreign_cotangent(ctx):
    elsewhere = tf.EagerRuntime()
    x = tf.EagerTensor.requires_grad_in(vector(2.0, 3.0), ctx)
    seed = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0), elsewhere)
    with pytest.raises(tf.ContextMismatchError) as caught:
        (x * x).backward_with(seed)
    assert {caught.value.lhs, caught.value.rhs} == {ctx.id, elsewhere.id}


def test_error_of_backward_with_shape_is_no_seed(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(2.0, 3.0), ctx)
    seed = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0, 3.0), ctx)
    with pytest.raises(tf.ShapeMismatchError) as caught:
        (x * x).backward_with(seed)
    assert (caught.value.lhs, caught.value.rhs) == ((2,), (3,))


def test_error_of_backward_with_dtype_is_no_seed(ctx):
    x = tf.EagerTensor.requires_grad_in(vector(2.0, 3.0), ctx)
    seed = tf.EagerTensor.from_vec_col_major_in((2,), [1j, 2.0], ctx)
    with pytest.raises(tf.DTypeMismatchError) as caught:
        (x * x).backward_with(seed)
    assert (caught.value.expected, caught.value.actual) == (tf.float64, tf.complex128)


def test_example_of_slice_builder():
    ctx = tf.EagerRuntime()
    x = tf.EagerTensor.from_tensor_in(vector(1.0, 2.0, 3.0), ctx)
    y = x.runtime.with_eager_session(lambda s: x.slice_builder().axis(0, range(0, 2)).apply(s))
    assert y.shape == (2,)
    assert y.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("duplicate", [lambda x: x.clone(), copy.copy], ids=["clone", "copy.copy"])
def test_clone_shares_value_and_gradient(ctx, duplicate):
    x = tf.EagerTensor.requires_grad_in(vector(1.0, 2.0), ctx)
    y = duplicate(x)
    assert np.shares_memory(x.numpy(), y.numpy())
    (y * y).sum().backward()
    assert x.grad.numpy().tolist() == y.grad.numpy().tolist() == [2.0, 4.0]


def test_debug_names_dtype_shape_and_tracking(ctx):
    text = repr(tf.EagerTensor.requires_grad_in(vector(1.0, 2.5), ctx))
    assert "float64" in text
    assert "2.5" in text
    assert "0x" not in text
    assert text != repr(tf.EagerTensor.from_tensor_in(vector(1.0, 2.5), ctx))
