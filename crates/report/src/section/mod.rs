//! Sections of a report that are tables: each is declared once, with its title, what its columns are called by all
//! releases and forms, what they fill in the model, and how Statspack prints them. Both ways are made of it: `read`
//! takes a table of any report, `write` prints Statspack's.
//!
//! ```text
//! column.rs   a column; the rows of a table, the cells of a page
//! the others  the sections of one subject each
//! ```
//!
//! What is no table of named columns (the first page, histograms, clusters and cells), or is never printed and found by
//! the places of its columns (I/O by function), is read in `read` and printed in `write`.

mod activity;
mod column;
mod events;
mod host;
mod io;
mod latches;
mod memory;
mod objects;
mod statements;
mod undo;
mod waits;

use std::fmt;
use std::io::Result;

pub(crate) use activity::{ABSOLUTE_STATISTICS, STATISTICS, THREAD_ACTIVITY, TIME_MODEL};
pub(crate) use events::{ALL_EVENTS, ALL_WAIT_CLASSES, BACKGROUND_EVENTS, FOREGROUND_EVENTS, TOP_EVENTS, WAIT_CLASSES};
pub(crate) use host::{OS_DETAILS, OS_STATISTICS};
pub(crate) use io::{BUFFER_POOLS, FILE_HISTOGRAMS, FILES, TABLESPACES};
pub(crate) use latches::{LATCH_MISSES, LATCH_SLEEPS, LATCHES};
pub(crate) use memory::{LIBRARY_CACHE, read_pga, write_pga};
pub(crate) use objects::{PARAMETERS, read_segments, write_segments};
pub(crate) use statements::{read_statements, write_statements};
pub(crate) use undo::{UNDO_INTERVALS, read_undo, write_undo};
pub(crate) use waits::{BUFFER_WAITS, ENQUEUES};

use crate::grid::view::View;
use crate::model::Report;
use crate::page::{self, Block, Page};
use column::{Access, Column, printed, rows};

/// A section whose rows are a list of the model.
pub(crate) struct Section<Row: 'static> {
    /// As Statspack prints it.
    title: &'static str,
    notes: &'static [&'static str],
    columns: &'static [Column<Row>],
    list: Access<Report, Option<Vec<Row>>>,
    /// In a cluster's report it has lines of all instances together, marked `*`, which alone are taken.
    together: bool,
    keep: fn(&Row) -> bool,
    to_print: fn(&[Row]) -> Vec<&Row>,
    /// What else a table's rows are good for.
    taken: fn(&mut Report, &mut Vec<Row>),
    layout: Layout,
    /// Without data it says so; else it is left out.
    says_so: bool,
}

/// How a row is laid out.
#[derive(Clone, Copy)]
enum Layout {
    Line,
    /// So many columns in a line of their own, the others below them; then a blank line.
    TwoLines {
        first: usize,
        gap: bool,
    },
}

impl<Row> Section<Row> {
    const fn new(
        title: &'static str,
        notes: &'static [&'static str],
        columns: &'static [Column<Row>],
        list: Access<Report, Option<Vec<Row>>>,
    ) -> Self {
        Self {
            title,
            notes,
            columns,
            list,
            together: false,
            keep: |_| true,
            to_print: |rows| rows.iter().collect(),
            taken: |_, _| {},
            layout: Layout::Line,
            says_so: true,
        }
    }

    const fn together(self) -> Self {
        Self { together: true, ..self }
    }

    const fn keep(self, keep: fn(&Row) -> bool) -> Self {
        Self { keep, ..self }
    }

    const fn rows_to_print(self, to_print: fn(&[Row]) -> Vec<&Row>) -> Self {
        Self { to_print, ..self }
    }

    const fn taken(self, taken: fn(&mut Report, &mut Vec<Row>)) -> Self {
        Self { taken, ..self }
    }

    const fn two_lines(self, first: usize, gap: bool) -> Self {
        Self { layout: Layout::TwoLines { first, gap }, ..self }
    }

    const fn left_out_without_data(self) -> Self {
        Self { says_so: false, ..self }
    }
}

impl<Row: Default> Section<Row> {
    /// The rows of a table, empty when it is not one of this section.
    pub(crate) fn rows(&self, view: &View<'_>) -> Vec<Row> {
        let mut rows = rows(self.columns, view, self.together).unwrap_or_default();
        rows.retain(self.keep);
        rows
    }
}

/// A section of any kind of rows.
pub(crate) trait Table: Sync {
    fn title(&self) -> &'static str;

    /// Adds a table's rows to the model. False: it is no table of this section, or has no rows.
    fn read(&self, report: &mut Report, view: &View<'_>) -> bool;

    /// Prints the model's rows.
    fn write(&self, page: &mut Page<'_>) -> Result<()>;
}

impl<Row: Default> Table for Section<Row> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn read(&self, report: &mut Report, view: &View<'_>) -> bool {
        let mut rows = self.rows(view);
        if rows.is_empty() {
            return false;
        }
        (self.taken)(report, &mut rows);
        (self.list.get_mut)(report).get_or_insert_default().extend(rows);
        true
    }

    fn write(&self, page: &mut Page<'_>) -> Result<()> {
        let rows = (self.to_print)((self.list.get)(page.report).as_deref().unwrap_or_default());
        if rows.is_empty() && !self.says_so {
            return Ok(());
        }
        print(page, self.title, self.notes, self.columns, self.layout, rows)
    }
}

impl fmt::Debug for dyn Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl PartialEq for dyn Table {
    fn eq(&self, other: &Self) -> bool {
        self.title() == other.title()
    }
}

impl Eq for dyn Table {}

fn print<'r, Row: 'static>(
    page: &mut Page<'_>,
    title: &str,
    notes: &[&str],
    columns: &'r [Column<Row>],
    layout: Layout,
    rows: impl IntoIterator<Item = &'r Row>,
) -> Result<()> {
    let (columns, rows) = printed(columns, page.report, rows);
    let lines = |columns: &[page::Column], row: &[page::Cell]| page::row_lines(columns, row);
    let (heading, blocks): (Vec<String>, Vec<Block>) = match layout {
        Layout::Line => (page::heading_lines(&columns), rows.iter().map(|row| lines(&columns, row)).collect()),
        Layout::TwoLines { first, gap } => {
            let (names, figures) = columns.split_at(first);
            let two = |row: &Vec<page::Cell>| {
                let mut block = lines(names, &row[..first]);
                block.extend(lines(figures, &row[first..]));
                block.extend(gap.then(String::new));
                block
            };
            let heading = [page::heading_lines(names), page::heading_lines(figures)].concat();
            (heading, rows.iter().map(two).collect())
        }
    };
    let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
    page.blocks(title, &notes, &heading, &blocks)
}
