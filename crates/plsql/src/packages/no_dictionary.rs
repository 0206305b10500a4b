//! A host without a dictionary, for texts that need none.

use std::sync::Arc;

use common::{Error, Result};
use scalar::{Context, Datum};

use crate::ast::SqlText;
use crate::host::{
    Column, DynamicSql, Executed, ExecutedMany, Host, Mark, Object, OpenQuery, PreparedSql, StatementKey, Viewer,
};
use crate::run::session::Session;

pub(super) struct NoDictionary;

fn refused<T>() -> Result<T> {
    Err(Error::bug("a supplied package's specification asked for the dictionary"))
}

impl Host for NoDictionary {
    fn resolve(&mut self, _viewer: Viewer<'_>, _path: &[&str]) -> Result<Option<(Object, usize)>> {
        Ok(None)
    }

    fn package_body(&mut self, _owner: &str, _name: &str) -> Result<Option<(Arc<str>, u64)>> {
        Ok(None)
    }

    fn prepare(
        &mut self,
        _viewer: Viewer<'_>,
        _sql: &SqlText,
        _is_variable: &mut dyn FnMut(&[&str]) -> bool,
    ) -> Result<PreparedSql> {
        refused()
    }

    fn context(&mut self) -> Result<Arc<dyn Context>> {
        refused()
    }

    fn check(&mut self) -> Result<()> {
        refused()
    }

    fn execute(&mut self, _: &mut Session, _: StatementKey, _: &PreparedSql, _: &[Datum]) -> Result<Executed> {
        refused()
    }

    fn execute_many(
        &mut self,
        _: &mut Session,
        _: StatementKey,
        _: &PreparedSql,
        _: &[Vec<Datum>],
    ) -> Result<ExecutedMany> {
        refused()
    }

    fn open(&mut self, _: &mut Session, _: StatementKey, _: &PreparedSql, _: &[Datum]) -> Result<OpenQuery> {
        refused()
    }

    fn prepare_dynamic(&mut self, _text: &str) -> Result<DynamicSql> {
        refused()
    }

    fn execute_dynamic(&mut self, _: &mut Session, _: &DynamicSql, _: &mut [Datum]) -> Result<Executed> {
        refused()
    }

    fn open_dynamic(&mut self, _: &mut Session, _: &DynamicSql, _: &[Datum]) -> Result<OpenQuery> {
        refused()
    }

    fn fetch(&mut self, _: &mut Session, _: OpenQuery, _rows: usize) -> Result<(Vec<Vec<Datum>>, bool)> {
        refused()
    }

    fn columns(&mut self, _query: OpenQuery) -> Result<Vec<Column>> {
        refused()
    }

    fn current_rowid(&mut self, _query: OpenQuery, _ahead: usize) -> Result<Datum> {
        refused()
    }

    fn locks_rows(&mut self, _query: OpenQuery) -> Result<bool> {
        refused()
    }

    fn close(&mut self, _query: OpenQuery) {}

    fn sequence(&mut self, _owner: &str, _name: &str, _next: bool) -> Result<Datum> {
        refused()
    }

    fn mark(&mut self) -> Mark {
        Mark(0)
    }

    fn back_to(&mut self, _mark: Mark) -> Result<()> {
        refused()
    }

    fn begin_autonomous(&mut self) -> Result<()> {
        refused()
    }

    fn end_autonomous(&mut self) -> Result<()> {
        refused()
    }

    fn native(&mut self, _: &mut Session, _name: &str, _arguments: &mut [Datum]) -> Result<Datum> {
        refused()
    }
}
