//! Dtypes, real and imaginary parts.

use crate::dtype::DTypeInput;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;

list_op! { [real] {
    /// Real part; real input is returned unchanged. Derivative: Re(dx).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.real(tf.tensor([1 + 2j])).tolist()
    /// [1.0]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    call.run(x.value.size(), move |cx| cx.real(&x))
} }

list_op! { [imag] {
    /// Imaginary part; of real input it is zero. Derivative: Im(dx).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.imag(tf.tensor([1 + 2j])).tolist()
    /// [2.0]
    (x) () ()
} |call| {
    let x = call.one(&x)?;
    call.run(x.value.size(), move |cx| numeric::imag(cx, &x))
} }

tensor_op! { [to_complex] {
    /// The complex dtype of the same precision, with zero imaginary part; complex input is returned unchanged.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.to_complex([1.0]).dtype
    /// tenferro.complex128
    (x) () ()
} |cx| { let dtype = x.value.dtype().complex(); cx.convert(&x, dtype) } }

raw_op! { [cast, astype] {
    /// The elements as another dtype, lossily: floats to integers truncate towards zero, complex to real keeps the real part,
    /// anything to bool asks whether it is not 0.
    ///
    /// Raises `InvalidArgumentError` where a float is not finite or does not fit the integer dtype. Differentiable between
    /// floating-point dtypes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.cast([1.9, -1.9], tf.int64).tolist()
    /// [1, -1]
    (x) (dtype) (dtype: DTypeInput<'py>)
} |call| {
    let (x, dtype) = (call.one(&x)?, dtype.read(call.op)?);
    call.run(x.value.size(), move |cx| cx.convert(&x, dtype))
} }

raw_op! { [convert] {
    /// The elements as a wider dtype, without loss; `UnsupportedDTypeError` if the promotion lattice does not put it above.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.convert(tf.tensor([1.0], dtype=tf.float32), tf.complex128).dtype
    /// tenferro.complex128
    (x) (dtype) (dtype: DTypeInput<'py>)
} |call| {
    let (x, dtype) = (call.one(&x)?, dtype.read(call.op)?);
    call.run(x.value.size(), move |cx| numeric::convert_checked(cx, &x, dtype))
} }
