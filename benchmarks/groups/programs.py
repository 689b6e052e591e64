"""Whole differentiated programs: the energy of a matrix product state, a step of a small network, a Hessian product."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.cases import DTYPES, Case, random
from benchmarks.libraries import Library


def heisenberg() -> np.ndarray:
    """The matrix product operator W[left, out, in, right] of the spin-1/2 Heisenberg chain."""
    raising, lowering, z = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]]), np.diag([0.5, -0.5])
    w = np.zeros((5, 2, 2, 5))
    w[0, :, :, 0] = w[4, :, :, 4] = np.eye(2)
    w[0, :, :, 1], w[0, :, :, 2], w[0, :, :, 3] = 0.5 * raising, 0.5 * lowering, z
    w[1, :, :, 4], w[2, :, :, 4], w[3, :, :, 4] = lowering, raising, z
    return w


def energy(length: int, bond: int, dtype: str) -> Callable[[Library], Callable[[], Any]]:
    """Value and gradient of ⟨ψ|H|ψ⟩ / ⟨ψ|ψ⟩, contracted from left to right in pairs."""

    def build(lib: Library) -> Callable[[], Any]:
        def own(a: np.ndarray) -> Any:
            return lib.matrix(a.astype(DTYPES[dtype]))

        edge = [1, *([bond] * (length - 1)), 1]
        tensors = [
            own(random((edge[k], 2, edge[k + 1]), dtype, 61, k, scale=1.0 / np.sqrt(2.0 * edge[k])))
            for k in range(length)
        ]
        w, one = own(heisenberg()), own(np.ones((1, 1)))
        first, last = np.zeros((1, 5, 1)), np.zeros((1, 5, 1))
        first[0, 0, 0] = last[0, 4, 0] = 1.0
        start, end = own(first), own(last)
        conj, real, einsum = lib.function("conj"), lib.function("real"), lib.einsum

        def f(tensors: list[Any]) -> Any:
            env, norm = start, one
            for a in tensors:
                bra = conj(a)
                t = einsum("awb,asc->wbsc", env, a)
                t = einsum("wbsc,wstv->bctv", t, w)
                env = einsum("bctv,btd->cvd", t, bra)
                norm = einsum("bsc,bsd->cd", einsum("ab,asc->bsc", norm, a), bra)
            return real((env * end).sum()) / real(norm.sum())

        g = lib.value_and_grad(f)
        return lambda: g(tensors)

    return build


def network(batch: int, widths: tuple[int, ...]) -> Callable[[Library], Callable[[], Any]]:
    """Value and gradient of the squared error of a network with tanh."""

    def build(lib: Library) -> Callable[[], Any]:
        weights = [
            lib.matrix(random((m, n), "f64", 71, k, scale=1 / np.sqrt(m)))
            for k, (m, n) in enumerate(itertools.pairwise(widths))
        ]
        x, y = lib.matrix(random((batch, widths[0]), "f64", 72)), lib.matrix(random((batch, widths[-1]), "f64", 73))
        tanh = lib.function("tanh")

        def f(weights: list[Any]) -> Any:
            h = x
            for w in weights[:-1]:
                h = tanh(h @ w)
            error = h @ weights[-1] - y
            return (error * error).sum()

        g = lib.value_and_grad(f)
        return lambda: g(weights)

    return build


def rosenbrock(size: int) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        x, v = lib.array(random(size, "f64", 81)), lib.array(random(size, "f64", 82))

        def f(x: Any) -> Any:
            a, b = x[1:] - x[:-1] * x[:-1], 1.0 - x[:-1]
            return (100.0 * (a * a) + b * b).sum()

        h = lib.hvp(f)
        return lambda: h(x, v)

    return build


def cases() -> Iterator[Case]:
    for length, bond in ((20, 16), (100, 16), (20, 64)):
        for dtype in ("f64", "c128"):
            yield Case(
                "gradient of the energy of a matrix product state", f"length {length}, bond {bond}",
                energy(length, bond, dtype), dtype, records=True, parallel=bond == 64, without=("jax",),
                quick=bond == 16 and length == 20 and dtype == "f64",
            )  # fmt: skip
    for batch, widths in ((32, (16, 32, 32, 4)), (256, (256, 512, 512, 10))):
        yield Case(
            "gradient of a network", f"batch {batch}, {'-'.join(map(str, widths))}", network(batch, widths),
            records=True, parallel=batch > 100, without=("jax",), quick=batch == 32,
        )  # fmt: skip
    yield Case("Hessian times vector", "Rosenbrock, 1,000 variables", rosenbrock(1_000), records=True, quick=True)
