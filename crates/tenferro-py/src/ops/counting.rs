//! Counts in bins, and numbers taken apart.

use crate::call::{Call, Operand};
use crate::errors::Outcome;
use crate::results::named;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, ScatterFlat, SearchSorted, functions, numeric};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{BinaryOp, Number, ReduceOp, UnaryOp, cast, compact, full, linspace};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

tensor_op! { [digitize] {
    /// For each element of `x` the bin it lies in, as int64: the i with bins[i − 1] ≤ x < bins[i], or with ``right=True``
    /// bins[i − 1] < x ≤ bins[i]; 0 below all of them, and their number above. `bins` is a list in ascending order. Promoted.
    ///
    /// This is `searchsorted` with the operands the other way round. No derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.digitize([0.5, 1.0, 7.0], [0.0, 1.0, 2.0]).tolist()
    /// [1, 2, 3]
    (x, bins) (right=false) (right: bool)
} |cx, op| {
    let (x, bins) = numeric::promoted(cx, &x, &bins)?;
    cx.bind(SearchSorted { right: !right }.into(), &[&bins, &x]).map_err(|e| e.in_op(op))
} }

/// The edges of bins: as given, or so many equal ones over the range.
fn edges<'py>(
    call: &mut Call<'py>,
    values: &Tensor,
    bins: Option<&Operand<'py>>,
    range: Option<(f64, f64)>,
) -> Outcome<Tensor> {
    let op = call.op;
    let bins = match bins {
        Some(bins) => call.one(bins)?.concrete(op)?.clone(),
        None => full(&[], DType::I64, Number::Int(10))?,
    };
    if bins.rank() == 1 {
        if bins.dtype().is_complex() {
            return Err(Error::unsupported_dtype(op, bins.dtype(), "a real dtype").into());
        }
        let list = compact(&cast(&bins, DType::F64)?)?;
        let numbers = list.as_slice::<f64>()?;
        if numbers.is_empty() || !numbers.windows(2).all(|pair| pair[0] <= pair[1]) {
            return Err(Error::argument(op, "bins", "expected edges in ascending order").into());
        }
        return Ok(list);
    }
    let count = match (bins.rank(), bins.dtype()) {
        (0, DType::I32 | DType::I64) => cast(&bins, DType::I64)?.item::<i64>().unwrap_or(0),
        _ => return Err(Error::argument(op, "bins", "expected an integer, or a list of edges").into()),
    };
    if count < 1 {
        return Err(Error::argument(op, "bins", format!("expected at least one bin, got {count}")).into());
    }
    let (low, high) = match range {
        Some(range) => range,
        None => {
            let all = values.as_slice::<f64>()?;
            let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| match x.is_nan() {
                true => (f64::NAN, f64::NAN),
                false => (a.min(x), b.max(x)),
            });
            if all.is_empty() { (0.0, 1.0) } else { ends }
        }
    };
    if !(low.is_finite() && high.is_finite() && low <= high) {
        let message = format!("expected two finite numbers in ascending order, got {low} and {high}");
        return Err(Error::argument(op, "range", message).into());
    }
    let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
    Ok(linspace(Number::Float(low), Number::Float(high), count as usize + 1, true, DType::F64)?)
}

named_op! { [histogram] -> "Histogram" {
    /// How many elements of `x` lie in each bin, and the edges of the bins, as the named tuple ``counts, edges``. `bins` is a number
    /// of equal bins over `range` (that of x, of finite numbers), or the list of edges in ascending order. A bin has its left
    /// edge, the last one both; what lies in none is left out.
    ///
    /// Counts are int64; with `weights` of x's shape their sums (integers and bool as float64); with ``density=True`` both are
    /// divided by their total and by the bin's width. Derivative: linear in the weights (``density=True``: that of the quotient).
    /// Raises `InvalidArgumentError`, `ShapeMismatchError`, `UnsupportedDTypeError` for complex x.
    ///
    /// >>> import tenferro as tf
    /// >>> counts, edges = tf.histogram([0.0, 0.1, 0.9, 1.0], 2)
    /// >>> counts.tolist(), edges.tolist()
    /// ([2, 2], [0.0, 0.5, 1.0])
    (x) (bins=None, range=None, weights=None, density=false)
    (bins: Option<Operand<'py>>, range: Option<(f64, f64)>, weights: Option<Operand<'py>>, density: bool)
} |call| {
    let op = call.op;
    let x = call.one(&x)?;
    if x.value.dtype().is_complex() {
        return Err(Error::unsupported_dtype(op, x.value.dtype(), "a real dtype").into());
    }
    let values = compact(&cast(x.concrete(op)?, DType::F64)?)?;
    let edges = edges(call, &values, bins.as_ref(), range)?;
    let weights = match &weights {
        Some(weights) => {
            let weights = call.one(weights)?;
            numeric::inexact(&mut call.cx, &weights)?
        }
        None => Var::constant(full(x.value.shape(), DType::I64, Number::Int(1))?),
    };
    if weights.value.shape() != x.value.shape() {
        return Err(Error::shape(op, "argument 'weights'", x.value.shape(), weights.value.shape()).into());
    }
    let places = places(&values, &edges)?;
    let bins = edges.size() - 1;
    let counts = call.run(values.size(), {
        let edges = Var::constant(edges.clone());
        move |cx| {
            let shape = Dims::from_slice(&[bins + 1]);
            let all = cx.bind(ScatterFlat { positions: places.into(), shape }.into(), &[&weights])?;
            let counts = cx.slice_axis(&all, 0, 0, bins)?;
            if density { densities(cx, &counts, &edges) } else { Ok(counts) }
        }
    })?;
    let results = [counts, call.wrap(Var::constant(edges))?];
    named(call.py, "Histogram", results)
} }

/// The bin of each value; those in none share one behind the last.
fn places(values: &Tensor, edges: &Tensor) -> Result<Vec<usize>> {
    let edges = edges.as_slice::<f64>()?;
    let bins = edges.len() - 1;
    let place = |&x: &f64| {
        if x == edges[bins] {
            return bins.saturating_sub(1);
        }
        // None of the edges is at most NaN.
        edges.partition_point(|&edge| edge <= x).checked_sub(1).unwrap_or(bins)
    };
    Ok(values.as_slice::<f64>()?.iter().map(place).collect())
}

/// Counts over their total and the widths of their bins.
fn densities(cx: &mut Eager, counts: &Var, edges: &Var) -> Result<Var> {
    let counts = numeric::inexact(cx, counts)?;
    let widths = tenferro_ad::ops::lanes::diff(cx, edges, 1, 0)?;
    let widths = cx.convert(&widths, counts.value.dtype())?;
    let total = cx.reduce(ReduceOp::Sum, &counts, &[0])?;
    let share = cx.div(&counts, &total)?;
    cx.div(&share, &widths)
}

tuple_op! { [divmod] {
    /// The pair of `floor_divide` and `remainder`: ⌊x/y⌋ and x − y·⌊x/y⌋. Real dtypes, promoted and broadcast.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.divmod([7, -7], 3)]
    /// [[2, -3], [1, 2]]
    (x, y) () ()
} |call| {
    let [x, y] = call.group([&x, &y])?;
    call.run_many(x.value.size() + y.value.size(), move |cx| {
        let whole = numeric::binary(cx, BinaryOp::FloorDivide, &x, &y)?;
        Ok(vec![whole, numeric::binary(cx, BinaryOp::Remainder, &x, &y)?])
    })
} }

tuple_op! { [modf] {
    /// The pair of the fractional part, x − trunc(x), and the whole part, both with the sign of x. Real dtypes; integers and bool
    /// become float64. Derivative: dx, and 0.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.modf([2.5, -0.25])]
    /// [[0.5, -0.25], [2.0, -0.0]]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    call.run_many(x.value.size(), move |cx| {
        let x = numeric::inexact(cx, &x)?;
        let rest = tenferro_ad::ops::cleaning::frac(cx, &x)?;
        Ok(vec![numeric::binary(cx, BinaryOp::Copysign, &rest, &x)?, cx.unary(UnaryOp::Trunc, &x)?])
    })
} }

tuple_op! { [frexp] {
    /// The pair m, e with x = m·2ᵉ and ½ ≤ |m| < 1, e as int64; of 0, ±∞ and NaN it is x, 0. Real dtypes; integers and bool become
    /// float64. Derivative: dm = 2⁻ᵉ·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.frexp([12.0, -0.25])]
    /// [[0.75, -0.5], [4, -1]]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    call.run_many(x.value.size(), move |cx| {
        let (mantissa, exponent) = functions::frexp(cx, &x)?;
        Ok(vec![mantissa, exponent])
    })
} }
