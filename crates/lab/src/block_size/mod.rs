//! The experiment `block-size`, in two parts: rows that grow in blocks of three sizes, and one table read in blocks of four.
//!
//! ```text
//! pctfree/     blocks, migrated rows, update time      multiblock/  segment sizes, gets, reads, scan time
//! published.rs what both are compared with             sweep/       the first part over many values of PCTFREE
//! ```

pub mod multiblock;
pub mod pctfree;
pub mod published;
pub mod sweep;

use std::io::{self, Write};

use common::Result;
use serde_json::{Map, Value, json};

use crate::expectation::Expectation;
use crate::options::{Options, wrong_use};
use crate::progress::Progress;
use crate::reproduction::{Figures, Heading, Reproduction};
use published::Published;

/// Name, and what it is about.
pub(crate) const NAME: &str = "block-size";
pub(crate) const TITLE: &str =
    "Block size and PCTFREE: blocks before and after rows have grown, the search for space, and multiblock reads";
/// The parts.
const PCTFREE: &str = "pctfree";
const MULTIBLOCK: &str = "multiblock";

/// Published and measured; None of a part that was not run.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub published: Published,
    pub pctfree: Option<pctfree::measured::Measured>,
    pub multiblock: Option<multiblock::measured::Measured>,
    /// Where the time of one update went, when that was asked for.
    pub flame: Option<pctfree::flamegraph::Flame>,
}

impl Comparison {
    pub(crate) fn heading(&self) -> Heading<'_> {
        Heading { name: &self.published.name, title: &self.published.title, origin: &self.published.origin }
    }

    pub(crate) fn judge(&self) -> Result<Vec<Expectation>> {
        let mut found = Vec::new();
        if let Some(measured) = &self.pctfree {
            found.extend(pctfree::judge::judge(&self.published.pctfree, measured)?);
        }
        if let Some(measured) = &self.multiblock {
            found.extend(multiblock::judge::judge(&self.published.multiblock, measured)?);
        }
        Ok(found)
    }

    pub(crate) fn print_source(&self, out: &mut dyn Write) -> io::Result<()> {
        let run = [(PCTFREE, self.pctfree.is_some()), (MULTIBLOCK, self.multiblock.is_some())];
        let parts: Vec<_> = run.into_iter().filter(|(_, run)| *run).map(|(name, _)| name).collect();
        writeln!(out, "parts: {}", parts.join(", "))
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(measured) = &self.pctfree {
            pctfree::print::print(&self.published.pctfree, measured, out)?;
        }
        if let Some(flame) = &self.flame {
            flame.print(out)?;
        }
        if let Some(measured) = &self.multiblock {
            multiblock::print::print(&self.published.multiblock, measured, out)?;
        }
        Ok(())
    }

    /// The parts of the JSON document that are this experiment's.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let mut parts = Map::new();
        if let Some(measured) = &self.pctfree {
            let arms = measured.arms.iter().map(|arm| {
                let published = self.published.pctfree.arm(arm.setting).ok();
                json!({"name": arm.setting.name(), "published": published, "measured": arm, "update_s": arm.update_s()})
            });
            parts.insert(PCTFREE.to_owned(), json!({"rows": measured.rows, "arms": arms.collect::<Vec<_>>()}));
        }
        if let Some(flame) = &self.flame {
            parts.insert("profile".to_owned(), flame.json());
        }
        if let Some(measured) = &self.multiblock {
            let arms = measured.arms.iter().map(|arm| {
                let published = self.published.multiblock.arm(arm.block_bytes).ok();
                json!({"published": published, "measured": arm, "elapsed_s": arm.elapsed_s()})
            });
            let arms: Vec<_> = arms.collect();
            parts.insert(
                MULTIBLOCK.to_owned(),
                json!({"flat_file": measured.flat, "arms": arms, "read_counts": measured.counts}),
            );
        }
        parts
    }
}

/// The parameter that gives blocks of this size their cache; blocks of the databases made here have 8 KB.
pub(crate) fn cache_parameter(block_bytes: u32) -> String {
    match block_bytes {
        8192 => "db_cache_size".to_owned(),
        other => format!("db_{}k_cache_size", other / 1024),
    }
}

/// Runs the experiment.
///
/// # Errors
/// HW-0003 for options out of range; those of making the databases, and of the statements.
pub fn run(options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    options.refuse(NAME, &["source", "minutes", "sessions", "seed"])?;
    let (update, scan) = match options.part.as_deref() {
        None => (true, true),
        Some(PCTFREE) => (true, false),
        Some(MULTIBLOCK) if options.flamegraph.is_some() => {
            return Err(wrong_use("--flamegraph is of the part pctfree"));
        }
        Some(MULTIBLOCK) => (false, true),
        Some(other) => {
            return Err(wrong_use(format!("{NAME} has no part '{other}'; there is: {PCTFREE}, {MULTIBLOCK}")));
        }
    };
    let published = Published::read()?;
    pctfree::repetitions(options)?;
    let mut notes = Vec::new();
    let (pctfree, flame) = match update.then(|| pctfree::run(options, &mut notes, progress)).transpose()? {
        Some((measured, flame)) => (Some(measured), flame),
        None => (None, None),
    };
    let multiblock = if scan { Some(multiblock::run(options, &mut notes, progress)?) } else { None };
    progress.end();
    if cfg!(debug_assertions) {
        notes.push("a debug build: times mean nothing".to_owned());
    }
    Reproduction::new(Figures::BlockSize(Comparison { published, pctfree, multiblock, flame }), notes)
}
