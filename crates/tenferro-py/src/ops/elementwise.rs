//! Elementwise functions.

use crate::call::Operand;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_cpu::{BinaryOp, UnaryOp};

tensor_op! { [neg, negative] {
    /// −x, element by element. Integers wrap; bool is refused (`UnsupportedDTypeError`). Derivative: −dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.neg([1.0, -2.0]).tolist()
    /// [-1.0, 2.0]
    (x) () ()
} |cx| cx.neg(&x) }

tensor_op! { [abs, absolute] {
    /// |x|: the modulus, real for complex input, without overflow or underflow on the way. Integers keep their dtype.
    ///
    /// Derivative: sign(x)·dx; for complex x, Re(conj(x/|x|)·dx). At 0 it is 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.abs(tf.tensor([3 + 4j])).tolist()
    /// [5.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Abs, &x) }

tensor_op! { [sign] {
    /// x/|x|, and 0 at 0: −1, 0 or 1 for real input, a phase for complex input.
    ///
    /// Derivative: 0 for real x; for complex x that of the phase, and 0 at 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sign([-3.0, 0.0, 2.0]).tolist()
    /// [-1.0, 0.0, 1.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Sign, &x) }

tensor_op! { [conj, conjugate] {
    /// Complex conjugate; real input is returned unchanged. Derivative: conj(dx).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.conj(tf.tensor([1 + 2j])).tolist()
    /// [(1-2j)]
    (x) () ()
} |cx| cx.conj(&x) }

tensor_op! { [exp] {
    /// eˣ, real or complex; integers and bool become float64. Derivative: eˣ·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.exp([0.0]).tolist()
    /// [1.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Exp, &x) }

tensor_op! { [expm1] {
    /// eˣ − 1, accurate near 0; real or complex. Derivative: eˣ·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.expm1([1e-20]).tolist()
    /// [1e-20]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Expm1, &x) }

tensor_op! { [log] {
    /// Natural logarithm; for complex input the principal branch, cut along the negative real axis. Derivative: dx/x.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log([1.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Log, &x) }

tensor_op! { [log1p] {
    /// log(1 + x), accurate near 0; real or complex. Derivative: dx/(1 + x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log1p([1e-20]).tolist()
    /// [1e-20]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Log1p, &x) }

tensor_op! { [sqrt] {
    /// Square root; for complex input the principal one, with Re ≥ 0. Derivative: dx/(2·√x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sqrt([4.0]).tolist()
    /// [2.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Sqrt, &x) }

tensor_op! { [rsqrt] {
    /// 1/√x, real or complex. Derivative: −½·x^(−3/2)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.rsqrt([4.0]).tolist()
    /// [0.5]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Rsqrt, &x) }

tensor_op! { [sin] {
    /// Sine of x in radians, real or complex. Derivative: cos(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sin([0.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Sin, &x) }

tensor_op! { [cos] {
    /// Cosine of x in radians, real or complex. Derivative: −sin(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cos([0.0]).tolist()
    /// [1.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Cos, &x) }

tensor_op! { [tanh] {
    /// Hyperbolic tangent, real or complex. Derivative: (1 − tanh²x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tanh([0.0]).tolist()
    /// [0.0]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Tanh, &x) }

tensor_op! { [square] {
    /// x·x; keeps integer dtypes. Derivative: 2·x·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.square([3.0]).tolist()
    /// [9.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Square, &x) }

tensor_op! { [reciprocal] {
    /// 1/x; integers and bool become float64. Derivative: −dx/x².
    ///
    /// >>> import tenferro as tf
    /// >>> tf.reciprocal([4.0]).tolist()
    /// [0.25]
    (x) () ()
} |cx| numeric::analytic(cx, UnaryOp::Reciprocal, &x) }

tensor_op! { [floor] {
    /// The greatest integer not above x, in x's dtype. Derivative: 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.floor([-1.5]).tolist()
    /// [-2.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Floor, &x) }

tensor_op! { [ceil] {
    /// The least integer not below x, in x's dtype. Derivative: 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ceil([-1.5]).tolist()
    /// [-1.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Ceil, &x) }

tensor_op! { [trunc, fix] {
    /// x without its fraction, in x's dtype. Derivative: 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.trunc([-1.5]).tolist()
    /// [-1.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Trunc, &x) }

tensor_op! { [round, rint] {
    /// The nearest integer, ties to even, in x's dtype. Derivative: 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.round([0.5, 1.5]).tolist()
    /// [0.0, 2.0]
    (x) () ()
} |cx| cx.unary(UnaryOp::Round, &x) }

tensor_op! { [isnan] {
    /// Whether each element is NaN (for complex: has a NaN part), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isnan([1.0, float("nan")]).tolist()
    /// [False, True]
    (x) () ()
} |cx| cx.unary(UnaryOp::Isnan, &x) }

tensor_op! { [isinf] {
    /// Whether each element is infinite (for complex: has an infinite part), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isinf([1.0, float("inf")]).tolist()
    /// [False, True]
    (x) () ()
} |cx| cx.unary(UnaryOp::Isinf, &x) }

tensor_op! { [isfinite] {
    /// Whether each element is finite, as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.isfinite([1.0, float("inf")]).tolist()
    /// [True, False]
    (x) () ()
} |cx| cx.unary(UnaryOp::Isfinite, &x) }

tensor_op! { [logical_not] {
    /// Whether each element is 0 (false), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logical_not([2.0, 0.0]).tolist()
    /// [False, True]
    (x) () ()
} |cx| {
    let truth = cx.convert(&x, tenferro_tensor::DType::Bool)?;
    cx.unary(UnaryOp::Not, &truth)
} }

tensor_op! { [bitwise_invert, bitwise_not] {
    /// Bitwise complement of integers; of bool, logical not. Other dtypes are refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bitwise_invert([0, 5]).tolist()
    /// [-1, -6]
    (x) () ()
} |cx| cx.unary(UnaryOp::Not, &x) }

tensor_op! { [add] {
    /// x + y, promoted and broadcast as in NumPy; integers wrap. Derivative: dx + dy.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.add([1.0, 2.0], 10).tolist()
    /// [11.0, 12.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Add, &x, &y) }

tensor_op! { [sub, subtract] {
    /// x − y, promoted and broadcast; integers wrap. Derivative: dx − dy.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sub([1.0, 2.0], 10).tolist()
    /// [-9.0, -8.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Sub, &x, &y) }

tensor_op! { [mul, multiply] {
    /// x · y, promoted and broadcast; integers wrap. Derivative: y·dx + x·dy (reverse: the conjugates of the factors).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.mul([1.0, 2.0], 10).tolist()
    /// [10.0, 20.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Mul, &x, &y) }

tensor_op! { [div] {
    /// x / y, promoted and broadcast; integers truncate (the operator ``/`` does not), and `DivisionByZeroError` is raised where
    /// an integer divisor is 0. Derivative: dx/y − x·dy/y².
    ///
    /// >>> import tenferro as tf
    /// >>> tf.div([7, -7], 2).tolist(), tf.div([7.0], 2).tolist()
    /// ([3, -3], [3.5])
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Div, &x, &y) }

tensor_op! { [divide, true_divide] {
    /// x / y as the operator ``/``: integers and bool become float64. Derivative: dx/y − x·dy/y².
    ///
    /// >>> import tenferro as tf
    /// >>> tf.divide([7, -7], 2).tolist()
    /// [3.5, -3.5]
    (x, y) () ()
} |cx| numeric::true_divide(cx, &x, &y) }

tensor_op! { [floor_divide] {
    /// ⌊x / y⌋, as Python's ``//``. Real dtypes; `DivisionByZeroError` for integer divisors of 0. Derivative: 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.floor_divide([7, -7], 2).tolist()
    /// [3, -4]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::FloorDivide, &x, &y) }

tensor_op! { [remainder, r#mod] {
    /// x − y·⌊x / y⌋ with the divisor's sign, as Python's ``%``. Derivative: dx − ⌊x / y⌋·dy.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.remainder([7, -7], 4).tolist()
    /// [3, 1]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Remainder, &x, &y) }

tensor_op! { [rem, fmod] {
    /// x − y·trunc(x / y) with the dividend's sign, as C's ``fmod``. Derivative: dx − trunc(x / y)·dy.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.rem([7, -7], 4).tolist()
    /// [3, -3]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Rem, &x, &y) }

tensor_op! { [pow, power] {
    /// x to the power y; for complex input the principal value. Integers stay integers, and a negative integer exponent is a
    /// `NumericalError`.
    ///
    /// Derivative: y·x^(y−1)·dx + log(x)·x^y·dy; 0 where y = 0, respectively where x = 0 and Re y ≥ 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.pow([2.0, 3.0], 2).tolist()
    /// [4.0, 9.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Pow, &x, &y) }

tensor_op! { [maximum] {
    /// The greater of x and y; NaN propagates; complex input is refused. Derivative: the winner's, half of each at a tie.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.maximum([1.0, 5.0], 3.0).tolist()
    /// [3.0, 5.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Maximum, &x, &y) }

tensor_op! { [minimum] {
    /// The lesser of x and y; NaN propagates; complex input is refused. Derivative: the winner's, half of each at a tie.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.minimum([1.0, 5.0], 3.0).tolist()
    /// [1.0, 3.0]
    (x, y) () ()
} |cx| numeric::binary(cx, BinaryOp::Minimum, &x, &y) }

raw_op! { [select, r#where, where_select] {
    /// x where the bool `condition` holds, else y; all three broadcast, x and y are promoted.
    ///
    /// The branch that is not taken gets a true zero for its gradient, whatever its derivative is there.
    /// Raises `DTypeMismatchError` unless the condition is bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.where([True, False], [1.0, 2.0], 0.0).tolist()
    /// [1.0, 0.0]
    (condition, x, y) () ()
} |call| {
    let condition = call.one(&condition)?;
    let [x, y] = call.group([&x, &y])?;
    let elements = condition.value.size() + x.value.size() + y.value.size();
    call.run(elements, move |cx| numeric::select(cx, &condition, &x, &y))
} }

raw_op! { [clamp, clip] {
    /// min(max(x, lower), upper); real dtypes, promoted and broadcast; NaN propagates. A bound that is `None` does not bind.
    ///
    /// Derivative: x's where lower < x < upper strictly, else that of the bound that x lies beyond.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.clip([-1.0, 0.5, 2.0], 0.0, 1.0).tolist()
    /// [0.0, 0.5, 1.0]
    (x) (lower=None, upper=None, *, min=None, max=None)
    (lower: Option<Operand<'py>>, upper: Option<Operand<'py>>, min: Option<Operand<'py>>, max: Option<Operand<'py>>)
} |call| {
    let lower = crate::args::one_of(call.op, "lower", lower, "min", min)?;
    let upper = crate::args::one_of(call.op, "upper", upper, "max", max)?;
    let mut operands = vec![&x];
    operands.extend(&lower);
    operands.extend(&upper);
    let vars = call.list(&operands)?;
    let elements = vars.iter().map(|v| v.value.size()).sum();
    let (has_lower, has_upper) = (lower.is_some(), upper.is_some());
    call.run(elements, move |cx| {
        let low = has_lower.then(|| &vars[1]);
        let high = has_upper.then(|| &vars[vars.len() - 1]);
        numeric::clamp(cx, &vars[0], low, high)
    })
} }
