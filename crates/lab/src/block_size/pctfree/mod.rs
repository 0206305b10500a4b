//! Rows that grow, in blocks of three sizes with room for their growth and without.
//!
//! ```text
//! setting.rs  what the arms differ in        work.rs  a table, its rows, one update
//! measured.rs -> judge.rs -> print.rs, JSON      arithmetic.rs  what the counts have to be
//! flamegraph.rs  where the time of one update goes
//! ```

mod arithmetic;
pub mod flamegraph;
pub mod judge;
pub mod measured;
pub(super) mod print;
pub mod setting;
pub(super) mod work;

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

/// A database with a tablespace of each block size; how many rows its tables are to have, and the megabytes of each cache.
pub(super) fn laboratory(
    options: &Options,
    folder: &str,
    progress: &mut dyn Progress,
) -> Result<(Laboratory, u64, f64)> {
    let scale = options.scale();
    progress.step("making the database");
    let cache_mb = (CACHE_MB * scale.max(0.25)).ceil();
    let parameters = BLOCK_BYTES.map(|bytes| (super::cache_parameter(bytes), format!("{cache_mb}M")));
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let data = options.data.as_ref().map(|data| data.join(folder));
    let laboratory = Laboratory::create(data.as_deref(), &parameters)?;
    work::create_tablespaces(&mut laboratory.connect()?, scale)?;
    Ok((laboratory, (ROWS * scale).max(ROWS_LEAST).round() as u64, cache_mb))
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
    let repetitions = repetitions(options)?;
    let (laboratory, rows, cache_mb) = laboratory(options, super::PCTFREE, progress)?;
    let mut arms: Vec<Arm> = Setting::all().map(|setting| Arm { setting, runs: Vec::new() }).collect();
    for repetition in 1..=repetitions {
        // One after the other in each repetition, so that what else the machine does meets all of them.
        for arm in arms.iter_mut().filter(|arm| !arm.setting.legacy_search || repetition == 1) {
            progress.step(&format!("repetition {repetition} of {repetitions}: {}", arm.setting.name()));
            arm.runs.push(work::run(&laboratory, arm.setting, rows)?);
        }
    }
    let flame = match picture {
        None => None,
        Some(picture) => {
            progress.step(&format!("the stacks of {}", flamegraph::ARM.name()));
            Some(picture.draw(&laboratory, rows)?)
        }
    };
    progress.step("closing the database");
    laboratory.close()?;
    notes.push(format!(
        "{}: {cache_mb} MB of cache of each block size; a checkpoint before each update",
        super::PCTFREE
    ));
    Ok((Measured { rows, arms }, flame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_size::published::Published;
    use crate::progress::Silent;

    /// The published number of rows in the six published arms: twelve counts of blocks, and the rows that migrate.
    #[test]
    fn the_six_arms_at_the_published_size() {
        let published = Published::read().unwrap().pctfree;
        let (laboratory, rows, _) = laboratory(&Options::default(), super::super::PCTFREE, &mut Silent).unwrap();
        assert_eq!(rows, published.rows);
        let arms = Setting::published().map(|setting| {
            let run = work::run(&laboratory, setting, rows).unwrap();
            assert_eq!(run.blocks, published.arm(setting).unwrap().blocks, "{}", setting.name());
            assert_eq!(run.average_row_bytes, published.average_row_bytes, "{}", setting.name());
            Arm { setting, runs: vec![run] }
        });
        let measured = Measured { rows, arms: arms.collect() };
        laboratory.close().unwrap();
        for id in ["rows_a_block", "blocks_before", "grows_in_place", "migrates"] {
            let found = judge::judge_by_id(id, &published, &measured).unwrap();
            assert_eq!(found.holds, Some(true), "{found:?}");
        }
    }
}
