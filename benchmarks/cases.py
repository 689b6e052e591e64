"""What is measured: a group, a name, and how each library does it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.libraries import Library
from benchmarks.timing import Statement

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    build: Callable[[Library], Callable[[], Any] | Statement]
    dtype: str = "f64"
    per: int = 1
    """Operations per call; the table shows the time of one."""
    bytes: int = 0
    """Traffic of one call, where memory is the limit."""
    flops: int = 0
    """Floating-point operations of one call, where arithmetic is the limit."""
    parallel: bool = False
    """Whether it is measured with several threads, too."""
    quick: bool = False
    records: bool = False
    """Whether only libraries that record take part."""
    without: tuple[str, ...] = ()
    """Libraries that are left out: too slow to compile, or nothing to compare."""

    @property
    def key(self) -> str:
        return f"{self.group} / {self.name} / {self.dtype}"


def itemsize(dtype: str) -> int:
    return np.dtype(DTYPES[dtype]).itemsize


def random(shape: tuple[int, ...] | int, dtype: str, *key: int, scale: float = 0.5) -> np.ndarray:
    """The same numbers in every run, in the units of `scale`."""
    generator = np.random.default_rng(zlib.crc32(repr((shape, dtype, key)).encode()))
    data = generator.standard_normal(shape) * scale
    if dtype.startswith("c"):
        data = data + 1j * scale * generator.standard_normal(shape)
    return np.asarray(data, order="F").astype(DTYPES[dtype])
