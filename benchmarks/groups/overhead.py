"""Time per operation where the data is tiny: calls, recording, backward passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.cases import Case, random
from benchmarks.libraries import Library, Unsupported
from benchmarks.timing import Statement

OPERATIONS = {
    "x * y": "x * y",
    "x + y": "x + y",
    "x + 1.0": "x + 1.0",
    "exp(x)": "exp(x)",
    "x.sum()": "x.sum()",
    "a @ b, 4×4": "a @ b",
    "reshape 4×4 to 2×8": "a.reshape(2, 8)",
    "a.T": "a.T",
    "a[1:3]": "a[1:3]",
    "a[0]": "a[0]",
}


def operands(lib: Library) -> dict[str, Any]:
    vectors = {name: lib.array(random(3, "f64", k)) for k, name in enumerate("xy")}
    matrices = {name: lib.matrix(random((4, 4), "f64", k)) for k, name in enumerate("ab")}
    return {**vectors, **matrices, "exp": lib.function("exp")}


def untracked(code: str) -> Callable[[Library], Statement]:
    return lambda lib: Statement(code, operands(lib))


def tracked(code: str) -> Callable[[Library], Statement]:
    def build(lib: Library) -> Statement:
        names = operands(lib)
        return Statement(code, {**names, "x": lib.leaf(names["x"]), "a": lib.leaf(names["a"])})

    return build


def chain(lib: Library, length: int) -> Callable[[list[Any]], Any]:
    a, b, sin = lib.array(random(3, "f64", 6)), lib.array(random(3, "f64", 7)), lib.function("sin")

    def f(params: list[Any]) -> Any:
        x = params[0]
        for k in range(length):
            match k & 3:
                case 0:
                    x = x * a
                case 1:
                    x = x + b
                case 2:
                    x = sin(x)
                case _:
                    x = x * x
        return x.sum()

    return f


def forward(length: int) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        f, x = lib.compiled(chain(lib, length)), [lib.array(random(3, "f64", 5))]
        return lambda: f(x)

    return build


def both(length: int) -> Callable[[Library], Callable[[], Any]]:
    def build(lib: Library) -> Callable[[], Any]:
        f, x = lib.value_and_grad(chain(lib, length)), [lib.array(random(3, "f64", 5))]
        return lambda: f(x)

    return build


def backward(length: int) -> Callable[[Library], Callable[[], Any]]:
    """The backward pass alone, of a chain that is kept."""

    def build(lib: Library) -> Callable[[], Any]:
        if lib.name == "torch":
            leaf = lib.leaf(lib.array(random(3, "f64", 5)))
            out = chain(lib, length)([leaf])
            return lambda: lib.xp.autograd.grad(out, leaf, retain_graph=True)
        if lib.name == "tenferro":
            leaf = lib.leaf(lib.array(random(3, "f64", 5)))
            out = chain(lib, length)([leaf])
            return out.backward
        raise Unsupported

    return build


def cases() -> Iterator[Case]:
    for name, code in OPERATIONS.items():
        yield Case("one operation", name, untracked(code), quick=name in ("x * y", "x.sum()"), without=("autograd",))
    for name, code in OPERATIONS.items():
        yield Case("one operation, recorded", name, tracked(code), quick=name == "x * y", records=True)
    for length in (10, 100, 1_000, 10_000):
        skip = ("jax-jit", "jax") if length > 1_000 else ()
        label = f"{length:,} operations"
        yield Case("chain, forward", label, forward(length), per=length, without=("autograd", *skip))
        yield Case(
            "chain, forward and backward",
            label,
            both(length),
            per=length,
            quick=length == 1_000,
            records=True,
            without=skip,
        )
    yield Case("chain, backward", "1,000 operations", backward(1_000), per=1_000, quick=True, records=True)
