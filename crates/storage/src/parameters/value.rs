//! A parameter's value; reading it from text and printing it.

use std::fmt;
use std::sync::Arc;

use common::{Error, Result};

use super::{Parameter, ParameterType};

/// A parameter's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Integer(i64),
    Boolean(bool),
    Text(Arc<str>),
}

impl Value {
    /// A number, or a boolean as 0 or 1, as one atomic word keeps it; None for text.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Boolean(boolean) => Some(i64::from(*boolean)),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Boolean(boolean) => f.write_str(if *boolean { "TRUE" } else { "FALSE" }),
            Self::Text(text) => f.write_str(text),
        }
    }
}

const SUFFIXES: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

impl Parameter {
    /// Reads `text`, quoted or not, as this parameter's value.
    ///
    /// # Errors
    /// ORA-02097 when the text is not of the type, ORA-00068 when it is out of range, ORA-00096 when it is not one of
    /// the words allowed.
    pub fn parse(self, text: &str) -> Result<Value> {
        let text = unquote(text.trim());
        let value = match self.definition().parameter_type {
            ParameterType::Boolean => Value::Boolean(self.parse_boolean(text)?),
            ParameterType::Integer | ParameterType::BigInteger => Value::Integer(self.parse_integer(text)?),
            ParameterType::String => self.parse_text(text)?,
        };
        Ok(value)
    }

    fn parse_boolean(self, text: &str) -> Result<bool> {
        if ["true", "yes", "on", "1"].iter().any(|word| word.eq_ignore_ascii_case(text)) {
            Ok(true)
        } else if ["false", "no", "off", "0"].iter().any(|word| word.eq_ignore_ascii_case(text)) {
            Ok(false)
        } else {
            Err(self.invalid(format_args!("'{text}' is neither TRUE nor FALSE")))
        }
    }

    fn parse_integer(self, text: &str) -> Result<i64> {
        let definition = self.definition();
        let last = text.chars().last().map(|letter| letter.to_ascii_uppercase());
        let shift = SUFFIXES.iter().find(|(letter, _)| Some(*letter) == last).map_or(0, |(_, shift)| *shift);
        let digits = if shift > 0 { text[..text.len() - 1].trim_end() } else { text };
        let number = digits
            .parse::<i64>()
            .ok()
            .and_then(|number| number.checked_mul(1 << shift))
            .ok_or_else(|| self.invalid(format_args!("'{text}' is not a number")))?;
        if let Some((min, max)) = definition.range
            && !(min..=max).contains(&number)
        {
            return Err(Error::user(68, format!("{number} is out of range for {self}: from {min} to {max}")));
        }
        if !definition.values.is_empty() && !definition.values.contains(&number.to_string().as_str()) {
            return Err(self.not_a_choice(text));
        }
        Ok(number)
    }

    fn parse_text(self, text: &str) -> Result<Value> {
        let values = self.definition().values;
        if !values.is_empty() {
            let known = values.iter().find(|value| value.eq_ignore_ascii_case(text));
            return known.map(|value| Value::Text(Arc::from(*value))).ok_or_else(|| self.not_a_choice(text));
        }
        if text.contains(['\n', '\r', '\'']) {
            return Err(self.invalid("it may not hold quotes or line ends"));
        }
        match self {
            Self::DbName => self.check_database_name(text)?,
            Self::NlsNumericCharacters => self.check_numeric_characters(text)?,
            Self::MaxDumpFileSize => {
                dump_file_bytes(text).ok_or_else(|| self.invalid("it is UNLIMITED, or a number with K, M or G"))?;
            }
            Self::TracefileIdentifier => self.check_identifier(text)?,
            _ => {}
        }
        Ok(Value::Text(Arc::from(text)))
    }

    fn check_database_name(self, text: &str) -> Result<()> {
        let mut letters = text.chars();
        let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
        if first && text.len() <= 8 && letters.all(|letter| letter.is_ascii_alphanumeric() || "_$#".contains(letter)) {
            return Ok(());
        }
        Err(self.invalid(format_args!("'{text}' is not a name of 1 to 8 letters, digits, _, $ and #")))
    }

    fn check_numeric_characters(self, text: &str) -> Result<()> {
        let mut characters = text.chars();
        match (characters.next(), characters.next(), characters.next()) {
            (Some(decimal), Some(group), None)
                if decimal != group
                    && [decimal, group].iter().all(|c| !c.is_alphanumeric() && !"+-<>".contains(*c)) =>
            {
                Ok(())
            }
            _ => {
                Err(self
                    .invalid("it takes two different characters, neither of them a digit, a letter or one of + - < >"))
            }
        }
    }

    fn check_identifier(self, text: &str) -> Result<()> {
        if text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-$#".contains(c)) {
            return Ok(());
        }
        Err(self.invalid("it may hold up to 100 letters, digits, _, -, $ and #"))
    }

    fn invalid(self, why: impl fmt::Display) -> Error {
        Error::user(2097, format!("{self} cannot take this value: {why}"))
    }

    fn not_a_choice(self, text: &str) -> Error {
        Error::user(96, format!("'{text}' is not allowed for {self}: one of {}", self.definition().values.join(", ")))
    }
}

/// Bytes that MAX_DUMP_FILE_SIZE allows; a plain number counts blocks of 512 bytes. None where the text is neither a
/// size nor UNLIMITED.
pub(super) fn dump_file_bytes(text: &str) -> Option<u64> {
    if text.eq_ignore_ascii_case("unlimited") {
        return Some(u64::MAX);
    }
    let last = text.chars().last()?.to_ascii_uppercase();
    match SUFFIXES.iter().find(|(letter, _)| *letter == last) {
        Some((_, shift)) => text[..text.len() - 1].parse::<u64>().ok()?.checked_mul(1 << shift),
        None => text.parse::<u64>().ok()?.checked_mul(512),
    }
}

fn unquote(text: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_suffixes_and_keep_to_their_range() {
        assert_eq!(Parameter::DbCacheSize.parse("64M").unwrap(), Value::Integer(64 << 20));
        assert_eq!(Parameter::DbCacheSize.parse(" '2 g' ").unwrap(), Value::Integer(2 << 30));
        assert!(Parameter::DbCacheSize.parse("-1").unwrap_err().is_ora(68));
        assert!(Parameter::DbCacheSize.parse("lots").unwrap_err().is_ora(2097));
        assert!(Parameter::DbCacheSize.parse("9223372036854775807G").unwrap_err().is_ora(2097));
        assert!(Parameter::DbCacheSize.parse("").unwrap_err().is_ora(2097));
        assert_eq!(Parameter::DbBlockSize.parse("16K").unwrap(), Value::Integer(16384));
        assert!(Parameter::DbBlockSize.parse("5000").unwrap_err().is_ora(96));
    }

    #[test]
    fn words_are_matched_without_regard_to_case() {
        assert_eq!(Parameter::FilesystemioOptions.parse("setall").unwrap().to_string(), "SETALL");
        assert!(Parameter::FilesystemioOptions.parse("maybe").unwrap_err().is_ora(96));
        assert_eq!(Parameter::TimedStatistics.parse("false").unwrap(), Value::Boolean(false));
        assert!(Parameter::TimedStatistics.parse("perhaps").unwrap_err().is_ora(2097));
    }

    #[test]
    fn strings_with_a_form_of_their_own_are_checked() {
        assert!(Parameter::DbName.parse("9LIVES").is_err());
        assert!(Parameter::DbName.parse("TOOLONGNAME").is_err());
        assert_eq!(Parameter::NlsNumericCharacters.parse("',.'").unwrap().to_string(), ",.");
        assert!(Parameter::NlsNumericCharacters.parse("..").is_err());
        assert!(Parameter::TracefileIdentifier.parse("../evil").is_err());
        assert!(Parameter::NlsDateFormat.parse("YYYY\nMM").is_err());
        assert_eq!(dump_file_bytes("unlimited"), Some(u64::MAX));
        assert_eq!(dump_file_bytes("10"), Some(5120));
        assert_eq!(dump_file_bytes("10m"), Some(10 << 20));
        assert!(Parameter::MaxDumpFileSize.parse("some").is_err());
    }
}
