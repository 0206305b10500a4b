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

/// Locks and atomic words without scheduling points: for figures, and for what belongs to the process and not to an
/// instance. No thread waits for their values. A thread must not use anything else of this module while it holds such
/// a lock: a test's threads are coroutines of one thread, and the next one that takes the lock would stop all of them.
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
