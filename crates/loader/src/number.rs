//! Decimal text straight to a stored NUMBER.

use common::{Error, Result};
use format::number;

/// Powers of ten that fit.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 1;
    while at < 20 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Appends the stored form of a text in a column `NUMBER(precision, scale)`; blanks around it are allowed.
///
/// # Errors
/// ORA-01722, ORA-01426, ORA-01438.
pub(crate) fn store(field: &[u8], precision: Option<u8>, scale: i8, out: &mut Vec<u8>) -> Result<()> {
    let text = field.trim_ascii();
    if let Some((negative, value, fraction)) = short(text)
        && fits(value, fraction, precision, scale)
        && number::append_short(negative, value, fraction, out).is_some()
    {
        return Ok(());
    }
    let text = std::str::from_utf8(text).map_err(|_| Error::user(1722, "invalid number"))?;
    out.extend_from_slice(&number::fit(&number::parse(text)?, precision, scale)?);
    Ok(())
}

/// `[+-]digits[.digits]` of at most 18 digits: sign, digits as a whole number, digits behind the point.
#[inline]
fn short(text: &[u8]) -> Option<(bool, u64, u8)> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if rest.is_empty() || rest.len() > 19 {
        return None;
    }
    let (mut value, mut digits, mut point) = (0u64, 0u8, None);
    for byte in rest {
        match byte {
            b'0'..=b'9' => {
                value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                digits += 1;
            }
            b'.' if point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    if digits == 0 || digits > 18 {
        return None;
    }
    Some((negative, value, point.map_or(0, |before| digits - before)))
}

/// True: the column holds the number unchanged.
#[inline]
fn fits(value: u64, fraction: u8, precision: Option<u8>, scale: i8) -> bool {
    let Some(precision) = precision else { return scale == 0 };
    let (Ok(scale), fraction) = (u8::try_from(scale), fraction) else { return false };
    if fraction > scale || precision < scale {
        return false;
    }
    // Digits that may stand before the point, and those behind it.
    let room = usize::from(precision - scale + fraction);
    room >= POWERS.len() || value < POWERS[room]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(text: &str, precision: Option<u8>, scale: i8) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        store(text.as_bytes(), precision, scale, &mut out).map(|()| out)
    }

    fn slowly(text: &str, precision: Option<u8>, scale: i8) -> Result<Vec<u8>> {
        Ok(number::fit(&number::parse(text.trim())?, precision, scale)?.to_vec())
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_long_way(
            text in "[+-]?[0-9]{0,21}(\\.[0-9]{0,21})?(e-?[0-9])?|[+-]?[0-9]{1,9}0{0,9}|[+-]?[0-9]{1,5}\\.[0-9]{1,2}",
            declared in prop_oneof![
                Just((None, 0i8)), Just((Some(38), 0i8)), Just((Some(7), 2i8)), Just((Some(5), -2i8)), Just((Some(2), 5i8)), Just((Some(20), 10i8)),
            ],
        ) {
            let (precision, scale) = declared;
            prop_assert_eq!(stored(&text, precision, scale), slowly(&text, precision, scale), "{}", text);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "1.2.3", "1,5", "12x", "0x10", "1 2", "--1", "\u{0665}"] {
            assert!(stored(text, None, 0).is_err_and(|error| error.is_ora(1722)), "{text}");
        }
        assert!(stored("12345.678", Some(7), 2).is_ok());
        assert!(stored("123456.78", Some(7), 2).is_err_and(|error| error.is_ora(1438)));
        assert_eq!(stored("  42 ", None, 0), slowly("42", None, 0));
    }
}
