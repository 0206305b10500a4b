//! Estimates and costs of the planner's physical plans, as plans show them.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, InListExpr, IsNotNullExpr, Literal, NotExpr};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

use super::cost::Cost;
use super::estimate::{Estimate, share_of};
use super::loops_table::LoopsExec;
use crate::functions::blank::BlankTrim;
use crate::scan::exec::TableReadExec;
use crate::scan::predicate::comparison;
use crate::scan::selectivity::RANGE_SHARE;

type Plan = Arc<dyn ExecutionPlan>;
type Physical = Arc<dyn PhysicalExpr>;

/// Rows of a source of which nothing is known.
const UNKNOWN_ROWS: f64 = 100.0;

/// What is expected of a node and all below it.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) estimate: Estimate,
    pub(crate) cost: Cost,
}

/// The nodes of a plan with what is expected of them.
#[derive(Default, Debug)]
pub(crate) struct Expectations(HashMap<usize, Expected>);

fn address(plan: &Plan) -> usize {
    Arc::as_ptr(plan).cast::<()>() as usize
}

impl Expectations {
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut all = Self::default();
        all.add(plan);
        all
    }

    pub(crate) fn get(&self, plan: &Plan) -> Option<&Expected> {
        self.0.get(&address(plan))
    }

    fn add(&mut self, plan: &Plan) -> Expected {
        let below: Vec<Expected> = plan.children().into_iter().map(|child| self.add(child)).collect();
        let expected = expected(plan, below);
        self.0.insert(address(plan), expected.clone());
        expected
    }
}

fn expected(plan: &Plan, below: Vec<Expected>) -> Expected {
    let node: &dyn Any = plan.as_ref();
    let width = plan.schema().fields().len();
    let under: Cost = below.iter().map(|below| below.cost).sum();
    let mut inputs = below.into_iter().map(|below| below.estimate);
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        return read.expected();
    }
    if let Some(loops) = node.downcast_ref::<LoopsExec>() {
        return Expected { estimate: loops.estimate().clone(), cost: loops.cost() };
    }
    let of_none = match plan.name() {
        "EmptyExec" => Some(0.0),
        "PlaceholderRowExec" => Some(1.0),
        _ => None,
    };
    if let Some(rows) = of_none {
        return Expected { estimate: Estimate::of_rows(rows, width), cost: under };
    }
    let (Some(first), second) = (inputs.next(), inputs.next()) else {
        return Expected { estimate: Estimate::of_rows(UNKNOWN_ROWS, width), cost: under };
    };
    if let Some(second) = second {
        let joined = joined(plan, [first, second]);
        return match joined {
            Ok((estimate, own)) => Expected { estimate, cost: under + own },
            Err([first, second]) => {
                let all = [first, second].into_iter().chain(inputs);
                Expected { estimate: Estimate::united(all, width), cost: under }
            }
        };
    }
    let (estimate, own) = over(plan, first, width);
    Expected { estimate, cost: under + own }
}

/// A node over one input.
fn over(plan: &Plan, input: Estimate, width: usize) -> (Estimate, Cost) {
    let node: &dyn Any = plan.as_ref();
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let fields: Vec<Option<usize>> = projection.expr().iter().map(|column| position(&column.expr)).collect();
        return (input.projected(fields.into_iter()), Cost::default());
    }
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        let share = share(filter.predicate(), &input, &Some);
        let filtered = input.filtered(share);
        return (projected(filtered, filter.projection().as_deref()), Cost::default());
    }
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        let groups: Vec<Option<usize>> = aggregate.group_expr().expr().iter().map(|(expr, _)| position(expr)).collect();
        let cost = Cost::of_hash(input.rows, 0.0, 0.0);
        return (input.grouped(&groups, width.saturating_sub(groups.len())), cost);
    }
    if let Some(sort) = node.downcast_ref::<SortExec>() {
        let cost = Cost::of_sort(input.rows);
        return (limited(input, sort.fetch()), cost);
    }
    let limit = node.downcast_ref::<GlobalLimitExec>().map(GlobalLimitExec::fetch);
    if let Some(limit) = limit.or_else(|| node.downcast_ref::<LocalLimitExec>().map(|limit| Some(limit.fetch()))) {
        return (limited(input, limit), Cost::default());
    }
    if input.columns.len() == width {
        return (input, Cost::default());
    }
    let columns = Estimate::of_rows(input.rows, width).columns;
    (Estimate { columns, ..input }, Cost::default())
}

fn limited(input: Estimate, limit: Option<usize>) -> Estimate {
    match limit {
        Some(rows) => input.limited_to(rows as f64),
        None => input,
    }
}

fn projected(estimate: Estimate, projection: Option<&[usize]>) -> Estimate {
    match projection {
        Some(fields) => estimate.projected(fields.iter().map(|at| Some(*at))),
        None => estimate,
    }
}

/// A join of two inputs; the inputs where the node is none.
fn joined(plan: &Plan, [left, right]: [Estimate; 2]) -> Result<(Estimate, Cost), [Estimate; 2]> {
    let node: &dyn Any = plan.as_ref();
    let (on, filter, kind, projection, hashed) = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        (join.on(), join.filter(), *join.join_type(), join.projection.as_deref(), true)
    } else if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
        (join.on(), join.filter().as_ref(), join.join_type(), None, true)
    } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        (&[][..], join.filter(), *join.join_type(), join.projection().as_deref(), false)
    } else if node.is::<CrossJoinExec>() {
        (&[][..], None, JoinType::Inner, None, false)
    } else {
        return Err([left, right]);
    };
    let keys: Vec<(Option<usize>, Option<usize>)> = on.iter().map(|(l, r)| (position(l), position(r))).collect();
    let other = filter.map_or(1.0, |filter| filter_share(filter, &left, &right));
    let (l, r) = (left.rows, right.rows);
    let estimate = Estimate::of_join(kind, left, right, &keys, other);
    let cost = if hashed { Cost::of_hash(l, r, estimate.rows) } else { Cost::of_pairs(l, r) };
    Ok((projected(estimate, projection), cost))
}

/// The column that an expression is, or that it compares without trailing blanks.
fn position(expr: &Physical) -> Option<usize> {
    let node: &dyn Any = expr.as_ref();
    if let Some(call) = node.downcast_ref::<ScalarFunctionExpr>() {
        return (call.fun().inner().as_ref() as &dyn Any).is::<BlankTrim>().then(|| position(call.args().first()?))?;
    }
    node.downcast_ref::<Column>().map(Column::index)
}

/// The share of pairs of rows that a condition of a join keeps.
fn filter_share(filter: &JoinFilter, left: &Estimate, right: &Estimate) -> f64 {
    let mut columns = left.columns.clone();
    columns.extend(right.columns.iter().copied());
    let both = Estimate { columns, ..left.clone() };
    let width = left.columns.len();
    share(filter.expression(), &both, &|at| {
        let index = filter.column_indices().get(at)?;
        Some(if index.side == datafusion::common::JoinSide::Left { index.index } else { width + index.index })
    })
}

/// The share of rows that satisfy a condition; `place` has the columns of the estimate.
fn share(condition: &Physical, rows: &Estimate, place: &dyn Fn(usize) -> Option<usize>) -> f64 {
    let node: &dyn Any = condition.as_ref();
    let of = |expr: &Physical| share(expr, rows, place);
    let distinct = |expr: &Physical| position(expr).and_then(place).and_then(|at| rows.distinct(at));
    if let Some(binary) = node.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::And => of(binary.left()) * of(binary.right()),
            Operator::Or => {
                let (left, right) = (of(binary.left()), of(binary.right()));
                left + right - left * right
            }
            op => {
                let known = [distinct(binary.left()), distinct(binary.right())];
                share_of(comparison(*op), known.into_iter().flatten().reduce(f64::max))
            }
        };
    }
    if let Some(not) = node.downcast_ref::<NotExpr>() {
        return (1.0 - of(not.arg())).clamp(0.0, 1.0);
    }
    if let Some(list) = node.downcast_ref::<InListExpr>() {
        let each = share_of(Some(scan::Comparison::Equal), distinct(list.expr()));
        let share = (each * list.list().len() as f64).min(1.0);
        return if list.negated() { 1.0 - share } else { share };
    }
    if node.is::<IsNotNullExpr>() {
        return 1.0;
    }
    if let Some(literal) = node.downcast_ref::<Literal>() {
        let truth = matches!(literal.value(), datafusion::common::ScalarValue::Boolean(Some(true)));
        return f64::from(u8::from(truth));
    }
    // The condition of a join in the function that looks for a cancel.
    match (node.downcast_ref::<ScalarFunctionExpr>(), &condition.children()[..]) {
        (Some(call), [inner]) if call.fun().name() == "CHECKED" => of(inner),
        _ => RANGE_SHARE,
    }
}
