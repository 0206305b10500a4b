//! From records to the report: which statement a call, a wait or a plan belongs to.
//!
//! A cursor number stands for a statement from its `PARSING IN CURSOR` to the next one of that number in the session.
//! Three cases differ:
//!
//! * Waits during a parse are written before `PARSING IN CURSOR`. If the cursor is new or was closed they are held
//!   until the next record of the cursor identifies the statement. Waits for the client on a closed cursor stay with
//!   the statement that was closed.
//! * The trace began after the parse: the calls are those of a statement without text, one for each cursor number.
//! * Several sessions in one file (`*** SESSION ID` changes): each has its own cursors and its own recursion.

use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

use common::Result;
use foldhash::fast::RandomState;

use crate::trace::{self, Call, CallKind, LobCall, Mark, ParseError, Parsing, Record, Stat, Wait};

use super::model::{ErrorCount, FailedParse, Figures, LobTotals, Report, Statement, Totals, WaitTotals};
use super::options::Options;
use super::plans::{Gathering, add_capture};
use super::recursion::Recursion;

/// Failed statements kept; further ones are only counted with those of the same text.
const KEPT_FAILURES: usize = 1000;

/// Bytes of the text of such a statement that are kept.
const LONGEST_FAILURE: usize = 1 << 16;

/// Different statements, and bytes of their texts, kept apart. A trace of literals instead of bind variables has
/// millions: later ones are merged.
const KEPT_STATEMENTS: usize = 100_000;
const KEPT_TEXT: usize = 256 << 20;

/// Text of the merged statement.
const OTHER_STATEMENTS: &str = "(other statements: there are more than are kept apart)";

/// Different events that are kept apart. Releases have a few thousand.
const KEPT_EVENTS: usize = 4096;
const OTHER_EVENTS: &str = "(other events)";

/// Open cursors of a session. Beyond it the closed ones are dropped, and if there are none, all.
const OPEN_CURSORS: usize = 1 << 14;

/// Sessions kept apart; later ones are merged.
pub(crate) const KEPT_SESSIONS: usize = 1 << 12;

/// Different errors of a statement, plans of a statement, and kinds of calls on LOBs that are kept.
const KEPT_ERRORS: usize = 1000;
const KEPT_PLANS: usize = 1000;
const KEPT_LOBS: usize = 100;

/// Reads a trace and sums it up. Only [`Options::aggregate`] and [`Options::inclusive`] matter here.
///
/// # Errors
///
/// Errors of [`trace::read`].
pub fn summarise(source: impl Read, options: &Options) -> Result<Report> {
    let mut summary = Summary::new(options);
    let reading = trace::read(source, &mut |record| {
        summary.take(record);
        Ok(())
    })?;
    let mut report = summary.finish();
    report.reading = reading;
    Ok(report)
}

/// An event's place in the order of first appearance.
pub(crate) type EventId = usize;

/// Identity of a statement.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Text {
        user: Option<u32>,
        text: Rc<str>,
    },
    /// Without text: one for each cursor of each session.
    Cursor {
        session: SessionId,
        cursor: u64,
    },
    /// All that were merged for want of room.
    Others,
}

pub(crate) type SessionId = Option<(u32, u32)>;

#[derive(Default)]
struct Session {
    cursors: HashMap<u64, Cursor, RandomState>,
    recursion: Recursion,
    gathering: Gathering,
}

#[derive(Default)]
struct Cursor {
    statement: Option<usize>,
    depth: u32,
    /// Closed, or not seen yet: waits are held.
    closed: bool,
    held: Vec<(EventId, Waits)>,
}

#[derive(Clone, Copy, Default)]
struct Waits {
    count: u64,
    max: i64,
    total: i64,
}

impl Waits {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.max = self.max.max(other.max);
        self.total = self.total.saturating_add(other.total);
    }
}

/// Waits by event, in the order of first appearance.
#[derive(Default)]
struct WaitList(Vec<(EventId, Waits)>);

impl WaitList {
    fn add(&mut self, event: EventId, waits: Waits) {
        match self.0.iter_mut().find(|(id, _)| *id == event) {
            Some((_, sum)) => sum.add(waits),
            None => self.0.push((event, waits)),
        }
    }
}

pub(crate) struct Summary {
    /// The event of the last wait.
    pub(crate) last_event: EventId,
    /// The statement of the last wait or call; `None` where it has none, or none yet.
    pub(crate) last_statement: Option<usize>,
    aggregate: bool,
    inclusive: bool,
    /// Multiplies a time of the trace.
    microseconds: i64,
    report: Report,
    statements: HashMap<Key, usize, RandomState>,
    /// Of all statements' texts.
    text_bytes: usize,
    /// Beside `report.statements`.
    waits: Vec<WaitList>,
    events: HashMap<Box<str>, EventId, RandomState>,
    event_names: Vec<String>,
    non_recursive_waits: WaitList,
    recursive_waits: WaitList,
    without_cursor: WaitList,
    current: SessionId,
    session: Session,
    /// The sessions that are not current.
    others: HashMap<SessionId, Session, RandomState>,
    /// A session id was given.
    sessions_named: bool,
    first_time: Option<u64>,
    last_time: Option<u64>,
}

impl Summary {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            last_event: 0,
            last_statement: None,
            aggregate: options.aggregate,
            inclusive: options.inclusive,
            microseconds: 1,
            report: Report { inclusive: options.inclusive, ..Report::default() },
            statements: HashMap::default(),
            text_bytes: 0,
            waits: Vec::new(),
            events: HashMap::default(),
            event_names: Vec::new(),
            non_recursive_waits: WaitList::default(),
            recursive_waits: WaitList::default(),
            without_cursor: WaitList::default(),
            current: None,
            session: Session::default(),
            others: HashMap::default(),
            sessions_named: false,
            first_time: None,
            last_time: None,
        }
    }

    pub(crate) fn take(&mut self, record: &Record<'_>) {
        if !matches!(record, Record::Stat(_)) {
            self.end_plan();
        }
        match record {
            Record::Header(header) => {
                self.microseconds = header.time_unit().nominal_microseconds();
                self.report.header = (*header).clone();
            }
            Record::Mark(Mark::Session { sid, serial, .. }) => self.switch_session((*sid, *serial)),
            Record::Mark(_) | Record::Application(_) | Record::Binds(_) => {}
            Record::Parsing(parsing) => self.parsing(parsing),
            Record::Call(call) => self.call(call),
            Record::Wait(wait) => self.wait(wait),
            Record::Stat(stat) => self.stat(stat),
            Record::TransactionEnd(end) => {
                self.time(end.time);
                let transactions = &mut self.report.transactions;
                if end.rollback {
                    transactions.rollbacks += 1;
                } else {
                    transactions.commits += 1;
                }
                transactions.read_only += u64::from(end.read_only == Some(true));
            }
            Record::Error(error) => {
                self.time(error.time);
                let statement = self.statement_of(error.cursor);
                let errors = &mut self.report.statements[statement].errors;
                match errors.iter().position(|count| count.error == error.error) {
                    Some(at) => errors[at].count += 1,
                    None if errors.len() < KEPT_ERRORS => errors.push(ErrorCount { error: error.error, count: 1 }),
                    None => {}
                }
            }
            Record::ParseError(error) => self.parse_error(error),
            Record::Lob(lob) => self.lob(lob),
        }
    }

    fn switch_session(&mut self, session: (u32, u32)) {
        let mut session = Some(session);
        // Lines before the first name belong to it.
        if !std::mem::replace(&mut self.sessions_named, true) {
            self.current = session;
        }
        if self.others.len() >= KEPT_SESSIONS && session != self.current && !self.others.contains_key(&session) {
            session = None;
        }
        if session == self.current {
            return;
        }
        let next = self.others.remove(&session).unwrap_or_default();
        let previous = std::mem::replace(&mut self.session, next);
        self.others.insert(self.current, previous);
        self.current = session;
    }

    /// The first is where the trace begins; the last is the greatest, so that a number cut at the end of the file does
    /// no harm.
    fn time(&mut self, time: Option<u64>) {
        let Some(time) = time else { return };
        self.first_time.get_or_insert(time);
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
    }

    fn scaled(&self, time: i64) -> i64 {
        time.saturating_mul(self.microseconds)
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.time(parsing.time);
        if parsing.user == Some(0) {
            self.report.internal_statements += 1;
        } else {
            self.report.user_statements += 1;
        }
        let key = Key::Text { user: parsing.user, text: parsing.text.into() };
        let known = self.statements.get(&key).copied().filter(|_| self.aggregate);
        let room = self.room(parsing.text.len());
        let index = match known {
            Some(index) => index,
            None if room => {
                let index = self.add_statement(Statement {
                    sql: Some(parsing.text.to_owned()),
                    user: parsing.user,
                    ..Statement::default()
                });
                self.statements.insert(key, index);
                index
            }
            None => self.other_statement(),
        };
        let shared = known.is_none() && !room;
        let statement = &mut self.report.statements[index];
        statement.cursors += 1;
        if !shared {
            statement.incomplete |= parsing.incomplete;
            statement.command = parsing.command.or(statement.command);
            statement.hash_value = parsing.hash_value.or(statement.hash_value);
            if statement.sql_id.is_none() {
                statement.sql_id = parsing.sql_id.map(str::to_owned).or_else(|| reckoned_sql_id(parsing));
            }
        }
        let depth = parsing.depth.unwrap_or(0);
        statement.depth = statement.depth.max(depth);
        let cursor = self.cursor(parsing.cursor);
        cursor.statement = Some(index);
        cursor.depth = depth;
        cursor.closed = false;
        self.release_held(parsing.cursor);
    }

    /// True: another statement of that many bytes may be kept apart.
    fn room(&self, bytes: usize) -> bool {
        self.report.statements.len() < KEPT_STATEMENTS && self.text_bytes + bytes <= KEPT_TEXT
    }

    /// The merged statement.
    fn other_statement(&mut self) -> usize {
        if let Some(index) = self.statements.get(&Key::Others) {
            return *index;
        }
        let index = self.add_statement(Statement { sql: Some(OTHER_STATEMENTS.to_owned()), ..Statement::default() });
        self.statements.insert(Key::Others, index);
        index
    }

    /// The state of a cursor, made when it is first named.
    fn cursor(&mut self, number: u64) -> &mut Cursor {
        let cursors = &mut self.session.cursors;
        if cursors.len() >= OPEN_CURSORS && !cursors.contains_key(&number) {
            // No session has as many open: most were closed, or the numbers are damaged.
            let mut closed: Vec<u64> =
                cursors.iter().filter(|(_, cursor)| cursor.closed).map(|(number, _)| *number).collect();
            if closed.is_empty() {
                closed = cursors.keys().copied().collect();
            }
            for number in closed {
                self.release_held(number);
                self.session.cursors.remove(&number);
            }
        }
        self.session.cursors.entry(number).or_default()
    }

    fn add_statement(&mut self, statement: Statement) -> usize {
        self.text_bytes += statement.sql.as_ref().map_or(0, String::len);
        self.report.statements.push(statement);
        self.waits.push(WaitList::default());
        self.report.statements.len() - 1
    }

    /// The statement of a cursor; one without text if none was parsed.
    fn statement_of(&mut self, cursor: u64) -> usize {
        if let Some(statement) = self.session.cursors.get(&cursor).and_then(|cursor| cursor.statement) {
            return statement;
        }
        let key = Key::Cursor { session: self.current, cursor };
        let index = match self.statements.get(&key) {
            Some(index) => *index,
            None if self.room(0) => {
                let index = self.add_statement(Statement::default());
                self.statements.insert(key, index);
                index
            }
            None => self.other_statement(),
        };
        self.cursor(cursor).statement = Some(index);
        index
    }

    fn call(&mut self, call: &Call) {
        self.time(call.time);
        let amount = Option::unwrap_or_default;
        let (cpu, elapsed) = (self.scaled(amount(call.cpu)), self.scaled(amount(call.elapsed)));
        if call.kind == CallKind::Close {
            self.last_statement = None;
            let Some(cursor) = self.session.cursors.get_mut(&call.cursor) else { return };
            cursor.closed = true;
            self.last_statement = cursor.statement;
            if let Some(statement) = cursor.statement {
                let close = &mut self.report.statements[statement].close;
                *close = close.plus(&Figures { count: 1, cpu, elapsed, ..Figures::default() });
            }
            return;
        }
        let index = self.statement_of(call.cursor);
        self.last_statement = Some(index);
        let whole = [cpu, elapsed, amount(call.disk), amount(call.query), amount(call.current)];
        let own = self.session.recursion.own(call.depth, whole);
        let [cpu, elapsed, disk, query, current] = if self.inclusive { whole } else { own };
        let (rows, misses) = (amount(call.rows), amount(call.misses));
        let figures = Figures { count: 1, cpu, elapsed, disk, query, current, rows, misses };

        let statement = &mut self.report.statements[index];
        statement.depth = statement.depth.max(call.depth);
        statement.goal = call.goal.filter(|goal| *goal != 0).or(statement.goal);
        statement.plan_hash = match (call.plan_hash, statement.plan_hash) {
            (Some(0), known @ Some(_)) | (None, known) => known,
            (found, _) => found,
        };
        let totals = if call.depth == 0 { &mut self.report.non_recursive } else { &mut self.report.recursive };
        let (own, total) = match call.kind {
            CallKind::Parse => (&mut statement.parse, &mut totals.parse),
            CallKind::Fetch => (&mut statement.fetch, &mut totals.fetch),
            _ => (&mut statement.execute, &mut totals.execute),
        };
        *own = own.plus(&figures);
        *total = total.plus(&figures);

        if let Some(cursor) = self.session.cursors.get_mut(&call.cursor) {
            cursor.depth = call.depth;
            cursor.closed = false;
        }
        self.release_held(call.cursor);
    }

    fn event(&mut self, name: &str) -> EventId {
        if let Some(id) = self.events.get(name) {
            return *id;
        }
        let id = self.event_names.len();
        if id >= KEPT_EVENTS {
            return KEPT_EVENTS - 1;
        }
        let name = if id == KEPT_EVENTS - 1 { OTHER_EVENTS } else { name };
        self.event_names.push(name.to_owned());
        self.events.insert(name.into(), id);
        id
    }

    /// The name of an event by its number.
    pub(crate) fn event_name(&self, event: EventId) -> &str {
        self.event_names.get(event).map_or("", String::as_str)
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        self.time(wait.time);
        let event = self.event(wait.event);
        (self.last_event, self.last_statement) = (event, None);
        let elapsed = self.scaled(wait.elapsed);
        let waits = Waits { count: 1, max: elapsed, total: elapsed };
        if wait.cursor == 0 {
            self.without_cursor.add(event, waits);
            self.non_recursive_waits.add(event, waits);
            return;
        }
        let cursor = self.cursor(wait.cursor);
        match cursor.statement {
            Some(statement) if !cursor.closed || is_client_wait(wait.event) => {
                let depth = cursor.depth;
                self.last_statement = Some(statement);
                self.add_waits(statement, depth, event, waits);
            }
            _ => match cursor.held.iter_mut().find(|(id, _)| *id == event) {
                Some((_, sum)) => sum.add(waits),
                None => cursor.held.push((event, waits)),
            },
        }
    }

    fn add_waits(&mut self, statement: usize, depth: u32, event: EventId, waits: Waits) {
        self.waits[statement].add(event, waits);
        if depth == 0 { &mut self.non_recursive_waits } else { &mut self.recursive_waits }.add(event, waits);
    }

    /// Assigns the waits held for a cursor to its statement, or to none.
    fn release_held(&mut self, cursor: u64) {
        let Some(state) = self.session.cursors.get_mut(&cursor).filter(|state| !state.held.is_empty()) else { return };
        let (statement, depth) = (state.statement, state.depth);
        for (event, waits) in std::mem::take(&mut state.held) {
            match statement {
                Some(statement) => self.add_waits(statement, depth, event, waits),
                None => {
                    self.without_cursor.add(event, waits);
                    self.non_recursive_waits.add(event, waits);
                }
            }
        }
    }

    fn stat(&mut self, stat: &Stat<'_>) {
        if !self.session.gathering.continues(stat) {
            self.end_plan();
        }
        self.session.gathering.add(stat);
    }

    fn end_plan(&mut self) {
        if let Some((cursor, capture)) = self.session.gathering.finish() {
            let statement = self.statement_of(cursor);
            add_capture(&mut self.report.statements[statement].plans, capture, KEPT_PLANS);
        }
    }

    fn parse_error(&mut self, error: &ParseError<'_>) {
        self.time(error.time);
        let failures = &mut self.report.parse_errors;
        let text = &error.text[..error.text.floor_char_boundary(LONGEST_FAILURE)];
        let same = |failure: &&mut FailedParse| failure.error == error.error && failure.sql == text;
        if let Some(known) = failures.iter_mut().find(same) {
            known.count += 1;
        } else if failures.len() < KEPT_FAILURES {
            failures.push(FailedParse {
                sql: text.to_owned(),
                error: error.error,
                user: error.user,
                depth: error.depth,
                count: 1,
            });
        }
    }

    fn lob(&mut self, lob: &LobCall<'_>) {
        self.time(lob.time);
        let amount = Option::unwrap_or_default;
        let figures = Figures {
            count: 1,
            cpu: self.scaled(amount(lob.cpu)),
            elapsed: self.scaled(amount(lob.elapsed)),
            disk: amount(lob.disk),
            query: amount(lob.query),
            current: amount(lob.current),
            ..Figures::default()
        };
        let calls = &mut self.report.lob_calls;
        let known = calls.iter().position(|sum| sum.operation == lob.operation);
        let at = known.or_else(|| (calls.len() >= KEPT_LOBS).then_some(KEPT_LOBS - 1)).unwrap_or_else(|| {
            calls.push(LobTotals { operation: lob.operation.to_owned(), ..LobTotals::default() });
            calls.len() - 1
        });
        calls[at].bytes = calls[at].bytes.saturating_add(amount(lob.bytes));
        calls[at].figures = calls[at].figures.plus(&figures);
    }

    pub(crate) fn finish(mut self) -> Report {
        self.end_plan();
        let mut sessions: Vec<_> = self.others.keys().copied().chain([self.current]).collect();
        sessions.sort_unstable();
        for session in &sessions {
            if *session != self.current {
                self.session = self.others.remove(session).unwrap_or_default();
                self.current = *session;
            }
            let mut cursors: Vec<_> = self.session.cursors.keys().copied().collect();
            cursors.sort_unstable();
            cursors.into_iter().for_each(|cursor| self.release_held(cursor));
        }
        self.report.sessions = sessions.len() as u64;
        self.report.elapsed = self.first_time.zip(self.last_time).map(|(first, last)| {
            let span = i64::try_from(last.saturating_sub(first)).unwrap_or(i64::MAX);
            self.scaled(span)
        });
        let names = &self.event_names;
        let list = |list: WaitList| -> Vec<WaitTotals> {
            let named = |(event, waits): (EventId, Waits)| WaitTotals {
                event: names[event].clone(),
                count: waits.count,
                max: waits.max,
                total: waits.total,
            };
            list.0.into_iter().map(named).collect()
        };
        for (statement, waits) in self.report.statements.iter_mut().zip(self.waits) {
            statement.waits = list(waits);
        }
        let in_order = |mut waits: WaitList| {
            waits.0.sort_unstable_by_key(|(event, _)| *event);
            list(waits)
        };
        let set = |totals: &mut Totals, waits| totals.waits = in_order(waits);
        set(&mut self.report.non_recursive, self.non_recursive_waits);
        set(&mut self.report.recursive, self.recursive_waits);
        self.report.waits_without_cursor = in_order(self.without_cursor);
        self.report
    }
}

/// The SQL id of a statement whose trace has only the hash value (10g, 11.1.0.6), if the text has that hash.
fn reckoned_sql_id(parsing: &Parsing<'_>) -> Option<String> {
    let hash = parsing.hash_value?;
    (hash != 0 && hash == u64::from(waits::sql_hash(parsing.text))).then(|| waits::sql_id(parsing.text))
}

/// Waiting for the client belongs to the call before, not to the next one.
pub(crate) fn is_client_wait(event: &str) -> bool {
    event.starts_with("SQL*Net message") || event.starts_with("SQL*Net more data")
}
