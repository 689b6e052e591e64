"""Permuted copies and indexing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from benchmarks.cases import Case, itemsize, random
from benchmarks.libraries import Library

PERMUTATIONS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2048, 2048), (1, 0)),
    ((256, 256, 256), (2, 0, 1)),
    ((256, 256, 256), (1, 0, 2)),
    ((384, 384, 128), (2, 1, 0)),
    ((384, 384, 128), (0, 2, 1)),
    ((64, 64, 64, 64), (3, 2, 1, 0)),
    ((64, 64, 64, 64), (1, 0, 3, 2)),
    ((32, 32, 32, 32, 16, 16), (5, 0, 4, 1, 3, 2)),
    ((27, 27, 27, 27, 27), (2, 0, 4, 1, 3)),
    ((16,) * 6, (5, 4, 3, 2, 1, 0)),
    ((16,) * 6, (0, 3, 2, 1, 5, 4)),
    ((8,) * 8, (7, 6, 5, 4, 3, 2, 1, 0)),
    ((8,) * 8, (0, 4, 1, 5, 2, 6, 3, 7)),
    ((2,) * 23, tuple(reversed(range(23)))),
    ((2,) * 24, tuple((k * 7) % 24 for k in range(24))),
    ((64, 64), (1, 0)),
    ((8, 8, 8), (2, 1, 0)),
]


def permutation(shape: tuple[int, ...], perm: tuple[int, ...], dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, f = (
            lib.array(np.arange(prod(shape)).reshape(shape, order="F").astype(random(1, dtype).dtype)),
            lib.permuted(perm),
        )
        return lambda: f(x)

    return build


def taken(size: int, count: int) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, places = lib.array(random(size, "f64", 1)), lib.own(np.random.default_rng(1).integers(0, size, count))
        f = lib.compiled(lib.taken)
        return lambda: f(x, places)

    return build


def label(shape: tuple[int, ...]) -> str:
    return f"{shape[0]}^{len(shape)}" if len(set(shape)) == 1 and len(shape) > 2 else "×".join(map(str, shape))


def cases() -> Iterator[Case]:
    for shape, perm in PERMUTATIONS:
        shown = "reversed" if perm == tuple(reversed(range(len(shape)))) else " ".join(map(str, perm))
        for dtype in ("f64", "f32", "c128"):
            if dtype != "f64" and shape not in ((2048, 2048), (64, 64, 64, 64), (8,) * 8):
                continue
            skip = ("autograd", "jax", "jax-jit") if len(shape) > 15 else ("autograd", "jax")
            yield Case(
                "permuted copy", f"{label(shape)}, {shown}", permutation(shape, perm, dtype), dtype,
                bytes=2 * prod(shape) * itemsize(dtype), parallel=prod(shape) > 10**5, without=skip,
                quick=dtype == "f64" and len(shape) in (2, 6),
            )  # fmt: skip
    for size, count in ((1_000, 1_000), (1_000_000, 1_000_000)):
        yield Case(
            "indexing", f"x[places], {count:,} of {size:,}", taken(size, count), bytes=24 * count,
            parallel=count > 10**5, without=("autograd", "jax"),
        )  # fmt: skip
