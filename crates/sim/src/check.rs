//! What must hold after a crash.
//!
//! 1. The database opens.
//! 2. What was acknowledged is there, and nothing else: see [`Allowed`].
//! 3. Work can go on, and the database can be closed.
//! 4. [`engine::verify`] finds nothing: each block is in one segment or free, and every block, row and index entry is where it must be.

use std::collections::BTreeSet;
use std::path::Path;

use common::Result;
use common::sync::Arc;
use engine::instance::{Background, Instance};

use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::disk::{Image, Operation, SimulatedFileSystem};
use crate::workload::{self, Difference, Kind, OWNER, Recording, Row, State, TRANSACTIONS};

/// The states that a database may be in after a crash.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// From the one that was acknowledged to the one that was begun.
    states: Vec<State>,
    /// Objects of statements that were not acknowledged: without transactions they may be half done, and an index then lacks entries.
    half_done: BTreeSet<String>,
}

impl Allowed {
    /// What may be there when the crash falls between these states; None where nothing is promised: within the change of a definition, until there are
    /// transactions.
    #[must_use]
    pub fn new(recording: &Recording, acknowledged: usize, begun: usize) -> Option<Self> {
        let mut half_done = BTreeSet::new();
        for number in acknowledged + 1..=begun {
            match &recording.kinds[number] {
                Kind::Definition if !TRANSACTIONS => return None,
                Kind::Rows(table) => {
                    half_done.insert(format!("{OWNER}.{table}"));
                    let state = &recording.states[number];
                    let indexes = state.tables.get(table).map(|table| table.indexes.clone()).unwrap_or_default();
                    half_done.extend(indexes.iter().map(|index| format!("{OWNER}.{index}")));
                }
                _ => {}
            }
        }
        Some(Self { states: recording.states[acknowledged..=begun].to_vec(), half_done })
    }

    /// With transactions one of the states; without them one of them, or something between two neighbours.
    fn difference(&self, found: &State) -> Difference {
        let mut least: Option<Difference> = None;
        let pairs: Vec<(&State, &State)> = if TRANSACTIONS || self.states.len() == 1 {
            self.states.iter().map(|state| (state, state)).collect()
        } else {
            self.states.windows(2).map(|pair| (&pair[0], &pair[1])).collect()
        };
        for (before, after) in pairs {
            let difference = found.between(before, after);
            if difference.is_empty() {
                return difference;
            }
            let size = |difference: &Difference| difference.lost.len() + difference.phantom.len();
            if least.as_ref().is_none_or(|least| size(&difference) < size(least)) {
                least = Some(difference);
            }
        }
        least.unwrap_or_default()
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
}

/// How thoroughly to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Open and read everything.
    Rows,
    /// Go on working, close, and check every block.
    Blocks,
}

/// Opens the database on an image, and checks it. Also gives what the recovery did to the disk.
#[must_use]
pub fn check(image: Image, allowed: &Allowed, depth: Depth) -> (Findings, Vec<Operation>) {
    let files = SimulatedFileSystem::on(image);
    let mut findings = Findings::default();
    let mut recovery = Vec::new();
    if let Err(error) = look(&files, allowed, depth, &mut findings, &mut recovery) {
        findings.broken.push(error.to_string());
    }
    if recovery.is_empty() {
        recovery = files.take_operations();
    }
    (findings, recovery)
}

fn look(
    files: &SimulatedFileSystem,
    allowed: &Allowed,
    depth: Depth,
    findings: &mut Findings,
    recovery: &mut Vec<Operation>,
) -> Result<()> {
    let clock = Arc::new(SimulatedClock::default());
    let directory = Path::new(DIRECTORY);
    let instance = Instance::open_with(Arc::new(files.clone()), directory, clock.clone(), None, Background::Inline)?;
    // What was recovered is written after the open: a second crash may fall into that.
    instance.writer_round()?;
    *recovery = files.take_operations();
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
    let half_done = |object: &Option<String>| object.as_ref().is_some_and(|object| allowed.half_done.contains(object));
    findings.broken.extend(
        report
            .problems
            .iter()
            .filter(|problem| !half_done(&problem.object))
            .map(|problem| format!("verify: {problem}")),
    );
    Ok(())
}
