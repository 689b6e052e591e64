"""Every exported op, built of others or not, over the catalogue of samples in `rows`: values against NumPy, mpmath or a
formula, both modes of differentiation to second order, layouts, precisions, no elements, no axes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tenferro as tf
from ad.rows import ROWS, WITHOUT
from ad.rows.case import REFUSED, WORKS, Case, operands

Array = NDArray[Any]
Function = Callable[..., Any]

SETTINGS = """capture_trace default_runtime live_bytes live_tensors no_grad num_threads set_default_runtime
    set_memory_limit set_num_threads use_runtime""".split()
DOUBLE = {"f": "float64", "c": "complex128"}
SINGLE = {"float64": "float32", "complex128": "complex64"}
REASONS = [name for names in WITHOUT.values() for name in names]


def exported() -> Iterator[tuple[str, Any]]:
    """The names of all functions of the package, and of `fft`."""
    for prefix, module in (("", tf), ("fft.", tf.fft)):
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isbuiltin(function) and name not in SETTINGS:
                yield prefix + name, function


def function(name: str, module: Any = tf) -> Any:
    for part in name.split("."):
        module = getattr(module, part, None)
    return module


def rows(kinds: str = "fc") -> list[Any]:
    """The cases with the double precision dtypes they are meant for."""
    return [
        pytest.param(name, case, DOUBLE[kind], id=f"{name}-{number}-{DOUBLE[kind]}")
        for name, cases in ROWS.items()
        for number, case in enumerate(cases)
        for kind in case.kinds
        if kind in kinds
    ]


def results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def compute(name: str, case: Case, *xs: Any) -> list[tf.EagerTensor]:
    """The results that have a derivative."""
    found = results(case.run(function(name), *xs))
    return [y for y in found if y.dtype.kind in "fc"]


def reference(name: str, case: Case, arrays: list[Array]) -> list[Array]:
    if case.expected is not None:
        return [np.asarray(y) for y in results(case.expected(*arrays))]
    return [np.asarray(y) for y in results(case.run(function(name, np), *arrays))]


def directions(like: list[Any], seed: int) -> list[Array]:
    """A random array for each, of the same shape and dtype."""
    found = []
    for k, x in enumerate(like):
        rng = np.random.default_rng([seed, k, *x.shape])
        values = rng.uniform(-1, 1, x.shape)
        if x.dtype.kind == "c":
            values = values + 1j * rng.uniform(-1, 1, x.shape)
        found.append(np.asarray(values, x.numpy().dtype))
    return found


def inner(left: list[Any], right: list[Any]) -> float:
    return sum(float(np.real(np.vdot(a, b))) for a, b in zip(left, right, strict=True))


def norm(arrays: list[Any]) -> float:
    return float(np.sqrt(inner(arrays, arrays)))


def arrays(tensors: Any) -> list[Array]:
    return [x.numpy() for x in tensors]


def derivatives(f: Function, xs: list[Array], tangents: list[Array], weights: Any = None) -> dict[str, list[Array]]:
    """Values, tangents, and the cotangents for given (or random) weights of the results."""
    inputs = [tf.tensor(x) for x in xs]
    outs, pushed = tf.jvp(f, inputs, [tf.tensor(t) for t in tangents])
    weights = directions(outs, 11) if weights is None else weights
    pulled = tf.vjp(f, *inputs)[1]([tf.tensor(w) for w in weights])
    return {"values": arrays(outs), "jvp": arrays(pushed), "vjp": arrays(pulled), "weights": weights}


def close(got: list[Array], wanted: list[Array], tolerance: float) -> None:
    assert [y.shape for y in got] == [y.shape for y in wanted]
    for y, z in zip(got, wanted, strict=True):
        scale = max(1.0, float(np.max(np.abs(z), initial=0.0)))
        np.testing.assert_allclose(y, z, rtol=0, atol=tolerance * scale)


def strided(x: Array) -> tf.EagerTensor:
    """The same numbers as a view with other strides: backwards, every second, axes in another order."""
    flipped = np.flip(x).T
    wide = tf.tensor(np.stack([flipped, flipped], axis=-1))
    return wide[(..., 0)].transpose(tuple(range(x.ndim))[::-1]).reverse(tuple(range(x.ndim)))


def test_every_exported_op_has_samples_or_a_reason() -> None:
    """Aliases are one function with one docstring: one name of each will do."""
    aliases: dict[str, list[str]] = {}
    for name, f in exported():
        aliases.setdefault(f.__doc__, []).append(name)
    listed = set(ROWS) | set(REASONS)
    assert not [names for names in aliases.values() if not listed & set(names)]
    assert listed <= {name for names in aliases.values() for name in names}
    assert len(REASONS) == len(set(REASONS))
    assert not set(ROWS) & set(REASONS)


@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_values(name: str, case: Case, dtype: str) -> None:
    xs = operands(case, case.shapes, dtype)
    got = [y.numpy() for y in results(case.run(function(name), *[tf.tensor(x) for x in xs]))]
    wanted = reference(name, case, xs)
    assert [y.dtype.kind for y in got] == [y.dtype.kind for y in wanted]
    close(got, wanted, 2e-14)


@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_derivatives_to_second_order(name: str, case: Case, dtype: str) -> None:
    tf.check_grads(lambda *xs: compute(name, case, *xs), tuple(operands(case, case.shapes, dtype)), order=2)


@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_reverse_is_the_adjoint_of_forward(name: str, case: Case, dtype: str) -> None:
    """⟨J t, w⟩ = ⟨t, Jᴴ w⟩ to rounding, in double and in single precision, which agree with each other."""
    found = {}
    doubles = [x.astype(SINGLE[dtype]).astype(dtype) for x in operands(case, case.shapes, dtype)]
    for precision in (dtype, SINGLE[dtype]):
        xs = [x.astype(precision) for x in doubles]
        tangents = [t.astype(SINGLE[dtype]).astype(precision) for t in directions([tf.tensor(x) for x in xs], 5)]
        weights = None
        if precision != dtype:
            weights = [
                w.astype(y.dtype) for w, y in zip(found[dtype]["weights"], single_values(name, case, xs), strict=True)
            ]
        one = derivatives(lambda *xs: compute(name, case, *xs), xs, tangents, weights)
        left, right = inner(one["jvp"], one["weights"]), inner(tangents, one["vjp"])
        size = norm(one["jvp"]) * norm(one["weights"]) + norm(tangents) * norm(one["vjp"])
        eps = max(np.finfo(y.dtype).eps for y in [*xs, *one["values"]])
        assert abs(left - right) <= 16 * eps * size
        assert [ct.dtype for ct in one["vjp"]] == [x.dtype for x in xs]
        found[precision] = one
    single, double = found[SINGLE[dtype]], found[dtype]
    for what in ("values", "jvp", "vjp"):
        close(single[what], double[what], 2e-5)
    if case.keeps_precision:
        assert [y.dtype.itemsize * 2 for y in single["values"]] == [y.dtype.itemsize for y in double["values"]]


def single_values(name: str, case: Case, xs: list[Array]) -> list[Array]:
    return arrays(compute(name, case, *[tf.tensor(x) for x in xs]))


@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_strided_operands_give_the_same(name: str, case: Case, dtype: str) -> None:
    xs = operands(case, case.shapes, dtype)
    tangents = directions([tf.tensor(x) for x in xs], 5)
    views = [strided(x) for x in xs]
    assert all(np.array_equal(v.numpy(), x) for v, x in zip(views, xs, strict=True))
    compact = derivatives(lambda *xs: compute(name, case, *xs), xs, tangents)
    outs, pushed = tf.jvp(lambda *xs: compute(name, case, *xs), views, [strided(t) for t in tangents])
    pulled = tf.vjp(lambda *xs: compute(name, case, *xs), *views)[1]([strided(w) for w in compact["weights"]])
    close(arrays(outs), compact["values"], 1e-14)
    close(arrays(pushed), compact["jvp"], 1e-13)
    close(arrays(pulled), compact["vjp"], 1e-13)


def edge(name: str, case: Case, shapes: tuple[Any, ...], dtype: str, expected: bool) -> None:
    """Values as NumPy's and derivatives of the right shapes, or an error of a type of its own."""
    xs = operands(case, shapes, dtype)
    if expected is REFUSED:
        with pytest.raises(tf.TenferroError) as caught:
            case.run(function(name), *[tf.tensor(x) for x in xs])
        assert not isinstance(caught.value, tf.InternalError)
        return
    one = derivatives(lambda *xs: compute(name, case, *xs), xs, directions([tf.tensor(x) for x in xs], 5))
    with np.errstate(all="ignore"):
        wanted = reference(name, case, xs)
    got = arrays(results(case.run(function(name), *[tf.tensor(x) for x in xs])))
    close(got, wanted, 2e-14)
    assert [t.shape for t in one["jvp"]] == [y.shape for y in one["values"]]
    assert [(ct.shape, ct.dtype) for ct in one["vjp"]] == [(x.shape, x.dtype) for x in xs]
    left, right = inner(one["jvp"], one["weights"]), inner(directions([tf.tensor(x) for x in xs], 5), one["vjp"])
    if all(np.isfinite(t).all() for t in one["jvp"]):
        assert abs(left - right) <= 1e-13 * max(1.0, abs(left))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_no_elements(name: str, case: Case, dtype: str) -> None:
    edge(name, case, case.emptied(), dtype, REFUSED if case.empty is REFUSED else WORKS)


@pytest.mark.parametrize(("name", "case", "dtype"), rows())
def test_no_axes(name: str, case: Case, dtype: str) -> None:
    edge(name, case, ((),) * len(case.shapes), dtype, case.scalar)


@pytest.mark.parametrize("name", [name for name, cases in ROWS.items() if all(case.kinds == "f" for case in cases)])
def test_real_functions_refuse_complex_operands(name: str) -> None:
    case = ROWS[name][0]
    with pytest.raises(tf.UnsupportedDTypeError):
        case.run(function(name), *[tf.tensor(x) for x in operands(case, case.shapes, "complex128")])
