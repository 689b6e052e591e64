"""Rows of ops that move elements: shapes, orders of axes, joins, picking and placing, diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

import tenferro as tf
from ad.rows.case import REFUSED, WORKS, Array, Case


def flat(x: Array) -> Array:
    return x.ravel(order="F")


def embedded(x: Array) -> Array:
    out = np.zeros((*x.shape, x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        out[i, ..., i] = x[i]
    return out


def interior(x: Array) -> Array:
    """One before the first axis, two behind the second, a zero between the columns."""
    out = np.zeros((x.shape[0] + 1, max(2 * x.shape[1] - 1, 0) + 2), x.dtype)
    out[1:, : 2 * x.shape[1] : 2] = x
    return out


def placed(x: Array, values: Array) -> Array:
    out = x.copy()
    np.put_along_axis(out, PLACES, values, axis=1)
    return out


def added(x: Array, values: Array) -> Array:
    out = x.copy()
    np.add.at(out, (np.arange(2)[:, None], REPEATED), values)
    return out


def updated(x: Array, update: Array) -> Array:
    out = x.copy()
    out[1:3, 0:1] = update
    return out


def scattered(x: Array, updates: Array) -> Array:
    out = x.copy()
    np.add.at(out, [1, 0, 1], updates)
    return out


def both(call: Any, shapes: Any = ((2, 3), (2, 3)), **more: Any) -> Case:
    """An op of a list of tensors."""
    return Case(shapes, call=lambda f, *xs: call(f, list(xs)), **more)


PLACES = np.array([[2, 0], [1, 2]])
REPEATED = np.array([[2, 2], [1, 0]])
TALL = (3, 2)
CUBE = (2, 3, 2)
GATHER = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
SCATTER = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}

ROWS: dict[str, list[Case]] = {
    "transpose": [Case(scalar=WORKS), Case((CUBE,), call=lambda f, x: f(x, (2, 0, 1)))],
    "reshape": [
        Case(call=lambda f, x: f(x, (3, 2)), expected=lambda x: x.reshape((3, 2), order="F"), empty=REFUSED),
        Case(call=lambda f, x: f(x, (3, 2), order="C"), empty=REFUSED),
    ],
    "ravel": [Case(expected=flat, scalar=WORKS), Case(call=lambda f, x: f(x, order="C"), scalar=WORKS)],
    "broadcast_to": [Case(((2, 1),), call=lambda f, x: f(x, (3, 2, 2)), empty=REFUSED, scalar=WORKS)],
    "broadcast_in_dim": [
        Case(
            ((2,),),
            call=lambda f, x: f(x, (2, 3), [0]),
            expected=lambda x: np.repeat(x[:, None], 3, axis=1),
            empty=REFUSED,
        )
    ],
    "expand_dims": [Case(params={"axis": 1}), Case(params={"axis": 0}, scalar=WORKS)],
    "squeeze": [Case(((2, 1, 3),), {"axis": 1}), Case(((1, 2, 1),), empty=((0, 1),), scalar=WORKS)],
    "moveaxis": [Case((CUBE,), call=lambda f, x: f(x, 0, 2))],
    "swapaxes": [Case((CUBE,), call=lambda f, x: f(x, 0, 2))],
    "reverse": [Case(expected=np.flip, scalar=WORKS), Case(params={"axis": 1}, expected=lambda x: x[:, ::-1])],
    "fliplr": [Case()],
    "flipud": [Case()],
    "rot90": [Case(), Case(params={"k": 3})],
    "slice": [
        Case(((4, 3),), call=lambda f, x: f(x, [1, 0], [4, 2], [2, 1]), expected=lambda x: x[1:4:2, :2], empty=REFUSED)
    ],
    "pad": [
        Case(params={"pad_width": ((1, 0), (0, 2))}),
        Case(call=lambda f, x: f(x, [1, 0], [0, 2], [0, 1]), expected=interior),
    ],
    "roll": [
        Case(call=lambda f, x: f(x, 1, axis=1)),
        Case(call=lambda f, x: f(x, 2, order="C"), expected=lambda x: np.roll(x, 2), scalar=WORKS),
        Case(call=lambda f, x: f(x, (1, 2), axis=(0, 1))),
    ],
    "repeat": [
        Case(call=lambda f, x: f(x, 2, axis=1)),
        Case(call=lambda f, x: f(x, [1, 0, 3], axis=1)),
        Case(call=lambda f, x: f(x, 2), expected=lambda x: np.repeat(flat(x), 2), scalar=WORKS),
    ],
    "tile": [Case(call=lambda f, x: f(x, (2, 1, 2)), scalar=WORKS)],
    "atleast_1d": [Case(scalar=WORKS)],
    "atleast_2d": [Case(((3,),), scalar=WORKS)],
    "atleast_3d": [Case(scalar=WORKS)],
    "diag": [
        Case(((3,),), {"k": 1}),
        Case(params={"k": 1}, empty=((0, 3),)),
    ],
    "diagflat": [Case(call=lambda f, x: f(x, 1), expected=lambda x: np.diag(flat(x), 1), scalar=WORKS)],
    "diagonal": [Case(params={"offset": 1}), Case((CUBE,), {"axis1": 0, "axis2": 2})],
    "extract_diag": [
        Case((CUBE,), call=lambda f, x: f(x, 0, 2), expected=lambda x: np.moveaxis(np.diagonal(x, 0, 0, 2), -1, 0)),
    ],
    "embed_diag": [Case(call=lambda f, x: f(x, 0, 2), expected=embedded)],
    "trace": [Case(params={"offset": 1}), Case((CUBE,), {"axis1": 0, "axis2": 2})],
    "tril": [Case(), Case(params={"k": 1})],
    "triu": [Case(), Case(params={"k": 1})],
    # Joins and splits
    "concatenate": [both(lambda f, xs: f(xs, axis=1)), both(lambda f, xs: f(xs), ((2, 3), (1, 3)))],
    "stack": [both(lambda f, xs: f(xs, axis=1), scalar=REFUSED), both(lambda f, xs: f(xs), scalar=WORKS)],
    "hstack": [both(lambda f, xs: f(xs), ((2, 1), (2, 3)), scalar=WORKS)],
    "vstack": [both(lambda f, xs: f(xs), ((3,), (3,)), scalar=WORKS)],
    "dstack": [both(lambda f, xs: f(xs), scalar=WORKS)],
    "column_stack": [both(lambda f, xs: f(xs), ((3,), (3, 2)), empty=((0,), (0, 2)), scalar=WORKS)],
    "broadcast_arrays": [Case(((3, 1), (1, 2)), scalar=WORKS)],
    "meshgrid": [
        Case(((3,), (2,)), scalar=WORKS),
        Case(((3,), (2,)), call=lambda f, x, y: f(x, y, indexing="ij"), scalar=WORKS),
    ],
    "split": [
        Case(((4, 3),), call=lambda f, x: f(x, 2)),
        Case(((4, 3),), call=lambda f, x: f(x, [1, 2], axis=1)),
    ],
    "array_split": [Case(((3, 5),), call=lambda f, x: f(x, 3, axis=1))],
    "hsplit": [Case(((2, 4),), call=lambda f, x: f(x, 2))],
    "vsplit": [Case(((4, 2),), call=lambda f, x: f(x, 2))],
    "dsplit": [Case(((2, 1, 4),), call=lambda f, x: f(x, 2))],
    "unstack": [Case(params={"axis": 1})],
    # Picking and placing
    "take": [
        Case(call=lambda f, x: f(x, [2, 0, 2], axis=1)),
        Case(call=lambda f, x: f(x, [[5, 0], [0, 1]]), expected=lambda x: flat(x)[[[5, 0], [0, 1]]], empty=REFUSED),
    ],
    "index_select": [Case(call=lambda f, x: f(x, 1, [2, 0, 2]), expected=lambda x: x[:, [2, 0, 2]])],
    "take_rows": [Case(call=lambda f, x: f(x, [1, 1]), expected=lambda x: x[[1, 1]], empty=REFUSED)],
    "take_cols": [Case(call=lambda f, x: f(x, [2, -1]), expected=lambda x: x[:, [2, -1]])],
    "take_block": [Case(call=lambda f, x: f(x, [1, 0], [2]), expected=lambda x: x[[1, 0]][:, [2]], empty=REFUSED)],
    "take_along_axis": [Case(call=lambda f, x: f(x, PLACES, axis=1), empty=REFUSED)],
    "gather": [
        Case(
            (TALL,),
            call=lambda f, x: f(x, [[2], [0], [2]], **GATHER, slice_sizes=[1, 2]),
            expected=lambda x: x[[2, 0, 2]],
            empty=REFUSED,
        )
    ],
    "scatter": [
        Case(
            ((2, 2), (3, 2)),
            call=lambda f, x, u: f(x, [[1], [0], [1]], u, **SCATTER),
            expected=scattered,
            empty=REFUSED,
        )
    ],
    "dynamic_slice": [
        Case(((4, 3),), call=lambda f, x: f(x, [3, 1], [2, 2]), expected=lambda x: x[2:4, 1:3], empty=REFUSED)
    ],
    "dynamic_update_slice": [
        Case(((4, 3), (2, 1)), call=lambda f, x, u: f(x, u, [1, 0]), expected=updated, empty=REFUSED),
    ],
    "put_along_axis": [
        Case(((2, 3), (2, 2)), call=lambda f, x, v: f(x, PLACES, v, axis=1), expected=placed, empty=REFUSED),
    ],
    "add_along_axis": [
        Case(((2, 3), (2, 2)), call=lambda f, x, v: f(x, REPEATED, v, axis=1), expected=added, empty=REFUSED),
    ],
    "unique": [
        Case(kinds="f", scalar=WORKS),
        Case(((1,),), call=lambda f, x: f(tf.concatenate([x, x]) if f is tf.unique else x), kinds="f"),
    ],
    "unique_counts": [
        Case(kinds="f", call=lambda f, x: f(x).values, expected=lambda x: np.sort(flat(x)), scalar=WORKS)
    ],
    "unique_inverse": [
        Case(kinds="f", call=lambda f, x: f(x).values, expected=lambda x: np.sort(flat(x)), scalar=WORKS)
    ],
    "unique_all": [Case(kinds="f", expected=lambda x: np.sort(flat(x)), call=lambda f, x: f(x).values, scalar=WORKS)],
}
