//! A table whose rows are being read.

use super::super::{Row, Table};
use super::columns::{Columns, is_figure, is_figures};
use super::heading::Heading;
use super::line::folded;
use super::pairs::pairs;

/// Lines of text kept of one row: no statement is printed with more.
const MAX_TEXT: usize = 4000;

/// Result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Row,
    /// A row, and pairs that stand right of the table.
    RowAnd(String),
    No,
}

/// Mapping of lines to rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Nothing read yet.
    New,
    Plain,
    /// A name in a line of its own, the figures in the next.
    NameAbove,
    /// Two rulers: two lines a row.
    TwoLines,
    /// Two rulers: one line of the first kind, then any number of the second, then perhaps the text of a statement.
    Nested,
    /// Figures, then the text of a statement.
    Sql,
    /// An identifier, then the text of a statement, folded.
    SqlText,
}

#[derive(Debug)]
pub(super) struct Open {
    pub(super) heading: Heading,
    mode: Mode,
    /// Text that fills its cell may go on in the next line.
    folds: bool,
    table: Table,
    /// The first line of a row of two, while the second is awaited.
    first: Option<Row>,
    /// The second lines of rows have been figures so far.
    figures: bool,
    /// Cells of the last line that filled their column, a bit a column: the next line may continue them.
    full: u64,
}

impl Open {
    pub(super) fn new(heading: Heading, title: &str) -> Self {
        let sql_title = title.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("SQL ordered"));
        let last = heading.names.last().map_or("", String::as_str);
        let mode = if heading.second.is_some() {
            if title.starts_with("Top SQL with") || title.starts_with("Top PL/SQL") {
                Mode::Nested
            } else {
                Mode::TwoLines
            }
        } else if sql_title || names_identifier(last) && heading.names.len() > 2 {
            Mode::Sql
        } else if heading.names.len() >= 2
            && names_identifier(&heading.names[0])
            && last.eq_ignore_ascii_case("SQL Text")
        {
            Mode::SqlText
        } else {
            Mode::New
        };
        let table = Table { columns: heading.names.clone(), caption: String::new(), rows: Vec::new() };
        let folds = !title.contains("Multi-Valued");
        Self { heading, mode, folds, table, first: None, figures: true, full: 0 }
    }

    pub(super) fn is_sql(&self) -> bool {
        matches!(self.mode, Mode::Sql | Mode::SqlText)
    }

    /// Takes a line, `number` counted from 1. `fresh`: after a blank line or a heading.
    pub(super) fn line(&mut self, text: &str, number: usize, fresh: bool, next: &str, budget: &mut usize) -> Taken {
        if self.mode == Mode::New {
            self.mode = self.first_look(text, next);
        }
        match self.mode {
            Mode::New | Mode::Plain if self.heading.first.label => self.labelled(text, number, budget),
            Mode::New | Mode::Plain => self.plain(text, number, fresh, budget),
            Mode::NameAbove => self.name_above(text, number, budget),
            Mode::TwoLines => self.two_lines(text, number, budget),
            Mode::Nested => self.nested(text, number, budget),
            Mode::Sql => self.sql(text, number, budget),
            Mode::SqlText => self.sql_text(text, number, budget),
        }
    }

    /// True: the first row is a name above figures.
    fn first_look(&mut self, text: &str, next: &str) -> Mode {
        let columns = &self.heading.first;
        let mut cells = Vec::new();
        let figures_below = !is_figures(text)
            && is_figures(next)
            && columns.cut(next, &mut cells)
            && cells.first().is_some_and(|cell| is_figure(cell));
        if figures_below && !columns.label && columns.spans.len() > 2 {
            self.table.columns.insert(0, "Name".to_owned());
            return Mode::NameAbove;
        }
        Mode::Plain
    }

    fn push(&mut self, cells: Vec<String>, line: usize, budget: &mut usize) {
        *budget = budget.saturating_sub(cells.len() + 2);
        self.table.rows.push(Row { cells, line, text: Vec::new() });
    }

    fn plain(&mut self, text: &str, number: usize, fresh: bool, budget: &mut usize) -> Taken {
        let mut cells = Vec::new();
        let clean = self.heading.first.cut(text, &mut cells);
        if fresh && !clean && !is_figures(text) && !self.table.rows.is_empty() {
            return Taken::No;
        }
        if self.folds && self.continues(&cells) {
            return Taken::Row;
        }
        if !clean && let Some(shifted) = self.heading.first.shifted(text) {
            self.push(shifted, number, budget);
            return Taken::Row;
        }
        self.full = filled(&self.heading.first, &cells);
        let cells = cells.iter().map(|&cell| cell.to_owned()).collect();
        self.push(cells, number, budget);
        Taken::Row
    }

    /// Appends the cells of a line that is the rest of the row before.
    fn continues(&mut self, cells: &[&str]) -> bool {
        let rest = |(column, cell): (usize, &&str)| cell.is_empty() || self.full >> column & 1 == 1;
        if self.full == 0 {
            return false;
        }
        let given = cells.iter().filter(|cell| !cell.is_empty()).count();
        let first_only = !cells.first().is_none_or(|cell| cell.is_empty()) && given == 1;
        // Several texts may go on in one line; a new row would have its figures too.
        let above = self.table.rows.last().and_then(|row| row.cells.last());
        let no_figure = cells.last().is_some_and(|cell| cell.is_empty()) && above.is_some_and(|cell| is_figure(cell));
        if given == 0
            || !(first_only || cells[0].is_empty() || no_figure)
            || !cells.iter().enumerate().all(rest)
            || cells.iter().all(|cell| cell.is_empty() || is_figure(cell))
        {
            return false;
        }
        let Some(row) = self.table.rows.last_mut() else { return false };
        for (cell, rest) in row.cells.iter_mut().zip(cells) {
            cell.push_str(rest);
        }
        let columns = &self.heading.first;
        self.full = filled(columns, cells);
        true
    }

    fn labelled(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        // Minutes stand in a block of their own under the snapshots.
        if text.contains("(mins)") {
            return Taken::No;
        }
        let columns = &self.heading.first;
        let end = columns.spans.last().map_or(0, |span| span.1);
        let beyond = text.get(end..).filter(|rest| rest.contains(':') && text.is_ascii() && rest.starts_with(' '));
        let table = if beyond.is_some() { text.get(..end).unwrap_or(text) } else { text };
        let mut cells = Vec::new();
        columns.cut(table, &mut cells);
        let first = columns.spans[0].0;
        // A name that runs into the first column still ends at its colon.
        if let Some(colon) = table.find(": ").filter(|&colon| colon >= first && table.is_ascii()) {
            let values: Vec<&str> = table[colon + 1..].split_ascii_whitespace().collect();
            if values.len() > cells.len() - 1 || !values.iter().all(|value| is_figure(value)) {
                return Taken::No;
            }
            let mut owned = vec![String::new(); cells.len()];
            owned[0] = folded(&table[..=colon]);
            let skip = cells.len() - values.len();
            for (cell, value) in owned[skip..].iter_mut().zip(values) {
                (*value).clone_into(cell);
            }
            self.push(owned, number, budget);
            return Taken::Row;
        }
        // Pairs may follow in the same block: `% Blocks changed per Read:    1.31    Recursive Call %:     26.26`.
        if cells[0].contains(": ") || cells.iter().skip(1).all(|cell| cell.is_empty()) {
            return Taken::No;
        }
        let owned = cells
            .iter()
            .enumerate()
            .map(|(column, cell)| if column == 0 { folded(cell) } else { (*cell).to_owned() })
            .collect();
        let beyond = beyond.map(str::to_owned);
        self.push(owned, number, budget);
        beyond.map_or(Taken::Row, Taken::RowAnd)
    }

    fn name_above(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        let Some(mut row) = self.first.take() else {
            self.first = Some(Row { cells: vec![folded(text)], line: number, text: Vec::new() });
            return Taken::Row;
        };
        if !is_figures(text) {
            // The name before had no figures, or goes on here.
            row.cells[0].push(' ');
            row.cells[0].push_str(&folded(text));
            self.first = Some(row);
            return Taken::Row;
        }
        let mut cells = Vec::new();
        self.heading.first.cut(text, &mut cells);
        row.cells.extend(cells.iter().map(|&cell| cell.to_owned()));
        self.push(row.cells, row.line, budget);
        Taken::Row
    }

    fn two_lines(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        let Some(second) = &self.heading.second else { return Taken::No };
        let mut cells = Vec::new();
        if let Some(mut row) = self.first.take() {
            if self.figures && !is_figures(text) && !ends_in_figure(text) {
                let goes_on = self.full != 0 && self.heading.first.spans.len() <= 2;
                if self.table.rows.is_empty() && !goes_on {
                    self.figures = false;
                } else {
                    // A name folded over two lines.
                    self.heading.first.cut(text, &mut cells);
                    for (cell, rest) in row.cells.iter_mut().zip(&cells) {
                        cell.push_str(rest);
                    }
                    self.full = filled(&self.heading.first, &cells);
                    self.first = Some(row);
                    return Taken::Row;
                }
            }
            second.cut(text, &mut cells);
            row.cells.extend(cells.iter().map(|&cell| cell.to_owned()));
            self.push(row.cells, row.line, budget);
            return Taken::Row;
        }
        self.heading.first.cut(text, &mut cells);
        self.full = filled(&self.heading.first, &cells);
        let mut cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
        // A tablespace is printed with the first of its files only.
        if cells[0].is_empty()
            && self.table.columns[0] == "Tablespace"
            && let Some(above) = self.table.rows.last()
        {
            cells[0].clone_from(&above.cells[0]);
        }
        self.first = Some(Row { cells, line: number, text: Vec::new() });
        Taken::Row
    }

    fn nested(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        let Some(second) = &self.heading.second else { return Taken::No };
        let mut cells = Vec::new();
        // The second lines of procedures are indented, those of statements are not; both end in a figure at the last
        // column.
        let procedure = self.heading.first.spans.len() == 2;
        let first = if procedure {
            !text.starts_with(' ')
        } else {
            text.split_ascii_whitespace().count() == self.heading.first.spans.len() && text.starts_with("   ")
        };
        if first && ends_in_figure(text) {
            self.heading.first.cut(text, &mut cells);
            self.first = Some(Row {
                cells: cells.iter().map(|&cell| cell.to_owned()).collect(),
                line: number,
                text: Vec::new(),
            });
            return Taken::Row;
        }
        let figure = second.cut(text, &mut cells) && cells.last().is_some_and(|cell| is_figure(cell));
        match (&self.first, figure) {
            (Some(first), true) => {
                let cells = first.cells.iter().cloned().chain(cells.iter().map(|&cell| cell.to_owned())).collect();
                self.push(cells, number, budget);
            }
            _ => {
                let Some(row) = self.table.rows.last_mut() else { return Taken::No };
                if row.text.len() < MAX_TEXT {
                    row.text.push(text.to_owned());
                }
            }
        }
        Taken::Row
    }

    fn sql(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        if !self.is_sql_row(text) {
            if let Some(row) = self.table.rows.last_mut() {
                if row.text.len() < MAX_TEXT {
                    row.text.push(text.to_owned());
                }
                return Taken::Row;
            }
            return Taken::No;
        }
        let mut cells = Vec::new();
        self.heading.first.cut(text, &mut cells);
        let cells = cells.iter().map(|&cell| cell.to_owned()).collect();
        self.push(cells, number, budget);
        Taken::Row
    }

    /// Figures with a statement's identifier at its place.
    fn is_sql_row(&self, text: &str) -> bool {
        let spans = &self.heading.first.spans;
        let (Some(&last), true) = (spans.last(), text.is_ascii()) else { return false };
        let column = self.heading.names.iter().rposition(|name| names_identifier(name)).filter(|&at| at < spans.len());
        let (start, end) = match column {
            Some(column) if column + 1 < spans.len() => spans[column],
            // Some releases set the last column a character beside its ruler.
            _ if text.len().abs_diff(last.1) > 2 => return false,
            _ => (text.rfind(' ').map_or(0, |space| space + 1), text.len()),
        };
        let end = end.min(text.len());
        let word = text.get(start..end).unwrap_or("").trim();
        let hash = word.len() <= 10 && word.bytes().all(|byte| byte.is_ascii_digit());
        let id = word.len() == 13 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        // The figures stand before it, or after it where it comes first.
        let figures = if column == Some(0) { &text[end..] } else { text.get(..start).unwrap_or("") };
        !word.is_empty()
            && (hash || id)
            && !figures.trim().is_empty()
            && figures.split_ascii_whitespace().all(is_figure)
    }

    fn sql_text(&mut self, text: &str, number: usize, budget: &mut usize) -> Taken {
        let mut cells = Vec::new();
        self.heading.first.cut(text, &mut cells);
        if (cells[0].is_empty() || cells[0].contains(' '))
            && let Some(row) = self.table.rows.last_mut()
        {
            if row.text.len() < MAX_TEXT {
                let start = self.heading.first.spans.last().map_or(0, |span| span.0);
                row.text.push(text.get(start..).unwrap_or(text).to_owned());
            }
            return Taken::Row;
        }
        let cells = cells.iter().map(|&cell| cell.to_owned()).collect();
        self.push(cells, number, budget);
        Taken::Row
    }

    /// The table with all its rows; a label column that stayed empty is dropped, its heading becomes the caption.
    pub(super) fn finish(mut self) -> Table {
        if let Some(row) = self.first.take().filter(|_| self.mode != Mode::Nested) {
            let mut cells = row.cells;
            cells.resize(self.table.columns.len(), String::new());
            self.table.rows.push(Row { cells, line: row.line, text: row.text });
        }
        if self.heading.first.label
            && self.heading.second.is_none()
            && self.table.rows.iter().all(|row| row.cells.first().is_none_or(String::is_empty))
        {
            self.table.columns.remove(0);
            for row in &mut self.table.rows {
                row.cells.remove(0);
            }
            if self.heading.label == "Host" && self.table.columns.first().is_some_and(|name| name == "Name") {
                self.table.columns[0].insert_str(0, "Host ");
            }
        }
        if self.heading.first.label {
            self.table.caption = self.heading.label;
        }
        self.table
    }
}

/// True: the column holds the identifiers of statements.
fn names_identifier(name: &str) -> bool {
    name.ends_with("Hash Value") || name.eq_ignore_ascii_case("SQL Id")
}

fn ends_in_figure(text: &str) -> bool {
    text.split_ascii_whitespace().last().is_some_and(is_figure) && pairs(text).is_empty()
}

/// Which cells are as wide as their column, a bit a column.
fn filled(columns: &Columns, cells: &[&str]) -> u64 {
    let mut bits = 0;
    for (column, (span, cell)) in columns.spans.iter().zip(cells).enumerate() {
        let width = span.1 - span.0;
        if cell.len() >= width && cell.chars().count() >= width && !is_figure(cell) {
            bits |= 1 << column;
        }
    }
    bits
}
