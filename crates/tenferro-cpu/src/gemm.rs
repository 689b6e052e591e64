//! Contractions.

use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Scalar, Tensor, Variant};

/// Which axes of two tensors are contracted, and which run along.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DotDims {
    /// Axes of the left operand that are summed over.
    pub lhs_contracting: Dims,
    /// Their partners in the right operand.
    pub rhs_contracting: Dims,
    /// Axes of the left operand that both share with the result.
    pub lhs_batch: Dims,
    /// Their partners in the right operand.
    pub rhs_batch: Dims,
}

const OP: &str = "dot_general";

fn check_side(rank: usize, contracting: (&str, &[usize]), batch: (&str, &[usize])) -> Result<()> {
    for (role, axes) in [contracting, batch] {
        for (i, &axis) in axes.iter().enumerate() {
            if axis >= rank {
                let message = format!("argument '{role}': expected axes below {rank}, got {axis}");
                let axis = i64::try_from(axis).unwrap_or(i64::MAX);
                return Err(Error::new(Variant::AxisOutOfBounds, OP, message).with("axis", axis).with("rank", rank));
            }
            if axes[..i].contains(&axis) {
                return Err(Error::duplicate_axis(OP, axis, role));
            }
        }
    }
    match batch.1.iter().find(|axis| contracting.1.contains(axis)) {
        Some(axis) => {
            let message = format!("axis {axis} is named by {} too", contracting.0);
            Err(Error::argument(OP, batch.0, message))
        }
        None => Ok(()),
    }
}

fn free(rank: usize, contracting: &[usize], batch: &[usize]) -> Dims {
    (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
}

/// The shape of [`dot_general`]'s result; every mistake in the axes is found here.
pub fn dot_shape(a: &[usize], b: &[usize], dims: &DotDims) -> Result<Dims> {
    let DotDims { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch } = dims;
    check_side(a.len(), ("lhs_contracting", lhs_contracting), ("lhs_batch", lhs_batch))?;
    check_side(b.len(), ("rhs_contracting", rhs_contracting), ("rhs_batch", rhs_batch))?;
    for (role, lhs, rhs) in [
        ("rhs_contracting", lhs_contracting, rhs_contracting),
        ("rhs_batch", lhs_batch, rhs_batch),
    ] {
        if lhs.len() != rhs.len() {
            let message = format!("expected {} axes, as many as on the left, got {}", lhs.len(), rhs.len());
            return Err(Error::argument(OP, role, message));
        }
        for (&i, &j) in lhs.iter().zip(rhs) {
            if a[i] != b[j] {
                let message = format!(
                    "axis {i} of the left operand has extent {}, axis {j} of the right one {} (shapes {} and {})",
                    a[i],
                    b[j],
                    tenferro_tensor::show_shape(a),
                    tenferro_tensor::show_shape(b)
                );
                return Err(Error::new(Variant::ShapeMismatch, OP, message).with("lhs", a).with("rhs", b));
            }
        }
    }
    let mut shape = Dims::new();
    shape.extend(free(a.len(), lhs_contracting, lhs_batch).iter().map(|&axis| a[axis]));
    shape.extend(free(b.len(), rhs_contracting, rhs_batch).iter().map(|&axis| b[axis]));
    shape.extend(lhs_batch.iter().map(|&axis| a[axis]));
    Ok(shape)
}

/// Sum over the contracted axes of the products; axes of the result: free ones of `a`, free ones of `b`, batch axes.
pub fn dot_general(a: &Tensor, b: &Tensor, dims: &DotDims) -> Result<Tensor> {
    let shape = dot_shape(a.shape(), b.shape(), dims)?;
    if a.dtype() != b.dtype() {
        return Err(Error::dtype(OP, "argument 'b'", a.dtype(), b.dtype()));
    }
    match a.dtype() {
        DType::F32 => naive::<f32>(a, b, dims, &shape, 0.0, |c, x, y| c + x * y),
        DType::F64 => naive::<f64>(a, b, dims, &shape, 0.0, |c, x, y| c + x * y),
        DType::C64 => naive::<C64>(a, b, dims, &shape, C64::new(0.0, 0.0), |c, x, y| c + x * y),
        DType::C128 => naive::<C128>(a, b, dims, &shape, C128::new(0.0, 0.0), |c, x, y| c + x * y),
        DType::I32 => naive::<i32>(a, b, dims, &shape, 0, |c, x, y| c.wrapping_add(x.wrapping_mul(y))),
        DType::I64 => naive::<i64>(a, b, dims, &shape, 0, |c, x, y| c.wrapping_add(x.wrapping_mul(y))),
        DType::Bool => Err(Error::unsupported_dtype(OP, DType::Bool, "a number; cast it first")),
    }
}

fn naive<T: Scalar>(
    a: &Tensor,
    b: &Tensor,
    dims: &DotDims,
    shape: &[usize],
    zero: T,
    mac: impl Fn(T, T, T) -> T,
) -> Result<Tensor> {
    let arrange = |x: &Tensor, contracting: &[usize], batch: &[usize]| {
        let mut order = free(x.rank(), contracting, batch);
        let rows: usize = order.iter().map(|&i| x.shape()[i]).product();
        order.extend(contracting.iter().chain(batch).copied());
        Ok((crate::copy::compact(&x.with_layout(x.layout().permuted(&order)))?, rows))
    };
    let (a, m) = arrange(a, &dims.lhs_contracting, &dims.lhs_batch)?;
    let (b, n) = arrange(b, &dims.rhs_contracting, &dims.rhs_batch)?;
    let tail = |x: &Tensor, len: usize, skip: usize| -> usize {
        let s = x.shape();
        s[s.len() - len - skip..s.len() - skip].iter().product()
    };
    let k = tail(&a, dims.lhs_contracting.len(), dims.lhs_batch.len());
    let batch = tail(&a, dims.lhs_batch.len(), 0);
    let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
    let mut out = Vec::with_capacity(m * n * batch);
    for p in 0..batch {
        for j in 0..n {
            for i in 0..m {
                out.push((0..k).fold(zero, |c, l| mac(c, x[i + m * (l + k * p)], y[j + n * (l + k * p)])));
            }
        }
    }
    Tensor::from_slice(OP, shape, &out)
}
