//! Character functions.

use common::{Error, Result};
use format::number::NumberBytes;

use super::arguments::{given, integer, text};
use super::types::{fixed_number, fixed_text, same_text};
use super::{Function, function, operators, width};
use crate::context::Context;
use crate::datum::Datum;
use crate::text::{pad, part, replace, trim};

pub(super) const FUNCTIONS: &[Function] = &[
    function("ASCII", 1, 1, fixed_number, ascii),
    function("CHR", 1, 1, fixed_text, chr).width(width::character),
    function("CONCAT", 2, 2, operators::concatenate_type, operators::concatenate).width(width::sum),
    function("INITCAP", 1, 1, same_text, |context, arguments| mapped(context, arguments, replace::capitalize))
        .width(width::first),
    function("INSTR", 2, 4, fixed_number, instr),
    function("INSTRB", 2, 4, fixed_number, instrb),
    function("LENGTH", 1, 1, fixed_number, |context, arguments| length(context, arguments, |t| t.chars().count())),
    function("LENGTHB", 1, 1, fixed_number, |context, arguments| length(context, arguments, str::len)),
    function("LOWER", 1, 1, same_text, |context, arguments| mapped(context, arguments, replace::lower))
        .width(width::first),
    function("LPAD", 2, 3, fixed_text, |context, arguments| padded(context, arguments, true)).width(width::padded),
    function("LTRIM", 1, 2, fixed_text, |context, arguments| trimmed(context, arguments, trim::left))
        .width(width::first),
    function("REPLACE", 2, 3, fixed_text, replaced),
    function("REVERSE", 1, 1, same_text, |context, arguments| {
        mapped(context, arguments, |text| text.chars().rev().collect())
    })
    .width(width::first),
    function("RPAD", 2, 3, fixed_text, |context, arguments| padded(context, arguments, false)).width(width::padded),
    function("RTRIM", 1, 2, fixed_text, |context, arguments| trimmed(context, arguments, trim::right))
        .width(width::first),
    function("SOUNDEX", 1, 1, fixed_text, soundex),
    function("SUBSTR", 2, 3, fixed_text, substr).width(width::part),
    function("SUBSTRB", 2, 3, fixed_text, substrb).width(width::part),
    function("TRANSLATE", 3, 3, fixed_text, translate).width(width::first),
    // TRIM(BOTH c FROM t) is TRIM(t, c); LEADING and TRAILING are LTRIM and RTRIM.
    function("TRIM", 1, 2, fixed_text, |context, arguments| {
        trimmed(context, arguments, |text, set| trim::right(trim::left(text, set), set))
    })
    .width(width::first),
    function("UPPER", 1, 1, same_text, |context, arguments| mapped(context, arguments, replace::upper))
        .width(width::first),
];

fn mapped(context: &dyn Context, arguments: &[Datum], map: fn(&str) -> String) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    Ok(Datum::text_like(arguments[0].datum_type(), map(&from)))
}

fn length(context: &dyn Context, arguments: &[Datum], measure: fn(&str) -> usize) -> Result<Datum> {
    let text = given!(text(context, arguments, 0));
    Ok(Datum::integer(measure(&text) as i64))
}

fn ascii(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let text = given!(text(context, arguments, 0));
    let mut bytes = [0; 4];
    let first = text.chars().next().map_or(&[][..], |first| first.encode_utf8(&mut bytes).as_bytes());
    // The bytes of the first character as one number.
    Ok(Datum::integer(first.iter().fold(0, |value, byte| value << 8 | i64::from(*byte))))
}

fn chr(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let code = given!(integer(context, arguments, 0));
    let out_of_range = || Error::user(1428, format!("argument '{code}' is out of range"));
    let code = u32::try_from(code).map_err(|_| out_of_range())?;
    let bytes = code.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(3);
    // A code above 127 is the bytes of a character; invalid ones are refused.
    let text = std::str::from_utf8(&bytes[start..]).map_err(|_| out_of_range())?;
    if text.chars().count() != 1 {
        return Err(out_of_range());
    }
    Ok(Datum::varchar2(text))
}

fn instr(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let part = given!(text(context, arguments, 1));
    let (start, occurrence) = (given!(or_one(context, arguments, 2)), given!(or_one(context, arguments, 3)));
    check_occurrence(occurrence)?;
    Ok(Datum::integer(part::find(&whole, &part, start, occurrence)))
}

fn instrb(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let part = given!(text(context, arguments, 1));
    let (start, occurrence) = (given!(or_one(context, arguments, 2)), given!(or_one(context, arguments, 3)));
    check_occurrence(occurrence)?;
    if start == 0 {
        return Ok(Datum::Number(NumberBytes::ZERO));
    }
    Ok(Datum::integer(part::find_bytes(whole.as_bytes(), part.as_bytes(), start, occurrence as usize - 1)))
}

/// A missing argument is 1; NULL stays NULL.
fn or_one(context: &dyn Context, arguments: &[Datum], at: usize) -> Result<Option<i64>> {
    if at < arguments.len() { integer(context, arguments, at) } else { Ok(Some(1)) }
}

fn check_occurrence(occurrence: i64) -> Result<()> {
    if occurrence < 1 {
        return Err(Error::user(1428, format!("argument '{occurrence}' is out of range")));
    }
    Ok(())
}

fn padded(context: &dyn Context, arguments: &[Datum], left: bool) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    let length = given!(integer(context, arguments, 1));
    let padded = if arguments.len() > 2 {
        pad::pad(&from, length, &given!(text(context, arguments, 2)), left)
    } else {
        pad::pad(&from, length, " ", left)
    };
    Ok(padded.map_or(Datum::Null, Datum::varchar2))
}

fn trimmed(context: &dyn Context, arguments: &[Datum], trim: for<'a> fn(&'a str, &str) -> &'a str) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    let trimmed =
        if arguments.len() > 1 { trim(&from, &given!(text(context, arguments, 1))) } else { trim(&from, " ") };
    Ok(Datum::varchar2(trimmed))
}

fn replaced(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    let Some(search) = text(context, arguments, 1)? else { return Ok(Datum::varchar2(from)) };
    let with = text(context, arguments, 2)?.unwrap_or_default();
    Ok(Datum::varchar2(from.replace(&*search, &with)))
}

fn soundex(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    Ok(replace::soundex(&from).map_or(Datum::Null, Datum::varchar2))
}

fn substr(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    let start = given!(integer(context, arguments, 1));
    let length = if arguments.len() > 2 { Some(given!(integer(context, arguments, 2))) } else { None };
    Ok(part::substring(&from, start, length).map_or(Datum::Null, Datum::varchar2))
}

fn substrb(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let from = given!(text(context, arguments, 0));
    let start = given!(integer(context, arguments, 1));
    let length = if arguments.len() > 2 { Some(given!(integer(context, arguments, 2))) } else { None };
    Ok(part::substring_bytes(&from, start, length).map_or(Datum::Null, Datum::varchar2))
}

fn translate(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let from = given!(text(context, arguments, 1));
    let to = given!(text(context, arguments, 2));
    Ok(Datum::varchar2(replace::translate(&whole, &from, &to)))
}
