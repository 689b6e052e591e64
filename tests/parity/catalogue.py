"""The calls whose results are compared with those of the original, by family."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from parity.calls import ALL, FLOATS, INF, NAN, REALS, Json, Shape, call, reals, shown, tensor, unary, values
from parity.elementwise import elementwise

REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean", "reduce_sum_squares")


def reductions() -> Iterator[Json]:
    for op in REDUCTIONS:
        for dtype in ALL:
            yield call(op, "all axes", values(dtype, (2, 2), 0.3, 2.0))
        for dtype, axes in product(("float64", "complex128"), ([0], [1], [2, 0], [])):
            yield call(op, f"axes {axes}", values(dtype, (2, 3, 2)), axes=axes)
        yield call(op, "a number", values("float64", ()))
        yield call(op, "axes [] of bool", values("bool", (2,)), axes=[])
        yield call(op, "ties and zeros", tensor("float64", (2, 3), [0.0, 2.0, 2.0, 2.0, 0.0, 2.0]), axes=[1])
        yield call(op, "one zero", reals(0.0, 3.0, -2.0))
        yield call(op, "NaN", reals(1.0, NAN, 3.0))
        yield call(op, "an axis without elements", values("float64", (0, 2)), axes=[0])
        yield call(op, "beside an axis without elements", values("float64", (0, 2)), axes=[1])
        yield call(op, "int32 beyond its range", reals(2**31 - 1, 2, dtype="int32"))


DOTS: tuple[tuple[Shape, Shape, Json], ...] = (
    ((2, 3), (3, 2), {"lhs_contracting": [1], "rhs_contracting": [0]}),
    ((3, 2), (2, 3), {"lhs_contracting": [0], "rhs_contracting": [1]}),
    ((3,), (3,), {"lhs_contracting": [0], "rhs_contracting": [0]}),
    ((2,), (3,), {"lhs_contracting": [], "rhs_contracting": []}),
    ((2, 3, 2), (3, 2, 2), {"lhs_contracting": [1], "rhs_contracting": [0], "lhs_batch": [2], "rhs_batch": [2]}),
    ((2, 2, 3), (3, 2, 2), {"lhs_contracting": [2, 0], "rhs_contracting": [0, 1], "lhs_batch": [1], "rhs_batch": [2]}),
    ((2, 0), (0, 2), {"lhs_contracting": [1], "rhs_contracting": [0]}),
)


def contraction() -> Iterator[Json]:
    for dtype in ALL:
        a, b = values(dtype, (2, 3), salt=2), values(dtype, (3, 2), salt=5)
        yield call("matmul", "2×3 and 3×2", a, b)
        for conj in (False, True):
            dims = {"lhs_contracting": [1], "rhs_contracting": [0], "lhs_conj": conj, "rhs_conj": not conj}
            yield call("dot_general_with_conj", f"conj of the {'first' if conj else 'second'}", a, b, **dims)
    for dtype, (a, b, dims) in product(("float64", "complex128"), DOTS):
        inputs = values(dtype, a, salt=2), values(dtype, b, salt=5)
        yield call("dot_general", f"{shown(a)} and {shown(b)}, {dims['lhs_contracting']}", *inputs, **dims)
    yield call("matmul", "promoted", values("float32", (2, 2)), values("complex128", (2, 2), salt=3))
    yield call("matmul", "no columns", values("float64", (2, 2)), values("float64", (2, 0)))
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((2, 2, 2), (2, 2, 2))):
        yield call("matmul", f"{shown(a)} and {shown(b)}", values("float64", a), values("float64", b, salt=3))


def structure() -> Iterator[Json]:
    for dtype in ALL:
        m = values(dtype, (2, 3))
        yield call("transpose", "2×3", m, perm=[1, 0])
        yield call("reshape", "2×3 to 3×2", m, shape=[3, 2])
        yield call("broadcast_in_dim", "3 to 2×3", values(dtype), shape=[2, 3], dims=[1])
        yield call("reverse", "one axis", m, axes=[1])
        yield call("slice", "with strides", values(dtype, (5,)), starts=[1], limits=[5], strides=[2])
        yield call("pad", "with interior", values(dtype, (3,)), low=[1], high=[2], interior=[1])
        yield call("concatenate", "axis 1", m, values(dtype, (2, 1), salt=3), axis=1)
        yield call("stack", "axis 0", values(dtype, (2,)), values(dtype, (2,), salt=3), axis=0)
        yield call("tril", "k = 0", values(dtype, (3, 3)), k=0)
        yield call("triu", "k = 1", values(dtype, (3, 3)), k=1)
        yield call("extract_diag", "3×3", values(dtype, (3, 3)), axis_a=0, axis_b=1)
        yield call("embed_diag", "2", values(dtype, (2,)), axis_a=0, axis_b=1)
        yield call("dynamic_slice", "2×3", m, reals(0, 1, dtype="int64"), sizes=[1, 2])
    x = values("float64", (2, 3, 2))
    yield call("transpose", "2×3×2", x, perm=[2, 0, 1])
    yield call("transpose", "a number", values("float64", ()), perm=[])
    yield call("reshape", "to a number", values("float64", (1, 1)), shape=[])
    yield call("reshape", "no elements", values("float64", (0, 2)), shape=[3, 0])
    yield call("broadcast_in_dim", "stretched", values("float64", (1, 3)), shape=[2, 3, 2], dims=[0, 1])
    yield call("broadcast_in_dim", "turned", values("float64", (2, 3)), shape=[3, 2], dims=[1, 0])
    yield call("broadcast_in_dim", "a number", values("float64", ()), shape=[2, 2], dims=[])
    yield call("reverse", "two axes", x, axes=[2, 0])
    yield call("reverse", "no axis", x, axes=[])
    yield call("slice", "nothing", values("float64", (3,)), starts=[1], limits=[1])
    yield call("pad", "cropped", values("complex128", (4,)), low=[-1], high=[-1], interior=[0])
    yield call("pad", "cropped and widened", values("float64", (3, 2)), low=[-1, 1], high=[2, 0], interior=[0, 1])
    promoted = values("float32", (2,)), values("complex64", (1,), salt=2), values("int64", (1,), salt=3)
    yield call("concatenate", "promoted", *promoted, axis=0)
    yield call("concatenate", "with nothing", values("float64", (2, 0)), values("float64", (2, 1)), axis=1)
    yield call("stack", "axis -1", values("float64", (2,)), values("float64", (2,), salt=3), axis=-1)
    for op, k in product(("tril", "triu"), (-1, 2)):
        yield call(op, f"k = {k}, with a batch axis", values("complex128", (2, 3, 2)), k=k)
    yield call("extract_diag", "axes 2 and 0", x, axis_a=2, axis_b=0)
    yield call("embed_diag", "axes 1 and 0", values("complex128", (2, 3)), axis_a=1, axis_b=0)
    for starts in ([-3, 1], [9, 9]):
        yield call(
            "dynamic_slice", f"starts {starts}", values("float64", (3, 3)), reals(*starts, dtype="int32"), sizes=[2, 2]
        )


ROWS = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
ADD_ROWS = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}
WINDOWS = {"offset_dims": [0, 2], "collapsed_slice_dims": [], "start_index_map": [1, 0], "index_vector_dim": 0}


def indexing() -> Iterator[Json]:
    for dtype in ALL:
        x, rows = values(dtype, (3, 2)), reals(2, 0, 2, dtype="int64")
        yield call("gather", "rows", x, rows, **ROWS, slice_sizes=[1, 2])
        yield call("scatter", "rows", x, rows, values(dtype, (3, 2), salt=4), **ADD_ROWS)
        yield call("index_select", "repeated", x, axis=0, indices=[1, 1, 2])
        yield call("take_along_axis", "axis 0", x, tensor("int64", (2, 2), [2, 0, 1, 1]), axis=0)
    x = values("float64", (3, 2))
    for dtype in ("int32", "float32", "float64", "bool", "complex128"):
        where = values("bool", (2,)) if dtype == "bool" else reals(2, 0, dtype=dtype)
        if dtype == "complex128":
            where["data"] = [[2.0, 0.0], [0.0, 0.0]]
        yield call("gather", "rows by other dtypes", x, where, **ROWS, slice_sizes=[1, 2])
    yield call("gather", "a fraction", x, reals(0.5), **ROWS, slice_sizes=[1, 2])
    yield call("gather", "clamped", x, reals(-1, 7, dtype="int64"), **ROWS, slice_sizes=[1, 2])
    yield call("gather", "nothing", x, reals(dtype="int64"), **ROWS, slice_sizes=[1, 2])
    starts = tensor("int64", (2, 2), [0, 1, 1, 0])
    yield call("gather", "windows", values("float64", (3, 4)), starts, **WINDOWS, slice_sizes=[2, 3])
    column = values("float64", (4,))
    added = {"update_window_dims": [], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0]}
    yield call("scatter", "clamped", column, reals(-1, 4, dtype="int64"), reals(1.0, 2.0), **added, index_vector_dim=1)
    yield call("index_select", "axis -1", x, axis=-1, indices=[1, 0])
    yield call("index_select", "nothing", x, axis=0, indices=[])


def composites() -> Iterator[Json]:
    for op in ("sigmoid", "silu", "softplus", "gelu", "gelu_tanh"):
        yield from unary(op, (-3.0, 3.0), (*REALS, "complex128", "int64"))
        yield call(op, "large", reals(0.0, 40.0, -40.0, 800.0, -800.0))
        yield call(op, "infinite", reals(INF, "-inf", NAN))
    for op in ("softmax", "log_softmax"):
        for dtype in (*FLOATS, "int64"):
            yield call(op, "2×3", values(dtype, (2, 3)), axis=1)
        yield call(op, "large", reals(1000.0, 999.0, -1000.0), axis=0)
        yield call(op, "all -inf", tensor("float64", (2, 2), ["-inf", 1.0, "-inf", 2.0]), axis=1)
        yield call(op, "one -inf", reals("-inf", 1.0, 2.0), axis=0)
        yield call(op, "NaN and inf", tensor("float64", (3, 2), [NAN, INF, 1.0, 0.5, 1.0, 2.0]), axis=1)
        yield call(op, "no elements", values("float64", (2, 0)), axis=1)
        mask = tensor("bool", (2, 3), [True, False, True, False, False, False])
        yield call(f"masked_{op}", "one slice without any", values("float64", (2, 3)), mask, axis=1)
    for op, dtype in product(("layer_norm", "rms_norm"), REALS):
        x, weight, bias = values(dtype, (2, 3)), values(dtype, (3,), salt=4), values(dtype, (3,), salt=6)
        yield call(op, "plain", x, axis=1, eps=1e-5)
        yield call(op, "weight and bias", x, weight, bias, axis=1, eps=1e-5)


def wrong_calls() -> Iterator[Json]:
    a, b = values("float64", (2, 3)), values("float64", (2, 2))
    for op in ("add", "mul", "div", "pow", "maximum"):
        yield call(op, "shapes do not fit", a, b)
    yield call("compare", "shapes do not fit", a, b, dir="lt")
    yield call("select", "shapes do not fit", values("bool", (2,)), values("float64", (3,)), values("float64", (3,)))
    yield call("select", "condition of numbers", values("float64"), values("float64"), values("float64"))
    yield call("clamp", "shapes do not fit", a, b, b)
    for op in REDUCTIONS:
        yield call(op, "no such axis", a, axes=[2])
        yield call(op, "an axis twice", a, axes=[0, 0])
    yield call("matmul", "shapes do not fit", a, a)
    yield call("matmul", "a number", values("float64", ()), a)
    for about, dims in {
        "no such axis": {"lhs_contracting": [2], "rhs_contracting": [0]},
        "an axis twice": {"lhs_contracting": [0, 0], "rhs_contracting": [0, 1]},
        "two roles": {"lhs_contracting": [0], "rhs_contracting": [0], "lhs_batch": [0], "rhs_batch": [1]},
        "numbers of axes": {"lhs_contracting": [0], "rhs_contracting": []},
        "extents": {"lhs_contracting": [1], "rhs_contracting": [0]},
    }.items():
        yield call("dot_general", f"wrong: {about}", a, b, **dims)
    for about, perm in {"too short": [0], "an axis twice": [0, 0], "no such axis": [0, 2]}.items():
        yield call("transpose", f"wrong: {about}", a, perm=perm)
    yield call("reshape", "wrong: number of elements", a, shape=[4])
    yield call("broadcast_in_dim", "wrong: extent", a, shape=[4, 3], dims=[0, 1])
    yield call("broadcast_in_dim", "wrong: too few dims", a, shape=[2, 3], dims=[0])
    yield call("broadcast_in_dim", "wrong: dims twice", b, shape=[2, 2], dims=[0, 0])
    yield call("reverse", "wrong: no such axis", a, axes=[2])
    yield call("reverse", "wrong: an axis twice", a, axes=[0, 0])
    for about, bounds in {
        "beyond the end": {"starts": [0, 0], "limits": [2, 4]},
        "start after limit": {"starts": [2, 0], "limits": [1, 3]},
        "stride 0": {"starts": [0, 0], "limits": [2, 3], "strides": [0, 1]},
        "length": {"starts": [0], "limits": [2]},
    }.items():
        yield call("slice", f"wrong: {about}", a, **bounds)
    yield call("pad", "wrong: length", a, low=[0], high=[0])
    yield call("pad", "wrong: cropped away", values("float64", (2,)), low=[-2], high=[-2])
    yield call("dynamic_slice", "wrong: window", a, reals(0, 0, dtype="int64"), sizes=[3, 3])
    yield call("dynamic_slice", "wrong: starts", a, reals(0, dtype="int64"), sizes=[1, 1])
    yield call("concatenate", "wrong: extents", a, b, axis=0)
    yield call("concatenate", "wrong: no such axis", a, a, axis=2)
    yield call("stack", "wrong: shapes", a, b, axis=0)
    yield call("stack", "wrong: no such axis", a, a, axis=4)
    for op in ("tril", "triu"):
        yield call(op, "wrong: a vector", values("float64"), k=0)
    yield call("extract_diag", "wrong: the same axis", b, axis_a=0, axis_b=0)
    yield call("extract_diag", "wrong: no such axis", b, axis_a=0, axis_b=2)
    yield call("embed_diag", "wrong: no such axis", values("float64"), axis_a=1, axis_b=0)
    yield call("index_select", "wrong: no such axis", a, axis=2, indices=[0])
    yield call("index_select", "wrong: no such position", a, axis=0, indices=[2])
    far = tensor("int64", (1, 3), [0, 5, 1])
    yield call("take_along_axis", "wrong: no such position", a, far, axis=0)
    yield call("take_along_axis", "wrong: rank", a, reals(0, dtype="int64"), axis=0)
    yield call("gather", "wrong: window", a, reals(0, dtype="int64"), **ROWS, slice_sizes=[1, 4])
    yield call("scatter", "wrong: updates", a, reals(0, dtype="int64"), values("float64", (1, 5)), **ADD_ROWS)
    for op in ("softmax", "log_softmax"):
        yield call(op, "wrong: no such axis", a, axis=2)
    yield call("layer_norm", "wrong: weight", a, values("float64", (2,)), values("float64", (2,)), axis=1, eps=1e-5)
    yield call("layer_norm", "wrong: eps", a, axis=1, eps=-1.0)


FAMILIES = {
    "elementwise": elementwise,
    "reductions": reductions,
    "contraction": contraction,
    "structure": structure,
    "indexing": indexing,
    "composites": composites,
    "wrong_calls": wrong_calls,
}
