//! Rows that grow, in blocks of three sizes with room for their growth and without.
//!
//! ```text
//! setting.rs  what the arms differ in        work.rs  a table, its rows, one update
//! measured.rs -> judge.rs -> print.rs, JSON
//! flamegraph.rs  where the time of one update goes
//! ```

pub mod flamegraph;
pub mod judge;
pub mod measured;
pub(super) mod print;
pub mod setting;
mod work;

use common::Result;

use crate::laboratory::Laboratory;
use crate::options::{Options, wrong_use};
use crate::progress::Progress;
use flamegraph::{Flame, Picture};
use measured::{Arm, Measured};
use setting::{BLOCK_BYTES, Setting};

/// Rows at scale 1.
const ROWS: f64 = 200_000.0;
const ROWS_LEAST: f64 = 1_000.0;
/// How often each arm runs; those with the legacy search run once, because they take long.
const REPETITIONS: u32 = 3;
const REPETITIONS_MAX: u32 = 1_000;
/// Megabytes of cache of each block size: the tables stay in it.
const CACHE_MB: f64 = 64.0;

/// How often each arm is to run.
///
/// # Errors
/// HW-0003 for a number out of range.
pub(super) fn repetitions(options: &Options) -> Result<u32> {
    let repetitions = options.repetitions.unwrap_or(REPETITIONS);
    if !(1..=REPETITIONS_MAX).contains(&repetitions) {
        return Err(wrong_use(format!("repetitions are 1 to {REPETITIONS_MAX}, not {repetitions}")));
    }
    Ok(repetitions)
}

/// Runs the part; what is to be said of it goes to `notes`.
///
/// # Errors
/// HW-0003 for options out of range; those of making the database, and of the statements.
pub(super) fn run(
    options: &Options,
    notes: &mut Vec<String>,
    progress: &mut dyn Progress,
) -> Result<(Measured, Option<Flame>)> {
    let picture = options.flamegraph.as_deref().map(Picture::create).transpose()?;
    let (repetitions, scale) = (repetitions(options)?, options.scale());
    let rows = (ROWS * scale).max(ROWS_LEAST).round();
    progress.step("making the database");
    let cache_mb = (CACHE_MB * scale.max(0.25)).ceil();
    let parameters: Vec<_> =
        BLOCK_BYTES.map(|bytes| (super::cache_parameter(bytes), format!("{cache_mb}M"))).into_iter().collect();
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let data = options.data.as_ref().map(|data| data.join(super::PCTFREE));
    let laboratory = Laboratory::create(data.as_deref(), &parameters)?;
    work::create_tablespaces(&mut laboratory.connect()?, scale)?;
    let mut arms: Vec<Arm> = Setting::all().map(|setting| Arm { setting, runs: Vec::new() }).collect();
    for repetition in 1..=repetitions {
        // One after the other in each repetition, so that what else the machine does meets all of them.
        for arm in arms.iter_mut().filter(|arm| !arm.setting.legacy_search || repetition == 1) {
            progress.step(&format!("repetition {repetition} of {repetitions}: {}", arm.setting.name()));
            arm.runs.push(work::run(&laboratory, arm.setting, rows as u64)?);
        }
    }
    let flame = match picture {
        None => None,
        Some(picture) => {
            progress.step(&format!("the stacks of {}", flamegraph::ARM.name()));
            Some(picture.draw(&laboratory, rows as u64)?)
        }
    };
    progress.step("closing the database");
    laboratory.close()?;
    notes.push(format!(
        "{}: {cache_mb} MB of cache of each block size; a checkpoint before each update",
        super::PCTFREE
    ));
    Ok((Measured { rows: rows as u64, arms }, flame))
}
