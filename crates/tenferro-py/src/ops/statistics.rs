//! Statistics and log-sum-exp.

use crate::args::{AxesArg, reduction_axes};
use crate::call::Operand;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{numeric, statistics};
use tenferro_cpu::ReduceOp;
use tenferro_tensor::{Dims, Error, Result};

macro_rules! over_axes {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] |$cx:ident, $x:ident, $axes:ident, $keepdims:ident| $body:expr;)*) => {
        $( tensor_op! { [$($name),+] {
            $(#[doc = $doc])*
            (x) (axes=None, keepdims=false, *, axis=None)
            (axes: Option<AxesArg>, keepdims: bool, axis: Option<AxesArg>)
        } |$cx, op| {
            let ($x, $axes, $keepdims) = (&x, &reduction_axes(op, axes, axis, x.value.rank())?, keepdims);
            $body
        } } )*
    };
}

over_axes! {
    /// How many elements over `axes` are not 0, as int64. No derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=0).tolist()
    /// [1, 2]
    [count_nonzero] |cx, x, axes, keepdims| statistics::count_nonzero(cx, x, axes, keepdims);

    /// Σ |x|² over `axes`, real also for complex input. Derivative: 2·Re(conj(x)·dx), summed.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.reduce_sum_squares([3.0, 4.0]).item()
    /// 25.0
    [reduce_sum_squares, sum_squares] |cx, x, axes, keepdims| statistics::sum_squares(cx, x, axes, keepdims);

    /// log Σ eˣ over `axes`, real or complex, without overflow; of nothing, or of −∞ alone, it is −∞ with derivative 0.
    ///
    /// Integers and bool become float64. Derivative: the mean of dx with weights eˣ.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logsumexp([1000.0, 1000.0]).item()
    /// 1000.6931471805599
    [logsumexp] |cx, x, axes, keepdims| statistics::logsumexp(cx, x, axes, keepdims);

    /// Maximum minus minimum over `axes`. Derivative: that of both, shared equally among ties.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ptp([1.0, 5.0, 3.0]).item()
    /// 4.0
    [ptp] |cx, x, axes, keepdims| {
        let most = numeric::reduce(cx, ReduceOp::Max, x, axes, keepdims).map_err(|e| e.in_op("ptp"))?;
        let least = numeric::reduce(cx, ReduceOp::Min, x, axes, keepdims)?;
        cx.sub(&most, &least)
    };

    /// Sum over `axes` without the NaNs. Derivative: 0 where x is NaN.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nansum([1.0, float("nan"), 2.0]).item()
    /// 3.0
    [nansum] |cx, x, axes, keepdims| statistics::nan_reduce(cx, ReduceOp::Sum, x, axes, keepdims);

    /// Product over `axes` without the NaNs. Derivative: 0 where x is NaN.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanprod([2.0, float("nan"), 3.0]).item()
    /// 6.0
    [nanprod] |cx, x, axes, keepdims| statistics::nan_reduce(cx, ReduceOp::Prod, x, axes, keepdims);

    /// Maximum over `axes` without the NaNs; NaN if there is nothing else. Derivative: as `max`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanmax([1.0, float("nan"), 2.0]).item()
    /// 2.0
    [nanmax] |cx, x, axes, keepdims| statistics::nan_reduce(cx, ReduceOp::Max, x, axes, keepdims);

    /// Minimum over `axes` without the NaNs; NaN if there is nothing else. Derivative: as `min`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanmin([1.0, float("nan"), 2.0]).item()
    /// 1.0
    [nanmin] |cx, x, axes, keepdims| statistics::nan_reduce(cx, ReduceOp::Min, x, axes, keepdims);

    /// Mean over `axes` without the NaNs; NaN of nothing. Derivative: the mean of dx there.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanmean([1.0, float("nan"), 2.0]).item()
    /// 1.5
    [nanmean] |cx, x, axes, keepdims| statistics::nanmean(cx, x, axes, keepdims);
}

/// The correction of a variance under either keyword.
fn correction(op: &'static str, correction: Option<f64>, ddof: Option<f64>) -> Result<f64> {
    let value = crate::args::one_of(op, "correction", correction, "ddof", ddof)?.unwrap_or(0.0);
    match value.is_finite() {
        true => Ok(value),
        false => Err(Error::argument(op, "correction", format!("expected a finite number, got {value}"))),
    }
}

macro_rules! moments {
    ($($(#[doc = $doc:literal])* [$name:ident];)*) => {
        $( tensor_op! { [$name] {
            $(#[doc = $doc])*
            (x) (axes=None, keepdims=false, *, axis=None, correction=None, ddof=None)
            (axes: Option<AxesArg>, keepdims: bool, axis: Option<AxesArg>, correction: Option<f64>, ddof: Option<f64>)
        } |cx, op| {
            let axes = reduction_axes(op, axes, axis, x.value.rank())?;
            let correction = self::correction(op, correction, ddof)?;
            statistics::$name(cx, &x, &axes, correction, keepdims)
        } } )*
    };
}

moments! {
    /// Variance over `axes`: Σ |x − mean|² / (n − correction), with NumPy's `ddof` for the correction (0), in two passes.
    ///
    /// Real also for complex input; integers and bool become float64; NaN where n ≤ correction. Derivative:
    /// 2·Re(conj(x − mean)·dx) / (n − correction), summed.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.var([1.0, 2.0, 3.0, 4.0]).item(), tf.var([1.0, 3.0], correction=1).item()
    /// (1.25, 2.0)
    [var];

    /// Standard deviation over `axes`: the root of `var`. Where the variance is 0, so is the derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.std([1.0, 1.0, 5.0, 5.0]).item()
    /// 2.0
    [std];

    /// As `var`, of the elements that are not NaN; NaN with derivative 0 where no more than `correction` are left.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanvar([1.0, float("nan"), 3.0]).item()
    /// 1.0
    [nanvar];

    /// As `std`, of the elements that are not NaN; NaN with derivative 0 where no more than `correction` are left.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nanstd([1.0, float("nan"), 5.0]).item()
    /// 2.0
    [nanstd];
}

raw_op! { [average] {
    /// Σ w·x / Σ w over `axis`, with `weights` of x's shape or, for one axis, of its extent; without them the mean.
    ///
    /// Derivative: in both. Raises `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.average([1.0, 3.0], weights=[3.0, 1.0]).item()
    /// 1.5
    (x) (axis=None, weights=None, *, keepdims=false)
    (axis: Option<AxesArg>, weights: Option<Operand<'py>>, keepdims: bool)
} |call| {
    let op = call.op;
    let mut operands = vec![&x];
    operands.extend(&weights);
    let vars = call.list(&operands)?;
    let rank = vars[0].value.rank();
    let axes = reduction_axes(op, axis, None, rank)?;
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run(elements, move |cx| {
        let Some(weights) = vars.get(1) else { return numeric::mean(cx, &vars[0], &axes, keepdims) };
        let weights = match (weights.value.shape(), &axes[..]) {
            (&[n], &[axis]) if rank > 1 => {
                let mut aligned = Dims::from_elem(1, rank - axis);
                aligned[0] = n;
                cx.reshape(weights, &aligned)?
            }
            _ => weights.clone(),
        };
        statistics::average(cx, &vars[0], &weights, &axes, keepdims)
    })
} }
