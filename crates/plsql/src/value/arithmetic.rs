//! `+ - * / **` on numbers: integers in 64 bits, everything else as `scalar` computes it. The results are the same
//! either way.

use common::{Error, Result};
use format::number::{self, NumberBytes};
use scalar::number::{arithmetic, elementary, remainder};

use super::Value;

fn bug(value: &Value) -> Error {
    Error::bug(format!("{value:?} in arithmetic"))
}

fn both(a: &Value, b: &Value, compute: fn(&NumberBytes, &NumberBytes) -> Result<NumberBytes>) -> Result<Value> {
    if a.is_null() || b.is_null() {
        return Ok(Value::Null);
    }
    let x = a.as_number().ok_or_else(|| bug(a))?;
    let y = b.as_number().ok_or_else(|| bug(b))?;
    compute(&x, &y).map(Value::from)
}

/// Results outside of 64 bits.
#[cold]
fn wide(value: i128) -> Result<Value> {
    number::encode_i128(value, 0).map(Value::from)
}

/// # Errors
/// ORA-01426.
#[inline]
pub fn add(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_add(*y) {
            Some(sum) => Ok(Value::Int(sum)),
            None => wide(i128::from(*x) + i128::from(*y)),
        },
        _ => both(a, b, arithmetic::add),
    }
}

/// # Errors
/// ORA-01426.
#[inline]
pub fn subtract(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_sub(*y) {
            Some(difference) => Ok(Value::Int(difference)),
            None => wide(i128::from(*x) - i128::from(*y)),
        },
        _ => both(a, b, arithmetic::subtract),
    }
}

/// # Errors
/// ORA-01426.
#[inline]
pub fn multiply(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_mul(*y) {
            Some(product) => Ok(Value::Int(product)),
            None => wide(i128::from(*x) * i128::from(*y)),
        },
        _ => both(a, b, arithmetic::multiply),
    }
}

/// # Errors
/// ORA-01476, ORA-01426.
#[inline]
pub fn divide(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) if *y != 0 && x.checked_rem(*y) == Some(0) => Ok(Value::Int(x / y)),
        _ => both(a, b, arithmetic::divide),
    }
}

/// # Errors
/// ORA-01428 and ORA-01426.
pub fn power(a: &Value, b: &Value) -> Result<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Ok(exponent) = u32::try_from(*y)
        && let Some(power) = x.checked_pow(exponent)
    {
        return Ok(Value::Int(power));
    }
    both(a, b, elementary::power)
}

/// # Errors
/// ORA-01426.
pub fn modulo(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(0)) => Ok(Value::Int(*x)),
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.wrapping_rem(*y))),
        _ => both(a, b, remainder::modulo),
    }
}

/// # Errors
/// None in practice.
pub fn negate(a: &Value) -> Result<Value> {
    match a {
        Value::Null => Ok(Value::Null),
        Value::Int(x) => match x.checked_neg() {
            Some(negated) => Ok(Value::Int(negated)),
            None => wide(-i128::from(*x)),
        },
        Value::Number(x) => Ok(Value::from(x.negate())),
        other => Err(bug(other)),
    }
}

/// Result of PLS_INTEGER arithmetic: ORA-01426 outside of 32 bits; SIMPLE_INTEGER (`wrap`) wraps around.
///
/// # Errors
/// As said.
#[inline]
pub fn integer(a: &Value, b: &Value, wrap: bool, compute: fn(i64, i64) -> i64) -> Result<Value> {
    let (Value::Int(x), Value::Int(y)) = (a, b) else {
        return if a.is_null() || b.is_null() {
            Ok(Value::Null)
        } else {
            Err(bug(if matches!(a, Value::Int(_)) { b } else { a }))
        };
    };
    // Both are within 32 bits, so nothing is lost in 64.
    let result = compute(*x, *y);
    if let Ok(small) = i32::try_from(result) {
        return Ok(Value::Int(i64::from(small)));
    }
    if wrap { Ok(Value::Int(i64::from(result as i32))) } else { Err(number::overflow()) }
}
