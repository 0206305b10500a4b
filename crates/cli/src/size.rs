//! Sizes on the command line: `500M`, `2G`.

use std::str::FromStr;

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a size: a whole number, with K, M, G or T behind it or nothing");
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            "T" => 40,
            _ => return Err(wrong()),
        };
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let bytes = number.checked_shl(shift).filter(|bytes| bytes >> shift == number).ok_or_else(wrong)?;
        if i64::try_from(bytes).is_ok() { Ok(Self(bytes)) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in
            [("0", 0), ("512", 512), ("3k", 3 << 10), ("500M", 500 << 20), ("2G", 2 << 30), ("1t", 1 << 40)]
        {
            assert_eq!(text.parse(), Ok(Size(bytes)));
        }
        for wrong in ["", "M", "1MB", "-1", "1.5G", "99999999T", "16777216T", "é"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
