//! EXECUTE IMMEDIATE, and OPEN … FOR text.

use common::{Error, Result};

use super::cursor::Cursor;
use super::machine::Machine;
use crate::ast::Mode;
use crate::compile::unit::Dynamic;
use crate::host::DynamicSql;
use crate::value::Value;

impl Machine<'_> {
    fn prepare_dynamic(&mut self, text: usize) -> Result<DynamicSql> {
        let text = self.stack[text].as_text().unwrap_or_default().to_owned();
        self.host.prepare_dynamic(&text)
    }

    pub(crate) fn dynamic(&mut self, dynamic: &Dynamic, text: usize, first: usize) -> Result<()> {
        let sql = self.prepare_dynamic(text)?;
        let mut binds = self.binds(first, dynamic.using.len())?;
        let returning = if dynamic.returning.is_some() { sql.returning } else { 0 };
        check_binds(&sql, binds.len() + returning)?;
        if sql.is_query {
            return self.dynamic_select(dynamic, &sql, &binds);
        }
        if dynamic.into.is_some() {
            return Err(Error::user(1007, "variable not in select list"));
        }
        self.forget_mark();
        if sql.returning > 0 {
            self.before_returning = Some(self.host.mark());
        }
        let result = self.host.execute_dynamic(self.session, &sql, &mut binds);
        // NLS settings, the schema, the dictionary: any of these may have changed.
        self.context = None;
        self.session.dictionary_version = None;
        let done = result?;
        self.after_sql(done.rows);
        self.rows = done.returned;
        if dynamic.returning.is_none() && sql.returning > 0 {
            return self.out_of_returning(dynamic, &sql, first);
        }
        for (place, (datum, mode)) in binds.into_iter().zip(&dynamic.using).enumerate() {
            if *mode != Mode::In {
                self.stack[first + place] = Value::from(datum);
            }
        }
        Ok(())
    }

    /// `… RETURNING x INTO :y` with `USING … OUT y`.
    fn out_of_returning(&mut self, dynamic: &Dynamic, sql: &DynamicSql, first: usize) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let begin = dynamic.using.len().saturating_sub(sql.returning);
        match &rows[..] {
            [] => {
                for place in begin..dynamic.using.len() {
                    self.stack[first + place] = Value::Null;
                }
            }
            [row] => {
                for (place, datum) in row.iter().take(dynamic.using.len() - begin).enumerate() {
                    self.stack[first + begin + place] = Value::from(datum.clone());
                }
            }
            _ => return Err(self.too_many_returned()?),
        }
        Ok(())
    }

    fn dynamic_select(&mut self, dynamic: &Dynamic, sql: &DynamicSql, binds: &[scalar::Datum]) -> Result<()> {
        let Some(count) = dynamic.into else {
            // A query without INTO is only parsed.
            return Ok(());
        };
        if usize::from(count) != sql.columns.len() {
            return Err(Error::user(1007, "variable not in select list"));
        }
        let query = self.host.open_dynamic(self.session, sql, binds)?;
        let cursor = Cursor::new(query, &self.session.orphans);
        let rows = cursor.fetch_many(self.host, self.session, if dynamic.bulk { usize::MAX } else { 2 });
        cursor.close(self.host)?;
        let rows = rows?;
        if !dynamic.bulk {
            match rows.len() {
                0 => return Err(Error::user(1403, "no data found")),
                1 => {}
                _ => return Err(Error::user(1422, "exact fetch returns more than requested number of rows")),
            }
        }
        self.after_sql(rows.len() as u64);
        self.rows = rows;
        Ok(())
    }

    pub(crate) fn dynamic_query(&mut self, dynamic: &Dynamic, text: usize, first: usize) -> Result<Cursor> {
        let sql = self.prepare_dynamic(text)?;
        if !sql.is_query {
            return Err(Error::user(900, "invalid SQL statement: a query is expected"));
        }
        let binds = self.binds(first, dynamic.using.len())?;
        check_binds(&sql, binds.len())?;
        let query = self.host.open_dynamic(self.session, &sql, &binds)?;
        Ok(Cursor::new(query, &self.session.orphans))
    }
}

fn check_binds(sql: &DynamicSql, given: usize) -> Result<()> {
    match given.cmp(&sql.variables.len()) {
        std::cmp::Ordering::Less => Err(Error::user(1008, "not all variables bound")),
        std::cmp::Ordering::Greater => Err(Error::user(1006, "bind variable does not exist")),
        std::cmp::Ordering::Equal => Ok(()),
    }
}
