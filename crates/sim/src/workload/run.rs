//! A run of a plan.

use std::collections::BTreeMap;
use std::path::Path;

use common::sync::{Arc, Mutex};
use common::Result;
use engine::catalog::{DatafileChange, TablespaceChange};
use engine::instance::{Background, CreateOptions, Instance, Session};
use engine::tablespace::{DatafileSpec, TablespaceSpec};
use engine::txn::CommitWrite;

use super::engine as statements;
use super::state::{Row, State, Table, session_of};
use super::{Kind, Plan, Recording, TRANSACTIONS};
use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::disk::{Fault, Image, Lie, Note, SimulatedFileSystem};
use crate::random::Random;

const MB: u64 = 1 << 20;
/// Rows of a table beyond which it only shrinks.
const ROWS_MAX: usize = 260;

/// New databases by log size and cache size: made once, used by every run.
static BASES: Mutex<BTreeMap<(u64, u64), Image>> = Mutex::new(BTreeMap::new());

fn base(plan: &Plan) -> Result<Image> {
    if let Some(image) = BASES.lock().get(&(plan.log_bytes, plan.cache_bytes)) {
        return Ok(image.clone());
    }
    let files = SimulatedFileSystem::new();
    let sizes = ["db_cache_size", "db_2k_cache_size", "db_4k_cache_size", "db_16k_cache_size", "db_32k_cache_size"];
    let options = CreateOptions {
        name: "SIM".to_owned(),
        parameters: sizes.map(|name| (name.to_owned(), plan.cache_bytes.to_string())).to_vec(),
        log_bytes: plan.log_bytes,
        ..CreateOptions::default()
    };
    let instance = Instance::create_with(
        Arc::new(files.clone()),
        Path::new(DIRECTORY),
        Arc::new(SimulatedClock::default()),
        None,
        &options,
        Background::Inline,
    )?;
    instance.shutdown()?;
    let image = files.image();
    BASES.lock().insert((plan.log_bytes, plan.cache_bytes), image.clone());
    Ok(image)
}

/// Makes a run and records it. `faults` and `lie` hold once the tables are there. An error that the engine reports ends the run: it is in the recording.
///
/// # Errors
/// When not even the database can be set up.
pub fn record(plan: &Plan, faults: &[Fault], lie: Lie) -> Result<Recording> {
    let files = SimulatedFileSystem::on(base(plan)?);
    let clock = Arc::new(SimulatedClock::default());
    let instance = Instance::open_with(
        Arc::new(files.clone()),
        Path::new(DIRECTORY),
        clock.clone(),
        None,
        Background::Inline,
    )?;
    let sessions = (0..plan.sessions).map(|_| instance.connect(statements::OWNER)).collect::<Result<Vec<_>>>()?;
    for (number, (size, management)) in plan.tablespaces.iter().enumerate() {
        sessions[0].create_tablespace(&TablespaceSpec {
            name: plan.tablespace(number),
            files: vec![file(&format!("t{number}_1.dbf"))],
            block_size: Some(*size),
            uniform_bytes: None,
            space_management: *management,
        })?;
    }
    instance.checkpoint(sessions[0].meter())?;
    let base = files.image();
    let _ = files.take_operations();
    files.lie(lie);
    let counts = files.counts();
    for fault in faults {
        files.plan(later(*fault, counts));
    }
    let mut run = Run {
        plan,
        files: files.clone(),
        clock,
        instance,
        sessions,
        random: Random::at(plan.seed, 1),
        live: State::default(),
        states: vec![State::default()],
        kinds: vec![Kind::Space],
        next_key: 0,
        next_name: 0,
        statements: 0,
    };
    let result = run.all();
    let Run { instance, sessions, states, kinds, statements, .. } = run;
    drop(sessions);
    drop(instance);
    let ended_by = result.err().map(|error| error.to_string());
    Ok(Recording { base, operations: files.take_operations(), states, kinds, ended_by, statements })
}

fn later(fault: Fault, [reads, writes, syncs, growths]: [u64; 4]) -> Fault {
    match fault {
        Fault::Read(n) => Fault::Read(n + reads),
        Fault::FlippedRead(n) => Fault::FlippedRead(n + reads),
        Fault::Write(n) => Fault::Write(n + writes),
        Fault::Sync(n) => Fault::Sync(n + syncs),
        Fault::Growth(n) => Fault::Growth(n + growths),
    }
}

fn file(name: &str) -> DatafileSpec {
    DatafileSpec { name: name.to_owned(), bytes: 2 * MB, reuse: false, autoextend: Some((MB, Some(40 * MB))) }
}

struct Run<'p> {
    plan: &'p Plan,
    files: SimulatedFileSystem,
    clock: Arc<SimulatedClock>,
    instance: Arc<Instance>,
    sessions: Vec<Arc<Session>>,
    random: Random,
    /// What is in the blocks, committed or not.
    live: State,
    states: Vec<State>,
    kinds: Vec<Kind>,
    next_key: u32,
    next_name: u32,
    statements: usize,
}

impl Run<'_> {
    fn all(&mut self) -> Result<()> {
        self.create_table()?;
        for _ in 0..self.plan.steps {
            self.step()?;
        }
        for session in 0..self.plan.sessions {
            self.commit(session)?;
        }
        if self.plan.closed { self.instance.shutdown() } else { Ok(()) }
    }

    fn step(&mut self) -> Result<()> {
        self.statements += 1;
        self.clock.pass(1000);
        let session = self.random.index(self.plan.sessions);
        match self.random.below(100) {
            0..26 => self.insert(session),
            26..44 => self.update(session),
            44..52 => self.delete(session),
            52..76 => self.commit(session),
            76..86 => self.background(),
            86..90 if TRANSACTIONS => self.rollback(session),
            90..100 if self.plan.definitions => self.definition(session),
            _ => self.insert(session),
        }
    }

    /// What leads to a new state begins. Without transactions that is each statement.
    fn begin(&mut self, state: State, kind: Kind) {
        self.files.note(Note::Begun(self.states.len()));
        self.states.push(state);
        self.kinds.push(kind);
    }

    fn acknowledge(&mut self) {
        self.files.note(Note::Acknowledged(self.states.len() - 1));
    }

    /// Rows change: `change` makes the engine do what `state` says.
    fn rows(&mut self, table: &str, state: State, change: impl FnOnce() -> Result<()>) -> Result<()> {
        if !TRANSACTIONS {
            self.begin(state.clone(), Kind::Rows(table.to_owned()));
        }
        change()?;
        self.live = state;
        Ok(())
    }

    fn some_table(&mut self) -> Option<String> {
        let names: Vec<&String> = self.live.tables.keys().collect();
        self.random.pick(&names).map(|name| (*name).clone())
    }

    fn row(&mut self, key: u32) -> Row {
        let random = &mut self.random;
        let mut bytes = |most: usize| {
            let length = 1 + random.index(most);
            let seed = random.next();
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
    fn own(&mut self, session: usize, table: &str, most: usize) -> Vec<u32> {
        let sessions = self.plan.sessions;
        let Some(table) = self.live.tables.get(table) else { return Vec::new() };
        let keys: Vec<u32> = table.rows.keys().copied().filter(|key| session_of(*key, sessions) == session).collect();
        let wanted = 1 + self.random.index(most);
        let mut chosen: Vec<u32> = (0..wanted).filter_map(|_| self.random.pick(&keys).copied()).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    fn insert(&mut self, session: usize) -> Result<()> {
        let Some(name) = self.some_table() else { return self.create_table() };
        if self.live.tables.get(&name).is_some_and(|table| table.rows.len() > ROWS_MAX) {
            return self.delete(session);
        }
        let count = if self.random.percent(50) { 1 } else { 1 + self.random.index(40) };
        let mut state = self.live.clone();
        let mut rows = Vec::new();
        for _ in 0..count {
            self.next_key += 1;
            // Keys that neither rise nor repeat: index blocks split in the middle too.
            let spread = self.next_key.wrapping_mul(2_654_435_761) >> 8;
            let key = spread / self.plan.sessions as u32 * self.plan.sessions as u32 + session as u32;
            let row = self.row(key);
            if let Some(table) = state.rows_mut(&name)
                && !table.contains_key(&key)
            {
                table.insert(key, Arc::new(row.clone()));
                rows.push(row);
            }
        }
        let s = self.sessions[session].clone();
        self.rows(&name.clone(), state, || statements::insert(&s, &name, &rows))
    }

    fn update(&mut self, session: usize) -> Result<()> {
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
        self.rows(&name.clone(), state, || statements::update(&s, &name, &rows))
    }

    fn delete(&mut self, session: usize) -> Result<()> {
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
        self.rows(&name.clone(), state, || statements::delete(&s, &name, &keys))
    }

    fn commit(&mut self, session: usize) -> Result<()> {
        let s = self.sessions[session].clone();
        if TRANSACTIONS {
            let mut state = self.states.last().cloned().unwrap_or_default();
            state.take_part(&self.live, session, self.plan.sessions);
            self.begin(state, Kind::Commit);
            s.commit(CommitWrite::default())?;
        } else {
            s.commit(CommitWrite::default())?;
            // Nothing is written by a commit yet that one could wait for.
            let redo = self.instance.redo();
            redo.wait_durable(s.meter(), redo.end())?;
        }
        self.acknowledge();
        Ok(())
    }

    fn rollback(&mut self, session: usize) -> Result<()> {
        self.sessions[session].rollback()?;
        if let Some(state) = self.states.last() {
            self.live.take_part(state, session, self.plan.sessions);
        }
        Ok(())
    }

    fn background(&mut self) -> Result<()> {
        let meter = self.sessions[0].meter().clone();
        match self.random.below(6) {
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

    /// A statement that commits by itself: everybody commits before it, and it is durable when it returns.
    fn definition_of(&mut self, state: State, kind: Kind, work: impl FnOnce(&Arc<Session>) -> Result<()>) -> Result<()> {
        for session in 0..self.plan.sessions {
            self.commit(session)?;
        }
        self.begin(state.clone(), kind);
        let s = self.sessions[0].clone();
        work(&s)?;
        self.live = state;
        if !TRANSACTIONS {
            let redo = self.instance.redo();
            redo.wait_durable(s.meter(), redo.end())?;
        }
        self.acknowledge();
        Ok(())
    }

    fn definition(&mut self, _session: usize) -> Result<()> {
        match self.random.below(10) {
            0 | 1 => self.create_table(),
            2 => self.drop_table(),
            3 => self.truncate(),
            4..7 => self.create_index(),
            7 => self.drop_index(),
            8 => self.add_file(),
            _ => self.resize(),
        }
    }

    fn create_table(&mut self) -> Result<()> {
        if self.live.tables.len() > 4 {
            return self.drop_table();
        }
        self.next_name += 1;
        let name = format!("TAB{}", self.next_name);
        let tablespace = self.plan.tablespace(self.random.index(self.plan.tablespaces.len()));
        let pctfree = [0, 10, 40][self.random.index(3)];
        let mut state = self.live.clone();
        state.tables.insert(name.clone(), Table { tablespace: tablespace.clone(), ..Table::default() });
        self.definition_of(state, Kind::Definition, |s| statements::create_table(s, &name, &tablespace, pctfree))
    }

    fn drop_table(&mut self) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let mut state = self.live.clone();
        state.tables.remove(&name);
        self.definition_of(state, Kind::Definition, |s| s.drop_table(statements::OWNER, &name))
    }

    fn truncate(&mut self) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let mut state = self.live.clone();
        if let Some(rows) = state.rows_mut(&name) {
            rows.clear();
        }
        self.definition_of(state, Kind::Definition, |s| s.truncate_table(statements::OWNER, &name).map(drop))
    }

    fn create_index(&mut self) -> Result<()> {
        let Some(name) = self.some_table() else { return Ok(()) };
        let mut state = self.live.clone();
        let tablespace = self.plan.tablespace(self.random.index(self.plan.tablespaces.len()));
        let kind = self.random.index(3);
        let index = format!("{name}_{kind}");
        let Some(table) = state.tables.get_mut(&name) else { return Ok(()) };
        if !Arc::make_mut(&mut table.indexes).insert(index.clone()) {
            return Ok(());
        }
        let columns: &[usize] = [&[0][..], &[1][..], &[1, 0][..]][kind];
        self.definition_of(state, Kind::Definition, |s| {
            statements::create_index(s, &name, &index, columns, kind == 0, &tablespace)
        })
    }

    fn drop_index(&mut self) -> Result<()> {
        let mut state = self.live.clone();
        let Some((table, index)) =
            state.tables.iter().find_map(|(name, table)| Some((name.clone(), table.indexes.first()?.clone())))
        else {
            return self.create_index();
        };
        if let Some(table) = state.tables.get_mut(&table) {
            Arc::make_mut(&mut table.indexes).remove(&index);
        }
        self.definition_of(state, Kind::Definition, |s| s.drop_index(statements::OWNER, &index))
    }

    fn add_file(&mut self) -> Result<()> {
        self.next_name += 1;
        let number = self.random.index(self.plan.tablespaces.len());
        let change = TablespaceChange::AddDatafiles(vec![file(&format!("t{number}_{}.dbf", self.next_name + 1))]);
        let name = self.plan.tablespace(number);
        self.definition_of(self.live.clone(), Kind::Space, |s| s.alter_tablespace(&name, &change))
    }

    fn resize(&mut self) -> Result<()> {
        let number = self.random.index(self.plan.tablespaces.len());
        let bytes = (2 + self.random.below(4)) * MB;
        self.definition_of(self.live.clone(), Kind::Space, |s| {
            // A file whose end is in use does not shrink.
            match s.alter_datafile(&format!("t{number}_1.dbf"), DatafileChange::Resize(bytes)) {
                Err(error) if error.is_ora(3297) => Ok(()),
                result => result,
            }
        })
    }
}
