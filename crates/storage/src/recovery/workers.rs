//! Threads that apply redo while the next batch is read. Each has blocks of its own, so each block's redo is applied in
//! the order of the log.

use std::collections::VecDeque;

use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use common::{Error, ErrorKind, Number, Result};

use super::apply::{Applier, Target};
use super::batch::RedoBatch;

/// Most batches that wait for the slowest thread.
const WAITING_MAX: usize = 2;

/// The threads that apply redo.
pub(super) enum Workers {
    /// The thread that reads the log applies the redo too.
    Inline(Applier),
    Threads(Vec<Worker>),
}

pub(super) struct Worker {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<Result<Applier>>>,
}

/// Batches on their way to one thread.
#[derive(Default)]
struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    batches: VecDeque<Arc<RedoBatch>>,
    /// The reader puts no more batches in.
    closed: bool,
    /// The thread takes no more batches.
    ended: bool,
}

impl Queue {
    /// Puts a batch in, after a wait while the queue is full. False when the thread has ended.
    fn put(&self, batch: Arc<RedoBatch>) -> bool {
        let mut state = self.state.lock();
        while state.batches.len() >= WAITING_MAX && !state.ended {
            self.changed.wait(&mut state);
        }
        debug_assert!(!state.closed, "a batch is put into a closed queue");
        debug_assert!(state.batches.len() < WAITING_MAX || state.ended, "{} batches wait", state.batches.len());
        state.batches.push_back(batch);
        self.changed.notify_all();
        !state.ended
    }

    fn take(&self) -> Option<Arc<RedoBatch>> {
        let mut state = self.state.lock();
        loop {
            if let Some(batch) = state.batches.pop_front() {
                self.changed.notify_all();
                return Some(batch);
            }
            if state.closed {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    fn set(&self, what: impl FnOnce(&mut Waiting)) {
        what(&mut self.state.lock());
        self.changed.notify_all();
    }
}

/// The thread's end of a queue. Its drop frees the reader from waiting, even after an error or a panic of the thread.
struct Taking(Arc<Queue>);

impl Drop for Taking {
    fn drop(&mut self) {
        self.0.set(|state| state.ended = true);
    }
}

impl Workers {
    /// Starts `threads` threads; with 0 the caller applies the redo.
    ///
    /// # Errors
    /// ORA-00443 when the operating system refuses a thread.
    pub(super) fn start(target: &Arc<Target>, threads: usize) -> Result<Self> {
        if threads == 0 {
            return Ok(Self::Inline(Applier::new(target.clone())));
        }
        let mut workers = Self::Threads(Vec::new());
        for part in 0..threads {
            let queue = Arc::new(Queue::default());
            let (mut applier, taking) = (Applier::new(target.clone()), Taking(queue.clone()));
            let run = move || {
                while let Some(batch) = taking.0.take() {
                    applier.apply(&batch, part)?;
                }
                Ok(applier)
            };
            let thread = spawn(&format!("p{part:03}"), run).map_err(|error| {
                let text = format!("cannot start a process for recovery: {error}");
                Error::new(ErrorKind::OutOfResource, Number::Ora(443), text)
            })?;
            if let Self::Threads(all) = &mut workers {
                all.push(Worker { queue, thread: Some(thread) });
            }
        }
        Ok(workers)
    }

    /// Number of parts into which a batch is to be cut.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Inline(_) => 1,
            Self::Threads(all) => all.len(),
        }
    }

    /// Hands a batch to the threads, which apply it later. False when a thread has failed: [`Workers::finish`] returns
    /// its error.
    ///
    /// # Errors
    /// Without threads, errors of [`Applier::apply`].
    pub(super) fn apply(&mut self, batch: RedoBatch) -> Result<bool> {
        match self {
            Self::Inline(applier) => applier.apply(&batch, 0).map(|()| true),
            Self::Threads(all) => {
                let batch = Arc::new(batch);
                Ok(all.iter().all(|worker| worker.queue.put(batch.clone())))
            }
        }
    }

    /// Waits until every batch is applied. Returns the appliers with their figures.
    ///
    /// # Errors
    /// Errors of [`Applier::apply`].
    pub(super) fn finish(self) -> Result<Vec<Applier>> {
        match self {
            Self::Inline(applier) => Ok(vec![applier]),
            Self::Threads(mut all) => {
                all.iter().for_each(|worker| worker.queue.set(|state| state.closed = true));
                let ended: Vec<_> = all.iter_mut().filter_map(|worker| worker.thread.take()).map(joined).collect();
                ended.into_iter().collect()
            }
        }
    }
}

fn joined(thread: JoinHandle<Result<Applier>>) -> Result<Applier> {
    thread.join().unwrap_or_else(|_| Err(Error::bug("a process of the recovery panicked")))
}

/// Ends the thread and waits for it, so that a failed recovery leaves no thread behind.
impl Drop for Worker {
    fn drop(&mut self) {
        self.queue.set(|state| state.closed = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
