//! The process that is killed: opens the database, lets sessions work in it, and writes lines about their work.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use common::sync::spawn_with_stack;
use common::{Clock, Error, ErrorKind, Result, Seeded, SystemClock};
use sql::{Connection, Database};

use super::found::owned;
use super::line::Line;
use super::session::{Worker, say};
use super::setup::open;
use crate::laboratory::connect;

/// Stack of a session's thread: parser and planner go down an expression level by level. Memory is taken as it is used.
const STACK_BYTES: usize = 64 << 20;

/// Arguments of the process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    pub data: PathBuf,
    pub seed: u64,
    /// Number of processes that have worked on this database before.
    pub life: u64,
    pub sessions: u32,
    /// Opens the database and does nothing in it.
    pub idle: bool,
}

/// Works until the process is killed, or until standard input ends; it ends when the parent process does.
///
/// # Errors
/// Those of opening the database, or of starting a thread.
pub fn work(work: &Work) -> Result<()> {
    let clock = SystemClock::default();
    say(&Line::Opening)?;
    let since_us = clock.monotonic_us();
    let database = open(&work.data)?;
    say(&Line::Opened { open_us: clock.monotonic_us() - since_us })?;
    let begun = if work.idle { say(&Line::Ready) } else { begin(work, &database) };
    if begun.is_ok() {
        // Nothing comes; it ends.
        let _ = std::io::stdin().lock().read(&mut [0]);
    }
    begun
}

fn begin(work: &Work, database: &Arc<Database>) -> Result<()> {
    let mut connection = connect(database)?;
    let owned = owned(&mut connection, work.sessions, &mut Vec::new())?;
    let mut workers = Vec::new();
    for (session, own) in (0..work.sessions).zip(owned) {
        workers.push(Worker::new(connect(database)?, session, work.sessions, work.life, work.seed, own));
    }
    say(&Line::Ready)?;
    for (session, mut worker) in (0..work.sessions).zip(workers) {
        thread(session, move || worker.work())?;
    }
    let random = Seeded::at(work.seed, work.life << 8);
    thread(work.sessions, move || administer(connection, random))
}

/// A session's thread; it writes a line about an error that ends it.
fn thread(session: u32, run: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let run = move || {
        if let Err(error) = run() {
            let text = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            // Without a reader of the lines the error is dropped.
            let _ = say(&Line::Failed { session, text });
        }
    };
    let started = spawn_with_stack(&format!("session {session}"), STACK_BYTES, run).map(drop);
    started.map_err(|error| Error::own(ErrorKind::OutOfResource, 5, format!("no thread for a session: {error}")))
}

/// Checkpoints, log switches, and an empty cache, now and then.
fn administer(mut connection: Connection, mut random: Seeded) -> Result<()> {
    loop {
        std::thread::sleep(Duration::from_millis(20 + random.below(300)));
        let text = match random.below(10) {
            0..4 => "alter system checkpoint",
            4..8 => "alter system switch logfile",
            _ => "alter system flush buffer_cache",
        };
        connection.run(text)?;
    }
}
