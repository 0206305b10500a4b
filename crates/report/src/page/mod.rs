//! Lines, ruled tables and pages as Statspack prints them: columns of fixed widths, at most 80 characters.

pub(crate) mod digits;

use std::io::{Result, Write};

use crate::figure::Figure;
use crate::model::Report;
use crate::names::{Names, Width, whole};
use digits::{fit, fit_figure};

/// Lines of a page: then title and heading stand again.
const PAGE_LINES: usize = 59;

/// The output, with the part of each section's title about the database and the window.
pub(crate) struct Page<'a> {
    pub report: &'a Report,
    out: &'a mut dyn Write,
    suffix: String,
}

/// A column: the lines of its heading from top to bottom, its width, and whether its cells stand right.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub heading: &'static [&'static str],
    pub width: usize,
    pub right: bool,
}

pub(crate) const fn left(heading: &'static [&'static str], width: usize) -> Column {
    Column { heading, width, right: false }
}

pub(crate) const fn right(heading: &'static [&'static str], width: usize) -> Column {
    Column { heading, width, right: true }
}

/// A cell of a column.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// Goes on in the next line where it is longer than its column, as SQL*Plus wraps it.
    Text(String),
    /// Stays in its line, and moves what follows.
    Long(String),
    /// Is cut where the rest is known from the list of such names, as Statspack cuts it; else goes on in the next line.
    Name(Names, String),
    /// With so many decimals at most.
    Number(Option<f64>, usize),
    Figure(Option<Figure>, usize),
}

pub(crate) fn text(text: impl Into<String>) -> Cell {
    Cell::Text(text.into())
}

pub(crate) fn name(kind: Names, name: &str) -> Cell {
    Cell::Name(kind, name.to_owned())
}

/// Nothing for None.
pub(crate) fn number(value: Option<f64>, decimals: usize) -> Cell {
    Cell::Number(value, decimals)
}

/// A count: whole where it is.
pub(crate) fn count(value: Option<f64>) -> Cell {
    Cell::Number(value, if value.is_none_or(|value| value.fract() == 0.0) { 0 } else { 2 })
}

/// A figure with the digits that it is known to; one that is known exactly with `decimals`.
pub(crate) fn figure(value: Option<Figure>, decimals: usize) -> Cell {
    Cell::Figure(value, decimals)
}

impl Cell {
    /// The cell's lines.
    fn lines(&self, width: usize) -> Vec<String> {
        match self {
            Cell::Text(text) => wrapped(text, width),
            Cell::Long(text) => vec![text.clone()],
            Cell::Name(kind, name) => {
                let cut: String = name.chars().take(width).collect();
                let cut = cut.trim_end();
                // The reader tells a cut name by its filling the column.
                let column = "x".repeat(width);
                let known = whole(*kind, cut, Width::of([column.as_str()].into_iter())).0 == *name;
                if known { vec![cut.to_owned()] } else { wrapped(name, width) }
            }
            Cell::Number(value, decimals) => vec![value.map_or(String::new(), |value| fit(value, *decimals, width))],
            Cell::Figure(value, decimals) => {
                vec![value.map_or(String::new(), |value| fit_figure(value, *decimals, width))]
            }
        }
    }

    /// In one line.
    pub(crate) fn line(&self, width: usize) -> String {
        self.lines(width).into_iter().next().unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Cell::Text(text) | Cell::Long(text) | Cell::Name(_, text) => text.is_empty(),
            Cell::Number(value, _) => value.is_none(),
            Cell::Figure(value, _) => value.is_none(),
        }
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width.max(1)).map(|piece| piece.iter().collect()).collect()
}

/// Lines that belong together: no page ends between them.
pub(crate) type Block = Vec<String>;

impl<'a> Page<'a> {
    pub(crate) fn new(report: &'a Report, out: &'a mut dyn Write) -> Self {
        let database = report.identity.database.as_deref().unwrap_or_default();
        let instance = report.identity.instance.as_deref().unwrap_or_default();
        let id = |id: Option<u64>| id.map_or(String::new(), |id| id.to_string());
        let suffix = format!(
            "  DB/Inst: {database}/{instance}  Snaps: {}-{}",
            id(report.window.begin.id),
            id(report.window.end.id)
        );
        Self { report, out, suffix }
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.out, "{}", text.trim_end())
    }

    pub(crate) fn lines(&mut self, lines: &[String]) -> Result<()> {
        lines.iter().try_for_each(|line| self.line(line))
    }

    /// The rule below a section.
    pub(crate) fn end(&mut self) -> Result<()> {
        writeln!(self.out, "          {}\n", "-".repeat(61))
    }

    pub(crate) fn nothing(&mut self) -> Result<()> {
        self.line("No data exists for this section of the report.")
    }

    /// A whole section: title with database, instance and snapshots, notes, heading, the lines of its rows, rule.
    /// Without rows it says so.
    pub(crate) fn blocks(&mut self, title: &str, notes: &[String], heading: &[String], blocks: &[Block]) -> Result<()> {
        let mut head = vec![format!("{title}{}", self.suffix)];
        head.extend_from_slice(notes);
        head.push(String::new());
        if blocks.is_empty() {
            self.lines(&head)?;
            self.nothing()?;
            return self.end();
        }
        head.extend_from_slice(heading);
        let mut used = PAGE_LINES;
        for (at, block) in blocks.iter().enumerate() {
            if used + block.len() > PAGE_LINES {
                if at > 0 {
                    self.line("")?;
                }
                self.lines(&head)?;
                used = head.len();
            }
            self.lines(block)?;
            used += block.len();
        }
        self.end()
    }

    /// The title of a section that is made of parts.
    pub(crate) fn title(&mut self, title: &str) -> Result<()> {
        let title = format!("{title}{}", self.suffix);
        self.line(&title)
    }

    /// A heading of several lines, a ruler and rows.
    pub(crate) fn table(&mut self, columns: &[Column], rows: &[Vec<Cell>]) -> Result<()> {
        self.lines(&heading_lines(columns))?;
        rows.iter().try_for_each(|row| self.lines(&row_lines(columns, row)))
    }
}

/// The heading's lines and the ruler.
pub(crate) fn heading_lines(columns: &[Column]) -> Vec<String> {
    let count = columns.iter().map(|column| column.heading.len()).max().unwrap_or(0);
    let mut lines: Vec<String> = (0..count)
        .map(|line| {
            let words = columns.iter().map(|column| {
                // Short headings stand at the bottom.
                let at = (line + column.heading.len()).checked_sub(count);
                at.and_then(|at| column.heading.get(at)).copied().unwrap_or_default()
            });
            aligned(columns, words)
        })
        .collect();
    let ruler: Vec<String> = columns.iter().map(|column| "-".repeat(column.width)).collect();
    lines.push(ruler.join(" "));
    lines
}

/// A row's lines: more than one where a text goes on.
pub(crate) fn row_lines(columns: &[Column], cells: &[Cell]) -> Block {
    let cells: Vec<Vec<String>> = columns.iter().zip(cells).map(|(column, cell)| cell.lines(column.width)).collect();
    let count = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    (0..count)
        .map(|line| aligned(columns, cells.iter().map(|cell| cell.get(line).map_or("", String::as_str))))
        .collect()
}

fn aligned<'t>(columns: &[Column], words: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for (column, word) in columns.iter().zip(words) {
        let gap = " ".repeat(column.width.saturating_sub(word.chars().count()));
        if column.right {
            text.push_str(&gap);
            text.push_str(word);
        } else {
            text.push_str(word);
            text.push_str(&gap);
        }
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::{Cell, Names, left, name, row_lines, text};

    #[test]
    fn a_name_is_cut_where_the_rest_is_known_and_goes_on_where_it_is_not() {
        let event = name(Names::Events, "log file switch (private strand flush incomplete)");
        assert_eq!(event.line(28), "log file switch (private str");
        let unknown: Cell = name(Names::Events, "a wait for something that nobody knows");
        let columns = [left(&["Event"], 28), left(&["Other"], 5)];
        assert_eq!(row_lines(&columns, &[unknown, text("x")]), ["a wait for something that no x", "body knows"]);
    }
}
