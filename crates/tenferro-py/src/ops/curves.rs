//! Values on a line: interpolation, difference quotients, integrals, polynomials; covariances.

use crate::args::{count, normalize, one_of};
use crate::call::{Call, Operand};
use crate::errors::Outcome;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{curves, numeric, statistics};
use tenferro_ad::{Eager, Var};
use tenferro_tensor::{DType, Error, Result};

raw_op! { [interp] {
    /// The values at `x` of the broken line through the points (`xp`, `fp`), lists with `xp` in ascending order; left and right of
    /// it `left` and `right`, or its ends.
    ///
    /// `fp` may be complex. Derivative: the slope of the piece times dx (right of a corner at it), and that in `xp`, `fp`, `left`
    /// and `right`; 0 for x outside. NaN gives NaN. Raises `InvalidArgumentError` without points, `ShapeMismatchError`,
    /// `RankMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.interp([0.5, 5.0], [0.0, 1.0, 2.0], [0.0, 10.0, 30.0]).tolist()
    /// [5.0, 30.0]
    (x, xp, fp) (left=None, right=None) (left: Option<Operand<'py>>, right: Option<Operand<'py>>)
} |call| {
    let mut operands = vec![&x, &xp, &fp];
    operands.extend(&left);
    operands.extend(&right);
    let vars = call.list(&operands)?.into_vec();
    let (has_left, has_right) = (left.is_some(), right.is_some());
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run(elements, move |cx| {
        let ends = [has_left.then(|| &vars[3]), has_right.then(|| &vars[3 + usize::from(has_left)])];
        curves::interp(cx, &vars[0], [&vars[1], &vars[2]], ends)
    })
} }

raw_op! { [gradient] {
    /// Difference quotients of second order along `axis`: the slope, at each element, of the parabola through it and its
    /// neighbours. At the ends: of the line through two elements (`edge_order` 1), or of the parabola through three (2).
    ///
    /// `spacing` is the distance of neighbours, or the list of their coordinates. Not to be confused with `grad`. Real or complex;
    /// integers and bool become float64. Derivative: linear in `x`, and that in `spacing`. Raises `InvalidArgumentError` where
    /// there are fewer than `edge_order` + 1 elements, `AxisOutOfBoundsError`, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.gradient([0.0, 1.0, 4.0, 9.0]).tolist()
    /// [1.0, 2.0, 4.0, 5.0]
    (x) (spacing=None, axis=-1, edge_order=1) (spacing: Option<Operand<'py>>, axis: i64, edge_order: i64)
} |call| {
    if !(1..=2).contains(&edge_order) {
        return Err(Error::argument(call.op, "edge_order", format!("expected 1 or 2, got {edge_order}")).into());
    }
    let (vars, axis) = samples(call, &x, spacing.as_ref(), axis)?;
    call.run(vars[0].value.size(), move |cx| {
        let spacing = distances(cx, &vars, 1.0)?;
        curves::gradient(cx, &vars[0], &spacing, axis, edge_order as usize)
    })
} }

/// The coordinates beside the values, or else a distance in the floating-point dtype of the values.
fn distances(cx: &mut Eager, vars: &[Var], dx: f64) -> Result<Var> {
    if let Some(given) = vars.get(1) {
        return Ok(given.clone());
    }
    let dtype = vars[0].value.dtype();
    cx.number(if dtype.is_inexact() { dtype } else { DType::F64 }, dx)
}

/// Values, coordinates if there are some, and the axis along which they lie.
fn samples<'py>(
    call: &mut Call<'py>,
    y: &Operand<'py>,
    x: Option<&Operand<'py>>,
    axis: i64,
) -> Outcome<(Vec<Var>, usize)> {
    let operands: Vec<&Operand<'py>> = std::iter::once(y).chain(x).collect();
    let vars = call.list(&operands)?.into_vec();
    let axis = normalize(call.op, axis, vars[0].value.rank())?;
    Ok((vars, axis))
}

raw_op! { [trapezoid] {
    /// ∫ y dx along `axis` by the trapezoidal rule: Σ (xᵢ₊₁ − xᵢ)·(yᵢ + yᵢ₊₁)/2, with coordinates `x`, a list or a tensor that
    /// broadcasts to `y`, or at distances `dx`.
    ///
    /// Real or complex; integers and bool become float64. Derivative: in `y` and `x`. Raises `AxisOutOfBoundsError`,
    /// `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.trapezoid([1.0, 2.0, 3.0]).item(), tf.trapezoid([1.0, 3.0], x=[0.0, 5.0]).item()
    /// (4.0, 10.0)
    (y) (x=None, dx=1.0, axis=-1) (x: Option<Operand<'py>>, dx: f64, axis: i64)
} |call| {
    let (vars, axis) = samples(call, &y, x.as_ref(), axis)?;
    call.run(vars[0].value.size(), move |cx| {
        let spacing = distances(cx, &vars, dx)?;
        curves::trapezoid(cx, &vars[0], &spacing, vars.len() > 1, axis)
    })
} }

raw_op! { [cumulative_trapezoid] {
    /// The integrals of `trapezoid` up to each element along `axis`, from the second one on; `include_initial` puts a 0 in front.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cumulative_trapezoid([1.0, 2.0, 3.0], include_initial=True).tolist()
    /// [0.0, 1.5, 4.0]
    (y) (x=None, dx=1.0, axis=-1, *, include_initial=false)
    (x: Option<Operand<'py>>, dx: f64, axis: i64, include_initial: bool)
} |call| {
    let (vars, axis) = samples(call, &y, x.as_ref(), axis)?;
    call.run(vars[0].value.size(), move |cx| {
        let spacing = distances(cx, &vars, dx)?;
        curves::running_trapezoid(cx, &vars[0], &spacing, vars.len() > 1, axis, include_initial)
    })
} }

tensor_op! { [unwrap] {
    /// `x` plus whole multiples of `period` (2π), such that neighbours along `axis` differ by at most half of it: phases without
    /// jumps. Real dtypes; integers and bool become float64.
    ///
    /// Derivative: dx. Raises `InvalidArgumentError` unless the period is positive and finite, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.unwrap([0.0, 4.0, 9.0], period=5.0).tolist()
    /// [0.0, -1.0, -1.0]
    (x) (axis=-1, *, period=std::f64::consts::TAU) (axis: i64, period: f64)
} |cx, op| {
    if !(period.is_finite() && period > 0.0) {
        return Err(Error::argument(op, "period", format!("expected a finite number above 0, got {period}")));
    }
    let axis = normalize(op, axis, x.value.rank())?;
    curves::unwrap(cx, &x, period, axis)
} }

tensor_op! { [vander] {
    /// The powers of a list as the columns of a matrix of `n` columns (as many as elements): x^(n − 1), … x, 1, or the other way
    /// round with ``increasing=True``.
    ///
    /// Dtypes are kept; bool becomes int64. Derivative: k·x^(k − 1)·dx, exact at 0. Raises `RankMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.vander([2, 3], 3).tolist()
    /// [[4, 2, 1], [9, 3, 1]]
    (x) (n=None, increasing=false) (n: Option<i64>, increasing: bool)
} |cx, op| {
    let n = n.map_or(Ok(x.value.size()), |n| count(op, "n", n))?;
    curves::powers(cx, &x, n, increasing)
} }

tensor_op! { [polyval] {
    /// The polynomial with the coefficients `p`, the highest power first, at `x`: p₀·xⁿ⁻¹ + … + pₙ₋₁, by Horner's rule. Promoted.
    ///
    /// Derivative: in both. Raises `RankMismatchError` unless `p` is a list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.polyval([1, 0, 2], [0, 1, 3]).tolist()
    /// [2, 3, 11]
    (p, x) () ()
} |cx| curves::polynomial(cx, &p, &x) }

/// The variables of a covariance as the rows of one matrix; whether that is a single one.
fn variables(cx: &mut Eager, op: &'static str, vars: &[Var], rowvar: bool) -> Result<(Var, bool)> {
    let mut rows = Vec::with_capacity(vars.len());
    for var in vars {
        rows.push(match var.value.shape() {
            &[n] => cx.reshape(var, &[1, n])?,
            &[_, _] if rowvar => var.clone(),
            &[_, _] => cx.transpose(var, &[1, 0])?,
            shape => return Err(Error::rank(op, "an operand (a list or a matrix)", 2, shape.len())),
        });
    }
    let single = rows.len() == 1 && rows[0].value.shape()[0] == 1;
    if rows.len() == 2 && rows[0].value.shape()[1] != rows[1].value.shape()[1] {
        return Err(Error::shapes(op, vars[0].value.shape(), vars[1].value.shape()));
    }
    Ok((numeric::concatenate(cx, &rows, 0)?, single))
}

raw_op! { [cov] {
    /// Covariances: C[i, j] = Σ (xᵢ − mean)·conj(xⱼ − mean)/(n − correction), with a variable in each row of `x` (in each column
    /// with ``rowvar=False``), and those of `y` behind. `ddof` is NumPy's name of the correction, 1.
    ///
    /// Of one variable it is the variance, a scalar. Integers and bool become float64. Derivative: in both. Raises
    /// `RankMismatchError`, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cov([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]).tolist()
    /// [[1.0, -1.0], [-1.0, 1.0]]
    (x) (y=None, rowvar=true, *, correction=None, ddof=None)
    (y: Option<Operand<'py>>, rowvar: bool, correction: Option<f64>, ddof: Option<f64>)
} |call| {
    let op = call.op;
    let correction = one_of(op, "correction", correction, "ddof", ddof)?.unwrap_or(1.0);
    if !correction.is_finite() {
        return Err(Error::argument(op, "correction", format!("expected a finite number, got {correction}")).into());
    }
    let operands: Vec<&Operand<'py>> = std::iter::once(&x).chain(&y).collect();
    let vars = call.list(&operands)?.into_vec();
    call.run(vars[0].value.size(), move |cx| {
        let (rows, single) = variables(cx, op, &vars, rowvar)?;
        let cov = statistics::cov(cx, &rows, correction)?;
        if single { cx.reshape(&cov, &[]) } else { Ok(cov) }
    })
} }

raw_op! { [corrcoef] {
    /// Correlations: C[i, j]/√(C[i, i]·C[j, j]) of the covariances of `cov`. NaN for a variable that does not vary.
    ///
    /// Derivative: in both operands. Errors as `cov`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.corrcoef([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]).round().tolist()
    /// [[1.0, -1.0], [-1.0, 1.0]]
    (x) (y=None, rowvar=true) (y: Option<Operand<'py>>, rowvar: bool)
} |call| {
    let op = call.op;
    let operands: Vec<&Operand<'py>> = std::iter::once(&x).chain(&y).collect();
    let vars = call.list(&operands)?.into_vec();
    call.run(vars[0].value.size(), move |cx| {
        let (rows, single) = variables(cx, op, &vars, rowvar)?;
        let cov = statistics::cov(cx, &rows, 0.0)?;
        let out = statistics::correlation(cx, &cov)?;
        if single { cx.reshape(&out, &[]) } else { Ok(out) }
    })
} }
