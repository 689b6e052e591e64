use crate::elementwise::{find, map1, map2};
use crate::math::special::{self, Neighbour};
use crate::math::{ComplexMath, IntMath, RealMath};
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor, Variant};

pub use crate::compare::{CompareOp, compare, compare_supports};
pub use crate::select::{clamp, select};

/// What each family of functions takes, and what it returns: the dtype of the result, or `None`.
mod domain {
    use super::DType::{self, *};

    /// Numbers.
    pub fn number(dtype: DType) -> Option<DType> {
        (dtype != Bool).then_some(dtype)
    }

    /// Real numbers.
    pub fn real(dtype: DType) -> Option<DType> {
        matches!(dtype, F32 | F64 | I32 | I64).then_some(dtype)
    }

    /// Everything with an order.
    pub fn ordered(dtype: DType) -> Option<DType> {
        (!dtype.is_complex()).then_some(dtype)
    }

    /// Real floating point.
    pub fn floating(dtype: DType) -> Option<DType> {
        matches!(dtype, F32 | F64).then_some(dtype)
    }

    /// Integers.
    pub fn integer(dtype: DType) -> Option<DType> {
        matches!(dtype, I32 | I64).then_some(dtype)
    }

    /// Truth values and integers.
    pub fn bitwise(dtype: DType) -> Option<DType> {
        matches!(dtype, Bool | I32 | I64).then_some(dtype)
    }
}

macro_rules! number {
    ($name:literal, $a:ident, $b:ident, $int:expr, $real:expr, $complex:expr) => {
        match $a.dtype() {
            DType::I32 => map2::<i32, i32, i32>($name, $a, $b, $int),
            DType::I64 => map2::<i64, i64, i64>($name, $a, $b, $int),
            DType::F32 => map2::<f32, f32, f32>($name, $a, $b, $real),
            DType::F64 => map2::<f64, f64, f64>($name, $a, $b, $real),
            DType::C64 => map2::<C64, C64, C64>($name, $a, $b, $complex),
            DType::C128 => map2::<C128, C128, C128>($name, $a, $b, $complex),
            DType::Bool => Err(Error::unsupported_dtype($name, DType::Bool, "a numeric dtype")),
        }
    };
}

macro_rules! real {
    ($name:literal, $a:ident, $b:ident, $int:expr, $real:expr) => {
        match $a.dtype() {
            DType::I32 => map2::<i32, i32, i32>($name, $a, $b, $int),
            DType::I64 => map2::<i64, i64, i64>($name, $a, $b, $int),
            DType::F32 => map2::<f32, f32, f32>($name, $a, $b, $real),
            DType::F64 => map2::<f64, f64, f64>($name, $a, $b, $real),
            other => Err(Error::unsupported_dtype($name, other, "float32, float64, int32 or int64")),
        }
    };
}

macro_rules! ordered {
    ($name:literal, $a:ident, $b:ident, $exact:expr, $real:expr) => {
        match $a.dtype() {
            DType::Bool => map2::<bool, bool, bool>($name, $a, $b, $exact),
            DType::I32 => map2::<i32, i32, i32>($name, $a, $b, $exact),
            DType::I64 => map2::<i64, i64, i64>($name, $a, $b, $exact),
            DType::F32 => map2::<f32, f32, f32>($name, $a, $b, $real),
            DType::F64 => map2::<f64, f64, f64>($name, $a, $b, $real),
            other => Err(Error::unsupported_dtype($name, other, "a dtype with an order (complex numbers have none)")),
        }
    };
}

/// For functions written for `f64`; the narrow type goes through it, which rounds once.
macro_rules! floating {
    ($name:literal, $a:ident, $b:ident, $real:expr) => {
        floating!($name, $a, $b, |a, b| $real(f64::from(a), f64::from(b)) as f32, $real)
    };
    ($name:literal, $a:ident, $b:ident, $narrow:expr, $wide:expr) => {
        match $a.dtype() {
            DType::F32 => map2::<f32, f32, f32>($name, $a, $b, $narrow),
            DType::F64 => map2::<f64, f64, f64>($name, $a, $b, $wide),
            other => Err(Error::unsupported_dtype($name, other, "float32 or float64")),
        }
    };
}

macro_rules! integer {
    ($name:literal, $a:ident, $b:ident, $f:expr) => {
        match $a.dtype() {
            DType::I32 => map2::<i32, i32, i32>($name, $a, $b, $f),
            DType::I64 => map2::<i64, i64, i64>($name, $a, $b, $f),
            other => Err(Error::unsupported_dtype($name, other, "int32 or int64")),
        }
    };
}

macro_rules! bitwise {
    ($name:literal, $a:ident, $b:ident, $f:expr) => {
        match $a.dtype() {
            DType::Bool => map2::<bool, bool, bool>($name, $a, $b, $f),
            DType::I32 => map2::<i32, i32, i32>($name, $a, $b, $f),
            DType::I64 => map2::<i64, i64, i64>($name, $a, $b, $f),
            other => Err(Error::unsupported_dtype($name, other, "bool, int32 or int64")),
        }
    };
}

macro_rules! binary_table {
    ($($variant:ident $name:literal $domain:ident($($f:expr),*);)*) => {
        /// A function of two tensors, element by element.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum BinaryOp {
            $(#[doc = $name] $variant),*
        }

        impl BinaryOp {
            /// All of them, in the order of the table.
            pub const ALL: &'static [BinaryOp] = &[$(BinaryOp::$variant),*];

            /// The op's name in messages.
            pub const fn name(self) -> &'static str {
                match self { $(BinaryOp::$variant => $name),* }
            }
        }

        /// The dtype of `op`'s result, or `None` where `dtype` is not supported.
        pub fn binary_output(op: BinaryOp, dtype: DType) -> Option<DType> {
            match op { $(BinaryOp::$variant => domain::$domain(dtype)),* }
        }

        fn apply(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
            match op { $(BinaryOp::$variant => $domain!($name, a, b, $($f),*)),* }
        }
    };
}

// The one list: variant, name, family, and the function for each class of dtypes that the family distinguishes.
binary_table! {
    Add "add" number(|a, b| a.wrapping_add(b), |a, b| a + b, |a, b| a + b);
    Sub "sub" number(|a, b| a.wrapping_sub(b), |a, b| a - b, |a, b| a - b);
    Mul "mul" number(|a, b| a.wrapping_mul(b), |a, b| a * b, |a, b| a * b);
    Scale "scale" number(|a, b| a.wrapping_mul(b), |a, b| if a == 0.0 { a } else { a * b }, |a, b| if a.re == 0.0 && a.im == 0.0 { a } else { a * b });
    Div "div" number(|a, b| a.wrapping_div(b), |a, b| a / b, |a, b| a.divide(b));
    Pow "pow" number(|a, b| a.power(b), |a, b| a.power(b), |a, b| a.power(b));
    Maximum "maximum" ordered(|a, b| a.max(b), |a, b| a.larger(b));
    Minimum "minimum" ordered(|a, b| a.min(b), |a, b| a.smaller(b));
    Rem "rem" real(|a, b| a.wrapping_rem(b), |a, b| a % b);
    Remainder "remainder" real(|a, b| a.remainder(b), |a, b| a.remainder(b));
    FloorDivide "floor_divide" real(|a, b| a.floor_divide(b), |a, b| a.floor_divide(b));
    BitAnd "bit_and" bitwise(|a, b| a & b);
    BitOr "bit_or" bitwise(|a, b| a | b);
    BitXor "bit_xor" bitwise(|a, b| a ^ b);
    ShiftLeft "left_shift" integer(|a, b| a.shift_left(b));
    ShiftRight "right_shift" integer(|a, b| a.shift_right(b));
    Atan2 "atan2" floating(pxfm::f_atan2);
    Hypot "hypot" floating(pxfm::f_hypot);
    Copysign "copysign" floating(|a, b| a.copysign(b), |a, b| a.copysign(b));
    Nextafter "nextafter" floating(|a, b| a.next_toward(b), |a, b| a.next_toward(b));
    LogAddExp "logaddexp" floating(special::log_add_exp);
    LogAddExp2 "logaddexp2" floating(special::log_add_exp2);
}

/// `op` of every pair of elements of `a` and `b`, which have one dtype and broadcast.
pub fn binary(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    same_dtype(op.name(), a, b)?;
    match a.dtype() {
        DType::I32 => check_integers::<i32>(op, a, b)?,
        DType::I64 => check_integers::<i64>(op, a, b)?,
        _ => {}
    }
    if op == BinaryOp::Pow
        && b.rank() == 0
        && let Some(result) = short_power(a, b.item::<f64>()).or_else(|| short_power(a, b.item::<f32>()))
    {
        return result;
    }
    apply(op, a, b)
}

pub(crate) fn same_dtype(op: &'static str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() { Ok(()) } else { Err(Error::dtype(op, "argument 'y'", a.dtype(), b.dtype())) }
}

/// Divisors that are zero, exponents and counts that are negative, found before anything is computed.
fn check_integers<T: Scalar + Ord + Default>(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result<()> {
    use BinaryOp::*;
    if a.size() == 0 {
        return Ok(());
    }
    let zero = T::default();
    match op {
        Div | Rem | Remainder | FloorDivide => match find::<T>(b, |y| y == zero)? {
            Some(_) => {
                let message = "argument 'y': expected non-zero divisors for an integer dtype, got 0";
                Err(Error::new(Variant::DivisionByZero, op.name(), message))
            }
            None => Ok(()),
        },
        Pow => match find::<T>(b, |y| y < zero)? {
            Some(y) => {
                let message = format!(
                    "argument 'y': expected exponents of at least 0 for an integer dtype, got {y:?}; cast to float64 first"
                );
                Err(Error::new(Variant::Numerical, op.name(), message))
            }
            None => Ok(()),
        },
        ShiftLeft | ShiftRight => match find::<T>(b, |y| y < zero)? {
            Some(y) => Err(Error::argument(op.name(), "y", format!("expected counts of at least 0, got {y:?}"))),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// `a` to a scalar power for which the general function is known beforehand to take a short branch.
fn short_power<T: Scalar + RealMath + From<f32>>(a: &Tensor, exponent: Option<T>) -> Option<Result<Tensor>> {
    let exponent = exponent?;
    let is = |p: f32| exponent == T::from(p);
    if is(2.0) {
        return Some(map1::<T, T>("pow", a, |x| x.power(T::from(2.0))));
    }
    if is(3.0) {
        return Some(map1::<T, T>("pow", a, |x| x.power(T::from(3.0))));
    }
    if is(-1.0) {
        return Some(map1::<T, T>("pow", a, |x| x.power(T::from(-1.0))));
    }
    is(0.5).then(|| map1::<T, T>("pow", a, |x| x.power(T::from(0.5))))
}

#[cfg(test)]
mod tests;
