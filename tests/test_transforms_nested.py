"""Transforms inside transforms: orders, modes, no perturbation confusion."""

import math

import pytest

import tenferro as tf


def test_grad_to_sixth_order():
    f, expected = (lambda x: x**6), 1.5**6
    for order in range(7):
        assert f(tf.tensor(1.5)).item() == pytest.approx(expected, rel=1e-13)
        f, expected = tf.grad(f), expected * (6 - order) / 1.5


@pytest.mark.parametrize(
    "inner",
    [
        lambda f, y: tf.grad(f)(y),
        lambda f, y: tf.jvp(f, (y,), (1.0,))[1],
        lambda f, y: tf.vjp(f, y)[1](1.0)[0],
        lambda f, y: tf.linearize(f, y)[1](1.0),
        lambda f, y: tf.jacobian(f)(y),
    ],
)
@pytest.mark.parametrize(
    "outer",
    [
        lambda f, x: tf.grad(f)(x),
        lambda f, x: tf.jvp(f, (x,), (1.0,))[1],
        lambda f, x: tf.jacobian(f)(x),
    ],
)
def test_no_perturbation_confusion(outer, inner):
    """d/dx x·(d/dy xy at y=2) = 2x, d/dx x·(d/dy (x+y)) = 1, d/dx x·(d/dy xy² at y=x) = 6x²."""
    assert outer(lambda x: x * inner(lambda y: x * y, 2.0), 3.0).item() == 6.0
    assert outer(lambda x: x * inner(lambda y: x + y, 1.0), 3.0).item() == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y * y, x), 3.0).item() == pytest.approx(6 * 9.0)


@pytest.mark.parametrize("outer", [lambda f: tf.grad(f), lambda f: lambda x: tf.jvp(f, (x,), (1.0,))[1]])
@pytest.mark.parametrize("inner", [lambda f: tf.grad(f), lambda f: lambda x: tf.jvp(f, (x,), (1.0,))[1]])
def test_all_pairs_of_modes_give_second_derivatives(outer, inner):
    assert outer(inner(lambda x: tf.sin(x) * x))(0.7).item() == pytest.approx(2 * math.cos(0.7) - 0.7 * math.sin(0.7))


def test_inner_function_that_ignores_its_argument():
    assert tf.grad(lambda x: x * tf.grad(lambda y: x * x)(1.0))(3.0).item() == 0.0


def test_the_identity():
    assert tf.grad(lambda x: x)(3.0).item() == 1.0
    assert tf.grad(tf.grad(lambda x: x))(3.0).item() == 0.0
    assert tf.grad(lambda x: tf.grad(lambda y: y)(x) * x)(3.0).item() == 1.0


def test_derivative_of_a_pullback_in_its_cotangent():
    """ct ↦ Jᴴ·ct is linear, so its derivative is Jᴴ."""
    _, pullback = tf.vjp(lambda x: x * x, tf.tensor([1.0, 2.0]))
    jacobian = tf.jacobian(lambda ct: pullback(ct)[0])(tf.tensor([1.0, 1.0]))
    assert jacobian.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_derivative_of_a_linear_map_in_its_tangent():
    _, linear = tf.linearize(lambda x: x**3, tf.tensor([1.0, 2.0]))
    assert tf.jacobian(linear)(tf.tensor([1.0, 1.0])).tolist() == [[3.0, 0.0], [0.0, 12.0]]
