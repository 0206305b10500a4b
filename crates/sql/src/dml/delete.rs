//! DELETE: a query for the rowids, settled before the first row is deleted; then the rows in rowid order.

use common::{Error, Result, Rowid};
use engine::dictionary::ObjectPrivilege;
use sqlparser::ast::{self, FromTable};
use storage::table::{Deleter, fetch_row};

use super::referential::Consequences;
use super::trigger::{self, Event, Triggers};
use super::update::{dml_sources, rows_query, target_name};
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::plan::binder::Binder;
use crate::scan::figures::Figures;
use crate::statement::merge::Returning;

impl Connection {
    pub(crate) fn delete(
        &mut self,
        delete: &ast::Delete,
        returning: Option<&Returning>,
        cursor: &mut Cursor,
    ) -> Result<u64> {
        let from = check(delete)?;
        if self.is_own_plan_table(target_name(from)?)? {
            if returning.is_some() {
                return Err(Error::unsupported("RETURNING of the session's own PLAN_TABLE"));
            }
            let select = rows_query(from, &delete.optimizer_hints, delete.selection.as_ref());
            return self.delete_plan_rows(select, cursor);
        }
        let target = self.target(target_name(from)?, ObjectPrivilege::Delete)?;
        let (_lock, table) = self.hold_for_change(&target, cursor)?;
        let select = rows_query(from, &delete.optimizer_hints, delete.selection.as_ref());
        let rows_to_change = |binder: &Binder<'_>| binder.rows_to_change(&select, None, |_| Ok(Vec::new()));
        if cursor.explaining {
            let bound = self.with_binder(&cursor.shared.text, &cursor.binds, rows_to_change)?;
            let plan = self.plan(&bound.plan)?;
            cursor.row_sources = dml_sources("DELETE", &table, &plan, &Figures::default());
            return Ok(0);
        }
        let triggers = Triggers::of(self, &table, Event::Delete);
        let _seen = trigger::begin(triggers.as_ref())?;
        let query = self.change_plan(cursor, 0, rows_to_change)?;
        let work = Figures::default();
        let victims = work.measure(self.session.meter(), || self.victims(&query))?;
        let mut giving = match returning {
            Some(returning) => Some(self.giving(returning, &table, cursor)?),
            None => None,
        };
        if let Some(triggers) = triggers.as_ref().filter(|triggers| triggers.has_row()) {
            let rows: Vec<Rowid> = victims.rows.iter().map(|(rowid, ..)| *rowid).collect();
            let result = work
                .measure(self.session.meter(), || self.delete_rows_firing(triggers, &table, &rows, giving.as_mut()));
            if cursor.wants_row_sources(&query) {
                cursor.row_sources = dml_sources("DELETE", &table, &query.plan, &work);
            }
            let rows = result?;
            self.give(giving, cursor)?;
            triggers.end()?;
            return Ok(rows);
        }
        if let Some(giving) = &mut giving {
            for (rowid, ..) in &victims.rows {
                if let Some(row) = fetch_row(&self.session, &table, *rowid)? {
                    let mut columns = row.columns();
                    columns.resize(table.columns.len(), None);
                    giving.add(Some(*rowid), &columns);
                }
            }
        }
        let consequences = if table.referencing.is_empty() {
            None
        } else {
            let rows = victims.rows.iter().map(|(rowid, ..)| *rowid);
            Some(work.measure(self.session.meter(), || Consequences::of_delete(self, &table, rows))?)
        };
        let mut deleter = Deleter::new(self.session.worker().clone(), table.heap().clone());
        let result = work.measure(self.session.meter(), || {
            if let Some(consequences) = &consequences {
                consequences.carry_out()?;
            }
            for (rowid, ..) in &victims.rows {
                deleter.push(*rowid)?;
            }
            let rows = deleter.finish()?;
            consequences.map_or(Ok(()), Consequences::settle)?;
            Ok(rows)
        });
        if cursor.wants_row_sources(&query) {
            cursor.row_sources = dml_sources("DELETE", &table, &query.plan, &work);
        }
        let rows = result?;
        self.give(giving, cursor)?;
        trigger::end(triggers.as_ref())?;
        Ok(rows)
    }
}

pub(crate) fn check(delete: &ast::Delete) -> Result<&ast::TableWithJoins> {
    let ast::Delete {
        delete_token: _,
        optimizer_hints: _,
        tables,
        from,
        using,
        selection: _,
        returning,
        output,
        order_by,
        limit,
    } = delete;
    if returning.is_some() {
        return Err(Error::unsupported("RETURNING outside PL/SQL"));
    }
    if !tables.is_empty() || using.is_some() || output.is_some() || !order_by.is_empty() || limit.is_some() {
        return Err(Error::unsupported(format!("a clause of {delete}")));
    }
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = from;
    match from.as_slice() {
        [table] => Ok(table),
        _ => Err(Error::unsupported("DELETE from several tables")),
    }
}
