"""One call of a function with derivative rules of its own: what goes in and out, as flat lists of tensors."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from tenferro import _tenferro
from tenferro._containers import Tree, flatten, leaves_as
from tenferro._tenferro import EagerRuntime, EagerTensor
from tenferro._transforms import INEXACT, as_tensor, runtime_of, zeros

Tensors: TypeAlias = list[EagerTensor]
Parts: TypeAlias = list[EagerTensor | None]


class Inputs:
    """The arguments of one call, and which of their leaves are differentiable tensors."""

    def __init__(self, op: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.op = op
        self.kwargs = kwargs
        self.leaves, self.structure = flatten(args)
        self.at = [k for k, leaf in enumerate(self.leaves) if isinstance(leaf, EagerTensor) and leaf.dtype in INEXACT]
        self.tensors: Tensors = [self.leaves[k] for k in self.at]
        # Inside `vmap` an integer is another one for every item: an input without derivative.
        self.integers_at = [
            k
            for k, leaf in enumerate(self.leaves)
            if isinstance(leaf, EagerTensor) and leaf.dtype not in INEXACT and _tenferro._of_items([leaf])
        ]
        self.integers: Tensors = [self.leaves[k] for k in self.integers_at]
        self.of_items = bool(self.integers) or _tenferro._of_items(self.tensors)
        self.runtime = runtime_of(self.leaves)

    def forget(self) -> None:
        """Keeps dtypes and shapes alone, for rules that do not read the arguments."""
        self.tensors = [blank(tensor) for tensor in self.tensors]
        self.leaves = [None] * len(self.leaves)

    @property
    def operands(self) -> Tensors:
        """The inputs of the call: the differentiable tensors, and behind them the integers."""
        return [*self.tensors, *self.integers]

    def built(self, tensors: Tensors) -> tuple[Any, ...]:
        """The arguments with these tensors, and integers after them where these change, too."""
        leaves = list(self.leaves)
        for k, tensor in zip([*self.at, *self.integers_at], tensors, strict=False):
            leaves[k] = tensor
        args: tuple[Any, ...] = self.structure.build(iter(leaves))
        return args

    def tangents(self, parts: Parts) -> tuple[Any, ...]:
        """Built like the arguments: zeros for missing tangents, `None` for what has none."""
        leaves: list[Any] = [None] * len(self.leaves)
        for k, tensor, part in zip(self.at, self.tensors, parts, strict=True):
            leaves[k] = zeros(tensor) if part is None else part
        built: tuple[Any, ...] = self.structure.build(iter(leaves))
        return built

    def cotangents(self, given: Any) -> Parts:
        """One for each tensor, from what a rule returned: a tuple with an entry for each argument, or the entry."""
        children = self.structure.children
        if len(children) == 1:
            kind = children[0].kind
            if not isinstance(given, tuple) or (len(given) != 1 and kind is not None and issubclass(kind, tuple)):
                given = (given,)
        if not isinstance(given, (tuple, list)):
            expected = f"a tuple of {len(children)} cotangents, one for each argument"
            raise TypeError(f"{self.op}: rule for vjp: expected {expected}, got {type(given).__name__}")
        leaves = leaves_as(self.structure, tuple(given), self.op, "cotangents")
        return [as_part(leaves[k], x, self.op) for k, x in zip(self.at, self.tensors, strict=True)]


class Results:
    """What the function returned."""

    def __init__(self, op: str, out: Any, runtime: EagerRuntime | None) -> None:
        self.op = op
        leaves, self.structure = flatten(out)
        self.tensors = [as_tensor(leaf, op, "result of the function", runtime) for leaf in leaves]

    def forget(self) -> None:
        """Keeps dtypes and shapes alone: a rule that held the results' places in the record would never be freed."""
        self.tensors = [blank(tensor) for tensor in self.tensors]

    def cotangents(self, parts: Parts) -> Tree:
        """Built like the result, with zeros for missing ones; `None` for results that are not differentiable."""
        found = [
            (zeros(out) if part is None else part) if out.dtype in INEXACT else None
            for out, part in zip(self.tensors, parts, strict=True)
        ]
        return self.structure.build(iter(found))

    def tangents(self, given: Any) -> Parts:
        """One for each result, from what a rule returned."""
        leaves = leaves_as(self.structure, given, self.op, "tangents")
        return [
            as_part(leaf, out, self.op) if out.dtype in INEXACT else None
            for leaf, out in zip(leaves, self.tensors, strict=True)
        ]


class Residuals:
    """What a reverse rule keeps of a forward pass: tensors, results of the function, and other things as they are.

    Of tensors and results it knows the places only: a rule that held results would never be freed.
    """

    def __init__(self, given: Any, results: Sequence[Any]) -> None:
        leaves, self.structure = flatten(given)
        number = {id(result): k for k, result in enumerate(results) if isinstance(result, EagerTensor)}
        self.of_result = {at: number[id(leaf)] for at, leaf in enumerate(leaves) if id(leaf) in number}
        tensors = [at for at, leaf in enumerate(leaves) if isinstance(leaf, EagerTensor)]
        self.of_tensor = [at for at in tensors if at not in self.of_result]
        self.leaves = [None if isinstance(leaf, EagerTensor) else leaf for leaf in leaves]

    def tensors(self, given: Any) -> Tensors:
        """Those that are no results."""
        leaves = flatten(given)[0]
        return [leaves[at] for at in self.of_tensor]

    def built(self, tensors: Tensors, results: Tensors) -> Any:
        """As they were given, with a tensor for each place of a tensor, and a result for each of a result."""
        leaves = list(self.leaves)
        for at, tensor in zip([*self.of_tensor, *self.of_result], [*tensors, *results], strict=True):
            leaves[at] = tensor
        return self.structure.build(iter(leaves))


def as_part(part: Any, like: EagerTensor, op: str) -> EagerTensor | None:
    """A cotangent or tangent; Python numbers take the dtype of what it belongs to."""
    if part is None or isinstance(part, EagerTensor):
        return part
    if type(part) in (int, float, complex):
        return _tenferro.asarray(part, dtype=like.dtype, runtime=like.runtime)
    return as_tensor(part, op, "result of the rule", like.runtime)


def blank(like: EagerTensor) -> EagerTensor:
    """Zeros of a tensor's dtype and shape that take the memory of one element."""
    return _tenferro.broadcast_to(_tenferro.asarray(0, dtype=like.dtype, runtime=like.runtime), like.shape)
