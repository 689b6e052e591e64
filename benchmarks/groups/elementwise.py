"""Elementwise operations and reductions from 1,000 to 10,000,000 elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.cases import Case, itemsize, random
from benchmarks.libraries import Library

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
BINARY: dict[str, Callable[[Any, Any], Any]] = {"x * y": lambda x, y: x * y, "x / y": lambda x, y: x / y}
UNARY = ("exp", "log", "sin", "tanh", "sqrt", "abs")
EXTENTS = (300, 150, 200)


def binary(f: Callable[[Any, Any], Any], size: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, y, run = lib.array(random(size, dtype, 1)), lib.array(random(size, dtype, 2)), lib.compiled(f)
        return lambda: run(x, y)

    return build


def unary(name: str, size: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        data = random(size, dtype, 1)
        x = lib.array(abs(data) + 0.1 if name in ("log", "sqrt") and not dtype.startswith("c") else data)
        f = lib.compiled(lib.function(name))
        return lambda: f(x)

    return build


def expression(size: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, y, z = (lib.array(random(size, dtype, k)) for k in range(3))
        f = lib.compiled(lambda x, y, z: (x * y + z) * y - x)
        return lambda: f(x, y, z)

    return build


def broadcast(dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, y = lib.array(random((1_000, 1), dtype, 1)), lib.array(random((1, 1_000), dtype, 2))
        f = lib.compiled(lambda x, y: x * y)
        return lambda: f(x, y)

    return build


def strided(dtype: str) -> Callable[[Library], Callable[[], Any]]:
    """One operand is a transposed view."""

    def build(lib: Library) -> Callable[[], Any]:
        x, y = lib.array(random((1_000, 1_000), dtype, 1)), lib.array(random((1_000, 1_000), dtype, 2))
        f = lib.compiled(lambda x, y: x * y.T)
        return lambda: f(x, y)

    return build


def reduction(kind: str, axis: int | None, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x = lib.array(random(EXTENTS, dtype, 21))
        own = None if axis is None else lib.axis(axis, 3)
        reduce = lib.sum if kind == "sum" else lib.maximum
        f = lib.compiled(lambda x: reduce(x, own))
        return lambda: f(x)

    return build


def cases() -> Iterator[Case]:
    for dtype in ("f64", "f32", "c128"):
        for size in SIZES:
            label = f"n = 10^{len(str(size)) - 1}"
            common = {"dtype": dtype, "parallel": size >= 100_000, "without": ("autograd", "jax")}
            bytes_ = size * itemsize(dtype)
            quick = size in (1_000, 1_000_000) and dtype == "f64"
            for name, f in BINARY.items():
                yield Case(
                    "elementwise", f"{name}, {label}", binary(f, size, dtype), bytes=3 * bytes_, **common,
                    quick=quick and name == "x * y",
                )  # fmt: skip
            yield Case("elementwise", f"(x y + z) y - x, {label}", expression(size, dtype), bytes=4 * bytes_, **common)
            for name in UNARY:
                if size in (1_000, 1_000_000) or name == "exp":
                    yield Case(
                        "elementwise", f"{name}, {label}", unary(name, size, dtype), bytes=2 * bytes_, **common,
                        quick=quick and name == "exp",
                    )  # fmt: skip
        million = {"dtype": dtype, "parallel": True, "without": ("autograd", "jax")}
        yield Case("elementwise", "column × row, 1000×1000", broadcast(dtype), bytes=10**6 * itemsize(dtype), **million)
        yield Case("elementwise", "x * y.T, 1000×1000", strided(dtype), bytes=3 * 10**6 * itemsize(dtype), **million)
        for kind in ("sum", "max"):
            if kind == "max" and dtype == "c128":
                continue
            for label, axis in (("all", None), ("contiguous axis", 0), ("middle axis", 1), ("outer axis", 2)):
                yield Case(
                    "reduction of 300×150×200", f"{kind}, {label}", reduction(kind, axis, dtype),
                    bytes=9 * 10**6 * itemsize(dtype), **million, quick=dtype == "f64" and kind == "sum",
                )  # fmt: skip
