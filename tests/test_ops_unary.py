"""Elementwise unary ops against NumPy: every dtype, shape and layout, and the special values."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import COMPLEX, FLOATS, INEXACT, INTS, NUMERIC, SHAPES, VIEWS, assert_equals, sample, spellings, tf_dtype

ANALYTIC = (
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "rsqrt"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "sinc", "sinpi", "cospi"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh"),
)
OF_REALS = ("cbrt", "deg2rad", "rad2deg")
ALIASES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "arg": "angle",
    "rint": "round",
    "fix": "trunc",
    "absolute": "abs",
    "conjugate": "conj",
    "negative": "neg",
}


def rsqrt(a):
    return (1 / np.sqrt(a)).astype(a.dtype)


REFERENCE = {
    "neg": np.negative,
    "exp": np.exp,
    "exp2": lambda a: np.exp2(a) if a.dtype.kind == "f" else np.asarray(2**a, dtype=a.dtype),
    "log2": np.log2,
    "log10": np.log10,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sinc": np.sinc,
    "sinpi": lambda a: (
        np.sin(a.dtype.type(np.pi) * a) if a.dtype.kind == "c" else np.sin(np.pi * a.astype(np.float64)).astype(a.dtype)
    ),
    "cospi": lambda a: (
        np.cos(a.dtype.type(np.pi) * a) if a.dtype.kind == "c" else np.cos(np.pi * a.astype(np.float64)).astype(a.dtype)
    ),
    "angle": lambda a: np.asarray(np.angle(a), dtype=a.real.dtype),
    "positive": np.positive,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": rsqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "abs": np.abs,
    "sign": np.sign,
    "conj": np.conj,
    "real": np.real,
    "imag": np.imag,
}

POSITIVE = ("log", "log1p", "log2", "log10", "sqrt", "rsqrt", "acosh")
WITHIN_ONE = ("asin", "acos", "atanh")


def input_for(name: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if name in POSITIVE:
        return sample(dtype, shape, low=1.0, high=4.0)
    if name in WITHIN_ONE:
        return sample(dtype, shape, low=-0.9, high=0.9)
    return sample(dtype, shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("name", REFERENCE)
def test_values(name, dtype, shape):
    a = input_for(name, dtype, shape)
    expected = np.asarray(REFERENCE[name](a))
    for result in (getattr(tf, name)(tf.tensor(a)), getattr(tf, name)(a)):
        assert_equals(result, expected)


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("name", REFERENCE)
def test_strided_inputs(name, dtype, layout):
    a = input_for(name, dtype, (3, 4, 2))
    result = getattr(tf, name)(VIEWS[layout](a))
    assert_equals(result, getattr(tf, name)(tf.tensor(a)).numpy(), rtol=0.0)
    assert_equals(result, REFERENCE[name](a))
    assert result.numpy().flags.f_contiguous or name in ("real", "imag", "conj", "positive")


@pytest.mark.parametrize("name", [n for n in REFERENCE if n not in ("real", "imag")])
def test_three_spellings(name):
    a = input_for(name, "complex128", (2, 3))
    for result in spellings(name, tf.tensor(a)):
        assert_equals(result, REFERENCE[name](a))


@pytest.mark.parametrize("name", ["real", "imag"])
def test_real_and_imag_are_properties_of_a_tensor(ctx, name):
    a = sample("complex128", (2, 3))
    x = tf.tensor(a, runtime=ctx)
    with ctx.session() as s:
        results = [getattr(tf, name)(x), getattr(x, name), getattr(s, name)(x)]
    for result in results:
        assert_equals(result, REFERENCE[name](a))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ANALYTIC)
def test_analytic_functions_of_integers_are_float64(name, dtype):
    a = np.array([1, 0] if name in WITHIN_ONE else [1, 2, 7], dtype=dtype)
    with np.errstate(divide="ignore"):
        expected = REFERENCE[name](a.astype(np.float64))
    assert_equals(getattr(tf, name)(tf.tensor(a)), expected)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ["neg", "abs", "sign"])
def test_exact_functions_keep_integers(name, dtype):
    a = np.array([-3, 0, 5], dtype=dtype)
    assert_equals(getattr(tf, name)(tf.tensor(a)), REFERENCE[name](a))


@pytest.mark.parametrize("dtype", INTS)
def test_the_smallest_integer_wraps(dtype):
    smallest = np.array([np.iinfo(dtype).min], dtype=dtype)
    x = tf.tensor(smallest)
    assert_equals(-x, smallest)
    assert_equals(x.abs(), smallest)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OF_REALS)
def test_functions_of_real_numbers(name, dtype, shape):
    a = sample(dtype, shape)
    assert_equals(getattr(tf, name)(a), getattr(np, name)(a))
    assert_equals(getattr(tf, name)(a.T), getattr(np, name)(a.T))
    for result in spellings(name, tf.tensor(a)):
        assert_equals(result, getattr(np, name)(a))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", [*OF_REALS, "signbit"])
def test_functions_of_real_numbers_refuse_complex_ones(name, dtype):
    with pytest.raises(tf.UnsupportedDTypeError, match=rf"{name}.*{dtype}"):
        getattr(tf, name)(tf.ones((2,), dtype=dtype))


@pytest.mark.parametrize("dtype", (*INTS, "bool"))
@pytest.mark.parametrize("name", [*OF_REALS, "angle"])
def test_functions_of_real_numbers_take_integers_as_float64(name, dtype):
    a = np.array([1, 0, 1], dtype=dtype)
    assert_equals(getattr(tf, name)(a), getattr(np, name)(a.astype("float64")))


@pytest.mark.parametrize("dtype", (*FLOATS, *INTS))
def test_signbit(dtype):
    a = np.array([-2, 3, 0, -0.0], dtype=dtype)
    for result in spellings("signbit", tf.tensor(a)):
        assert_equals(result, np.signbit(a))
    nan = np.copysign(np.float64(np.nan), [1.0, -1.0])
    assert tf.signbit(nan).tolist() == [False, True]
    assert not tf.signbit(tf.tensor([1.0], requires_grad=True)).tracks_grad


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_are_the_same_function(alias):
    a = input_for(ALIASES[alias], "float64", (3,))
    assert getattr(tf, alias)(a).tolist() == getattr(tf, ALIASES[alias])(a).tolist()
    assert getattr(tf, alias).__doc__ == getattr(tf, ALIASES[alias]).__doc__
    assert callable(getattr(tf.EagerTensor, alias))
    assert callable(getattr(tf.EagerSession, alias))


def derivatives(name, points, order):
    """The derivatives of this order, by reverse mode alone and by a last forward step."""
    x = tf.tensor(points, requires_grad=True)
    y = getattr(tf, name)(x)
    forward = y
    for _ in range(order):
        ones = tf.ones_like(y)
        forward = x.runtime.jvp(y, x, tf.ones_like(x))
        y = x.runtime.vjp(y, x, ones)
    np.testing.assert_allclose(forward.numpy(), np.conj(y.numpy()), rtol=1e-13)
    return forward.numpy()


# Points where the formula in elementary functions overflows, cancels or is 0/0, with the true derivative.
EDGES = [
    ("acosh", 1e200, 1e-200),
    ("acosh", 1 + 2.0**-52, 2.0**25.5),
    ("asinh", 1e200, 1e-200),
    ("asinh", -1e200, 1e-200),
    ("asin", 1 - 2.0**-53, 2.0**26),
    ("atan", 1e200, 0.0),
    ("atan", 1e150, 1e-300),
    ("tan", 1.5707963267948966, 2.6670937881135714e32),
    ("sinc", 0.0, 0.0),
    ("sinc", 1e-9, -(np.pi**2) / 3 * 1e-9),
    ("sinc", 2.0, 0.5),
    ("cbrt", 1e-300, 1e200 / 3),
    ("exp2", -1000.0, 2.0**-1000 * np.log(2)),
    ("log2", 1e-300, 1e300 / np.log(2)),
    ("log10", 1e300, 1e-300 / np.log(10)),
    ("asin", complex(2, 0.0), 1j / np.sqrt(3)),
    ("asin", complex(2, -0.0), -1j / np.sqrt(3)),
    ("acos", complex(2, 0.0), -1j / np.sqrt(3)),
    ("asinh", complex(0.0, 2), -1j / np.sqrt(3)),
    ("asinh", complex(-0.0, 2), 1j / np.sqrt(3)),
    ("acosh", complex(0.5, 0.0), -1j / np.sqrt(0.75)),
    ("acosh", complex(0.5, -0.0), 1j / np.sqrt(0.75)),
    ("acosh", complex(-2, 0.0), -1 / np.sqrt(3)),
    ("asinh", 1e200 + 1e200j, (0.5 - 0.5j) * 1e-200),
    ("atanh", 1e100 + 1e100j, 0.5j * 1e-200),
    ("tan", complex(0.5, 30), 4 * np.exp(2j * complex(0.5, 30))),
    ("sinc", 0j, 0j),
    ("tan", complex(1, 800), 0j),
]


@pytest.mark.parametrize(("name", "at", "expected"), EDGES)
def test_derivatives_at_the_edges(name, at, expected):
    np.testing.assert_allclose(derivatives(name, [at], 1), [expected], rtol=1e-13)


def test_derivatives_of_sinc_at_zero():
    for point in (0.0, 0j):
        for order in range(7):
            expected = 0.0 if order % 2 else (-1) ** (order // 2) * np.pi**order / (order + 1)
            np.testing.assert_allclose(derivatives("sinc", [point], order), [expected], rtol=1e-14)


def test_second_derivatives_far_out():
    assert derivatives("asinh", [1e100], 2)[0] == pytest.approx(-1e-200)
    assert derivatives("acosh", [1e100], 2)[0] == pytest.approx(-1e-200)
    assert derivatives("atan", [1e90], 2)[0] == pytest.approx(-2e-270)


def test_the_derivative_of_the_angle():
    z = tf.tensor([3 + 4j, 0j, -1 + 0j], requires_grad=True)
    grads = tf.angle(z).sum().backward()
    np.testing.assert_allclose(grads[z].numpy(), [(-4 + 3j) / 25, 0, -1j], rtol=1e-15)
    x = tf.tensor([-2.0, 0.0, 2.0], requires_grad=True)
    assert tf.angle(x).sum().backward()[x].numpy().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", NUMERIC)
def test_abs_of_complex_is_real(dtype):
    result = tf.tensor(sample(dtype, (3,))).abs()
    assert result.dtype == {"complex64": tf.float32, "complex128": tf.float64}.get(dtype, tf_dtype(dtype))


@pytest.mark.parametrize("name", ["neg", "sign"])
def test_bool_is_refused(name):
    with pytest.raises(tf.UnsupportedDTypeError, match=rf"{name}.*bool"):
        getattr(tf, name)(tf.tensor([True, False]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["neg", "exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tanh", "abs", "sign"])
def test_special_values_of_real_functions(name, dtype):
    a = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 88.0, -88.0], dtype=dtype)
    with np.errstate(all="ignore"):
        expected = REFERENCE[name](a)
    result = getattr(tf, name)(tf.tensor(a))
    assert_equals(result, expected, atol=0.0)
    real = ~np.isnan(expected) & ((a != 0) | (name != "sign"))
    assert np.array_equal(np.signbit(result.numpy()[real]), np.signbit(expected[real]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_rsqrt_at_the_edges(dtype):
    a = np.array([0.0, np.inf, np.nan, -1.0], dtype=dtype)
    assert_equals(tf.tensor(a).rsqrt(), np.array([np.inf, 0.0, np.nan, np.nan], dtype=dtype))


@pytest.mark.parametrize("name", [n for n in ANALYTIC if n not in ("rsqrt", "sinc", "sinpi", "cospi")])
def test_wide_range_of_arguments(name):
    """From 1e-300 to 1e300 with both signs: overflow, underflow and large phases included."""
    magnitude = 10.0 ** np.linspace(-300, 300, 601)
    a = np.concatenate([magnitude, -magnitude])
    with np.errstate(all="ignore"):
        expected = REFERENCE[name](a)
    assert_equals(getattr(tf, name)(tf.tensor(a)), expected, rtol=1e-14, atol=1e-323)


@pytest.mark.parametrize(
    ("name", "z"),
    [
        ("log", complex(-1.0, 0.0)),
        ("log", complex(-1.0, -0.0)),
        ("sqrt", complex(-4.0, 0.0)),
        ("sqrt", complex(-4.0, -0.0)),
        ("log1p", complex(-3.0, -0.0)),
    ],
)
def test_branch_cuts_follow_the_sign_of_zero(name, z):
    a = np.array([z])
    result = getattr(tf, name)(tf.tensor(a)).numpy()
    np.testing.assert_allclose(result, REFERENCE[name](a), rtol=1e-15)
    assert np.signbit(result.imag[0]) == np.signbit(z.imag)


def test_complex_expm1_and_log1p_are_accurate_near_zero():
    z = np.array([1e-12 + 1e-12j, -1e-9 + 2e-15j, 1e-20 - 1e-20j])
    expm1 = tf.tensor(z).expm1().numpy()
    log1p = tf.tensor(z).log1p().numpy()
    np.testing.assert_allclose(expm1, z + z**2 / 2, rtol=1e-14)
    np.testing.assert_allclose(log1p, z - z**2 / 2, rtol=1e-14)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_abs_and_sign_neither_overflow_nor_underflow(dtype):
    huge = {"complex64": 3e38, "complex128": 1e308}[dtype] / 2
    tiny = {"complex64": 1e-38, "complex128": 1e-308}[dtype]
    a = np.array([huge * (1 + 1j), tiny * (1 + 1j), 3e-5j], dtype=dtype)
    assert_equals(tf.tensor(a).abs(), np.abs(a))
    unit = np.array([1 + 1j, 1 + 1j, 1j]) / np.array([math.sqrt(2), math.sqrt(2), 1])
    assert_equals(tf.tensor(a).sign(), unit.astype(dtype))


def test_complex_tanh_of_large_arguments_is_finite():
    z = np.array([800 + 1j, -800 + 1j, 1 + 800j])
    assert_equals(tf.tensor(z).tanh(), np.tanh(z))


@pytest.mark.parametrize("dtype", ("int32", "int64", "float64"))
def test_parts_of_real_tensors(dtype):
    a = sample(dtype, (3,))
    x = tf.tensor(a)
    assert_equals(x.real, a)
    assert_equals(x.imag, np.zeros_like(a))
    assert_equals(x.conj(), a)


def test_large_arrays_agree_with_small_ones():
    """The threaded path gives the same bits as the single-threaded one."""
    a = sample("float64", (300_000,))
    for name in ("exp", "sin", "tanh", "sqrt"):
        b = np.abs(a) if name == "sqrt" else a
        whole = getattr(tf, name)(tf.tensor(b)).numpy()
        pieces = np.concatenate([getattr(tf, name)(tf.tensor(part)).numpy() for part in np.split(b, 100)])
        assert np.array_equal(whole, pieces)


@pytest.mark.parametrize("name", REFERENCE)
def test_nothing_writes_to_the_input(name):
    a = input_for(name, "float64", (64,))
    x = tf.tensor(a)
    getattr(tf, name)(x)
    assert np.array_equal(x.numpy(), a)
