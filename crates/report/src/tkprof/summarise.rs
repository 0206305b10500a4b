//! From records to the report: which statement a call, a wait or a plan belongs to.
//!
//! A cursor number stands for a statement from its `PARSING IN CURSOR` to the next one of that number in the session. Three cases are
//! less plain:
//!
//! * Waits during a parse are written before `PARSING IN CURSOR`. Where the cursor is new or was closed they are held until the next
//!   record of the cursor tells whose they are. Waits for the client on a closed cursor stay with the statement that was closed.
//! * The trace began after the parse: the calls are those of a statement without text, one for each cursor number.
//! * Several sessions in one file (`*** SESSION ID` changes): each has its own cursors and its own recursion.

use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

use common::Result;

use crate::trace::{self, Call, CallKind, LobCall, Mark, ParseError, Parsing, Record, Stat, Wait};

use super::model::{ErrorCount, FailedParse, Figures, LobTotals, Report, Statement, Totals, WaitTotals};
use super::options::Options;
use super::plans::{Gathering, add_capture};
use super::recursion::Recursion;

/// Statements that failed to parse that are kept; further ones are only counted with those of the same text.
const KEPT_FAILURES: usize = 1000;

/// Reads a trace and sums it up. Only [`Options::aggregate`] and [`Options::inclusive`] matter here.
///
/// # Errors
///
/// Those of [`trace::read`].
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
type EventId = usize;

/// What makes two statements the same.
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
}

type SessionId = Option<(u32, u32)>;

#[derive(Default)]
struct Session {
    cursors: HashMap<u64, Cursor>,
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

struct Summary {
    aggregate: bool,
    inclusive: bool,
    /// Multiplies a time of the trace.
    microseconds: i64,
    report: Report,
    statements: HashMap<Key, usize>,
    /// Beside `report.statements`.
    waits: Vec<WaitList>,
    events: HashMap<Box<str>, EventId>,
    event_names: Vec<String>,
    non_recursive_waits: WaitList,
    recursive_waits: WaitList,
    without_cursor: WaitList,
    current: SessionId,
    session: Session,
    /// Those that are not current.
    others: HashMap<SessionId, Session>,
    /// A session id was given.
    sessions_named: bool,
    first_time: Option<u64>,
    last_time: Option<u64>,
}

impl Summary {
    fn new(options: &Options) -> Self {
        Self {
            aggregate: options.aggregate,
            inclusive: options.inclusive,
            microseconds: 1,
            report: Report { inclusive: options.inclusive, ..Report::default() },
            statements: HashMap::new(),
            waits: Vec::new(),
            events: HashMap::new(),
            event_names: Vec::new(),
            non_recursive_waits: WaitList::default(),
            recursive_waits: WaitList::default(),
            without_cursor: WaitList::default(),
            current: None,
            session: Session::default(),
            others: HashMap::new(),
            sessions_named: false,
            first_time: None,
            last_time: None,
        }
    }

    fn take(&mut self, record: &Record<'_>) {
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
                match errors.iter_mut().find(|count| count.error == error.error) {
                    Some(count) => count.count += 1,
                    None => errors.push(ErrorCount { error: error.error, count: 1 }),
                }
            }
            Record::ParseError(error) => self.parse_error(error),
            Record::Lob(lob) => self.lob(lob),
        }
    }

    fn switch_session(&mut self, session: (u32, u32)) {
        let session = Some(session);
        // What stood before the first name belongs to it.
        if !std::mem::replace(&mut self.sessions_named, true) {
            self.current = session;
        }
        if session == self.current {
            return;
        }
        let next = self.others.remove(&session).unwrap_or_default();
        let previous = std::mem::replace(&mut self.session, next);
        self.others.insert(self.current, previous);
        self.current = session;
    }

    /// The first is where the trace begins; the last is the greatest, so that a number cut at the end of the file does no harm.
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
        let index = known.unwrap_or_else(|| {
            let index = self.add_statement(Statement {
                sql: Some(parsing.text.to_owned()),
                user: parsing.user,
                ..Statement::default()
            });
            self.statements.insert(key, index);
            index
        });
        let statement = &mut self.report.statements[index];
        statement.cursors += 1;
        statement.incomplete |= parsing.incomplete;
        statement.command = parsing.command.or(statement.command);
        statement.hash_value = parsing.hash_value.or(statement.hash_value);
        if statement.sql_id.is_none() {
            statement.sql_id = parsing.sql_id.map(str::to_owned).or_else(|| reckoned_sql_id(parsing));
        }
        let depth = parsing.depth.unwrap_or(0);
        statement.depth = statement.depth.max(depth);
        let cursor = self.session.cursors.entry(parsing.cursor).or_default();
        cursor.statement = Some(index);
        cursor.depth = depth;
        cursor.closed = false;
        self.release_held(parsing.cursor);
    }

    fn add_statement(&mut self, statement: Statement) -> usize {
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
            None => {
                let index = self.add_statement(Statement::default());
                self.statements.insert(key, index);
                index
            }
        };
        self.session.cursors.entry(cursor).or_default().statement = Some(index);
        index
    }

    fn call(&mut self, call: &Call) {
        self.time(call.time);
        let amount = Option::unwrap_or_default;
        let (cpu, elapsed) = (self.scaled(amount(call.cpu)), self.scaled(amount(call.elapsed)));
        if call.kind == CallKind::Close {
            let Some(cursor) = self.session.cursors.get_mut(&call.cursor) else { return };
            cursor.closed = true;
            if let Some(statement) = cursor.statement {
                let close = &mut self.report.statements[statement].close;
                *close = close.plus(&Figures { count: 1, cpu, elapsed, ..Figures::default() });
            }
            return;
        }
        let index = self.statement_of(call.cursor);
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
        self.event_names.push(name.to_owned());
        self.events.insert(name.into(), id);
        id
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        self.time(wait.time);
        let event = self.event(wait.event);
        let elapsed = self.scaled(wait.elapsed);
        let waits = Waits { count: 1, max: elapsed, total: elapsed };
        if wait.cursor == 0 {
            self.without_cursor.add(event, waits);
            self.non_recursive_waits.add(event, waits);
            return;
        }
        let cursor = self.session.cursors.entry(wait.cursor).or_default();
        match cursor.statement {
            Some(statement) if !cursor.closed || is_client_wait(wait.event) => {
                let depth = cursor.depth;
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

    /// Gives the waits held for a cursor to its statement, or to nobody's if it has none.
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
            add_capture(&mut self.report.statements[statement].plans, capture);
        }
    }

    fn parse_error(&mut self, error: &ParseError<'_>) {
        self.time(error.time);
        let failures = &mut self.report.parse_errors;
        let same = |failure: &&mut FailedParse| failure.error == error.error && failure.sql == error.text;
        if let Some(known) = failures.iter_mut().find(same) {
            known.count += 1;
        } else if failures.len() < KEPT_FAILURES {
            failures.push(FailedParse {
                sql: error.text.to_owned(),
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
        let at = calls.iter().position(|sum| sum.operation == lob.operation).unwrap_or_else(|| {
            calls.push(LobTotals { operation: lob.operation.to_owned(), ..LobTotals::default() });
            calls.len() - 1
        });
        calls[at].bytes = calls[at].bytes.saturating_add(amount(lob.bytes));
        calls[at].figures = calls[at].figures.plus(&figures);
    }

    fn finish(mut self) -> Report {
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

/// The SQL id of a statement whose trace has only the hash value (10g, 11.1.0.6), where that shows that the text is the very one.
fn reckoned_sql_id(parsing: &Parsing<'_>) -> Option<String> {
    let hash = parsing.hash_value?;
    (hash != 0 && hash == u64::from(waits::sql_hash(parsing.text))).then(|| waits::sql_id(parsing.text))
}

/// Waiting for the client belongs to what was done, not to what comes next.
fn is_client_wait(event: &str) -> bool {
    event.starts_with("SQL*Net message") || event.starts_with("SQL*Net more data")
}
