//! The seam to foreign memory: NumPy arrays, DLPack capsules, Python buffers. All `unsafe` of this crate is here.

mod buffer;
mod classify;
mod dlpack;
mod foreign;
mod nested;
mod numpy_in;
mod numpy_out;
mod pickle;

pub use dlpack::{dlpack_device, from_dlpack, to_dlpack};
pub use numpy_in::{tensor_as, tensor_from_any};
pub use numpy_out::{NumPyArray, array_protocol, flat_view, show_values, to_numpy, to_numpy_copy};
pub use pickle::{Reduced, reduce_parts, reduced, restore, restore_tensor};
