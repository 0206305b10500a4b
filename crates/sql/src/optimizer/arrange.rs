//! The joins of a plan, arranged: the order and the method of each.
//!
//! The inner joins of a query block, with the conditions between them, are taken apart into their inputs and
//! conditions, and put together again in the order that costs least (`order.rs`). Outer joins, semi-joins and
//! whatever else stands between are inputs, arranged by themselves; an outer join, a semi-join or an anti-join
//! becomes loops where lookups in its right side's table cost less than reading it.
//!
//! This comes after the planner's own rules: conditions have reached their tables, subqueries have become joins.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, NullEquality};
use datafusion::execution::SessionState;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, FetchType, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, Projection, SkipType,
};
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use engine::instance::Session;

use super::cost::Cost;
use super::loops_table::{Host, LoopsTable, has_types};
use super::order::{Condition, Equality, Graph, Place, of_table, one_by_one, with_hints};
use super::{logical, semi};
use crate::direct::nested_loops::looped;
use crate::direct::plan::{LoopEstimate, LoopKind};
use crate::direct::value::Inputs;
use crate::error::to_datafusion;
use crate::plan::hints::{Hint, HintFate, Hints, Mark};
use crate::scan::access;

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
    let soon = soon(&plan);
    let inner = semi::as_inner(plan)?;
    let arranged = of_block(session, inner.data, inputs, soon)?;
    if !arranged.transformed && !inner.transformed {
        return Ok(arranged.data);
    }
    // Columns that are read for a join alone are not needed above it.
    OptimizeProjections::new().rewrite(arranged.data, state).map(|transformed| transformed.data)
}

/// The rows that are wanted soon of the uppermost join.
#[derive(Clone, Copy, Debug)]
pub(super) enum Soon {
    /// An operator above it needs all of them first.
    All,
    /// At most so many are fetched; None: as many as a hint says.
    Most(Option<f64>),
}

fn soon(plan: &LogicalPlan) -> Soon {
    match plan {
        LogicalPlan::Join(_) => Soon::Most(None),
        LogicalPlan::Projection(projection) => soon(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => soon(&alias.input),
        LogicalPlan::Filter(filter) => match soon(&filter.input) {
            Soon::Most(_) => Soon::Most(None),
            Soon::All => Soon::All,
        },
        LogicalPlan::Limit(limit) => match (soon(&limit.input), limit.get_skip_type(), limit.get_fetch_type()) {
            (Soon::Most(None), Ok(SkipType::Literal(skip)), Ok(FetchType::Literal(Some(fetch)))) => {
                Soon::Most(Some(skip.saturating_add(fetch) as f64))
            }
            (below, ..) => below,
        },
        _ => Soon::All,
    }
}

fn of_block(
    session: &Arc<Session>,
    plan: LogicalPlan,
    inputs: Option<&Inputs<'_>>,
    soon: Soon,
) -> Result<Transformed<LogicalPlan>> {
    // It is about the uppermost join.
    let mut soon = Some(soon);
    let of_input = |plan| of_block(session, plan, inputs, Soon::All);
    plan.transform_down_with_subqueries(|node| {
        if let LogicalPlan::Join(join) = &node
            && let Some(kind) = kept_side(join)
        {
            soon = None;
            let sides = [&join.left, &join.right].map(|side| of_input(LogicalPlan::clone(side)));
            let [left, right] = sides;
            let (left, right) = (left?, right?);
            let changed = left.transformed || right.transformed;
            let join = Join { left: Arc::new(left.data), right: Arc::new(right.data), ..join.clone() };
            if let Some(loops) = by_lookups(session, &join, kind, inputs)? {
                return Ok(Transformed::new(loops, true, TreeNodeRecursion::Jump));
            }
            let hinted = of_table(&join.right).map(|table| {
                let method = match asks_to_merge(table.hints()) && !join.on.is_empty() {
                    true => Method::Merge,
                    false => Method::Hash,
                };
                method_fates(table.hints(), method)
            });
            let Some(fates) = hinted.filter(|fates| !fates.is_empty()) else {
                return Ok(Transformed::new(LogicalPlan::Join(join), changed, TreeNodeRecursion::Jump));
            };
            let merges = !join.on.is_empty() && of_table(&join.right).is_some_and(|table| asks_to_merge(table.hints()));
            let right = LogicalPlan::clone(&join.right);
            let right = Arc::new(with_hints(right, &|hints| Hints { fates: fates.clone(), merges, ..hints })?);
            let join = LogicalPlan::Join(Join { right, ..join });
            return Ok(Transformed::new(join, true, TreeNodeRecursion::Jump));
        }
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
            *input = of_input(input.clone())?.data;
        }
        let Parts { inputs: plans, conditions } = parts;
        let mut graph = Graph::of(session, plans, inputs).map_err(to_datafusion)?;
        for condition in conditions {
            let placed = graph.place(condition);
            if !placed {
                return Ok(Transformed::no(node));
            }
        }
        let joined = graph.joined(soon.take().unwrap_or(Soon::All))?;
        // The columns as they were, in their order.
        let columns = schema.columns().into_iter().map(Expr::Column).collect();
        let plan = LogicalPlan::Projection(Projection::try_new_with_schema(columns, Arc::new(joined), schema)?);
        Ok(Transformed::new(plan, true, TreeNodeRecursion::Jump))
    })
}

/// How a join keeps the rows of its left side, where it does.
fn kept_side(join: &Join) -> Option<LoopKind> {
    if join.null_aware || join.null_equality != NullEquality::NullEqualsNothing {
        return None;
    }
    match join.join_type {
        JoinType::Left => Some(LoopKind::Outer),
        JoinType::LeftSemi => Some(LoopKind::Semi),
        JoinType::LeftAnti => Some(LoopKind::Anti),
        _ => None,
    }
}

/// How a table on the right side of such a join is joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Loops,
    Hash,
    Merge,
}

/// True: a hint asks for a merge, and none for another method.
fn asks_to_merge(hints: &Hints) -> bool {
    let has = |name: &str| hints.list.iter().any(|hint| hint.name == name);
    has("USE_MERGE") && !["USE_NL", "USE_HASH", "NO_USE_MERGE"].into_iter().any(has)
}

/// The fates of the hints about the method by which a table on the right side of an outer join, a semi-join or an
/// anti-join is joined.
fn method_fates(hints: &Hints, method: Method) -> Vec<HintFate> {
    const NO_INDEX: &str = "no index leads to the table from tables in nested loops before it";
    const OTHER: &str = "another hint asks for it";
    let fate = |hint: &Hint| {
        let (followed, why) = match hint.name.as_str() {
            "USE_NL" => (method == Method::Loops, NO_INDEX),
            "NO_USE_HASH" => (method != Method::Hash, NO_INDEX),
            "USE_HASH" => (method == Method::Hash, OTHER),
            "USE_MERGE" => (method == Method::Merge, "no equality leads to the table"),
            "NO_USE_NL" => (method != Method::Loops, OTHER),
            "NO_USE_MERGE" => (method != Method::Merge, OTHER),
            _ => return None,
        };
        Some(if followed { HintFate::used(hint) } else { HintFate::not(Mark::Unused, hint, why) })
    };
    hints.list.iter().filter_map(fate).collect()
}

/// The join as loops: a lookup in the right side's table for each row of the left side. None where an index does not
/// lead there, or where that costs more than to read the table once.
fn by_lookups(
    session: &Arc<Session>,
    join: &Join,
    kind: LoopKind,
    inputs: Option<&Inputs<'_>>,
) -> Result<Option<LogicalPlan>> {
    let Some(table) = of_table(&join.right) else { return Ok(None) };
    let hinted = |names: [&str; 2]| table.hints().list.iter().any(|hint| names.contains(&hint.name.as_str()));
    if hinted(["USE_HASH", "NO_USE_NL"]) || asks_to_merge(table.hints()) || !has_types(&join.schema) {
        return Ok(None);
    }
    // Hints report their fates at the table of the left side where the loops keep no table scan of the right one.
    let fates = method_fates(table.hints(), Method::Loops);
    let (Some(outer), Some(inner), Some(host), Ok(schema)) = (
        one_by_one(session, &join.left, inputs).map_err(to_datafusion)?,
        one_by_one(session, &join.right, inputs).map_err(to_datafusion)?,
        Host::of(&join.left),
        join.left.schema().join(join.right.schema()),
    ) else {
        return Ok(None);
    };
    let filters: Vec<Expr> = join.filter.iter().flat_map(split_conjunction).cloned().collect();
    if filters.iter().any(crate::subquery::is_new_each_time) {
        return Ok(None);
    }
    let conditions = (&join.on[..], &filters[..]);
    let found = looped(session, &outer, (&inner, kind), conditions, Arc::new(schema), table.hints());
    let found = found.map_err(to_datafusion)?;
    let Some((mut stage, each)) = found else { return Ok(None) };
    let estimate = |plan: &LogicalPlan| logical::estimate(session, plan, inputs).map_err(to_datafusion);
    let cost = |plan: &LogicalPlan| logical::cost(session, plan, inputs).map_err(to_datafusion);
    let weight = access::CostSettings::of(session).index_weight;
    let (left, right) = (estimate(&join.left)?, estimate(&join.right)?);
    let joined = estimate(&LogicalPlan::Join(join.clone()))?;
    // Of a semi-join one partner is enough.
    let rows = if kind == LoopKind::Outer { each.rows } else { each.rows.min(1.0) };
    let loops = cost(&join.left)? + Cost::of_index(each.blocks, rows).of_lookups(left.rows * weight);
    let (build, probe) = if left.rows < right.rows { (left.rows, right.rows) } else { (right.rows, left.rows) };
    let hash = cost(&join.left)? + cost(&join.right)? + Cost::of_hash(build, probe, joined.rows);
    let cached = access::cached_share(session, std::iter::once(table.table())).map_err(to_datafusion)?;
    if loops.micros(cached) > hash.micros(cached) && !hinted(["USE_NL", "NO_USE_HASH"]) {
        return Ok(None);
    }
    if kind != LoopKind::Outer {
        stage.values.truncate(outer.values.len());
    }
    stage.schema = Arc::clone(&join.schema);
    stage.add_fates(&fates);
    stage.joined.push(LoopEstimate { rows: joined.rows, bytes: joined.bytes, cost: loops });
    LoopsTable::plan(stage, joined, loops, host).map(Some)
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
