//! Conditions: what is true, false or unknown of values.

use std::cmp::Ordering;

use common::Result;

use crate::compare::compare;
use crate::context::Context;
use crate::datum::Datum;

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
];

/// Every condition.
pub fn all() -> impl Iterator<Item = &'static Condition> {
    CONDITIONS.iter()
}

/// The condition of this name: a comparison sign, LIKE (text, pattern and perhaps the escape character), REGEXP_LIKE.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Condition> {
    all().find(|condition| condition.name.eq_ignore_ascii_case(name))
}
