//! Composites as users call them: promotion, keepdims, vectors and batches in `matmul`, means, stacking. Generic over the
//! interpreter, without rules of their own.

use crate::compose::{Build, ones};
use crate::cpu::{BinaryOp, CompareOp, DotDims, Number, ReduceOp, UnaryOp, full};
use crate::ops::{Clamp, Concatenate, Reverse};
use crate::{Interp, Meta};
use tenferro_tensor::{DType, Dims, Error, Result, broadcast_shapes, show_shape};

/// The dtype two or more values have in common.
pub fn common_dtype<I: Interp>(cx: &I, values: &[&I::V]) -> DType {
    values.iter().map(|v| cx.meta(v).dtype).reduce(DType::promote).unwrap_or(DType::F64)
}

/// Both values in their common dtype.
pub fn promoted<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<(I::V, I::V)> {
    let dtype = cx.meta(a).dtype.promote(cx.meta(b).dtype);
    Ok((cx.convert(a, dtype)?, cx.convert(b, dtype)?))
}

/// An elementwise function of two operands, promoted and broadcast.
pub fn binary<I: Interp>(cx: &mut I, op: BinaryOp, a: &I::V, b: &I::V) -> Result<I::V> {
    if cx.meta(a).dtype == cx.meta(b).dtype {
        return cx.binary(op, a, b);
    }
    let (a, b) = promoted(cx, a, b)?;
    cx.binary(op, &a, &b)
}

/// A connective of truth values: anything that is not 0 is true.
pub fn logical<I: Interp>(cx: &mut I, op: BinaryOp, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = (cx.convert(a, DType::Bool)?, cx.convert(b, DType::Bool)?);
    cx.binary(op, &a, &b)
}

/// The quotient of `/`: integers and truth values become float64 first.
pub fn true_divide<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<I::V> {
    crate::functions::analytic_pair(cx, BinaryOp::Div, a, b)
}

/// A comparison of two operands, promoted and broadcast.
pub fn compare<I: Interp>(cx: &mut I, op: CompareOp, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    cx.compare(op, &a, &b)
}

/// A function of floating-point numbers; integers and truth values become float64 first.
pub fn analytic<I: Interp>(cx: &mut I, op: UnaryOp, x: &I::V) -> Result<I::V> {
    let x = inexact(cx, x)?;
    cx.unary(op, &x)
}

/// Integers and bool as float64; the rest unchanged.
pub fn inexact<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    if cx.meta(x).dtype.is_inexact() { Ok(x.clone()) } else { cx.convert(x, DType::F64) }
}

/// `a` where `cond`, else `b`, with the branches promoted.
pub fn select<I: Interp>(cx: &mut I, cond: &I::V, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    cx.select(cond, &a, &b)
}

/// min(max(x, lower), upper), promoted; a bound that is missing does not bind.
pub fn clamp<I: Interp>(cx: &mut I, x: &I::V, lower: Option<&I::V>, upper: Option<&I::V>) -> Result<I::V> {
    let mut all: smallvec::SmallVec<[&I::V; 3]> = smallvec::smallvec![x];
    all.extend(lower);
    all.extend(upper);
    let dtype = common_dtype(cx, &all);
    let x = cx.convert(x, dtype)?;
    let lower = lower.map(|v| cx.convert(v, dtype)).transpose()?;
    let upper = upper.map(|v| cx.convert(v, dtype)).transpose()?;
    let (lower, upper) = match (lower, upper) {
        (None, None) => return Ok(x),
        (Some(lower), Some(upper)) => (lower, upper),
        (Some(lower), None) => (lower, end(cx, dtype, true)?),
        (None, Some(upper)) => (end(cx, dtype, false)?, upper),
    };
    cx.bind(Clamp.into(), &[&x, &lower, &upper])
}

/// The largest or smallest number of a dtype, which binds nothing.
fn end<I: Interp>(cx: &mut I, dtype: DType, largest: bool) -> Result<I::V> {
    let sign = if largest { 1.0 } else { -1.0 };
    let value = match dtype {
        DType::I32 => Number::Int(if largest { i32::MAX.into() } else { i32::MIN.into() }),
        DType::I64 => Number::Int(if largest { i64::MAX } else { i64::MIN }),
        _ => Number::Float(f64::INFINITY * sign),
    };
    let value = if dtype == DType::Bool { Number::Bool(largest) } else { value };
    Ok(cx.constant(full(&[], dtype, value)?))
}

/// A reduction as users call it: `axes` checked, removed axes kept with extent 1 on request.
pub fn reduce<I: Interp>(cx: &mut I, op: ReduceOp, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let x = match (op, cx.meta(x).dtype) {
        (ReduceOp::Sum | ReduceOp::Prod, DType::Bool | DType::I32) => cx.convert(x, DType::I64)?,
        (ReduceOp::All | ReduceOp::Any, _) => cx.convert(x, DType::Bool)?,
        _ => x.clone(),
    };
    let out = cx.reduce(op, &x, axes)?;
    if keepdims { keep(cx, &out, &x, axes) } else { Ok(out) }
}

/// `out`, from which `axes` of `x` were removed, with extents of 1 in their place.
pub fn keep<I: Interp>(cx: &mut I, out: &I::V, x: &I::V, axes: &[usize]) -> Result<I::V> {
    let mut shape = Dims::from_slice(cx.meta(x).shape);
    for &axis in axes {
        shape[axis] = 1;
    }
    cx.reshape(out, &shape)
}

/// The mean over `axes`; of nothing it is NaN.
pub fn mean<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let count: usize = axes.iter().map(|&a| cx.meta(&x).shape[a]).product();
    let sum = reduce(cx, ReduceOp::Sum, &x, axes, keepdims)?;
    if axes.is_empty() {
        return Ok(sum);
    }
    let count = cx.number(cx.meta(&sum).dtype, count as f64)?;
    cx.div(&sum, &count)
}

/// Imaginary part; of real values it is zero.
pub fn imag<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    if cx.meta(x).dtype.is_complex() { cx.unary(UnaryOp::Imag, x) } else { cx.zeros_like(x) }
}

/// Conversion that keeps every value: only to a dtype that the promotion lattice puts above.
pub fn convert_checked<I: Interp>(cx: &mut I, x: &I::V, dtype: DType) -> Result<I::V> {
    let from = cx.meta(x).dtype;
    if from.promote(dtype) != dtype {
        let message = format!("expected a wider dtype than {from}, got {dtype}; `cast` converts lossily");
        return Err(Error::new(tenferro_tensor::Variant::UnsupportedDType, "convert", message)
            .with("from_dtype", from.name())
            .with("to_dtype", dtype.name()));
    }
    cx.convert(x, dtype)
}

/// Matrix product over the first two axes; trailing axes are batches and broadcast, vectors are rows on the left and
/// columns on the right.
pub fn matmul<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let (sa, sb) = (Dims::from_slice(cx.meta(&a).shape), Dims::from_slice(cx.meta(&b).shape));
    for (shape, what) in [(&sa, "first operand"), (&sb, "second operand")] {
        if shape.is_empty() {
            let message =
                format!("{what}: expected at least one axis, got a scalar; use `*` for products with scalars");
            return Err(Error::new(tenferro_tensor::Variant::RankMismatch, "matmul", message)
                .with("expected", 1usize)
                .with("actual", 0usize));
        }
    }
    let rows = if sa.len() == 1 { 0 } else { 1 };
    if sa[rows] != sb[0] {
        let message = format!(
            "shapes {} and {}: expected {} rows in the second operand, got {}",
            show_shape(&sa),
            show_shape(&sb),
            sa[rows],
            sb[0]
        );
        return Err(Error::new(tenferro_tensor::Variant::ShapeMismatch, "matmul", message)
            .with("lhs", &sa[..])
            .with("rhs", &sb[..]));
    }
    let (batch_a, batch_b) = (&sa[sa.len().min(2)..], &sb[sb.len().min(2)..]);
    let batch = broadcast_shapes("matmul", batch_a, batch_b)?;
    if batch.is_empty() || (batch_a.is_empty() && sb.len() > 2 && sa.len() > 1) {
        return plain_matmul(cx, &a, &b, rows);
    }
    let (a, b) = (with_batch(cx, &a, &sa, &batch)?, with_batch(cx, &b, &sb, &batch)?);
    let (ra, rb) = (sa.len().min(2), sb.len().min(2));
    let dims = DotDims {
        lhs_contracting: Dims::from_slice(&[rows]),
        rhs_contracting: Dims::from_slice(&[0]),
        lhs_batch: (ra..ra + batch.len()).collect(),
        rhs_batch: (rb..rb + batch.len()).collect(),
    };
    cx.dot(&a, &b, dims)
}

// One contraction without batch axes. Trailing axes of the right operand are free axes of it, which is where the result
// has its batch.
fn plain_matmul<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, rows: usize) -> Result<I::V> {
    let dims = DotDims {
        lhs_contracting: Dims::from_slice(&[rows]),
        rhs_contracting: Dims::from_slice(&[0]),
        lhs_batch: Dims::new(),
        rhs_batch: Dims::new(),
    };
    cx.dot(a, b, dims)
}

fn with_batch<I: Interp>(cx: &mut I, x: &I::V, shape: &[usize], batch: &[usize]) -> Result<I::V> {
    let matrix = shape.len().min(2);
    let mut target = Dims::from_slice(&shape[..matrix]);
    target.extend_from_slice(batch);
    if target[..] == *shape {
        return Ok(x.clone());
    }
    let lead = batch.len() - (shape.len() - matrix);
    let dims: Dims = (0..matrix).chain(matrix + lead..target.len()).collect();
    cx.broadcast_in_dim(x, &target, &dims)
}

/// The values one behind the other, promoted.
pub fn concatenate<I: Interp>(cx: &mut I, values: &[I::V], axis: usize) -> Result<I::V> {
    let refs: Vec<&I::V> = values.iter().collect();
    let dtype = common_dtype(cx, &refs);
    let values = values.iter().map(|v| cx.convert(v, dtype)).collect::<Result<Vec<_>>>()?;
    let refs: Vec<&I::V> = values.iter().collect();
    cx.bind(Concatenate(axis).into(), &refs)
}

/// The values side by side along a new axis.
pub fn stack<I: Interp>(cx: &mut I, values: &[I::V], axis: usize) -> Result<I::V> {
    let mut rows = Vec::with_capacity(values.len());
    let first = values.first().map(|v| Dims::from_slice(cx.meta(v).shape)).unwrap_or_default();
    for value in values {
        let mut shape = Dims::from_slice(cx.meta(value).shape);
        if shape != first {
            return Err(Error::shapes("stack", &first, &shape));
        }
        shape.insert(axis, 1);
        rows.push(cx.reshape(value, &shape)?);
    }
    concatenate(cx, &rows, axis).map_err(|e| e.in_op("stack"))
}

/// The listed axes backwards.
pub fn reverse<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize]) -> Result<I::V> {
    cx.bind(Reverse(Dims::from_slice(axes)).into(), &[x])
}

/// Row-major reshape: the column-major one between two reversals of the axes.
pub fn reshape_row_major<I: Interp>(cx: &mut I, x: &I::V, shape: &[usize]) -> Result<I::V> {
    let backwards = |n: usize| -> Dims { (0..n).rev().collect() };
    let flipped = cx.transpose(x, &backwards(cx.meta(x).shape.len()))?;
    let reversed: Dims = shape.iter().rev().copied().collect();
    let shaped = cx.reshape(&flipped, &reversed).map_err(|e| match e.variant() {
        tenferro_tensor::Variant::ShapeMismatch => {
            let from = cx.meta(x).shape;
            let message = format!(
                "argument 'shape': expected as many elements as {}, got {}",
                show_shape(from),
                show_shape(shape)
            );
            Error::new(tenferro_tensor::Variant::ShapeMismatch, "reshape", message)
                .with("expected", from)
                .with("actual", shape)
        }
        _ => e,
    })?;
    cx.transpose(&shaped, &backwards(shape.len()))
}

/// Zeros and ones like a value.
pub trait Like: Interp + Sized {
    /// Zeros of the value's dtype and shape.
    fn zeros_like(&mut self, x: &Self::V) -> Result<Self::V> {
        let meta = self.meta(x).owned();
        self.zeros(meta.as_meta())
    }

    /// Ones of the value's dtype and shape.
    fn ones_like(&mut self, x: &Self::V) -> Result<Self::V> {
        let meta = self.meta(x).owned();
        let tensor = ones(Meta { dtype: meta.dtype, shape: &meta.shape })?;
        Ok(self.constant(tensor))
    }
}

impl<I: Interp> Like for I {}
