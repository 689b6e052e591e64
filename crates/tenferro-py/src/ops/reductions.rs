//! Reductions. Axes are removed, or kept with extent 1 under `keepdims`.

use crate::args::{AxesArg, named_axes};
use tenferro_ad::ops::numeric;
use tenferro_cpu::ReduceOp;

macro_rules! reductions {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] |$cx:ident, $x:ident, $axes:ident, $keepdims:ident| $body:expr;)*) => {
        $( tensor_op! { [$($name),+] {
            $(#[doc = $doc])*
            (x) (axes=None, keepdims=false, *, axis=None)
            (axes: Option<AxesArg>, keepdims: bool, axis: Option<AxesArg>)
        } |$cx, op| {
            let rank = x.value.rank();
            let named = named_axes(op, axes, axis, rank)?;
            if named.as_ref().is_some_and(|axes| axes.is_empty()) && !matches!(op, "all" | "any") {
                return Ok(x);
            }
            let ($x, $axes) = (&x, &named.unwrap_or_else(|| (0..rank).collect()));
            let $keepdims = keepdims;
            $body
        } } )*
    };
}

reductions! {
    /// Sum over `axes` (an int, several, or all for `None`; ``axes=()`` is the identity). Of nothing it is 0.
    ///
    /// Bool and int32 give int64. Derivative: the same sum of dx. Raises `AxisOutOfBoundsError`, `DuplicateAxisError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sum([[1.0, 2.0], [3.0, 4.0]], axis=0).tolist()
    /// [4.0, 6.0]
    [reduce_sum, sum] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::Sum, x, axes, keepdims);

    /// Product over `axes`. Of nothing it is 1; bool and int32 give int64.
    ///
    /// Derivative: the sum over the factors of dxᵢ times the product of the others, exact where factors are zero.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([2.0, 0.0, 3.0], requires_grad=True)
    /// >>> _ = tf.prod(x).backward()
    /// >>> x.grad.numpy()
    /// array([0., 6., 0.])
    [reduce_prod, prod] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::Prod, x, axes, keepdims);

    /// Maximum over `axes`; NaN propagates. `InvalidArgumentError` over an axis without elements.
    ///
    /// Derivative: the mean of dx over the elements that attain the maximum.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.max([[1.0, 2.0], [3.0, 4.0]], axis=1).tolist()
    /// [2.0, 4.0]
    [reduce_max, max, amax] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::Max, x, axes, keepdims);

    /// Minimum over `axes`; NaN propagates. `InvalidArgumentError` over an axis without elements.
    ///
    /// Derivative: the mean of dx over the elements that attain the minimum.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.min([[1.0, 2.0], [3.0, 4.0]], axis=1).tolist()
    /// [1.0, 3.0]
    [reduce_min, min, amin] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::Min, x, axes, keepdims);

    /// Arithmetic mean over `axes`; of nothing it is NaN. Integers and bool give float64. Derivative: the mean of dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.mean([1.0, 2.0, 6.0]).item()
    /// 3.0
    [reduce_mean, mean] |cx, x, axes, keepdims| numeric::mean(cx, x, axes, keepdims);

    /// Whether all elements along `axes` are true (not 0), as bool; of nothing it is true.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.all([[True, False], [True, True]], axis=1).tolist()
    /// [False, True]
    [all] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::All, x, axes, keepdims);

    /// Whether any element along `axes` is true (not 0), as bool; of nothing it is false.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.any([[True, False], [False, False]], axis=1).tolist()
    /// [True, False]
    [any] |cx, x, axes, keepdims| numeric::reduce(cx, ReduceOp::Any, x, axes, keepdims);
}
