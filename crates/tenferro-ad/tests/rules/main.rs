//! The tester: every op of the catalogue, over its dtypes and shapes, against independent references, finite differences
//! and the adjoint identity, at first and second order; then what holds for the record as a whole.

mod arrays;
mod batches;
mod cases;
mod depth;
mod finite;
mod fourier;
mod functions;
mod kinds;
mod lanes;
mod layouts;
mod limits;
mod modes;
mod narrow;
mod points;
mod reference;
mod refusals;
mod samples;
mod saves;
mod special;
mod structure;
mod threads;
mod values;
