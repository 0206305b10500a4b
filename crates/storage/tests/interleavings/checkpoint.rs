//! A log whose files are all in use.
//!
//! Sessions append more redo than the files hold, so they wait, again and again, until a checkpoint has made a file
//! free. Each wait ends, no redo that is needed is written over, and the log goes on.

use common::Result;
use common::sync::{Arc, Condvar, Mutex, explore, spawn};
use device::{FileSystem, MemoryFileSystem};
use storage::redo::{LogGroupRecord, LogInstance, Lsn, Rba};
use waits::{Meter, SystemMeter};

use super::clock::Ticking;
use super::log::{create, open, read};
use super::nobody_forgotten;

/// The redo of a session fills a file more than once.
const RECORD_BYTES: usize = 48 << 10;
const SESSIONS: u8 = 2;
const RECORDS: u8 = 7;
const SCHEDULES: usize = 300;

/// What a checkpoint has been asked for.
#[derive(Default)]
struct Asked {
    before: Lsn,
    times: u64,
    closed: bool,
}

/// A control file in memory, and the wish for a checkpoint.
#[derive(Default)]
struct Control {
    groups: Mutex<Vec<LogGroupRecord>>,
    asked: Mutex<Asked>,
    changed: Condvar,
}

impl Control {
    fn close(&self) {
        self.asked.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits until it is asked more often than `times` times; None at the end.
    fn next(&self, times: &mut u64) -> Option<Lsn> {
        let mut asked = self.asked.lock();
        while asked.times == *times && !asked.closed {
            self.changed.wait(&mut asked);
        }
        let more = asked.times != *times;
        *times = asked.times;
        more.then_some(asked.before)
    }
}

impl LogInstance for Control {
    fn store(&self, groups: &[LogGroupRecord]) -> Result<()> {
        *self.groups.lock() = groups.to_vec();
        Ok(())
    }

    fn scn(&self) -> u64 {
        1
    }

    /// Only what sessions wait for is done, so that the log is full each time.
    fn checkpoint_wanted(&self, before: Lsn, urgent: bool) {
        if !urgent {
            return;
        }
        let mut asked = self.asked.lock();
        asked.before = asked.before.max(before);
        asked.times += 1;
        drop(asked);
        self.changed.notify_all();
    }
}

/// Bytes of the records that a recovery would read.
fn bytes_from(files: &Arc<dyn FileSystem>, control: &Control, from: Rba) -> u64 {
    let groups = control.groups.lock().clone();
    let mut found = 0;
    read(files, &groups, from, |bytes| {
        assert_eq!(bytes, record(bytes[4]), "a record is whole");
        found += bytes.len() as u64;
    });
    found
}

fn record(number: u8) -> Vec<u8> {
    let mut record = vec![number; RECORD_BYTES];
    record[..4].copy_from_slice(&(RECORD_BYTES as u32).to_le_bytes());
    record
}

fn more_redo_than_files_hold() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let records = create(&files, 1);
    let control = Arc::new(Control { groups: Mutex::new(records.clone()), ..Control::default() });
    let (system, clock) = (SystemMeter::new(), Arc::new(Ticking::new(1)));
    let log = open(&files, records, control.clone(), Meter::new(&system, clock.clone(), 3, 1), 1 << 17);
    let first = log.sequence();
    let checkpoint = {
        let (log, control, meter) = (log.clone(), control.clone(), Meter::new(&system, clock.clone(), 4, 1));
        let files = files.clone();
        let run = move || {
            let (mut done, mut times) = (log.durable(), 0);
            while let Some(before) = control.next(&mut times) {
                // Blocks go to the disk after their redo.
                log.wait_durable(&meter, before).unwrap();
                let found = bytes_from(&files, &control, log.position(done));
                assert!(found >= before.0 - done.0, "redo that is needed is gone: {found} bytes from {done:?}");
                log.checkpointed(before).unwrap();
                done = before;
            }
        };
        spawn("checkpoint", run).unwrap()
    };
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (log, meter) = (log.clone(), Meter::new(&system, clock.clone(), 10 + u32::from(session), 1));
            let run = move || {
                let mut end = Lsn(0);
                for n in 0..RECORDS {
                    end = log.append(&meter, &record(session * 100 + n)).unwrap().1;
                }
                log.wait_durable(&meter, end).unwrap();
            };
            spawn("session", run).unwrap()
        })
        .collect();
    for session in sessions {
        session.join().unwrap();
    }
    control.close();
    checkpoint.join().unwrap();
    log.check_invariants().unwrap();
    assert!(log.sequence() > first + 1, "the log was not full");
    let from = log.position(control.asked.lock().before);
    log.shutdown().unwrap();
    bytes_from(&files, &control, from);
}

#[test]
fn sessions_go_on_when_a_checkpoint_has_freed_a_file() {
    explore(nobody_forgotten(SCHEDULES), more_redo_than_files_hold);
}
