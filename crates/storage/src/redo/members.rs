//! Writes to the second and further members of a group, beside the write to the first.
//!
//! With one member a group nothing here runs.

use std::collections::VecDeque;
use std::fmt;
use std::io;

use common::sync::{self, Arc, Condvar, JoinHandle, Mutex};
use common::{Error, Result};
use device::AlignedBuffer;

use super::files::{Member, failed};

/// The threads and their queue.
#[derive(Default)]
pub(super) struct MemberWriters {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

struct Job {
    member: Member,
    offset: u64,
    bytes: Arc<AlignedBuffer>,
    done: Arc<Done>,
}

#[derive(Default)]
struct Done {
    results: Mutex<Vec<Result<()>>>,
    more: Condvar,
}

impl fmt::Debug for MemberWriters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemberWriters({} threads)", self.threads.lock().len())
    }
}

fn write_one(member: &Member, offset: u64, bytes: &AlignedBuffer) -> Result<()> {
    let written = member.device.write_durable(offset, &[bytes]);
    written.map_err(|error| failed(345, "redo log write error in", &member.path, &error))
}

impl MemberWriters {
    /// Sees to it that there are at least `wanted` threads.
    pub(super) fn need(&self, wanted: usize) -> Result<()> {
        let mut threads = self.threads.lock();
        while threads.len() < wanted {
            let shared = self.shared.clone();
            let start = sync::spawn(&format!("lm{:02}", threads.len()), move || serve(&shared));
            threads.push(start.map_err(|error| no_thread(&error))?);
        }
        Ok(())
    }

    /// Writes to all members; returns when all have returned.
    ///
    /// # Errors
    /// ORA-00345 when one of them fails.
    pub(super) fn write(&self, members: &[Member], offset: u64, bytes: AlignedBuffer) -> Result<()> {
        let Some((first, others)) = members.split_first() else {
            return Err(Error::bug("a log group without members"));
        };
        // Without threads one after another.
        if others.is_empty() || self.threads.lock().is_empty() {
            return members.iter().try_for_each(|member| write_one(member, offset, &bytes));
        }
        let bytes = Arc::new(bytes);
        let done = Arc::new(Done::default());
        {
            let mut queue = self.shared.queue.lock();
            if queue.closed {
                return Err(Error::bug("a write to a log that is closed"));
            }
            for member in others {
                let (bytes, done) = (bytes.clone(), done.clone());
                queue.jobs.push_back(Job { member: member.clone(), offset, bytes, done });
                self.shared.work.notify_one();
            }
        }
        let mut result = write_one(first, offset, &bytes);
        let mut results = done.results.lock();
        while results.len() < others.len() {
            done.more.wait(&mut results);
        }
        debug_assert_eq!(results.len(), others.len(), "each member answers once");
        for other in results.drain(..) {
            result = result.and(other);
        }
        result
    }

    /// Ends the threads; no write may be under way.
    pub(super) fn close(&self) {
        {
            let mut queue = self.shared.queue.lock();
            debug_assert!(queue.jobs.is_empty(), "{} writes are under way", queue.jobs.len());
            queue.closed = true;
        }
        self.shared.work.notify_all();
        for thread in self.threads.lock().drain(..) {
            let _ = thread.join();
        }
    }
}

pub(super) fn no_thread(error: &io::Error) -> Error {
    Error::new(common::ErrorKind::Io, common::Number::Ora(443), format!("cannot start the log writer: {error}"))
}

fn serve(shared: &Shared) {
    let mut queue = shared.queue.lock();
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            let result = write_one(&job.member, job.offset, &job.bytes);
            job.done.results.lock().push(result);
            job.done.more.notify_all();
            queue = shared.queue.lock();
        } else if queue.closed {
            return;
        } else {
            shared.work.wait(&mut queue);
        }
    }
}
