//! One table in blocks of four sizes, each read from the first row to the last with nothing cached.
//!
//! ```text
//! table.rs     flat file -> external table -> a table of each block size, in a disk group
//! work.rs      the scans      requests.rs  what the trace says of them
//! measured.rs, judge.rs, print.rs          this file: the declaration
//! ```

mod judge;
pub mod measured;
mod print;
mod requests;
pub(crate) mod table;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::block_bytes;
use crate::experiment::declaration::{self, Declaration};
use crate::experiment::factor::{Factor, Role, Shown, Values};
use crate::experiment::figure::{self, Cells};
use crate::experiment::merged;
use crate::experiment::plan::Limits;
use crate::experiment::setting::Setting;
use crate::experiment::sweep::SweepTexts;
use measured::Scan;

pub use work::Work;

const NAME: &str = "multiblock";
/// The block sizes.
pub(crate) const SIZES: [u32; 4] = [2048, 4096, 8192, 16384];
/// TPC-DS's scale factor at scale 1, and the scale that is used when none is given.
pub(crate) const SCALE_FACTOR: f64 = 100.0;
const SCALE: f64 = 0.1;
const SCALE_RANGE: (f64, f64) = (0.000_1, 1_000.0);

/// The published figures of a scan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Known {
    pub segment_mb: u64,
    pub elapsed_s: f64,
    pub cpu_s: f64,
    /// Blocks.
    pub physical_reads: u64,
    pub consistent_gets: u64,
    /// Requests.
    pub direct_path_reads: u64,
}

/// The published figures that no arm has.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Paper {
    pub rows: u64,
    pub flat_file_bytes: u64,
    /// Calls that fetched rows.
    pub fetches: u64,
}

pub type Comparison = declaration::Comparison<Work>;
type Figure = figure::Figure<Scan>;

pub static BLOCK_BYTES: Factor =
    block_bytes(&SIZES, Role::Line, "A read of 1 MB has fewer blocks where they are large; the bytes are the same");

/// DB_FILE_MULTIBLOCK_READ_COUNT of the session that scans; 0 leaves it to the engine.
pub static READ_COUNT: Factor = Factor {
    unit: "blocks",
    shown: Shown::Changed,
    words: |value| format!("reads of {value}"),
    why: "Small reads ask the device more often; no read is larger than 1 MB",
    ..Factor::number("multiblock_read_count", "DB_FILE_MULTIBLOCK_READ_COUNT", Values::Range(0, 512), Some(0))
};

static FACTORS: [&Factor; 2] = [&BLOCK_BYTES, &READ_COUNT];

static FIGURES: [Figure; 7] = [
    Figure::listed("elapsed_s", "scan s", 3, Cells::Interval, |scan, _| scan.elapsed_s)
        .drawn("Time of a full scan", "s"),
    Figure::listed("cpu_s", "CPU s", 3, Cells::Median, |scan, _| scan.cpu_s).drawn("CPU time of it", "s"),
    Figure::listed("requests", "reads", 0, Cells::Median, |scan, _| scan.requests() as f64)
        .drawn("Reads that the scan waited for", "reads"),
    Figure::listed("largest_read_blocks", "largest read", 0, Cells::Median, |scan, _| scan.largest_read() as f64),
    Figure::listed("consistent_gets", "gets", 0, Cells::Median, |scan, _| scan.consistent_gets as f64),
    Figure::plain("physical_reads", |scan, _| scan.physical_reads as f64),
    Figure::plain("read_wait_s", |scan, _| scan.read_wait_s),
];

/// All that the part consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    part: Some(NAME),
    limits: Limits { scale: SCALE, scale_range: SCALE_RANGE, repetitions: super::REPETITIONS, ..Limits::USUAL },
    figures: &FIGURES,
    tables: &print::TABLES,
    judges: &judge::JUDGES,
    qualify: judge::qualify,
    arm_json: |comparison, arm| {
        let table = comparison.measured.rest.table(arm.setting);
        json!({
            "name": arm.setting.name(),
            "published": comparison.published_json(arm.setting),
            "measured": merged([DECLARATION.estimates(arm), json!(table)]),
            "elapsed_s": arm.median(|scan| scan.elapsed_s),
        })
    },
    members: |comparison| {
        let rest = &comparison.measured.rest;
        json!({"flat_file": rest.flat, "read_counts": rest.counts})
    },
    sweep: Some(SweepTexts {
        title: "Multiblock reads and block size",
        about: |plan| {
            let factor = plan.scale * SCALE_FACTOR;
            format!("web_returns of TPC-DS at scale factor {factor} is read from the first row to the last, uncached.")
        },
        usual: Some((&READ_COUNT, &[1, 4, 16, 64])),
        work: |plan| json!({"scale_factor": plan.scale * SCALE_FACTOR, "repetitions": plan.repetitions}),
        remark: None,
        columns: |_| Vec::new(),
    }),
    ..Declaration::new(super::NAME, super::FILE, &FACTORS, || SIZES.map(setting).to_vec())
};

/// The table in blocks of this size.
#[must_use]
pub fn setting(block_bytes: u32) -> Setting {
    Setting::new(&FACTORS).with(&BLOCK_BYTES, block_bytes)
}
