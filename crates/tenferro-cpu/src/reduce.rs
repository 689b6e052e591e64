//! Reductions over axes.

use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Scalar, Tensor};

/// What a reduction computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceOp {
    /// The sum; 0 without elements.
    Sum,
    /// The product; 1 without elements.
    Prod,
    /// The greatest element; NaN if there is one.
    Max,
    /// The smallest element; NaN if there is one.
    Min,
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
}

impl ReduceOp {
    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "reduce_sum",
            ReduceOp::Prod => "reduce_prod",
            ReduceOp::Max => "reduce_max",
            ReduceOp::Min => "reduce_min",
            ReduceOp::All => "all",
            ReduceOp::Any => "any",
        }
    }
}

/// The dtype of the result; `None` if there is no such reduction.
pub fn reduce_output(op: ReduceOp, dtype: DType) -> Option<DType> {
    let supported = match op {
        ReduceOp::Sum | ReduceOp::Prod => dtype != DType::Bool,
        ReduceOp::Max | ReduceOp::Min => !dtype.is_complex(),
        ReduceOp::All | ReduceOp::Any => dtype == DType::Bool,
    };
    supported.then_some(dtype)
}

fn fold<T: Scalar>(op: ReduceOp, x: &Tensor, axes: &[usize], empty: Option<T>, f: impl Fn(T, T) -> T) -> Result<Tensor> {
    let kept: Dims = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
    let order: Dims = kept.iter().chain(axes).copied().collect();
    let y = crate::copy::compact(&x.with_layout(x.layout().permuted(&order)))?;
    let shape: Dims = kept.iter().map(|&a| x.shape()[a]).collect();
    let data = y.as_slice::<T>()?;
    let outputs: usize = shape.iter().product();
    let mut out = Vec::with_capacity(outputs);
    for i in 0..outputs {
        let value = data.iter().skip(i).step_by(outputs).copied().reduce(&f).or(empty);
        out.push(value.ok_or_else(|| Error::argument(op.name(), "axes", "no identity for zero elements"))?);
    }
    Tensor::from_slice(op.name(), &shape, &out)
}

/// Reduces over `axes`, which are removed.
pub fn reduce(op: ReduceOp, x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    if axes.is_empty() {
        return crate::copy::compact(x);
    }
    macro_rules! float {
        ($t:ty) => {
            match op {
                ReduceOp::Sum => fold::<$t>(op, x, axes, Some(0.0), |a, b| a + b),
                ReduceOp::Prod => fold::<$t>(op, x, axes, Some(1.0), |a, b| a * b),
                ReduceOp::Max => fold::<$t>(op, x, axes, None, |a, b| if a > b || a.is_nan() { a } else { b }),
                _ => fold::<$t>(op, x, axes, None, |a, b| if a < b || a.is_nan() { a } else { b }),
            }
        };
    }
    macro_rules! complex {
        ($t:ty) => {
            match op {
                ReduceOp::Sum => fold::<$t>(op, x, axes, Some(<$t>::new(0.0, 0.0)), |a, b| a + b),
                _ => fold::<$t>(op, x, axes, Some(<$t>::new(1.0, 0.0)), |a, b| a * b),
            }
        };
    }
    macro_rules! int {
        ($t:ty) => {
            match op {
                ReduceOp::Sum => fold::<$t>(op, x, axes, Some(0), |a, b| a.wrapping_add(b)),
                ReduceOp::Prod => fold::<$t>(op, x, axes, Some(1), |a, b| a.wrapping_mul(b)),
                ReduceOp::Max => fold::<$t>(op, x, axes, None, |a, b| a.max(b)),
                _ => fold::<$t>(op, x, axes, None, |a, b| a.min(b)),
            }
        };
    }
    if reduce_output(op, x.dtype()).is_none() {
        return Err(Error::unsupported_dtype(op.name(), x.dtype(), "another dtype"));
    }
    match x.dtype() {
        DType::F32 => float!(f32),
        DType::F64 => float!(f64),
        DType::C64 => complex!(C64),
        DType::C128 => complex!(C128),
        DType::I32 => int!(i32),
        DType::I64 => int!(i64),
        DType::Bool => match op {
            ReduceOp::All => fold::<bool>(op, x, axes, Some(true), |a, b| a & b),
            ReduceOp::Any => fold::<bool>(op, x, axes, Some(false), |a, b| a | b),
            ReduceOp::Min => fold::<bool>(op, x, axes, None, |a, b| a & b),
            _ => fold::<bool>(op, x, axes, None, |a, b| a | b),
        },
    }
}
