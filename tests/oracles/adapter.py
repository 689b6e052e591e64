"""PyTorch's elementwise ops and reductions in terms of this library; `OPS` has an entry for every op that is compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tenferro as tf
from oracles.contraction import OPS as CONTRACTION
from oracles.structure import OPS as STRUCTURE
from oracles.structure import axes

T = tf.EagerTensor

SELU_SCALE = 1.0507009873554804934193349852946
SELU_ALPHA = 1.6732632423543772848170429916717
# PyTorch's derivative of hardsigmoid has this slope in single precision for every dtype.
HARD_SIGMOID_SLOPE = float(np.float32(1 / 6))


def is_complex(x: T) -> bool:
    return np.dtype(x.dtype).kind == "c"


def tensor_or_number(x: Any, like: T) -> T:
    return x if isinstance(x, T) else tf.full_like(like, x)


def add(a: T, b: T, alpha: Any = 1) -> T:
    return a + b * alpha


def sub(a: T, b: T, alpha: Any = 1) -> T:
    return a - b * alpha


def rsub(a: T, b: T, alpha: Any = 1) -> T:
    return b - a * alpha


def float_power(a: T, b: T) -> T:
    wide = "complex128" if is_complex(a) or is_complex(b) else "float64"
    return tf.pow(tf.cast(a, wide), tf.cast(b, wide))


def fmax(a: T, b: T) -> T:
    return tf.where(tf.isnan(a), b, tf.where(tf.isnan(b), a, tf.maximum(a, b)))


def fmin(a: T, b: T) -> T:
    return tf.where(tf.isnan(a), b, tf.where(tf.isnan(b), a, tf.minimum(a, b)))


def copysign(a: T, b: Any) -> T:
    return tf.abs(a) * tf.sign(tensor_or_number(b, a))


def complex_from_parts(a: T, b: T) -> T:
    return a + b * 1j


def polar(a: T, b: T) -> T:
    return a * tf.cos(b) + a * tf.sin(b) * 1j


def ldexp(a: T, b: T) -> T:
    return a * tf.pow(tf.full_like(b, 2.0), b)


def logaddexp(a: T, b: T) -> T:
    """log(eᵃ + eᵇ), the larger (by the real part) of the two taken out of the exponentials."""
    a_leads = tf.real(a) >= tf.real(b)
    larger, smaller = tf.where(a_leads, a, b), tf.where(a_leads, b, a)
    return larger + tf.log1p(tf.exp(smaller - larger))


def xlogy(a: T, b: T) -> T:
    return tf.where(a == 0, 0.0, a * tf.log(b))


def xlog1py(a: T, b: T) -> T:
    return tf.where(a == 0, 0.0, a * tf.log1p(b))


def entropy(a: T) -> T:
    inside = -a * tf.log(tf.where(a > 0, a, 1.0))
    return tf.where(a > 0, inside, tf.where(a == 0, tf.zeros_like(a), -math.inf))


def sigmoid(a: T) -> T:
    return tf.reciprocal(1.0 + tf.exp(-a))


def softplus(a: T, beta: float = 1, threshold: float = 20) -> T:
    return tf.where(a * beta > threshold, a, tf.log1p(tf.exp(a * beta)) / beta)


def log_sigmoid(a: T) -> T:
    return tf.minimum(a, 0.0) - tf.log1p(tf.exp(-tf.abs(a)))


def logit(a: T, eps: float | None = None) -> T:
    z = a if eps is None else tf.clamp(a, eps, 1 - eps)
    return tf.log(z / (1.0 - z))


def mantissa(a: T) -> T:
    """The output of frexp that is differentiable: a = mantissa · 2ᵉ with ½ ≤ |mantissa| < 1."""
    _, exponents = np.frexp(a.numpy())
    return a * np.ldexp(1.0, -exponents).astype(a.numpy().dtype)


def frac(a: T) -> T:
    return a - tf.trunc(a)


def round_to(a: T, decimals: int = 0) -> T:
    return tf.round(a * 10.0**decimals) / 10.0**decimals


def nan_to_num(a: T) -> T:
    largest = float(np.finfo(np.dtype(a.dtype)).max)
    return tf.where(tf.isnan(a), 0.0, tf.where(a == math.inf, largest, tf.where(a == -math.inf, -largest, a)))


def fill(a: T, value: Any) -> T:
    return tf.where(np.zeros(a.shape, dtype=bool), a, tf.full_like(a, value))


def hard_tanh(a: T, min_val: float = -1.0, max_val: float = 1.0) -> T:
    return tf.where(a <= min_val, min_val, tf.where(a >= max_val, max_val, a))


def hard_shrink(a: T, lambd: float = 0.5) -> T:
    return tf.where(tf.logical_and(a >= -lambd, a <= lambd), 0.0, a)


def soft_shrink(a: T, lambd: float = 0.5) -> T:
    return tf.where(a > lambd, a - lambd, tf.where(a < -lambd, a + lambd, 0.0))


def elu(a: T, alpha: float = 1.0, scale: float = 1.0) -> T:
    return tf.where(a > 0, a, tf.expm1(a) * alpha) * scale


def leaky(a: T, slope: Any) -> T:
    return tf.where(a > 0, a, a * slope)


def prelu(a: T, weight: T) -> T:
    """A slope for all elements, or one for each position of axis 1."""
    if weight.size == 1:
        return leaky(a, tf.reshape(weight, ()))
    return leaky(a, tf.reshape(weight, (-1, *[1] * (a.ndim - 2))) if a.ndim > 1 else weight)


def rrelu(a: T, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> T:
    assert not training
    return leaky(a, (lower + upper) / 2)


def reduction(reduce: Callable[..., T]) -> Callable[..., T]:
    def op(a: T, dim: Any = None, keepdim: bool = False, dtype: str | None = None) -> T:
        x = a if dtype is None else tf.cast(a, dtype)
        return reduce(x, axes(a, dim), keepdim)

    return op


def nansum(a: T, dim: Any = None, keepdim: bool = False) -> T:
    return tf.sum(tf.where(tf.isnan(a), 0.0, a), axes(a, dim), keepdim)


def nanmean(a: T, dim: Any = None, keepdim: bool = False) -> T:
    numbers = tf.where(tf.isnan(a), 0.0, tf.ones_like(tf.real(a)))
    return nansum(a, dim, keepdim) / tf.sum(numbers, axes(a, dim), keepdim)


def squares(a: T) -> T:
    return tf.real(a * tf.conj(a))


def var(
    a: T,
    dim: Any = None,
    keepdim: bool = False,
    unbiased: bool = True,
    correction: float | None = None,
) -> T:
    along = axes(a, dim)
    count = math.prod(a.shape[i] for i in along)
    freedom = max(count - (int(unbiased) if correction is None else correction), 0)
    total = tf.sum(squares(a - tf.mean(a, along, True)), along, keepdim)
    return total / tf.full_like(total, freedom)


def std(a: T, *args: Any, **kwargs: Any) -> T:
    return tf.sqrt(var(a, *args, **kwargs))


def root(total: T, power: float) -> T:
    """total^(1/power) whose derivative at 0 is taken as 0, as PyTorch takes it."""
    positive = tf.where(total == 0, 1.0, total)
    result = tf.sqrt(positive) if power == 2 else tf.pow(positive, 1 / power)
    return tf.where(total == 0, 0.0 if power > 0 else math.inf, result)


def vector_norm(a: T, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> T:
    along, p = axes(a, dim), float(ord)
    if p == 2:
        return root(tf.sum(squares(a), along, keepdim), 2)
    sizes = tf.abs(a)
    if math.isinf(p):
        return (tf.max if p > 0 else tf.min)(sizes, along, keepdim)
    if p == 0:
        return tf.sum(tf.sign(sizes), along, keepdim)
    if p == 1:
        return tf.sum(sizes, along, keepdim)
    return root(tf.sum(tf.pow(sizes, p), along, keepdim), p)


def matrix_norm(a: T, ord: Any = "fro", dim: Any = None, keepdim: bool = False) -> T:
    """Frobenius, or the extreme row sum (±inf) or column sum (±1); nuclear and spectral norms are ops of their own."""
    rows, columns = axes(a, [-2, -1] if dim is None else dim)
    if ord == "fro":
        return vector_norm(a, 2, [rows, columns], keepdim)
    summed, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = tf.sum(tf.abs(a), summed, True)
    extreme = (tf.max if ord > 0 else tf.min)(sums, compared, True)
    return extreme if keepdim else tf.squeeze(extreme, (rows, columns))


def norm(a: T, ord: Any = None, dim: Any = None, keepdim: bool = False) -> T:
    """Without an order all elements count as one vector."""
    if ord is None or (a.ndim == 1 and ord != "fro"):
        return vector_norm(a, 2 if ord is None else ord, dim, keepdim)
    return matrix_norm(a, ord, dim, keepdim)


OPS: dict[str, Callable[..., T]] = {
    **STRUCTURE,
    **CONTRACTION,
    "__radd__": lambda a, b: b + a,
    "__rdiv__": lambda a, b: b / a,
    "__rmod__": lambda a, b: b % a,
    "__rmul__": lambda a, b: b * a,
    "__rpow__": lambda a, b: b**a,
    "__rsub__": lambda a, b: b - a,
    "abs": tf.abs,
    "acos": tf.acos,
    "acosh": tf.acosh,
    "add": add,
    "amax": reduction(tf.amax),
    "amin": reduction(tf.amin),
    "angle": tf.angle,
    "asin": tf.asin,
    "asinh": tf.asinh,
    "atan": tf.atan,
    "atanh": tf.atanh,
    "cdouble": lambda a, memory_format=None: tf.cast(a, "complex128"),
    "ceil": tf.ceil,
    "clamp": tf.clamp,
    "clamp_max": lambda a, b: tf.clamp(a, upper=b),
    "clamp_min": lambda a, b: tf.clamp(a, lower=b),
    "complex": complex_from_parts,
    "conj": tf.conj,
    "conj_physical": tf.conj,
    "copysign": copysign,
    "cos": tf.cos,
    "cosh": tf.cosh,
    "deg2rad": tf.deg2rad,
    "div_no_rounding_mode": tf.divide,
    "double": lambda a, memory_format=None: tf.cast(tf.real(a), "float64"),
    "exp": tf.exp,
    "exp2": tf.exp2,
    "expm1": tf.expm1,
    "fill": fill,
    "float_power": float_power,
    "floor": tf.floor,
    "fmax": fmax,
    "fmin": fmin,
    "frexp": mantissa,
    "frac": frac,
    "imag": tf.imag,
    "ldexp": ldexp,
    "log": tf.log,
    "log10": tf.log10,
    "log1p": tf.log1p,
    "log2": tf.log2,
    "logaddexp": logaddexp,
    "logit": logit,
    "matrix_norm": matrix_norm,
    "max_binary": tf.maximum,
    "maximum": tf.maximum,
    "mean": reduction(tf.mean),
    "min_binary": tf.minimum,
    "minimum": tf.minimum,
    "mul": tf.mul,
    "nan_to_num": nan_to_num,
    "nanmean": nanmean,
    "nansum": nansum,
    "neg": tf.neg,
    "nn_functional_celu": elu,
    "nn_functional_elu": elu,
    "nn_functional_hardshrink": hard_shrink,
    "nn_functional_hardsigmoid": lambda a: hard_tanh(a + 3.0, 0.0, 6.0) * HARD_SIGMOID_SLOPE,
    "nn_functional_hardtanh": hard_tanh,
    "nn_functional_logsigmoid": log_sigmoid,
    "nn_functional_mish": lambda a: a * tf.tanh(softplus(a)),
    "nn_functional_prelu": prelu,
    "nn_functional_relu": lambda a: leaky(a, 0.0),
    "nn_functional_relu6": lambda a: hard_tanh(a, 0.0, 6.0),
    "nn_functional_rrelu": rrelu,
    "nn_functional_selu": lambda a: elu(a, SELU_ALPHA, SELU_SCALE),
    "nn_functional_silu": lambda a: a * sigmoid(a),
    "nn_functional_softplus": softplus,
    "nn_functional_softshrink": soft_shrink,
    "nn_functional_softsign": lambda a: a / (tf.abs(a) + 1.0),
    "nn_functional_tanhshrink": lambda a: a - tf.tanh(a),
    "nn_functional_threshold": lambda a, threshold, value: tf.where(a > threshold, a, value),
    "norm": norm,
    "polar": polar,
    "positive": tf.positive,
    "pow": tf.pow,
    "prod": reduction(tf.prod),
    "rad2deg": tf.rad2deg,
    "real": tf.real,
    "reciprocal": tf.reciprocal,
    "round": tf.round,
    "round_decimals_0": round_to,
    "round_decimals_3": round_to,
    "round_decimals_neg_3": round_to,
    "rsqrt": tf.rsqrt,
    "rsub": rsub,
    "sgn": tf.sign,
    "sigmoid": sigmoid,
    "sign": tf.sign,
    "sin": tf.sin,
    "sinc": tf.sinc,
    "sinh": tf.sinh,
    "special_entr": entropy,
    "special_xlog1py": xlog1py,
    "sqrt": tf.sqrt,
    "square": tf.square,
    "std": std,
    "std_unbiased": lambda a, unbiased: std(a, unbiased=unbiased),
    "sub": sub,
    "sum": reduction(tf.sum),
    "tan": tf.tan,
    "tanh": tf.tanh,
    "true_divide": tf.true_divide,
    "trunc": tf.trunc,
    "var": var,
    "var_unbiased": lambda a, unbiased: var(a, unbiased=unbiased),
    "vector_norm": vector_norm,
    "where": lambda x, condition, y: tf.where(condition, x, y),
    "xlogy": xlogy,
}
