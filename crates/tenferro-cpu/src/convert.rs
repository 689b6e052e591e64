use crate::elementwise::{find, map1, map2};
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor};

/// Lossy conversion of one element; integers from floats are checked before.
trait CastTo<T> {
    fn cast_to(self) -> T;
}

macro_rules! cast_to {
    ($($from:ty => [$($to:ty),*] |$x:ident| $real:expr, $truth:expr;)*) => {$(
        $(impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                let $x = self;
                $real as $to
            }
        })*
        impl CastTo<C64> for $from {
            #[inline(always)]
            fn cast_to(self) -> C64 {
                let $x = self;
                C64::new($real as f32, 0.0)
            }
        }
        impl CastTo<C128> for $from {
            #[inline(always)]
            fn cast_to(self) -> C128 {
                let $x = self;
                C128::new($real as f64, 0.0)
            }
        }
        impl CastTo<bool> for $from {
            #[inline(always)]
            fn cast_to(self) -> bool {
                let $x = self;
                $truth
            }
        }
    )*};
}
cast_to! {
    f32 => [f32, f64, i32, i64] |x| x, x != 0.0;
    f64 => [f32, f64, i32, i64] |x| x, x != 0.0;
    i32 => [f32, f64, i32, i64] |x| x, x != 0;
    i64 => [f32, f64, i32, i64] |x| x, x != 0;
    bool => [f32, f64, i32, i64] |x| u8::from(x), x;
}

macro_rules! cast_complex {
    ($($from:ty => [$($to:ty),*];)*) => {$(
        $(impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                self.re as $to
            }
        })*
        impl CastTo<C64> for $from {
            #[inline(always)]
            fn cast_to(self) -> C64 {
                C64::new(self.re as f32, self.im as f32)
            }
        }
        impl CastTo<C128> for $from {
            #[inline(always)]
            fn cast_to(self) -> C128 {
                C128::new(self.re as f64, self.im as f64)
            }
        }
        impl CastTo<bool> for $from {
            #[inline(always)]
            fn cast_to(self) -> bool {
                self.re != 0.0 || self.im != 0.0
            }
        }
    )*};
}
cast_complex! {
    C64 => [f32, f64, i32, i64];
    C128 => [f32, f64, i32, i64];
}

/// `x` in `dtype`, with whatever loss that brings: floats truncate toward zero, complex numbers lose their imaginary
/// part, int64 wraps to int32, truth is "not zero". Floats that are not finite or do not fit an integer are errors.
pub fn cast(x: &Tensor, dtype: DType) -> Result<Tensor> {
    match x.dtype() {
        from if from == dtype => Ok(x.clone()),
        DType::F32 => {
            check_fits::<f32>(x, dtype, f64::from)?;
            convert_from::<f32>(x, dtype)
        }
        DType::F64 => {
            check_fits::<f64>(x, dtype, |v| v)?;
            convert_from::<f64>(x, dtype)
        }
        DType::C64 => {
            check_fits::<C64>(x, dtype, |z| z.re.into())?;
            convert_from::<C64>(x, dtype)
        }
        DType::C128 => {
            check_fits::<C128>(x, dtype, |z| z.re)?;
            convert_from::<C128>(x, dtype)
        }
        DType::I32 => convert_from::<i32>(x, dtype),
        DType::I64 => convert_from::<i64>(x, dtype),
        DType::Bool => convert_from::<bool>(x, dtype),
    }
}

/// Whether `value`, truncated toward zero, is an integer of `dtype`.
pub(crate) fn fits(value: f64, dtype: DType) -> bool {
    match dtype {
        DType::I32 => value > -2147483649.0 && value < 2147483648.0,
        DType::I64 => (-9223372036854775808.0..9223372036854775808.0).contains(&value),
        _ => true,
    }
}

fn check_fits<A: Scalar>(x: &Tensor, dtype: DType, real: fn(A) -> f64) -> Result<()> {
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Ok(());
    }
    match find::<A>(x, |v| !fits(real(v), dtype))? {
        Some(v) => Err(does_not_fit(real(v), dtype)),
        None => Ok(()),
    }
}

pub(crate) fn does_not_fit(value: f64, dtype: DType) -> Error {
    Error::argument("cast", "value", format!("expected finite numbers in the range of {dtype}, got {value:?}"))
}

fn convert_from<A>(x: &Tensor, dtype: DType) -> Result<Tensor>
where
    A: Scalar + CastTo<f32> + CastTo<f64> + CastTo<C64> + CastTo<C128> + CastTo<i32> + CastTo<i64> + CastTo<bool>,
{
    match dtype {
        DType::F32 => map1::<A, f32>("cast", x, A::cast_to),
        DType::F64 => map1::<A, f64>("cast", x, A::cast_to),
        DType::C64 => map1::<A, C64>("cast", x, A::cast_to),
        DType::C128 => map1::<A, C128>("cast", x, A::cast_to),
        DType::I32 => map1::<A, i32>("cast", x, A::cast_to),
        DType::I64 => map1::<A, i64>("cast", x, A::cast_to),
        DType::Bool => map1::<A, bool>("cast", x, A::cast_to),
    }
}

/// `re + i im`; both float32 or both float64.
pub fn complex_from_parts(re: &Tensor, im: &Tensor) -> Result<Tensor> {
    let op = "complex_from_parts";
    if re.dtype() != im.dtype() {
        return Err(Error::dtype(op, "argument 'im'", re.dtype(), im.dtype()));
    }
    match re.dtype() {
        DType::F32 => map2::<f32, f32, C64>(op, re, im, C64::new),
        DType::F64 => map2::<f64, f64, C128>(op, re, im, C128::new),
        other => Err(Error::unsupported_dtype(op, other, "float32 or float64")),
    }
}

#[cfg(test)]
mod tests;
