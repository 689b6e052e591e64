//! Reductions over axes: sums, products, extrema, and logical all and any.

mod plan;
mod tree;
mod walk;

use crate::copy::compact;
use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Scalar, Tensor};

/// What a reduction computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceOp {
    /// The sum; 0 without elements. Integers wrap.
    Sum,
    /// The product; 1 without elements. Integers wrap.
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
    /// The name of the op in messages.
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

    const fn takes(self) -> &'static str {
        match self {
            ReduceOp::Sum | ReduceOp::Prod => "a number",
            ReduceOp::Max | ReduceOp::Min => "a real number, an integer or bool",
            ReduceOp::All | ReduceOp::Any => "bool",
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

/// Reduces `x` over `axes`, which the result lacks. Floating-point sums and products follow a fixed tree, so they do not
/// depend on the layout of `x` or on the number of threads.
pub fn reduce(op: ReduceOp, x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= x.rank() {
            return Err(Error::axis(op.name(), i64::try_from(axis).unwrap_or(i64::MAX), x.rank()));
        }
        if axes[..i].contains(&axis) {
            return Err(Error::duplicate_axis(op.name(), axis, "axes"));
        }
    }
    match (op, x.dtype()) {
        (ReduceOp::Sum, DType::F32) => fold::<f32, 16>(op, x, axes, Some(0.0), |a, b| a + b),
        (ReduceOp::Sum, DType::F64) => fold::<f64, 8>(op, x, axes, Some(0.0), |a, b| a + b),
        (ReduceOp::Sum, DType::C64) => fold::<C64, 8>(op, x, axes, Some(C64::ZERO), |a, b| a + b),
        (ReduceOp::Sum, DType::C128) => fold::<C128, 4>(op, x, axes, Some(C128::ZERO), |a, b| a + b),
        (ReduceOp::Sum, DType::I32) => fold::<i32, 16>(op, x, axes, Some(0), i32::wrapping_add),
        (ReduceOp::Sum, DType::I64) => fold::<i64, 8>(op, x, axes, Some(0), i64::wrapping_add),
        (ReduceOp::Prod, DType::F32) => fold::<f32, 16>(op, x, axes, Some(1.0), |a, b| a * b),
        (ReduceOp::Prod, DType::F64) => fold::<f64, 8>(op, x, axes, Some(1.0), |a, b| a * b),
        (ReduceOp::Prod, DType::C64) => fold::<C64, 8>(op, x, axes, Some(C64::ONE), |a, b| a * b),
        (ReduceOp::Prod, DType::C128) => fold::<C128, 4>(op, x, axes, Some(C128::ONE), |a, b| a * b),
        (ReduceOp::Prod, DType::I32) => fold::<i32, 16>(op, x, axes, Some(1), i32::wrapping_mul),
        (ReduceOp::Prod, DType::I64) => fold::<i64, 8>(op, x, axes, Some(1), i64::wrapping_mul),
        (ReduceOp::Max, DType::F32) => {
            fold::<f32, 16>(op, x, axes, None, |a, b| if a > b || a.is_nan() { a } else { b })
        }
        (ReduceOp::Max, DType::F64) => {
            fold::<f64, 8>(op, x, axes, None, |a, b| if a > b || a.is_nan() { a } else { b })
        }
        (ReduceOp::Max, DType::I32) => fold::<i32, 16>(op, x, axes, None, i32::max),
        (ReduceOp::Max, DType::I64) => fold::<i64, 8>(op, x, axes, None, i64::max),
        (ReduceOp::Min, DType::F32) => {
            fold::<f32, 16>(op, x, axes, None, |a, b| if a < b || a.is_nan() { a } else { b })
        }
        (ReduceOp::Min, DType::F64) => {
            fold::<f64, 8>(op, x, axes, None, |a, b| if a < b || a.is_nan() { a } else { b })
        }
        (ReduceOp::Min, DType::I32) => fold::<i32, 16>(op, x, axes, None, i32::min),
        (ReduceOp::Min, DType::I64) => fold::<i64, 8>(op, x, axes, None, i64::min),
        (ReduceOp::Max, DType::Bool) => fold::<bool, 64>(op, x, axes, None, or),
        (ReduceOp::Min, DType::Bool) => fold::<bool, 64>(op, x, axes, None, and),
        (ReduceOp::Any, DType::Bool) => fold::<bool, 64>(op, x, axes, Some(false), or),
        (ReduceOp::All, DType::Bool) => fold::<bool, 64>(op, x, axes, Some(true), and),
        (_, dtype) => Err(Error::unsupported_dtype(op.name(), dtype, op.takes())),
    }
}

fn or(a: bool, b: bool) -> bool {
    a | b
}

fn and(a: bool, b: bool) -> bool {
    a & b
}

fn fold<T: Scalar, const LANES: usize>(
    op: ReduceOp,
    x: &Tensor,
    axes: &[usize],
    empty: Option<T>,
    f: impl Fn(T, T) -> T + Copy + Send + Sync,
) -> Result<Tensor> {
    if axes.is_empty() {
        return compact(x);
    }
    let shape: Dims = (0..x.rank()).filter(|axis| !axes.contains(axis)).map(|axis| x.shape()[axis]).collect();
    if let Some(&axis) = axes.iter().find(|&&axis| x.shape()[axis] == 0) {
        let Some(empty) = empty else {
            let message = format!("expected axes with elements, got axis {axis} of extent 0, which has no extremum");
            return Err(Error::argument(op.name(), "axes", message));
        };
        // SAFETY: every element is written.
        return unsafe {
            Tensor::build(op.name(), &shape, |out: *mut T, count| {
                (0..count).for_each(|i| out.add(i).write(empty));
                Ok(())
            })
        };
    }
    // SAFETY: the tree writes every element of the result.
    unsafe {
        Tensor::build(op.name(), &shape, |out, count| match count {
            0 => Ok(()),
            _ => plan::fold_into::<T, _, LANES>(op.name(), x, axes, f, out),
        })
    }
}

#[cfg(test)]
mod tests;
