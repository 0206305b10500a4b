//! The experiment `au-size`: one table in disk groups of 1, 4 and 8 MB units, scanned by a cell.
//!
//! ```text
//! setting.rs  factors and arms          groups.rs  the cell, its grid disks, groups and tables
//! work.rs     the scans                 measured.rs, split.rs, judge.rs, print.rs    this file: the declaration
//! ```
//!
//! The published test compared a group on the outer tracks with two on inner ones, then made the two anew where the
//! first had been. So both the unit and the place are factors here: the time that a group takes more than that of 4 MB
//! is the unit's and the place's (`split.rs`).

mod groups;
mod judge;
pub mod measured;
mod print;
pub mod setting;
mod split;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::experiment::declaration::{self, Declaration};
use crate::experiment::figure::{self, Cells};
use crate::experiment::plan::Limits;
use crate::experiment::registry::Experiment;
use crate::experiment::sweep::SweepTexts;
use measured::Run;
use setting::{AU_MB, FACTORS};

pub use work::Work;

/// Blocks of the table at scale 1.
const BLOCKS: f64 = 1_940_352.0;
/// 1.5 GB.
const SCALE: f64 = 0.1;
const SCALE_RANGE: (f64, f64) = (0.001, 1.0);
const REPETITIONS: u32 = 5;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "au-size",
    title: "Scans by storage cells: allocation units of 1, 4 and 8 MB, on outer and inner tracks",
    parts: &[&DECLARATION],
    device: Some(("disk-15k-600gb", 4.0)),
};

/// The published figures of an arm.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Known {
    pub query_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eligible_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned_by_smart_scan_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_cs: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pct_saved: Option<f64>,
}

/// The published figures that no arm has.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Paper {
    pub blocks: u64,
}

pub type Comparison = declaration::Comparison<Work>;
type Figure = figure::Figure<Run>;

/// All that the experiment consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    limits: Limits { scale: SCALE, scale_range: SCALE_RANGE, repetitions: REPETITIONS, ..Limits::USUAL },
    figures: &FIGURES,
    tables: &print::TABLES,
    judges: &judge::JUDGES,
    about: |comparison| vec![("work: ", work::about(&comparison.measured.plan))],
    members: |comparison| {
        json!({
            "disks_alone": comparison.measured.rest,
            "split": split::all(comparison),
        })
    },
    sweep: Some(SweepTexts {
        title: "Allocation units, extents, places and reads",
        about: work::about,
        usual: Some((&AU_MB, &[1, 2, 4, 8, 16])),
        work: |plan| json!({"scale": plan.scale, "repetitions": plan.repetitions}),
        remark: None,
        columns: |_| Vec::new(),
    }),
    ..Declaration::new("au-size", include_str!("../../experiments/au-size.toml"), &FACTORS, setting::arms)
};

static FIGURES: [Figure; 17] = [
    Figure::listed("elapsed_s", "scan s", 3, Cells::Interval, |run, _| run.elapsed_s).drawn("Time of a scan", "s"),
    Figure::listed("mb_per_s", "MB/s", 0, Cells::Median, |run, _| run.mb_per_s()),
    Figure::listed("scan_requests", "requests", 0, Cells::Median, |run, _| run.scan_requests as f64)
        .drawn("Requests to the cell", "requests"),
    Figure::listed("seek_s", "seek s", 2, Cells::Median, |run, _| run.seek_s),
    Figure::listed("rotation_s", "rotation s", 2, Cells::Median, |run, _| run.rotation_s)
        .drawn("Rotation waited for, all disks", "s"),
    Figure::listed("transfer_s", "transfer s", 2, Cells::Median, |run, _| run.transfer_s)
        .drawn("Transfer, all disks", "s"),
    Figure::listed("idle_s", "idle s", 2, Cells::Median, |run, _| run.idle_s).drawn("Disks without work", "s"),
    Figure::plain("real_s", |run, _| run.real_s),
    Figure::plain("session_cpu_s", |run, _| run.session_cpu_s),
    Figure::plain("cell_cpu_s", |run, _| run.cell_cpu_s),
    Figure::plain("eligible_bytes", |run, _| run.eligible_bytes as f64),
    Figure::plain("interconnect_bytes", |run, _| run.interconnect_bytes as f64),
    Figure::plain("returned_bytes", |run, _| run.returned_bytes as f64),
    Figure::plain("segment_bytes", |run, _| run.segment_bytes as f64),
    Figure::plain("reads", |run, _| run.reads as f64),
    Figure::plain("positioned", |run, _| run.positioned as f64),
    Figure::plain("streamed", |run, _| run.streamed as f64),
];
