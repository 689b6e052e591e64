"""The functions whose accuracy is measured, each with its definition in mpmath and the bounds that must hold.

A row is one `Function`; a new function needs no more than a row here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp

Number = Any
"""mpmath's mpf or mpc."""


@dataclass(frozen=True)
class Function:
    """A function of `tenferro` and what it should be.

    `near` lists zeros, branch points, poles and ends of the domain: points are packed around them; at `poles` there is
    no value. `domain` accepts the
    real arguments at which the function is defined; `largest` and `smallest` bound the magnitude of arguments. `ulps` is
    the bound for real results in units in the last place, `eps` that for complex ones in machine epsilons of the
    modulus; `None` leaves the dtypes out. `cancels` says that
    the definition loses digits at small arguments, so that more of them must be carried.
    """

    name: str
    reference: Callable[..., Number]
    ulps: float | None = 1.0
    eps: float | None = 4.0
    near: tuple[complex, ...] = ()
    poles: tuple[complex, ...] = ()
    domain: Callable[..., bool] = lambda *x: True
    largest: float = 1.79e308
    smallest: float = 5e-324
    operands: int = 1
    cancels: bool = False


def sinc(z: Number) -> Number:
    return mp.mpf(1) if z == 0 else mp.sinpi(z) / (mp.pi * z)


def tanh(z: Number) -> Number:
    """mpmath's loses digits near the imaginary axis."""
    if isinstance(z, mp.mpf):
        return mp.tanh(z)
    x, y = z.real, z.imag
    square = mp.sinh(x) ** 2 + mp.cos(y) ** 2
    return mp.mpc(mp.sinh(x) * mp.cosh(x) / square, mp.sin(y) * mp.cos(y) / square)


def tan(z: Number) -> Number:
    return mp.tan(z) if isinstance(z, mp.mpf) else -1j * tanh(1j * z)


def log1p(z: Number) -> Number:
    return mp.log1p(z) if isinstance(z, mp.mpf) else mp.log(1 + z)


def expm1(z: Number) -> Number:
    return mp.expm1(z)


def angle(z: Number) -> Number:
    return mp.arg(z)


def positive(x: float) -> bool:
    return x > 0


def between(low: float, high: float) -> Callable[[float], bool]:
    return lambda x: low <= x <= high


PI = 3.141592653589793
UNIT = (1, -1, 1j, -1j)

FUNCTIONS: tuple[Function, ...] = (
    Function("exp", mp.exp, near=(0, 709.78, -708.4, -745.1, 1j * PI)),
    Function("expm1", expm1, near=(0, 709.78, -37, 2j * PI)),
    Function("log", mp.log, near=(1, 0, 1j, -1), domain=positive),
    Function("log1p", log1p, near=(0, -1, -2), poles=(-1,), domain=lambda x: x > -1, cancels=True),
    Function("sqrt", mp.sqrt, near=(0, 1), domain=lambda x: x >= 0),
    Function("rsqrt", lambda z: 1 / mp.sqrt(z), near=(0, 1), domain=positive),
    Function("sin", mp.sin, near=(0, PI, PI / 2, 355)),
    Function("cos", mp.cos, near=(0, PI, PI / 2, 355)),
    Function("tan", tan, near=(0, PI, PI / 2, PI / 4, 355, 11)),
    Function("sinh", mp.sinh, near=(0, 710.4, 22, 1j * PI, 0.5j * PI)),
    Function("cosh", mp.cosh, near=(0, 710.4, 22, 1j * PI, 0.5j * PI)),
    Function("tanh", tanh, near=(0, 22, 0.5j * PI, 1j * PI)),
    Function("asin", mp.asin, near=(0, *UNIT, 0.5), domain=between(-1, 1)),
    Function("acos", mp.acos, near=(0, *UNIT, 0.5), domain=between(-1, 1)),
    Function("atan", mp.atan, near=(0, *UNIT), poles=(1j, -1j), cancels=True),
    Function("asinh", mp.asinh, near=(0, *UNIT)),
    Function("acosh", mp.acosh, near=(0, *UNIT), domain=lambda x: x >= 1),
    Function("atanh", mp.atanh, near=(0, *UNIT), poles=(1, -1), domain=lambda x: abs(x) < 1, cancels=True),
    Function("exp2", lambda z: mp.power(2, z), near=(0, 1024, -1022, -1074), cancels=True),
    Function("log2", lambda z: mp.log(z) / mp.log(2), near=(1, 0, 1j, -1), domain=positive),
    Function("log10", lambda z: mp.log(z) / mp.log(10), near=(1, 0, 1j, -1), domain=positive),
    Function("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), eps=None, near=(0, 1, 8)),
    Function("sinc", sinc, near=(0, 1, -1, 2, 0.5, 17), cancels=True),
    Function("sinpi", mp.sinpi, near=(0, 1, -1, 2, 0.5, 17, 1e15), cancels=True),
    Function("cospi", mp.cospi, near=(0, 1, -1, 2, 0.5, 17, 1e15), cancels=True),
    Function("square", lambda z: z * z, near=(0, 1, 1 + 1j)),
    Function("reciprocal", lambda z: 1 / z, near=(0, 1), domain=lambda x: x != 0),
    Function("angle", angle, near=UNIT, domain=lambda x: x != 0),
    Function("deg2rad", mp.radians, eps=None, near=(0, 180)),
    Function("rad2deg", mp.degrees, eps=None, near=(0, PI)),
)
