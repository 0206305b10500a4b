//! Decimal text to NUMBER, and the default conversion back.

use std::fmt;

use common::{Error, Result};

use super::{NumberBytes, encode_i64, pack, unpack};

/// Most characters of the default conversion of a number to text.
const TEXT_MAX: usize = 40;

fn invalid() -> Error {
    Error::user(1722, "invalid number")
}

/// Reads `[+-]digits[.digits][E[+-]digits]`, without blanks.
///
/// # Errors
/// ORA-01722 for anything else, ORA-01426 for a number that is too large.
pub fn parse(text: &str) -> Result<NumberBytes> {
    let (negative, rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if (1..=18).contains(&rest.len()) && rest.iter().all(u8::is_ascii_digit) {
        let value = rest.iter().fold(0i64, |value, byte| value * 10 + i64::from(byte - b'0'));
        return Ok(encode_i64(if negative { -value } else { value }));
    }
    // Decimal digits from the first that is not zero, and how many of all the digits stand before the point. More than
    // 60 cannot change the result, except that a digit behind must not be lost when it decides a half: rounding is half
    // up, so it never does.
    let mut decimals = [0u8; 60];
    let mut count = 0;
    let mut whole = 0i64;
    let (mut any, mut point) = (false, false);
    let mut exponent = 0i64;
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            byte @ b'0'..=b'9' => {
                any = true;
                if count > 0 || byte != b'0' {
                    if count < decimals.len() {
                        decimals[count] = byte - b'0';
                        count += 1;
                    }
                    whole += i64::from(!point);
                } else if point {
                    whole -= 1;
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' if any => {
                exponent = parse_exponent(&rest[at + 1..])?;
                break;
            }
            _ => return Err(invalid()),
        }
        at += 1;
    }
    if !any {
        return Err(invalid());
    }
    let decimals = &decimals[..count];
    whole = (whole + exponent).clamp(-1000, 1000);
    // Pairs begin at an even count of digits before the point.
    let lead = (whole.rem_euclid(2)) as usize;
    let mut pairs = [0u8; 31];
    for (place, decimal) in decimals.iter().enumerate() {
        let place = place + lead;
        pairs[place / 2] += if place.is_multiple_of(2) { decimal * 10 } else { *decimal };
    }
    pack(negative, &pairs[..(count + lead).div_ceil(2)], (whole.div_euclid(2) + lead as i64 - 1) as i32)
}

fn parse_exponent(bytes: &[u8]) -> Result<i64> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(invalid());
    }
    let value = digits.iter().fold(0i64, |value, byte| (value * 10 + i64::from(byte - b'0')).min(1_000_000));
    Ok(if negative { -value } else { value })
}

/// Oracle's default conversion to text: no zero before the point (`.5`), plain digits when they take at most 40
/// characters, else scientific notation of 40 characters; a fraction is rounded to fit.
impl fmt::Display for NumberBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0u8; 48];
        let length = write_text(self, &mut text);
        f.pad(std::str::from_utf8(&text[..length]).map_err(|_| fmt::Error)?)
    }
}

/// Decimal digits without zeros at either end, and how many stand before the point.
fn decimals(bytes: &[u8], digits: &mut [u8; 42]) -> (bool, usize, i32) {
    let decimal = unpack(bytes);
    let mut count = 0;
    for (place, pair) in decimal.digits().iter().enumerate() {
        if place > 0 || *pair >= 10 {
            digits[count] = pair / 10;
            count += 1;
        }
        digits[count] = pair % 10;
        count += 1;
    }
    let first = decimal.digits().first().copied().unwrap_or(0);
    let whole = decimal.exponent * 2 + if first >= 10 { 2 } else { 1 };
    while count > 0 && digits[count - 1] == 0 {
        count -= 1;
    }
    (decimal.negative, count, whole)
}

/// Keeps `keep` of `count` digits, rounded half up. Returns the count left, and true when the carry made one more digit
/// in front.
fn shorten(digits: &mut [u8; 42], count: usize, keep: usize) -> (usize, bool) {
    if keep >= count {
        return (count, false);
    }
    let up = digits[keep] >= 5;
    let mut left = keep;
    let mut carried = false;
    if up {
        carried = true;
        for digit in digits[..keep].iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                carried = false;
                break;
            }
            *digit = 0;
        }
        if carried {
            digits[0] = 1;
            left = left.max(1);
            digits[1..left].fill(0);
        }
    }
    while left > 0 && digits[left - 1] == 0 {
        left -= 1;
    }
    (left, carried)
}

fn write_text(bytes: &[u8], out: &mut [u8; 48]) -> usize {
    let mut digits = [0u8; 42];
    let (negative, mut count, mut whole) = decimals(bytes, &mut digits);
    if count == 0 {
        out[0] = b'0';
        return 1;
    }
    // The sign has a place of its own beside the 40.
    let mut at = 0;
    if negative {
        out[0] = b'-';
        at = 1;
    }
    let budget = TEXT_MAX as i32;
    let plain = if whole > 0 {
        whole <= budget
    } else {
        // A small fraction goes scientific once its digits no longer fit behind the leading zeros.
        1 - whole + count as i32 <= budget || whole > -5
    };
    if plain {
        let room = if whole > 0 && count as i32 > whole { budget - 1 } else { budget };
        let keep = if whole > 0 { room } else { room + whole };
        if keep >= 0 {
            let (left, carried) = shorten(&mut digits, count, keep as usize);
            count = left;
            whole += i32::from(carried);
        }
        if whole <= 0 {
            out[at] = b'.';
            at += 1;
            for _ in whole..0 {
                out[at] = b'0';
                at += 1;
            }
        }
        let places = count.max(whole.max(0) as usize);
        digits[count..].fill(0);
        for (place, digit) in digits[..places].iter().enumerate() {
            if whole > 0 && place as i32 == whole {
                out[at] = b'.';
                at += 1;
            }
            out[at] = b'0' + digit;
            at += 1;
        }
        return at;
    }
    // d.ddd…E±xx over the whole width, with at least two digits of exponent.
    let exponent_digits = if (whole - 1).abs() >= 100 { 3 } else { 2 };
    let mantissa = TEXT_MAX - 1 - 2 - exponent_digits;
    let (left, carried) = shorten(&mut digits, count, mantissa);
    digits[left..].fill(0);
    let exponent = whole - 1 + i32::from(carried);
    for (place, digit) in digits[..mantissa].iter().enumerate() {
        if place == 1 {
            out[at] = b'.';
            at += 1;
        }
        out[at] = b'0' + digit;
        at += 1;
    }
    out[at] = b'E';
    out[at + 1] = if exponent < 0 { b'-' } else { b'+' };
    at += 2;
    let magnitude = exponent.unsigned_abs();
    if magnitude >= 100 {
        out[at] = b'0' + (magnitude / 100) as u8;
        at += 1;
    }
    out[at] = b'0' + (magnitude / 10 % 10) as u8;
    out[at + 1] = b'0' + (magnitude % 10) as u8;
    at + 2
}
