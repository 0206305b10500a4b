//! One database, the promises made in it, and the processes that are killed in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::{Clock, Result, Seeded, SystemClock};
use device::OsFileSystem;
use engine::verify::verify;

use super::found::read;
use super::ledger::{Fault, Finding, Ledger, Settled};
use super::line::Line;
use super::process::Process;
use super::setup::{Plan, create, lock, open};
use super::worker::Work;
use crate::laboratory::{connect, io};

/// Time of a kill, in milliseconds after the sessions began.
const KILL_MS: std::ops::Range<u64> = 50..2_000;
/// Of an open, before there was one that was not killed, in microseconds.
const OPEN_US: u64 = 200_000;

/// The work at which a process was killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killed {
    Working,
    Opening,
}

/// Results of opening the database and reading it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Checked {
    pub settled: Settled,
    /// Redo that was read, bytes; None where the database had been closed cleanly.
    pub redo_bytes: Option<u64>,
    pub open_us: u64,
    /// Blocks that were torn and put back; transactions that were rolled back.
    pub torn: u64,
    pub dead: u64,
}

/// A database that is killed again and again.
#[derive(Debug)]
pub struct Trial {
    program: PathBuf,
    directory: PathBuf,
    sessions: u32,
    seed: u64,
    random: Seeded,
    ledger: Ledger,
    /// Processes that have worked.
    lives: u64,
    /// Lines of the last of them, until they are checked.
    lines: Vec<Line>,
    /// Microseconds of the last open that came to its end.
    open_us: u64,
}

impl Trial {
    /// Makes the database `directory/database`. `program` is the binary whose command `durability-process` calls
    /// [`super::work`].
    ///
    /// # Errors
    /// Those of making it.
    pub fn create(program: &Path, directory: &Path, sessions: u32, seed: u64) -> Result<Self> {
        create(&directory.join("database"), &Plan::new(seed))?;
        Ok(Self {
            program: program.to_owned(),
            directory: directory.to_owned(),
            sessions,
            seed,
            random: Seeded::at(seed, 1 << 40),
            ledger: Ledger::new(sessions),
            lives: 0,
            lines: Vec::new(),
            open_us: OPEN_US,
        })
    }

    /// The directory of the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join("database")
    }

    fn start(&self, idle: bool) -> Result<Process> {
        let Self { seed, lives, sessions, .. } = *self;
        let work = Work { data: self.database(), seed, life: lives, sessions, idle };
        Process::start(&self.program, &work, &self.directory.join("process.err"))
    }

    /// Lets a process work and kills it.
    ///
    /// # Errors
    /// When it cannot be started, does not open the database, or ends by itself.
    pub fn crash(&mut self) -> Result<()> {
        let pause = KILL_MS.start + self.random.below(KILL_MS.end - KILL_MS.start);
        self.crash_when(|_| {
            std::thread::sleep(Duration::from_millis(pause));
            Ok(())
        })
    }

    /// As [`Trial::crash`], but kills as soon as this many transactions were acknowledged.
    ///
    /// # Errors
    /// As [`Trial::crash`].
    pub fn crash_after(&mut self, transactions: usize) -> Result<()> {
        self.crash_when(|process| {
            let mut left = transactions;
            process.wait_for("its transactions", |line| {
                left -= usize::from(matches!(line, Line::Acknowledged(_)));
                left == 0 || matches!(line, Line::Failed { .. })
            })
        })
    }

    fn crash_when(&mut self, wait: impl FnOnce(&mut Process) -> Result<()>) -> Result<()> {
        let mut process = self.start(false)?;
        self.lives += 1;
        process.wait_for("its sessions", |line| *line == Line::Ready)?;
        wait(&mut process)?;
        self.lines = process.kill()?;
        // Kept beside a database: the last promises made in it.
        let said: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let path = self.directory.join("lines");
        std::fs::write(&path, said).map_err(|error| io(&path, &error))
    }

    /// Has a process open the database and kills it meanwhile; it may have been too quick for that.
    ///
    /// # Errors
    /// As [`Trial::crash`].
    pub fn crash_opening(&mut self) -> Result<Killed> {
        let mut process = self.start(true)?;
        process.wait_for("a beginning", |line| *line == Line::Opening)?;
        std::thread::sleep(Duration::from_micros(self.random.below(self.open_us)));
        let opened = process.kill()?.iter().any(|line| matches!(line, Line::Opened { .. }));
        Ok(if opened { Killed::Working } else { Killed::Opening })
    }

    /// Opens the database, compares its contents with the promises, closes it or leaves it as it is, and checks its
    /// files.
    pub fn check(&mut self) -> Checked {
        let mut checked = Checked::default();
        let lines = std::mem::take(&mut self.lines);
        if let Err(error) = self.look(&lines, &mut checked) {
            checked.settled.findings.push(Finding::new(Fault::Broken, error.to_string()));
        }
        checked
    }

    fn look(&mut self, lines: &[Line], checked: &mut Checked) -> Result<()> {
        let clock = SystemClock::default();
        let since_us = clock.monotonic_us();
        let database = open(&self.database())?;
        checked.open_us = clock.monotonic_us() - since_us;
        self.open_us = checked.open_us;
        let instance = database.instance();
        if let Some(done) = instance.rolled_forward() {
            checked.redo_bytes = Some(done.bytes);
            checked.torn = done.torn;
        }
        checked.dead = instance.dead_transactions().into();
        // The instance may still be rolling back transactions of the crash.
        let mut connection = connect(&database)?;
        let found = read(&mut connection, self.sessions)?;
        drop(connection);
        checked.settled = self.ledger.settle(lines, &found.state);
        checked.settled.findings.extend(found.findings);
        if self.random.percent(60) {
            instance.shutdown()?;
        }
        drop(database);
        let lock = lock(&self.database())?;
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let report = verify(Arc::new(OsFileSystem::new()), &self.database(), clock, Some(lock))?;
        let problems = report.problems.iter().map(|problem| Finding::new(Fault::Damaged, problem.to_string()));
        checked.settled.findings.extend(problems);
        Ok(())
    }
}
