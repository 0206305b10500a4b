//! A value and its type.

use std::fmt;

use common::{DataType, Error, Result};
use format::date::{self, DATE_BYTES, DateTime, TIMESTAMP_BYTES};
use format::number::{self, NumberBytes};

/// A value. The empty string is NULL: make texts with [`Datum::varchar2`] and [`Datum::character`], which see to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Datum {
    #[default]
    Null,
    Number(NumberBytes),
    Varchar2(String),
    /// A CHAR column or a text literal: compared blank-padded with its like.
    Char(String),
    Date([u8; DATE_BYTES]),
    /// Always at full length, whether or not there is a fraction.
    Timestamp([u8; TIMESTAMP_BYTES]),
    Raw(Vec<u8>),
}

/// The type of a [`Datum`]; Null for the literal NULL, whose type is unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DatumType {
    Null,
    Number,
    Varchar2,
    Char,
    Date,
    Timestamp,
    Raw,
    /// A row's address. Its value is its text, a [`Datum::Varchar2`] of 18 characters: functions take it as VARCHAR2.
    Rowid,
}

impl DatumType {
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self, Self::Varchar2 | Self::Char | Self::Rowid)
    }

    #[must_use]
    pub fn is_datetime(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp)
    }

    /// As the messages of ORA-00932 name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Number => "NUMBER",
            Self::Varchar2 | Self::Char => "CHAR",
            Self::Date => "DATE",
            Self::Timestamp => "TIMESTAMP",
            Self::Raw => "BINARY",
            Self::Rowid => "ROWID",
        }
    }

    /// The type of a column made of a value of this type, with room for `bytes` bytes of a text or RAW.
    #[must_use]
    pub fn declared(self, bytes: u32) -> DataType {
        let length = u16::try_from(bytes.clamp(1, 4000)).unwrap_or(4000);
        match self {
            Self::Null | Self::Varchar2 => DataType::Varchar2 { bytes: length },
            Self::Rowid => DataType::Varchar2 { bytes: ROWID_BYTES },
            Self::Char => DataType::Char { bytes: length.min(2000) },
            Self::Number => DataType::Number { precision: None, scale: 0 },
            Self::Date => DataType::Date,
            Self::Timestamp => DataType::Timestamp { precision: 6 },
            Self::Raw => DataType::Raw { bytes: length.min(2000) },
        }
    }
}

/// Length of a rowid as text.
const ROWID_BYTES: u16 = 18;

impl fmt::Display for DatumType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<DataType> for DatumType {
    fn from(declared: DataType) -> Self {
        match declared {
            DataType::Number { .. } => Self::Number,
            DataType::Varchar2 { .. } => Self::Varchar2,
            DataType::Char { .. } => Self::Char,
            DataType::Date => Self::Date,
            DataType::Timestamp { .. } => Self::Timestamp,
            DataType::Raw { .. } => Self::Raw,
        }
    }
}

/// ORA-00932: a type that the operation does not take.
#[must_use]
pub fn inconsistent(expected: DatumType, got: DatumType) -> Error {
    Error::user(932, format!("inconsistent datatypes: expected {expected} got {got}"))
}

impl Datum {
    #[must_use]
    pub fn varchar2(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Null } else { Self::Varchar2(text) }
    }

    #[must_use]
    pub fn character(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Null } else { Self::Char(text) }
    }

    /// A text of type CHAR when `like` is that, else VARCHAR2.
    #[must_use]
    pub fn text_like(like: DatumType, text: impl Into<String>) -> Self {
        if like == DatumType::Char { Self::character(text) } else { Self::varchar2(text) }
    }

    #[must_use]
    pub fn raw(bytes: Vec<u8>) -> Self {
        if bytes.is_empty() { Self::Null } else { Self::Raw(bytes) }
    }

    #[must_use]
    pub fn integer(value: i64) -> Self {
        Self::Number(number::encode_i64(value))
    }

    #[must_use]
    pub fn date(at: &DateTime) -> Self {
        Self::Date(at.date())
    }

    #[must_use]
    pub fn timestamp(at: &DateTime) -> Self {
        Self::Timestamp(at.timestamp())
    }

    #[must_use]
    pub fn datum_type(&self) -> DatumType {
        match self {
            Self::Null => DatumType::Null,
            Self::Number(_) => DatumType::Number,
            Self::Varchar2(_) => DatumType::Varchar2,
            Self::Char(_) => DatumType::Char,
            Self::Date(_) => DatumType::Date,
            Self::Timestamp(_) => DatumType::Timestamp,
            Self::Raw(_) => DatumType::Raw,
        }
    }

    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text of a VARCHAR2 or CHAR; None for every other type: nothing is converted.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Varchar2(text) | Self::Char(text) => Some(text),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_number(&self) -> Option<&NumberBytes> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The point in time of a DATE or TIMESTAMP.
    #[must_use]
    pub fn as_datetime(&self) -> Option<DateTime> {
        match self {
            Self::Date(bytes) => Some(date::decode(bytes)),
            Self::Timestamp(bytes) => Some(date::decode(bytes)),
            _ => None,
        }
    }

    /// The bytes as a column stores them: None for NULL.
    #[must_use]
    pub fn as_stored(&self) -> Option<&[u8]> {
        match self {
            Self::Null => None,
            Self::Number(number) => Some(number),
            Self::Varchar2(text) | Self::Char(text) => Some(text.as_bytes()),
            Self::Date(bytes) => Some(bytes),
            Self::Timestamp(bytes) => Some(date::stored(bytes)),
            Self::Raw(bytes) => Some(bytes),
        }
    }
}

impl From<NumberBytes> for Datum {
    fn from(number: NumberBytes) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Datum {
    fn from(value: i64) -> Self {
        Self::integer(value)
    }
}

/// The common type of a list of alternatives (CASE, NVL, DECODE results): the first that is not NULL decides its
/// family; texts of different types become VARCHAR2, dates and timestamps TIMESTAMP.
///
/// # Errors
/// ORA-00932 when numbers, dates and raws are mixed. A text is left to conversion at run time.
pub fn common_type(types: &[DatumType]) -> Result<DatumType> {
    let mut common = DatumType::Null;
    for next in types.iter().copied().filter(|t| *t != DatumType::Null) {
        common = match (common, next) {
            (DatumType::Null, next) => next,
            (a, b) if a == b => a,
            (a, b) if a.is_text() && b.is_text() => DatumType::Varchar2,
            (a, b) if a.is_datetime() && b.is_datetime() => DatumType::Timestamp,
            (a, b) if a.is_text() || b.is_text() => a,
            (a, b) => return Err(inconsistent(a, b)),
        };
    }
    Ok(common)
}
