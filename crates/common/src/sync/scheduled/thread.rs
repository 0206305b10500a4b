//! Threads that the scheduler runs one at a time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::point;

/// A running thread; join it to learn whether it panicked.
#[derive(Debug)]
pub struct JoinHandle<T> {
    thread: shuttle::thread::JoinHandle<T>,
    finished: Arc<AtomicBool>,
}

impl<T> JoinHandle<T> {
    /// # Errors
    /// When the thread has panicked.
    pub fn join(self) -> std::thread::Result<T> {
        self.thread.join()
    }

    #[must_use]
    pub fn is_finished(&self) -> bool {
        point();
        self.finished.load(Ordering::SeqCst)
    }
}

/// Starts a named thread.
///
/// # Errors
/// None: as the machine's.
pub fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    let finished = Arc::new(AtomicBool::new(false));
    let told = finished.clone();
    let thread = shuttle::thread::Builder::new().name(name.to_owned()).spawn(move || {
        let result = run();
        told.store(true, Ordering::SeqCst);
        result
    })?;
    Ok(JoinHandle { thread, finished })
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

/// Calls `run` on the caller's own thread, which would only wait for the other.
///
/// # Errors
/// None: it is as the machine's.
pub fn run_aside<T: Send>(_name: &str, _stack_bytes: usize, run: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(run())
}
