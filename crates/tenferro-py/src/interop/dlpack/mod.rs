//! DLPack, both ways: the versioned protocol with its read-only flag, and the legacy one, which cannot say read-only.

mod abi;
mod export;
mod import;

pub use export::{dlpack_device, to_dlpack};
pub use import::{from_dlpack, is_on_cpu, share_read_only};
