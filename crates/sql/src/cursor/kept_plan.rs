//! The planner's plan of a statement that a session executes again: kept with its child cursor, and bound anew.
//!
//! A session makes one when the statement has been executed before, by whichever session: a statement that is executed
//! once is planned with its values. Plans belong to their session, since their operators do. A statement that changes
//! rows has one for each of its queries (MERGE has two).

use std::sync::Arc;

use common::Result;
use common::sync::atomic::{AtomicUsize, Ordering};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use scalar::Datum;
use sqlparser::ast;

use super::child::{Child, is_keepable};
use super::connection::{Connection, describe};
use super::context::KeptContext;
use super::open::{ColumnDescription, Cursor};
use super::run::{self, Running};
use super::shared::Shared;
use crate::error::from_datafusion;
use crate::optimizer::loops_table::LoopsExec;
use crate::plan::binder::Binder;
use crate::plan::parameter::Parameters;
use crate::plan::query::{BoundQuery, Output};
use crate::scan::exec::TableReadExec;

/// Plans that a session keeps beside those of its open cursors; beyond that the one that was used longest ago goes.
const KEPT_MAX: usize = 50;

/// A plan, and what its executions set.
#[derive(Debug)]
pub(crate) struct KeptPlan {
    child: Arc<Child>,
    /// The number of the query among the statement's.
    part: u8,
    plan: Arc<dyn ExecutionPlan>,
    parameters: Arc<Parameters>,
    context: Arc<KeptContext>,
    demand: Arc<AtomicUsize>,
    outputs: Arc<[Output]>,
    /// Of a query that is the statement.
    columns: Vec<ColumnDescription>,
}

impl KeptPlan {
    fn is_of(&self, child: &Arc<Child>, part: u8) -> bool {
        Arc::ptr_eq(&self.child, child) && self.part == part
    }

    /// Begins an execution: the plan with these values. None when it does not take them.
    ///
    /// # Errors
    /// Those of the planner's operators.
    fn begin(&self, wall_us: u64, values: Vec<Datum>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        self.context.begin(wall_us);
        self.parameters.set(values);
        if !takes_parameters(&self.plan) {
            return Ok(None);
        }
        reset_plan_states(Arc::clone(&self.plan)).map(Some).map_err(from_datafusion)
    }
}

/// The plan of a query of a statement that changes rows, for one execution.
#[derive(Debug)]
pub(crate) struct ChangePlan {
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    pub(crate) outputs: Arc<[Output]>,
    pub(crate) demand: Arc<AtomicUsize>,
    /// Goes back to the session at the end, whatever that is.
    kept: Option<KeptPlan>,
    shared: Arc<Shared>,
}

impl Drop for ChangePlan {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.shared.kept_plans.lock().put(kept);
        }
    }
}

impl ChangePlan {
    /// True: it is executed again, so that its row sources are known.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }
}

/// The kept plans of a session, the last used one at the end.
#[derive(Default, Debug)]
pub(crate) struct KeptPlans(Vec<KeptPlan>);

impl KeptPlans {
    fn take(&mut self, child: &Arc<Child>, part: u8) -> Option<KeptPlan> {
        let at = self.0.iter().position(|kept| kept.is_of(child, part))?;
        Some(self.0.remove(at))
    }

    /// Keeps the plan of a cursor that is closed.
    pub(crate) fn put(&mut self, plan: KeptPlan) {
        if self.0.len() >= KEPT_MAX {
            self.0.remove(0);
        }
        self.0.push(plan);
    }
}

/// True: all reads of the plan take the present values of its bind variables.
pub(crate) fn takes_parameters(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let node: &dyn std::any::Any = plan.as_ref();
    node.downcast_ref::<TableReadExec>().is_none_or(TableReadExec::takes_parameters)
        && node.downcast_ref::<LoopsExec>().is_none_or(LoopsExec::takes_parameters)
        && plan.children().into_iter().all(takes_parameters)
}

impl Connection {
    /// Begins the cursor's query by a plan that is kept. None when it is planned for this execution.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn query_kept(
        &self,
        cursor: &mut Cursor,
        query: &ast::Query,
        headings: &[String],
    ) -> Result<Option<Running>> {
        let Some(child) = cursor.child.clone().filter(|child| child.is_kept()) else {
            return Ok(None);
        };
        if !self.takes_direct_ways() || !child.is_executed_again() {
            return Ok(None);
        }
        let of_child = cursor.plan.take().filter(|kept| kept.is_of(&child, 0));
        let kept = match of_child.or_else(|| self.shared.kept_plans.lock().take(&child, 0)) {
            Some(kept) => kept,
            None => match self.kept_plan(cursor, &child, 0, |binder| binder.statement_query(query, headings))? {
                Some(kept) => KeptPlan { columns: describe(&kept.outputs), ..kept },
                None => {
                    child.keep_none();
                    return Ok(None);
                }
            },
        };
        let Some(plan) = kept.begin(self.session.meter().clock().wall_us(), values(cursor))? else {
            cursor.plan = Some(kept);
            return Ok(None);
        };
        let demand = Arc::clone(&kept.demand);
        let running = Running::start(&self.session, &self.runtime, &self.state, plan, demand)?;
        if cursor.columns != kept.columns {
            cursor.columns.clone_from(&kept.columns);
        }
        cursor.plan = Some(kept);
        Ok(Some(running.of_kept_plan()))
    }

    /// The plan of query number `part` of the cursor's statement, which changes rows: one that is kept, or the one that
    /// `bind` gives for this execution. The caller holds the lock of the table.
    ///
    /// # Errors
    /// Those of binding and planning.
    pub(crate) fn change_plan(
        &self,
        cursor: &mut Cursor,
        part: u8,
        bind: impl Fn(&Binder<'_>) -> Result<BoundQuery>,
    ) -> Result<ChangePlan> {
        if let Some(plan) = self.change_kept(cursor, part, &bind)? {
            return Ok(plan);
        }
        self.planned_once(self.with_binder(&cursor.shared.text, &cursor.binds, bind)?)
    }

    /// The plan of a query for one execution.
    ///
    /// # Errors
    /// Those of planning.
    pub(crate) fn planned_once(&self, bound: BoundQuery) -> Result<ChangePlan> {
        let (plan, demand) = (self.plan(&bound.plan)?, Arc::clone(&self.demand));
        Ok(ChangePlan { plan, outputs: bound.outputs.into(), demand, kept: None, shared: Arc::clone(&self.shared) })
    }

    /// Starts the query; it is to be read to its end.
    ///
    /// # Errors
    /// Those of the planner's operators.
    pub(crate) fn start_change(&self, query: &ChangePlan) -> Result<Running> {
        query.demand.store(0, Ordering::Relaxed);
        let (plan, demand) = (Arc::clone(&query.plan), Arc::clone(&query.demand));
        Running::start(&self.session, &self.runtime, &self.state, plan, demand)
    }

    fn change_kept(
        &self,
        cursor: &mut Cursor,
        part: u8,
        bind: impl Fn(&Binder<'_>) -> Result<BoundQuery>,
    ) -> Result<Option<ChangePlan>> {
        let Some(child) = self.child_of_change(cursor)? else { return Ok(None) };
        let known = self.shared.kept_plans.lock().take(&child, part);
        let kept = match known {
            Some(kept) => kept,
            None => match self.kept_plan(cursor, &child, part, bind)? {
                Some(kept) => kept,
                None => {
                    child.keep_none();
                    return Ok(None);
                }
            },
        };
        let plan = kept.begin(self.session.meter().clock().wall_us(), values(cursor))?;
        let (outputs, demand) = (Arc::clone(&kept.outputs), Arc::clone(&kept.demand));
        let Some(plan) = plan else {
            self.shared.kept_plans.lock().put(kept);
            return Ok(None);
        };
        Ok(Some(ChangePlan { plan, outputs, demand, kept: Some(kept), shared: Arc::clone(&self.shared) }))
    }

    /// Plans the query for this execution and those that follow. None when the planner needs the values.
    fn kept_plan(
        &self,
        cursor: &Cursor,
        child: &Arc<Child>,
        part: u8,
        bind: impl FnOnce(&Binder<'_>) -> Result<BoundQuery>,
    ) -> Result<Option<KeptPlan>> {
        let context = Arc::new(KeptContext::new(self.statement()?));
        let parameters = Parameters::new(Arc::clone(&context) as Arc<dyn scalar::Context>, values(cursor));
        let demand: Arc<AtomicUsize> = Arc::default();
        let mut tables = self.tables()?;
        tables.context = Arc::clone(&context) as Arc<dyn scalar::Context>;
        tables.parameters = Arc::clone(&parameters);
        tables.demand = Arc::clone(&demand);
        let variables = child.variables(&cursor.binds)?;
        // What is wrong with it, its execution tells.
        let Ok(bound) = tables.with_variables(&cursor.shared.text, &variables, bind) else { return Ok(None) };
        if !is_keepable(&bound.plan) {
            return Ok(None);
        }
        let plan = run::plan_with(&self.session, &self.runtime, &self.state, &bound.plan, Some(&parameters));
        let Ok(plan) = plan else { return Ok(None) };
        let (child, outputs) = (Arc::clone(child), bound.outputs.into());
        Ok(Some(KeptPlan { child, part, plan, parameters, context, demand, outputs, columns: Vec::new() }))
    }
}

fn values(cursor: &Cursor) -> Vec<Datum> {
    cursor.binds.iter().map(|(_, value)| value.clone()).collect()
}
