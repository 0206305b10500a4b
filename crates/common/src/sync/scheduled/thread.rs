//! Threads that the scheduler runs one at a time.

use std::io;

/// A running thread; join it to learn whether it panicked.
pub type JoinHandle<T> = shuttle::thread::JoinHandle<T>;

/// Starts a named thread.
///
/// # Errors
/// None: it is as the machine's.
pub fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    shuttle::thread::Builder::new().name(name.to_owned()).spawn(run)
}

/// As [`spawn`]: every thread has the stack that an [`explore`](super::explore) gives it.
///
/// # Errors
/// None: it is as the machine's.
pub fn spawn_with_stack<T: Send + 'static>(
    name: &str,
    _stack_bytes: usize,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    spawn(name, run)
}

/// Does `run` on the caller's own thread, which would only wait for the other.
///
/// # Errors
/// None: it is as the machine's.
pub fn run_aside<T: Send>(_name: &str, _stack_bytes: usize, run: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(run())
}
