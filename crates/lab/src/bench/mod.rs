//! Benchmarks beside a peer, or beside ourselves, as ratios in one run on one machine.
//!
//! Runs alternate between the sides, so that other load of the machine meets both; each figure is the median of its
//! runs, and all runs are listed.

mod block_size;
mod cells;
mod commit;
mod disk;
mod disks;
mod far_cells;
mod flat;
mod growth;
mod highwater;
mod insert;
mod keys;
mod mirrors;
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

use common::Result;
use peer::Installation;
use tempfile::TempDir;

use crate::experiment::options::wrong_use;
use crate::laboratory::io;
use crate::modelled_run::ModelledRun;
use crate::progress::Progress;

pub use far_cells::{CellHost, FilesOf};
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
    /// Our databases lie on modelled devices, without peers; None: on the machine's own.
    pub device: Option<ModelledRun>,
    /// Folder of PostgreSQL's `bin` and `lib`; None: `.peers/postgres` in the working directory or above the program.
    pub postgres: Option<PathBuf>,
    /// Buffer cache of either side, megabytes.
    pub cache_mb: u64,
    /// How cells are started as processes of their own; None: there are none.
    pub cells: Option<CellHost>,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self { scale: 1.0, runs: 5, data: None, device: None, postgres: None, cache_mb: 512, cells: None }
    }
}

impl BenchOptions {
    /// PostgreSQL, to run beside; or the reason why it does not.
    fn installation(&self) -> std::result::Result<Installation, String> {
        self.on_machine()?;
        Installation::find(self.postgres.as_deref())
    }

    /// True where `fio` can be run beside; or the reason why it cannot.
    fn fio(&self) -> std::result::Result<(), String> {
        self.on_machine()?;
        if disk::present() { Ok(()) } else { Err("there is no fio here".to_owned()) }
    }

    /// A peer's files are on the machine's own device: beside a model its figures compare nothing.
    fn on_machine(&self) -> std::result::Result<(), String> {
        let text = "it runs on the machine's own device, and this run on a model";
        if self.device.is_some() { Err(text.to_owned()) } else { Ok(()) }
    }

    /// Refuses what cannot be together with a modelled device.
    fn check_device(&self, name: &str) -> Result<()> {
        if self.device.is_none() {
            return Ok(());
        }
        if name == "disks" || name == "cells" {
            let text = "makes devices of its own, and does not take --device";
            return Err(wrong_use(format!("the benchmark {name} {text}")));
        }
        if self.postgres.is_some() {
            return Err(wrong_use(
                "PostgreSQL runs on the machine's own device: --postgres and --device exclude each other",
            ));
        }
        Ok(())
    }
}

/// The benchmarks beside a peer that can be run; [`crate::durability`] has another shape.
#[must_use]
pub fn benchmarks() -> &'static [&'static str] {
    &["insert", "commit", "plsql", "keys", "plans", "tpcc", "block-size", "readers", "recovery", "disks", "cells"]
}

/// Runs a benchmark by its name.
///
/// # Errors
/// HW-0003 for an unknown name, and for a modelled device where there can be none; those of either side's statements.
pub fn bench(name: &str, options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    options.check_device(name)?;
    let outcome = run(name, options, progress)?;
    Ok(match &options.device {
        Some(device) => outcome.on(device.report()),
        None => outcome,
    })
}

fn run(name: &str, options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
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
        "cells" => cells::run(options, progress),
        other => Err(wrong_use(format!(
            "there is no benchmark '{other}'; there is: {}, {}",
            benchmarks().join(", "),
            crate::durability::NAME
        ))),
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
