//! Contractions of two tensors. The axes are fused to a batch of matrix products (`plan`, `product`); tiny ones and integers go
//! through loops without packing (`direct`), products with a vector through `vector`, all others through the `gemm`
//! crate (`blocks`). Which way is taken depends on the extents alone, so the layout does not change a bit of the result.

mod blocks;
mod direct;
mod matrix;
mod plan;
mod product;
mod ring;
mod vector;

use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Tensor, Variant, show_shape};

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

/// A small product of each kind: what the `gemm` crate sets up at its first use is there afterwards.
pub(crate) fn set_up() {
    let dims = DotDims {
        lhs_contracting: Dims::from_slice(&[1]),
        rhs_contracting: Dims::from_slice(&[0]),
        ..DotDims::default()
    };
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let product = crate::full(&[16, 16], dtype, crate::Number::Int(1)).and_then(|x| dot_general(&x, &x, &dims));
        // Without memory there is no product, and nothing to do about it here.
        drop(product);
    }
}

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

/// The axes without a role, in order.
fn free(rank: usize, contracting: &[usize], batch: &[usize]) -> Dims {
    (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
}

/// The free axes of both operands, and the shape of the result.
struct Checked {
    lhs_free: Dims,
    rhs_free: Dims,
    shape: Dims,
}

fn check(a: &[usize], b: &[usize], dims: &DotDims) -> Result<Checked> {
    let DotDims { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch } = dims;
    check_side(a.len(), ("lhs_contracting", lhs_contracting), ("lhs_batch", lhs_batch))?;
    check_side(b.len(), ("rhs_contracting", rhs_contracting), ("rhs_batch", rhs_batch))?;
    for (role, lhs, rhs) in [("rhs_contracting", lhs_contracting, rhs_contracting), ("rhs_batch", lhs_batch, rhs_batch)]
    {
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
                    show_shape(a),
                    show_shape(b)
                );
                return Err(Error::new(Variant::ShapeMismatch, OP, message).with("lhs", a).with("rhs", b));
            }
        }
    }
    let lhs_free = free(a.len(), lhs_contracting, lhs_batch);
    let rhs_free = free(b.len(), rhs_contracting, rhs_batch);
    let mut shape = Dims::new();
    shape.extend(lhs_free.iter().map(|&axis| a[axis]));
    shape.extend(rhs_free.iter().map(|&axis| b[axis]));
    shape.extend(lhs_batch.iter().map(|&axis| a[axis]));
    Ok(Checked { lhs_free, rhs_free, shape })
}

/// The shape of [`dot_general`]'s result; every mistake in the axes is found here.
pub fn dot_shape(a: &[usize], b: &[usize], dims: &DotDims) -> Result<Dims> {
    check(a, b, dims).map(|checked| checked.shape)
}

/// Sum over the contracted axes of the products; axes of the result: free ones of `a`, free ones of `b`, batch axes.
pub fn dot_general(a: &Tensor, b: &Tensor, dims: &DotDims) -> Result<Tensor> {
    match a.dtype() {
        DType::F32 => contract::<f32>(a, b, dims),
        DType::F64 => contract::<f64>(a, b, dims),
        DType::C64 => contract::<C64>(a, b, dims),
        DType::C128 => contract::<C128>(a, b, dims),
        DType::I32 => contract::<i32>(a, b, dims),
        DType::I64 => contract::<i64>(a, b, dims),
        DType::Bool => Err(Error::unsupported_dtype(OP, DType::Bool, "a number; cast it to int64 first")),
    }
}

fn contract<T: ring::Ring>(a: &Tensor, b: &Tensor, dims: &DotDims) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Error::dtype(OP, "argument 'b'", a.dtype(), b.dtype()));
    }
    match plan::contract_matrices::<T>(a, b, dims) {
        Some(result) => result,
        None => plan::contract::<T>(a, b, dims, &check(a.shape(), b.shape(), dims)?),
    }
}

#[cfg(test)]
mod tests;
