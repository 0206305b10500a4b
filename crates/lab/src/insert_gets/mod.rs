//! The experiment `insert-gets`: the same three inserts and one index under freelists and under bitmaps.

mod arm;
pub mod differences;
pub mod judge;
pub mod measured;
mod print;
pub mod published;

use std::io::{self, Write};
use std::sync::Arc;

use common::Result;
use serde_json::{Map, Value, json};
use waits::Statistic;

use crate::clustering::{self, Tablespaces};
use crate::expectation::Expectation;
use crate::laboratory::{Laboratory, load};
use crate::management::Management;
use crate::options::Options;
use crate::progress::Progress;
use crate::reproduction::{Figures, Heading, Reproduction};
use crate::text::grouped;
use arm::SOURCE;
use differences::Difference;
use measured::{Measured, Source};
use published::Published;

/// Megabytes of buffer cache at scale 1: all that both arms make stays in it.
const CACHE_MB: f64 = 512.0;

/// Name, and what it is about.
pub(crate) const NAME: &str = "insert-gets";
pub(crate) const TITLE: &str = "What INSERT ... SELECT costs under freelists and under bitmaps";

/// Published and measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub published: Published,
    pub measured: Measured,
}

impl Comparison {
    pub(crate) fn heading(&self) -> Heading<'_> {
        Heading { name: &self.published.name, title: &self.published.title, origin: &self.published.origin }
    }

    pub(crate) fn judge(&self) -> Result<Vec<Expectation>> {
        judge::judge(&self.published, &self.measured)
    }

    pub(crate) fn print_source(&self, out: &mut dyn Write) -> io::Result<()> {
        let source = &self.measured.source;
        let (rows, blocks) = (grouped(source.rows), grouped(source.blocks));
        writeln!(out, "source: {}, {rows} rows in {blocks} blocks", source.description)?;
        source.fitted.map_or(Ok(()), |fitted| crate::print::lines(out, "fitted: ", fitted))
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        print::print(self, out)
    }

    /// The parts of the JSON document that are this experiment's.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let arms: Vec<Value> = Management::ALL
            .into_iter()
            .map(|name| {
                json!({"name": name.as_str(), "published": self.published_arm(name), "measured": self.measured.arm(name)})
            })
            .collect();
        let mut parts = Map::new();
        parts.insert("source".to_owned(), json!(self.measured.source));
        parts.insert("arms".to_owned(), json!(arms));
        parts.insert("differences".to_owned(), json!(self.differences()));
        parts.insert("clustering".to_owned(), json!(self.measured.clustering));
        parts
    }

    /// The figures that are far from the published ones.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        differences::find(&self.published, &self.measured)
    }

    fn published_arm(&self, name: Management) -> Value {
        let statements: Vec<Value> = self
            .published
            .statements
            .iter()
            .map(|statement| {
                let mut object = Map::new();
                object.insert("id".to_owned(), json!(statement.id));
                object
                    .insert("rows".to_owned(), json!(statement.id.ends_with("insert").then_some(self.published.rows)));
                if let Value::Object(figures) = json!(statement.figures.of(name)) {
                    object.extend(figures);
                }
                Value::Object(object)
            })
            .collect();
        json!({"statements": statements, "segments": self.published.segments.of(name)})
    }
}

/// Runs the experiment.
///
/// # Errors
/// Those of the source, of making the database, and of the statements.
pub fn run(options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    options.refuse(NAME, &["minutes", "sessions", "repetitions", "seed", "part", "flamegraph"])?;
    let published = Published::read()?;
    let (shape, mut rows) = options.source.clone().unwrap_or_default().open(options.scale())?;
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
        fitted: shape.fitted,
    };
    let manual = arm::run(&laboratory, Management::Manual, &shape, scale, progress)?;
    let auto = arm::run(&laboratory, Management::Auto, &shape, scale, progress)?;
    let [manual_tablespace, auto_tablespace] = Management::ALL.map(arm::tablespace);
    let tablespaces = Tablespaces { manual: &manual_tablespace, auto: &auto_tablespace };
    let clustering = clustering::run(&laboratory, tablespaces, scale, progress)?;
    let notes = notes(options, &laboratory, cache_mb);
    progress.step("closing the database");
    laboratory.close()?;
    progress.end();
    let measured = Measured { source, manual, auto, clustering };
    Reproduction::new(Figures::InsertGets(Comparison { published, measured }), notes)
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
        for name in Management::ALL {
            if let Some(trace) = laboratory.trace_file(&format!("run_insert_tests_{}", arm::short(name))) {
                let trace = trace.strip_prefix(data).unwrap_or(&trace);
                notes.push(format!("trace of the {} arm: {}", name.as_str(), data.join(trace).display()));
            }
        }
    }
    notes
}
