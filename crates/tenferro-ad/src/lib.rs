//! Automatic differentiation: the recorded node, the eager runtime and tensor, and the sweeps over what was recorded.
//!
//! Every op has one derivative rule per input (see `tenferro-runtime`). A forward sweep calls it with a tangent; a reverse
//! sweep calls its adjoint, or runs the tangent under [`linear::Linear`] and transposes the few rows at once. No op is
//! known here by name, and no graph is built for a backward pass.

#![forbid(unsafe_code)]

mod custom;
mod eager;
mod gradients;
mod linear;
mod mode;
mod node;
mod runtime;
mod sweep;
mod tensor;
pub mod transform;
pub mod vmap;

pub use custom::{CustomRule, missing_rule, record_call};
pub use eager::{Eager, Var};
pub use gradients::{GradSlot, Gradients};
pub use mode::{CaptureGuard, NoGradGuard, Recording, capturing, no_grad_active};
pub use node::Node;
pub use runtime::{CpuBackend, EagerRuntime};
pub use sweep::{jvp, vjp};
pub use tenferro_runtime as ops;
pub use tenferro_tensor as tensor_core;
pub use tensor::{EagerTensor, non_scalar, same_runtime};
