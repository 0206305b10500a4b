//! Threads that carry out the requests to one disk, so that a caller can give up a request that does not end.
//!
//! A thread that the operating system holds in a request cannot be called back. So the request is made by a thread of
//! the disk's lane, on memory of its own, and the caller waits for it as long as its patience lasts. Each disk has
//! its own threads, so a disk that hangs does not hold up requests to others.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use common::interconnect;
use common::sync::{Arc, Condvar, Mutex, spawn_with_stack};
use device::Claim;

use crate::buffers::Buffers;

/// Threads of a disk at most; further requests wait for one of them.
const THREADS_MAX: usize = 32;
/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(10);
/// The threads call the device and nothing else.
const STACK_BYTES: usize = 512 << 10;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    /// Requests that were given up and have not ended.
    given_up: usize,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Signalled when there is a job, and at the end.
    work: Condvar,
}

/// The requests to one disk.
pub(crate) struct Lane {
    name: String,
    patience: Duration,
    /// For the requests of all lanes.
    buffers: Arc<Buffers>,
    /// The right to use the disk, for as long as a request is under way.
    claim: OnceLock<Arc<Claim>>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lane({})", self.name)
    }
}

/// A request under way.
pub(crate) struct Started<T> {
    slot: Arc<Slot<T>>,
    shared: Arc<Shared>,
    patience: Duration,
}

struct Slot<T> {
    outcome: Mutex<Outcome<T>>,
    done: Condvar,
}

enum Outcome<T> {
    UnderWay,
    GivenUp,
    /// With what the request has had carried to and from a cell.
    Done(io::Result<T>, interconnect::Carried),
}

fn late(patience: Duration) -> io::Error {
    let text = format!("no answer within {} seconds", patience.as_secs_f64());
    io::Error::new(io::ErrorKind::TimedOut, text)
}

impl Shared {
    /// What a thread of the lane does.
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

impl Lane {
    fn new(path: &Path, patience: Duration, buffers: Arc<Buffers>) -> Self {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self { name, patience, buffers, claim: OnceLock::new(), shared: Arc::default() }
    }

    /// Has a request made. The caller waits for it with [`Started::wait`], or drops it.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] while a request that was given up is still under way.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        request: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<Started<T>> {
        let slot = Arc::new(Slot { outcome: Mutex::new(Outcome::UnderWay), done: Condvar::new() });
        let started = Started { slot: Arc::clone(&slot), shared: Arc::clone(&self.shared), patience: self.patience };
        let shared = Arc::downgrade(&self.shared);
        let session = interconnect::session();
        let job = Box::new(move || {
            interconnect::set_session(session);
            let result = request();
            let carried = interconnect::take();
            let mut outcome = slot.outcome.lock();
            if matches!(*outcome, Outcome::GivenUp)
                && let Some(shared) = shared.upgrade()
            {
                shared.queue.lock().given_up -= 1;
            }
            *outcome = Outcome::Done(result, carried);
            drop(outcome);
            slot.done.notify_all();
        });
        let mut queue = self.shared.queue.lock();
        if queue.given_up > 0 {
            return Err(late(self.patience));
        }
        queue.jobs.push_back(job);
        if queue.idle >= queue.jobs.len() || queue.threads == THREADS_MAX {
            drop(queue);
            self.shared.work.notify_one();
            return Ok(started);
        }
        queue.threads += 1;
        drop(queue);
        let serving = Arc::clone(&self.shared);
        let spawned = spawn_with_stack(&format!("disk {}", self.name), STACK_BYTES, move || serving.serve());
        if spawned.is_err() {
            // The machine has no thread: the caller serves, and waits for as long as that takes.
            let mut queue = self.shared.queue.lock();
            queue.threads -= 1;
            let job = queue.jobs.pop_back();
            drop(queue);
            if let Some(job) = job {
                job();
            }
        }
        Ok(started)
    }

    /// Has the lane keep the right to use the disk until its last request has ended.
    pub(crate) fn keep(&self, claim: &Arc<Claim>) {
        self.claim.get_or_init(|| Arc::clone(claim));
    }

    pub(crate) fn buffers(&self) -> &Arc<Buffers> {
        &self.buffers
    }

    /// Requests that were given up and have not ended.
    fn given_up(&self) -> usize {
        self.shared.queue.lock().given_up
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.work.notify_all();
    }
}

impl<T> Started<T> {
    pub(crate) fn is_done(&self) -> bool {
        matches!(*self.slot.outcome.lock(), Outcome::Done(..))
    }

    /// The outcome of the request.
    ///
    /// # Errors
    /// The request's own; [`io::ErrorKind::TimedOut`] when it has not ended in time. It may still end then.
    pub(crate) fn wait(self) -> io::Result<T> {
        let mut outcome = self.slot.outcome.lock();
        let mut timed_out = false;
        loop {
            match std::mem::replace(&mut *outcome, Outcome::UnderWay) {
                Outcome::Done(result, carried) => {
                    interconnect::note_all(carried);
                    return result;
                }
                _ if timed_out => {
                    *outcome = Outcome::GivenUp;
                    self.shared.queue.lock().given_up += 1;
                    return Err(late(self.patience));
                }
                _ => timed_out = self.slot.done.wait_for(&mut outcome, self.patience).timed_out(),
            }
        }
    }
}

/// The lanes of all disks that are in use.
#[derive(Debug)]
pub struct Lanes {
    patience: Duration,
    buffers: Arc<Buffers>,
    lanes: Mutex<BTreeMap<PathBuf, Weak<Lane>>>,
}

impl Lanes {
    /// Requests to disks of mirrored groups are given up after `patience`.
    #[must_use]
    pub fn new(patience: Duration) -> Self {
        Self { patience, buffers: Arc::default(), lanes: Mutex::default() }
    }

    /// The lane of a disk.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] while requests to the disk that were given up are still under way: a write among
    /// them could reach it after later ones.
    pub(crate) fn of(&self, path: &Path) -> io::Result<Arc<Lane>> {
        let mut lanes = self.lanes.lock();
        lanes.retain(|_, lane| lane.strong_count() > 0);
        if let Some(lane) = lanes.get(path).and_then(Weak::upgrade) {
            return match lane.given_up() {
                0 => Ok(lane),
                count => {
                    let text = format!("{count} requests that were given up have not ended yet");
                    Err(io::Error::new(io::ErrorKind::TimedOut, text))
                }
            };
        }
        let lane = Arc::new(Lane::new(path, self.patience, Arc::clone(&self.buffers)));
        lanes.insert(path.to_owned(), Arc::downgrade(&lane));
        Ok(lane)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_request_that_does_not_end_is_given_up_and_the_lane_refuses_others_until_it_ends() {
        let lanes = Lanes::new(Duration::from_millis(50));
        let lane = lanes.of(Path::new("/d/one")).unwrap();
        let (release, held) = mpsc::channel::<()>();
        let hanging = lane.start(move || Ok(held.recv())).unwrap();
        let quick = lane.start(|| Ok(7)).unwrap();
        assert_eq!(quick.wait().unwrap(), 7);
        assert_eq!(hanging.wait().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(lane.start(|| Ok(8)).err().unwrap().kind(), io::ErrorKind::TimedOut);
        assert_eq!(lanes.of(Path::new("/d/one")).unwrap_err().kind(), io::ErrorKind::TimedOut);
        lanes.of(Path::new("/d/two")).unwrap();
        release.send(()).unwrap();
        while lane.given_up() > 0 {
            std::thread::yield_now();
        }
        assert_eq!(lanes.of(Path::new("/d/one")).unwrap().start(|| Ok(9)).unwrap().wait().unwrap(), 9);
    }

    /// A caller that drops a request does not wait for it; the lane's threads end once the lane is dropped.
    #[test]
    fn requests_are_dropped_and_threads_end() {
        let lanes = Lanes::new(Duration::from_secs(20));
        let lane = lanes.of(Path::new("one")).unwrap();
        let requests: Vec<_> = (0..100).map(|number| lane.start(move || Ok(number)).unwrap()).collect();
        assert!(lane.shared.queue.lock().threads <= THREADS_MAX);
        let sum: i32 = requests.into_iter().map(|request| request.wait().unwrap()).sum();
        assert_eq!(sum, 4950);
        let (release, held) = mpsc::channel::<()>();
        drop(lane.start(move || Ok(held.recv())).unwrap());
        let shared = Arc::clone(&lane.shared);
        drop(lane);
        drop(release);
        while shared.queue.lock().threads > 0 {
            std::thread::yield_now();
        }
    }
}
