//! CAST: explicit conversion to a declared type.

use common::{DataType, Error, Result};
use format::date;
use format::number;

use crate::coerce::coerce;
use crate::column::round_fraction;
use crate::context::Context;
use crate::datum::{Datum, DatumType};

/// The value as the declared type has it: numbers rounded to their scale, texts cut to their length or padded,
/// fractions of a second rounded.
///
/// # Errors
/// Errors of [`coerce`]; ORA-01438 for a number that needs more digits, ORA-25137 for a number or date whose text is
/// too long, ORA-01489-like never: texts are cut.
pub fn cast(context: &dyn Context, value: &Datum, to: DataType) -> Result<Datum> {
    let was_text = value.datum_type().is_text();
    let converted = coerce(context, value, DatumType::from(to))?;
    Ok(match (converted, to) {
        (Datum::Null, _) => Datum::Null,
        (Datum::Number(value), DataType::Number { precision, scale }) => {
            Datum::Number(number::fit(&value, precision, scale)?)
        }
        (Datum::Varchar2(text), DataType::Varchar2 { bytes }) => Datum::varchar2(cut(text, bytes, was_text)?),
        (Datum::Char(text), DataType::Char { bytes }) => {
            let text = cut(text, bytes, was_text)?;
            let blanks = usize::from(bytes) - text.len();
            Datum::character(text + &" ".repeat(blanks))
        }
        (Datum::Timestamp(bytes), DataType::Timestamp { precision }) => {
            Datum::timestamp(&round_fraction(&date::decode(&bytes), precision)?)
        }
        (Datum::Raw(mut raw), DataType::Raw { bytes }) => {
            raw.truncate(usize::from(bytes));
            Datum::raw(raw)
        }
        (other, _) => other,
    })
}

/// At most `bytes` bytes, without a part of a character at the end.
fn cut(mut text: String, bytes: u16, was_text: bool) -> Result<String> {
    if text.len() <= usize::from(bytes) {
        return Ok(text);
    }
    if !was_text {
        return Err(Error::user(25137, "the data value is out of range: its text is too long"));
    }
    text.truncate(text.floor_char_boundary(usize::from(bytes)));
    Ok(text)
}
