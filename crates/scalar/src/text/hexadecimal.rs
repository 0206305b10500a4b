//! RAW as hexadecimal text.

use common::{Error, Result};

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}

/// An odd count of digits is read as if a 0 stood in front.
///
/// # Errors
/// ORA-01465.
pub fn decode(text: &str) -> Result<Vec<u8>> {
    let digit = |byte: u8| {
        (byte as char).to_digit(16).map(|digit| digit as u8).ok_or_else(|| Error::user(1465, "invalid hex number"))
    };
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len().div_ceil(2));
    if rest.len() % 2 == 1 {
        bytes.push(digit(rest[0])?);
        rest = &rest[1..];
    }
    for pair in rest.chunks_exact(2) {
        bytes.push(digit(pair[0])? << 4 | digit(pair[1])?);
    }
    Ok(bytes)
}
