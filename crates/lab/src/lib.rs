//! The laboratory: experiments that set what the engine measures beside what was published, and benchmarks that set it beside its peers.
//!
//! See README.md.

mod arm;
pub mod bench;
mod clustering;
pub mod durability;
pub mod expectation;
mod grid;
pub mod insert_gets;
mod laboratory;
pub mod measured;
pub mod print;
pub mod progress;
pub mod published;
pub mod reproduction;
pub mod segment_map;
pub mod source;
mod text;

use common::{Error, ErrorKind, Result};

pub use bench::{BenchOptions, bench};
pub use insert_gets::Options;
pub use progress::{Progress, Silent};
pub use reproduction::{Experiment, Reproduction};

/// The experiments that can be run.
const EXPERIMENTS: [Experiment; 1] =
    [Experiment { name: "insert-gets", title: "What INSERT ... SELECT costs under freelists and under bitmaps" }];

/// The experiments that can be run.
#[must_use]
pub fn experiments() -> &'static [Experiment] {
    &EXPERIMENTS
}

/// Runs an experiment by its name.
///
/// # Errors
/// HW-0003 when there is none of that name; those of the run.
pub fn reproduce(name: &str, options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    match name {
        "insert-gets" => insert_gets::run(options, progress),
        other => {
            let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
            let text = format!("there is no experiment '{other}'; there is: {}", known.join(", "));
            Err(Error::own(ErrorKind::User, 3, text))
        }
    }
}
