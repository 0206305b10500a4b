//! Expectations: what has to come out of an experiment, and what became of it.
//!
//! The data file of an experiment lists them; a judge of the experiment's own finds by an expectation's id whether it holds. `holds` is None where the run could
//! not decide it, and the text then says why. Judges see figures only; they run nothing.

use common::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether a false expectation fails the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Must hold.
    Exact,
    /// Says what the comparison looks like; a false one is news, not a failure.
    Shape,
}

/// What has to come out.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct ExpectationSpec {
    pub id: String,
    pub kind: Kind,
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

    /// ORA-00600: the data file has an expectation that no judge knows.
    pub(crate) fn unknown(&self) -> Error {
        Error::bug(format!("no judge for the expectation '{}'", self.id))
    }

    /// With what was found.
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

/// An expectation and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Expectation {
    pub id: String,
    pub text: String,
    pub kind: Kind,
    pub published: Value,
    pub measured: Value,
    /// None: undecided, and `because` says why.
    pub holds: Option<bool>,
    /// The figures in words, for the printed report.
    pub figures: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Why it shows less than its text says in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakened: Option<String>,
}

/// What a judge finds.
pub(crate) struct Finding {
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
