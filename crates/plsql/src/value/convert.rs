//! Implicit conversions between families of types, in assignments and arguments.

use std::sync::Arc;

use common::{Error, Result};
use scalar::{Context, Datum, DatumType, coerce};

use super::scalar_type::value_error;
use super::{ScalarKind, ScalarType, Value};

/// The session's settings; requested only when a conversion needs them.
pub type Settings<'a> = &'a mut dyn FnMut() -> Result<Arc<dyn Context>>;

/// True: a value of the one family is one of the other without conversion.
#[must_use]
pub fn same_family(from: &ScalarKind, to: &ScalarKind) -> bool {
    family(from) == family(to)
}

fn family(kind: &ScalarKind) -> u8 {
    match kind {
        ScalarKind::Boolean => 0,
        ScalarKind::Integer { .. } | ScalarKind::Number { .. } => 1,
        ScalarKind::Varchar2(_) | ScalarKind::Char(_) | ScalarKind::Rowid => 2,
        ScalarKind::Date => 3,
        ScalarKind::Timestamp(_) => 4,
        ScalarKind::Raw(_) => 5,
    }
}

/// The value converted for a variable of `to`.
///
/// # Errors
/// ORA-06502 for a value that does not fit or is no number, ORA-018nn for an invalid date, ORA-01426.
pub fn assign(settings: Settings<'_>, value: Value, to: &ScalarType) -> Result<Value> {
    let is_there = matches!(
        (&value, to.kind),
        (Value::Null, _)
            | (Value::Boolean(_), ScalarKind::Boolean)
            | (Value::Int(_) | Value::Number(_), ScalarKind::Integer { .. } | ScalarKind::Number { .. })
            | (Value::Varchar2(_) | Value::Char(_), ScalarKind::Varchar2(_) | ScalarKind::Char(_) | ScalarKind::Rowid)
            | (Value::Date(_), ScalarKind::Date)
            | (Value::Timestamp(_), ScalarKind::Timestamp(_))
            | (Value::Raw(_), ScalarKind::Raw(_))
    );
    if is_there { to.hold(value) } else { to.hold(convert(settings, &value, to.kind)?) }
}

fn convert(settings: Settings<'_>, value: &Value, to: ScalarKind) -> Result<Value> {
    if let (Value::Int(number), ScalarKind::Varchar2(_) | ScalarKind::Char(_)) = (value, to) {
        return Ok(Value::Varchar2(number.to_string().into()));
    }
    let wanted = ScalarType::from(to).datum_type();
    let (Some(datum), Some(wanted)) = (value.to_datum(), wanted) else {
        return Err(Error::user(6502, "PL/SQL: numeric or value error: expression is of wrong type"));
    };
    let context = settings()?;
    converted(&*context, &datum, wanted).map(Value::from)
}

/// [`coerce`](coerce::coerce) with PL/SQL's number for a text that is no number.
fn converted(context: &dyn Context, datum: &Datum, to: DatumType) -> Result<Datum> {
    coerce::coerce(context, datum, to).map_err(in_plsql)
}

/// PL/SQL reports conversions of its own with other numbers than SQL does.
#[must_use]
pub fn in_plsql(error: Error) -> Error {
    if error.is_ora(1722) {
        value_error("character to number conversion error")
    } else if error.is_ora(1465) {
        value_error("hex to raw conversion error")
    } else if error.is_ora(1489) {
        value_error("character string buffer too small")
    } else {
        error
    }
}

/// The text of a value, as `||` and DBMS_OUTPUT have it; NULL is empty.
///
/// # Errors
/// Errors of date formats.
pub fn text(settings: Settings<'_>, value: &Value) -> Result<Arc<str>> {
    Ok(match value {
        Value::Varchar2(text) | Value::Char(text) => Arc::clone(text),
        Value::Null => "".into(),
        Value::Int(number) => number.to_string().into(),
        other => match other.to_datum() {
            Some(datum) => coerce::to_text(&*settings()?, &datum)?.into(),
            None => return Err(value_error("")),
        },
    })
}
