//! A process under ptrace: its file operations in the order in which the kernel saw them.
//!
//! ```text
//!   tracee.rs    stops of all threads ──> call.rs     registers as a call
//!                                    └──> memory.rs   what the addresses of a call point at
//!   recorder.rs  calls on files below one directory ──> events of a recording; faults
//! ```

mod call;
mod memory;
mod recorder;
mod tracee;

pub use recorder::{Ended, Fault, FaultKind, Input, Recorder, Reply, Stop};
