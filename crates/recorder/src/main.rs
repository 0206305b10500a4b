//! `recorder`: images and error injections of the real binary, as many as it is told.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports on standard output")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use recorder::error::Result;
use recorder::images::{Choice, by_text, try_images};
use recorder::lives::{Options, make_database, run_lives};
use recorder::summary::Summary;
use recorder::walk::Honesty;
use recorder::workload::Kind;

#[derive(Parser)]
#[command(about = "Records the file operations of the real binary, and tries what a power failure would leave")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tries images of three lives in a row.
    Images {
        /// The binary `highwater`.
        #[arg(long)]
        program: PathBuf,
        #[arg(long, default_value_t = 10_000)]
        images: usize,
        /// Images of one seed of one kind.
        #[arg(long, default_value_t = 200)]
        per_trial: usize,
        /// Transactions, definitions and loads of a life.
        #[arg(long, default_value_t = 30)]
        units: usize,
        #[arg(long, default_value_t = 1)]
        first: u64,
        /// rows, definitions, groups, loads, jobs; all where none is said.
        #[arg(long, value_delimiter = ',')]
        kinds: Vec<String>,
        /// Every so many images the binary opens one as well.
        #[arg(long, default_value_t = 50)]
        binary_every: usize,
        /// Syncs promise nothing: something must be found.
        #[arg(long)]
        lie: bool,
        /// Leaves images in which something is wrong here.
        #[arg(long)]
        keep: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let Command::Images { program, images, per_trial, units, first, kinds, binary_every, lie, keep } =
        CommandLine::parse().command;
    let known = |name: &String| Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let kinds: Vec<Kind> = if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds.iter().filter_map(known).collect() };
    let honesty = if lie { Honesty::Lying } else { Honesty::Honest };
    let mut summary = Summary::default();
    let mut seed = first;
    let mut operations = vec![600; kinds.len()];
    let ended = (|| -> Result<()> {
        while summary.images() < images {
            for (index, kind) in kinds.iter().enumerate() {
                let choice = Choice {
                    kind: *kind,
                    seed,
                    images: per_trial.min(images - summary.images().min(images)),
                    binary_every,
                    honesty,
                    keep: keep.clone(),
                };
                let options = Options { program: program.clone(), kind: *kind, seed, units };
                let done = trial(&options, &choice, &mut operations[index], &mut summary);
                if let Err(error) = done {
                    println!("{} seed {seed}: {error}", kind.name());
                    if !matches!(error, recorder::error::Error::Workload(_)) {
                        return Err(error);
                    }
                }
            }
            seed += 1;
        }
        Ok(())
    })();
    for finding in summary.findings() {
        println!("{}: {}", finding.place, finding.findings.first().unwrap_or_default());
    }
    for (text, count) in by_text(summary.findings()) {
        println!("{count:>5} times: {text}");
    }
    let printed = summary.print(&mut std::io::stdout());
    match (ended, printed) {
        (Ok(()), Ok(())) if summary.findings().is_empty() => ExitCode::SUCCESS,
        (Err(error), _) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}

fn trial(options: &Options, choice: &Choice, operations: &mut u64, summary: &mut Summary) -> Result<()> {
    let root =
        tempfile::tempdir().map_err(|error| recorder::error::Error::Io(format!("a temporary directory: {error}")))?;
    let state = make_database(&options.program, root.path())?;
    let trial = run_lives(options, root.path(), state, *operations)?;
    *operations = trial.operations;
    summary.begin(choice.kind, choice.seed, &trial);
    try_images(&trial, &options.program, choice, summary)
}
