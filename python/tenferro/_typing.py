"""Names for what functions accept, for annotations: `tf.TensorLike`, `tf.DTypeLike`, `tf.ShapeLike` and their like."""

from collections.abc import Iterator
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np

from tenferro._tenferro import DType, EagerTensor, GradientValue, Tensor

T_co = TypeVar("T_co", covariant=True)


class SupportsArray(Protocol):
    """What NumPy can convert: its arrays and scalars, data frames."""

    def __array__(self) -> np.ndarray[Any, np.dtype[Any]]: ...


class SupportsDLPack(Protocol):
    """What exports DLPack capsules: tensors of other libraries."""

    def __dlpack__(self) -> Any: ...


class Nested(Protocol[T_co]):
    """A sequence, but neither a string nor bytes (they do not take every object on the left of `in`) nor a dict."""

    def __contains__(self, value: object, /) -> bool: ...
    @overload
    def __getitem__(self, index: int, /) -> T_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> object: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __len__(self) -> int: ...


Integers: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]
Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

NumberLike: TypeAlias = complex | SupportsArray | EagerTensor | Tensor | GradientValue
"""A number: Python's, NumPy's, or a tensor with one element."""

ArrayLike: TypeAlias = complex | SupportsArray | SupportsDLPack | Nested["ArrayLike"]
"""Numbers, arrays, anything that exports an array, and nested sequences of these."""

TensorLike: TypeAlias = EagerTensor | Tensor | GradientValue | ArrayLike
"""What every op takes."""

DTypeLike: TypeAlias = DType[Any] | np.dtype[Any] | type[np.generic] | type[complex] | type[float] | type[int] | str
"""`tf.float64`, NumPy's dtypes and scalar types, `float` and its like, names."""

ShapeLike: TypeAlias = SupportsIndex | Nested[SupportsIndex] | Integers
"""A shape: the extents, or one."""

AxesLike: TypeAlias = SupportsIndex | Nested[SupportsIndex] | Integers
"""Axes, or one; negative ones count from the end."""

PadWidthLike: TypeAlias = SupportsIndex | Nested[SupportsIndex] | Nested[Nested[SupportsIndex]] | Integers
"""Margins for all axes, or a pair, or a pair for each axis."""

TensordotAxes: TypeAlias = AxesLike | tuple[AxesLike, AxesLike] | list[AxesLike]
"""How many axes to contract, or which: one list for each operand."""

Positions: TypeAlias = SupportsIndex | Integers | Mask | EagerTensor | Tensor | Nested["Positions"]
IndexEntry: TypeAlias = Positions | slice | EllipsisType | None
IndexLike: TypeAlias = IndexEntry | tuple[IndexEntry, ...]
"""What stands in the brackets of `x[...]`: integers, slices, `...`, `None`, arrays of integers or truth values."""
