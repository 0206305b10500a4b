//! The typed report as Statspack text, so that whatever reads Statspack reads a report of another engine too.
//!
//! Written is what an engine of one instance can know; what the report does not hold is not printed, not even as a title. Columns are as wide as
//! Statspack's and wider where a name or figure needs it: nothing is cut and nothing overflows. A figure is printed with the digits that it is known to
//! ([`Figure::step`](crate::figure::Figure)), so reading the text back gives the same report, within the printed digits:
//!
//! - not printed: role, edition, unique name, containers, clusters, storage cells, I/O by function and file type, PGA, wait classes;
//! - white space within a statement's text becomes single spaces, and a folded line of nothing but dashes is lost, because it looks like a ruler;
//! - an empty list is not printed, and comes back as None;
//! - events of one report have the same bounds in their histograms, or get those of the others with nothing in them.

mod activity;
mod events;
mod first_page;
mod io;
mod layout;
mod objects;
mod sql;
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
    sql::write(&mut page)?;
    activity::write(&mut page)?;
    io::write(&mut page)?;
    waits::write(&mut page)?;
    objects::write(&mut page)?;
    page.line("End of Report")
}
