//! Execution of a cursor, by the kind of its statement.

use std::sync::Arc;

use common::{Error, ErrorKind, Result};
use sqlparser::ast;
use storage::table::RESTART;
use storage::txn::Mark;

use super::connection::{Connection, Executed, describe};
use super::nested::CallPlace;
use super::open::{Cursor, Prepared, Query};
use super::run::Running;
use crate::ddl::command::Command;
use crate::plan::query::BoundQuery;
use crate::statement::parse::Statement;

/// A query bound at the parse is reused by an execution within this time.
const PREPARED_LIFE_US: u64 = 100_000;

/// Restarts of a statement whose rows were changed since it began, before it fails.
const RESTARTS_MAX: usize = 10_000;

impl Connection {
    pub(crate) fn execute_statement(&mut self, cursor: &mut Cursor) -> Result<Executed> {
        let shared = Arc::clone(&cursor.shared);
        let (verb, _) = shared.statement.verb();
        let done = |rows: Option<u64>| Executed { verb, is_query: false, rows, compilation_errors: false };
        let query = Executed { is_query: true, ..done(None) };
        self.check_place(&shared.statement)?;
        match &shared.statement {
            Statement::Query { query: text, headings, lock: None } => {
                // The cursor sees the rows committed by now, however long it is fetched from.
                let snapshot = self.session.begin_snapshot();
                cursor.snapshot = Some(Arc::clone(&snapshot));
                let _seen = self.session.enter(snapshot);
                if self.query_directly(cursor)? {
                    return Ok(query);
                }
                if let Some(running) = self.query_kept(cursor, text, headings)? {
                    cursor.running = Some(Query::Planned(running));
                    return Ok(query);
                }
                let bound = self.bound_query(cursor, text, headings)?;
                cursor.columns = describe(&bound.outputs);
                let plan = self.plan(&bound.plan)?;
                let running =
                    Running::start(&self.session, &self.runtime, &self.state, plan, Arc::clone(&self.demand))?;
                cursor.running = Some(Query::Planned(running));
                Ok(query)
            }
            Statement::Query { query: text, headings, lock: Some(lock) } => {
                let mark = self.session.mark();
                let locked = self.select_for_update(cursor, text, headings, lock);
                self.or_back_to(mark, locked)?;
                Ok(query)
            }
            Statement::Insert(..)
            | Statement::Update(..)
            | Statement::Delete(..)
            | Statement::Merge(_)
            | Statement::MultiInsert(_) => self.change_rows(cursor, &shared.statement).map(|rows| done(Some(rows))),
            Statement::Command(command, notices) if shared.statement.is_ddl() => {
                // Earlier changes are committed, also when the DDL fails.
                self.commit_implicitly()?;
                let result = match command {
                    Command::CreateView(view) => self
                        .create_view(view, &shared.text)
                        .map(|valid| Executed { compilation_errors: !valid, ..done(None) }),
                    Command::CompileView(name) => {
                        self.compile_view(name).map(|valid| Executed { compilation_errors: !valid, ..done(None) })
                    }
                    Command::Program { kind, name, command } => self
                        .program_command(*kind, name, *command)
                        .map(|valid| Executed { compilation_errors: !valid, ..done(None) }),
                    command => self.command(command, &shared.text).map(done),
                };
                if result.is_err() {
                    self.session.rollback()?;
                }
                let result = result?;
                self.commit_implicitly()?;
                self.shared.notices(notices);
                Ok(result)
            }
            Statement::Command(command, notices) => {
                let result = self.command(command, &shared.text).map(done)?;
                self.shared.notices(notices);
                Ok(result)
            }
            Statement::SetConstraints { names, deferred } => {
                self.set_constraints(names, *deferred).map(|()| done(None))
            }
            Statement::Explain(explain) => self.explain_plan(explain, cursor).map(|()| done(None)),
            Statement::Block => self.run_block(cursor).map(|()| done(None)),
            Statement::Program => {
                self.commit_implicitly()?;
                let valid = self.create_program(&shared.text)?;
                Ok(Executed { compilation_errors: !valid, verb: self.created_verb(&shared.text), ..done(None) })
            }
            Statement::Transaction(command) => self.control(command).map(|()| done(None)),
        }
    }

    /// Refuses statements that a program may not run in its calling statement, and sets the place of programs that this
    /// one calls.
    fn check_place(&self, statement: &Statement) -> Result<()> {
        let is_query = matches!(statement, Statement::Query { .. });
        self.calling.set(if is_query { CallPlace::Query } else { self.place.max(CallPlace::Change) });
        match (self.place, statement) {
            (CallPlace::Free, _) | (_, Statement::Query { lock: None, .. } | Statement::Block) => Ok(()),
            (_, Statement::Command(..) | Statement::Program | Statement::Transaction(_)) => self.check_may_end(),
            (CallPlace::Query, _) => Err(Error::user(14551, "cannot perform a DML operation inside a query")),
            (CallPlace::Change, _) => Ok(()),
        }
    }

    /// Checks that a transaction may end here.
    ///
    /// # Errors
    /// ORA-14552.
    pub(crate) fn check_may_end(&self) -> Result<()> {
        if self.place == CallPlace::Free {
            return Ok(());
        }
        Err(Error::user(14552, "cannot perform a DDL, commit or rollback inside a query or DML"))
    }

    /// INSERT, UPDATE, DELETE and their like: all changes or none. It restarts when rows were changed since it began.
    fn change_rows(&mut self, cursor: &mut Cursor, statement: &Statement) -> Result<u64> {
        let mark = self.session.mark();
        let deferred = self.shared.deferred.lock().mark();
        for _ in 0..RESTARTS_MAX {
            let result = {
                let snapshot = self.session.begin_snapshot();
                let _seen = self.session.enter(snapshot);
                let direct = match statement {
                    Statement::Update(..) | Statement::Delete(..) | Statement::Merge(_) => self.change_directly(cursor),
                    _ => Ok(None),
                };
                match statement {
                    _ if !matches!(direct, Ok(None)) => direct.map(|rows| rows.unwrap_or(0)),
                    Statement::Insert(insert, returning) => self.insert(insert, returning.as_ref(), cursor),
                    Statement::Update(update, returning) => self.update(update, returning.as_ref(), cursor),
                    Statement::Delete(delete, returning) => self.delete(delete, returning.as_ref(), cursor),
                    Statement::Merge(merge) => self.merge(merge, cursor),
                    Statement::MultiInsert(insert) => self.multi_insert(insert, cursor),
                    _ => Err(Error::bug("not a statement that changes rows")),
                }
            };
            if result.is_err() {
                // Changes that are rolled back need no check.
                self.shared.deferred.lock().back_to(deferred);
                cursor.returned.clear();
                cursor.returned_rows.clear();
            }
            let again = result.as_ref().err().is_some_and(|error| error.is_own(RESTART));
            let result = self.or_back_to(mark, result);
            if !again {
                return result;
            }
            self.session.check_cancelled()?;
        }
        Err(Error::own(ErrorKind::Retry, RESTART, "the rows of the statement are changed by others all the time"))
    }

    /// On an error, rolls back the statement's changes.
    pub(crate) fn or_back_to<R>(&self, mark: Mark, result: Result<R>) -> Result<R> {
        if result.is_err() {
            self.session.rollback_to_mark(mark)?;
        }
        result
    }

    /// True: what was bound at the parse is still good.
    pub(crate) fn is_fresh(&self, prepared: &Prepared) -> bool {
        let now = self.session.meter().clock().wall_us();
        prepared.catalog_version == self.session.catalog().version()
            && Arc::ptr_eq(&prepared.nls, &self.shared.nls.lock())
            && now.saturating_sub(prepared.wall_us) < PREPARED_LIFE_US
    }

    fn bound_query(&self, cursor: &mut Cursor, query: &ast::Query, headings: &[String]) -> Result<BoundQuery> {
        if let Some(prepared) = cursor.prepared.take()
            && self.is_fresh(&prepared)
        {
            return Ok(prepared.query);
        }
        self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.statement_query(query, headings))
    }
}
