//! Checks of the files after a power failure.
//!
//! 1. The database opens, closes, and opens and closes once more.
//! 2. Each time what was acknowledged is there, and nothing by half.
//! 3. Each time [`engine::verify`] finds nothing.

use std::path::Path;

use common::sync::Arc;
use common::{Clock, SystemClock};
use engine::instance::{Background, Instance};
use sim::disk::{Image, SimulatedFileSystem};

use crate::cells::at_home;
use crate::workload::{self, WorkloadState};

/// Faults of one image.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Findings {
    /// The database does not open, cannot be read or does not close.
    pub closed: Vec<String>,
    /// Acknowledged changes that are missing.
    pub lost: Vec<String>,
    /// Changes there by half, or that no statement made.
    pub half: Vec<String>,
    /// The problems found by `verify`.
    pub problems: Vec<String>,
}

impl Findings {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty() && self.lost.is_empty() && self.half.is_empty() && self.problems.is_empty()
    }

    /// The first finding of each sort.
    #[must_use]
    pub fn first(&self) -> Option<String> {
        let sorts = [("closed", &self.closed), ("lost", &self.lost), ("half", &self.half), ("verify", &self.problems)];
        let told: Vec<String> = sorts
            .into_iter()
            .filter_map(|(sort, found)| Some(format!("{sort} ({}): {}", found.len(), found.first()?)))
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Opens the database in `data` on an image twice, and compares it with the allowed states. Also returns the state
/// found.
#[must_use]
pub fn check(image: Image, data: &Path, allowed: &[WorkloadState]) -> (Findings, Option<usize>) {
    let files = SimulatedFileSystem::on(at_home(image, data));
    let mut findings = Findings::default();
    let mut place = None;
    for round in ["first", "second"] {
        if let Err(error) = open_and_close(&files, data, allowed, &mut findings, &mut place) {
            findings.closed.push(format!("{round} open: {error}"));
        }
        if !findings.is_empty() {
            return (findings, None);
        }
    }
    (findings, place)
}

fn open_and_close(
    files: &SimulatedFileSystem,
    data: &Path,
    allowed: &[WorkloadState],
    findings: &mut Findings,
    place: &mut Option<usize>,
) -> common::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let shared = Arc::new(files.clone());
    let instance = Instance::open_with(shared.clone(), data, clock.clone(), None, Background::Inline)?;
    instance.writer_round()?;
    let session = instance.connect("SYSTEM")?;
    let (found, wrong) = workload::read(&session)?;
    drop(session);
    findings.half.extend(wrong);
    match found.place(allowed) {
        Ok(index) => *place = Some(index),
        Err(difference) => {
            findings.lost.extend(difference.lost);
            findings.half.extend(difference.half);
        }
    }
    instance.shutdown()?;
    drop(instance);
    let report = engine::verify::verify(shared, data, clock, None)?;
    findings.problems.extend(report.problems.iter().map(ToString::to_string));
    Ok(())
}
