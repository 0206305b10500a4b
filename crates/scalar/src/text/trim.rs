//! LTRIM, RTRIM and TRIM.

/// `text` without any of the characters of `set` at its left.
#[must_use]
pub fn left<'a>(text: &'a str, set: &str) -> &'a str {
    text.trim_start_matches(|character| set.contains(character))
}

/// `text` without any of the characters of `set` at its right.
#[must_use]
pub fn right<'a>(text: &'a str, set: &str) -> &'a str {
    text.trim_end_matches(|character| set.contains(character))
}
