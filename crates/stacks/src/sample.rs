//! A sampling thread that takes another thread's stack at a fixed interval, or the stacks of several that work for the
//! same session, one after the other.

use std::collections::HashMap;
use std::time::Duration;

use common::sync::{Arc, Condvar, JoinHandle, Mutex, ThreadId, spawn};
use common::{Clock, Error, ErrorKind, Result, SystemClock};

use crate::profile::Profile;
use crate::signal;
use crate::stack::reader;

/// Longest wait for one stack; after it the tick is added to the next.
const ANSWER_MOST: Duration = Duration::from_millis(500);
const FREQUENCY_MAX: u32 = 10_000;

/// Addresses, innermost first, and the ticks spent there.
type Found = HashMap<Vec<u64>, u64>;

#[derive(Default)]
struct Stopping {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Stopping {
    fn stop(&self) {
        *self.stopped.lock() = true;
        self.changed.notify_all();
    }

    /// Waits for the interval or until the stop; true: to stop.
    fn wait(&self, most: Duration) -> bool {
        let mut stopped = self.stopped.lock();
        if !*stopped {
            self.changed.wait_for(&mut stopped, most);
        }
        *stopped
    }
}

/// A profile under way. It ends when this is stopped or dropped.
pub struct Sampler {
    stopping: Arc<Stopping>,
    thread: Option<JoinHandle<Result<Found>>>,
    frequency: u32,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampler").field("frequency", &self.frequency).finish_non_exhaustive()
    }
}

impl Sampler {
    /// Begins to take a stack `frequency` times a second, that of the thread which `whose` names at the moment, whether
    /// it works or waits. While `whose` names none nothing is taken, and the time does not count.
    ///
    /// # Errors
    /// HW-0003 for a frequency that is not 1 to 10,000; HW-0002 when the operating system refuses what is needed.
    pub fn start(whose: impl Fn() -> Option<ThreadId> + Send + 'static, frequency: u32) -> Result<Self> {
        if !(1..=FREQUENCY_MAX).contains(&frequency) {
            let text = format!("stacks can be taken 1 to {FREQUENCY_MAX} times a second, not {frequency}");
            return Err(Error::own(ErrorKind::User, 3, text));
        }
        // One-time set-up is done before the first tick.
        crate::take(ThreadId::current(), ANSWER_MOST)?;
        let stopping = Arc::<Stopping>::default();
        let theirs = Arc::clone(&stopping);
        let sampling = spawn("profiler", move || sample(&whose, frequency, &theirs))
            .map_err(|error| Error::own(ErrorKind::OutOfResource, 2, format!("the profiler's thread: {error}")))?;
        Ok(Self { stopping, thread: Some(sampling), frequency })
    }

    /// Ends it.
    ///
    /// # Errors
    /// HW-0002 when the operating system has refused to give a stack.
    pub fn stop(mut self) -> Result<Profile> {
        self.stopping.stop();
        let joined = self.thread.take().map(JoinHandle::join);
        let Some(Ok(found)) = joined else { return Err(Error::bug("the profiler's thread has panicked")) };
        let mut reader = reader()?.lock();
        let mut profile = Profile::new(self.frequency);
        for (addresses, ticks) in found? {
            profile.add(&reader.stack(&addresses), ticks);
        }
        Ok(profile)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stopping.stop();
    }
}

/// Takes stacks until the stop. A stack counts for all ticks since the one before, so that a thread which could not
/// answer for a while does not count as absent.
fn sample(whose: &dyn Fn() -> Option<ThreadId>, frequency: u32, stopping: &Stopping) -> Result<Found> {
    let clock = SystemClock::default();
    let period_us = 1_000_000 / u64::from(frequency);
    let mut found = Found::new();
    let mut due_us = clock.monotonic_us() + period_us;
    loop {
        let left = due_us.saturating_sub(clock.monotonic_us());
        if stopping.wait(Duration::from_micros(left)) {
            return Ok(found);
        }
        let copied = match whose().map(|thread| signal::copy(thread, ANSWER_MOST)) {
            Some(Ok(copied)) => copied,
            Some(Err(error)) if error.kind == ErrorKind::Retry => continue,
            Some(Err(error)) if !error.is_ora(72) => return Err(error),
            None | Some(Err(_)) => {
                due_us = clock.monotonic_us() + period_us;
                continue;
            }
        };
        let addresses = reader()?.lock().addresses(&copied);
        let ticks = clock.monotonic_us().saturating_sub(due_us) / period_us + 1;
        due_us += ticks * period_us;
        *found.entry(addresses).or_default() += ticks;
    }
}
