//! Implicit conversion between types.

use common::{Error, Result};
use format::date;
use format::number::{self, NumberBytes};

use crate::context::Context;
use crate::date::{parse, write};
use crate::datum::{Datum, DatumType, inconsistent};
use crate::text::hexadecimal;

/// ORA-00932: these two types cannot be compared or combined.
#[must_use]
pub fn incomparable(a: DatumType, b: DatumType) -> Error {
    inconsistent(a, b)
}

/// Converts a value to another type, by the session's NLS settings where a date or a number meets text.
///
/// # Errors
/// ORA-01722 a text that is no number, ORA-018nn a text that is no date, ORA-01465 a text that is no hexadecimal,
/// ORA-00932 types without a conversion.
pub fn coerce(context: &dyn Context, value: &Datum, to: DatumType) -> Result<Datum> {
    let from = value.datum_type();
    if from == to || from == DatumType::Null || to == DatumType::Null {
        return Ok(value.clone());
    }
    Ok(match (value, to) {
        (Datum::Char(text), DatumType::Varchar2) => Datum::Varchar2(text.clone()),
        (Datum::Varchar2(text), DatumType::Char) => Datum::Char(text.clone()),
        (_, DatumType::Varchar2 | DatumType::Char) => Datum::text_like(to, to_text(context, value)?),
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Number) => Datum::Number(to_number(context, text)?),
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Date) => {
            parse::parse(context, text, context.nls().date_format())?.map_or(Datum::Null, |at| Datum::date(&at))
        }
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Timestamp) => {
            parse::parse(context, text, context.nls().timestamp_format())?
                .map_or(Datum::Null, |at| Datum::timestamp(&at))
        }
        (Datum::Varchar2(text) | Datum::Char(text), DatumType::Raw) => Datum::raw(hexadecimal::decode(text)?),
        (Datum::Date(bytes), DatumType::Timestamp) => Datum::Timestamp(date::widen(bytes)),
        // A fraction of a second is rounded away.
        (Datum::Timestamp(bytes), DatumType::Date) => {
            Datum::date(&crate::column::round_fraction(&date::decode(bytes), 0)?)
        }
        _ => return Err(inconsistent(to, from)),
    })
}

/// The text of any value but NULL, which gives the empty text.
///
/// # Errors
/// Never for numbers and raws; a date can fail by its format.
pub fn to_text(context: &dyn Context, value: &Datum) -> Result<String> {
    Ok(match value {
        Datum::Null => String::new(),
        Datum::Varchar2(text) | Datum::Char(text) => text.clone(),
        Datum::Number(number) => number_text(context, number),
        Datum::Date(bytes) => write::write(context.nls(), &date::decode(bytes), context.nls().date_format())?,
        Datum::Timestamp(bytes) => write::write(context.nls(), &date::decode(bytes), context.nls().timestamp_format())?,
        Datum::Raw(bytes) => hexadecimal::encode(bytes),
    })
}

/// The default text of a number, with the session's decimal character.
#[must_use]
pub fn number_text(context: &dyn Context, number: &NumberBytes) -> String {
    let text = number.to_string();
    match context.nls().decimal() {
        '.' => text,
        decimal => text.replace('.', decimal.encode_utf8(&mut [0; 4])),
    }
}

/// The number that a text is: blanks around it are allowed.
///
/// # Errors
/// ORA-01722, ORA-01426.
pub fn to_number(context: &dyn Context, text: &str) -> Result<NumberBytes> {
    let text = text.trim_matches(' ');
    match context.nls().decimal() {
        '.' => number::parse(text),
        decimal if text.contains('.') => {
            Err(Error::user(1722, format!("invalid number: the decimal character is {decimal}")))
        }
        decimal => number::parse(&text.replace(decimal, ".")),
    }
}
