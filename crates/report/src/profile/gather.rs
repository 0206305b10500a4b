//! From records to the profile: the assignment of waits to calls, and time that neither calls nor waits explain.
//!
//! A call's own time is its line's less that of its recursive calls. Own times of all calls and the waits between calls
//! never overlap, so the rest of the wall clock is time that the trace does not explain.

use std::collections::HashMap;
use std::io::Read;

use common::Result;
use foldhash::fast::RandomState;

use crate::tkprof::{KEPT_SESSIONS, Options, SessionId, Summary};
use crate::trace::{self, Call, CallKind, LobCall, Mark, Record, TimeUnit, Wait};

use waits::{event_class, is_idle};

use super::events::{Shape, enqueue};
use super::model::{
    BlockWaits, Component, Enqueue, EventProfile, Line, Phase, Profile, SessionProfile, Site, StatementProfile, Waits,
};
use super::sites::Table;
use super::timeline::{Pending, Timeline};
use super::{EventIndex, StatementIndex};

/// Different sites, and different blocks, that are kept.
const KEPT_PLACES: usize = 1 << 16;

/// Locks and modes kept of one event.
const KEPT_LOCKS: usize = 64;

/// The value of "none" in a site's and a block's key.
const NONE: u32 = u32::MAX;

const NO_OBJECT: i64 = i64::MIN;

/// Reads a trace and makes its profile, in one pass. [`Options::aggregate`] and [`Options::inclusive`] go to the
/// summary.
///
/// # Errors
///
/// Errors of [`trace::read`].
pub fn read(source: impl Read, options: &Options) -> Result<Profile> {
    let mut gather = Gather::new(options);
    let reading = trace::read(source, &mut |record| {
        gather.take(record);
        Ok(())
    })?;
    let mut profile = gather.finish();
    profile.summary.reading = reading;
    Ok(profile)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct SiteKey {
    event: u32,
    class: u32,
    file: u32,
    statement: u32,
    object: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct BlockKey {
    event: u32,
    file: u32,
    block: u64,
    class: u32,
}

/// Sums of one phase.
#[derive(Default, Debug)]
struct PhaseSums {
    calls: u64,
    elapsed_ns: i64,
    cpu_ns: i64,
    cpu_max_ns: i64,
    /// By event.
    waits: Vec<Waits>,
}

impl PhaseSums {
    fn wait(&mut self, wait: &Pending) {
        if self.waits.len() <= wait.event {
            self.waits.resize(wait.event + 1, Waits::default());
        }
        self.waits[wait.event].add(waits_of(wait));
    }
}

fn waits_of(wait: &Pending) -> Waits {
    Waits { count: wait.count, total_ns: wait.total_ns, max_ns: wait.max_ns }
}

fn add_to(list: &mut Vec<(EventIndex, Waits)>, wait: &Pending) {
    match list.iter_mut().find(|(event, _)| *event == wait.event) {
        Some((_, sum)) => sum.add(waits_of(wait)),
        None => list.push((wait.event, waits_of(wait))),
    }
}

struct Gather {
    summary: Summary,
    /// Of e, ela and tim; and of c.
    unit_ns: i64,
    cpu_unit_ns: i64,
    profile: Profile,
    phases: [PhaseSums; 7],
    sites: Table<SiteKey>,
    blocks: Table<BlockKey>,
    session: SessionId,
    sessions_named: bool,
    timeline: usize,
    timelines: Vec<(SessionId, Timeline)>,
    places: HashMap<SessionId, usize, RandomState>,
}

impl Gather {
    fn new(options: &Options) -> Self {
        Self {
            summary: Summary::new(options),
            unit_ns: 1000,
            cpu_unit_ns: 1000,
            profile: Profile::default(),
            phases: Default::default(),
            sites: Table::new(KEPT_PLACES),
            blocks: Table::new(KEPT_PLACES),
            session: None,
            sessions_named: false,
            timeline: 0,
            timelines: vec![(None, Timeline::default())],
            places: HashMap::default(),
        }
    }

    fn take(&mut self, record: &Record<'_>) {
        self.summary.take(record);
        match record {
            Record::Header(header) => {
                let unit = header.time_unit();
                self.profile.unit_ns = unit.elapsed_nanoseconds();
                self.unit_ns = i64::try_from(self.profile.unit_ns).unwrap_or(1000);
                self.cpu_unit_ns = if unit == TimeUnit::Centisecond { 10_000_000 } else { 1000 };
            }
            Record::Mark(mark) => self.mark(mark),
            Record::Call(call) => self.call(call),
            Record::Wait(wait) => self.wait(wait),
            Record::Lob(lob) => self.lob(lob),
            Record::Parsing(parsing) => self.time(parsing.time, 0),
            Record::TransactionEnd(end) => self.time(end.time, 0),
            Record::Error(error) => self.time(error.time, 0),
            Record::ParseError(error) => self.time(error.time, 0),
            Record::Stat(_) | Record::Binds(_) | Record::Application(_) => {}
        }
    }

    fn mark(&mut self, mark: &Mark<'_>) {
        let stamp = match mark {
            Mark::Time { stamp } => Some(*stamp),
            Mark::Session { stamp, .. } | Mark::Named { stamp, .. } => *stamp,
            Mark::SizeLimit { .. } | Mark::Other(_) => None,
        };
        if let Some(stamp) = stamp {
            if self.profile.began.is_none() {
                self.profile.began = Some(stamp.to_owned());
            }
            let ended = self.profile.ended.get_or_insert_default();
            ended.clear();
            ended.push_str(stamp);
        }
        if let Mark::Session { sid, serial, .. } = mark {
            self.switch((*sid, *serial));
        }
    }

    fn switch(&mut self, session: (u32, u32)) {
        let mut session = Some(session);
        // Lines before the first name belong to it.
        if !std::mem::replace(&mut self.sessions_named, true) {
            self.timelines[0].0 = session;
            self.places.insert(session, 0);
        }
        if self.timelines.len() > KEPT_SESSIONS && !self.places.contains_key(&session) {
            session = None;
        }
        if session == self.session {
            return;
        }
        self.session = session;
        let next = self.timelines.len();
        self.timeline = *self.places.entry(session).or_insert(next);
        if self.timeline == next {
            self.timelines.push((session, Timeline::default()));
        }
    }

    fn nanoseconds(&self, figure: i64) -> i64 {
        figure.saturating_mul(self.unit_ns)
    }

    /// A clock reading in nanoseconds.
    fn clock(&self, time: u64) -> i64 {
        i64::try_from(time).unwrap_or(i64::MAX).saturating_mul(self.unit_ns)
    }

    fn time(&mut self, time: Option<u64>, lasted_ns: i64) {
        if let Some(time) = time {
            let end = self.clock(time);
            self.timelines[self.timeline].1.time(end, lasted_ns);
        }
    }

    fn call(&mut self, call: &Call) {
        let phase = match call.kind {
            CallKind::Parse => Phase::Parse,
            CallKind::Execute => Phase::Execute,
            CallKind::Fetch => Phase::Fetch,
            CallKind::Close => Phase::Close,
            CallKind::Unmap | CallKind::SortUnmap => Phase::Unmap,
        };
        let elapsed = self.nanoseconds(call.elapsed.unwrap_or_default());
        let cpu = call.cpu.unwrap_or_default().saturating_mul(self.cpu_unit_ns);
        self.time(call.time, elapsed);
        let statement = self.summary.last_statement;
        let start = call.time.map(|time| self.clock(time).saturating_sub(elapsed));
        let own = self.timelines[self.timeline].1.recursion.own(call.depth, [cpu, elapsed, 0, 0, 0]);
        self.settle(phase, call.cursor, call.depth, start, (own[1], own[0]), statement);
    }

    /// Adds a call that has ended, with its own elapsed and CPU time, and gives it its waits.
    fn settle(
        &mut self,
        phase: Phase,
        cursor: u64,
        depth: u32,
        start: Option<i64>,
        (elapsed, cpu): (i64, i64),
        statement: Option<StatementIndex>,
    ) {
        let statements = &mut self.profile.statements;
        if let Some(index) = statement {
            let sums = at(statements, index);
            sums.calls += 1;
            sums.elapsed_ns = sums.elapsed_ns.saturating_add(elapsed);
            sums.cpu_ns = sums.cpu_ns.saturating_add(cpu);
            sums.max_ns = sums.max_ns.max(elapsed);
        }
        let phases = &mut self.phases;
        let sums = &mut phases[phase as usize];
        sums.calls += 1;
        sums.elapsed_ns = sums.elapsed_ns.saturating_add(elapsed);
        sums.cpu_ns = sums.cpu_ns.saturating_add(cpu);
        sums.cpu_max_ns = sums.cpu_max_ns.max(cpu);
        self.timelines[self.timeline].1.settle(cursor, depth, start, |wait, within| {
            if within {
                phases[phase as usize].wait(wait);
                if let Some(index) = statement {
                    add_to(&mut at(statements, index).waits, wait);
                }
            } else {
                phases[Phase::Between as usize].wait(wait);
                if let Some(index) = wait.statement {
                    add_to(&mut at(statements, index).between, wait);
                }
            }
        });
    }

    /// A call on a LOB has no depth. It is taken for one of the user's; one within another call would count twice.
    fn lob(&mut self, lob: &LobCall<'_>) {
        let elapsed = self.nanoseconds(lob.elapsed.unwrap_or_default());
        let cpu = lob.cpu.unwrap_or_default().saturating_mul(self.cpu_unit_ns);
        self.time(lob.time, elapsed);
        let start = lob.time.map(|time| self.clock(time).saturating_sub(elapsed));
        // Cursor 0 at depth 1: it takes the waits of no cursor, and those of cursors stay for their own calls.
        self.settle(Phase::Lob, 0, 1, start, (elapsed, cpu), None);
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        let (event, statement) = (self.summary.last_event, self.summary.last_statement);
        let elapsed = self.nanoseconds(wait.elapsed);
        self.time(wait.time, elapsed);
        let waits = Waits { count: 1, total_ns: elapsed, max_ns: elapsed };
        let events = &mut self.profile.events;
        while events.len() <= event {
            // Events are numbered as they appear, so this is one at most.
            let name = self.summary.event_name(event);
            events.push(EventProfile {
                name: name.to_owned(),
                class: event_class(name),
                idle: is_idle(name),
                ..EventProfile::default()
            });
        }
        let sums = &mut events[event];
        sums.waits.add(waits);
        sums.histogram.add(elapsed);

        let shape = Shape::of(wait);
        let blocks = shape.blocks(wait);
        if let Some(blocks) = blocks {
            sums.blocks = Some(sums.blocks.unwrap_or_default().saturating_add(blocks));
            sums.blocks_max = sums.blocks_max.max(blocks);
        }
        if shape.lock
            && let Some((letters, mode)) = wait.parameters[0].and_then(|parameter| enqueue(parameter.value))
        {
            let same = |lock: &&mut Enqueue| lock.mode == mode && lock.name.chars().eq(letters);
            if let Some(lock) = sums.enqueues.iter_mut().find(same) {
                lock.waits.add(waits);
            } else if sums.enqueues.len() < KEPT_LOCKS {
                sums.enqueues.push(Enqueue { name: letters.iter().collect(), mode, waits });
            }
        }
        let object = wait.object.filter(|object| *object >= 0).unwrap_or(NO_OBJECT);
        let (file, class) = (shape.file(wait).unwrap_or(NONE), shape.class(wait).unwrap_or(NONE));
        let event_number = u32::try_from(event).unwrap_or(NONE);
        let site = SiteKey {
            event: event_number,
            class,
            file,
            // The statement matters where sessions block each other; for reads it would only make the table large.
            statement: statement
                .filter(|_| shape.lock || class != NONE)
                .and_then(|statement| u32::try_from(statement).ok())
                .unwrap_or(NONE),
            object,
        };
        self.sites.add(site, waits, blocks.unwrap_or_default(), 0);
        if let Some(block) = shape.block(wait) {
            self.blocks.add(BlockKey { event: event_number, file, block, class }, waits, 0, object);
        }

        let pending = Pending {
            cursor: wait.cursor,
            event,
            statement,
            middle_ns: wait.time.map(|time| self.clock(time).saturating_sub(elapsed / 2)),
            count: 1,
            total_ns: elapsed,
            max_ns: elapsed,
        };
        let for_client = wait.event == "SQL*Net message from client"
            || (wait.time.is_none() && wait.event.starts_with("SQL*Net message to client"));
        if for_client {
            self.phases[Phase::Between as usize].wait(&pending);
            if let Some(index) = statement {
                add_to(&mut at(&mut self.profile.statements, index).between, &pending);
            }
        } else {
            self.timelines[self.timeline].1.wait(pending);
        }
    }

    fn finish(mut self) -> Profile {
        let mut profile = self.profile;
        profile.summary = self.summary.finish();
        profile.statements.resize_with(profile.summary.statements.len(), StatementProfile::default);
        for (session, mut timeline) in self.timelines {
            for wait in timeline.rest() {
                self.phases[Phase::Between as usize].wait(&wait);
                if let Some(index) = wait.statement {
                    add_to(&mut at(&mut profile.statements, index).between, &wait);
                }
            }
            let (elapsed_ns, before_ns) = timeline.finish();
            profile.elapsed_ns = profile.elapsed_ns.saturating_add(elapsed_ns);
            profile.before_first_line_ns = profile.before_first_line_ns.saturating_add(before_ns);
            profile.sessions.push(SessionProfile { session, elapsed_ns });
        }
        profile.lines = lines(&self.phases, profile.elapsed_ns);

        let some = |number: u32| (number != NONE).then_some(number);
        let some_object = |object: i64| (object != NO_OBJECT).then_some(object);
        profile.other_sites = self.sites.other;
        profile.sites = self
            .sites
            .sorted()
            .into_iter()
            .map(|(key, entry)| Site {
                event: key.event as usize,
                object: some_object(key.object),
                file: some(key.file),
                class: some(key.class),
                statement: some(key.statement).map(|statement| statement as usize),
                waits: entry.waits,
                blocks: entry.blocks,
            })
            .collect();
        profile.other_blocks = self.blocks.other;
        profile.blocks = self
            .blocks
            .sorted()
            .into_iter()
            .map(|(key, entry)| BlockWaits {
                event: key.event as usize,
                file: key.file,
                block: key.block,
                class: some(key.class),
                object: some_object(entry.last),
                waits: entry.waits,
            })
            .collect();
        profile
    }
}

/// The statement's sums, made when they are first asked for.
fn at(statements: &mut Vec<StatementProfile>, index: StatementIndex) -> &mut StatementProfile {
    if statements.len() <= index {
        statements.resize_with(index + 1, StatementProfile::default);
    }
    &mut statements[index]
}

/// The lines of the profile: time that is neither CPU nor a wait is unaccounted for, and the last line makes the sum
/// the wall clock.
fn lines(phases: &[PhaseSums; 7], elapsed_ns: i64) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut explained: i64 = 0;
    for (phase, sums) in Phase::ALL.into_iter().zip(phases) {
        let mut waits: Vec<_> = sums.waits.iter().enumerate().filter(|(_, waits)| waits.count > 0).collect();
        waits.sort_by_key(|(_, waits)| std::cmp::Reverse(waits.total_ns));
        let waited = waits.iter().fold(0i64, |sum, (_, waits)| sum.saturating_add(waits.total_ns));
        if sums.calls > 0 {
            lines.push(Line {
                phase,
                component: Component::Cpu,
                count: sums.calls,
                total_ns: sums.cpu_ns,
                max_ns: sums.cpu_max_ns,
            });
        }
        lines.extend(waits.into_iter().map(|(event, waits)| Line {
            phase,
            component: Component::Wait(event),
            count: waits.count,
            total_ns: waits.total_ns,
            max_ns: waits.max_ns,
        }));
        let left = if phase == Phase::Between {
            elapsed_ns.saturating_sub(explained).saturating_sub(waited)
        } else {
            explained = explained.saturating_add(sums.elapsed_ns);
            sums.elapsed_ns.saturating_sub(sums.cpu_ns).saturating_sub(waited)
        };
        if sums.calls > 0 || waited != 0 || left != 0 {
            lines.push(Line { phase, component: Component::Unaccounted, count: 0, total_ns: left, max_ns: 0 });
        }
    }
    lines
}
