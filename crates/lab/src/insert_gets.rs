//! The experiment `insert-gets`: the same three inserts and one index under freelists and under bitmaps.

use std::path::PathBuf;
use std::sync::Arc;

use common::Result;
use waits::Statistic;

use crate::arm::{self, SOURCE};
use crate::clustering;
use crate::laboratory::{Laboratory, load};
use crate::measured::{Measured, Source};
use crate::progress::Progress;
use crate::published::{ArmName, Published};
use crate::reproduction::Reproduction;
use crate::source::SourceName;
use crate::text::grouped;

/// Megabytes of buffer cache at scale 1: all that both arms make stays in it.
const CACHE_MB: f64 = 512.0;

/// How an experiment shall be run.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Multiplies the number of rows.
    pub scale: f64,
    pub source: SourceName,
    /// Where the database is made, and stays; None: in a temporary directory.
    pub data: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { scale: 1.0, source: SourceName::default(), data: None }
    }
}

/// Runs the experiment.
///
/// # Errors
/// Those of the source, of making the database, and of the statements.
pub fn run(options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    let published = Published::insert_gets()?;
    let (shape, mut rows) = options.source.open(options.scale)?;
    progress.step("making the database");
    // Room grows with the rows, whichever source they are from.
    let scale = shape.rows as f64 / published.rows as f64;
    let cache_mb = (CACHE_MB * scale.max(0.25)).ceil();
    let laboratory = Laboratory::create(options.data.as_deref(), &[("db_cache_size", format!("{cache_mb}M"))])?;
    progress.step(&format!("filling {SOURCE} with {} rows", grouped(shape.rows)));
    let (loaded, blocks) = {
        let mut connection = laboratory.connect()?;
        let loaded = load(&mut connection, SOURCE, &shape, &mut *rows, progress)?;
        let session = Arc::clone(connection.session());
        let catalog = session.catalog();
        let definition = catalog.require_table(&session.user(), &SOURCE.to_uppercase())?;
        let ranges = definition.segment.scan_ranges(&session)?;
        (loaded, ranges.iter().map(|range| u64::from(range.blocks)).sum())
    };
    let source = Source {
        description: shape.description.clone(),
        rows: loaded,
        blocks,
        key: shape.key_name().to_owned(),
        published_shape: shape.published_shape,
    };
    let manual = arm::run(&laboratory, ArmName::Manual, &shape, scale, progress)?;
    let auto = arm::run(&laboratory, ArmName::Auto, &shape, scale, progress)?;
    let clustering = clustering::run(&laboratory, scale, progress)
        .map_err(|error| format!("the sessions could not be run: {error}"));
    let notes = notes(options, &laboratory, cache_mb);
    progress.step("closing the database");
    laboratory.close()?;
    progress.end();
    Reproduction::new(published, Measured { source, manual, auto, clustering }, notes)
}

fn notes(options: &Options, laboratory: &Laboratory, cache_mb: f64) -> Vec<String> {
    let mut notes = vec![format!(
        "buffer cache {cache_mb} MB; gets include those of undo{}",
        if cfg!(debug_assertions) { "; a debug build: times mean nothing" } else { "" }
    )];
    let written = laboratory.database().instance().background_meter().value(Statistic::PhysicalWrites);
    if written > 0 {
        notes.push(format!("{} blocks were written in the background while the statements ran", grouped(written)));
    }
    if let Some(data) = &options.data {
        for name in ArmName::ALL {
            if let Some(trace) = laboratory.trace_file(&format!("run_insert_tests_{}", arm::short(name))) {
                let trace = trace.strip_prefix(data).unwrap_or(&trace);
                notes.push(format!("trace of the {} arm: {}", name.as_str(), data.join(trace).display()));
            }
        }
    }
    notes
}
