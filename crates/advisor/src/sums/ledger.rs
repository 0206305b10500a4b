//! The list of sums, each with its formula and its inputs, so that a reader can check every figure.

use std::collections::BTreeMap;

use crate::analysis::{Input, Sum};

/// The named figures and how they came about, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) figures: BTreeMap<&'static str, f64>,
    pub(crate) sums: Vec<Sum>,
    /// Figures that were refused or assumed.
    pub(crate) notes: Vec<String>,
}

impl Ledger {
    /// Enters a sum. A value that is not finite is no figure and is left out.
    pub(crate) fn enter(&mut self, name: &'static str, value: f64, formula: &'static str, inputs: Vec<Input>) {
        if value.is_finite() {
            self.figures.insert(name, value);
            self.sums.push(Sum { name, value, formula, inputs });
        }
    }

    /// Enters a figure that stands in the file as it is.
    pub(crate) fn figure(&mut self, name: &'static str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.figures.insert(name, value);
        }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// An input of a sum: its name, value and unit, and its section.
pub(crate) fn input(name: &str, value: f64, unit: &'static str, section: &str) -> Input {
    Input { name: name.to_owned(), value, unit, section: section.to_owned() }
}
