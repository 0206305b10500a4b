//! Positions of a query's values on the screen: widths, headings, folding at LINESIZE, wrapping inside a column.
//!
//! ```text
//!     EMPNO ENAME      COMM      <- headings: right over numbers, left over anything else
//! --------- ---------- ------    <- underlines, as wide as the columns
//!      7369 SMITH                <- values, one COLSEP between columns
//! ```
//!
//! A column whose end would lie beyond LINESIZE begins a new line, in headings and rows alike. A number is as wide as
//! its format or NUMWIDTH, or as its heading if that is wider; text is as wide as its type or format, and its heading
//! is cut to that.

use common::{DataType, Result};
use scalar::Nls;

use crate::column::{Columns, Format, Justify, Wrap};
use crate::decimal::Decimal;
use crate::number::NumberModel;
use crate::server::{Cell, ColumnInfo};
use crate::settings::Settings;

/// Display of one column.
struct Field {
    /// Position in the row.
    source: usize,
    heading: Vec<String>,
    width: usize,
    right: bool,
    heading_justify: Justify,
    model: Option<NumberModel>,
    numwidth: usize,
    null: String,
    wrap: Wrap,
    newline: bool,
}

/// The layout of one query's output.
pub(crate) struct Layout {
    fields: Vec<Field>,
    /// Fields by screen line.
    lines: Vec<std::ops::Range<usize>>,
    colsep: String,
    linesize: usize,
    underline: Option<char>,
    wrap: bool,
    nls: Nls,
}

/// The content of one column in a line that is no row.
pub(crate) enum Part {
    Blank,
    /// This character over the width of the column.
    Fill(char),
    Label(String),
    Result(Cell),
}

/// A row as screen lines.
pub(crate) struct RowLines {
    pub(crate) lines: Vec<String>,
    /// More lines than one: a record separator is due.
    pub(crate) wrapped: bool,
}

impl Layout {
    /// # Errors
    /// SP2-0246 when NUMFORMAT is no number format.
    pub(crate) fn new(query: &[ColumnInfo], settings: &Settings, columns: &Columns, nls: &Nls) -> Result<Self> {
        let mut fields = Vec::new();
        for (source, info) in query.iter().enumerate() {
            fields.extend(field(source, info, settings, columns)?);
        }
        let mut lines = Vec::new();
        let (mut start, mut used) = (0, 0);
        for (at, field) in fields.iter().enumerate() {
            let end = if at == start { field.width } else { used + settings.colsep.chars().count() + field.width };
            if at > start && settings.wrap && (end > settings.linesize || field.newline) {
                lines.push(start..at);
                (start, used) = (at, field.width);
            } else {
                used = end;
            }
        }
        if start < fields.len() {
            lines.push(start..fields.len());
        }
        Ok(Self {
            fields,
            lines,
            colsep: settings.colsep.clone(),
            linesize: settings.linesize,
            underline: settings.underline,
            wrap: settings.wrap,
            nls: nls.clone(),
        })
    }

    pub(crate) fn nls(&self) -> &Nls {
        &self.nls
    }

    /// Heading and underline, for each screen line of a row.
    pub(crate) fn headings(&self) -> Vec<String> {
        let mut out = Vec::new();
        for range in &self.lines {
            let fields = &self.fields[range.clone()];
            let height = fields.iter().map(|field| field.heading.len()).max().unwrap_or(0);
            for at in 0..height {
                // A shorter heading stands at the bottom.
                let part = |field: &Field| {
                    (at + field.heading.len()).checked_sub(height).map_or(String::new(), |at| field.heading[at].clone())
                };
                out.push(self.join(fields, |field| {
                    justified(&cut(&part(field), field.width), field.width, field.heading_justify)
                }));
            }
            if let Some(underline) = self.underline {
                out.push(self.join(fields, |field| underline.to_string().repeat(field.width)));
            }
        }
        out
    }

    /// One row; the columns `hidden` are left blank.
    pub(crate) fn row(&self, cells: &[Cell], hidden: &[usize]) -> RowLines {
        let mut lines = Vec::new();
        let value = |field: &Field| {
            if hidden.contains(&field.source) {
                return vec![String::new()];
            }
            field.value(cells.get(field.source).unwrap_or(&Cell::Null), &self.nls)
        };
        for range in &self.lines {
            let fields = &self.fields[range.clone()];
            let values: Vec<Vec<String>> = fields.iter().map(value).collect();
            let height = values.iter().map(Vec::len).max().unwrap_or(1);
            for at in 0..height {
                let mut value = values.iter().map(|parts| parts.get(at).map_or("", String::as_str));
                lines.push(self.join(fields, |field| {
                    let side = if field.right { Justify::Right } else { Justify::Left };
                    justified(value.next().unwrap_or(""), field.width, side)
                }));
            }
        }
        let wrapped = lines.len() > 1;
        RowLines { lines, wrapped }
    }

    /// A line that is no row, by the positions of the columns in the row.
    pub(crate) fn line(&self, part: impl Fn(usize) -> Part) -> Vec<String> {
        let shown = |field: &Field| field.part(part(field.source), &self.nls);
        self.lines.iter().map(|range| self.join(&self.fields[range.clone()], shown)).collect()
    }

    /// The text that NEW_VALUE keeps of a value.
    pub(crate) fn text(&self, source: usize, cell: &Cell) -> String {
        let field = self.fields.iter().find(|field| field.source == source);
        match (cell, field) {
            (Cell::Null, _) => String::new(),
            (Cell::Text(text), _) => text.clone(),
            (Cell::Number(text), Some(field)) if field.right => field.number(text, &self.nls).trim().to_owned(),
            (Cell::Number(text), _) => plain(text, &self.nls),
        }
    }

    fn join(&self, fields: &[Field], mut part: impl FnMut(&Field) -> String) -> String {
        let mut line = String::new();
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                line.push_str(&self.colsep);
            }
            line.push_str(&part(field));
        }
        if self.wrap { line } else { cut(&line, self.linesize) }
    }
}

/// The column's display; None when it is not printed.
fn field(source: usize, info: &ColumnInfo, settings: &Settings, columns: &Columns) -> Result<Option<Field>> {
    let column = columns.active(&info.name);
    if column.is_some_and(|column| !column.print) {
        return Ok(None);
    }
    let heading: Vec<String> = match (column.and_then(|column| column.heading.as_deref()), settings.headsep) {
        (Some(text), Some(separator)) => text.split(separator).map(str::to_owned).collect(),
        (Some(text), None) => vec![text.to_owned()],
        (None, _) => vec![info.name.clone()],
    };
    let longest = heading.iter().map(|part| part.chars().count()).max().unwrap_or(0);
    let number = matches!(info.data_type, DataType::Number { .. });
    let format = column.and_then(|column| column.format.as_ref());
    let mut model = None;
    let width = match (number, format) {
        (false, Some(Format::Characters(width))) => *width,
        (false, _) => info.width,
        (true, Some(Format::Number { model: own, .. })) => {
            model = Some(own.clone());
            own.width().max(longest)
        }
        (true, Some(Format::Characters(width))) => *width,
        (true, None) if !settings.numformat.is_empty() => {
            let common = NumberModel::parse(&settings.numformat)?;
            let width = common.width().max(longest);
            model = Some(common);
            width
        }
        (true, None) => settings.numwidth.max(longest),
    };
    let numwidth = if let Some(Format::Characters(width)) = format { *width } else { settings.numwidth };
    let side = if number { Justify::Right } else { Justify::Left };
    Ok(Some(Field {
        source,
        heading,
        width: width.clamp(1, settings.linesize),
        right: number,
        heading_justify: column.and_then(|column| column.justify).unwrap_or(side),
        model,
        numwidth,
        null: column.and_then(|column| column.null.clone()).unwrap_or_else(|| settings.null.clone()),
        wrap: column.and_then(|column| column.wrap).unwrap_or(if settings.wrap {
            Wrap::Anywhere
        } else {
            Wrap::Truncate
        }),
        newline: column.is_some_and(|column| column.newline),
    }))
}

impl Field {
    fn part(&self, part: Part, nls: &Nls) -> String {
        match part {
            Part::Blank => " ".repeat(self.width),
            Part::Fill(character) => character.to_string().repeat(self.width),
            Part::Label(text) => justified(&cut(&text, self.width), self.width, Justify::Left),
            // A number of values stands on the right of a column of text, too.
            Part::Result(Cell::Number(text)) => {
                justified(&cut(&self.number(&text, nls), self.width), self.width, Justify::Right)
            }
            Part::Result(cell) => {
                justified(self.value(&cell, nls).first().map_or("", String::as_str), self.width, Justify::Left)
            }
        }
    }

    /// The lines of one value, none wider than the column.
    fn value(&self, cell: &Cell, nls: &Nls) -> Vec<String> {
        match cell {
            Cell::Null => wrapped(&self.null, self.width, self.wrap),
            Cell::Number(text) if self.right => vec![self.number(text, nls)],
            Cell::Number(text) => wrapped(&plain(text, nls), self.width, self.wrap),
            Cell::Text(text) => wrapped(text, self.width, self.wrap),
        }
    }

    fn number(&self, text: &str, nls: &Nls) -> String {
        if let Some(model) = &self.model {
            return model.format(text, nls);
        }
        let value = Decimal::parse(text);
        let width = self.numwidth.min(self.width);
        value.map_or_else(|| cut(text, self.width), |value| localized(value.fit(width), nls))
    }
}

/// A number in the default format of TO_CHAR.
pub(crate) fn plain(text: &str, nls: &Nls) -> String {
    Decimal::parse(text).map_or_else(|| text.to_owned(), |value| localized(value.fit(40), nls))
}

/// With the session's decimal character.
fn localized(number: String, nls: &Nls) -> String {
    if nls.decimal() == '.' { number } else { number.replace('.', &nls.decimal().to_string()) }
}

/// Splits a value into lines of at most `width` characters; a line break in the value begins a new one.
fn wrapped(text: &str, width: usize, wrap: Wrap) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split('\n') {
        let part = part.trim_end_matches('\r');
        match wrap {
            Wrap::Truncate => return vec![cut(part, width)],
            Wrap::Anywhere => {
                let chars: Vec<char> = part.chars().collect();
                if chars.is_empty() {
                    lines.push(String::new());
                }
                lines.extend(chars.chunks(width).map(|chunk| chunk.iter().collect::<String>()));
            }
            Wrap::AtBlanks => lines.extend(at_blanks(part, width)),
        }
    }
    // Blanks that pad a CHAR value never make a line of their own.
    while lines.len() > 1 && lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// Breaks a line at blanks, and inside a word only when it is wider than `width`.
pub(crate) fn at_blanks(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !line.is_empty() && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if !line.is_empty() {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            if used == width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += 1;
        }
    }
    lines.push(line);
    lines
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

fn justified(text: &str, width: usize, side: Justify) -> String {
    match side {
        Justify::Left => format!("{text:<width$}"),
        Justify::Center => format!("{text:^width$}"),
        Justify::Right => format!("{text:>width$}"),
    }
}
