//! SQL statements of programs, through the host.

use common::{Error, Result};
use scalar::Datum;

use super::collect::collect;
use super::cursor::{Cursor, invalid};
use super::machine::{ForAll, Machine, settings};
use crate::ast::{CursorAttribute, SubscriptedAttribute};
use crate::compile::op::Op;
use crate::compile::unit::{BulkShape, SqlStatement, Unit, VariablePlace};
use crate::exception::RunResult;
use crate::value::{ScalarType, Value, convert};

impl Machine<'_> {
    /// Instructions about SQL; the frame's place has been saved.
    pub(crate) fn sql_op(&mut self, unit: &Unit, op: Op, base: usize) -> RunResult<()> {
        let at = |register: u16| base + usize::from(register);
        let statement = |index: u32| &unit.statements[index as usize];
        let place = |index: u32| &unit.places[index as usize];
        match op {
            Op::Execute { statement: index, first } => self.execute(statement(index), at(first))?,
            Op::ForAllBegin => self.for_all = ForAll::default(),
            Op::ForAllAdd { index, first, count } => {
                let binds = self.binds(at(first), usize::from(count))?;
                if let Value::Int(index) = self.stack[at(index)] {
                    self.for_all.indexes.push(index);
                    self.for_all.binds.push(binds);
                }
            }
            Op::ForAllRun { statement: index, save_exceptions } => self.for_all(statement(index), save_exceptions)?,
            Op::SelectInto { statement: index, first, to } => self.select_into(statement(index), at(first), at(to))?,
            Op::SelectBulk { statement: index, first } => self.select_bulk(statement(index), at(first))?,
            Op::Query { statement: index, first, to } => {
                let cursor = self.query(statement(index), at(first))?;
                self.stack[at(to)] = Value::Cursor(cursor);
            }
            Op::Open { cursor, from, declared } => self.open(place(cursor), base, at(from), declared)?,
            Op::FetchBulk { cursor, limit, limited } => {
                let limit = match &self.stack[at(limit)] {
                    _ if !limited => usize::MAX,
                    Value::Int(limit) if *limit > 0 => *limit as usize,
                    _ => return Err(crate::value::scalar_type::value_error("").into()),
                };
                let cursor = self.cursor(place(cursor), base)?;
                self.rows = cursor.fetch_many(self.host, self.session, limit)?;
            }
            Op::Close { cursor } => {
                let cursor = self.cursor(place(cursor), base)?;
                cursor.close(self.host)?;
            }
            Op::CloseLoop { cursor } => {
                if let Value::Cursor(cursor) = &self.stack[at(cursor)]
                    && cursor.is_open()
                {
                    cursor.clone().close(self.host)?;
                }
            }
            Op::BulkColumn { to, column, shape } => {
                let shape = &unit.shapes[shape as usize];
                self.stack[at(to)] = self.bulk_column(usize::from(column), shape)?;
            }
            Op::BulkRecords { to, shape } => {
                self.stack[at(to)] = self.bulk_records(&unit.shapes[shape as usize])?;
            }
            Op::Attribute { to, cursor, which } => {
                self.stack[at(to)] = match self.read(place(cursor), base)? {
                    Value::Cursor(cursor) => cursor.attribute(which)?,
                    _ if which == CursorAttribute::IsOpen => Value::Boolean(false),
                    _ => return Err(invalid().into()),
                };
            }
            Op::SqlAttribute { to, which } => self.stack[at(to)] = self.sql_attribute(which),
            Op::BulkAttribute { to, which, subscript } => {
                self.stack[at(to)] = self.bulk_attribute(which, at(subscript))?;
            }
            Op::CurrentRowid { to, cursor } => {
                let cursor = self.cursor(place(cursor), base)?;
                let query = cursor.query().ok_or_else(invalid)?;
                let none = || Error::user(1410, "invalid ROWID: the cursor is on no row, or locks none");
                let ahead = cursor.rows_ahead().ok_or_else(none)?;
                self.stack[at(to)] = Value::from(self.host.current_rowid(query, ahead)?);
            }
            Op::Dynamic { dynamic, text, first } => {
                self.dynamic(&unit.dynamics[dynamic as usize], at(text), at(first))?;
            }
            Op::DynamicQuery { dynamic, text, first, to } => {
                let dynamic = &unit.dynamics[dynamic as usize];
                let cursor = self.dynamic_query(dynamic, at(text), at(first))?;
                self.stack[at(to)] = Value::Cursor(cursor);
            }
            Op::Sequence { to, sequence, next } => {
                let (owner, name) = &unit.sequences[sequence as usize];
                self.stack[at(to)] = Value::from(self.host.sequence(owner, name, next)?);
            }
            other => return Err(Error::bug(format!("{other:?} is not carried out")).into()),
        }
        Ok(())
    }

    pub(crate) fn binds(&self, first: usize, count: usize) -> Result<Vec<Datum>> {
        let datum = |value: &Value| value.to_datum().ok_or_else(|| Error::bug("a bind that SQL does not know"));
        self.stack[first..first + count].iter().map(datum).collect()
    }

    fn execute(&mut self, statement: &SqlStatement, first: usize) -> Result<()> {
        let binds = self.binds(first, usize::from(statement.binds))?;
        self.session.sql.rows = Some(0);
        self.forget_mark();
        if !statement.prepared.columns.is_empty() {
            self.before_returning = Some(self.host.mark());
        }
        let done = self.host.execute(self.session, statement.key, &statement.prepared, &binds)?;
        self.after_sql(done.rows);
        if done.returned.len() < 2 {
            self.forget_mark();
        }
        self.rows = done.returned;
        Ok(())
    }

    pub(crate) fn forget_mark(&mut self) {
        if let Some(mark) = self.before_returning.take() {
            self.host.forget(mark);
        }
    }

    pub(crate) fn after_sql(&mut self, rows: u64) {
        self.session.sql.rows = Some(rows);
        self.session.sql.bulk_rows.clear();
    }

    fn for_all(&mut self, statement: &SqlStatement, save_exceptions: bool) -> Result<()> {
        let ForAll { indexes, binds } = std::mem::take(&mut self.for_all);
        self.session.sql.bulk_rows.clear();
        self.session.sql.bulk_errors.clear();
        self.session.sql.rows = Some(0);
        self.rows.clear();
        let mut returned = Vec::new();
        let mut begin = 0;
        while begin < binds.len() {
            let done = self.host.execute_many(self.session, statement.key, &statement.prepared, &binds[begin..])?;
            returned.extend(done.returned);
            for (offset, rows) in done.rows.iter().enumerate() {
                if let Some(index) = indexes.get(begin + offset) {
                    self.session.sql.bulk_rows.push((*index, *rows));
                }
            }
            let sum: u64 = self.session.sql.bulk_rows.iter().map(|(_, rows)| rows).sum();
            self.session.sql.rows = Some(sum);
            let Some((failed, error)) = done.failed else { break };
            if !save_exceptions {
                return Err(error);
            }
            let raised: Box<crate::exception::Raised> = error.clone().into();
            if raised.is_final() {
                return Err(error);
            }
            let place = begin + failed;
            self.session.sql.bulk_errors.push((place as i64 + 1, i64::from(raised.code.unsigned_abs())));
            if let Some(index) = indexes.get(place) {
                self.session.sql.bulk_rows.push((*index, 0));
            }
            begin = place + 1;
        }
        self.rows = returned;
        if self.session.sql.bulk_errors.is_empty() { Ok(()) } else { Err(Error::user(24_381, "error(s) in array DML")) }
    }

    fn query(&mut self, statement: &SqlStatement, first: usize) -> Result<Cursor> {
        let binds = self.binds(first, usize::from(statement.binds))?;
        let query = self.host.open(self.session, statement.key, &statement.prepared, &binds)?;
        Ok(Cursor::new(query, &self.session.orphans))
    }

    /// Two rows are fetched, to detect a second one.
    fn select_into(&mut self, statement: &SqlStatement, first: usize, to: usize) -> Result<()> {
        let cursor = self.query(statement, first)?;
        let rows = cursor.fetch_many(self.host, self.session, 2);
        cursor.close(self.host)?;
        self.one_row(rows?, to)
    }

    /// # Errors
    /// ORA-01403 and ORA-01422.
    pub(crate) fn one_row(&mut self, rows: Vec<Vec<Datum>>, to: usize) -> Result<()> {
        let count = rows.len() as u64;
        self.after_sql(count.min(1));
        let mut rows = rows.into_iter();
        match (rows.next(), rows.next()) {
            (None, _) => Err(Error::user(1403, "no data found")),
            (Some(_), Some(_)) => Err(Error::user(1422, "exact fetch returns more than requested number of rows")),
            (Some(row), None) => {
                for (place, datum) in row.into_iter().enumerate() {
                    self.stack[to + place] = Value::from(datum);
                }
                Ok(())
            }
        }
    }

    fn select_bulk(&mut self, statement: &SqlStatement, first: usize) -> Result<()> {
        let cursor = self.query(statement, first)?;
        let rows = cursor.fetch_many(self.host, self.session, usize::MAX);
        cursor.close(self.host)?;
        self.rows = rows?;
        self.after_sql(self.rows.len() as u64);
        Ok(())
    }

    fn cursor(&self, place: &VariablePlace, base: usize) -> Result<Cursor> {
        match self.read(place, base)? {
            Value::Cursor(cursor) => Ok(cursor.clone()),
            _ => Err(invalid()),
        }
    }

    fn open(&mut self, place: &VariablePlace, base: usize, from: usize, declared: bool) -> Result<()> {
        let Value::Cursor(opened) = self.stack[from].clone() else { return Err(invalid()) };
        match self.read(place, base)? {
            Value::Cursor(known) if declared && known.is_open() => {
                opened.close(self.host)?;
                return Err(Error::user(6511, "PL/SQL: cursor already open"));
            }
            Value::Cursor(known) if !declared => {
                let known = known.clone();
                known.reopen(&opened, self.host);
                return Ok(());
            }
            _ => {}
        }
        self.store(place, base, Value::Cursor(opened))
    }

    /// A row into registers; false at the end.
    pub(crate) fn fetch(
        &mut self,
        place: &VariablePlace,
        base: usize,
        to: usize,
        count: usize,
        ahead: bool,
    ) -> Result<bool> {
        let cursor = self.cursor(place, base)?;
        let Some(row) = cursor.fetch(self.host, self.session, ahead)? else { return Ok(false) };
        if row.len() != count {
            return Err(Error::user(6504, "PL/SQL: Return types of Result Set variables or query do not match"));
        }
        for (place, datum) in row.into_iter().enumerate() {
            self.stack[to + place] = Value::from(datum);
        }
        Ok(true)
    }

    /// The values of RETURNING INTO; false when no row was changed.
    pub(crate) fn returned(&mut self, to: usize, count: usize) -> Result<bool> {
        let rows = std::mem::take(&mut self.rows);
        let Some(row) = rows.first() else { return Ok(false) };
        if rows.len() > 1 {
            return Err(self.too_many_returned()?);
        }
        if row.len() != count {
            return Err(Error::user(1007, "variable not in select list"));
        }
        for (place, datum) in row.iter().enumerate() {
            self.stack[to + place] = Value::from(datum.clone());
        }
        Ok(true)
    }

    /// ORA-01422 of RETURNING: the statement is rolled back.
    pub(crate) fn too_many_returned(&mut self) -> Result<Error> {
        if let Some(mark) = self.before_returning.take() {
            self.host.back_to(mark)?;
        }
        Ok(Error::user(1422, "exact fetch returns more than requested number of rows"))
    }

    fn held(&mut self, datum: Datum, scalar: &ScalarType) -> Result<Value> {
        convert::assign(&mut settings(&mut self.context, self.host), Value::from(datum), scalar)
    }

    fn bulk_column(&mut self, column: usize, shape: &BulkShape) -> Result<Value> {
        let [scalar] = &shape.fields[..] else { return Err(Error::bug("a column of several fields")) };
        let mut values = Vec::with_capacity(self.rows.len());
        for row in 0..self.rows.len() {
            let datum = self.rows[row].get(column).cloned();
            let datum = datum.ok_or_else(|| {
                Error::user(6504, "PL/SQL: Return types of Result Set variables or query do not match")
            })?;
            values.push(self.held(datum, scalar)?);
        }
        collect(values.into_iter(), shape.kind)
    }

    fn bulk_records(&mut self, shape: &BulkShape) -> Result<Value> {
        let rows = std::mem::take(&mut self.rows);
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != shape.fields.len() {
                return Err(Error::user(6504, "PL/SQL: Return types of Result Set variables or query do not match"));
            }
            let mut fields = Vec::with_capacity(row.len());
            for (datum, scalar) in row.into_iter().zip(&shape.fields) {
                fields.push(self.held(datum, scalar)?);
            }
            records.push(Value::Record(fields.into()));
        }
        collect(records.into_iter(), shape.kind)
    }

    fn sql_attribute(&self, which: CursorAttribute) -> Value {
        let rows = self.session.sql.rows;
        match which {
            CursorAttribute::IsOpen => Value::Boolean(false),
            CursorAttribute::Found => rows.map(|rows| rows > 0).into(),
            CursorAttribute::NotFound => rows.map(|rows| rows == 0).into(),
            CursorAttribute::RowCount => rows.map_or(Value::Null, |rows| Value::Int(rows as i64)),
        }
    }

    fn bulk_attribute(&self, which: SubscriptedAttribute, subscript: usize) -> Result<Value> {
        let sql = &self.session.sql;
        if which == SubscriptedAttribute::BulkErrorCount {
            return Ok(Value::Int(sql.bulk_errors.len() as i64));
        }
        let Value::Int(index) = self.stack[subscript] else {
            return Err(crate::value::scalar_type::value_error(""));
        };
        let beyond = crate::value::collection::beyond_count;
        if which == SubscriptedAttribute::BulkRowCount {
            let found = sql.bulk_rows.iter().find(|(at, _)| *at == index);
            return found.map(|(_, rows)| Value::Int(*rows as i64)).ok_or_else(beyond);
        }
        let place = usize::try_from(index - 1).ok();
        let error = place.and_then(|place| sql.bulk_errors.get(place)).ok_or_else(beyond)?;
        Ok(Value::Int(if which == SubscriptedAttribute::BulkErrorIndex { error.0 } else { error.1 }))
    }
}
