//! Elementwise analytic functions beyond the everyday ones, and what belongs to them.

use tenferro_ad::ops::Interp;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Sinc, numeric};
use tenferro_cpu::UnaryOp;

tensor_op! { [tan] {
    /// Tangent of x in radians, real or complex; integers and bool become float64. Derivative: dx/cos²(x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tan([0.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Tan, &x) }

tensor_op! { [sinpi] {
    /// sin(πx), real or complex, exactly 0 at integers; integers and bool become float64. Derivative: π·cos(πx)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sinpi([0.5, 1e15]).tolist()
    /// [1.0, 0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Sinpi, &x) }

tensor_op! { [cospi] {
    /// cos(πx), real or complex, exactly 0 halfway between integers; integers and bool become float64. Derivative:
    /// −π·sin(πx)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cospi([1.0, 0.5]).tolist()
    /// [-1.0, 0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Cospi, &x) }

tensor_op! { [sinh] {
    /// Hyperbolic sine, real or complex; integers and bool become float64. Derivative: cosh(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sinh([0.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Sinh, &x) }

tensor_op! { [cosh] {
    /// Hyperbolic cosine, real or complex; integers and bool become float64. Derivative: sinh(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cosh([0.0]).tolist()
    /// [1.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Cosh, &x) }

tensor_op! { [asin, arcsin] {
    /// Arcsine, from −π/2 to π/2; NaN for real x outside −1 to 1. Integers and bool become float64.
    ///
    /// For complex x the principal value, cut along the real axis beyond ±1, where the sign of a zero imaginary part tells
    /// the side. Derivative: dx/√(1 − x²); at ±1 infinite.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.asin([0.0, 1.0]).tolist()
    /// [0.0, 1.5707963267948966]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Asin, &x) }

tensor_op! { [acos, arccos] {
    /// Arccosine, from 0 to π; NaN for real x outside −1 to 1. Integers and bool become float64.
    ///
    /// For complex x the principal value, cut as that of `asin`. Derivative: −dx/√(1 − x²); at ±1 infinite.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.acos([1.0, -1.0]).tolist()
    /// [0.0, 3.141592653589793]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Acos, &x) }

tensor_op! { [atan, arctan] {
    /// Arctangent, from −π/2 to π/2; integers and bool become float64.
    ///
    /// For complex x the principal value, cut along the imaginary axis beyond ±i, where the sign of a zero real part tells
    /// the side. Derivative: dx/(1 + x²).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atan([0.0, 1.0]).tolist()
    /// [0.0, 0.7853981633974483]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Atan, &x) }

tensor_op! { [asinh, arcsinh] {
    /// Inverse of the hyperbolic sine; integers and bool become float64.
    ///
    /// For complex x the principal value, cut along the imaginary axis beyond ±i. Derivative: dx/√(1 + x²).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.asinh([0.0, 1e-20]).tolist()
    /// [0.0, 1e-20]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Asinh, &x) }

tensor_op! { [acosh, arccosh] {
    /// Inverse of the hyperbolic cosine, 0 or greater; NaN for real x below 1. Integers and bool become float64.
    ///
    /// For complex x the principal value, with Re ≥ 0, cut along the real axis below 1.
    /// Derivative: dx/(√(x − 1)·√(x + 1)); at 1 infinite.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.acosh([1.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Acosh, &x) }

tensor_op! { [atanh, arctanh] {
    /// Inverse of the hyperbolic tangent; ±inf at ±1, NaN for real x beyond. Integers and bool become float64.
    ///
    /// For complex x the principal value, cut along the real axis beyond ±1. Derivative: dx/(1 − x²).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atanh([0.0, 1.0]).tolist()
    /// [0.0, inf]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Atanh, &x) }

tensor_op! { [exp2] {
    /// 2ˣ, real or complex; integers and bool become float64. Derivative: ln 2·2ˣ·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.exp2([3.0, -1.0]).tolist()
    /// [8.0, 0.5]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Exp2, &x) }

tensor_op! { [log2] {
    /// Logarithm to base 2, exact at powers of 2; for complex x the principal branch, cut along the negative real axis.
    ///
    /// Derivative: dx/(x·ln 2).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log2([8.0]).tolist()
    /// [3.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Log2, &x) }

tensor_op! { [log10] {
    /// Logarithm to base 10; for complex x the principal branch, cut along the negative real axis.
    ///
    /// Derivative: dx/(x·ln 10).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log10([1000.0]).tolist()
    /// [3.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Log10, &x) }

tensor_op! { [cbrt] {
    /// The real cube root, of negative x too; integers and bool become float64. Complex x, which has three, is refused
    /// (`UnsupportedDTypeError`): use `power`.
    ///
    /// Derivative: dx/(3·cbrt(x)²); at 0 infinite.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cbrt([27.0, -8.0]).tolist()
    /// [3.0, -2.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Cbrt, &x) }

tensor_op! { [deg2rad, radians] {
    /// Degrees to radians, x·π/180; integers and bool become float64, complex x is refused (`UnsupportedDTypeError`).
    ///
    /// Derivative: π/180·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.deg2rad([180.0]).tolist()
    /// [3.141592653589793]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Deg2rad, &x) }

tensor_op! { [rad2deg, degrees] {
    /// Radians to degrees, x·180/π; integers and bool become float64, complex x is refused (`UnsupportedDTypeError`).
    ///
    /// Derivative: 180/π·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.rad2deg([3.141592653589793]).tolist()
    /// [180.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Rad2deg, &x) }

tensor_op! { [angle, arg] {
    /// The argument of x in radians, from −π to π, real. Of real x: 0, and π where the sign is negative (that of −0, too);
    /// integers and bool become float64.
    ///
    /// Derivative: Im(dx/x), and 0 at 0; for real x 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.angle(tf.tensor([1j, -1 + 0j])).tolist()
    /// [1.5707963267948966, 3.141592653589793]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Angle, &x) }

tensor_op! { [sinc] {
    /// sin(πx)/(πx), and 1 at 0, real or complex; integers and bool become float64.
    ///
    /// Derivative: (cos(πx) − sinc(x))/x·dx, and 0 at 0: smooth there to every order.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sinc([0.0, 0.5]).tolist()
    /// [1.0, 0.6366197723675814]
    (x) () ()
} |cx| {
    let x = numeric::inexact(cx, &x)?;
    cx.bind(Sinc { order: 0 }.into(), &[&x])
} }

tensor_op! { [signbit] {
    /// Whether the sign bit is set, that of −0 and NaN too, as bool. Complex x and bool are refused (`UnsupportedDTypeError`).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.signbit([1.0, -0.0]).tolist()
    /// [False, True]
    (x) () ()
} |cx| cx.unary(UnaryOp::Signbit, &x) }

tensor_op! { [positive] {
    /// x itself, as the operator ``+x``. Derivative: dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.positive([1.0, -2.0]).tolist()
    /// [1.0, -2.0]
    (x) () ()
} |_cx| Ok(x) }
