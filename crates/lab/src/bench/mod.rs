//! Benchmarks beside a peer, or beside ourselves, as ratios in one run on one machine.
//!
//! Runs alternate between the sides, so that other load of the machine meets both; each figure is the median of its
//! runs, and all runs are listed.

mod block_size;
mod commit;
mod disk;
mod disks;
mod flat;
mod growth;
mod highwater;
mod insert;
mod keys;
mod outcome;
mod plans;
mod plsql;
mod postgres;
mod print;
mod readers;
mod recovery;
mod together;
mod tpcc;

use std::path::PathBuf;

use common::{Error, ErrorKind, Result};
use tempfile::TempDir;

use crate::laboratory::io;
use crate::progress::Progress;

pub use outcome::{Case, Outcome};
pub use print::print;

/// Options of a benchmark.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchOptions {
    /// Multiplies the number of rows.
    pub scale: f64,
    /// Runs of each side.
    pub runs: u32,
    /// A directory for both sides' data, removed parts and all at the end; None: a temporary one.
    pub data: Option<PathBuf>,
    /// Folder of PostgreSQL's `bin` and `lib`; None: `.peers/postgres` in the working directory or above the program.
    pub postgres: Option<PathBuf>,
    /// Buffer cache of either side, megabytes.
    pub cache_mb: u64,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self { scale: 1.0, runs: 5, data: None, postgres: None, cache_mb: 512 }
    }
}

/// The benchmarks beside a peer that can be run; [`crate::durability`] has another shape.
#[must_use]
pub fn benchmarks() -> &'static [&'static str] {
    &["insert", "commit", "plsql", "keys", "plans", "tpcc", "block-size", "readers", "recovery", "disks"]
}

/// Runs a benchmark by its name.
///
/// # Errors
/// HW-0003 for an unknown name; those of either side's statements.
pub fn bench(name: &str, options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    match name {
        "insert" => insert::run(options, progress),
        "commit" => commit::run(options, progress),
        "plsql" => plsql::run(options, progress),
        "keys" => keys::run(options, progress),
        "plans" => plans::run(options, progress),
        "tpcc" => tpcc::run(options, progress),
        "block-size" => block_size::run(options, progress),
        "readers" => readers::run(options, progress),
        "recovery" => recovery::run(options, progress),
        "disks" => disks::run(options, progress),
        other => Err(Error::own(
            ErrorKind::User,
            3,
            format!(
                "there is no benchmark '{other}'; there is: {}, {}",
                benchmarks().join(", "),
                crate::durability::NAME
            ),
        )),
    }
}

/// The directory that both sides' files go to; it is removed in the end.
fn home(options: &BenchOptions) -> Result<TempDir> {
    match &options.data {
        Some(path) => {
            std::fs::create_dir_all(path).map_err(|error| io(path, &error))?;
            tempfile::Builder::new().prefix("bench-").tempdir_in(path)
        }
        None => tempfile::Builder::new().prefix("highwater-bench-").tempdir(),
    }
    .map_err(|error| io(&std::env::temp_dir(), &error))
}
