//! The definition of a parameter: its name, type, range and the statements that may change it.

use std::fmt;

use common::{Error, Result};

use super::Value;

include!(concat!(env!("OUT_DIR"), "/parameters.rs"));

/// The type of a parameter's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterType {
    Integer,
    /// A number of bytes, which may be written with a suffix K, M, G or T.
    BigInteger,
    Boolean,
    String,
}

impl ParameterType {
    /// The number in V$PARAMETER.TYPE.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Boolean => 1,
            Self::String => 2,
            Self::Integer => 3,
            Self::BigInteger => 6,
        }
    }
}

impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "integer",
            Self::BigInteger => "big integer",
            Self::Boolean => "boolean",
            Self::String => "string",
        })
    }
}

/// Effect of ALTER SYSTEM on a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemChange {
    /// The running instance takes the new value.
    Immediate,
    /// Only the parameter file takes it; the next start reads it.
    Restart,
    /// Settled when the database was created.
    Fixed,
}

/// Effect of a value that is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Code reads the value and acts on it.
    Read,
    /// These values have no effect; with an empty list no value has any. `why` says what happens instead.
    None { values: &'static [&'static str], why: &'static str },
}

/// A declaration from `parameters.toml`.
#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    pub parameter_type: ParameterType,
    pub default: &'static str,
    /// Smallest and largest number allowed.
    pub range: Option<(i64, i64)>,
    /// The only words allowed; empty where any word is.
    pub values: &'static [&'static str],
    /// True: ALTER SESSION may change it.
    pub session: bool,
    pub system: SystemChange,
    pub effect: Effect,
    /// Rule by which the instance works out the value while the default stands; None where it does not.
    pub derived: Option<&'static str>,
    pub description: &'static str,
}

impl Parameter {
    #[must_use]
    pub fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// The name in lower case, as in the parameter file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// The parameter called `name`, in any case.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ALL.binary_search_by(|parameter| parameter.name().cmp(&name)).ok().map(|at| Self::ALL[at])
    }

    /// A sentence for the user who sets this parameter to a value without effect; None where the value has its effect.
    #[must_use]
    pub fn without_effect(self, value: &Value) -> Option<String> {
        match self.definition().effect {
            Effect::None { values, why } if values.is_empty() || values.contains(&&*value.to_string()) => {
                Some(format!("{self} = {value} is without effect. {why}"))
            }
            _ => None,
        }
    }

    /// As [`Parameter::find`], for a parameter that a statement names.
    ///
    /// # Errors
    /// ORA-02248 where there is no such parameter.
    pub fn named(name: &str) -> Result<Self> {
        Self::find(name)
            .ok_or_else(|| Error::user(2248, format!("there is no parameter {}", name.to_ascii_lowercase())))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_found_by_name_and_its_default_is_legal() {
        for (number, parameter) in Parameter::ALL.into_iter().enumerate() {
            assert_eq!(parameter as usize, number);
            assert_eq!(Parameter::find(&parameter.name().to_uppercase()), Some(parameter));
            parameter.parse(parameter.definition().default).unwrap();
        }
        assert!(Parameter::named("no_such_parameter").unwrap_err().is_ora(2248));
        assert_eq!(Parameter::WalkInsertThreshold.name(), "_walk_insert_threshold");
    }

    #[test]
    fn setting_a_parameter_without_effect_says_so() {
        let told = |parameter: Parameter, text: &str| parameter.without_effect(&parameter.parse(text).unwrap());
        let notice = told(Parameter::DbBlockChecksum, "off").unwrap();
        assert!(notice.starts_with("db_block_checksum = OFF is without effect. "), "{notice}");
        assert_eq!(told(Parameter::DbBlockChecksum, "typical"), None);
        assert_eq!(told(Parameter::SqlTrace, "true"), None);
    }

    #[test]
    fn values_without_effect_are_legal_ones() {
        for parameter in Parameter::ALL {
            if let Effect::None { values, .. } = parameter.definition().effect {
                values.iter().for_each(|value| assert!(parameter.parse(value).is_ok(), "{parameter} = {value}"));
            }
        }
    }
}
