//! Factors: the differences of the arms of an experiment, some of which a sweep may change.

use std::fmt::{self, Formatter};

use common::Result;
use serde_json::{Value, json};

use super::options::wrong_use;
use super::setting::Setting;

/// Allowed values of a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Whole numbers, both ends included.
    Range(u32, u32),
    /// These numbers.
    OneOf(&'static [u32]),
    /// These words; a value is the place of its word.
    Words(&'static [&'static str]),
    /// 0 is off, 1 is on.
    Switch,
}

/// Use of a factor in a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing: only the arms set it.
    Fixed,
    /// Every sweep has all its values; each is a line of a chart.
    Line,
    /// Several values make a sweep over it, the other factors at their least value meanwhile. One value is that of all
    /// points.
    Swept,
    /// Several values multiply the points of the other sweeps. One value is that of all arms and makes no sweep.
    Crossed,
}

/// Place of a factor in an arm's name and in its JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    Always,
    /// Only with another value than its default.
    Changed,
    /// It has a column of its own.
    Apart,
}

/// A factor as an experiment declares it.
#[derive(Clone, Copy)]
pub struct Factor {
    /// Column of a CSV file, name in JSON and, with dashes, option of the command line.
    pub key: &'static str,
    /// The name in headings and errors: `FREELIST GROUPS`.
    pub name: &'static str,
    /// The letter before its value in the short names of arms.
    pub short: &'static str,
    pub values: Values,
    /// None: the object of which it is an attribute is absent.
    pub default: Option<u32>,
    /// Unit of its values; empty for words, switches and plain numbers.
    pub unit: &'static str,
    /// The reason for looking at it.
    pub why: &'static str,
    pub role: Role,
    pub shown: Shown,
    /// A value in the names of arms.
    pub words: fn(u32) -> String,
    /// True: it has a meaning in the setting.
    pub counts: fn(&Setting) -> bool,
    /// Words in the labels of a sweep for a value without a meaning.
    pub ignored: &'static str,
}

impl Factor {
    /// A number that counts everywhere, that a sweep may change, and that an arm's name has.
    #[must_use]
    pub const fn number(key: &'static str, name: &'static str, values: Values, default: Option<u32>) -> Self {
        Self {
            key,
            name,
            short: "",
            values,
            default,
            unit: "",
            why: "",
            role: Role::Swept,
            shown: Shown::Always,
            words: |value| value.to_string(),
            counts: |_| true,
            ignored: "",
        }
    }

    /// The option of the command line, without its dashes.
    #[must_use]
    pub fn option(&self) -> String {
        self.key.replace('_', "-")
    }

    /// All values; only the ends of a range.
    #[must_use]
    pub fn all(&self) -> Vec<u32> {
        match self.values {
            Values::Range(least, most) => vec![least, most],
            Values::OneOf(values) => values.to_vec(),
            Values::Words(words) => (0..words.len() as u32).collect(),
            Values::Switch => vec![0, 1],
        }
    }

    /// Checks that the factor can have this value.
    ///
    /// # Errors
    /// HW-0003, with the range, when it cannot.
    pub fn check(&self, value: u32) -> Result<u32> {
        let (fits, range) = match self.values {
            Values::Range(least, most) => ((least..=most).contains(&value), format!("{least} to {most}")),
            Values::OneOf(values) => (values.contains(&value), list(values.iter())),
            Values::Words(words) => ((value as usize) < words.len(), list(words.iter())),
            Values::Switch => (value < 2, "0 or 1".to_owned()),
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        if fits { Ok(value) } else { Err(wrong_use(format!("{} may be {range}{unit}, not {value}", self.name))) }
    }

    /// A value as JSON: a word, a truth value or a number; null without a value.
    #[must_use]
    pub fn json(&self, value: Option<u32>) -> Value {
        match (value, self.values) {
            (None, _) => Value::Null,
            (Some(value), Values::Words(words)) => json!(words.get(value as usize)),
            (Some(value), Values::Switch) => json!(value != 0),
            (Some(value), _) => json!(value),
        }
    }

    /// The value that a data file gives; None where it says nothing, or nothing that the factor can be.
    #[must_use]
    pub fn read(&self, value: &toml::Value) -> Option<u32> {
        let found = match self.values {
            Values::Words(words) => words.iter().position(|word| value.as_str() == Some(word))? as u32,
            Values::Switch => u32::from(value.as_bool()?),
            Values::Range(..) | Values::OneOf(_) => u32::try_from(value.as_integer()?).ok()?,
        };
        self.check(found).ok()
    }
}

impl PartialEq for Factor {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Factor {}

impl fmt::Debug for Factor {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "Factor({})", self.key)
    }
}

fn list<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}
