"""The special functions whose accuracy is measured: further rows of the table, and errors measured in other units."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from accuracy.references import Function, Number, positive


def erfcx(x: Number) -> Number:
    return mp.exp(x * x) * mp.erfc(x)


def erfcinv(p: Number) -> Number:
    """Newton's method on erfc, from the leading term of the tail or from erfinv."""
    y = mp.erfinv(1 - p) if p > 1e-12 else mp.sqrt(-mp.log(p * mp.sqrt(-mp.pi * mp.log(p))))
    for _ in range(40):
        step = (mp.erfc(y) - p) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mp.ldexp(abs(y), -90):
            break
    return y


def ndtri(p: Number) -> Number:
    return -mp.sqrt(2) * erfcinv(2 * p)


def log_ndtr(x: Number) -> Number:
    return mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x))


def lgamma(x: Number) -> Number:
    return mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x)))


def i0e(x: Number) -> Number:
    return mp.besseli(0, x) * mp.exp(-abs(x))


def i1e(x: Number) -> Number:
    return mp.besseli(1, x) * mp.exp(-abs(x))


def softplus(x: Number) -> Number:
    return mp.log1p(mp.exp(x))


def logit(p: Number) -> Number:
    return mp.log(p / (1 - p)) if p > 0 and p < 1 else mp.nan


def xlogy(x: Number, y: Number) -> Number:
    return mp.mpf(0) if x == 0 else x * mp.log(y)


def xlog1py(x: Number, y: Number) -> Number:
    return mp.mpf(0) if x == 0 else x * mp.log1p(y)


def away_from(zero: float) -> Any:
    return lambda x: x > 0 and abs(x - zero) > 1e-2


def no_pole(x: float) -> bool:
    return x > 0 or x % 1 != 0


REAL: dict[str, Any] = {"eps": None}
SPECIAL: tuple[Function, ...] = (
    Function("erf", mp.erf, near=(0, 1, 5.9), **REAL),
    Function("erfc", mp.erfc, near=(0, 1, 26.5), largest=1e3, **REAL),
    Function("erfcx", erfcx, ulps=1.5, near=(0, -26, 1), largest=1e6, domain=lambda x: x > -26.6, **REAL),
    Function("erfinv", mp.erfinv, near=(0, 1, -1, 0.5), domain=lambda x: abs(x) < 1, smallest=1e-30, **REAL),
    Function("erfcinv", erfcinv, near=(0.5, 1.5, 2), domain=lambda p: 0 < p < 2, largest=2.0, smallest=1e-300, **REAL),
    Function("ndtr", mp.ncdf, ulps=2.0, near=(0, 1, -5, -37), largest=1e3, **REAL),
    Function("ndtri", ndtri, ulps=2.0, near=(0.25, 0.75, 1), domain=lambda p: 0 < p < 1, smallest=1e-300, **REAL),
    Function("log_ndtr", log_ndtr, ulps=3.0, near=(0, 1, -1, -10, 8), largest=1e6, **REAL),
    Function("lgamma", lgamma, near=(1, 2, 0.5, 8), domain=positive, largest=1e15, smallest=1e-30, **REAL),
    Function("gamma", mp.gamma, near=(0, 1, -5.5, 171), domain=no_pole, largest=171.0, smallest=1e-30, **REAL),
    Function("digamma", mp.digamma, near=(1, 0.5, 8), domain=away_from(1.46163), largest=1e15, smallest=1e-30, **REAL),
    Function("i0", lambda x: mp.besseli(0, x), near=(0, 8, 700), largest=713.0, smallest=1e-30, **REAL),
    Function("i1", lambda x: mp.besseli(1, x), near=(0, 8, 700), largest=713.0, smallest=1e-30, **REAL),
    Function("i0e", i0e, near=(0, 8, 700), largest=1e4, smallest=1e-30, **REAL),
    Function("i1e", i1e, near=(0, 8, 700), largest=1e4, smallest=1e-30, **REAL),
    Function("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), near=(0, -745, 37), largest=1e3, **REAL),
    Function("softplus", softplus, ulps=1.5, near=(0, -745, 37), largest=1e3, **REAL),
    Function("logit", logit, ulps=2.0, near=(0.25, 0.5, 0.75, 1), domain=lambda p: 0 < p < 1, **REAL),
    Function("entr", lambda x: -x * mp.log(x), ulps=1.5, near=(1, 0.5), domain=lambda x: 0 < x < 1e300, **REAL),
    Function("hypot", mp.hypot, near=(1,), operands=2, largest=1e300, **REAL),
    Function(
        "atan2", mp.atan2, near=(1, -1), operands=2, domain=lambda y, x: y != 0, largest=1e20, smallest=1e-20, **REAL
    ),
    Function("xlogy", xlogy, ulps=1.5, eps=None, near=(1,), operands=2, domain=lambda x, y: y > 0, largest=1e100),
    Function("xlog1py", xlog1py, ulps=1.5, eps=None, near=(1,), operands=2, domain=lambda x, y: y > -1, largest=1e100),
)
