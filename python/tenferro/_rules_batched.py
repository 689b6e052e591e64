"""What `vmap` repeats of a function with derivative rules of its own: the function and its rules, mapped themselves.

The functions here are of flat lists of tensors. A mapped call gets its batches with the items along the last axis,
`None` for inputs that all items share, and returns its results with the items along the last axis.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tenferro import _tenferro
from tenferro._calls import Inputs, Parts, Residuals, Results
from tenferro._containers import leaves_as
from tenferro._tenferro import EagerTensor
from tenferro._vmap import vmap
from tenferro.errors import InvalidArgumentError


def last_axes(tensors: Sequence[Any]) -> list[int | None]:
    return [None if tensor is None else -1 for tensor in tensors]


def present(parts: Sequence[Any]) -> list[Any]:
    return [part for part in parts if part is not None]


def filled(pattern: Sequence[bool], parts: Sequence[Any]) -> list[Any]:
    """`parts` where the pattern says so, `None` elsewhere."""
    rest = iter(parts)
    return [next(rest) if wanted else None for wanted in pattern]


class Mapped:
    """One call, mapped over items: its shared inputs, and which of its inputs are batches."""

    def __init__(self, inputs: Inputs, results: Results, kwargs: dict[str, Any], batches: Parts) -> None:
        self.inputs, self.results, self.kwargs = inputs, results, kwargs
        self.axes = last_axes(batches)
        self.values = [mine if batch is None else batch for mine, batch in zip(inputs.operands, batches, strict=True)]

    def arguments(self, tensors: Sequence[EagerTensor]) -> tuple[Any, ...]:
        """The arguments of the user's function with these tensors."""
        return self.inputs.built(list(tensors))

    def over_items(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the inputs, mapped."""
        mapped = vmap(f, in_axes=tuple(self.axes), out_axes=-1)
        mapped.__name__ = self.inputs.op
        return mapped

    def flat_results(self, out: Any) -> list[Any]:
        return leaves_as(self.results.structure, out, self.inputs.op, "result")

    def function(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return self.over_items(lambda *tensors: self.flat_results(f(*self.arguments(tensors), **self.kwargs)))


class MappedVjp(Mapped):
    """A function with a reverse rule."""

    def forward(self, fwd: Callable[..., Any]) -> Callable[..., Any]:
        """Results, and those residuals that are tensors; of the others, and of results among them, only the place."""

        def of_items(*tensors: EagerTensor) -> Any:
            out, given = fwd(*self.arguments(tensors), **self.kwargs)
            results = self.flat_results(out)
            self.residuals = Residuals(given, results)
            return results, self.residuals.tensors(given)

        mapped = self.over_items(of_items)

        def forward(*tensors: EagerTensor) -> Any:
            results, residuals = mapped(*tensors)
            return results, (residuals, [results[k] for k in self.residuals.of_result.values()])

        return forward

    def backward(self, bwd: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def backward(residuals: Any, cotangents: list[Any]) -> tuple[Any, ...]:
            found: list[bool] = []

            def of_items(residuals: Any, cotangents: Any) -> Any:
                given = bwd(self.residuals.built(*residuals), self.results.structure.build(iter(cotangents)))
                parts = self.inputs.cotangents(given)
                found[:] = [part is not None for part in parts]
                return present(parts)

            axes = ((last_axes(residuals[0]), last_axes(residuals[1])), last_axes(cotangents))
            parts = vmap(of_items, in_axes=axes, out_axes=-1)(residuals, cotangents)
            parts = [*filled(found, parts), *([None] * len(self.inputs.integers))]
            return tuple(
                part.sum(axis=-1) if axis is None and part is not None else part
                for axis, part in zip(self.axes, parts, strict=True)
            )

        return backward


class MappedJvp(Mapped):
    """A function with a forward rule."""

    def tangent(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
            found: list[bool] = []

            def of_items(primals: Any, tangents: Any) -> Any:
                directions = tangents[: len(self.inputs.tensors)]
                out, given = jvp(self.arguments(primals), self.inputs.tangents(directions), **self.kwargs)
                parts = self.results.tangents(given)
                found[:] = [part is not None for part in parts]
                return self.flat_results(out), present(parts)

            moving = [None if tangent is None else axis for axis, tangent in zip(self.axes, tangents, strict=True)]
            axes = (tuple(self.axes), tuple(moving))
            out, parts = vmap(of_items, in_axes=axes, out_axes=-1)(primals, tangents)
            return out, filled(found, parts)

        return rule


def item_by_item(inputs: Inputs, results: Results, call: Callable[..., Any], batches: Parts, size: int) -> Any:
    """A call per item, for functions that read their values."""
    if size == 0:
        return [out[..., None][..., :0] for out in results.tensors]
    own, rows = inputs.operands, []
    for k in range(size):
        items = [mine if batch is None else batch[..., k] for mine, batch in zip(own, batches, strict=True)]
        out = leaves_as(results.structure, call(*inputs.built(items)), inputs.op, "result")
        if any(leaf.shape != first.shape for leaf, first in zip(out, results.tensors, strict=True)):
            message = "argument 'f': expected results of the same shapes for every item of a batch"
            raise InvalidArgumentError(message, op=inputs.op, argument="f")
        rows.append(out)
    return [_tenferro.stack(list(column), axis=-1) for column in zip(*rows, strict=True)]
