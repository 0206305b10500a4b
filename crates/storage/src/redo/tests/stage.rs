//! A database's surroundings, as far as the log needs them.

use std::path::Path;

use common::sync::{Arc, Mutex};
use common::{Result, SystemClock};
use device::FileSystem;
use waits::{Meter, SystemMeter};

use crate::health::Health;
use crate::redo::{LogGroupRecord, LogGroupSpec, LogInstance, LogOptions, Lsn, Rba, ReadEnd, RedoLog, RedoReader};

pub(super) const DIRECTORY: &str = "data";
pub(super) const DATABASE: u64 = 4711;

/// A control file in memory.
#[derive(Default)]
pub(super) struct Control {
    pub(super) groups: Mutex<Vec<LogGroupRecord>>,
    pub(super) checkpoint: Mutex<Option<Rba>>,
    /// What was asked for: up to where, and whether urgently.
    pub(super) wanted: Mutex<Vec<(Lsn, bool)>>,
}

impl LogInstance for Control {
    fn store(&self, groups: &[LogGroupRecord]) -> Result<()> {
        *self.groups.lock() = groups.to_vec();
        Ok(())
    }

    fn scn(&self) -> u64 {
        1
    }

    fn checkpoint_wanted(&self, before: Lsn, urgent: bool) {
        self.wanted.lock().push((before, urgent));
    }
}

pub(super) struct Stage {
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) control: Arc<Control>,
    pub(super) health: Arc<Health>,
    pub(super) system: Arc<SystemMeter>,
    pub(super) lgwr: Arc<Meter>,
    pub(super) buffer_bytes: usize,
}

impl Stage {
    /// A database with these groups: members and blocks of each.
    pub(super) fn new(files: Arc<dyn FileSystem>, groups: &[(usize, u64)]) -> Self {
        let specs: Vec<_> = (1..)
            .zip(groups)
            .map(|(number, (members, blocks))| LogGroupSpec::usual(number, *members, blocks * 512))
            .collect();
        let records = RedoLog::create(&files, Path::new(DIRECTORY), &specs).unwrap();
        let control = Arc::new(Control::default());
        control.store(&records).unwrap();
        let system = SystemMeter::new();
        let lgwr = Meter::new(&system, Arc::new(SystemClock::default()), 3, 1);
        Self { files, control, health: Arc::default(), system, lgwr, buffer_bytes: 1 << 18 }
    }

    /// The same control file over other files, after a crash.
    pub(super) fn crashed(&self, files: Arc<dyn FileSystem>) -> Self {
        let control = Arc::new(Control::default());
        *control.groups.lock() = self.control.groups.lock().clone();
        *control.checkpoint.lock() = *self.control.checkpoint.lock();
        let system = SystemMeter::new();
        let lgwr = Meter::new(&system, Arc::new(SystemClock::default()), 3, 1);
        Self { files, control, health: Arc::default(), system, lgwr, buffer_bytes: self.buffer_bytes }
    }

    pub(super) fn meter(&self) -> Arc<Meter> {
        Meter::new(&self.system, Arc::new(SystemClock::default()), 10, 1)
    }

    pub(super) fn try_open(&self, recovered: Option<ReadEnd>) -> Result<Arc<RedoLog>> {
        let checkpoint = *self.control.checkpoint.lock();
        let options = LogOptions { database: DATABASE, buffer_bytes: self.buffer_bytes, checkpoint, recovered };
        let groups = self.control.groups.lock().clone();
        let log = RedoLog::open(
            self.files.clone(),
            Path::new(DIRECTORY),
            groups,
            self.control.clone(),
            self.health.clone(),
            self.lgwr.clone(),
            &options,
        )?;
        if self.control.checkpoint.lock().is_none() {
            *self.control.checkpoint.lock() = Some(log.position(log.durable()));
        }
        Ok(log)
    }

    pub(super) fn open(&self) -> Arc<RedoLog> {
        self.try_open(None).unwrap()
    }

    pub(super) fn reader(&self) -> Result<RedoReader> {
        let from = self.control.checkpoint.lock().unwrap();
        let groups = self.control.groups.lock().clone();
        RedoReader::open(self.files.clone(), Path::new(DIRECTORY), DATABASE, &groups, from, None)
    }

    /// Everything from the checkpoint on.
    pub(super) fn read(&self) -> Result<(Vec<Vec<u8>>, ReadEnd)> {
        let mut reader = self.reader()?;
        let mut records = Vec::new();
        while let Some((_, record)) = reader.next()? {
            records.push(record.to_vec());
        }
        Ok((records, reader.end().unwrap()))
    }

    /// A checkpoint at `lsn`, as the core does it.
    pub(super) fn checkpoint(&self, log: &RedoLog, lsn: Lsn) {
        *self.control.checkpoint.lock() = Some(log.position(lsn));
        log.checkpointed(lsn).unwrap();
    }
}

/// A record of `bytes` that holds a number.
pub(super) fn record(number: u64, bytes: usize) -> Vec<u8> {
    let mut record = vec![number as u8; bytes];
    record[..4].copy_from_slice(&(bytes as u32).to_le_bytes());
    record[4..12].copy_from_slice(&number.to_le_bytes());
    record
}

pub(super) fn number_of(record: &[u8]) -> u64 {
    u64::from_le_bytes(*record[4..].first_chunk().unwrap())
}
