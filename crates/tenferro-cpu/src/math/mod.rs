//! Scalar functions that the tables of elementwise ops use.

pub(crate) mod complex;
pub(crate) mod power;
pub(crate) mod real;

pub(crate) use complex::{ComplexMath, narrow, widen};
pub(crate) use real::{IntMath, RealMath};
