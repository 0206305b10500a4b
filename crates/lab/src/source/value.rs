//! Values of source rows.

use std::fmt::{self, Write};
use std::ops::Range;

use common::Result;
use format::date::DateTime;
use format::number;

/// A value, independent of its storage.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Integer(i64),
    /// `coefficient` / 10^`scale`.
    Decimal {
        coefficient: i128,
        scale: u8,
    },
    Text(String),
    Date(DateTime),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Decimal { coefficient, scale: 0 } => write!(f, "{coefficient}"),
            Self::Decimal { coefficient, scale } => {
                let width = usize::from(*scale);
                let digits = format!("{:0>1$}", coefficient.unsigned_abs(), width + 1);
                let (whole, part) = digits.split_at(digits.len() - width);
                write!(f, "{}{whole}.{part}", if *coefficient < 0 { "-" } else { "" })
            }
            Self::Text(text) => f.write_str(text),
            Self::Date(at) => write!(
                f,
                "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                at.year, at.month, at.day, at.hour, at.minute, at.second
            ),
        }
    }
}

/// A row: its values, and room to encode them in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    pub values: Vec<Value>,
    bytes: Vec<u8>,
    columns: Vec<Option<Range<usize>>>,
}

impl Row {
    /// Encodes the values as the engine stores them.
    ///
    /// # Errors
    /// A number or date out of range.
    pub fn encode(&mut self) -> Result<()> {
        self.bytes.clear();
        self.columns.clear();
        for value in &self.values {
            let from = self.bytes.len();
            match value {
                Value::Null => {}
                Value::Integer(value) => self.bytes.extend_from_slice(&number::encode_i64(*value)),
                Value::Decimal { coefficient, scale } => {
                    self.bytes.extend_from_slice(&number::encode_i128(*coefficient, i32::from(*scale))?);
                }
                Value::Text(text) => self.bytes.extend_from_slice(text.as_bytes()),
                Value::Date(at) => {
                    at.check()?;
                    self.bytes.extend_from_slice(&at.date());
                }
            }
            // The empty string is NULL.
            self.columns.push((self.bytes.len() > from).then_some(from..self.bytes.len()));
        }
        Ok(())
    }

    /// The encoded columns, after [`Row::encode`].
    pub fn columns(&self) -> impl Iterator<Item = Option<&[u8]>> {
        self.columns.iter().map(|range| range.clone().map(|range| &self.bytes[range]))
    }

    /// Appends the row as a line of PostgreSQL's COPY text format.
    pub fn copy_line(&self, out: &mut String) {
        for (index, value) in self.values.iter().enumerate() {
            if index > 0 {
                out.push('\t');
            }
            match value {
                Value::Null => out.push_str("\\N"),
                Value::Text(text) if text.is_empty() => out.push_str("\\N"),
                Value::Text(text) => {
                    for letter in text.chars() {
                        match letter {
                            '\\' => out.push_str("\\\\"),
                            '\t' => out.push_str("\\t"),
                            '\n' => out.push_str("\\n"),
                            '\r' => out.push_str("\\r"),
                            other => out.push(other),
                        }
                    }
                }
                // Writing to a String cannot fail.
                other => drop(write!(out, "{other}")),
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_text() {
        assert_eq!(Value::Decimal { coefficient: -5, scale: 2 }.to_string(), "-0.05");
        assert_eq!(Value::Decimal { coefficient: 12_345, scale: 2 }.to_string(), "123.45");
        assert_eq!(Value::Date(DateTime::midnight(2008, 8, 20)).to_string(), "2008-08-20 00:00:00");
    }

    #[test]
    fn copy_lines_are_escaped() {
        let row = Row {
            values: vec![Value::Text("a\tb\\".to_owned()), Value::Null, Value::Integer(-3), Value::Text(String::new())],
            ..Row::default()
        };
        let mut line = String::new();
        row.copy_line(&mut line);
        assert_eq!(line, "a\\tb\\\\\t\\N\t-3\t\\N\n");
    }

    #[test]
    fn encoded_columns_are_the_engines() {
        let mut row = Row {
            values: vec![Value::Integer(100), Value::Null, Value::Text("x".to_owned()), Value::Text(String::new())],
            ..Row::default()
        };
        row.encode().unwrap();
        let columns: Vec<Option<&[u8]>> = row.columns().collect();
        assert_eq!(columns[0], Some(&*number::encode_i64(100)));
        assert_eq!(columns[1..], [None, Some(&b"x"[..]), None]);
    }
}
