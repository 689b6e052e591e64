"""Derivatives against finite differences."""

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from tenferro import _tenferro
from tenferro._containers import Structure, flatten
from tenferro._tenferro import EagerTensor
from tenferro._transforms import (
    COMPLEX,
    INEXACT,
    as_arguments,
    as_tensor,
    check_function,
    jvp,
    runtime_of,
    vjp,
)
from tenferro.errors import InvalidArgumentError

Tensors = list[EagerTensor]
Function = Callable[..., Any]
Mode = Literal["fwd"] | Literal["rev"]

# Step, relative and absolute tolerance, for double and single precision. The difference quotient has an error of
# h⁴·f⁽⁵⁾/30, and one of rounding: the unit roundoff of f divided by h.
DOUBLE = (1e-4, 1e-6, 1e-8)
SINGLE = (2e-2, 5e-3, 1e-4)


class Check:
    """How one call of `check_grads` measures, and what it says."""

    def __init__(self, modes: tuple[str, ...], settings: tuple[float, float, float]) -> None:
        self.modes = modes
        self.step, self.rtol, self.atol = settings
        self.rng = np.random.default_rng(0)

    def direction(self, like: EagerTensor) -> EagerTensor:
        """A random tensor of the same dtype and shape."""
        values: NDArray[Any] = self.rng.normal(size=like.shape)
        if like.dtype in COMPLEX:
            values = values + 1j * self.rng.normal(size=like.shape)
        return _tenferro.asarray(np.asarray(values, dtype=like.dtype), runtime=like.runtime)

    def quotients(self, f: Function, xs: Tensors, vs: Tensors) -> list[NDArray[Any]]:
        """The derivative of `f` along `vs`, to fourth order in the step: f(x ± h v) and f(x ± 2 h v)."""
        size = max([1.0, *(float(np.abs(x.numpy()).max()) for x in xs if x.size)])
        h = self.step * size

        def at(factor: float) -> list[NDArray[Any]]:
            moved = [x + v * (factor * h) for x, v in zip(xs, vs, strict=True)]
            return [out.numpy() for out in f(*moved)]

        with _tenferro.no_grad():
            near, far = zip(at(1.0), at(-1.0), strict=True), zip(at(2.0), at(-2.0), strict=True)
        return [
            (8.0 * (up - down) - (up2 - down2)) / (12.0 * h) for (up, down), (up2, down2) in zip(near, far, strict=True)
        ]

    def compare(self, what: str, got: NDArray[Any], expected: NDArray[Any], size: float) -> None:
        """Raises `AssertionError` where the two differ by more than the tolerance."""
        largest = float(np.abs(expected).max()) if expected.size else 0.0
        difference = float(np.abs(got - expected).max()) if expected.size else 0.0
        allowed = self.atol * (1.0 + size) + self.rtol * largest
        if not difference <= allowed:
            shown = f"{what}: expected {expected} (finite differences), got {got}"
            raise AssertionError(f"check_grads: {shown}; they differ by {difference:.3g}, {allowed:.3g} is allowed")

    def run(self, f: Function, xs: Tensors, order: int, done: tuple[str, ...]) -> None:
        """Checks the first derivative of `f`, and its derivatives to the remaining orders."""
        if order == 0:
            return
        vs = [self.direction(x) for x in xs]
        with _tenferro.no_grad():
            outs: Tensors = f(*xs)
        expected = self.quotients(f, xs, vs)
        sizes = [float(np.abs(out.numpy()).max()) if out.size else 0.0 for out in outs]
        cts = [self.direction(out) for out in outs]
        if "fwd" in self.modes:
            tangents: Tensors = jvp(f, xs, vs)[1]
            for k, (got, wanted) in enumerate(zip(tangents, expected, strict=True)):
                self.compare(f"{' of '.join(('jvp', *done))}, result {k}", got.numpy(), wanted, sizes[k])
            self.run(lambda *args: jvp(f, args, vs)[1], xs, order - 1, ("jvp", *done))
        if "rev" in self.modes:
            pulled = vjp(f, *xs)[1](cts)
            left = np.asarray(sum(inner(ct.numpy(), wanted) for ct, wanted in zip(cts, expected, strict=True)))
            right = np.asarray(sum(inner(ct.numpy(), v.numpy()) for ct, v in zip(pulled, vs, strict=True)))
            size = sum(size * float(np.abs(ct.numpy()).sum()) for size, ct in zip(sizes, cts, strict=True))
            self.compare(f"Re⟨{' of '.join(('vjp', *done))}, v⟩", right, left, size)
            self.run(lambda *args: list(vjp(f, *args)[1](cts)), xs, order - 1, ("vjp", *done))


def inner(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Re Σ conj(a)·b."""
    return float(np.real(np.vdot(a, b)))


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: SupportsIndex = 2,
    *,
    modes: Sequence[Mode] = ("fwd", "rev"),
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
) -> None:
    """Compares the derivatives of ``f(*args)`` with finite differences; raises `AssertionError` where they differ.

    Forward and reverse mode, along a random direction that is the same in each run, and derivatives of these up to
    `order`. Tensors, arrays and floats among the arguments are varied, integers and other things are not; arguments and
    result may be nested containers. `f` must be smooth around the arguments. ``modes=("rev",)`` is for functions
    without a forward rule.

    The difference quotient is of fourth order, with ``step`` 1e-4 times the largest argument (at least 1); a difference
    of ``atol·(1 + |f|) + rtol·|derivative|`` is allowed, with 1e-8 and 1e-6. In single precision: 2e-2, 1e-4 and 5e-3.

    >>> import tenferro as tf
    >>> tf.check_grads(lambda x: tf.exp(x) * x, (tf.tensor([0.5, 1.0]),))
    >>> wrong = tf.custom_jvp(tf.exp, lambda primals, tangents: (tf.exp(primals[0]), tangents[0]))
    >>> try:
    ...     tf.check_grads(wrong, (1.0,))
    ... except AssertionError as error:
    ...     print(str(error)[:27])
    check_grads: jvp, result 0:
    """
    check_function("check_grads", f)
    given = as_arguments("check_grads", "args", args)
    if operator.index(order) < 1:
        raise InvalidArgumentError(
            f"argument 'order': expected a positive integer, got {order}", op="check_grads", argument="order"
        )
    chosen = tuple(modes)
    if not chosen or not set(chosen) <= {"fwd", "rev"}:
        raise InvalidArgumentError(
            f"argument 'modes': expected some of 'fwd' and 'rev', got {chosen!r}", op="check_grads", argument="modes"
        )
    leaves, structure = flatten(given)
    at = [k for k, leaf in enumerate(leaves) if varies(leaf)]
    if not at:
        raise InvalidArgumentError(
            "argument 'args': expected a floating-point or complex tensor among them, got none",
            op="check_grads",
            argument="args",
        )
    runtime = runtime_of(leaves)
    xs = [as_tensor(leaves[k], "check_grads", "argument", runtime).detach() for k in at]
    with _tenferro.no_grad():
        outs = differentiable_results(f, leaves, structure, at, xs)
    single = any(tensor.dtype in (INEXACT[0], INEXACT[2]) for tensor in [*xs, *outs])
    defaults = SINGLE if single else DOUBLE
    wanted = (step, rtol, atol)
    settings = [default if one is None else float(one) for one, default in zip(wanted, defaults, strict=True)]
    check = Check(chosen, (settings[0], settings[1], settings[2]))
    check.run(
        lambda *tensors: differentiable_results(f, leaves, structure, at, list(tensors)), xs, operator.index(order), ()
    )


def varies(leaf: object) -> bool:
    """Whether an argument is a number or tensor with a derivative."""
    if isinstance(leaf, (float, complex)):
        return True
    dtype = getattr(leaf, "dtype", None)
    return dtype is not None and any(dtype == one for one in INEXACT)


def differentiable_results(
    f: Function, leaves: list[Any], structure: Structure, at: list[int], tensors: Tensors
) -> Tensors:
    """The differentiable results of `f` for other tensors in the arguments."""
    changed = list(leaves)
    for k, tensor in zip(at, tensors, strict=True):
        changed[k] = tensor
    found = flatten(f(*structure.build(iter(changed))))[0]
    runtime = runtime_of(tensors)
    outs = [as_tensor(leaf, "check_grads", "result of the function", runtime) for leaf in found]
    return [out for out in outs if out.dtype in INEXACT]
