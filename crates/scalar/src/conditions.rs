//! Conditions: predicates over values, true, false or unknown.

use std::cmp::Ordering;

use common::Result;

use crate::coerce::to_text;
use crate::compare::compare;
use crate::context::Context;
use crate::datum::Datum;
use crate::functions::regexp;
use crate::text::like::Pattern;

/// A condition over values. None is "unknown".
#[derive(Debug)]
pub struct Condition {
    /// In upper case.
    pub name: &'static str,
    pub minimum_arguments: usize,
    pub maximum_arguments: usize,
    pub call: fn(&dyn Context, &[Datum]) -> Result<Option<bool>>,
}

const fn comparison(name: &'static str, call: fn(&dyn Context, &[Datum]) -> Result<Option<bool>>) -> Condition {
    Condition { name, minimum_arguments: 2, maximum_arguments: 2, call }
}

fn order(context: &dyn Context, arguments: &[Datum], holds: fn(Ordering) -> bool) -> Result<Option<bool>> {
    Ok(compare(context, &arguments[0], &arguments[1])?.map(holds))
}

const CONDITIONS: &[Condition] = &[
    comparison("=", |context, arguments| order(context, arguments, Ordering::is_eq)),
    comparison("<>", |context, arguments| order(context, arguments, Ordering::is_ne)),
    comparison("<", |context, arguments| order(context, arguments, Ordering::is_lt)),
    comparison("<=", |context, arguments| order(context, arguments, Ordering::is_le)),
    comparison(">", |context, arguments| order(context, arguments, Ordering::is_gt)),
    comparison(">=", |context, arguments| order(context, arguments, Ordering::is_ge)),
    Condition { name: "LIKE", minimum_arguments: 2, maximum_arguments: 3, call: like },
    Condition { name: "REGEXP_LIKE", minimum_arguments: 2, maximum_arguments: 3, call: regexp_like },
];

/// Unknown when any argument is NULL.
fn texts(context: &dyn Context, arguments: &[Datum]) -> Result<Option<Vec<String>>> {
    if arguments.iter().any(Datum::is_null) {
        return Ok(None);
    }
    arguments.iter().map(|argument| to_text(context, argument)).collect::<Result<Vec<_>>>().map(Some)
}

fn like(context: &dyn Context, arguments: &[Datum]) -> Result<Option<bool>> {
    let Some(texts) = texts(context, arguments)? else { return Ok(None) };
    let pattern = Pattern::new(&texts[1], texts.get(2).map(String::as_str))?;
    Ok(Some(pattern.matches(&texts[0])))
}

fn regexp_like(context: &dyn Context, arguments: &[Datum]) -> Result<Option<bool>> {
    if arguments[..2].iter().any(Datum::is_null) {
        return Ok(None);
    }
    let text = to_text(context, &arguments[0])?;
    let pattern = to_text(context, &arguments[1])?;
    let parameters = arguments.get(2).map_or(Ok(String::new()), |parameters| to_text(context, parameters))?;
    Ok(Some(regexp::compiled(&pattern, &parameters)?.is_match(&text)))
}

/// Every condition.
pub fn all() -> impl Iterator<Item = &'static Condition> {
    CONDITIONS.iter()
}

/// The condition of this name: a comparison sign, LIKE (text, pattern and perhaps the escape character), REGEXP_LIKE.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Condition> {
    all().find(|condition| condition.name.eq_ignore_ascii_case(name))
}
