//! The result of `reproduce`: published and measured figures side by side, and the verdicts of the expectations.
//!
//! `docs/json.md` documents the JSON; [`super::print`] makes the printed report.

use std::any::Any;

use common::{Error, Result};
use serde_json::{Value, json};

use super::declaration::Comparison;
use super::expectation::{Expectation, ExpectationKind};
use super::merged;
use super::workload::Workload;
use crate::modelled_run::{DeviceReport, member};

/// A part that has run, whatever its workload.
#[derive(Debug)]
pub struct Report {
    pub(super) name: &'static str,
    pub(super) part: Option<&'static str>,
    pub(super) title: String,
    /// The publication, its place and its machine.
    pub(super) origin: String,
    /// Paragraphs about the work: the first word, and the rest.
    pub(super) about: Vec<(&'static str, String)>,
    /// The tables as printed.
    pub(super) tables: Vec<u8>,
    json: Value,
    expectations: Vec<Expectation>,
    pub(super) notes: Vec<String>,
    comparison: Box<dyn Any>,
}

impl<W: Workload> Comparison<W> {
    /// Judged, printed and written as JSON.
    ///
    /// # Errors
    /// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
    pub fn report(self, notes: Vec<String>) -> Result<Report> {
        let declared = self.declaration;
        let mut tables = Vec::new();
        let printed = declared.tables.iter().try_for_each(|table| table.print(&self, &mut tables));
        printed.map_err(|error| Error::bug(format!("a table: {error}")))?;
        let arms: Vec<Value> = self.measured.arms.iter().map(|arm| (declared.arm_json)(&self, arm)).collect();
        let own = merged([(declared.members)(&self), json!({"arms": arms})]);
        let own = declared.part.map_or(own.clone(), |part| json!({part: own}));
        Ok(Report {
            name: declared.name,
            part: declared.part,
            title: self.published.title.clone(),
            origin: self.published.origin.clone(),
            about: (declared.about)(&self),
            tables,
            json: merged([own, (declared.document)(&self)]),
            expectations: self.judge()?,
            notes,
            comparison: Box::new(self),
        })
    }
}

/// The whole outcome of an experiment.
#[derive(Debug)]
pub struct Reproduction {
    pub(super) parts: Vec<Report>,
    pub expectations: Vec<Expectation>,
    /// About the run: the kind of build, the cache, the place of the traces.
    pub notes: Vec<String>,
    /// None: it ran on the machine's own devices.
    pub device: Option<DeviceReport>,
}

impl Reproduction {
    /// From the parts that have run, at least one. A note of several parts is printed once.
    #[must_use]
    pub fn new(parts: Vec<Report>) -> Self {
        let expectations = parts.iter().flat_map(|part| part.expectations.clone()).collect();
        let mut notes: Vec<String> = Vec::new();
        for note in parts.iter().flat_map(|part| &part.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        Self { parts, expectations, notes, device: None }
    }

    /// The same with what the run on modelled devices says. One that cannot judge leaves all expectations undecided.
    #[must_use]
    pub fn on(mut self, device: DeviceReport) -> Self {
        if let Some(why) = device.refusal() {
            for expectation in &mut self.expectations {
                expectation.holds = None;
                expectation.because = Some(format!("cannot judge: {why}"));
            }
        }
        self.device = Some(device);
        self
    }

    /// The figures of the part that has this workload; None where it did not run.
    #[must_use]
    pub fn of<W: Workload>(&self) -> Option<&Comparison<W>> {
        self.parts.iter().find_map(|part| part.comparison.downcast_ref())
    }

    /// No "exact" expectation is false; undecided ones are no failure.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.expectations.iter().any(|e| e.kind == ExpectationKind::Exact && e.holds == Some(false))
    }

    /// The document of `--json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let head =
            self.parts.first().map(|part| json!({"experiment": part.name, "title": part.title, "origin": part.origin}));
        let parts = self.parts.iter().map(|part| part.json.clone());
        let tail = json!({"expectations": self.expectations, "passed": self.passed(), "notes": self.notes});
        merged(head.into_iter().chain(parts).chain([tail, member(self.device.as_ref())]))
    }
}
