//! Arguments in the types of the functions, converted from others.

use std::borrow::Cow;

use common::Result;
use format::date::DateTime;
use format::number::{self, NumberBytes};

use crate::coerce::{coerce, to_text};
use crate::context::Context;
use crate::datum::{Datum, DatumType, inconsistent};

/// The value; for NULL the function returns NULL.
macro_rules! given {
    ($argument:expr) => {
        match $argument? {
            Some(value) => value,
            None => return Ok(Datum::Null),
        }
    };
}

pub(super) use given;

/// None for NULL, and for a missing argument.
pub(super) fn number(context: &dyn Context, arguments: &[Datum], at: usize) -> Result<Option<NumberBytes>> {
    match arguments.get(at) {
        None | Some(Datum::Null) => Ok(None),
        Some(Datum::Number(number)) => Ok(Some(*number)),
        Some(other) => Ok(coerce(context, other, DatumType::Number)?.as_number().copied()),
    }
}

/// An integer: a fraction is dropped, values outside of i64 become its limit.
pub(super) fn integer(context: &dyn Context, arguments: &[Datum], at: usize) -> Result<Option<i64>> {
    Ok(number(context, arguments, at)?.map(|value| {
        let whole = number::truncate(&value, 0);
        number::decode_i64(&whole).unwrap_or(if whole.is_negative() { i64::MIN } else { i64::MAX })
    }))
}

pub(super) fn text<'a>(context: &dyn Context, arguments: &'a [Datum], at: usize) -> Result<Option<Cow<'a, str>>> {
    match arguments.get(at) {
        None | Some(Datum::Null) => Ok(None),
        Some(Datum::Varchar2(text) | Datum::Char(text)) => Ok(Some(Cow::Borrowed(text))),
        Some(other) => {
            let text = to_text(context, other)?;
            Ok(if text.is_empty() { None } else { Some(Cow::Owned(text)) })
        }
    }
}

/// A date or timestamp with its fraction.
pub(super) fn datetime(context: &dyn Context, arguments: &[Datum], at: usize) -> Result<Option<DateTime>> {
    match arguments.get(at) {
        None | Some(Datum::Null) => Ok(None),
        Some(value @ (Datum::Date(_) | Datum::Timestamp(_))) => Ok(value.as_datetime()),
        Some(value @ (Datum::Varchar2(_) | Datum::Char(_))) => {
            Ok(coerce(context, value, DatumType::Date)?.as_datetime())
        }
        Some(other) => Err(inconsistent(DatumType::Date, other.datum_type())),
    }
}
