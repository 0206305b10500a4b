//! Reads in the background by a few threads, where io_uring does not work.
//!
//! Threads are started when reads queue up and none is idle, up to [`THREADS_MAX`]; they end with the pool. Without any
//! thread (the operating system gives none) a read is done by its submitter.

use std::collections::VecDeque;
use std::fmt;
use std::io;

use common::sync::{self, Arc, Condvar, Mutex};

use super::file::OsFile;
use crate::buffer::AlignedBuffer;
use crate::device::{PendingRead, ReadInFlight};

const THREADS_MAX: usize = 8;

/// The threads' common queue; dropping it ends them.
pub(super) struct ReadPool {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<PoolState>,
    work: Condvar,
}

#[derive(Default)]
struct PoolState {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

struct Job {
    file: Arc<OsFile>,
    offset: u64,
    buffers: Vec<AlignedBuffer>,
    /// Told the result, or that there will be none.
    answer: Answer,
}

#[derive(Default)]
struct Slot {
    result: Mutex<Option<io::Result<Vec<AlignedBuffer>>>>,
    filled: Condvar,
}

/// The thread's end of a slot. Dropped without a result it reports that the thread was lost.
struct Answer(Option<Arc<Slot>>);

impl Answer {
    fn give(mut self, result: io::Result<Vec<AlignedBuffer>>) {
        if let Some(slot) = self.0.take() {
            fill(&slot, result);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            fill(&slot, Err(io::Error::other("the thread that was to read has ended")));
        }
    }
}

fn fill(slot: &Slot, result: io::Result<Vec<AlignedBuffer>>) {
    *slot.result.lock() = Some(result);
    slot.filled.notify_all();
}

impl fmt::Debug for ReadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadPool({} threads)", self.shared.state.lock().threads)
    }
}

impl ReadPool {
    pub(super) fn new() -> Self {
        Self { shared: Arc::default() }
    }

    pub(super) fn submit(&self, file: &Arc<OsFile>, offset: u64, buffers: Vec<AlignedBuffer>) -> PendingRead {
        let slot = Arc::new(Slot::default());
        let mut state = self.shared.state.lock();
        if state.idle <= state.queue.len() && state.threads < THREADS_MAX {
            let shared = Arc::clone(&self.shared);
            if sync::spawn("read", move || serve(&shared)).is_ok() {
                state.threads += 1;
            }
        }
        let job = Job { file: Arc::clone(file), offset, buffers, answer: Answer(Some(Arc::clone(&slot))) };
        if state.threads == 0 {
            drop(state);
            run(job);
        } else {
            state.queue.push_back(job);
            drop(state);
            self.shared.work.notify_one();
        }
        PendingRead::new(PoolRead(slot))
    }
}

impl Drop for ReadPool {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.work.notify_all();
    }
}

fn serve(shared: &Shared) {
    let mut state = shared.state.lock();
    loop {
        if let Some(job) = state.queue.pop_front() {
            drop(state);
            run(job);
            state = shared.state.lock();
        } else if state.closed {
            return;
        } else {
            state.idle += 1;
            shared.work.wait(&mut state);
            state.idle -= 1;
        }
    }
}

fn run(job: Job) {
    let Job { file, offset, mut buffers, answer } = job;
    let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|b| &mut **b).collect();
    let result = file.read(offset, &mut parts);
    answer.give(result.map(|()| buffers));
}

struct PoolRead(Arc<Slot>);

impl ReadInFlight for PoolRead {
    fn is_done(&mut self) -> bool {
        self.0.result.lock().is_some()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let mut result = self.0.result.lock();
        loop {
            if let Some(result) = result.take() {
                return result;
            }
            self.0.filled.wait(&mut result);
        }
    }
}
