//! The figures of the scans, before any comparison.

use std::collections::BTreeMap;

use serde::Serialize;

use super::BLOCK_BYTES;
use crate::experiment::setting::Setting;

/// The flat file that the tables are made of.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct FlatFile {
    /// Of TPC-DS.
    pub scale_factor: f64,
    pub rows: u64,
    pub bytes: u64,
}

/// TKPROF's figures of a scan, parse, execute and fetch together.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Profile {
    pub fetches: u64,
    pub cpu_s: f64,
    pub elapsed_s: f64,
    pub disk: u64,
    pub query: u64,
    pub rows: u64,
}

/// One scan.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Scan {
    pub rows: u64,
    /// Calls that fetched.
    pub fetches: u64,
    pub elapsed_s: f64,
    pub cpu_s: f64,
    /// Blocks.
    pub physical_reads: u64,
    pub consistent_gets: u64,
    /// Waits for reads by their blocks, as the trace has them: direct path reads and those into the cache.
    pub direct_reads: BTreeMap<u64, u64>,
    pub cached_reads: BTreeMap<u64, u64>,
    /// Seconds of all these waits.
    pub read_wait_s: f64,
    /// Reads of the disk group's files, and those of them that an allocation unit's end cut in two.
    pub group_reads: u64,
    pub group_reads_cut: u64,
    pub tkprof: Profile,
}

impl Scan {
    /// All reads: blocks of a read, and how many there were.
    fn reads(&self) -> impl Iterator<Item = (u64, u64)> {
        self.direct_reads.iter().chain(&self.cached_reads).map(|(blocks, count)| (*blocks, *count))
    }

    /// The largest read, in blocks.
    #[must_use]
    pub fn largest_read(&self) -> u64 {
        self.reads().map(|(blocks, _)| blocks).max().unwrap_or(0)
    }

    /// The share of the blocks that came in reads of exactly so many.
    #[must_use]
    pub fn share_of(&self, blocks: u64) -> f64 {
        let all: u64 = self.reads().map(|(blocks, count)| blocks * count).sum();
        let whole: u64 = self.reads().filter(|read| read.0 == blocks).map(|(blocks, count)| blocks * count).sum();
        if all == 0 { 0.0 } else { whole as f64 / all as f64 }
    }

    /// All reads that the scan waited for.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.reads().map(|(_, count)| count).sum()
    }

    /// Direct path reads.
    #[must_use]
    pub fn direct_requests(&self) -> u64 {
        self.direct_reads.values().sum()
    }

    /// The gets that arithmetic expects: each block that was read once, and again at each fetch that goes on within it.
    #[must_use]
    pub fn gets_due(&self) -> f64 {
        let blocks = self.physical_reads as f64;
        blocks + self.fetches as f64 * (1.0 - blocks / (self.rows as f64).max(blocks))
    }
}

/// Figures of a table.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Table {
    pub segment_bytes: u64,
    /// CREATE TABLE AS SELECT of the external table.
    pub load_s: f64,
}

/// Figures that are measured in addition to the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    pub flat: FlatFile,
    /// By block size.
    pub tables: BTreeMap<u32, Table>,
    /// Scans of the table in 8 KB blocks with a multiblock read count that is set.
    pub counts: Vec<(u64, Scan)>,
}

impl Rest {
    /// The table of an arm; the default if it has none.
    #[must_use]
    pub fn table(&self, arm: Setting) -> Table {
        self.tables.get(&arm.number(&BLOCK_BYTES)).copied().unwrap_or_default()
    }
}

/// Blocks of 1 MB.
#[must_use]
pub fn whole_read(block_bytes: u32) -> u64 {
    (1 << 20) / u64::from(block_bytes)
}
