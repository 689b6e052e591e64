use num_complex::Complex;

/// 64-bit complex number: two `f32`.
pub type C64 = Complex<f32>;
/// 128-bit complex number: two `f64`.
pub type C128 = Complex<f64>;

/// Calls `$callback! { ... (Variant, rust type, "name") ... }` with the one list of dtypes.
#[macro_export]
macro_rules! for_each_dtype {
    ($callback:ident) => {
        $callback! {
            (F32, f32, "float32"),
            (F64, f64, "float64"),
            (C64, $crate::C64, "complex64"),
            (C128, $crate::C128, "complex128"),
            (I32, i32, "int32"),
            (I64, i64, "int64"),
            (Bool, bool, "bool"),
        }
    };
}

/// An element type that a [`crate::Tensor`] can hold.
pub trait Scalar: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The run-time tag of this type.
    const DTYPE: DType;
}

macro_rules! declare {
    ($(($variant:ident, $ty:ty, $name:literal)),* $(,)?) => {
        /// The dtype of a tensor's elements.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum DType {
            $(#[doc = $name] $variant),*
        }

        impl DType {
            /// All dtypes, in declaration order.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The NumPy name.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// Bytes per element.
            pub const fn itemsize(self) -> usize {
                match self { $(DType::$variant => size_of::<$ty>()),* }
            }

            /// The dtype with this NumPy name.
            pub fn from_name(name: &str) -> Option<DType> {
                match name { $($name => Some(DType::$variant),)* _ => None }
            }
        }

        $(impl Scalar for $ty { const DTYPE: DType = DType::$variant; })*
    };
}
for_each_dtype!(declare);

/// The coarse class of a dtype.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DTypeKind {
    /// Truth values.
    Bool,
    /// Signed integers.
    Int,
    /// Real floating-point numbers.
    Real,
    /// Complex floating-point numbers.
    Complex,
}

impl DType {
    /// The coarse class.
    pub const fn kind(self) -> DTypeKind {
        match self {
            DType::Bool => DTypeKind::Bool,
            DType::I32 | DType::I64 => DTypeKind::Int,
            DType::F32 | DType::F64 => DTypeKind::Real,
            DType::C64 | DType::C128 => DTypeKind::Complex,
        }
    }

    /// Complex64 or complex128.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Real or complex floating point: the dtypes that carry derivatives.
    pub const fn is_inexact(self) -> bool {
        matches!(self, DType::F32 | DType::F64 | DType::C64 | DType::C128)
    }

    /// The dtype of the real part.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The complex dtype of the same precision; integers and bool go to complex128.
    pub const fn complex(self) -> DType {
        match self {
            DType::F32 | DType::C64 => DType::C64,
            _ => DType::C128,
        }
    }

    /// The common dtype of two operands: bool below everything, the wider of one kind, integers with floats to
    /// 64-bit precision.
    pub const fn promote(self, other: DType) -> DType {
        use DType::*;
        match (self, other) {
            (Bool, x) | (x, Bool) => x,
            (F32, F32) => F32,
            (I32, I32) => I32,
            (C64, C64) => C64,
            (I32 | I64, I32 | I64) => I64,
            (F32 | F64, F32 | F64) => F64,
            (F32, C64) | (C64, F32) => C64,
            (I32 | I64, F32 | F64) | (F32 | F64, I32 | I64) => F64,
            _ => C128,
        }
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
