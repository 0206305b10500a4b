//! The background thread that rebalances a group (`rbal`).

use common::Result;
use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{self, Arc, Mutex};

use super::files::MountedGroup;

/// The thread of a group's rebalance, if one runs.
#[derive(Default, Debug)]
pub(super) struct Rebalancing {
    stopping: Arc<AtomicBool>,
    /// The database is being closed: none is started any more.
    closed: AtomicBool,
    thread: Mutex<Option<sync::JoinHandle<()>>>,
}

impl MountedGroup {
    /// Starts the rebalance that is wanted, in a thread of its own; with `inline` in the caller's, to its end. An error
    /// of a thread is in V$ASM_OPERATION.
    ///
    /// # Errors
    /// Inline those of [`asm::DiskGroup::run_rebalance`]; ORA-00443 without a thread.
    pub fn start_rebalance(self: &Arc<Self>, inline: bool) -> Result<()> {
        self.stop_rebalance();
        if self.rebalancing.closed.load(Ordering::Acquire) || self.group().wanted_rebalance().unwrap_or(0) == 0 {
            return Ok(());
        }
        if inline {
            // Units that are still read keep a disk from leaving: the next rebalance goes on.
            while self.group().rebalance_step()? == asm::Step::Moved {}
            return Ok(());
        }
        let mut thread = self.rebalancing.thread.lock();
        self.rebalancing.stopping.store(false, Ordering::Release);
        let (group, stopping) = (Arc::clone(self), Arc::clone(&self.rebalancing.stopping));
        let spawned = sync::spawn("rbal", move || {
            // The operation keeps the error.
            let _ = group.group().run_rebalance(&stopping);
        });
        *thread = Some(spawned.map_err(|error| {
            let text = format!("cannot start the rebalance of diskgroup \"{}\": {error}", self.name());
            common::Error::new(common::ErrorKind::Io, common::Number::Ora(443), text)
        })?);
        Ok(())
    }

    /// Lets the rebalance end after the moves under way; it stays wanted.
    pub fn stop_rebalance(&self) {
        self.rebalancing.stopping.store(true, Ordering::Release);
        let thread = self.rebalancing.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// As [`stop_rebalance`](Self::stop_rebalance), and none is started after it.
    pub fn close_rebalance(&self) {
        self.rebalancing.closed.store(true, Ordering::Release);
        self.stop_rebalance();
    }

    /// Waits for the end of the rebalance.
    pub fn wait_rebalanced(&self) {
        let thread = self.rebalancing.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
