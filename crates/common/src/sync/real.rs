//! The machine's own locks and threads.

use std::io;

pub use parking_lot::lock_api::{ArcRwLockReadGuard, ArcRwLockWriteGuard};
pub use parking_lot::{Condvar, Mutex, MutexGuard, RawRwLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::hint::spin_loop;
pub use std::sync::atomic;
pub use std::thread::yield_now;
pub use std::thread_local;

/// A running thread; join it to learn whether it panicked.
pub type JoinHandle<T> = std::thread::JoinHandle<T>;

/// Starts a named thread.
///
/// # Errors
/// When the operating system cannot start a thread.
#[expect(clippy::disallowed_methods, reason = "the one place that starts real threads")]
pub fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run)
}

/// As [`spawn`], with a stack of this size; memory is committed as it is used.
///
/// # Errors
/// When the operating system has no thread, or no address space.
#[expect(clippy::disallowed_methods, reason = "the one place that starts real threads")]
pub fn spawn_with_stack<T: Send + 'static>(
    name: &str,
    stack_bytes: usize,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(run)
}

/// Runs `run` on a thread of its own, with a stack of this size, while the caller waits; a panic in it panics the
/// caller.
///
/// # Errors
/// When the operating system has no thread, or no address space; `run` has not run then.
pub fn run_aside<T: Send>(name: &str, stack_bytes: usize, run: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn_scoped(scope, run)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
