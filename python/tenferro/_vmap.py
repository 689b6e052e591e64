"""Functions of one item, mapped over a batch."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from tenferro._containers import entries_of, flatten
from tenferro._tenferro import EagerTensor, GradientValue, Tensor, _mapped, asarray
from tenferro.errors import InvalidArgumentError, ShapeMismatchError

P = ParamSpec("P")
R = TypeVar("R")

AxesTree: TypeAlias = Any
"""An axis, `None`, or a container of them with the beginning of the arguments' structure."""


def vmap(f: Callable[P, R], in_axes: AxesTree = 0, out_axes: AxesTree = 0) -> Callable[P, R]:
    """The function that does for whole batches what `f` does for one item.

    `in_axes` says which axis of each argument runs over the items: an integer (negative ones count from the end),
    `None` for an argument that all items share, or one entry per positional argument, each again a container that
    matches the argument's. Keyword arguments are mapped over axis 0. `out_axes` says where that axis goes in the
    results; results that depend on no mapped argument are repeated. Arguments and results may be nested lists, tuples,
    dicts and dataclasses.

    `f` runs once, on one item, and what it does is repeated on all items at once: a product of matrices becomes a
    batched product. So `f` cannot read its values (``float(x)``, ``if x > 0``, ``x.numpy()``: `RuntimeStateError`);
    choices between values are made by `tf.where`. Random numbers of a key are the same for every item; map over
    random data instead.

    It composes with the other transforms and itself: ``vmap(grad(f), in_axes=(None, 0))`` gives one gradient per item.

    Functions with rules of their own keep them: `custom_vjp` and `custom_jvp` are mapped with their rules, a
    `custom_op` is called item by item.

    Raises `ShapeMismatchError` if batches have different sizes, `AxisOutOfBoundsError`, `InvalidArgumentError` if
    nothing is mapped.

    >>> import tenferro as tf
    >>> rows = tf.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vmap(lambda row, x: row @ x, in_axes=(0, None))(rows, tf.tensor([1.0, 10.0])).tolist()
    [21.0, 43.0]
    >>> tf.vmap(tf.grad(lambda row: (row**2).sum()))(rows).tolist()
    [[2.0, 4.0], [6.0, 8.0]]
    """

    @functools.wraps(f)
    def batched(*args: P.args, **kwargs: P.kwargs) -> R:
        axes = _argument_axes(in_axes, args) + [0] * len(flatten(kwargs)[0])
        leaves, structure = flatten((args, kwargs))
        places = [number for number, axis in enumerate(axes) if axis is not None]
        names = [structure.place(number) for number in places]
        tensors = [_tensor(leaves[number], name) for number, name in zip(places, names, strict=True)]
        if not tensors:
            raise InvalidArgumentError("argument 'in_axes': expected an axis for at least one argument", op="vmap")
        chosen = [axis for axis in axes if axis is not None]
        normal = [_axis(axis, t, name) for axis, t, name in zip(chosen, tensors, names, strict=True)]
        _check_sizes(tensors, normal, names)
        mapped = _mapped(tensors, normal)
        for number, item in zip(places, mapped.items, strict=True):
            leaves[number] = item
        item_args, item_kwargs = structure.build(iter(leaves))
        result = f(*item_args, **item_kwargs)
        outs, out_structure = flatten(result)
        spread = _spread(out_axes, result, "out_axes")
        repeated = mapped.repeat([asarray(out, runtime=tensors[0].runtime) for out in outs], spread)
        built: R = out_structure.build(iter(repeated))
        return built

    return batched


def _tensor(leaf: object, name: str) -> EagerTensor:
    if isinstance(leaf, EagerTensor):
        return leaf
    if isinstance(leaf, (np.ndarray, Tensor, GradientValue)):
        return asarray(leaf)
    kind = type(leaf).__name__
    message = f"argument {name}: expected a tensor or an array, got {kind}; its entry of in_axes should be None"
    raise InvalidArgumentError(message, op="vmap", argument="in_axes")


def _axis(axis: int, tensor: EagerTensor, name: str) -> int:
    place = axis + tensor.ndim if axis < 0 else axis
    if not 0 <= place < tensor.ndim:
        from tenferro.errors import AxisOutOfBoundsError

        message = f"argument {name}: axis {axis} is out of bounds for a tensor of rank {tensor.ndim}"
        raise AxisOutOfBoundsError(message, op="vmap", axis=axis, rank=tensor.ndim)
    return place


def _check_sizes(tensors: list[EagerTensor], axes: list[int], names: list[str]) -> None:
    sizes = [tensor.shape[axis] for tensor, axis in zip(tensors, axes, strict=True)]
    for size, tensor, axis, name in zip(sizes, tensors, axes, names, strict=True):
        if size != sizes[0]:
            message = (
                f"argument {name}: expected {sizes[0]} items, as along axis {axes[0]} of {names[0]} (shape "
                f"{tensors[0].shape}), got {size} along axis {axis} (shape {tensor.shape})"
            )
            raise ShapeMismatchError(message, op="vmap", lhs=tensors[0].shape, rhs=tensor.shape)


def _argument_axes(in_axes: AxesTree, args: tuple[Any, ...]) -> list[int | None]:
    if isinstance(in_axes, (list, tuple)) and len(in_axes) != len(args):
        message = f"argument 'in_axes': expected {len(args)} entries, one per argument, got {len(in_axes)}"
        raise InvalidArgumentError(message, op="vmap", argument="in_axes")
    return _spread(tuple(in_axes) if isinstance(in_axes, list) else in_axes, args, "in_axes")


def _spread(axes: AxesTree, tree: object, argument: str) -> list[Any]:
    """One axis per leaf of `tree`."""
    if (axes is None and argument == "in_axes") or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(flatten(tree)[0])
    own, other = entries_of(axes), entries_of(tree)
    if axes is None or own is None or other is None or own[0] != other[0]:
        message = f"argument '{argument}': expected integers in containers that match, got {axes!r} for {tree!r}"
        raise InvalidArgumentError(message, op="vmap", argument=argument)
    return [axis for inner, part in zip(own[1], other[1], strict=True) for axis in _spread(inner, part, argument)]
