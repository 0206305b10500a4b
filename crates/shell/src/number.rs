//! Number format models of COLUMN FORMAT and SET NUMFORMAT: those of TO_CHAR, with their column width.

use common::{Error, ErrorKind, Number, Result};
use scalar::Nls;
use scalar::number::format::NumberFormat;
use scalar::number::write::write;

/// A parsed number format model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NumberModel {
    format: NumberFormat,
    width: usize,
}

/// # Errors
/// SP2-0246 when `text` is not a number format model.
pub(crate) fn check(text: &str) -> Result<()> {
    NumberModel::parse(text).map(|_| ())
}

impl NumberModel {
    /// # Errors
    /// SP2-0246 when `text` is not a number format model.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let bad = || Error::new(ErrorKind::User, Number::Sp2(246), format!("\"{text}\" is not a number format"));
        let format = NumberFormat::parse(text).map_err(|_| bad())?;
        let mut model = Self { format, width: 0 };
        // A format without FM takes the same width for every value; one of these shows the sign.
        let length = |value: &&str| model.format(value, &Nls::default()).chars().count();
        model.width = ["1", "-1"].iter().map(length).max().unwrap_or(0);
        if model.width == 0 { Err(bad()) } else { Ok(model) }
    }

    /// Characters that a value takes, sign included.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// A number, given as decimal text, in this format; `#` when it does not fit or is no number. The session's
    /// characters stand for D and G.
    pub(crate) fn format(&self, value: &str, nls: &Nls) -> String {
        let value = format::number::parse(value.trim());
        let text = value.and_then(|value| write(nls, &value, &self.format));
        text.unwrap_or_else(|_| "#".repeat(self.width.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_take_the_room_of_their_widest_value() {
        for (model, width, value, expected) in [
            ("999,990.00", 11, "1234.5", "   1,234.50"),
            ("999,990.00", 11, "-.004", "      -0.00"),
            ("999", 4, "1000", "####"),
            ("0999", 5, "7", " 0007"),
            ("$9,999", 7, "1234", " $1,234"),
            ("999MI", 4, "-5", "  5-"),
            ("999PR", 5, "-5", "  <5>"),
            ("XXXX", 5, "255", "   FF"),
            ("999", 4, "no number", "####"),
        ] {
            let parsed = NumberModel::parse(model).unwrap();
            assert_eq!(parsed.width(), width, "{model}");
            assert_eq!(parsed.format(value, &Nls::default()), expected, "{model} {value}");
        }
        for model in ["", "99x", "9.9.9", "nonsense"] {
            assert!(NumberModel::parse(model).is_err(), "{model}");
        }
    }
}
