//! Lines, ruled tables and numbers as Statspack prints them.

use std::io::{Result, Write};

use crate::figure::Figure;
use crate::model::Report;

/// Where the report is written, and what each section's title says of the database and the window.
pub(super) struct Page<'a, W: Write> {
    pub report: &'a Report,
    out: &'a mut W,
    suffix: String,
}

/// A column: the lines of its heading from top to bottom, its least width, and whether its cells stand right.
pub(super) struct Column {
    pub heading: &'static [&'static str],
    pub width: usize,
    pub right: bool,
}

pub(super) const fn left(heading: &'static [&'static str], width: usize) -> Column {
    Column { heading, width, right: false }
}

pub(super) const fn right(heading: &'static [&'static str], width: usize) -> Column {
    Column { heading, width, right: true }
}

impl<'a, W: Write> Page<'a, W> {
    pub(super) fn new(report: &'a Report, out: &'a mut W) -> Self {
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

    pub(super) fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.out, "{}", text.trim_end())
    }

    /// A section's title with database, instance and snapshots.
    pub(super) fn title(&mut self, title: &str) -> Result<()> {
        writeln!(self.out, "{title}{}\n", self.suffix)
    }

    /// The rule below a section.
    pub(super) fn end(&mut self) -> Result<()> {
        writeln!(self.out, "          {}\n", "-".repeat(61))
    }

    /// A heading of several lines, a ruler and rows.
    pub(super) fn table(&mut self, columns: &[Column], rows: &[Vec<String>]) -> Result<()> {
        let widths = widths(columns, rows);
        self.heading(columns, &widths)?;
        for row in rows {
            self.row(columns, &widths, row)?;
        }
        Ok(())
    }

    pub(super) fn heading(&mut self, columns: &[Column], widths: &[usize]) -> Result<()> {
        let lines = columns.iter().map(|column| column.heading.len()).max().unwrap_or(0);
        for line in 0..lines {
            let words: Vec<String> = columns
                .iter()
                .map(|column| {
                    // Short headings stand at the bottom.
                    let at = (line + column.heading.len()).checked_sub(lines);
                    at.and_then(|at| column.heading.get(at)).map_or(String::new(), |word| (*word).to_owned())
                })
                .collect();
            self.row(columns, widths, &words)?;
        }
        let ruler: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        self.line(&ruler.join(" "))
    }

    pub(super) fn row(&mut self, columns: &[Column], widths: &[usize], cells: &[String]) -> Result<()> {
        let mut text = String::new();
        for ((column, width), cell) in columns.iter().zip(widths).zip(cells) {
            let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
            if column.right {
                text.push_str(&gap);
                text.push_str(cell);
            } else {
                text.push_str(cell);
                text.push_str(&gap);
            }
            text.push(' ');
        }
        self.line(&text)
    }

    /// A whole section: title, table, end. Nothing without rows.
    pub(super) fn section(&mut self, title: &str, columns: &[Column], rows: &[Vec<String>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.title(title)?;
        self.table(columns, rows)?;
        self.end()
    }
}

/// Widths that hold every cell and heading.
pub(super) fn widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
            let heading = column.heading.iter().map(|word| word.chars().count()).max().unwrap_or(0);
            column.width.max(cells).max(heading)
        })
        .collect()
}

/// A number with thousands separators; nothing for None.
pub(super) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| grouped(value, decimals))
}

/// A count: whole where it is.
pub(super) fn count(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| grouped(value, if value.fract() == 0.0 { 0 } else { 2 }))
}

/// A figure with the digits that it is known to; one that is known exactly with `decimals`.
pub(super) fn figure(value: Option<Figure>, decimals: usize) -> String {
    value.map_or(String::new(), |figure| grouped(figure.value, decimals_of(figure.step).unwrap_or(decimals)))
}

/// A count; one that is known to thousands only, with K or M.
pub(super) fn rounded(value: Option<Figure>) -> String {
    let Some(figure) = value else { return String::new() };
    for (unit, factor) in [("M", 1e6), ("K", 1e3)] {
        if figure.step > 1.0 && figure.value >= factor {
            return format!("{}{unit}", grouped(figure.value / factor, decimals_of(figure.step / factor).unwrap_or(0)));
        }
    }
    self::figure(value, 0)
}

fn decimals_of(step: f64) -> Option<usize> {
    if step <= 0.0 {
        return None;
    }
    let decimals = -step.log10();
    // Steps are powers of ten, but for what a change of unit leaves on them.
    Some((decimals - 1e-9).ceil().clamp(0.0, 9.0) as usize)
}

fn grouped(value: f64, decimals: usize) -> String {
    let digits = format!("{:.*}", decimals, value.abs());
    let (whole, fraction) =
        digits.split_once('.').map_or((digits.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
    let mut text = String::with_capacity(digits.len() + whole.len() / 3 + 1);
    if value < 0.0 && digits.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        text.push('-');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// Bytes in the largest unit of 1024 that keeps them whole.
pub(super) fn bytes(value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    for (unit, factor) in [("M", 1_048_576.0), ("K", 1024.0)] {
        if value != 0.0 && value % factor == 0.0 {
            return format!("{}{unit}", grouped(value / factor, 0));
        }
    }
    grouped(value, 0)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, decimals_of, figure, grouped};
    use crate::figure::Figure;

    #[test]
    fn numbers_as_printed() {
        assert_eq!(grouped(1_234_567.0, 0), "1,234,567");
        assert_eq!(grouped(-1234.5, 1), "-1,234.5");
        assert_eq!(grouped(-0.001, 1), "0.0");
        assert_eq!(count(Some(12.5)), "12.50");
        assert_eq!(figure(Some(Figure::new(39.0, 1.0)), 2), "39");
        assert_eq!(figure(Some(Figure::new(0.218, 0.001)), 2), "0.218");
        assert_eq!(figure(Some(Figure::exact(39.0)), 2), "39.00");
        assert_eq!(decimals_of(0.01_f64 * 1e3 * 1e-3), Some(2));
        assert_eq!(bytes(Some(8192.0)), "8K");
        assert_eq!(bytes(Some(763_363_328.0)), "728M");
        assert_eq!(bytes(None), "");
    }
}
