//! Where sums are written down: each with its formula and the inputs it was made from, so that nobody has to believe a
//! figure.

use std::collections::BTreeMap;

use crate::analysis::{Input, Sum};

/// The named figures and how they came about, in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) figures: BTreeMap<&'static str, f64>,
    pub(crate) sums: Vec<Sum>,
    /// What was refused or assumed on the way.
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

/// An input of a sum: what it is called, its value and unit, the section it stands in.
pub(crate) fn input(name: &str, value: f64, unit: &'static str, section: &str) -> Input {
    Input { name: name.to_owned(), value, unit, section: section.to_owned() }
}
