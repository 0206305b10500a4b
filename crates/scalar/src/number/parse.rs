//! TO_NUMBER by a format.

use common::{Error, Result};
use format::number::{self, NumberBytes};

use super::format::{Currency, DigitPlace, Digits, NumberFormat, Point, Shape, SignPlace};
use crate::nls::Nls;

fn invalid() -> Error {
    Error::user(1722, "invalid number")
}

/// The number that `text` is in a format.
///
/// # Errors
/// ORA-01722 when the text does not fit the format, ORA-01481 for a format that only writes.
pub fn parse(nls: &Nls, text: &str, format: &NumberFormat) -> Result<NumberBytes> {
    let text = text.trim_matches(' ');
    match &format.shape {
        Shape::Digits(digits) => parse_digits(nls, text, digits),
        Shape::Hexadecimal { digits, .. } => {
            if text.is_empty() || text.len() > *digits || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(invalid());
            }
            let value = i128::from_str_radix(text, 16).map_err(|_| number::overflow())?;
            number::encode_i128(value, 0)
        }
        Shape::Minimum { .. } => number::parse(text),
        Shape::Roman { .. } => Err(Error::user(1481, "RN cannot be used to read a number")),
    }
}

fn parse_digits(nls: &Nls, text: &str, format: &Digits) -> Result<NumberBytes> {
    let mut rest = text;
    let mut negative = false;
    match format.sign {
        SignPlace::Brackets => {
            if let Some(inner) = rest.strip_prefix('<') {
                rest = inner.strip_suffix('>').ok_or_else(invalid)?;
                negative = true;
            }
        }
        SignPlace::Trailing | SignPlace::TrailingMinus => {
            if let Some(head) = rest.strip_suffix('-') {
                (rest, negative) = (head, true);
            } else if let Some(head) = rest.strip_suffix('+') {
                rest = head;
            }
        }
        SignPlace::Default | SignPlace::Leading => {
            if let Some(tail) = rest.strip_prefix('-') {
                (rest, negative) = (tail, true);
            } else if let Some(tail) = rest.strip_prefix('+') {
                rest = tail;
            }
        }
    }
    let symbol = match format.currency {
        None => "",
        Some(Currency::Dollar) => "$",
        Some(Currency::Local) => &nls.currency,
        Some(Currency::Iso) => &nls.iso_currency,
    };
    if !symbol.is_empty() {
        rest =
            if format.currency_behind { rest.strip_suffix(symbol) } else { rest.strip_prefix(symbol) }.unwrap_or(rest);
    }
    let rest = rest.trim_matches(' ');
    let (mantissa, exponent) = match rest.find(['e', 'E']).filter(|_| format.exponent) {
        Some(at) => (&rest[..at], &rest[at..]),
        None => (rest, ""),
    };
    let point = match format.point {
        Some(Point::Dot) => Some('.'),
        Some(Point::Session) => Some(nls.decimal()),
        Some(Point::Shifted) => return Err(Error::user(1481, "V cannot be used to read a number")),
        None => None,
    };
    let (whole, fraction) = match point.and_then(|point| mantissa.split_once(point)) {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    if fraction.len() > format.fraction.len() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    let whole = strip_groups(nls, whole, &format.integer)?;
    if whole.is_empty() && fraction.is_empty() {
        return Err(invalid());
    }
    let sign = if negative { "-" } else { "" };
    number::parse(&format!("{sign}{whole}.{fraction}{exponent}"))
}

/// The digits of the integer part; a separator may stand only where the format has one, counted from the right.
fn strip_groups(nls: &Nls, text: &str, places: &[DigitPlace]) -> Result<String> {
    let mut digits = String::with_capacity(text.len());
    let mut characters = text.chars().rev().peekable();
    for place in places.iter().rev() {
        let separator = match place {
            DigitPlace::Comma => ',',
            DigitPlace::Group => nls.group(),
            DigitPlace::Blank | DigitPlace::Zero => {
                match characters.next() {
                    None => break,
                    Some(digit) if digit.is_ascii_digit() => digits.push(digit),
                    Some(_) => return Err(invalid()),
                }
                continue;
            }
        };
        if characters.peek() == Some(&separator) {
            characters.next();
        }
    }
    if characters.next().is_some() {
        return Err(invalid());
    }
    Ok(digits.chars().rev().collect())
}
