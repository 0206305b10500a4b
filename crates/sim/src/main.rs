//! Many seeds: `sim --seeds N [--first S]` (or `--runs N --seed S`) and the options of [`options::Options`].

mod options;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, spawn};
use sim::disk::Lie;
use sim::dump::dump;
use sim::explore::{Crashes, Outcome, explore};
use sim::mirrors::{self, Tally};
use sim::workload::{Plan, record};

use options::Options;

/// Failures of a seed that are shown.
const SHOWN: usize = 3;
/// Seeds between two lines of progress when only failures are shown.
const PROGRESS: u64 = 500;

fn plan(options: &Options, seed: u64) -> Plan {
    let plan = usual_plan(options, seed);
    if options.mirrors { plan.in_group() } else { plan }
}

fn usual_plan(options: &Options, seed: u64) -> Plan {
    if options.threads > 0 {
        let lives = options.lives.max(1);
        return Plan { indexes: options.indexes, ..Plan::threads(seed, options.steps, lives, options.threads) };
    }
    if options.lives > 0 {
        return Plan { indexes: options.indexes, ..Plan::lives(seed, options.steps, options.lives) };
    }
    Plan { indexes: options.indexes, disks: options.disks, loads: options.loads, ..Plan::new(seed, options.steps) }
}

fn crashes(options: &Options, seed: u64) -> Crashes {
    let all_of_it = options.exhaustive;
    let usual = Crashes {
        seed,
        places: if all_of_it { usize::MAX } else { options.places },
        ways: if all_of_it { 3 } else { 2 },
        blocks_every: 1,
        again_every: 10,
        again_places: if all_of_it { usize::MAX } else { 6 },
        faults_every: 4,
        faults_times: if all_of_it { 20 } else { 3 },
    };
    if options.lives == 0 || all_of_it {
        return usual;
    }
    // Several lives have crashes in recoveries by themselves.
    Crashes { ways: 1, blocks_every: 2, again_every: 40, again_places: 2, faults_every: 40, faults_times: 1, ..usual }
}

/// Directory of dumps: beside the program.
fn dumps() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.parent().unwrap_or(Path::new(".")).join("sim-failures")
}

/// The outcome of a seed, with lines about it.
fn run(options: &Options, seed: u64) -> (Outcome, Vec<String>) {
    let recording = match record(&plan(options, seed), &[], Lie::None) {
        Ok(recording) => recording,
        Err(error) => {
            return (Outcome { ended: 1, ..Outcome::default() }, vec![format!("seed {seed}: {error}")]);
        }
    };
    let outcome = explore(&recording, &crashes(options, seed));
    let mut lines = vec![format!(
        "seed {seed} trace {:08x}: {} operations, {} states, {} crashes, {} lost, {} phantom, {} broken{}",
        recording.trace(),
        recording.operations.len(),
        recording.parts.iter().map(Vec::len).sum::<usize>(),
        outcome.crashes,
        outcome.lost,
        outcome.phantom,
        outcome.broken,
        recording.ended_by.as_ref().map_or_else(String::new, |why| format!("; ended by {why}")),
    )];
    // The first few are the most useful.
    if options.dump && !outcome.is_clean() {
        let directory = dumps().join(format!("seed-{seed}"));
        let shown = &outcome.failures[..outcome.failures.len().min(SHOWN)];
        match dump(&recording, shown, &directory) {
            Ok(()) => lines.push(format!("  operations and disks: {}", directory.display())),
            Err(error) => lines.push(format!("  no dump in {}: {error}", directory.display())),
        }
    }
    lines.extend(outcome.failures.iter().take(SHOWN).map(|failure| format!("  {failure}")));
    (outcome, lines)
}

/// Runs seeds of disk groups. Prints each failure, and at the end what the seeds have gone through.
#[expect(clippy::print_stdout, reason = "what the program is for")]
fn run_groups(options: &Options) -> ExitCode {
    let shared = Arc::new((AtomicU64::new(options.first), Mutex::new((Tally::default(), 0_u64)), options.clone()));
    let work = |shared: &(AtomicU64, Mutex<(Tally, u64)>, Options)| {
        let (next, all, options) = shared;
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= options.first + options.seeds {
                return;
            }
            let outcome = mirrors::run(seed, options.groups, options.steps);
            let mut all = all.lock();
            match outcome {
                Ok(tally) => all.0.add(&tally),
                Err(why) => {
                    all.1 += 1;
                    println!("seed {seed}: {why}");
                }
            }
            let done = all.0.seeds + all.1;
            if options.quiet && done.is_multiple_of(PROGRESS) {
                println!("{done} seeds, {} failures", all.1);
            }
        }
    };
    let others: Vec<_> = (1..options.jobs)
        .filter_map(|number| {
            let shared = Arc::clone(&shared);
            spawn(&format!("sim{number}"), move || work(&shared)).ok()
        })
        .collect();
    work(&shared);
    for other in others {
        let _ = other.join();
    }
    let (tally, failures) = *shared.1.lock();
    let Tally { seeds, lives, steps, failed, hung, gone, old, repairs, moves, left } = tally;
    println!(
        "{seeds} seeds, {failures} failures: {lives} lives, {steps} steps; disks: {failed} failed ({hung} of them hung), \
         {gone} gone, {old} with old content, {left} dropped by force; {repairs} copies repaired, {moves} extents moved"
    );
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Shared by the threads that run seeds.
struct Shared {
    options: Options,
    next: AtomicU64,
    all: Mutex<Outcome>,
    done: AtomicU64,
}

#[expect(clippy::print_stdout, reason = "what the program is for")]
fn work(shared: &Shared) {
    let options = &shared.options;
    loop {
        let seed = shared.next.fetch_add(1, Ordering::Relaxed);
        if seed >= options.first + options.seeds {
            return;
        }
        let (outcome, lines) = run(options, seed);
        // Printed under the lock: the lines of a seed stay together.
        let mut all = shared.all.lock();
        if !options.quiet || !outcome.is_clean() {
            lines.iter().for_each(|line| println!("{line}"));
        }
        all.add(outcome);
        let done = shared.done.fetch_add(1, Ordering::Relaxed) + 1;
        if options.quiet && done.is_multiple_of(PROGRESS) {
            println!("{done} seeds, {} crash points, {} of them with failures", all.crashes, all.failed());
        }
    }
}

#[expect(clippy::print_stdout, reason = "what the program is for")]
fn main() -> ExitCode {
    let options = match Options::from_arguments(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    if options.groups > 0 {
        return run_groups(&options);
    }
    let shared = Arc::new(Shared {
        next: AtomicU64::new(options.first),
        options,
        all: Mutex::default(),
        done: AtomicU64::new(0),
    });
    let others: Vec<_> = (1..shared.options.jobs)
        .filter_map(|number| {
            let shared = shared.clone();
            spawn(&format!("sim{number}"), move || work(&shared)).ok()
        })
        .collect();
    work(&shared);
    if others.into_iter().any(|other| other.join().is_err()) {
        println!("a thread has panicked");
        return ExitCode::FAILURE;
    }
    let all = shared.all.lock();
    println!(
        "{} crash points ({} with several writes of one log file in flight, {} in a recovery, {} checked block by block), {} recoveries with faults ({} of them ended by an error); lost {}, phantom {}, \
         invariants broken {}",
        all.crashes,
        all.in_flight,
        all.second,
        all.verified,
        all.faulty,
        all.refused,
        all.lost,
        all.phantom,
        all.broken
    );
    if shared.options.mirrors {
        println!(
            "after {} crashes a disk was missing, after {} one had old content; {}",
            all.without_disk, all.old_disk, all.disks
        );
    }
    if shared.options.lives > 0 {
        println!(
            "{} seeds, {} of them with a life that could not go on",
            shared.done.load(Ordering::Relaxed),
            all.ended
        );
    }
    if all.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
