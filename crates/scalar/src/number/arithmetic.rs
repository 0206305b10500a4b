//! `+ - * /` on NUMBER.
//!
//! Ordinary numbers, of up to nine base-100 digits each, go through 128-bit integers. The others are computed digit by
//! digit. Either way the exact result is rounded once, half away from zero, to the 20 base-100 digits of a NUMBER.

use common::{Error, Result};
use format::number::{self, DIGITS_MAX, Decimal, NumberBytes, pack, unpack};

/// Base-100 digits that a coefficient of the fast path has at most: 18 decimal digits.
const SMALL_DIGITS: usize = 9;

const POWERS: [i128; SMALL_DIGITS + 1] = {
    let mut powers = [1i128; SMALL_DIGITS + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 100;
        at += 1;
    }
    powers
};

/// `coefficient × 100^exponent` of a number with at most nine digits.
fn small(number: &NumberBytes) -> Option<(i64, i32)> {
    let bytes = number.as_bytes();
    let (first, digits) = (i32::from(bytes[0]), &bytes[1..]);
    if first >= 0x80 {
        if digits.len() > SMALL_DIGITS {
            return None;
        }
        let coefficient = digits.iter().fold(0i64, |value, byte| value * 100 + i64::from(*byte) - 1);
        Some((coefficient, first - 0xC1 - digits.len() as i32 + 1))
    } else {
        let digits = &digits[..digits.len() - 1];
        if digits.len() > SMALL_DIGITS {
            return None;
        }
        let coefficient = digits.iter().fold(0i64, |value, byte| value * 100 - (101 - i64::from(*byte)));
        Some((coefficient, 0x3E - first - digits.len() as i32 + 1))
    }
}

/// # Errors
/// ORA-01426.
pub fn add(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if let (Some((mut x, mut low_x)), Some((mut y, mut low_y))) = (small(a), small(b)) {
        if x == 0 || y == 0 {
            return Ok(if x == 0 { *b } else { *a });
        }
        if low_x < low_y {
            (x, low_x, y, low_y) = (y, low_y, x, low_x);
        }
        if let Some(power) = POWERS.get((low_x - low_y) as usize) {
            return number::encode_i128(i128::from(x) * power + i128::from(y), -2 * low_y);
        }
    }
    add_digits(&unpack(a), &unpack(b))
}

/// # Errors
/// ORA-01426.
pub fn subtract(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if let (Some((x, low_x)), Some((y, low_y))) = (small(a), small(b))
        && y != 0
        && x != 0
    {
        let (high, low) = (low_x.max(low_y), low_x.min(low_y));
        if let Some(power) = POWERS.get((high - low) as usize) {
            let scaled = |value: i64, own: i32| if own > low { i128::from(value) * power } else { i128::from(value) };
            return number::encode_i128(scaled(x, low_x) - scaled(y, low_y), -2 * low);
        }
    }
    add(a, &b.negate())
}

/// # Errors
/// ORA-01426.
pub fn multiply(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if let (Some((x, low_x)), Some((y, low_y))) = (small(a), small(b)) {
        return number::encode_i128(i128::from(x) * i128::from(y), -2 * (low_x + low_y));
    }
    multiply_digits(&unpack(a), &unpack(b))
}

/// # Errors
/// ORA-01476 division by zero, ORA-01426.
pub fn divide(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if b.is_zero() {
        return Err(Error::user(1476, "divisor is equal to zero"));
    }
    if a.is_zero() {
        return Ok(NumberBytes::ZERO);
    }
    if let (Some((x, low_x)), Some((y, low_y))) = (small(a), small(b)) {
        return divide_small((x < 0) != (y < 0), x.unsigned_abs(), y.unsigned_abs(), low_x - low_y);
    }
    divide_digits(&unpack(a), &unpack(b))
}

/// Further apart than this, the smaller of two addends is below half of the larger one's last possible digit.
const GAP_MAX: usize = DIGITS_MAX + 2;
/// A carry, the larger addend, and the smaller one behind it.
const SUM_DIGITS: usize = 1 + GAP_MAX + DIGITS_MAX;

fn add_digits(a: &Decimal, b: &Decimal) -> Result<NumberBytes> {
    if a.length == 0 || b.length == 0 {
        return Ok(if a.length == 0 { b.pack() } else { a.pack() });
    }
    let (a, b) = if (a.exponent, a.digits()) < (b.exponent, b.digits()) { (b, a) } else { (a, b) };
    let gap = (a.exponent - b.exponent) as usize;
    if gap > GAP_MAX {
        return Ok(a.pack());
    }
    let mut sum = [0u8; SUM_DIGITS];
    sum[1..=a.length].copy_from_slice(a.digits());
    let mut carry = 0;
    for at in (0..SUM_DIGITS).rev() {
        let digit =
            at.checked_sub(1 + gap).and_then(|place| b.digits().get(place)).map_or(0, |digit| i16::from(*digit));
        let value = if a.negative == b.negative {
            i16::from(sum[at]) + digit + carry
        } else {
            i16::from(sum[at]) - digit + carry
        };
        sum[at] = value.rem_euclid(100) as u8;
        carry = value.div_euclid(100);
    }
    pack(a.negative, &sum, a.exponent + 1)
}

fn multiply_digits(a: &Decimal, b: &Decimal) -> Result<NumberBytes> {
    let mut columns = [0u32; 2 * DIGITS_MAX];
    for (i, x) in a.digits().iter().enumerate() {
        for (j, y) in b.digits().iter().enumerate() {
            columns[i + j + 1] += u32::from(*x) * u32::from(*y);
        }
    }
    let mut product = [0u8; 2 * DIGITS_MAX];
    let mut carry = 0;
    for (digit, column) in product.iter_mut().zip(columns).rev() {
        let value = column + carry;
        *digit = (value % 100) as u8;
        carry = value / 100;
    }
    pack(a.negative != b.negative, &product, a.exponent + b.exponent + 1)
}

/// Nine digits of quotient at a time.
fn divide_small(negative: bool, dividend: u64, divisor: u64, low: i32) -> Result<NumberBytes> {
    const CHUNK: u128 = 1_000_000_000_000_000_000;
    // Five chunks: the first may be zero, the second may have one digit, and 21 digits decide the rounding.
    let mut digits = [0u8; 5 * SMALL_DIGITS];
    let mut chunk = dividend / divisor;
    let mut rest = dividend % divisor;
    let mut end = 0;
    for at in (0..digits.len()).step_by(SMALL_DIGITS) {
        for digit in digits[at..at + SMALL_DIGITS].iter_mut().rev() {
            *digit = (chunk % 100) as u8;
            chunk /= 100;
        }
        end = at + SMALL_DIGITS;
        if rest == 0 {
            break;
        }
        let scaled = u128::from(rest) * CHUNK;
        chunk = (scaled / u128::from(divisor)) as u64;
        rest = (scaled % u128::from(divisor)) as u64;
    }
    pack(negative, &digits[..end], low + SMALL_DIGITS as i32 - 1)
}

/// Long division in base 100: Knuth's algorithm D.
fn divide_digits(a: &Decimal, b: &Decimal) -> Result<NumberBytes> {
    // One digit that may be zero, twenty, and one to round by.
    const QUOTIENT: usize = DIGITS_MAX + 2;
    let length = b.length;
    // Scaled so that the divisor's first digit is at least 50: the estimate of a digit is then at most two too large.
    let factor = 100 / (u32::from(b.array[0]) + 1);
    let mut divisor = [0u32; DIGITS_MAX];
    scale(b.digits(), factor, &mut divisor[..length]);
    let mut rest = [0u32; 1 + QUOTIENT + DIGITS_MAX];
    let carry = scale(a.digits(), factor, &mut rest[1..=a.length]);
    rest[0] = carry;
    let mut quotient = [0u8; QUOTIENT];
    for at in 0..QUOTIENT {
        let head = rest[at] * 100 + rest[at + 1];
        let mut digit = (head / divisor[0]).min(99);
        let mut over = head - digit * divisor[0];
        let second = if length > 1 { divisor[1] } else { 0 };
        while over < 100 && digit * second > over * 100 + rest[at + 2] {
            digit -= 1;
            over += divisor[0];
        }
        if subtract_multiple(&mut rest[at..=at + length], &divisor[..length], digit) {
            digit -= 1;
            add_back(&mut rest[at..=at + length], &divisor[..length]);
        }
        quotient[at] = digit as u8;
    }
    pack(a.negative != b.negative, &quotient, a.exponent - b.exponent)
}

/// `digits × factor` into as many places; returns the carry out of the front.
fn scale(digits: &[u8], factor: u32, into: &mut [u32]) -> u32 {
    let mut carry = 0;
    for (place, digit) in into.iter_mut().zip(digits).rev() {
        let value = u32::from(*digit) * factor + carry;
        *place = value % 100;
        carry = value / 100;
    }
    carry
}

/// `rest -= divisor × digit`, where `rest` has one place more. True when it went below zero.
fn subtract_multiple(rest: &mut [u32], divisor: &[u32], digit: u32) -> bool {
    let mut borrow = 0i32;
    for (place, factor) in rest[1..].iter_mut().zip(divisor).rev() {
        let value = *place as i32 - (factor * digit) as i32 + borrow;
        *place = value.rem_euclid(100) as u32;
        borrow = value.div_euclid(100);
    }
    let value = rest[0] as i32 + borrow;
    rest[0] = value.rem_euclid(100) as u32;
    value < 0
}

fn add_back(rest: &mut [u32], divisor: &[u32]) {
    let mut carry = 0;
    for (place, digit) in rest[1..].iter_mut().zip(divisor).rev() {
        let value = *place + digit + carry;
        *place = value % 100;
        carry = value / 100;
    }
    rest[0] = (rest[0] + carry) % 100;
}
