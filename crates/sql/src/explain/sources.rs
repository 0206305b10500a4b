//! The row sources of a physical plan, for STAT lines, EXPLAIN PLAN, DBMS_XPLAN and V$SQL_PLAN.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::{JoinSide, JoinType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

use super::predicate;
use super::step::PlanStep;
use crate::cursor::open::RowSource;
use crate::optimizer::loops_table::LoopsExec;
use crate::optimizer::physical::{Expectations, Expected};
use crate::scan::exec::TableReadExec;
use crate::scan::external::ExternalReadExec;
use crate::scan::figures::FiguresValue;
use crate::scan::join_filter::JoinFilterExec;

type Plan = Arc<dyn ExecutionPlan>;

/// Appends the row sources of a plan, parents first. Projections are part of the source under them, as Oracle counts
/// them.
pub(crate) fn row_sources(plan: &Plan, depth: u32, into: &mut Vec<RowSource>) {
    let shown = Shown { several: tables(plan) > 1, expected: Expectations::of(plan) };
    shown.add(plan, depth, into);
}

/// What a plan is shown with.
struct Shown {
    /// It reads several tables, so columns are qualified.
    several: bool,
    expected: Expectations,
}

fn tables(plan: &Plan) -> usize {
    let node: &dyn Any = plan.as_ref();
    let loops = node.downcast_ref::<LoopsExec>().map_or(0, LoopsExec::tables);
    loops + usize::from(node.is::<TableReadExec>()) + plan.children().into_iter().map(tables).sum::<usize>()
}

impl Shown {
    fn add(&self, plan: &Plan, depth: u32, into: &mut Vec<RowSource>) {
        let node: &dyn Any = plan.as_ref();
        if let Some(read) = node.downcast_ref::<TableReadExec>() {
            into.extend(read.row_sources(depth, self.several));
            return;
        }
        if let Some(loops) = node.downcast_ref::<LoopsExec>() {
            into.extend(loops.row_sources(depth));
            return;
        }
        if let Some(read) = node.downcast_ref::<ExternalReadExec>() {
            into.push(read.row_source(depth));
            return;
        }
        let Some(mut step) = step(plan, self.several) else {
            for child in plan.children() {
                self.add(child, depth, into);
            }
            return;
        };
        if let Some(Expected { estimate, cost }) = self.expected.get(plan).filter(|found| found.estimate.known) {
            step.expect(estimate.rows, estimate.bytes, *cost);
        }
        let at = into.len();
        let mut figures = FiguresValue::default();
        if let Some(metrics) = plan.metrics() {
            figures.starts = u64::from(metrics.iter().next().is_some());
            figures.rows = metrics.output_rows().unwrap_or(0) as u64;
            figures.micros = metrics.elapsed_compute().unwrap_or(0) as u64 / 1000;
        }
        into.push(RowSource { depth, object: 0, step, figures });
        for child in plan.children() {
            let input = into.len();
            self.add(child, depth + 1, into);
            // The sorts of a merge join are named after it.
            if node.is::<SortMergeJoinExec>() && (child.as_ref() as &dyn Any).is::<SortExec>() {
                into[input].step.options = "JOIN".to_owned();
            }
        }
        // Gets, reads and time of a row source include those under it.
        for below in at + 1..into.len() {
            if into[below].depth == depth + 1 {
                let inner = into[below].figures;
                into[at].figures.add_work(&inner);
            }
        }
    }
}

/// The operation of a node; None for nodes that are part of the one below.
fn step(plan: &Plan, several: bool) -> Option<PlanStep> {
    let node: &dyn Any = plan.as_ref();
    if let Some(filter) = node.downcast_ref::<JoinFilterExec>() {
        return Some(PlanStep::of_join_filter("CREATE", filter.filter_name()));
    }
    let (operation, options) = match plan.name() {
        "ProjectionExec"
        | "CooperativeExec"
        | "CoalesceBatchesExec"
        | "CoalescePartitionsExec"
        | "CheckedExec"
        | "NullableExec"
        | "KeepOrderExec"
        | "PlaceholderRowExec" => return None,
        "FilterExec" | "EmptyExec" => ("FILTER", ""),
        // The name depends on whether it keeps the first few rows only.
        _ if node.downcast_ref::<SortExec>().is_some_and(|sort| sort.fetch().is_some()) => ("SORT", "ORDER BY STOPKEY"),
        "SortExec" | "SortPreservingMergeExec" => ("SORT", "ORDER BY"),
        "AggregateExec" => match node.downcast_ref::<AggregateExec>() {
            Some(aggregate) if aggregate.group_expr().is_empty() => ("SORT", "AGGREGATE"),
            Some(aggregate) if aggregate.aggr_expr().is_empty() => ("HASH", "UNIQUE"),
            _ => ("HASH", "GROUP BY"),
        },
        "HashJoinExec" => {
            ("HASH JOIN", joined(node.downcast_ref::<HashJoinExec>().map(HashJoinExec::join_type).copied()))
        }
        "SortMergeJoinExec" => {
            ("MERGE JOIN", joined(node.downcast_ref::<SortMergeJoinExec>().map(|join| join.join_type())))
        }
        "NestedLoopJoinExec" => (
            "NESTED LOOPS",
            joined(node.downcast_ref::<NestedLoopJoinExec>().map(NestedLoopJoinExec::join_type).copied()),
        ),
        "CrossJoinExec" => ("MERGE JOIN", "CARTESIAN"),
        "ChainExec" => ("UNION-ALL", ""),
        "GlobalLimitExec" | "LocalLimitExec" => ("COUNT", "STOPKEY"),
        "WindowAggExec" | "BoundedWindowAggExec" => ("WINDOW", ""),
        "DataSourceExec" => ("FIXED TABLE", "FULL"),
        "ScalarSubqueryExec" => ("SCALAR SUBQUERY", ""),
        "RowGeneratorExec" => ("CONNECT BY", "WITHOUT FILTERING"),
        other => return Some(PlanStep::new(other.trim_end_matches("Exec").to_uppercase(), "")),
    };
    let mut step = PlanStep::new(operation, options);
    (step.access, step.filter) = conditions(plan, several);
    Some(step)
}

fn joined(join_type: Option<JoinType>) -> &'static str {
    match join_type {
        Some(JoinType::Left | JoinType::Right) => "OUTER",
        Some(JoinType::Full) => "FULL OUTER",
        Some(JoinType::LeftSemi | JoinType::RightSemi) => "SEMI",
        Some(JoinType::LeftAnti | JoinType::RightAnti) => "ANTI",
        _ => "",
    }
}

/// The access and filter conditions of a node.
fn conditions(plan: &Plan, several: bool) -> (Option<String>, Option<String>) {
    let node: &dyn Any = plan.as_ref();
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        return (None, Some(predicate::of_expr(filter.predicate(), &|column| named(filter.input(), column, several))));
    }
    if plan.name() == "EmptyExec" {
        return (None, Some("NULL IS NOT NULL".to_owned()));
    }
    let (on, filter, left, right) = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        (join.on(), join.filter(), join.left(), join.right())
    } else if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
        (join.on(), join.filter().as_ref(), join.left(), join.right())
    } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        (&[][..], join.filter(), join.left(), join.right())
    } else {
        return (None, None);
    };
    let pair = |(l, r): &(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)| {
        let side = |expr, input| predicate::of_expr(expr, &|column| named(input, column, several));
        format!("{}={}", side(l, left), side(r, right))
    };
    let access: Vec<String> = on.iter().map(pair).collect();
    let access = (!access.is_empty()).then(|| access.join(" AND "));
    (access, filter.map(|filter| of_join_filter(filter, left, right, several)))
}

fn of_join_filter(filter: &JoinFilter, left: &Plan, right: &Plan, several: bool) -> String {
    predicate::of_expr(filter.expression(), &|column| match filter.column_indices().get(column.index()) {
        Some(index) => {
            let input = if index.side == JoinSide::Left { left } else { right };
            named(input, &Column::new(column.name(), index.index), several)
        }
        None => predicate::computed(column.name()),
    })
}

/// The name of a column of a node's output.
fn named(plan: &Plan, column: &Column, several: bool) -> String {
    match origin(plan, column.index()) {
        Some((table, name)) => predicate::column(several.then_some(table.as_str()), &name),
        None => match (plan.as_ref() as &dyn Any).downcast_ref::<ProjectionExec>().zip(Some(column.index())) {
            Some((projection, index)) if index < projection.expr().len() => {
                let expr = &projection.expr()[index].expr;
                predicate::of_expr(expr, &|column| named(projection.input(), column, several))
            }
            _ => predicate::computed(column.name()),
        },
    }
}

/// The table, by its name in the statement, and the column that a node's output is an unchanged copy of.
fn origin(plan: &Plan, index: usize) -> Option<(String, String)> {
    let node: &dyn Any = plan.as_ref();
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        return read.column(index);
    }
    if let Some(loops) = node.downcast_ref::<LoopsExec>() {
        return loops.column(index);
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let expr: &dyn Any = projection.expr().get(index)?.expr.as_ref();
        return origin(projection.input(), expr.downcast_ref::<Column>()?.index());
    }
    let through = |projection: Option<&[usize]>| match projection {
        Some(projection) => projection.get(index).copied(),
        None => Some(index),
    };
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        return origin(filter.input(), through(filter.projection().as_deref())?);
    }
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        return of_sides(join.left(), join.right(), join.join_type(), through(join.projection.as_deref())?);
    }
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        return of_sides(join.left(), join.right(), join.join_type(), through(join.projection().as_deref())?);
    }
    if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
        return of_sides(join.left(), join.right(), &join.join_type(), index);
    }
    if let Some(join) = node.downcast_ref::<CrossJoinExec>() {
        return of_sides(join.left(), join.right(), &JoinType::Inner, index);
    }
    let same = matches!(
        plan.name(),
        "SortExec"
            | "SortExec(TopK)"
            | "CooperativeExec"
            | "CheckedExec"
            | "JoinFilterExec"
            | "NullableExec"
            | "KeepOrderExec"
            | "GlobalLimitExec"
            | "LocalLimitExec"
            | "CoalesceBatchesExec"
    );
    let [input] = plan.children()[..] else { return None };
    if same { origin(input, index) } else { None }
}

fn of_sides(left: &Plan, right: &Plan, join_type: &JoinType, index: usize) -> Option<(String, String)> {
    match join_type {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
            let width = left.schema().fields().len();
            if index < width { origin(left, index) } else { origin(right, index - width) }
        }
        JoinType::LeftSemi | JoinType::LeftAnti => origin(left, index),
        JoinType::RightSemi | JoinType::RightAnti => origin(right, index),
        _ => None,
    }
}
