//! The real binary, killed at random moments while four sessions write: acknowledged changes are there, and manipulated
//! databases are detected.
//!
//! `HIGHWATER_KILL_LOOPS` sets the number of loops of the first test.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::sync::Arc;

use common::{Clock, SystemClock};
use device::{FileSystem, OsFileSystem};
use engine::instance::Instance;
use engine::startup::read_control;
use lab::Silent;
use lab::durability::{Checked, Fault, Options, Trial, run};
use sql::Database;

const SESSIONS: u32 = 4;
/// Default number of loops: they take seconds.
const LOOPS: u64 = 2;
/// Transactions before a kill that is not at a random moment.
const ACKNOWLEDGED: usize = 40;
/// Attempts when a checkpoint right before the kill leaves nothing to find.
const ATTEMPTS: u32 = 3;
/// Bytes of a log file in front of its redo.
const LOG_HEADERS: usize = 1024;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_highwater"))
}

#[test]
fn killed_processes_leave_what_they_were_promised() {
    let loops = std::env::var("HIGHWATER_KILL_LOOPS").map_or(LOOPS, |loops| loops.parse().unwrap());
    let options = Options { loops, sessions: SESSIONS, seed: 7, data: None };
    let outcome = run(program(), &options, &mut Silent).unwrap();
    let mut printed = Vec::new();
    outcome.print(&mut printed).unwrap();
    assert!(outcome.is_clean(), "{}", String::from_utf8(printed).unwrap());
    assert_eq!((outcome.loops, outcome.killed_working >= loops), (loops, true));
    assert!(outcome.acknowledged > 0, "{}", String::from_utf8(printed).unwrap());
}

/// A database whose process was killed after enough transactions for rows in all tables.
fn killed() -> (tempfile::TempDir, Trial) {
    let directory = tempfile::tempdir().unwrap();
    let mut trial = Trial::create(program(), directory.path(), SESSIONS, 3).unwrap();
    trial.crash_after(ACKNOWLEDGED).unwrap();
    (directory, trial)
}

fn faults(checked: &Checked) -> Vec<Fault> {
    let mut faults: Vec<Fault> = checked.settled.findings.iter().map(|finding| finding.fault).collect();
    faults.sort_unstable();
    faults.dedup();
    faults
}

/// Opens and changes the database between a crash and its check, which is forbidden.
fn meddle(trial: &Trial, statements: &[&str]) {
    let lock = device::lock_directory(&trial.database()).unwrap();
    let (files, clock) = (Arc::new(OsFileSystem::new()), Arc::new(SystemClock::default()));
    let instance = Instance::open(files, &trial.database(), clock, Some(lock)).unwrap();
    let database = Database::new(instance);
    let mut connection = database.connect("SYSTEM", None).unwrap();
    for statement in statements {
        let done = connection.run(statement).unwrap();
        assert!(done.rows.is_none_or(|rows| rows > 0), "{statement}");
    }
    drop(connection);
    database.instance().shutdown().unwrap();
}

#[test]
fn what_is_taken_from_committed_transactions_is_noticed() {
    let (_directory, mut trial) = killed();
    assert_eq!(faults(&trial.check()), [], "before anything is taken");
    // A part of a transaction: an amount, rows, the journal's row. One after another, each is a change since the last
    // check.
    for (statement, expected) in [
        ("update accounts set balance = balance + 1 where id = 3", Fault::Half),
        ("update manual_rows set filler = filler || '.' where id = (select min(id) from manual_rows)", Fault::Half),
        ("delete from auto_rows where id = (select max(id) from auto_rows)", Fault::Half),
        ("update journal set amount = amount + 1 where rownum = 1", Fault::Half),
        ("delete from journal where rownum = 1", Fault::Lost),
    ] {
        meddle(&trial, &[statement, "commit"]);
        let checked = trial.check();
        assert!(faults(&checked).contains(&expected), "{statement}: {:?}", checked.settled.findings);
    }
}

/// Removed between the kill and the check, as far as the journal knows.
#[test]
fn an_acknowledged_transaction_that_is_gone_is_lost() {
    let (_directory, mut trial) = killed();
    meddle(&trial, &["delete from journal", "commit"]);
    let checked = trial.check();
    assert!(checked.settled.acknowledged > 0);
    assert!(faults(&checked).contains(&Fault::Lost), "{:?}", checked.settled.findings);
}

/// A disk that has lost writes of the log.
#[test]
fn redo_that_was_written_and_is_gone_is_noticed() {
    for _ in 0..ATTEMPTS {
        let (_directory, mut trial) = killed();
        let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let (_, control) = read_control(&files, &trial.database(), &clock).unwrap();
        for member in control.log_groups.iter().flat_map(|group| &group.members) {
            let path = trial.database().join(member);
            let mut log = std::fs::read(&path).unwrap();
            log[LOG_HEADERS..].fill(0);
            std::fs::write(&path, log).unwrap();
        }
        let checked = trial.check();
        let found = faults(&checked);
        if found.contains(&Fault::Lost) || found.contains(&Fault::Broken) {
            return;
        }
        assert_eq!(found, [], "{:?}", checked.settled.findings);
    }
    panic!("a log without its redo was not noticed");
}
