//! Rounding a NUMBER at a decimal place, and to a declared precision and scale.

use common::{Error, Result};

use super::{Decimal, EXPONENT_MAX, NumberBytes, overflow, unpack};

/// Adds one at the last digit of `digits`. True when the carry ran off the front: the digits are then 1, 0, 0 … of the
/// next exponent.
pub(super) fn carry(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < 99 {
            *digit += 1;
            return false;
        }
        *digit = 0;
    }
    if let Some(first) = digits.first_mut() {
        *first = 1;
    }
    true
}

/// Rounds half away from zero at `places` decimal places; negative `places` are to the left of the point.
///
/// # Errors
/// ORA-01426 when rounding up makes 1E126.
pub fn round(bytes: &[u8], places: i32) -> Result<NumberBytes> {
    cut(bytes, places, true)
}

/// Drops what is behind `places` decimal places.
#[must_use]
pub fn truncate(bytes: &[u8], places: i32) -> NumberBytes {
    cut(bytes, places, false).unwrap_or_default()
}

fn cut(bytes: &[u8], places: i32, up: bool) -> Result<NumberBytes> {
    let mut decimal = unpack(bytes);
    // The digit at index i weighs 100^(exponent - i): decimal places -2(exponent - i) and the one before it. `keep`
    // digits stay whole; of the next one the tens stay where `places` is odd.
    let places = places.clamp(-400, 400);
    let odd = places.rem_euclid(2) == 1;
    let keep = decimal.exponent + 1 + places.div_euclid(2);
    if keep >= decimal.length as i32 {
        return Ok(NumberBytes::from_trusted(bytes));
    }
    if keep < -1 || (keep < 0 && !odd) {
        return Ok(NumberBytes::ZERO);
    }
    if keep < 0 {
        // Only a tens digit in front of all the digits would stay, and half of it is at least 50 of the first digit's
        // 100.
        return Ok(NumberBytes::ZERO);
    }
    let keep = keep as usize;
    let edge = decimal.array[keep];
    decimal.array[keep..].fill(0);
    let mut exponent = decimal.exponent;
    if odd {
        decimal.array[keep] = edge / 10 * 10;
        decimal.length = keep + 1;
        if up && edge % 10 >= 5 {
            decimal.array[keep] += 10;
            if decimal.array[keep] == 100 {
                decimal.array[keep] = 0;
                decimal.length = keep;
                exponent += step(&mut decimal);
            }
        }
    } else {
        decimal.length = keep;
        if up && edge >= 50 {
            exponent += step(&mut decimal);
        }
    }
    if exponent > EXPONENT_MAX {
        return Err(overflow());
    }
    decimal.exponent = exponent;
    Ok(decimal.pack())
}

/// Adds one at the last kept digit; returns the increase of the exponent.
fn step(decimal: &mut Decimal) -> i32 {
    if decimal.length == 0 {
        decimal.array[0] = 1;
        decimal.length = 1;
        return 1;
    }
    i32::from(carry(&mut decimal.array[..decimal.length]))
}

/// The number as stored in a column of `NUMBER(precision, scale)`: rounded to the scale, refused when it needs more
/// digits than the precision. Without a precision and with scale 0 (plain NUMBER) it is unchanged.
///
/// # Errors
/// ORA-01438 when more digits than `precision - scale` stand before the point.
pub fn fit(bytes: &[u8], precision: Option<u8>, scale: i8) -> Result<NumberBytes> {
    if precision.is_none() && scale == 0 {
        return Ok(NumberBytes::from_trusted(bytes));
    }
    let rounded = round(bytes, i32::from(scale))?;
    let decimal = unpack(&rounded);
    let precision = i32::from(precision.unwrap_or(common::limits::NUMBER_PRECISION_MAX));
    // Decimal digits before the point; negative when the fraction begins with zeros.
    let whole = match decimal.digits().first() {
        None => return Ok(rounded),
        Some(0..=9) => decimal.exponent * 2 + 1,
        Some(_) => decimal.exponent * 2 + 2,
    };
    if whole > precision - i32::from(scale) {
        return Err(Error::user(1438, "value larger than specified precision allowed for this column"));
    }
    Ok(rounded)
}
