//! `highwater verify`: the engine's offline check, printed.

use std::io::{self, Write};

use common::sync::Arc;
use common::{Clock, Result, SystemClock};
use device::OsFileSystem;
use engine::verify::{Report, verify};

use crate::command_line::Verify;
use crate::failure::{self, Outcome};
use crate::offline::Offline;
use crate::sql::locked;

/// Problems of an object in a file, or of a file's blocks by themselves, that are printed; beyond, they are only
/// counted.
const PRINTED_MAX: usize = 20;
/// Notes that are printed.
const NOTES_MAX: usize = 100;

pub(crate) fn run(arguments: &Verify) -> Result<Outcome> {
    // Opened first without the lock, which leaves a file in the directory.
    Offline::open(&arguments.data)?;
    let lock = device::lock_directory(&arguments.data).map_err(|error| locked(&arguments.data, &error))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let files = crate::cell::files(Arc::new(OsFileSystem::new()), &arguments.data, &clock);
    let report = verify(files, &arguments.data, clock, Some(lock))?;
    failure::written(print(&report))?;
    Ok(if report.problems.is_empty() { Outcome::DONE } else { Outcome(1) })
}

/// A line a problem, with file and block, then the extent of the check.
fn print(report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    // They are sorted by object and file.
    for alike in report.problems.chunk_by(|one, next| one.object == next.object && one.file == next.file) {
        for problem in alike.iter().take(PRINTED_MAX) {
            writeln!(out, "{problem}")?;
        }
        let (object, file) = (&alike[0].object, alike[0].file);
        let unlisted = report.unlisted.get(&(object.clone(), file)).copied().unwrap_or(0);
        let more = alike.len().saturating_sub(PRINTED_MAX) as u64 + unlisted;
        if more > 0 {
            let of = object.as_ref().map(|object| format!(" of {object}")).unwrap_or_default();
            let file = file.map(|file| format!(" in file {}", file.0)).unwrap_or_default();
            let path = alike[0].path.as_ref().map(|path| format!(" ({})", path.display())).unwrap_or_default();
            writeln!(out, "… and {more} more{of}{file}{path}")?;
        }
    }
    for note in report.notes.iter().take(NOTES_MAX) {
        writeln!(out, "note: {note}")?;
    }
    if let Some(recovered) = &report.recovered {
        writeln!(
            out,
            "not closed cleanly; recovered in memory: {} redo records of {} bytes, {} torn blocks put back, {} transactions rolled back",
            recovered.records, recovered.bytes, recovered.torn, recovered.transactions
        )?;
    }
    let checked = &report.checked;
    writeln!(
        out,
        "{} files, {} blocks, {} of them not empty",
        checked.files, checked.blocks, checked.formatted_blocks
    )?;
    writeln!(
        out,
        "{} segments of {} extents, {} rows in {} tables, {} entries in {} indexes",
        checked.segments, checked.extents, checked.rows, checked.tables, checked.index_entries, checked.indexes
    )?;
    match report.total() {
        0 => writeln!(out, "no problems")?,
        1 => writeln!(out, "1 problem")?,
        n => writeln!(out, "{n} problems")?,
    }
    out.flush()
}
