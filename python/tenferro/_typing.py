"""Names for what functions accept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union, runtime_checkable

import numpy as np
import numpy.typing as npt

from tenferro._tenferro import DType, EagerTensor, GradientValue, Tensor


@runtime_checkable
class SupportsDLPack(Protocol):
    """Anything that exports DLPack capsules."""

    def __dlpack__(self) -> Any: ...


Number: TypeAlias = Union[bool, int, float, complex]
ArrayLike: TypeAlias = Union[npt.ArrayLike, SupportsDLPack]
TensorLike: TypeAlias = Union[EagerTensor, Tensor, GradientValue, ArrayLike, Sequence[Any]]
DTypeLike: TypeAlias = Union[DType[Any], npt.DTypeLike]
ShapeLike: TypeAlias = Union[int, np.integer[Any], Sequence[int]]
AxesLike: TypeAlias = Union[int, Sequence[int]]
PadWidthLike: TypeAlias = Union[int, Sequence[int], Sequence[Sequence[int]]]
