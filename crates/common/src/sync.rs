//! Locks and threads, through one module, so that a scheduler can take their place: with the feature `shuttle`, a test
//! runs the engine's own code under one that tries interleavings, and every lock, atomic word, thread and thread-local
//! variable of the engine is one of `scheduled`. Without it they are the machine's, and nothing of the scheduler is
//! built.

#[cfg(not(feature = "shuttle"))]
mod real;
#[cfg(feature = "shuttle")]
mod scheduled;

#[cfg(not(feature = "shuttle"))]
pub use real::*;
#[cfg(feature = "shuttle")]
pub use scheduled::*;
pub use std::sync::Arc;

/// Locks and atomic words of what is only counted and shown, or belongs to the process and not to an instance. Nobody
/// waits for what it says, so no scheduler has to stop there. A lock of these is never held across anything else of
/// this module: other threads of a test would meet it, and stand still all together.
pub mod unscheduled {
    pub use parking_lot::{Mutex, MutexGuard};
    pub use std::sync::atomic;
}

/// A thread by the number that the operating system has given it. Once the thread has ended, another may get the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(pub i32);

impl ThreadId {
    /// That of the calling thread.
    #[must_use]
    pub fn current() -> Self {
        std::thread_local!(static CURRENT: ThreadId = ThreadId(rustix::thread::gettid().as_raw_nonzero().get()));
        CURRENT.with(|current| *current)
    }
}
