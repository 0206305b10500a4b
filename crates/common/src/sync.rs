//! Locks and threads, through one module, so that a scheduler can replace them: with the feature `shuttle`, a test runs
//! the engine's own code under a scheduler that tries interleavings, and every lock, atomic word, thread and
//! thread-local variable of the engine is one of `scheduled`. Without it they are the machine's, and the scheduler is
//! not built.

#[cfg(not(feature = "shuttle"))]
mod real;
#[cfg(feature = "shuttle")]
mod scheduled;

#[cfg(not(feature = "shuttle"))]
pub use real::*;
#[cfg(feature = "shuttle")]
pub use scheduled::*;
pub use std::sync::Arc;

/// Locks and atomic words without scheduling points: for figures, and for state of the process and not of an instance.
/// No thread waits for their values. A thread must not use anything else of this module while it holds such a lock: a
/// test's threads are coroutines of one thread, and the next one that takes the lock would stop all of them.
pub mod unscheduled {
    pub use parking_lot::{Mutex, MutexGuard};
    pub use std::sync::atomic;
}

/// The operating system's id of a thread. Once the thread has ended, another may get the id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(pub i32);

impl ThreadId {
    /// The calling thread.
    #[must_use]
    pub fn current() -> Self {
        std::thread_local!(static CURRENT: ThreadId = ThreadId(rustix::thread::gettid().as_raw_nonzero().get()));
        CURRENT.with(|current| *current)
    }
}
