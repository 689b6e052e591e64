"""PyTorch's contractions, structural ops and indexing (row-major, leading batch axes) in terms of this library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenferro as tf

T = tf.EagerTensor
ALL = slice(None)


def axes(x: T, dim: Any) -> tuple[int, ...]:
    """PyTorch's `dim` as a tuple: `None` and `[]` are all axes, a scalar has an axis 0 that is none."""
    if dim is None or dim == [] or x.ndim == 0:
        return tuple(range(x.ndim))
    return tuple(d % x.ndim for d in (dim if isinstance(dim, list) else [dim]))


def positions(indices: T) -> NDArray[np.int64]:
    return np.asarray(indices.numpy(), dtype=np.int64)


def matmul(a: T, b: T) -> T:
    """Matrices are the first two axes here, the last two there."""
    product = tf.matmul(*(tf.moveaxis(x, (-2, -1), (0, 1)) if x.ndim > 2 else x for x in (a, b)))
    matrix_axes = tuple(range(min(a.ndim, 2) + min(b.ndim, 2) - 2))
    return tf.moveaxis(product, matrix_axes, tuple(i - len(matrix_axes) for i in matrix_axes))


def addmm(x: T, a: T, b: T, alpha: Any = 1, beta: Any = 1) -> T:
    return x * beta + matmul(a, b) * alpha


def multi_dot(*operands: Any) -> T:
    first, *others = operands[0] if isinstance(operands[0], list) else operands
    for other in others:
        first = matmul(first, other)
    return first


def vecdot(a: T, b: T, dim: int = -1) -> T:
    return tf.vecdot(a, b, dim)


def tensordot(a: T, b: T, dims: Any) -> T:
    """An extent 1 meets any other extent in PyTorch: the sum runs over the longer."""
    lhs, rhs = (list(range(-dims, 0)), list(range(dims))) if isinstance(dims, int) else dims
    for left, right in zip(lhs, rhs, strict=True):
        if a.shape[left] == 1:
            b = tf.sum(b, right, True)
        elif b.shape[right] == 1:
            a = tf.sum(a, left, True)
    return tf.tensordot(a, b, (lhs, rhs))


def inner(a: T, b: T) -> T:
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, [[-1], [-1]])


def vander(x: T, N: int | None = None) -> T:
    """The powers 0 … N − 1 along a new last axis."""
    x = tf.reshape(x, (1,)) if x.ndim == 0 else x
    return tf.stack([tf.pow(x, k) for k in range(x.shape[-1] if N is None else N)], -1)


def largest(x: T, along: tuple[int, ...]) -> T:
    """A constant that keeps the exponentials in range."""
    if x.size == 0:
        return tf.sum(tf.real(x).detach(), along, True)
    top = tf.max(tf.real(x).detach(), along, True)
    return tf.where(tf.isfinite(top), top, 0.0)


def logsumexp(x: T, dim: Any, keepdim: bool = False) -> T:
    along = axes(x, dim)
    top = largest(x, along)
    total = tf.log(tf.sum(tf.exp(x - top), along, True)) + top
    return total if keepdim else tf.squeeze(total, along)


def softmax(x: T, dim: int, dtype: str | None = None) -> T:
    y = x if dtype is None else tf.cast(x, dtype)
    return tf.softmax(y, dim) if y.ndim else tf.squeeze(tf.softmax(tf.expand_dims(y, 0)))


def expand(x: T, shape: list[int]) -> T:
    padded = (*[1] * (len(shape) - x.ndim), *x.shape)
    return tf.broadcast_to(x, tuple(n if s == -1 else s for s, n in zip(shape, padded, strict=True)))


def cat(tensors: list[T], dim: int = 0) -> T:
    """PyTorch ignores vectors without elements among tensors of higher rank."""
    rank = max(x.ndim for x in tensors)
    return tf.concatenate([x for x in tensors if x.ndim == rank], dim)


def on_last_axes(op: Callable[..., T]) -> Callable[..., T]:
    """Matrices are the first two axes here, the last two there."""
    return lambda x, diagonal=0: tf.moveaxis(op(tf.moveaxis(x, (-2, -1), (0, 1)), diagonal), (0, 1), (-2, -1))


def grid(indices: NDArray[np.int64], dim: int) -> tuple[NDArray[np.int64], ...]:
    """Positions of `indices` in every axis, the entries of `indices` in axis `dim`."""
    places = list(np.indices(indices.shape, sparse=True))
    places[dim] = indices
    return tuple(places)


def gather(x: T, dim: int, index: T) -> T:
    indices = positions(index)
    if x.ndim <= 1:
        return tf.take(tf.reshape(x, (-1,)), indices, axis=0)
    return x[grid(indices, dim)]


def take_along_dim(x: T, index: T, dim: int | None = None) -> T:
    indices = positions(index)
    if dim is None:
        return tf.take(x, indices.ravel(), order="C")
    shape = np.broadcast_shapes(*((*s[:dim], 1, *s[dim + 1 :]) for s in (x.shape, indices.shape)))
    wide = tf.broadcast_to(x, (*shape[:dim], x.shape[dim], *shape[dim + 1 :]))
    return wide[grid(np.broadcast_to(indices, (*shape[:dim], indices.shape[dim], *shape[dim + 1 :])), dim)]


def scatter(x: T, dim: int, index: T, src: Any) -> T:
    indices = positions(index)
    if x.ndim == 0:
        return tf.reshape(scatter(tf.reshape(x, (1,)), 0, tf.tensor(indices.reshape(1)), src), ())
    if isinstance(src, T) and src.ndim:
        src = src[tuple(slice(n) for n in indices.shape)]
    return x.at[grid(indices, dim)].set(src)


def index_select(x: T, dim: int, index: T) -> T:
    if x.ndim == 0:
        return x
    return tf.index_select(x, dim, index)


def select(x: T, dim: int, index: int) -> T:
    return x[(*[ALL] * (dim % x.ndim), index)]


def part(x: T, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> T:
    return x[(*[ALL] * (dim % x.ndim), slice(start, end, step))]


def narrow(x: T, dim: int, start: Any, length: int) -> T:
    first = int(start.item()) if isinstance(start, T) else start
    first = first % x.shape[dim] if first < 0 else first
    return part(x, dim, first, first + length)


def reshape(x: T, shape: list[int]) -> T:
    return tf.reshape(x, tuple(shape), order="C")


def roll(x: T, shifts: Any, dims: Any = None) -> T:
    if dims is None or dims == [] or x.ndim == 0:
        return tf.roll(x, shifts, order="C")
    return tf.roll(x, shifts, dims)


def squeeze(x: T, dim: Any = None) -> T:
    """Axes whose extent is not 1 stay."""
    chosen = () if dim == [] else axes(x, dim)
    return tf.squeeze(x, tuple(d for d in chosen if x.shape[d] == 1))


def padded_positions(extent: int, low: int, high: int, mode: str) -> NDArray[np.int64]:
    """Where the elements of a padded axis come from; negative margins crop."""
    if mode == "circular":
        kept = np.arange(max(-low, 0), extent - max(-high, 0))
        return np.pad(kept, (max(low, 0), max(high, 0)), mode="wrap")
    places = np.arange(-low, extent + high)
    if mode == "replicate":
        return np.clip(places, 0, extent - 1)
    return (extent - 1) - np.abs((extent - 1) - np.abs(places))


def pad(x: T, widths: list[int], mode: str = "constant", value: float | None = None) -> T:
    """Widths are pairs, the last axis first."""
    pairs = [(0, 0)] * (x.ndim - len(widths) // 2) + list(zip(widths[::2], widths[1::2], strict=True))[::-1]
    if mode != "constant":
        for axis, (low, high) in enumerate(pairs):
            if (low, high) != (0, 0):
                x = tf.index_select(x, axis, padded_positions(x.shape[axis], low, high, mode))
        return x
    low, high = [p[0] for p in pairs], [p[1] for p in pairs]
    inside = tf.pad(tf.ones(x.shape), low, high) != 0
    return tf.where(inside, tf.pad(x, low, high), 0.0 if value is None else value)


OPS: dict[str, Callable[..., T]] = {
    "T": tf.transpose,
    "addmm": addmm,
    "bmm": matmul,
    "broadcast_to": expand,
    "cat": cat,
    "cross": lambda a, b, dim=-1: tf.cross(a, b, axis=dim),
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: tf.diagonal(x, offset, dim1, dim2),
    "dot": tf.matmul,
    "expand": expand,
    "flip": lambda x, dims: tf.flip(x, tuple(dims)),
    "gather": gather,
    "index_select": index_select,
    "inner": inner,
    "logsumexp": logsumexp,
    "mH": lambda x: tf.conj(tf.swapaxes(x, -2, -1)),
    "mT": lambda x: tf.swapaxes(x, -2, -1),
    "matmul": matmul,
    "mm": matmul,
    "movedim": tf.moveaxis,
    "multi_dot": multi_dot,
    "mv": matmul,
    "narrow": narrow,
    "nn_functional_pad": pad,
    "outer": tf.outer,
    "permute": lambda x, dims: tf.permute_dims(x, dims),
    "repeat": tf.tile,
    "reshape": reshape,
    "roll": roll,
    "scatter": scatter,
    "select": select,
    "slice": part,
    "softmax": softmax,
    "squeeze": squeeze,
    "stack": tf.stack,
    "take_along_dim": take_along_dim,
    "tensordot": tensordot,
    "tile": tf.tile,
    "trace": tf.trace,
    "tril": on_last_axes(tf.tril),
    "triu": on_last_axes(tf.triu),
    "unsqueeze": tf.expand_dims,
    "vander": vander,
    "vdot": vecdot,
    "vecdot": vecdot,
}
