"""Helpers shared by the tests: dtype lists, tolerances, sample arrays, layouts, child processes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenferro as tf

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTS = ("int32", "int64")
INEXACT = FLOATS + COMPLEX
NUMERIC = INEXACT + INTS
ALL = (*NUMERIC, "bool")

SHAPES = ((), (1,), (4,), (0,), (2, 3), (2, 0, 3), (2, 3, 4))

RTOL = {
    "float32": 4e-6,
    "complex64": 4e-6,
    "float64": 1e-13,
    "complex128": 1e-13,
    "int32": 0.0,
    "int64": 0.0,
    "bool": 0.0,
}


def tf_dtype(name: str) -> Any:
    """The tenferro dtype of that NumPy name."""
    return tf.bool_ if name == "bool" else getattr(tf, name)


def sample(dtype: str, shape: tuple[int, ...], seed: int = 0, low: float = -2.0, high: float = 2.0) -> NDArray[Any]:
    """A reproducible array with values from low to high (both parts of them, if complex)."""
    rng = np.random.default_rng([seed, len(shape), *shape])
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape), dtype=bool)
    if kind == "i":
        return np.asarray(rng.integers(int(low), int(high) + 1, shape), dtype=dtype)
    values = rng.uniform(low, high, shape)
    if kind == "c":
        values = values + 1j * rng.uniform(low, high, shape)
    return np.asarray(values, dtype=dtype)


def assert_equals(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """The same dtype, shape and (to rounding) values."""
    got = np.asarray(actual.numpy())
    want = np.asarray(expected)
    assert got.dtype == want.dtype, f"dtype {got.dtype}, expected {want.dtype}"
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    assert tuple(actual.shape) == want.shape
    limit = RTOL[want.dtype.name] if rtol is None else rtol
    np.testing.assert_allclose(got, want, rtol=limit, atol=limit if atol is None else atol)


def leaf(data: Any, dtype: Any = None, runtime: tf.EagerRuntime | None = None) -> tf.EagerTensor:
    """A tracked leaf."""
    return tf.tensor(data, dtype=dtype, requires_grad=True, runtime=runtime)


def gradient(loss: tf.EagerTensor, *leaves: tf.EagerTensor) -> Any:
    """The gradients of this backward pass as arrays: one, or a list for several leaves."""
    grads = loss.backward()
    arrays = [grads[x].numpy() for x in leaves]
    return arrays[0] if len(arrays) == 1 else arrays


def spellings(name: str, x: tf.EagerTensor, *args: Any, **params: Any) -> list[Any]:
    """The results of one op as a module function, a method and a session function."""
    return [
        getattr(tf, name)(x, *args, **params),
        getattr(x, name)(*args, **params),
        x.runtime.with_eager_session(lambda s: getattr(s, name)(x, *args, **params)),
    ]


def _stepped(a: NDArray[Any]) -> NDArray[Any]:
    if a.ndim == 0:
        return a.copy()
    wide = np.zeros(tuple(2 * n for n in a.shape), dtype=a.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def _reversed(a: NDArray[Any]) -> NDArray[Any]:
    backwards = tuple(slice(None, None, -1) for _ in a.shape)
    return np.array(a[(*backwards, ...)], order="C")[(*backwards, ...)]


def _misaligned(a: NDArray[Any]) -> NDArray[Any]:
    raw = np.zeros(a.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(a.dtype).reshape(a.shape) if a.size else a
    view[...] = a
    return view


def _read_only(a: NDArray[Any]) -> NDArray[Any]:
    b = a.copy()
    b.flags.writeable = False
    return b


LAYOUTS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "c_order": lambda a: np.array(a, order="C"),
    "f_order": lambda a: np.array(a, order="F"),
    "stepped": _stepped,
    "negative_strides": _reversed,
    "misaligned": _misaligned,
    "byte_swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "read_only": _read_only,
}


def _as_transposed_view(a: NDArray[Any]) -> tf.EagerTensor:
    return tf.tensor(a.T).transpose(tuple(range(a.ndim))[::-1])


def _as_stepped_view(a: NDArray[Any]) -> tf.EagerTensor:
    return tf.tensor(_stepped(a))[...] if a.ndim == 0 else tf.tensor(np.repeat(a, 2, axis=0))[::2]


def _as_reversed_view(a: NDArray[Any]) -> tf.EagerTensor:
    return tf.tensor(np.flip(a)).reverse(tuple(range(a.ndim)))


VIEWS: dict[str, Callable[[NDArray[Any]], tf.EagerTensor]] = {
    "compact": tf.tensor,
    "transposed_view": _as_transposed_view,
    "stepped_view": _as_stepped_view,
    "reversed_view": _as_reversed_view,
}


def run_child(code: str, timeout: float = 60.0, address_space: int | None = None) -> str:
    """What the program prints in a fresh interpreter; fails if it does not end well in time."""
    head = ""
    if address_space is not None:
        head = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({address_space},) * 2)\n"
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def tree_values(tree: Any) -> Any:
    """A container of tensors as a container of lists and numbers."""
    if isinstance(tree, dict):
        return {key: tree_values(entry) for key, entry in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [tree_values(entry) for entry in tree]
    return tree.tolist()
