//! Distributions whose parameters are numbers or tensors, one for each element.

use crate::call::{Call, Operand, enter, real_values, released};
use crate::distributions::real;
use crate::dtype::DTypeArg;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::random::PyKey;
use crate::tensor::ShapeArg;
use pyo3::prelude::*;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Softmax};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{UnaryOp, compact, random};
use tenferro_tensor::{Dims, Error, Result, Tensor, broadcast_shapes};

/// Beyond this float64 no longer tells neighbouring whole numbers apart.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

/// A parameter in float64, each value of which `fits`.
fn parameter<'py>(
    call: &mut Call<'py>,
    name: &str,
    operand: &Operand<'py>,
    expected: &str,
    fits: impl Fn(f64) -> bool,
) -> Outcome<Tensor> {
    let var = call.one(operand)?;
    Ok(real_values(call.op, name, &var, expected, fits)?)
}

/// Parameters repeated to the shape of the result: the one asked for, or their common one.
fn together(op: &'static str, parameters: &[Tensor], shape: Option<ShapeArg>) -> Result<(Vec<Tensor>, Dims)> {
    let mut common = Dims::new();
    for one in parameters {
        common = broadcast_shapes(op, &common, one.shape())?;
    }
    let shape = match shape {
        Some(shape) if broadcast_shapes(op, &common, &shape.0)? == shape.0 => shape.0,
        Some(shape) => return Err(Error::shape(op, "argument 'shape'", &common, &shape.0)),
        None => common,
    };
    let cx = &mut Eager::silent();
    let mut repeated = Vec::with_capacity(parameters.len());
    for one in parameters {
        repeated.push(match one.rank() {
            0 => one.clone(),
            _ => compact(&cx.broadcast_to(&Var::constant(one.clone()), &shape)?.value)?,
        });
    }
    Ok((repeated, shape))
}

/// The tensor that `draw` gives, without the GIL.
fn drawn<'py>(
    py: Python<'py>,
    call: &mut Call<'py>,
    draw: impl FnOnce(&mut Eager) -> Result<Var> + Send,
) -> Outcome<PyEagerTensor> {
    let runtime = call.runtime()?;
    let var = released(py, &runtime, move || draw(&mut Eager::silent()))?;
    call.wrap(var)
}

fn positive(v: f64) -> bool {
    v > 0.0 && v.is_finite()
}

const POSITIVE: &str = "finite numbers above 0";

/// Numbers with the density xᵃ⁻¹ e⁻ˣ/Γ(a), x > 0: mean a, variance a. `a` is a number or a tensor, which is broadcast to `shape`.
///
/// Times θ they have the scale θ; twice those for a = k/2 are χ² with k degrees of freedom. By rejection (Marsaglia and Tsang,
/// 2000). No derivative in `a`. Raises `InvalidArgumentError` unless a is positive and finite.
///
/// >>> import tenferro as tf
/// >>> tf.random.gamma(tf.random.key(0), [0.5, 20.0], (3, 2)).shape
/// (3, 2)
#[pyfunction]
#[pyo3(name = "gamma", signature = (key, a, shape=None, dtype=None))]
pub fn random_gamma<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    a: Operand<'py>,
    shape: Option<ShapeArg>,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().inner();
    enter(py, "gamma", None, |call| {
        let dtype = real(call.op, dtype)?;
        let a = parameter(call, "a", &a, POSITIVE, positive)?;
        let (all, shape) = together(call.op, &[a], shape)?;
        drawn(py, call, move |cx| {
            let log = Var::constant(random::log_gamma(key, &all[0], &shape)?);
            let x = cx.unary(UnaryOp::Exp, &log)?;
            cx.convert(&x, dtype)
        })
    })
}

/// Numbers with the density xᵃ⁻¹(1 − x)ᵇ⁻¹/B(a, b) on [0, 1]: mean a/(a + b). `a` and `b` are numbers or tensors, which are
/// broadcast to `shape`.
///
/// As the share of one gamma number in the sum of two, in logarithms, so that small parameters are no problem. No derivative.
/// Raises `InvalidArgumentError` unless a and b are positive and finite.
///
/// >>> import tenferro as tf
/// >>> x = tf.random.beta(tf.random.key(0), 0.5, 2.0, (100,))
/// >>> 0.0 <= x.min().item() and x.max().item() <= 1.0
/// True
#[pyfunction]
#[pyo3(name = "beta", signature = (key, a, b, shape=None, dtype=None))]
pub fn random_beta<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    a: Operand<'py>,
    b: Operand<'py>,
    shape: Option<ShapeArg>,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().inner();
    enter(py, "beta", None, |call| {
        let dtype = real(call.op, dtype)?;
        let a = parameter(call, "a", &a, POSITIVE, positive)?;
        let b = parameter(call, "b", &b, POSITIVE, positive)?;
        let (all, shape) = together(call.op, &[a, b], shape)?;
        drawn(py, call, move |cx| {
            let [x, y] = [0, 1].map(|i| random::log_gamma(key.fold_in(i), &all[i as usize], &shape).map(Var::constant));
            let lead = cx.sub(&x?, &y?)?;
            let share = cx.unary(UnaryOp::Sigmoid, &lead)?;
            cx.convert(&share, dtype)
        })
    })
}

/// Numbers of at least 0 whose sum along `axis` is 1, with a density proportional to Π xᵢ^(αᵢ − 1). `alpha`, with the parameters
/// along that axis, is broadcast to `shape`.
///
/// As shares of gamma numbers, in logarithms. No derivative. Raises `InvalidArgumentError` unless alpha is positive and finite,
/// `AxisOutOfBoundsError`.
///
/// >>> import tenferro as tf
/// >>> tf.random.dirichlet(tf.random.key(0), [1.0, 2.0, 3.0], (5, 3)).sum(axis=1).round().tolist()
/// [1.0, 1.0, 1.0, 1.0, 1.0]
#[pyfunction]
#[pyo3(name = "dirichlet", signature = (key, alpha, shape=None, axis=-1, dtype=None))]
pub fn random_dirichlet<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    alpha: Operand<'py>,
    shape: Option<ShapeArg>,
    axis: i64,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().inner();
    enter(py, "dirichlet", None, |call| {
        let dtype = real(call.op, dtype)?;
        let alpha = parameter(call, "alpha", &alpha, POSITIVE, positive)?;
        let (all, shape) = together(call.op, &[alpha], shape)?;
        let axis = crate::args::normalize(call.op, axis, shape.len())?;
        drawn(py, call, move |cx| {
            let log = Var::constant(random::log_gamma(key, &all[0], &shape)?);
            let share = cx.bind(Softmax { axis, log: false }.into(), &[&log])?;
            cx.convert(&share, dtype)
        })
    })
}

/// Counts, as int64, with the probabilities λᵏ e^(−λ)/k!: mean and variance λ = `mean`, a number or a tensor, which is broadcast
/// to `shape`.
///
/// By transformed rejection (Hörmann, 1993), and for means below 10 by inversion. Raises `InvalidArgumentError` unless the mean is
/// at least 0 and at most 2⁵³.
///
/// >>> import tenferro as tf
/// >>> tf.random.poisson(tf.random.key(0), [0.0, 1e6]).tolist()[0]
/// 0
#[pyfunction]
#[pyo3(name = "poisson", signature = (key, mean, shape=None))]
pub fn random_poisson<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    mean: Operand<'py>,
    shape: Option<ShapeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().inner();
    enter(py, "poisson", None, |call| {
        let fits = |m: f64| (0.0..=LARGEST_COUNT).contains(&m);
        let mean = parameter(call, "mean", &mean, "numbers from 0 to 2⁵³", fits)?;
        let (all, shape) = together(call.op, &[mean], shape)?;
        drawn(py, call, move |_| random::poisson(key, &all[0], &shape).map(Var::constant))
    })
}

/// How many of `n` trials succeed, each with probability `p`, as int64: mean n·p, variance n·p·(1 − p). `n` and `p` are numbers
/// or tensors, which are broadcast to `shape`.
///
/// By transformed rejection (Hörmann, 1993), and where n·min(p, 1 − p) < 10 by inversion. Raises `InvalidArgumentError` unless
/// 0 ≤ p ≤ 1, and n is whole, at least 0 and at most 2⁵³.
///
/// >>> import tenferro as tf
/// >>> tf.random.binomial(tf.random.key(0), [3, 10], [0.0, 1.0]).tolist()
/// [0, 10]
#[pyfunction]
#[pyo3(name = "binomial", signature = (key, n, p, shape=None))]
pub fn random_binomial<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    n: Operand<'py>,
    p: Operand<'py>,
    shape: Option<ShapeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().inner();
    enter(py, "binomial", None, |call| {
        let whole = |n: f64| (0.0..=LARGEST_COUNT).contains(&n) && n.fract() == 0.0;
        let n = parameter(call, "n", &n, "whole numbers from 0 to 2⁵³", whole)?;
        let p = parameter(call, "p", &p, "numbers from 0 to 1", |p| (0.0..=1.0).contains(&p))?;
        let (all, shape) = together(call.op, &[n, p], shape)?;
        drawn(py, call, move |_| random::binomial(key, &all[0], &all[1], &shape).map(Var::constant))
    })
}
