//! Kernels: plain functions on [`tenferro_tensor::Tensor`]. The only crate that is generic over the scalar; each family
//! dispatches on the dtype once, at its door. Threads live here too. Which ops exist, and their derivatives, is above.

mod binary;
mod compare;
mod convert;
mod copy;
mod create;
mod elementwise;
mod fourier;
mod gemm;
mod index;
pub mod interrupt;
mod lanes;
mod math;
mod multiversion;
mod ordered;
pub mod random;
mod reduce;
mod select;
mod strided;
#[cfg(test)]
mod test_support;
pub mod threads;
mod unary;

pub use binary::{BinaryOp, CompareOp, binary, binary_output, clamp, compare, compare_supports, select};
pub use convert::{cast, complex_from_parts};
pub use copy::{compact, concatenate, duplicate, import_strided, pad};
pub use create::{Number, arange, eye, full, iota, linspace};
pub use fourier::{fft, irfft, rfft};
pub use gemm::{DotDims, dot_general, dot_shape};
pub use index::{
    GatherConfig, PutMode, ScatterConfig, gather, gather_shape, put_flat, scatter_add, scatter_check, take, take_add,
    take_flat,
};
pub use lanes::{
    ScanOp, add_along, arg_reduce, arg_scan, arg_sort, scan, scan_output, search_sorted, sortable, take_along,
};
pub use ordered::{OrderedFn, ordered};
pub use reduce::{ReduceOp, reduce, reduce_output};
pub use unary::{UnaryOp, sinc, unary, unary_output};
