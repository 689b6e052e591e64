//! Every op, declared once, as a method of `EagerTensor`, a method of `EagerSession` and a function of the module.

#[macro_use]
mod declare;
pub mod activations;
pub mod analytic;
pub mod arrange;
pub mod cleaning;
pub mod collections;
pub mod comparison;
pub mod contraction;
pub mod conversion;
pub mod counting;
pub mod creation;
pub mod curves;
pub mod diagonals;
pub mod elementwise;
pub mod fourier;
pub mod grids;
pub mod indexing;
pub mod joins;
pub mod lanes;
pub mod normalization;
pub mod pairs;
pub mod places;
pub mod products;
pub mod quantiles;
pub mod reductions;
pub mod signals;
pub mod special;
pub mod statistics;
pub mod structure;
