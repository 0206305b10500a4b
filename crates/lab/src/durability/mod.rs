//! `bench durability`: processes with several writing sessions are killed at random moments; the database must keep its
//! promises to them.
//!
//! ```text
//!   run ── starts ──► the same binary: opens the database, sessions work (worker.rs, session.rs)
//!    ▲                    │ lines: COMMIT is called, COMMIT has returned (line.rs)
//!    └────── a pipe ◄─────┘ SIGKILL, 50 ms to 2 s after the sessions began; sometimes the next ones while they open
//!   then: open, read all (found.rs), compare with what was promised (ledger.rs), close or not, verify (trial.rs)
//! ```
//!
//! A transaction moves money between accounts that all sessions share, and inserts, changes and deletes rows that
//! belong to its session; a row in the journal describes its work. So the tables can be made from the journal alone,
//! and every column of every row is compared with that. The database stays for many loops, and errors add up.
//!
//! A killed process loses its own memory, not the data that the operating system has taken. The simulator covers data
//! that a disk forgets.

mod change;
mod found;
mod ledger;
mod line;
mod outcome;
mod process;
mod session;
mod setup;
mod state;
mod trial;
mod worker;

use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Result, Seeded};

use crate::laboratory::io;
use crate::progress::Progress;

pub use ledger::{Fault, Finding, Settled};
pub use outcome::Outcome;
pub use trial::{Checked, Killed, Trial};
pub use worker::{Work, work};

/// The name that `highwater bench` knows it by.
pub const NAME: &str = "durability";
/// Loops on one database.
const LOOPS_A_DATABASE: u64 = 50;
/// Sessions that keys and seeds have room for.
const SESSIONS_MAX: u32 = 32;

/// Options of the benchmark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub loops: u64,
    pub sessions: u32,
    pub seed: u64,
    /// Folder of the databases; None: a temporary directory. A faulty database stays in either.
    pub data: Option<PathBuf>,
}

/// Runs the loops, with `program` as the binary that is killed; see [`Trial::create`]. Ends with the first loop in
/// which something is wrong.
///
/// # Errors
/// Those of making a database. Faults of a database are in the outcome.
pub fn run(program: &Path, options: &Options, progress: &mut dyn Progress) -> Result<Outcome> {
    if options.sessions == 0 || options.sessions > SESSIONS_MAX {
        let text = format!("sessions are 1 to {SESSIONS_MAX}, not {}", options.sessions);
        return Err(Error::own(ErrorKind::User, 3, text));
    }
    let Options { seed, sessions, .. } = *options;
    let mut outcome = Outcome { seed, sessions, ..Outcome::default() };
    let mut home = None;
    while outcome.loops < options.loops && outcome.is_clean() {
        let database = outcome.databases;
        outcome.databases += 1;
        progress.step(&format!("database {}: making it", database + 1));
        let directory = directory(options)?;
        let seed = Seeded::at(seed, database).draw();
        let made = Trial::create(program, &directory, sessions, seed);
        // A database that was never finished is not worth keeping.
        let mut trial = made.inspect_err(|_| drop(std::fs::remove_dir_all(&directory)))?;
        let loops = LOOPS_A_DATABASE.min(options.loops - outcome.loops);
        progress.step(&format!("database {}: {loops} loops", database + 1));
        for number in 0..loops {
            let checked = one_loop(&mut trial, Seeded::at(seed, number + 2), &mut outcome);
            outcome.add(checked);
            progress.at(number + 1, loops);
            if !outcome.is_clean() {
                outcome.failed_loop = Some(outcome.loops);
                break;
            }
        }
        home = Some(directory);
        if outcome.is_clean()
            && let Some(directory) = home.take()
        {
            std::fs::remove_dir_all(&directory).map_err(|error| io(&directory, &error))?;
        }
    }
    progress.end();
    outcome.kept = home;
    Ok(outcome)
}

/// Kills a process at work, then perhaps some that open the database after it, and checks.
fn one_loop(trial: &mut Trial, mut random: Seeded, outcome: &mut Outcome) -> Checked {
    let mut kill = || -> Result<()> {
        trial.crash()?;
        outcome.killed(Killed::Working);
        if random.percent(40) {
            for _ in 0..=random.below(3) {
                outcome.killed(trial.crash_opening()?);
            }
        }
        Ok(())
    };
    match kill() {
        Ok(()) => trial.check(),
        Err(error) => {
            let findings = vec![Finding::new(Fault::Broken, error.to_string())];
            Checked { settled: Settled { findings, ..Settled::default() }, ..Checked::default() }
        }
    }
}

/// A directory of its own, which is not removed unless all is well.
fn directory(options: &Options) -> Result<PathBuf> {
    let (made, place) = match &options.data {
        Some(path) => {
            std::fs::create_dir_all(path).map_err(|error| io(path, &error))?;
            (tempfile::Builder::new().prefix("durability-").tempdir_in(path), path.clone())
        }
        None => (tempfile::Builder::new().prefix("highwater-durability-").tempdir(), std::env::temp_dir()),
    };
    Ok(made.map_err(|error| io(&place, &error))?.keep())
}
