//! Values of programs at run time.
//!
//! Integers that fit 64 bits are [`Value::Int`], whatever the variable's numeric type; every other NUMBER is in
//! Oracle's own form. So a value has one form only, and `Number` never holds what `Int` could.
//!
//! Records and collections are shared and copied when one of several holders changes them: assigning one costs a
//! counter.

use std::fmt;
use std::sync::Arc;

use format::date::{DATE_BYTES, TIMESTAMP_BYTES};
use format::number::{self, NumberBytes};
use scalar::{Datum, DatumType};

pub mod arithmetic;
pub mod collection;
pub mod compare;
pub mod convert;
pub mod scalar_type;

pub use collection::{Collection, Key};
pub use scalar_type::{Length, ScalarKind, ScalarType};

use crate::run::cursor::Cursor;

/// A value of any type. Texts are never empty: the empty text is NULL.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Int(i64),
    Number(NumberBytes),
    Boolean(bool),
    Varchar2(Arc<str>),
    /// A CHAR variable or a literal: compared blank-padded with its like.
    Char(Arc<str>),
    Date([u8; DATE_BYTES]),
    Timestamp([u8; TIMESTAMP_BYTES]),
    Raw(Arc<[u8]>),
    Record(Arc<[Value]>),
    Collection(Arc<Collection>),
    Cursor(Cursor),
}

const _: () = assert!(size_of::<Value>() == 24);

impl Value {
    #[must_use]
    pub fn varchar2(text: &str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Varchar2(text.into()) }
    }

    #[must_use]
    pub fn character(text: &str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Char(text.into()) }
    }

    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Varchar2(text) | Self::Char(text) => Some(text),
            _ => None,
        }
    }

    /// A number as Oracle has it; None for every other type.
    #[must_use]
    pub fn as_number(&self) -> Option<NumberBytes> {
        match self {
            Self::Int(value) => Some(number::encode_i64(*value)),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value for SQL and functions; None for records, collections, cursors and BOOLEANs, which SQL does not have.
    #[must_use]
    pub fn to_datum(&self) -> Option<Datum> {
        Some(match self {
            Self::Null => Datum::Null,
            Self::Int(value) => Datum::integer(*value),
            Self::Number(number) => Datum::Number(*number),
            Self::Varchar2(text) => Datum::Varchar2(text.to_string()),
            Self::Char(text) => Datum::Char(text.to_string()),
            Self::Date(bytes) => Datum::Date(*bytes),
            Self::Timestamp(bytes) => Datum::Timestamp(*bytes),
            Self::Raw(bytes) => Datum::Raw(bytes.to_vec()),
            Self::Boolean(_) | Self::Record(_) | Self::Collection(_) | Self::Cursor(_) => return None,
        })
    }

    #[must_use]
    pub fn datum_type(&self) -> DatumType {
        match self {
            Self::Int(_) | Self::Number(_) => DatumType::Number,
            Self::Varchar2(_) => DatumType::Varchar2,
            Self::Char(_) => DatumType::Char,
            Self::Date(_) => DatumType::Date,
            Self::Timestamp(_) => DatumType::Timestamp,
            Self::Raw(_) => DatumType::Raw,
            _ => DatumType::Null,
        }
    }
}

impl From<NumberBytes> for Value {
    fn from(number: NumberBytes) -> Self {
        // The first byte has the number of digits before the point; more digits are a fraction.
        match number::decode_i64(&number) {
            Some(value) => Self::Int(value),
            None => Self::Number(number),
        }
    }
}

impl From<Datum> for Value {
    fn from(datum: Datum) -> Self {
        match datum {
            Datum::Null => Self::Null,
            Datum::Number(number) => Self::from(number),
            Datum::Varchar2(text) => Self::varchar2(&text),
            Datum::Char(text) => Self::character(&text),
            Datum::Date(bytes) => Self::Date(bytes),
            Datum::Timestamp(bytes) => Self::Timestamp(bytes),
            Datum::Raw(bytes) => Self::Raw(bytes.into()),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<Option<bool>> for Value {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Null, Self::Boolean)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl fmt::Display for Value {
    /// For messages; not a conversion.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Boolean(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Self::Varchar2(text) | Self::Char(text) => f.write_str(text),
            _ => f.write_str("(value)"),
        }
    }
}
