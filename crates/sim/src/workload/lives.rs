//! Several lives of one database on one disk. A life opens what the one before has left, works or not, and is killed or closed.
//!
//! ```text
//!   create or open ── write back? ── work? ── close? ──┐
//!          ^                                           │ cut at some operation: killed; or nothing is cut: closed
//!          └──────── all that was written is there ────┘
//! ```
//!
//! A kill makes nothing durable: the operations of all lives stand in one recording, and what was in doubt in one life is in doubt in the next. The
//! write that the kill falls into is there by its first sectors.

use common::sync::Arc;
use common::{Error, Result, Seeded};
use engine::instance::Instance;

use super::engine as statements;
use super::record::{connect, options, prepared};
use super::recording::known;
use super::run::Run;
use super::{Ending, Life, Plan, Recording, State};
use crate::check::{Allowed, Database};
use crate::clock::SimulatedClock;
use crate::disk::{Image, Lie, Note, Operation, SimulatedFileSystem};

const SECTOR: usize = 512;

/// Places of which that is taken that a sync comes after: what is in doubt there is what the next life must not trust.
const PLACES: usize = 3;

/// What goes on from life to life.
struct Lives<'p> {
    plan: &'p Plan,
    lie: Lie,
    clock: Arc<SimulatedClock>,
    random: Seeded,
    /// The files as reads see them.
    image: Image,
    operations: Vec<Operation>,
    states: Vec<State>,
    existing: usize,
    lives: Vec<Life>,
    /// Of the workload.
    choices: Seeded,
    next_key: u32,
    next_name: u32,
    statements: usize,
}

pub(super) fn record(plan: &Plan, lie: Lie) -> Result<Recording> {
    let clock = Arc::new(SimulatedClock::default());
    let (mut base, mut state, mut first) = (Image::default(), State::default(), None);
    if !plan.creation {
        let (files, instance, sessions) = prepared(plan, &clock)?;
        (base, state) = (files.image(), statements::read(&sessions[0])?);
        first = Some((files, instance, sessions));
    }
    let mut lives = Lives {
        plan,
        lie,
        clock,
        random: Seeded::at(plan.seed, 3),
        image: base.clone(),
        operations: Vec::new(),
        states: vec![state],
        existing: usize::from(plan.creation),
        lives: Vec::new(),
        choices: Seeded::at(plan.seed, 1),
        next_key: 0,
        next_name: 0,
        statements: 0,
    };
    let mut ended_by = None;
    for number in 1..=plan.lives {
        if let Err(error) = lives.live(first.take()) {
            ended_by = Some(format!("life {number}: {error}"));
            break;
        }
    }
    let Lives { operations, states, existing, lives, statements, .. } = lives;
    Ok(Recording { base, operations, states, ended_by, statements, lives, existing, options: options(plan) })
}

type Opened = (SimulatedFileSystem, Arc<Instance>, Vec<Arc<engine::instance::Session>>);

impl Lives<'_> {
    /// One life. `first`: the database is open.
    fn live(&mut self, first: Option<Opened>) -> Result<()> {
        let begins = self.operations.len();
        let idle = first.is_none() && self.random.percent(25);
        let ending = match self.random.below(10) {
            0..6 => Ending::Killed,
            6 | 7 => Ending::KilledAtClose,
            _ => Ending::Closed,
        };
        let mut life = Life { begins, opened: 0, closing: 0, ending };
        let files =
            first.as_ref().map_or_else(|| SimulatedFileSystem::on(self.image.clone()), |(files, ..)| files.clone());
        files.lie(self.lie);
        files.lie_after_kill(&self.operations);
        let result = self.run(&files, first, idle, &mut life);
        self.operations.extend(files.take_operations());
        if result.is_err() {
            life.ending = Ending::Failed;
        }
        self.end(life);
        result
    }

    fn run(&mut self, files: &SimulatedFileSystem, first: Option<Opened>, idle: bool, life: &mut Life) -> Result<()> {
        let begins = life.begins;
        let is_first = self.lives.is_empty();
        let (instance, sessions) = match first {
            Some((_, instance, sessions)) => (instance, sessions),
            None => self.open(files)?,
        };
        life.opened = begins + files.recorded();
        let writes_back = self.random.percent(50);
        if writes_back && !is_first {
            instance.writer_round()?;
        }
        let live = self.states.last().cloned().unwrap_or_default();
        let mut run = Run {
            plan: self.plan,
            files: files.clone(),
            clock: self.clock.clone(),
            instance,
            sessions,
            random: self.choices.clone(),
            live,
            states: std::mem::take(&mut self.states),
            next_key: self.next_key,
            next_name: self.next_name,
            statements: self.statements,
            savepoints: vec![None; self.plan.sessions],
            reader: None,
        };
        let mut result = if is_first { run.set_up() } else { Ok(()) };
        if !idle {
            result = result.and_then(|()| run.work());
        }
        life.closing = begins + files.recorded();
        let Run { instance, sessions, states, statements, reader, random, next_key, next_name, .. } = run;
        (self.choices, self.states, self.statements) = (random, states, statements);
        (self.next_key, self.next_name) = (next_key, next_name);
        drop((sessions, reader));
        if life.ending != Ending::Killed {
            result = result.and_then(|()| instance.shutdown());
        }
        result
    }

    /// Opens what the life before has left, or makes the database; what was acknowledged must be there.
    fn open(&mut self, files: &SimulatedFileSystem) -> Result<(Arc<Instance>, Vec<Arc<engine::instance::Session>>)> {
        let (acknowledged, begun) = known(&self.operations);
        let database = Database { options: options(self.plan), created: acknowledged >= self.existing };
        if acknowledged < self.existing {
            // From here on the database may be there, and is empty.
            if self.states.len() == self.existing {
                self.states.push(State::default());
            }
            files.note(Note::Begun(self.existing));
        }
        let instance = if self.operations.is_empty() {
            database.create(files, &self.clock)
        } else {
            database.open(files, &self.clock)
        }?;
        let sessions = connect(self.plan, &instance)?;
        let found = statements::read(&sessions[0])?;
        if !self.operations.is_empty() {
            let difference = Allowed::of(self.states[acknowledged..=begun].to_vec()).difference(&found);
            if !difference.is_empty() {
                return Err(Error::bug(format!(
                    "a life does not begin with what the one before has left: {difference:?}"
                )));
            }
        }
        let number = self.states.len();
        self.states.push(found);
        files.note(Note::Begun(number));
        files.note(Note::Acknowledged(number));
        Ok((instance, sessions))
    }

    /// Cuts what a kill keeps from being done, and leaves the rest to the next life.
    fn end(&mut self, life: Life) {
        let from = match life.ending {
            Ending::Killed => Some(life.begins),
            Ending::KilledAtClose => Some(life.closing),
            Ending::Closed | Ending::Failed => None,
        };
        if let Some(from) = from {
            let place = self.place(from);
            let cut = self.operations.split_off(place);
            if let Some(Operation::Write { file, offset, bytes, .. }) = cut.first() {
                let sectors = self.random.index(bytes.len().div_ceil(SECTOR) + 1);
                let bytes: &[u8] = &bytes[..(sectors * SECTOR).min(bytes.len())];
                if !bytes.is_empty() {
                    let write = Operation::Write { file: *file, offset: *offset, bytes: bytes.into(), durable: false };
                    self.operations.push(write);
                }
            }
            let (_, begun) = known(&self.operations);
            self.states.truncate(begun + 1);
        }
        self.operations[life.begins..].iter().for_each(|operation| self.image.pass(operation));
        self.lives.push(life);
    }

    /// An operation that the kill falls into.
    fn place(&mut self, from: usize) -> usize {
        let length = self.operations.len() - from + 1;
        let mut places: Vec<usize> = (0..PLACES).map(|_| from + self.random.index(length)).collect();
        let synced = |place: &usize| {
            let next = self.operations.get(*place);
            matches!(next, Some(Operation::Sync { .. } | Operation::SyncDirectory { .. }))
        };
        let at = places.iter().position(synced).unwrap_or_default();
        places.swap_remove(at)
    }
}
