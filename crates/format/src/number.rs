//! NUMBER as bytes: Oracle's variable-length decimal, 1 to 21 bytes, which sorts by its bytes.
//!
//! A value is `d0.d1d2… × 100^e` with base-100 digits, `d0` and the last digit not zero, at most 20 of them:
//!
//! ```text
//!            byte 0      digit bytes   end
//! zero       80
//! positive   C1 + e      d + 1
//! negative   3E - e      101 - d       66 when there are fewer than 20 digits
//! ```
//!
//! `e` runs from -65 to 62, so magnitudes from 1E-130 to below 1E126. Because digits come in pairs, a number keeps 39
//! or 40 significant decimal digits. There are no infinities: no operation makes one.
//!
//! Nothing in this file allocates unless it fails.

mod round;
mod text;

pub use round::{fit, round, truncate};
pub use text::parse;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

use common::{Error, Result};

/// Room for any NUMBER.
pub const BYTES_MAX: usize = 22;
/// Base-100 digits a NUMBER can have.
pub const DIGITS_MAX: usize = 20;
/// The base-100 exponent of the largest magnitudes.
pub const EXPONENT_MAX: i32 = 62;
/// The base-100 exponent of the smallest magnitudes.
pub const EXPONENT_MIN: i32 = -65;

const ZERO: u8 = 0x80;
const NEGATIVE_END: u8 = 102;

/// An encoded NUMBER, held inline. Its bytes ([`Deref`]) are what rows and keys store; equality, order and hash are the
/// number's own.
#[derive(Clone, Copy)]
pub struct NumberBytes {
    length: u8,
    /// Zero behind `length`.
    bytes: [u8; BYTES_MAX],
}

impl NumberBytes {
    pub const ZERO: Self = Self::small(&[ZERO]);
    pub const ONE: Self = Self::small(&[0xC1, 2]);

    const fn small(from: &[u8]) -> Self {
        let mut bytes = [0; BYTES_MAX];
        let mut at = 0;
        while at < from.len() {
            bytes[at] = from[at];
            at += 1;
        }
        Self { length: from.len() as u8, bytes }
    }

    /// Takes bytes that came from outside; None when they are not a NUMBER.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        is_valid(bytes).then(|| Self::from_trusted(bytes))
    }

    /// From bytes known to be a NUMBER: they were checked, or this library made them.
    #[must_use]
    pub fn from_trusted(from: &[u8]) -> Self {
        debug_assert!(is_valid(from), "not a NUMBER: {from:02x?}");
        let length = from.len().min(BYTES_MAX);
        let mut bytes = [0; BYTES_MAX];
        bytes[..length].copy_from_slice(&from[..length]);
        Self { length: length as u8, bytes }
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.length == 1 && self.bytes[0] == ZERO
    }

    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.bytes[0] < ZERO
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn signum(&self) -> i32 {
        if self.is_zero() {
            0
        } else if self.is_negative() {
            -1
        } else {
            1
        }
    }

    #[must_use]
    pub fn negate(&self) -> Self {
        let mut decimal = unpack(self);
        decimal.negative = !decimal.negative;
        decimal.pack()
    }

    #[must_use]
    pub fn absolute(&self) -> Self {
        if self.is_negative() { self.negate() } else { *self }
    }
}

impl Default for NumberBytes {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Deref for NumberBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for NumberBytes {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

// The bytes behind `length` are zero, less than any digit byte, so whole arrays compare as the slices do.
impl PartialEq for NumberBytes {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for NumberBytes {}

impl PartialOrd for NumberBytes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NumberBytes {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl std::hash::Hash for NumberBytes {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// The number as text, and its bytes.
impl fmt::Debug for NumberBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {:02x?}", self.as_bytes())
    }
}

impl From<i64> for NumberBytes {
    fn from(value: i64) -> Self {
        encode_i64(value)
    }
}

impl From<u32> for NumberBytes {
    fn from(value: u32) -> Self {
        encode_i64(i64::from(value))
    }
}

/// An unpacked NUMBER: `digits[0].digits[1]… × 100^exponent`, base-100 digits, most significant first. Zero has no
/// digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    pub negative: bool,
    pub exponent: i32,
    pub length: usize,
    pub array: [u8; DIGITS_MAX],
}

impl Decimal {
    #[must_use]
    pub fn digits(&self) -> &[u8] {
        &self.array[..self.length]
    }

    /// The bytes of a decimal that [`unpack`] gave, perhaps with another sign or fewer digits; its exponent is in
    /// range.
    #[must_use]
    pub fn pack(&self) -> NumberBytes {
        pack_exact(self.negative, self.digits(), self.exponent)
    }
}

/// ORA-01426: a result is too large for a NUMBER.
#[must_use]
pub fn overflow() -> Error {
    Error::user(1426, "numeric overflow")
}

/// Unpacks a NUMBER. Bytes that are not a NUMBER give an arbitrary decimal, never a panic.
#[must_use]
pub fn unpack(bytes: &[u8]) -> Decimal {
    let mut decimal = Decimal { negative: false, exponent: 0, length: 0, array: [0; DIGITS_MAX] };
    let Some((&first, mut digits)) = bytes.split_first() else { return decimal };
    if first >= ZERO {
        decimal.exponent = i32::from(first) - 0xC1;
        decimal.length = digits.len().min(DIGITS_MAX);
        for (digit, byte) in decimal.array.iter_mut().zip(digits) {
            *digit = byte.wrapping_sub(1).min(99);
        }
    } else {
        if let [most @ .., NEGATIVE_END] = digits {
            digits = most;
        }
        decimal.negative = true;
        decimal.exponent = 0x3E - i32::from(first);
        decimal.length = digits.len().min(DIGITS_MAX);
        for (digit, byte) in decimal.array.iter_mut().zip(digits) {
            *digit = 101u8.wrapping_sub(*byte).min(99);
        }
    }
    decimal
}

/// Makes a NUMBER of any count of base-100 digits, `digits[0].digits[1]… × 100^exponent`: drops zeros at both ends,
/// rounds to 20 digits, turns underflow into zero.
///
/// # Errors
/// ORA-01426 when the magnitude is 1E126 or more.
pub fn pack(negative: bool, digits: &[u8], exponent: i32) -> Result<NumberBytes> {
    debug_assert!(digits.iter().all(|digit| *digit < 100));
    let Some(start) = digits.iter().position(|digit| *digit != 0) else { return Ok(NumberBytes::ZERO) };
    let mut exponent = exponent - start as i32;
    let mut digits = &digits[start..];
    let mut rounded = [0u8; DIGITS_MAX];
    if digits.len() > DIGITS_MAX {
        rounded.copy_from_slice(&digits[..DIGITS_MAX]);
        if digits[DIGITS_MAX] >= 50 && round::carry(&mut rounded) {
            exponent += 1;
        }
        digits = &rounded;
    }
    if exponent > EXPONENT_MAX {
        return Err(overflow());
    }
    if exponent < EXPONENT_MIN {
        return Ok(NumberBytes::ZERO);
    }
    Ok(pack_exact(negative, digits, exponent))
}

/// `digits` begins with a digit that is not zero and has at most 20; `exponent` is in range. Zeros at the end are
/// dropped.
fn pack_exact(negative: bool, mut digits: &[u8], exponent: i32) -> NumberBytes {
    while let [most @ .., 0] = digits {
        digits = most;
    }
    if digits.is_empty() {
        return NumberBytes::ZERO;
    }
    let mut bytes = [0; BYTES_MAX];
    let mut length = 1 + digits.len();
    if negative {
        bytes[0] = (0x3E - exponent) as u8;
        for (byte, digit) in bytes[1..].iter_mut().zip(digits) {
            *byte = 101 - digit;
        }
        if digits.len() < DIGITS_MAX {
            bytes[length] = NEGATIVE_END;
            length += 1;
        }
    } else {
        bytes[0] = (0xC1 + exponent) as u8;
        for (byte, digit) in bytes[1..].iter_mut().zip(digits) {
            *byte = digit + 1;
        }
    }
    NumberBytes { length: length as u8, bytes }
}

/// True: these bytes are a NUMBER in its one form: digits in range, none zero at either end, the end mark in its place.
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    let Some((&first, digits)) = bytes.split_first() else { return false };
    if first >= ZERO {
        if digits.is_empty() {
            return first == ZERO;
        }
        digits.len() <= DIGITS_MAX
            && digits.iter().all(|byte| (1..=100).contains(byte))
            && digits[0] > 1
            && digits[digits.len() - 1] > 1
    } else {
        let digits = match digits {
            [most @ .., NEGATIVE_END] if most.len() < DIGITS_MAX => most,
            all if all.len() == DIGITS_MAX => all,
            _ => return false,
        };
        !digits.is_empty()
            && digits.iter().all(|byte| (2..=101).contains(byte))
            && digits[0] < 101
            && digits[digits.len() - 1] < 101
    }
}

/// The NUMBER of an integer.
#[must_use]
pub fn encode_i64(value: i64) -> NumberBytes {
    encode_u64(value < 0, value.unsigned_abs())
}

#[must_use]
fn encode_u64(negative: bool, mut rest: u64) -> NumberBytes {
    if rest == 0 {
        return NumberBytes::ZERO;
    }
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    while rest > 0 {
        at -= 1;
        digits[at] = (rest % 100) as u8;
        rest /= 100;
    }
    pack_exact(negative, &digits[at..], (digits.len() - at) as i32 - 1)
}

/// Appends the NUMBER `value / 10^fraction`, negative or not: as [`encode_i128`] does, for the many numbers of a load.
/// None, and nothing appended, where `value` has more than 18 digits or `fraction` is above 18.
#[inline]
pub fn append_short(negative: bool, mut value: u64, mut fraction: u8, out: &mut Vec<u8>) -> Option<()> {
    const DIGITS: usize = 10;
    if value >= 1_000_000_000_000_000_000 || fraction > 18 {
        return None;
    }
    if fraction % 2 == 1 {
        value *= 10;
        fraction += 1;
    }
    // The exponent byte, digits, and the end of a negative number.
    let mut bytes = [0u8; DIGITS + 2];
    let mut at = DIGITS + 1;
    let mut end = at;
    while value > 0 {
        let digit = (value % 100) as u8;
        value /= 100;
        at -= 1;
        bytes[at] = if negative { 101 - digit } else { digit + 1 };
        // Zeros at the end are no digits.
        if digit == 0 && end == at + 1 {
            end = at;
        }
    }
    if end == at {
        out.extend_from_slice(&NumberBytes::ZERO);
        return Some(());
    }
    let exponent = (DIGITS + 1 - at) as i32 - 1 - i32::from(fraction / 2);
    at -= 1;
    bytes[at] = if negative { 0x3E - exponent } else { 0xC1 + exponent } as u8;
    if negative {
        bytes[end] = NEGATIVE_END;
        end += 1;
    }
    out.extend_from_slice(&bytes[at..end]);
    Some(())
}

/// The NUMBER `coefficient / 10^scale`.
///
/// # Errors
/// ORA-01426 when it is too large.
pub fn encode_i128(coefficient: i128, scale: i32) -> Result<NumberBytes> {
    if scale == 0
        && let Ok(small) = i64::try_from(coefficient)
    {
        return Ok(encode_i64(small));
    }
    encode_magnitude(coefficient < 0, coefficient.unsigned_abs(), scale)
}

fn encode_magnitude(negative: bool, magnitude: u128, scale: i32) -> Result<NumberBytes> {
    const CHUNK: u128 = 1_000_000_000_000_000_000;
    const CHUNK_DIGITS: usize = 9;
    // 39 decimal digits, and one more where they have to be shifted to the pairs of base 100.
    let mut digits = [0u8; 21];
    let mut at = digits.len();
    let mut rest = magnitude;
    if scale.rem_euclid(2) == 1 {
        at -= 1;
        digits[at] = (rest % 10) as u8 * 10;
        rest /= 10;
    }
    while rest > 0 {
        let mut chunk = if rest < CHUNK {
            let chunk = rest as u64;
            rest = 0;
            chunk
        } else {
            let chunk = (rest % CHUNK) as u64;
            rest /= CHUNK;
            chunk
        };
        let end = at;
        while chunk > 0 {
            at -= 1;
            digits[at] = (chunk % 100) as u8;
            chunk /= 100;
        }
        if rest > 0 {
            at = end - CHUNK_DIGITS;
        }
    }
    let pairs = scale.saturating_add(scale.rem_euclid(2)) / 2;
    pack(negative, &digits[at..], ((digits.len() - at) as i32 - 1).saturating_sub(pairs))
}

/// The nearest NUMBER with the shortest decimal text of a float; None when it is not finite or too large.
#[must_use]
pub fn encode_f64(value: f64) -> Option<NumberBytes> {
    if value.is_finite() { parse(&format!("{value:e}")).ok() } else { None }
}

/// The integer that these bytes are; None for a fraction or outside of i64.
#[must_use]
pub fn decode_i64(bytes: &[u8]) -> Option<i64> {
    let decimal = unpack(bytes);
    if decimal.length == 0 {
        return Some(0);
    }
    let count = decimal.exponent + 1;
    if count < decimal.length as i32 || count > 10 {
        return None;
    }
    let mut value = 0i64;
    for place in 0..count as usize {
        let digit = if place < decimal.length { i64::from(decimal.array[place]) } else { 0 };
        value = value.checked_mul(100)?;
        value = if decimal.negative { value.checked_sub(digit)? } else { value.checked_add(digit)? };
    }
    Some(value)
}

/// `number × 10^scale` as an integer; None when that has a fraction or is outside of i128.
#[must_use]
pub fn decode_i128(bytes: &[u8], scale: i32) -> Option<i128> {
    let (coefficient, own) = decode_scaled(bytes)?;
    if coefficient == 0 || own == scale {
        return Some(coefficient);
    }
    let power = 10i128.checked_pow(own.abs_diff(scale))?;
    if scale > own {
        return coefficient.checked_mul(power);
    }
    (coefficient % power == 0).then(|| coefficient / power)
}

/// Coefficient and scale: the number is `coefficient / 10^scale`, the scale always even and perhaps negative. None when
/// the coefficient is outside of i128 (more than 38 digits).
#[must_use]
pub fn decode_scaled(bytes: &[u8]) -> Option<(i128, i32)> {
    let decimal = unpack(bytes);
    let scale = (decimal.length as i32 - 1 - decimal.exponent) * 2;
    if decimal.length == 0 {
        return Some((0, 0));
    }
    let (head, tail) = decimal.digits().split_at(decimal.length.min(9));
    let mut coefficient = i128::from(head.iter().fold(0u64, |value, digit| value * 100 + u64::from(*digit)));
    for digit in tail {
        coefficient = coefficient.checked_mul(100)?.checked_add(i128::from(*digit))?;
    }
    Some((if decimal.negative { -coefficient } else { coefficient }, scale))
}

/// The nearest float.
#[must_use]
pub fn decode_f64(bytes: &[u8]) -> f64 {
    const EXACT: i128 = 1 << 53;
    if let Some((coefficient, scale)) = decode_scaled(bytes)
        && coefficient.abs() < EXACT
        && (-22..=22).contains(&scale)
    {
        // Both operands are exact, so one rounding is left: the nearest float.
        let power = 10f64.powi(scale.abs());
        return if scale >= 0 { coefficient as f64 / power } else { coefficient as f64 * power };
    }
    let decimal = unpack(bytes);
    let mut text = String::with_capacity(48);
    if decimal.negative {
        text.push('-');
    }
    for digit in decimal.digits() {
        text.push((b'0' + digit / 10) as char);
        text.push((b'0' + digit % 10) as char);
    }
    text.push_str(&format!("e{}", (decimal.exponent + 1 - decimal.length as i32) * 2));
    text.parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
