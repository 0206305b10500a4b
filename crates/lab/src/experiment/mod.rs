//! Experiments: declared once, run, judged, printed and drawn in one way.
//!
//! See README.md.

mod chart;
mod csv;
pub mod declaration;
pub mod expectation;
pub mod factor;
pub mod figure;
pub mod measured;
pub mod options;
mod page;
pub mod plan;
pub mod print;
pub mod published;
pub mod registry;
pub mod reproduction;
mod runner;
pub mod setting;
pub mod sweep;
pub mod table;
#[cfg(test)]
mod tests;
pub mod workload;

use serde_json::{Map, Value};

/// An arm of a workload.
pub type ArmOf<W> = measured::Arm<<W as workload::Workload>::Run>;

/// The members of several JSON objects in one; other values are skipped.
pub(crate) fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Map::new();
    for object in objects {
        if let Value::Object(members) = object {
            all.extend(members);
        }
    }
    Value::Object(all)
}
