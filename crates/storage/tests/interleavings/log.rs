//! The log buffer and group commit.
//!
//! Sessions append records and wait until they are durable. None is told so before the file has its record, whoever has
//! written it; none is forgotten; and the file has all records, each whole, in the order of their places.

use std::path::Path;

use common::Result;
use common::sync::{Arc, Mutex, explore, spawn, yield_now};
use device::{FileSystem, MemoryFileSystem};
use storage::health::Health;
use storage::redo::{
    BLOCK, BLOCKS_MIN, LogGroupRecord, LogGroupSpec, LogInstance, LogOptions, Lsn, Rba, RedoLog, RedoReader,
};
use waits::{Meter, SystemMeter};

use super::clock::Ticking;
use super::{SCHEDULES, nobody_forgotten, with_time_outs};

const DIRECTORY: &str = "data";
const DATABASE: u64 = 4711;
/// Of each of two groups.
const LOG_BYTES: u64 = BLOCKS_MIN as u64 * BLOCK as u64;
const SESSIONS: u64 = 3;
const COMMITS: u64 = 2;

/// A control file in memory.
#[derive(Default)]
struct Control(Mutex<Vec<LogGroupRecord>>);

impl LogInstance for Control {
    fn store(&self, groups: &[LogGroupRecord]) -> Result<()> {
        *self.0.lock() = groups.to_vec();
        Ok(())
    }

    fn scn(&self) -> u64 {
        1
    }

    fn checkpoint_wanted(&self, _before: Lsn, _urgent: bool) {}
}

/// A log in memory.
struct Stage {
    files: Arc<dyn FileSystem>,
    control: Arc<Control>,
    system: Arc<SystemMeter>,
    clock: Arc<Ticking>,
    from: Rba,
    log: Arc<RedoLog>,
}

impl Stage {
    fn new(step_us: u64, members: usize) -> Self {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let records = create(&files, members);
        let control = Arc::new(Control(Mutex::new(records.clone())));
        let (system, clock) = (SystemMeter::new(), Arc::new(Ticking::new(step_us)));
        let log = open(&files, records, control.clone(), Meter::new(&system, clock.clone(), 3, 1), 8192);
        let from = log.position(log.durable());
        Self { files, control, system, clock, from, log }
    }

    /// Nobody is at work.
    fn close(&self) {
        self.log.check_invariants().unwrap();
        self.log.shutdown().unwrap();
    }

    /// The numbers of the records that the files have now, in order.
    fn in_files(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        read(&self.files, &self.control.0.lock(), self.from, |bytes| {
            let number = number_of(bytes);
            assert_eq!(bytes, record(number), "a record is whole");
            numbers.push(number);
        });
        numbers
    }
}

/// Makes the files of a log of two groups.
pub(crate) fn create(files: &Arc<dyn FileSystem>, members: usize) -> Vec<LogGroupRecord> {
    let specs: Vec<_> = (1..=2).map(|number| LogGroupSpec::usual(number, members, LOG_BYTES)).collect();
    RedoLog::create(files, Path::new(DIRECTORY), &specs).unwrap()
}

pub(crate) fn open(
    files: &Arc<dyn FileSystem>,
    records: Vec<LogGroupRecord>,
    control: Arc<dyn LogInstance>,
    writer: Arc<Meter>,
    buffer_bytes: usize,
) -> Arc<RedoLog> {
    let options = LogOptions { database: DATABASE, buffer_bytes, checkpoint: None, recovered: None };
    let health = Arc::new(Health::default());
    RedoLog::open(files.clone(), Path::new(DIRECTORY), records, control, health, writer, &options).unwrap()
}

/// Hands over the records that a recovery from a place on would read.
pub(crate) fn read(files: &Arc<dyn FileSystem>, groups: &[LogGroupRecord], from: Rba, mut each: impl FnMut(&[u8])) {
    let mut reader = RedoReader::open(files.clone(), Path::new(DIRECTORY), DATABASE, groups, from, None).unwrap();
    while let Some((_, bytes)) = reader.next().unwrap() {
        each(bytes);
    }
}

/// A record that holds a number.
fn record(number: u64) -> Vec<u8> {
    let bytes = 24 + 40 * (number % 7) as usize;
    let mut record = vec![number as u8; bytes];
    record[..4].copy_from_slice(&(bytes as u32).to_le_bytes());
    record[4..12].copy_from_slice(&number.to_le_bytes());
    record
}

fn number_of(record: &[u8]) -> u64 {
    u64::from_le_bytes(*record[4..].first_chunk().unwrap())
}

/// Several sessions commit several times each.
fn commits(step_us: u64, members: usize) {
    let stage = Arc::new(Stage::new(step_us, members));
    commits_on(&stage);
    stage.close();
}

fn commits_on(stage: &Arc<Stage>) {
    let placed = Arc::new(Mutex::new(Vec::new()));
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (stage, placed) = (stage.clone(), placed.clone());
            let meter = Meter::new(&stage.system, stage.clock.clone(), 10 + session as u32, 1);
            let run = move || {
                for turn in 0..COMMITS {
                    let number = session * 10 + turn;
                    let (start, end) = stage.log.append(&meter, &record(number)).unwrap();
                    placed.lock().push((start, number));
                    stage.log.wait_durable(&meter, end).unwrap();
                    assert!(stage.log.durable() >= end);
                    assert!(stage.in_files().contains(&number), "a commit is acknowledged before its redo is there");
                }
            };
            spawn("session", run).unwrap()
        })
        .collect();
    for session in sessions {
        session.join().unwrap();
    }
    let mut placed = placed.lock().clone();
    placed.sort_unstable();
    assert_eq!(stage.in_files(), placed.iter().map(|(_, number)| *number).collect::<Vec<_>>());
}

/// As [`commits`], while the log goes on to its next file.
fn commits_and_a_switch() {
    let stage = Arc::new(Stage::new(1, 1));
    let (log, meter) = (stage.log.clone(), Meter::new(&stage.system, stage.clock.clone(), 9, 1));
    let first = log.sequence();
    let switch = spawn("switch", move || log.switch(&meter).unwrap()).unwrap();
    commits_on(&stage);
    switch.join().unwrap();
    stage.close();
    assert_eq!(stage.log.sequence(), first + 1);
}

/// A session asks for writes and does not wait for them; a writer has to see each request.
fn requests() {
    let stage = Stage::new(1, 1);
    let meter = Meter::new(&stage.system, stage.clock.clone(), 10, 1);
    for number in 0..COMMITS {
        let (_, end) = stage.log.append(&meter, &record(number)).unwrap();
        stage.log.post();
        while stage.log.durable() < end {
            yield_now();
        }
    }
    stage.close();
}

#[test]
fn a_commit_is_durable_when_it_is_acknowledged() {
    explore(with_time_outs(SCHEDULES), || commits(1, 1));
}

#[test]
fn nobody_who_waits_for_redo_is_forgotten() {
    explore(nobody_forgotten(SCHEDULES), || commits(1, 1));
}

#[test]
fn a_write_that_is_asked_for_is_done() {
    explore(nobody_forgotten(SCHEDULES), requests);
}

#[test]
fn writes_of_a_slow_device_overlap() {
    explore(nobody_forgotten(SCHEDULES), || commits(20_000, 1));
}

#[test]
fn commits_go_on_into_the_next_file() {
    explore(nobody_forgotten(SCHEDULES), commits_and_a_switch);
    explore(with_time_outs(SCHEDULES), commits_and_a_switch);
}

#[test]
fn all_members_have_it() {
    explore(nobody_forgotten(SCHEDULES), || commits(1, 2));
}
