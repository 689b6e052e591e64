"""Transforms, checkpoints and rules inside one another, at random: always the derivatives of the plain function."""

import random
import threading

import numpy as np
import pytest

import tenferro as tf

SCALE = 1.3


def steps(weight):
    return (
        lambda x: (x * x).sum() * x * 0.3 + x.sin(),
        lambda x: x.exp() * 0.2 + SCALE * x,
        lambda x: (x * weight).tanh() + x,
        lambda x: x / (1.0 + x * x),
        lambda x: x.reverse((0,)) * x * 0.5,
    )


# The same function, recorded in another way.
WRAPPERS = (
    lambda f: f,
    tf.checkpoint,
    lambda f: tf.custom_vjp(f, lambda x: (f(x), x), lambda x, ct: tf.vjp(f, x)[1](ct)[0]),
    lambda f: tf.custom_jvp(f, lambda primals, tangents: tf.jvp(f, primals, tangents)),
    lambda f: tf.custom_op(f, vjp=lambda primals, out, ct: tf.vjp(f, primals[0])[1](ct)[0]),
    lambda f: tf.custom_op(f, jvp=lambda primals, out, tangents: tf.jvp(f, primals, tangents)[1]),
)

MODES = {
    "grad": lambda f, x, v: tf.grad(f)(x),
    "hvp": lambda f, x, v: tf.hvp(f, (x,), (v,))[1],
    "jvp of grad": lambda f, x, v: tf.jvp(tf.grad(f), (x,), (v,))[1],
    "grad of grad": lambda f, x, v: tf.grad(lambda x: (tf.grad(f)(x) * v).sum())(x),
    "grad of jvp": lambda f, x, v: tf.grad(lambda x: tf.jvp(f, (x,), (v,))[1])(x),
    "jvp of jvp": lambda f, x, v: tf.jvp(lambda x: tf.jvp(f, (x,), (v,))[1], (x,), (v,))[1],
    "grad of hvp": lambda f, x, v: tf.grad(lambda x: (tf.hvp(f, (x,), (v,))[1] * v).sum())(x),
    "grad of linearize": lambda f, x, v: tf.grad(lambda x: tf.linearize(f, x)[1](v))(x),
    "grad of pullback": lambda f, x, v: tf.grad(lambda x: (tf.vjp(f, x)[1](1.0)[0] * x).sum())(x),
    "checkpoint of grad": lambda f, x, v: tf.grad(lambda x: tf.checkpoint(lambda y: (tf.grad(f)(y) * x).sum())(x))(x),
}


def composed(plan, weight, wrapped):
    parts = [(steps(weight)[k], WRAPPERS[w if wrapped else 0]) for k, w in plan]

    def f(x):
        for step, wrap in parts:
            x = wrap(step)(x)
        return (x * x).sum()

    return f


@pytest.mark.parametrize("mode", MODES)
def test_nesting(mode):
    choose = random.Random(mode)
    for _ in range(40):
        values = np.random.default_rng(choose.randrange(10**6))
        size = choose.choice([1, 2, 3])
        x, v, weight = (tf.tensor(values.uniform(-0.9, 0.9, size)) for _ in range(3))
        plan = [(choose.randrange(5), choose.randrange(len(WRAPPERS))) for _ in range(choose.choice([1, 2, 3]))]
        expected = MODES[mode](composed(plan, weight, False), x, v).numpy()
        got = MODES[mode](composed(plan, weight, True), x, v).numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10, err_msg=f"{plan}")


def test_a_function_may_compute_in_another_thread():
    def f(x):
        found = []
        worker = threading.Thread(target=lambda: found.append(x * x * x))
        worker.start()
        worker.join()
        return found[0]

    assert tf.grad(f)(2.0).item() == 12.0
    assert tf.grad(tf.grad(f))(2.0).item() == 12.0


def test_what_a_transform_recorded_is_freed():
    x = tf.tensor(np.ones(1000))
    tf.grad(lambda x: x.exp().sum())(x)
    before = tf.live_tensors()
    kept = [tf.value_and_grad(lambda x: x.exp().sin().sum())(x) for _ in range(20)]
    assert tf.live_tensors() - before <= 2 * len(kept)
