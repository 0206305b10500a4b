//! Locks and threads under the scheduler of the crate `shuttle`.
//!
//! The threads of a test are coroutines of one thread of the machine. One runs at a time, and before each operation of
//! this module the scheduler decides which one goes on. So a test is a sequence of decisions; [`explore`] tries many of
//! them, at random from a seed, and prints the one under which the test has failed.
//!
//! Waits outside of the module are invisible to the scheduler: a session that waits for a device, for the clock or for
//! a lock of the standard library stops all of them. Tests use files in memory and a clock of their own.
//!
//! Three things differ from the machine:
//!
//! - All orderings of atomic words are sequentially consistent. Faults under a weaker ordering alone are not found.
//! - There is no time. [`TimeOuts`] decides the end of a wait for a limited time.
//! - A condition variable has no spurious wakeups.

mod condvar;
mod explore;
mod gate;
mod local;
mod mutex;
mod rwlock;
mod thread;

pub use condvar::{Condvar, TimeOuts, WaitTimeoutResult};
pub use explore::{Exploration, explore, replay};
pub use local::LocalKey;
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{ArcRwLockReadGuard, ArcRwLockWriteGuard, RawRwLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use shuttle::hint::spin_loop;
pub use shuttle::sync::atomic;
pub use shuttle::thread::yield_now;
pub use thread::{JoinHandle, run_aside, spawn, spawn_with_stack};

pub use crate::scheduled_thread_local as thread_local;

/// A scheduling point: another thread may go on.
fn point() {
    // Without time this is the bare decision; a yield would tell the scheduler that the thread has no work.
    shuttle::thread::sleep(std::time::Duration::ZERO);
}
