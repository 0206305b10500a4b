//! Checkpoints: places in the log up to which the blocks on disk have all redo. The database writer's thread writes old
//! buffers and notes the checkpoint.

use std::sync::Weak;
use std::time::Duration;

use common::Result;
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use common::sync::{Arc, Mutex};
use waits::{Event, Meter};

use crate::cache::{Cache, WriterWakes};
use crate::control::ControlFile;
use crate::health::Health;
use crate::redo::{LogGroupRecord, LogInstance, Lsn};

/// Interval of the writer's rounds when no session wakes it.
const PERIOD: Duration = Duration::from_millis(3_000);

/// State that the writer's thread, the log and the instance share.
pub struct Checkpoints {
    pub(crate) cache: Arc<Cache>,
    pub(crate) control: Arc<Mutex<ControlFile>>,
    pub(crate) scn: Arc<AtomicU64>,
    pub(crate) health: Arc<Health>,
    pub meter: Arc<Meter>,
    /// The writer is to write blocks until no redo before this is needed.
    wanted: Arc<AtomicU64>,
    closed: AtomicBool,
    /// Held while a caller notes a checkpoint: one caller at a time.
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

    /// Body of the writer's thread; returns after [`Checkpoints::close`] or a failure.
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

    /// One round of the writer. It writes cold buffers, then buffers whose redo is older than half of what the log
    /// files hold, or older than a switch has asked for; then it notes the checkpoint.
    pub fn round(&self) -> Result<()> {
        self.cache.write_round(&self.meter)?;
        let Ok(redo) = self.cache.redo() else { return Ok(()) };
        // Recovery after a crash shall not read more than half of what the log files hold.
        let room: u64 = redo.groups().iter().map(|group| group.record.bytes).sum();
        let wanted = self.wanted.load(Ordering::Acquire).max(redo.end().0.saturating_sub(room / 2));
        self.cache.write_older(&self.meter, Lsn(wanted))?;
        self.note(&self.meter).map(drop)
    }

    /// Asks the writer to write soon the buffers that need redo from before `lsn`.
    pub fn want(&self, lsn: Lsn) {
        self.wanted.fetch_max(lsn.0, Ordering::AcqRel);
        self.cache.wakes().post();
    }

    /// Notes in the control file where the needed redo starts, and gives the redo before it back to the log. Returns
    /// the first redo that a recovery would now read.
    pub(crate) fn note(&self, meter: &Meter) -> Result<Lsn> {
        let _noting = self.noting.lock();
        let redo = self.cache.redo()?;
        let needed = self.cache.redo_needed_from(meter)?;
        let first = redo.read_from(needed);
        let place = redo.position(needed);
        debug_assert!(needed <= redo.end(), "{needed:?} is needed of {:?}", redo.end());
        debug_assert!(place.sequence <= redo.sequence(), "a checkpoint at {place:?}, in a sequence to come");
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

/// The log's view of the instance. It does not own the cache, because the cache owns the log.
pub struct InstanceForLog {
    control: Arc<Mutex<ControlFile>>,
    scn: Arc<AtomicU64>,
    wanted: Arc<AtomicU64>,
    wakes: Arc<WriterWakes>,
    /// Weak: the cache of the checkpoints owns the log.
    checkpoints: Weak<Checkpoints>,
}

impl std::fmt::Debug for InstanceForLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InstanceForLog")
    }
}

impl InstanceForLog {
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

impl LogInstance for InstanceForLog {
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
