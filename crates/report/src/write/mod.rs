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
//! - Not printed: role, edition, unique name, containers, clusters, storage cells, I/O by function and file type, wait
//!   classes, sections of statements and segments that Statspack does not have.
//! - White space within a statement's text becomes single spaces, and a folded line of nothing but dashes is lost,
//!   because it looks like a ruler.
//! - An empty list comes back as None.
//! - Events of one report have the same bounds in their histograms, or get those of the others with nothing in them.

mod activity;
mod events;
mod first_page;
mod histograms;
mod io;
mod layout;
mod load;
mod memory;
mod number;
mod objects;
mod sql;
mod undo;
mod waits;

use std::io::{Result, Write};

use crate::model::Report;

/// Writes the report as Statspack text.
///
/// # Errors
/// The writer's.
pub fn statspack(report: &Report, out: &mut impl Write) -> Result<()> {
    let mut page = layout::Page::new(report, out);
    first_page::write(&mut page)?;
    events::write(&mut page)?;
    histograms::write(&mut page)?;
    sql::write(&mut page)?;
    activity::write(&mut page)?;
    io::write(&mut page)?;
    waits::buffer_waits(&mut page)?;
    memory::pga(&mut page)?;
    waits::enqueues(&mut page)?;
    undo::write(&mut page)?;
    waits::latches(&mut page)?;
    objects::segments(&mut page)?;
    memory::library_cache(&mut page)?;
    objects::parameters(&mut page)?;
    page.line("End of Report")
}
