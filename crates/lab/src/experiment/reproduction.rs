//! What `reproduce` gives back: published and measured side by side, and what became of the expectations.
//!
//! `docs/json.md` documents the JSON; [`super::print`] makes the printed report.

use std::any::Any;
use std::fmt::Debug;
use std::io::{self, Write};

use common::Result;
use serde_json::{Map, Value, json};

use super::declaration::Comparison;
use super::expectation::{Expectation, Kind};
use super::workload::Workload;

/// Published and measured, whatever the experiment.
pub trait Report: Debug {
    /// Title and origin, as published.
    fn heading(&self) -> [&str; 2];
    /// Of the part, where the experiment has several.
    fn part(&self) -> Option<&'static str>;
    /// Paragraphs about the work: the first word, and the rest.
    fn about(&self) -> Vec<(&'static str, String)>;
    /// Prints the tables.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    fn print(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Judges the expectations.
    ///
    /// # Errors
    /// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
    fn expectations(&self) -> Result<Vec<Expectation>>;
    /// Adds its members to the document.
    fn add_json(&self, document: &mut Map<String, Value>);
    /// For [`Reproduction::of`].
    fn as_any(&self) -> &dyn Any;
}

impl<W: Workload> Report for Comparison<W> {
    fn heading(&self) -> [&str; 2] {
        [&self.published.title, &self.published.origin]
    }

    fn part(&self) -> Option<&'static str> {
        self.declaration.part
    }

    fn about(&self) -> Vec<(&'static str, String)> {
        (self.declaration.about)(self)
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        self.declaration.tables.iter().try_for_each(|table| table.print(self, out))
    }

    fn expectations(&self) -> Result<Vec<Expectation>> {
        self.judge()
    }

    fn add_json(&self, document: &mut Map<String, Value>) {
        let mut own = (self.declaration.members)(self);
        let arms = self.measured.arms.iter().map(|arm| (self.declaration.arm_json)(self, arm));
        own.insert("arms".to_owned(), arms.collect());
        match self.declaration.part {
            Some(part) => {
                document.insert(part.to_owned(), Value::Object(own));
            }
            None => document.extend(own),
        }
        document.extend((self.declaration.document)(self));
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The whole outcome of an experiment.
#[derive(Debug)]
pub struct Reproduction {
    pub name: &'static str,
    /// At least one.
    parts: Vec<Box<dyn Report>>,
    pub expectations: Vec<Expectation>,
    /// About the run: what kind of build, what cache, where the traces are.
    pub notes: Vec<String>,
}

impl Reproduction {
    /// Judges the expectations of parts that have run.
    ///
    /// # Errors
    /// ORA-00600 when a data file has an expectation that no judge knows, or figures lack an arm.
    pub fn new(name: &'static str, parts: Vec<Box<dyn Report>>, notes: Vec<String>) -> Result<Self> {
        let judged = parts.iter().map(|part| part.expectations()).collect::<Result<Vec<_>>>()?;
        Ok(Self { name, parts, expectations: judged.concat(), notes })
    }

    /// The same of an experiment that has one part.
    ///
    /// # Errors
    /// As [`Reproduction::new`].
    pub fn of_one<W: Workload>(comparison: Comparison<W>, notes: Vec<String>) -> Result<Self> {
        Self::new(comparison.declaration.name, vec![Box::new(comparison)], notes)
    }

    /// The figures of the part that has this workload; None where it did not run.
    #[must_use]
    pub fn of<W: Workload>(&self) -> Option<&Comparison<W>> {
        self.parts.iter().find_map(|part| part.as_any().downcast_ref())
    }

    /// The parts that have run.
    pub(super) fn parts(&self) -> impl Iterator<Item = &dyn Report> {
        self.parts.iter().map(AsRef::as_ref)
    }

    /// Title and origin, as published.
    pub(super) fn heading(&self) -> [&str; 2] {
        self.parts.first().map_or([""; 2], |part| part.heading())
    }

    /// No "exact" expectation is false; undecided ones are no failure.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.expectations.iter().any(|e| e.kind == Kind::Exact && e.holds == Some(false))
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let [title, origin] = self.heading();
        let mut document = Map::new();
        document.insert("experiment".to_owned(), json!(self.name));
        document.insert("title".to_owned(), json!(title));
        document.insert("origin".to_owned(), json!(origin));
        self.parts.iter().for_each(|part| part.add_json(&mut document));
        document.insert("expectations".to_owned(), json!(self.expectations));
        document.insert("passed".to_owned(), json!(self.passed()));
        document.insert("notes".to_owned(), json!(self.notes));
        Value::Object(document)
    }
}
