"""Elementwise functions of two real operands, questions about values, repairs, activations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import tenferro as tf
from support import FLOATS, INTS, assert_equals, gradient, leaf, sample

INF, NAN = float("inf"), float("nan")
EDGES = np.array([0.0, -0.0, 1.0, -2.0, INF, -INF, NAN])

PAIRS: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "arctan2": np.arctan2,
    "hypot": np.hypot,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "heaviside": np.heaviside,
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_pairs_broadcast_over_dtypes_and_spellings(name: str, dtype: str) -> None:
    for a, b in [((), ()), ((2, 3), (3,)), ((2, 1), (3,)), ((0, 3), (3,))]:
        x, y = sample(dtype, a, 1), sample(dtype, b, 2)
        want = np.asarray(PAIRS[name](x, y))
        assert_equals(getattr(tf, name)(x, y), want, rtol=2e-6 if dtype == "float32" else 1e-14)
        assert_equals(getattr(tf.tensor(x), name)(y), want, rtol=2e-6 if dtype == "float32" else 1e-14)
    x = sample(dtype, (4, 6), 3)
    got = getattr(tf, name)(tf.tensor(x)[::2, ::-3], tf.tensor(x).T[:2, :2])
    assert_equals(got, PAIRS[name](x[::2, ::-3], x.T[:2, :2]), rtol=2e-6 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_edges(name: str) -> None:
    x, y = np.meshgrid(EDGES, EDGES)
    with np.errstate(all="ignore"):
        want = PAIRS[name](x, y)
    got = getattr(tf, name)(x, y).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-15)
    if name in ("atan2", "arctan2", "copysign"):
        assert np.array_equal(np.signbit(got), np.signbit(want))


@pytest.mark.parametrize("name", ["atan2", "hypot", "copysign", "logaddexp", "logaddexp2"])
def test_integers_become_float64_and_complex_is_refused(name: str) -> None:
    for dtype in INTS:
        x, y = sample(dtype, (5,), 1, -9, 9), sample(dtype, (5,), 2, -9, 9)
        assert_equals(getattr(tf, name)(x, y), PAIRS[name](x.astype(float), y.astype(float)), rtol=1e-14)
    with pytest.raises(tf.UnsupportedDTypeError, match=rf"{name}.*complex128"):
        getattr(tf, name)([1j], 1.0)
    with pytest.raises(tf.ShapeMismatchError):
        getattr(tf, name)(np.ones(2), np.ones(3))


def test_integers_stay_integers_where_nothing_is_computed() -> None:
    x, y = np.array([1, 5, -3]), np.array([2, 4, -4])
    for name in ("fmax", "fmin", "heaviside"):
        want = {"fmax": np.maximum(x, y), "fmin": np.minimum(x, y), "heaviside": np.array([1, 1, 0])}[name]
        assert_equals(getattr(tf, name)(x, y), want)


GRADIENTS: list[tuple[str, float, float, tuple[float, float]]] = [
    ("atan2", 0.0, 0.0, (0.0, 0.0)),
    ("atan2", 3.0, 4.0, (4 / 25, -3 / 25)),
    ("atan2", 1e-200, 0.0, (0.0, -1e200)),
    ("atan2", INF, INF, (0.0, 0.0)),
    ("atan2", 1.0, INF, (0.0, 0.0)),
    ("hypot", 0.0, 0.0, (0.0, 0.0)),
    ("hypot", 3e200, 4e200, (0.6, 0.8)),
    ("hypot", 0.0, -2.0, (0.0, -1.0)),
    ("copysign", 0.0, -1.0, (0.0, 0.0)),
    ("copysign", 2.0, -0.0, (-1.0, 0.0)),
    ("logaddexp", 2.0, 2.0, (0.5, 0.5)),
    ("logaddexp", INF, INF, (0.5, 0.5)),
    ("logaddexp", -INF, -INF, (0.5, 0.5)),
    ("logaddexp", -INF, 1.0, (0.0, 1.0)),
    ("logaddexp2", 1000.0, -1000.0, (1.0, 0.0)),
    ("nextafter", 1.0, 2.0, (1.0, 0.0)),
    ("fmax", 1.0, 1.0, (0.5, 0.5)),
    ("fmax", NAN, 1.0, (0.0, 1.0)),
    ("fmin", 1.0, NAN, (1.0, 0.0)),
    ("heaviside", 0.0, 0.5, (0.0, 1.0)),
    ("heaviside", 2.0, 0.5, (0.0, 0.0)),
    ("xlog1py", 0.0, -1.0, (0.0, 0.0)),
    ("ldexp", 3.0, 2.0, (4.0, 12 * np.log(2))),
]


@pytest.mark.parametrize(("name", "a", "b", "want"), GRADIENTS)
def test_gradients_at_kinks_and_ends(name: str, a: float, b: float, want: tuple[float, float]) -> None:
    x, y = leaf(a), leaf(b)
    grads = getattr(tf, name)(x, y).backward()
    got = [float(grads[v].numpy()) if v in grads else 0.0 for v in (x, y)]
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_second_derivative_of_logaddexp_at_a_tie() -> None:
    runtime = tf.EagerRuntime()
    x = tf.EagerTensor.requires_grad_in(tf.Tensor.from_numpy(np.array(2.0)), runtime)
    for f, want in ((tf.logaddexp, 0.25), (tf.logaddexp2, 0.25 * np.log(2))):
        g = runtime.grad(f(x, 2.0), x)
        np.testing.assert_allclose(runtime.grad(g, x).numpy(), want, rtol=1e-14)


def test_ldexp_rounds_once() -> None:
    x = np.array([1.5, 1.0, 5e-324, 1.7, 3.0, -1.1])
    n = np.array([4, -1074, 1074, -1070, 1022, -60])
    assert_equals(tf.ldexp(x, n), np.ldexp(x, n))
    assert_equals(tf.ldexp(x.astype("float32"), [3] * 6), np.ldexp(x.astype("float32"), 3))
    assert_equals(tf.ldexp([3], [2]), np.array([12.0]))


def test_float_power_and_lerp() -> None:
    assert_equals(tf.float_power([2, 3], [-1, 2]), np.array([0.5, 9.0]))
    assert_equals(tf.float_power(np.float32(2), [0.5]), np.array([2**0.5]))
    assert_equals(tf.float_power([1j], [2]), np.array([-1 + 0j]), rtol=1e-15)
    a, b = np.array([0.1, 1e20, 1.0]), np.array([0.7, 1.0, 1 + 2e-16])
    assert_equals(tf.lerp(a, b, 1.0), b)
    assert_equals(tf.lerp(a, b, 0.0), a)
    assert_equals(tf.lerp([0.0, 10.0], [1.0, 20.0], [0.25, 0.75]), np.array([0.25, 17.5]))
    assert_equals(tf.lerp([0, 10], [1, 20], 0.5), np.array([0.5, 15.0]))
    assert_equals(tf.lerp([0j], [1 + 1j], 0.5), np.array([0.5 + 0.5j]))
    x, y, w = leaf(1.0), leaf(3.0), leaf(0.25)
    np.testing.assert_allclose(gradient(tf.lerp(x, y, w), x, y, w), [0.75, 0.25, 2.0])


ACTIVATIONS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    # name: definition, limit at −∞, limit at ∞
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 0, 1),
    "silu": (lambda x: x / (1 + np.exp(-x)), 0, INF),
    "softplus": (lambda x: np.log1p(np.exp(x)), 0, INF),
    "log_sigmoid": (lambda x: -np.log1p(np.exp(-x)), -INF, 0),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), 0, INF),
    "mish": (lambda x: x * np.tanh(np.log1p(np.exp(x))), 0, INF),
    "relu": (lambda x: np.maximum(x, 0), 0, INF),
    "leaky_relu": (lambda x: np.where(x > 0, x, 0.01 * x), -INF, INF),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(x)), -1, INF),
    "celu": (lambda x: np.where(x > 0, x, np.expm1(x)), -1, INF),
    "selu": (
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
        -1.7580993408473766,
        INF,
    ),
    "softsign": (lambda x: x / (1 + abs(x)), -1, 1),
    "hardtanh": (lambda x: np.clip(x, -1, 1), -1, 1),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_activations(name: str, dtype: str) -> None:
    f, low, high = ACTIVATIONS[name]
    function = getattr(tf, name)
    for shape in [(), (7,), (0, 2), (2, 3)]:
        x = sample(dtype, shape, 5, -4, 4)
        want = np.asarray(f(x.astype("float64"))).astype(dtype)
        assert_equals(function(x), want, rtol=1e-5 if dtype == "float32" else 1e-12)
    ends = np.array([-INF, INF, NAN, 0.0], dtype=dtype)
    np.testing.assert_allclose(function(ends).numpy(), [low, high, NAN, f(0.0)], rtol=1e-6)
    x_ = leaf(np.array([-INF, -1e30, -700.0, 0.0, 700.0, 1e30, INF], dtype=dtype))
    assert np.isfinite(gradient(function(x_).sum(), x_)).all()
    with pytest.raises(tf.UnsupportedDTypeError, match="complex128"):
        function([1j])
    integers = function([-1, 0, 2])
    assert integers.dtype == (tf.int64 if name == "relu" else tf.float64)


def test_gelu() -> None:
    x = np.array([-30.0, -5.0, -1.0, 0.0, 0.3, 2.0, 40.0])
    want = [v * float(mp.ncdf(v)) for v in x.tolist()]
    np.testing.assert_allclose(tf.gelu(x).numpy(), want, rtol=1e-15)
    np.testing.assert_array_equal(tf.gelu([-INF, INF]).numpy(), [0.0, INF])
    np.testing.assert_array_equal(tf.gelu(x, "tanh").numpy(), tf.gelu_tanh(x).numpy())
    with pytest.raises(tf.InvalidArgumentError, match="expected one of 'none', 'tanh', got 'erf'"):
        tf.gelu(x, approximate="erf")  # type: ignore[arg-type]


def test_parameters_of_activations() -> None:
    x = np.array([-2.0, 0.5, 3.0])
    assert_equals(tf.softplus(x, 2.0), np.log1p(np.exp(2 * x)) / 2)
    assert_equals(tf.leaky_relu(x, 0.0), np.array([0.0, 0.5, 3.0]))
    assert_equals(tf.elu(x, 0.5), np.where(x > 0, x, 0.5 * np.expm1(x)))
    assert_equals(tf.celu(x, 0.5), np.where(x > 0, x, 0.5 * np.expm1(x / 0.5)))
    assert_equals(tf.hardtanh(x, -0.25, 2.0), np.clip(x, -0.25, 2.0))


KINKS: list[tuple[str, float]] = [
    ("relu", 0.0),
    ("leaky_relu", 0.01),
    ("elu", 1.0),
    ("celu", 1.0),
    ("selu", 1.7580993408473766),
    ("softsign", 1.0),
]


@pytest.mark.parametrize(("name", "slope"), KINKS)
def test_slopes_at_zero(name: str, slope: float) -> None:
    x = leaf(0.0)
    np.testing.assert_allclose(gradient(getattr(tf, name)(x), x), slope, rtol=1e-15)


def test_hardtanh_has_no_slope_at_its_corners() -> None:
    x = leaf([-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(gradient(tf.hardtanh(x).sum(), x), [0.0, 1.0, 0.0])


def test_questions() -> None:
    x = EDGES
    for dtype in FLOATS:
        narrow = x.astype(dtype)
        assert_equals(tf.isposinf(narrow), np.isposinf(narrow))
        assert_equals(tf.isneginf(narrow), np.isneginf(narrow))
        assert_equals(tf.signbit(narrow), np.signbit(narrow))
    assert_equals(tf.signbit([-1, 0, 2]), np.array([True, False, False]))
    assert_equals(tf.signbit([True]), np.array([False]))
    assert_equals(tf.isposinf([1, 2]), np.array([False, False]))
    z = np.array([1 + 0j, 1 - 1j, complex(0, NAN)])
    assert_equals(tf.isreal(z), np.isreal(z))
    assert_equals(tf.iscomplex(z), np.iscomplex(z))
    for real in (np.array([1.0]), np.array([1]), np.array([True])):
        assert_equals(tf.isreal(real), np.isreal(real))
        assert_equals(tf.iscomplex(real), np.iscomplex(real))
    for function in (tf.isposinf, tf.isneginf, tf.signbit):
        with pytest.raises(tf.UnsupportedDTypeError, match="complex"):
            function([1j])


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
def test_nan_to_num(dtype: str) -> None:
    x = EDGES.astype(dtype)
    if dtype not in FLOATS:
        x = np.empty((7, 7), dtype=dtype)
        x.real, x.imag = EDGES[:, None], EDGES
    assert_equals(tf.nan_to_num(x), np.nan_to_num(x))
    want = np.nan_to_num(x, nan=5.0, posinf=6.0, neginf=-7.0)
    assert_equals(tf.nan_to_num(x, 5.0, posinf=6.0, neginf=-7.0), want)
    assert_equals(tf.nan_to_num([1, 2]), np.array([1, 2]))


def test_derivative_of_nan_to_num() -> None:
    x = leaf([NAN, INF, -INF, 2.0])
    np.testing.assert_array_equal(gradient((tf.nan_to_num(x) * 3.0).sum(), x), [0.0, 0.0, 0.0, 3.0])


def test_closeness() -> None:
    x, y = np.meshgrid(np.append(EDGES, 1 + 1e-9), np.append(EDGES, 1 + 1e-4))
    for options in ({}, {"equal_nan": True}, {"rtol": 0.0, "atol": 1e-3}):
        with np.errstate(all="ignore"):
            want = np.isclose(x, y, **options)
        assert_equals(tf.isclose(x, y, **options), want)
        assert bool(tf.allclose(x, x, **options)) == np.allclose(x, x, **options)
    assert_equals(tf.isclose([1, 2], [1, 3]), np.array([True, False]))
    assert_equals(tf.isclose([True], [True]), np.array([True]))
    assert_equals(tf.isclose([1 + 1e-9j], [1]), np.array([True]))
    assert bool(tf.allclose(np.zeros((0, 3)), 1.0))
    assert not bool(tf.allclose([1.0, 2.0], [1.0, 2.1]))


def test_array_equal() -> None:
    x = np.array([1.0, NAN])
    assert bool(tf.array_equal([1, 2], [1.0, 2.0]))
    assert not bool(tf.array_equal(x, x))
    assert bool(tf.array_equal(x, x, equal_nan=True))
    assert not bool(tf.array_equal([1.0], [[1.0]]))
    assert bool(tf.array_equal(np.zeros((0, 2)), np.zeros((0, 2))))


def test_frac() -> None:
    x = leaf([1.25, -1.25, 0.0, INF])
    y = tf.frac(x)
    np.testing.assert_array_equal(y.numpy(), [0.25, -0.25, 0.0, 0.0])
    np.testing.assert_array_equal(gradient(y.sum(), x), [1.0, 1.0, 1.0, 0.0])
    assert_equals(tf.frac([3, -2]), np.array([0, 0]))


def test_scale_real() -> None:
    assert_equals(tf.scale_real([3], 2.5), np.array([9]))
    assert_equals(tf.scale_real(np.float32([3]), 2.5), np.float32([7.5]))
    assert_equals(tf.scale_real([1 + 1j], 2), np.array([2 + 2j]))
    for factor in (NAN, INF, 1e19):
        with pytest.raises(tf.InvalidArgumentError, match="argument 'factor'"):
            tf.scale_real([3], factor)
    with pytest.raises(tf.InvalidArgumentError, match="int32"):
        tf.scale_real(np.int32([3]), 2.0**31)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.scale_real([True], 2.0)
    x = leaf([1.0])
    np.testing.assert_array_equal(gradient(tf.scale_real(x, 3.0).sum(), x), [3.0])


def test_scale_complex() -> None:
    assert_equals(tf.scale_complex(np.complex64([1 + 1j]), 2j), np.complex64([-2 + 2j]))
    assert_equals(tf.scale_complex([1 + 1j], 2), np.array([2 + 2j]))
    with pytest.raises(tf.InvalidArgumentError, match="argument 'dtype'"):
        tf.scale_complex([1.0], 2j)
    with pytest.raises(tf.InvalidArgumentError, match="argument 'factor'"):
        tf.scale_complex([1j], [2j])  # type: ignore[arg-type]


def test_reduce_sum_squares() -> None:
    x = sample("float64", (2, 3), 1)
    assert_equals(tf.reduce_sum_squares(x), np.asarray((x * x).sum()))
    assert_equals(tf.reduce_sum_squares(x, [1]), (x * x).sum(1))
    assert_equals(tf.reduce_sum_squares(x, axis=0, keepdims=True), (x * x).sum(0, keepdims=True))
    assert_equals(tf.reduce_sum_squares(x, axes=()), x * x)
    v = leaf(x)
    np.testing.assert_allclose(gradient(tf.reduce_sum_squares(v), v), 2 * x)
    z = sample("complex128", (2, 3), 2)
    assert_equals(tf.reduce_sum_squares(z, axis=0), (abs(z) ** 2).sum(0))
    with pytest.raises(tf.UnsupportedDTypeError, match="bool"):
        tf.reduce_sum_squares([True])


def test_hypot_has_no_second_derivative_at_the_origin():
    """Its slope there is 0 by definition, and so is what follows from it."""
    x = tf.tensor([0.0, 3.0], requires_grad=True)
    slope = x.runtime.grad(tf.hypot(x, x).sum(), x)
    np.testing.assert_allclose(x.runtime.grad(slope.sum(), x).numpy(), [0.0, 0.0], atol=1e-15)
    tf.check_grads(tf.hypot, (tf.tensor([0.0, 3.0]), tf.tensor([1.0, 4.0])))
