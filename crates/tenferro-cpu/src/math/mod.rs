//! Scalar functions that the tables of elementwise ops use.

pub(crate) mod analytic;
mod complex;
mod double_double;
mod power;
mod real;
pub(crate) mod vector;

pub(crate) use complex::{ComplexMath, narrow, widen};
pub(crate) use real::{IntMath, RealMath};

#[cfg(test)]
mod tests;
