//! What `reproduce` gives back: published and measured side by side, and what became of the expectations.
//!
//! `docs/json.md` documents the JSON; [`crate::print`] makes the printed report.

use std::io::{self, Write};

use common::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::expectation::{Expectation, Kind};
use crate::{block_size, freelists, insert_gets};

/// An experiment that can be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
}

/// What stands above an experiment's report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heading<'a> {
    pub(crate) name: &'a str,
    pub(crate) title: &'a str,
    /// What was published, where and on what.
    pub(crate) origin: &'a str,
}

/// The figures of an experiment, published and measured: each has its own.
#[derive(Clone, PartialEq, Debug)]
pub enum Figures {
    InsertGets(insert_gets::Comparison),
    Freelists(freelists::Comparison),
    BlockSize(block_size::Comparison),
}

impl Figures {
    pub(crate) fn heading(&self) -> Heading<'_> {
        match self {
            Self::InsertGets(comparison) => comparison.heading(),
            Self::Freelists(comparison) => comparison.heading(),
            Self::BlockSize(comparison) => comparison.heading(),
        }
    }

    /// The line about what the work was.
    pub(crate) fn print_source(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::InsertGets(comparison) => comparison.print_source(out),
            Self::Freelists(comparison) => comparison.print_source(out),
            Self::BlockSize(comparison) => comparison.print_source(out),
        }
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::InsertGets(comparison) => comparison.print(out),
            Self::Freelists(comparison) => comparison.print(out),
            Self::BlockSize(comparison) => comparison.print(out),
        }
    }

    fn judge(&self) -> Result<Vec<Expectation>> {
        match self {
            Self::InsertGets(comparison) => comparison.judge(),
            Self::Freelists(comparison) => comparison.judge(),
            Self::BlockSize(comparison) => comparison.judge(),
        }
    }

    fn json(&self) -> Map<String, Value> {
        match self {
            Self::InsertGets(comparison) => comparison.json(),
            Self::Freelists(comparison) => comparison.json(),
            Self::BlockSize(comparison) => comparison.json(),
        }
    }
}

/// The whole outcome of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct Reproduction {
    pub figures: Figures,
    pub expectations: Vec<Expectation>,
    /// About the run: what kind of build, what cache, where the traces are.
    pub notes: Vec<String>,
}

impl Reproduction {
    /// Judges the expectations.
    ///
    /// # Errors
    /// ORA-00600 when the data file has an expectation that no judge knows, or figures lack a part.
    pub fn new(figures: Figures, notes: Vec<String>) -> Result<Self> {
        let expectations = figures.judge()?;
        Ok(Self { figures, expectations, notes })
    }

    /// No "exact" expectation is false; undecided ones are no failure.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.expectations.iter().any(|e| e.kind == Kind::Exact && e.holds == Some(false))
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let heading = self.figures.heading();
        let mut document = Map::new();
        document.insert("experiment".to_owned(), json!(heading.name));
        document.insert("title".to_owned(), json!(heading.title));
        document.insert("origin".to_owned(), json!(heading.origin));
        document.extend(self.figures.json());
        document.insert("expectations".to_owned(), json!(self.expectations));
        document.insert("passed".to_owned(), json!(self.passed()));
        document.insert("notes".to_owned(), json!(self.notes));
        Value::Object(document)
    }
}
