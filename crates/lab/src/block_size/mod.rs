//! The experiment `block-size`: the same rows in blocks of three sizes, with room for their growth and without.
//!
//! ```text
//! setting.rs  what the arms differ in        work.rs  a table, its rows, one update
//! published.rs, measured.rs -> judge.rs -> print.rs, JSON
//! flamegraph.rs  where the time of one update goes
//! ```

pub mod flamegraph;
pub mod judge;
pub mod measured;
mod print;
pub mod published;
pub mod setting;
mod work;

use std::io::{self, Write};

use common::{Error, Result};
use serde_json::{Map, Value, json};

use crate::expectation::Expectation;
use crate::laboratory::Laboratory;
use crate::options::{Options, wrong_use};
use crate::progress::Progress;
use crate::reproduction::{Figures, Heading, Reproduction};
use crate::text::grouped;
use measured::{Arm, Measured};
use published::Published;
use setting::{BLOCK_BYTES, Setting};

/// Name, and what it is about.
pub(crate) const NAME: &str = "block-size";
pub(crate) const TITLE: &str =
    "Block size and PCTFREE: blocks before and after rows have grown, and what the search for space costs";
/// The parts of the published posts.
const PCTFREE: &str = "pctfree";
const MULTIBLOCK: &str = "multiblock";
/// Rows at scale 1.
const ROWS: f64 = 200_000.0;
const ROWS_LEAST: f64 = 1_000.0;
/// How often each arm runs; those with the legacy search run once, because they take long.
const REPETITIONS: u32 = 3;
const REPETITIONS_MAX: u32 = 1_000;
/// Megabytes of cache of each block size: the tables stay in it.
const CACHE_MB: f64 = 64.0;

/// Published and measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub published: Published,
    pub measured: Measured,
    /// Where the time of one update went, when that was asked for.
    pub flame: Option<flamegraph::Flame>,
}

impl Comparison {
    pub(crate) fn heading(&self) -> Heading<'_> {
        Heading { name: &self.published.name, title: &self.published.title, origin: &self.published.origin }
    }

    pub(crate) fn judge(&self) -> Result<Vec<Expectation>> {
        judge::judge(&self.published, &self.measured)
    }

    pub(crate) fn print_source(&self, out: &mut dyn Write) -> io::Result<()> {
        let runs = self.measured.arms.first().map_or(0, |arm| arm.runs.len());
        let rows = grouped(self.measured.rows);
        writeln!(
            out,
            "work: {rows} rows of one number, then update t1 set n2 = n1; medians of {runs}, legacy search once"
        )
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        print::print(self, out)?;
        self.flame.iter().try_for_each(|flame| flame.print(out))
    }

    /// The parts of the JSON document that are this experiment's.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let arm = |arm: &Arm| {
            let published = self.published.arm(arm.setting).ok();
            json!({"name": arm.setting.name(), "published": published, "measured": arm, "update_s": arm.update_s()})
        };
        let mut parts = Map::new();
        parts.insert("rows".to_owned(), json!(self.measured.rows));
        parts.insert("arms".to_owned(), self.measured.arms.iter().map(arm).collect());
        if let Some(flame) = &self.flame {
            parts.insert("profile".to_owned(), flame.json());
        }
        parts
    }
}

/// Runs the experiment.
///
/// # Errors
/// HW-0003 for options out of range; those of making the database, and of the statements.
pub fn run(options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    options.refuse(NAME, &["source", "minutes", "sessions", "seed"])?;
    match options.part.as_deref() {
        None | Some(PCTFREE) => {}
        Some(_) if options.flamegraph.is_some() => return Err(wrong_use("--flamegraph is of the part pctfree")),
        Some(MULTIBLOCK) => return Err(Error::unsupported("--part multiblock: its scans are not built yet")),
        Some(other) => return Err(wrong_use(format!("{NAME} has no part '{other}'; there is: {PCTFREE}"))),
    }
    let repetitions = options.repetitions.unwrap_or(REPETITIONS);
    if !(1..=REPETITIONS_MAX).contains(&repetitions) {
        return Err(wrong_use(format!("repetitions are 1 to {REPETITIONS_MAX}, not {repetitions}")));
    }
    let picture = options.flamegraph.as_deref().map(flamegraph::Picture::create).transpose()?;
    let published = Published::read()?;
    let rows = (ROWS * options.scale).max(ROWS_LEAST).round();
    progress.step("making the database");
    let cache_mb = (CACHE_MB * options.scale.max(0.25)).ceil();
    let caches = BLOCK_BYTES.map(|bytes| match bytes {
        8192 => "db_cache_size".to_owned(),
        other => format!("db_{}k_cache_size", other / 1024),
    });
    let parameters: Vec<_> = caches.iter().map(|name| (name.as_str(), format!("{cache_mb}M"))).collect();
    let laboratory = Laboratory::create(options.data.as_deref(), &parameters)?;
    work::create_tablespaces(&mut laboratory.connect()?, options.scale)?;
    let mut arms: Vec<Arm> = Setting::all().map(|setting| Arm { setting, runs: Vec::new() }).collect();
    for repetition in 1..=repetitions {
        // One after the other in each repetition, so that what else the machine does meets all of them.
        for arm in arms.iter_mut().filter(|arm| !arm.setting.legacy_search || repetition == 1) {
            progress.step(&format!("repetition {repetition} of {repetitions}: {}", arm.setting.name()));
            arm.runs.push(work::run(&laboratory, arm.setting, rows as u64)?);
        }
    }
    let flame = match picture {
        None => None,
        Some(picture) => {
            progress.step(&format!("the stacks of {}", flamegraph::ARM.name()));
            Some(picture.draw(&laboratory, rows as u64)?)
        }
    };
    progress.step("closing the database");
    laboratory.close()?;
    progress.end();
    let mut notes = vec![format!("{cache_mb} MB of cache of each block size; a checkpoint before each update")];
    if cfg!(debug_assertions) {
        notes.push("a debug build: times mean nothing".to_owned());
    }
    let measured = Measured { rows: rows as u64, arms };
    Reproduction::new(Figures::BlockSize(Comparison { published, measured, flame }), notes)
}
