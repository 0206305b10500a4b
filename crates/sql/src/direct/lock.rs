//! SELECT … FOR UPDATE of one table: the query is run to its end and its rows are locked when it is executed; fetches
//! return the settled rows.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use common::{Error, Result, Rowid};
use engine::dictionary::TableDef;
use scalar::{Context, Datum, DatumType};
use storage::txn::LockWait;

use super::plan::DirectQuery;
use super::run::DirectRun;
use crate::cursor::connection::Connection;
use crate::cursor::open::{Cursor, Query, RowSource};
use crate::transaction::lock_rows::{Locked, lock_rows};

/// A compiled query that locks its rows: the last output is their rowid.
#[derive(Debug)]
pub(crate) struct DirectLock {
    pub(crate) query: Arc<DirectQuery>,
    pub(crate) table: Arc<TableDef>,
    pub(crate) wait: LockWait,
}

/// Rows of a query that has run to its end.
pub(crate) struct Settled {
    pub(crate) rows: std::vec::IntoIter<Vec<Datum>>,
    pub(crate) kinds: Vec<DatumType>,
    pub(crate) row_sources: Vec<RowSource>,
}

impl fmt::Debug for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settled").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl DirectLock {
    /// Executes the query. False when it has to go the long way this time.
    ///
    /// # Errors
    /// Those of the query and of the locks; the caller takes the locks back.
    pub(crate) fn execute(
        &self,
        connection: &Connection,
        cursor: &mut Cursor,
        context: &Arc<dyn Context>,
        parameters: &[Datum],
    ) -> Result<bool> {
        let session = &connection.session;
        let mark = session.mark();
        loop {
            session.check_cancelled()?;
            let _seen = session.enter(session.begin_snapshot());
            let run = DirectRun::start(session, &self.query, Arc::clone(context), parameters.to_vec(), cursor.measured);
            let Some(mut run) = run else { return Ok(false) };
            let mut rows = run.fetch(usize::MAX)?;
            let mut rowids = Vec::with_capacity(rows.len());
            for row in &mut rows {
                let rowid = row.pop().ok_or_else(|| Error::bug("a locked row without its rowid"))?;
                rowids.push(rowid.as_text().unwrap_or_default().parse::<Rowid>()?);
            }
            let mut wanted = rowids.clone();
            wanted.sort_unstable();
            wanted.dedup();
            let locked = match lock_rows(session, &self.table, &wanted, self.wait)? {
                Locked::Changed => {
                    session.rollback_to_mark(mark)?;
                    continue;
                }
                Locked::Rows(locked) => locked,
            };
            if locked.len() < wanted.len() {
                // Skipped, or deleted meanwhile.
                let locked: HashSet<Rowid> = locked.into_iter().collect();
                let mut kept = rowids.iter().map(|rowid| locked.contains(rowid));
                rows.retain(|_| kept.next().unwrap_or(false));
                rowids.retain(|rowid| locked.contains(rowid));
            }
            let wanted = cursor.measured || !cursor.shared.has_plan();
            let row_sources = if wanted { run.row_sources(0) } else { Vec::new() };
            let kinds = self.query.types[..self.query.types.len() - 1].to_vec();
            cursor.locked_rows = rowids.into_iter().map(Some).collect();
            cursor.running = Some(Query::Settled(Settled { rows: rows.into_iter(), kinds, row_sources }));
            cursor.locked_at = Some(connection.shared.transaction.lock().next_moment());
            return Ok(true);
        }
    }
}
