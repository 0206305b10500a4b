//! A process under ptrace: its file operations in the order in which the kernel saw them.
//!
//! ```text
//!   tracee.rs    stops of all threads ──> call.rs     registers as a call
//!                                    └──> memory.rs   what the addresses of a call point at
//!   life.rs      calls on files below one directory; faults (fault.rs), the client (dialog.rs), patience (watch.rs)
//!   recorder.rs  ──> events of a recording, life after life
//! ```

mod call;
mod dialog;
mod fault;
mod life;
mod memory;
mod recorder;
mod tracee;
mod watch;

pub use dialog::{Input, Reply};
pub use fault::{Fault, FaultKind, MIRRORED_DISK};
pub use recorder::{Ended, Recorder, Stop};
