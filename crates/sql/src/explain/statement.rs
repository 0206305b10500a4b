//! EXPLAIN PLAN: the plan that a statement would have now, as rows of a plan table.

use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::{SchemaObject, TableDef};
use scalar::Datum;

use super::display::{self, PlanLine};
use super::format::Format;
use super::plan::CursorPlan;
use super::sources;
use super::table::{self, PLAN_TABLE, PlanRow};
use crate::cursor::connection::Connection;
use crate::cursor::nested::Caller;
use crate::cursor::open::Cursor;
use crate::statement::parse::{Statement, parse};
use crate::statement::words::Words;

/// An EXPLAIN PLAN.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    statement_id: Option<String>,
    into: Option<(Option<String>, String)>,
    /// Offset of the explained statement.
    offset: usize,
}

impl Explain {
    /// Parses the statement, whose words begin with EXPLAIN.
    ///
    /// # Errors
    /// Errors of it or of the statement behind FOR; ORA-00905 for a statement without a plan.
    pub(crate) fn parse(words: &mut Words<'_>) -> Result<Self> {
        words.expect("EXPLAIN")?;
        words.expect("PLAN")?;
        let mut statement_id = None;
        if words.take("SET") {
            words.expect("STATEMENT_ID")?;
            words.expect_sign(&sqlparser::tokenizer::Token::Eq)?;
            statement_id = Some(words.string()?);
        }
        let into = if words.take("INTO") { Some(words.name()?) } else { None };
        words.expect("FOR")?;
        let offset = words.offset();
        match parse(&words.text[offset..]).map_err(|error| shifted(error, offset))? {
            Statement::Query { .. }
            | Statement::Insert(..)
            | Statement::Update(..)
            | Statement::Delete(..)
            | Statement::Merge(_)
            | Statement::MultiInsert(_) => Ok(Self { statement_id, into, offset }),
            statement if statement.is_ddl() => {
                Err(Error::unsupported(format!("EXPLAIN PLAN FOR {}", statement.verb().0)).at(offset))
            }
            _ => {
                Err(Error::user(905, "missing keyword: EXPLAIN PLAN is for queries and for changes of rows").at(offset))
            }
        }
    }
}

/// Moves the position of an error in a statement that begins at `offset` of the outer one.
fn shifted(mut error: Error, offset: usize) -> Error {
    error.position = error.position.map(|position| position + offset);
    error
}

impl Connection {
    /// EXPLAIN PLAN.
    ///
    /// # Errors
    /// ORA-02404, ORA-02403: the table does not exist, or is no plan table; those of the explained statement.
    pub(crate) fn explain_plan(&mut self, explain: &Explain, cursor: &Cursor) -> Result<()> {
        let into = self.plan_table(explain.into.as_ref())?;
        let text = &cursor.shared.text[explain.offset..];
        let plan = self.plan_of(text, &cursor.binds).map_err(|error| shifted(error, explain.offset))?;
        let wall_us = self.session.meter().clock().wall_us();
        let rows = |plan_id| table::rows(&plan, explain.statement_id.as_deref(), plan_id, wall_us);
        match into {
            None => {
                let id = self.database.library().next_plan(0);
                self.shared.plan_rows.lock().extend(rows(id));
                Ok(())
            }
            Some(table) => {
                let mark = self.session.mark();
                let result = self.insert_plan(&table, &rows);
                self.or_back_to(mark, result)
            }
        }
    }

    /// The target table of a plan; None: the session's own.
    fn plan_table(&self, name: Option<&(Option<String>, String)>) -> Result<Option<Arc<TableDef>>> {
        let (owner, name) = name.map_or((None, PLAN_TABLE), |(owner, name)| (owner.as_deref(), name.as_str()));
        let resolved = self.session.catalog().resolve(&self.schema, owner, name)?;
        match resolved.object {
            Some(SchemaObject::Table(table)) => Ok(Some(table)),
            None if is_own(owner, name) => Ok(None),
            _ => Err(Error::user(2404, format!("specified plan table not found: {name}"))),
        }
    }

    /// Inserts the rows of a plan into a user's table, by statements of the user's own.
    fn insert_plan(&self, into: &TableDef, rows: &(dyn Fn(u64) -> Vec<PlanRow> + Sync)) -> Result<()> {
        if table::REQUIRED.iter().any(|name| into.column(name).is_none()) {
            return Err(Error::user(
                2403,
                format!("plan table {} does not have correct format", into.qualified_name()),
            ));
        }
        let places: Vec<usize> =
            (0..table::COLUMNS.len()).filter(|at| into.column(table::COLUMNS[*at].described.name).is_some()).collect();
        let names: Vec<&str> = places.iter().map(|at| table::COLUMNS[*at].described.name).collect();
        let binds: Vec<String> = (1..=names.len()).map(|number| format!(":B{number}")).collect();
        let name = quoted(&into.owner, &into.name);
        let insert = format!("insert into {name} ({}) values ({})", names.join(", "), binds.join(", "));
        let last = format!("select max(plan_id) from {name}");
        let library = self.database.library();
        let caller = Caller { schema: &self.schema, rights: self.effective_user(), place: self.place };
        self.nested.call_as(&caller, |host, _| {
            let connection = host.connection();
            let known = connection.query(&last)?;
            let known = known.first().map_or(0, |row| table::line(row).id);
            let cursor = connection.parse(&insert)?;
            let result = rows(library.next_plan(known)).iter().try_for_each(|row| {
                let values = row.values()?;
                let values: Vec<Datum> = places.iter().map(|at| values[*at].clone()).collect();
                connection.bind_numbered(cursor, &values)?;
                connection.execute(cursor).map(drop)
            });
            connection.close(cursor);
            result
        })
    }

    /// The plan that a statement would have now. Nothing is executed.
    fn plan_of(&mut self, text: &str, binds: &[(String, Datum)]) -> Result<CursorPlan> {
        let version = self.session.catalog().version();
        let (shared, _) = self.database.library().find(text, &self.schema, version)?;
        let mut cursor = Cursor::new(Arc::clone(&shared));
        cursor.binds = binds.to_vec();
        cursor.explaining = true;
        let _seen = self.session.enter(self.session.begin_snapshot());
        if let Some(sources) = self.direct_row_sources(&mut cursor)? {
            return Ok(CursorPlan::new(&shared, sources, false));
        }
        match &shared.statement {
            Statement::Query { query, headings, lock } => {
                let bound = self.with_binder(&shared.text, binds, |binder| match lock {
                    None => binder.statement_query(query, headings),
                    Some(lock) => binder.locking_query(query, headings, lock).map(|query| query.without_rowids()),
                })?;
                let plan = self.plan(&bound.plan)?;
                sources::row_sources(&plan, 0, &mut cursor.row_sources);
            }
            Statement::Insert(insert, returning) => drop(self.insert(insert, returning.as_ref(), &mut cursor)?),
            Statement::Update(update, returning) => drop(self.update(update, returning.as_ref(), &mut cursor)?),
            Statement::Delete(delete, returning) => drop(self.delete(delete, returning.as_ref(), &mut cursor)?),
            Statement::Merge(merge) => drop(self.merge(merge, &mut cursor)?),
            Statement::MultiInsert(insert) => drop(self.multi_insert(insert, &mut cursor)?),
            _ => return Err(Error::user(905, "missing keyword: a statement without a plan")),
        }
        Ok(CursorPlan::new(&shared, cursor.row_sources, false))
    }

    /// The plan that a query or DML would have now, in the layout of DBMS_XPLAN.DISPLAY, without storing it in a plan
    /// table.
    ///
    /// # Errors
    /// Errors of the statement; ORA-00905 for one without a plan.
    pub fn explain(&mut self, text: &str, binds: &[(String, Datum)]) -> Result<Vec<String>> {
        let _call = self.session.call()?;
        let plan = self.plan_of(text, binds)?;
        Ok(display::lines(&lines(&plan), &Format::usual(), &[]))
    }
}

/// True: a name that no object has is the session's own plan table.
pub(crate) fn is_own(owner: Option<&str>, name: &str) -> bool {
    name == PLAN_TABLE && owner.is_none_or(|owner| owner == "SYS")
}

/// A quoted name of exactly this table.
pub(crate) fn quoted(owner: &str, name: &str) -> String {
    format!("\"{owner}\".\"{name}\"")
}

/// A plan's operations.
pub(crate) fn lines(plan: &CursorPlan) -> Vec<PlanLine> {
    let line = |(at, source): (usize, &crate::cursor::open::RowSource)| PlanLine {
        id: at as u64,
        depth: source.depth,
        step: source.step.clone(),
        figures: None,
    };
    plan.sources.iter().enumerate().map(line).collect()
}
