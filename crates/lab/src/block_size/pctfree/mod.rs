//! Rows that grow, in blocks of three sizes with room for their growth and without.
//!
//! ```text
//! setting.rs  factors and arms               work.rs        a table, its rows, one update
//! measured.rs a run                          arithmetic.rs  what the counts have to be
//! judge.rs                                   flamegraph.rs  where the time of one update goes
//! ```

mod arithmetic;
pub mod flamegraph;
mod judge;
pub mod measured;
pub mod setting;
pub(super) mod work;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::experiment::declaration::{self, Declaration};
use crate::experiment::figure::{self, Cells};
use crate::experiment::merged;
use crate::experiment::plan::Limits;
use crate::experiment::setting::Setting;
use crate::experiment::sweep::SweepTexts;
use crate::experiment::table::{self, Table};
use crate::text::{grouped, number};
use measured::Run;
use setting::{BLOCK_BYTES, FACTORS, LEGACY_SEARCH};
use work::rows;

pub use work::Work;

const NAME: &str = "pctfree";

/// The published figures of an arm.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Known {
    /// Before and after the update.
    pub blocks: [u64; 2],
    pub update_s: f64,
    /// The time is that of the search which a switch brings back; blocks are the same with it and without.
    #[serde(default)]
    pub legacy_search: bool,
}

/// The published figures that no arm has.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Paper {
    pub rows: u64,
    /// AVG_ROW_LEN before and after the update.
    pub average_row_bytes: [u64; 2],
}

pub type Comparison = declaration::Comparison<Work>;
type Figure = figure::Figure<Run>;
type Column = table::Column<Work>;

/// All that the part consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    part: Some(NAME),
    // They take long.
    once: |setting| setting.is_on(&LEGACY_SEARCH),
    limits: Limits { repetitions: super::REPETITIONS, ..Limits::USUAL },
    takes: &["flamegraph"],
    figures: &FIGURES,
    tables: &TABLES,
    judges: &judge::JUDGES,
    qualify: judge::qualify,
    known_as: |setting| setting.with(&LEGACY_SEARCH, 0),
    arm_json: |comparison, arm| merged([comparison.arm_json(arm), json!({"update_s": arm.median(|run| run.update_s)})]),
    point_json: |declaration, arm| declaration.estimates(arm),
    members: |comparison| json!({"rows": comparison.measured.rest.rows}),
    document: |comparison| {
        let flame = comparison.measured.rest.flame.as_ref();
        flame.map_or(Value::Null, |flame| json!({"profile": flame.json()}))
    },
    sweep: Some(SweepTexts {
        title: "PCTFREE and block size",
        about: |plan| {
            let rows = grouped(rows(plan));
            format!("{rows} rows of one number are inserted; then an update gives each of them a second one as long.")
        },
        usual: None,
        work: |plan| json!({"rows": rows(plan), "repetitions": plan.repetitions}),
        remark: None,
        columns: |_| Vec::new(),
    }),
    ..Declaration::new(super::NAME, super::FILE, &FACTORS, setting::arms)
};

const MB: f64 = 1_048_576.0;

fn megabytes(blocks: u64, setting: &Setting) -> f64 {
    blocks as f64 * f64::from(setting.number(&BLOCK_BYTES)) / MB
}

static FIGURES: [Figure; 11] = [
    Figure::listed("blocks_before", "blocks before", 0, Cells::Median, |run, _| run.blocks[0] as f64),
    Figure::listed("blocks_after", "after", 0, Cells::Median, |run, _| run.blocks[1] as f64),
    Figure::plain("mb_before", |run, setting| megabytes(run.blocks[0], setting))
        .drawn("Blocks of the table before the update, in MB", "MB"),
    Figure::plain("mb_after", |run, setting| megabytes(run.blocks[1], setting))
        .drawn("Blocks of the table after the update, in MB", "MB"),
    Figure::listed("migrated", "rows migrated", 0, Cells::Median, |run, _| run.migrated as f64)
        .drawn("Rows that migrated", "rows"),
    Figure::listed("update_s", "update s", 3, Cells::Median, |run, _| run.update_s).drawn("Time of the update", "s"),
    Figure::listed("scan_s", "scan s", 3, Cells::Median, |run, _| run.scan_s)
        .drawn("Time of a full scan after it", "s"),
    Figure::listed("scan_gets", "scan gets", 0, Cells::Median, |run, _| run.scan_gets as f64)
        .drawn("Gets of that scan", "gets"),
    Figure::plain("current_gets", |run, _| run.current_gets as f64),
    Figure::plain("redo_bytes", |run, _| run.redo_bytes as f64),
    Figure::listed("redo_mb", "redo MB", 1, Cells::Median, |run, _| run.redo_bytes as f64 / MB),
];

static TABLES: [Table<Work>; 4] = [
    Table::Own(|comparison, out| {
        let runs = comparison.measured.plan.repetitions;
        let rows = grouped(comparison.measured.rest.rows);
        writeln!(out, "{rows} rows of one number, then update t1 set n2 = n1; medians of {runs}, legacy search once\n")
    }),
    Table::Arms(&[
        Column::Name("blocks"),
        Column::Known("published before", 0, |known| Some(known.blocks[0] as f64)),
        Column::Known("after", 0, |known| Some(known.blocks[1] as f64)),
        Column::Median("measured before", 0, |run| run.blocks[0] as f64),
        Column::Median("after", 0, |run| run.blocks[1] as f64),
        Column::Median("rows a block", 0, |run| run.rows_a_block as f64),
        Column::Median("rows migrated", 0, |run| run.migrated as f64),
        Column::Cell("avg_row_len", |row| {
            row.arm.last().map_or_else(
                |_| "-".to_owned(),
                |run| format!("{} {}", run.average_row_bytes[0], run.average_row_bytes[1]),
            )
        }),
    ]),
    Table::Arms(&[
        Column::Name("update"),
        // A published time is one of a certain search.
        Column::Cell("published s", |row| {
            let is_legacy = row.arm.setting.is_on(&LEGACY_SEARCH);
            let known = row.known.filter(|known| known.legacy_search == is_legacy);
            known.map_or_else(|| "-".to_owned(), |known| number(known.update_s, 2))
        }),
        Column::Median("measured s", 2, |run| run.update_s),
        Column::Median("current gets", 0, |run| run.current_gets as f64),
        Column::Median("redo MB", 1, |run| run.redo_bytes as f64 / MB),
    ]),
    Table::Own(|comparison, out| comparison.measured.rest.flame.iter().try_for_each(|flame| flame.print(out))),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::experiment::measured::{Arm, Measured};
    use crate::experiment::plan::Turn;
    use crate::experiment::workload::Workload;
    use crate::progress::Silent;
    use measured::Rest;

    /// The published number of rows in the six published arms: twelve counts of blocks, and the rows that migrate.
    #[test]
    fn the_six_arms_at_the_published_size() {
        let published = DECLARATION.published().unwrap();
        let plan = DECLARATION.plan(&Options::default()).unwrap();
        assert_eq!(rows(&plan), published.paper.rows);
        let mut work = Work::open(&plan, &mut Silent).unwrap();
        let arms = setting::published().map(|setting| {
            let run = work.run(setting, Turn::default(), &mut Silent).unwrap();
            assert_eq!(run.blocks, published.arm(setting).unwrap().blocks, "{}", setting.name());
            assert_eq!(run.average_row_bytes, published.paper.average_row_bytes, "{}", setting.name());
            Arm { setting, runs: vec![run] }
        });
        let arms = arms.collect();
        work.close().unwrap();
        let rest = Rest { rows: published.paper.rows, flame: None };
        let comparison = DECLARATION.compare(Measured { plan, arms, rest }).unwrap();
        for id in ["rows_a_block", "blocks_before", "grows_in_place", "migrates"] {
            let found = comparison.judge_by_id(id).unwrap();
            assert_eq!(found.holds, Some(true), "{found:?}");
        }
    }
}
