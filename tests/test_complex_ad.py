"""The complex convention (behaviour 12): the gradient is ∂/∂Re + i ∂/∂Im of the real part of the output."""

import cmath
import math

import numpy as np
import pytest

import tenferro as tf
from support import leaf

LN2 = math.log(2.0)

HOLOMORPHIC = [
    ("1 square", lambda z: z * z, 1 + 2j, 1, 2 - 4j),
    ("2 cube", lambda z: z**3, 1 + 1j, 1, -6j),
    ("3 exp at half a turn", lambda z: z.exp(), 0.5j * math.pi, 1, -1j),
    ("4 exp at log two", lambda z: z.exp(), LN2 + 0j, 1, 2),
    ("5 exp with a complex seed", lambda z: z.exp(), 0.5j * math.pi, 2 - 3j, -3 - 2j),
    ("12 reciprocal", lambda z: 1 / z, 1 + 1j, 1, -0.5j),
    ("13 log", lambda z: z.log(), 1 + 1j, 1, 0.5 + 0.5j),
    ("14 sqrt", lambda z: z.sqrt(), 2j, 1, 0.25 + 0.25j),
    ("15 sin", lambda z: z.sin(), 1 + 1j, 1, cmath.cos(1 + 1j).conjugate()),
    ("16 tanh", lambda z: z.tanh(), 0.5 + 0.5j, 1, (1 - cmath.tanh(0.5 + 0.5j) ** 2).conjugate()),
]

NOT_HOLOMORPHIC = [
    ("6 abs", lambda z: z.abs(), 3 + 4j, 1.0, 0.6 + 0.8j),
    ("7 abs squared", lambda z: z.abs() * z.abs(), 3 + 4j, 1.0, 6 + 8j),
    ("8 z conj z", lambda z: z * z.conj(), 3 + 4j, 1, 6 + 8j),
    ("9 conj", lambda z: z.conj(), 2 - 1j, 1, 1),
    ("9 conj with seed i", lambda z: z.conj(), 2 - 1j, 1j, -1j),
    ("10 real", lambda z: z.real, 2 - 1j, 1.0, 1),
    ("10 real by cast", lambda z: z.cast(tf.float64), 2 - 1j, 1.0, 1),
    ("11 imag", lambda z: z.imag, 2 - 1j, 1.0, 1j),
    ("11 imag by rotation", lambda z: (z * -1j).real, 2 - 1j, 1.0, 1j),
    ("abs at zero", lambda z: z.abs(), 0j, 1.0, 0),
    ("imag squared", lambda z: z.imag * z.imag, 2j, 1.0, 4j),
]


@pytest.mark.parametrize(
    ("function", "z", "seed", "expected"),
    [r[1:] for r in HOLOMORPHIC + NOT_HOLOMORPHIC],
    ids=[r[0] for r in HOLOMORPHIC + NOT_HOLOMORPHIC],
)
def test_row_of_the_table(function, z, seed, expected):
    x = leaf(complex(z))
    y = function(x)
    y.backward_with(tf.tensor(seed, dtype=y.dtype))
    assert x.grad.dtype == tf.complex128
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("name", "printed"), [("15 sin", 0.833730 + 0.988898j), ("16 tanh", 0.844943 + 0.455662j)])
def test_the_printed_digits_of_the_table(name, printed):
    (expected,) = [r[4] for r in HOLOMORPHIC if r[0] == name]
    assert abs(expected - printed) < 1e-6


@pytest.mark.parametrize(("function", "z"), [r[1:3] for r in HOLOMORPHIC], ids=[r[0] for r in HOLOMORPHIC])
def test_jvp_of_a_holomorphic_function_is_multiplication(function, z):
    x = leaf(complex(z))
    y = function(x)
    ctx = y.runtime
    one = ctx.jvp(y, x, tf.tensor(1 + 0j)).item()
    turned = ctx.jvp(y, x, tf.tensor(0.3 - 2j)).item()
    pulled = ctx.vjp(y, x, tf.tensor(1 + 0j)).item()
    assert abs(turned - (0.3 - 2j) * one) < 1e-14 * abs(turned)
    assert abs(pulled - one.conjugate()) < 1e-14 * abs(one)


@pytest.mark.parametrize(("seed", "expected"), [(1, 2.0), (1j, 3.0)])
def test_row_17_complex_constant_times_real_leaf(seed, expected):
    x = leaf(0.5)
    ((2 + 3j) * x).backward_with(tf.tensor(complex(seed)))
    assert x.grad.dtype == tf.float64
    assert x.grad.numpy() == expected


@pytest.mark.parametrize(("seed", "expected"), [(1, 0.0), (1j, -0.25)])
def test_row_18_real_leaf_converted_inside(seed, expected):
    """i·√(−x) at x = −4."""
    x = leaf(-4.0)
    y = 1j * (-x).convert(tf.complex128).sqrt()
    y.backward_with(tf.tensor(complex(seed)))
    assert x.grad.dtype == tf.float64
    assert x.grad.numpy() == expected
    assert y.runtime.jvp(y, x, tf.tensor(1.0)).item() == -0.25j


def test_row_19_matmul():
    rng = np.random.default_rng(19)
    a, b, ct = (rng.standard_normal(s) + 1j * rng.standard_normal(s) for s in [(2, 3), (3, 4), (2, 4)])
    x, y = leaf(a), leaf(b)
    (x @ y).backward_with(tf.tensor(ct))
    np.testing.assert_allclose(x.grad.numpy(), ct @ b.conj().T, rtol=1e-13)
    np.testing.assert_allclose(y.grad.numpy(), a.conj().T @ ct, rtol=1e-13)


def test_backward_of_a_complex_scalar_is_legal():
    z = leaf(1 + 2j)
    (z * z).backward()
    assert z.grad.numpy() == 2 - 4j


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_real_leaf_gets_the_real_part(dtype):
    x = leaf(np.ones(2, dtype="float32" if dtype == "complex64" else "float64"))
    y = (x * np.array([2 + 1j, 3 - 1j], dtype=dtype)).sum()
    assert y.dtype == np.dtype(dtype)
    y.backward()
    assert x.grad.dtype == x.dtype
    assert x.grad.numpy().tolist() == [2.0, 3.0]


def test_gradient_descends_the_real_part():
    """For real L, L(z − t·grad) falls by t·|grad|² to first order."""
    z = leaf(np.array([1 + 2j, -0.5j]))

    def loss(w):
        return (w * w * w.conj()).real.sum() + (w.imag * w.real).sum()

    loss(z).backward()
    g, t = z.grad.numpy(), 1e-6
    fall = (loss(z.detach() + t * g).item() - loss(z.detach() - t * g).item()) / (2 * t)
    assert fall == pytest.approx(np.sum(np.abs(g) ** 2), rel=1e-8)


LOSSES = {
    "abs squared": lambda z: (z * z.conj()).real.sum(),
    "quartic": lambda z: ((z * z.conj()) ** 2).real.sum(),
    "phase": lambda z: (z.exp() * z.conj().sin()).imag.sum(),
    "abs": lambda z: (z.abs() ** 3).sum(),
    "tanh": lambda z: (z.tanh() / (z + 2)).real.sum(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_second_order_hvp_identity(ctx, name):
    """The gradient of Re⟨g, v⟩ equals the directional derivative of g along v."""
    rng = np.random.default_rng(7)
    z = leaf(rng.standard_normal(3) + 1j * rng.standard_normal(3), runtime=ctx)
    v = tf.tensor(rng.standard_normal(3) + 1j * rng.standard_normal(3), runtime=ctx)
    g = ctx.grad(LOSSES[name](z), z)
    reverse = ctx.grad((g * v.conj()).sum(), z)
    forward = ctx.jvp(g, z, v)
    np.testing.assert_allclose(reverse.numpy(), forward.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_hvp_against_differences(ctx, name):
    rng = np.random.default_rng(8)
    z0 = rng.standard_normal(3) + 1j * rng.standard_normal(3)
    v0 = rng.standard_normal(3) + 1j * rng.standard_normal(3)

    def grad_at(w):
        z = leaf(w, runtime=ctx)
        return ctx.grad(LOSSES[name](z), z).numpy()

    z = leaf(z0, runtime=ctx)
    hv = ctx.jvp(ctx.grad(LOSSES[name](z), z), z, tf.tensor(v0, runtime=ctx)).numpy()
    t = 1e-5
    numeric = (grad_at(z0 + t * v0) - grad_at(z0 - t * v0)) / (2 * t)
    np.testing.assert_allclose(hv, numeric, rtol=1e-7, atol=1e-7)


def test_sign_of_complex_has_both_directions(ctx):
    z = leaf(3 + 4j, runtime=ctx)
    y = z.sign()
    assert y.item() == pytest.approx(0.6 + 0.8j)
    along = ctx.jvp(y, z, tf.tensor(0.6 + 0.8j, runtime=ctx)).item()
    across = ctx.jvp(y, z, tf.tensor(1j * (0.6 + 0.8j), runtime=ctx)).item()
    assert abs(along) < 1e-15
    assert across == pytest.approx(1j * (0.6 + 0.8j) / 5)
    seed = 0.2 - 1.5j
    pulled = ctx.vjp(y, z, tf.tensor(seed, runtime=ctx)).item()
    assert (pulled.conjugate() * 1j * (0.6 + 0.8j)).real == pytest.approx((seed.conjugate() * across).real)


def test_minus_zero_and_nan_do_not_leak_between_parts():
    """∂ of real and imag are exact: no 0·inf from the other part."""
    z = leaf(complex(math.inf, 1.0))
    z.imag.backward()
    assert z.grad.numpy() == 1j
    z.clear_grad()
    z.real.backward()
    assert z.grad.numpy() == 1
