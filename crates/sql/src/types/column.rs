//! Columns: declared types as written, and fields of Arrow schemas.

use common::{DataType, Error, Result, limits};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use sqlparser::ast;
use std::sync::Arc;

use super::ArrowForm;
use scalar::DatumType;

/// A field for a column of this declared type.
pub(crate) fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, DatumType::from(data_type).arrow(), true)
}

/// A schema of columns by name and declared type.
pub(crate) fn schema<'a>(columns: impl IntoIterator<Item = (&'a str, DataType)>) -> SchemaRef {
    Arc::new(Schema::new(columns.into_iter().map(|(name, data_type)| field(name, data_type)).collect::<Vec<_>>()))
}

/// The declared type that a CAST names.
pub(crate) fn declared_type(data_type: &ast::DataType) -> Result<DataType> {
    use ast::DataType as D;
    let number = |info: &ast::ExactNumberInfo| -> Result<DataType> {
        Ok(match info {
            ast::ExactNumberInfo::None => DataType::Number { precision: None, scale: 0 },
            ast::ExactNumberInfo::Precision(precision) => number_type(*precision as i64, 0)?,
            ast::ExactNumberInfo::PrecisionAndScale(precision, scale) => number_type(*precision as i64, *scale)?,
        })
    };
    match data_type {
        D::Date => Ok(DataType::Date),
        D::Timestamp(precision, ast::TimezoneInfo::None) => timestamp_type(precision.unwrap_or(6)),
        D::Int(None) | D::Integer(None) | D::SmallInt(None) => Ok(DataType::Number { precision: Some(38), scale: 0 }),
        D::Numeric(info) | D::Decimal(info) | D::Dec(info) => number(info),
        D::Float(ast::ExactNumberInfo::None) | D::Real => Ok(DataType::Number { precision: None, scale: 0 }),
        D::Varchar(length) => character(length.as_ref(), "VARCHAR2").and_then(varchar2_type),
        D::Char(length) | D::Character(length) => {
            char_type(length.as_ref().map_or(Ok(1), |length| character(Some(length), "CHAR"))?)
        }
        D::Custom(name, arguments) => named(&name.to_string().to_uppercase(), arguments),
        other => Err(Error::unsupported(format!("data type {other}"))),
    }
}

fn character(length: Option<&ast::CharacterLength>, what: &str) -> Result<i64> {
    match length {
        Some(ast::CharacterLength::IntegerLength { length, .. }) => Ok(*length as i64),
        _ => Err(Error::user(906, format!("missing left parenthesis: {what} needs a length"))),
    }
}

fn named(name: &str, arguments: &[String]) -> Result<DataType> {
    let integer = |at: usize| -> Result<i64> {
        let text = arguments[at].split_whitespace().next().unwrap_or("");
        text.parse()
            .map_err(|_| Error::user(1728, format!("numeric precision or length expected, not {}", arguments[at])))
    };
    match (name, arguments.len()) {
        ("NUMBER", 0) => Ok(DataType::Number { precision: None, scale: 0 }),
        ("NUMBER", 1) if arguments[0] == "*" => Ok(DataType::Number { precision: None, scale: 0 }),
        ("NUMBER", 1) => number_type(integer(0)?, 0),
        ("NUMBER", 2) if arguments[0] == "*" => number_type(38, integer(1)?),
        ("NUMBER", 2) => number_type(integer(0)?, integer(1)?),
        ("VARCHAR2" | "NVARCHAR2", 1) => varchar2_type(integer(0)?),
        ("RAW", 1) => raw_type(integer(0)?),
        ("VARCHAR2" | "NVARCHAR2" | "RAW", 0) => {
            Err(Error::user(906, format!("missing left parenthesis: {name} needs a length")))
        }
        _ => Err(Error::unsupported(format!("data type {name}"))),
    }
}

pub(crate) fn number_type(precision: i64, scale: i64) -> Result<DataType> {
    let precision = u8::try_from(precision)
        .ok()
        .filter(|p| (1..=limits::NUMBER_PRECISION_MAX).contains(p))
        .ok_or_else(|| Error::user(1727, "numeric precision is out of range (1 to 38)"))?;
    let scale = i8::try_from(scale)
        .ok()
        .filter(|s| (-84..=127).contains(s))
        .ok_or_else(|| Error::user(1728, "numeric scale is out of range (-84 to 127)"))?;
    Ok(DataType::Number { precision: Some(precision), scale })
}

fn length(bytes: i64, most: usize, what: &str) -> Result<u16> {
    if bytes == 0 {
        return Err(Error::user(1723, "zero-length columns are not allowed"));
    }
    u16::try_from(bytes).ok().filter(|n| usize::from(*n) <= most).ok_or_else(|| {
        Error::user(910, format!("specified length too long for its datatype: {what} has {most} at most"))
    })
}

pub(crate) fn varchar2_type(bytes: i64) -> Result<DataType> {
    Ok(DataType::Varchar2 { bytes: length(bytes, limits::VARCHAR2_BYTES_MAX, "VARCHAR2")? })
}

pub(crate) fn char_type(bytes: i64) -> Result<DataType> {
    Ok(DataType::Char { bytes: length(bytes, limits::CHAR_BYTES_MAX, "CHAR")? })
}

pub(crate) fn raw_type(bytes: i64) -> Result<DataType> {
    Ok(DataType::Raw { bytes: length(bytes, limits::RAW_BYTES_MAX, "RAW")? })
}

pub(crate) fn timestamp_type(precision: u64) -> Result<DataType> {
    match u8::try_from(precision) {
        Ok(precision @ 0..=6) => Ok(DataType::Timestamp { precision }),
        Ok(7..=9) => Err(Error::unsupported("TIMESTAMP with more than 6 fractional digits")),
        _ => Err(Error::user(30088, "datetime precision is out of range (0 to 9)")),
    }
}
