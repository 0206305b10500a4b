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

/// White space folded, the colon at the end gone: "Buffer  Hit   %:" is "Buffer Hit %".
pub(crate) fn label(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    folded.trim_end_matches(':').trim_end().to_owned()
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
    pub view: &'a View<'a>,
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

/// A name with the values behind it: of a line "Buffer Cache:  728M   736M", or of cells that end in a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub label: String,
    pub values: Vec<String>,
    pub line: usize,
}

/// The pairs of a table's cells.
pub(crate) fn table_pairs(table: &Table, found: &mut Vec<Pair>) {
    for row in &table.rows {
        let mut open: Option<Pair> = None;
        for (at, cell) in row.cells.iter().enumerate() {
            let cell = cell.trim();
            let is_label = cell.ends_with(':')
                || (at == 0 && !cell.is_empty())
                || (cell.ends_with('%') && !cell.starts_with(|first: char| first.is_ascii_digit()));
            if let Some((name, value)) = cell.split_once(": ")
                && !value.trim().is_empty()
            {
                found.extend(open.take());
                open = Some(Pair { label: label(name), values: vec![value.trim().to_owned()], line: row.line });
            } else if is_label {
                found.extend(open.take());
                open = Some(Pair { label: label(cell), values: Vec::new(), line: row.line });
            } else if let Some(pair) = &mut open {
                pair.values.push(cell.to_owned());
            }
        }
        found.extend(open);
    }
}

/// Pairs of a line of text: a label runs up to its colon, its values are what follows up to the words of the next
/// label.
pub(crate) fn note_pairs(note: &str, line: usize, found: &mut Vec<Pair>) {
    let mut rest = note;
    while let Some(colon) = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len)) {
        let name = label(&rest[..colon]);
        rest = rest[colon + 1..].trim_start();
        let mut values = Vec::new();
        while let Some(word) = rest.split_whitespace().next() {
            if !word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '-' | '#')) {
                break;
            }
            values.push(word.to_owned());
            rest = rest[word.len()..].trim_start();
        }
        if !name.is_empty() {
            found.push(Pair { label: name, values, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{label, note_pairs, plain, table_pairs};
    use crate::grid::{Row, Table};

    #[test]
    fn names_of_both_forms_become_one() {
        assert_eq!(plain("Av Rd(ms)"), plain("Av Rd (ms)"));
        assert_eq!(plain("%Time -outs"), "%timeouts");
        assert_eq!(plain("Waits /txn"), "waitstxn");
        assert_eq!(label("Buffer  Hit   %:"), "Buffer Hit %");
    }

    #[test]
    fn pairs_of_cells_and_of_text() {
        let row = |cells: &[&str]| Row {
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            line: 7,
            text: Vec::new(),
        };
        let table = Table {
            columns: vec![String::new(); 4],
            caption: String::new(),
            rows: vec![
                row(&["Buffer Cache:", "728M", "", "Std Block Size:", "8K"]),
                row(&["Buffer Nowait %:", "100.00", "Redo NoWait %:", "99.97"]),
            ],
        };
        let mut found = Vec::new();
        table_pairs(&table, &mut found);
        let seen: Vec<(&str, Vec<&str>)> =
            found.iter().map(|pair| (pair.label.as_str(), pair.values.iter().map(String::as_str).collect())).collect();
        assert_eq!(
            seen,
            [
                ("Buffer Cache", vec!["728M", ""]),
                ("Std Block Size", vec!["8K"]),
                ("Buffer Nowait %", vec!["100.00"]),
                ("Redo NoWait %", vec!["99.97"])
            ]
        );
        let mut found = Vec::new();
        note_pairs("Elapsed: 15.00 (mins) Av Act Sess: 7.1", 1, &mut found);
        assert_eq!(found[0].values, ["15.00"]);
        assert_eq!(found[1].label, "(mins) Av Act Sess");
    }
}
