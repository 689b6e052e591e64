"""Jacobians and Hessians, row by row or column by column."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, SupportsIndex

import numpy as np

from tenferro import _tenferro
from tenferro._tenferro import EagerTensor
from tenferro._transforms import COMPLEX, INEXACT, Record, argument_numbers, named_like, refuse_dtype
from tenferro.errors import InvalidArgumentError

P = ParamSpec("P")


def unit_vectors(like: EagerTensor) -> Iterator[EagerTensor]:
    """One tensor for each element: 1 there, 0 elsewhere. Leftmost axis fastest."""
    for position in range(like.size):
        hot = np.zeros(like.size, dtype=like.dtype)
        hot[position] = 1
        yield _tenferro.asarray(hot.reshape(like.shape, order="F"), runtime=like.runtime)


def joined(parts: list[EagerTensor], out: EagerTensor, leaf: EagerTensor, axis: int) -> EagerTensor:
    """Rows (axis 0) or columns (axis -1) as one tensor with the axes of `out`, then those of `leaf`."""
    shape = (*out.shape, *leaf.shape)
    if not parts:
        dtype = out.dtype if out.dtype in COMPLEX else leaf.dtype
        return _tenferro.zeros_like(_tenferro.broadcast_to(leaf.detach().sum(), shape), dtype=dtype)
    return _tenferro.stack(parts, axis=axis).reshape(shape)


def by_rows(record: Record, outs: list[EagerTensor], holomorphic: bool) -> list[list[EagerTensor]]:
    """One reverse sweep for each element of the results."""
    blocks = []
    for out in outs:
        rows = [record.pull_leaves([out], [hot]) for hot in unit_vectors(out)]
        # A reverse sweep gives the conjugates of the derivatives.
        columns = [[row[k].conj() if holomorphic else row[k] for row in rows] for k in range(len(record.leaves))]
        blocks.append([joined(parts, out, leaf, 0) for parts, leaf in zip(columns, record.leaves, strict=True)])
    return blocks


def by_columns(record: Record, outs: list[EagerTensor]) -> list[list[EagerTensor]]:
    """One forward sweep for each element of the arguments."""
    blocks: list[list[EagerTensor]] = [[] for _ in outs]
    for k, leaf in enumerate(record.leaves):
        others: list[Any] = [None] * len(record.leaves)
        columns = [record.push(outs, [*others[:k], hot, *others[k + 1 :]]) for hot in unit_vectors(leaf)]
        for j, out in enumerate(outs):
            blocks[j].append(joined([column[j] for column in columns], out, leaf, -1))
    return blocks


def check_dtypes(op: str, record: Record, outs: list[EagerTensor], holomorphic: bool) -> None:
    for out in outs:
        if out.dtype not in INEXACT:
            raise refuse_dtype(op, "result of the function", out.dtype)
    what = None
    if not holomorphic and any(leaf.dtype in COMPLEX for leaf in record.leaves):
        what = "True for complex arguments (the function must be holomorphic)"
    elif holomorphic and not all(tensor.dtype in COMPLEX for tensor in [*record.leaves, *outs]):
        what = "False unless all arguments and results are complex"
    if what:
        message = f"argument 'holomorphic': expected {what}, got {holomorphic}"
        raise InvalidArgumentError(message, op=op, argument="holomorphic")


def derivative(op: str, f: Callable[..., Any], argnums: Any, holomorphic: bool) -> Callable[..., Any]:
    """The function that computes a Jacobian."""

    def all_derivatives(*args: Any, **kwargs: Any) -> Any:
        numbers, single = argument_numbers(op, argnums, len(args))
        record = Record(op, f, args, kwargs, numbers)
        outs, structure = record.outputs()
        check_dtypes(op, record, outs, holomorphic)
        rows, columns = sum(out.size for out in outs), sum(leaf.size for leaf in record.leaves)
        # For a real argument and a complex result, a reverse sweep gives the real part only.
        mixed = not holomorphic and any(out.dtype in COMPLEX for out in outs)
        blocks = by_columns(record, outs) if rows > columns or mixed else by_rows(record, outs, holomorphic)
        built = [record.structure.build(iter(block)) for block in blocks]
        return structure.build(iter([block[0] if single else block for block in built]))

    return all_derivatives


def jacobian(
    f: Callable[P, Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, holomorphic: bool = False
) -> Callable[P, Any]:
    """All partial derivatives of `f`, as a function of the same arguments.

    For tensors, the result has the axes of ``f(x)``, then those of ``x``. For containers, it is built like the result
    of `f`, with something built like the argument in place of each tensor; for several ``argnums``, a tuple of these.
    Reverse mode if the results have no more elements than the arguments, else forward mode; `f` is called once.

    With ``holomorphic=True`` arguments and results must be complex, and the entries are complex derivatives ∂f/∂z; `f`
    must be holomorphic, which is not checked. Raises `InvalidArgumentError` for complex arguments without it,
    `DTypeMismatchError` for integers among arguments and results.

    >>> import tenferro as tf
    >>> tf.jacobian(lambda x: x * x)(tf.tensor([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    return named_like("jacobian", f, derivative("jacobian", f, argnums, holomorphic))


def hessian(
    f: Callable[P, Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, holomorphic: bool = False
) -> Callable[P, Any]:
    """All second derivatives of `f`, as a function of the same arguments: the Jacobian of its Jacobian.

    The result has the axes of ``f(x)`` (none for a scalar function), then twice those of ``x``; containers as in
    `jacobian`.

    >>> import tenferro as tf
    >>> tf.hessian(lambda x: x[0] ** 2 * x[1])(tf.tensor([3.0, 1.0])).tolist()
    [[2.0, 6.0], [6.0, 0.0]]
    """
    inner = derivative("hessian", f, argnums, holomorphic)
    return named_like("hessian", f, derivative("hessian", inner, argnums, holomorphic))
