//! SELECT … FOR UPDATE: execution runs the query to its end and locks its rows, fetches return the settled rows.

use std::collections::HashSet;
use std::sync::Arc;

use common::sync::atomic::Ordering;
use common::{Error, Result, Rowid};
use datafusion::arrow::array::{Array, AsArray, BooleanArray};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ObjectPrivilege, TableDef};
use engine::instance::Session;
use sqlparser::ast;
use storage::txn::LockWait;

use super::for_update::ForUpdate;
use crate::cursor::connection::{Connection, describe};
use crate::cursor::open::{Cursor, Query};
use crate::cursor::run::Running;
use crate::plan::locking::LockingQuery;

/// The result of locking the rows of one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Locked {
    /// The locked rows: all, or those that SKIP LOCKED did not skip.
    Rows(Vec<Rowid>),
    /// A row was changed since the query's snapshot; all of the statement's locks are released, and the query restarts
    /// with a new snapshot.
    Changed,
}

impl Connection {
    /// Executes a query with FOR UPDATE.
    pub(crate) fn select_for_update(
        &mut self,
        cursor: &mut Cursor,
        query: &ast::Query,
        headings: &[String],
        lock: &ForUpdate,
    ) -> Result<()> {
        if self.lock_directly(cursor)? {
            return Ok(());
        }
        let locking =
            self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.locking_query(query, headings, lock))?;
        cursor.columns = describe(&locking.query.outputs[..locking.visible]);
        let tables = self.tables_of(&locking)?;
        let mark = self.session.mark();
        let (plan, batches) = loop {
            self.session.check_cancelled()?;
            let _seen = self.session.enter(self.session.begin_snapshot());
            let (plan, batches) = self.run_to_end(&locking)?;
            if let Some(batches) = self.locked_rows(&locking, &tables, batches, lock.wait)? {
                break (plan, batches);
            }
            self.session.rollback_to_mark(mark)?;
        };
        cursor.locked_rows =
            batches.iter().map(|batch| rowids(batch, locking.visible)).collect::<Result<Vec<_>>>()?.concat();
        let visible: Vec<usize> = (0..locking.visible).collect();
        let schema = plan.schema().project(&visible).map_err(|error| arrow(&error))?;
        let batches = batches
            .iter()
            .map(|batch| batch.project(&visible).map_err(|error| arrow(&error)))
            .collect::<Result<Vec<_>>>()?;
        let settled = Running::settled(&self.session, plan, Arc::new(schema), batches);
        cursor.running = Some(Query::Planned(settled));
        cursor.locked_at = Some(self.shared.transaction.lock().next_moment());
        Ok(())
    }

    pub(crate) fn tables_of(&self, locking: &LockingQuery) -> Result<Vec<Arc<TableDef>>> {
        let catalog = self.session.catalog();
        let table = |(owner, name): &(Option<String>, String)| {
            let table = catalog.require_table(owner.as_deref().unwrap_or(&self.schema), name)?;
            catalog.check_table(&self.effective_user(), table, ObjectPrivilege::Select)?;
            if table.is_dictionary() {
                let text = format!("insufficient privileges: {} is part of the dictionary", table.name);
                return Err(Error::user(1031, text));
            }
            Ok(Arc::clone(table))
        };
        locking.tables.iter().map(table).collect()
    }

    fn run_to_end(&self, locking: &LockingQuery) -> Result<(Arc<dyn ExecutionPlan>, Vec<RecordBatch>)> {
        let plan = self.plan(&locking.query.plan)?;
        let mut running =
            Running::start(&self.session, &self.runtime, &self.state, Arc::clone(&plan), Arc::clone(&self.demand))?;
        self.demand.store(0, Ordering::Relaxed);
        let mut batches = Vec::new();
        while let Some(batch) = running.next_batch()? {
            batches.push(batch);
        }
        Ok((plan, batches))
    }

    /// Locks the rows of all tables. Returns the query's rows whose table rows are all locked, or None when the query
    /// must restart.
    fn locked_rows(
        &self,
        locking: &LockingQuery,
        tables: &[Arc<TableDef>],
        mut batches: Vec<RecordBatch>,
        wait: LockWait,
    ) -> Result<Option<Vec<RecordBatch>>> {
        for (table, column) in tables.iter().zip(locking.visible..) {
            let mut wanted = batches.iter().map(|batch| rowids(batch, column)).collect::<Result<Vec<_>>>()?.concat();
            wanted.sort_unstable();
            wanted.dedup();
            let wanted: Vec<Rowid> = wanted.into_iter().flatten().collect();
            let locked = match lock_rows(&self.session, table, &wanted, wait)? {
                Locked::Changed => return Ok(None),
                Locked::Rows(rows) if rows.len() == wanted.len() => continue,
                Locked::Rows(rows) => rows.into_iter().collect::<HashSet<_>>(),
            };
            for batch in &mut batches {
                // An outer join's row without a row of this table needs no lock here.
                let kept =
                    rowids(batch, column)?.into_iter().map(|rowid| rowid.is_none_or(|rowid| locked.contains(&rowid)));
                let kept: BooleanArray = kept.map(Some).collect();
                *batch = filter_record_batch(batch, &kept).map_err(|error| arrow(&error))?;
            }
        }
        Ok(Some(batches))
    }
}

fn arrow(error: &ArrowError) -> Error {
    Error::bug(format!("rows of FOR UPDATE: {error}"))
}

/// A column of rowids.
fn rowids(batch: &RecordBatch, column: usize) -> Result<Vec<Option<Rowid>>> {
    let column = batch.column(column).as_string::<i32>();
    (0..column.len())
        .map(|row| if column.is_valid(row) { column.value(row).parse().map(Some) } else { Ok(None) })
        .collect()
}

/// Locks rows, in the order of their rowids.
#[cfg(not(test))]
pub(crate) fn lock_rows(session: &Session, table: &TableDef, rowids: &[Rowid], wait: LockWait) -> Result<Locked> {
    let waited = if wait == LockWait::SkipLocked { LockWait::Forever } else { wait };
    session.lock_table(table.object, storage::txn::TableLock::RowExclusive, waited)?;
    let snapshot = session.snapshot();
    let mut locked = Vec::with_capacity(rowids.len());
    for rowid in rowids {
        match storage::table::lock_row(session, table, *rowid, &snapshot, wait) {
            Ok(true) => locked.push(*rowid),
            // Skipped, or deleted: then it is no row of the query any more.
            Ok(false) => {}
            Err(error) if error.is_own(storage::table::RESTART) => return Ok(Locked::Changed),
            Err(error) => return Err(error),
        }
    }
    Ok(Locked::Rows(locked))
}

#[cfg(test)]
pub(crate) use tests::lock_rows;

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;

    use common::SystemClock;
    use device::MemoryFileSystem;
    use engine::instance::Instance;
    use engine::startup::CreateOptions;

    use super::*;
    use crate::cursor::Database;

    /// The locked rows, by index; None for a detected change.
    type Answer = Option<fn(usize) -> bool>;

    thread_local! {
        /// The results of locking, call by call; all rows by default.
        static ANSWERS: RefCell<Vec<Answer>> = RefCell::default();
        static ASKED: RefCell<Vec<(String, usize, LockWait)>> = RefCell::default();
    }

    pub(crate) fn lock_rows(_: &Session, table: &TableDef, rowids: &[Rowid], wait: LockWait) -> Result<Locked> {
        ASKED.with_borrow_mut(|asked| asked.push((table.name.clone(), rowids.len(), wait)));
        let answer = ANSWERS.with_borrow_mut(|answers| {
            if answers.is_empty() { Some((|_| true) as fn(usize) -> bool) } else { answers.remove(0) }
        });
        Ok(match answer {
            None => Locked::Changed,
            Some(locked) => {
                Locked::Rows(rowids.iter().enumerate().filter(|(at, _)| locked(*at)).map(|(_, rowid)| *rowid).collect())
            }
        })
    }

    fn connection() -> Connection {
        let parameters = vec![("db_cache_size".to_owned(), "16M".to_owned())];
        let options = CreateOptions { parameters, ..CreateOptions::default() };
        let (files, clock) = (Arc::new(MemoryFileSystem::default()), Arc::new(SystemClock::default()));
        let instance = Instance::create(files, Path::new("/database"), clock, None, &options).unwrap();
        let mut connection = Database::new(instance).connect("system", None).unwrap();
        connection.run("create table t as select level a, 'row ' || level b from dual connect by level <= 6").unwrap();
        connection.run("create table u as select level * 2 a from dual connect by level <= 2").unwrap();
        connection
    }

    fn rows(connection: &mut Connection, query: &str) -> Vec<String> {
        let rows = connection.query(query).unwrap();
        let text = |connection: &Connection, row: &Vec<_>| {
            let values: Vec<String> = row.iter().map(|value| connection.text(value).unwrap()).collect();
            values.join(" ")
        };
        rows.iter().map(|row| text(connection, row)).collect()
    }

    fn asked() -> Vec<(String, usize, LockWait)> {
        ASKED.with_borrow_mut(std::mem::take)
    }

    #[test]
    fn rows_are_locked_before_the_first_is_fetched() {
        let mut connection = connection();
        assert_eq!(rows(&mut connection, "select b from t where a < 3 order by a desc for update"), ["row 2", "row 1"]);
        assert_eq!(asked(), [("T".to_owned(), 2, LockWait::Forever)]);
        let cursor = connection.parse("select a, b from t for update wait 7").unwrap();
        connection.execute(cursor).unwrap();
        assert_eq!(asked(), [("T".to_owned(), 6, LockWait::Seconds(7))]);
        assert_eq!(connection.describe(cursor).unwrap().len(), 2);
        assert_eq!(connection.fetch(cursor, 4).unwrap().rows[0].len(), 2);
        connection.run("commit").unwrap();
        assert!(connection.fetch(cursor, 1).unwrap_err().is_ora(1002));
        connection.execute(cursor).unwrap();
        assert_eq!(connection.fetch(cursor, 10).unwrap().rows.len(), 6);
    }

    #[test]
    fn rows_that_are_passed_by_are_not_there() {
        let mut connection = connection();
        ANSWERS.set(vec![Some(|at| at % 2 == 0)]);
        assert_eq!(rows(&mut connection, "select a from t order by a for update skip locked"), ["1", "3", "5"]);
        ANSWERS.set(vec![Some(|_| false)]);
        assert!(rows(&mut connection, "select * from t for update skip locked").is_empty());
    }

    #[test]
    fn a_change_since_the_snapshot_begins_the_query_again() {
        let mut connection = connection();
        asked();
        ANSWERS.set(vec![None, None]);
        assert_eq!(rows(&mut connection, "select a from t where a = 4 for update"), ["4"]);
        assert_eq!(asked().len(), 3);
    }

    #[test]
    fn of_names_the_tables_and_rows_missing_in_an_outer_join_are_not_locked() {
        let mut connection = connection();
        asked();
        let join = "select t.a from t left join u on t.a = u.a order by t.a for update";
        assert_eq!(rows(&mut connection, join).len(), 6);
        assert_eq!(asked(), [("T".to_owned(), 6, LockWait::Forever), ("U".to_owned(), 2, LockWait::Forever)]);
        assert_eq!(rows(&mut connection, "select x.a from t x, u where x.a = u.a for update of u.a").len(), 2);
        assert_eq!(asked(), [("U".to_owned(), 2, LockWait::Forever)]);
        // Rows of T are dropped where U's are skipped, and kept where U has none.
        ANSWERS.set(vec![Some(|_| true), Some(|at| at == 0)]);
        assert_eq!(rows(&mut connection, &format!("{join} skip locked")), ["1", "2", "3", "5", "6"]);
    }
}
