use crate::binary::same_dtype;
use crate::elementwise::map2;
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor};

/// An order relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl CompareOp {
    /// All of them.
    pub const ALL: &'static [CompareOp] =
        &[CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

    /// The short name of the direction.
    pub const fn name(self) -> &'static str {
        match self {
            CompareOp::Eq => "equal",
            CompareOp::Ne => "not_equal",
            CompareOp::Lt => "less",
            CompareOp::Le => "less_equal",
            CompareOp::Gt => "greater",
            CompareOp::Ge => "greater_equal",
        }
    }
}

/// Whether `op` has a meaning for `dtype`: complex numbers have no order.
pub fn compare_supports(op: CompareOp, dtype: DType) -> bool {
    matches!(op, CompareOp::Eq | CompareOp::Ne) || !dtype.is_complex()
}

/// `a op b` for every pair of elements of `a` and `b`, which have one dtype and broadcast.
pub fn compare(op: CompareOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    same_dtype("compare", a, b)?;
    match a.dtype() {
        DType::F32 => ordered::<f32>(op, a, b),
        DType::F64 => ordered::<f64>(op, a, b),
        DType::I32 => ordered::<i32>(op, a, b),
        DType::I64 => ordered::<i64>(op, a, b),
        DType::Bool => ordered::<bool>(op, a, b),
        DType::C64 => equality::<C64>(op, a, b),
        DType::C128 => equality::<C128>(op, a, b),
    }
}

fn equality<T: Scalar>(op: CompareOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    match op {
        CompareOp::Eq => map2::<T, T, bool>("compare", a, b, |x, y| x == y),
        CompareOp::Ne => map2::<T, T, bool>("compare", a, b, |x, y| x != y),
        _ => {
            let advice = "a real dtype, an integer dtype or bool (complex numbers have no order)";
            Err(Error::unsupported_dtype("compare", T::DTYPE, advice))
        }
    }
}

fn ordered<T: Scalar + PartialOrd>(op: CompareOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    match op {
        CompareOp::Eq | CompareOp::Ne => equality::<T>(op, a, b),
        CompareOp::Lt => map2::<T, T, bool>("compare", a, b, |x, y| x < y),
        CompareOp::Le => map2::<T, T, bool>("compare", a, b, |x, y| x <= y),
        CompareOp::Gt => ordered::<T>(CompareOp::Lt, b, a),
        CompareOp::Ge => ordered::<T>(CompareOp::Le, b, a),
    }
}
