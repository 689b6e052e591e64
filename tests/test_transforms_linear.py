"""`tf.vjp`, `tf.jvp`, `tf.linearize`, `tf.hvp`."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import tree_values

# vjp, jvp, linearize, hvp


def test_vjp_of_several_results():
    def f(x, p):
        return {"a": x * p["w"], "b": [x.sum(), p["w"] ** 2]}

    out, pullback = tf.vjp(f, tf.tensor([1.0, 2.0]), {"w": 3.0})
    assert tree_values(out) == {"a": [3.0, 6.0], "b": [3.0, 9.0]}
    for _ in range(2):
        gx, gp = pullback({"a": tf.tensor([1.0, 10.0]), "b": [100.0, 1.0]})
        assert gx.tolist() == [103.0, 130.0]
        assert gp["w"].item() == 21.0 + 6.0
    gx, gp = pullback({"b": [None, 1.0], "a": None})
    assert gx.tolist() == [0.0, 0.0]
    assert gp["w"].item() == 6.0


def test_cotangents_must_fit():
    _, pullback = tf.vjp(lambda x: (x, x), tf.ones(2))
    with pytest.raises(tf.InvalidArgumentError) as caught:
        pullback((tf.ones(2),))
    assert (caught.value.op, caught.value.argument) == ("vjp", "cotangent")
    with pytest.raises(tf.ShapeMismatchError):
        pullback((tf.ones(3), tf.ones(2)))
    with pytest.raises(tf.DTypeMismatchError):
        pullback((tf.ones(2, dtype=tf.float32), tf.ones(2)))
    with pytest.raises(tf.InvalidArgumentError, match=r"at \['a'\]"):
        tf.vjp(lambda x: {"a": [x]}, 1.0)[1]({"a": 1.0})
    with pytest.raises(tf.InvalidArgumentError, match="with 'a'"):
        tf.vjp(lambda x: {"a": x}, 1.0)[1]({"b": 1.0})


def test_jvp_of_several_arguments_and_results():
    out, tangent = tf.jvp(lambda x, p: (x * p["w"], p["w"]), (2.0, {"w": 3.0}), (1.0, {"w": 10.0}))
    assert tree_values(out) == [6.0, 3.0]
    assert tree_values(tangent) == [23.0, 10.0]
    assert tf.jvp(lambda x, y: x * y, (2.0, 3.0), (None, 1.0))[1].item() == 2.0


def test_tangents_must_fit():
    with pytest.raises(TypeError, match="primals"):
        tf.jvp(lambda x: x, tf.ones(2), tf.ones(2))
    with pytest.raises(TypeError, match="tangents"):
        tf.jvp(lambda x: x, (tf.ones(2),), tf.ones(2))
    with pytest.raises(tf.InvalidArgumentError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(2), tf.ones(2)))
    with pytest.raises(tf.ShapeMismatchError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(3),))
    with pytest.raises(tf.DTypeMismatchError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(2, dtype=tf.complex128),))


def test_integer_results_have_zero_tangents_and_take_no_cotangent():
    def f(x):
        return x * x, x > 1.0

    _out, tangent = tf.jvp(f, (tf.tensor([1.0, 2.0]),), (tf.ones(2),))
    assert tangent[0].tolist() == [2.0, 4.0]
    assert tangent[1].tolist() == [False, False]
    assert tf.vjp(f, tf.tensor([1.0, 2.0]))[1]((tf.ones(2), None))[0].tolist() == [2.0, 4.0]


def test_linearize_calls_the_function_once():
    calls = []

    def f(x, y):
        calls.append(1)
        return tf.sin(x) * y

    out, linear = tf.linearize(f, 0.5, 2.0)
    assert out.item() == pytest.approx(2 * math.sin(0.5))
    assert linear(1.0, 0.0).item() == pytest.approx(2 * math.cos(0.5))
    assert linear(0.0, 3.0).item() == pytest.approx(3 * math.sin(0.5))
    assert calls == [1]


def test_hvp_matches_the_hessian():
    rng = np.random.default_rng(1)
    a, x, v = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)

    def f(x):
        return tf.sin(tf.matmul(a, x)).prod() + (x**4).sum()

    gradient, product = tf.hvp(f, (x,), (v,))
    hessian = tf.hessian(f)(x).numpy()
    assert np.allclose(gradient.numpy(), tf.grad(f)(x).numpy(), rtol=1e-14)
    assert np.allclose(hessian, hessian.T, rtol=1e-12)
    assert np.allclose(product.numpy(), hessian @ v, rtol=1e-12)
    forward_over_reverse = tf.jvp(tf.grad(f), (x,), (v,))[1]
    assert np.allclose(product.numpy(), forward_over_reverse.numpy(), rtol=1e-12)


def test_hvp_of_several_arguments():
    gradient, product = tf.hvp(lambda x, p: x * x * p["w"] ** 3, (2.0, {"w": 3.0}), (1.0, {"w": 10.0}))
    assert tree_values(gradient) == [108.0, {"w": 108.0}]
    assert tree_values(product) == [54.0 + 1080.0, {"w": 108.0 + 10 * 72.0}]


def test_complex_hvp():
    """behaviour 12.3: the derivative of the gradient of a real function along v."""
    z, v = np.array([1 + 2j, 0.5 - 1j]), np.array([0.3 - 1j, 2 + 1j])

    def f(z):
        return (z * z.conj() * z * z).real.sum()

    _, product = tf.hvp(f, (z,), (v,))
    assert np.allclose(product.numpy(), tf.jvp(tf.grad(f), (z,), (v,))[1].numpy(), rtol=1e-13)
