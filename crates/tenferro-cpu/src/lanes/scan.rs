//! Running sums, products and log-sum-exps.

use super::{BESIDE, Group, Place, Split};
use crate::copy::compact;
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor};

/// What a scan accumulates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScanOp {
    /// The sum so far. Integers wrap.
    Sum,
    /// The product so far. Integers wrap.
    Prod,
    /// log Σ eˣ so far, of real numbers.
    LogSumExp,
}

impl ScanOp {
    /// The name of the op in messages.
    pub const fn name(self) -> &'static str {
        match self {
            ScanOp::Sum => "cumsum",
            ScanOp::Prod => "cumprod",
            ScanOp::LogSumExp => "logcumsumexp",
        }
    }
}

/// The dtype of the result; `None` if there is no such scan.
pub fn scan_output(op: ScanOp, dtype: DType) -> Option<DType> {
    let supported = match op {
        ScanOp::Sum | ScanOp::Prod => dtype != DType::Bool,
        ScanOp::LogSumExp => dtype.is_inexact() && !dtype.is_complex(),
    };
    supported.then_some(dtype)
}

/// Accumulates along `axis`, from its end if `reverse`; element by element in that order, for any number of threads.
pub fn scan(op: ScanOp, x: &Tensor, axis: usize, reverse: bool) -> Result<Tensor> {
    let along = (axis, reverse);
    match (op, x.dtype()) {
        (ScanOp::Sum, DType::F32) => run::<f32>(op, x, along, |a, b| a + b),
        (ScanOp::Sum, DType::F64) => run::<f64>(op, x, along, |a, b| a + b),
        (ScanOp::Sum, DType::C64) => run::<C64>(op, x, along, |a, b| a + b),
        (ScanOp::Sum, DType::C128) => run::<C128>(op, x, along, |a, b| a + b),
        (ScanOp::Sum, DType::I32) => run::<i32>(op, x, along, i32::wrapping_add),
        (ScanOp::Sum, DType::I64) => run::<i64>(op, x, along, i64::wrapping_add),
        (ScanOp::Prod, DType::F32) => run::<f32>(op, x, along, |a, b| a * b),
        (ScanOp::Prod, DType::F64) => run::<f64>(op, x, along, |a, b| a * b),
        (ScanOp::Prod, DType::C64) => run::<C64>(op, x, along, |a, b| a * b),
        (ScanOp::Prod, DType::C128) => run::<C128>(op, x, along, |a, b| a * b),
        (ScanOp::Prod, DType::I32) => run::<i32>(op, x, along, i32::wrapping_mul),
        (ScanOp::Prod, DType::I64) => run::<i64>(op, x, along, i64::wrapping_mul),
        (ScanOp::LogSumExp, DType::F32) => {
            run::<f32>(op, x, along, |a, b| log_add_exp(f64::from(a), f64::from(b)) as f32)
        }
        (ScanOp::LogSumExp, DType::F64) => run::<f64>(op, x, along, log_add_exp),
        (_, dtype) => Err(Error::unsupported_dtype(op.name(), dtype, "a floating-point number, for sums an integer")),
    }
}

/// log(eᵃ + eᵇ) without overflow; NaN if one is.
fn log_add_exp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (low, high) = (a.min(b), a.max(b));
    if high.is_infinite() { high } else { high + (low - high).exp().ln_1p() }
}

fn run<T: Scalar>(
    op: ScanOp,
    x: &Tensor,
    (axis, reverse): (usize, bool),
    f: impl Fn(T, T) -> T + Sync,
) -> Result<Tensor> {
    let split = Split::new(op.name(), x.shape(), axis)?;
    let x = compact(x)?;
    let source = x.as_slice::<T>()?;
    let last = split.extent.saturating_sub(1);
    // SAFETY: each group writes its lanes, and all lanes belong to a group.
    unsafe {
        Tensor::build(op.name(), x.shape(), |out: *mut T, _| {
            let out = Place(out);
            split.for_each_group(op.name(), BESIDE, |Group { first, step, lanes, .. }| {
                for k in 0..split.extent {
                    let (here, before) = match reverse {
                        false => (k, k.wrapping_sub(1)),
                        true => (last - k, (last - k).wrapping_add(1)),
                    };
                    let row = first + here * step;
                    let previous = first.wrapping_add(before.wrapping_mul(step));
                    for (i, &value) in source[row..row + lanes].iter().enumerate() {
                        let total = if k == 0 { value } else { f(*out.at(previous + i), value) };
                        out.at(row + i).write(total);
                    }
                }
            })
        })
    }
}
