"""Rows of ops of values on a line: quantiles, interpolation, difference quotients, integrals, polynomials, covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ad.rows.case import REFUSED, WORKS, Array, Case

REAL = "f"
PLACES = [0.1, 0.5, 0.77]
KNOTS = np.array([-1.4, -0.9, 0.1, 0.2, 1.3])


def quantiles(name: str, whole: float) -> list[Case]:
    f = getattr(np, name)
    q = [whole * p for p in PLACES]
    cases = [Case(((3, 4),), kinds=REAL, call=lambda g, x: g(x, q[0], axis=1, keepdims=True))]
    for more in (
        {"axis": None},
        *({"axis": 0, "method": m} for m in ("linear", "lower", "higher", "nearest", "midpoint")),
    ):
        given: Any = more

        def expected(x: Array, given: Any = given) -> Array:
            """Of nothing it is NaN, as in NumPy where that does not fail."""
            return (
                np.asarray(f(x, q, **given))
                if x.size
                else np.full((len(q), *(x.shape[1:] if given["axis"] == 0 else ())), np.nan)
            )

        call = lambda g, x, given=given: g(x, q, **given)  # noqa: E731
        cases.append(
            Case(((4, 2),), {}, call, expected, kinds=REAL, scalar=not given["axis"] and "method" not in given)
        )
    # Derivatives in the places.
    inside = Case(
        ((4,), (2,)),
        kinds=REAL,
        call=lambda g, x, p: g(x, (p + 2) * (whole / 4)),
        expected=lambda x, p: f(x, (p + 2) * (whole / 4)) if x.size else np.full(p.shape, np.nan),
        empty=((0,), (2,)),
        scalar=WORKS,
    )
    return [*cases, inside]


def gradient(x: Array, h: Any = 1.0, order: int = 1, axis: int = -1) -> Array:
    return np.asarray(np.gradient(x, h, axis=axis, edge_order=order))


def trapezoid(y: Array, x: Array, axis: int = -1) -> Array:
    return np.asarray(np.trapezoid(y, x, axis=axis))


def running(y: Array, x: Array | None = None) -> Array:
    return np.stack(
        [
            np.asarray(np.trapezoid(y[..., : k + 1], None if x is None else x[..., : k + 1]))
            for k in range(1, y.shape[-1])
        ],
        axis=-1,
    )


def smooth_interp(f: Any, x: Array, xp: Array, fp: Array) -> Any:
    """Knots in ascending order, whatever the sample is."""
    return f(x, KNOTS + 0.01 * xp, fp)


ROWS: dict[str, list[Case]] = {
    "quantile": quantiles("quantile", 1.0),
    "percentile": quantiles("percentile", 100.0),
    "nanquantile": quantiles("nanquantile", 1.0),
    "nanpercentile": quantiles("nanpercentile", 100.0),
    "nanmedian": [
        Case(kinds=REAL, scalar=WORKS),
        Case(kinds=REAL, params={"axis": 1, "keepdims": True}),
        Case(kinds=REAL, params={"axis": 0}),
    ],
    "partition": [
        Case(kinds=REAL, call=lambda f, x: f(x, 1), expected=lambda x: np.sort(x)),
        Case(
            kinds=REAL,
            call=lambda f, x: f(x, 0, axis=None),
            expected=lambda x: np.sort(x, axis=None),
            empty=REFUSED,
            scalar=WORKS,
        ),
    ],
    "interp": [
        Case(
            ((2, 3),),
            call=lambda f, x: f(x, KNOTS, KNOTS**2),
            kinds=REAL,
            low=-1.2,
            high=1.2,
            scalar=WORKS,
            keeps_precision=False,
        ),
        Case(
            ((4,), (5,), (5,)),
            call=smooth_interp,
            kinds=REAL,
            low=-1.2,
            high=1.2,
            empty=((0,), (5,), (5,)),
            keeps_precision=False,
        ),
        Case(
            ((5,), (), ()),
            call=lambda f, fp, a, b: f([-9.0, 0.0, 9.0], KNOTS, fp, a, b),
            expected=lambda fp, a, b: np.interp([-9.0, 0.0, 9.0], KNOTS, fp, a.item(), b.item()),
            empty=REFUSED,
            keeps_precision=False,
        ),
    ],
    "gradient": [
        Case(((2, 5),), expected=gradient, empty=((0, 5),)),
        Case(
            ((4, 2),),
            {"axis": 0, "edge_order": 2, "spacing": 0.5},
            expected=lambda x: gradient(x, 0.5, 2, 0),
            empty=((4, 0),),
        ),
        Case(
            ((5,), ()),
            call=lambda f, x, h: f(x, h + 4),
            expected=lambda x, h: gradient(x, h + 4),
            kinds=REAL,
            empty=REFUSED,
        ),
        Case(
            ((5,), (5,)),
            call=lambda f, x, h: f(x, KNOTS + 0.01 * h, edge_order=2),
            expected=lambda x, h: gradient(x, KNOTS + 0.01 * h, 2),
            kinds=REAL,
            empty=REFUSED,
            keeps_precision=False,
        ),
        Case(((2,),), expected=gradient, empty=REFUSED),
    ],
    "trapezoid": [
        Case(params={"dx": 0.5}),
        Case(((2, 3), (3,)), empty=((0, 3), (3,))),
        Case(((3, 2), (3, 1)), call=lambda f, y, x: f(y, x, axis=0), empty=((3, 0), (3, 1))),
    ],
    "cumulative_trapezoid": [
        Case(expected=running),
        Case(((2, 3), (3,)), expected=lambda y, x: running(y, x), empty=((0, 3), (3,))),
        Case(
            params={"include_initial": True},
            expected=lambda y: np.concatenate([np.zeros_like(y[:, :1]), running(y)], axis=1),
        ),
    ],
    "unwrap": [
        Case(low=-9, high=9, kinds=REAL),
        Case(((4, 2),), {"axis": 0, "period": 3.0}, low=-9, high=9, kinds=REAL),
    ],
    "vander": [
        Case(((3,),)),
        Case(((3,),), call=lambda f, x: f(x, 4, increasing=True)),
        Case(((3,),), call=lambda f, x: f(x, 1)),
    ],
    "polyval": [
        Case(((4,), (2, 3)), empty=((4,), (0, 3))),
        Case(((2,), ())),
    ],
    "cov": [
        Case(((2, 4),), empty=((0, 4),)),
        Case(((4,),)),
        Case(((3,), (3,)), call=lambda f, x, y: f(x, y, ddof=0)),
        Case(((4, 2),), call=lambda f, x: f(x, rowvar=False), empty=((4, 0),)),
    ],
    "corrcoef": [Case(((2, 4),), empty=((0, 4),)), Case(((3,), (3,)))],
    "convolve": [Case(((4,), (3,)), {"mode": mode}, empty=REFUSED) for mode in ("full", "same", "valid")],
    "correlate": [
        *(Case(((4,), (3,)), {"mode": mode}, empty=REFUSED) for mode in ("full", "same", "valid")),
        Case(((2,), (5,)), {"mode": "same"}, empty=REFUSED),
    ],
    "histogram": [
        Case(((5,),), call=lambda f, w: f(KNOTS, 3, weights=w)[0], kinds="fc", empty=REFUSED),
        Case(
            ((5,),),
            call=lambda f, w: f(KNOTS, [-1.0, 0.0, 0.1, 2.0], weights=w + 2, density=True)[0],
            kinds=REAL,
            empty=REFUSED,
        ),
    ],
}
