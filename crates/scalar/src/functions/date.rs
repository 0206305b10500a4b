//! Date functions.

use common::{Error, Result};
use format::date::DateTime;

use super::arguments::{datetime, given, integer, text};
use super::types::{fixed_date, fixed_number, fixed_timestamp};
use super::{Function, function};
use crate::context::Context;
use crate::date::{arithmetic, names};
use crate::datum::{Datum, DatumType};
use crate::number::arithmetic::{add, divide};

/// SYSDATE and its like are the time of the statement, which differs in the next one; a timestamp takes a precision.
pub(super) const FUNCTIONS: &[Function] = &[
    function("ADD_MONTHS", 2, 2, fixed_date, add_months),
    function("CURRENT_DATE", 0, 0, fixed_date, |context, _| Ok(Datum::date(&context.now()))).volatile(),
    function("CURRENT_TIMESTAMP", 0, 1, fixed_timestamp, timestamp).volatile(),
    // EXTRACT(YEAR FROM d) is EXTRACT('YEAR', d).
    function("EXTRACT", 2, 2, fixed_number, extract),
    function("LAST_DAY", 1, 1, fixed_date, |context, arguments| {
        Ok(Datum::date(&arithmetic::last_day(&given!(datetime(context, arguments, 0)))))
    }),
    function("LOCALTIMESTAMP", 0, 1, fixed_timestamp, timestamp).volatile(),
    function("MONTHS_BETWEEN", 2, 2, fixed_number, |context, arguments| {
        let a = given!(datetime(context, arguments, 0));
        let b = given!(datetime(context, arguments, 1));
        Ok(Datum::Number(arithmetic::months_between(&a, &b)?))
    }),
    function("NEXT_DAY", 2, 2, fixed_date, next_day),
    function("SYSDATE", 0, 0, fixed_date, |context, _| Ok(Datum::date(&context.now()))).volatile(),
    function("SYSTIMESTAMP", 0, 1, fixed_timestamp, timestamp).volatile(),
];

fn timestamp(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let digits = if arguments.is_empty() { 6 } else { given!(integer(context, arguments, 0)) };
    let digits = u8::try_from(digits)
        .ok()
        .filter(|digits| *digits <= 9)
        .ok_or_else(|| Error::user(30088, "the precision of a datetime must be between 0 and 9"))?;
    Ok(Datum::timestamp(&crate::column::round_fraction(&context.now(), digits)?))
}

fn add_months(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let at = given!(datetime(context, arguments, 0));
    let months = given!(integer(context, arguments, 1));
    Ok(Datum::date(&arithmetic::add_months(&at, months)?))
}

fn next_day(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let at = given!(datetime(context, arguments, 0));
    let wrong = || Error::user(1846, "not a valid day of the week");
    let day = match &arguments[1] {
        Datum::Number(_) => {
            let day = given!(integer(context, arguments, 1));
            u8::try_from(day).ok().filter(|day| (1..=7).contains(day)).ok_or_else(wrong)? - 1
        }
        _ => names::find_day(given!(text(context, arguments, 1)).trim()).ok_or_else(wrong)?.0,
    };
    Ok(Datum::date(&arithmetic::next_day(&DateTime { nanosecond: 0, ..at }, day)?))
}

fn extract(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let field = given!(text(context, arguments, 0)).to_ascii_uppercase();
    if !matches!(field.as_str(), "YEAR" | "MONTH" | "DAY" | "HOUR" | "MINUTE" | "SECOND") {
        return Err(Error::user(30076, format!("{field} is not a field that EXTRACT knows")));
    }
    let is_timestamp = match arguments[1].datum_type() {
        DatumType::Null => return Ok(Datum::Null),
        DatumType::Date => false,
        DatumType::Timestamp => true,
        _ => return Err(Error::user(30076, "invalid extract field for extract source")),
    };
    let at = given!(datetime(context, arguments, 1));
    let value = match field.as_str() {
        "YEAR" => i64::from(at.year),
        "MONTH" => i64::from(at.month),
        "DAY" => i64::from(at.day),
        _ if !is_timestamp => return Err(Error::user(30076, "a DATE has no such field for EXTRACT")),
        "HOUR" => i64::from(at.hour),
        "MINUTE" => i64::from(at.minute),
        _ => {
            let fraction = divide(&i64::from(at.nanosecond).into(), &1_000_000_000i64.into())?;
            return Ok(Datum::Number(add(&i64::from(at.second).into(), &fraction)?));
        }
    };
    Ok(Datum::integer(value))
}
