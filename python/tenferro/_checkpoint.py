"""Memory for time: a function whose record is made anew when a derivative needs it."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tenferro import _tenferro
from tenferro._containers import flatten
from tenferro._tenferro import EagerTensor
from tenferro._transforms import INEXACT, named_like
from tenferro.errors import InvalidArgumentError

P = ParamSpec("P")
T = TypeVar("T")


class Segment:
    """One call of a checkpointed function."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.f = f
        self.leaves, self.structure = flatten((args, kwargs))
        self.at = [k for k, leaf in enumerate(self.leaves) if isinstance(leaf, EagerTensor) and leaf.dtype in INEXACT]
        self.tensors: list[EagerTensor] = [self.leaves[k] for k in self.at]
        self.places: list[Any] = []
        self.results = 0

    def run(self, inner: list[EagerTensor]) -> Any:
        """The function's result for other tensors in the arguments."""
        leaves = list(self.leaves)
        for k, tensor in zip(self.at, inner, strict=True):
            leaves[k] = tensor
        args, kwargs = self.structure.build(iter(leaves))
        return self.f(*args, **kwargs)

    def forward(self) -> Any:
        """The result, without what was recorded. Inside `vmap` with it: the record is what is repeated."""
        if _tenferro._of_items(self.tensors):
            return self.run(self.tensors)
        start = _tenferro._mark()
        inner = _tenferro._inner(self.tensors)
        leaves, structure = flatten(self.run(inner))
        if _tenferro._of_items([leaf for leaf in leaves if isinstance(leaf, EagerTensor)]):
            return self.run(self.tensors)
        at = [k for k, leaf in enumerate(leaves) if isinstance(leaf, EagerTensor) and leaf.tracks_grad]
        outs = [leaves[k] for k in at]
        self.results = len(outs)
        # What the function closes over is an input, too; it shows in the record that is thrown away here.
        self.places = _tenferro._closed_over(outs, inner, start)
        ins = [*self.tensors, *self.places]
        found = _tenferro._call(self.name, outs, ins, [False] * len(outs), self.pull, self.push, None)
        for k, out in zip(at, found, strict=True):
            leaves[k] = out
        return structure.build(iter(leaves))

    @property
    def name(self) -> str:
        return str(getattr(self.f, "__name__", "checkpoint"))

    def again(self) -> tuple[list[EagerTensor], list[Any]]:
        """The results with their record, and the points of the inputs in it."""
        inner = _tenferro._inner(self.tensors)
        with _tenferro._recording():
            leaves, _ = flatten(self.run(inner))
        outs = [leaf for leaf in leaves if isinstance(leaf, EagerTensor) and leaf.tracks_grad]
        if len(outs) != self.results:
            message = f"expected {self.results} differentiable results, as in the first call, got {len(outs)}"
            raise InvalidArgumentError(
                f"argument 'f': {message}; it must be a pure function", op="checkpoint", argument="f"
            )
        return outs, [*inner, *self.places]

    def pull(self, _: list[EagerTensor], cotangents: list[EagerTensor | None]) -> list[EagerTensor | None]:
        outs, points = self.again()
        return _tenferro._pull(outs, cotangents, points)

    def push(self, _: list[EagerTensor], tangents: list[EagerTensor | None]) -> list[EagerTensor | None]:
        outs, points = self.again()
        return _tenferro._push(outs, points, tangents)


def checkpoint(f: Callable[P, T]) -> Callable[P, T]:
    """`f`, whose intermediate values are not kept for the backward pass: it runs again when a derivative is taken.

    Only the arguments and results of each call are kept. Arguments and results may be nested containers; tensors that
    `f` closes over get their gradients, too. `f` must be pure: it computes the same again. Derivatives of any order.
    Inside `vmap` it is `f` itself; ``checkpoint(vmap(f))`` saves memory.

    >>> import tenferro as tf
    >>> step = tf.checkpoint(lambda x: tf.sin(tf.exp(x)))
    >>> tf.grad(lambda x: step(step(x)))(0.0).item() == tf.grad(lambda x: tf.sin(tf.exp(tf.sin(tf.exp(x)))))(0.0).item()
    True
    """

    def checkpointed(*args: P.args, **kwargs: P.kwargs) -> T:
        result: T = Segment(f, args, kwargs).forward()
        return result

    return named_like("checkpoint", f, checkpointed)
