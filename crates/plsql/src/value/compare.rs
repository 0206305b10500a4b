//! Order of values of one family.

use std::cmp::Ordering;

use common::{Error, Result};
use format::date;
use scalar::compare::compare_padded;

use super::Value;

/// Compares `a` with `b`; None when one of them is NULL. The compiler has converted both to one family.
///
/// # Errors
/// HW's own mistake when it has not.
#[inline]
pub fn compare(a: &Value, b: &Value) -> Result<Option<Ordering>> {
    if let (Value::Int(x), Value::Int(y)) = (a, b) {
        return Ok(Some(x.cmp(y)));
    }
    compare_others(a, b)
}

fn compare_others(a: &Value, b: &Value) -> Result<Option<Ordering>> {
    Ok(Some(match (a, b) {
        (Value::Null, _) | (_, Value::Null) => return Ok(None),
        (Value::Char(x), Value::Char(y)) => compare_padded(x.as_bytes(), y.as_bytes()),
        (Value::Boolean(x), Value::Boolean(y)) => x.cmp(y),
        (Value::Raw(x), Value::Raw(y)) => x.cmp(y),
        _ => {
            if let (Some(x), Some(y)) = (a.as_text(), b.as_text()) {
                x.as_bytes().cmp(y.as_bytes())
            } else if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
                x.cmp(&y)
            } else if let (Some(x), Some(y)) = (datetime(a), datetime(b)) {
                x.cmp(&y)
            } else {
                return Err(Error::bug(format!("comparison of {a:?} with {b:?}")));
            }
        }
    }))
}

fn datetime(value: &Value) -> Option<scalar::DateTime> {
    match value {
        Value::Date(bytes) => Some(date::decode(bytes)),
        Value::Timestamp(bytes) => Some(date::decode(bytes)),
        _ => None,
    }
}

/// `=` of nested tables: the same number of elements, each found in the other.
///
/// # Errors
/// As [`compare`].
pub fn same_elements(a: &Value, b: &Value) -> Result<Option<bool>> {
    let (Value::Collection(a), Value::Collection(b)) = (a, b) else { return Ok(None) };
    if a.count() != b.count() {
        return Ok(Some(false));
    }
    let mut rest: Vec<&Value> = b.values().collect();
    for value in a.values() {
        let mut found = None;
        for (at, other) in rest.iter().enumerate() {
            match compare(value, other)? {
                None => return Ok(None),
                Some(Ordering::Equal) => {
                    found = Some(at);
                    break;
                }
                Some(_) => {}
            }
        }
        match found {
            Some(at) => rest.swap_remove(at),
            None => return Ok(Some(false)),
        };
    }
    Ok(Some(true))
}
