//! Writes around the buffers: of blocks that are nobody's yet, and of file headers.

use common::sync::{Arc, Mutex};
use common::{BlockAddress, Result};
use waits::{Event, Meter};

use super::Cache;
use crate::redo::Lsn;
use crate::tablespace::Datafile;

/// From where in the log redo of such writes is needed, while they are not on disk.
#[derive(Default, Debug)]
pub(super) struct Around(Mutex<Vec<Lsn>>);

/// Redo from a place on stays needed until this is dropped, which is when the blocks have been written to their file.
#[derive(Debug)]
pub(crate) struct RedoKept {
    cache: Arc<Cache>,
    from: Lsn,
}

impl Drop for RedoKept {
    fn drop(&mut self) {
        let mut kept = self.cache.around.0.lock();
        if let Some(at) = kept.iter().position(|from| *from == self.from) {
            kept.swap_remove(at);
        }
    }
}

impl Around {
    /// The least place that is needed.
    pub(super) fn needed_from(&self) -> Option<Lsn> {
        self.0.lock().iter().min().copied()
    }
}

impl Cache {
    /// Keeps the redo that will be made from now on.
    ///
    /// # Errors
    /// Before the instance has opened its log.
    pub(crate) fn keep_redo(self: &Arc<Self>) -> Result<RedoKept> {
        let mut kept = self.around.0.lock();
        let from = self.redo()?.end();
        kept.push(from);
        drop(kept);
        Ok(RedoKept { cache: self.clone(), from })
    }

    /// Writes a sealed block that has no redo, durably; a crash leaves it as it was or as it shall be.
    ///
    /// # Errors
    /// ORA-01114.
    pub(crate) fn write_whole(
        &self,
        meter: &Meter,
        file: &Datafile,
        address: BlockAddress,
        block: &[u8],
    ) -> Result<()> {
        let area = self.double_write().map(|area| area.write(&[address], block)).transpose()?;
        let at = [u64::from(address.file.0), u64::from(address.block), 1];
        let (written, micros) =
            meter.timed_wait(Event::DbFileSingleWrite, at, -1, || file.write_blocks(address, block));
        written?;
        file.count_write_time(micros);
        file.sync_if_written(meter)?;
        drop(area);
        Ok(())
    }
}
