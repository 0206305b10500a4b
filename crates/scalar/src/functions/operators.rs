//! `+ - * / ||` and the unary minus.

use common::{Error, Result};

use super::arguments::{given, number};
use super::{Function, function, width};
use crate::coerce::to_text;
use crate::context::Context;
use crate::date::arithmetic as dates;
use crate::datum::{Datum, DatumType, inconsistent};
use crate::number::arithmetic as numbers;

pub(super) const FUNCTIONS: &[Function] = &[
    function("+", 2, 2, add_type, add),
    function("-", 2, 2, subtract_type, subtract),
    function("*", 2, 2, number_type, multiply),
    function("/", 2, 2, number_type, divide),
    function("||", 2, 2, concatenate_type, concatenate).width(width::sum),
    function("NEGATE", 1, 1, number_type, negate),
];

fn number_type(types: &[DatumType]) -> Result<DatumType> {
    for found in types {
        if found.is_datetime() || *found == DatumType::Raw {
            return Err(inconsistent(DatumType::Number, *found));
        }
    }
    Ok(DatumType::Number)
}

fn add_type(types: &[DatumType]) -> Result<DatumType> {
    match (types[0], types[1]) {
        (a, b) if a.is_datetime() && b.is_datetime() => Err(Error::user(975, "date + date not allowed")),
        (a, b) if (a.is_datetime() && b != DatumType::Raw) || (b.is_datetime() && a != DatumType::Raw) => {
            Ok(DatumType::Date)
        }
        _ => number_type(types),
    }
}

fn subtract_type(types: &[DatumType]) -> Result<DatumType> {
    match (types[0], types[1]) {
        (DatumType::Timestamp, b) | (b, DatumType::Timestamp) if b.is_datetime() => Err(dates::interval()),
        (a, b) if a.is_datetime() && b.is_datetime() => Ok(DatumType::Number),
        // A text beside a date is a number of days, as it would be with `+`.
        (a, b) if a.is_datetime() && b != DatumType::Raw => Ok(DatumType::Date),
        (a, b) if b.is_datetime() && (a.is_text() || a == DatumType::Null) => Ok(DatumType::Number),
        _ => number_type(types),
    }
}

fn add(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    if let (Datum::Number(a), Datum::Number(b)) = (&arguments[0], &arguments[1]) {
        return Ok(Datum::Number(numbers::add(a, b)?));
    }
    for (date, days) in [(0, 1), (1, 0)] {
        if let Some(at) = arguments[date].as_datetime() {
            if arguments[days].datum_type().is_datetime() {
                return Err(Error::user(975, "date + date not allowed"));
            }
            let days = given!(number(context, arguments, days));
            return Ok(Datum::date(&dates::add_days(&at, &days)?));
        }
    }
    let a = given!(number(context, arguments, 0));
    let b = given!(number(context, arguments, 1));
    Ok(Datum::Number(numbers::add(&a, &b)?))
}

fn subtract(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    if let (Datum::Number(a), Datum::Number(b)) = (&arguments[0], &arguments[1]) {
        return Ok(Datum::Number(numbers::subtract(a, b)?));
    }
    if arguments[1].datum_type().is_datetime() {
        subtract_type(&[arguments[0].datum_type(), arguments[1].datum_type()])?;
        let a = given!(super::arguments::datetime(context, arguments, 0));
        let b = given!(super::arguments::datetime(context, arguments, 1));
        return Ok(Datum::Number(dates::days_between(&a, &b)?));
    }
    if let Some(at) = arguments[0].as_datetime() {
        let days = given!(number(context, arguments, 1));
        return Ok(Datum::date(&dates::add_days(&at, &days.negate())?));
    }
    let a = given!(number(context, arguments, 0));
    let b = given!(number(context, arguments, 1));
    Ok(Datum::Number(numbers::subtract(&a, &b)?))
}

fn multiply(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let a = given!(number(context, arguments, 0));
    let b = given!(number(context, arguments, 1));
    Ok(Datum::Number(numbers::multiply(&a, &b)?))
}

fn divide(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let a = given!(number(context, arguments, 0));
    let b = given!(number(context, arguments, 1));
    Ok(Datum::Number(numbers::divide(&a, &b)?))
}

fn negate(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    Ok(Datum::Number(given!(number(context, arguments, 0)).negate()))
}

/// Two CHARs make a CHAR, everything else a VARCHAR2.
pub(super) fn concatenate_type(types: &[DatumType]) -> Result<DatumType> {
    let all_char = types.iter().all(|found| *found == DatumType::Char);
    Ok(if all_char { DatumType::Char } else { DatumType::Varchar2 })
}

/// NULL is the empty text here.
pub(super) fn concatenate(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let mut text = String::new();
    for argument in arguments {
        match argument.as_text() {
            Some(part) => text.push_str(part),
            None => text.push_str(&to_text(context, argument)?),
        }
    }
    if text.len() > common::limits::VARCHAR2_BYTES_MAX {
        return Err(Error::user(1489, "result of string concatenation is too long"));
    }
    let both_char = arguments.iter().all(|argument| matches!(argument, Datum::Char(_)));
    Ok(Datum::text_like(if both_char { DatumType::Char } else { DatumType::Varchar2 }, text))
}
