//! Several lives of one database on one disk. A life opens the files of the one before, works or not, and is killed or
//! closed.
//!
//! ```text
//!   create or open ── write back? ── work? ── close? ──┐
//!          ^                                           │ cut at some operation: killed; or nothing is cut: closed
//!          └──────── all that was written is there ────┘
//! ```
//!
//! A kill makes nothing durable: the operations of all lives are in one recording, and writes in doubt in one life are
//! in doubt in the next. Of the writes in progress at the kill the first sectors are there.

use std::path::{Path, PathBuf};

use common::sync::{Arc, spawn};
use common::{Error, Result, Seeded};
use engine::instance::{Background, Instance, Session};

use super::disks::{AWAY, disks_of};
use super::record::{connect, options, prepared};
use super::recording::known;
use super::run::Run;
use super::{DiskTally, Ending, Life, Plan, Recording, WorkloadState, engine as statements, kill, part};
use crate::DIRECTORY;
use crate::check::Allowed;
use crate::clock::SimulatedClock;
use crate::database::Database;
use crate::disk::{FileFault, Image, Lie, Note, Operation, SimulatedFileSystem, can_lose_disk};

/// State of one part of the workload across lives.
#[derive(Default)]
struct Part {
    states: Vec<WorkloadState>,
    choices: Option<Seeded>,
    next_key: u32,
    next_name: u32,
    statements: usize,
}

/// State across lives.
struct Lives {
    plan: Arc<Plan>,
    lie: Lie,
    clock: Arc<SimulatedClock>,
    random: Seeded,
    /// The files as reads see them.
    image: Image,
    operations: Vec<Operation>,
    parts: Vec<Part>,
    existing: usize,
    lives: Vec<Life>,
    /// Calls of threads so far.
    calls: u32,
    disks: DiskTally,
    /// The files before the mount of each life.
    disks_before: Vec<Image>,
}

type Opened = (Arc<Instance>, Vec<Arc<Session>>);

fn background(plan: &Plan) -> Background {
    if plan.threads > 0 { Background::Threads } else { Background::Inline }
}

pub(super) fn record(plan: &Plan, lie: Lie) -> Result<Recording> {
    let clock = Arc::new(SimulatedClock::default());
    let (mut base, mut state, mut first) = (Image::default(), WorkloadState::default(), None);
    if !plan.creation {
        let (files, instance, sessions) = prepared(plan, &clock, background(plan))?;
        (base, state) = (files.image(), statements::read(&sessions[0])?);
        first = Some((files, (instance, sessions)));
    }
    let count = plan.threads.max(1);
    let parts = (0..count).map(|number| Part {
        states: vec![part::of(&state, number, count)],
        choices: Some(Seeded::at(plan.seed, if number == 0 { 1 } else { 100 + number as u64 })),
        ..Part::default()
    });
    let mut lives = Lives {
        plan: Arc::new(plan.clone()),
        lie,
        clock,
        random: Seeded::at(plan.seed, 3),
        image: base.clone(),
        operations: Vec::new(),
        parts: parts.collect(),
        existing: usize::from(plan.creation),
        lives: Vec::new(),
        calls: 0,
        disks: DiskTally::default(),
        disks_before: Vec::new(),
    };
    let mut ended_by = None;
    for number in 1..=plan.lives {
        if let Err(error) = lives.live(first.take()) {
            ended_by = Some(format!("life {number}: {error}"));
            break;
        }
    }
    let Lives { operations, parts, existing, lives, disks, disks_before, .. } = lives;
    let statements = parts.iter().map(|part| part.statements).sum();
    let parts = parts.into_iter().map(|part| part.states).collect();
    let options = options(plan);
    Ok(Recording { base, operations, parts, ended_by, statements, lives, existing, disks, disks_before, options })
}

impl Lives {
    /// One life. `first`: the database is open.
    fn live(&mut self, first: Option<(SimulatedFileSystem, Opened)>) -> Result<()> {
        let idle = first.is_none() && self.random.percent(25);
        let ending = match self.random.below(10) {
            0..6 => Ending::Killed,
            6 | 7 => Ending::KilledAtClose,
            _ => Ending::Closed,
        };
        let fails = if first.is_none() { self.change_disks() } else { None };
        self.disks_before.push(self.image.clone());
        let mut life = Life { begins: self.operations.len(), opened: usize::MAX, closing: usize::MAX, ending };
        let (files, opened) = match first {
            Some((files, opened)) => (files, Some(opened)),
            None => (SimulatedFileSystem::on(self.image.clone()), None),
        };
        files.lie(self.lie);
        files.lie_after_kill(&self.operations);
        if let Some(path) = fails {
            files.break_file(&path, FileFault::Gone);
            self.disks.gone_at_open += 1;
        }
        if self.plan.threads > 0 {
            files.overlap(self.calls, self.random.draw(), &self.clock);
        }
        let result = self.run(&files, opened, idle, &mut life);
        self.operations.extend(files.take_operations());
        self.calls = files.next_call();
        if result.is_err() {
            life.ending = Ending::Failed;
        }
        self.end(life);
        result
    }

    fn run(&mut self, files: &SimulatedFileSystem, opened: Option<Opened>, idle: bool, life: &mut Life) -> Result<()> {
        let is_first = self.lives.is_empty();
        let (instance, sessions) = match opened {
            Some(opened) => opened,
            None => self.open(files)?,
        };
        life.opened = life.begins + files.recorded();
        if self.random.percent(50) && !is_first {
            instance.writer_round()?;
        }
        let mut runs = Vec::new();
        for number in 0..self.parts.len() {
            let sessions = if number == 0 { sessions.clone() } else { connect(&self.plan, &instance)? };
            runs.push(self.begin(number, files, &instance, sessions));
        }
        drop(sessions);
        runs[0].note_redundancy();
        let mut result = if is_first { runs[0].set_up() } else { Ok(()) };
        if !idle && result.is_ok() {
            result = work(&mut runs);
        }
        life.closing = life.begins + files.recorded();
        for (part, mut run) in self.parts.iter_mut().zip(runs) {
            run.before_close();
            run.count_disks();
            self.disks.add(&run.tally);
            let Run { states, statements, random, next_key, next_name, .. } = run;
            *part = Part { states, choices: Some(random), next_key, next_name, statements };
        }
        if life.ending != Ending::Killed {
            return result.and_then(|()| instance.shutdown());
        }
        if self.plan.threads > 0 {
            instance.abort();
        }
        result
    }

    fn begin(
        &mut self,
        number: usize,
        files: &SimulatedFileSystem,
        instance: &Arc<Instance>,
        sessions: Vec<Arc<Session>>,
    ) -> Run {
        let Part { states, choices, next_key, next_name, statements } = std::mem::take(&mut self.parts[number]);
        Run {
            plan: self.plan.clone(),
            part: number,
            files: files.clone(),
            clock: self.clock.clone(),
            instance: instance.clone(),
            sessions,
            random: choices.unwrap_or_else(|| Seeded::new(0)),
            live: states.last().cloned().unwrap_or_default(),
            states,
            next_key,
            next_name,
            statements,
            savepoints: vec![None; self.plan.sessions],
            reader: None,
            tally: DiskTally::default(),
        }
    }

    /// What happens to a disk of the group between two lives. Returns one that fails all requests in the next.
    fn change_disks(&mut self) -> Option<PathBuf> {
        if !self.plan.is_mirrored() {
            return None;
        }
        let away = disks_of(&self.image, AWAY);
        if self.random.percent(50)
            && let Some(path) = away.first()
        {
            let back = Path::new(DIRECTORY).join(path.file_name().unwrap_or_default());
            self.move_disk(path, &back);
        }
        if !away.is_empty() || !can_lose_disk(&self.operations, self.operations.len()) {
            return None;
        }
        let path = self.random.pick(&disks_of(&self.image, DIRECTORY)).cloned()?;
        match self.random.below(100) {
            0..15 => {
                self.disks.missing += 1;
                self.lose_redundancy();
                self.move_disk(&path, &Path::new(AWAY).join(path.file_name().unwrap_or_default()));
            }
            // The file stays the same, and a flash log would go on with it.
            15..30 if self.disks_before.len() > 1 && !self.plan.flash => {
                // The first life's is of the same mount as what is there now.
                let at = 1 + self.random.index(self.disks_before.len() - 1);
                let earlier = self.disks_before[at].clone();
                let file = self.image.file(&path).filter(|_| earlier.file(&path).is_some())?;
                self.disks.old += 1;
                self.lose_redundancy();
                self.between(Operation::PutBack { file, path, earlier });
            }
            30..40 => {
                self.lose_redundancy();
                return Some(path);
            }
            _ => {}
        }
        None
    }

    fn lose_redundancy(&mut self) {
        self.operations.push(Operation::Note(Note::Redundant(false)));
    }

    fn move_disk(&mut self, from: &Path, to: &Path) {
        self.between(Operation::Rename { from: from.to_owned(), to: to.to_owned() });
        self.between(Operation::SyncDirectory { path: to.parent().unwrap_or(Path::new("/")).to_owned() });
    }

    /// An operation that no process does.
    fn between(&mut self, operation: Operation) {
        self.image.pass(&operation);
        self.operations.push(operation);
    }

    /// Opens the files of the life before, or makes the database; acknowledged changes must be there.
    fn open(&mut self, files: &SimulatedFileSystem) -> Result<Opened> {
        let known = known(&self.operations, self.parts.len());
        let database = Database {
            options: options(&self.plan),
            created: known[0].0 >= self.existing,
            background: background(&self.plan),
        };
        if !database.created {
            // From here on the database may exist, and is empty.
            if self.parts[0].states.len() == self.existing {
                self.parts[0].states.push(WorkloadState::default());
            }
            files.note(Note::begun(0, self.existing));
        }
        let is_first = self.plan.creation && self.operations.is_empty();
        let instance = if is_first { database.create(files, &self.clock) } else { database.open(files, &self.clock) }?;
        let sessions = connect(&self.plan, &instance)?;
        let found = statements::read(&sessions[0])?;
        if !is_first {
            let states: Vec<_> = self.parts.iter().map(|part| part.states.clone()).collect();
            let difference = Allowed::of(&states, &known, database).difference(&found);
            if !difference.is_empty() {
                let text = format!("a life does not begin with what the one before has left: {difference:?}");
                return Err(Error::bug(text));
            }
        }
        let count = self.parts.len();
        for (number, part) in self.parts.iter_mut().enumerate() {
            part.states.push(part::of(&found, number, count));
            files.note(Note::begun(number, part.states.len() - 1));
            files.note(Note::acknowledged(number, part.states.len() - 1));
        }
        Ok((instance, sessions))
    }

    /// Cuts off the operations after a kill, and leaves the rest to the next life.
    fn end(&mut self, life: Life) {
        let from = match life.ending {
            Ending::Killed => Some(life.begins),
            Ending::KilledAtClose => Some(life.closing),
            Ending::Closed | Ending::Failed => None,
        };
        if let Some(from) = from {
            let place = kill::place(&self.operations, from, &mut self.random);
            let redundant = can_lose_disk(&self.operations, place);
            kill::cut(&mut self.operations, life.begins, place, &mut self.random);
            if self.plan.is_mirrored() {
                self.operations.push(Operation::Note(Note::Redundant(redundant)));
            }
            let known = known(&self.operations, self.parts.len());
            for (part, (_, begun)) in self.parts.iter_mut().zip(known) {
                part.states.truncate(begun + 1);
            }
        }
        self.operations[life.begins..].iter().for_each(|operation| self.image.pass(operation));
        self.lives.push(life);
    }
}

/// Works: on this thread, or on one for each.
fn work(runs: &mut Vec<Run>) -> Result<()> {
    if let [run] = &mut runs[..] {
        return run.work();
    }
    let threads: Vec<_> = std::mem::take(runs)
        .into_iter()
        .map(|mut run| {
            spawn("work", move || {
                let result = run.work();
                (run, result)
            })
        })
        .collect();
    let mut all = Ok(());
    for thread in threads {
        let thread = thread.map_err(|error| Error::bug(format!("no thread: {error}")))?;
        let (run, result) = thread.join().map_err(|_| Error::bug("a thread has panicked"))?;
        all = all.and(result);
        runs.push(run);
    }
    all
}
