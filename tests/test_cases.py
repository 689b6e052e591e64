"""Inputs from bug reports of other libraries, groups A to C: complex derivatives, broadcasting, NaN-safe derivatives.

The numbers in the names are those of the project's list of cases; einsum (D) and linear algebra (E) come with their ops,
as do B04 (angle), B09 and B25 (norm), B21 (diagonal) and B29 (std).
"""

import math

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, gradient, leaf


@pytest.mark.parametrize("at", [[0.0], [0j]])
def test_b01_abs_at_zero(at):
    x = leaf(at)
    assert gradient(x.abs().sum(), x).tolist() == [0]


def test_b01_abs_at_zero_in_a_captured_trace(ctx):
    x = tf.tensor([0j], runtime=ctx)
    with ctx.capture_trace():
        y = x.abs().sum()
    assert ctx.grad(y, x).numpy().tolist() == [0]


def test_b02_abs_of_tiny_complex():
    z = leaf(np.array([0, -1.0568e-23], dtype=np.complex64))
    y = z.abs()
    np.testing.assert_allclose(y.numpy(), np.array([0, 1.0568e-23], dtype=np.float32), rtol=1e-6)
    np.testing.assert_allclose(gradient(y.sum(), z), [0, -1 + 0j], rtol=1e-6)


def test_b02_abs_of_huge_complex():
    z = leaf(np.array([1e30 * (1 + 1j)], dtype=np.complex64))
    y = z.abs()
    np.testing.assert_allclose(y.numpy(), [1.4142135e30], rtol=1e-6)
    np.testing.assert_allclose(gradient(y.sum(), z), [0.70710677 * (1 + 1j)], rtol=1e-6)


def test_b03_abs_at_infinity():
    z = leaf(complex(math.inf, 0.0))
    y = z.abs()
    assert y.item() == math.inf
    g = complex(gradient(y, z))
    assert g == 1 or math.isnan(g.real)


def test_b05_imaginary_part_of_exp():
    z = leaf([1 + 0j, 2, 3])
    expected = [2.718281828459045j, 7.38905609893065j, 20.085536923187668j]
    np.testing.assert_allclose(gradient(z.exp().sum().imag, z), expected, rtol=1e-15, atol=1e-15)


def test_b06_real_input_complex_inside():
    x = leaf([1.0])
    g = gradient((x + 1j * x).real.sum(), x)
    assert g.dtype == np.float64
    assert g.tolist() == [1.0]


def test_b07_convention():
    z = leaf(3 + 4j)
    assert gradient((z * z.conj()).real, z) == 6 + 8j
    w = leaf(2j)
    assert gradient(w.imag * w.imag, w) == 4j
    u = leaf(0.3 - 0.7j)
    np.testing.assert_allclose(gradient(u.exp(), u), np.exp(0.3 + 0.7j), rtol=1e-15)


def test_b08_powers_of_complex_zero():
    z = leaf(0j)
    y = z**2
    assert y.item() == 0
    assert gradient(y, z) == 0
    assert (leaf(0j) ** 0).item() == 1
    root = leaf(0j)
    value = root**0.5
    assert value.item() == 0
    assert not np.isfinite(gradient(value, root))


def test_b10_linear_layer():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    w, b = leaf([[1.0], [0.0], [-1.0]]), leaf([[0.5, -0.5, 1.0]])
    t = tf.tensor([[1.0], [2.0]])
    loss = (((x @ w) + b - t) ** 2).sum()
    assert loss.item() == 64.0
    dw, db = gradient(loss, w, b)
    assert dw.ravel().tolist() == [-104.0, -142.0, -180.0]
    assert db.tolist() == [[-12.0, -16.0, -10.0]]


def test_b11_rank_zero_leaf():
    v = leaf(3.0)
    g = gradient((tf.ones((2,)) * v).sum(), v)
    assert g.shape == ()
    assert g == 2.0


def test_b12_broadcast_of_a_row_and_a_column():
    b, column = leaf(np.arange(5.0)), leaf(np.arange(1.0, 6.0)[:, None])
    db, dl = gradient((b * column).sum(), b, column)
    assert np.array_equal(db, np.full(5, 15.0))
    assert np.array_equal(dl, np.full((5, 1), 10.0))


def test_b13_products_with_vectors():
    x, w = leaf(np.ones(5)), leaf(np.arange(15.0).reshape(5, 3))
    dw, dx = gradient((x @ w).sum(), w, x)
    assert np.array_equal(dw, np.ones((5, 3)))
    assert np.array_equal(dx, np.arange(15.0).reshape(5, 3).sum(axis=1))
    for rows, columns in ((3, 5), (4, 4)):
        a0, b0 = np.arange(float(rows * columns)).reshape(rows, columns), np.arange(1.0, columns + 1)
        a, b = leaf(a0), leaf(b0)
        da, db = gradient((a @ b).sum(), a, b)
        assert np.array_equal(da, np.outer(np.ones(rows), b0))
        assert np.array_equal(db, a0.sum(axis=0))


def test_b14_matrix_times_batch():
    rng = np.random.default_rng(14)
    a, b = leaf(rng.standard_normal((10, 12))), tf.tensor(rng.standard_normal((12, 4, 2)))
    g = gradient((a @ b).sum(), a)
    assert g.shape == (10, 12)
    np.testing.assert_allclose(g, np.broadcast_to(b.numpy().sum(axis=(1, 2)), (10, 12)), rtol=1e-13)


def test_b15_sum_of_a_broadcast():
    x = leaf([1.0, 2.0, 3.0])
    assert gradient(x.broadcast_in_dim((4, 3), [1]).sum(), x).tolist() == [4.0, 4.0, 4.0]


def test_b16_diamond():
    x = leaf(2.0)
    y = 3 * x
    assert gradient(2 * y + 5 * y, x) == 21.0


UNARY = {
    "neg": lambda x: -x,
    "exp": tf.exp,
    "expm1": tf.expm1,
    "log": tf.log,
    "log1p": tf.log1p,
    "sqrt": tf.sqrt,
    "rsqrt": tf.rsqrt,
    "sin": tf.sin,
    "cos": tf.cos,
    "tanh": tf.tanh,
    "abs": tf.abs,
    "sign": tf.sign,
    "conj": tf.conj,
    "square": lambda x: x * x,
    "div": lambda x: 1 / x,
    "pow": lambda x: x**1.5,
    "rem": lambda x: x % 0.7,
    "maximum": lambda x: tf.maximum(x, 1.0),
    "clamp": lambda x: x.clamp(0.6, 1.4),
    "where": lambda x: tf.where(x > 1, x, 2 * x),
    "cast": lambda x: x.cast(tf.float32).cast(tf.float64),
    "sum": lambda x: x.sum(keepdims=True),
    "prod": lambda x: x.prod(axis=0),
    "max": lambda x: x.max(axis=1),
    "mean": lambda x: x.mean(),
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape(-1),
    "broadcast": lambda x: x.broadcast_in_dim((2, 3, 2), [1, 2]),
    "reverse": lambda x: x.reverse([0]),
    "slice": lambda x: x[1:, ::2],
    "pad": lambda x: x.pad([1, 0], [0, 2]),
    "concatenate": lambda x: tf.concatenate([x, x], 0),
    "stack": lambda x: tf.stack([x, x], 0),
    "take": lambda x: x.take([0, 0], axis=1),
    "mask": lambda x: x[np.array([True, False, True])],
    "at": lambda x: x.at[0].add(x[1]),
    "matmul": lambda x: x @ x.T,
}


@pytest.mark.parametrize("name", UNARY)
def test_b17_every_rule_adds_to_what_is_there(name):
    f = UNARY[name]
    at = np.array([[0.5, 0.9], [1.3, 1.7], [2.1, 2.5]])
    x = leaf(at)
    alone = gradient(f(x).sum(), x)
    for loss in (f(x).sum() + x.sum(), x.sum() + f(x).sum()):
        np.testing.assert_allclose(gradient(loss, x), alone + 1, rtol=1e-14)


def test_b18_repeated_positions():
    x = leaf([0.1])
    y = x.take([0, 0])
    y.backward_with(tf.tensor([0.2, 0.3]))
    assert x.grad.numpy() == pytest.approx([0.5])
    data = leaf([[1.0, 2.0], [3.0, 4.0]])
    assert gradient(data[[1, 1, 0], [1, 1, 0]].sum(), data).tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_b19_negative_index():
    x = leaf([1.0, 2.0, 3.0])
    y = x[[-1]]
    assert y.numpy().tolist() == [3.0]
    assert gradient(y.sum(), x).tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(IndexError):
        x[[3]]


def test_b20_concatenation_with_an_untracked_first_piece():
    x = leaf([1.0, 2.0])
    y = tf.concatenate([tf.zeros((3,)), x], 0)
    assert gradient((y * np.arange(1.0, 6.0)).sum(), x).tolist() == [4.0, 5.0]


@pytest.mark.parametrize("name", ["max", "min"])
def test_b22_ties_sum_to_one(name):
    x = leaf([1.0, 1.0, 1.0])
    assert gradient(getattr(x, name)(), x) == pytest.approx([1 / 3] * 3)
    y = leaf(np.ones((2, 3)))
    assert gradient(getattr(y, name)(axis=1).sum(), y).sum(axis=1) == pytest.approx([1.0, 1.0])
    a, b = leaf([1.0]), leaf([1.0])
    ga, gb = gradient(getattr(tf, f"{name}imum")(a, b).sum(), a, b)
    assert (ga.tolist(), gb.tolist()) == ([0.5], [0.5])


def test_b23_an_operand_with_stride_zero():
    x, w = leaf([[1.0, 2.0]]), leaf([[1.0, 2.0], [3.0, 4.0]])
    repeated = x.detach().broadcast_to((2, 2)).as_leaf()
    ctx, seed = x.runtime, tf.tensor(np.eye(2))
    assert ctx.vjp(repeated @ w, repeated, seed).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    into_x, into_w = ctx.vjp(x.broadcast_to((2, 2)) @ w, [x, w], seed)
    assert into_x.tolist() == [[3.0, 7.0]]
    assert into_w.tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_b24_product_with_zeros():
    for at, expected in (([2.0, 0, 3, 4], [0.0, 24, 0, 0]), ([0.0, 0, 3], [0.0, 0, 0]), ([2.0, 3, 4], [12.0, 8, 6])):
        x = leaf(at)
        assert gradient(x.prod(), x).tolist() == expected
    y = leaf([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0], [1.0, 2.0, 3.0]])
    assert gradient(y.prod(axis=1).sum(), y).tolist() == [[0.0, 6.0, 0.0], [0.0, 0.0, 0.0], [6.0, 3.0, 2.0]]


def test_b24_second_order_of_a_product_with_zeros(ctx):
    for at in ([2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 3.0, 5.0], [1.0, 2.0, 3.0, 4.0]):
        x = leaf(at, runtime=ctx)
        g = ctx.grad(x.prod(), x)
        hessian = [ctx.grad(g[i], x).numpy() for i in range(4)]
        expected = [
            [0.0 if i == j else np.prod([v for k, v in enumerate(at) if k not in (i, j)]) for j in range(4)]
            for i in range(4)
        ]
        assert np.array_equal(hessian, expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_b26_powers_at_zero(dtype):
    x = leaf(np.array([0.0, 1.0], dtype=dtype))
    assert gradient((x**0).sum(), x).tolist() == [0.0, 0.0]
    assert gradient((x ** tf.tensor(np.zeros(2, dtype=dtype))).sum(), x).tolist() == [0.0, 0.0]
    y = leaf(np.array([0.0], dtype=dtype))
    assert gradient((y**1.5).sum(), y).tolist() == [0.0]
    assert gradient((y**2).sum(), y).tolist() == [0.0]
    assert gradient((y**1).sum(), y).tolist() == [1.0]


def test_b27_branches_not_taken():
    x = leaf([-1.0, -4.0])
    assert gradient(tf.where(x > 0, x.sqrt(), x).sum(), x).tolist() == [1.0, 1.0]
    y = leaf([0.0, math.inf])
    assert gradient(tf.where(y < 1, y.cos(), 0.0).sum(), y).tolist() == [0.0, 0.0]
    z = leaf(np.array(100.0, dtype=np.float32))
    assert gradient(tf.where(z <= 0, z.exp(), 1 + z), z) == 1.0


def test_b28_a_slice_that_leaves_the_singular_point_out():
    x = leaf([-1.0, 0.5, 1.0])
    assert gradient(x.log1p()[1:].sum(), x) == pytest.approx([0.0, 2 / 3, 1 / 2])


ZERO_COTANGENT = {
    "log": (tf.log, 0.0),
    "sqrt": (tf.sqrt, 0.0),
    "rsqrt": (tf.rsqrt, 0.0),
    "reciprocal": (lambda x: 1 / x, 0.0),
    "log1p": (tf.log1p, -1.0),
    "pow": (lambda x: x**0.5, 0.0),
}


@pytest.mark.parametrize("name", ZERO_COTANGENT)
def test_b28_a_zero_cotangent_stays_zero(name):
    f, at = ZERO_COTANGENT[name]
    x = leaf([at, 1.0])
    assert gradient(f(x)[1:].sum(), x)[0] == 0.0
