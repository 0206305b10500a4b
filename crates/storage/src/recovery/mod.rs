//! Roll forward: redo from the last checkpoint on is put into the blocks that lack it.
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
use batch::{Batch, batch_bytes};
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

/// What a roll forward did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct RolledForward {
    pub records: u64,
    /// Bytes of redo read.
    pub bytes: u64,
    /// Vectors put into blocks.
    pub applied: u64,
    /// Vectors whose blocks had them already, or whose file is gone.
    pub passed: u64,
    /// The last SCN in the log.
    pub scn: u64,
    /// Blocks that were torn and were put back from the double-write area.
    pub torn: u64,
    pub elapsed_us: u64,
    /// Of that, until the last redo was read and handed on; blocks are worked on meanwhile.
    pub reading_us: u64,
    /// Of that, for writing the blocks: 0 where they are written after the open.
    pub writing_us: u64,
    /// The blocks are written in the background, and the redo is kept until they are.
    pub deferred: bool,
}

/// How many threads are to apply redo where there are so many processors.
pub fn threads(processors: u64) -> usize {
    usize::try_from(processors).unwrap_or(THREADS_MAX).clamp(THREADS_MIN, THREADS_MAX)
}

/// Reads the log to its end and applies it, on so many threads; on none the caller does all of it.
///
/// # Errors
/// ORA-00353 for damaged redo, ORA-00600 for a block that lacks redo from before the checkpoint, those of the cache.
pub fn roll_forward(
    cache: &Arc<Cache>,
    meter: &Arc<Meter>,
    control: &ControlData,
    reader: &mut RedoReader,
    threads: usize,
) -> Result<RolledForward> {
    let start = meter.clock().monotonic_us();
    // A file is made and cut without redo: no change of it may come to seem older than it is.
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
        let batch = Batch::parse(bytes, workers.parts())?;
        done.records += batch.records;
        done.scn = done.scn.max(batch.scn);
        if !workers.apply(batch)? || !more {
            break;
        }
    }
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
    /// Where the SCN goes on.
    #[must_use]
    pub fn next_scn(&self) -> Scn {
        Scn(self.scn + 1)
    }
}
