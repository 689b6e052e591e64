"""Inputs from bug reports of other libraries that concern structure: B20 (cross), B21 (diagonal), and B17 for new ops."""

import numpy as np
import pytest

import tenferro as tf
from support import gradient, leaf


def test_b20_second_gradient_of_cross():
    a, b, c = leaf([1.0, 2.0, 3.0]), leaf([-1.0, 0.5, 2.0]), np.array([2.0, -1.0, 0.5])
    loss = (tf.cross(a, b) * tf.tensor(c)).sum()
    g = loss.runtime.grad(loss, a)
    np.testing.assert_allclose(g.numpy(), np.cross(b.numpy(), c))
    # (b × c)·v has the derivative c × v with respect to b.
    v = np.array([1.0, 3.0, -2.0])
    np.testing.assert_allclose(gradient((g * tf.tensor(v)).sum(), b), np.cross(c, v))


def test_b21_diagonal_with_the_first_axis_behind_the_second():
    x = leaf(np.arange(12.0).reshape(2, 3, 2))
    ct = np.arange(6.0).reshape(3, 2)
    for y in (tf.diagonal(x, 0, 2, 0), tf.extract_diag(x, 2, 0)):
        np.testing.assert_array_equal(y.numpy(), [[0, 7], [2, 9], [4, 11]])
        expected = np.zeros((2, 3, 2))
        expected[0, :, 0] = [0, 2, 4]
        expected[1, :, 1] = [1, 3, 5]
        np.testing.assert_array_equal(gradient((y * tf.tensor(ct)).sum(), x), expected)


SQUARE = [
    ("diag", ()),
    ("diagonal", ()),
    ("trace", ()),
    ("tril", ()),
    ("triu", ()),
    ("roll", (1,)),
    ("repeat", (2,)),
    ("tile", (2,)),
    ("rot90", ()),
    ("softmax", ()),
    ("layer_norm", ()),
    ("extract_diag", (0, 1)),
]


@pytest.mark.parametrize(("name", "args"), SQUARE)
def test_b17_gradients_add_up(name, args):
    a = np.random.default_rng(4).standard_normal((3, 3))
    f = getattr(tf, name)

    def loss(x):
        return (f(x, *args) ** 2).sum()

    x = leaf(a)
    alone = gradient(loss(x), x)
    for both in (lambda x: loss(x) + x.sum(), lambda x: x.sum() + loss(x)):
        x = leaf(a)
        np.testing.assert_allclose(gradient(both(x), x), alone + 1, rtol=1e-12, atol=1e-12)
