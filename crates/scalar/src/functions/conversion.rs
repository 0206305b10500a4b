//! Conversion functions.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use common::{Error, Result, Rowid};

use super::arguments::{given, text};
use super::types::{fixed_date, fixed_number, fixed_raw, fixed_text, fixed_timestamp};
use super::{Function, function, width};
use crate::coerce::{coerce, to_number};
use crate::context::Context;
use crate::date::{format::Format, parse, write};
use crate::datum::{Datum, DatumType, inconsistent};
use crate::nls::Nls;
use crate::number::{self, format::NumberFormat};
use crate::text::hexadecimal;

pub(super) const FUNCTIONS: &[Function] = &[
    function("CHARTOROWID", 1, 1, fixed_text, rowid),
    function("HEXTORAW", 1, 1, fixed_raw, |context, arguments| {
        Ok(Datum::raw(hexadecimal::decode(&given!(text(context, arguments, 0)))?))
    })
    .width(width::digits),
    function("RAWTOHEX", 1, 1, fixed_text, |_, arguments| {
        // Text is taken as its bytes, not as digits.
        Ok(arguments[0].as_stored().map_or(Datum::Null, |bytes| Datum::varchar2(hexadecimal::encode(bytes))))
    }),
    function("ROWIDTOCHAR", 1, 1, fixed_text, rowid),
    function("TO_CHAR", 1, 3, fixed_text, to_char).width(width::to_char),
    function("TO_DATE", 1, 3, fixed_date, to_date),
    function("TO_NUMBER", 1, 3, fixed_number, number_of),
    function("TO_TIMESTAMP", 1, 3, fixed_timestamp, to_timestamp),
];

/// A rowid travels as its text.
fn rowid(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let text = given!(text(context, arguments, 0));
    let rowid: Rowid = text.parse()?;
    Ok(Datum::varchar2(rowid.to_string()))
}

/// The session's settings, changed by the third argument where there is one.
fn settings<'a>(context: &'a dyn Context, arguments: &[Datum]) -> Result<Cow<'a, Nls>> {
    match text(context, arguments, 2)? {
        None => Ok(Cow::Borrowed(context.nls())),
        Some(parameters) => context.nls().with_parameters(&parameters).map(Cow::Owned),
    }
}

thread_local! {
    /// Cache of this thread's last formats: one statement uses one format over many rows.
    static DATE_FORMAT: RefCell<Option<Rc<Format>>> = const { RefCell::new(None) };
    static NUMBER_FORMAT: RefCell<Option<(String, Rc<NumberFormat>)>> = const { RefCell::new(None) };
}

fn date_format(text: &str) -> Result<Rc<Format>> {
    DATE_FORMAT.with_borrow_mut(|last| match last {
        Some(format) if format.text() == text => Ok(Rc::clone(format)),
        _ => Ok(Rc::clone(last.insert(Rc::new(Format::parse(text)?)))),
    })
}

fn number_format(text: &str) -> Result<Rc<NumberFormat>> {
    NUMBER_FORMAT.with_borrow_mut(|last| match last {
        Some((known, format)) if known == text => Ok(Rc::clone(format)),
        _ => Ok(Rc::clone(&last.insert((text.to_owned(), Rc::new(NumberFormat::parse(text)?))).1)),
    })
}

fn to_char(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let nls = settings(context, arguments)?;
    let value = &arguments[0];
    if value.is_null() {
        return Ok(Datum::Null);
    }
    if arguments.len() == 1 {
        return match value {
            Datum::Varchar2(_) => Ok(value.clone()),
            other => coerce(context, other, DatumType::Varchar2),
        };
    }
    let format = given!(text(context, arguments, 1));
    let as_number;
    let number = match value {
        Datum::Date(_) | Datum::Timestamp(_) => {
            let format = date_format(&format)?;
            if matches!(value, Datum::Date(_)) {
                refuse_fraction(&format)?;
            }
            let Some(at) = value.as_datetime() else { return Ok(Datum::Null) };
            return Ok(Datum::varchar2(write::write(&nls, &at, &format)?));
        }
        Datum::Number(number) => number,
        Datum::Varchar2(text) | Datum::Char(text) => {
            as_number = to_number(context, text)?;
            &as_number
        }
        other => return Err(inconsistent(DatumType::Number, other.datum_type())),
    };
    Ok(Datum::varchar2(number::write::write(&nls, number, &*number_format(&format)?)?))
}

fn refuse_fraction(format: &Format) -> Result<()> {
    if format.has_fraction() {
        return Err(Error::user(1821, "date format not recognized: a DATE has no fraction of a second"));
    }
    Ok(())
}

fn to_date(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    settings(context, arguments)?;
    if arguments.len() == 1 && arguments[0].datum_type().is_datetime() {
        return coerce(context, &arguments[0], DatumType::Date);
    }
    let from = given!(text(context, arguments, 0));
    let at = if arguments.len() == 1 {
        parse::parse(context, &from, context.nls().date_format())?
    } else {
        let format = date_format(&given!(text(context, arguments, 1)))?;
        refuse_fraction(&format)?;
        parse::parse(context, &from, &format)?
    };
    Ok(at.map_or(Datum::Null, |at| Datum::date(&at)))
}

fn to_timestamp(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    settings(context, arguments)?;
    if arguments.len() == 1 && arguments[0].datum_type().is_datetime() {
        return coerce(context, &arguments[0], DatumType::Timestamp);
    }
    let from = given!(text(context, arguments, 0));
    let at = if arguments.len() == 1 {
        parse::parse(context, &from, context.nls().timestamp_format())?
    } else {
        parse::parse(context, &from, &*date_format(&given!(text(context, arguments, 1)))?)?
    };
    Ok(at.map_or(Datum::Null, |at| Datum::timestamp(&at)))
}

fn number_of(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let nls = settings(context, arguments)?;
    if arguments.len() == 1 || matches!(arguments[0], Datum::Number(_)) {
        return coerce(context, &arguments[0], DatumType::Number);
    }
    let from = given!(text(context, arguments, 0));
    let format = number_format(&given!(text(context, arguments, 1)))?;
    Ok(Datum::Number(number::parse::parse(&nls, &from, &format)?))
}
