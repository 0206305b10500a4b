//! A field as its column stores it.

use std::borrow::Cow;

use common::{DataType, Error, Result};
use format::date::{self, DateTime};
use scalar::Context;
use scalar::column::round_fraction;
use scalar::date::format::Format;
use scalar::date::parse;

use crate::number;
use crate::row::RowBytes;
use crate::spec::{Characters, DatetimeMask};

/// A column that rows have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: String,
    pub data_type: DataType,
    /// A record without a value for it is rejected.
    pub required: bool,
}

/// Makes a column's values.
#[derive(Clone, Debug)]
pub(crate) struct Converter {
    data_type: DataType,
    /// For dates and times.
    format: Option<Format>,
    characters: Characters,
    /// The decimal character if it is not a point.
    decimal: Option<char>,
}

impl Converter {
    /// `mask`: the field's own; None: the session's format.
    pub(crate) fn new(
        column: &Column,
        mask: Option<&DatetimeMask>,
        characters: Characters,
        context: &dyn Context,
    ) -> Result<Self> {
        let nls = context.nls();
        let format = match (mask, column.data_type) {
            (Some(mask), DataType::Date | DataType::Timestamp { .. }) => Some(Format::parse(&mask.mask)?),
            (None, DataType::Date) => Some(nls.date_format().clone()),
            (None, DataType::Timestamp { .. }) => Some(nls.timestamp_format().clone()),
            _ => None,
        };
        let decimal = Some(nls.decimal()).filter(|decimal| *decimal != '.');
        Ok(Self { data_type: column.data_type, format, characters, decimal })
    }

    /// Appends the value of a field that is not empty.
    ///
    /// # Errors
    /// The error number of the mismatch: ORA-01722, ORA-01438, ORA-018nn, ORA-12899, ORA-29275 for text of another
    /// encoding.
    pub(crate) fn append(&self, field: &[u8], context: &dyn Context, row: &mut RowBytes) -> Result<()> {
        let start = row.len();
        let out = row.room();
        match self.data_type {
            DataType::Number { precision, scale } => match self.decimal {
                None => number::store(field, precision, scale, out)?,
                Some(decimal) => {
                    let text = self.text(field)?;
                    if text.contains('.') {
                        return Err(Error::user(1722, format!("invalid number: the decimal character is {decimal}")));
                    }
                    number::store(text.replace(decimal, ".").as_bytes(), precision, scale, out)?;
                }
            },
            DataType::Varchar2 { bytes } => {
                let text = self.text(field)?;
                check(text.len(), bytes)?;
                out.extend_from_slice(text.as_bytes());
            }
            DataType::Char { bytes } => {
                let text = self.text(field)?;
                check(text.len(), bytes)?;
                out.extend_from_slice(text.as_bytes());
                out.resize(start + usize::from(bytes), b' ');
            }
            DataType::Date => {
                let Some(at) = self.datetime(field, context)? else {
                    row.null();
                    return Ok(());
                };
                out.extend_from_slice(&at.date());
            }
            DataType::Timestamp { precision } => {
                let Some(at) = self.datetime(field, context)? else {
                    row.null();
                    return Ok(());
                };
                out.extend_from_slice(date::stored(&round_fraction(&at, precision)?.timestamp()));
            }
            DataType::Raw { bytes } => {
                let digits = field.trim_ascii();
                check(digits.len().div_ceil(2), bytes)?;
                hexadecimal(digits, out)?;
            }
        }
        row.value(start);
        Ok(())
    }

    fn datetime(&self, field: &[u8], context: &dyn Context) -> Result<Option<DateTime>> {
        let format = self.format.as_ref().ok_or_else(|| Error::bug("a date without a format"))?;
        parse::parse(context, self.text(field)?.trim_matches(' '), format)
    }

    fn text<'a>(&self, field: &'a [u8]) -> Result<Cow<'a, str>> {
        match self.characters {
            Characters::Utf8 => match std::str::from_utf8(field) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(error) => Err(Error::user(
                    29275,
                    format!("partial multibyte character: byte {} of the field is not UTF-8", error.valid_up_to() + 1),
                )),
            },
            Characters::Ascii => match field.iter().position(|byte| !byte.is_ascii()) {
                None => Ok(String::from_utf8_lossy(field)),
                Some(at) => Err(Error::user(29275, format!("byte {} of the field is not US7ASCII", at + 1))),
            },
            Characters::Latin1 if field.is_ascii() => Ok(String::from_utf8_lossy(field)),
            Characters::Latin1 => Ok(Cow::Owned(field.iter().map(|byte| char::from(*byte)).collect())),
        }
    }
}

fn check(actual: usize, maximum: u16) -> Result<()> {
    if actual <= usize::from(maximum) {
        return Ok(());
    }
    Err(Error::user(12899, format!("value too large (actual: {actual}, maximum: {maximum})")))
}

fn hexadecimal(digits: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    // An odd digit gets a zero in front.
    let (first, pairs) = digits.split_at(digits.len() % 2);
    let value = |high: u8, low: u8| Some(digit(high)? << 4 | digit(low)?);
    let wrong = || Error::user(1465, "invalid hex number");
    if let [low] = first {
        out.push(value(b'0', *low).ok_or_else(wrong)?);
    }
    for pair in pairs.chunks_exact(2) {
        out.push(value(pair[0], pair[1]).ok_or_else(wrong)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scalar::context::FixedContext;

    use super::*;

    fn converted(data_type: DataType, mask: Option<&str>, field: &[u8]) -> Result<Option<Vec<u8>>> {
        let context = FixedContext::default();
        let mask = mask.map(|mask| DatetimeMask { timestamp: false, mask: mask.to_owned() });
        let column = Column { name: "C".to_owned(), data_type, required: false };
        let converter = Converter::new(&column, mask.as_ref(), Characters::Utf8, &context)?;
        let mut row = RowBytes::default();
        converter.append(field, &context, &mut row)?;
        assert_eq!(row.width(), 1);
        Ok(row.column(0).map(<[u8]>::to_vec))
    }

    #[test]
    fn fields_become_stored_values() {
        let text = DataType::Varchar2 { bytes: 3 };
        assert_eq!(converted(text, None, b"abc").unwrap().unwrap(), b"abc");
        assert!(converted(text, None, b"abcd").unwrap_err().is_ora(12899));
        assert!(converted(text, None, b"a\xff").unwrap_err().is_ora(29275));
        assert_eq!(converted(DataType::Char { bytes: 4 }, None, b"ab").unwrap().unwrap(), b"ab  ");
        let date = converted(DataType::Date, Some("YYYY-MM-DD"), b"2026-11-23").unwrap().unwrap();
        assert_eq!(date, DateTime::midnight(2026, 11, 23).date());
        assert!(converted(DataType::Date, Some("YYYY-MM-DD"), b"2026-13-23").unwrap_err().is_ora(1843));
        assert_eq!(converted(DataType::Raw { bytes: 2 }, None, b"aFf").unwrap().unwrap(), [0x0a, 0xff]);
        assert!(converted(DataType::Raw { bytes: 2 }, None, b"xy").unwrap_err().is_ora(1465));
        assert!(converted(DataType::Number { precision: None, scale: 0 }, None, b"x").unwrap_err().is_ora(1722));
    }
}
