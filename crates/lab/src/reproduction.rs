//! What `reproduce` gives back: published and measured side by side, and what became of the expectations.
//!
//! `docs/json.md` documents the JSON; [`crate::print`] makes the printed report.

use common::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::expectation::{Expectation, judge};
use crate::measured::Measured;
use crate::published::{ArmName, Kind, Published};

/// The whole outcome of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct Reproduction {
    pub published: Published,
    pub measured: Measured,
    pub expectations: Vec<Expectation>,
    /// About the run: what kind of build, what cache, where the traces are.
    pub notes: Vec<String>,
}

impl Reproduction {
    /// Judges the expectations.
    ///
    /// # Errors
    /// Those of [`judge`].
    pub fn new(published: Published, measured: Measured, notes: Vec<String>) -> Result<Self> {
        let expectations = judge(&published, &measured)?;
        Ok(Self { published, measured, expectations, notes })
    }

    /// No "exact" expectation is false; undecided ones are no failure.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.expectations.iter().any(|e| e.kind == Kind::Exact && e.holds == Some(false))
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let arms: Vec<Value> = ArmName::ALL
            .into_iter()
            .map(|name| {
                json!({"name": name.as_str(), "published": self.published_arm(name), "measured": self.measured.arm(name)})
            })
            .collect();
        json!({
            "experiment": self.published.name,
            "title": self.published.title,
            "origin": self.published.origin,
            "source": self.measured.source,
            "arms": arms,
            "clustering": self.measured.clustering.as_ref().ok(),
            "expectations": self.expectations,
            "passed": self.passed(),
            "notes": self.notes,
        })
    }

    fn published_arm(&self, name: ArmName) -> Value {
        let statements: Vec<Value> = self
            .published
            .statements
            .iter()
            .map(|statement| {
                let mut object = Map::new();
                object.insert("id".to_owned(), json!(statement.id));
                object
                    .insert("rows".to_owned(), json!(statement.id.ends_with("insert").then_some(self.published.rows)));
                if let Value::Object(figures) = json!(statement.figures.of(name)) {
                    object.extend(figures);
                }
                Value::Object(object)
            })
            .collect();
        json!({"statements": statements, "segments": self.published.segments.of(name)})
    }
}

/// An experiment that can be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
}
