//! A session of a script: a thread with a connection.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use common::{Error, Number};
use engine::instance::Session;
use sql::{Connection, CursorNumber, Database, Datum};

use super::watch::{Watch, now_us};

/// A session that is still running this long after its script's end is given up.
const END_US: u64 = 20_000_000;

/// Work of a session; returns the lines of its result.
pub(crate) type Work = Box<dyn FnOnce(&mut Seat) -> Vec<String> + Send>;

/// The state of a session's thread.
pub(crate) struct Seat {
    pub(crate) connection: Connection,
    cursors: HashMap<String, CursorNumber>,
}

pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) session: Arc<Session>,
    /// The thread's folder in /proc.
    pub(crate) thread: PathBuf,
    pub(crate) busy: bool,
    pub(crate) watch: Watch,
    work: Option<Sender<Work>>,
    results: Receiver<Vec<String>>,
}

impl Player {
    pub(crate) fn new(name: &str, database: &Arc<Database>) -> Self {
        let (work, orders) = channel::<Work>();
        let (sender, results) = channel();
        let (ready, begun) = channel();
        let database = Arc::clone(database);
        common::sync::spawn("a session of a script", move || {
            let connection = database.connect("system", None).unwrap();
            let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
            ready.send((Arc::clone(connection.session()), PathBuf::from("/proc").join(thread))).unwrap();
            let mut seat = Seat { connection, cursors: HashMap::new() };
            for work in orders {
                if sender.send(work(&mut seat)).is_err() {
                    break;
                }
            }
            drop(seat);
            // The end of the connection is over when the channel closes.
            drop(sender);
        })
        .unwrap();
        let (session, thread) = begun.recv().unwrap();
        Self { name: name.to_owned(), session, thread, busy: false, watch: Watch::default(), work: Some(work), results }
    }

    pub(crate) fn start(&mut self, work: Work) {
        assert!(!self.busy, "{} is still at work", self.name);
        self.busy = true;
        self.watch = Watch::default();
        self.work.as_ref().unwrap().send(work).unwrap();
    }

    /// The result of the work, when it has ended.
    pub(crate) fn result(&mut self) -> Option<Vec<String>> {
        match self.results.try_recv() {
            Ok(lines) => {
                self.busy = false;
                Some(lines)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => panic!("session {} panicked", self.name),
        }
    }

    /// Ends the connection.
    pub(crate) fn leave(mut self) {
        self.work = None;
        if self.busy {
            self.session.cancel_handle().store(true, Ordering::SeqCst);
        }
        let until_us = now_us(&self) + END_US;
        while !matches!(self.results.try_recv(), Err(TryRecvError::Disconnected)) {
            assert!(now_us(&self) < until_us, "session {} does not end", self.name);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The work of a line of a script.
pub(crate) fn work(line: &str) -> Work {
    let line = line.to_owned();
    Box::new(move |seat| run(seat, &line).unwrap_or_else(|error| vec![shown_error(&error)]))
}

fn shown_error(error: &Error) -> String {
    match error.number {
        Number::Ora(number) => format!("ORA-{number:05}"),
        Number::Hw(_) | Number::Sp2(_) => error.to_string(),
    }
}

fn run(seat: &mut Seat, line: &str) -> common::Result<Vec<String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["open", name, ..] if name.ends_with(':') => {
            let (_, query) = line.split_once(':').unwrap();
            let cursor = seat.connection.parse(query.trim())?;
            seat.cursors.insert(name.trim_end_matches(':').to_owned(), cursor);
            seat.connection.execute(cursor)?;
            Ok(vec!["open".to_owned()])
        }
        ["fetch", name, rows] => {
            let cursor = seat.cursors[*name];
            let fetched = seat.connection.fetch(cursor, rows.parse().unwrap())?;
            let mut lines = shown_rows(&seat.connection, &fetched.rows)?;
            if fetched.end {
                lines.push("end".to_owned());
            }
            Ok(lines)
        }
        ["close", name] => {
            let cursor = seat.cursors.remove(*name).unwrap();
            seat.connection.close(cursor);
            Ok(vec!["closed".to_owned()])
        }
        _ => statement(&mut seat.connection, line),
    }
}

fn statement(connection: &mut Connection, text: &str) -> common::Result<Vec<String>> {
    let cursor = connection.parse(text)?;
    let result = (|| {
        let executed = connection.execute(cursor)?;
        if !executed.is_query {
            return Ok(vec![match executed.rows {
                Some(rows) => format!("{}: {rows} rows", executed.verb),
                None => executed.verb.to_owned(),
            }]);
        }
        let rows = connection.fetch(cursor, usize::MAX)?.rows;
        if rows.is_empty() { Ok(vec!["no rows".to_owned()]) } else { shown_rows(connection, &rows) }
    })();
    connection.close(cursor);
    result
}

fn shown_rows(connection: &Connection, rows: &[Vec<Datum>]) -> common::Result<Vec<String>> {
    rows.iter()
        .map(|row| {
            let values =
                row.iter().map(|value| if value.is_null() { Ok("-".to_owned()) } else { connection.text(value) });
            Ok(values.collect::<common::Result<Vec<_>>>()?.join(" | "))
        })
        .collect()
}
