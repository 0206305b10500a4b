//! Roll forward: applies redo from the last checkpoint on to the blocks that lack it.
//!
//! See README.md in this folder.

mod apply;
mod batch;
mod torn;
mod unowned;
mod workers;

use apply::Target;
#[cfg(any(test, feature = "testing"))]
pub use batch::BATCH_BYTES_OF_TEST;
use batch::{RedoBatch, batch_bytes};
use common::sync::Arc;
use common::{Result, Scn};
use waits::Meter;
use workers::Workers;

use crate::cache::Cache;
use crate::control::{ControlData, DatafileRecord};
use crate::redo::RedoReader;

pub use torn::repair_torn;
pub use unowned::free_unowned;

/// Threads that apply redo: two even on one processor, because one may wait for blocks.
const THREADS_MIN: usize = 2;
const THREADS_MAX: usize = 4;

/// Figures of a roll forward.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct RolledForward {
    pub records: u64,
    /// Bytes of redo read.
    pub bytes: u64,
    /// Vectors applied to blocks.
    pub applied: u64,
    /// Vectors passed over: their blocks had them already, or their file is gone.
    pub passed: u64,
    /// The last SCN in the log.
    pub scn: u64,
    /// Torn blocks that were put back from the double-write area.
    pub torn: u64,
    pub elapsed_us: u64,
    /// Part of it until the last redo was read and handed on; the threads apply redo meanwhile.
    pub reading_us: u64,
    /// Part of it for writing the blocks: 0 where they are written after the open.
    pub writing_us: u64,
    /// True: the blocks are written in the background after the open, and the redo is kept until then.
    pub deferred: bool,
}

/// Number of threads that apply redo on a machine with so many processors.
pub fn threads(processors: u64) -> usize {
    usize::try_from(processors).unwrap_or(THREADS_MAX).clamp(THREADS_MIN, THREADS_MAX)
}

/// Reads the log to its end and applies it on `threads` threads; with 0 the caller does all the work.
///
/// # Errors
/// ORA-00353 for damaged redo, ORA-00600 for a block that lacks redo from before the checkpoint, errors of the cache.
pub fn roll_forward(
    cache: &Arc<Cache>,
    meter: &Arc<Meter>,
    control: &ControlData,
    reader: &mut RedoReader,
    threads: usize,
) -> Result<RolledForward> {
    let start = meter.clock().monotonic_us();
    // Creating and cutting a file makes no redo, so their SCNs count too: a later change of the file must not get an
    // SCN from before them.
    let cut = |file: &DatafileRecord| file.cuts.last().map_or(0, |(scn, _)| *scn);
    let created = control.datafiles.iter().map(|file| file.created_scn.max(cut(file))).max().unwrap_or(0);
    let mut done = RolledForward { scn: control.scn.max(created), ..RolledForward::default() };
    let target = Arc::new(Target::new(cache, meter, control, reader.lsn())?);
    let mut workers = Workers::start(&target, threads)?;
    let most = batch_bytes();
    loop {
        let mut bytes = Vec::with_capacity(most + most / 4);
        let more = reader.next_writes(&mut bytes, most)?;
        done.bytes += bytes.len() as u64;
        let batch = RedoBatch::parse(bytes, workers.parts())?;
        done.records += batch.records;
        done.scn = done.scn.max(batch.scn);
        if !workers.apply(batch)? || !more {
            break;
        }
    }
    debug_assert!(done.records == 0 || done.bytes > 0, "records without redo: {done:?}");
    done.reading_us = meter.clock().monotonic_us() - start;
    for applier in workers.finish()? {
        done.applied += applier.applied;
        done.passed += applier.passed;
        if let Some(error) = applier.torn.into_values().next() {
            return Err(error);
        }
    }
    Ok(done)
}

impl RolledForward {
    /// The SCN from which the instance goes on.
    #[must_use]
    pub fn next_scn(&self) -> Scn {
        Scn(self.scn + 1)
    }
}
