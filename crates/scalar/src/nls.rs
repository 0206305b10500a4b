//! The NLS settings of a session: what conversions look like when no format is given.

use common::{Error, Result};

use crate::date::format::Format;

/// NLS settings. Names of months and days are American English; text sorts and compares by its bytes.
#[derive(Clone, Debug)]
pub struct Nls {
    date_format: Format,
    timestamp_format: Format,
    decimal: char,
    group: char,
    /// What the number format element L stands for.
    pub currency: String,
    /// What the number format element C stands for.
    pub iso_currency: String,
}

impl Default for Nls {
    fn default() -> Self {
        let format = |text| Format::parse(text).unwrap_or_default();
        Self {
            date_format: format("DD-MON-RR"),
            timestamp_format: format("DD-MON-RR HH.MI.SSXFF AM"),
            decimal: '.',
            group: ',',
            currency: "$".to_owned(),
            iso_currency: "USD".to_owned(),
        }
    }
}

impl Nls {
    #[must_use]
    pub fn date_format(&self) -> &Format {
        &self.date_format
    }

    #[must_use]
    pub fn timestamp_format(&self) -> &Format {
        &self.timestamp_format
    }

    /// The decimal character (format element D).
    #[must_use]
    pub fn decimal(&self) -> char {
        self.decimal
    }

    /// The group separator (format element G).
    #[must_use]
    pub fn group(&self) -> char {
        self.group
    }

    /// NLS_DATE_FORMAT.
    ///
    /// # Errors
    /// ORA-01821 for a format that is none.
    pub fn set_date_format(&mut self, format: &str) -> Result<()> {
        self.date_format = Format::parse(format)?;
        Ok(())
    }

    /// NLS_TIMESTAMP_FORMAT.
    ///
    /// # Errors
    /// ORA-01821 for a format that is none.
    pub fn set_timestamp_format(&mut self, format: &str) -> Result<()> {
        self.timestamp_format = Format::parse(format)?;
        Ok(())
    }

    /// NLS_NUMERIC_CHARACTERS: the decimal character, then the group separator.
    ///
    /// # Errors
    /// ORA-12705 when these are not two different characters, or one is a digit or a sign.
    pub fn set_numeric_characters(&mut self, characters: &str) -> Result<()> {
        let mut both = characters.chars();
        match (both.next(), both.next(), both.next()) {
            (Some(decimal), Some(group), None) if decimal != group && ![decimal, group].iter().any(is_taken) => {
                self.decimal = decimal;
                self.group = group;
                Ok(())
            }
            _ => {
                Err(Error::user(12705, "NLS_NUMERIC_CHARACTERS takes two different characters, neither digit nor sign"))
            }
        }
    }
}

fn is_taken(character: &char) -> bool {
    character.is_ascii_digit() || "+-<>".contains(*character)
}
