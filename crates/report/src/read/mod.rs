//! Sections and tables into the typed report.
//!
//! ```text
//! part.rs       which part of the model a section fills, by its title
//!               `section` declares the parts that are tables
//! the others    one part of the model each
//! ```
//!
//! 1. A section is taken by its title; a table that its title does not explain (an HTML report's first screen) by its
//!    columns.
//! 2. A column is found by its name without case, spaces and punctuation, so Statspack, AWR text and AWR HTML take one
//!    way.
//! 3. What is not printed stays None. A cell of `####` is None and counted in the warnings.
//! 4. Every section is listed in [`Report::sections`] with what became of it; one that has a place in the model and was
//!    not understood is a warning with its line.
//! 5. Figures that need several sections (elapsed time, DB time, cut names, counts whose unit was cut) are made at the
//!    end, in `finish.rs`.

mod cluster;
mod date;
mod finish;
mod histogram;
mod identity;
mod io;
mod load;
mod missing;
mod part;
mod sql;

use crate::grid::view::{Form, View};
use crate::grid::{Document, Section};
use crate::model::{Kind, Report, Scope, SectionSeen, SectionState, Statistic};
use crate::section;
use crate::value::Numbers;
use part::ReportPart;

/// A time of day as reports and traces print it, in seconds since 1970 as if it were UTC: for order and distance only.
/// `None` when it is not understood.
#[must_use]
pub fn printed_seconds(text: &str) -> Option<i64> {
    date::seconds(text)
}

/// The typed report of a document. Never fails: unread parts are in the warnings.
#[must_use]
pub fn report(document: &Document) -> Report {
    let cells = document
        .sections
        .iter()
        .flat_map(|section| &section.tables)
        .flat_map(|table| &table.rows)
        .flat_map(|row| &row.cells);
    let mut reading = Reading {
        kind: document.kind,
        numbers: Numbers::of(cells.map(String::as_str)),
        report: Report::new(document.kind),
        histograms: histogram::Histograms::default(),
        sql_texts: sql::Texts::default(),
        printed: Printed::default(),
        last_line: document.sections.last().map_or(1, last_line),
    };
    reading.report.cut = document.cut;
    for section in &document.sections {
        reading.section(section);
    }
    reading.finish();
    missing::warn(&mut reading.report, document);
    reading.report
}

/// True: the model takes certain figures of a section of this title.
pub(crate) fn has_place(title: &str) -> bool {
    part::part(title).is_some_and(ReportPart::has_a_place)
}

/// The report so far, and figures that several sections share.
struct Reading {
    kind: Kind,
    numbers: Numbers,
    report: Report,
    histograms: histogram::Histograms,
    sql_texts: sql::Texts,
    printed: Printed,
    /// The last line that anything was read of.
    last_line: usize,
}

/// The last line of a section that is in one of its tables, as far as rows tell.
fn last_line(section: &Section) -> usize {
    let rows = section.tables.iter().flat_map(|table| &table.rows);
    rows.map(|row| row.line + row.text.len()).fold(section.line, usize::max)
}

/// Figures of the header that better ones may replace.
#[derive(Default)]
struct Printed {
    elapsed_s: Option<f64>,
    db_time_s: Option<f64>,
    db_cpu_s: Option<f64>,
    /// The instance as the titles have it: the first page cuts its name.
    instance: Option<String>,
    /// 8i prints the cache in blocks.
    buffers: Option<f64>,
    /// "Key Instance Activity Stats", for a report that has no others.
    key_statistics: Vec<Statistic>,
}

impl Reading {
    fn section(&mut self, section: &Section) {
        let part = part::part(&section.title);
        self.title(section);
        let mut read = self.notes(part, section);
        let mut rows = 0;
        let mut overflows = 0;
        for table in &section.tables {
            let view = View::new(table, self.numbers, self.form());
            let of_caption = part.or_else(|| part::part(&table.caption));
            let understood = of_caption.is_some_and(|part| self.table(part, section, &view)) || self.by_columns(&view);
            read |= understood;
            rows += table.rows.len();
            overflows += view.overflows.get();
        }
        if overflows > 0 {
            self.report.warnings.push(format!(
                "line {}: {}: {overflows} figures did not fit their columns and are printed as ####",
                section.line, section.title
            ));
        }
        let state = if read {
            SectionState::Read
        } else if section.empty {
            SectionState::Empty
        } else if part.is_some_and(ReportPart::has_a_place) && rows > 0 {
            self.report.warnings.push(format!("line {}: {}: its columns are not known", section.line, section.title));
            SectionState::NotUnderstood
        } else {
            SectionState::Unused
        };
        self.report.sections.push(SectionSeen { title: section.title.clone(), line: section.line, state });
    }

    /// What the report's form says of its tables, as far as it is known by now.
    fn form(&self) -> Form {
        Form { cuts_names: self.kind != Kind::AwrHtml, of_cluster: self.report.scope == Scope::Cluster }
    }

    /// A table of a section, or with a caption, that says what it is.
    fn table(&mut self, part: ReportPart, section: &Section, view: &View<'_>) -> bool {
        match part {
            ReportPart::Section(section) => section.read(&mut self.report, view),
            ReportPart::OneOf(sections) => sections.iter().any(|section| section.read(&mut self.report, view)),
            ReportPart::LoadProfile => self.load_profile(view),
            ReportPart::Efficiencies | ReportPart::CacheSizes | ReportPart::SharedPool | ReportPart::Memory => {
                self.by_labels(view)
            }
            ReportPart::HostCpu => self.host_cpu(view),
            ReportPart::InstanceCpu => false,
            ReportPart::Histogram => self.histogram(view),
            ReportPart::Sql(order) => self.sql(order, section, view),
            ReportPart::SqlText => self.sql_text(view),
            ReportPart::KeyActivity => self.key_activity(view),
            ReportPart::IoByFunction => self.io_by_function(view, false),
            ReportPart::IoByFunctionAndType => self.io_by_function(view, true),
            ReportPart::IoByFileType => self.io_by_file_type(view),
            ReportPart::UndoSummary => section::read_undo(&mut self.report, view),
            ReportPart::Pga => section::read_pga(&mut self.report, view),
            ReportPart::Segments(order) => section::read_segments(&mut self.report, order, view),
            ReportPart::Cluster => self.cluster(&section.title, view),
            ReportPart::Cells => self.cells(&section.title, view),
        }
    }

    /// Keeps a selection of the statistics for the end.
    fn key_activity(&mut self, view: &View<'_>) -> bool {
        let statistics = section::STATISTICS.rows(view);
        let is_read = !statistics.is_empty();
        self.printed.key_statistics.extend(statistics);
        is_read
    }

    /// A table recognised by its columns alone.
    fn by_columns(&mut self, view: &View<'_>) -> bool {
        if self.identity(view) {
            return true;
        }
        if view.has("persecond") && view.has("pertransaction") && view.find(&["statistic", "statisticname"]).is_none() {
            return self.load_profile(view);
        }
        if view.has("loadaveragebegin") || (view.has("begin") && view.has("%user")) {
            return self.host_cpu(view);
        }
        // Pairs; a table with columns of its own is none, whatever its rows are called.
        view.names.iter().all(|name| matches!(name.as_str(), "" | "begin" | "end")) && self.by_labels(view)
    }
}

#[cfg(test)]
mod tests;
