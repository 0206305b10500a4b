//! The typed report as Statspack text, so that readers of Statspack can read a report of this engine too.
//!
//! Sections stand in Statspack's order, under its titles and headings, in columns of its widths: lines of 80
//! characters, titles and headings again after 60 lines. Sections without data say so. Reading the text back gives the
//! same report, within the printed digits:
//!
//! - A figure is printed with its known digits ([`Figure::step`](crate::figure::Figure)) as far as its column holds
//!   them, and beyond that in thousands (K), millions (M) and so on.
//! - A name that is longer than its column is cut where a known name alone begins so, as Statspack cuts it; any other
//!   text goes on in the next line, as SQL*Plus wraps it. The host's and the instance's name, the remark and an
//!   object's type are cut.
//! - A statement has its SQL id in the last column, or the hash value where the report has no id. The figures of a line
//!   are those of Statspack's section.
//! - Not printed: role, edition, unique name, containers, clusters, Exadata's cells, I/O by function and file type,
//!   wait classes, sections of statements and segments that Statspack does not have.
//! - White space within a statement's text becomes single spaces, and a folded line of nothing but dashes is lost,
//!   because it looks like a ruler.
//! - An empty list comes back as None.
//! - Events of one report have the same bounds in their histograms, or get those of the others with nothing in them.

mod first_page;
mod histograms;
mod load;

use std::io::{Result, Write};

use crate::model::Report;
use crate::page::Page;
use crate::section::{self, AnySection as _};

/// Writes the report as Statspack text.
///
/// # Errors
/// The writer's.
pub fn statspack(report: &Report, out: &mut impl Write) -> Result<()> {
    let mut page = Page::new(report, out);
    first_page::write(&mut page)?;
    section::TIME_MODEL.write(&mut page)?;
    section::FOREGROUND_EVENTS.write(&mut page)?;
    section::BACKGROUND_EVENTS.write(&mut page)?;
    section::ALL_EVENTS.write(&mut page)?;
    histograms::write(&mut page)?;
    section::write_statements(&mut page)?;
    section::STATISTICS.write(&mut page)?;
    section::ABSOLUTE_STATISTICS.write(&mut page)?;
    section::THREAD_ACTIVITY.write(&mut page)?;
    section::OS_STATISTICS.write(&mut page)?;
    section::OS_DETAILS.write(&mut page)?;
    section::TABLESPACES.write(&mut page)?;
    section::FILES.write(&mut page)?;
    section::FILE_HISTOGRAMS.write(&mut page)?;
    section::STORAGE_CELLS.write(&mut page)?;
    section::BUFFER_POOLS.write(&mut page)?;
    section::BUFFER_WAITS.write(&mut page)?;
    section::write_pga(&mut page)?;
    section::ENQUEUES.write(&mut page)?;
    section::write_undo(&mut page)?;
    section::UNDO_INTERVALS.write(&mut page)?;
    section::LATCHES.write(&mut page)?;
    section::LATCH_SLEEPS.write(&mut page)?;
    section::LATCH_MISSES.write(&mut page)?;
    section::write_segments(&mut page)?;
    section::LIBRARY_CACHE.write(&mut page)?;
    section::PARAMETERS.write(&mut page)?;
    page.line("End of Report")
}
