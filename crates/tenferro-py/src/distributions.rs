//! Distributions made of uniform numbers: every element depends on the key and its place alone.

use crate::call::{Operand, enter, released};
use crate::dtype::DTypeArg;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::random::PyKey;
use crate::tensor::ShapeArg;
use pyo3::prelude::*;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{ArgReduce, ArgSort, Interp, Scan, SearchSorted, Take, numeric, statistics};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::random::{self, Key};
use tenferro_cpu::{BinaryOp, CompareOp, ScanOp, UnaryOp};
use tenferro_tensor::{DType, Error, Result};

/// Half of the distance between uniform numbers: what stands for 0 where a logarithm follows.
fn least(dtype: DType) -> f64 {
    if dtype == DType::F32 { 2f64.powi(-25) } else { 2f64.powi(-54) }
}

/// Uniform in (0, 1).
fn positive(cx: &mut Eager, key: Key, shape: &[usize], dtype: DType) -> Result<Var> {
    let uniform = Var::constant(random::uniform(key, shape, dtype, 0.0, 1.0)?);
    let least = cx.number(dtype, least(dtype))?;
    cx.binary(BinaryOp::Maximum, &uniform, &least)
}

/// −log(1 − u).
fn exponential_of(cx: &mut Eager, u: &Var) -> Result<Var> {
    let minus = cx.neg(u)?;
    let log = cx.unary(UnaryOp::Log1p, &minus)?;
    cx.neg(&log)
}

fn gumbel_of(cx: &mut Eager, key: Key, shape: &[usize], dtype: DType) -> Result<Var> {
    let u = positive(cx, key, shape, dtype)?;
    let waiting = exponential_of(cx, &u)?;
    let log = cx.unary(UnaryOp::Log, &waiting)?;
    cx.neg(&log)
}

/// The dtype of real numbers that was asked for, float64 by default.
pub fn real(op: &'static str, dtype: Option<DTypeArg>) -> Result<DType> {
    match dtype.map_or(DType::F64, |d| d.0) {
        dtype @ (DType::F32 | DType::F64) => Ok(dtype),
        other => Err(Error::unsupported_dtype(op, other, "float32 or float64")),
    }
}

macro_rules! distributions {
    ($($(#[doc = $doc:literal])* $rust:ident $name:literal |$cx:ident, $key:ident, $shape:ident, $dtype:ident| $body:expr;)*) => {
        $(
            $(#[doc = $doc])*
            #[pyfunction]
            #[pyo3(name = $name, signature = (key, shape, dtype=None))]
            pub fn $rust(
                py: Python<'_>,
                key: &Bound<'_, PyKey>,
                shape: ShapeArg,
                dtype: Option<DTypeArg>,
            ) -> PyResult<PyEagerTensor> {
                let $key = key.get().inner();
                enter(py, $name, None, |call| {
                    let $dtype = real($name, dtype)?;
                    let runtime = call.runtime()?;
                    let var = released(py, &runtime, move || {
                        let ($cx, $shape) = (&mut Eager::silent(), &shape.0[..]);
                        $body
                    })?;
                    call.wrap(var)
                })
            }
        )*
    };
}

distributions! {
    /// Numbers with the density e⁻ˣ, x ≥ 0: mean 1, variance 1.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.random.exponential(tf.random.key(0), 3).min().item() >= 0
    /// True
    random_exponential "exponential" |cx, key, shape, dtype| {
        let u = Var::constant(random::uniform(key, shape, dtype, 0.0, 1.0)?);
        exponential_of(cx, &u)
    };

    /// Numbers with the density e^(−|x|)/2: mean 0, variance 2.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.random.laplace(tf.random.key(0), (2, 3)).shape
    /// (2, 3)
    random_laplace "laplace" |cx, key, shape, dtype| {
        let u = positive(cx, key, shape, dtype)?;
        let half = cx.number(dtype, 0.5)?;
        let centered = cx.sub(&u, &half)?;
        let size = cx.unary(UnaryOp::Abs, &centered)?;
        let twice = cx.times(&size, 2.0)?;
        let waiting = exponential_of(cx, &twice)?;
        let sign = cx.unary(UnaryOp::Sign, &centered)?;
        cx.mul(&sign, &waiting)
    };

    /// Numbers with the distribution function exp(−e⁻ˣ): mean 0.5772…, variance π²/6.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.random.gumbel(tf.random.key(0), (2, 3)).shape
    /// (2, 3)
    random_gumbel "gumbel" |cx, key, shape, dtype| gumbel_of(cx, key, shape, dtype);

    /// Numbers with the density 1/(π(1 + x²)), which have no mean.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.random.cauchy(tf.random.key(0), (2, 3)).shape
    /// (2, 3)
    random_cauchy "cauchy" |cx, key, shape, dtype| {
        let u = positive(cx, key, shape, dtype)?;
        let half = cx.number(dtype, 0.5)?;
        let centered = cx.sub(&u, &half)?;
        let angle = cx.times(&centered, std::f64::consts::PI)?;
        cx.unary(UnaryOp::Tan, &angle)
    };
}

/// Normal numbers that lie in [`low`, `high`], by the inverse of the distribution function.
///
/// Raises `InvalidArgumentError` unless low < high.
///
/// >>> import tenferro as tf
/// >>> x = tf.random.truncated_normal(tf.random.key(0), 100, -1.0, 2.0)
/// >>> -1.0 <= x.min().item() and x.max().item() <= 2.0
/// True
#[pyfunction]
#[pyo3(name = "truncated_normal", signature = (key, shape, low, high, dtype=None))]
pub fn random_truncated_normal(
    py: Python<'_>,
    key: &Bound<'_, PyKey>,
    shape: ShapeArg,
    low: f64,
    high: f64,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let op = "truncated_normal";
    let key = key.get().inner();
    enter(py, op, None, |call| {
        let dtype = real(op, dtype)?;
        if low.is_nan() || high.is_nan() || low >= high {
            let message = format!("expected a number above low = {low}, got {high}");
            return Err(Error::argument(op, "high", message).into());
        }
        let runtime = call.runtime()?;
        let var = released(py, &runtime, move || {
            let cx = &mut Eager::silent();
            // In the upper tail the distribution function is 1 to rounding, so that side is mirrored.
            let (mirrored, below, above) = if low > 0.0 { (true, -high, -low) } else { (false, low, high) };
            let ends = [below, above].map(|x| cx.number(DType::F64, x));
            let [from, to] = ends.map(|x| x.and_then(|x| cx.unary(UnaryOp::Ndtr, &x)));
            let (from, to) = (from?, to?);
            let u = Var::constant(random::uniform(key, &shape.0, DType::F64, 0.0, 1.0)?);
            let width = cx.sub(&to, &from)?;
            let part = cx.mul(&u, &width)?;
            let p = cx.add(&from, &part)?;
            let x = cx.unary(UnaryOp::Ndtri, &p)?;
            let (least, most) = (cx.number(DType::F64, below)?, cx.number(DType::F64, above)?);
            let x = numeric::clamp(cx, &x, Some(&least), Some(&most))?;
            let x = if mirrored { cx.neg(&x)? } else { x };
            cx.convert(&x, dtype)
        })?;
        call.wrap(var)
    })
}

/// Truth values that hold with probability `p`, a number or a tensor; of its shape unless `shape` is given, to which it is
/// broadcast. Raises `InvalidArgumentError` unless 0 ≤ p ≤ 1.
///
/// >>> import tenferro as tf
/// >>> tf.random.bernoulli(tf.random.key(0), [0.0, 1.0]).tolist()
/// [False, True]
#[pyfunction]
#[pyo3(name = "bernoulli", signature = (key, p=None, shape=None))]
pub fn random_bernoulli<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    p: Option<Operand<'py>>,
    shape: Option<ShapeArg>,
) -> PyResult<PyEagerTensor> {
    let op = "bernoulli";
    let key = key.get().inner();
    enter(py, op, None, |call| {
        let cx = &mut Eager::silent();
        let p = match p {
            Some(p) => Var::constant(call.one(&p)?.concrete(op)?.clone()),
            None => cx.number(DType::F64, 0.5)?,
        };
        let p = cx.convert(&p, DType::F64)?;
        check_probabilities(cx, op, &p)?;
        let one = cx.number(DType::F64, 1.0)?;
        let above = cx.compare(CompareOp::Gt, &p, &one)?;
        if any(cx, &above)? {
            return Err(Error::argument(op, "p", "expected probabilities of at most 1").into());
        }
        let shape = shape.map_or_else(|| p.value.dims(), |shape| shape.0);
        let p = cx.broadcast_to(&p, &shape)?;
        let u = Var::constant(random::uniform(key, &shape, DType::F64, 0.0, 1.0)?);
        let var = cx.compare(CompareOp::Lt, &u, &p)?;
        call.wrap(var)
    })
}

fn any(cx: &mut Eager, truth: &Var) -> Result<bool> {
    let axes: Vec<usize> = (0..truth.value.rank()).collect();
    let any = numeric::reduce(cx, tenferro_cpu::ReduceOp::Any, truth, &axes, false)?;
    Ok(any.value.item::<bool>() == Some(true))
}

/// Probabilities, or weights: not negative, not NaN, of a finite sum.
fn check_probabilities(cx: &mut Eager, op: &'static str, p: &Var) -> Result<()> {
    let (zero, most) = (cx.number(DType::F64, 0.0)?, cx.number(DType::F64, f64::INFINITY)?);
    let low = cx.compare(CompareOp::Ge, p, &zero)?;
    let high = cx.compare(CompareOp::Lt, p, &most)?;
    let fits = cx.binary(BinaryOp::BitAnd, &low, &high)?;
    let wrong = cx.unary(UnaryOp::Not, &fits)?;
    match any(cx, &wrong)? {
        true => Err(Error::argument(op, "p", "expected finite numbers of at least 0")),
        false => Ok(()),
    }
}

/// Indices drawn with probabilities proportional to exp(`logits`) along `axis`, which the result lacks, as int64.
///
/// By the Gumbel maximum. Raises `AxisOutOfBoundsError`, `UnsupportedDTypeError` for complex logits.
///
/// >>> import tenferro as tf
/// >>> tf.random.categorical(tf.random.key(0), [[0.0, float("-inf")], [float("-inf"), 0.0]]).tolist()
/// [0, 1]
#[pyfunction]
#[pyo3(name = "categorical", signature = (key, logits, axis=-1))]
pub fn random_categorical<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    logits: Operand<'py>,
    axis: i64,
) -> PyResult<PyEagerTensor> {
    let op = "categorical";
    let key = key.get().inner();
    enter(py, op, None, |call| {
        let cx = &mut Eager::silent();
        let logits = Var::constant(call.one(&logits)?.concrete(op)?.clone());
        let logits = numeric::inexact(cx, &logits)?;
        let dtype = logits.value.dtype();
        if dtype.is_complex() {
            return Err(Error::unsupported_dtype(op, dtype, "float32 or float64").into());
        }
        let axis = crate::args::normalize(op, axis, logits.value.rank())?;
        let noise = gumbel_of(cx, key, logits.value.shape(), dtype)?;
        let noisy = cx.add(&logits, &noise)?;
        let var = cx.bind(ArgReduce { axis, greatest: true }.into(), &[&noisy])?;
        call.wrap(var)
    })
}

/// Slices of `a` along its first axis, or numbers below the integer `a`, drawn with probabilities proportional to `p` (equal
/// without), with or without replacement.
///
/// Raises `InvalidArgumentError` where there are not enough to draw from.
///
/// >>> import tenferro as tf
/// >>> sorted(tf.random.choice(tf.random.key(0), 4, (4,), replace=False).tolist())
/// [0, 1, 2, 3]
#[pyfunction]
#[pyo3(name = "choice", signature = (key, a, shape, *, replace=true, p=None))]
pub fn random_choice<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyKey>,
    a: Operand<'py>,
    shape: ShapeArg,
    replace: bool,
    p: Option<Operand<'py>>,
) -> PyResult<PyEagerTensor> {
    let op = "choice";
    let key = key.get().inner();
    enter(py, op, None, |call| {
        let cx = &mut Eager::silent();
        let source = call.one(&a)?;
        let extent = match (source.value.shape().first(), source.concrete(op)?.item::<i64>()) {
            (Some(&extent), _) => extent,
            (None, Some(n)) if n >= 0 => n as usize,
            _ => {
                return Err(Error::argument(op, "a", "expected an integer of at least 0, or a tensor with axes").into());
            }
        };
        let count: usize = shape.0.iter().product();
        if count > 0 && (extent == 0 || !replace && count > extent) {
            let message = format!("expected at most {extent} elements without replacement, got {count}");
            return Err(Error::argument(op, "shape", message).into());
        }
        let weights = match p {
            None => None,
            Some(p) => {
                let p = Var::constant(call.one(&p)?.concrete(op)?.clone());
                let p = cx.convert(&p, DType::F64)?;
                if p.value.shape() != [extent] {
                    return Err(Error::shape(op, "argument 'p'", &[extent], p.value.shape()).into());
                }
                check_probabilities(cx, op, &p)?;
                Some(p)
            }
        };
        let places = match (weights, replace) {
            (None, true) => Var::constant(random::randint(key, &[count], 0, extent.max(1) as i64, DType::I64)?),
            (None, false) => {
                let order = Var::constant(random::permutation(key, extent)?);
                cx.slice_axis(&order, 0, 0, count)?
            }
            (Some(p), true) => {
                let total = cx.bind(Scan { op: ScanOp::Sum, axis: 0, reverse: false }.into(), &[&p])?;
                let all = cx.slice_axis(&total, 0, extent - 1, extent)?;
                let zero = cx.number(DType::F64, 0.0)?;
                let empty = cx.compare(CompareOp::Eq, &all, &zero)?;
                if any(cx, &empty)? {
                    return Err(Error::argument(op, "p", "expected a sum above 0").into());
                }
                let u = Var::constant(random::uniform(key, &[count], DType::F64, 0.0, 1.0)?);
                let target = cx.mul(&u, &all)?;
                cx.bind(SearchSorted { right: true }.into(), &[&total, &target])?
            }
            (Some(p), false) => {
                let possible = statistics::count_nonzero(cx, &p, &[0], false)?.value.item::<i64>().unwrap_or(0);
                if (possible as usize) < count {
                    let message = format!("expected at least {count} probabilities above 0, got {possible}");
                    return Err(Error::argument(op, "p", message).into());
                }
                // The k greatest of log p + Gumbel noise are k draws without replacement.
                let log = cx.unary(UnaryOp::Log, &p)?;
                let noise = gumbel_of(cx, key, &[extent], DType::F64)?;
                let noisy = cx.add(&log, &noise)?;
                let order = cx.bind(ArgSort { axis: 0, descending: true }.into(), &[&noisy])?;
                cx.slice_axis(&order, 0, 0, count)?
            }
        };
        if source.value.rank() == 0 {
            let shaped = cx.reshape(&places, &shape.0)?;
            return call.wrap(shaped);
        }
        let list = places.value.as_slice::<i64>()?.iter().map(|&i| i as usize).collect();
        let taken = call.cx.bind(Take { axis: 0, indices: list }.into(), &[&source])?;
        let mut full = shape.0.clone();
        full.extend_from_slice(&source.value.shape()[1..]);
        let shaped = call.cx.reshape(&taken, &full)?;
        let wrapped: Outcome<PyEagerTensor> = call.wrap(shaped);
        wrapped
    })
}
