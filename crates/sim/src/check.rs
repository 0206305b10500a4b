//! Checks after a crash.
//!
//! 1. The database opens.
//! 2. What was acknowledged is there, and nothing else: see [`Allowed`].
//! 3. Work can go on, in every tablespace for undo too, and the database can be closed, and opened once more.
//! 4. [`engine::verify`] finds nothing: each block is in one segment or free, and every block, row and index entry is
//!    where it must be.

use std::path::Path;

use common::sync::Arc;
use common::{Error, Result};
use engine::instance::{Background, Instance, Session};
use storage::control::TablespaceKind;
use storage::parameters::{Parameter, Scope};
use storage::tablespace::Tablespace;
use storage::txn::CommitWrite;

use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::database::Database;
use crate::disk::{Image, Operation, SimulatedFileSystem};
use crate::workload::{self, Difference, OWNER, Recording, Row, WorkloadState};

/// The states allowed after a crash: for each part, from the acknowledged one to the one begun.
#[derive(Clone, Debug)]
pub struct Allowed {
    parts: Vec<Vec<WorkloadState>>,
    pub(crate) database: Database,
}

impl Allowed {
    /// The states allowed when the crash falls before the operation of this number.
    #[must_use]
    pub fn new(recording: &Recording, place: usize) -> Self {
        let known = recording.known_at(place);
        let created = known[0].0 >= recording.existing;
        let database = Database { options: recording.options.clone(), created, background: Background::Inline };
        Self::of(&recording.parts, &known, database)
    }

    /// The states allowed among these, given the numbers acknowledged and begun of each part.
    pub(crate) fn of(states: &[Vec<WorkloadState>], known: &[(usize, usize)], database: Database) -> Self {
        let parts = states.iter().zip(known).map(|(states, (from, to))| states[*from..=*to].to_vec()).collect();
        Self { parts, database }
    }

    /// Empty when it is one of the states, else the smallest difference to one.
    pub(crate) fn difference(&self, found: &WorkloadState) -> Difference {
        let size = |difference: &Difference| difference.lost.len() + difference.phantom.len();
        let mut all = Difference::default();
        for (number, states) in self.parts.iter().enumerate() {
            let found = workload::part::of(found, number, self.parts.len());
            let least = states.iter().map(|state| found.difference(state)).min_by_key(size).unwrap_or_default();
            all.lost.extend(least.lost);
            all.phantom.extend(least.phantom);
        }
        all
    }
}

/// Faults found after a crash.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Acknowledged changes that are missing.
    pub lost: Vec<String>,
    /// Changes that were never made.
    pub phantom: Vec<String>,
    /// The database does not open or close, cannot be used, or is not sound.
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

/// Thoroughness of the check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Open and read everything.
    Rows,
    /// Go on working, close, check every block, and open once more.
    Blocks,
    /// The same without any work.
    Idle,
}

/// The figures of a recovery.
#[derive(Clone, Default, Debug)]
pub struct Recovery {
    pub operations: Vec<Operation>,
    /// Counts of reads, writes and syncs, for the choice of faults.
    pub counts: [u64; 3],
}

/// Opens the database on an image, and checks it. Also returns the recovery's operations on the disk.
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

/// Opens the database, and has the recovered blocks written: a second crash may fall into that.
pub(crate) fn recover(
    files: &SimulatedFileSystem,
    clock: &Arc<SimulatedClock>,
    database: &Database,
) -> Result<Arc<Instance>> {
    let instance = database.open(files, clock)?;
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
    let instance = recover(files, &clock, &allowed.database)?;
    let [reads, writes, syncs, _] = files.counts();
    *recovery = Recovery { operations: files.take_operations(), counts: [reads, writes, syncs] };
    instance.check_invariants()?;
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
    let mut expected = found;
    if depth == Depth::Blocks {
        work(&instance, &session)?;
        expected = workload::read(&session)?;
    }
    instance.check_invariants()?;
    drop(session);
    instance.shutdown()?;
    drop(instance);
    let report = engine::verify::verify(Arc::new(files.clone()), directory, clock.clone(), None)?;
    findings.broken.extend(report.problems.iter().map(|problem| format!("verify: {problem}")));
    let instance = Instance::open_with(Arc::new(files.clone()), directory, clock, None, Background::Inline)
        .map_err(|error| Error::bug(format!("opened a second time: {error}")))?;
    let difference = workload::read(&instance.connect(OWNER)?)?.difference(&expected);
    if !difference.is_empty() {
        findings.broken.push(format!("opened a second time: {difference:?}"));
    }
    Ok(())
}

/// Makes and fills a table, and inserts a row with undo in each undo tablespace.
fn work(instance: &Arc<Instance>, session: &Arc<Session>) -> Result<()> {
    let all = instance.tablespaces().all();
    let is_ours = |t: &&Arc<Tablespace>| t.kind() == TablespaceKind::Permanent && t.name().starts_with(['T', 'X']);
    let Some(tablespace) = all.iter().find(is_ours).map(|t| t.name().to_owned()) else { return Ok(()) };
    workload::create_table(session, "AFTERWARDS", &tablespace, 10)?;
    let rows: Vec<Row> =
        (0..30_u32).map(|key| vec![Some(key.to_be_bytes().to_vec()), None, Some(vec![7; 90])]).collect();
    workload::insert(session, "AFTERWARDS", &rows)?;
    session.commit(CommitWrite::default())?;
    let current = instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
    for (n, undo) in all.iter().filter(|t| t.kind() == TablespaceKind::Undo && t.name() != current).enumerate() {
        session.alter_system(Parameter::UndoTablespace.name(), undo.name(), Scope::Both)?;
        let key = (1000 + n as u32).to_be_bytes().to_vec();
        workload::insert(session, "AFTERWARDS", &[vec![Some(key), None, None]])?;
        session.commit(CommitWrite::default())?;
    }
    Ok(())
}
