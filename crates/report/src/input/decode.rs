//! Text from bytes in UTF-8 or, where they are not, Windows-1252.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// The text; each byte that is not UTF-8 is one character, so that columns stay in place.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // Five bytes have no character there; the decoder takes them for control characters, which terminals obey.
        let decoded = WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0;
        text.extend(decoded.chars().map(|found| if found.is_control() { char::REPLACEMENT_CHARACTER } else { found }));
    }
    Cow::Owned(text)
}

/// Text of an HTML page whose report is text within it (`<pre>`): without tags, characters in place of their names.
pub(super) fn without_tags(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = memchr::memchr2(b'<', b'&', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let next = rest.as_bytes().get(1).copied().unwrap_or(b' ');
        let is_tag = rest.starts_with('<') && (next.is_ascii_alphabetic() || matches!(next, b'/' | b'!'));
        let near = &rest.as_bytes()[..rest.len().min(LONGEST_TAG)];
        if let Some(end) = memchr::memchr(b'>', near).filter(|_| is_tag) {
            rest = &rest[end + 1..];
            continue;
        }
        let named = NAMED.iter().find(|(name, _)| rest.starts_with(name));
        let (length, character) = named.map_or((1, &rest[..1]), |(name, character)| (name.len(), *character));
        text.push_str(character);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// A tag with all its attributes is shorter.
const LONGEST_TAG: usize = 4096;

/// The characters that HTML gives names to and reports use.
const NAMED: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")];

#[cfg(test)]
mod tests {
    use super::{text, without_tags};

    #[test]
    fn a_page_around_a_report_is_taken_off() {
        assert_eq!(without_tags("<html><PRE>a &lt;1ms&nbsp;b\n  <= 1s &x <b>c</b></pre>"), "a <1ms b\n  <= 1s &x c");
    }

    #[test]
    fn text_that_is_not_utf8_is_windows_1252() {
        assert_eq!(text(b"gr\xc3\xb6\xc3\x9fe"), "größe");
        assert_eq!(text(b"gr\xf6\xdfe \x80 5"), "größe € 5");
    }

    #[test]
    fn bytes_without_a_character_become_no_control_characters() {
        assert_eq!(text(b"a\x81\x8d\x8f\x90\x9db \xf6"), "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}b ö");
    }
}
