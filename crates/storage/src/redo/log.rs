//! The log as the rest of the engine sees it.

use std::fmt;
use std::path::Path;

use common::sync::atomic::Ordering;
use common::sync::{self, Arc, JoinHandle, Mutex};
use common::{Error, ErrorKind, Number, Result};
use device::FileSystem;
use waits::{Event, Meter, Statistic};

use super::core::Core;
use super::group::{LogGroupRecord, LogGroupSpec, LogGroupState, LogGroupStatus, Lsn, Rba, check_groups};
use super::instance::LogInstance;
use super::layout::RECORD_HEADER;
use super::members::no_thread;
use super::reader::ReadEnd;
use super::space::NoRoom;
use super::{WRITERS, files, log_writer, switch};
use crate::health::Health;
use crate::invariants::hold;

/// How a log is opened.
#[derive(Clone, Debug)]
pub struct LogOptions {
    pub database: u64,
    /// Of the log buffer.
    pub buffer_bytes: usize,
    /// Where a crash would begin to read: groups with older redo may be written again. None for a database that has no
    /// redo yet.
    pub checkpoint: Option<Rba>,
    /// Where reading ended, when the log was not closed by [`RedoLog::shutdown`].
    pub recovered: Option<ReadEnd>,
}

/// The redo log of a running instance.
pub struct RedoLog {
    pub(super) core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl fmt::Debug for RedoLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedoLog(sequence {}, end {})", self.core.sequence.load(Ordering::Relaxed), self.core.buffer.end())
    }
}

impl RedoLog {
    /// Makes the log files of a new database. On an error none is left. The records belong into the control file.
    ///
    /// # Errors
    /// ORA-01518 fewer than two groups; ORA-01184 a number twice; ORA-01577 a file twice; ORA-00336 too small;
    /// ORA-00301 a file cannot be made.
    pub fn create(
        files: &Arc<dyn FileSystem>,
        directory: &Path,
        specs: &[LogGroupSpec],
    ) -> Result<Vec<LogGroupRecord>> {
        if specs.len() < 2 {
            return Err(Error::user(1518, "CREATE DATABASE must specify more than one log file"));
        }
        let mut records: Vec<LogGroupRecord> = Vec::new();
        for spec in specs {
            let made = super::admin::check_new(&records, directory, spec)
                .and_then(|()| files::make(&**files, directory, spec));
            match made {
                Ok(record) => records.push(record),
                Err(error) => {
                    for name in records.iter().flat_map(|record| &record.members) {
                        let _ = files.remove(&crate::disk_group::resolve(directory, name));
                    }
                    return Err(error);
                }
            }
        }
        hold(|| check_groups(&records));
        Ok(records)
    }

    /// Opens the log for writing: a new sequence begins, in a group whose redo no recovery needs. `meter` is the log
    /// writer's.
    ///
    /// # Errors
    /// ORA-01113 when the log was not closed and `recovered` does not say where it ends; ORA-00350 when all groups are
    /// needed: recover and checkpoint first; ORA-00313 when no member of the next group can be opened; what the control
    /// file says when it cannot be written.
    pub fn open(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        mut records: Vec<LogGroupRecord>,
        instance: Arc<dyn LogInstance>,
        health: Arc<Health>,
        meter: Arc<Meter>,
        options: &LogOptions,
    ) -> Result<Arc<Self>> {
        let lsn = end_of(&mut records, options.recovered.as_ref(), instance.scn())?;
        let checkpoint = options.checkpoint.unwrap_or_default();
        for record in records.iter_mut().filter(|record| record.sequence > 0) {
            let needed = options.checkpoint.is_some() && record.sequence >= checkpoint.sequence;
            record.state = if needed { LogGroupState::Active } else { LogGroupState::Inactive };
        }
        let core = Arc::new(Core::new(
            files,
            directory.to_owned(),
            options.database,
            instance,
            health,
            meter,
            options.buffer_bytes,
            lsn,
            checkpoint,
        ));
        hold(|| check_groups(&records));
        core.groups.lock().records = records;
        switch::begin(&core, &mut core.take.lock())?;
        let log = Self { core, threads: Mutex::default() };
        let writers = if log.core.inline { 0 } else { WRITERS };
        for number in 0..writers {
            let core = log.core.clone();
            let name = if number == 0 { "lgwr".to_owned() } else { format!("lg{:02}", number - 1) };
            let thread =
                sync::spawn(&name, move || log_writer::run(&core, number == 0)).map_err(|error| no_thread(&error))?;
            log.threads.lock().push(thread);
        }
        Ok(Arc::new(log))
    }

    /// What is true of the log while no process is at work: for tests and the simulator.
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    pub fn check_invariants(&self) -> Result<()> {
        let core = &*self.core;
        core.check_invariants()?;
        let (durable, taken, end) = (self.durable().0, core.taken.load(Ordering::SeqCst), core.buffer.end());
        invariant!(durable <= taken && taken <= end, "log: durable to {durable}, in writes to {taken}, ends at {end}");
        let (groups, sequence) = (core.groups.lock(), core.sequence.load(Ordering::SeqCst));
        check_groups(&groups.records)?;
        let current = groups.records.iter().find(|record| record.state == LogGroupState::Current);
        invariant!(
            current.is_some_and(|record| record.sequence == sequence),
            "log: the current group is not the one of sequence {sequence}: {groups:?}"
        );
        Ok(())
    }

    /// Adds a record. Returns where it is and where it ends. May wait until there is room; block latches may be held
    /// meanwhile as far as rule 4 of the README allows.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped, as it does for bytes that are no record, or longer than a log file or the
    /// buffer: what they tell of is in the blocks already.
    pub fn append(&self, meter: &Meter, record: &[u8]) -> Result<(Lsn, Lsn)> {
        loop {
            match self.try_append(meter, record)? {
                Ok(place) => return Ok(place),
                Err(no_room) => self.wait_for_space(meter, no_room)?,
            }
        }
    }

    /// As [`append`](Self::append), but says when there is no room now. What that has to wait for is for
    /// [`wait_for_space`](Self::wait_for_space): the caller may have to let go of something first that keeps the log
    /// from being written again.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn try_append(&self, meter: &Meter, record: &[u8]) -> Result<std::result::Result<(Lsn, Lsn), NoRoom>> {
        let core = &*self.core;
        let length = record.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        if length != record.len() || length < RECORD_HEADER {
            let text = format!("a redo record of {} bytes that says {length}", record.len());
            return Err(core.fail(&Error::bug(text)));
        }
        if length as u64 > self.longest_record() {
            let text = format!("a redo record of {length} bytes is longer than a log file or the log buffer");
            return Err(core.fail(&Error::bug(text)));
        }
        core.check()?;
        let sequence = core.sequence.load(Ordering::SeqCst);
        match core.buffer.put(meter, record) {
            Ok((start, end)) => {
                debug_assert_eq!(end - start, length as u64, "a record has the room that it takes");
                meter.count(Statistic::RedoEntries, 1);
                meter.count(Statistic::RedoSize, length as u64);
                if end.saturating_sub(core.taken.load(Ordering::Relaxed)) >= core.post_bytes {
                    core.request(end);
                }
                Ok(Ok((Lsn(start), Lsn(end))))
            }
            Err((full, seen)) => Ok(Err(NoRoom { full, seen, sequence })),
        }
    }

    /// Bytes that a record may have: as many as every log file and the log buffer hold.
    #[must_use]
    pub fn longest_record(&self) -> u64 {
        self.core.buffer.capacity().min(self.core.record_bytes.load(Ordering::Relaxed))
    }

    /// Single-threaded (simulation): the waiter runs the work itself.
    pub(crate) fn is_inline(&self) -> bool {
        self.core.inline
    }

    /// Where the next record will be.
    #[must_use]
    pub fn end(&self) -> Lsn {
        Lsn(self.core.buffer.end())
    }

    /// Everything before this is durable.
    #[must_use]
    pub fn durable(&self) -> Lsn {
        Lsn(self.core.durable())
    }

    /// Waits until everything before `lsn` is durable, as a commit does.
    ///
    /// # Errors
    /// HW-0010 when a write has failed: nobody knows then whether the redo is on disk.
    pub fn wait_durable(&self, meter: &Meter, lsn: Lsn) -> Result<()> {
        let core = &*self.core;
        meter.count(Statistic::RedoSynchWrites, 1);
        if core.durable() >= lsn.0 {
            return Ok(());
        }
        let buffer = lsn.0 % core.buffer.capacity() / super::BLOCK as u64;
        let (result, micros) = meter.timed_wait(Event::LogFileSync, [buffer, 0, 0], -1, || self.flush(lsn));
        meter.count(Statistic::RedoSynchTime, micros);
        result
    }

    /// Waits until everything before `lsn` is durable; the caller accounts for the wait.
    ///
    /// # Errors
    /// As [`wait_durable`](Self::wait_durable).
    pub fn flush(&self, lsn: Lsn) -> Result<()> {
        let lsn = lsn.0.min(self.core.buffer.end());
        if self.core.durable() >= lsn {
            return Ok(());
        }
        log_writer::make_durable(&self.core, lsn)
    }

    /// Asks for a write of everything so far without waiting for it.
    pub fn post(&self) {
        self.core.request(self.core.buffer.end());
    }

    /// The place in the files where reading must begin to see everything from `lsn` on: the start of a write, at or a
    /// little before the one that holds it.
    #[must_use]
    pub fn position(&self, lsn: Lsn) -> Rba {
        self.core.position(lsn)
    }

    /// Writes what there is, and makes its end a place that a recovery can begin at: other places are some redo apart.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub(crate) fn place_end(&self) -> Result<Lsn> {
        self.flush(self.end())?;
        Ok(self.core.place_end())
    }

    /// The first redo that a recovery reads that begins at [`position`](Self::position) of `lsn`, which may be some
    /// before it. It never goes back.
    pub(crate) fn read_from(&self, lsn: Lsn) -> Lsn {
        self.core.read_from(lsn)
    }

    /// Redo before `lsn` is no longer needed: groups wholly before it may be written again. The caller has stored
    /// [`position`](Self::position) of `lsn` as the place where recovery begins.
    ///
    /// # Errors
    /// When the control file cannot be written; the instance has then stopped.
    pub fn checkpointed(&self, lsn: Lsn) -> Result<()> {
        let core = &*self.core;
        let mut groups = core.groups.lock();
        let needed = core.needed_from(lsn);
        debug_assert!(lsn.0 <= core.buffer.end(), "{lsn:?} is redo to come");
        let mut records = groups.records.clone();
        for record in &mut records {
            if record.state == LogGroupState::Active && record.sequence < needed {
                record.state = LogGroupState::Inactive;
            }
        }
        if records != groups.records {
            core.instance.store(&records).map_err(|error| core.fail(&error))?;
            hold(|| check_groups(&records));
            groups.records = records;
            switch::note_free(core, &groups);
            drop(groups);
            core.wake_writer();
            core.buffer.wake();
        }
        Ok(())
    }

    /// What V$LOG and V$LOGFILE show.
    #[must_use]
    pub fn groups(&self) -> Vec<LogGroupStatus> {
        let groups = self.core.groups.lock();
        let status = |record: &LogGroupRecord| LogGroupStatus {
            record: record.clone(),
            members: record.members.iter().map(|name| (name.clone(), groups.invalid.contains(name))).collect(),
        };
        groups.records.iter().map(status).collect()
    }

    /// Bytes of the log buffer.
    #[must_use]
    pub fn buffer_bytes(&self) -> u64 {
        self.core.buffer.capacity()
    }

    /// The sequence that is being written.
    #[must_use]
    pub fn sequence(&self) -> u32 {
        self.core.sequence.load(Ordering::SeqCst)
    }

    /// Writes all redo, notes its end in the control file, and stops the log writer. No session may append after this
    /// call.
    ///
    /// # Errors
    /// HW-0010 when a write fails or has failed before.
    pub fn shutdown(&self) -> Result<()> {
        let core = &*self.core;
        let result = self.flush(self.end()).and_then(|()| {
            let take = core.take.lock();
            core.buffer.close();
            core.drain(take.tickets)?;
            if take.taken != core.buffer.end() {
                return Err(core.fail(&Error::bug("redo was made while the log was being closed")));
            }
            switch::finish(core, &take).map_err(|error| core.fail(&error))
        });
        self.stop();
        result
    }

    /// Ends the log as a crash would: redo that is not durable is lost, and waiting sessions get an error.
    pub fn abandon(&self) {
        self.stop();
    }

    fn stop(&self) {
        self.core.end(Error::new(ErrorKind::Poisoned, Number::Ora(1092), "the instance is closed"));
        for thread in self.threads.lock().drain(..) {
            let _ = thread.join();
        }
        self.core.await_duties();
        self.core.members.close();
    }
}

/// Without [`RedoLog::shutdown`] it is as after a crash: what is in the buffer is lost.
impl Drop for RedoLog {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Ends the last sequence where it was left open, and says where new redo begins.
fn end_of(records: &mut [LogGroupRecord], recovered: Option<&ReadEnd>, scn: u64) -> Result<u64> {
    let Some(last) = records.iter_mut().filter(|record| record.sequence > 0).max_by_key(|record| record.sequence)
    else {
        return Ok(0);
    };
    if last.end_block.is_none() {
        let end = recovered.filter(|end| end.sequence == last.sequence).ok_or_else(|| {
            let text =
                format!("the redo of log sequence {} was not read to its end before the log was opened", last.sequence);
            Error::new(ErrorKind::Corrupt, Number::Ora(1113), text)
        })?;
        switch::end_sequence(last, end.block, end.lsn.0, scn);
    }
    Ok(last.end_lsn.unwrap_or(0))
}
