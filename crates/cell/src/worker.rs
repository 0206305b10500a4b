//! A thread that does one thing after another for a cell, as long as there is something to do.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex, spawn};

/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    running: bool,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

/// Does what it is given, in that order.
pub(crate) struct Worker {
    name: String,
    shared: Arc<Shared>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Worker({})", self.name)
    }
}

impl Shared {
    fn serve(&self) {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.queue.lock();
            } else if queue.closing || (self.work.wait_for(&mut queue, IDLE).timed_out() && queue.jobs.is_empty()) {
                queue.running = false;
                return;
            }
        }
    }
}

impl Worker {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), shared: Arc::default() }
    }

    /// Has a job done after those given before. Without a thread the caller does it.
    pub(crate) fn give(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.jobs.push_back(Box::new(job));
        if queue.running {
            drop(queue);
            self.shared.work.notify_one();
            return;
        }
        queue.running = true;
        let serving = Arc::clone(&self.shared);
        if spawn(&self.name, move || serving.serve()).is_err() {
            queue.closing = true;
            drop(queue);
            self.shared.serve();
            self.shared.queue.lock().closing = false;
        }
    }

    /// Jobs in the queue.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.queue.lock().jobs.len()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.work.notify_all();
    }
}
