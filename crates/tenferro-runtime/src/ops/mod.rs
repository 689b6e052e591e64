//! The ops, one family per file: shape rule, evaluation, derivative, samples.

mod along;
mod binary;
mod convert;
mod dot;
mod gather;
mod index;
mod join;
mod layout;
mod order;
mod ordered;
mod reduce;
mod scan;
mod select;
mod sinc;
mod special;
mod stop;
mod unary;
mod window;

pub use along::{AddAlong, TakeAlong};
pub use binary::{Binary, Compare};
pub use convert::Convert;
pub use dot::Dot;
pub use gather::{Gather, Scatter};
pub use index::{PutFlat, ScatterFlat, Take, TakeAdd, TakeFlat};
pub use join::Concatenate;
pub use layout::{Broadcast, Reshape, Reverse, Transpose};
pub use order::{ArgReduce, ArgScan, ArgSort, SearchSorted};
pub use ordered::Ordered;
pub use reduce::Reduce;
pub use scan::Scan;
pub use select::{Clamp, Select};
pub use sinc::Sinc;
pub use stop::Stop;
pub use unary::Unary;
pub use window::{Pad, PadDims, Slice, SliceDims};
