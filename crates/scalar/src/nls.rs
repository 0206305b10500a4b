//! The NLS settings of a session: formats of conversions without one of their own.

use common::{Error, Result};

use crate::date::format::Format;

/// NLS settings. Names of months and days are American English; text sorts and compares by its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nls {
    date_format: Format,
    timestamp_format: Format,
    decimal: char,
    group: char,
    /// Text of the number format element L.
    pub currency: String,
    /// Text of the number format element C.
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
    /// ORA-12705 unless these are two different characters, neither a digit nor a sign.
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

impl Nls {
    /// These settings, changed by the third argument of TO_CHAR and its like: `'NLS_NUMERIC_CHARACTERS = '',.'''`.
    ///
    /// # Errors
    /// ORA-12702 for an unknown NLS parameter, HW-0001 for a language other than ours.
    pub fn with_parameters(&self, text: &str) -> Result<Self> {
        let invalid = || Error::user(12702, "invalid NLS parameter string used in SQL function");
        let mut nls = self.clone();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, behind) = rest.split_once('=').ok_or_else(invalid)?;
            let behind = behind.trim_start();
            let (value, tail) = match behind.strip_prefix('\'') {
                Some(quoted) => quoted.split_once('\'').ok_or_else(invalid)?,
                None => behind.split_once(char::is_whitespace).unwrap_or((behind, "")),
            };
            rest = tail.trim_start();
            match name.trim().to_ascii_uppercase().as_str() {
                "NLS_NUMERIC_CHARACTERS" => nls.set_numeric_characters(value)?,
                "NLS_CURRENCY" => nls.currency = value.to_owned(),
                "NLS_ISO_CURRENCY" if value.eq_ignore_ascii_case("AMERICA") => nls.iso_currency = "USD".to_owned(),
                "NLS_DATE_LANGUAGE" if ["AMERICAN", "ENGLISH"].iter().any(|ours| value.eq_ignore_ascii_case(ours)) => {}
                "NLS_DATE_LANGUAGE" | "NLS_ISO_CURRENCY" => {
                    return Err(Error::unsupported(format_args!("{} = {value}", name.trim())));
                }
                _ => return Err(invalid()),
            }
        }
        Ok(nls)
    }
}

fn is_taken(character: &char) -> bool {
    character.is_ascii_digit() || "+-<>".contains(*character)
}
