//! New rows on their way into a table: gathered, checked against the constraints together, then inserted.

use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::{Catalog, TableDef};
use storage::table::{Appender, Inserter};

use super::checks::RowChecks;
use super::deferred::violated_key;
use super::returning::Giving;
use super::trigger::{Image, Triggers};
use crate::cursor::connection::Connection;

/// Rows that are checked together.
const CHECKED_ROWS: usize = 4096;

/// A value is NULL when its place ends before it starts.
const NULL: (u32, u32) = (1, 0);

/// The destination of the rows.
#[derive(Debug)]
enum Sink {
    /// Into blocks in the cache, with undo.
    Insert(Inserter),
    /// Into blocks past the cache, without undo; None when all are written, and their number.
    Append(Option<Appender>, u64),
}

impl Sink {
    fn push(&mut self, row: &[Option<&[u8]>]) -> Result<()> {
        match self {
            Self::Insert(inserter) => inserter.push(row),
            Self::Append(Some(appender), _) => appender.push(row),
            Self::Append(None, _) => Err(Error::bug("a row for a direct load that has ended")),
        }
    }

    /// Finishes the inserts or the direct load; returns the number of rows inserted.
    fn finish(&mut self) -> Result<u64> {
        match self {
            Self::Insert(inserter) => inserter.finish(),
            Self::Append(appender, rows) => {
                if let Some(appender) = appender.take() {
                    *rows = appender.finish()?;
                }
                Ok(*rows)
            }
        }
    }

    fn rows(&self) -> u64 {
        match self {
            Self::Insert(inserter) => inserter.rows(),
            Self::Append(appender, rows) => appender.as_ref().map_or(*rows, Appender::rows),
        }
    }

    fn last_rowid(&self) -> Option<common::Rowid> {
        match self {
            Self::Insert(inserter) => inserter.last_rowid(),
            Self::Append(..) => None,
        }
    }
}

/// An insert in progress. Rows of a table without constraints to check go straight to the engine.
#[derive(Debug)]
pub(crate) struct Intake<'c> {
    connection: &'c Connection,
    sink: Sink,
    checks: Option<RowChecks>,
    width: usize,
    bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
    table: Arc<TableDef>,
    /// The row triggers.
    triggers: Option<&'c Triggers<'c>>,
    /// The values of RETURNING.
    giving: Option<Giving>,
}

impl<'c> Intake<'c> {
    pub(crate) fn new(connection: &'c Connection, table: &Arc<TableDef>) -> Result<Self> {
        let checks = RowChecks::of(connection, table, None)?;
        let sink = Sink::Insert(Inserter::new(connection.session.worker().clone(), table.heap().clone())?);
        let (bytes, places) = (Vec::new(), Vec::new());
        let (width, table) = (table.columns.len(), Arc::clone(table));
        Ok(Self { connection, sink, checks, width, bytes, places, table, triggers: None, giving: None })
    }

    /// For the rows of a table that is being made: past the cache and without undo, unless it has indexes.
    pub(crate) fn of_new_table(connection: &'c Connection, table: &Arc<TableDef>) -> Result<Self> {
        let intake = Self::new(connection, table)?;
        if !table.indexes.is_empty() {
            return Ok(intake);
        }
        let appender = Appender::new(connection.session.worker().clone(), table.heap().clone())?;
        Ok(Self { sink: Sink::Append(Some(appender), 0), ..intake })
    }

    /// For the rows of a direct load.
    pub(crate) fn of_load(connection: &'c Connection, table: &Arc<TableDef>) -> Result<Self> {
        let intake = Self::new(connection, table)?;
        let appender = Appender::into_table(connection.session.worker().clone(), table.heap().clone())?;
        Ok(Self { sink: Sink::Append(Some(appender), 0), ..intake })
    }

    /// True: the rows go past the cache.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.sink, Sink::Append(..))
    }

    /// An insert that fires row triggers.
    pub(crate) fn firing(self, triggers: Option<&'c Triggers<'c>>) -> Self {
        Self { triggers: triggers.filter(|triggers| triggers.has_row()), ..self }
    }

    /// An insert with RETURNING.
    pub(crate) fn giving(self, giving: Option<Giving>) -> Self {
        Self { giving, ..self }
    }

    pub(crate) fn take_giving(&mut self) -> Option<Giving> {
        self.giving.take()
    }

    /// Adds a row: all columns of the table, encoded; lengths are checked, and so is NOT NULL unless there are BEFORE
    /// row triggers.
    pub(crate) fn push(&mut self, row: &[Option<&[u8]>]) -> Result<()> {
        let Some(triggers) = self.triggers else { return self.put(row) };
        let mut new = Image::of(&self.table, row)?;
        triggers.before_row(None, Some(&mut new))?;
        self.put(&new.columns())?;
        if triggers.has_after_row() {
            // The rows that the trigger reads, or refers to, are inserted first.
            self.settle()?;
            triggers.after_row(None, Some(&mut new))?;
        }
        Ok(())
    }

    fn put(&mut self, row: &[Option<&[u8]>]) -> Result<()> {
        let Some(mut giving) = self.giving.take() else { return self.take(row) };
        let taken = self.take(row);
        let taken = if giving.wants_rowid() { taken.and_then(|()| self.settle().map(drop)) } else { taken };
        giving.add(self.sink.last_rowid().filter(|_| giving.wants_rowid()), row);
        self.giving = Some(giving);
        taken
    }

    fn take(&mut self, row: &[Option<&[u8]>]) -> Result<()> {
        let Some(checks) = &mut self.checks else {
            return self.sink.push(row).map_err(|error| self.connection.key_named(error));
        };
        checks.add(row);
        for value in row {
            self.places.push(match value {
                None => NULL,
                Some(value) => {
                    let start = self.bytes.len() as u32;
                    self.bytes.extend_from_slice(value);
                    (start, self.bytes.len() as u32)
                }
            });
        }
        if self.places.len() >= CHECKED_ROWS * self.width { self.flush() } else { Ok(()) }
    }

    /// Checks the waiting rows, and passes them to the engine.
    fn flush(&mut self) -> Result<()> {
        let Some(checks) = &mut self.checks else { return Ok(()) };
        checks.run(&mut self.connection.shared.deferred.lock())?;
        let mut row: Vec<Option<&[u8]>> = vec![None; self.width];
        for places in self.places.chunks_exact(self.width) {
            for (value, (start, end)) in row.iter_mut().zip(places) {
                *value = self.bytes.get(*start as usize..*end as usize);
            }
            self.sink.push(&row).map_err(|error| self.connection.key_named(error))?;
        }
        self.bytes.clear();
        self.places.clear();
        Ok(())
    }

    /// Inserts the waiting rows, and returns the number of all.
    pub(crate) fn finish(&mut self) -> Result<u64> {
        let rows = self.settle()?;
        if let Some(checks) = self.checks.take() {
            checks.finish(&mut self.connection.shared.deferred.lock())?;
        }
        Ok(rows)
    }

    /// Inserts the waiting rows, and goes on.
    fn settle(&mut self) -> Result<u64> {
        self.flush()?;
        self.sink.finish().map_err(|error| self.connection.key_named(error))
    }

    /// Rows inserted.
    pub(crate) fn rows(&self) -> u64 {
        self.sink.rows()
    }
}

impl Connection {
    /// Replaces the index's name in ORA-00001 by the constraint's, where the index enforces one.
    pub(crate) fn key_named(&self, error: Error) -> Error {
        if !error.is_ora(1) {
            return error;
        }
        named(&self.session.catalog(), &error).unwrap_or(error)
    }
}

fn named(catalog: &Catalog, error: &Error) -> Option<Error> {
    let name = error.text.split_once('(')?.1.split_once(')')?.0;
    let (owner, index) = name.split_once('.')?;
    let index = catalog.index(owner, index)?;
    let key = catalog.constraints().find(|key| key.index == Some(index.object) && key.state.enabled)?;
    Some(violated_key(key))
}
