//! Composites: functions over ops, generic over the interpreter. They have no rules of their own.

use crate::cpu::{BinaryOp, CompareOp, DotDims, Number, ReduceOp, UnaryOp, full};
use crate::ops::*;
use crate::{Interp, Meta};
use tenferro_tensor::{DType, Dims, Result, Tensor};

/// Every interpreter's everyday vocabulary.
pub trait Build: Interp + Sized {
    /// Elementwise function.
    fn unary(&mut self, op: UnaryOp, x: &Self::V) -> Result<Self::V> {
        self.bind(Unary(op).into(), &[x])
    }

    /// Elementwise function of two operands of one dtype, broadcast.
    fn binary(&mut self, op: BinaryOp, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.bind(Binary(op).into(), &[a, b])
    }

    /// a + b.
    fn add(&mut self, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.binary(BinaryOp::Add, a, b)
    }

    /// a − b.
    fn sub(&mut self, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// a · b.
    fn mul(&mut self, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// t · d, and 0 where t is 0 whatever d is: a branch that was not taken never turns an infinite derivative into NaN.
    fn scale(&mut self, t: &Self::V, d: &Self::V) -> Result<Self::V> {
        self.binary(BinaryOp::Scale, t, d)
    }

    /// a / b.
    fn div(&mut self, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.binary(BinaryOp::Div, a, b)
    }

    /// −x.
    fn neg(&mut self, x: &Self::V) -> Result<Self::V> {
        self.unary(UnaryOp::Neg, x)
    }

    /// Complex conjugate; real values pass through.
    fn conj(&mut self, x: &Self::V) -> Result<Self::V> {
        if self.meta(x).dtype.is_complex() { self.unary(UnaryOp::Conj, x) } else { Ok(x.clone()) }
    }

    /// Real part; real values pass through.
    fn real(&mut self, x: &Self::V) -> Result<Self::V> {
        if self.meta(x).dtype.is_complex() { self.unary(UnaryOp::Real, x) } else { Ok(x.clone()) }
    }

    /// Truth values of a comparison.
    fn compare(&mut self, op: CompareOp, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.bind(Compare(op).into(), &[a, b])
    }

    /// `a` where `cond`, else `b`.
    fn select(&mut self, cond: &Self::V, a: &Self::V, b: &Self::V) -> Result<Self::V> {
        self.bind(Select.into(), &[cond, a, b])
    }

    /// A rank-0 constant of `dtype`.
    fn number(&mut self, dtype: DType, value: f64) -> Result<Self::V> {
        let value = if dtype.is_inexact() { Number::Float(value) } else { Number::Int(value as i64) };
        let tensor = full(&[], dtype, value)?;
        Ok(self.constant(tensor))
    }

    /// Zeros of a dtype and shape.
    fn zeros(&mut self, meta: Meta<'_>) -> Result<Self::V> {
        let tensor = zeros(meta)?;
        Ok(self.constant(tensor))
    }

    /// x · c for a real number c.
    fn times(&mut self, x: &Self::V, c: f64) -> Result<Self::V> {
        let c = self.number(self.meta(x).dtype, c)?;
        self.mul(x, &c)
    }

    /// Lossy conversion; the same dtype passes through.
    fn convert(&mut self, x: &Self::V, dtype: DType) -> Result<Self::V> {
        if self.meta(x).dtype == dtype { Ok(x.clone()) } else { self.bind(Convert(dtype).into(), &[x]) }
    }

    /// Reduction over `axes`, which are removed; no axes: `x` itself.
    fn reduce(&mut self, op: ReduceOp, x: &Self::V, axes: &[usize]) -> Result<Self::V> {
        if axes.is_empty() && !matches!(op, ReduceOp::All | ReduceOp::Any) {
            return Ok(x.clone());
        }
        self.bind(Reduce { op, axes: Dims::from_slice(axes) }.into(), &[x])
    }

    /// Another shape, column-major; the same shape passes through.
    fn reshape(&mut self, x: &Self::V, shape: &[usize]) -> Result<Self::V> {
        if self.meta(x).shape == shape {
            return Ok(x.clone());
        }
        self.bind(Reshape(Dims::from_slice(shape)).into(), &[x])
    }

    /// Axes reordered; the identity passes through.
    fn transpose(&mut self, x: &Self::V, perm: &[usize]) -> Result<Self::V> {
        if perm.iter().enumerate().all(|(i, &p)| i == p) && perm.len() == self.meta(x).shape.len() {
            return Ok(x.clone());
        }
        self.bind(Transpose(Dims::from_slice(perm)).into(), &[x])
    }

    /// Input axis `i` becomes output axis `dims[i]` of `shape`.
    fn broadcast_in_dim(&mut self, x: &Self::V, shape: &[usize], dims: &[usize]) -> Result<Self::V> {
        let op = Broadcast { shape: Dims::from_slice(shape), dims: Dims::from_slice(dims) };
        self.bind(op.into(), &[x])
    }

    /// NumPy broadcast to `shape`; the same shape passes through.
    fn broadcast_to(&mut self, x: &Self::V, shape: &[usize]) -> Result<Self::V> {
        let rank = self.meta(x).shape.len();
        if self.meta(x).shape == shape {
            return Ok(x.clone());
        }
        let dims: Dims = (shape.len().saturating_sub(rank)..shape.len()).collect();
        self.broadcast_in_dim(x, shape, &dims)
    }

    /// The adjoint of broadcasting: sums `ct` down to `shape`.
    fn sum_to(&mut self, ct: &Self::V, shape: &[usize]) -> Result<Self::V> {
        if self.meta(ct).shape == shape {
            return Ok(ct.clone());
        }
        let from = Dims::from_slice(self.meta(ct).shape);
        let lead = from.len() - shape.len();
        let axes: Dims = (0..from.len()).filter(|&a| a < lead || (shape[a - lead] == 1 && from[a] != 1)).collect();
        let summed = self.reduce(ReduceOp::Sum, ct, &axes)?;
        self.reshape(&summed, shape)
    }

    /// Contraction.
    fn dot(&mut self, a: &Self::V, b: &Self::V, dims: DotDims) -> Result<Self::V> {
        self.bind(Dot(Box::new(dims)).into(), &[a, b])
    }

    /// `start`, `limit` and stride per axis.
    fn slice(&mut self, x: &Self::V, starts: &[usize], limits: &[usize], strides: &[usize]) -> Result<Self::V> {
        let op = Slice(Box::new(SliceDims {
            starts: Dims::from_slice(starts),
            limits: Dims::from_slice(limits),
            strides: Dims::from_slice(strides),
        }));
        self.bind(op.into(), &[x])
    }

    /// The part `start..limit` of one axis.
    fn slice_axis(&mut self, x: &Self::V, axis: usize, start: usize, limit: usize) -> Result<Self::V> {
        let mut limits = Dims::from_slice(self.meta(x).shape);
        let mut starts = Dims::from_elem(0, limits.len());
        let strides = Dims::from_elem(1, limits.len());
        starts[axis] = start;
        limits[axis] = limit;
        self.slice(x, &starts, &limits, &strides)
    }
}

impl<I: Interp> Build for I {}

/// Zeros of a dtype and shape.
pub fn zeros(meta: Meta<'_>) -> Result<Tensor> {
    let zero = match meta.dtype {
        DType::Bool => Number::Bool(false),
        _ => Number::Int(0),
    };
    full(meta.shape, meta.dtype, zero)
}

/// Ones of a dtype and shape.
pub fn ones(meta: Meta<'_>) -> Result<Tensor> {
    let one = match meta.dtype {
        DType::Bool => Number::Bool(true),
        _ => Number::Int(1),
    };
    full(meta.shape, meta.dtype, one)
}
