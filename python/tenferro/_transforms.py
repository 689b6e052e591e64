"""Functional transforms: derivatives of functions of tensors and of nested containers of tensors.

A transform calls the function with leaves of its own in place of the arguments, and sweeps over what the function
recorded. Seen from an enclosing transform, such a leaf is still the outer value, so transforms nest to any order.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, SupportsIndex, TypeVar, overload

import numpy as np

from tenferro import _tenferro
from tenferro._containers import LEAF, Structure, Tree, first_tensor, flatten, leaves_as, transform
from tenferro._tenferro import DType, EagerRuntime, EagerTensor, GradientValue, Tensor
from tenferro.errors import DTypeMismatchError, InvalidArgumentError, NonScalarGradError

P = ParamSpec("P")
T = TypeVar("T")

INEXACT = tuple(DType(name) for name in ("float32", "float64", "complex64", "complex128"))
COMPLEX = INEXACT[2:]


def runtime_of(tree: Tree) -> EagerRuntime | None:
    """The runtime of the first tensor, if there is one."""
    found = first_tensor(tree)
    return None if found is None else found.runtime


def named_like(op: str, f: Callable[..., Any], made: Callable[..., Any]) -> Callable[..., Any]:
    """`made` with the name and documentation of `f`."""
    check_function(op, f)
    return functools.update_wrapper(made, f)


def check_function(op: str, f: Any) -> None:
    """Raises `TypeError` unless `f` can be called."""
    if isinstance(f, EagerTensor):
        advice = f"; of a tensor: loss.runtime.{op}(loss, x)" if op in ("grad", "vjp", "jvp") else ""
        raise TypeError(f"{op}: expected a function, got an EagerTensor{advice}")
    if not callable(f):
        raise TypeError(f"{op}: expected a function, got {type(f).__name__}")


def refuse_dtype(op: str, what: str, dtype: object) -> DTypeMismatchError:
    """The error for something that cannot be differentiated."""
    message = f"{what}: expected a floating-point or complex dtype, got {dtype}"
    return DTypeMismatchError(message, op=op, expected=INEXACT[1], actual=dtype if isinstance(dtype, DType) else None)


def as_tensor(leaf: Any, op: str, what: str, runtime: EagerRuntime | None) -> EagerTensor:
    """A number, an array or a tensor as an `EagerTensor`; anything else is a `TypeError`."""
    if isinstance(leaf, EagerTensor):
        return leaf
    if isinstance(leaf, (bool, int, float, complex, Tensor, GradientValue, np.generic, np.ndarray)) or (
        hasattr(leaf, "__array__") or hasattr(leaf, "__dlpack__")
    ):
        return _tenferro.asarray(leaf, runtime=runtime)
    raise TypeError(f"{op}: {what}: expected a tensor, an array or a number, got {type(leaf).__name__}")


def differentiable(leaf: Any, op: str, what: Callable[[], str], runtime: EagerRuntime | None) -> EagerTensor:
    """A leaf with respect to which a derivative is taken."""
    if type(leaf) in (bool, int):
        raise refuse_dtype(op, what(), f"the {type(leaf).__name__} {leaf!r}")
    tensor = leaf if type(leaf) is EagerTensor else as_tensor(leaf, op, what(), runtime)
    if tensor.dtype not in INEXACT:
        raise refuse_dtype(op, what(), tensor.dtype)
    return tensor


class Record:
    """A function's call on leaves of its own: what a transform sweeps over."""

    def __init__(
        self, op: str, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], numbers: Sequence[int]
    ) -> None:
        self.op = op
        found, self.structure = flatten(tuple(args[number] for number in numbers))
        plain = all(type(leaf) is EagerTensor for leaf in found)
        runtime = None if plain else runtime_of([found, args, kwargs])
        primals = [
            differentiable(leaf, op, functools.partial(self.place, k, numbers), runtime) for k, leaf in enumerate(found)
        ]
        self.leaves: list[EagerTensor] = _tenferro._inner(primals)
        values = list(args)
        for number, value in zip(numbers, self.structure.build(iter(self.leaves)), strict=True):
            values[number] = value
        with _tenferro._recording():
            self.out = function(*values, **kwargs)

    def place(self, leaf: int, numbers: Sequence[int]) -> str:
        """How messages call a leaf: the number of the argument, and where it is in there."""
        inside = 0
        for number, child in zip(numbers, self.structure.children, strict=True):
            if leaf < inside + child.count():
                return f"argument {number}{child.place(leaf - inside)}"
            inside += child.count()
        return "argument"

    def outer(self, tree: Tree) -> Tree:
        """What the function returned, without the record that begins with this one's leaves."""
        if tree is None:
            return None
        leaves, structure = flatten(tree)
        at = [k for k, leaf in enumerate(leaves) if isinstance(leaf, EagerTensor) and leaf.tracks_grad]
        if not at:
            return tree
        for k, tensor in zip(at, _tenferro._outer([leaves[k] for k in at], self.leaves), strict=True):
            leaves[k] = tensor
        return structure.build(iter(leaves))

    def outputs(self) -> tuple[list[EagerTensor], Structure]:
        """The function's results as tensors."""
        leaves, structure = flatten(self.out)
        return [self.result(leaf) for leaf in leaves], structure

    def result(self, leaf: Any) -> EagerTensor:
        """A result of the function; a number or an array becomes a tensor of the arguments' runtime."""
        if type(leaf) is EagerTensor:
            return leaf
        return as_tensor(leaf, self.op, "result of the function", runtime_of(self.leaves))

    def scalar(self, tree: Tree) -> EagerTensor:
        """The function's result, which must be one differentiable scalar."""
        if flatten(tree)[1] is not LEAF:
            advice = "return one scalar, and everything else as a second result with has_aux=True"
            raise TypeError(f"{self.op}: expected a scalar from the function, got {type(tree).__name__}; {advice}")
        out = self.result(tree)
        if out.ndim != 0:
            message = f"expected a scalar (rank 0) from the function, got shape {out.shape}; reduce it first"
            raise NonScalarGradError(message, op=self.op, shape=out.shape)
        if out.dtype not in INEXACT and isinstance(tree, EagerTensor):
            raise refuse_dtype(self.op, "result of the function", out.dtype)
        return out

    def pull(self, outs: list[EagerTensor], cotangents: list[Any]) -> Tree:
        """Cotangents of the arguments; zeros where nothing depends on one."""
        return self.structure.build(iter(self.pull_leaves(outs, cotangents)))

    def pull_leaves(self, outs: list[EagerTensor], cotangents: list[Any]) -> list[EagerTensor]:
        """The same, one for each leaf of the arguments."""
        found = _tenferro._pull(outs, cotangents, self.leaves)
        return [zeros(leaf) if ct is None else ct for ct, leaf in zip(found, self.leaves, strict=True)]

    def push(self, outs: list[EagerTensor], tangents: list[Any]) -> list[EagerTensor]:
        """Tangents of results; zeros where one depends on nothing."""
        found = _tenferro._push(outs, self.leaves, tangents)
        return [zeros(out) if t is None else t for t, out in zip(found, outs, strict=True)]


def zeros(like: EagerTensor) -> EagerTensor:
    """Zeros of a tensor's dtype and shape, in its runtime."""
    return _tenferro.zeros_like(like.detach())


def ones(like: EagerTensor) -> EagerTensor:
    """Ones of a tensor's dtype and shape, in its runtime."""
    return _tenferro.full_like(like.detach(), 1)


def argument_numbers(op: str, argnums: SupportsIndex | Sequence[SupportsIndex], given: int) -> tuple[list[int], bool]:
    """Positions among `given` arguments, and whether there was one alone."""
    single = not isinstance(argnums, (list, tuple, range))
    wanted: list[Any] = [argnums] if single else list(argnums)  # type: ignore[arg-type]
    numbers = []
    for one in wanted:
        if isinstance(one, bool):
            raise TypeError(f"{op}: argument 'argnums': expected integers, got a bool")
        number = operator.index(one)
        if not -given <= number < given:
            message = f"argument 'argnums': expected a position among {given} arguments, got {number}"
            raise InvalidArgumentError(message, op=op, argument="argnums")
        numbers.append(number % given)
    if len(set(numbers)) != len(numbers):
        message = f"argument 'argnums': expected distinct positions, got {tuple(wanted)}"
        raise InvalidArgumentError(message, op=op, argument="argnums")
    return numbers, single


def scalar_gradient(
    op: str, f: Callable[..., Any], argnums: Any, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Value, auxiliary result and gradient."""
    numbers, single = argument_numbers(op, argnums, len(args))
    record = Record(op, f, args, kwargs, numbers)
    result, aux = record.out, None
    if has_aux:
        if not (isinstance(result, tuple) and len(result) == 2):
            raise TypeError(f"{op}: has_aux=True: expected a pair (value, aux), got {type(result).__name__}")
        result, aux = result
    out = record.scalar(result)
    gradient = record.pull([out], [None if out.dtype not in INEXACT else ones(out)])
    return record.outer(out), record.outer(aux), gradient[0] if single else gradient


@overload
def grad(
    f: Callable[P, Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: Literal[False] = False
) -> Callable[P, Any]: ...
@overload
def grad(
    f: Callable[P, tuple[Any, T]], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: Literal[True]
) -> Callable[P, tuple[Any, T]]: ...
def grad(
    f: Callable[..., Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """The gradient of a scalar function, as a function of the same arguments.

    ``argnums`` says with respect to which positional arguments; of several, a tuple of gradients comes back. An
    argument may be a tensor, a Python float or complex, a NumPy array, or lists, tuples, dicts and dataclasses of
    these; its gradient is built alike. Other arguments, and keyword arguments, reach `f` unchanged. With
    ``has_aux=True``, `f` returns a pair (value, aux), and the result is (gradient, aux).

    For a complex argument z the gradient is ∂/∂Re z + i ∂/∂Im z of the real part of `f`. It is zero where `f` does not
    depend on an argument. No ``grad`` slot is touched. Results can be differentiated again.

    Raises `NonScalarGradError` unless `f` returns a scalar, `DTypeMismatchError` for integers among the arguments,
    `InvalidArgumentError` for positions that do not exist.

    >>> import tenferro as tf
    >>> tf.grad(lambda x: x**3)(2.0).item()
    12.0
    >>> tf.grad(tf.grad(lambda x: x**3))(2.0).item()
    12.0
    >>> g = tf.grad(lambda p, x: (p["w"] * x + p["b"]).sum())({"w": 2.0, "b": 1.0}, tf.tensor([1.0, 2.0]))
    >>> g["w"].item(), g["b"].item()
    (3.0, 2.0)
    """

    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, aux, found = scalar_gradient("grad", f, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return named_like("grad", f, gradient)


@overload
def value_and_grad(
    f: Callable[P, Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: Literal[False] = False
) -> Callable[P, tuple[EagerTensor, Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, tuple[Any, T]], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: Literal[True]
) -> Callable[P, tuple[tuple[EagerTensor, T], Any]]: ...
def value_and_grad(
    f: Callable[..., Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """As `grad`, but the new function returns (value, gradient), or ((value, aux), gradient) with ``has_aux=True``.

    >>> import tenferro as tf
    >>> value, gradient = tf.value_and_grad(lambda x: (x * x).sum())(tf.tensor([1.0, 2.0]))
    >>> value.item(), gradient.tolist()
    (5.0, [2.0, 4.0])
    """

    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, aux, found = scalar_gradient("value_and_grad", f, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), found

    return named_like("value_and_grad", f, value_and_gradient)


def vjp(f: Callable[..., T], *primals: Any) -> tuple[T, Callable[[Any], tuple[Any, ...]]]:
    """``f(*primals)``, and the function that pulls a cotangent of it back: ct ↦ Jᴴ·ct.

    The pullback takes something built like the result (``None`` for a zero) and returns a tuple with one cotangent for
    each of `primals`, built like it. It can be called any number of times. Complex: the adjoint for the inner product
    Re Σ conj(a)·b.

    Raises `DTypeMismatchError` for integers among the arguments, `InvalidArgumentError`, `DTypeMismatchError` or
    `ShapeMismatchError` from the pullback for a cotangent that does not fit.

    >>> import tenferro as tf
    >>> out, pullback = tf.vjp(lambda x, y: x * y, tf.tensor([1.0, 2.0]), tf.tensor([3.0, 4.0]))
    >>> [g.tolist() for g in pullback(tf.tensor([1.0, 10.0]))]
    [[3.0, 40.0], [1.0, 20.0]]
    """
    check_function("vjp", f)
    record = Record("vjp", f, primals, {}, range(len(primals)))
    outs, structure = record.outputs()

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = record.pull(outs, leaves_as(structure, cotangent, "vjp", "cotangent"))
        return found

    return structure.build(iter(record.outer(outs))), pullback


def jvp(f: Callable[..., T], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[T, T]:
    """``f(*primals)``, and its derivative J·t when the arguments move along `tangents`.

    `tangents` is built like `primals`, a list or tuple of the arguments; ``None`` stands for zeros.

    Raises `DTypeMismatchError` for integers among the arguments, `InvalidArgumentError`, `DTypeMismatchError` or
    `ShapeMismatchError` for tangents that do not fit.

    >>> import tenferro as tf
    >>> out, tangent = tf.jvp(lambda x: x**2, (3.0,), (1.0,))
    >>> out.item(), tangent.item()
    (9.0, 6.0)
    """
    out, linear = linear_map("jvp", f, as_arguments("jvp", "primals", primals))
    return out, linear(as_arguments("jvp", "tangents", tangents))


def as_arguments(op: str, name: str, given: Sequence[Any]) -> tuple[Any, ...]:
    """A list or tuple of arguments."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{op}: argument '{name}': expected a tuple of arguments, got {type(given).__name__}")
    return tuple(given)


def linear_map(op: str, f: Callable[..., T], primals: tuple[Any, ...]) -> tuple[T, Callable[[tuple[Any, ...]], T]]:
    """The value, and the derivative as a function of a tuple of tangents."""
    check_function(op, f)
    record = Record(op, f, primals, {}, range(len(primals)))
    outs, structure = record.outputs()

    def linear(tangents: tuple[Any, ...]) -> T:
        found = record.push(outs, leaves_as(record.structure, tangents, op, "tangents"))
        built: T = structure.build(iter(found))
        return built

    built: T = structure.build(iter(record.outer(outs)))
    return built, linear


def linearize(f: Callable[..., T], *primals: Any) -> tuple[T, Callable[..., T]]:
    """``f(*primals)``, and its derivative there: the linear function of as many tangents. `f` is called once.

    >>> import tenferro as tf
    >>> out, linear = tf.linearize(lambda x: x**2, 3.0)
    >>> linear(1.0).item(), linear(10.0).item()
    (6.0, 60.0)
    """
    out, of_tuple = linear_map("linearize", f, primals)

    def linear(*tangents: Any) -> T:
        return of_tuple(tangents)

    return out, linear


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The gradient of a scalar function, and the product of its Hessian with `tangents`.

    Both are built like the argument if there is one, and are tuples if there are several. Computed by reverse mode
    twice: a Hessian is its own adjoint. Complex: the derivative of the gradient of Re f.

    >>> import tenferro as tf
    >>> gradient, product = tf.hvp(lambda x: (x**3).sum(), (tf.tensor([1.0, 2.0]),), (tf.tensor([1.0, 10.0]),))
    >>> gradient.tolist(), product.tolist()
    ([3.0, 12.0], [6.0, 120.0])
    """
    check_function("hvp", f)
    values = as_arguments("hvp", "primals", primals)
    directions = as_arguments("hvp", "tangents", tangents)

    def gradients(*args: Any) -> Any:
        return scalar_gradient("hvp", f, range(len(values)), False, args, {})[2]

    record = Record("hvp", gradients, values, {}, range(len(values)))
    outs, structure = record.outputs()
    product = record.pull(outs, leaves_as(structure, directions, "hvp", "tangents"))
    gradient = structure.build(iter(record.outer(outs)))
    return (gradient[0], product[0]) if len(values) == 1 else (gradient, product)


def stop_gradient(x: T) -> T:
    """`x` as a constant: derivatives do not flow through it. Containers may be nested; other things pass unchanged.

    >>> import tenferro as tf
    >>> tf.grad(lambda x: x * tf.stop_gradient(x))(3.0).item()
    3.0
    """
    stopped: T = transform(lambda leaf: leaf.detach() if isinstance(leaf, EagerTensor) else leaf, x)
    return stopped
