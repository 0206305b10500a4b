//! Call stacks of threads of this process, taken from another thread; and profiles: many of them at a fixed interval.
//!
//! ```text
//! signal.rs   a signal makes the thread copy its registers and its stack's bytes; the only file with `unsafe`
//! unwind.rs   the asker finds the return addresses in the copy           (framehop)
//! symbol.rs   and the functions that they are in, inlined ones too       (backtrace)
//! stack.rs    one stack, as one line
//! sample.rs   a thread that asks again and again -> profile.rs: sums -> svg.rs: a flame graph
//! ```
//!
//! The signal handler unwinds nothing: no unwinder is safe there, because it takes locks that the interrupted code may
//! hold. The handler makes one system call that POSIX allows there and stores a few numbers; the asking thread does the
//! rest in ordinary code. See README.md.

mod profile;
mod sample;
mod signal;
mod stack;
mod svg;
mod symbol;
mod unwind;

pub use profile::{FunctionShare, Profile};
pub use sample::Sampler;
pub use stack::{Stack, take};
