//! Many seeds: `sim --seeds N [--first S]` (or `--runs N --seed S`) `[--steps N] [--places N] [--indexes 0] [--exhaustive 1] [--disks N] [--loads 1]`. Disks: of a disk group that
//! the datafiles are in. Loads: tables are loaded past the cache too. Exhaustive: a crash at every operation, and after
//! every tenth of these one at every operation of the recovery.

use std::process::ExitCode;

use sim::disk::Lie;
use sim::explore::{Crashes, Outcome, explore};
use sim::workload::{Plan, record};

/// Failures of a seed that are shown.
const SHOWN: usize = 3;

struct Options {
    first: u64,
    seeds: u64,
    steps: usize,
    places: usize,
    indexes: bool,
    exhaustive: bool,
    /// Of the disk group that datafiles are in.
    disks: u16,
    loads: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        first: 1,
        seeds: 20,
        steps: 60,
        places: 60,
        indexes: true,
        exhaustive: false,
        disks: 0,
        loads: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a number"))?;
        let value: u64 = value.parse().map_err(|_| format!("{name} {value}: not a number"))?;
        match name.as_str() {
            "--first" | "--seed" => options.first = value,
            "--seeds" | "--runs" => options.seeds = value,
            "--steps" => options.steps = value as usize,
            "--places" => options.places = value as usize,
            "--indexes" => options.indexes = value != 0,
            "--disks" => options.disks = value.min(8) as u16,
            "--loads" => options.loads = value != 0,
            "--exhaustive" => options.exhaustive = value != 0,
            _ => {
                return Err(format!(
                    "{name} is no option: --seeds, --first, --steps, --places, --indexes, --exhaustive, --disks, --loads"
                ));
            }
        }
    }
    Ok(options)
}

#[expect(clippy::print_stdout, reason = "what the program is for")]
fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut all = Outcome::default();
    for seed in options.first..options.first + options.seeds {
        let plan = Plan {
            indexes: options.indexes,
            disks: options.disks,
            loads: options.loads,
            ..Plan::new(seed, options.steps)
        };
        let recording = match record(&plan, &[], Lie::None) {
            Ok(recording) => recording,
            Err(error) => {
                println!("seed {seed}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let all_of_it = options.exhaustive;
        let crashes = Crashes {
            seed,
            places: if all_of_it { usize::MAX } else { options.places },
            ways: if all_of_it { 3 } else { 2 },
            blocks_every: 1,
            again_every: 10,
            again_places: if all_of_it { usize::MAX } else { 6 },
            faults_every: 4,
            faults_times: if all_of_it { 20 } else { 3 },
        };
        let outcome = explore(&recording, &crashes);
        println!(
            "seed {seed} trace {:08x}: {} operations, {} states, {} crashes, {} lost, {} phantom, {} broken{}",
            recording.trace(),
            recording.operations.len(),
            recording.states.len(),
            outcome.crashes,
            outcome.lost,
            outcome.phantom,
            outcome.broken,
            recording.ended_by.map_or_else(String::new, |why| format!("; ended by {why}")),
        );
        // The first few tell most.
        for failure in outcome.failures.iter().take(SHOWN) {
            println!("  {failure}");
        }
        all.add(outcome);
    }
    println!(
        "{} crash points ({} in a recovery, {} checked block by block), {} recoveries with faults ({} of them ended by an error); lost {}, phantom {}, \
         invariants broken {}",
        all.crashes, all.second, all.verified, all.faulty, all.refused, all.lost, all.phantom, all.broken
    );
    if all.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
