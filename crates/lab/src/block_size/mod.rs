//! The experiment `block-size`, in two parts: rows that grow in blocks of three sizes, and one table read in blocks of
//! four.
//!
//! ```text
//! pctfree/  blocks, migrated rows, update time      multiblock/  segment sizes, gets, reads, scan time
//! ```

pub mod multiblock;
pub mod pctfree;

use crate::experiment::factor::{Factor, Role, Values};
use crate::experiment::registry::Experiment;

const NAME: &str = "block-size";
const FILE: &str = include_str!("../../experiments/block-size.toml");
/// Runs of each arm.
const REPETITIONS: u32 = 3;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    title: "Block size and PCTFREE: blocks before and after rows have grown, the search for space, and multiblock reads",
    parts: &[&pctfree::DECLARATION, &multiblock::DECLARATION],
    device: None,
};

/// The block size of an arm's tablespace.
const fn block_bytes(sizes: &'static [u32], role: Role, why: &'static str) -> Factor {
    Factor {
        role,
        unit: "bytes",
        words: |value| format!("{} KB", value / 1024),
        why,
        ..Factor::number("block_bytes", "block size", Values::OneOf(sizes), Some(8192))
    }
}

/// The parameter that gives blocks of this size their cache; blocks of the databases made here have 8 KB.
pub(crate) fn cache_parameter(block_bytes: u32) -> String {
    match block_bytes {
        8192 => "db_cache_size".to_owned(),
        other => format!("db_{}k_cache_size", other / 1024),
    }
}
