//! Finding `key=value` fields in a line.
//!
//! Two forms exist: comma-separated with numbers only (calls), and blank-separated where a value may stand in single
//! quotes (cursors, row sources). Numbers are decimal with an optional minus sign; one that does not fit is no number,
//! so its line is not understood.

/// Reads a decimal number at the start of `text`; the number and how many bytes it took.
pub(super) fn number(text: &[u8]) -> Option<(i128, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (value, taken) = digits(text.get(start..)?)?;
    let value = i128::from(value);
    Some((if negative { -value } else { value }, start + taken))
}

/// The same for a number of 64 bits.
pub(super) fn small_number(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (value, taken) = digits(text.get(start..)?)?;
    let value = i64::try_from(value).ok()?;
    Some((if negative { -value } else { value }, start + taken))
}

/// Digits at the start of `text`: their value and how many there are. `None` without one, or where the value does not
/// fit.
///
/// Eight at a time: most numbers of a trace are clocks and cursors, of 10 to 16 digits.
pub(super) fn digits(text: &[u8]) -> Option<(u64, usize)> {
    let mut value: u64 = 0;
    let mut end = 0;
    while let Some(eight) =
        text.get(end..end + 8).and_then(|eight| <[u8; 8]>::try_from(eight).ok()).and_then(eight_digits)
    {
        value = value.checked_mul(100_000_000)?.checked_add(eight)?;
        end += 8;
    }
    while let Some(digit) = text.get(end).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        end += 1;
    }
    (end > 0).then_some((value, end))
}

/// The value of eight digits; `None` if one of them is none.
fn eight_digits(eight: [u8; 8]) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let word = u64::from_le_bytes(eight);
    // A byte below '0' borrows into its top bit, one above '9' carries into it.
    let above = word.wrapping_add(0x4646_4646_4646_4646);
    let below = word.wrapping_sub(ZEROS);
    if (above | below) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours joined: digits to pairs, pairs to fours, fours to eight.
    let pairs = below.wrapping_mul(10).wrapping_add(below >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(low.wrapping_add(high) >> 32)
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

    /// True: a text was met that is no field.
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
            let (value, taken) = small_number(self.rest.get(length + 1..)?)?;
            Some((length, value, length + 1 + taken))
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
    fn numbers_of_all_lengths() {
        for length in 1..=19 {
            for text in ["1".repeat(length), "9".repeat(length), format!("{}7", "0".repeat(length - 1))] {
                let value: u64 = text.parse().unwrap();
                for end in ["", ",e=", "/", ":", "x1234567", " 12345678"] {
                    assert_eq!(digits(format!("{text}{end}").as_bytes()), Some((value, length)), "{text}{end}");
                }
                assert_eq!(number(format!("-{text}").as_bytes()), Some((-i128::from(value), length + 1)));
            }
        }
        // Each byte that is no digit ends the number, wherever it stands among eight.
        for byte in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            for at in 0..8 {
                let mut text = *b"12345678";
                text[at] = byte;
                assert_eq!(eight_digits(text), None);
                assert_eq!(digits(&text).map_or(0, |(_, taken)| taken), at);
            }
        }
        assert_eq!(small_number(b"9223372036854775808"), None);
        assert_eq!(small_number(b"-12,"), Some((-12, 3)));
        assert_eq!(small_number(b"--1"), None);
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
