//! Comparison of values of any two types.

use std::cmp::Ordering;

use common::Result;

use crate::coerce::{coerce, incomparable};
use crate::context::Context;
use crate::datum::{Datum, DatumType};

/// The type of a comparison of two values: texts give way to numbers, dates and raws; a date beside a timestamp becomes
/// a timestamp.
///
/// # Errors
/// ORA-00932 for two types without a common one.
pub fn comparison_type(a: DatumType, b: DatumType) -> Result<DatumType> {
    use DatumType::{Char, Null, Timestamp, Varchar2};
    Ok(match (a, b) {
        (Null, other) | (other, Null) => other,
        (a, b) if a == b => a,
        (Varchar2 | Char, Varchar2 | Char) => Varchar2,
        (Varchar2 | Char, other) | (other, Varchar2 | Char) => other,
        (a, b) if a.is_datetime() && b.is_datetime() => Timestamp,
        (a, b) => return Err(incomparable(a, b)),
    })
}

/// Compares `a` with `b`; None when one of them is NULL. Two CHARs compare as if the shorter were padded with blanks.
///
/// # Errors
/// ORA-00932 for types that cannot be compared; ORA-01722 and the ORA-018nn of dates when a text cannot be converted to
/// the other's type.
pub fn compare(context: &dyn Context, a: &Datum, b: &Datum) -> Result<Option<Ordering>> {
    Ok(Some(match (a, b) {
        (Datum::Null, _) | (_, Datum::Null) => return Ok(None),
        (Datum::Number(a), Datum::Number(b)) => a.cmp(b),
        (Datum::Char(a), Datum::Char(b)) => compare_padded(a.as_bytes(), b.as_bytes()),
        (Datum::Varchar2(a) | Datum::Char(a), Datum::Varchar2(b) | Datum::Char(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Datum::Raw(a), Datum::Raw(b)) => a.cmp(b),
        _ => match (a.as_datetime(), b.as_datetime()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => {
                let common = comparison_type(a.datum_type(), b.datum_type())?;
                return compare(context, &coerce(context, a, common)?, &coerce(context, b, common)?);
            }
        },
    }))
}

/// Bytes of two texts, the shorter as if blanks followed it.
#[must_use]
pub fn compare_padded(a: &[u8], b: &[u8]) -> Ordering {
    let shared = a.len().min(b.len());
    a[..shared].cmp(&b[..shared]).then_with(|| {
        let against_blanks = |rest: &[u8]| {
            rest.iter().map(|byte| byte.cmp(&b' ')).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        against_blanks(&a[shared..]).then_with(|| against_blanks(&b[shared..]).reverse())
    })
}
