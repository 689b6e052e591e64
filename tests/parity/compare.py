"""Calls of the golden files repeated with this library, and what is different."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenferro as tf

GOLDEN = Path(__file__).parent / "golden"

Json = dict[str, Any]

# The same operations in another order: a few roundings of the largest entry.
RTOL = {"float64": 1e-13, "complex128": 1e-13, "float32": 2e-6, "complex64": 2e-6}

ERRORS: dict[str, tuple[type[tf.TenferroError], ...]] = {
    "ShapeMismatch": (tf.ShapeMismatchError,),
    "RankMismatch": (tf.RankMismatchError,),
    "AxisOutOfBounds": (tf.AxisOutOfBoundsError,),
    "DTypeMismatch": (tf.DTypeMismatchError,),
    # The original has one kind for what are classes of their own here.
    "InvalidArgument": (
        tf.InvalidArgumentError,
        tf.DuplicateAxisError,
        tf.IndexOutOfBoundsError,
        tf.IntegerOverflowError,
    ),
    "Unsupported": (tf.UnsupportedError,),
    "NumericalFailure": (tf.NumericalError,),
}

# Ops with several tensors in a list, and arguments that the original takes as tensors or by another name.
LISTS = ("concatenate", "stack")


@dataclass(frozen=True)
class Difference:
    """What is different: `value`, `error`, `jvp 0` (with respect to input 0), `vjp 0`, …, and how."""

    what: str
    how: str


@dataclass
class Outcome:
    """One case: its name, how many results were compared, what was different; `missing` if there is no such op here."""

    op: str
    name: str
    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    missing: bool = False


def cases(path: Path) -> list[Json]:
    stored = json.loads(path.read_text("utf-8"))
    assert isinstance(stored, list)
    return stored


def array(stored: Json) -> NDArray[Any]:
    """A stored tensor: column-major data, complex numbers as pairs, nan and infinities as strings."""
    dtype = np.dtype(stored["dtype"])
    if dtype.kind == "c":
        pairs = np.array([[float(part) for part in z] for z in stored["data"]], dtype=np.float64).reshape(-1, 2)
        flat = np.empty(len(pairs), dtype=np.complex128)
        flat.real, flat.imag = pairs[:, 0], pairs[:, 1]
        with np.errstate(over="ignore"):
            flat = flat.astype(dtype)
    else:
        flat = np.array([float(x) if isinstance(x, str) else x for x in stored["data"]], dtype=dtype)
    return flat.reshape(stored["shape"], order="F")


def call(case: Json, inputs: list[tf.EagerTensor]) -> tf.EagerTensor:
    args = dict(case["args"])
    function = getattr(tf, case["op"])
    if case["op"] == "scale_complex":
        args["factor"] = complex(*args["factor"])
    if case["op"] in ("extract_diag", "embed_diag"):
        args = {name.removeprefix("axis_"): axis for name, axis in args.items()}
    if case["op"] in ("layer_norm", "rms_norm"):
        args |= dict(zip(("weight", "bias"), inputs[1:], strict=False))
        return function(inputs[0], **args)
    if case["op"] in LISTS:
        return function(inputs, **args)
    return function(*inputs, **args)


def apart(got: NDArray[Any], want: NDArray[Any]) -> str | None:
    """How two arrays differ."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} for {want.dtype}{list(want.shape)}"
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True) or not np.isfinite(got[finite]).all():
        return f"{got.ravel('F').tolist()} for {want.ravel('F').tolist()}"
    scale = np.abs(want[finite]).max(initial=0.0)
    off = np.abs(got[finite].astype(np.complex128) - want[finite]).max(initial=0.0)
    if off <= RTOL.get(str(want.dtype), 0.0) * max(scale, 1.0):
        return None
    return f"{got.ravel('F').tolist()} for {want.ravel('F').tolist()}"


def judged(result: tf.EagerTensor | tf.TenferroError | None, stored: Json | None) -> str | None:
    """How a result differs from the stored one: a tensor, none, or an error by its kind."""
    if stored is not None and "error" in stored:
        if isinstance(result, ERRORS[stored["error"]]):
            return None
        got = type(result).__name__ if isinstance(result, tf.TenferroError) else result
        return f"{got} for an error of the kind {stored['error']}"
    if isinstance(result, tf.TenferroError):
        return f"{type(result).__name__}: {result}"
    if result is None or stored is None:
        if result is None and stored is None:
            return None
        return (
            f"{'nothing' if result is None else result.tolist()} for {'nothing' if stored is None else stored['data']}"
        )
    return apart(result.numpy(), array(stored))


def compared(case: Json) -> Outcome:
    outcome = Outcome(case["op"], case["name"])
    if not hasattr(tf, case["op"]):
        outcome.missing = True
        return outcome

    def note(what: str, result: tf.EagerTensor | tf.TenferroError | None, stored: Json | None) -> None:
        outcome.compared += 1
        how = judged(result, stored)
        if how is not None:
            outcome.differences.append(Difference(what, how))

    plain = [array(x) for x in case["inputs"]]
    value: tf.EagerTensor | tf.TenferroError
    try:
        value = call(case, [tf.tensor(x) for x in plain])
    except tf.TenferroError as error:
        value = error
    note("error" if "error" in case["value"] else "value", value, case["value"])
    if isinstance(value, tf.TenferroError):
        return outcome
    for derivative in case.get("derivatives", []):
        i = derivative["input"]
        for what in ("jvp", "vjp"):
            note(f"{what} {i}", differentiated(case, plain, i, what, derivative), derivative[what])
    return outcome


def differentiated(
    case: Json, plain: list[NDArray[Any]], i: int, what: str, derivative: Json
) -> tf.EagerTensor | tf.TenferroError | None:
    ctx = tf.default_runtime()
    inputs = [tf.tensor(x, requires_grad=i == j) for j, x in enumerate(plain)]
    try:
        out = call(case, inputs)
        if what == "jvp":
            return ctx.jvp_optional(out, inputs[i], tf.tensor(array(derivative["tangent"])))
        return ctx.vjp_optional(out, inputs[i], tf.tensor(array(case["cotangent"])))
    except tf.TenferroError as error:
        return error
