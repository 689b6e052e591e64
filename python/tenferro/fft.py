"""Discrete Fourier transforms with NumPy's names and conventions; differentiable to any order."""

from typing import TYPE_CHECKING

from tenferro._tenferro import fft as _fft
from tenferro._tenferro.fft import *

if not TYPE_CHECKING:
    __all__ = _fft.__all__
