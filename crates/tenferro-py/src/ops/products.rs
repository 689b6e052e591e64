//! Products of two tensors beside `matmul` and `dot_general`. All numeric dtypes, promoted; bilinear: reverse multiplies
//! the cotangent with the conjugate of the other operand.

use crate::args::{AxesArg, integer, normalize};
use crate::call::wrong_type;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{numeric, structure};
use tenferro_cpu::BinaryOp;
use tenferro_tensor::{Dims, Error, Result};

tensor_op! { [outer] {
    /// Products of every element of `a` with every element of `b`, not conjugated; both are flattened (column-major).
    ///
    /// Derivative: da·bᵀ + a·dbᵀ.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.outer([1, 2], [3, 4]).tolist()
    /// [[3, 4], [6, 8]]
    (a, b) () ()
} |cx| structure::outer(cx, &a, &b) }

tensor_op! { [kron] {
    /// Kronecker product: element (i·p + k, j·q + l, …) is a[i, j, …]·b[k, l, …], where b has the extents p, q, … . The shorter
    /// shape gets extents of 1 in front.
    ///
    /// Derivative: kron(da, b) + kron(a, db).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.kron([1, 10], [[1, 2]]).tolist()
    /// [[1, 2, 10, 20]]
    (a, b) () ()
} |cx| structure::kron(cx, &a, &b) }

tensor_op! { [inner] {
    /// Sums over the last axes of `a` and `b`, not conjugated: the other axes of `a`, then those of `b` remain. With a scalar it
    /// is the product.
    ///
    /// Derivative: inner(da, b) + inner(a, db). Raises `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.inner([1.0, 2.0], [3.0, 4.0]).item()
    /// 11.0
    (a, b) () ()
} |cx| {
    let last = |rank: usize| Dims::from_slice(&[rank - 1]);
    match (a.value.rank(), b.value.rank()) {
        (0, _) | (_, 0) => numeric::binary(cx, BinaryOp::Mul, &a, &b),
        (p, q) => structure::tensordot(cx, &a, &b, last(p), last(q)),
    }
} }

tensor_op! { [vdot] {
    /// Σ conj(aᵢ)·bᵢ over all elements, both flattened (column-major).
    ///
    /// Derivative: vdot(da, b) + vdot(a, db). Raises `ShapeMismatchError` unless the sizes are equal.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.vdot([1j, 2], [1j, 2]).item()
    /// (5+0j)
    (a, b) () ()
} |cx, op| {
    if a.value.size() != b.value.size() {
        return Err(Error::shapes(op, a.value.shape(), b.value.shape()));
    }
    let (a, b) = (cx.reshape(&a, &[a.value.size()])?, cx.reshape(&b, &[b.value.size()])?);
    structure::vecdot(cx, &a, &b, 0)
} }

tensor_op! { [vecdot] {
    /// Σ conj(aᵢ)·bᵢ along `axis` of each operand (the first one: batch axes trail); the other axes broadcast.
    ///
    /// Derivative: vecdot(da, b) + vecdot(a, db). Raises `ShapeMismatchError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.vecdot([[1, 2], [3, 4]], [[1, 1], [1, 1]]).tolist()
    /// [4, 6]
    (a, b) (axis=0) (axis: i64)
} |cx| structure::vecdot(cx, &a, &b, axis) }

tensor_op! { [cross] {
    /// The cross product of vectors of 3 components along `axis` (or `axisa` of `a`, `axisb` of `b`, `axisc` of the result), not
    /// conjugated; the other axes broadcast.
    ///
    /// Derivative: da × b + a × db. Raises `InvalidArgumentError` unless there are 3 components.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cross([1, 0, 0], [0, 1, 0]).tolist()
    /// [0, 0, 1]
    (a, b) (axisa=-1, axisb=-1, axisc=-1, axis=None) (axisa: i64, axisb: i64, axisc: i64, axis: Option<i64>)
} |cx, op| {
    let (axisa, axisb, axisc) = axis.map_or((axisa, axisb, axisc), |axis| (axis, axis, axis));
    let of_a = normalize(op, axisa, a.value.rank())?;
    let of_b = normalize(op, axisb, b.value.rank())?;
    structure::cross(cx, &a, &b, of_a, of_b, axisc)
} }

/// The contracted axes of `tensordot`: how many, or one list per operand.
pub enum Contracted {
    /// The last ones of `a` with the first ones of `b`.
    Count(i64),
    /// Pairwise.
    Pairs(AxesArg, AxesArg),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Contracted {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "TensordotAxes");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Contracted> {
        if let Ok(count) = integer(&object, "axes") {
            return Ok(Contracted::Count(count));
        }
        let wrong = || wrong_type("tensordot", "argument 'axes'", "an int, or a pair of ints or of sequences", &object);
        match object.extract::<(AxesArg, AxesArg)>() {
            Ok((of_a, of_b)) => Ok(Contracted::Pairs(of_a, of_b)),
            Err(_) => Err(wrong()),
        }
    }
}

impl Contracted {
    fn resolve(&self, op: &'static str, rank_a: usize, rank_b: usize) -> Result<(Dims, Dims)> {
        match self {
            Contracted::Count(count) => match usize::try_from(*count) {
                Ok(n) if n <= rank_a.min(rank_b) => Ok(((rank_a - n..rank_a).collect(), (0..n).collect())),
                _ => {
                    let message = format!("expected 0 to {}, got {count}", rank_a.min(rank_b));
                    Err(Error::argument(op, "axes", message))
                }
            },
            Contracted::Pairs(of_a, of_b) => Ok((of_a.resolve(op, rank_a)?, of_b.resolve(op, rank_b)?)),
        }
    }
}

tensor_op! { [tensordot] {
    /// Sums over pairs of axes: the last `axes` of `a` (2) with the first of `b`, or the axes in a pair of lists. The other
    /// axes of `a`, then those of `b` remain.
    ///
    /// Derivative: tensordot(da, b) + tensordot(a, db). Raises `ShapeMismatchError`, `AxisOutOfBoundsError`,
    /// `InvalidArgumentError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensordot(tf.ones((2, 3, 4)), tf.ones((4, 3)), axes=([1, 2], [1, 0])).tolist()
    /// [12.0, 12.0]
    (a, b) (axes=None) (axes: Option<Contracted>)
} |cx, op| {
    let (of_a, of_b) = axes.unwrap_or(Contracted::Count(2)).resolve(op, a.value.rank(), b.value.rank())?;
    structure::tensordot(cx, &a, &b, of_a, of_b)
} }
