//! What executing a cursor does, by the kind of its statement.

use std::sync::Arc;

use common::Result;
use datafusion::sql::sqlparser::ast;

use super::connection::{Connection, Executed, describe};
use super::open::Cursor;
use super::run::{self, Running};
use crate::plan::query::BoundQuery;
use crate::statement::parse::Statement;

/// A bound query that was made when the statement was parsed counts as made at its execution when that follows within this time.
const PREPARED_LIFE_US: u64 = 100_000;

impl Connection {
    pub(crate) fn execute_statement(&mut self, cursor: &mut Cursor) -> Result<Executed> {
        let shared = Arc::clone(&cursor.shared);
        let (verb, _) = shared.statement.verb();
        let done = |rows: Option<u64>| Executed { verb, is_query: false, rows };
        match &shared.statement {
            Statement::Query { query, headings, lock: None } => {
                let bound = self.bound_query(cursor, query, headings)?;
                cursor.columns = describe(&bound.outputs);
                let plan = run::plan(&self.session, &self.runtime, &self.state, &bound.plan)?;
                cursor.running =
                    Some(Running::start(&self.session, &self.runtime, &self.state, plan, Arc::clone(&self.demand))?);
                Ok(Executed { verb, is_query: true, rows: None })
            }
            Statement::Query { query, headings, lock: Some(lock) } => {
                self.select_for_update(cursor, query, headings, lock)?;
                Ok(Executed { verb, is_query: true, rows: None })
            }
            Statement::Insert(insert) => self.insert(insert, cursor).map(|rows| done(Some(rows))),
            Statement::Update(update) => self.update(update, cursor).map(|rows| done(Some(rows))),
            Statement::Delete(delete) => self.delete(delete, cursor).map(|rows| done(Some(rows))),
            Statement::Command(command) if shared.statement.is_ddl() => {
                // What was changed before stands, also when the DDL fails.
                self.commit_implicitly()?;
                let rows = self.command(command, &shared.text)?;
                self.commit_implicitly()?;
                Ok(done(rows))
            }
            Statement::Command(command) => self.command(command, &shared.text).map(done),
            Statement::Transaction(command) => self.control(command).map(|()| done(None)),
        }
    }

    fn bound_query(&self, cursor: &mut Cursor, query: &ast::Query, headings: &[String]) -> Result<BoundQuery> {
        let version = self.session.catalog().version();
        let now = self.session.meter().clock().wall_us();
        if let Some(prepared) = cursor.prepared.take()
            && prepared.catalog_version == version
            && now.saturating_sub(prepared.wall_us) < PREPARED_LIFE_US
        {
            return Ok(prepared.query);
        }
        self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.query(query, None, headings))
    }
}
