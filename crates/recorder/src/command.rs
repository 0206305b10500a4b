//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use recorder::error::{Error, Result};
use recorder::faults::inject_all;
use recorder::images::{Choice, by_text, record_and_try};
use recorder::lives::Options;
use recorder::summary::Summary;
use recorder::walk::Honesty;
use recorder::workload::WorkloadKind;

/// Operations of a life, before one was recorded.
const OPERATIONS: u64 = 300;

/// Failed seeds after which the run ends.
const FAILED_MAX: usize = 20;

#[derive(Parser)]
#[command(about = "Records the file operations of the real binary, and tries what faults and power failures leave")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tries images of three lives in a row.
    Images {
        #[command(flatten)]
        common: Common,
        #[arg(long, default_value_t = 10_000)]
        images: usize,
        /// Images of one seed of one kind.
        #[arg(long, default_value_t = 200)]
        per_trial: usize,
        /// Every so many images the binary opens one as well.
        #[arg(long, default_value_t = 50)]
        binary_every: usize,
        /// Syncs are ignored: faults must be found.
        #[arg(long)]
        lie: bool,
        /// Directory for faulty images.
        #[arg(long)]
        keep: Option<PathBuf>,
    },
    /// Makes calls fail, one at a time.
    Faults {
        #[command(flatten)]
        common: Common,
        /// Failing calls of each kind, spread over all; all of them where it is larger.
        #[arg(long, default_value_t = u64::MAX)]
        most: u64,
        /// Prints every injection.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Args)]
struct Common {
    /// The binary `highwater`.
    #[arg(long)]
    program: PathBuf,
    /// Transactions, definitions and loads of a life.
    #[arg(long, default_value_t = 30)]
    units: usize,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// rows, definitions, groups, loads, jobs, mirrors, cells; all by default.
    #[arg(long, value_delimiter = ',', value_parser = kind)]
    kinds: Vec<WorkloadKind>,
}

impl Common {
    fn kinds(&self) -> Vec<WorkloadKind> {
        if self.kinds.is_empty() { WorkloadKind::ALL.to_vec() } else { self.kinds.clone() }
    }

    fn options(&self, kind: WorkloadKind, seed: u64) -> Options {
        Options { program: self.program.clone(), kind, seed, units: self.units }
    }
}

fn kind(name: &str) -> std::result::Result<WorkloadKind, String> {
    WorkloadKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| format!("no kind {name}"))
}

pub(crate) fn run() -> ExitCode {
    let done = match CommandLine::parse().command {
        Command::Images { common, images, per_trial, binary_every, lie, keep } => {
            let honesty = if lie { Honesty::Lying } else { Honesty::Honest };
            run_images(&common, images, |kind, seed, left| Choice {
                kind,
                seed,
                images: per_trial.min(left),
                binary_every,
                honesty,
                keep: keep.clone(),
            })
        }
        Command::Faults { common, most, all } => run_faults(&common, most, all),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// True when nothing was found.
fn run_images(common: &Common, images: usize, choice: impl Fn(WorkloadKind, u64, usize) -> Choice) -> Result<bool> {
    let kinds = common.kinds();
    let mut summary = Summary::default();
    let mut operations = vec![OPERATIONS; kinds.len()];
    let mut seed = common.seed;
    let mut failed = 0;
    while summary.images() < images {
        for (kind, operations) in kinds.iter().zip(&mut operations) {
            let left = images.saturating_sub(summary.images());
            let before = summary.findings().len();
            match record_and_try(&common.options(*kind, seed), &choice(*kind, seed, left), operations, &mut summary) {
                Ok(_) => {}
                // The seed ends here; the others go on.
                Err(Error::Workload(text)) => {
                    failed += 1;
                    println!("{} seed {seed}: {text}", kind.name());
                    if failed == FAILED_MAX {
                        return Err(Error::Workload("too many seeds fail".to_owned()));
                    }
                }
                Err(error) => return Err(error),
            }
            for finding in &summary.findings()[before..] {
                println!("{}: {}", finding.place, finding.findings.first().unwrap_or_default());
            }
            let (found, images) = (summary.findings().len(), summary.images());
            println!("{} seed {seed} is done: {images} images so far, something is wrong in {found}", kind.name());
        }
        seed += 1;
    }
    for (text, count) in by_text(summary.findings()) {
        println!("{count:>5} times: {text}");
    }
    let printed = summary.print(&mut std::io::stdout());
    printed.map_err(|error| Error::Io(format!("standard output: {error}")))?;
    Ok(summary.findings().is_empty() && failed == 0)
}

/// True when nothing was found.
fn run_faults(common: &Common, most: u64, all: bool) -> Result<bool> {
    let (mut injected, mut hit, mut failed, mut stopped, mut wrong) = (0, 0, 0, 0, 0);
    for kind in common.kinds() {
        let counts = inject_all(&common.options(kind, common.seed), most, |injection| {
            injected += 1;
            hit += usize::from(injection.hit.is_some());
            failed += usize::from(injection.failed.is_some());
            stopped += usize::from(injection.stopped);
            wrong += usize::from(!injection.findings.is_empty());
            if all || !injection.findings.is_empty() {
                let said = injection.failed.as_deref().unwrap_or("no statement fails");
                let hit = injection.hit.as_deref().unwrap_or("not reached");
                println!("{} {hit} -> {said}", kind.name());
            }
            for finding in &injection.findings {
                println!("    WRONG: {finding}");
            }
        })?;
        println!("{}: calls without a fault: {counts:?}", kind.name());
    }
    println!(
        "{injected} faults planned, {hit} hit; a statement failed after {failed}, the instance stopped after {stopped}; \
         something is wrong after {wrong}"
    );
    Ok(wrong == 0)
}
