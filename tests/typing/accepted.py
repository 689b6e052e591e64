"""Typed use of the whole surface: must pass mypy and basedpyright, both strict."""

import copy
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import tenferro as tf


def dtypes() -> None:
    assert_type(tf.float32, tf.DType[np.float32])
    assert_type(tf.float64, tf.DType[np.float64])
    assert_type(tf.complex64, tf.DType[np.complex64])
    assert_type(tf.complex128, tf.DType[np.complex128])
    assert_type(tf.int32, tf.DType[np.int32])
    assert_type(tf.int64, tf.DType[np.int64])
    assert_type(tf.bool_, tf.DType[np.bool_])
    x = tf.tensor([1.0])
    assert_type(x.dtype, tf.DType[Any])
    assert_type(x.dtype == np.dtype("float64"), bool)
    table: dict[tf.DType[Any], int] = {tf.float32: 4}
    assert_type(table[x.dtype], int)
    tf.zeros((2,), dtype=tf.float32)
    tf.zeros((2,), dtype=np.float32)
    tf.zeros((2,), dtype=np.dtype("float32"))
    tf.zeros((2,), dtype="float32")
    assert_type(np.zeros(3, dtype=tf.complex64).dtype, np.dtype[np.complex64])
    np.zeros(3, dtype=x.dtype)
    assert_type(tf.DType("int32"), tf.DType[np.int32])
    assert_type(tf.DType(np.dtype(np.float32)), tf.DType[np.float32])
    assert_type(tf.DType(float), tf.DType[Any])


def precision(dtype: tf.DType[np.inexact[Any]]) -> int:
    assert_type(dtype.dtype, np.dtype[np.inexact[Any]])
    return dtype.itemsize


def runtimes() -> None:
    assert_type(precision(tf.complex64), int)
    ctx = tf.EagerRuntime()
    with_backend = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend(threads=2))
    assert_type(with_backend, tf.EagerRuntime)
    assert_type(ctx.id == with_backend.id, bool)
    assert_type(tf.default_runtime(), tf.EagerRuntime)
    tf.set_default_runtime(ctx)
    with tf.use_runtime(ctx):
        tf.set_num_threads(2)
    assert_type(tf.live_tensors(), int)
    assert_type(tf.live_bytes(), int)
    tf.set_memory_limit(10**9)
    backend = tf.CpuBackend()
    assert_type(backend.num_threads, int)
    backend.set_buffer_pool_limit(0)
    backend.buffer_pool_stats()
    ctx.cache_stats()
    ctx.clear_caches()
    ctx.clear_grads()
    ctx.synchronize()


def leaves(ctx: tf.EagerRuntime) -> None:
    t = tf.Tensor.from_vec_col_major((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert_type(t, tf.Tensor)
    assert_type(tf.Tensor.from_numpy(np.ones(3)), tf.Tensor)
    assert_type(t.shape, tuple[int, ...])
    assert_type(t.strides, tuple[int, ...])
    assert_type(t.ndim, int)
    assert_type(t.size, int)
    assert_type(t.as_slice(tf.float64), NDArray[np.float64])
    assert_type(t.as_slice(np.int32), NDArray[np.int32])
    assert_type(t.as_slice("float64"), NDArray[Any])
    assert_type(t.as_slice(), NDArray[Any])
    assert_type(t.numpy(), NDArray[Any])
    assert_type(t.duplicate(), tf.Tensor)
    x = tf.EagerTensor.requires_grad_in(t, ctx)
    c = tf.EagerTensor.from_tensor_in(t, ctx)
    v = tf.EagerTensor.from_vec_col_major_in((3,), [1.0, 2.0, 3.0], ctx)
    for made in (x, c, v, ctx.constant_from(t), ctx.variable_from(t)):
        assert_type(made, tf.EagerTensor)
    assert_type(tf.tensor([[1, 2], [3, 4]], dtype=tf.float64, requires_grad=True, runtime=ctx), tf.EagerTensor)
    assert_type(tf.asarray(np.ones(3), dtype=None, copy=None), tf.EagerTensor)
    assert_type(tf.from_dlpack(np.ones(3)), tf.EagerTensor)


def members(x: tf.EagerTensor, ctx: tf.EagerRuntime) -> None:
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.ndim, int)
    assert_type(x.size, int)
    assert_type(x.tracks_grad, bool)
    assert_type(x.runtime, tf.EagerRuntime)
    assert_type(x.ctx_id == ctx.id, bool)
    assert_type(x.same_context(x), bool)
    assert_type(x.detach(), tf.EagerTensor)
    assert_type(x.detach_into(ctx), tf.EagerTensor)
    assert_type(x.clone(), tf.EagerTensor)
    assert_type(copy.copy(x), tf.EagerTensor)
    assert_type(copy.deepcopy(x), tf.EagerTensor)
    pickle.dumps(x)
    assert_type(x.as_leaf(), tf.EagerTensor)
    assert_type(x.as_leaf(False), tf.EagerTensor)
    assert_type(x.duplicate_value(), tf.Tensor)
    assert_type(x.to_tensor(), tf.Tensor)
    assert_type(x.into_value(), tf.Tensor)
    with x.value() as guard:
        assert_type(guard, tf.ValueGuard)
        assert_type(guard.as_slice(tf.complex64), NDArray[np.complex64])
        assert_type(guard.numpy(), NDArray[Any])
    with x.tensor_read() as read:
        assert_type(read, tf.TensorRead)
        assert_type(read.strides, tuple[int, ...])
        assert_type(read.shape, tuple[int, ...])
    assert_type(x.numpy(), NDArray[Any])
    assert_type(x.numpy(copy=True), NDArray[Any])
    np.asarray(x)
    assert_type(len(x), int)
    assert_type(float(x), float)
    assert_type(int(x), int)
    assert_type(complex(x), complex)
    assert_type(bool(x), bool)
    assert_type(hash(x), int)
    assert_type(repr(x), str)
    for row in x:
        assert_type(row, tf.EagerTensor)
    for part in (x.T, x.H, x.mT, x.real, x.imag):
        assert_type(part, tf.EagerTensor)


def gradients(x: tf.EagerTensor, ctx: tf.EagerRuntime) -> None:
    grads = (x * x).sum().backward()
    assert_type(grads, tf.Gradients)
    as_mapping: Mapping[tf.EagerTensor, tf.GradientValue] = grads
    assert_type(len(as_mapping), int)
    assert_type(grads[x], tf.GradientValue)
    assert_type(grads.get(x), tf.GradientValue | None)
    assert_type(grads.get(x, 0.0), tf.GradientValue | float)
    assert_type(x in grads, bool)
    assert_type(grads.take_grad(x), tf.Tensor | None)
    for leaf, gradient in grads.items():
        assert_type(leaf, tf.EagerTensor)
        assert_type(gradient, tf.GradientValue)
    stored = x.grad
    if stored is not None:
        assert_type(stored, tf.GradientValue)
        assert_type(stored.shape, tuple[int, ...])
        assert_type(stored.as_slice(tf.float64), NDArray[np.float64])
        assert_type(stored.numpy(), NDArray[Any])
        assert_type(stored.to_tensor(), tf.Tensor)
        assert_type(stored.value(), tf.ValueGuard)
        assert_type(stored.tensor_read(), tf.TensorRead)
        step = (x - 0.1 * stored).as_leaf()
        assert_type(step, tf.EagerTensor)
    x.clear_grad()
    assert_type((x * x).backward_with(x.detach()), tf.Gradients)
    loss = (x * x).sum()
    assert_type(ctx.grad(loss, x), tf.EagerTensor)
    assert_type(ctx.grad(loss, [x, x]), tuple[tf.EagerTensor, ...])
    assert_type(ctx.grad_optional(loss, (x, x)), tuple[tf.EagerTensor | None, ...])
    assert_type(ctx.vjp(loss, x, tf.tensor(1.0)), tf.EagerTensor)
    assert_type(ctx.vjp(loss, [x], 1.0), tuple[tf.EagerTensor, ...])
    assert_type(ctx.vjp_optional(loss, [x], 1.0), tuple[tf.EagerTensor | None, ...])
    assert_type(ctx.jvp(loss, [x, x], [1.0, np.ones(3)]), tf.EagerTensor)
    assert_type(ctx.jvp(loss, x, x.detach()), tf.EagerTensor)
    assert_type(ctx.grad_optional(loss, x), tf.EagerTensor | None)
    assert_type(ctx.vjp_optional(loss, x, tf.tensor(1.0)), tf.EagerTensor | None)
    assert_type(ctx.jvp_optional(loss, x, x.detach()), tf.EagerTensor | None)


def sessions(ctx: tf.EagerRuntime, x: tf.EagerTensor) -> None:
    with ctx.session() as s:
        assert_type(s, tf.EagerSession)
        assert_type(s.reduce_sum(s.mul(x, x), axes=[0]), tf.EagerTensor)
        assert_type(s.constant_from(x.to_tensor()), tf.EagerTensor)
        assert_type(s.variable_from(x.to_tensor()), tf.EagerTensor)
        assert_type(s.constant_from_host(np.ones(2)), tf.EagerTensor)
    assert_type(ctx.with_eager_session(lambda s: s.exp(x)), tf.EagerTensor)

    def pair(s: tf.EagerSession) -> tuple[int, str]:
        return x.ndim, repr(s)

    assert_type(ctx.with_eager_session(pair), tuple[int, str])


@tf.no_grad()
def evaluate(x: tf.EagerTensor, scale: float) -> tf.EagerTensor:
    return x * scale


def modes(ctx: tf.EagerRuntime, x: tf.EagerTensor) -> None:
    assert_type(evaluate(x, 2.0), tf.EagerTensor)
    with tf.no_grad(), ctx.no_grad():
        assert_type(x * x, tf.EagerTensor)
    with tf.capture_trace(), ctx.capture_trace():
        assert_type(x * x, tf.EagerTensor)


def operators(x: tf.EagerTensor, a: NDArray[np.float64], t: tf.Tensor) -> None:
    for y in (x + x, x - 1, 2.0 * x, 1j / x, x // 2, x % 2, x**2, 2**x, -x, abs(x), x @ x, x + a, x + t, x @ a):
        assert_type(y, tf.EagerTensor)
    for mask in (x < 1, x <= x, x > 0, x >= 0, x == 1.0, x != x):
        assert_type(mask, tf.EagerTensor)
        assert_type(~mask & mask | mask ^ True, tf.EagerTensor)


def arrays_on_the_left(
    x: tf.EagerTensor, g: tf.GradientValue, a: NDArray[np.float64], z: NDArray[np.complex128], f: np.float64
) -> None:
    for y in (a @ x, a * x, z - x, a / x, a + x, a**x, a // x, a % x, f * x, a * g, g + x):
        assert_type(y, tf.EagerTensor)
    assert_type(a < x, tf.EagerTensor)
    assert_type(divmod(2.0, x), tuple[tf.EagerTensor, tf.EagerTensor])
    y = x
    y += a
    y @= x
    assert_type(y, tf.EagerTensor)


def indexing(x: tf.EagerTensor, i: NDArray[np.int64]) -> None:
    for y in (x[0], x[-1, 2], x[::2], x[..., None], x[i], x[i, :, 0], x[x > 0], x[[0, 2]], x[np.array([True, False])]):
        assert_type(y, tf.EagerTensor)
    assert_type(x.at[0].set(1.0), tf.EagerTensor)
    assert_type(x.at[i, 1:].add(x[0]), tf.EagerTensor)
    assert_type(x.take([0, 1], axis=0), tf.EagerTensor)
    assert_type(x[0, ..., np.int64(1), None, ::-1, [[0, 1], [1, 0]]], tf.EagerTensor)
    assert_type(1.0 in x, bool)
    builder = x.slice_builder().axis(0, range(0, 2)).axis_step(1, range(0, 4), 2).take_axis(2, [3, 1])
    assert_type(builder, tf.SliceBuilder)
    assert_type(builder.apply(), tf.EagerTensor)


def ops(x: tf.EagerTensor, cond: tf.EagerTensor) -> None:
    unary = (x.neg(), x.exp(), x.expm1(), x.log(), x.log1p(), x.sqrt(), x.rsqrt(), x.sin(), x.cos(), x.tanh())
    more = (x.abs(), x.sign(), x.conj(), tf.real(x), tf.imag(x), tf.abs(x))
    binary = (tf.add(x, 1.0), x.sub(x), x.mul(2), tf.div(1.0, x), x.pow(2), x.maximum(0.0), tf.minimum(x, x))
    choose = (tf.compare(x, x, "lt"), tf.select(cond, x, x), cond.where(x, 0.0), x.clamp(0.0, 1.0), x.clip(min=0.0))
    convert = (x.cast(tf.float32), x.astype("complex128"), x.convert(np.complex128))
    reduce = (x.sum(), x.reduce_sum([0]), x.prod(axis=0), x.max(axis=(0, 1)), x.min(), x.mean(keepdims=True))
    contract = (x.matmul(x), tf.dot_general(x, x, lhs_contracting=[1], rhs_contracting=[0]))
    structure = (
        x.transpose([1, 0]),
        x.reshape((2, -1)),
        x.reshape(2, -1, order="C"),
        x.broadcast_in_dim((2, 3), [1]),
        x.reverse([0]),
        x.slice([0], [1], [1]),
        x.pad([0], [1], [0]),
        tf.concatenate([x, x], axis=0),
        tf.stack((x, x), 1),
    )
    shapes = (tf.zeros(x.shape), x.reshape(x.shape[:-1]), x.reshape(*x.shape), x.pad(((0, 1), (2, 3))))
    axes = (
        x.sum(np.array([0, 1])),
        x.sum(range(2)),
        x.sum(axis=[0, np.int64(1)]),
        tf.concatenate([[1.0], x, np.ones(2)]),
    )
    for y in (*unary, *more, *binary, *choose, *convert, *reduce, *contract, *structure, *shapes, *axes):
        assert_type(y, tf.EagerTensor)


def creation() -> None:
    made = (
        tf.zeros((2, 3)),
        tf.ones(3, dtype=tf.complex64),
        tf.full((2,), 1.5),
        tf.eye(3),
        tf.arange(5),
        tf.arange(0.0, 1.0, 0.25),
        tf.linspace(0.0, 1.0, 5),
        tf.zeros_like(tf.ones((2,))),
    )
    key = tf.random.key(0)
    first, second = key.split(2)
    drawn = (
        tf.random.normal(first, (2, 3), dtype=tf.complex128),
        tf.random.uniform(second, (2,)),
        tf.random.randint(key.fold_in(3), (2,), 0, 10),
        tf.random.permutation(key, 5),
    )
    for x in (*made, *drawn):
        assert_type(x, tf.EagerTensor)


def wrapped(x: tf.TensorLike, shape: tf.ShapeLike, axes: tf.AxesLike, dtype: tf.DTypeLike) -> tf.EagerTensor:
    return tf.sum(tf.reshape(x, shape), axes).astype(dtype)


def takes_anything(x: tf.TensorLike) -> tf.EagerTensor:
    return tf.exp(x)


def tensor_like(
    x: tf.EagerTensor, t: tf.Tensor, g: tf.GradientValue, a: NDArray[np.complex128], rows: Sequence[list[float]]
) -> None:
    takes_anything(rows)
    takes_anything([[1, 2.0], [3j, True]])
    takes_anything([x, a, (1.0, np.float32(2.0))])
    takes_anything(range(3))
    takes_anything(x)
    takes_anything(t)
    takes_anything(g)
    takes_anything(a)
    takes_anything(1.5)
    takes_anything(2)
    takes_anything(1j)
    takes_anything(np.float32(1.0))


def exceptions(x: tf.EagerTensor) -> None:
    try:
        x.into_value()
    except tf.NotUniqueError as error:
        assert_type(error.handle, tf.EagerTensor | None)
        assert_type(error.op, str | None)
    except tf.errors.ShapeMismatchError as error:
        assert_type(error.lhs, tuple[int, ...] | None)
    except (tf.ValidationError, ValueError):
        pass
    except tf.OutOfMemoryError as error:
        memory: MemoryError = error
        print(memory, error.bytes, error.shape)
    except tf.TenferroError as error:
        kind: str = error.kind
        print(kind)
