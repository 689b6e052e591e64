//! Contractions.

use crate::args::AxesArg;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_cpu::DotDims;

tensor_op! { [matmul] {
    /// Matrix product over the first two axes; trailing axes are batches and broadcast. Vectors: a row on the left, a column on
    /// the right. All numeric dtypes, promoted.
    ///
    /// Derivative: dA·B + A·dB; reverse: C̄·Bᴴ and Aᴴ·C̄, summed over broadcast batches. Raises `ShapeMismatchError` where the
    /// contracted extents differ, `RankMismatchError` for scalars.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.matmul([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).tolist()
    /// [3.0, 7.0]
    (a, b) () ()
} |cx| numeric::matmul(cx, &a, &b) }

tensor_op! { [dot_general] {
    /// Sum over the contracting axes, pairwise; batch axes are kept, pairwise. The result's axes are the free axes of `a`, the
    /// free axes of `b`, then the batch axes (batches trail).
    ///
    /// Derivative: bilinear; reverse contracts the cotangent with the conjugate of the other operand. Raises
    /// `AxisOutOfBoundsError`, `DuplicateAxisError`, `InvalidArgumentError` and `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> a, b = tf.ones((2, 3)), tf.ones((3, 4))
    /// >>> tf.dot_general(a, b, lhs_contracting=1, rhs_contracting=0).shape
    /// (2, 4)
    (a, b) (*, lhs_contracting, rhs_contracting, lhs_batch=None, rhs_batch=None)
    (lhs_contracting: AxesArg, rhs_contracting: AxesArg, lhs_batch: Option<AxesArg>, rhs_batch: Option<AxesArg>)
} |cx, op| {
    let axes = |arg: &AxesArg, rank: usize| arg.resolve(op, rank);
    let (ra, rb) = (a.value.rank(), b.value.rank());
    let dims = DotDims {
        lhs_contracting: axes(&lhs_contracting, ra)?,
        rhs_contracting: axes(&rhs_contracting, rb)?,
        lhs_batch: lhs_batch.as_ref().map_or(Ok(Default::default()), |x| axes(x, ra))?,
        rhs_batch: rhs_batch.as_ref().map_or(Ok(Default::default()), |x| axes(x, rb))?,
    };
    let (a, b) = numeric::promoted(cx, &a, &b)?;
    cx.dot(&a, &b, dims)
} }
