//! The reads of one statement, from its trace.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use common::{Error, Result};
use report::tkprof::Figures;
use report::trace::{self, Record};

use crate::laboratory::{io, traced};
use crate::time::seconds;

/// The reads that were waited for, by their blocks, and TKPROF's figures of the fetches.
pub(super) struct Requests {
    pub(super) direct: BTreeMap<u64, u64>,
    pub(super) cached: BTreeMap<u64, u64>,
    pub(super) wait_s: f64,
    pub(super) figures: Figures,
}

/// Reads the trace for the statement with this text.
///
/// # Errors
/// HW-0002 when the file cannot be opened; those of reading traces; ORA-00600 when the statement is not in it.
pub(super) fn of(path: &Path, text: &str) -> Result<Requests> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let (mut direct, mut cached, mut wait_us) = (BTreeMap::new(), BTreeMap::new(), 0);
    let mut cursor = None;
    trace::read(file, &mut |record| {
        match record {
            Record::Parsing(parsing) if parsing.text.trim() == text => cursor = Some(parsing.cursor),
            Record::Parsing(parsing) if cursor == Some(parsing.cursor) => cursor = None,
            Record::Wait(wait) if cursor == Some(wait.cursor) => {
                let reads = match wait.event {
                    "direct path read" => &mut direct,
                    "db file scattered read" | "db file sequential read" => &mut cached,
                    _ => return Ok(()),
                };
                let blocks = wait.parameters[2].as_ref().map_or(0, |parameter| parameter.value);
                *reads.entry(u64::try_from(blocks).unwrap_or(0)).or_insert(0) += 1;
                wait_us += wait.elapsed.max(0) as u64;
            }
            _ => {}
        }
        Ok(())
    })?;
    let statement = traced(path, &[text])?.pop().flatten();
    let statement = statement.ok_or_else(|| Error::bug(format!("{}: it lacks '{text}'", path.display())))?;
    let figures = Figures { count: statement.fetch.count, ..statement.total() };
    Ok(Requests { direct, cached, wait_s: seconds(wait_us), figures })
}
