//! Checkpoints: how far the blocks on disk have come, as places in the log. The database writer's thread writes what is old and notes it.

use std::sync::Weak;
use std::time::Duration;

use common::Result;
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use common::sync::{Arc, Mutex};
use waits::{Event, Meter};

use crate::cache::{Cache, WriterWakes};
use crate::control::ControlFile;
use crate::health::Health;
use crate::redo::{LogGroupRecord, LogHost, Lsn};

/// The writer looks round this often when nobody wakes it.
const PERIOD: Duration = Duration::from_millis(3_000);

/// What the writer's thread, the log and the instance share.
pub struct Checkpoints {
    pub(crate) cache: Arc<Cache>,
    pub(crate) control: Arc<Mutex<ControlFile>>,
    pub(crate) scn: Arc<AtomicU64>,
    pub(crate) health: Arc<Health>,
    pub meter: Arc<Meter>,
    /// Redo before this is not to be needed any more.
    wanted: Arc<AtomicU64>,
    closed: AtomicBool,
    /// One at a time notes how far the blocks are.
    noting: Mutex<()>,
}

impl std::fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Checkpoints")
    }
}

impl Checkpoints {
    pub fn new(
        cache: Arc<Cache>,
        control: Arc<Mutex<ControlFile>>,
        scn: Arc<AtomicU64>,
        health: Arc<Health>,
        meter: Arc<Meter>,
    ) -> Self {
        let (wanted, closed, noting) = (Arc::new(AtomicU64::new(0)), AtomicBool::new(false), Mutex::new(()));
        Self { cache, control, scn, health, meter, wanted, closed, noting }
    }

    /// The writer's thread, until [`Checkpoints::close`] or a failure.
    pub fn run(&self) {
        let wakes = self.cache.wakes().clone();
        loop {
            let centiseconds = PERIOD.as_millis() as u64 / 10;
            self.meter.wait(Event::RdbmsIpcMessage, [centiseconds, 0, 0], -1, || wakes.wait(PERIOD));
            if self.closed.load(Ordering::Acquire) || self.health.check().is_err() || self.round().is_err() {
                return;
            }
        }
    }

    /// One round of the writer: what is cold, and what redo is older than half of what the log files hold, or than a switch has asked for.
    pub fn round(&self) -> Result<()> {
        self.cache.write_round(&self.meter)?;
        let Ok(redo) = self.cache.redo() else { return Ok(()) };
        // A crash shall not have more to read than half of what the log files hold.
        let room: u64 = redo.groups().iter().map(|group| group.record.bytes).sum();
        let wanted = self.wanted.load(Ordering::Acquire).max(redo.end().0.saturating_sub(room / 2));
        self.cache.write_older(&self.meter, Lsn(wanted))?;
        self.note(&self.meter).map(drop)
    }

    /// Redo before `lsn` is not to be needed any more, as soon as may be.
    pub fn want(&self, lsn: Lsn) {
        self.wanted.fetch_max(lsn.0, Ordering::AcqRel);
        self.cache.wakes().post();
    }

    /// Notes in the control file from where on redo is needed, and gives what is before it back to the log; the first redo that a recovery would
    /// read then.
    pub(crate) fn note(&self, meter: &Meter) -> Result<Lsn> {
        let _noting = self.noting.lock();
        let redo = self.cache.redo()?;
        let needed = self.cache.redo_needed_from(meter)?;
        let first = redo.read_from(needed);
        let place = redo.position(needed);
        let scn = self.scn.load(Ordering::Acquire);
        if self.control.lock().data().checkpoint != Some(place) {
            let noted = self.control.lock().update(|data| {
                data.checkpoint = Some(place);
                data.scn = scn;
            });
            noted.map_err(|error| self.health.stop(&error))?;
        }
        redo.checkpointed(needed)?;
        Ok(first)
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.cache.wakes().post();
    }
}

/// The log's view of the instance: not the cache, which has the log.
pub struct Host {
    control: Arc<Mutex<ControlFile>>,
    scn: Arc<AtomicU64>,
    wanted: Arc<AtomicU64>,
    wakes: Arc<WriterWakes>,
    /// Weak: the checkpoints' cache has the log.
    checkpoints: Weak<Checkpoints>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    pub fn new(checkpoints: &Arc<Checkpoints>) -> Self {
        Self {
            checkpoints: Arc::downgrade(checkpoints),
            control: checkpoints.control.clone(),
            scn: checkpoints.scn.clone(),
            wanted: checkpoints.wanted.clone(),
            wakes: checkpoints.cache.wakes().clone(),
        }
    }
}

impl LogHost for Host {
    fn store(&self, groups: &[LogGroupRecord]) -> Result<()> {
        self.control.lock().update(|data| data.log_groups = groups.to_vec())
    }

    fn scn(&self) -> u64 {
        self.scn.load(Ordering::Acquire)
    }

    fn checkpoint_wanted(&self, before: Lsn, _urgent: bool) {
        self.wanted.fetch_max(before.0, Ordering::AcqRel);
        self.wakes.post();
    }

    fn inline(&self) -> bool {
        self.wakes.is_inline()
    }

    fn writer_round(&self) -> Result<()> {
        self.checkpoints.upgrade().map_or(Ok(()), |checkpoints| checkpoints.round())
    }
}
