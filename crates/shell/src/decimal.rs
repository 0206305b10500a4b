//! A NUMBER as decimal digits, and its display in a given number of characters.
//!
//! The rule of the default format: plain notation when every digit fits; else whichever of rounded plain and scientific
//! notation keeps more significant digits; `#` over the whole width when neither fits.

/// `±0.d1d2d3… × 10^point`, without leading or trailing zeros; zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    /// Reads `-12.5`, `.5`, `1.5E-120`; None for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok().filter(|e| e.abs() < 1000)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b - b'0').collect();
        Some(Self { negative, digits, point: whole.len() as i32 + exponent }.normal())
    }

    fn normal(mut self) -> Self {
        let zeros = self.digits.iter().take_while(|d| **d == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            return Self { negative: false, digits: Vec::new(), point: 0 };
        }
        self
    }

    /// Rounded half away from zero to `places` digits after the decimal point (before it when negative).
    fn rounded(&self, places: i32) -> Self {
        let keep = self.point + places;
        if keep >= self.digits.len() as i32 {
            return self.clone();
        }
        if keep < 0 {
            return Self { negative: false, digits: Vec::new(), point: 0 };
        }
        let up = self.digits[keep as usize] >= 5;
        let mut digits = self.digits[..keep as usize].to_vec();
        let mut point = self.point;
        if up {
            let mut at = digits.len();
            loop {
                if at == 0 {
                    digits.insert(0, 1);
                    point += 1;
                    break;
                }
                at -= 1;
                if digits[at] == 9 {
                    digits[at] = 0;
                } else {
                    digits[at] += 1;
                    break;
                }
            }
        }
        Self { negative: self.negative, digits, point }.normal()
    }

    fn digit(&self, at: i32) -> char {
        usize::try_from(at).ok().and_then(|at| self.digits.get(at)).map_or('0', |d| char::from(b'0' + d))
    }

    /// All digits without an exponent: `0`, `-.05`, `1200`.
    pub(crate) fn plain(&self) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend((0..self.point).map(|at| self.digit(at)));
        if (self.digits.len() as i32) > self.point {
            text.push('.');
            text.extend((self.point..self.digits.len() as i32).map(|at| self.digit(at)));
        }
        text
    }

    /// In at most `width` characters.
    pub(crate) fn fit(&self, width: usize) -> String {
        let plain_length = self.plain_length();
        if plain_length <= width {
            return self.plain();
        }
        let sign = usize::from(self.negative);
        let whole = self.point.max(0) as usize;
        let places = width.saturating_sub(sign + whole + 1) as i32;
        let plain = Some(self.rounded(places)).filter(|rounded| rounded.plain_length() <= width);
        let plain_digits = if plain.is_some() { self.point + places } else { 0 };
        match self.scientific(width) {
            Some((text, digits)) if digits as i32 > plain_digits => text,
            _ => plain.map_or_else(|| "#".repeat(width), |rounded| rounded.plain()),
        }
    }

    fn plain_length(&self) -> usize {
        if self.digits.is_empty() {
            return 1;
        }
        let fraction = (self.digits.len() as i32 - self.point).max(0) as usize;
        usize::from(self.negative) + self.point.max(0) as usize + fraction + usize::from(fraction > 0)
    }

    /// `d.dddE+nn` filling `width`, with its number of significant digits; None when not even one digit after the point
    /// fits.
    fn scientific(&self, width: usize) -> Option<(String, usize)> {
        let sign = usize::from(self.negative);
        let mut exponent = self.point - 1;
        let mut digits;
        let mut rounded;
        loop {
            let tail = if exponent.abs() >= 100 { 5 } else { 4 };
            digits = width.checked_sub(sign + 1 + tail).filter(|d| *d >= 2)?;
            rounded = self.rounded(digits as i32 - 1 - exponent);
            if rounded.point - 1 == exponent {
                break;
            }
            exponent = rounded.point - 1;
        }
        let mut text = String::from(if self.negative { "-" } else { "" });
        for at in 0..digits {
            if at == 1 {
                text.push('.');
            }
            text.push(char::from(b'0' + rounded.digits.get(at).copied().unwrap_or(0)));
        }
        let direction = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("E{direction}{:02}", exponent.abs()));
        Some((text, digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, width: usize) -> String {
        Decimal::parse(text).unwrap().fit(width)
    }

    #[test]
    fn ten_characters_as_numwidth_has_it() {
        for (number, shown) in [
            ("0", "0"),
            ("42", "42"),
            ("-.5", "-.5"),
            ("0.3333333333333333333333333333333333333333", ".333333333"),
            ("-0.3333333333333333333333333333333333333333", "-.33333333"),
            ("1234567890", "1234567890"),
            ("12345678901", "1.2346E+10"),
            ("-12345678901", "-1.235E+10"),
            ("123456789012", "1.2346E+11"),
            ("1234567890.5", "1234567891"),
            ("9999999999.5", "1.0000E+10"),
            ("123456.7891234", "123456.789"),
            ("0.000001234", ".000001234"),
            ("0.00000000123", "1.2300E-09"),
            ("1E-120", "1.000E-120"),
            ("99999999999", "1.0000E+11"),
            ("1.00000000001", "1"),
        ] {
            assert_eq!(fit(number, 10), shown, "{number}");
        }
    }

    #[test]
    fn what_does_not_fit_is_hashes() {
        assert_eq!(fit("123456", 3), "###");
        assert_eq!(fit("-1", 1), "#");
        assert_eq!(fit("123456", 6), "123456");
    }

    #[test]
    fn only_numbers_are_numbers() {
        for text in ["", ".", "-", "1e", "abc", "1.2.3", "0x1"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse("1.20E2").unwrap().plain(), "120");
        assert_eq!(Decimal::parse("-0.00").unwrap().plain(), "0");
    }
}
