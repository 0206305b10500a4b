//! Recoveries in which the disk fails.
//!
//! The open is refused, or the instance stops, with an error and its cause; or it goes on, and then all acknowledged
//! changes are there. An unreadable disk yields no invented data and loses none: the next recovery, on a repaired disk,
//! finds what the first should have found.

use common::sync::Arc;
use common::{ErrorKind, Result, Seeded};

use crate::check::{Allowed, Findings, recover};
use crate::clock::SimulatedClock;
use crate::disk::{Fault, Image, Operation, SimulatedFileSystem};
use crate::workload::{self, Difference, OWNER};

/// The outcome of a recovery with faults.
#[derive(Clone, Default, Debug)]
pub(crate) struct Faulty {
    pub(crate) operations: Vec<Operation>,
    /// True: it reached a fault.
    pub(crate) happened: bool,
    /// True: it ended with an error.
    pub(crate) refused: bool,
}

/// Chooses faults for a recovery that makes so many reads, writes and syncs without any.
pub(crate) fn choose([reads, writes, syncs]: [u64; 3], random: &mut Seeded) -> Vec<Fault> {
    let mut one_of = |count: u64| 1 + random.below(count.max(1));
    let (read, write, sync) = (one_of(reads), one_of(writes), one_of(syncs));
    match random.below(8) {
        0 => vec![Fault::Read(read)],
        // Failed large reads are repeated in small pieces.
        1..=3 => vec![Fault::Read(read), Fault::Read(read + 1)],
        4 => vec![Fault::ReadsFrom(read)],
        5 | 6 => vec![Fault::Write(write)],
        _ => vec![Fault::Sync(sync)],
    }
}

/// Recovers a database under faults, and reads it.
pub(crate) fn check_faulty(image: Image, allowed: &Allowed, faults: &[Fault]) -> (Findings, Faulty) {
    let files = SimulatedFileSystem::on(image);
    faults.iter().for_each(|fault| files.plan(*fault));
    let mut findings = Findings::default();
    let result = look(&files, allowed, &mut findings);
    if let Err(error) = &result
        && error.kind == ErrorKind::Bug
    {
        findings.broken.push(format!("a failing disk is said to be an internal error: {error}"));
    }
    let (operations, happened) = (files.take_operations(), !files.happened().is_empty());
    if result.is_err() && !happened {
        findings.broken.push("an error without a fault".to_owned());
    }
    (findings, Faulty { operations, happened, refused: result.is_err() })
}

fn look(files: &SimulatedFileSystem, allowed: &Allowed, findings: &mut Findings) -> Result<()> {
    let instance = recover(files, &Arc::new(SimulatedClock::default()), &allowed.database)?;
    let session = instance.connect(OWNER)?;
    // Unreadable parts of the dictionary are reported on use.
    if let Some((_, error)) = session.catalog().unusable().next() {
        return Err(error.clone());
    }
    let found = workload::read(&session)?;
    findings.broken.extend(workload::bank::wrong_sum(&found));
    let Difference { lost, phantom } = allowed.difference(&found);
    findings.lost.extend(lost);
    findings.phantom.extend(phantom);
    Ok(())
}
