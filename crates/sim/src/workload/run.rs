//! A run of a plan.

use common::sync::Arc;
use common::{Result, Seeded};
use engine::instance::{DatafileSpec, Instance, Session};
use storage::txn::CommitWrite;

use super::record::GROUP;
use super::state::{Row, WorkloadState, session_of};
use super::{DiskTally, Plan, bank, engine as statements, part};
use crate::clock::SimulatedClock;
use crate::disk::{Note, SimulatedFileSystem};

pub(super) const MB: u64 = 1 << 20;
/// Rows of a table beyond which it only shrinks.
pub(super) const ROWS_MAX: usize = 260;

/// A datafile of this name, or one in the group, which names it itself.
pub(super) fn file(plan: &Plan, name: &str) -> DatafileSpec {
    let name = if plan.disks > 0 { format!("+{GROUP}") } else { name.to_owned() };
    DatafileSpec { name, bytes: 2 * MB, reuse: false, autoextend: Some((MB, Some(40 * MB))) }
}

pub(super) struct Run {
    pub(super) plan: Arc<Plan>,
    /// The part whose tables and tablespaces are changed: each of several threads has its own.
    pub(super) part: usize,
    pub(super) files: SimulatedFileSystem,
    pub(super) clock: Arc<SimulatedClock>,
    pub(super) instance: Arc<Instance>,
    pub(super) sessions: Vec<Arc<Session>>,
    pub(super) random: Seeded,
    /// The state of the blocks, committed or not.
    pub(super) live: WorkloadState,
    pub(super) states: Vec<WorkloadState>,
    pub(super) next_key: u32,
    pub(super) next_name: u32,
    pub(super) statements: usize,
    /// The state at each session's savepoint.
    pub(super) savepoints: Vec<Option<WorkloadState>>,
    /// A session in a read-only transaction, with the state that it must see to its end.
    pub(super) reader: Option<(Arc<Session>, WorkloadState)>,
    pub(super) tally: DiskTally,
}

/// Percent of the steps of a run with a mirrored group that are about its disks.
const DISK_STEPS: u64 = 25;
/// Steps between checks of the instance's invariants.
const CHECKED: usize = 4;

impl Run {
    /// Makes the tables of the first life.
    pub(super) fn set_up(&mut self) -> Result<()> {
        let plan = self.plan.clone();
        for (number, (size, management)) in plan.tablespaces.iter().enumerate() {
            if !self.live.tablespaces.contains(&plan.tablespace(number)) {
                self.make_tablespace(&plan.tablespace(number), *size, *management)?;
            }
        }
        self.create_table()?;
        self.open_bank()
    }

    pub(super) fn work(&mut self) -> Result<()> {
        (0..self.plan.steps).try_for_each(|_| self.step())
    }

    pub(super) fn step(&mut self) -> Result<()> {
        self.statements += 1;
        self.clock.pass(1000);
        self.do_step()?;
        self.note_redundancy();
        // Invariants hold between steps only while no other thread is at work.
        let checked = self.plan.threads == 0 && self.statements.is_multiple_of(CHECKED);
        if checked { self.instance.check_invariants() } else { Ok(()) }
    }

    fn do_step(&mut self) -> Result<()> {
        // The first part's: the group is one.
        if self.plan.is_mirrored() && self.part == 0 && self.random.percent(DISK_STEPS) {
            return self.disk_step();
        }
        let session = self.random.index(self.plan.sessions);
        if self.plan.loads && self.random.percent(30) {
            return self.load(session);
        }
        match self.random.below(100) {
            0..26 => self.insert(session),
            26..44 => self.update(session),
            44..52 => self.delete(session),
            52..76 => self.commit(session),
            76..86 => self.background(),
            86 => self.rollback(session),
            87 => self.savepoint(session),
            88 => self.read(),
            89 => self.transfer(session),
            90..100 if self.plan.definitions => self.definition(session),
            _ => self.insert(session),
        }
    }

    /// A name that nothing else has.
    pub(super) fn new_name(&mut self, kind: &str) -> String {
        self.next_name += 1;
        part::name(kind, self.next_name, self.part)
    }

    /// Work begins that leads to a new state.
    pub(super) fn begin(&mut self, state: WorkloadState) {
        self.files.note(Note::begun(self.part, self.states.len()));
        self.states.push(state);
    }

    pub(super) fn acknowledge(&mut self) {
        self.files.note(Note::acknowledged(self.part, self.states.len() - 1));
    }

    /// Changes rows: `change` makes the engine do the change to `state`. False when it would have to wait for another
    /// session, for a slot in a full block: the statement is then rolled back.
    pub(super) fn rows(
        &mut self,
        s: &Session,
        state: WorkloadState,
        change: impl FnOnce() -> Result<()>,
    ) -> Result<bool> {
        let mark = s.mark();
        match change() {
            Ok(()) => self.live = state,
            Err(error) if error.is_ora(54) => {
                s.rollback_to_mark(mark)?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    pub(super) fn some_table(&mut self) -> Option<String> {
        let names: Vec<&String> = self.live.tables.keys().filter(|name| *name != bank::TABLE).collect();
        self.random.pick(&names).map(|name| (*name).clone())
    }

    pub(super) fn row(&mut self, key: u32) -> Row {
        let random = &mut self.random;
        let mut bytes = |most: usize| {
            let length = 1 + random.index(most);
            let seed = random.draw();
            (0..length).map(|n| (seed >> (n % 8 * 8)) as u8).collect::<Vec<u8>>()
        };
        let short = bytes(24);
        let long = match self.next_key % 7 {
            0 => Some(bytes(3000)),
            1 | 2 => Some(bytes(700)),
            3 => None,
            _ => Some(bytes(60)),
        };
        vec![Some(key.to_be_bytes().to_vec()), Some(short), long]
    }

    /// Keys of a session's rows.
    pub(super) fn own(&mut self, session: usize, table: &str, most: usize) -> Vec<u32> {
        let sessions = self.plan.sessions;
        let Some(table) = self.live.tables.get(table) else { return Vec::new() };
        let keys: Vec<u32> = table.rows.keys().copied().filter(|key| session_of(*key, sessions) == session).collect();
        let wanted = 1 + self.random.index(most);
        let mut chosen: Vec<u32> = (0..wanted).filter_map(|_| self.random.pick(&keys).copied()).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    pub(super) fn insert(&mut self, session: usize) -> Result<()> {
        let Some(name) = self.some_table() else { return self.create_table() };
        if self.live.tables.get(&name).is_some_and(|table| table.rows.len() > ROWS_MAX) {
            return self.delete(session);
        }
        let mut state = self.live.clone();
        let most = if self.random.percent(50) { 1 } else { 40 };
        let rows = self.new_rows(session, &name, &mut state, most);
        let s = self.sessions[session].clone();
        self.rows(&s, state, || statements::insert(&s, &name, &rows)).map(drop)
    }

    /// New rows of a session's own for a table, at most so many; they are in `state` then.
    pub(super) fn new_rows(&mut self, session: usize, table: &str, state: &mut WorkloadState, most: usize) -> Vec<Row> {
        let count = if most == 1 { 1 } else { 1 + self.random.index(most) };
        let mut rows = Vec::new();
        for _ in 0..count {
            self.next_key += 1;
            // Keys that neither rise nor repeat: index blocks split in the middle too.
            let spread = self.next_key.wrapping_mul(2_654_435_761) >> 8;
            let key = spread / self.plan.sessions as u32 * self.plan.sessions as u32 + session as u32;
            let row = self.row(key);
            if let Some(table) = state.rows_mut(table)
                && !table.contains_key(&key)
            {
                table.insert(key, Arc::new(row.clone()));
                rows.push(row);
            }
        }
        rows
    }

    pub(super) fn update(&mut self, session: usize) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let keys = self.own(session, &name, 12);
        let mut state = self.live.clone();
        let mut rows = Vec::new();
        for key in keys {
            self.next_key += 1;
            let row = self.row(key);
            if let Some(table) = state.rows_mut(&name) {
                table.insert(key, Arc::new(row.clone()));
            }
            rows.push((key, row));
        }
        if rows.is_empty() {
            return Ok(());
        }
        let s = self.sessions[session].clone();
        self.rows(&s, state, || statements::update(&s, &name, &rows)).map(drop)
    }

    pub(super) fn delete(&mut self, session: usize) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let keys = self.own(session, &name, 30);
        if keys.is_empty() {
            return Ok(());
        }
        let mut state = self.live.clone();
        if let Some(table) = state.rows_mut(&name) {
            table.retain(|key, _| !keys.contains(key));
        }
        let s = self.sessions[session].clone();
        self.rows(&s, state, || statements::delete(&s, &name, &keys)).map(drop)
    }

    pub(super) fn commit(&mut self, session: usize) -> Result<()> {
        let s = self.sessions[session].clone();
        self.savepoints[session] = None;
        let mut state = self.states.last().cloned().unwrap_or_default();
        state.take_part(&self.live, session, self.plan.sessions);
        self.begin(state);
        s.commit(CommitWrite::default())?;
        self.acknowledge();
        Ok(())
    }

    pub(super) fn commit_all(&mut self) -> Result<()> {
        (0..self.plan.sessions).try_for_each(|session| self.commit(session))
    }

    pub(super) fn background(&mut self) -> Result<()> {
        let meter = self.sessions[0].meter().clone();
        match self.random.below(6) {
            3.. if self.plan.threads > 0 => {
                self.instance.post_writer();
                Ok(())
            }
            0 => self.instance.checkpoint(&meter),
            1 => self.instance.redo().switch(&meter),
            2 => {
                self.instance.redo().post();
                Ok(())
            }
            3 => self.instance.cache().flush(&meter),
            _ => self.instance.writer_round(),
        }
    }
}
