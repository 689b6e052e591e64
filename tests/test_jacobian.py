"""`tf.jacobian` and `tf.hessian`."""

import numpy as np
import pytest

import tenferro as tf
from support import tree_values


def test_jacobian_forward_and_reverse():
    x = np.random.default_rng(2).normal(size=(2, 3))
    tall = tf.jacobian(lambda x: tf.stack([tf.sin(x), x * x, tf.exp(x)]))(x)
    assert tall.shape == (3, 2, 3, 2, 3)
    for k, slope in enumerate([np.cos(x), 2 * x, np.exp(x)]):
        expected = np.einsum("ij,ik,jl->ijkl", slope, np.eye(2), np.eye(3))
        assert np.allclose(tall.numpy()[k], expected, rtol=1e-14)
    wide = tf.jacobian(lambda x: (x * x).sum(axis=0))(x)
    assert wide.shape == (3, 2, 3)
    assert np.allclose(wide.numpy(), np.einsum("ij,jl->jil", 2 * x, np.eye(3)))


def test_jacobian_of_containers():
    def f(p, q):
        return {"a": p["x"] * q, "b": p["x"].sum()}

    jacobian = tf.jacobian(f, argnums=(0, 1))({"x": tf.tensor([1.0, 2.0])}, 3.0)
    assert tree_values(jacobian) == {
        "a": [{"x": [[3.0, 0.0], [0.0, 3.0]]}, [1.0, 2.0]],
        "b": [{"x": [1.0, 1.0]}, 0.0],
    }
    assert isinstance(jacobian["a"], tuple)


def test_hessian_of_containers():
    hessian = tf.hessian(lambda p: p["x"] ** 2 * p["y"])({"x": 3.0, "y": 5.0})
    assert tree_values(hessian) == {"x": {"x": 10.0, "y": 6.0}, "y": {"x": 6.0, "y": 0.0}}


def test_hessian_of_a_vector_function():
    hessian = tf.hessian(lambda x: tf.stack([x[0] * x[1], x[1] ** 3]))(tf.tensor([2.0, 3.0]))
    assert hessian.tolist() == [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 18.0]]]


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_jacobian_of_nothing(shape):
    assert tf.jacobian(lambda x: x * 2)(tf.zeros(shape)).shape == shape + shape
    assert tf.jacobian(lambda x: x.sum())(tf.zeros(shape)).shape == shape
    assert tf.jacobian(lambda x: tf.zeros(shape) * x)(1.0).shape == shape


def test_complex_jacobians_need_holomorphic():
    z = tf.tensor([1 + 2j, 3j])
    for transform in (tf.jacobian, tf.hessian):
        with pytest.raises(tf.InvalidArgumentError) as caught:
            transform(lambda z: (z * z).sum())(z)
        assert caught.value.argument == "holomorphic"
        with pytest.raises(tf.InvalidArgumentError):
            transform(lambda x: x * x, holomorphic=True)(1.0)
    with pytest.raises(tf.InvalidArgumentError):
        tf.jacobian(lambda z: z.real, holomorphic=True)(z)


@pytest.mark.parametrize("f", [lambda z: tf.exp(z) * z[0], lambda z: tf.stack([z * z, z**3, z])])
def test_holomorphic_jacobian(f):
    z = np.array([0.3 + 1j, -0.7 + 0.2j])
    jacobian = tf.jacobian(f, holomorphic=True)(z).numpy()
    for k in range(2):
        direction = np.eye(2, dtype=complex)[k]
        assert np.allclose(jacobian[..., k], tf.jvp(f, (z,), (direction,))[1].numpy(), rtol=1e-13)


def test_holomorphic_hessian():
    hessian = tf.hessian(lambda z: z[0] ** 3 * z[1], holomorphic=True)(tf.tensor([1 + 1j, 2j])).numpy()
    z = np.array([1 + 1j, 2j])
    assert np.allclose(hessian, [[6 * z[0] * z[1], 3 * z[0] ** 2], [3 * z[0] ** 2, 0]], rtol=1e-13)


def test_jacobian_of_a_complex_function_of_a_real_argument():
    jacobian = tf.jacobian(lambda x: tf.exp(1j * x).sum())(tf.tensor([0.3, 0.5])).numpy()
    assert np.allclose(jacobian, 1j * np.exp(1j * np.array([0.3, 0.5])), rtol=1e-14)


def test_jacobian_of_integers_is_refused():
    with pytest.raises(tf.DTypeMismatchError, match="result"):
        tf.jacobian(lambda x: x.astype(tf.int64))(1.0)
