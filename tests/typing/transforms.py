"""Typed use of the functional transforms: what is accepted, and what is refused (with a marker)."""

from collections.abc import Callable
from typing import Any, assert_type

import tenferro as tf


def energy(x: tf.EagerTensor, scale: float, *, power: int = 2) -> tf.EagerTensor:
    return (x**power * scale).sum()


def with_aux(x: tf.EagerTensor) -> tuple[tf.EagerTensor, dict[str, int]]:
    return x.sum(), {"n": 1}


def signatures_are_kept(x: tf.EagerTensor) -> None:
    tf.grad(energy)(x, 2.0, power=3)
    tf.grad(energy, argnums=(0, 1))(x, scale=2.0)
    tf.value_and_grad(energy, 0)(x, 2.0)
    tf.jacobian(energy)(x, 2.0)
    tf.hessian(energy, holomorphic=True)(x, 2.0)
    tf.grad(tf.grad(energy))(x, 2.0)
    assert_type(tf.checkpoint(energy)(x, 2.0), tf.EagerTensor)
    assert_type(tf.vmap(energy, in_axes=(0, None))(x, 2.0), tf.EagerTensor)
    assert_type(tf.vmap(with_aux, out_axes=-1)(x), tuple[tf.EagerTensor, dict[str, int]])
    tf.grad(energy)(x, "two")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.grad(energy)(x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    tf.value_and_grad(energy)(x, 2.0, power="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.vmap(energy)(x, "two")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.checkpoint(energy)(2.0, x)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.grad(x, x)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]


def auxiliary_results(x: tf.EagerTensor) -> None:
    value, _ = tf.value_and_grad(energy)(x, 2.0)
    assert_type(value, tf.EagerTensor)
    (value, aux), _ = tf.value_and_grad(with_aux, has_aux=True)(x)
    assert_type(value, tf.EagerTensor)
    assert_type(aux, dict[str, int])
    _, aux = tf.grad(with_aux, has_aux=True)(x)
    assert_type(aux, dict[str, int])
    tf.grad(energy, has_aux=True)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def values_and_linear_maps(x: tf.EagerTensor) -> None:
    out, pullback = tf.vjp(energy, x, 2.0)
    assert_type(out, tf.EagerTensor)
    assert_type(pullback, Callable[[Any], tuple[Any, ...]])
    assert_type(tf.jvp(energy, (x, 2.0), (x, 1.0)), tuple[tf.EagerTensor, tf.EagerTensor])
    out, linear = tf.linearize(energy, x, 2.0)
    assert_type(linear(x, 1.0), tf.EagerTensor)
    tf.hvp(energy, (x, 2.0), (x, 1.0))
    tf.check_grads(energy, (x, 2.0), order=1, modes=("rev",))
    tf.check_grads(energy, (x, 2.0), modes=("back",))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(tf.stop_gradient(x), tf.EagerTensor)
    assert_type(tf.stop_gradient({"a": [x]}), dict[str, list[tf.EagerTensor]])


def fwd(x: tf.EagerTensor) -> tuple[tf.EagerTensor, tf.EagerTensor]:
    return tf.exp(x), tf.exp(x)


def bwd(residuals: tf.EagerTensor, cotangent: tf.EagerTensor) -> tf.EagerTensor:
    return residuals * cotangent


def exp(x: tf.EagerTensor) -> tf.EagerTensor:
    return tf.exp(x)


def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[tf.EagerTensor, tf.EagerTensor]:
    y = tf.exp(primals[0])
    return y, y * tangents[0]


@tf.custom_op(name="negated")
def negated(x: tf.EagerTensor, n: int) -> tf.EagerTensor:
    return -x * n


def rules(x: tf.EagerTensor) -> None:
    assert_type(tf.custom_vjp(exp, fwd, bwd)(x), tf.EagerTensor)
    assert_type(tf.custom_jvp(exp, rule)(x), tf.EagerTensor)
    negated(x, 2)
    tf.custom_op(exp, vjp=lambda primals, out, cotangent: cotangent * out)(x)
    negated(x, "2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.custom_vjp(exp, exp, bwd)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.custom_vjp(exp, fwd)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
