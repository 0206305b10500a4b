//! Expectations of an experiment, and their verdicts.
//!
//! The data file of an experiment lists them; the judge that the experiment declares for an id finds the verdict.
//! `holds` is None if the run could not decide it, and the text then gives the reason. Judges see figures only; they
//! run nothing.

use common::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kind of an expectation: a false one fails the run, or does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectationKind {
    /// Must hold.
    Exact,
    /// Describes the comparison; a false one is news, not a failure.
    Shape,
}

/// An expectation of the data file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct ExpectationSpec {
    pub id: String,
    pub kind: ExpectationKind,
    pub text: String,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl ExpectationSpec {
    /// Both ends of the range.
    ///
    /// # Errors
    /// ORA-00600 when the data file has none.
    pub(crate) fn bounds(&self) -> Result<(f64, f64)> {
        self.low.zip(self.high).ok_or_else(|| Error::bug(format!("the expectation '{}' has no range", self.id)))
    }

    /// The lower end of a range that has no other.
    ///
    /// # Errors
    /// ORA-00600 when the data file has none.
    pub(crate) fn least(&self) -> Result<f64> {
        self.low.ok_or_else(|| Error::bug(format!("the expectation '{}' has no lower end", self.id)))
    }

    /// The upper end of a range that has no other.
    ///
    /// # Errors
    /// ORA-00600 when the data file has none.
    pub(crate) fn most(&self) -> Result<f64> {
        self.high.ok_or_else(|| Error::bug(format!("the expectation '{}' has no upper end", self.id)))
    }

    /// Adds the finding.
    pub(crate) fn judged(&self, found: Finding) -> Expectation {
        Expectation {
            id: self.id.clone(),
            text: self.text.clone(),
            kind: self.kind,
            published: found.published,
            measured: found.measured,
            holds: found.holds,
            figures: found.figures,
            because: found.because,
            weakened: found.weakened,
        }
    }
}

/// An expectation and its verdict.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Expectation {
    pub id: String,
    pub text: String,
    pub kind: ExpectationKind,
    pub published: Value,
    pub measured: Value,
    /// None: undecided, and `because` says why.
    pub holds: Option<bool>,
    /// The figures in words, for the printed report.
    pub figures: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The reason why it shows less than its text says in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakened: Option<String>,
}

/// The finding of a judge.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub(crate) published: Value,
    pub(crate) measured: Value,
    pub(crate) figures: String,
    pub(crate) holds: Option<bool>,
    because: Option<String>,
    weakened: Option<String>,
}

impl Finding {
    pub(crate) fn new(published: Value, measured: Value, figures: String, holds: bool) -> Self {
        Self { published, measured, figures, holds: Some(holds), because: None, weakened: None }
    }

    /// The run shows less than the expectation's text says.
    pub(crate) fn weakened(mut self, why: String) -> Self {
        self.weakened = Some(why);
        self
    }

    pub(crate) fn undecided(mut self, because: impl Into<String>) -> Self {
        self.holds = None;
        self.because = Some(because.into());
        self
    }
}

/// The findings of a judge arm by arm, put together: all of them must hold.
#[derive(Debug)]
pub(crate) struct Tally {
    published: Vec<Value>,
    measured: Vec<Value>,
    words: Vec<String>,
    holds: bool,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { published: Vec::new(), measured: Vec::new(), words: Vec::new(), holds: true }
    }

    /// Adds one arm: JSON of its published (null: none) and measured figures, both in words, and its verdict.
    pub(crate) fn add(&mut self, published: Value, measured: Value, words: String, holds: bool) {
        self.published.push(published);
        self.measured.push(measured);
        self.words.push(words);
        self.holds &= holds;
    }

    /// The finding, with `head` before the words; `published` is null where no arm had any.
    pub(crate) fn finding(self, head: &str) -> Finding {
        let any = self.published.iter().any(|published| !published.is_null());
        let published = if any { Value::Array(self.published) } else { Value::Null };
        Finding::new(published, Value::Array(self.measured), format!("{head}{}", self.words.join("; ")), self.holds)
    }
}
