//! What a crash has kept from the blocks is put into them, and the log goes on.

use common::sync::Arc;
use common::{Error, Result};

use crate::instance::{Instance, tablespace_files};
use storage::checkpoint::Host;
use storage::control::{ControlData, Shutdown};
use storage::parameters::Parameter;
use storage::recovery;
use storage::redo::{FIRST_BLOCK, LogOptions, Lsn, Rba, ReadEnd, RedoLog, RedoReader};
use storage::tablespace::Tablespace;

/// Bytes of the log buffer.
const LOG_BUFFER: usize = 16 << 20;

/// What a roll forward leaves to the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovered {
    /// Where the redo ended.
    end: ReadEnd,
    needed: Needed,
}

/// From where on redo is needed.
#[derive(Clone, Copy, Debug)]
struct Needed {
    rba: Rba,
    lsn: Lsn,
}

impl Instance {
    /// Puts what a crash has kept from the blocks into them; none after a clean close. The blocks are written in the background afterwards, and a crash until
    /// then begins from the same place again: for that a log group must be there whose redo nobody needs, to go on in.
    pub(super) fn recover(&self, data: &ControlData) -> Result<Option<Recovered>> {
        if data.shutdown == Shutdown::Clean {
            return Ok(None);
        }
        let start = self.clock().monotonic_us();
        let meter = self.background_meter();
        let from = data.checkpoint.ok_or_else(|| Error::bug("a database that is complete without a checkpoint"))?;
        let torn = recovery::repair_torn(self.cache(), meter)?;
        // What a process that was killed has written can be read and may not be durable. The double-write area is the only other place of the last
        // batch: it must not be written before the batch is in its own.
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
        let mut needed = Needed { rba: from, lsn: begin };
        if !done.deferred {
            let written = self.clock().monotonic_us();
            self.cache().checkpoint(meter)?;
            // From here on the log that was read is not needed any more.
            needed = Needed { rba: end.rba(), lsn: end.lsn };
            self.control().update(|data| {
                data.checkpoint = Some(needed.rba);
                data.scn = done.next_scn().0;
            })?;
            done.writing_us = self.clock().monotonic_us() - written;
        }
        done.torn = torn;
        done.elapsed_us = self.clock().monotonic_us() - start;
        self.note_rolled_forward(done);
        Ok(Some(Recovered { end, needed }))
    }

    /// Begins a new sequence of the log; from here on changes can be made, and a crash is seen.
    pub(super) fn open_log(&self, recovered: Option<Recovered>) -> Result<()> {
        let mut groups = self.control().data().log_groups.clone();
        if recovered.is_none()
            && let Some(last) = groups.iter_mut().max_by_key(|group| group.sequence)
            && last.sequence > 0
            && last.end_block.is_none()
        {
            // An open after a clean close was cut short between the new sequence and the note that the database is open: nothing was changed.
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
            Arc::new(Host::new(self.checkpoints())),
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
                // A process that was killed may have left blocks that are there to be read and not durable.
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
