//! The laboratory: experiments that set what the engine measures beside what was published, and benchmarks that set it beside its peers.
//!
//! See README.md.

pub mod bench;
pub mod block_size;
pub mod clustering;
pub mod durability;
pub mod expectation;
pub mod freelists;
pub mod generate;
mod grid;
pub mod index;
pub mod insert_gets;
pub mod interval;
mod laboratory;
pub mod management;
pub mod options;
pub mod print;
pub mod progress;
pub mod reproduction;
pub mod segment_map;
pub mod source;
pub mod sweep;
mod text;
mod time;

use common::Result;

pub use bench::{BenchOptions, bench};
pub use options::Options;
pub use progress::{Progress, Silent};
pub use reproduction::{Experiment, Reproduction};

/// The experiments that can be run.
const EXPERIMENTS: [Experiment; 3] = [
    Experiment { name: insert_gets::NAME, title: insert_gets::TITLE },
    Experiment { name: freelists::NAME, title: freelists::TITLE },
    Experiment { name: block_size::NAME, title: block_size::TITLE },
];

/// The experiments that can be run.
#[must_use]
pub fn experiments() -> &'static [Experiment] {
    &EXPERIMENTS
}

/// Runs an experiment by its name.
///
/// # Errors
/// HW-0003 when there is none of that name, or it does not take an option; those of the run.
pub fn reproduce(name: &str, options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    match name {
        insert_gets::NAME => insert_gets::run(options, progress),
        freelists::NAME => freelists::run(options, progress),
        block_size::NAME => block_size::run(options, progress),
        other => {
            let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
            let text = format!("there is no experiment '{other}'; there is: {}", known.join(", "));
            Err(options::wrong_use(text))
        }
    }
}
