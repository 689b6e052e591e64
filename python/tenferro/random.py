"""Reproducible random numbers: every element depends on the key and its place alone, for any number of threads."""

from tenferro._tenferro import Key, key, normal, permutation, randint, uniform

__all__ = ["Key", "key", "normal", "permutation", "randint", "uniform"]
