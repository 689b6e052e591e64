"""What calls are made of: tensors with every number written out, and the values of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Shape = tuple[int, ...]

FLOATS = ("float64", "complex128", "float32", "complex64")
REALS = ("float64", "float32")
INTS = ("int64", "int32")
NUMBERS = (*FLOATS, *INTS)
ALL = (*NUMBERS, "bool")
NAN, INF = "nan", "inf"


def tensor(dtype: str, shape: Shape, data: list[Any]) -> Json:
    return {"dtype": dtype, "shape": list(shape), "data": data}


def values(dtype: str, shape: Shape = (3,), low: float = -2.0, high: float = 2.0, salt: int = 1) -> Json:
    """Different numbers between `low` and `high`; a complex number has both parts there."""
    count = 1
    for extent in shape:
        count *= extent

    def at(k: int) -> float:
        return round(low + (high - low) * ((k * 29 + salt * 13) % 97 + 0.5) / 97, 4)

    if dtype == "bool":
        return tensor(dtype, shape, [at(k) > (low + high) / 2 for k in range(count)])
    if dtype.startswith("int"):
        return tensor(dtype, shape, [round(3 * at(k)) for k in range(count)])
    if dtype.startswith("complex"):
        return tensor(dtype, shape, [[at(k), at(k + 5)] for k in range(count)])
    return tensor(dtype, shape, [at(k) for k in range(count)])


def reals(*data: Any, dtype: str = "float64") -> Json:
    return tensor(dtype, (len(data),), list(data))


def call(op: str, about: str, *inputs: Json, **args: Any) -> Json:
    dtypes = " ".join(x["dtype"] for x in inputs)
    return {"op": op, "name": f"{op}: {dtypes}, {about}", "inputs": list(inputs), "args": args}


def shown(shape: Shape) -> str:
    return "×".join(map(str, shape)) if shape else "a number"


def unary(op: str, domain: tuple[float, float], dtypes: tuple[str, ...]) -> Iterator[Json]:
    for dtype in dtypes:
        shapes: tuple[Shape, ...] = ((2, 2), (), (0, 2)) if dtype in ("float64", "complex128") else ((3,),)
        for shape in shapes:
            yield call(op, shown(shape), values(dtype, shape, *domain))
