//! A sweep over PCTFREE by block size: the same rows, the same update.
//!
//! ```text
//! settings -> pctfree::work::run -> CSV (a line a run), page.rs (one page: charts and a table)
//! ```

mod page;

use std::io::{self, Write};

use common::{Error, Result};
use serde_json::{Value, json};

use super::pctfree::measured::{Arm, Run};
use super::pctfree::setting::{BLOCK_BYTES, Setting};
use super::pctfree::{self, work};
use crate::grid::Grid;
use crate::options::{Options, wrong_use};
use crate::progress::Progress;
use crate::text::grouped;

/// The folder of the database below `--data`.
const FOLDER: &str = "sweep";
const PCTFREE_MAX: u32 = 90;

/// What a sweep gives back.
#[derive(Clone, PartialEq, Debug)]
pub struct GrowthSweep {
    pub rows: u64,
    pub repetitions: u32,
    /// By block size, then by PCTFREE.
    pub points: Vec<Arm>,
    pub notes: Vec<String>,
}

/// The settings of a sweep.
///
/// # Errors
/// HW-0003 for a PCTFREE out of range, or none.
pub fn settings(pctfree: &[u32]) -> Result<Vec<Setting>> {
    let mut values = pctfree.to_vec();
    values.sort_unstable();
    values.dedup();
    if values.is_empty() {
        return Err(wrong_use("a sweep needs a value of PCTFREE"));
    }
    let values: Vec<u8> = values
        .into_iter()
        .map(|value| match u8::try_from(value) {
            Ok(small) if value <= PCTFREE_MAX => Ok(small),
            _ => Err(wrong_use(format!("a sweep's PCTFREE is 0 to {PCTFREE_MAX}, not {value}"))),
        })
        .collect::<Result<_>>()?;
    Ok(BLOCK_BYTES.into_iter().flat_map(|bytes| values.iter().map(move |value| Setting::new(bytes, *value))).collect())
}

/// Runs the sweep.
///
/// # Errors
/// HW-0003 for options out of range; those of making the database, and of the statements.
pub fn run(pctfree: &[u32], options: &Options, progress: &mut dyn Progress) -> Result<GrowthSweep> {
    options.refuse(super::NAME, &["source", "minutes", "sessions", "seed", "part", "flamegraph"])?;
    let repetitions = pctfree::repetitions(options)?;
    let mut points: Vec<Arm> =
        settings(pctfree)?.into_iter().map(|setting| Arm { setting, runs: Vec::new() }).collect();
    let (laboratory, rows, cache_mb) = pctfree::laboratory(options, FOLDER, progress)?;
    for repetition in 1..=repetitions {
        for point in &mut points {
            progress.step(&format!("repetition {repetition} of {repetitions}: {}", point.setting.name()));
            point.runs.push(work::run(&laboratory, point.setting, rows)?);
        }
    }
    progress.step("closing the database");
    laboratory.close()?;
    progress.end();
    let mut notes = vec![format!("{cache_mb} MB of cache of each block size; a checkpoint before each update")];
    if cfg!(debug_assertions) {
        notes.push("a debug build: times mean nothing".to_owned());
    }
    Ok(GrowthSweep { rows, repetitions, points, notes })
}

impl GrowthSweep {
    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "experiment": super::NAME,
            "work": { "rows": self.rows, "repetitions": self.repetitions },
            "sweep": self.points,
            "notes": self.notes,
        })
    }

    /// Prints the points.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = grouped(self.rows);
        writeln!(out, "block-size: a sweep over PCTFREE, {rows} rows, medians of {}", self.repetitions)?;
        for note in &self.notes {
            crate::print::lines(out, "", note)?;
        }
        writeln!(out)?;
        let head = ["setting", "blocks before", "after", "rows migrated", "update s", "scan s", "scan gets", "redo MB"];
        let mut grid = Grid::new(&head, 1);
        for point in &self.points {
            let Some(run) = point.last() else { continue };
            grid.row([
                point.setting.name(),
                grouped(run.blocks[0]),
                grouped(run.blocks[1]),
                grouped(run.migrated),
                seconds(point.update_s()),
                seconds(point.scan_s()),
                grouped(run.scan_gets),
                format!("{:.1}", run.redo_bytes as f64 / f64::from(1 << 20)),
            ]);
        }
        grid.print(out)
    }

    /// A line for each run, with a head.
    ///
    /// # Errors
    /// ORA-00600: memory takes everything.
    pub fn csv(&self) -> Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut put =
            |cells: Vec<String>| writer.write_record(cells).map_err(|error| Error::bug(format!("CSV: {error}")));
        let head = [
            "repetition",
            "block_bytes",
            "pctfree",
            "blocks_before",
            "blocks_after",
            "migrated",
            "update_s",
            "scan_s",
            "scan_gets",
            "current_gets",
            "redo_bytes",
        ];
        put(head.map(str::to_owned).to_vec())?;
        for point in &self.points {
            for (number, run) in (1..).zip(&point.runs) {
                let number: u32 = number;
                let Run {
                    blocks: [before, after],
                    migrated,
                    update_s,
                    scan_s,
                    scan_gets,
                    current_gets,
                    redo_bytes,
                    ..
                } = run;
                put(vec![
                    number.to_string(),
                    point.setting.block_bytes.to_string(),
                    point.setting.pctfree.to_string(),
                    before.to_string(),
                    after.to_string(),
                    migrated.to_string(),
                    format!("{update_s:.6}"),
                    format!("{scan_s:.6}"),
                    scan_gets.to_string(),
                    current_gets.to_string(),
                    redo_bytes.to_string(),
                ])?;
            }
        }
        writer.into_inner().map_err(|error| Error::bug(format!("CSV: {error}")))
    }

    /// One HTML page that needs nothing beside it.
    #[must_use]
    pub fn page(&self) -> String {
        page::page(self)
    }
}

fn seconds(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_once_at_every_block_size() {
        let found = settings(&[20, 0, 20]).unwrap();
        let expected: Vec<_> =
            [4096, 8192, 16384].into_iter().flat_map(|bytes| [0, 20].map(|value| Setting::new(bytes, value))).collect();
        assert_eq!(found, expected);
        assert!(settings(&[91]).is_err() && settings(&[300]).is_err() && settings(&[]).is_err());
    }
}
