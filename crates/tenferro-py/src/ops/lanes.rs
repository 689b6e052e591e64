//! Along one axis: running totals, sorting, searching. `axis=None` flattens (column-major, or row-major with `order="C"`).
//! NaN counts as the greatest element.

use crate::args::{count, normalize, row_major};
use crate::errors::Outcome;
use crate::index::nonzero as true_positions;
use crate::results::named;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{ArgSort, Interp, Scan, SearchSorted, Take, lanes, numeric, statistics};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::ScanOp;
use tenferro_tensor::{DType, Error, Result};

/// The axis, or the elements as one axis.
pub(super) fn lane(cx: &mut Eager, op: &'static str, x: &Var, axis: Option<i64>, order: &str) -> Result<(Var, usize)> {
    let rows = row_major(op, order)?;
    match axis {
        Some(axis) => Ok((x.clone(), normalize(op, axis, x.value.rank())?)),
        None if rows => Ok((numeric::reshape_row_major(cx, x, &[x.value.size()])?, 0)),
        None => Ok((cx.reshape(x, &[x.value.size()])?, 0)),
    }
}

/// What was found along an axis of `x`, or over all elements, with extents of 1 in place of what was reduced.
pub(super) fn with_axes(cx: &mut Eager, found: Var, x: &Var, axis: Option<usize>, keepdims: bool) -> Result<Var> {
    match (keepdims, axis) {
        (false, _) => Ok(found),
        (true, Some(axis)) => numeric::keep(cx, &found, x, &[axis]),
        (true, None) => cx.reshape(&found, &vec![1; x.value.rank()]),
    }
}

fn widened(cx: &mut Eager, x: &Var) -> Result<Var> {
    match x.value.dtype() {
        DType::Bool | DType::I32 => cx.convert(x, DType::I64),
        _ => Ok(x.clone()),
    }
}

/// As `widened`, with `other` in place of NaNs.
fn without_nan(cx: &mut Eager, x: &Var, other: f64) -> Result<Var> {
    let x = widened(cx, x)?;
    Ok(statistics::without_nan(cx, &x, other)?.0)
}

macro_rules! running {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] |$cx:ident, $x:ident| $prepared:expr, $op:ident, $start:expr;)*) => {
        $( tensor_op! { [$($name),+] {
            $(#[doc = $doc])*
            (x) (axis=None, *, order: "Literal['F', 'C']" = "F", reverse=false, include_initial=false)
            (axis: Option<i64>, order: &str, reverse: bool, include_initial: bool)
        } |$cx, op| {
            let $x = &x;
            let prepared = $prepared?;
            let (lane, axis) = lane($cx, op, &prepared, axis, order)?;
            let total = $cx.bind(Scan { op: ScanOp::$op, axis, reverse }.into(), &[&lane])?;
            if include_initial { lanes::with_start($cx, &total, axis, $start) } else { Ok(total) }
        } } )*
    };
}

running! {
    /// Running sum along `axis`; ``reverse=True`` starts at the end, `include_initial` puts a 0 in front.
    ///
    /// Bool and int32 give int64. Derivative: the running sum of dx; reverse runs the other way.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cumsum([1.0, 2.0, 3.0]).tolist()
    /// [1.0, 3.0, 6.0]
    [cumsum, cumulative_sum] |cx, x| widened(cx, x), Sum, 0.0;

    /// Running product along `axis`; ``reverse=True`` starts at the end, `include_initial` puts a 1 in front.
    ///
    /// Bool and int32 give int64. Derivative: Σᵢ dxᵢ times the product of the other factors, exact where factors are zero.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cumprod([1.0, 2.0, 3.0]).tolist()
    /// [1.0, 2.0, 6.0]
    [cumprod, cumulative_prod] |cx, x| widened(cx, x), Prod, 1.0;

    /// As `cumsum`, with 0 in place of NaNs. Derivative: 0 there.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nancumsum([1.0, float("nan"), 3.0]).tolist()
    /// [1.0, 1.0, 4.0]
    [nancumsum] |cx, x| without_nan(cx, x, 0.0), Sum, 0.0;

    /// As `cumprod`, with 1 in place of NaNs. Derivative: 0 there.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nancumprod([2.0, float("nan"), 3.0]).tolist()
    /// [2.0, 2.0, 6.0]
    [nancumprod] |cx, x| without_nan(cx, x, 1.0), Prod, 1.0;

    /// Running log Σ eˣ along `axis`, without overflow; real input, integers and bool become float64.
    ///
    /// Derivative: the mean of dx so far with weights eˣ; 0 while all of x is −∞.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logcumsumexp([1000.0, 1000.0]).tolist()
    /// [1000.0, 1000.6931471805599]
    [logcumsumexp] |cx, x| numeric::inexact(cx, x), LogSumExp, f64::NEG_INFINITY;
}

/// Running extrema: names, and whether the greatest is wanted.
macro_rules! extrema {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $greatest:literal;)*) => {
        $( tensor_op! { [$($name),+] {
            $(#[doc = $doc])*
            (x) (axis=None, *, order: "Literal['F', 'C']" = "F") (axis: Option<i64>, order: &str)
        } |cx, op| {
            let (lane, axis) = lane(cx, op, &x, axis, order)?;
            lanes::running_extremum(cx, &lane, axis, $greatest)
        } } )*
    };
}

extrema! {
    /// The greatest element so far along `axis`; from a NaN on, NaN. Derivative: that of the first element that attains it.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cummax([1.0, 3.0, 2.0]).tolist()
    /// [1.0, 3.0, 3.0]
    [cummax] true;

    /// The least element so far along `axis`; from a NaN on, NaN. Derivative: that of the first element that attains it.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cummin([3.0, 1.0, 2.0]).tolist()
    /// [3.0, 1.0, 1.0]
    [cummin] false;
}

/// Positions of extrema: names, and whether the greatest is wanted.
macro_rules! positions {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $greatest:literal;)*) => {
        $( tensor_op! { [$($name),+] {
            $(#[doc = $doc])*
            (x) (axis=None, keepdims=false, *, order: "Literal['F', 'C']" = "F")
            (axis: Option<i64>, keepdims: bool, order: &str)
        } |cx, op| {
            let (lane, at) = lane(cx, op, &x, axis, order)?;
            let found = lanes::arg_extremum(cx, &lane, at, $greatest, keepdims && axis.is_some())?;
            match keepdims && axis.is_none() {
                true => cx.reshape(&found, &vec![1; x.value.rank()]),
                false => Ok(found),
            }
        } } )*
    };
}

positions! {
    /// Position of the greatest element along `axis` as int64, the first of several; a NaN is greater than all numbers.
    ///
    /// Without an axis it counts in column-major order (row-major with ``order="C"``). No derivative. Raises
    /// `InvalidArgumentError` over an axis without elements, `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.argmax([[1.0, 5.0], [7.0, 2.0]], axis=1).tolist()
    /// [1, 0]
    [argmax] true;

    /// Position of the least element along `axis` as int64, the first of several; a NaN wins over all numbers. As `argmax`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.argmin([[1.0, 5.0], [7.0, 2.0]], axis=1).tolist()
    /// [0, 1]
    [argmin] false;
}

tensor_op! { [sort] {
    /// The elements along `axis` in ascending (or descending) order; NaNs come last. The last axis by
    /// default; real dtypes and bool.
    ///
    /// Derivative: dx in the same order; equal elements keep theirs. Raises `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sort([3.0, 1.0, 2.0]).tolist()
    /// [1.0, 2.0, 3.0]
    (x) (axis=Some(-1), *, descending=false, stable=true, order: "Literal['F', 'C']" = "F")
    (axis: Option<i64>, descending: bool, stable: bool, order: &str)
} |cx, op| {
    // Every sort is stable.
    let _ = stable;
    let (lane, axis) = lane(cx, op, &x, axis, order)?;
    lanes::sort(cx, &lane, axis, descending)
} }

tensor_op! { [argsort] {
    /// The positions, as int64, that put the elements along `axis` in ascending (or descending) order; equal elements keep
    /// theirs, NaNs come last. No derivative. Raises `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.argsort([3.0, 1.0, 2.0]).tolist()
    /// [1, 2, 0]
    (x) (axis=Some(-1), *, descending=false, stable=true, order: "Literal['F', 'C']" = "F")
    (axis: Option<i64>, descending: bool, stable: bool, order: &str)
} |cx, op| {
    let _ = stable;
    let (lane, axis) = lane(cx, op, &x, axis, order)?;
    cx.bind(ArgSort { axis, descending }.into(), &[&lane])
} }

named_op! { [topk] -> "TopK" {
    /// The `k` greatest (or least) elements along `axis`, in order, as the named tuple ``values, indices``.
    ///
    /// NaNs come last. Derivative of the values: dx at those positions. Raises `InvalidArgumentError` if `k` is larger than the
    /// axis, `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> values, indices = tf.topk([1.0, 4.0, 2.0, 3.0], 2)
    /// >>> values.tolist(), indices.tolist()
    /// ([4.0, 3.0], [1, 3])
    (x) (k, axis=-1, *, largest=true) (k: i64, axis: i64, largest: bool)
} |call| {
    let x = call.one(&x)?;
    let axis = normalize(call.op, axis, x.value.rank())?;
    let k = count(call.op, "k", k)?;
    let (values, indices) = lanes::top(&mut call.cx, &x, k, axis, largest)?;
    let results = [call.wrap(values)?, call.wrap(indices)?];
    named(call.py, "TopK", results)
} }

tensor_op! { [searchsorted] {
    /// For each element of `values` the position in the ascending list `sorted` at which it would keep the order, as int64:
    /// before equal elements (``side="left"``) or behind them (``"right"``). Promoted. No derivative.
    ///
    /// Raises `RankMismatchError` if `sorted` is no list, `UnsupportedDTypeError` for complex input.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.searchsorted([1.0, 2.0, 2.0, 3.0], [2.0, 9.0]).tolist()
    /// [1, 4]
    (sorted, values) (side: "Literal['left', 'right']" = "left") (side: &str)
} |cx, op| {
    let right = match side {
        "left" => false,
        "right" => true,
        other => {
            let message = format!("expected 'left' or 'right', got '{other}'");
            return Err(Error::argument(op, "side", message));
        }
    };
    let (sorted, values) = numeric::promoted(cx, &sorted, &values)?;
    cx.bind(SearchSorted { right }.into(), &[&sorted, &values])
} }

tensor_op! { [diff] {
    /// Differences of neighbours along `axis`, x[i + 1] − x[i], taken `n` times. Bool becomes int64. Derivative: linear.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.diff([1.0, 4.0, 9.0]).tolist()
    /// [3.0, 5.0]
    (x) (n=1, axis=-1) (n: i64, axis: i64)
} |cx, op| {
    let axis = normalize(op, axis, x.value.rank())?;
    lanes::diff(cx, &x, count(op, "n", n)?, axis)
} }

tensor_op! { [median] {
    /// The middle element along `axis` in order, or the mean of the two middle ones; NaN where there is one. Integers and bool
    /// become float64. Derivative: that of the middle elements.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.median([3.0, 1.0, 2.0, 10.0]).item()
    /// 2.5
    (x) (axis=None, keepdims=false) (axis: Option<i64>, keepdims: bool)
} |cx, op| {
    let (lane, at) = lane(cx, op, &x, axis, "F")?;
    let out = lanes::median(cx, &lane, at)?;
    with_axes(cx, out, &x, axis.map(|_| at), keepdims)
} }

/// What `unique` and its sisters give, as far as it is wanted.
struct Unique {
    values: Var,
    /// For each element of the input the position of its value.
    inverse: Var,
    counts: Var,
    /// Position of the first occurrence.
    first: Var,
}

fn unique_of(cx: &mut Eager, x: &Var) -> Outcome<Unique> {
    x.concrete("unique")?;
    let size = x.value.size();
    let flat = cx.reshape(x, &[size])?;
    let order = cx.bind(ArgSort { axis: 0, descending: false }.into(), &[&flat])?;
    let sorted = lanes::take_along(cx, "unique", &flat, &order, 0)?;
    let steps = lanes::steps(cx, &sorted)?;
    let starts = true_positions(&steps.value)?.remove(0);
    let list: Vec<usize> = starts.as_slice::<i64>()?.iter().map(|&i| i as usize).collect();
    let take = Take { axis: 0, indices: list.into() };
    let values = cx.bind(take.clone().into(), &[&sorted])?;
    let first = cx.bind(take.into(), &[&order])?;
    let mut ends = starts.as_slice::<i64>()?.to_vec();
    ends.push(size as i64);
    let counts: Vec<i64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut inverse = vec![0; size];
    let mut group = -1;
    for (&place, &step) in order.value.as_slice::<i64>()?.iter().zip(steps.value.as_slice::<bool>()?) {
        group += i64::from(step);
        inverse[place as usize] = group;
    }
    let list =
        |data: &[i64], shape: &[usize]| tenferro_tensor::Tensor::from_slice("unique", shape, data).map(Var::constant);
    let inverse = list(&inverse, x.value.shape())?;
    Ok(Unique { values, inverse, counts: list(&counts, &[counts.len()])?, first })
}

raw_op! { [unique, unique_values] {
    /// The distinct elements in ascending order, as a list; each NaN counts as a value of its own. Real dtypes and bool.
    ///
    /// Derivative: that of the first occurrence (in column-major order).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.unique([3, 1, 3, 2]).tolist()
    /// [1, 2, 3]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    let found = unique_of(&mut call.cx, &x)?;
    call.wrap(found.values)
} }

named_op! { [unique_all] -> "UniqueAll" {
    /// As `unique`, with more, as the named tuple ``values, indices, inverse_indices, counts``: first occurrences (positions in
    /// column-major order), for each element the position of its value, and numbers of occurrences.
    ///
    /// >>> import tenferro as tf
    /// >>> found = tf.unique_all([3, 1, 3, 2])
    /// >>> found.values.tolist(), found.inverse_indices.tolist(), found.counts.tolist()
    /// ([1, 2, 3], [2, 0, 2, 1], [1, 1, 2])
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    let Unique { values, inverse, counts, first } = unique_of(&mut call.cx, &x)?;
    let results = [call.wrap(values)?, call.wrap(first)?, call.wrap(inverse)?, call.wrap(counts)?];
    named(call.py, "UniqueAll", results)
} }

named_op! { [unique_inverse] -> "UniqueInverse" {
    /// As `unique_all`, without indices and counts: the named tuple ``values, inverse_indices``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.unique_inverse([3, 1, 3, 2]).inverse_indices.tolist()
    /// [2, 0, 2, 1]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    let Unique { values, inverse, .. } = unique_of(&mut call.cx, &x)?;
    let results = [call.wrap(values)?, call.wrap(inverse)?];
    named(call.py, "UniqueInverse", results)
} }

named_op! { [unique_counts] -> "UniqueCounts" {
    /// As `unique_all`, without positions: the named tuple ``values, counts``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.unique_counts([3, 1, 3, 2]).counts.tolist()
    /// [1, 1, 2]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    let Unique { values, counts, .. } = unique_of(&mut call.cx, &x)?;
    let results = [call.wrap(values)?, call.wrap(counts)?];
    named(call.py, "UniqueCounts", results)
} }

tensor_op! { [isin] {
    /// Whether each element of `x` is among those of `elements`, as bool. Promoted; real dtypes. No derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isin([1, 2, 3], [3, 1]).tolist()
    /// [True, False, True]
    (x, elements) () ()
} |cx| {
    let (x, elements) = numeric::promoted(cx, &x, &elements)?;
    let flat = cx.reshape(&elements, &[elements.value.size()])?;
    let sorted = lanes::sort(cx, &flat, 0, false)?;
    let below = cx.bind(SearchSorted { right: false }.into(), &[&sorted, &x])?;
    let upto = cx.bind(SearchSorted { right: true }.into(), &[&sorted, &x])?;
    let among = cx.compare(tenferro_cpu::CompareOp::Ne, &below, &upto)?;
    let number = cx.compare(tenferro_cpu::CompareOp::Eq, &x, &x)?;
    cx.binary(tenferro_cpu::BinaryOp::BitAnd, &among, &number)
} }
