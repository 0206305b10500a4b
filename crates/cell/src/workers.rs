//! The threads of a cell.

use std::collections::VecDeque;
use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex, spawn};

/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

/// Threads that carry out jobs in the order in which they came.
pub(crate) struct Workers {
    name: String,
    most: usize,
    shared: Arc<Shared>,
}

impl Shared {
    fn serve(&self) {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                job();
                queue = self.queue.lock();
                continue;
            }
            if queue.closing {
                break;
            }
            queue.idle += 1;
            let timed_out = self.work.wait_for(&mut queue, IDLE).timed_out();
            queue.idle -= 1;
            if timed_out && queue.jobs.is_empty() {
                break;
            }
        }
        queue.threads -= 1;
    }
}

impl Workers {
    pub(crate) fn new(name: String, most: usize) -> Self {
        Self { name, most, shared: Arc::default() }
    }

    /// Has a job done. Where the machine has no thread for it the caller does it.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.jobs.push_back(Box::new(job));
        if queue.idle >= queue.jobs.len() || queue.threads >= self.most {
            drop(queue);
            self.shared.work.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let shared = Arc::clone(&self.shared);
        if spawn(&self.name, move || shared.serve()).is_err() {
            let mut queue = self.shared.queue.lock();
            queue.threads -= 1;
            let job = queue.jobs.pop_back();
            drop(queue);
            if let Some(job) = job {
                job();
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.work.notify_all();
    }
}
