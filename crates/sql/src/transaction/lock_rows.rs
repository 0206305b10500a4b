//! SELECT … FOR UPDATE: the query is run to its end when it is executed, its rows are locked, and fetches hand over what was found.

use std::sync::Arc;

use common::{Error, ErrorKind, Number, Result, Rowid};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::sql::sqlparser::ast;
use engine::catalog::{ObjectPrivilege, TableDef};
use engine::instance::Session;
use engine::txn::LockWait;

use super::for_update::ForUpdate;
use crate::cursor::connection::{Connection, describe};
use crate::cursor::open::Cursor;
use crate::cursor::run::{self, Running};

impl Connection {
    /// Executes a query with FOR UPDATE.
    pub(crate) fn select_for_update(
        &mut self,
        cursor: &mut Cursor,
        query: &ast::Query,
        headings: &[String],
        lock: &ForUpdate,
    ) -> Result<()> {
        let locking =
            self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.locking_query(query, headings, lock))?;
        let visible = locking.visible;
        cursor.columns = describe(&locking.query.outputs[..visible]);
        let catalog = self.session.catalog();
        let tables = locking
            .tables
            .iter()
            .map(|(owner, name)| {
                let table = catalog.require_table(owner.as_deref().unwrap_or(&self.schema), name)?;
                catalog.check_table(&self.session.user(), table, ObjectPrivilege::Select)?;
                if table.is_dictionary() {
                    let text = format!("insufficient privileges: {} is part of the dictionary", table.name);
                    return Err(Error::new(ErrorKind::User, Number::Ora(1031), text));
                }
                Ok(Arc::clone(table))
            })
            .collect::<Result<Vec<_>>>()?;
        let plan = run::plan(&self.session, &self.runtime, &self.state, &locking.query.plan)?;
        let mut running = Running::start(&self.session, &self.runtime, &self.state, plan, Arc::clone(&self.demand))?;
        self.demand.store(0, common::sync::atomic::Ordering::Relaxed);
        let mut batches = Vec::new();
        while let Some(batch) = running.next_batch(&self.runtime)? {
            batches.push(batch);
        }
        for (at, table) in tables.iter().enumerate() {
            let mut rowids: Vec<Rowid> = Vec::new();
            for batch in &batches {
                let column = batch.column(visible + at).as_string::<i32>();
                for row in (0..batch.num_rows()).filter(|row| column.is_valid(*row)) {
                    rowids.push(column.value(row).parse()?);
                }
            }
            rowids.sort_unstable();
            rowids.dedup();
            lock_rows(&self.session, table, &rowids, lock.wait)?;
        }
        // What remains to be done once rows can be locked: leave out the rows that SKIP LOCKED passed by, start again when a row was changed since
        // the query's snapshot, hand the batches to `cursor.running` without their rowids, and set `cursor.locked_at` to the next
        // `self.transaction.moment`.
        Err(Error::bug("rows were locked and not handed over"))
    }
}

/// THE CALL SITE of row locks: `engine::table::lock_rows` comes here.
fn lock_rows(_session: &Session, _table: &TableDef, _rowids: &[Rowid], _wait: LockWait) -> Result<()> {
    Err(Error::unsupported("FOR UPDATE: row locks"))
}
