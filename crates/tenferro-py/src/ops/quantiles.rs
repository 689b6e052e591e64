//! Quantiles and parts in order along an axis, with and without NaNs.

use super::lanes::{lane, with_axes};
use crate::args::{AxesArg, normalize};
use crate::call::{Call, Operand, real_values};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::quantiles::{self, Between, Quantiles};
use tenferro_ad::ops::{ArgSort, Interp, lanes};
use tenferro_ad::{Eager, Var};
use tenferro_tensor::{DType, Error, Result};

/// How the quantiles of a call are taken.
struct Request<'a> {
    axis: Option<i64>,
    keepdims: bool,
    method: &'a str,
    skip_nan: bool,
    /// What stands for the whole: 1, or 100.
    whole: f64,
}

fn request<'py>(call: &mut Call<'py>, x: &Operand<'py>, q: &Operand<'py>, how: &Request<'_>) -> Outcome<PyEagerTensor> {
    let op = call.op;
    let (x, q) = (call.one(x)?, call.one(q)?);
    let between = Between::named(op, how.method)?;
    let expected = format!("numbers from 0 to {}", how.whole);
    real_values(op, "q", &q, &expected, |p| (0.0..=how.whole).contains(&p))?;
    let (axis, keepdims, skip_nan, whole) = (how.axis, how.keepdims, how.skip_nan, how.whole);
    call.run(x.value.size(), move |cx| {
        let (list, at) = lane(cx, op, &x, axis, "F")?;
        let q = cx.convert(&q, DType::F64)?;
        let whole = cx.number(DType::F64, whole)?;
        let q = cx.div(&q, &whole)?;
        let how = Quantiles { op, axis: at, between, skip_nan, keepdims: keepdims && axis.is_some() };
        let out = quantiles::quantiles(cx, &list, &q, how)?;
        whole_axes(cx, &out, x.value.rank(), keepdims && axis.is_none())
    })
}

/// `out` with as many axes of extent 1 behind as the operand has, if they are kept.
fn whole_axes(cx: &mut Eager, out: &Var, rank: usize, kept: bool) -> Result<Var> {
    let mut shape = out.value.dims();
    shape.extend(std::iter::repeat_n(1, if kept { rank } else { 0 }));
    cx.reshape(out, &shape)
}

macro_rules! quantile_ops {
    ($($(#[doc = $doc:literal])* [$name:ident] $whole:literal $skip_nan:literal;)*) => {
        $( raw_op! { [$name] {
            $(#[doc = $doc])*
            (x, q) (axis=None, keepdims=false, *, method: "Literal['linear', 'lower', 'higher', 'nearest', 'midpoint']" = "linear")
            (axis: Option<i64>, keepdims: bool, method: &str)
        } |call| {
            let how = Request { axis, keepdims, method, skip_nan: $skip_nan, whole: $whole };
            request(call, &x, &q, &how)
        } } )*
    };
}

quantile_ops! {
    /// The quantiles of `x` along `axis` at `q`, a number from 0 to 1 or a list of them, whose axis comes first: with the elements
    /// in order, what stands at place q·(n − 1).
    ///
    /// Between two places: the point on the line between both elements, or by `method` the lower, the higher, the nearest (even
    /// place at a tie), or the mean of both. NaN where there is one, and of nothing. Real dtypes; integers and bool become
    /// float64. Derivative: that of the elements, with these weights; for "linear" that of `q`, too. Raises
    /// `InvalidArgumentError`, `AxisOutOfBoundsError`, `UnsupportedDTypeError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.quantile([1.0, 2.0, 3.0, 10.0], [0.25, 0.5, 1.0]).tolist()
    /// [1.75, 2.5, 10.0]
    [quantile] 1.0 false;

    /// As `quantile`, with `q` from 0 to 100.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.percentile([1.0, 2.0, 3.0], 75).item()
    /// 2.5
    [percentile] 100.0 false;

    /// As `quantile`, of the elements that are not NaN; NaN where there are no others.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanquantile([1.0, float("nan"), 2.0], 0.5).item()
    /// 1.5
    [nanquantile] 1.0 true;

    /// As `nanquantile`, with `q` from 0 to 100.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanpercentile([1.0, float("nan"), 2.0], 50).item()
    /// 1.5
    [nanpercentile] 100.0 true;
}

tensor_op! { [nanmedian] {
    /// As `median`, of the elements that are not NaN; NaN where there are no others. Derivative: that of the middle elements.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanmedian([3.0, float("nan"), 1.0, 2.0]).item()
    /// 2.0
    (x) (axis=None, keepdims=false) (axis: Option<i64>, keepdims: bool)
} |cx, op| {
    let (list, at) = lane(cx, op, &x, axis, "F")?;
    let out = quantiles::nanmedian(cx, &list, at)?;
    with_axes(cx, out, &x, axis.map(|_| at), keepdims)
} }

macro_rules! nan_positions {
    ($($(#[doc = $doc:literal])* [$name:ident] $greatest:literal;)*) => {
        $( tensor_op! { [$name] {
            $(#[doc = $doc])*
            (x) (axis=None, keepdims=false, *, order: "Literal['F', 'C']" = "F")
            (axis: Option<i64>, keepdims: bool, order: &str)
        } |cx, op| {
            let (list, at) = lane(cx, op, &x, axis, order)?;
            let out = quantiles::nan_arg_extremum(cx, &list, at, $greatest).map_err(|e| e.in_op(op))?;
            with_axes(cx, out, &x, axis.map(|_| at), keepdims)
        } } )*
    };
}

nan_positions! {
    /// As `argmax`, of the elements that are not NaN; 0 where there are no others.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanargmax([1.0, float("nan"), 2.0]).item()
    /// 2
    [nanargmax] true;

    /// As `argmin`, of the elements that are not NaN; 0 where there are no others.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanargmin([float("nan"), 1.0, 2.0]).item()
    /// 1
    [nanargmin] false;
}

/// `kth` within the axis.
fn check_places(op: &'static str, kth: &AxesArg, extent: usize) -> Result<()> {
    let wrong = kth.raw().iter().find(|&&k| normalize(op, k, extent).is_err());
    match wrong {
        Some(k) => {
            let message = format!("expected positions on an axis with {extent} elements, got {k}");
            Err(Error::argument(op, "kth", message))
        }
        None => Ok(()),
    }
}

tensor_op! { [partition] {
    /// The elements along `axis` such that the one at each position `kth` is where `sort` would put it, none behind it is less and
    /// none before it greater. Here all of them are in order: this is `sort`, and costs as much.
    ///
    /// Derivative: dx in the same order. Raises `InvalidArgumentError`, `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.partition([3.0, 1.0, 2.0], 1)[1].item()
    /// 2.0
    (x) (kth, axis=Some(-1), *, order: "Literal['F', 'C']" = "F") (kth: AxesArg, axis: Option<i64>, order: &str)
} |cx, op| {
    let (list, axis) = lane(cx, op, &x, axis, order)?;
    check_places(op, &kth, list.value.shape()[axis])?;
    lanes::sort(cx, &list, axis, false).map_err(|e| e.in_op(op))
} }

tensor_op! { [argpartition] {
    /// The positions, as int64, of what `partition` gives; here this is `argsort`, and costs as much. No derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.argpartition([3.0, 1.0, 2.0], 0)[0].item()
    /// 1
    (x) (kth, axis=Some(-1), *, order: "Literal['F', 'C']" = "F") (kth: AxesArg, axis: Option<i64>, order: &str)
} |cx, op| {
    let (list, axis) = lane(cx, op, &x, axis, order)?;
    check_places(op, &kth, list.value.shape()[axis])?;
    cx.bind(ArgSort { axis, descending: false }.into(), &[&list]).map_err(|e| e.in_op(op))
} }
