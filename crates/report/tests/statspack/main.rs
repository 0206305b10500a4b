//! Snapshots of this engine: their rows, the report that two of them make, its text, and what is read and found in
//! that.

#![expect(clippy::unwrap_used, reason = "a test")]

mod example;
mod made_up;
mod metered;
mod page;
mod recomputed;
mod reference;
mod refused;
mod round_trip;
mod tables;

use report::statspack::{Snapshot, difference};

/// The report of two snapshots as text.
fn printed(begin: &Snapshot, end: &Snapshot) -> String {
    let report = difference(begin, end).unwrap();
    let mut text = Vec::new();
    report::write::statspack(&report, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}
