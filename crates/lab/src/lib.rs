//! The laboratory: experiments that compare the engine's figures with published ones, and benchmarks that compare it
//! with its peers.
//!
//! See README.md.

pub mod au_size;
pub mod bench;
pub mod block_size;
pub mod clustering;
pub mod durability;
pub mod experiment;
pub mod freelists;
pub mod generate;
mod grid;
pub mod index;
pub mod insert_gets;
pub mod interval;
mod laboratory;
pub mod management;
mod modelled_run;
pub mod progress;
pub mod segment_map;
pub mod source;
mod text;
mod time;

use common::Result;

pub use bench::{BenchOptions, bench};
pub use experiment::options::Options;
pub use experiment::print;
pub use experiment::registry::Experiment;
pub use experiment::reproduction::Reproduction;
pub use modelled_run::{DeviceReport, ModelledRun};
pub use progress::{Progress, Silent};

/// The experiments that can be run.
static EXPERIMENTS: [Experiment; 4] =
    [insert_gets::EXPERIMENT, freelists::EXPERIMENT, block_size::EXPERIMENT, au_size::EXPERIMENT];

/// The experiments that can be run.
#[must_use]
pub fn experiments() -> &'static [Experiment] {
    &EXPERIMENTS
}

/// An experiment by its name.
///
/// # Errors
/// HW-0003 for an unknown name.
pub fn experiment(name: &str) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        let text = format!("there is no experiment '{name}'; there is: {}", known.join(", "));
        experiment::options::wrong_use(text)
    })
}

/// Runs an experiment by its name.
///
/// # Errors
/// HW-0003 for an unknown name, or an option that it does not take; those of the run.
pub fn reproduce(name: &str, options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    experiment(name)?.reproduce(options, progress)
}
