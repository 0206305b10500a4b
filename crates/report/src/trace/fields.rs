//! Finding `key=value` fields in a line.
//!
//! Two forms exist: comma-separated with numbers only (calls), and blank-separated where a value may stand in single quotes (cursors,
//! row sources). Numbers are decimal with an optional minus sign; one that does not fit is no number, so its line is not understood.

/// Reads a decimal number at the start of `text`; the number and how many bytes it took.
pub(super) fn number(text: &[u8]) -> Option<(i128, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut value: u64 = 0;
    let mut end = start;
    while let Some(digit) = text.get(end).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        end += 1;
    }
    if end == start {
        return None;
    }
    let value = i128::from(value);
    Some((if negative { -value } else { value }, end))
}

/// A whole text that is one decimal number.
pub(super) fn whole_number(text: &[u8]) -> Option<i128> {
    number(text).filter(|(_, taken)| *taken == text.len()).map(|(value, _)| value)
}

/// Walks `c=0,e=12,…`: numbers only. A field that is none ends the walk with [`NumberFields::broken`] set.
#[derive(Debug)]
pub(super) struct NumberFields<'a> {
    rest: &'a [u8],
    broken: bool,
}

impl<'a> NumberFields<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, broken: false }
    }

    /// Whether something stood there that is not a field.
    pub(super) fn broken(&self) -> bool {
        self.broken
    }
}

impl<'a> Iterator for NumberFields<'a> {
    type Item = (&'a [u8], i64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.broken {
            return None;
        }
        let field = key(self.rest).and_then(|length| {
            let (value, taken) = number(self.rest.get(length + 1..)?)?;
            Some((length, i64::try_from(value).ok()?, length + 1 + taken))
        });
        let Some((length, value, taken)) = field else {
            self.broken = true;
            return None;
        };
        let (name, after) = (&self.rest[..length], &self.rest[taken..]);
        // A comma and perhaps a blank part two fields; XCTEND and others print both.
        self.rest = match after {
            [] => after,
            [b',', b' ', rest @ ..] | [b',', rest @ ..] => rest,
            _ if after.iter().all(u8::is_ascii_whitespace) => &[],
            _ => {
                self.broken = true;
                return None;
            }
        };
        Some((name, value))
    }
}

/// The length of a key before `=`: letters, digits, `_`, `#`; nothing else, so that a glued line does not pass.
fn key(text: &[u8]) -> Option<usize> {
    let length = text.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'#')))?;
    (length > 0 && text[length] == b'=').then_some(length)
}

/// Walks `len=68 dep=2 … ad='6af8fcf8'`: blank-separated, a value bare or in single quotes.
#[derive(Debug)]
pub(super) struct TextFields<'a> {
    rest: &'a str,
    broken: bool,
}

impl<'a> TextFields<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.trim_start(), broken: false }
    }

    pub(super) fn broken(&self) -> bool {
        self.broken
    }
}

impl<'a> Iterator for TextFields<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.broken {
            return None;
        }
        let Some(length) = key(self.rest.as_bytes()) else {
            self.broken = true;
            return None;
        };
        let (name, after) = (&self.rest[..length], &self.rest[length + 1..]);
        let (value, rest) = if let Some(quoted) = after.strip_prefix('\'') {
            let Some(end) = quoted.find('\'') else {
                self.broken = true;
                return None;
            };
            (&quoted[..end], &quoted[end + 1..])
        } else {
            let end = after.find([' ', '\t']).unwrap_or(after.len());
            after.split_at(end)
        };
        self.rest = rest.trim_start();
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_digits_end() {
        assert_eq!(number(b"12,e=3"), Some((12, 2)));
        assert_eq!(number(b"-1 tim"), Some((-1, 2)));
        assert_eq!(number(b"18446744073709551615"), Some((18_446_744_073_709_551_615, 20)));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b"-"), None);
        assert_eq!(number(b""), None);
        assert_eq!(whole_number(b"12a"), None);
    }

    #[test]
    fn a_glued_line_breaks_the_walk() {
        let mut fields = NumberFields::new(b"c=0,e=28,p=0,cEXEC #7:c=0,e=3");
        assert_eq!(fields.by_ref().count(), 3);
        assert!(fields.broken());
        let mut fields = NumberFields::new(b"rlbk=0, rd_only=1, tim=5");
        assert_eq!(fields.by_ref().map(|(_, value)| value).collect::<Vec<_>>(), [0, 1, 5]);
        assert!(!fields.broken());
    }

    #[test]
    fn quoted_values_may_hold_blanks() {
        let fields: Vec<_> = TextFields::new("len=3 ad='a b' sqlid='x'").collect();
        assert_eq!(fields, [("len", "3"), ("ad", "a b"), ("sqlid", "x")]);
        let mut cut = TextFields::new("len=3 ad='a b");
        assert_eq!(cut.by_ref().count(), 1);
        assert!(cut.broken());
    }
}
