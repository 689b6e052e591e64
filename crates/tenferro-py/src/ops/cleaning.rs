//! Questions about values, repairs, and products with Python numbers.

use crate::call::python_number;
use tenferro_ad::ops::cleaning;
use tenferro_cpu::{CompareOp, Number};
use tenferro_tensor::{C128, Error};

tensor_op! { [isposinf] {
    /// Whether each element is ∞, as bool; complex input is refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isposinf([1.0, float("inf")]).tolist()
    /// [False, True]
    (x) () ()
} |cx, op| cleaning::is_infinity(cx, op, &x, f64::INFINITY) }

tensor_op! { [isneginf] {
    /// Whether each element is −∞, as bool; complex input is refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isneginf([1.0, float("-inf")]).tolist()
    /// [False, True]
    (x) () ()
} |cx, op| cleaning::is_infinity(cx, op, &x, f64::NEG_INFINITY) }

tensor_op! { [isreal] {
    /// Whether each element's imaginary part is 0, as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isreal([1 + 0j, 1j]).tolist()
    /// [True, False]
    (x) () ()
} |cx| cleaning::imaginary_part(cx, CompareOp::Eq, &x) }

tensor_op! { [iscomplex] {
    /// Whether each element's imaginary part is not 0, as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.iscomplex([1 + 0j, 1j]).tolist()
    /// [False, True]
    (x) () ()
} |cx| cleaning::imaginary_part(cx, CompareOp::Ne, &x) }

tensor_op! { [nan_to_num] {
    /// x with NaN, ∞ and −∞ replaced; infinities without a replacement become the dtype's largest and smallest numbers.
    ///
    /// In complex numbers each part by itself; integers and bool have nothing to replace. Derivative: dx where x is kept, else 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nan_to_num([float("nan"), float("inf"), 1.0], posinf=9.0).tolist()
    /// [0.0, 9.0, 1.0]
    (x) (nan=0.0, posinf=None, neginf=None) (nan: f64, posinf: Option<f64>, neginf: Option<f64>)
} |cx| cleaning::nan_to_num(cx, &x, nan, posinf, neginf) }

tensor_op! { [isclose] {
    /// Whether |x − y| ≤ atol + rtol·|y|, element by element, as bool; infinities are close to themselves only.
    ///
    /// NaN is close to NaN with ``equal_nan=True``. Promoted and broadcast.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isclose([1.0, 1.1], 1.0 + 1e-9).tolist()
    /// [True, False]
    (x, y) (rtol=1e-5, atol=1e-8, equal_nan=false) (rtol: f64, atol: f64, equal_nan: bool)
} |cx| cleaning::isclose(cx, &x, &y, rtol, atol, equal_nan) }

tensor_op! { [allclose] {
    /// Whether all pairs of elements are close (`isclose`), as a bool of rank 0.
    ///
    /// >>> import tenferro as tf
    /// >>> bool(tf.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]))
    /// True
    (x, y) (rtol=1e-5, atol=1e-8, equal_nan=false) (rtol: f64, atol: f64, equal_nan: bool)
} |cx| cleaning::allclose(cx, &x, &y, rtol, atol, equal_nan) }

tensor_op! { [array_equal] {
    /// Whether shapes and all elements are equal, as a bool of rank 0; NaN equals NaN with ``equal_nan=True``.
    ///
    /// >>> import tenferro as tf
    /// >>> bool(tf.array_equal([1.0, 2.0], [1, 2])), bool(tf.array_equal([1.0], [1.0, 1.0]))
    /// (True, False)
    (x, y) (equal_nan=false) (equal_nan: bool)
} |cx| cleaning::array_equal(cx, &x, &y, equal_nan) }

tensor_op! { [frac] {
    /// x − trunc(x), with the sign of x, 0 at ±∞. Real dtypes, kept. Derivative: dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.frac([1.25, -1.25]).tolist()
    /// [0.25, -0.25]
    (x) () ()
} |cx| cleaning::frac(cx, &x) }

tensor_op! { [scale_real] {
    /// x times a real number, in x's dtype: for integers the number is rounded to the nearest integer first.
    ///
    /// Raises `InvalidArgumentError` where it does not fit an integer dtype; bool is refused. Derivative: factor·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.scale_real([3], 2.5).tolist(), tf.scale_real([3.0], 2.5).tolist()
    /// ([9], [7.5])
    (x) (factor) (factor: f64)
} |cx| cleaning::scale_real(cx, &x, factor) }

raw_op! { [scale_complex] {
    /// x times a complex number; `InvalidArgumentError` unless x is complex. Derivative: factor·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.scale_complex(tf.tensor([1 + 1j]), 2j).tolist()
    /// [(-2+2j)]
    (x) (factor: "complex") (factor: crate::call::Operand<'py>)
} |call| {
    let factor = match python_number(&factor.0, call.op)? {
        Some(Number::Complex(z)) => z,
        Some(Number::Float(x)) => C128::new(x, 0.0),
        Some(Number::Int(n)) => C128::new(n as f64, 0.0),
        _ => return Err(Error::argument(call.op, "factor", "expected a complex number").into()),
    };
    let x = call.one(&x)?;
    call.run(x.value.size(), move |cx| cleaning::scale_complex(cx, &x, factor))
} }
