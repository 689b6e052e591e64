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


def complex_from_parts(a: T, b: T) -> T:
    return a + b * 1j


def polar(a: T, b: T) -> T:
    return a * tf.cos(b) + a * tf.sin(b) * 1j


def logaddexp(a: T, b: T) -> T:
    """log(eᵃ + eᵇ); of complex numbers the larger (by the real part) is taken out of the exponentials."""
    if not is_complex(a):
        return tf.logaddexp(a, b)
    a_leads = tf.real(a) >= tf.real(b)
    larger, smaller = tf.where(a_leads, a, b), tf.where(a_leads, b, a)
    return larger + tf.log1p(tf.exp(smaller - larger))


def sigmoid(a: T) -> T:
    return tf.reciprocal(1.0 + tf.exp(-a)) if is_complex(a) else tf.sigmoid(a)


def silu(a: T) -> T:
    return a * sigmoid(a) if is_complex(a) else tf.silu(a)


def logit(a: T, eps: float | None = None) -> T:
    return tf.log(a / (1.0 - a)) if is_complex(a) else tf.logit(a, eps)


def softsign(a: T) -> T:
    return a / (tf.abs(a) + 1.0) if is_complex(a) else tf.softsign(a)


def copysign(a: T, b: Any) -> T:
    return tf.copysign(a, tensor_or_number(b, a))


def polygamma(*args: Any) -> T:
    """PyTorch's method has the tensor first, its function the order."""
    x, n = args if isinstance(args[0], T) else args[::-1]
    return tf.polygamma(n, x)


def softplus(a: T, beta: float = 1, threshold: float = 20) -> T:
    return tf.where(a * beta > threshold, a, tf.log1p(tf.exp(a * beta)) / beta)


def running(f: Callable[..., T]) -> Callable[..., T]:
    """A scan along an axis; PyTorch gives scalars one."""

    def op(a: T, dim: int, dtype: Any = None) -> T:
        a = a if dtype is None else tf.cast(a, dtype)
        return tf.reshape(f(tf.reshape(a, (1,)), 0), ()) if a.ndim == 0 else f(a, dim)

    return op


def mantissa(a: T) -> T:
    """The output of frexp that is differentiable: a = mantissa · 2ᵉ with ½ ≤ |mantissa| < 1."""
    _, exponents = np.frexp(a.numpy())
    return a * np.ldexp(1.0, -exponents).astype(a.numpy().dtype)


def round_to(a: T, decimals: int = 0) -> T:
    return tf.round(a * 10.0**decimals) / 10.0**decimals


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
    "atan2": tf.atan2,
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
    "cumprod": running(tf.cumprod),
    "cumsum": running(tf.cumsum),
    "deg2rad": tf.deg2rad,
    "digamma": tf.digamma,
    "div_no_rounding_mode": tf.divide,
    "double": lambda a, memory_format=None: tf.cast(tf.real(a), "float64"),
    "erf": tf.erf,
    "erfc": tf.erfc,
    "erfinv": tf.erfinv,
    "exp": tf.exp,
    "exp2": tf.exp2,
    "expm1": tf.expm1,
    "fill": fill,
    "float_power": tf.float_power,
    "floor": tf.floor,
    "frexp": mantissa,
    "fmax": tf.fmax,
    "fmin": tf.fmin,
    "frac": tf.frac,
    "hypot": tf.hypot,
    "i0": tf.i0,
    "imag": tf.imag,
    "ldexp": tf.ldexp,
    "lgamma": tf.lgamma,
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
    "mvlgamma_mvlgamma_p_1": tf.mvlgamma,
    "mvlgamma_mvlgamma_p_3": tf.mvlgamma,
    "mvlgamma_mvlgamma_p_5": tf.mvlgamma,
    "nan_to_num": tf.nan_to_num,
    "nanmean": nanmean,
    "nansum": nansum,
    "neg": tf.neg,
    "nn_functional_celu": tf.celu,
    "nn_functional_elu": elu,
    "nn_functional_hardshrink": hard_shrink,
    "nn_functional_hardsigmoid": lambda a: hard_tanh(a + 3.0, 0.0, 6.0) * HARD_SIGMOID_SLOPE,
    "nn_functional_hardtanh": hard_tanh,
    "nn_functional_logsigmoid": tf.log_sigmoid,
    "nn_functional_mish": tf.mish,
    "nn_functional_prelu": prelu,
    "nn_functional_relu": tf.relu,
    "nn_functional_relu6": lambda a: hard_tanh(a, 0.0, 6.0),
    "nn_functional_rrelu": rrelu,
    "nn_functional_selu": tf.selu,
    "nn_functional_silu": silu,
    "nn_functional_softplus": softplus,
    "nn_functional_softshrink": soft_shrink,
    "nn_functional_softsign": softsign,
    "nn_functional_tanhshrink": lambda a: a - tf.tanh(a),
    "nn_functional_threshold": lambda a, threshold, value: tf.where(a > threshold, a, value),
    "norm": norm,
    "polar": polar,
    "positive": tf.positive,
    "polygamma_polygamma_n_0": polygamma,
    "polygamma_polygamma_n_1": polygamma,
    "polygamma_polygamma_n_2": polygamma,
    "polygamma_polygamma_n_3": polygamma,
    "polygamma_polygamma_n_4": polygamma,
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
    "special_entr": tf.entr,
    "special_erfcx": tf.erfcx,
    "special_i0e": tf.i0e,
    "special_i1": tf.i1,
    "special_i1e": tf.i1e,
    "special_log_ndtr": tf.log_ndtr,
    "special_ndtr": tf.ndtr,
    "special_ndtri": tf.ndtri,
    "special_polygamma_special_polygamma_n_0": polygamma,
    "special_xlog1py": tf.xlog1py,
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
    "xlogy": tf.xlogy,
}
