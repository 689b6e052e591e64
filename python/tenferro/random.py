"""Reproducible random numbers: every element depends on the key and its place alone, for any number of threads."""

from typing import TYPE_CHECKING

from tenferro._tenferro import random as _random
from tenferro._tenferro.random import *

if not TYPE_CHECKING:
    __all__ = _random.__all__
