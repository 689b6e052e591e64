//! Diagonals and triangles. Matrices are the first two axes unless axes are named; trailing axes are batches.

use crate::args::{count, normalize};
use crate::dtype::DTypeInput;
use tenferro_ad::Var;
use tenferro_ad::ops::structure;
use tenferro_tensor::{DType, Error, Result};

/// Two different axes.
fn pair(op: &'static str, first: i64, second: i64, rank: usize) -> Result<(usize, usize)> {
    let (a, b) = (normalize(op, first, rank)?, normalize(op, second, rank)?);
    if a == b {
        return Err(Error::duplicate_axis(op, a, "axes"));
    }
    Ok((a, b))
}

fn matrices(op: &'static str, rank: usize) -> Result<()> {
    if rank < 2 { Err(Error::rank(op, "argument 'x' (at least a matrix)", 2, rank)) } else { Ok(()) }
}

tensor_op! { [diag] {
    /// Of a vector, the matrix with it on the diagonal `k` and zeros elsewhere; of a matrix, its diagonal `k`. Batch axes of
    /// matrices trail.
    ///
    /// Derivative: linear; the two are each other's adjoint. Raises `RankMismatchError` for scalars.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.diag([1, 2]).tolist(), tf.diag([[1, 2], [3, 4]]).tolist(), tf.diag([[1, 2], [3, 4]], k=1).tolist()
    /// ([[1, 0], [0, 2]], [1, 4], [2])
    (x) (k=0) (k: i64)
} |cx, op| match x.value.rank() {
    0 => Err(Error::rank(op, "argument 'x' (a vector or a matrix)", 1, 0)),
    1 => structure::embed_diagonal(cx, &x, 0, 1, k).map_err(|e| e.in_op(op)),
    _ => structure::extract_diagonal(cx, &x, 0, 1, k),
} }

tensor_op! { [diagflat] {
    /// The elements (in column-major order) on the diagonal `k` of a matrix of zeros. Derivative: linear.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.diagflat([[1, 2]]).tolist()
    /// [[1, 0], [0, 2]]
    (x) (k=0) (k: i64)
} |cx, op| {
    use tenferro_ad::ops::compose::Build;
    let flat = cx.reshape(&x, &[x.value.size()])?;
    structure::embed_diagonal(cx, &flat, 0, 1, k).map_err(|e| e.in_op(op))
} }

tensor_op! { [diagonal] {
    /// The elements whose index along `axis2` is `offset` more than along `axis1`, as the last axis; both axes go.
    ///
    /// Derivative: linear; reverse puts the cotangent on the diagonal of zeros. Raises `AxisOutOfBoundsError`,
    /// `DuplicateAxisError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.diagonal([[1, 2], [3, 4]]).tolist(), tf.diagonal([[1, 2], [3, 4]], offset=-1).tolist()
    /// ([1, 4], [3])
    (x) (offset=0, axis1=0, axis2=1) (offset: i64, axis1: i64, axis2: i64)
} |cx, op| {
    use tenferro_ad::ops::compose::Build;
    let rank = x.value.rank();
    matrices(op, rank)?;
    let (first, second) = pair(op, axis1, axis2, rank)?;
    let found = structure::extract_diagonal(cx, &x, first, second, offset)?;
    let place = first - usize::from(second < first);
    let mut perm: tenferro_tensor::Dims = (0..rank - 1).filter(|&a| a != place).collect();
    perm.push(place);
    cx.transpose(&found, &perm)
} }

tensor_op! { [extract_diag] {
    /// The elements with equal indices along the axes `a` and `b`, in place of axis `a`; axis `b` goes. Its length is the
    /// smaller of the two extents.
    ///
    /// Derivative: linear; the adjoint is `embed_diag` where the extents are equal.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.extract_diag(tf.ones((2, 3, 2)), 0, 2).shape
    /// (2, 3)
    (x) (a, b) (a: i64, b: i64)
} |cx, op| {
    let (a, b) = pair(op, a, b, x.value.rank())?;
    structure::extract_diagonal(cx, &x, a, b, 0)
} }

tensor_op! { [embed_diag] {
    /// Axis `a` of `x` doubled: its twin is axis `b` of the result, which has `x` where the indices along both are equal, and
    /// zeros elsewhere. `extract_diag` takes it back. Raises `AxisOutOfBoundsError`, `DuplicateAxisError`.
    ///
    /// Derivative: linear; the adjoint is `extract_diag`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.embed_diag([1, 2], 0, 1).tolist()
    /// [[1, 0], [0, 2]]
    (x) (a, b) (a: i64, b: i64)
} |cx, op| {
    let rank = x.value.rank();
    if rank == 0 {
        return Err(Error::rank(op, "argument 'x' (at least a vector)", 1, 0));
    }
    let (a, b) = (normalize(op, a, rank)?, normalize(op, b, rank + 1)?);
    if a == b {
        return Err(Error::duplicate_axis(op, a, "axes"));
    }
    structure::embed_diagonal(cx, &x, a, b, 0)
} }

tensor_op! { [trace] {
    /// Sum of the elements whose index along `axis2` is `offset` more than along `axis1`. Bool and int32 give int64.
    ///
    /// Derivative: linear; reverse puts the cotangent on the diagonal. Raises `RankMismatchError` below two axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.trace([[1.0, 2.0], [3.0, 4.0]]).item()
    /// 5.0
    (x) (offset=0, axis1=0, axis2=1) (offset: i64, axis1: i64, axis2: i64)
} |cx, op| {
    matrices(op, x.value.rank())?;
    let (first, second) = pair(op, axis1, axis2, x.value.rank())?;
    structure::trace(cx, &x, first, second, offset)
} }

tensor_op! { [tril] {
    /// The lower triangle of the matrices in the first two axes: true zeros above the diagonal `k`, whatever stood there.
    ///
    /// Derivative: linear, its own adjoint. Raises `RankMismatchError` below two axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tril([[1, 2], [3, 4]]).tolist()
    /// [[1, 0], [3, 4]]
    (x) (k=0) (k: i64)
} |cx, op| structure::triangle(cx, op, &x, k, true) }

tensor_op! { [triu] {
    /// The upper triangle of the matrices in the first two axes: true zeros below the diagonal `k`, whatever stood there.
    ///
    /// Derivative: linear, its own adjoint. Raises `RankMismatchError` below two axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.triu([[1, 2], [3, 4]], k=1).tolist()
    /// [[0, 2], [0, 0]]
    (x) (k=0) (k: i64)
} |cx, op| structure::triangle(cx, op, &x, k, false) }

list_op! { [tri] {
    /// A matrix of `n` rows and `m` columns (`n`, if missing) with ones on and below the diagonal `k`, zeros above.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tri(2).tolist()
    /// [[1.0, 0.0], [1.0, 1.0]]
    () (n, m=None, k=0, dtype=None) (n: i64, m: Option<i64>, k: i64, dtype: Option<DTypeInput<'py>>)
} |call| {
    let rows = count(call.op, "n", n)?;
    let cols = m.map_or(Ok(rows), |m| count(call.op, "m", m))?;
    let dtype = match dtype {
        Some(dtype) => dtype.read(call.op)?,
        None => DType::F64,
    };
    call.wrap(Var::constant(structure::tri(rows, cols, k, dtype)?))
} }
