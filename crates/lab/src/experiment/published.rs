//! Published figures and expectations, from an experiment's data file.
//!
//! The files lie in `experiments/` and are part of the binary. Judges and printers read them; nothing that is measured
//! does.

use common::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toml::Table;

use super::expectation::ExpectationSpec;
use super::factor::Factor;
use super::setting::Setting;

/// The published figures of an arm.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedArm<K> {
    pub setting: Setting,
    pub known: K,
}

/// A data file, or a part of it. `K`: the figures of an arm; `P`: figures that no arm has.
#[derive(Clone, PartialEq, Debug)]
pub struct Published<K, P> {
    pub title: String,
    /// The publication, its place and its machine.
    pub origin: String,
    pub arms: Vec<PublishedArm<K>>,
    pub expectations: Vec<ExpectationSpec>,
    pub paper: P,
}

impl<K: DeserializeOwned, P: DeserializeOwned> Published<K, P> {
    /// Reads a data file; of a file with parts, the one of this name.
    ///
    /// # Errors
    /// ORA-00600 when the file in the binary lacks something: it is tested that it does not.
    pub fn read(text: &str, part: Option<&str>, factors: &'static [&'static Factor]) -> Result<Self> {
        let wrong = |what: &dyn std::fmt::Display| Error::bug(format!("a data file in experiments/: {what}"));
        let file: Table = toml::from_str(text).map_err(|error| wrong(&error))?;
        let word = |key: &str| file.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let (title, origin) = word("title").zip(word("origin")).ok_or_else(|| wrong(&"no title, or no origin"))?;
        let own = part.map_or(Some(&file), |part| file.get(part).and_then(toml::Value::as_table));
        let own = own.ok_or_else(|| wrong(&"it lacks a part"))?;
        let tables = |key: &str| own.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        let arm = |arm: &toml::Value| {
            let table = arm.as_table().ok_or_else(|| wrong(&"an arm is no table"))?;
            let known = table.clone().try_into().map_err(|error| wrong(&error))?;
            Ok(PublishedArm { setting: Setting::read(factors, table)?, known })
        };
        let spec = |spec: &toml::Value| spec.clone().try_into().map_err(|error| wrong(&error));
        Ok(Self {
            title,
            origin,
            arms: tables("arm").map(arm).collect::<Result<_>>()?,
            expectations: tables("expectation").map(spec).collect::<Result<_>>()?,
            paper: own.clone().try_into().map_err(|error| wrong(&error))?,
        })
    }
}

impl<K, P> Published<K, P> {
    /// The published figures of an arm.
    ///
    /// # Errors
    /// ORA-00600 when the arm has none.
    pub fn arm(&self, setting: Setting) -> Result<&K> {
        let found = self.arms.iter().find(|arm| arm.setting.is_arm(&setting)).map(|arm| &arm.known);
        found.ok_or_else(|| Error::bug(format!("no published figures of '{}'", setting.name())))
    }

    /// The figures of an arm and its setting as one JSON object; null without published figures.
    #[must_use]
    pub fn json(&self, setting: Setting) -> Value
    where
        K: Serialize,
    {
        let Ok(known) = self.arm(setting) else { return Value::Null };
        super::merged([json!(setting), json!(known)])
    }
}
