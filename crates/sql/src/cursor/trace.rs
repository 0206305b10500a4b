//! Calls on cursors in the session's meter and SQL trace.

use std::path::{Path, PathBuf};

use common::{Error, Number, Result};
use engine::instance::Session;
use scalar::Datum;
use storage::parameters::Parameter;
use storage::txn::Deadlock;
use waits::{
    Bind, CallFigures, CallKind, CallReading, LEVEL_BINDS, LEVEL_WAITS, ParsedCursor, SqlCall, SqlStatement, StatLine,
    Statistic, TraceFile, TraceHeader,
};

use super::context::utc_offset_seconds;
use super::library::SharedCursor;
use super::open::RowSource;
use super::shared::Shared;

/// MODULE of a session that has set none.
const DEFAULT_MODULE: &str = "highwater";

/// The session's counters when a call began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallStart(CallReading);

impl CallStart {
    pub(crate) fn now(session: &Session) -> Self {
        Self(CallReading::now(session.meter()))
    }

    /// The cost of the call, added to the session and to its statement. `depth`: above 0 it is a program's call, whose
    /// time is part of the outer call's.
    pub(crate) fn figures(
        &self,
        session: &Session,
        depth: u32,
        statement: Option<(&SqlStatement, SqlCall)>,
        misses: u64,
        rows: u64,
    ) -> CallFigures {
        let meter = session.meter();
        let now = CallReading::now(meter);
        let (took, tim) = (now.since(&self.0), meter.tim_at(now.elapsed_us));
        let figures = CallFigures {
            cpu_us: took.cpu_us,
            elapsed_us: took.elapsed_us,
            physical: took.disk_reads,
            consistent: took.consistent_gets,
            current: took.current_gets,
            misses,
            rows,
            depth,
            goal: 1,
            plan_hash: 0,
            close_type: 0,
            tim,
        };
        if let Some((statement, call)) = statement {
            statement.ended(&took, tim, call, rows);
        }
        if depth > 0 {
            meter.count(Statistic::RecursiveCpuUsage, figures.cpu_us);
        } else {
            meter.count(Statistic::CpuUsedByThisSession, figures.cpu_us);
            meter.count(Statistic::DbTime, figures.elapsed_us);
        }
        figures
    }
}

/// PARSING IN CURSOR of a cursor. `uid` and `lid`: the numbers of the session's user and of the user whose rights are
/// in force.
pub(crate) fn parsed<'a>(
    session: &Session,
    cursor: &'a SharedCursor,
    depth: u32,
    (uid, lid): (u32, u32),
) -> ParsedCursor<'a> {
    ParsedCursor {
        text: &cursor.text,
        depth,
        uid,
        lid,
        oct: cursor.statement.verb().1,
        hash: cursor.hash,
        sql_id: &cursor.sql_id,
        address: cursor.address,
        tim: session.meter().tim(),
    }
}

pub(crate) fn call(session: &Session, kind: CallKind, cursor: u64, figures: &CallFigures) {
    session.meter().trace(|trace| trace.call(kind, cursor, figures));
}

/// An execute or fetch that failed.
pub(crate) fn failed(session: &Session, cursor: u64, error: &Error) {
    let number = match error.number {
        Number::Ora(number) | Number::Hw(number) | Number::Sp2(number) => number,
    };
    let tim = session.meter().tim();
    session.meter().trace(|trace| trace.error(cursor, number, tim));
}

/// STAT lines.
pub(crate) fn row_sources(session: &Session, cursor: u64, sources: &[RowSource]) {
    if session.meter().trace_level() == 0 {
        return;
    }
    // The last source seen at each depth is the parent of the next deeper one.
    let mut parents: Vec<u32> = Vec::new();
    let mut children: Vec<u32> = vec![0; sources.len() + 1];
    for (at, source) in sources.iter().enumerate() {
        let id = at as u32 + 1;
        parents.truncate(source.depth as usize);
        let pid = parents.last().copied().unwrap_or(0);
        parents.push(id);
        children[pid as usize] += 1;
        let operation = source.step.text();
        let line = StatLine {
            id,
            pid,
            pos: children[pid as usize],
            cnt: source.figures.rows,
            object: source.object,
            operation: &operation,
            cr: source.figures.consistent,
            pr: source.figures.reads,
            pw: source.figures.writes,
            time_us: source.figures.micros,
            cost: None,
            size: None,
            card: None,
        };
        session.meter().trace(|trace| trace.stat(cursor, &line));
    }
}

/// BINDS.
pub(crate) fn binds(session: &Session, cursor: u64, values: &[(String, Datum)], text: impl Fn(&Datum) -> String) {
    if session.meter().trace_level() == 0 || values.is_empty() {
        return;
    }
    let texts: Vec<String> = values.iter().map(|(_, value)| text(value)).collect();
    let lines: Vec<Bind<'_>> = values
        .iter()
        .zip(&texts)
        .map(|((_, value), text)| {
            let (data_type, max_bytes, quoted) = match value {
                Datum::Number(_) => (2, 22, false),
                Datum::Date(_) => (12, 7, true),
                Datum::Timestamp(_) => (180, 11, true),
                Datum::Raw(_) => (23, 2000, true),
                Datum::Char(_) => (96, 2000, true),
                Datum::Null | Datum::Varchar2(_) => (1, 4000, true),
            };
            Bind {
                data_type,
                max_bytes,
                bytes: value.as_stored().map_or(0, |bytes| bytes.len() as u32),
                precision: 0,
                scale: 0,
                value: (!value.is_null()).then_some(text.as_str()),
                quoted,
            }
        })
        .collect();
    session.meter().trace(|trace| trace.binds(cursor, &lines));
}

fn failure(error: &std::io::Error) -> Error {
    Error::new(common::ErrorKind::Io, Number::Ora(48_100), format!("trace file: {error}"))
}

/// Starts the SQL trace of a session, or changes its level. The file is [`path`].
pub(crate) fn start(session: &Session, level: u32) -> Result<()> {
    let file = open(session, &path(session)).map_err(|error| failure(&error))?;
    session.meter().start_trace(file, level).map_err(|error| failure(&error))
}

/// The trace file of a session's user: that of the session that it works for.
pub(crate) fn path_of(session: &Session, shared: &Shared) -> PathBuf {
    shared.trace_path.clone().unwrap_or_else(|| path(session))
}

/// Has a session that works for another one write into that one's trace, if it is active.
pub(crate) fn join(worker: &Session, caller: &Session, shared: &Shared) -> Result<()> {
    let level = caller.meter().trace_level();
    if level == 0 {
        return Ok(());
    }
    caller.meter().trace(TraceFile::flush);
    let file = open(worker, &path_of(worker, shared)).map_err(|error| failure(&error))?;
    worker.meter().start_trace(file, level).map_err(|error| failure(&error))
}

/// Ends that; a trace that the session has started itself goes on.
pub(crate) fn part(worker: &Session, caller: &Session) -> Result<()> {
    let level = worker.meter().trace_level();
    stop(worker)?;
    if level == caller.meter().trace_level() {
        return Ok(());
    }
    if level == 0 { stop(caller) } else { start(caller, level) }
}

/// Writes a deadlock graph into the session's trace file, whether its SQL is traced or not. Errors of the write are
/// dropped: the statement fails with the deadlock.
pub(crate) fn deadlock(session: &Session, deadlock: &Deadlock) {
    let text = deadlock.text();
    if session.meter().trace_level() != 0 {
        return session.meter().trace(|trace| trace.text(&text));
    }
    // A database in memory has no directory, and none is made for it.
    let place = directory(session).is_dir() || session.instance().directory().is_dir();
    if place && let Ok(mut file) = open(session, &path(session)) {
        file.text(&text);
        let _ = file.finish();
    }
}

/// Path of a session's trace: in USER_DUMP_DEST, `database_ora_process_session[_identifier].trc`.
pub(crate) fn path(session: &Session) -> PathBuf {
    let (instance, parameters) = (session.instance(), session.parameters());
    let identifier = parameters.text(Parameter::TracefileIdentifier);
    let name = instance.database_name().to_lowercase();
    let suffix = if identifier.is_empty() { String::new() } else { format!("_{identifier}") };
    directory(session).join(format!("{name}_ora_{}{suffix}.trc", trace_process(session)))
}

/// USER_DUMP_DEST, under the database's directory when it is relative.
pub(crate) fn directory(session: &Session) -> PathBuf {
    let directory = PathBuf::from(session.parameters().text(Parameter::UserDumpDest).as_ref());
    if directory.is_relative() { session.instance().directory().join(directory) } else { directory }
}

/// The session's trace file, open at its end.
fn open(session: &Session, path: &Path) -> std::io::Result<TraceFile> {
    let (instance, meter) = (session.instance(), session.meter());
    std::fs::create_dir_all(directory(session))?;
    let name = instance.database_name().to_lowercase();
    let wall_us = meter.clock().wall_us();
    let work = session.work();
    let said = |what: Option<std::sync::Arc<str>>, usual: &str| what.as_deref().unwrap_or(usual).to_owned();
    let header = TraceHeader {
        banner: format!("Highwater {}", env!("CARGO_PKG_VERSION")),
        instance: name,
        process: session.process().0,
        sid: session.sid(),
        serial: meter.serial(),
        service: "SYS$USERS".to_owned(),
        module: said(work.module, DEFAULT_MODULE),
        action: said(work.action, ""),
        client: said(work.client_identifier, ""),
        wall_us,
        utc_offset_seconds: utc_offset_seconds(wall_us),
    };
    TraceFile::new(path, &header)
}

/// Trace level from the arguments of DBMS_SESSION and DBMS_MONITOR.
pub(crate) fn level(waits: bool, binds: bool) -> u32 {
    1 | if waits { LEVEL_WAITS } else { 0 } | if binds { LEVEL_BINDS } else { 0 }
}

/// Writes a new module, action or client into the session's trace, if it is active.
pub(crate) fn label(session: &Session, what: &str, value: Option<&str>) {
    let meter = session.meter();
    meter.trace(|trace| trace.label(what, value.unwrap_or_default(), meter.clock().wall_us()));
}

/// Ends the SQL trace.
pub(crate) fn stop(session: &Session) -> Result<()> {
    session.meter().stop_trace().map_err(|error| failure(&error))
}

/// The number in the trace file's name: the operating system's process and the session in it.
fn trace_process(session: &Session) -> String {
    format!("{}_{}", std::process::id(), session.sid())
}
