//! Values into columns and back.

use common::{DataType, Error, ErrorKind, Result};
use format::date::{self, DateTime};
use format::number::{self, NumberBytes};

use crate::coerce::coerce;
use crate::context::Context;
use crate::datum::{Datum, DatumType};

/// Appends the bytes that a column of type `data_type` stores for `value`; returns false, and appends nothing, for
/// NULL.
///
/// `column` names the column in errors, as `"OWNER"."TABLE"."COLUMN"`.
///
/// # Errors
/// ORA-12899 longer than the column, ORA-01438 more digits than its precision, ORA-01401-like conversions as [`coerce`]
/// has them.
pub fn store(
    context: &dyn Context,
    value: &Datum,
    data_type: DataType,
    column: &str,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let converted;
    let wanted = DatumType::from(data_type);
    let have = value.datum_type();
    let value = if have == wanted || (have.is_text() && wanted.is_text()) {
        value
    } else {
        converted = coerce(context, value, wanted)?;
        &converted
    };
    match (value, data_type) {
        (Datum::Null, _) => return Ok(false),
        (Datum::Number(number), DataType::Number { precision, scale }) => {
            out.extend_from_slice(&number::fit(number, precision, scale)?);
        }
        (Datum::Varchar2(text) | Datum::Char(text), DataType::Varchar2 { bytes }) => {
            check_length(column, text.len(), bytes)?;
            out.extend_from_slice(text.as_bytes());
        }
        (Datum::Varchar2(text) | Datum::Char(text), DataType::Char { bytes }) => {
            check_length(column, text.len(), bytes)?;
            out.extend_from_slice(text.as_bytes());
            out.resize(out.len() + usize::from(bytes) - text.len(), b' ');
        }
        (Datum::Date(bytes), DataType::Date) => out.extend_from_slice(bytes),
        (Datum::Timestamp(bytes), DataType::Timestamp { precision }) => {
            let rounded = round_fraction(&date::decode(bytes), precision)?.timestamp();
            out.extend_from_slice(date::stored(&rounded));
        }
        (Datum::Raw(raw), DataType::Raw { bytes }) => {
            check_length(column, raw.len(), bytes)?;
            out.extend_from_slice(raw);
        }
        (other, _) => return Err(Error::bug(format!("{} was not converted for a column", other.datum_type()))),
    }
    Ok(true)
}

fn check_length(column: &str, actual: usize, maximum: u16) -> Result<()> {
    if actual <= usize::from(maximum) {
        return Ok(());
    }
    Err(Error::user(12899, format!("value too large for column {column} (actual: {actual}, maximum: {maximum})")))
}

/// A timestamp with `digits` digits of fractional seconds, rounded half up.
///
/// # Errors
/// ORA-01841 past the last year.
pub fn round_fraction(at: &DateTime, digits: u8) -> Result<DateTime> {
    let unit = 10u32.pow(9 - u32::from(digits.min(9)));
    let rounded = at.nanosecond.saturating_add(unit / 2) / unit * unit;
    if rounded < 1_000_000_000 {
        return Ok(DateTime { nanosecond: rounded, ..*at });
    }
    DateTime::from_seconds(at.seconds() + 1)
}

/// The value of a column's bytes; None is NULL.
///
/// # Errors
/// HW-0030 when the bytes are not a value of that type.
pub fn load(bytes: Option<&[u8]>, data_type: DataType) -> Result<Datum> {
    let Some(bytes) = bytes else { return Ok(Datum::Null) };
    let damaged = || {
        let kind = DatumType::from(data_type);
        Error::own(ErrorKind::Corrupt, 30, format!("stored bytes are not a {kind}: {bytes:02x?}"))
    };
    let text = || String::from_utf8(bytes.to_vec()).map_err(|_| damaged());
    Ok(match data_type {
        DataType::Number { .. } => Datum::Number(NumberBytes::from_bytes(bytes).ok_or_else(damaged)?),
        DataType::Varchar2 { .. } => Datum::varchar2(text()?),
        DataType::Char { .. } => Datum::character(text()?),
        DataType::Date if bytes.len() == date::DATE_BYTES && date::is_valid(bytes) => {
            Datum::Date(bytes.try_into().map_err(|_| damaged())?)
        }
        DataType::Timestamp { .. } if date::is_valid(bytes) => Datum::Timestamp(date::widen(bytes)),
        DataType::Raw { .. } => Datum::raw(bytes.to_vec()),
        DataType::Date | DataType::Timestamp { .. } => return Err(damaged()),
    })
}
