//! Sections of a report that are tables: each is declared once, with its title, what its columns are called by all
//! releases and forms, what they fill in the model, and how Statspack prints them. By the declaration `read` takes a
//! table of any report, and `write` prints Statspack's.
//!
//! ```text
//! column.rs   a column; the rows of a table, the cells of a page
//! the others  the sections of one subject each
//! ```
//!
//! Statements, segments, the PGA and the summary of undo are declared by their columns, and have functions of their own
//! for what stands around them. Not declared here, because as lists of columns they would say less: pairs of a label
//! and a value (the first page, host CPU), histograms of waits (their columns are data, merged over several tables),
//! I/O by function and file type (found by place, under names that occur twice, and never printed), whole texts of
//! statements, and clusters and Exadata's
//! cells (any columns).

mod activity;
mod cells;
mod column;
mod events;
mod host;
mod io;
mod latches;
mod library_cache;
mod parameters;
mod pga;
mod segments;
mod statements;
mod undo;
mod waits;

use std::fmt;
use std::io::Result;

pub(crate) use activity::{ABSOLUTE_STATISTICS, STATISTICS, THREAD_ACTIVITY, TIME_MODEL};
pub(crate) use cells::STORAGE_CELLS;
pub(crate) use events::{ALL_EVENTS, ALL_WAIT_CLASSES, BACKGROUND_EVENTS, FOREGROUND_EVENTS, TOP_EVENTS, WAIT_CLASSES};
pub(crate) use host::{OS_DETAILS, OS_STATISTICS};
pub(crate) use io::{BUFFER_POOLS, FILE_HISTOGRAMS, FILES, TABLESPACES};
pub(crate) use latches::{LATCH_MISSES, LATCH_SLEEPS, LATCHES};
pub(crate) use library_cache::LIBRARY_CACHE;
pub(crate) use parameters::PARAMETERS;
pub(crate) use pga::{read_pga, write_pga};
pub(crate) use segments::{read_segments, write_segments};
pub(crate) use statements::{FOLD, read_statements, write_statements};
pub(crate) use undo::{UNDO_INTERVALS, read_undo, write_undo};
pub(crate) use waits::{BUFFER_WAITS, ENQUEUES};

use crate::grid::view::View;
use crate::model::Report;
use crate::page::{self, Block, Page};
use column::{Access, Column, printed, rows};

/// A section whose rows are a list of the model.
pub(crate) struct Section<Row: 'static> {
    /// Statspack's; of a section that is never printed, its name in debug output.
    title: &'static str,
    notes: &'static [&'static str],
    /// Read in this order: a later one may use or replace what an earlier one has read.
    columns: &'static [Column<Row>],
    list: Access<Report, Option<Vec<Row>>>,
    /// In a cluster's report it has lines of all instances together, marked `*`, which alone are taken.
    together: bool,
    keep: fn(&Row) -> bool,
    to_print: fn(&[Row]) -> Vec<&Row>,
    /// Makes names whole that only the rows beside them explain.
    complete: fn(&mut [Row]),
    /// Called with a table's rows before they are added to the list: it may change or take them.
    before_adding: fn(&mut Report, &mut Vec<Row>),
    layout: Layout,
    /// True: a section without data prints a line that says so. False: it is left out.
    says_so: bool,
}

/// How a row is laid out.
#[derive(Clone, Copy)]
enum Layout {
    Line,
    /// So many columns in a line of their own, the others below them.
    TwoLines {
        first: usize,
        /// A blank line follows each row.
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
            complete: |_| {},
            before_adding: |_, _| {},
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

    const fn complete(self, complete: fn(&mut [Row])) -> Self {
        Self { complete, ..self }
    }

    const fn before_adding(self, before_adding: fn(&mut Report, &mut Vec<Row>)) -> Self {
        Self { before_adding, ..self }
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
        (self.complete)(&mut rows);
        rows
    }
}

/// A section of any kind of rows.
pub(crate) trait AnySection: Sync {
    fn title(&self) -> &'static str;

    /// Adds a table's rows to the model. False: it is no table of this section, or has no rows.
    fn read(&self, report: &mut Report, view: &View<'_>) -> bool;

    /// Prints the model's rows. `write/mod.rs` chooses what is printed.
    fn write(&self, page: &mut Page<'_>) -> Result<()>;
}

impl<Row: Default> AnySection for Section<Row> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn read(&self, report: &mut Report, view: &View<'_>) -> bool {
        let mut rows = self.rows(view);
        if rows.is_empty() {
            return false;
        }
        (self.before_adding)(report, &mut rows);
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

impl fmt::Debug for dyn AnySection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl PartialEq for dyn AnySection {
    fn eq(&self, other: &Self) -> bool {
        // Several sections share a title.
        std::ptr::addr_eq(self, other)
    }
}

impl Eq for dyn AnySection {}

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
