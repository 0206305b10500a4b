//! Patience with a traced process.

use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use common::{Clock, SystemClock};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{Error, Result};

/// Kills a process that does not end in time.
pub(super) struct Watch {
    over: Arc<AtomicBool>,
    fired: Arc<AtomicBool>,
}

impl Watch {
    const LOOK: Duration = Duration::from_millis(50);

    pub(super) fn start(pid: Pid, patience: Duration) -> Result<Self> {
        let (over, fired) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let watch = Self { over: Arc::clone(&over), fired: Arc::clone(&fired) };
        let run = move || {
            let clock = SystemClock::default();
            let until_us = clock.monotonic_us() + patience.as_micros() as u64;
            while !over.load(Ordering::Relaxed) {
                if clock.monotonic_us() > until_us {
                    fired.store(true, Ordering::Relaxed);
                    // It may just have ended.
                    let _ = kill(pid, Signal::SIGKILL);
                    return;
                }
                std::thread::sleep(Self::LOOK);
            }
        };
        spawn("watch", run).map_err(|error| Error::Io(format!("no thread: {error}")))?;
        Ok(watch)
    }

    /// True when the process was killed.
    pub(super) fn end(self) -> bool {
        self.fired.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
