//! Recovery at the open: roll forward, then the log's new sequence.

use common::sync::Arc;
use common::{Error, Result};

use crate::instance::{Instance, tablespace_files};
use storage::checkpoint::InstanceForLog;
use storage::control::{ControlData, Shutdown};
use storage::parameters::Parameter;
use storage::recovery;
use storage::redo::{FIRST_BLOCK, LogOptions, Lsn, Rba, ReadEnd, RedoLog, RedoReader};
use storage::tablespace::Tablespace;

/// Bytes of the log buffer.
const LOG_BUFFER: usize = 16 << 20;

/// The end of a roll forward, from which the log continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct RolledForwardTo {
    /// End of the redo.
    end: ReadEnd,
    needed: NeededRedo,
}

/// Start of the redo that is still needed.
#[derive(Clone, Copy, Debug)]
struct NeededRedo {
    rba: Rba,
    lsn: Lsn,
}

impl Instance {
    /// Rolls the datafiles forward; None after a clean close. The recovered blocks are written in the background
    /// afterwards, and a crash until then repeats the recovery from the same place: for that the log needs a group
    /// without needed redo, to continue in.
    pub(super) fn recover(&self, data: &ControlData) -> Result<Option<RolledForwardTo>> {
        if data.shutdown == Shutdown::Clean {
            return Ok(None);
        }
        let start = self.clock().monotonic_us();
        let meter = self.background_meter();
        let from = data.checkpoint.ok_or_else(|| Error::bug("a database that is complete without a checkpoint"))?;
        let torn = recovery::repair_torn(self.cache(), meter)?;
        // Writes of a killed process can be read but may not be durable. The double-write area is the only other place
        // of the last batch: it must not be overwritten before the batch is durable in its own place.
        for file in self.cache().open_files() {
            file.sync_if_written(meter)?;
        }
        let reader = RedoReader::open(
            self.files().clone(),
            self.directory(),
            self.database_id(),
            &data.log_groups,
            from,
            Some(meter.clone()),
        );
        let mut reader = reader?;
        let threads = if self.cache().wakes().is_inline() {
            0
        } else {
            recovery::threads(self.parameters().unsigned(Parameter::CpuCount))
        };
        let begin = reader.lsn();
        let mut done = recovery::roll_forward(self.cache(), meter, data, &mut reader, threads)?;
        let end = reader.end().ok_or_else(|| Error::bug("the log was not read to its end"))?;
        self.start_at(done.next_scn());
        done.deferred = data.log_groups.iter().any(|group| group.sequence < from.sequence);
        let mut needed = NeededRedo { rba: from, lsn: begin };
        if !done.deferred {
            let written = self.clock().monotonic_us();
            self.cache().checkpoint(meter)?;
            // The redo that was read is not needed any more.
            needed = NeededRedo { rba: end.rba(), lsn: end.lsn };
            self.control().update(|data| {
                data.checkpoint = Some(needed.rba);
                data.scn = done.next_scn().0;
            })?;
            done.writing_us = self.clock().monotonic_us() - written;
        }
        done.torn = torn;
        done.elapsed_us = self.clock().monotonic_us() - start;
        self.note_rolled_forward(done);
        Ok(Some(RolledForwardTo { end, needed }))
    }

    /// Begins a new sequence of the log; from here on changes are possible, and a crash is recognised.
    pub(super) fn open_log(&self, recovered: Option<RolledForwardTo>) -> Result<()> {
        let mut groups = self.control().data().log_groups.clone();
        if recovered.is_none()
            && let Some(last) = groups.iter_mut().max_by_key(|group| group.sequence)
            && last.sequence > 0
            && last.end_block.is_none()
        {
            // An open after a clean close was cut short between the new sequence and the note that the database is
            // open: no block was changed.
            (last.end_block, last.end_lsn, last.next_scn) =
                (Some(FIRST_BLOCK), Some(last.first_lsn), Some(last.first_scn));
        }
        let options = LogOptions {
            database: self.database_id(),
            buffer_bytes: LOG_BUFFER,
            checkpoint: recovered.map(|recovered| recovered.needed.rba),
            recovered: recovered.map(|recovered| recovered.end),
        };
        let redo = RedoLog::open(
            self.files().clone(),
            self.directory(),
            groups,
            Arc::new(InstanceForLog::new(self.checkpoints())),
            self.health().clone(),
            self.log_writer_meter(),
            &options,
        )?;
        let end = redo.end();
        let needed = recovered.map_or(end, |recovered| recovered.needed.lsn);
        let (place, scn) = (redo.position(needed), self.scn().0);
        self.control().update(|data| {
            data.shutdown = Shutdown::Open;
            data.checkpoint = Some(place);
            data.scn = scn;
        })?;
        self.cache().set_redo(redo.clone());
        redo.checkpointed(needed)?;
        if needed < end {
            self.checkpoints().want(end);
        }
        Ok(())
    }

    pub(super) fn open_datafiles(&self, data: &ControlData) -> Result<()> {
        for tablespace in &data.tablespaces {
            let mut numbers = Vec::new();
            for record in data.datafiles.iter().filter(|file| file.tablespace == tablespace.number) {
                let file = tablespace_files::open_file(self, tablespace, record)?;
                // A killed process may have left blocks that can be read but are not durable.
                if data.shutdown != Shutdown::Clean {
                    file.doubt();
                }
                self.cache().add_file(Arc::new(file))?;
                numbers.push(record.file());
            }
            self.tablespaces().add(Arc::new(Tablespace::new(tablespace, numbers)?));
        }
        Ok(())
    }
}
