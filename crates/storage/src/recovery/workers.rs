//! Threads that apply redo, each that of blocks of its own, while the next batch is read: so for each block the order of the log is kept.

use std::collections::VecDeque;

use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use common::{Error, ErrorKind, Number, Result};

use super::apply::{Applier, Target};
use super::batch::Batch;

/// Batches that wait for the slowest.
const WAITING_MAX: usize = 2;

/// The threads that apply redo.
pub(super) enum Workers {
    /// The thread that reads the log.
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
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    batches: VecDeque<Arc<Batch>>,
    /// Nothing more comes.
    closed: bool,
    /// Nothing more is taken.
    ended: bool,
}

impl Queue {
    /// False when nobody takes it any more.
    fn put(&self, batch: Arc<Batch>) -> bool {
        let mut state = self.state.lock();
        while state.batches.len() >= WAITING_MAX && !state.ended {
            self.changed.wait(&mut state);
        }
        state.batches.push_back(batch);
        self.changed.notify_all();
        !state.ended
    }

    fn take(&self) -> Option<Arc<Batch>> {
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

    fn set(&self, what: impl FnOnce(&mut State)) {
        what(&mut self.state.lock());
        self.changed.notify_all();
    }
}

/// Lets go of who puts batches in, however the thread ends.
struct Taking(Arc<Queue>);

impl Drop for Taking {
    fn drop(&mut self) {
        self.0.set(|state| state.ended = true);
    }
}

impl Workers {
    /// `threads` of them; without threads the caller applies.
    ///
    /// # Errors
    /// ORA-00443 when there is no thread to be had.
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

    /// Into how many parts a batch is to be cut.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Inline(_) => 1,
            Self::Threads(all) => all.len(),
        }
    }

    /// Has a batch applied, some time. False when that has failed: [`Workers::finish`] says why.
    ///
    /// # Errors
    /// Without threads, those of [`Applier::apply`].
    pub(super) fn apply(&mut self, batch: Batch) -> Result<bool> {
        match self {
            Self::Inline(applier) => applier.apply(&batch, 0).map(|()| true),
            Self::Threads(all) => {
                let batch = Arc::new(batch);
                Ok(all.iter().all(|worker| worker.queue.put(batch.clone())))
            }
        }
    }

    /// Waits until everything is applied.
    ///
    /// # Errors
    /// Those of [`Applier::apply`].
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

/// A recovery that has failed leaves no thread behind.
impl Drop for Worker {
    fn drop(&mut self) {
        self.queue.set(|state| state.closed = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
