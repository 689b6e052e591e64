"""`tf.check_grads`: accepts right derivatives of all kinds, and finds wrong ones of first and second order."""

import numpy as np
import pytest

import tenferro as tf


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.exp(x) * x,
        lambda x: {"a": [tf.sin(x).sum(), x * x], "b": 3.0},
        lambda x: tf.matmul(x, x.T),
        lambda x: (x * x.conj()).real.sum(),
        lambda x: (abs(x) > 1.0, x**3),
    ],
)
def test_right_derivatives(f, dtype):
    x = np.random.default_rng(3).uniform(0.5, 1.5, (2, 3)).astype(dtype)
    if np.iscomplexobj(x):
        x = x * (1 + 0.5j)
    tf.check_grads(f, (x.astype(dtype),))


def test_arguments_of_all_kinds():
    def f(p, n, x, text):
        assert (n, text) == (3, "text")
        return p["w"] ** n * x + p["b"][0]

    tf.check_grads(f, ({"w": 1.5, "b": [tf.tensor([1.0, 2.0])]}, 3, np.float64(0.5), "text"), order=3)


def wrong(rule):
    return tf.custom_jvp(tf.sin, lambda primals, tangents: (tf.sin(primals[0]), rule(primals[0], tangents[0])))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_wrong_first_derivatives_are_found(mode, dtype):
    x = tf.tensor([0.5, 1.0], dtype=dtype)
    factor = 1.05 if dtype == tf.float32 else 1.00001
    tf.check_grads(wrong(lambda x, t: t * tf.cos(x)), (x,), modes=(mode,))
    with pytest.raises(AssertionError, match="jvp, result 0" if mode == "fwd" else "vjp, v"):
        tf.check_grads(wrong(lambda x, t: t * tf.cos(x) * factor), (x,), modes=(mode,))
    tf.check_grads(wrong(lambda x, t: t * tf.cos(x) * factor), (x,), 1, modes=(mode,), rtol=0.5)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_second_derivatives_are_found(mode):
    f = wrong(lambda x, t: t * tf.stop_gradient(tf.cos(x)))
    tf.check_grads(f, (0.5,), order=1, modes=(mode,))
    with pytest.raises(AssertionError, match="of jvp" if mode == "fwd" else "of vjp"):
        tf.check_grads(f, (0.5,), modes=(mode,))


def test_an_adjoint_that_does_not_fit_the_tangent_is_found():
    f = tf.custom_op(
        lambda x: np.sin(x.numpy()),
        vjp=lambda p, out, ct: ct * tf.cos(p[0]) * 2.0,
        jvp=lambda p, out, t: t[0] * tf.cos(p[0]),
    )
    tf.check_grads(f, (0.5,), modes=("fwd",))
    with pytest.raises(AssertionError, match="vjp"):
        tf.check_grads(f, (0.5,))


def test_not_finite_is_wrong():
    with pytest.raises(AssertionError):
        tf.check_grads(lambda x: tf.sqrt(x), (tf.tensor([1.0, -1.0]),))


def test_reverse_rules_alone():
    f = tf.custom_vjp(tf.sin, lambda x: (tf.sin(x), x), lambda x, ct: ct * tf.cos(x))
    tf.check_grads(f, (0.5,), modes=("rev",))
    tf.check_grads(f, (0.5,))


def test_checkpoint_and_vjp_pass():
    tf.check_grads(tf.checkpoint(lambda x, y: tf.sin(x * y)), (0.5, tf.tensor([1.0, 2.0])), order=3)
    tf.check_grads(tf.grad(lambda x: (tf.exp(x) * x).sum()), (tf.tensor([1.0, 2.0]),))


def test_wrong_calls():
    f = lambda x: x  # noqa: E731
    for call, argument in (
        (lambda: tf.check_grads(f, (1.0,), order=0), "order"),
        (lambda: tf.check_grads(f, (1.0,), order=-1), "order"),
        (lambda: tf.check_grads(f, (1.0,), modes=()), "modes"),
        (lambda: tf.check_grads(f, (1.0,), modes=("x",)), "modes"),
        (lambda: tf.check_grads(f, (1, "a")), "args"),
    ):
        with pytest.raises(tf.InvalidArgumentError) as caught:
            call()
        assert (caught.value.op, caught.value.argument) == ("check_grads", argument)
    with pytest.raises(TypeError, match="tuple of arguments"):
        tf.check_grads(f, 1.0)
    with pytest.raises(TypeError):
        tf.check_grads(f, (1.0,), order=1.5)
    with pytest.raises(TypeError, match="expected a function"):
        tf.check_grads(1.0, (1.0,))
