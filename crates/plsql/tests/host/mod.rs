//! A host with a handful of tables in memory and as much SQL as the tests need.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::borrowed_box,
    clippy::only_used_in_recursion,
    reason = "each test uses a part; names are boxed where they come from"
)]

pub mod sql;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use common::{DataType, Error, Result};
use plsql::ast::SqlText;
use plsql::compile::entry::Stored;
use plsql::host::{
    Column, DynamicSql, Executed, ExecutedMany, Host, Mark, Object, OpenQuery, PreparedSql, StatementKey, Viewer,
};
use plsql::run::{HostType, HostVariable, Session, TriggerEvent, TriggerRow};
use plsql::value::Value;
use scalar::context::FixedContext;
use scalar::{Context, Datum};
use sql::{Parsed, Verb};

#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<(u64, Vec<Datum>)>,
    pub next: u64,
    /// The first column is a key.
    pub unique: bool,
}

pub struct Program {
    pub source: Arc<str>,
    pub stamp: u64,
}

struct Query {
    columns: Vec<Column>,
    rows: Vec<(u64, Vec<Datum>)>,
    at: usize,
}

pub const OWNER: &str = "SCOTT";

/// The host, with the counters that tests read.
#[derive(Default)]
pub struct Mock {
    pub tables: BTreeMap<String, Table>,
    committed: BTreeMap<String, Table>,
    marks: Vec<BTreeMap<String, Table>>,
    autonomous: Vec<(BTreeMap<String, Table>, bool)>,
    dirty: bool,
    pub programs: HashMap<String, Program>,
    pub bodies: HashMap<String, Program>,
    /// Name, text, table.
    pub triggers: Vec<(String, Arc<str>, String)>,
    queries: HashMap<u64, Query>,
    next_query: u64,
    stamp: u64,
    pub sequences: HashMap<String, i64>,
    /// Calls of natives, in order.
    pub natives: Vec<String>,
    /// Rows asked for at once.
    pub fetches: Vec<usize>,
    /// The dictionary's version, and the number of lookups.
    pub version: Option<u64>,
    pub resolved: usize,
    /// Whose rights have been entered and left, in order.
    pub rights: Vec<String>,
    /// ORA-01013 after so many checks.
    pub cancel_after: Option<u32>,
}

fn number(precision: u8) -> DataType {
    DataType::Number { precision: Some(precision), scale: 0 }
}

impl Mock {
    pub fn new() -> Self {
        let mut mock = Self::default();
        let column = |name: &str, data_type| Column { name: name.into(), data_type, nullable: true };
        let varchar2 = |bytes| DataType::Varchar2 { bytes };
        let emp = vec![
            column("EMPNO", number(4)),
            column("ENAME", varchar2(10)),
            column("SAL", DataType::Number { precision: Some(7), scale: 2 }),
            column("DEPTNO", number(2)),
            column("HIREDATE", DataType::Date),
        ];
        let day = |year, month, day| Datum::date(&scalar::DateTime::midnight(year, month, day));
        let rows = [
            (7369, "SMITH", 800, 20, day(1980, 12, 17)),
            (7499, "ALLEN", 1600, 30, day(1981, 2, 20)),
            (7521, "WARD", 1250, 30, day(1981, 2, 22)),
            (7566, "JONES", 2975, 20, day(1981, 4, 2)),
        ];
        let rows = rows.into_iter().map(|(empno, ename, sal, deptno, hired)| {
            vec![Datum::integer(empno), Datum::varchar2(ename), Datum::integer(sal), Datum::integer(deptno), hired]
        });
        mock.add("EMP", emp, rows.collect(), true);
        let log = vec![column("ID", DataType::Number { precision: None, scale: 0 }), column("TEXT", varchar2(200))];
        mock.add("LOG", log.clone(), Vec::new(), false);
        mock.add("KEYED", log, Vec::new(), true);
        mock.add("DUAL", vec![column("DUMMY", varchar2(1))], vec![vec![Datum::varchar2("X")]], false);
        let many = (1..=250).map(|n| vec![Datum::integer(n)]).collect();
        mock.add("MANY", vec![column("N", DataType::Number { precision: None, scale: 0 })], many, false);
        mock.sequences.insert("SEQ".to_owned(), 0);
        mock.committed = mock.tables.clone();
        mock
    }

    fn add(&mut self, name: &str, columns: Vec<Column>, rows: Vec<Vec<Datum>>, unique: bool) {
        let next = rows.len() as u64 + 1;
        let rows = (1..).zip(rows).collect();
        self.tables.insert(name.to_owned(), Table { columns, rows, next, unique });
    }

    pub fn store(&mut self, name: &str, source: &str, is_body: bool) {
        self.stamp += 1;
        let program = Program { source: source.into(), stamp: self.stamp };
        if is_body {
            self.bodies.insert(name.to_owned(), program);
        } else {
            self.programs.insert(name.to_owned(), program);
        }
    }

    pub fn stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    fn rowid(row: u64) -> Datum {
        Datum::varchar2(format!("AAAAAAAAAAAAAA{row:04}"))
    }

    fn run(&mut self, session: &mut Session, parsed: &Parsed, binds: &[Datum]) -> Result<Executed> {
        match parsed.verb {
            Verb::Commit => {
                self.commit();
                Ok(Executed::default())
            }
            Verb::Rollback => {
                self.tables = self.committed.clone();
                self.dirty = false;
                Ok(Executed::default())
            }
            Verb::Nothing => Ok(Executed::default()),
            Verb::Insert => self.insert(session, parsed, binds),
            Verb::Update | Verb::Delete => self.change(session, parsed, binds),
            Verb::Select => Err(Error::bug("a query is executed")),
        }
    }

    fn commit(&mut self) {
        if !self.autonomous.is_empty() {
            // Uncommitted changes of the outer transaction stay so: only the table that was written counts
            // here.
            let outer = &self.autonomous[0].0;
            for (name, table) in &self.tables {
                if outer.get(name).is_none_or(|before| before.rows.len() != table.rows.len()) {
                    let known = outer.get(name).map_or(0, |before| before.rows.len());
                    if let Some(committed) = self.committed.get_mut(name) {
                        committed.rows.extend(table.rows[known..].iter().cloned());
                        committed.next = table.next;
                    }
                }
            }
            self.dirty = false;
            return;
        }
        self.committed = self.tables.clone();
        self.dirty = false;
        self.marks.clear();
    }

    fn fire(
        &mut self,
        session: &mut Session,
        table: &str,
        event: &TriggerEvent,
        old: Option<&[Datum]>,
        new: Option<&mut Vec<Datum>>,
    ) -> Result<()> {
        let found: Vec<(String, Arc<str>)> = self
            .triggers
            .iter()
            .filter(|(_, _, of)| of == table)
            .map(|(name, source, _)| (name.clone(), Arc::clone(source)))
            .collect();
        let mut row = TriggerRow { old, new };
        for (name, source) in found {
            let stored = Stored { owner: OWNER, name: &name, source: &source, stamp: 1, body: None };
            let again = TriggerRow { old: row.old, new: row.new.as_deref_mut() };
            session.fire_trigger(self, &stored, event, again)?;
        }
        Ok(())
    }

    fn table(&mut self, name: &str) -> Result<&mut Table> {
        self.tables.get_mut(name).ok_or_else(|| Error::user(942, "table or view does not exist"))
    }

    fn insert(&mut self, session: &mut Session, parsed: &Parsed, binds: &[Datum]) -> Result<Executed> {
        let columns = self.table(&parsed.table)?.columns.clone();
        let mut row = vec![Datum::Null; columns.len()];
        for (place, expression) in parsed.values.iter().enumerate() {
            let at = match parsed.columns.get(place) {
                Some(name) => columns.iter().position(|column| *column.name == **name).unwrap_or(0),
                None => place,
            };
            row[at] = expression.evaluate(self, session, &columns, None, binds)?;
        }
        self.fire(session, &parsed.table, &TriggerEvent::Insert, None, Some(&mut row))?;
        for (value, column) in row.iter_mut().zip(&columns) {
            let mut bytes = Vec::new();
            let name = format!("\"{OWNER}\".\"{}\".\"{}\"", parsed.table, column.name);
            let context = FixedContext::default();
            let there = scalar::store(&context, value, column.data_type, &name, &mut bytes)?;
            *value = scalar::load(there.then_some(&bytes[..]), column.data_type)?;
        }
        let table = self.table(&parsed.table)?;
        if table.unique && table.rows.iter().any(|(_, known)| known[0] == row[0]) {
            return Err(Error::user(1, format!("unique constraint ({OWNER}.{}_PK) violated", parsed.table)));
        }
        let id = table.next;
        table.next += 1;
        table.rows.push((id, row.clone()));
        self.dirty = true;
        let returned = self.returning(session, parsed, &columns, id, &row, binds)?;
        Ok(Executed { rows: 1, returned: returned.into_iter().collect() })
    }

    fn returning(
        &mut self,
        session: &mut Session,
        parsed: &Parsed,
        columns: &[Column],
        id: u64,
        row: &[Datum],
        binds: &[Datum],
    ) -> Result<Option<Vec<Datum>>> {
        if parsed.returning.is_empty() {
            return Ok(None);
        }
        let mut values = Vec::new();
        for expression in &parsed.returning {
            values.push(expression.evaluate(self, session, columns, Some((id, row)), binds)?);
        }
        Ok(Some(values))
    }

    fn change(&mut self, session: &mut Session, parsed: &Parsed, binds: &[Datum]) -> Result<Executed> {
        let Table { columns, rows, .. } = self.table(&parsed.table)?.clone();
        let mut done = Executed::default();
        for (id, row) in rows {
            if !parsed.matches(self, session, &columns, (id, &row), binds)? {
                continue;
            }
            done.rows += 1;
            let mut new = row.clone();
            if parsed.verb == Verb::Update {
                let mut assigned: Vec<Box<str>> = Vec::new();
                for (name, expression) in parsed.columns.iter().zip(&parsed.values) {
                    let at = columns.iter().position(|column| *column.name == **name).unwrap_or(0);
                    new[at] = expression.evaluate(self, session, &columns, Some((id, &row)), binds)?;
                    assigned.push(name.as_str().into());
                }
                self.fire(session, &parsed.table, &TriggerEvent::Update(assigned), Some(&row), Some(&mut new))?;
            } else {
                self.fire(session, &parsed.table, &TriggerEvent::Delete, Some(&row), None)?;
            }
            done.returned.extend(self.returning(session, parsed, &columns, id, &new, binds)?);
            let is_update = parsed.verb == Verb::Update;
            let table = self.table(&parsed.table)?;
            let Some(at) = table.rows.iter().position(|(known, _)| *known == id) else { continue };
            if is_update {
                table.rows[at].1 = new;
            } else {
                table.rows.remove(at);
            }
            self.dirty = true;
        }
        Ok(done)
    }

    fn select(&mut self, session: &mut Session, parsed: &Parsed, binds: &[Datum]) -> Result<OpenQuery> {
        let (columns, rows) = parsed.select(self, session, binds)?;
        self.next_query += 1;
        self.queries.insert(self.next_query, Query { columns, rows, at: 0 });
        Ok(OpenQuery(self.next_query))
    }

    pub fn open_queries(&self) -> usize {
        self.queries.len()
    }
}

impl Host for Mock {
    fn dictionary_version(&mut self) -> Option<u64> {
        self.version
    }

    fn enter_rights(&mut self, owner: &str) -> Result<()> {
        self.rights.push(format!("+{owner}"));
        Ok(())
    }

    fn leave_rights(&mut self) {
        self.rights.push("-".to_owned());
    }

    fn resolve(&mut self, _viewer: Viewer<'_>, path: &[&str]) -> Result<Option<(Object, usize)>> {
        self.resolved += 1;
        let used = usize::from(path.len() > 1 && path[0] == OWNER);
        let Some(name) = path.get(used) else { return Ok(None) };
        let owner: Box<str> = OWNER.into();
        let object = if let Some(table) = self.tables.get(*name) {
            Object::Relation { owner, name: (*name).into(), columns: table.columns.clone() }
        } else if let Some(Program { source, stamp }) = self.programs.get(*name) {
            Object::Program { owner, name: (*name).into(), source: Arc::clone(source), stamp: *stamp }
        } else if self.sequences.contains_key(*name) {
            Object::Sequence { owner, name: (*name).into() }
        } else {
            return Ok(None);
        };
        Ok(Some((object, used + 1)))
    }

    fn package_body(&mut self, _owner: &str, name: &str) -> Result<Option<(Arc<str>, u64)>> {
        Ok(self.bodies.get(name).map(|Program { source, stamp }| (Arc::clone(source), *stamp)))
    }

    fn prepare(
        &mut self,
        _viewer: Viewer<'_>,
        text: &SqlText,
        is_variable: &mut dyn FnMut(&[&str]) -> bool,
    ) -> Result<PreparedSql> {
        let mut variables = Vec::new();
        let parsed = sql::parse(&text.text, &self.tables, &mut |path: &[&str]| {
            if !is_variable(path) {
                return None;
            }
            variables.push(path.iter().map(|part| (*part).into()).collect());
            Some(variables.len() - 1)
        })?;
        let columns = parsed.result_columns(&self.tables);
        let depends_on =
            if parsed.table.is_empty() { Vec::new() } else { vec![vec![OWNER.into(), parsed.table.as_str().into()]] };
        Ok(PreparedSql { text: text.text.to_string().into(), variables, columns, depends_on })
    }

    fn context(&mut self) -> Result<Arc<dyn Context>> {
        Ok(Arc::new(FixedContext::default()))
    }

    fn check(&mut self) -> Result<()> {
        if let Some(left) = &mut self.cancel_after {
            if *left == 0 {
                let text = "user requested cancel of current operation";
                return Err(Error::new(common::ErrorKind::Cancelled, common::Number::Ora(1013), text));
            }
            *left -= 1;
        }
        Ok(())
    }

    fn execute(
        &mut self,
        session: &mut Session,
        _: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<Executed> {
        let parsed = sql::again(sql, &self.tables)?;
        let before = self.tables.clone();
        let done = self.run(session, &parsed, binds);
        if done.is_err() {
            self.tables = before;
        }
        done
    }

    fn execute_many(
        &mut self,
        session: &mut Session,
        key: StatementKey,
        sql: &PreparedSql,
        binds: &[Vec<Datum>],
    ) -> Result<ExecutedMany> {
        let mut done = ExecutedMany::default();
        for (at, row) in binds.iter().enumerate() {
            match self.execute(session, key, sql, row) {
                Ok(executed) => {
                    done.rows.push(executed.rows);
                    done.returned.extend(executed.returned);
                }
                Err(error) => {
                    done.failed = Some((at, error));
                    break;
                }
            }
        }
        Ok(done)
    }

    fn open(
        &mut self,
        session: &mut Session,
        _: StatementKey,
        sql: &PreparedSql,
        binds: &[Datum],
    ) -> Result<OpenQuery> {
        let parsed = sql::again(sql, &self.tables)?;
        self.select(session, &parsed, binds)
    }

    fn prepare_dynamic(&mut self, text: &str) -> Result<DynamicSql> {
        if plsql::kind::program_kind(text).is_some() {
            return Ok(DynamicSql {
                text: text.into(),
                variables: sql::bind_names(text),
                is_query: false,
                returning: 0,
                columns: Vec::new(),
            });
        }
        let cut = sql::without_into(text);
        let mut variables: Vec<Box<str>> = Vec::new();
        let parsed = sql::parse(&cut, &self.tables, &mut |path: &[&str]| {
            let name = path[0].strip_prefix(':')?;
            variables.push(name.into());
            Some(variables.len() - 1)
        })?;
        let returning = parsed.returning.len();
        for at in 0..returning {
            variables.push(format!("R{at}").into());
        }
        Ok(DynamicSql {
            text: cut.into(),
            variables,
            is_query: parsed.verb == Verb::Select,
            returning,
            columns: parsed.result_columns(&self.tables),
        })
    }

    fn execute_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &mut [Datum]) -> Result<Executed> {
        if plsql::kind::program_kind(&sql.text).is_some() {
            let variable = |(name, datum): (&Box<str>, &Datum)| HostVariable {
                name: name.clone(),
                data_type: HostType::Any(datum.datum_type()),
                value: Value::from(datum.clone()),
            };
            let mut variables: Vec<HostVariable> = sql.variables.iter().zip(binds.iter()).map(variable).collect();
            let result = session.run_block(self, &sql.text, &mut variables);
            for (datum, variable) in binds.iter_mut().zip(variables) {
                *datum = variable.value.to_datum().unwrap_or_default();
            }
            return result.map(|()| Executed::default());
        }
        let mut count = 0;
        let parsed = sql::parse(&sql.text, &self.tables, &mut |path: &[&str]| {
            path[0].strip_prefix(':')?;
            count += 1;
            Some(count - 1)
        })?;
        self.run(session, &parsed, binds)
    }

    fn open_dynamic(&mut self, session: &mut Session, sql: &DynamicSql, binds: &[Datum]) -> Result<OpenQuery> {
        let mut count = 0;
        let parsed = sql::parse(&sql.text, &self.tables, &mut |path: &[&str]| {
            path[0].strip_prefix(':')?;
            count += 1;
            Some(count - 1)
        })?;
        self.select(session, &parsed, binds)
    }

    fn fetch(&mut self, _: &mut Session, query: OpenQuery, rows: usize) -> Result<(Vec<Vec<Datum>>, bool)> {
        self.fetches.push(rows);
        let open = self.queries.get_mut(&query.0).ok_or_else(|| Error::user(1001, "invalid cursor"))?;
        let end = (open.at + rows).min(open.rows.len());
        let fetched = open.rows[open.at..end].iter().map(|(_, row)| row.clone()).collect();
        open.at = end;
        Ok((fetched, end == open.rows.len()))
    }

    fn columns(&mut self, query: OpenQuery) -> Result<Vec<Column>> {
        Ok(self.queries.get(&query.0).ok_or_else(|| Error::user(1001, "invalid cursor"))?.columns.clone())
    }

    fn locks_rows(&mut self, _: OpenQuery) -> Result<bool> {
        Ok(false)
    }

    fn current_rowid(&mut self, query: OpenQuery, ahead: usize) -> Result<Datum> {
        let open = self.queries.get(&query.0).ok_or_else(|| Error::user(1001, "invalid cursor"))?;
        let at = open.at.checked_sub(1 + ahead).ok_or_else(|| Error::user(1410, "invalid ROWID"))?;
        Ok(Self::rowid(open.rows[at].0))
    }

    fn close(&mut self, query: OpenQuery) {
        self.queries.remove(&query.0);
    }

    fn sequence(&mut self, _owner: &str, name: &str, next: bool) -> Result<Datum> {
        let value = self.sequences.get_mut(name).ok_or_else(|| Error::user(2289, "sequence does not exist"))?;
        *value += i64::from(next);
        Ok(Datum::integer(*value))
    }

    fn mark(&mut self) -> Mark {
        self.marks.push(self.tables.clone());
        Mark(self.marks.len() as u64)
    }

    fn back_to(&mut self, mark: Mark) -> Result<()> {
        if let Some(tables) = self.marks.get(mark.0 as usize - 1) {
            self.tables = tables.clone();
        }
        Ok(())
    }

    fn begin_autonomous(&mut self) -> Result<()> {
        self.autonomous.push((self.tables.clone(), self.dirty));
        self.dirty = false;
        Ok(())
    }

    fn end_autonomous(&mut self) -> Result<()> {
        let (tables, dirty) = self.autonomous.pop().unwrap_or_default();
        if self.dirty {
            self.tables = tables;
            self.dirty = dirty;
            return Err(Error::user(6519, "active autonomous transaction detected and rolled back"));
        }
        self.dirty = dirty;
        Ok(())
    }

    fn native(&mut self, _: &mut Session, name: &str, arguments: &mut [Datum]) -> Result<Datum> {
        let shown: Vec<String> = arguments.iter().map(show).collect();
        self.natives.push(format!("{name}({})", shown.join(", ")));
        if name == "DBMS_JOB.SUBMIT" {
            arguments[0] = Datum::integer(23);
        }
        Ok(match name {
            "DBMS_UTILITY.GET_TIME" | "STATSPACK.SNAP" => Datum::integer(4711),
            _ => Datum::Null,
        })
    }
}

pub fn show(datum: &Datum) -> String {
    scalar::coerce::to_text(&FixedContext::default(), datum).unwrap_or_default()
}
