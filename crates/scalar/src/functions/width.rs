//! Rules for the length of a text that a function returns.

use common::limits::VARCHAR2_BYTES_MAX;

use crate::datum::DatumType;

/// What is known of an argument before its value is.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub datum_type: DatumType,
    /// Upper bound of the bytes of a text or RAW value.
    pub bytes: u32,
    /// The value of an integer literal.
    pub integer: Option<i64>,
}

impl Argument {
    /// Upper bound of the bytes of the value as text.
    fn text_bytes(&self) -> u32 {
        match self.datum_type {
            DatumType::Number => NUMBER,
            DatumType::Date | DatumType::Timestamp => DATETIME,
            DatumType::Raw => self.bytes.saturating_mul(2),
            DatumType::Null | DatumType::Varchar2 | DatumType::Char | DatumType::Rowid => self.bytes,
        }
    }
}

/// Upper bound of a result's bytes.
pub(super) type Width = fn(&[Argument]) -> u32;

pub(super) const LONGEST: u32 = VARCHAR2_BYTES_MAX as u32;
/// A NUMBER in its default format.
const NUMBER: u32 = 40;
/// A NUMBER in the longest format model.
const NUMBER_IN_FORMAT: u32 = 64;
/// Oracle's bound for a date as text.
const DATETIME: u32 = 75;

pub(super) fn longest(_: &[Argument]) -> u32 {
    LONGEST
}

/// At most the first argument's bytes.
pub(super) fn first(arguments: &[Argument]) -> u32 {
    arguments.first().map_or(LONGEST, Argument::text_bytes)
}

/// All arguments one behind the other.
pub(super) fn sum(arguments: &[Argument]) -> u32 {
    arguments.iter().fold(0, |sum, argument| sum.saturating_add(argument.text_bytes()))
}

/// A part of the first argument; a literal as the third is its length. A character is taken for a byte here.
pub(super) fn part(arguments: &[Argument]) -> u32 {
    let whole = first(arguments);
    let length = arguments.get(2).and_then(|argument| u32::try_from(argument.integer?).ok());
    length.map_or(whole, |length| whole.min(length))
}

/// The length that the second argument gives, if it is a literal.
pub(super) fn padded(arguments: &[Argument]) -> u32 {
    arguments.get(1).and_then(|argument| u32::try_from(argument.integer?).ok()).unwrap_or(LONGEST)
}

/// TO_CHAR. With a format a text is taken as a number.
pub(super) fn to_char(arguments: &[Argument]) -> u32 {
    match arguments.first().map(|argument| argument.datum_type) {
        Some(DatumType::Number | DatumType::Varchar2 | DatumType::Char | DatumType::Rowid) if arguments.len() > 1 => {
            NUMBER_IN_FORMAT
        }
        _ => first(arguments),
    }
}

/// The bytes of two hexadecimal digits each.
pub(super) fn digits(arguments: &[Argument]) -> u32 {
    first(arguments).div_ceil(2)
}

/// SYS_GUID.
pub(super) fn identifier(_: &[Argument]) -> u32 {
    16
}

/// One character.
pub(super) fn character(_: &[Argument]) -> u32 {
    4
}

/// The name of a user.
pub(super) fn name(_: &[Argument]) -> u32 {
    128
}
