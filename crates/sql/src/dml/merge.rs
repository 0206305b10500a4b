//! MERGE: two queries, both settled before the first row changes; then the updates, the deletions, the insertions.
//!
//! ```text
//! matched      target ⋈ source ON … WHERE update's    -> rowid, new values, whether it goes
//!                                                        (a rowid twice: ORA-30926)
//! not matched  source ▷ target ON … WHERE insert's    -> values
//! ```

use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::AsArray;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, lit, when};
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ObjectPrivilege, TableDef};
use scalar::DatumType;
use storage::table::Deleter;
use storage::txn::Entered;

use super::assign::{Ready, Statement, Target, kind};
use super::referential::{Consequences, NewRows};
use super::trigger::{self, Event, Triggers};
use super::update::{Victims, default_bound, dml_sources, rows_query};
use crate::cursor::connection::Connection;
use crate::cursor::kept_plan::ChangePlan;
use crate::cursor::open::{Cursor, RowSource};
use crate::error::from_datafusion;
use crate::explain::sources;
use crate::plan::binder::Binder;
use crate::plan::bound::Bound;
use crate::plan::query::{BoundQuery, Output};
use crate::plan::scope::Scope;
use crate::scan::figures::Figures;
use crate::statement::merge::{Merge, MergeInsert, MergeUpdate};

/// Mark of a row that DELETE WHERE deletes.
const GOES: &str = "Y";

/// The row sources of a MERGE: those of its queries, one after the other.
fn merge_sources<'p>(
    table: &TableDef,
    mut plans: impl Iterator<Item = &'p Arc<dyn ExecutionPlan>>,
    work: &Figures,
) -> Vec<RowSource> {
    let Some(first) = plans.next() else { return Vec::new() };
    let mut found = dml_sources("MERGE", table, first, work);
    plans.for_each(|plan| sources::row_sources(plan, 1, &mut found));
    found
}

impl Connection {
    pub(crate) fn merge(&mut self, merge: &Merge, cursor: &mut Cursor) -> Result<u64> {
        let name = super::update::target_name(&merge.target)?;
        let mut privileges = Vec::new();
        if let Some(update) = &merge.update {
            privileges.push(ObjectPrivilege::Update);
            privileges.extend(update.delete.as_ref().map(|_| ObjectPrivilege::Delete));
        }
        privileges.extend(merge.insert.as_ref().map(|_| ObjectPrivilege::Insert));
        let mut target = None;
        for privilege in privileges {
            target = Some(self.target(name, privilege)?);
        }
        let target = target.ok_or_else(|| Error::bug("a MERGE that does nothing"))?;
        let (_lock, table) = self.hold_for_change(&target, cursor)?;
        let assigned = match &merge.update {
            Some(update) => assigned_columns(update, &table)?.into_iter().map(|(column, _)| column).collect(),
            None => Vec::new(),
        };
        let deletes = merge.update.as_ref().is_some_and(|update| update.delete.is_some());
        let firing = Firing {
            update: merge.update.as_ref().and_then(|_| Triggers::of(self, &table, Event::Update(&assigned))),
            delete: if deletes { Triggers::of(self, &table, Event::Delete) } else { None },
            insert: merge.insert.as_ref().and_then(|_| Triggers::of(self, &table, Event::Insert)),
        };
        let _seen = if cursor.explaining { None } else { Some(firing.begin()?) };
        let columns = merge.insert.as_ref().map(|insert| insert_columns(insert, &table)).transpose()?;
        let bind_matched =
            merge.update.as_ref().map(|update| |binder: &Binder<'_>| matched(binder, merge, update, &table));
        let bind_unmatched = merge
            .insert
            .as_ref()
            .zip(columns.as_ref())
            .map(|(insert, columns)| |binder: &Binder<'_>| unmatched(binder, merge, insert, &table, columns));
        if cursor.explaining {
            let (text, binds) = (&cursor.shared.text, &cursor.binds);
            let matched = bind_matched.map(|bind| self.with_binder(text, binds, bind)).transpose()?;
            let unmatched = bind_unmatched.map(|bind| self.with_binder(text, binds, bind)).transpose()?;
            let bound = matched.iter().chain(&unmatched);
            let plans = bound.map(|bound| self.plan(&bound.plan)).collect::<Result<Vec<_>>>()?;
            cursor.row_sources = merge_sources(&table, plans.iter(), &Figures::default());
            return Ok(0);
        }
        let matched = bind_matched.map(|bind| self.change_plan(cursor, 0, bind)).transpose()?;
        let unmatched = bind_unmatched.map(|bind| self.change_plan(cursor, 1, bind)).transpose()?;
        let work = Figures::default();
        let meter = Arc::clone(self.session.meter());
        let found = match &matched {
            Some(query) => Some(work.measure(&meter, || self.victims(query))?),
            None => None,
        };
        let settled = match unmatched.as_ref().zip(columns.as_ref()) {
            Some((query, columns)) => {
                Some(work.measure(&meter, || self.settle(&table, columns, firing.inserts(), query))?)
            }
            None => None,
        };
        if found.as_ref().is_some_and(|victims| victims.repeated) {
            return Err(Error::user(30926, "unable to get a stable set of rows in the source tables"));
        }
        let mut rows = 0;
        if let (Some(update), Some(victims), Some(query)) = (&merge.update, &found, &matched) {
            rows += work.measure(&meter, || self.merge_matched(&table, update, victims, &query.outputs, &firing))?;
        }
        if let Some(settled) = settled {
            rows += work.measure(&meter, || self.put_settled(&table, &settled, firing.insert.as_ref()))?;
        }
        let queries: Vec<ChangePlan> = matched.into_iter().chain(unmatched).collect();
        if queries.iter().any(|query| cursor.wants_row_sources(query)) {
            cursor.row_sources = merge_sources(&table, queries.iter().map(|query| &query.plan), &work);
        }
        firing.end()?;
        Ok(rows)
    }

    /// Updates the matched rows, and deletes those of DELETE WHERE.
    fn merge_matched(
        &self,
        table: &Arc<TableDef>,
        update: &MergeUpdate,
        victims: &Victims,
        outputs: &[Output],
        firing: &Firing<'_>,
    ) -> Result<u64> {
        let width = table.columns.len();
        let targets: Vec<Target> = outputs[1..=width]
            .iter()
            .enumerate()
            .map(|(column, output)| {
                Target::new(table, column, output.exact.then_some(output.declared), firing.updates())
            })
            .collect();
        let ready: Vec<Vec<Ready<'_>>> = victims
            .batches
            .iter()
            .map(|batch| {
                targets.iter().zip(&batch.columns()[1..=width]).map(|(target, array)| target.prepare(array)).collect()
            })
            .collect::<Result<_>>()?;
        let goes = |batch: u32, at: u32| {
            victims.batches[batch as usize].columns().get(width + 1).is_some_and(|marks| {
                let marks = marks.as_string::<i32>();
                marks.value(at as usize) == GOES
            })
        };
        let changed = assigned_columns(update, table)?.into_iter().map(|(column, _)| column).collect::<Vec<_>>();
        let gone: Vec<_> =
            victims.rows.iter().filter(|(_, batch, at)| goes(*batch, *at)).map(|(rowid, ..)| *rowid).collect();
        let deleting = firing.delete.as_ref().filter(|triggers| triggers.has_row());
        let rows: &NewRows<'_> = &|take| {
            let mut row: Vec<Option<&[u8]>> = vec![None; width];
            for (rowid, batch, at) in victims.rows.iter().filter(|(_, batch, at)| !goes(*batch, *at)) {
                for (value, column) in row.iter_mut().zip(&ready[*batch as usize]) {
                    *value = column.value(*at as usize);
                }
                take(*rowid, &row)?;
            }
            Ok(())
        };
        match firing.update.as_ref().filter(|triggers| triggers.has_row()) {
            Some(triggers) => self.replace_rows_firing(triggers, table, &changed, rows, None)?,
            None => self.replace_rows(table, &changed, rows)?,
        };
        if let Some(triggers) = deleting {
            self.delete_rows_firing(triggers, table, &gone, None)?;
            return Ok(victims.rows.len() as u64);
        }
        // The updates' triggers may have made children of the deleted rows.
        let consequences = if table.referencing.is_empty() || gone.is_empty() || deleting.is_some() {
            None
        } else {
            Some(Consequences::of_delete(self, table, gone.iter().copied())?)
        };
        if let Some(consequences) = &consequences {
            consequences.carry_out()?;
        }
        let mut deleter = Deleter::new(self.session.worker().clone(), table.heap().clone());
        gone.iter().try_for_each(|rowid| deleter.push(*rowid))?;
        deleter.finish()?;
        consequences.map_or(Ok(()), Consequences::settle)?;
        Ok(victims.rows.len() as u64)
    }
}

/// The triggers that the branches of a MERGE fire.
struct Firing<'c> {
    update: Option<Triggers<'c>>,
    delete: Option<Triggers<'c>>,
    insert: Option<Triggers<'c>>,
}

impl Firing<'_> {
    fn begin(&self) -> Result<[Option<Entered>; 3]> {
        Ok([
            trigger::begin(self.update.as_ref())?,
            trigger::begin(self.delete.as_ref())?,
            trigger::begin(self.insert.as_ref())?,
        ])
    }

    fn end(&self) -> Result<()> {
        trigger::end(self.update.as_ref())?;
        trigger::end(self.delete.as_ref())?;
        trigger::end(self.insert.as_ref())
    }

    fn updates(&self) -> Statement {
        Statement::update(self.update.as_ref().is_some_and(Triggers::has_before_row))
    }

    fn inserts(&self) -> Statement {
        Statement::insert(self.insert.as_ref().is_some_and(Triggers::has_before_row))
    }
}

fn no_column(name: &str, at: usize) -> Error {
    Error::user(904, format!("\"{name}\": invalid identifier")).at(at)
}

/// The columns that the update assigns, and its assignments.
fn assigned_columns(update: &MergeUpdate, table: &TableDef) -> Result<Vec<(usize, usize)>> {
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for (number, (name, at, _)) in update.assignments.iter().enumerate() {
        let column = table.column(name).ok_or_else(|| no_column(name, *at))?;
        if columns.iter().any(|(other, _)| *other == column) {
            return Err(Error::user(957, format!("duplicate column name: {name}")).at(*at));
        }
        columns.push((column, number));
    }
    Ok(columns)
}

pub(super) fn listed(columns: &[(String, usize)], table: &TableDef) -> Result<Vec<usize>> {
    if columns.is_empty() {
        return Ok((0..table.columns.len()).collect());
    }
    let mut found = Vec::new();
    for (name, at) in columns {
        let column = table.column(name).ok_or_else(|| no_column(name, *at))?;
        if found.contains(&column) {
            return Err(Error::user(957, format!("duplicate column name: {name}")).at(*at));
        }
        found.push(column);
    }
    Ok(found)
}

pub(crate) fn insert_columns(insert: &MergeInsert, table: &TableDef) -> Result<Vec<usize>> {
    let columns = listed(&insert.columns, table)?;
    match insert.values.len().cmp(&columns.len()) {
        std::cmp::Ordering::Less => Err(Error::user(947, "not enough values")),
        std::cmp::Ordering::Greater => Err(Error::user(913, "too many values")),
        std::cmp::Ordering::Equal => Ok(columns),
    }
}

/// ROWID, the new values, and with DELETE WHERE the mark of the rows to delete.
pub(crate) fn matched(
    binder: &Binder<'_>,
    merge: &Merge,
    update: &MergeUpdate,
    table: &TableDef,
) -> Result<BoundQuery> {
    let assigned = assigned_columns(update, table)?;
    let mut select = rows_query(&merge.target, &[], Some(&merge.on));
    select.from.push(merge.source.clone());
    binder.rows_to_change(&select, update.condition.as_ref(), |scope| {
        // The target's columns come first.
        let own = |name: &str| scope.columns.iter().find(|column| column.name == name && !column.pseudo);
        let on = binder.condition(&merge.on, scope)?;
        let mut values: Vec<(String, Bound)> = Vec::new();
        let mut news = Vec::new();
        for (column, definition) in table.columns.iter().enumerate() {
            let old = own(&definition.name);
            let old = old.ok_or_else(|| Error::bug(format!("column {} is not in scope", definition.name)))?;
            let value = match assigned.iter().find(|(position, _)| *position == column) {
                Some((_, number)) => {
                    let (name, at, value) = &update.assignments[*number];
                    if on.column_refs().contains(&old.column) {
                        return Err(Error::user(
                            38104,
                            format!("columns referenced in the ON Clause cannot be updated: {name}"),
                        )
                        .at(*at));
                    }
                    match value {
                        Some(e) => binder.value(e, scope)?,
                        None => default_bound(binder, definition)?,
                    }
                }
                None => old.bound(),
            };
            let value = binder.convert(value, kind(table, column))?;
            news.push((old.column.clone(), value.expr.clone()));
            values.push((definition.name.clone(), value));
        }
        if let Some(delete) = &update.delete {
            // The condition is evaluated on the row after the update.
            let condition = binder.condition(delete, scope)?.transform(|expr| {
                Ok(match &expr {
                    Expr::Column(column) => match news.iter().find(|(old, _)| old == column) {
                        Some((_, new)) => Transformed::yes(new.clone()),
                        None => Transformed::no(expr),
                    },
                    _ => Transformed::no(expr),
                })
            });
            let condition = condition.map_err(from_datafusion)?.data;
            let mark = when(condition, lit(GOES)).otherwise(lit("N")).map_err(from_datafusion)?;
            values.push(("\u{1}GOES".to_owned(), Bound::new(mark, DatumType::Varchar2)));
        }
        Ok(values)
    })
}

/// The values of the unmatched rows, each of its column's kind.
fn unmatched(
    binder: &Binder<'_>,
    merge: &Merge,
    insert: &MergeInsert,
    table: &TableDef,
    columns: &[usize],
) -> Result<BoundQuery> {
    binder.rows_to_add(&merge.source, &merge.target, &merge.on, insert.condition.as_ref(), |scope: &Scope<'_>| {
        let mut values = Vec::new();
        for (value, column) in insert.values.iter().zip(columns) {
            let definition = &table.columns[*column];
            let bound = match value {
                Some(e) => binder.value(e, scope)?,
                None => default_bound(binder, definition)?,
            };
            values.push((definition.name.clone(), binder.convert(bound, kind(table, *column))?));
        }
        Ok(values)
    })
}
