"""Functions whose derivatives are given by the user: `custom_vjp`, `custom_jvp`, `custom_op`."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from tenferro import _tenferro
from tenferro._calls import Inputs, Parts, Residuals, Results, Tensors
from tenferro._containers import flatten
from tenferro._rules_batched import MappedJvp, MappedVjp, item_by_item
from tenferro._tenferro import EagerTensor
from tenferro._transforms import check_function, named_like
from tenferro.errors import InvalidArgumentError, UnsupportedAdRuleError

P = ParamSpec("P")
T = TypeVar("T")


def refuse_closures(op: str, tensors: Tensors, inner: Tensors, start: int) -> None:
    """The rules say nothing about values that a function uses without being given them."""
    depend = [t for t in tensors if t.tracks_grad or _tenferro._of_items([t])]
    if _tenferro._closed_over(depend, inner, start):
        message = (
            "argument 'f': the function closes over a tensor that is tracked, or an item of a batch in vmap, for which "
            "it has no rule; pass it as an argument"
        )
        raise InvalidArgumentError(message, op=op, argument="f")


def transposed(op: str, transform: str, like: Tensors, linear: Callable[[Tensors], Parts], given: Parts) -> Parts:
    """The adjoint of a linear rule t ↦ L·t: its derivative, which is the same at every t."""
    inner = _tenferro._inner([probe(tensor) for tensor in like])
    with _tenferro._recording():
        parts = linear(inner)
    pairs = [(part, seed) for part, seed in zip(parts, given, strict=True) if part is not None and seed is not None]
    found = _tenferro._pull([part for part, _ in pairs], [seed for _, seed in pairs], inner)
    # A linear function that depends on nothing is zero. If it is not, the dependence was lost, in NumPy for example.
    if all(part is None for part in found) and any(np.any(part.numpy()) for part, _ in pairs):
        message = "the rule is not written in ops of this library, so it has no adjoint; give the other rule, too"
        raise UnsupportedAdRuleError(message, op=op, transform=transform)
    return found


def probe(like: EagerTensor) -> EagerTensor:
    """Values between 0.5 and 1.5 without symmetries, where a linear rule is hardly zero by chance."""
    values = 0.5 + np.modf((np.arange(like.size) + 1) * 0.6180339887498949)[0]
    return _tenferro.asarray(values.reshape(like.shape).astype(like.dtype), runtime=like.runtime)


def is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2


def name_of(f: Callable[..., Any]) -> str:
    return str(getattr(f, "__name__", type(f).__name__))


def custom_vjp(f: Callable[P, T], fwd: Callable[P, tuple[T, Any]], bwd: Callable[[Any, Any], Any]) -> Callable[P, T]:
    """`f` with a reverse rule of its own.

    Where a derivative can be wanted, ``fwd(*args)`` is called in place of `f` and returns (result, residuals); the
    reverse sweep calls ``bwd(residuals, cotangent)``, which returns a tuple of cotangents, one for each positional
    argument (for a single argument its cotangent alone will do), with ``None`` for zeros and for arguments that are no
    tensors. The cotangent is built like the result. Arguments, results and residuals may be nested containers.

    Rules written in ops of this library can be differentiated again (what they compute otherwise is a constant). A
    residual that is a result stands for the result of this function, and is differentiated by this rule. An exception
    of a rule reaches the caller unchanged.

    Forward mode takes the adjoint of `bwd`, which must be written in ops of this library for that.

    Raises `UnsupportedAdRuleError` in forward mode if it is not, `InvalidArgumentError` if the function closes over a
    tracked tensor, `DTypeMismatchError` or `ShapeMismatchError` for cotangents that do not fit.

    >>> import tenferro as tf
    >>> def fwd(x):
    ...     return tf.exp(x), tf.exp(x)
    >>> clipped = tf.custom_vjp(tf.exp, fwd, lambda y, ct: ct * tf.minimum(y, 10.0))
    >>> tf.grad(clipped)(1.0).item() == tf.exp(1.0).item(), tf.grad(clipped)(5.0).item()
    (True, 10.0)
    """
    for function in (f, fwd, bwd):
        check_function("custom_vjp", function)
    name = name_of(f)

    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        inputs = Inputs(name, args, kwargs)
        start = _tenferro._mark()
        if not _tenferro._recorded(inputs.tensors):
            plain = f(*args, **kwargs)
            tensors = [t for t in flatten(plain)[0] if isinstance(t, EagerTensor)]
            refuse_closures(name, tensors, inputs.operands, start)
            return plain
        inner = _tenferro._inner(inputs.tensors)
        pair = fwd(*inputs.built(inner), **kwargs)
        if not is_pair(pair):
            raise TypeError(f"{name}: fwd: expected a pair (result, residuals), got {type(pair).__name__}")
        results = Results(name, pair[0], inputs.runtime)
        refuse_closures(name, results.tensors, [*inner, *inputs.integers], start)
        kept, residuals = residual_tree(pair[1], results.tensors, inner)

        def pull(outs: Tensors, cotangents: Parts) -> Parts:
            return inputs.cotangents(bwd(residuals(outs), results.cotangents(cotangents)))

        def batched(batches: Parts, _: int) -> Tensors:
            mapped = MappedVjp(inputs, results, kwargs, batches)
            rules = mapped.forward(fwd), mapped.backward(bwd)
            found: Tensors = custom_vjp(mapped.function(f), *rules)(*mapped.values)
            return found

        result: T = record(name, inputs, results, kept, pull, None, batched)
        if not inputs.of_items:
            inputs.forget()
        return result

    return named_like("custom_vjp", f, wrapped)


def residual_tree(given: Any, outs: Tensors, inner: Tensors) -> tuple[list[bool], Callable[[Tensors], Any]]:
    """Which results are residuals, and the residuals for given places of these results."""
    residuals = Residuals(given, outs)
    tensors = _tenferro._outer(residuals.tensors(given), inner)
    numbers = list(residuals.of_result.values())
    kept = [k in numbers for k in range(len(outs))]
    order = [k for k, keep in enumerate(kept) if keep]
    return kept, lambda parts: residuals.built(tensors, [parts[order.index(k)] for k in numbers])


def custom_jvp(f: Callable[P, T], jvp: Callable[..., tuple[T, T]]) -> Callable[P, T]:
    """`f` with a forward rule of its own: ``jvp(primals, tangents)`` returns (result, tangent).

    `primals` is the tuple of positional arguments, `tangents` is built like it, with ``None`` for what is no tensor;
    keyword arguments are passed on. The reverse rule is the adjoint of the forward one: it must be linear in the
    tangents, and written in ops of this library. Derivatives of any order.

    Raises `InvalidArgumentError` if the function closes over a tracked tensor, `DTypeMismatchError` or
    `ShapeMismatchError` for a tangent that does not fit. An exception of the rule reaches the caller unchanged.

    >>> import tenferro as tf
    >>> def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return tf.sqrt(x), t * tf.where(x > 0.0, 0.5 / tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0)
    >>> safe_sqrt = tf.custom_jvp(tf.sqrt, rule)
    >>> tf.grad(safe_sqrt)(0.0).item(), tf.grad(safe_sqrt)(4.0).item()
    (0.0, 0.25)
    """
    check_function("custom_jvp", f)
    check_function("custom_jvp", jvp)
    name = name_of(f)

    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        inputs = Inputs(name, args, kwargs)
        start = _tenferro._mark()
        inner = _tenferro._inner(inputs.tensors)
        results = Results(name, f(*inputs.built(inner), **kwargs), inputs.runtime)
        refuse_closures(name, results.tensors, [*inner, *inputs.integers], start)

        def rule(tangents: Parts) -> Parts:
            pair = jvp(inputs.built(inputs.tensors), inputs.tangents(tangents), **kwargs)
            if not is_pair(pair):
                raise TypeError(f"{name}: rule for jvp: expected a pair (result, tangent), got {type(pair).__name__}")
            return results.tangents(pair[1])

        def batched(batches: Parts, _: int) -> Tensors:
            mapped = MappedJvp(inputs, results, kwargs, batches)
            found: Tensors = custom_jvp(mapped.function(f), mapped.tangent(jvp))(*mapped.values)
            return found

        kept = [False] * len(results.tensors)
        result: T = record(name, inputs, results, kept, None, lambda _, tangents: rule(tangents), batched)
        return result

    return named_like("custom_jvp", f, wrapped)


def record(
    name: str,
    inputs: Inputs,
    results: Results,
    kept: list[bool],
    pull: Callable[[Tensors, Parts], Parts] | None,
    push: Callable[[Tensors, Parts], Parts] | None,
    batched: Callable[[Parts, int], Tensors],
) -> Any:
    """The results with rules. Where one of the two is missing, the adjoint of the other takes its place."""
    if pull is None and push is not None:
        forward = push

        def pull(outs: Tensors, cotangents: Parts) -> Parts:
            return transposed(name, "vjp", inputs.tensors, lambda inner: forward(outs, list(inner)), cotangents)

    elif push is None and pull is not None:
        reverse = pull

        def push(outs: Tensors, tangents: Parts) -> Parts:
            return transposed(name, "jvp", results.tensors, lambda inner: reverse(outs, list(inner)), tangents)

    if inputs.integers and pull is not None and push is not None:
        pull, push = beside_integers(inputs, pull, push)
    found = _tenferro._call(
        name, results.tensors, inputs.operands, kept, pull, push, batched if inputs.of_items else None
    )
    results.forget()
    return results.structure.build(iter(found))


def beside_integers(
    inputs: Inputs, pull: Callable[[Tensors, Parts], Parts], push: Callable[[Tensors, Parts], Parts]
) -> tuple[Callable[[Tensors, Parts], Parts], Callable[[Tensors, Parts], Parts]]:
    """The rules of a call that has integers among its inputs, behind the others."""
    tensors, integers = len(inputs.tensors), len(inputs.integers)
    return (
        lambda outs, cotangents: [*pull(outs, cotangents), *([None] * integers)],
        lambda outs, tangents: push(outs, tangents[:tensors]),
    )


@overload
def custom_op(
    f: Callable[P, Any],
    *,
    vjp: Callable[[tuple[Any, ...], Any, Any], Any] | None = None,
    jvp: Callable[[tuple[Any, ...], Any, tuple[Any, ...]], Any] | None = None,
    name: str | None = None,
) -> Callable[P, Any]: ...
@overload
def custom_op(
    f: None = None,
    *,
    vjp: Callable[[tuple[Any, ...], Any, Any], Any] | None = None,
    jvp: Callable[[tuple[Any, ...], Any, tuple[Any, ...]], Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[P, Any]], Callable[P, Any]]: ...
def custom_op(
    f: Callable[..., Any] | None = None,
    *,
    vjp: Callable[[tuple[Any, ...], Any, Any], Any] | None = None,
    jvp: Callable[[tuple[Any, ...], Any, tuple[Any, ...]], Any] | None = None,
    name: str | None = None,
) -> Callable[..., Any]:
    """A function as one op: what happens inside is not recorded, so it may use NumPy or any other library.

    `f` gets untracked tensors and returns tensors, arrays or numbers, or containers of them. ``vjp(primals, out,
    cotangent)`` returns a tuple of cotangents, one for each positional argument (for a single argument its cotangent
    alone will do); ``jvp(primals, out, tangents)`` returns the tangent of the result. A rule that is written in ops of
    this library is enough for both modes, and with `out` it can be differentiated again; what a rule computes with
    NumPy is a constant there. Keyword arguments are not differentiated. Without `f`, it is a decorator.

    Raises `UnsupportedAdRuleError` (``.transform``, ``.op``) where a derivative needs a rule that is not given or not
    written so, `InvalidArgumentError` if `f` closes over a tracked tensor. An exception of `f` or of a rule reaches
    the caller unchanged, and no gradient has changed.

    `vmap` calls `f` once per item (and first with the first item, or zeros if there is none, to learn the results'
    shapes); a rule inside `vmap` must not read its values.

    >>> import numpy as np
    >>> import tenferro as tf
    >>> @tf.custom_op(vjp=lambda primals, out, ct: ct * out)
    ... def exp(x):
    ...     return np.exp(x.numpy())
    >>> tf.grad(tf.grad(exp))(0.0).item()
    1.0
    """
    if f is None:
        return lambda function: custom_op(function, vjp=vjp, jvp=jvp, name=name)
    check_function("custom_op", f)
    op, function = name or name_of(f), f

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        inputs = Inputs(op, args, kwargs)
        if _tenferro._recorded([leaf for leaf in flatten(kwargs)[0] if isinstance(leaf, EagerTensor)]):
            message = "argument 'kwargs': keyword arguments have no rule; pass tracked tensors by position"
            raise InvalidArgumentError(message, op=op, argument="kwargs")
        start = _tenferro._mark()
        values = inputs.built(_tenferro._constants(inputs.operands))
        results = Results(op, function(*values, **kwargs), inputs.runtime)
        refuse_closures(op, results.tensors, [], start)
        like = results.structure

        def pull(outs: Tensors, cotangents: Parts) -> Parts:
            assert vjp is not None
            primals = inputs.built(inputs.tensors)
            return inputs.cotangents(vjp(primals, like.build(iter(outs)), results.cotangents(cotangents)))

        def push(outs: Tensors, tangents: Parts) -> Parts:
            assert jvp is not None
            primals = inputs.built(inputs.tensors)
            return results.tangents(jvp(primals, like.build(iter(outs)), inputs.tangents(tangents)))

        def batched(batches: Parts, size: int) -> Tensors:
            found: Tensors = item_by_item(inputs, results, functools.partial(wrapped, **kwargs), batches, size)
            return found

        kept = [vjp is not None or jvp is not None] * len(results.tensors)
        return record(op, inputs, results, kept, pull if vjp else None, push if jvp else None, batched)

    return named_like("custom_op", f, wrapped)
