//! Statspack and AWR text, cut into sections and tables by its ruler lines.
//!
//! ```text
//! Tablespace IO Stats  DB/Inst: ORCL/orcl  Snaps: 1-2      <- title (or a line underlined with ~~~~)
//! ->ordered by IOs (Reads + Writes) desc                   <- note
//!
//! Tablespace                                               <- heading, as many lines as it takes
//! ------------------------------                           <- ruler: where the columns are
//!          Reads Reads/s ...                               <- a second heading: every row takes two lines
//! -------------- ------- ...
//! USERS                                                    <- row, first line
//!        161,139      45 ...                               <- row, second line
//!           --------------------------------------         <- end of the section
//! ```
//!
//! Guarantees to the interpreters:
//!
//! - **Sections.** A title with `DB/Inst:` or `for DB:`, or a line underlined with tildes, starts a section. A title
//!   printed again on the next page continues the section and its table; a title printed again after the section's end
//!   is a new section (Statspack has three `Instance Activity Stats`). The first section is `STATSPACK report for` or
//!   `WORKLOAD REPOSITORY report for`, with the tables of database, host and snapshots (in Statspack their captions are
//!   `Database`, `Host Name`, `Snapshot`). A note `DB/Inst: ORCL/orcl` of the first section keeps the names removed
//!   from titles.
//! - **Columns.** The lines of a stacked heading joined by a space: `Avg wait (ms)`. A heading over several columns
//!   stands before each of them: `Read Data Volume`, `Read Requests /sec`, `% of Waits <1ms`.
//! - **Label columns.** Where rows begin left of the first ruled column (`Redo size:  392,163.4`) the table has a first
//!   column without a name, and the cells of it keep their colon.
//! - **Pairs.** `Buffer Nowait %:  100.00       Redo NoWait %:   99.98` is a table with two columns without names, a
//!   row a pair, labels with their colon. A pair printed right of a ruled table (`Std Block Size: 8K` in Cache Sizes)
//!   goes into such a table of its own in the same section; so do `Elapsed:`, `DB time:`, `DB CPU:` and `Av Act Sess:`
//!   of the snapshot block, with `(mins)` in their value.
//! - **Rows of two lines** (I/O by tablespace and file, enqueues, segments, library cache) are one row: the columns of
//!   the first ruler, then those of the second. A name above figures under one ruler (`IOStat by Function/Filetype`) is
//!   a first column named `Name`; leading white space there is lost.
//! - **Repeated values left out** (`BREAK ON` of SQL*Plus) stay empty cells, as printed; only the tablespace of the
//!   second and further files is filled in.
//! - **Folded cells** are joined without a space when they filled their column: `/u01/app/oracle/adm` +
//!   `in/orcl/adump`.
//! - **SQL sections.** The module, container and statement lines under the figures are the row's `text`.
//! - **A browser's text** of an HTML report (tabs or ` | ` between cells, no rulers) has the sections of that page and
//!   the kind `AwrHtml`.
//! - **Overflow** (`####`) is kept as printed.

mod body;
mod columns;
mod heading;
mod line;
mod outline;
mod pairs;
mod tabbed;
mod table;
mod titles;

use super::Document;
use crate::model::Kind;
use line::Lines;

/// Cells in all tables of one report; the rest is left out, and the report counts as cut. Real reports hold under a
/// million.
const MAX_CELLS: usize = 4_000_000;

/// Sections of one report; the rest counts as cut off. Real reports have some hundreds.
const MAX_SECTIONS: usize = 10_000;

/// Reports in one text.
const MAX_REPORTS: usize = 10_000;

/// The reports in a text, in the order of the text. None when it holds no Statspack or AWR report.
///
/// A text without a report's first line that still has its titled sections is one report, cut.
#[must_use]
pub fn documents(text: &str) -> Vec<Document> {
    if let Some(between) = tabbed::form(text) {
        return tabbed::documents(text, between);
    }
    let plain = line::plain(text);
    let lines = Lines::new(&plain);
    let headers: Vec<(usize, Kind)> =
        (0..lines.len()).filter_map(|at| Some((at, outline::header(lines.text(at))?))).take(MAX_REPORTS).collect();
    let Some(&(first, _)) = headers.first() else {
        return outline::headless(&lines)
            .map(|kind| document(&lines, 0, lines.len(), kind, true))
            .into_iter()
            .collect();
    };
    let ends = headers.iter().skip(1).map(|&(at, _)| at).chain([lines.len()]);
    debug_assert!(first < lines.len());
    headers.iter().zip(ends).map(|(&(start, kind), end)| document(&lines, start, end, kind, false)).collect()
}

/// True: the line is the first of a report in text.
pub(crate) fn is_header(line: &str) -> bool {
    outline::header(line.trim_end()).is_some()
}

fn document(lines: &Lines<'_>, start: usize, end: usize, kind: Kind, headless: bool) -> Document {
    let outline = outline::Outline::of(lines, start, end);
    let mut budget = MAX_CELLS;
    let mut sections = Vec::with_capacity(outline.sections.len());
    for part in &outline.sections {
        sections.push(body::section(lines, part, &mut budget));
    }
    // Titles lose database and instance, which Statspack gives nowhere else.
    if let (Some(first), Some(names)) = (sections.first_mut(), database(lines, start, end)) {
        first.notes.push(names);
    }
    let cut = headless || !outline.ended || outline.full || budget == 0 || lines.truncated();
    Document { kind, sections, cut }
}

/// `DB/Inst: ORCL/orcl`, out of the first title that has it.
fn database(lines: &Lines<'_>, start: usize, end: usize) -> Option<String> {
    let titles = (start..end).filter(|&at| lines.look(at) == line::Look::Title).take(20);
    titles.map(|at| lines.text(at)).find_map(|title| {
        let names = title.split_once("DB/Inst:")?.1.split("Snap").next()?.trim();
        (names.contains('/') && !names.contains(' ')).then(|| format!("DB/Inst: {names}"))
    })
}
