//! Number format models of COLUMN FORMAT and SET NUMFORMAT: `999,990.00`, `$9999`, `0999`, `999MI`, `999PR`.

use common::{Error, ErrorKind, Number, Result};

use crate::decimal::Decimal;

/// A parsed number format model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NumberModel {
    whole: Vec<char>,
    fraction: Vec<char>,
    dollar: bool,
    sign: Sign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Leading,
    Trailing,
    Brackets,
}

/// # Errors
/// SP2-0246 when `text` is not a number format that the shell knows.
pub(crate) fn check(text: &str) -> Result<()> {
    NumberModel::parse(text).map(|_| ())
}

impl NumberModel {
    /// # Errors
    /// SP2-0246 when `text` is not a number format that the shell knows.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let bad = || Error::new(ErrorKind::User, Number::Sp2(246), format!("\"{text}\" is not a number format"));
        let upper = text.to_ascii_uppercase();
        let mut sign = Sign::Leading;
        let mut body = upper.as_str();
        if let Some(rest) = body.strip_suffix("MI") {
            (sign, body) = (Sign::Trailing, rest);
        } else if let Some(rest) = body.strip_suffix("PR") {
            (sign, body) = (Sign::Brackets, rest);
        }
        let mut model = Self { whole: Vec::new(), fraction: Vec::new(), dollar: false, sign };
        let mut point = false;
        for c in body.chars() {
            match c {
                '$' if !model.dollar => model.dollar = true,
                '.' | 'D' if !point => point = true,
                '9' | '0' if point => model.fraction.push(c),
                '9' | '0' => model.whole.push(c),
                ',' | 'G' if !point && !model.whole.is_empty() => model.whole.push(','),
                _ => return Err(bad()),
            }
        }
        if model.whole.is_empty() && model.fraction.is_empty() {
            return Err(bad());
        }
        Ok(model)
    }

    /// Characters that every value takes, sign included.
    pub(crate) fn width(&self) -> usize {
        let sign = if self.sign == Sign::Brackets { 2 } else { 1 };
        let fraction = if self.fraction.is_empty() { 0 } else { self.fraction.len() + 1 };
        self.whole.len() + fraction + usize::from(self.dollar) + sign
    }

    /// The value in exactly [`width`](Self::width) characters; `#` when it does not fit.
    pub(crate) fn format(&self, value: &Decimal) -> String {
        let rounded = value.rounded(self.fraction.len() as i32);
        let places = self.whole.iter().filter(|c| **c != ',').count();
        if rounded.whole_digits() > places {
            return "#".repeat(self.width());
        }
        let first_zero = self.whole.iter().position(|c| *c == '0');
        let mut body = String::new();
        let mut place = places;
        let mut started = false;
        for (at, c) in self.whole.iter().enumerate() {
            started = started || first_zero.is_some_and(|zero| at >= zero);
            if *c == ',' {
                if started {
                    body.push(',');
                }
                continue;
            }
            started = started || place <= rounded.whole_digits();
            if started {
                body.push(rounded.whole_digit(place));
            }
            place -= 1;
        }
        if self.fraction.is_empty() {
            if body.is_empty() {
                body.push('0');
            }
        } else {
            body.push('.');
            body.extend((1..=self.fraction.len()).map(|at| rounded.fraction_digit(at)));
        }
        if self.dollar {
            body.insert(0, '$');
        }
        let text = match (self.sign, rounded.is_negative()) {
            (Sign::Leading, true) => format!("-{body}"),
            (Sign::Leading, false) => body,
            (Sign::Trailing, true) => format!("{body}-"),
            (Sign::Trailing, false) => format!("{body} "),
            (Sign::Brackets, true) => format!("<{body}>"),
            (Sign::Brackets, false) => format!("{body} "),
        };
        format!("{text:>width$}", width = self.width())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(model: &str, value: &str) -> String {
        NumberModel::parse(model).unwrap().format(&Decimal::parse(value).unwrap())
    }

    #[test]
    fn models() {
        for (model, value, expected) in [
            ("999,990.00", "1234.5", "   1,234.50"),
            ("999,990.00", "-.004", "       0.00"),
            ("999", "1000", "####"),
            ("999", "0", "   0"),
            ("999", "-7", "  -7"),
            ("0999", "7", " 0007"),
            ("$9,999", "1234", " $1,234"),
            (".99", ".5", " .50"),
            ("99.9", ".04", "   .0"),
            ("999MI", "-5", "  5-"),
            ("999PR", "-5", "  <5>"),
            ("999PR", "5", "   5 "),
            ("999", "999.5", "####"),
        ] {
            assert_eq!(shown(model, value), expected, "{model} {value}");
        }
        assert!(
            NumberModel::parse("").is_err()
                && NumberModel::parse("99x").is_err()
                && NumberModel::parse("9.9.9").is_err()
        );
    }
}
