//! Many seeds: `sim --seeds N [--first S] [--steps N] [--places N]`.

use std::process::ExitCode;

use sim::disk::Lie;
use sim::explore::{Crashes, Outcome, explore};
use sim::workload::{Plan, record};

struct Options {
    first: u64,
    seeds: u64,
    steps: usize,
    places: usize,
}

fn options() -> Result<Options, String> {
    let mut options = Options { first: 1, seeds: 20, steps: 60, places: 60 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a number"))?;
        let value: u64 = value.parse().map_err(|_| format!("{name} {value}: not a number"))?;
        match name.as_str() {
            "--first" => options.first = value,
            "--seeds" => options.seeds = value,
            "--steps" => options.steps = value as usize,
            "--places" => options.places = value as usize,
            _ => return Err(format!("{name} is no option: --seeds, --first, --steps, --places")),
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
        let plan = Plan::new(seed, options.steps);
        let recording = match record(&plan, &[], Lie::None) {
            Ok(recording) => recording,
            Err(error) => {
                println!("seed {seed}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let crashes = Crashes {
            seed,
            places: options.places,
            ways: 2,
            blocks_every: 1,
            again_every: 10,
            again_places: 6,
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
        for failure in &outcome.failures {
            println!("  {failure:?}");
        }
        all.add(outcome);
    }
    println!(
        "{} crash points ({} in a recovery, {} checked block by block), {} unpromised; lost {}, phantom {}, invariants broken {}",
        all.crashes, all.second, all.verified, all.unpromised, all.lost, all.phantom, all.broken
    );
    if all.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
