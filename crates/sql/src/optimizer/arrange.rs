//! The joins of a plan, arranged: the order and the method of each.
//!
//! The inner joins of a query block, with the conditions between them, are taken apart into their inputs and
//! conditions, and put together again in the order that costs least (`order.rs`). Outer joins, semi-joins and whatever
//! else stands between are inputs as they are, arranged by themselves.
//!
//! This comes after the planner's own rules: conditions have reached their tables, subqueries have become joins.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, NullEquality};
use datafusion::execution::SessionState;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, Projection};
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use engine::instance::Session;

use super::order::{Condition, Equality, Graph, Place};
use crate::direct::value::Inputs;
use crate::error::to_datafusion;

/// Inputs of one join that are looked at together: a set of them is the bits of a number.
pub(super) const INPUTS_MAX: usize = 60;

/// The plan with its joins arranged. `inputs`: the values of the bind variables, where the plan's own tables do not
/// have them.
///
/// # Errors
/// Errors of reading a table's size.
pub(crate) fn arranged(
    session: &Arc<Session>,
    state: &SessionState,
    plan: LogicalPlan,
    inputs: Option<&Inputs<'_>>,
) -> Result<LogicalPlan> {
    let arranged = of_block(session, plan, inputs)?;
    if !arranged.transformed {
        return Ok(arranged.data);
    }
    // Columns that are read for a join alone are not needed above it.
    OptimizeProjections::new().rewrite(arranged.data, state).map(|transformed| transformed.data)
}

fn of_block(
    session: &Arc<Session>,
    plan: LogicalPlan,
    inputs: Option<&Inputs<'_>>,
) -> Result<Transformed<LogicalPlan>> {
    plan.transform_down_with_subqueries(|node| {
        if !is_inner_join(&node) {
            return Ok(Transformed::no(node));
        }
        session.check_cancelled().map_err(to_datafusion)?;
        let schema = Arc::clone(node.schema());
        let mut parts = Parts::default();
        if !parts.take(&node) || parts.inputs.len() > INPUTS_MAX || !parts.is_unambiguous() {
            return Ok(Transformed::no(node));
        }
        for input in &mut parts.inputs {
            *input = of_block(session, input.clone(), inputs)?.data;
        }
        let Parts { inputs: plans, conditions } = parts;
        let mut graph = Graph::of(session, plans, inputs).map_err(to_datafusion)?;
        for condition in conditions {
            let placed = graph.place(condition);
            if !placed {
                return Ok(Transformed::no(node));
            }
        }
        let joined = graph.joined()?;
        // The columns as they were, in their order.
        let columns = schema.columns().into_iter().map(Expr::Column).collect();
        let plan = LogicalPlan::Projection(Projection::try_new_with_schema(columns, Arc::new(joined), schema)?);
        Ok(Transformed::new(plan, true, TreeNodeRecursion::Jump))
    })
}

fn is_inner_join(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Join(join)
        if join.join_type == JoinType::Inner && join.null_equality == NullEquality::NullEqualsNothing)
}

/// What inner joins consist of.
#[derive(Default)]
struct Parts {
    inputs: Vec<LogicalPlan>,
    conditions: Vec<Expr>,
}

impl Parts {
    /// Takes a plan apart. False where a condition has a new value each time it is evaluated.
    fn take(&mut self, plan: &LogicalPlan) -> bool {
        match plan {
            LogicalPlan::Join(join) if is_inner_join(plan) => {
                let equal = |(left, right): &(Expr, Expr)| left.clone().eq(right.clone());
                self.conditions.extend(join.on.iter().map(equal));
                self.conditions.extend(join.filter.iter().flat_map(split_conjunction).cloned());
                let known = self.conditions.len();
                self.take(&join.left)
                    && self.take(&join.right)
                    && !self.conditions[..known].iter().any(crate::subquery::is_new_each_time)
            }
            LogicalPlan::Filter(filter) if leads_to_join(&filter.input) => {
                self.conditions.extend(split_conjunction(&filter.predicate).into_iter().cloned());
                self.take(&filter.input) && !crate::subquery::is_new_each_time(&filter.predicate)
            }
            LogicalPlan::Projection(projection) if leads_to_join(plan) => self.take(&projection.input),
            other => {
                self.inputs.push(other.clone());
                true
            }
        }
    }

    /// True: no two columns have the same name.
    fn is_unambiguous(&self) -> bool {
        let columns: Vec<Column> = self.inputs.iter().flat_map(|input| input.schema().columns()).collect();
        let mut seen = std::collections::HashSet::with_capacity(columns.len());
        columns.iter().all(|column| seen.insert(column))
    }
}

/// True: only conditions, and projections that leave out columns, stand above an inner join.
fn leads_to_join(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Join(_) => is_inner_join(plan),
        LogicalPlan::Filter(filter) => leads_to_join(&filter.input),
        LogicalPlan::Projection(projection) => {
            projection.expr.iter().all(|expr| matches!(expr, Expr::Column(_))) && leads_to_join(&projection.input)
        }
        _ => false,
    }
}

/// A condition, by the inputs that it is about.
pub(super) fn condition(expr: Expr, schemas: &[&DFSchema]) -> Option<Condition> {
    let inputs = of_columns(&expr, schemas)?;
    let equality = match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
            let (l, r) = (of_columns(left, schemas)?, of_columns(right, schemas)?);
            let place = |expr: &Expr| match expr {
                Expr::Column(column) => place(column, schemas),
                _ => None,
            };
            (l != 0 && r != 0 && l & r == 0)
                .then(|| Equality { sides: [((**left).clone(), l, place(left)), ((**right).clone(), r, place(right))] })
        }
        _ => None,
    };
    Some(Condition { expr, inputs, equality })
}

/// The inputs that an expression's columns are of; None for a column of none of them.
fn of_columns(expr: &Expr, schemas: &[&DFSchema]) -> Option<u64> {
    let places = expr.column_refs().into_iter().map(|column| place(column, schemas));
    places.map(|place| place.map(|place| 1 << place.input)).try_fold(0, |all, one| one.map(|one: u64| all | one))
}

fn place(column: &Column, schemas: &[&DFSchema]) -> Option<Place> {
    schemas.iter().enumerate().find_map(|(input, schema)| {
        let column = schema.maybe_index_of_column(column)?;
        Some(Place { input, column })
    })
}

/// A hash join of two plans; the first one's rows are held in memory.
pub(super) fn hash_join(
    build: LogicalPlan,
    probe: LogicalPlan,
    equalities: Vec<(Expr, Expr)>,
    filters: Vec<Expr>,
) -> Result<LogicalPlan> {
    let filter = datafusion::logical_expr::utils::conjunction(filters);
    if equalities.is_empty() && filter.is_none() {
        return LogicalPlanBuilder::from(build).cross_join(probe)?.build();
    }
    let keys: (Vec<Expr>, Vec<Expr>) = equalities.into_iter().unzip();
    LogicalPlanBuilder::from(build).join_with_expr_keys(probe, JoinType::Inner, keys, filter)?.build()
}
