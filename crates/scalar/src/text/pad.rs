//! LPAD and RPAD.

use super::part::substring;

/// `text` cut to `length` characters, or filled up with `fill` at its left (`left`) or right. None for no characters.
#[must_use]
pub fn pad(text: &str, length: i64, fill: &str, left: bool) -> Option<String> {
    let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
    let length = length.min(common::limits::VARCHAR2_BYTES_MAX);
    let count = text.chars().count();
    if count >= length {
        return substring(text, 1, Some(length as i64)).map(str::to_owned);
    }
    if fill.is_empty() {
        return None;
    }
    let mut padded = String::with_capacity(text.len() + (length - count) * fill.len().min(4));
    let filling = fill.chars().cycle().take(length - count);
    if left {
        padded.extend(filling);
        padded.push_str(text);
    } else {
        padded.push_str(text);
        padded.extend(filling);
    }
    Some(padded)
}
