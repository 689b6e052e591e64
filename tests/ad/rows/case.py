"""A row of the catalogue: how an op is called on sample operands, and what NumPy says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]

# What a shape without elements, or without axes, is met with: a result, or an error of a type of its own.
WORKS = True
REFUSED = False


@dataclass(frozen=True)
class Case:
    """One call of an op.

    `shapes` are those of the operands that carry a derivative. `call` says how function and operands go together, for
    tenferro's function and for NumPy's of the same name, unless `expected` computes from the operands by itself.
    """

    shapes: tuple[Shape, ...] = ((2, 3),)
    params: dict[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None
    expected: Callable[..., Any] | None = None
    low: float = -1.5
    high: float = 1.5
    kinds: str = "fc"
    # Operands without elements: their shapes, if not the ones of `emptied`.
    empty: bool | tuple[Shape, ...] = WORKS
    scalar: bool = REFUSED
    # Whether a result has the precision of the operands.
    keeps_precision: bool = True

    def run(self, function: Callable[..., Any], *operands: Any) -> Any:
        if self.call is not None:
            return self.call(function, *operands)
        return function(*operands, **self.params)

    def emptied(self) -> tuple[Shape, ...]:
        """The first axis of the first operand without extent, and the same axis of others of that extent."""
        if isinstance(self.empty, tuple):
            return self.empty
        first = self.shapes[0]
        return tuple((0, *s[1:]) if s and s[0] == first[0] and len(s) == len(first) else s for s in self.shapes)


def operands(case: Case, shapes: tuple[Shape, ...], dtype: str) -> list[Array]:
    """Different numbers at equal distances from low to high, shuffled: no ties, and far from kinks at 0."""
    found = []
    for k, shape in enumerate(shapes):
        rng = np.random.default_rng([7, k, *shape])
        size = int(np.prod(shape))

        def part(shift: float, rng: Any = rng, size: int = size, shape: Shape = shape) -> Array:
            places = (rng.permutation(size) + shift) / max(size, 1)
            return np.asarray(case.low + (case.high - case.low) * places.reshape(shape))

        values = part(0.3 + 0.23 * (k % 3))
        if np.dtype(dtype).kind == "c":
            values = values + 1j * part(0.61)
        found.append(np.asarray(values, dtype))
    return found


def unary(low: float = -1.5, high: float = 1.5, kinds: str = "fc", expected: Any = None, **params: Any) -> list[Case]:
    """An elementwise function of one operand."""
    return [Case(((2, 3),), params, None, expected, low, high, kinds, scalar=WORKS)]


def binary(low: float = -1.5, high: float = 1.5, kinds: str = "fc", expected: Any = None) -> list[Case]:
    """An elementwise function of two operands, which broadcast."""
    shapes = (((2, 3), (2, 3)), ((3, 1), (1, 2)), ((2,), ()))
    return [Case(s, {}, None, expected, low, high, kinds, scalar=WORKS) for s in shapes]


def over_axes(expected: Any = None, empty: bool = WORKS, kinds: str = "fc", **params: Any) -> list[Case]:
    """A reduction: along no, one and two axes."""
    cases = []
    for more in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}):
        shape = (2, 2, 3) if more.get("keepdims") else (2, 3)
        # Without an axis, or along the axis without extent, an extremum has nothing to take.
        fine = WORKS if more == {"axis": 1} else empty
        given = None if expected is None else (lambda x, more=more: expected(x, **more, **params))
        cases.append(Case((shape,), more | params, None, given, kinds=kinds, empty=fine, scalar=not more))
    return cases
