"""Rows of ops that add up or put in order: reductions, statistics, running totals, products, transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

import tenferro as tf
from ad.rows.case import REFUSED, WORKS, Array, Case, over_axes

REAL = "f"
CUBE = (2, 3, 2)
MASK = np.array([[True, False, True], [True, True, True]])


def logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def softmax(x: Array, axis: int = -1) -> Array:
    return np.asarray(np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True))


def masked_softmax(x: Array) -> Array:
    weights = np.where(MASK, np.exp(x), 0)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def masked_log_softmax(x: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(masked_softmax(x))


def where_seen(f: Any, x: Any) -> Any:
    """The finite part: a masked logarithm is −∞."""
    return tf.where(MASK, f(x, MASK), 0.0)


def unit_scale(x: Array, eps: float) -> Array:
    return np.asarray(x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps))


def centred(x: Array) -> Array:
    return np.asarray(x - np.mean(x, axis=-1, keepdims=True))


def transform(name: str, kinds: str = "fc", **params: Any) -> list[Case]:
    """Along one axis, with its three normalisations, cropped and padded."""
    f = getattr(np.fft, name)
    cases = []
    for more in ({"norm": "ortho"}, {"n": 4, "norm": "forward"}, {"n": 2}):
        given = params | more
        cases.append(
            Case(
                params=given,
                expected=lambda x, given=given: f(x, **given),
                kinds=kinds,
                empty=REFUSED if params and "n" not in more else WORKS,
            )
        )
    return cases


def transforms(name: str, kinds: str = "fc") -> list[Case]:
    f = getattr(np.fft, name)
    given = {"axes": (0, 1)}
    return [Case(params=given, expected=lambda x: f(x, **given), kinds=kinds, empty=REFUSED)]


ROWS: dict[str, list[Case]] = {
    # Reductions and statistics
    "reduce_sum": over_axes(np.sum),
    "reduce_prod": over_axes(np.prod),
    "reduce_max": over_axes(np.max, REFUSED, REAL),
    "reduce_min": over_axes(np.min, REFUSED, REAL),
    "reduce_mean": over_axes(np.mean),
    "reduce_sum_squares": over_axes(lambda x, **axes: np.sum(abs(x) ** 2, **axes)),
    "logsumexp": over_axes(logsumexp),
    "ptp": over_axes(np.ptp, REFUSED, REAL),
    "nansum": over_axes(np.nansum),
    "nanprod": over_axes(np.nanprod),
    "nanmax": over_axes(np.nanmax, REFUSED, REAL),
    "nanmin": over_axes(np.nanmin, REFUSED, REAL),
    "nanmean": over_axes(np.nanmean),
    "nanvar": over_axes(np.nanvar),
    "nanstd": over_axes(np.nanstd),
    "var": [*over_axes(), Case(params={"correction": 1, "axis": 1}, expected=lambda x: np.var(x, axis=1, ddof=1))],
    "std": [*over_axes(), Case(params={"correction": 1, "axis": 1}, expected=lambda x: np.std(x, axis=1, ddof=1))],
    "average": [
        Case(scalar=WORKS),
        Case(
            ((2, 3), (2, 3)),
            expected=lambda x, w: np.sum(x * w) / np.sum(w),
            call=lambda f, x, w: f(x, weights=w),
            low=0.2,
            scalar=WORKS,
        ),
        Case(((2, 3), (3,)), call=lambda f, x, w: f(x, 1, w, keepdims=True), low=0.2),
    ],
    "median": [
        Case(kinds=REAL, scalar=WORKS),
        Case(kinds=REAL, params={"axis": 1, "keepdims": True}),
        Case(kinds=REAL, params={"axis": 0}),
    ],
    # Along one axis
    "cumsum": [
        Case(params={"axis": 1}),
        Case(
            call=lambda f, x: f(x),
            expected=lambda x: np.cumsum(x, axis=None) if x.ndim < 2 else np.cumsum(x.ravel(order="F")),
            scalar=WORKS,
        ),
        Case(params={"axis": 1, "reverse": True}, expected=lambda x: np.cumsum(x[:, ::-1], axis=1)[:, ::-1]),
        Case(
            params={"axis": 0, "include_initial": True},
            expected=lambda x: np.cumsum(np.pad(x, ((1, 0), (0, 0))), axis=0),
        ),
    ],
    "cumprod": [
        Case(params={"axis": 1}),
        Case(params={"axis": 1, "reverse": True}, expected=lambda x: np.cumprod(x[:, ::-1], axis=1)[:, ::-1]),
    ],
    "nancumsum": [Case(params={"axis": 1})],
    "nancumprod": [Case(params={"axis": 1})],
    "logcumsumexp": [
        Case(params={"axis": 1}, expected=lambda x: np.log(np.cumsum(np.exp(x), axis=1)), kinds=REAL),
        Case(
            params={"axis": 1, "reverse": True},
            expected=lambda x: np.log(np.cumsum(np.exp(x[:, ::-1]), axis=1))[:, ::-1],
            kinds=REAL,
        ),
    ],
    "cummax": [Case(params={"axis": 1}, expected=lambda x: np.maximum.accumulate(x, axis=1), kinds=REAL)],
    "cummin": [Case(params={"axis": 1}, expected=lambda x: np.minimum.accumulate(x, axis=1), kinds=REAL)],
    "sort": [
        Case(kinds=REAL),
        Case(kinds=REAL, params={"axis": 0, "descending": True}, expected=lambda x: np.sort(x, axis=0)[::-1]),
        Case(kinds=REAL, params={"axis": None}, expected=lambda x: np.sort(x, axis=None), scalar=WORKS),
    ],
    "topk": [
        Case(kinds=REAL, call=lambda f, x: f(x, 2).values, expected=lambda x: np.sort(x, axis=-1)[:, :-3:-1]),
        Case(
            kinds=REAL,
            call=lambda f, x: f(x, 1, axis=0, largest=False).values,
            expected=lambda x: np.sort(x, axis=0)[:1],
            empty=REFUSED,
        ),
    ],
    "diff": [Case(), Case(params={"n": 2, "axis": 1}), Case(params={"axis": 0})],
    "bincount": [
        Case(((4,),), call=lambda f, w: f([0, 2, 2, 1], w, minlength=5), kinds=REAL, empty=REFUSED),
        Case(
            ((4,),),
            call=lambda f, w: f([0, 2, 2, 1], w),
            expected=lambda w: np.array([w[0], w[3], w[1] + w[2]]),
            kinds="c",
            empty=REFUSED,
        ),
    ],
    # Softmax and normalisation
    "softmax": [
        Case(kinds=REAL, expected=softmax),
        Case(kinds=REAL, params={"axis": 0}, expected=lambda x: softmax(x, 0)),
    ],
    "log_softmax": [Case(kinds=REAL, expected=lambda x: np.log(softmax(x)))],
    "masked_softmax": [
        Case(kinds=REAL, call=lambda f, x: f(x, MASK), expected=masked_softmax, empty=REFUSED, scalar=WORKS)
    ],
    "masked_log_softmax": [
        Case(
            kinds=REAL,
            call=where_seen,
            expected=lambda x: np.where(MASK, masked_log_softmax(x), 0),
            empty=REFUSED,
            scalar=WORKS,
        ),
    ],
    "layer_norm": [
        Case(kinds=REAL, params={"eps": 0.1}, expected=lambda x: unit_scale(centred(x), 0.1)),
        Case(
            ((2, 3), (3,), (3,)),
            call=lambda f, x, w, b: f(x, -1, w, b),
            expected=lambda x, w, b: unit_scale(centred(x), 1e-5) * w + b,
            kinds=REAL,
        ),
    ],
    "rms_norm": [
        Case(kinds=REAL, params={"eps": 0.1}, expected=lambda x: unit_scale(x, 0.1)),
        Case(
            ((2, 3), (3,), (3,)),
            call=lambda f, x, w, b: f(x, -1, w, b),
            expected=lambda x, w, b: unit_scale(x, 1e-5) * w + b,
            kinds=REAL,
        ),
    ],
    # Products
    "matmul": [
        Case(((2, 3), (3, 2))),
        Case(((3,), (3, 2)), empty=((0,), (0, 2))),
        Case(((3,), (3,))),
        Case(
            ((2, 3, 2), (3, 2, 1)),
            expected=lambda a, b: np.einsum("ijb,jkb->ikb", a, np.broadcast_to(b, (3, 2, 2))),
            empty=((0, 3, 2), (3, 2, 1)),
        ),
    ],
    "dot_general": [
        Case(
            ((2, 3, 2), (2, 3)),
            {"lhs_contracting": [1], "rhs_contracting": [1], "lhs_batch": [0], "rhs_batch": [0]},
            expected=lambda a, b: np.einsum("bjk,bj->kb", a, b),
            empty=((0, 3, 2), (0, 3)),
        )
    ],
    "tensordot": [Case(((2, 3), (3, 2)), {"axes": 1}), Case((CUBE, (3, 2)), {"axes": ([1, 2], [0, 1])})],
    "outer": [
        Case(((2,), (3,)), scalar=WORKS),
        Case(((2, 2), (3,)), expected=lambda a, b: np.outer(a.ravel(order="F"), b), scalar=WORKS),
    ],
    "kron": [Case(((2, 2), (1, 3)), scalar=WORKS), Case(((2,), (2, 2)), scalar=WORKS)],
    "inner": [Case(((2, 3), (2, 3)), empty=((0, 3), (2, 3)), scalar=WORKS), Case(((2, 3), ()), scalar=WORKS)],
    "vdot": [Case(((2, 3), (2, 3)), scalar=WORKS)],
    "vecdot": [Case(((3, 2), (3, 1)), {"axis": 0}, lambda f, a, b: f(a, b, axis=0))],
    "cross": [
        Case(((2, 3), (3,))),
        Case(((3, 2), (2, 3)), {"axisa": 0, "axisb": 1, "axisc": 0}, empty=((3, 0), (0, 3))),
    ],
    # Fourier transforms
    "fft.fft": transform("fft"),
    "fft.ifft": transform("ifft", axis=0),
    "fft.rfft": transform("rfft", REAL),
    "fft.irfft": transform("irfft"),
    "fft.hfft": transform("hfft"),
    "fft.ihfft": transform("ihfft", REAL),
    "fft.fft2": transforms("fft2"),
    "fft.ifft2": transforms("ifft2"),
    "fft.rfft2": transforms("rfft2", REAL),
    "fft.irfft2": transforms("irfft2"),
    "fft.fftn": transforms("fftn"),
    "fft.ifftn": transforms("ifftn"),
    "fft.rfftn": transforms("rfftn", REAL),
    "fft.irfftn": transforms("irfftn"),
    "fft.fftshift": [Case(expected=lambda x: np.fft.fftshift(x) if x.ndim else x, scalar=WORKS)],
    "fft.ifftshift": [Case(params={"axes": 1}, expected=lambda x: np.fft.ifftshift(x, axes=1))],
}
