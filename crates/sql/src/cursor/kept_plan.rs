//! The planner's plan of a query that a session executes again: kept with its child cursor, and bound anew.
//!
//! A session makes one at the second execution; a statement that is executed once is planned with its values. Plans
//! belong to their session, since their operators do.

use std::sync::Arc;

use common::Result;
use common::sync::atomic::AtomicUsize;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use scalar::Datum;
use sqlparser::ast;

use super::child::Child;
use super::connection::{Connection, describe};
use super::context::KeptContext;
use super::open::{ColumnDescription, Cursor};
use super::run::{self, Running};
use crate::error::from_datafusion;
use crate::optimizer::loops_table::LoopsExec;
use crate::plan::parameter::Parameters;
use crate::scan::exec::TableReadExec;

/// Plans that a session keeps beside those of its open cursors; beyond that the one that was used longest ago goes.
const KEPT_MAX: usize = 50;

/// A plan, and what its executions set.
#[derive(Debug)]
pub(crate) struct KeptPlan {
    child: Arc<Child>,
    plan: Arc<dyn ExecutionPlan>,
    parameters: Arc<Parameters>,
    context: Arc<KeptContext>,
    demand: Arc<AtomicUsize>,
    columns: Vec<ColumnDescription>,
}

/// The kept plans of a session, the last used one at the end.
#[derive(Default, Debug)]
pub(crate) struct KeptPlans(Vec<KeptPlan>);

impl KeptPlans {
    fn take(&mut self, child: &Arc<Child>) -> Option<KeptPlan> {
        let at = self.0.iter().position(|kept| Arc::ptr_eq(&kept.child, child))?;
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
fn takes_parameters(plan: &Arc<dyn ExecutionPlan>) -> bool {
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
        let of_child = cursor.plan.take().filter(|kept| Arc::ptr_eq(&kept.child, &child));
        let kept = match of_child.or_else(|| self.shared.kept_plans.lock().take(&child)) {
            Some(kept) => kept,
            None => match self.kept_plan(cursor, Arc::clone(&child), query, headings)? {
                Some(kept) => kept,
                None => {
                    child.keep_none();
                    return Ok(None);
                }
            },
        };
        kept.context.begin(self.session.meter().clock().wall_us());
        kept.parameters.set(cursor.binds.iter().map(|(_, value)| value.clone()).collect());
        if !takes_parameters(&kept.plan) {
            cursor.plan = Some(kept);
            return Ok(None);
        }
        let plan = reset_plan_states(Arc::clone(&kept.plan)).map_err(from_datafusion)?;
        let demand = Arc::clone(&kept.demand);
        let running = Running::start(&self.session, &self.runtime, &self.state, plan, demand)?;
        if cursor.columns != kept.columns {
            cursor.columns.clone_from(&kept.columns);
        }
        cursor.plan = Some(kept);
        Ok(Some(running.of_kept_plan()))
    }

    /// Plans the query for this execution and those that follow. None when the planner needs the values, and where a
    /// subquery does not become a join.
    fn kept_plan(
        &self,
        cursor: &Cursor,
        child: Arc<Child>,
        query: &ast::Query,
        headings: &[String],
    ) -> Result<Option<KeptPlan>> {
        let context = Arc::new(KeptContext::new(self.statement()?));
        let values: Vec<Datum> = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        let parameters = Parameters::new(Arc::clone(&context) as Arc<dyn scalar::Context>, values);
        let demand: Arc<AtomicUsize> = Arc::default();
        let mut tables = self.tables()?;
        tables.context = Arc::clone(&context) as Arc<dyn scalar::Context>;
        tables.parameters = Arc::clone(&parameters);
        tables.demand = Arc::clone(&demand);
        let variables = child.variables(&cursor.binds)?;
        let bound =
            tables.with_variables(&cursor.shared.text, &variables, |binder| binder.statement_query(query, headings));
        // What is wrong with it, its execution tells.
        let Ok(bound) = bound else { return Ok(None) };
        let plan = run::plan_with(&self.session, &self.runtime, &self.state, &bound.plan, Some(&parameters));
        let Ok(plan) = plan else { return Ok(None) };
        let columns = describe(&bound.outputs);
        Ok(Some(KeptPlan { child, plan, parameters, context, demand, columns }))
    }
}
