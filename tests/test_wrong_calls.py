"""Wrong calls of every kind: a typed class, and a message that names op, argument, what was expected and what came.

Each row: the call, the class, and words that the message must contain. No message shows Rust types or addresses.
"""

import re

import numpy as np
import pytest

import tenferro as tf
from support import leaf

Shape, Rank, Axis = tf.ShapeMismatchError, tf.RankMismatchError, tf.AxisOutOfBoundsError
Twice, Argument, DType = tf.DuplicateAxisError, tf.InvalidArgumentError, tf.UnsupportedDTypeError
Overflow, Index, Mismatch = tf.IntegerOverflowError, tf.IndexOutOfBoundsError, tf.DTypeMismatchError

A, B, V = tf.ones((2, 3)), tf.ones((4, 5)), tf.ones((3,))
Z = tf.ones((2,), dtype=tf.complex128)
N = tf.tensor([1, 2])
P = tf.tensor([True, False])
X = leaf([1.0, 2.0])
CTX = tf.default_runtime()
ELSEWHERE = tf.tensor([1.0, 2.0], runtime=tf.EagerRuntime())
KEY = tf.random.key(0)

ROWS = [
    (lambda: A + B, Shape, "add (2, 3) (4, 5)"),
    (lambda: A - B, Shape, "sub (2, 3) (4, 5)"),
    (lambda: A * B, Shape, "mul (2, 3) (4, 5)"),
    (lambda: A / B, Shape, "div (2, 3) (4, 5)"),
    (lambda: A**B, Shape, "pow (2, 3) (4, 5)"),
    (lambda: A % B, Shape, "(2, 3) (4, 5)"),
    (lambda: A // B, Shape, "(2, 3) (4, 5)"),
    (lambda: A < B, Shape, "(2, 3) (4, 5)"),
    (lambda: tf.maximum(A, B), Shape, "maximum (2, 3) (4, 5)"),
    (lambda: tf.minimum(A, B), Shape, "minimum (2, 3) (4, 5)"),
    (lambda: tf.compare(A, B, "lt"), Shape, "compare (2, 3) (4, 5)"),
    (lambda: tf.select(P, A, A), Shape, "select (2,) (2, 3)"),
    (lambda: A.clamp(B, 1.0), Shape, "clamp (2, 3) (4, 5)"),
    (lambda: A + ELSEWHERE, tf.ContextMismatchError, "add runtime detach_into"),
    (lambda: tf.maximum(X, ELSEWHERE), tf.ContextMismatchError, "maximum runtime"),
    (lambda: tf.concatenate([X, ELSEWHERE], 0), tf.ContextMismatchError, "concatenate runtime"),
    (lambda: X @ ELSEWHERE, tf.ContextMismatchError, "matmul runtime"),
    (lambda: X[ELSEWHERE > 0], tf.ContextMismatchError, "runtime"),
    (lambda: P + P, DType, "add bool"),
    (lambda: P - P, DType, "sub bool"),
    (lambda: P * P, DType, "mul bool"),
    (lambda: -P, DType, "neg bool"),
    (lambda: P.sign(), DType, "sign bool"),
    (lambda: tf.maximum(Z, Z), DType, "maximum complex128"),
    (lambda: tf.minimum(Z, 1.0), DType, "minimum complex128"),
    (lambda: Z < Z, DType, "complex128"),
    (lambda: tf.compare(Z, Z, "ge"), DType, "compare complex128"),
    (lambda: Z.max(), DType, "reduce_max complex128"),
    (lambda: Z.reduce_min(), DType, "reduce_min complex128"),
    (lambda: Z.clamp(0.0, 1.0), DType, "clamp complex128"),
    (lambda: X & X, (TypeError,), "float64"),
    (lambda: ~X, (TypeError,), "float64"),
    (lambda: X.convert(tf.float32), DType, "convert float64 float32"),
    (lambda: Z.convert(tf.float64), DType, "convert complex128 float64"),
    (lambda: X.convert("int64"), DType, "convert float64 int64"),
    (lambda: X.cast("float16"), DType, "cast float16"),
    (lambda: X.cast("nonsense"), (TypeError,), "nonsense"),
    (lambda: tf.tensor([np.nan]).cast(tf.int32), Argument, "cast value int32 nan|NaN"),
    (lambda: tf.tensor([1e20]).cast(tf.int64), Argument, "cast value int64 1e20|100000000000000000000"),
    (lambda: N / tf.zeros((3,)), Shape, "div (2,) (3,)"),
    (lambda: tf.div(N, tf.tensor([1, 0])), tf.DivisionByZeroError, "div zero"),
    (lambda: N // 0, tf.DivisionByZeroError, "zero"),
    (lambda: N % 0, tf.DivisionByZeroError, "zero"),
    (lambda: N**-1, tf.NumericalError, "pow y -1"),
    (lambda: tf.tensor(np.ones(1, np.int32)) * 2**40, Overflow, "int32 1099511627776"),
    (lambda: N + 2**70, Overflow, f"int64 {2**70}"),
    (lambda: tf.compare(X, X, "equals"), Argument, "compare dir equals"),
    (lambda: A.sum(2), Axis, "reduce_sum 2"),
    (lambda: A.sum(-3), Axis, "reduce_sum -3 2"),
    (lambda: A.reduce_prod([0, 5]), Axis, "reduce_prod 5 2"),
    (lambda: A.mean((0, 0)), Twice, "reduce_mean 0"),
    (lambda: A.max((1, -1)), Twice, "reduce_max 1"),
    (lambda: tf.zeros((0, 2)).max(0), Argument, "reduce_max axes|axis zero|empty 0"),
    (lambda: tf.zeros((0,)).min(), Argument, "reduce_min axes|axis 0"),
    (lambda: A.sum(axis=0, axes=0), Argument, "reduce_sum|sum axis axes"),
    (lambda: A.clamp(lower=0.0, min=0.0), Argument, "clamp lower min"),
    (lambda: A @ B, Shape, "matmul 3 4"),
    (lambda: V @ tf.ones((2,)), Shape, "matmul 3 2"),
    (lambda: tf.tensor(1.0) @ V, Rank, "matmul scalar|0"),
    (lambda: tf.ones((2, 3, 4)) @ tf.ones((3, 2, 5)), Shape, "matmul 4 5"),
    (lambda: tf.dot_general(A, B, lhs_contracting=[0], rhs_contracting=[0]), Shape, "dot_general 2 4"),
    (lambda: tf.dot_general(A, B, lhs_contracting=[0, 1], rhs_contracting=[0]), Argument, "dot_general 2 1"),
    (lambda: tf.dot_general(A, B, lhs_contracting=[7], rhs_contracting=[0]), Axis, "dot_general 7 2"),
    (lambda: tf.dot_general(A, A, lhs_contracting=[0, 0], rhs_contracting=[0, 1]), Twice, "dot_general 0"),
    (lambda: A.transpose([0]), Rank, "transpose 2 1"),
    (lambda: A.transpose([0, 0]), Twice, "transpose 0"),
    (lambda: A.transpose([0, 2]), Axis, "transpose 2"),
    (lambda: A.reshape((4,)), Shape, "reshape (2, 3) (4,)"),
    (lambda: A.reshape((-1, 4)), (Shape, Argument), "reshape shape 6 4"),
    (lambda: A.reshape((-1, -1)), Argument, "reshape shape -1"),
    (lambda: A.reshape((6,), order="K"), Argument, "reshape order K"),
    (lambda: A.reshape((2**40, 2**40)), (Overflow, Shape), "reshape"),
    (lambda: V.broadcast_in_dim((4, 2), [0]), Shape, "broadcast_in_dim (3,) (4, 2)"),
    (lambda: V.broadcast_in_dim((3, 2), [2]), Axis, "broadcast_in_dim 2"),
    (lambda: A.broadcast_in_dim((2, 3), [0, 0]), (Twice, Shape), "broadcast_in_dim 0"),
    (lambda: A.broadcast_in_dim((2, 3), [0]), (Rank, Argument), "broadcast_in_dim 2 1"),
    (lambda: A.reverse([2]), Axis, "reverse 2"),
    (lambda: A.reverse([0, 0]), Twice, "reverse 0"),
    (lambda: A.slice([0], [1]), Rank, "slice 2 1"),
    (lambda: A.slice([0, 0], [2, 4]), Argument, "slice 4 3"),
    (lambda: A.slice([0, 2], [2, 1]), Argument, "slice 2 1"),
    (lambda: A.slice([0, 0], [2, 3], [1, 0]), Argument, "slice 0"),
    (lambda: A.pad([1, 1, 1], [1, 1]), Rank, "pad 2 3"),
    (lambda: A.pad([-3, 0], [0, 0]), Argument, "pad low -1|-3"),
    (lambda: A.pad([0, 0], [0, 0], [-1, 0]), Argument, "pad interior -1"),
    (lambda: V.pad([0], [2**62]), (Overflow, tf.OutOfMemoryError), "pad"),
    (lambda: tf.concatenate([], 0), Argument, "concatenate inputs"),
    (lambda: tf.concatenate([A, B], 0), Shape, "concatenate (2, 3) (4, 5)"),
    (lambda: tf.concatenate([A, V], 0), (Rank, Shape), "concatenate"),
    (lambda: tf.concatenate([A, A], 2), Axis, "concatenate 2 2"),
    (lambda: tf.concatenate([tf.tensor(1.0)], 0), (Rank, Axis), "concatenate 0"),
    (lambda: tf.stack([], 0), Argument, "stack inputs"),
    (lambda: tf.stack([A, B], 0), Shape, "stack (2, 3) (4, 5)"),
    (lambda: tf.stack([A, A], 4), Axis, "stack 4"),
    (lambda: A[2], Index, "2"),
    (lambda: A[0, -4], Index, "-4 3"),
    (lambda: A[[0, 9]], Index, "9 2"),
    (lambda: A[0, 0, 0], (IndexError,), "3 2"),
    (lambda: A[..., ...], (IndexError,), "ellipsis"),
    (lambda: A[1.5], (IndexError, TypeError), "1.5|float"),
    (lambda: A["a"], (IndexError, TypeError), "str"),
    (lambda: A[np.array([True, False, True])], (IndexError,), "3 2"),
    (lambda: A[::0], (ValueError,), "step zero|0"),
    (lambda: A.at[5].set(1.0), Index, "5 2"),
    (lambda: A.at[0].set(np.ones(4)), Shape, "(4,) (3,)"),
    (lambda: A.take([9], axis=1), Index, "take 9 3"),
    (lambda: A.take([0], axis=5), Axis, "take 5 2"),
    (lambda: tf.tensor([[1.0], [1.0, 2.0]]), tf.ValidationError, "tensor"),
    (lambda: tf.tensor("text"), (TypeError,), "tensor str"),
    (lambda: tf.tensor(None), (TypeError,), "tensor None"),
    (lambda: tf.tensor(np.ones(2, np.float16)), DType, "tensor float16"),
    (lambda: tf.tensor(2**64), Overflow, f"tensor {2**64}"),
    (lambda: tf.tensor([1.0], dtype="int8"), DType, "int8"),
    (lambda: tf.tensor([1.0], runtime="cpu"), (TypeError,), "runtime str"),
    (lambda: tf.asarray(np.ones(2), copy=False), (ValueError,), "asarray copy"),
    (lambda: tf.Tensor.from_vec_col_major((2, 2), [1.0]), Shape, "from_vec_col_major 4 1"),
    (lambda: tf.Tensor.from_vec_col_major((-1,), [1.0]), tf.ValidationError, "from_vec_col_major shape -1"),
    (lambda: tf.zeros((2**40, 2**40)), Overflow, "zeros"),
    (lambda: tf.zeros((-1,)), tf.ValidationError, "zeros shape -1"),
    (lambda: tf.zeros((2**64, 2)), (Overflow,), "zeros"),
    (lambda: tf.zeros(("a",)), (TypeError,), "shape str"),
    (lambda: tf.zeros((1.5,)), (TypeError,), "shape float"),
    (lambda: tf.ones((2,), dtype=object), DType, "object"),
    (lambda: tf.arange(0, 1, 0), Argument, "arange step 0"),
    (lambda: tf.linspace(0.0, 1.0, -1), Argument, "linspace num -1"),
    (lambda: tf.eye(-1), tf.ValidationError, "eye -1"),
    (lambda: tf.random.normal(KEY, (2,), dtype=tf.int32), DType, "normal int32"),
    (lambda: tf.random.normal(3, (2,)), (TypeError,), "key int"),
    (lambda: tf.random.randint(KEY, (2,), 5, 5), Argument, "randint 5"),
    (lambda: X.backward(), tf.NonScalarGradError, "backward (2,)"),
    (lambda: tf.tensor(1.0).backward(), tf.RuntimeStateError, "backward track"),
    (lambda: X.backward_with(tf.ones((3,))), Shape, "backward (2,) (3,)"),
    (lambda: X.backward_with(N), Mismatch, "backward float64 int64"),
    (lambda: X.backward_with(ELSEWHERE), tf.ContextMismatchError, "backward runtime"),
    (lambda: CTX.grad(X * X, X), tf.NonScalarGradError, "grad (2,)"),
    (lambda: CTX.grad(X.sum(), leaf(1.0)), Argument, "grad wrt"),
    (lambda: CTX.vjp(X * X, X, tf.ones((3,))), Shape, "vjp (2,) (3,)"),
    (lambda: CTX.jvp(X * X, X, N), Mismatch, "jvp float64 int64"),
    (lambda: CTX.grad(X.sum(), "x"), (TypeError,), "wrt str"),
    (lambda: A.value().as_slice(tf.int32), Mismatch, "int32 float64"),
    (lambda: tf.transpose(A, [1, 0]).value().as_slice(), tf.NonContiguousError, "as_slice"),
    (lambda: A.item(), (ValueError,), "item (2, 3)|6"),
    (lambda: A.slice_builder().axis(4, range(1)).apply(), Axis, "4 2"),
    (lambda: A.slice_builder().axis(0, range(9)).apply(), Argument, "range 9 2"),
    (lambda: tf.CpuBackend(threads=0), Argument, "threads 0"),
    (lambda: tf.set_num_threads(-1), (ValueError, OverflowError), "set_num_threads"),
    (lambda: tf.set_memory_limit(-1), (ValueError, OverflowError), "set_memory_limit"),
    (lambda: tf.add(A), (TypeError,), "add argument"),
    (lambda: tf.add(A, A, A), (TypeError,), "add argument"),
    (lambda: tf.add("a", A), (TypeError,), "add str"),
    (lambda: tf.add(A, None), (TypeError,), "add None"),
    (lambda: tf.exp(object()), (TypeError,), "exp object"),
    (lambda: tf.exp(A, speed=3), (TypeError,), "exp speed"),
    (lambda: A.sum("rows"), (TypeError,), "axis|axes str"),
    (lambda: A.sum(1.0), (TypeError,), "axis|axes float"),
    (lambda: A.sum(V), (TypeError,), "axis|axes float64"),
    (lambda: A.sum([0.0, 1.0]), (TypeError,), "axis|axes float"),
    (lambda: A.sum(2**70), (IndexError, OverflowError), "axis|axes"),
    (lambda: A.reshape("six"), (TypeError,), "shape str"),
    (lambda: tf.concatenate([A, A], "rows"), (TypeError,), "axis str"),
    (lambda: tf.concatenate([A, object()], 0), (TypeError,), "concatenate object"),
    (lambda: tf.EagerTensor.from_tensor_in(A, CTX), (TypeError,), "EagerTensor"),
    (lambda: tf.EagerTensor.from_tensor_in(tf.Tensor.from_vec_col_major((), [1.0]), "cpu"), (TypeError,), "str"),
    (lambda: setattr(X, "grad", None), (AttributeError, TypeError), "clear_grad"),
    (lambda: A.__setitem__(0, 1.0), (TypeError,), ".at["),
    (lambda: tf.EagerTensor(), (TypeError,), "EagerTensor"),
    (lambda: A.shap, (AttributeError,), "shap"),
]

RUST = re.compile(
    r"::|\b[fiu](8|16|32|64)\b|\busize\b|\bVec<|\bArc\b|\bOption<|\bResult<|&\[|\bComplex<|\bc(64|128)\b|Some\(|Ok\(|Err\("
    r"|panicked|\.rs\b|0x[0-9a-f]{4,}"
)


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_wrong_call(row):
    call, classes, words = ROWS[row]
    with pytest.raises(classes) as caught:
        call()
    message = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    for word in re.findall(r"\([^)]*\)\S*|\S+", words):
        assert any(w in message for w in word.split("|")), f"{word!r} is missing in: {message}"
    assert not RUST.search(message), message
    if isinstance(caught.value, tf.ValidationError | DType):
        assert caught.value.op is None or caught.value.op in message


def test_there_are_many_rows():
    assert len(ROWS) >= 150


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_every_wrong_call_is_an_ordinary_exception(row):
    """Never a BaseException like a panic, and the library works after it."""
    with pytest.raises(Exception):  # noqa: B017
        ROWS[row][0]()
    assert (A + 1.0).numpy()[0, 0] == 2.0


def test_no_address_in_any_repr():
    with CTX.session() as s:
        things = [
            A,
            X,
            Z,
            N,
            A.to_tensor(),
            A.value(),
            A.tensor_read(),
            CTX,
            tf.float64,
            s,
            tf.CpuBackend(),
            A.slice_builder(),
            CTX.id,
        ]
    for thing in things:
        assert not re.search(r"0x[0-9a-f]{5,}", repr(thing)), repr(thing)
