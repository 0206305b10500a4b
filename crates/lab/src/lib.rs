//! The laboratory: experiments that set what the engine measures beside what was published, and benchmarks that set it beside its peers.
//!
//! See README.md.

pub mod expectation;
mod grid;
pub mod measured;
pub mod print;
pub mod progress;
pub mod published;
pub mod reproduction;
pub mod source;
mod text;

pub use progress::{Progress, Silent};
pub use reproduction::{Experiment, Reproduction};

/// The experiments that can be run.
pub const EXPERIMENTS: [Experiment; 1] =
    [Experiment { name: "insert-gets", title: "What INSERT ... SELECT costs under freelists and under bitmaps" }];

/// The experiments that can be run.
#[must_use]
pub fn experiments() -> &'static [Experiment] {
    &EXPERIMENTS
}
