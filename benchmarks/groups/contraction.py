"""Products of matrices, single and in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.cases import Case, random
from benchmarks.libraries import Library


def product(n: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        a, b = lib.matrix(random((n, n), dtype, 1)), lib.matrix(random((n, n), dtype, 2))
        f = lib.compiled(lambda a, b: a @ b)
        return lambda: f(a, b)

    return build


def transposed(n: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        a, b = lib.matrix(random((n, n), dtype, 1)), lib.matrix(random((n, n), dtype, 2))
        f = lib.compiled(lambda a, b: a.T @ b)
        return lambda: f(a, b)

    return build


def batch(count: int, n: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        a, b = lib.batch(random((count, n, n), dtype, 1)), lib.batch(random((count, n, n), dtype, 2))
        f = lib.compiled(lib.batched_matmul)
        return lambda: f(a, b)

    return build


def cases() -> Iterator[Case]:
    skip = ("autograd", "jax")
    for dtype in ("f64", "c128", "f32", "c64"):
        per = 8 if dtype.startswith("c") else 2
        for n in (8, 16, 32, 64, 128, 256, 512, 1024, 2048):
            yield Case(
                "matrix product", f"{n}×{n}", product(n, dtype), dtype, flops=per * n**3, parallel=n >= 64,
                without=skip, quick=n in (64, 512) and dtype in ("f64", "c128"),
            )  # fmt: skip
        for n in (64, 512):
            yield Case(
                "matrix product", f"a.T @ b, {n}×{n}", transposed(n, dtype), dtype, flops=per * n**3, without=skip
            )
    for dtype in ("f64", "c128"):
        per = 8 if dtype == "c128" else 2
        for count, n in ((1000, 4), (1000, 8), (1000, 16), (256, 32), (64, 64)):
            yield Case(
                "batch of matrix products", f"{count} of {n}×{n}", batch(count, n, dtype), dtype,
                flops=per * count * n**3, parallel=True, without=skip, quick=n == 8,
            )  # fmt: skip
