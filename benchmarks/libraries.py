"""The libraries that are compared, behind one interface.

Cases count axes from the one that is contiguous in memory, so that every library moves the same bytes: libraries with
row-major arrays get reversed shapes and axes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Function = Callable[..., Any]


class Unsupported(Exception):
    """A library cannot do what a case asks for."""


class Library:
    """NumPy-like by default."""

    name = ""
    module = ""
    row_major = True
    records = False
    complex_gradients = True

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.xp: Any = importlib.import_module(self.module)

    # data

    def array(self, a: np.ndarray) -> Any:
        """An array whose axes are listed from the contiguous one."""
        return self.own(np.ascontiguousarray(a.T) if self.row_major else np.asfortranarray(a))

    def own(self, a: np.ndarray) -> Any:
        return a

    def axis(self, axis: int, rank: int) -> int:
        return rank - 1 - axis if self.row_major else axis

    def wait(self, out: Any) -> None:
        """Until `out` is computed."""

    # operations

    def function(self, name: str) -> Function:
        found: Function = getattr(self.xp, name)
        return found

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return x.sum() if axis is None else x.sum(axis)

    def maximum(self, x: Any, axis: int | None = None) -> Any:
        return x.max() if axis is None else x.max(axis)

    def permuted(self, perm: Sequence[int]) -> Function:
        """A compact array whose axis k (from the contiguous one) is axis perm[k] of the argument."""
        rank = len(perm)
        own = tuple(rank - 1 - p for p in reversed(perm)) if self.row_major else tuple(perm)
        return lambda x: self.compact(x, own)

    def compact(self, x: Any, axes: tuple[int, ...]) -> Any:
        return np.array(x.transpose(axes), order="C", copy=True)

    def batched_matmul(self, a: Any, b: Any) -> Any:
        """Products of matrices; for arrays from `batch`."""
        return a @ b

    def batch(self, a: np.ndarray) -> Any:
        """A batch of matrices, one after the other in memory, given as (batch, row, column)."""
        return self.own(np.ascontiguousarray(a))

    def matrix(self, a: np.ndarray) -> Any:
        return self.own(np.ascontiguousarray(a))

    def einsum(self, equation: str, *operands: Any) -> Any:
        return self.xp.einsum(equation, *operands)

    def taken(self, x: Any, places: Any) -> Any:
        return x[places]

    # transformations

    def compiled(self, f: Function) -> Function:
        return f

    def value_and_grad(self, f: Function) -> Function:
        """Of a scalar function of a list of arrays: value and list of gradients."""
        raise Unsupported

    def hvp(self, f: Function) -> Function:
        raise Unsupported

    def leaf(self, x: Any) -> Any:
        """`x`, so that operations on it are recorded."""
        raise Unsupported


class NumPy(Library):
    name, module = "numpy", "numpy"

    def einsum(self, equation: str, *operands: Any) -> Any:
        import opt_einsum

        return opt_einsum.contract(equation, *operands)


class Tenferro(Library):
    name, module, row_major, records = "tenferro", "tenferro", False, True

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.xp.set_num_threads(threads)

    def own(self, a: np.ndarray) -> Any:
        return self.xp.tensor(a)

    def compact(self, x: Any, axes: tuple[int, ...]) -> Any:
        return x.transpose(axes).to_tensor()

    def batch(self, a: np.ndarray) -> Any:
        return self.xp.tensor(np.asfortranarray(np.moveaxis(a, 0, -1)))

    def matrix(self, a: np.ndarray) -> Any:
        return self.xp.tensor(np.asfortranarray(a))

    def einsum(self, equation: str, *operands: Any) -> Any:
        """Of two operands without common axes in the result."""
        (left, right), out = equation.partition("->")[0].split(","), equation.partition("->")[2]
        common = [label for label in left if label in right]
        axes = [left.index(label) for label in common], [right.index(label) for label in common]
        order = [label for label in left + right if label not in common]
        found = self.xp.tensordot(*operands, axes)
        return found if "".join(order) == out else found.transpose([order.index(label) for label in out])

    def value_and_grad(self, f: Function) -> Function:
        found: Function = self.xp.value_and_grad(f)
        return found

    def hvp(self, f: Function) -> Function:
        return lambda x, v: self.xp.hvp(f, (x,), (v,))[1]

    def leaf(self, x: Any) -> Any:
        return x.as_leaf()


class PyTorch(Library):
    name, module, records = "torch", "torch", True

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.xp.set_num_threads(threads)

    def own(self, a: np.ndarray) -> Any:
        return self.xp.from_numpy(np.array(a, order="C", copy=True))

    def function(self, name: str) -> Function:
        found: Function = getattr(self.xp, {"power": "pow"}.get(name, name))
        return found

    def maximum(self, x: Any, axis: int | None = None) -> Any:
        return x.amax() if axis is None else x.amax(axis)

    def compact(self, x: Any, axes: tuple[int, ...]) -> Any:
        return x.permute(axes).clone(memory_format=self.xp.contiguous_format)

    def value_and_grad(self, f: Function) -> Function:
        grad = self.xp.autograd.grad

        def both(params: list[Any]) -> Any:
            leaves = [p.detach().requires_grad_() for p in params]
            value = f(leaves)
            return value.detach(), list(grad(value, leaves))

        return both

    def hvp(self, f: Function) -> Function:
        grad = self.xp.autograd.grad

        def product(x: Any, v: Any) -> Any:
            leaf = x.detach().requires_grad_()
            (g,) = grad(f(leaf), leaf, create_graph=True)
            return grad(g, leaf, v)[0]

        return product

    def leaf(self, x: Any) -> Any:
        return x.detach().requires_grad_()


class Autograd(Library):
    name, module, records = "autograd", "autograd.numpy", True

    def value_and_grad(self, f: Function) -> Function:
        from autograd import value_and_grad

        found: Function = value_and_grad(f)
        return found

    def hvp(self, f: Function) -> Function:
        from autograd import grad

        return lambda x, v: grad(lambda x: (grad(f)(x) * v).sum())(x)

    def einsum(self, equation: str, *operands: Any) -> Any:
        return self.xp.einsum(equation, *operands)


class Jax(Library):
    name, module, records = "jax", "jax.numpy", True

    def __init__(self, threads: int) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        super().__init__(threads)
        self.jax = jax

    def own(self, a: np.ndarray) -> Any:
        return self.xp.asarray(a)

    def wait(self, out: Any) -> None:
        self.jax.block_until_ready(out)

    def compact(self, x: Any, axes: tuple[int, ...]) -> Any:
        return self.xp.transpose(x, axes)

    def value_and_grad(self, f: Function) -> Function:
        found: Function = self.jax.value_and_grad(f)
        return found

    def hvp(self, f: Function) -> Function:
        return lambda x, v: self.jax.jvp(self.jax.grad(f), (x,), (v,))[1]


class CompiledJax(Jax):
    """Compilation is not in the times."""

    name = "jax-jit"

    def compiled(self, f: Function) -> Function:
        found: Function = self.jax.jit(f)
        return found

    def permuted(self, perm: Sequence[int]) -> Function:
        return self.compiled(super().permuted(perm))

    def value_and_grad(self, f: Function) -> Function:
        return self.compiled(super().value_and_grad(f))

    def hvp(self, f: Function) -> Function:
        return self.compiled(super().hvp(f))


OWN = (Tenferro, NumPy)
PEERS = (PyTorch, CompiledJax, Jax, Autograd)
