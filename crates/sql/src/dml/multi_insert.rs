//! INSERT ALL and INSERT FIRST: one query, whose rows go into several tables.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Column;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ChangeLock, ObjectPrivilege, SchemaObject, TableDef};

use super::assign::{Statement, Target, kind};
use super::condition::{physical, values};
use super::insert::{Origin, holds_subquery, push_arrays};
use super::intake::Intake;
use super::merge::listed;
use super::target::reads;
use super::trigger::{self, Event, Triggers};
use super::update::default_bound;
use crate::cursor::connection::Connection;
use crate::cursor::open::{Cursor, RowSource};
use crate::cursor::run::Running;
use crate::explain::sources;
use crate::explain::step::PlanStep;
use crate::plan::query::BoundQuery;
use crate::plan::scope::{Merged, Scope, ScopeColumn};
use crate::scan::figures::{Figures, FiguresValue};
use crate::statement::merge::{Into, MultiInsert};

/// One INTO clause, ready for batches of the query's rows.
struct Way<'c> {
    branch: usize,
    values: Vec<Arc<dyn PhysicalExpr>>,
    origins: Vec<Origin>,
    targets: Vec<Target>,
    intake: Intake<'c>,
}

/// A target table, locked.
struct Held {
    table: Arc<TableDef>,
    _lock: Option<ChangeLock>,
}

/// The row sources: the insert above its query's own.
fn insert_all_sources(plan: &Arc<dyn ExecutionPlan>, figures: FiguresValue) -> Vec<RowSource> {
    let step = PlanStep::new("MULTI-TABLE INSERT", "");
    let mut found = vec![RowSource { depth: 0, object: 0, step, figures }];
    sources::row_sources(plan, 1, &mut found);
    found
}

impl Connection {
    pub(crate) fn multi_insert(&mut self, insert: &MultiInsert, cursor: &mut Cursor) -> Result<u64> {
        let text = cursor.shared.text.clone();
        let bound =
            self.with_binder(&text, &cursor.binds, |binder| binder.statement_query(&insert.query, &insert.headings))?;
        let mut tables = Vec::new();
        for into in insert.branches.iter().flat_map(|branch| &branch.into) {
            let (owner, name) = self.qualified(&into.table);
            let found = self.session.catalog().table(&owner, &name).cloned();
            if let Some(SchemaObject::External(external)) = self.session.catalog().object(&owner, &name) {
                return Err(external.refused());
            }
            let found = found.ok_or_else(|| Error::user(942, format!("table or view does not exist: {name}")))?;
            self.session.catalog().check_table(&self.effective_user(), &found, ObjectPrivilege::Insert)?;
            if found.is_dictionary() {
                return Err(Error::user(1031, format!("insufficient privileges: {name} is part of the dictionary")));
            }
            let (lock, table) = self.hold_for_change(&found, cursor)?;
            tables.push(Held { table, _lock: lock });
        }
        if cursor.explaining {
            cursor.row_sources = insert_all_sources(&self.plan(&bound.plan)?, FiguresValue::default());
            return Ok(0);
        }
        // A table that is the target of several INTO clauses has its triggers once.
        let mut triggers: Vec<(ObjectNumber, Option<Triggers<'_>>)> = Vec::new();
        for Held { table, .. } in &tables {
            if !triggers.iter().any(|(object, _)| *object == table.object) {
                triggers.push((table.object, Triggers::of(self, table, Event::Insert)));
            }
        }
        let _seen = triggers.iter().map(|(_, each)| trigger::begin(each.as_ref())).collect::<Result<Vec<_>>>()?;
        let plan = self.plan(&bound.plan)?;
        let scope = output_scope(&bound);
        let conditions = self.branch_conditions(insert, &bound, &scope, cursor)?;
        let mut ways = Vec::new();
        let mut held = tables.iter();
        for (branch, found) in insert.branches.iter().enumerate() {
            for into in &found.into {
                let Some(Held { table, .. }) = held.next() else { continue };
                let fired = triggers.iter().find(|(object, _)| *object == table.object);
                let fired = fired.and_then(|(_, fired)| fired.as_ref());
                ways.push(self.way(branch, into, (table, fired), &bound, &scope, cursor)?);
            }
        }
        let load = Figures::default();
        let mut running =
            Running::start(&self.session, &self.runtime, &self.state, Arc::clone(&plan), Arc::clone(&self.demand))?;
        self.demand.store(0, common::sync::atomic::Ordering::Relaxed);
        let settled = tables.iter().any(|held| reads(&plan, &held.table));
        let result = load.measure(self.session.meter(), || -> Result<()> {
            let mut waiting = Vec::new();
            while let Some(batch) = running.next_batch()? {
                if settled {
                    // The query is settled before the statement changes anything.
                    waiting.push(batch);
                } else {
                    distribute(insert.first, &conditions, &batch, &mut ways)?;
                }
            }
            waiting.iter().try_for_each(|batch| distribute(insert.first, &conditions, batch, &mut ways))?;
            ways.iter_mut().try_for_each(|way| way.intake.finish().map(|_| ()))
        });
        let rows = ways.iter().map(|way| way.intake.rows()).sum();
        cursor.row_sources = insert_all_sources(&plan, FiguresValue { starts: 1, rows: 0, ..load.value() });
        drop(ways);
        result?;
        triggers.iter().try_for_each(|(_, each)| trigger::end(each.as_ref()))?;
        Ok(rows)
    }

    /// The condition of each branch; None: always, or ELSE.
    fn branch_conditions(
        &self,
        insert: &MultiInsert,
        bound: &BoundQuery,
        scope: &Scope<'_>,
        cursor: &Cursor,
    ) -> Result<Vec<Option<Arc<dyn PhysicalExpr>>>> {
        let mut conditions = Vec::new();
        for branch in &insert.branches {
            conditions.push(match &branch.condition {
                Some(condition) => {
                    let expr = self
                        .with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.condition(condition, scope))?;
                    if holds_subquery(&expr) {
                        return Err(Error::unsupported("a subquery in WHEN of a multi-table INSERT"));
                    }
                    Some(physical(&expr, bound.plan.schema())?)
                }
                None => None,
            });
        }
        Ok(conditions)
    }

    fn way<'w>(
        &'w self,
        branch: usize,
        into: &Into,
        (table, triggers): (&Arc<TableDef>, Option<&'w Triggers<'w>>),
        bound: &BoundQuery,
        scope: &Scope<'_>,
        cursor: &Cursor,
    ) -> Result<Way<'w>> {
        let statement = Statement::insert(triggers.is_some_and(Triggers::has_before_row));
        let columns = listed(&into.columns, table)?;
        let count = into.values.as_ref().map_or(bound.outputs.len(), Vec::len);
        match count.cmp(&columns.len()) {
            std::cmp::Ordering::Less => return Err(Error::user(947, "not enough values")),
            std::cmp::Ordering::Greater => return Err(Error::user(913, "too many values")),
            std::cmp::Ordering::Equal => {}
        }
        let mut values = Vec::new();
        let mut targets = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let value = self.with_binder(&cursor.shared.text, &cursor.binds, |binder| {
                let value = match &into.values {
                    None => scope.columns[at].bound(),
                    Some(values) => match &values[at] {
                        Some(e) => binder.value(e, scope)?,
                        None => default_bound(binder, &table.columns[*column])?,
                    },
                };
                binder.convert(value, kind(table, *column))
            })?;
            if holds_subquery(&value.expr) {
                return Err(Error::unsupported("a subquery in VALUES of a multi-table INSERT"));
            }
            values.push(physical(&value.expr, bound.plan.schema())?);
            targets.push(Target::new(table, *column, value.declared, statement));
        }
        let context = self.statement_context()?;
        let origins = self.origins(table, &columns, statement, &*context);
        Ok(Way { branch, values, origins, targets, intake: Intake::new(self, table)?.firing(triggers) })
    }
}

/// The columns of the query's rows.
fn output_scope(bound: &BoundQuery) -> Scope<'static> {
    let columns = bound.outputs.iter().map(|output| ScopeColumn {
        table: None,
        owner: None,
        name: output.name.clone(),
        column: Column::new_unqualified(&output.field),
        kind: output.kind,
        declared: output.declared,
        exact: output.exact,
        nullable: output.nullable,
        pseudo: false,
        merged: Merged::No,
    });
    Scope::of(columns.collect())
}

/// Distributes the rows of a batch to the INTO clauses.
fn distribute(
    first: bool,
    conditions: &[Option<Arc<dyn PhysicalExpr>>],
    batch: &RecordBatch,
    ways: &mut [Way<'_>],
) -> Result<()> {
    let conditional = conditions.iter().any(Option::is_some);
    let mut taken = vec![false; batch.num_rows()];
    for (branch, condition) in conditions.iter().enumerate() {
        let mask: Vec<bool> = match condition {
            Some(condition) => {
                // FIRST does not evaluate a condition for rows already taken: it may fail for them.
                let open: BooleanArray = taken.iter().map(|taken| Some(!(first && *taken))).collect();
                let rows = filtered(batch, &open)?;
                let found = values(condition, &rows)?;
                let found =
                    found.as_boolean_opt().ok_or_else(|| Error::bug("a condition that is not true or false"))?;
                let mut found = (0..found.len()).map(|at| found.is_valid(at) && found.value(at));
                open.iter().map(|open| open == Some(true) && found.next() == Some(true)).collect()
            }
            None if conditional => taken.iter().map(|taken| !taken).collect(),
            None => vec![true; batch.num_rows()],
        };
        for (taken, mask) in taken.iter_mut().zip(&mask) {
            *taken |= mask;
        }
        let rows = filtered(batch, &BooleanArray::from(mask))?;
        if rows.num_rows() == 0 {
            continue;
        }
        for way in ways.iter_mut().filter(|way| way.branch == branch) {
            let arrays: Vec<ArrayRef> = way.values.iter().map(|value| values(value, &rows)).collect::<Result<_>>()?;
            push_arrays(&arrays, rows.num_rows(), &way.origins, &way.targets, &mut way.intake)?;
        }
    }
    Ok(())
}

fn filtered(batch: &RecordBatch, mask: &BooleanArray) -> Result<RecordBatch> {
    filter_record_batch(batch, mask).map_err(|error| Error::bug(error.to_string()))
}
