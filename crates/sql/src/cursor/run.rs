//! A running query: its physical plan, its stream of batches, and the position in its rows.

use std::fmt;
use std::sync::Arc;
use std::task::Poll;

use common::sync::atomic::{AtomicUsize, Ordering};
use common::{Error, Result};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::optimizer::Optimizer;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use engine::instance::Session;
use futures::{FutureExt, StreamExt};
use tokio::runtime::Runtime;
use waits::Statistic;

use super::open::RowSource;
use super::{cancel, extremes, join_filters};
use crate::direct::value::Inputs;
use crate::error::{from_datafusion, is_about_subquery, to_datafusion};
use crate::explain::sources;
use crate::functions::coalesce;
use crate::functions::parameter::as_calls;
use crate::optimizer::arrange::arranged;
use crate::plan::expression::place;
use crate::plan::parameter::Parameters;
use crate::scan::exec::TableReadExec;
use crate::subquery;

/// The planner's rules that matter to the rows of one table. Without joins and DISTINCT there is no use for the others,
/// nor for those of our own about them.
const OF_ONE_TABLE: [&str; 8] = [
    "simplify_expressions",
    "eliminate_duplicated_expr",
    "eliminate_filter",
    "eliminate_limit",
    "propagate_empty_relation",
    "push_down_limit",
    "push_down_filter",
    "optimize_projections",
];

/// True: the plan reads one table, and groups nothing.
fn is_of_one_table(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_) => plan.inputs().into_iter().all(is_of_one_table),
        LogicalPlan::Aggregate(aggregate) => {
            let is_plain = |expr: &Expr| !matches!(expr, Expr::AggregateFunction(call) if call.params.distinct);
            aggregate.group_expr.is_empty()
                && aggregate.aggr_expr.iter().all(is_plain)
                && is_of_one_table(&aggregate.input)
        }
        _ => false,
    }
}

/// The optimised plan of a query without subqueries, made without the rules of these names, for the values of an
/// execution. Of one table's rows only some rules matter: most of the time goes into looking for what is not there.
pub(crate) fn optimized(
    session: &Arc<Session>,
    state: &SessionState,
    logical: &LogicalPlan,
    without: &[&str],
    inputs: &Inputs<'_>,
) -> Result<LogicalPlan> {
    let of_one = is_of_one_table(logical);
    let optimized = if without.is_empty() && !of_one {
        state.optimize(logical)
    } else {
        let mut rules = state.optimizer().rules.clone();
        rules.retain(|rule| !without.contains(&rule.name()) && (!of_one || OF_ONE_TABLE.contains(&rule.name())));
        let analyzed = state.analyzer().execute_and_check(logical.clone(), state.config_options(), |_, _| {});
        analyzed.and_then(|analyzed| Optimizer::with_rules(rules).optimize(analyzed, state, |_, _| {}))
    };
    session.check_cancelled()?;
    let optimized = optimized.map_err(from_datafusion)?;
    // One table has no joins to arrange.
    if of_one {
        return Ok(optimized);
    }
    arranged(session, state, optimized, Some(inputs)).map_err(from_datafusion)
}

/// Makes the physical plan: optimised, with checks for a cancel.
pub(crate) fn plan(
    session: &Arc<Session>,
    runtime: &Runtime,
    state: &SessionState,
    logical: &LogicalPlan,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan_with(session, runtime, state, logical, None)
}

/// The same for a plan with parameters, whose values are those of its present execution.
pub(crate) fn plan_with(
    session: &Arc<Session>,
    runtime: &Runtime,
    state: &SessionState,
    logical: &LogicalPlan,
    parameters: Option<&Arc<Parameters>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let planned = runtime.block_on(async {
        let rewritten = if subquery::holds_subquery(logical)? {
            let planner = subquery::Planner::new(session, state, parameters);
            subquery::rewrite(logical.clone(), &planner)?
        } else {
            logical.clone()
        };
        let optimized = arranged(session, state, state.optimize(&rewritten)?, None)?;
        let optimized = match parameters {
            Some(parameters) => as_calls(optimized, parameters)?,
            None => optimized,
        };
        let logical = coalesce::in_plan(cancel::check_filters(session, optimized)?)?;
        let physical = state.query_planner().create_physical_plan(&logical, state).await?;
        cancel::check_joins(session, extremes::put_in(join_filters::put_in(physical)?)?)
    });
    planned.map_err(|error| {
        if !is_about_subquery(&error) {
            return from_datafusion(error);
        }
        // The planner does not say which subquery: take a correlated one, if there is one.
        let (error, place) = match first_subquery(logical, true) {
            Some(place) => (Error::unsupported("a correlated subquery of this form"), place),
            None => (Error::unsupported("a subquery in this place"), first_subquery(logical, false).flatten()),
        };
        match place {
            Some(place) => error.at(place),
            None => error,
        }
    })
}

/// The position of the first subquery of a plan, if known; None when there is none.
fn first_subquery(logical: &LogicalPlan, correlated: bool) -> Option<Option<usize>> {
    let mut found = None;
    let _ = logical.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                let subquery = match expr {
                    // A scalar subquery that is not correlated can stand anywhere.
                    Expr::ScalarSubquery(subquery) => correlated.then_some(subquery),
                    Expr::InSubquery(inside) => Some(&inside.subquery),
                    Expr::Exists(exists) => Some(&exists.subquery),
                    Expr::SetComparison(comparison) => Some(&comparison.subquery),
                    _ => None,
                };
                if let Some(subquery) = subquery.filter(|subquery| correlated != subquery.outer_ref_columns.is_empty())
                {
                    found.get_or_insert_with(|| place(subquery));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    found
}

pub(crate) struct Running {
    session: Arc<Session>,
    /// Drives the plan, whichever of the session's connections fetches; None for settled rows.
    runtime: Option<Arc<Runtime>>,
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    stream: SendableRecordBatchStream,
    /// The current batch, and the number of its rows that have been returned.
    batch: Option<(RecordBatch, usize)>,
    demand: Arc<AtomicUsize>,
    /// The plan passes on each batch as it comes from the table, so a fetch can request exactly its rows.
    straight: bool,
    /// The plan is executed again and again: its row sources are known.
    kept: bool,
    /// The plan's sorts that have not returned a row yet.
    sorts: Vec<Arc<dyn ExecutionPlan>>,
    pub(crate) rows: u64,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Running {
    pub(crate) fn start(
        session: &Arc<Session>,
        runtime: &Arc<Runtime>,
        state: &SessionState,
        plan: Arc<dyn ExecutionPlan>,
        demand: Arc<AtomicUsize>,
    ) -> Result<Self> {
        // Operators over several inputs, as of a UNION, start tasks; they run on this thread too, while it waits for a
        // batch.
        let _runtime = runtime.enter();
        let stream = execute_stream(Arc::clone(&plan), state.task_ctx()).map_err(from_datafusion)?;
        let straight = is_straight(&plan);
        let mut sorts = Vec::new();
        add_sorts(&plan, &mut sorts);
        let (session, runtime) = (Arc::clone(session), Some(Arc::clone(runtime)));
        Ok(Self { session, runtime, plan, stream, batch: None, demand, straight, kept: false, sorts, rows: 0 })
    }

    pub(crate) fn of_kept_plan(self) -> Self {
        Self { kept: true, ..self }
    }

    pub(crate) fn is_of_kept_plan(&self) -> bool {
        self.kept
    }

    /// A query that has been run to its end already: returns these rows of it, of `schema`.
    pub(crate) fn settled(
        session: &Arc<Session>,
        plan: Arc<dyn ExecutionPlan>,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> Self {
        let batches = batches.into_iter().filter(|batch| batch.num_rows() > 0).map(Ok);
        let stream = Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter(batches)));
        let session = Arc::clone(session);
        Self {
            session,
            runtime: None,
            plan,
            stream,
            batch: None,
            demand: Arc::default(),
            straight: false,
            kept: false,
            sorts: Vec::new(),
            rows: 0,
        }
    }

    /// Up to `rows` rows, as parts of the plan's batches; fewer at the end.
    pub(crate) fn fetch(&mut self, rows: usize) -> Result<Vec<RecordBatch>> {
        let mut result = Vec::new();
        let mut fetched = 0;
        while fetched < rows {
            let (batch, at) = match self.batch.take() {
                Some(left) => left,
                None => {
                    let wanted = if self.straight { rows - fetched } else { 0 };
                    self.demand.store(wanted, Ordering::Relaxed);
                    match self.next_batch()? {
                        Some(batch) => (batch, 0),
                        None => break,
                    }
                }
            };
            let left = batch.num_rows() - at;
            let count = left.min(rows - fetched);
            fetched += count;
            if count == batch.num_rows() {
                if count > 0 {
                    result.push(batch);
                }
                continue;
            }
            result.push(batch.slice(at, count));
            if count < left {
                self.batch = Some((batch, at + count));
            }
        }
        self.rows += fetched as u64;
        Ok(result)
    }

    /// The next batch as it comes.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let session = Arc::clone(&self.session);
        let runtime = self.runtime.clone();
        // Operators yield now and then: the time to check for a cancel.
        let mut next = self.stream.next();
        let next = std::future::poll_fn(move |cx| match session.check_cancelled() {
            Err(error) => Poll::Ready(Some(Err(to_datafusion(error)))),
            Ok(()) => next.poll_unpin(cx),
        });
        let batch = match runtime {
            Some(runtime) => runtime.block_on(next),
            // Settled rows need no wait.
            None => next.now_or_never().flatten(),
        };
        let batch = batch.transpose().map_err(from_datafusion)?;
        self.count_sorts(batch.is_none());
        Ok(batch)
    }

    /// Counts finished sorts: those that have begun to return rows, and at the end all that have run.
    fn count_sorts(&mut self, ended: bool) {
        let meter = self.session.meter();
        self.sorts.retain(|sort| {
            let Some(metrics) = sort.metrics() else { return false };
            if metrics.output_rows().unwrap_or(0) == 0 && !ended {
                return true;
            }
            if metrics.iter().next().is_some() {
                let disk = metrics.spill_count().unwrap_or(0) > 0;
                meter.count(if disk { Statistic::SortsDisk } else { Statistic::SortsMemory }, 1);
                meter.count(Statistic::SortsRows, rows_below(sort));
            }
            false
        });
    }

    pub(crate) fn row_sources(&self) -> Vec<RowSource> {
        let mut found = Vec::new();
        sources::row_sources(&self.plan, 0, &mut found);
        found
    }
}

/// Rows that a node has read from its input, all of them once it has returned its first row.
fn rows_below(plan: &Arc<dyn ExecutionPlan>) -> u64 {
    plan.children().first().map_or(0, |child| match child.metrics().and_then(|metrics| metrics.output_rows()) {
        Some(rows) => rows as u64,
        None => rows_below(child),
    })
}

fn add_sorts(plan: &Arc<dyn ExecutionPlan>, into: &mut Vec<Arc<dyn ExecutionPlan>>) {
    let node: &dyn std::any::Any = plan.as_ref();
    if node.is::<SortExec>() {
        into.push(Arc::clone(plan));
    }
    plan.children().into_iter().for_each(|child| add_sorts(child, into));
}

/// True: only projections stand above a table access.
fn is_straight(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let node: &dyn std::any::Any = plan.as_ref();
    if node.is::<TableReadExec>() {
        return true;
    }
    (node.is::<ProjectionExec>() || node.is::<CooperativeExec>())
        && plan.children().first().is_some_and(|child| is_straight(child))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_one_table_are_the_planners() {
        let rules = Optimizer::new().rules;
        for name in OF_ONE_TABLE {
            assert!(rules.iter().any(|rule| rule.name() == name), "{name}");
        }
    }
}
