//! The ops, one family per file: shape rule, evaluation, derivative, samples.

mod binary;
mod convert;
mod dot;
mod gather;
mod index;
mod join;
mod layout;
mod reduce;
mod select;
mod unary;
mod window;

pub use binary::{Binary, Compare};
pub use convert::Convert;
pub use dot::Dot;
pub use gather::{Gather, Scatter};
pub use index::{PutFlat, ScatterFlat, Take, TakeAdd, TakeFlat};
pub use join::Concatenate;
pub use layout::{Broadcast, Reshape, Reverse, Transpose};
pub use reduce::Reduce;
pub use select::{Clamp, Select};
pub use unary::Unary;
pub use window::{Pad, PadDims, Slice, SliceDims};
