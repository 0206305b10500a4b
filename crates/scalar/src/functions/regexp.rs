//! REGEXP_COUNT, REGEXP_INSTR, REGEXP_REPLACE, REGEXP_SUBSTR.

use std::cell::RefCell;

use common::{Error, Result};
use regex::Regex;

use super::arguments::{given, integer, text};
use super::types::{fixed_number, fixed_text};
use super::{Function, function};
use crate::context::Context;
use crate::datum::Datum;
use crate::text::regexp;

pub(super) const FUNCTIONS: &[Function] = &[
    function("REGEXP_COUNT", 2, 4, fixed_number, count),
    function("REGEXP_INSTR", 2, 7, fixed_number, instr),
    function("REGEXP_REPLACE", 2, 6, fixed_text, replace),
    function("REGEXP_SUBSTR", 2, 6, fixed_text, substr),
];

thread_local! {
    /// Cache of this thread's last pattern: one statement runs one pattern over many rows.
    static LAST: RefCell<Option<(String, String, Regex)>> = const { RefCell::new(None) };
}

pub(crate) fn compiled(pattern: &str, parameters: &str) -> Result<Regex> {
    LAST.with_borrow_mut(|last| {
        if let Some((known, with, regex)) = last
            && known == pattern
            && with == parameters
        {
            return Ok(regex.clone());
        }
        let regex = regexp::compile(pattern, parameters)?;
        *last = Some((pattern.to_owned(), parameters.to_owned(), regex.clone()));
        Ok(regex)
    })
}

fn out_of_range(value: i64) -> Error {
    Error::user(1428, format!("argument '{value}' is out of range"))
}

/// An integer argument of at least `least`; `default` when it was not given.
fn at_least(context: &dyn Context, arguments: &[Datum], at: usize, default: i64, least: i64) -> Result<Option<i64>> {
    if at >= arguments.len() {
        return Ok(Some(default));
    }
    match integer(context, arguments, at)? {
        Some(value) if value < least => Err(out_of_range(value)),
        other => Ok(other),
    }
}

fn parameters(context: &dyn Context, arguments: &[Datum], at: usize) -> Result<String> {
    Ok(text(context, arguments, at)?.map_or_else(String::new, std::borrow::Cow::into_owned))
}

fn count(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let pattern = given!(text(context, arguments, 1));
    let position = given!(at_least(context, arguments, 2, 1, 1));
    let regex = compiled(&pattern, &parameters(context, arguments, 3)?)?;
    let Some(mut at) = regexp::offset(&whole, position) else { return Ok(Datum::integer(0)) };
    let mut found = 0;
    while at <= whole.len() {
        let Some(hit) = regex.find_at(&whole, at) else { break };
        found += 1;
        at = regexp::next(&whole, hit.start(), hit.end());
    }
    Ok(Datum::integer(found))
}

fn instr(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let pattern = given!(text(context, arguments, 1));
    let position = given!(at_least(context, arguments, 2, 1, 1));
    let occurrence = given!(at_least(context, arguments, 3, 1, 1));
    let behind = given!(at_least(context, arguments, 4, 0, 0));
    let group = given!(at_least(context, arguments, 6, 0, 0));
    let regex = compiled(&pattern, &parameters(context, arguments, 5)?)?;
    let hit = regexp::offset(&whole, position)
        .and_then(|from| regexp::nth_match(&regex, &whole, from, occurrence as usize, group as usize));
    Ok(Datum::integer(hit.map_or(0, |(start, end)| {
        let at = if behind == 0 { start } else { end };
        whole[..at].chars().count() as i64 + 1
    })))
}

fn replace(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let Some(pattern) = text(context, arguments, 1)? else { return Ok(Datum::varchar2(whole)) };
    let with = text(context, arguments, 2)?.unwrap_or_default();
    let position = given!(at_least(context, arguments, 3, 1, 1));
    let occurrence = given!(at_least(context, arguments, 4, 0, 0));
    let regex = compiled(&pattern, &parameters(context, arguments, 5)?)?;
    let Some(from) = regexp::offset(&whole, position) else { return Ok(Datum::varchar2(whole)) };
    Ok(Datum::varchar2(regexp::replace(&regex, &whole, &with, from, occurrence as usize)))
}

fn substr(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let whole = given!(text(context, arguments, 0));
    let pattern = given!(text(context, arguments, 1));
    let position = given!(at_least(context, arguments, 2, 1, 1));
    let occurrence = given!(at_least(context, arguments, 3, 1, 1));
    let group = given!(at_least(context, arguments, 5, 0, 0));
    let regex = compiled(&pattern, &parameters(context, arguments, 4)?)?;
    let hit = regexp::offset(&whole, position)
        .and_then(|from| regexp::nth_match(&regex, &whole, from, occurrence as usize, group as usize));
    Ok(hit.map_or(Datum::Null, |(start, end)| Datum::varchar2(&whole[start..end])))
}
