//! Rows of a CSV file with a header line.
//!
//! The file is read twice: once to find a type that fits every value of a column (number, date, otherwise text of the
//! longest value's length), once for the rows. An empty field is NULL. The first column of numbers is the one that is
//! indexed.

use std::path::{Path, PathBuf};

use common::{DataType, Error, ErrorKind, Result};
use csv::{Reader, ReaderBuilder, StringRecord};
use format::date::DateTime;

use super::{Column, Row, Rows, Shape, Value, wrong};

const NAME_BYTES_MAX: usize = 30;
const TEXT_BYTES_MAX: usize = 4_000;
/// Digits that a NUMBER keeps.
const DIGITS_MAX: usize = 38;

/// Words that no column may be called; a column that is gets an underscore behind its name.
const RESERVED: [&str; 28] = [
    "ACCESS", "ADD", "ALL", "BY", "CHECK", "COLUMN", "COMMENT", "CURRENT", "DATE", "DEFAULT", "DESC", "FILE", "FROM",
    "GROUP", "IN", "INDEX", "LEVEL", "LONG", "MODE", "NUMBER", "ORDER", "RAW", "ROW", "SELECT", "SIZE", "TABLE",
    "USER", "VALUES",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guess {
    /// Nothing but empty fields so far.
    Empty,
    Number,
    Date,
    Text,
}

/// The rows.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    reader: Reader<std::fs::File>,
    record: StringRecord,
    types: Vec<DataType>,
    left: u64,
}

fn unreadable(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::own(ErrorKind::Io, 2, format!("{}: {error}", path.display()))
}

fn reader(path: &Path) -> Result<Reader<std::fs::File>> {
    ReaderBuilder::new().has_headers(true).from_path(path).map_err(|error| unreadable(path, error))
}

impl File {
    /// Reads the file through for its types, and opens it for its rows.
    ///
    /// # Errors
    /// HW-0002 when it cannot be read; HW-0003 when it has no rows, a value that is too long, or no column of numbers.
    pub fn open(path: &Path, scale: f64) -> Result<(Shape, Self)> {
        let mut first = reader(path)?;
        let names = column_names(first.headers().map_err(|error| unreadable(path, error))?);
        let mut guesses = vec![Guess::Empty; names.len()];
        let mut lengths = vec![1_usize; names.len()];
        let mut record = StringRecord::new();
        let mut rows = 0_u64;
        while first.read_record(&mut record).map_err(|error| unreadable(path, error))? {
            rows += 1;
            for ((guess, length), field) in guesses.iter_mut().zip(&mut lengths).zip(record.iter()) {
                *guess = widen(*guess, field);
                *length = (*length).max(field.len());
            }
        }
        if let Some(column) = lengths.iter().position(|length| *length > TEXT_BYTES_MAX) {
            return Err(wrong(format!(
                "{}: a value of column {} is longer than {TEXT_BYTES_MAX} bytes",
                path.display(),
                names[column]
            )));
        }
        let types: Vec<DataType> = guesses
            .iter()
            .zip(&lengths)
            .map(|(guess, length)| match guess {
                Guess::Number => DataType::Number { precision: None, scale: 0 },
                Guess::Date => DataType::Date,
                Guess::Empty | Guess::Text => DataType::Varchar2 { bytes: *length as u16 },
            })
            .collect();
        let key = guesses
            .iter()
            .position(|guess| *guess == Guess::Number)
            .ok_or_else(|| wrong(format!("{}: no column of numbers to index", path.display())))?;
        let rows = ((rows as f64 * scale).round() as u64).min(rows);
        if rows == 0 {
            return Err(wrong(format!("{}: no rows", path.display())));
        }
        let columns = names.iter().zip(&types).map(|(name, data_type)| Column::new(name, *data_type)).collect();
        let shape =
            Shape { description: path.display().to_string(), columns, key, rows, published_shape: false, fitted: None };
        let file = Self { path: path.to_owned(), reader: reader(path)?, record, types, left: rows };
        Ok((shape, file))
    }
}

/// Names that CREATE TABLE takes: letters, digits and underscores, not longer than a name may be, each once.
fn column_names(header: &StringRecord) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, field) in header.iter().enumerate() {
        let mut name: String = field
            .trim()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .take(NAME_BYTES_MAX - 4)
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'C');
        }
        if RESERVED.contains(&name.as_str()) {
            name.push('_');
        }
        if names.contains(&name) {
            name.push_str(&(index + 1).to_string());
        }
        names.push(name);
    }
    names
}

fn widen(guess: Guess, field: &str) -> Guess {
    if field.is_empty() || guess == Guess::Text {
        return guess;
    }
    let found = if number(field).is_some() {
        Guess::Number
    } else if date(field).is_some() {
        Guess::Date
    } else {
        Guess::Text
    };
    if guess == Guess::Empty || guess == found { found } else { Guess::Text }
}

fn number(field: &str) -> Option<Value> {
    let field = field.trim();
    let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = whole.len() + part.len();
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    // Leading zeros are an identifier's, not a number's.
    let identifier = whole.len() > 1 && whole.starts_with('0');
    if all == 0 || all > DIGITS_MAX || identifier || !plain(whole) || !plain(part) {
        return None;
    }
    let magnitude: i128 = format!("{whole}{part}").parse().ok()?;
    let coefficient = if field.starts_with('-') { -magnitude } else { magnitude };
    Some(Value::Decimal { coefficient, scale: part.len() as u8 })
}

/// `YYYY-MM-DD`, or with `HH:MI:SS` behind a blank or a T.
fn date(field: &str) -> Option<Value> {
    let field = field.trim();
    let parts = |text: &str, separator: char, widths: [usize; 3]| -> Option<[u32; 3]> {
        let mut values = [0; 3];
        let mut split = text.split(separator);
        for (value, width) in values.iter_mut().zip(widths) {
            *value = split.next().filter(|part| part.len() == width)?.parse().ok()?;
        }
        split.next().is_none().then_some(values)
    };
    let (day, time) = field.split_once([' ', 'T']).unwrap_or((field, "00:00:00"));
    let [year, month, day] = parts(day, '-', [4, 2, 2])?;
    let [hour, minute, second] = parts(time, ':', [2, 2, 2])?;
    let at = DateTime {
        hour: hour as u8,
        minute: minute as u8,
        second: second as u8,
        ..DateTime::midnight(year as i32, month as u8, day as u8)
    };
    at.check().is_ok().then_some(Value::Date(at))
}

impl Rows for File {
    fn next(&mut self, row: &mut Row) -> Result<bool> {
        if self.left == 0
            || !self.reader.read_record(&mut self.record).map_err(|error| unreadable(&self.path, error))?
        {
            return Ok(false);
        }
        self.left -= 1;
        row.values.clear();
        for (field, data_type) in self.record.iter().zip(&self.types) {
            let value = match data_type {
                _ if field.is_empty() => Some(Value::Null),
                DataType::Number { .. } => number(field),
                DataType::Date => date(field),
                _ => Some(Value::Text(field.to_owned())),
            };
            row.values.push(value.ok_or_else(|| unreadable(&self.path, "the file changed while it was read"))?);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn open(text: &str) -> Result<(Shape, Vec<Vec<Value>>)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let (shape, mut rows) = File::open(file.path(), 1.0)?;
        let mut row = Row::default();
        let mut all = Vec::new();
        while rows.next(&mut row)? {
            all.push(row.values.clone());
        }
        Ok((shape, all))
    }

    #[test]
    fn types_are_those_that_fit_every_value() {
        let (shape, rows) =
            open("name,zip,amount,day,date\nx,01234,1.50,2008-08-20,\ny,99999,-2,2008-08-20 10:11:12,\n").unwrap();
        assert_eq!(
            shape.column_list(),
            "NAME VARCHAR2(1), ZIP VARCHAR2(5), AMOUNT NUMBER, DAY DATE, DATE_ VARCHAR2(1)"
        );
        assert_eq!((shape.key_name(), shape.rows), ("AMOUNT", 2));
        assert_eq!(rows[0][2].to_string(), "1.50");
        assert_eq!(rows[1][3].to_string(), "2008-08-20 10:11:12");
        assert_eq!(rows[1][4], Value::Null);
    }

    #[test]
    fn names_are_made_fit_and_unique() {
        let (shape, _) = open("a b,a b,7th,Ümlaut\n1,2,3,4\n").unwrap();
        let names: Vec<&str> = shape.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["A_B", "A_B2", "C7TH", "C_MLAUT"]);
    }

    #[test]
    fn files_that_cannot_serve_are_refused() {
        for text in ["a,b\n", "", "a,b\nx,y\n", "a,b\n1,2\n1\n"] {
            assert!(open(text).is_err(), "{text:?}");
        }
        assert!(File::open(Path::new("no-such-file.csv"), 1.0).is_err());
    }
}
