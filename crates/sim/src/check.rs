//! What must hold after a crash.
//!
//! 1. The database opens.
//! 2. What was acknowledged is there, and nothing else: see [`Allowed`].
//! 3. Work can go on, and the database can be closed.
//! 4. [`engine::verify`] finds nothing: each block is in one segment or free, and every block, row and index entry is where it must be.

use std::path::Path;

use common::Result;
use common::sync::Arc;
use engine::instance::{Background, Instance};

use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::disk::{Image, Operation, SimulatedFileSystem};
use crate::workload::{self, Difference, OWNER, Recording, Row, State};

/// The states that a database may be in after a crash: from the one that was acknowledged to the one that was begun.
#[derive(Clone, Debug)]
pub struct Allowed(Vec<State>);

impl Allowed {
    /// What may be there when the crash falls between these states.
    #[must_use]
    pub fn new(recording: &Recording, acknowledged: usize, begun: usize) -> Self {
        Self(recording.states[acknowledged..=begun].to_vec())
    }

    /// Nothing when it is one of the states, else what least tells it from one.
    pub(crate) fn difference(&self, found: &State) -> Difference {
        let size = |difference: &Difference| difference.lost.len() + difference.phantom.len();
        self.0.iter().map(|state| found.difference(state)).min_by_key(size).unwrap_or_default()
    }
}

/// What was found wrong after a crash.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Acknowledged, and not there.
    pub lost: Vec<String>,
    /// There, and never to be.
    pub phantom: Vec<String>,
    /// The database does not open or close, cannot be worked with, or is not in order.
    pub broken: Vec<String>,
}

impl Findings {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.phantom.is_empty() && self.broken.is_empty()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.lost.extend(other.lost);
        self.phantom.extend(other.phantom);
        self.broken.extend(other.broken);
    }
}

/// How thoroughly to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Open and read everything.
    Rows,
    /// Go on working, close, and check every block.
    Blocks,
}

/// What a recovery did.
#[derive(Clone, Default, Debug)]
pub struct Recovery {
    pub operations: Vec<Operation>,
    /// Reads, writes and syncs: what faults are counted by.
    pub counts: [u64; 3],
}

/// Opens the database on an image, and checks it. Also gives what the recovery did to the disk.
#[must_use]
pub fn check(image: Image, allowed: &Allowed, depth: Depth) -> (Findings, Recovery) {
    let files = SimulatedFileSystem::on(image);
    let mut findings = Findings::default();
    let mut recovery = Recovery::default();
    if let Err(error) = look(&files, allowed, depth, &mut findings, &mut recovery) {
        findings.broken.push(error.to_string());
    }
    if recovery.operations.is_empty() {
        recovery.operations = files.take_operations();
    }
    (findings, recovery)
}

/// Opens the database, and has what was recovered written: a second crash may fall into that.
pub(crate) fn recover(files: &SimulatedFileSystem, clock: &Arc<SimulatedClock>) -> Result<Arc<Instance>> {
    let (files, directory) = (Arc::new(files.clone()), Path::new(DIRECTORY));
    let instance = Instance::open_with(files, directory, clock.clone(), None, Background::Inline)?;
    instance.writer_round()?;
    Ok(instance)
}

fn look(
    files: &SimulatedFileSystem,
    allowed: &Allowed,
    depth: Depth,
    findings: &mut Findings,
    recovery: &mut Recovery,
) -> Result<()> {
    let clock = Arc::new(SimulatedClock::default());
    let directory = Path::new(DIRECTORY);
    let instance = recover(files, &clock)?;
    let [reads, writes, syncs, _] = files.counts();
    *recovery = Recovery { operations: files.take_operations(), counts: [reads, writes, syncs] };
    let session = instance.connect(OWNER)?;
    for (name, error) in session.catalog().unusable() {
        findings.broken.push(format!("{name} cannot be used: {error}"));
    }
    let found = workload::read(&session)?;
    findings.broken.extend(workload::bank::wrong_sum(&found));
    let Difference { lost, phantom } = allowed.difference(&found);
    (findings.lost, findings.phantom) = (lost, phantom);
    if depth == Depth::Rows {
        return Ok(());
    }
    let tablespace = instance.tablespaces().all().into_iter().map(|t| t.name().to_owned()).find(|t| t.starts_with('T'));
    if let Some(tablespace) = tablespace {
        workload::create_table(&session, "AFTERWARDS", &tablespace, 10)?;
        let rows: Vec<Row> =
            (0..30_u32).map(|key| vec![Some(key.to_be_bytes().to_vec()), None, Some(vec![7; 90])]).collect();
        workload::insert(&session, "AFTERWARDS", &rows)?;
        session.commit(engine::txn::CommitWrite::default())?;
    }
    drop(session);
    instance.shutdown()?;
    drop(instance);
    let report = engine::verify::verify(Arc::new(files.clone()), directory, clock, None)?;
    findings.broken.extend(report.problems.iter().map(|problem| format!("verify: {problem}")));
    Ok(())
}
