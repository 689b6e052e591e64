"""Reproducible random numbers: every element depends on the key and its place alone, for any number of threads."""

from tenferro._tenferro import Key
from tenferro._tenferro import _random_key as key
from tenferro._tenferro import _random_normal as normal
from tenferro._tenferro import _random_permutation as permutation
from tenferro._tenferro import _random_randint as randint
from tenferro._tenferro import _random_uniform as uniform

__all__ = ["Key", "key", "normal", "permutation", "randint", "uniform"]
