//! The background thread that rebalances a group (`rbal`).

use common::Result;
use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{self, Arc, Condvar, Mutex};

use super::files::MountedGroup;

/// The thread of a group's rebalance, if one runs.
#[derive(Default, Debug)]
pub(super) struct Rebalancing {
    stopping: Arc<AtomicBool>,
    /// The database is being closed: none is started any more.
    closed: AtomicBool,
    /// Locked while one is stopped or started.
    thread: Mutex<Option<sync::JoinHandle<()>>>,
    running: Arc<Running>,
}

/// Whether the thread works.
#[derive(Default, Debug)]
struct Running {
    now: Mutex<bool>,
    ended: Condvar,
}

/// Ends the work when the thread ends, in whatever way.
struct Work(Arc<Running>);

impl Drop for Work {
    fn drop(&mut self) {
        *self.0.now.lock() = false;
        self.0.ended.notify_all();
    }
}

impl MountedGroup {
    /// Starts the rebalance that is wanted, in a thread of its own; with `inline` in the caller's, to its end. An error
    /// of a thread is in V$ASM_OPERATION.
    ///
    /// # Errors
    /// Inline those of [`asm::DiskGroup::run_rebalance`]; ORA-00443 without a thread.
    pub fn start_rebalance(self: &Arc<Self>, inline: bool) -> Result<()> {
        let mut thread = self.rebalancing.thread.lock();
        self.stop_thread(&mut thread);
        if self.rebalancing.closed.load(Ordering::Acquire) || self.group().wanted_rebalance().unwrap_or(0) == 0 {
            return Ok(());
        }
        if inline {
            // Units that are still read keep a disk from leaving: the next rebalance goes on.
            while self.group().rebalance_step()? == asm::Step::Moved {}
            return Ok(());
        }
        self.rebalancing.stopping.store(false, Ordering::Release);
        let (group, stopping) = (Arc::clone(self), Arc::clone(&self.rebalancing.stopping));
        *self.rebalancing.running.now.lock() = true;
        let work = Work(Arc::clone(&self.rebalancing.running));
        let spawned = sync::spawn("rbal", move || {
            let _work = work;
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
        self.stop_thread(&mut self.rebalancing.thread.lock());
    }

    fn stop_thread(&self, thread: &mut Option<sync::JoinHandle<()>>) {
        self.rebalancing.stopping.store(true, Ordering::Release);
        if let Some(thread) = thread.take() {
            let _ = thread.join();
        }
    }

    /// As [`stop_rebalance`](Self::stop_rebalance), and none is started after it.
    pub fn close_rebalance(&self) {
        self.rebalancing.closed.store(true, Ordering::Release);
        self.stop_rebalance();
    }

    /// Waits for the end of the rebalance, or of the one that has taken its place.
    pub fn wait_rebalanced(&self) {
        let Running { now, ended } = &*self.rebalancing.running;
        let mut now = now.lock();
        while *now {
            ended.wait(&mut now);
        }
    }
}
