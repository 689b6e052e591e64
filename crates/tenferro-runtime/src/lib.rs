//! The op set, and what may interpret it.
//!
//! An [`Op`] says what to compute: shape and dtype rule, evaluation (one call into `tenferro-cpu`), and one derivative
//! rule per input. An [`Interp`] binds ops to values; rules and composites are generic over it, so that they compute,
//! record, or build linear rows alike. Nothing here knows about tapes.

pub mod activations;
pub mod batch;
pub mod cleaning;
pub mod compose;
pub mod curves;
pub mod functions;
mod interp;
pub mod lanes;
mod meta;
pub mod numeric;
mod op;
mod ops;
pub mod quantiles;
mod sample;
pub mod signals;
pub mod statistics;
pub mod structure;

pub use interp::{At, Interp, Slot};
pub use meta::{Meta, OutMeta, PackedMeta};
pub use op::{Op, Primitive, Rule, Saves, catalog};
pub use ops::*;
pub use sample::{Sample, samples};
pub use tenferro_cpu as cpu;
