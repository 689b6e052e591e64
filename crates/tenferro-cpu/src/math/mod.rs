//! Scalar functions that the tables of elementwise ops use.

pub(crate) mod analytic;
mod complex;
mod double_double;
pub(crate) mod inverse;
mod power;
pub(crate) mod real;
pub(crate) mod sinc;
pub(crate) mod special;
pub(crate) mod vector;

pub(crate) use complex::{ComplexMath, narrow, widen};
pub(crate) use real::{IntMath, RealMath};

#[cfg(test)]
mod tests;
