"""Rows of elementwise ops: functions of one and of two operands, special functions, activations, repairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

import tenferro as tf
from accuracy import special
from ad.rows.case import REFUSED, WORKS, Array, Case, binary, unary


def by_mpmath(f: Any) -> Any:
    """The function of mpmath on arrays, in 40 digits."""

    def one(*values: float) -> float:
        with mp.workdps(40):
            return float(f(*[mp.mpf(v) for v in values]))

    return np.vectorize(one, otypes=[float])


def phi(x: Array) -> Array:
    return by_mpmath(mp.ncdf)(x)


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def softplus(x: Array) -> Array:
    return np.log1p(np.exp(x))


def elu(x: Array, alpha: float = 1.0) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(x))


def celu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(x / alpha))


def selu(x: Array) -> Array:
    return 1.0507009873554804934 * elu(x, 1.6732632423543772848)


def gelu_tanh(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def mvlgamma(x: float, p: int) -> Any:
    terms = (mp.loggamma(x - mp.mpf(j) / 2) for j in range(p))
    return mp.mpf(p * (p - 1)) / 4 * mp.log(mp.pi) + sum(terms, mp.mpf(0))


def lerp(x: Array, y: Array, w: Array) -> Array:
    return np.asarray(x + w * (y - x))


def repaired(x: Array) -> Array:
    return np.nan_to_num(x, nan=1.0)


SELECTED = np.array([[True, False, True], [False, True, True]])
REAL = "f"

ROWS: dict[str, list[Case]] = {
    # Activations
    "log_sigmoid": unary(-3, 3, REAL, lambda x: -softplus(-x)),
    "silu": unary(-3, 3, REAL, lambda x: x * sigmoid(x)),
    "gelu_tanh": unary(-3, 3, REAL, gelu_tanh),
    "mish": unary(-3, 3, REAL, lambda x: x * np.tanh(softplus(x))),
    "relu": unary(-3, 3, REAL, lambda x: np.maximum(x, 0)),
    "selu": unary(-3, 3, REAL, selu),
    "softsign": unary(-3, 3, REAL, lambda x: x / (1 + abs(x))),
    "softplus": unary(-3, 3, REAL, softplus) + unary(-3, 3, REAL, lambda x: softplus(2 * x) / 2, beta=2.0),
    "gelu": unary(-3, 3, REAL, lambda x: x * phi(x)) + unary(-3, 3, REAL, gelu_tanh, approximate="tanh"),
    "leaky_relu": unary(-3, 3, REAL, lambda x: np.where(x > 0, x, 0.2 * x), negative_slope=0.2),
    "elu": unary(-3, 3, REAL, lambda x: elu(x, 0.7), alpha=0.7),
    "celu": unary(-3, 3, REAL, lambda x: celu(x, 0.7), alpha=0.7),
    "hardtanh": unary(-3, 3, REAL, lambda x: np.clip(x, -1, 1)),
    # Functions of one operand
    "neg": unary(expected=np.negative),
    "positive": unary(),
    "abs": unary(),
    "sign": unary(),
    "conj": unary(),
    "exp": unary(),
    "exp2": unary(),
    "expm1": unary(),
    "log": unary(0.3, 3),
    "log1p": unary(-0.7, 3),
    "log2": unary(0.3, 3),
    "log10": unary(0.3, 3),
    "sqrt": unary(0.3, 3),
    "rsqrt": unary(0.3, 3, expected=lambda x: 1 / np.sqrt(x)),
    "cbrt": unary(-3, 3, REAL),
    "sin": unary(),
    "cos": unary(),
    "tan": unary(-1.2, 1.2),
    "sinh": unary(),
    "cosh": unary(),
    "tanh": unary(),
    "asin": unary(-0.8, 0.8),
    "acos": unary(-0.8, 0.8),
    "atan": unary(-0.8, 0.8),
    "asinh": unary(-0.8, 0.8),
    "acosh": unary(1.2, 3),
    "atanh": unary(-0.8, 0.8),
    "sinpi": unary(-0.9, 0.8, expected=lambda x: np.sin(np.pi * x)),
    "cospi": unary(-0.9, 0.8, expected=lambda x: np.cos(np.pi * x)),
    "deg2rad": unary(-90, 90, REAL),
    "rad2deg": unary(-3, 3, REAL),
    "angle": unary(0.3, 1.5),
    "sinc": unary(),
    "square": unary(),
    "reciprocal": unary(0.3, 3),
    "floor": unary(-3, 3, REAL),
    "ceil": unary(-3, 3, REAL),
    "trunc": unary(-3, 3, REAL),
    "round": unary(-3.3, 3),
    "real": unary(),
    "imag": unary(),
    "frac": unary(-3, 3, REAL, lambda x: x - np.trunc(x)),
    "nan_to_num": unary(expected=repaired, nan=1.0),
    "scale_real": unary(expected=lambda x: 2.5 * x, factor=2.5),
    "scale_complex": unary(kinds="c", expected=lambda x: (2.5 - 1j) * x, factor=2.5 - 1j),
    "to_complex": unary(expected=lambda x: x + 0j),
    "cast": [Case(params={"dtype": tf.complex128}, expected=lambda x: x + 0j, scalar=WORKS, keeps_precision=False)],
    "convert": [Case(params={"dtype": tf.complex128}, expected=lambda x: x + 0j, scalar=WORKS, keeps_precision=False)],
    # Special functions
    "erf": unary(-2, 2, REAL, by_mpmath(mp.erf)),
    "erfc": unary(-2, 2, REAL, by_mpmath(mp.erfc)),
    "erfcx": unary(-2, 2, REAL, by_mpmath(special.erfcx)),
    "erfinv": unary(-0.8, 0.8, REAL, by_mpmath(mp.erfinv)),
    "erfcinv": unary(0.2, 1.8, REAL, by_mpmath(special.erfcinv)),
    "ndtr": unary(-2, 2, REAL, phi),
    "ndtri": unary(0.1, 0.9, REAL, by_mpmath(special.ndtri)),
    "log_ndtr": unary(-3, 2, REAL, by_mpmath(special.log_ndtr)),
    "lgamma": unary(0.4, 4, REAL, by_mpmath(mp.loggamma)),
    "gamma": unary(0.4, 4, REAL, by_mpmath(mp.gamma)),
    "mvlgamma": unary(1.4, 4, REAL, lambda x: by_mpmath(lambda v: mvlgamma(v, 3))(x), p=3),
    "digamma": unary(0.4, 4, REAL, by_mpmath(mp.digamma)),
    "polygamma": [
        Case(
            call=lambda f, x: f(2, x),
            expected=by_mpmath(lambda v: mp.polygamma(2, v)),
            low=0.6,
            high=4,
            kinds=REAL,
            scalar=WORKS,
        )
    ],
    "entr": unary(0.2, 3, REAL, lambda x: -x * np.log(x)),
    "sigmoid": unary(-3, 3, REAL, sigmoid),
    "logit": unary(0.1, 0.9, REAL, lambda x: np.log(x / (1 - x)))
    + unary(
        0.01,
        0.9,
        REAL,
        lambda x: np.log(np.maximum(x, 0.2) / (1 - np.maximum(x, 0.2))) * (x < 0.8) + np.log(4) * (x >= 0.8),
        eps=0.2,
    ),
    "i0": unary(-2, 2, REAL, by_mpmath(lambda v: mp.besseli(0, v))),
    "i1": unary(-2, 2, REAL, by_mpmath(lambda v: mp.besseli(1, v))),
    "i0e": unary(-2, 2, REAL, by_mpmath(special.i0e)),
    "i1e": unary(-2, 2, REAL, by_mpmath(special.i1e)),
    "xlogy": binary(0.3, 3, expected=lambda x, y: x * np.log(y)),
    "xlog1py": binary(0.3, 3, expected=lambda x, y: x * np.log1p(y)),
    # Functions of two operands
    "add": binary(),
    "sub": binary(expected=np.subtract),
    "mul": binary(expected=np.multiply),
    "div": binary(0.3, 3, expected=np.divide),
    "divide": binary(0.3, 3),
    "pow": binary(0.3, 2),
    "float_power": [
        Case(((3, 1), (1, 2)), low=0.3, high=2, scalar=WORKS, keeps_precision=False),
    ],
    "divmod": binary(0.3, 3, REAL),
    "modf": unary(-3, 3, REAL),
    "frexp": unary(0.3, 3, REAL),
    "floor_divide": binary(0.3, 3, REAL),
    "remainder": binary(0.3, 3, REAL),
    "rem": binary(0.3, 3, REAL, np.fmod),
    "maximum": binary(kinds=REAL),
    "minimum": binary(kinds=REAL),
    "fmax": binary(kinds=REAL),
    "fmin": binary(kinds=REAL),
    "atan2": binary(0.3, 3, REAL),
    "hypot": binary(0.3, 3, REAL),
    "copysign": binary(kinds=REAL),
    "nextafter": binary(kinds=REAL),
    "logaddexp": binary(-3, 3, REAL),
    "logaddexp2": binary(-3, 3, REAL),
    "ldexp": [
        *binary(-2, 2, REAL, lambda x, y: x * 2**y),
        Case(call=lambda f, x: f(x, 3), expected=lambda x: 8 * x, scalar=WORKS),
    ],
    "heaviside": binary(kinds=REAL),
    "lerp": [
        Case(((2, 3), (2, 3), ()), expected=lerp, scalar=WORKS),
        Case(((3, 1), (1, 2), (3, 2)), expected=lerp, scalar=WORKS),
    ],
    "select": [
        Case(
            ((2, 3), (3,)),
            call=lambda f, x, y: f(SELECTED, x, y),
            expected=lambda x, y: np.where(SELECTED, x, y),
            empty=REFUSED,
            scalar=WORKS,
        ),
    ],
    "clamp": [
        Case(kinds=REAL, params={"lower": -0.6, "upper": 0.7}, expected=lambda x: np.clip(x, -0.6, 0.7), scalar=WORKS),
        Case(kinds=REAL, params={"min": -0.6}, expected=lambda x: np.maximum(x, -0.6), scalar=WORKS),
        Case(
            ((2, 3), (), ()),
            kinds=REAL,
            call=lambda f, x, a, b: f(x, a - 1, b),
            expected=lambda x, a, b: np.clip(x, a - 1, b),
            scalar=WORKS,
        ),
    ],
}
