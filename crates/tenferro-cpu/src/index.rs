//! Reading and writing at lists of positions: `take`, flat positions, and windows at computed starts (`gather`, `scatter`).

mod config;
mod take;
mod window;

pub use config::{GatherConfig, ScatterConfig, gather_shape, scatter_check};
pub use take::{PutMode, put_flat, take, take_add, take_flat};
use tenferro_tensor::{Error, Result, Variant};
pub use window::{gather, scatter_add};

/// Elements per block of work.
const GRAIN: usize = 1 << 15;
/// Elements after which serial work asks whether to stop.
const POLL_AFTER: usize = 1 << 21;

/// An empty list with room for `count` elements.
fn list<T>(op: &'static str, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| {
        let message = format!("not enough memory for a list of {count} positions");
        Error::new(Variant::OutOfMemory, op, message).with("bytes", count.saturating_mul(size_of::<T>()))
    })?;
    Ok(list)
}

/// An address of elements that blocks read or write at different places.
#[derive(Clone, Copy)]
struct Place<P>(P);
// SAFETY: see above.
unsafe impl<P> Sync for Place<P> {}

impl<P: Copy> Place<P> {
    fn get(&self) -> P {
        self.0
    }
}

/// Runs `$body` with `$t` bound to an unsigned type as wide as the dtype `$dtype`, for code that only moves elements.
macro_rules! by_width {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype.itemsize() {
            1 => {
                type $t = u8;
                $body
            }
            4 => {
                type $t = [u8; 4];
                $body
            }
            8 => {
                type $t = [u8; 8];
                $body
            }
            _ => {
                type $t = [u8; 16];
                $body
            }
        }
    };
}
pub(crate) use by_width;

/// Element types that can be added up in place; integers wrap.
pub(crate) trait Accumulate: tenferro_tensor::Scalar {
    fn accumulate(&mut self, value: Self);
}

macro_rules! accumulate {
    ($($t:ty: $add:expr),*) => {
        $(impl Accumulate for $t {
            #[inline(always)]
            fn accumulate(&mut self, value: Self) {
                *self = $add(*self, value);
            }
        })*
    };
}
accumulate! {
    f32: |a, b| a + b, f64: |a, b| a + b, i32: i32::wrapping_add, i64: i64::wrapping_add,
    tenferro_tensor::C64: |a, b| a + b, tenferro_tensor::C128: |a, b| a + b
}

/// Runs `$body` with `$t` bound to the numeric type of `$dtype`; bool is refused in the name of `$op`.
macro_rules! by_number {
    ($op:expr, $dtype:expr, $t:ident => $body:expr) => {{
        use tenferro_tensor::DType;
        macro_rules! arm {
            ($ty:ty) => {{
                type $t = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F32 => arm!(f32),
            DType::F64 => arm!(f64),
            DType::C64 => arm!(tenferro_tensor::C64),
            DType::C128 => arm!(tenferro_tensor::C128),
            DType::I32 => arm!(i32),
            DType::I64 => arm!(i64),
            DType::Bool => {
                Err(tenferro_tensor::Error::unsupported_dtype($op, DType::Bool, "a number; cast it to int64 first"))
            }
        }
    }};
}
pub(crate) use by_number;

#[cfg(test)]
mod tests;
