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
use crate::experiment::factor::{Factor, Role};
use crate::experiment::merged;
use crate::experiment::plan::Limits;
use crate::experiment::setting::Setting;

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

pub static BLOCK_BYTES: Factor =
    block_bytes(&SIZES, Role::Fixed, "A read of 1 MB has fewer blocks where they are large; the bytes are the same");

static FACTORS: [&Factor; 1] = [&BLOCK_BYTES];

/// All that the part consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    part: Some(NAME),
    limits: Limits { scale: SCALE, scale_range: SCALE_RANGE, repetitions: super::REPETITIONS, ..Limits::USUAL },
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
    ..Declaration::new(super::NAME, super::FILE, &FACTORS, || SIZES.map(setting).to_vec())
};

/// The table in blocks of this size.
#[must_use]
pub fn setting(block_bytes: u32) -> Setting {
    Setting::new(&FACTORS).with(&BLOCK_BYTES, block_bytes)
}
