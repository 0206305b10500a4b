//! Functions about NULL and choice: COALESCE, DECODE, GREATEST, LEAST, NULLIF, NVL, NVL2.

use std::cmp::Ordering;

use common::Result;

use super::types::{first, shared};
use super::{ANY, Function, function};
use crate::coerce::coerce;
use crate::compare::compare;
use crate::context::Context;
use crate::datum::{Datum, DatumType};

pub(super) const FUNCTIONS: &[Function] = &[
    function("COALESCE", 2, ANY, shared, |_, arguments| Ok(first_given(arguments))).special_form(),
    function("DECODE", 3, ANY, decode_type, decode).sql_only().special_form(),
    function("GREATEST", 1, ANY, first, |context, arguments| extreme(context, arguments, Ordering::Greater)),
    function("LEAST", 1, ANY, first, |context, arguments| extreme(context, arguments, Ordering::Less)),
    function("NULLIF", 2, 2, |types| first(&types[..1]), nullif).special_form(),
    function("NVL", 2, 2, first, |_, arguments| Ok(first_given(arguments))).special_form(),
    function(
        "NVL2",
        3,
        3,
        |types| first(&types[1..]),
        |_, arguments| Ok(if arguments[0].is_null() { arguments[2].clone() } else { arguments[1].clone() }),
    )
    .sql_only()
    .special_form(),
];

fn first_given(arguments: &[Datum]) -> Datum {
    arguments.iter().find(|argument| !argument.is_null()).cloned().unwrap_or_default()
}

/// The first result decides, and the literal NULL counts as VARCHAR2.
fn decode_type(types: &[DatumType]) -> Result<DatumType> {
    Ok(match types[2] {
        DatumType::Null | DatumType::Char => DatumType::Varchar2,
        other => other,
    })
}

/// `DECODE(value, search, result, search, result …, otherwise)`. Two NULLs are equal here. All are compared in the
/// first search value's type.
fn decode(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let wanted = arguments[1].datum_type();
    let value = match (&arguments[0], wanted) {
        (value, DatumType::Null) => value.clone(),
        (value, wanted) => coerce(context, value, wanted)?,
    };
    let mut pairs = arguments[1..].chunks_exact(2);
    for pair in &mut pairs {
        let alike = match (&value, &pair[0]) {
            (Datum::Null, search) => search.is_null(),
            (value, search) => compare(context, value, search)? == Some(Ordering::Equal),
        };
        if alike {
            return Ok(pair[1].clone());
        }
    }
    Ok(pairs.remainder().first().cloned().unwrap_or_default())
}

/// NULL if any is; all are compared as the type of the first.
fn extreme(context: &dyn Context, arguments: &[Datum], wanted: Ordering) -> Result<Datum> {
    if arguments.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    let kind = first(&[arguments[0].datum_type()])?;
    let mut best = coerce(context, &arguments[0], kind)?;
    for argument in &arguments[1..] {
        let candidate = coerce(context, argument, kind)?;
        if compare(context, &candidate, &best)? == Some(wanted) {
            best = candidate;
        }
    }
    Ok(best)
}

fn nullif(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    if compare(context, &arguments[0], &arguments[1])? == Some(Ordering::Equal) {
        return Ok(Datum::Null);
    }
    Ok(arguments[0].clone())
}
