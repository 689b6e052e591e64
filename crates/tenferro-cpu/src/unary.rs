use crate::elementwise::{map_lanes, map1};
use crate::math::{self, ComplexMath, RealMath, analytic as complex, inverse, real, sinc, special, vector};
use tenferro_tensor::{C64, C128, DType, Error, Result, Tensor};

/// What each family of functions takes, and what it returns: the dtype of the result, or `None`.
mod domain {
    use super::DType::{self, *};

    /// Floating point to the same dtype.
    pub fn analytic(dtype: DType) -> Option<DType> {
        dtype.is_inexact().then_some(dtype)
    }

    /// As `analytic`.
    pub fn vectorized(dtype: DType) -> Option<DType> {
        analytic(dtype)
    }

    /// As `analytic`.
    pub fn through_double(dtype: DType) -> Option<DType> {
        analytic(dtype)
    }

    /// Real floating point to the same dtype.
    pub fn floating(dtype: DType) -> Option<DType> {
        matches!(dtype, F32 | F64).then_some(dtype)
    }

    /// Floating point to the real dtype.
    pub fn real_analytic(dtype: DType) -> Option<DType> {
        dtype.is_inexact().then_some(dtype.real())
    }

    /// Whatever is ordered to a truth value.
    pub fn ordered_test(dtype: DType) -> Option<DType> {
        (!dtype.is_complex()).then_some(Bool)
    }

    /// Numbers to the same dtype.
    pub fn number(dtype: DType) -> Option<DType> {
        (dtype != Bool).then_some(dtype)
    }

    /// Numbers to the real dtype.
    pub fn real_part(dtype: DType) -> Option<DType> {
        (dtype != Bool).then_some(dtype.real())
    }

    /// Ordered numbers to the same dtype.
    pub fn ordered(dtype: DType) -> Option<DType> {
        matches!(dtype, F32 | F64 | I32 | I64).then_some(dtype)
    }

    /// Truth values and integers to the same dtype.
    pub fn bitwise(dtype: DType) -> Option<DType> {
        matches!(dtype, Bool | I32 | I64).then_some(dtype)
    }

    /// Anything to a truth value.
    pub fn test(_: DType) -> Option<DType> {
        Some(Bool)
    }
}

/// Complex functions are written for `C128`; the narrow type goes through it, which rounds once.
macro_rules! analytic {
    ($name:literal, $x:ident, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::F32 => map1::<f32, f32>($name, $x, $real),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            DType::C64 => map1::<C64, C64>($name, $x, |z| math::narrow($complex(math::widen(z)))),
            DType::C128 => map1::<C128, C128>($name, $x, $complex),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, complex64 or complex128")),
        }
    };
}

/// As `analytic`, for a real function of `f64`, too.
macro_rules! through_double {
    ($name:literal, $x:ident, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::F32 => map1::<f32, f32>($name, $x, |x| $real(f64::from(x)) as f32),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            _ => analytic!($name, $x, |x| x, $complex),
        }
    };
}

macro_rules! real_analytic {
    ($name:literal, $x:ident, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::F32 => map1::<f32, f32>($name, $x, |x| $real(f64::from(x)) as f32),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            DType::C64 => map1::<C64, f32>($name, $x, |z| $complex(math::widen(z)) as f32),
            DType::C128 => map1::<C128, f64>($name, $x, $complex),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, complex64 or complex128")),
        }
    };
}

macro_rules! ordered_test {
    ($name:literal, $x:ident, $int:expr, $real:expr) => {
        match $x.dtype() {
            DType::Bool => map1::<bool, bool>($name, $x, |_| false),
            DType::I32 => map1::<i32, bool>($name, $x, $int),
            DType::I64 => map1::<i64, bool>($name, $x, $int),
            DType::F32 => map1::<f32, bool>($name, $x, $real),
            DType::F64 => map1::<f64, bool>($name, $x, $real),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, int32 or int64")),
        }
    };
}

/// As `analytic`, for a function of `math::vector`.
macro_rules! vectorized {
    ($name:literal, $x:ident, $function:ty) => {
        match $x.dtype() {
            DType::F32 => map_lanes::<vector::F32<$function>>($name, $x),
            DType::F64 => map_lanes::<vector::F64<$function>>($name, $x),
            DType::C64 => map_lanes::<vector::Complex64<$function>>($name, $x),
            DType::C128 => map_lanes::<vector::Complex128<$function>>($name, $x),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, complex64 or complex128")),
        }
    };
}

/// For functions of real numbers, which are written for `f64`; the narrow type goes through it, which rounds once.
macro_rules! floating {
    ($name:literal, $x:ident, $real:expr) => {
        match $x.dtype() {
            DType::F32 => map1::<f32, f32>($name, $x, |x| $real(f64::from(x)) as f32),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            other => Err(Error::unsupported_dtype($name, other, "float32 or float64")),
        }
    };
}

macro_rules! number {
    ($name:literal, $x:ident, $int:expr, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::I32 => map1::<i32, i32>($name, $x, $int),
            DType::I64 => map1::<i64, i64>($name, $x, $int),
            DType::F32 => map1::<f32, f32>($name, $x, $real),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            DType::C64 => map1::<C64, C64>($name, $x, $complex),
            DType::C128 => map1::<C128, C128>($name, $x, $complex),
            DType::Bool => Err(Error::unsupported_dtype($name, DType::Bool, "a numeric dtype")),
        }
    };
}

macro_rules! real_part {
    ($name:literal, $x:ident, $int:expr, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::I32 => map1::<i32, i32>($name, $x, $int),
            DType::I64 => map1::<i64, i64>($name, $x, $int),
            DType::F32 => map1::<f32, f32>($name, $x, $real),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            DType::C64 => map1::<C64, f32>($name, $x, $complex),
            DType::C128 => map1::<C128, f64>($name, $x, $complex),
            DType::Bool => Err(Error::unsupported_dtype($name, DType::Bool, "a numeric dtype")),
        }
    };
}

macro_rules! ordered {
    ($name:literal, $x:ident, $int:expr, $real:expr) => {
        match $x.dtype() {
            DType::I32 => map1::<i32, i32>($name, $x, $int),
            DType::I64 => map1::<i64, i64>($name, $x, $int),
            DType::F32 => map1::<f32, f32>($name, $x, $real),
            DType::F64 => map1::<f64, f64>($name, $x, $real),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, int32 or int64")),
        }
    };
}

macro_rules! bitwise {
    ($name:literal, $x:ident, $f:expr) => {
        match $x.dtype() {
            DType::Bool => map1::<bool, bool>($name, $x, $f),
            DType::I32 => map1::<i32, i32>($name, $x, $f),
            DType::I64 => map1::<i64, i64>($name, $x, $f),
            other => Err(Error::unsupported_dtype($name, other, "bool, int32 or int64")),
        }
    };
}

macro_rules! test {
    ($name:literal, $x:ident, $exact:expr, $real:expr, $complex:expr) => {
        match $x.dtype() {
            DType::Bool => map1::<bool, bool>($name, $x, |_| $exact),
            DType::I32 => map1::<i32, bool>($name, $x, |_| $exact),
            DType::I64 => map1::<i64, bool>($name, $x, |_| $exact),
            DType::F32 => map1::<f32, bool>($name, $x, $real),
            DType::F64 => map1::<f64, bool>($name, $x, $real),
            DType::C64 => map1::<C64, bool>($name, $x, $complex),
            DType::C128 => map1::<C128, bool>($name, $x, $complex),
        }
    };
}

macro_rules! unary_table {
    ($($variant:ident $name:literal $domain:ident($($f:tt)*);)*) => {
        /// A function of one tensor, element by element.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum UnaryOp {
            $(#[doc = $name] $variant),*
        }

        impl UnaryOp {
            /// All of them, in the order of the table.
            pub const ALL: &'static [UnaryOp] = &[$(UnaryOp::$variant),*];

            /// The op's name in messages.
            pub const fn name(self) -> &'static str {
                match self { $(UnaryOp::$variant => $name),* }
            }
        }

        /// The dtype of `op`'s result, or `None` where `dtype` is not supported.
        pub fn unary_output(op: UnaryOp, dtype: DType) -> Option<DType> {
            match op { $(UnaryOp::$variant => domain::$domain(dtype)),* }
        }

        fn apply(op: UnaryOp, x: &Tensor) -> Result<Tensor> {
            match op { $(UnaryOp::$variant => $domain!($name, x, $($f)*)),* }
        }
    };
}

// The one list: variant, name, family, and the function for each class of dtypes that the family distinguishes.
unary_table! {
    Neg "neg" number(|n| n.wrapping_neg(), |x| -x, |z| -z);
    Abs "abs" real_part(|n| n.wrapping_abs(), |x| x.abs(), |z| z.magnitude());
    Sign "sign" number(|n| n.signum(), |x| x.sign(), |z| z.sign());
    Conj "conj" number(|n| n, |x| x, |z| z.conj());
    Real "real" real_part(|n| n, |x| x, |z| z.re);
    Imag "imag" real_part(|_| 0, |_| 0.0, |z| z.im);
    Exp "exp" vectorized(vector::Exp);
    Expm1 "expm1" vectorized(vector::Expm1);
    Log "log" vectorized(vector::Log);
    Log1p "log1p" vectorized(vector::Log1p);
    Sqrt "sqrt" vectorized(vector::Sqrt);
    Rsqrt "rsqrt" vectorized(vector::Rsqrt);
    Sin "sin" vectorized(vector::Sin);
    Cos "cos" vectorized(vector::Cos);
    Tanh "tanh" vectorized(vector::Tanh);
    Tan "tan" vectorized(vector::Tan);
    Sinh "sinh" vectorized(vector::Sinh);
    Cosh "cosh" vectorized(vector::Cosh);
    Asin "asin" through_double(libm::asin, inverse::asin);
    Acos "acos" through_double(libm::acos, inverse::acos);
    Atan "atan" through_double(libm::atan, inverse::atan);
    Asinh "asinh" through_double(pxfm::f_asinh, inverse::asinh);
    Acosh "acosh" through_double(pxfm::f_acosh, inverse::acosh);
    Atanh "atanh" through_double(pxfm::f_atanh, inverse::atanh);
    AsinSlope "asin_slope" through_double(inverse::real::asin_slope, inverse::asin_slope);
    AtanSlope "atan_slope" through_double(inverse::real::atan_slope, inverse::atan_slope);
    AsinhSlope "asinh_slope" through_double(inverse::real::asinh_slope, inverse::asinh_slope);
    AcoshSlope "acosh_slope" through_double(inverse::real::acosh_slope, inverse::acosh_slope);
    AtanhSlope "atanh_slope" through_double(inverse::real::atanh_slope, inverse::atanh_slope);
    Exp2 "exp2" through_double(libm::exp2, complex::exp2);
    Log2 "log2" through_double(libm::log2, complex::log2);
    Log10 "log10" through_double(libm::log10, complex::log10);
    Cbrt "cbrt" floating(libm::cbrt);
    Sinpi "sinpi" through_double(pxfm::f_sinpi, sinc::sin_pi);
    Cospi "cospi" through_double(pxfm::f_cospi, sinc::cos_pi);
    Deg2rad "deg2rad" floating(real::to_radians);
    Rad2deg "rad2deg" floating(real::to_degrees);
    Angle "angle" real_analytic(|x| f64::atan2(0.0, x), |z: C128| z.im.atan2(z.re));
    Signbit "signbit" ordered_test(|n| n < 0, |x| x.is_sign_negative());
    Not "not" bitwise(|b| !b);
    Isnan "isnan" test(false, |x| x.is_nan(), |z| z.re.is_nan() || z.im.is_nan());
    Isinf "isinf" test(false, |x| x.is_infinite(), |z| z.re.is_infinite() || z.im.is_infinite());
    Isfinite "isfinite" test(true, |x| x.is_finite(), |z| z.re.is_finite() && z.im.is_finite());
    Floor "floor" ordered(|n| n, |x| x.floor());
    Ceil "ceil" ordered(|n| n, |x| x.ceil());
    Trunc "trunc" ordered(|n| n, |x| x.trunc());
    Round "round" number(|n| n, |x| x.round_ties_even(), |z| z.round());
    Square "square" number(|n| n.wrapping_mul(n), |x| x * x, |z| z.squared());
    Reciprocal "reciprocal" analytic(|x| x.recip(), complex::reciprocal);
    Erf "erf" floating(pxfm::f_erf);
    Erfc "erfc" floating(pxfm::f_erfc);
    Erfinv "erfinv" floating(pxfm::f_erfinv);
    Erfcinv "erfcinv" floating(special::erfcinv);
    Ndtr "ndtr" floating(special::ndtr);
    Ndtri "ndtri" floating(special::ndtri);
    LogNdtr "log_ndtr" floating(special::log_ndtr);
    Lgamma "lgamma" floating(special::lgamma);
    Gamma "gamma" floating(special::gamma);
    Sigmoid "sigmoid" floating(special::sigmoid);
    Softplus "softplus" floating(special::softplus);
    Logit "logit" floating(special::logit);
    Entr "entr" floating(special::entropy);
}

/// `op` of every element of `x`.
pub fn unary(op: UnaryOp, x: &Tensor) -> Result<Tensor> {
    use UnaryOp::*;
    let whole = matches!(x.dtype(), DType::I32 | DType::I64);
    let identity = match op {
        Conj | Real => matches!(x.dtype(), DType::F32 | DType::F64) || whole,
        Floor | Ceil | Trunc | Round => whole,
        _ => false,
    };
    if identity && x.is_compact() { Ok(x.clone()) } else { apply(op, x) }
}

/// The derivative of the normalised sinc, `sin(πx) / (πx)`, of this order; order 0 is sinc itself.
pub fn sinc(order: u32, x: &Tensor) -> Result<Tensor> {
    let complex = move |z| if order == 0 { sinc::sinc_complex(z) } else { sinc::sinc_derivative(order, z) };
    let real = move |x| if order == 0 { sinc::sinc(x) } else { sinc::sinc_derivative(order, C128::new(x, 0.0)).re };
    through_double!("sinc", x, real, complex)
}

#[cfg(test)]
mod tests;
