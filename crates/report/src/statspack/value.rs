//! Values of table cells, and columns.

use common::{Error, ErrorKind, Result};

use super::time::LocalTime;

/// One cell. Oracle's rule holds: an empty text is null.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    /// A NUMBER without a fraction and not below zero: a counter.
    Number(u64),
    /// Any other NUMBER.
    Real(f64),
    Text(String),
    Date(LocalTime),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    Number,
    /// With its greatest length in bytes.
    Varchar2(usize),
    Date,
}

impl std::fmt::Display for ColumnType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number => f.write_str("NUMBER"),
            Self::Varchar2(bytes) => write!(f, "VARCHAR2({bytes})"),
            Self::Date => f.write_str("DATE"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnType,
    /// Part of the primary key.
    pub key: bool,
    /// The column's contents, in a sentence; empty for the key columns that every table has.
    pub about: &'static str,
}

/// A table that a part of each snapshot is kept in.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// `STATS$SYSSTAT`.
    pub name: &'static str,
    /// The meaning of a row, in a sentence.
    pub about: &'static str,
    /// Without the three that every table begins with, see [`Table::columns`].
    pub own: &'static [Column],
}

/// The columns that every table begins with; they are the first of its key.
pub const KEY_COLUMNS: [Column; 3] = [
    Column { name: "SNAP_ID", kind: ColumnType::Number, key: true, about: "" },
    Column { name: "DBID", kind: ColumnType::Number, key: true, about: "" },
    Column { name: "INSTANCE_NUMBER", kind: ColumnType::Number, key: true, about: "" },
];

impl Table {
    /// All columns, in the order of a row's values.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        KEY_COLUMNS.iter().chain(self.own)
    }
}

/// A type that a column holds.
pub(super) trait Field: Sized {
    fn put(&self, kind: ColumnType) -> Value;
    /// None when the value is of another kind.
    fn take(value: &Value) -> Option<Self>;
}

impl Field for u64 {
    fn put(&self, _: ColumnType) -> Value {
        Value::Number(*self)
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(*number),
            // Beyond 2^53 not every whole number can be represented.
            Value::Real(real) if real.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(real) => {
                Some(*real as u64)
            }
            _ => None,
        }
    }
}

impl Field for f64 {
    fn put(&self, _: ColumnType) -> Value {
        Value::Real(*self)
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(*number as f64),
            Value::Real(real) => Some(*real),
            _ => None,
        }
    }
}

impl Field for String {
    fn put(&self, kind: ColumnType) -> Value {
        let ColumnType::Varchar2(most) = kind else { return Value::Null };
        let cut = &self[..self.floor_char_boundary(most)];
        if cut.is_empty() { Value::Null } else { Value::Text(cut.to_owned()) }
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::new()),
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl Field for bool {
    fn put(&self, _: ColumnType) -> Value {
        Value::Text(if *self { "Y" } else { "N" }.to_owned())
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) if text == "Y" => Some(true),
            Value::Text(text) if text == "N" => Some(false),
            _ => None,
        }
    }
}

impl Field for LocalTime {
    fn put(&self, _: ColumnType) -> Value {
        Value::Date(*self)
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Date(time) => Some(*time),
            _ => None,
        }
    }
}

pub(super) fn wrong_value(table: &str, column: &str, value: &Value) -> Error {
    Error::own(ErrorKind::User, 831, format!("{table}.{column} holds {value:?}, which a snapshot cannot have there"))
}

pub(super) fn take<T: Field>(table: &str, column: &Column, value: &Value) -> Result<T> {
    T::take(value).ok_or_else(|| wrong_value(table, column.name, value))
}

impl Field for i64 {
    fn put(&self, _: ColumnType) -> Value {
        u64::try_from(*self).map_or(Value::Real(*self as f64), Value::Number)
    }

    fn take(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => i64::try_from(*number).ok(),
            Value::Real(real) if real.fract() == 0.0 && real.abs() <= 9_007_199_254_740_992.0 => Some(*real as i64),
            _ => None,
        }
    }
}
