//! A table whose columns are found by name, in all releases and forms.

use std::cell::Cell as Counter;

use crate::figure::Figure;
use crate::grid::{Row, Table};
use crate::names::Width;
use crate::value::{Cell, Numbers, TimeUnit};

/// The name of a heading or section without case, spaces and punctuation: "Av Rd(ms)" and "Av Rd (ms)" are "avrdms",
/// "%Time -outs" is "%timeouts".
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric() || "%#<>=".contains(*character))
        .flat_map(char::to_lowercase)
        .collect()
}

/// A column: its place, and the unit that its heading names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    pub at: usize,
    pub unit: Option<TimeUnit>,
}

/// What the form of the report says of all its tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// Text cuts names at the width of their column.
    pub cuts_names: bool,
    /// A cluster's report: lines of several instances.
    pub of_cluster: bool,
}

/// A table and its columns' plain names.
pub(crate) struct View<'a> {
    pub table: &'a Table,
    pub names: Vec<String>,
    numbers: Numbers,
    form: Form,
    /// Cells that were asked for and printed as ####.
    pub overflows: Counter<usize>,
}

impl<'a> View<'a> {
    pub(crate) fn new(table: &'a Table, numbers: Numbers, form: Form) -> Self {
        Self {
            table,
            names: table.columns.iter().map(|name| plain(name)).collect(),
            numbers,
            form,
            overflows: Counter::new(0),
        }
    }

    /// The first of these names that is a column.
    pub(crate) fn find(&self, names: &[&str]) -> Option<Column> {
        let at = names.iter().find_map(|name| self.names.iter().position(|column| column == name))?;
        Some(self.column(at))
    }

    /// The first column of this place or behind it whose name ends in one of these.
    pub(crate) fn find_ending(&self, from: usize, ends: &[&str]) -> Option<Column> {
        let at = (from..self.names.len()).find(|&at| ends.iter().any(|end| self.names[at].ends_with(end)))?;
        Some(self.column(at))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|column| column == name)
    }

    pub(crate) fn column(&self, at: usize) -> Column {
        Column { at, unit: self.table.columns.get(at).and_then(|name| TimeUnit::of_heading(name)) }
    }

    /// The column of instances in a cluster's report: `*` stands for all together.
    pub(crate) fn instances(&self) -> Option<Column> {
        if self.form.of_cluster { self.find(&["i#", "inst#", "instno"]) } else { None }
    }

    /// Names of a column as they may be cut in this form of report.
    pub(crate) fn width(&self, column: Option<Column>) -> Width {
        if self.form.cuts_names { Width::of(self.lines().map(|line| line.text(column))) } else { Width::UNLIMITED }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.table.rows.iter().map(move |row| Line { view: self, row })
    }
}

/// A row, its cells by column.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    view: &'a View<'a>,
    pub row: &'a Row,
}

impl<'a> Line<'a> {
    /// The cell's text, empty when there is no such column.
    pub(crate) fn text(&self, column: Option<Column>) -> &'a str {
        column.and_then(|column| self.row.cells.get(column.at)).map_or("", |cell| cell.trim())
    }

    pub(crate) fn owned(&self, column: Option<Column>) -> Option<String> {
        let text = self.text(column);
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(crate) fn count(&self, column: Option<Column>) -> Option<Figure> {
        self.seen(self.text(column));
        self.view.numbers.count(self.text(column))
    }

    pub(crate) fn number(&self, column: Option<Column>) -> Option<f64> {
        self.count(column).map(|figure| figure.value)
    }

    pub(crate) fn bytes(&self, column: Option<Column>) -> Option<Figure> {
        self.seen(self.text(column));
        self.view.numbers.bytes(self.text(column))
    }

    /// Seconds, by the cell's unit, else the heading's, else this one.
    pub(crate) fn seconds(&self, column: Option<Column>, otherwise: TimeUnit) -> Option<Figure> {
        self.seen(self.text(column));
        self.view.numbers.seconds(self.text(column), column?.unit.unwrap_or(otherwise))
    }

    pub(crate) fn milliseconds(&self, column: Option<Column>) -> Option<Figure> {
        self.seen(self.text(column));
        self.view.numbers.time(
            self.text(column),
            column?.unit.unwrap_or(TimeUnit::Milliseconds),
            TimeUnit::Milliseconds,
        )
    }

    /// The numbers of a cell that holds several: "24.2/39.8".
    pub(crate) fn slashed(&self, column: Column) -> Vec<Option<f64>> {
        self.text(Some(column)).split('/').map(|part| self.view.numbers.number(part)).collect()
    }

    fn seen(&self, text: &str) {
        // Each figure comes by here: most are not read twice.
        if text.starts_with('#') && self.view.numbers.read(text) == Cell::Overflow {
            self.view.overflows.set(self.view.overflows.get() + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_of_both_forms_become_one() {
        assert_eq!(plain("Av Rd(ms)"), plain("Av Rd (ms)"));
        assert_eq!(plain("%Time -outs"), "%timeouts");
        assert_eq!(plain("Waits /txn"), "waitstxn");
    }
}
