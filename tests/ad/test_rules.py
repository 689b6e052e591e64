"""The one tester of derivatives: every op of the catalogue, every dtype, at first and second order.

The catalogue brings samples away from the kinks: broadcast, zero-size, rank 0. Everything goes through the public runtime:
values on strided inputs against compact ones, `jvp` against central differences, the adjoint identity
Re<ct, J t> = Re<J^H ct, t> to rounding, and both again for the gradient as a function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tenferro as tf
from tenferro._tenferro import _samples

SAMPLES = _samples()
INEXACT = ("f", "c")


def label(sample: Any) -> str:
    shapes = "-".join("x".join(map(str, x.shape)) or "scalar" for x in sample.inputs)
    return f"{sample.name}-{sample.inputs[0].dtype}-{shapes}"


def smooth(sample: Any) -> list[int]:
    """The inputs that carry a derivative."""
    kinds = [x.dtype.kind for x in sample.inputs]
    return [i for i, rule in enumerate(sample.rules) if rule != "inactive" and kinds[i] in INEXACT]


def is_double(sample: Any) -> bool:
    """Whether all floating-point inputs and the output have 64-bit parts, so that differences are accurate."""
    dtypes = [x.dtype for x in sample.inputs] + [sample(*[tf.tensor(x) for x in sample.inputs]).dtype]
    return all(d in (tf.float64, tf.complex128) for d in dtypes if d.kind in INEXACT)


DIFFERENTIABLE = [s for s in SAMPLES if smooth(s)]
DOUBLE = [s for s in DIFFERENTIABLE if is_double(s)]


def direction(like: Any, seed: int) -> NDArray[Any]:
    rng = np.random.default_rng([seed, *like.shape])
    values = rng.uniform(-1, 1, like.shape)
    if np.dtype(like.dtype.dtype).kind == "c":
        values = values + 1j * rng.uniform(-1, 1, like.shape)
    return np.asarray(values, dtype=like.dtype.dtype)


def inner(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(np.real(np.sum(np.conj(np.asarray(a, dtype=complex)) * b)))


def strided(a: NDArray[Any]) -> tf.EagerTensor:
    """The same values as a view with negative, non-unit strides."""
    x = tf.tensor(np.asarray(a)[(slice(None, None, -1),) * a.ndim])
    wide = tf.stack([x, x], axis=0)
    return wide[(0, *(slice(None, None, -1),) * a.ndim)]


def leaves(sample: Any, values: list[NDArray[Any]], chosen: list[int]) -> list[tf.EagerTensor]:
    return [tf.tensor(v, requires_grad=i in chosen) for i, v in enumerate(values)]


def arrays(sample: Any) -> list[NDArray[Any]]:
    return [x.numpy(copy=True) for x in sample.inputs]


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_strided_inputs_give_the_same_bits(sample: Any) -> None:
    values = arrays(sample)
    compact = sample(*[tf.tensor(v) for v in values]).numpy()
    views = sample(*[strided(v) for v in values]).numpy()
    assert compact.dtype == views.dtype
    assert compact.shape == views.shape
    assert np.array_equal(compact, views, equal_nan=compact.dtype.kind in INEXACT)


@pytest.mark.parametrize("sample", DOUBLE, ids=label)
def test_jvp_equals_central_differences(sample: Any) -> None:
    values, chosen = arrays(sample), smooth(sample)
    tensors = leaves(sample, values, chosen)
    out = sample(*tensors)
    runtime = out.runtime
    for i in chosen:
        t = direction(sample.inputs[i], 3 + i)
        exact = runtime.jvp(out, tensors[i], tf.tensor(t)).numpy()

        def moved(step: float, i: int = i, t: NDArray[Any] = t) -> NDArray[Any]:
            there = [v + step * t if j == i else v for j, v in enumerate(values)]
            return sample(*[tf.tensor(np.asarray(v, dtype=values[j].dtype)) for j, v in enumerate(there)]).numpy()

        h = 1e-3
        wide, near = (moved(h) - moved(-h)) / (2 * h), (moved(h / 2) - moved(-h / 2)) / h
        difference = (4 * near - wide) / 3
        scale = max(1.0, float(np.max(np.abs(exact), initial=0.0)))
        assert np.max(np.abs(exact - difference), initial=0.0) < 2e-9 * scale, f"input {i}"


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=label)
def test_vjp_is_the_adjoint_of_jvp(sample: Any) -> None:
    values, chosen = arrays(sample), smooth(sample)
    tensors = leaves(sample, values, chosen)
    out = sample(*tensors)
    ct = direction(out, 17)
    for i in chosen:
        t = direction(sample.inputs[i], 5 + i)
        forward = out.runtime.jvp(out, tensors[i], tf.tensor(t))
        back = out.runtime.vjp(out, tensors[i], tf.tensor(ct))
        assert back.dtype == sample.inputs[i].dtype
        assert back.shape == sample.inputs[i].shape
        left, right = inner(ct, forward.numpy()), inner(back.numpy(), t)
        size = float(np.linalg.norm(ct) * np.linalg.norm(forward.numpy())) + float(
            np.linalg.norm(back.numpy()) * np.linalg.norm(t)
        )
        eps = max(np.finfo(np.dtype(x.dtype.dtype)).eps for x in (sample.inputs[i], out))
        assert abs(left - right) <= 8 * eps * np.sqrt(max(ct.size, t.size, 1)) * max(size, 1e-30), f"input {i}"


@pytest.mark.parametrize("sample", DOUBLE, ids=label)
def test_second_order(sample: Any) -> None:
    """g = J^H ct as a function: jvp against differences of g, and its adjoint by reverse over reverse."""
    values, chosen = arrays(sample), smooth(sample)
    tensors = leaves(sample, values, chosen)
    out = sample(*tensors)
    ct = direction(out, 23)
    runtime = out.runtime

    def gradient(at: list[NDArray[Any]], i: int) -> NDArray[Any]:
        there = leaves(sample, [np.asarray(v, dtype=values[j].dtype) for j, v in enumerate(at)], [i])
        result = sample(*there)
        return runtime.vjp(result, there[i], tf.tensor(ct)).numpy()

    for i in chosen:
        g = runtime.vjp(out, tensors[i], tf.tensor(ct))
        for j in chosen:
            t = direction(sample.inputs[j], 31 + j)
            forward = runtime.jvp_optional(g, tensors[j], tf.tensor(t))

            def moved(step: float, i: int = i, j: int = j, t: NDArray[Any] = t) -> NDArray[Any]:
                return gradient([v + step * t if k == j else v for k, v in enumerate(values)], i)

            h = 1e-3
            wide, near = (moved(h) - moved(-h)) / (2 * h), (moved(h / 2) - moved(-h / 2)) / h
            difference = (4 * near - wide) / 3
            exact = np.zeros_like(difference) if forward is None else forward.numpy()
            scale = max(1.0, float(np.max(np.abs(exact), initial=0.0)))
            assert np.max(np.abs(exact - difference), initial=0.0) < 5e-8 * scale, f"inputs {i}, {j}"
            if forward is None:
                continue
            w = direction(g, 41)
            back = runtime.vjp(g, tensors[j], tf.tensor(w))
            left, right = inner(w, exact), inner(back.numpy(), t)
            size = float(np.linalg.norm(w) * np.linalg.norm(exact)) + float(
                np.linalg.norm(back.numpy()) * np.linalg.norm(t)
            )
            assert abs(left - right) <= 1e-12 * max(size, 1e-30), f"inputs {i}, {j}"


def test_the_catalogue_is_complete() -> None:
    """Every op name that a method can reach has samples, and each dtype class of it that computes."""
    names = {s.name for s in SAMPLES}
    expected = {
        "neg", "abs", "sign", "conj", "real", "imag", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos",
        "tanh", "add", "sub", "mul", "div", "pow", "maximum", "minimum", "select", "clamp", "cast", "transpose",
        "reshape", "broadcast_in_dim", "reverse", "slice", "pad", "concatenate", "take", "gather", "scatter",
        "dot_general",
    }  # fmt: skip
    assert expected <= names
    assert len(SAMPLES) > 500
