//! Elementwise functions of two real operands, and shifts of bits.

use tenferro_ad::ops::functions;
use tenferro_ad::ops::numeric;
use tenferro_cpu::BinaryOp;

/// Rows of the table of functions of two operands.
macro_rules! pairs {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $function:path, $op:ident;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x, y) () () } |cx| $function(cx, BinaryOp::$op, &x, &y) } )*
    };
}

pairs! {
    /// The angle of the point (y, x), in radians from −π to π; the first operand is the ordinate, as in NumPy.
    ///
    /// Real dtypes, promoted and broadcast; integers and bool become float64. With a the first operand and b the second, the
    /// derivative is (b·da − a·db)/(a² + b²), and 0 at the origin.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atan2([1.0, 0.0], [0.0, -1.0]).tolist()
    /// [1.5707963267948966, 3.141592653589793]
    [atan2, arctan2] functions::analytic_pair, Atan2;
    /// √(x² + y²) without overflow or underflow on the way. Real dtypes, promoted and broadcast; integers and bool become
    /// float64. Derivative: (x·dx + y·dy)/hypot(x, y), 0 at the origin, NaN for an infinite operand.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.hypot([3.0, 1e200], [4.0, 0.0]).tolist()
    /// [5.0, 1e+200]
    [hypot] functions::analytic_pair, Hypot;
    /// |x| with the sign of y, of zeros too. Real dtypes, promoted and broadcast; integers and bool become float64.
    ///
    /// Derivative: dx or −dx, 0 at x = 0; 0 for y.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.copysign([1.0, -2.0], [-0.0, 3.0]).tolist()
    /// [-1.0, 2.0]
    [copysign] functions::analytic_pair, Copysign;
    /// The next floating-point number after x towards y. Real dtypes, promoted and broadcast; integers and bool become float64.
    ///
    /// Derivative: dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.nextafter([1.0], 2.0).tolist()
    /// [1.0000000000000002]
    [nextafter] functions::analytic_pair, Nextafter;
    /// log(eˣ + eʸ) without overflow. Real dtypes, promoted and broadcast; integers and bool become float64.
    ///
    /// Error: 2 ulp of the larger of |x|, |y| and the result. Derivative: σ(x − y)·dx + σ(y − x)·dy, halves where both are the
    /// same infinity.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logaddexp([1000.0, float("-inf")], [0.0, 1.0]).tolist()
    /// [1000.0, 1.0]
    [logaddexp] functions::analytic_pair, LogAddExp;
    /// log₂(2ˣ + 2ʸ) without overflow. Real dtypes, promoted and broadcast; integers and bool become float64.
    ///
    /// Error and derivative: those of `logaddexp` in units of log 2.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logaddexp2([3.0], [3.0]).tolist()
    /// [4.0]
    [logaddexp2] functions::analytic_pair, LogAddExp2;
    /// The greater of x and y, of which NaN is none; NaN where both are. Real dtypes and bool, promoted and broadcast.
    ///
    /// Derivative: the winner's, half of each at a tie.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fmax([1.0, float("nan")], [3.0, 2.0]).tolist()
    /// [3.0, 2.0]
    [fmax] functions::skipping_nan, Maximum;
    /// The lesser of x and y, of which NaN is none; NaN where both are. Real dtypes and bool, promoted and broadcast.
    ///
    /// Derivative: the winner's, half of each at a tie.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fmin([1.0, float("nan")], [3.0, 2.0]).tolist()
    /// [1.0, 2.0]
    [fmin] functions::skipping_nan, Minimum;
    /// x·2ʸ of integers, bits that leave the dtype lost; 0 where y is the width or more. Other dtypes are refused.
    ///
    /// Raises `InvalidArgumentError` where y is negative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.left_shift([1, 3], [4, 64]).tolist()
    /// [16, 0]
    [left_shift, bitwise_left_shift] numeric::binary, ShiftLeft;
    /// ⌊x/2ʸ⌋ of integers; 0 or −1 where y is the width or more. Other dtypes are refused.
    ///
    /// Raises `InvalidArgumentError` where y is negative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.right_shift([17, -3], [4, 64]).tolist()
    /// [1, -1]
    [right_shift, bitwise_right_shift] numeric::binary, ShiftRight;
}

tensor_op! { [float_power] {
    /// x to the power y in float64, or complex128 for complex operands. Derivative: that of `pow`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.float_power([2], [-1]).tolist()
    /// [0.5]
    (x, y) () ()
} |cx| functions::float_power(cx, &x, &y) }

tensor_op! { [ldexp] {
    /// x·2ʸ in the floating-point dtype of x, real or complex, rounded once for real y. Integer and bool x
    /// become float64.
    ///
    /// Derivative: 2ʸ·dx, and x·2ʸ·log 2·dy for floating-point y.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ldexp([1.5], [4]).tolist()
    /// [24.0]
    (x, y) () ()
} |cx| functions::ldexp(cx, &x, &y) }

tensor_op! { [heaviside] {
    /// 0 where x < 0, 1 where x > 0, y where x = 0, NaN where x is NaN. Real dtypes, promoted and broadcast.
    ///
    /// Derivative: dy where x = 0, else 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.heaviside([-1.0, 0.0, 2.0], 0.5).tolist()
    /// [0.0, 0.5, 1.0]
    (x, y) () ()
} |cx| functions::heaviside(cx, &x, &y) }

tensor_op! { [lerp] {
    /// x + weight·(y − x), real or complex; exactly y for weight 1. Integers and bool become float64.
    ///
    /// Derivative: (1 − weight)·dx + weight·dy + (y − x)·dweight.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.lerp([0.0, 10.0], [1.0, 20.0], 0.25).tolist()
    /// [0.25, 12.5]
    (x, y, weight) () ()
} |cx| functions::lerp(cx, &x, &y, &weight) }
