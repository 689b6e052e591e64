"""Running the cases of an op and measuring how far the results are from PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenferro as tf
from oracles.adapter import OPS
from oracles.files import Case, Leaf, cases

FIRST_ORDER = ("value", "jvp", "vjp")

# Here |Im x| is about 1e6, and PyTorch's exp(x − logsumexp(x)) loses as many digits; in extended precision the
# derivatives agree with this library's to 1e-15.
REFERENCE_ERRORS = {"logsumexp  complex128 10": 1e-10, "logsumexp  complex128 13": 1e-10}


@dataclass
class Outcome:
    """The errors of one case, relative to the largest entry: of value, jvp and vjp, and of the hvp."""

    case: Case
    first_order: float = 0.0
    hvp: float | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def is_32_bit(self) -> bool:
        return self.case.dtype in ("float32", "complex64")

    @property
    def limit(self) -> float:
        """The largest error of value, jvp and vjp that is accepted."""
        if self.case.from_second_file:
            return REFERENCE_ERRORS.get(self.case.label, 1e-12)
        return 1e-3 if self.is_32_bit else 1e-10


def largest(x: NDArray[Any]) -> float:
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0))


def scale_of(case: Case, kind: str, want: NDArray[Any]) -> float:
    """The largest entry; for an hvp that is only the rounding of a gradient (the exact one is 0), the gradient's."""
    if kind == "hvp":
        gradient = max(largest(g) for g in case.vjp.values())
        return gradient if largest(want) <= 1e-14 * gradient else largest(want)
    return largest(want)


def difference(got: NDArray[Any], want: NDArray[Any], scale: float) -> float:
    """The largest difference relative to the scale, if there is one; infinite where only one is NaN or infinite."""
    finite = np.isfinite(want)
    same_elsewhere = np.array_equal(got[~finite], want[~finite], equal_nan=True)
    if not same_elsewhere or not np.isfinite(got[finite]).all():
        return float("inf")
    distance = np.abs(got[finite].astype(np.complex128) - want[finite]).max(initial=0.0)
    return float(distance / scale) if scale else float(distance)


def filled(arg: Any, tensors: dict[str, tf.EagerTensor]) -> Any:
    """A call's argument with the tensors in their places."""
    if isinstance(arg, Leaf):
        return tensors[arg.name]
    return [filled(item, tensors) for item in arg] if isinstance(arg, list) else arg


def supported(x: NDArray[Any]) -> NDArray[Any]:
    """uint8 occurs as the dtype of positions only."""
    return x.astype(np.int64) if x.dtype == np.uint8 else x


def or_zeros(result: tf.EagerTensor | None, like: tf.EagerTensor) -> tf.EagerTensor:
    """An input without a differentiable path has the derivative 0."""
    return tf.zeros_like(like) if result is None else result


def derivatives(case: Case, op: Callable[..., tf.EagerTensor]) -> list[tuple[str, tf.EagerTensor, NDArray[Any]]]:
    """What was computed beside what PyTorch found, under the names value, jvp, vjp and hvp."""
    ctx = tf.default_runtime()
    tensors = {k: tf.tensor(supported(x), requires_grad=k in case.wrt) for k, x in case.tensors.items()}
    leaves = [tensors[k] for k in case.wrt]
    direction = [tf.tensor(case.direction[k]) for k in case.wrt]
    value = op(*(filled(arg, tensors) for arg in case.args), **case.kwargs)
    results = [] if case.value is None else [("value", value, case.value)]
    tangent = or_zeros(ctx.jvp_optional(value, leaves, direction), value)
    results.append(("jvp", tangent, case.jvp))
    gradients = ctx.vjp_optional(value, leaves, tf.tensor(case.cotangent))
    gradients = [or_zeros(g, leaf) for g, leaf in zip(gradients, leaves, strict=True)]
    results += [("vjp", g, case.vjp[k]) for k, g in zip(case.wrt, gradients, strict=True)]
    if case.hvp is not None:
        for k, g in zip(case.wrt, gradients, strict=True):
            moved = ctx.jvp_optional(g, leaves, direction) if g.tracks_grad else None
            results.append(("hvp", or_zeros(moved, g), case.hvp[k]))
    return results


def compared(case: Case, op: Callable[..., tf.EagerTensor]) -> Outcome:
    outcome = Outcome(case)
    for kind, result, want in derivatives(case, op):
        got = result.numpy()
        if got.shape != want.shape or got.dtype != want.dtype:
            outcome.problems.append(f"{kind} is {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
            continue
        error = difference(got, want, scale_of(case, kind, want))
        if kind in FIRST_ORDER:
            outcome.first_order = max(outcome.first_order, error)
        else:
            outcome.hvp = max(outcome.hvp or 0.0, error)
        limit = outcome.limit if kind in FIRST_ORDER else 1e-8
        if not error <= limit:
            outcome.problems.append(f"{kind} is off by {error:.1e}")
    return outcome


@cache
def outcomes(folder: Path, name: str) -> list[Outcome]:
    """All cases of an op, run once."""
    found = []
    for case in cases(folder, name):
        try:
            found.append(compared(case, OPS[name]))
        except Exception as error:
            found.append(Outcome(case, problems=[f"{type(error).__name__}: {error}"]))
    return found
