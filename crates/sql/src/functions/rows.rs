//! Arrow values as the scalar library's, row by row, and back.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, LargeBinaryArray, LargeBinaryBuilder, LargeStringArray,
    LargeStringBuilder, StringArray, StringBuilder, TimestampMicrosecondArray, TimestampMicrosecondBuilder,
    TimestampSecondArray, TimestampSecondBuilder,
};
use datafusion::arrow::datatypes::{TimestampMicrosecondType, TimestampSecondType};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::ColumnarValue;
use format::date::DateTime;
use scalar::{Datum, DatumType, NumberBytes};

use crate::types::{ArrowForm, of_arrow};

/// One argument of a call: an array, or one value for all rows.
#[derive(Debug)]
pub(crate) enum Argument<'a> {
    Constant(Datum),
    Number(&'a BinaryArray),
    Varchar2(&'a StringArray),
    Char(&'a LargeStringArray),
    Date(&'a TimestampSecondArray),
    Timestamp(&'a TimestampMicrosecondArray),
    Raw(&'a LargeBinaryArray),
}

impl<'a> Argument<'a> {
    pub(crate) fn new(value: &'a ColumnarValue) -> Result<Self> {
        match value {
            ColumnarValue::Scalar(scalar) => Ok(Self::Constant(from_scalar(scalar)?)),
            ColumnarValue::Array(array) => Self::array(array),
        }
    }

    pub(crate) fn array(array: &'a ArrayRef) -> Result<Self> {
        Ok(match of_arrow(array.data_type()) {
            Some(DatumType::Number) => Self::Number(array.as_binary()),
            Some(DatumType::Varchar2 | DatumType::Rowid) => Self::Varchar2(array.as_string()),
            Some(DatumType::Char) => Self::Char(array.as_string()),
            Some(DatumType::Date) => Self::Date(array.as_primitive::<TimestampSecondType>()),
            Some(DatumType::Timestamp) => Self::Timestamp(array.as_primitive::<TimestampMicrosecondType>()),
            Some(DatumType::Raw) => Self::Raw(array.as_binary()),
            // The planner evaluates conditions on columns of untyped NULLs.
            Some(DatumType::Null) => Self::Constant(Datum::Null),
            None => {
                return Err(Error::bug(format!("an argument of Arrow type {}", array.data_type())));
            }
        })
    }

    pub(crate) fn datum(&self, row: usize) -> Result<Datum> {
        Ok(match self {
            Self::Constant(datum) => datum.clone(),
            Self::Number(array) if array.is_valid(row) => Datum::Number(NumberBytes::from_trusted(array.value(row))),
            Self::Varchar2(array) if array.is_valid(row) => Datum::varchar2(array.value(row)),
            Self::Char(array) if array.is_valid(row) => Datum::character(array.value(row)),
            Self::Date(array) if array.is_valid(row) => Datum::date(&DateTime::from_unix_seconds(array.value(row))?),
            Self::Timestamp(array) if array.is_valid(row) => {
                Datum::timestamp(&DateTime::from_unix_micros(array.value(row))?)
            }
            Self::Raw(array) if array.is_valid(row) => Datum::raw(array.value(row).to_vec()),
            _ => Datum::Null,
        })
    }
}

/// A scalar value as a datum.
pub(crate) fn from_scalar(scalar: &ScalarValue) -> Result<Datum> {
    Ok(match scalar {
        ScalarValue::Binary(Some(bytes)) => Datum::Number(NumberBytes::from_trusted(bytes)),
        ScalarValue::Utf8(Some(text)) => Datum::varchar2(text.as_str()),
        ScalarValue::LargeUtf8(Some(text)) => Datum::character(text.as_str()),
        ScalarValue::LargeBinary(Some(bytes)) => Datum::raw(bytes.clone()),
        ScalarValue::TimestampSecond(Some(seconds), None) => Datum::date(&DateTime::from_unix_seconds(*seconds)?),
        ScalarValue::TimestampMicrosecond(Some(micros), None) => {
            Datum::timestamp(&DateTime::from_unix_micros(*micros)?)
        }
        value if value.is_null() => Datum::Null,
        value => return Err(Error::bug(format!("a value of Arrow type {}", value.data_type()))),
    })
}

/// Microseconds since 1970 of a timestamp, rounded down.
fn micros(at: &DateTime) -> i64 {
    at.unix_seconds() * 1_000_000 + i64::from(at.nanosecond / 1000)
}

fn mismatch(datum: &Datum, kind: DatumType) -> Error {
    Error::bug(format!("a function gave {} for {}", datum.datum_type(), kind))
}

/// A datum as a scalar value of `kind`.
pub(crate) fn to_scalar(datum: &Datum, kind: DatumType) -> Result<ScalarValue> {
    Ok(match (datum, kind) {
        (Datum::Null, kind) => kind.null(),
        (Datum::Number(bytes), DatumType::Number) => ScalarValue::Binary(Some(bytes.to_vec())),
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Null | DatumType::Varchar2 | DatumType::Rowid) => {
            ScalarValue::Utf8(Some(text.clone()))
        }
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Char) => ScalarValue::LargeUtf8(Some(text.clone())),
        (Datum::Date(_) | Datum::Timestamp(_), DatumType::Date) => {
            ScalarValue::TimestampSecond(datum.as_datetime().map(|at| at.unix_seconds()), None)
        }
        (Datum::Date(_) | Datum::Timestamp(_), DatumType::Timestamp) => {
            ScalarValue::TimestampMicrosecond(datum.as_datetime().map(|at| micros(&at)), None)
        }
        (Datum::Raw(bytes), DatumType::Raw) => ScalarValue::LargeBinary(Some(bytes.clone())),
        (datum, kind) => return Err(mismatch(datum, kind)),
    })
}

/// Builds an array of `kind` from datums.
#[derive(Debug)]
pub(crate) enum Builder {
    Number(BinaryBuilder),
    Varchar2(StringBuilder),
    Char(LargeStringBuilder),
    Date(TimestampSecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Raw(LargeBinaryBuilder),
}

impl Builder {
    pub(crate) fn new(kind: DatumType, rows: usize) -> Self {
        match kind {
            DatumType::Number => Self::Number(BinaryBuilder::with_capacity(rows, rows * 6)),
            DatumType::Null | DatumType::Varchar2 | DatumType::Rowid => {
                Self::Varchar2(StringBuilder::with_capacity(rows, rows * 16))
            }
            DatumType::Char => Self::Char(LargeStringBuilder::with_capacity(rows, rows * 16)),
            DatumType::Date => Self::Date(TimestampSecondBuilder::with_capacity(rows)),
            DatumType::Timestamp => Self::Timestamp(TimestampMicrosecondBuilder::with_capacity(rows)),
            DatumType::Raw => Self::Raw(LargeBinaryBuilder::with_capacity(rows, rows * 16)),
        }
    }

    pub(crate) fn append(&mut self, datum: &Datum) -> Result<()> {
        match (self, datum) {
            (Self::Number(builder), Datum::Number(number)) => builder.append_value(&number[..]),
            (Self::Number(builder), Datum::Null) => builder.append_null(),
            (Self::Varchar2(builder), Datum::Varchar2(text) | Datum::Char(text)) => builder.append_value(text),
            (Self::Varchar2(builder), Datum::Null) => builder.append_null(),
            (Self::Char(builder), Datum::Varchar2(text) | Datum::Char(text)) => builder.append_value(text),
            (Self::Char(builder), Datum::Null) => builder.append_null(),
            (Self::Date(builder), datum @ (Datum::Date(_) | Datum::Timestamp(_) | Datum::Null)) => {
                builder.append_option(datum.as_datetime().map(|at| at.unix_seconds()));
            }
            (Self::Timestamp(builder), datum @ (Datum::Date(_) | Datum::Timestamp(_) | Datum::Null)) => {
                builder.append_option(datum.as_datetime().map(|at| micros(&at)));
            }
            (Self::Raw(builder), Datum::Raw(bytes)) => builder.append_value(bytes),
            (Self::Raw(builder), Datum::Null) => builder.append_null(),
            (Self::Number(_), datum) => return Err(mismatch(datum, DatumType::Number)),
            (Self::Varchar2(_) | Self::Char(_), datum) => return Err(mismatch(datum, DatumType::Varchar2)),
            (Self::Date(_) | Self::Timestamp(_), datum) => return Err(mismatch(datum, DatumType::Date)),
            (Self::Raw(_), datum) => return Err(mismatch(datum, DatumType::Raw)),
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Number(builder) => Arc::new(builder.finish()),
            Self::Varchar2(builder) => Arc::new(builder.finish()),
            Self::Char(builder) => Arc::new(builder.finish()),
            Self::Date(builder) => Arc::new(builder.finish()),
            Self::Timestamp(builder) => Arc::new(builder.finish()),
            Self::Raw(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Calls `body` for each row, or once when no argument is an array.
pub(crate) fn map(
    arguments: &[ColumnarValue],
    rows: usize,
    result: DatumType,
    body: impl FnMut(&[Datum]) -> Result<Datum>,
) -> Result<ColumnarValue> {
    evaluate(arguments, rows, result, true, body)
}

/// Calls `body` for each row, whatever the arguments are.
pub(crate) fn map_each(
    arguments: &[ColumnarValue],
    rows: usize,
    result: DatumType,
    body: impl FnMut(&[Datum]) -> Result<Datum>,
) -> Result<ColumnarValue> {
    evaluate(arguments, rows, result, false, body)
}

fn evaluate(
    arguments: &[ColumnarValue],
    rows: usize,
    result: DatumType,
    once: bool,
    mut body: impl FnMut(&[Datum]) -> Result<Datum>,
) -> Result<ColumnarValue> {
    let arguments = arguments.iter().map(Argument::new).collect::<Result<Vec<_>>>()?;
    let mut values = vec![Datum::Null; arguments.len()];
    let mut all_constant = true;
    for (value, argument) in values.iter_mut().zip(&arguments) {
        match argument {
            Argument::Constant(datum) => *value = datum.clone(),
            _ => all_constant = false,
        }
    }
    if once && all_constant && !arguments.is_empty() {
        return Ok(ColumnarValue::Scalar(to_scalar(&body(&values)?, result)?));
    }
    let mut builder = Builder::new(result, rows);
    for row in 0..rows {
        for (value, argument) in values.iter_mut().zip(&arguments) {
            if !matches!(argument, Argument::Constant(_)) {
                *value = argument.datum(row)?;
            }
        }
        builder.append(&body(&values)?)?;
    }
    Ok(ColumnarValue::Array(builder.finish()))
}
