//! Locks and threads under the scheduler of the crate `shuttle`.
//!
//! The threads of a test are coroutines of one thread of the machine. One runs at a time, and before each operation of
//! this module the scheduler decides which one goes on. So a test is a sequence of decisions; [`explore`] tries many of
//! them, at random from a seed, and says under which one the test has failed.
//!
//! What is outside of the module is invisible to the scheduler: a session that waits for a device, for the clock or for
//! a lock of the standard library stops all of them. Tests use files in memory and a clock of their own.
//!
//! Three things differ from the machine:
//!
//! - All orderings of atomic words are sequentially consistent. What only a weaker one shows is not found here.
//! - There is no time. A wait for a limited time ends as [`TimeOuts`] says.
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

/// Where the scheduler may have another thread go on.
fn point() {
    // Without time this is the bare decision; a yield would say that the thread has nothing to do.
    shuttle::thread::sleep(std::time::Duration::ZERO);
}
