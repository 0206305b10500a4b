//! `differential`: random statements on Highwater and PostgreSQL, as many as its arguments ask for.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports on standard output")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::Error;
use common::limits::SESSION_STACK_BYTES;
use common::sync::spawn_with_stack;
use differential::passes::Passes;
use differential::{Campaign, Plan, Way, suite};
use peer::Installation;

/// Random queries and changes on Highwater and on PostgreSQL; exit code 1 where an answer differs.
#[derive(Parser)]
struct Arguments {
    /// What everything random comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Queries to try, at least
    #[arg(long, default_value_t = 10_000)]
    queries: u64,
    /// INSERT, UPDATE, DELETE, MERGE and ends of transactions to try, at least
    #[arg(long, default_value_t = 2_000)]
    changes: u64,
    /// The first round: to see a difference again
    #[arg(long, default_value_t = 0)]
    round: u64,
    /// Differences after which it ends
    #[arg(long, default_value_t = 20)]
    differences: usize,
    /// Where PostgreSQL's bin and lib are [default: .peers/postgres]
    #[arg(long)]
    postgres: Option<PathBuf>,
    /// Scripts of sqllogictest to run instead, on Highwater alone, against the answers in them
    #[arg(long, num_args = 1..)]
    suite: Vec<PathBuf>,
    /// The pass list: a script that agrees less than listed is an error, what is new or better is added
    #[arg(long, requires = "suite")]
    passes: Option<PathBuf>,
    /// Have Highwater's planner carry out each statement, also one that has a way of its own
    #[arg(long)]
    planned: bool,
    /// Put Highwater's tables on a storage cell, which carries out all full scans
    #[arg(long, conflicts_with = "planned")]
    offloaded: bool,
}

impl Arguments {
    fn way(&self) -> Way {
        match (self.planned, self.offloaded) {
            (true, _) => Way::Planned,
            (_, true) => Way::Offloaded,
            _ => Way::Usual,
        }
    }
}

/// Runs scripts one after another, each on a new database. True: all answers agree or, with a pass list, as many as are
/// listed.
fn run_suite(scripts: &[PathBuf], passes: Option<&Path>, way: Way) -> common::Result<bool> {
    let mut all = suite::Outcome::default();
    let mut passes = passes.map(Passes::read).transpose()?;
    let mut worse = 0;
    for script in scripts {
        let outcome = suite::run(script, way)?;
        println!("{}: {outcome}", script.display());
        for (why, (count, first)) in &outcome.refused {
            println!("  refused {count} times, {why}; {first}");
        }
        for difference in &outcome.differences {
            println!("  {difference}");
        }
        if let Some(why) = passes.as_mut().and_then(|passes| passes.judge(script, &outcome)) {
            println!("  worse: {why}");
            worse += 1;
        }
        all.add(outcome);
        // Written after each script: all the scripts take hours.
        passes.as_ref().map(Passes::write).transpose()?;
    }
    println!("{} scripts: {all}", scripts.len());
    Ok(if passes.is_some() { worse == 0 } else { all.differing == 0 })
}

/// A session's statements need a stack of their own.
fn on_a_stack<T: Send + 'static>(run: impl FnOnce() -> common::Result<T> + Send + 'static) -> common::Result<T> {
    spawn_with_stack("differential", SESSION_STACK_BYTES, run)
        .map_err(|error| Error::bug(error.to_string()))
        .and_then(|thread| thread.join().unwrap_or_else(|_| Err(Error::bug("a panic"))))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !arguments.suite.is_empty() {
        let way = arguments.way();
        return match on_a_stack(move || run_suite(&arguments.suite, arguments.passes.as_deref(), way)) {
            Ok(agrees) => ExitCode::from(u8::from(!agrees)),
            Err(error) => {
                eprintln!("differential: {error}");
                ExitCode::from(2)
            }
        };
    }
    let installation = match Installation::find(arguments.postgres.as_deref()) {
        Ok(installation) => installation,
        Err(why) => {
            eprintln!("differential: {why}");
            return ExitCode::from(2);
        }
    };
    println!("beside {}", installation.version);
    let plan = Plan {
        seed: arguments.seed,
        queries: arguments.queries,
        changes: arguments.changes,
        first: arguments.round,
        differences: arguments.differences,
        way: arguments.way(),
    };
    let run = move || {
        let mut told = 0;
        Campaign::start(&installation, plan)?.run(|round, tally| {
            for difference in &tally.differences[told..] {
                println!("{difference}");
            }
            told = tally.differences.len();
            if round % 20 == 0 {
                eprintln!("round {round}: {} queries, {} changes", tally.queries, tally.changes);
            }
        })
    };
    match on_a_stack(run) {
        Ok(tally) => {
            println!("{tally}");
            ExitCode::from(u8::from(!tally.differences.is_empty()))
        }
        Err(error) => {
            eprintln!("differential: {error}");
            ExitCode::from(2)
        }
    }
}
