//! Data, and no arithmetic: dtypes, column-major shapes and strides, shared immutable storage, [`Tensor`],
//! and the one list of errors of the whole workspace.
//!
//! A [`Tensor`] is a value: cloning it is a pointer copy, structural operations are views, and nothing can change
//! its elements once another handle exists.

#[macro_use]
mod dtype;
mod error;
pub mod fork;
mod layout;
pub mod reserve;
mod storage;
mod tensor;

pub use dtype::{C64, C128, DType, DTypeKind, Scalar};
pub use error::{CATALOG, Error, ErrorClass, Field, Kind, Phase, Result, Variant};
pub use layout::{Dims, Layout, Strides, broadcast_shapes, checked_size, compact_strides, show_shape};
pub use storage::{
    Buffer, ForeignOwner, PoolStats, live_buffers, live_bytes, pool_clear, pool_limit, pool_stats, set_memory_limit,
    set_pool_limit,
};
pub use tensor::Tensor;
