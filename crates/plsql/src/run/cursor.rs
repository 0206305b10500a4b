//! Open cursors: explicit ones, those of loops, and referents of REF CURSORs.

use std::collections::VecDeque;
use std::sync::Arc;

use common::sync::Mutex;
use common::{Error, Result};
use scalar::Datum;

use super::session::Session;
use crate::ast::CursorAttribute;
use crate::host::{Host, OpenQuery};
use crate::value::Value;

/// Queries without a holder, closed when the machine next looks.
pub(crate) type Orphans = Arc<Mutex<Vec<OpenQuery>>>;

/// A cursor. Copies are the same cursor.
#[derive(Clone, Debug)]
pub struct Cursor(Arc<Mutex<CursorState>>);

#[derive(Debug)]
struct CursorState {
    query: Option<OpenQuery>,
    /// Rows fetched ahead.
    ahead: VecDeque<Vec<Datum>>,
    /// The host has no more.
    ended: bool,
    found: Option<bool>,
    /// The last fetch gave a row.
    on_row: bool,
    rows: i64,
    orphans: Orphans,
}

impl Drop for CursorState {
    fn drop(&mut self) {
        if let Some(query) = self.query.take() {
            self.orphans.lock().push(query);
        }
    }
}

/// Rows that a loop over a cursor fetches at once.
pub const ROWS_AHEAD: usize = 100;
/// Rows per fetch of FETCH … BULK COLLECT without LIMIT.
const ROWS_BULK: usize = 1000;

/// ORA-01001.
pub(crate) fn invalid() -> Error {
    Error::user(1001, "invalid cursor")
}

impl Cursor {
    pub(crate) fn new(query: OpenQuery, orphans: &Orphans) -> Self {
        Self(Arc::new(Mutex::new(CursorState {
            query: Some(query),
            ahead: VecDeque::new(),
            ended: false,
            found: None,
            on_row: false,
            rows: 0,
            orphans: Arc::clone(orphans),
        })))
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.lock().query.is_some()
    }

    /// The query, for a caller that passes it on.
    #[must_use]
    pub fn query(&self) -> Option<OpenQuery> {
        self.0.lock().query
    }

    /// Rows that were fetched behind the one that the program was given last; None where its last fetch gave none.
    pub(crate) fn rows_ahead(&self) -> Option<usize> {
        let state = self.0.lock();
        state.on_row.then(|| state.ahead.len())
    }

    /// Takes the query out; the caller closes it.
    #[must_use]
    pub fn take(&self) -> Option<OpenQuery> {
        self.0.lock().query.take()
    }

    /// The next row; None at the end.
    pub(crate) fn fetch(&self, host: &mut dyn Host, session: &mut Session, many: bool) -> Result<Option<Vec<Datum>>> {
        let mut state = self.0.lock();
        let query = state.query.ok_or_else(invalid)?;
        if state.ahead.is_empty() && !state.ended {
            drop(state);
            // What comes behind a COMMIT must not be fetched before it.
            let many = many && !host.locks_rows(query)?;
            let (rows, last) = host.fetch(session, query, if many { ROWS_AHEAD } else { 1 })?;
            state = self.0.lock();
            state.ended = last || rows.is_empty();
            state.ahead.extend(rows);
        }
        let row = state.ahead.pop_front();
        state.found = Some(row.is_some());
        state.on_row = row.is_some();
        state.rows += i64::from(row.is_some());
        Ok(row)
    }

    /// Up to `limit` rows.
    pub(crate) fn fetch_many(
        &self,
        host: &mut dyn Host,
        session: &mut Session,
        limit: usize,
    ) -> Result<Vec<Vec<Datum>>> {
        let mut rows: Vec<Vec<Datum>> = Vec::new();
        loop {
            let mut state = self.0.lock();
            let query = state.query.ok_or_else(invalid)?;
            while rows.len() < limit
                && let Some(row) = state.ahead.pop_front()
            {
                rows.push(row);
            }
            if rows.len() == limit || state.ended {
                state.rows += rows.len() as i64;
                state.on_row = !rows.is_empty();
                state.found =
                    Some(if limit == usize::MAX { !rows.is_empty() } else { rows.len() == limit && limit > 0 });
                return Ok(rows);
            }
            drop(state);
            let (more, last) = host.fetch(session, query, (limit - rows.len()).min(ROWS_BULK))?;
            let mut state = self.0.lock();
            state.ended = last || more.is_empty();
            state.ahead.extend(more);
        }
    }

    /// # Errors
    /// ORA-01001 when it is not open.
    pub(crate) fn close(&self, host: &mut dyn Host) -> Result<()> {
        let mut state = self.0.lock();
        let query = state.query.take().ok_or_else(invalid)?;
        state.ahead.clear();
        host.close(query);
        Ok(())
    }

    /// Takes over another cursor's query: OPEN … FOR into a shared variable.
    pub(crate) fn reopen(&self, from: &Self, host: &mut dyn Host) {
        if Arc::ptr_eq(&self.0, &from.0) {
            return;
        }
        let query = from.0.lock().query.take();
        let mut state = self.0.lock();
        if let Some(old) = state.query.take() {
            host.close(old);
        }
        state.query = query;
        state.ahead.clear();
        state.ended = false;
        state.found = None;
        state.on_row = false;
        state.rows = 0;
    }

    pub(crate) fn attribute(&self, which: CursorAttribute) -> Result<Value> {
        let state = self.0.lock();
        if state.query.is_none() {
            return if which == CursorAttribute::IsOpen { Ok(Value::Boolean(false)) } else { Err(invalid()) };
        }
        Ok(match which {
            CursorAttribute::IsOpen => Value::Boolean(true),
            CursorAttribute::Found => state.found.into(),
            CursorAttribute::NotFound => state.found.map(|found| !found).into(),
            CursorAttribute::RowCount => Value::Int(state.rows),
        })
    }
}
