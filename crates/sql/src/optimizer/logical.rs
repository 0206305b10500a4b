//! Estimates of the planner's logical plans, before the order of joins is chosen.

use common::Result;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, FetchType, Join, LogicalPlan, Operator, TableScan,
};
use engine::instance::Session;
use scan::Predicate;

use super::cost::Cost;
use super::estimate::{Estimate, Joined, share_of};
use super::loops_table::{Host, LoopsTable};
use crate::direct::value::Inputs;
use crate::functions::blank::BlankTrim;
use crate::plan::parameter::Parameters;
use crate::scan::access;
use crate::scan::predicate::{Pushed, comparison, push};
use crate::scan::selectivity::RANGE_SHARE;
use crate::scan::table::EngineTable;

/// Rows of a source of which nothing is known: a view of figures, a file.
const UNKNOWN_ROWS: f64 = 100.0;

/// The estimate of a plan with the values of an execution.
///
/// # Errors
/// Errors of reading a segment header.
pub(crate) fn estimate(session: &Session, plan: &LogicalPlan, inputs: Option<&Inputs<'_>>) -> Result<Estimate> {
    let width = plan.schema().fields().len();
    let below = |plan: &LogicalPlan| estimate(session, plan, inputs);
    Ok(match plan {
        LogicalPlan::TableScan(scan) => of_scan(session, scan, inputs)?,
        LogicalPlan::SubqueryAlias(alias) => below(&alias.input)?,
        LogicalPlan::Projection(projection) => {
            let input = below(&projection.input)?;
            let schema = projection.input.schema();
            input.projected(projection.expr.iter().map(|expr| column(expr, schema)))
        }
        LogicalPlan::Filter(filter) => {
            let input = below(&filter.input)?;
            let share = share(&filter.predicate, &input, filter.input.schema());
            input.filtered(share)
        }
        LogicalPlan::Join(join) => of_join(session, join, inputs)?,
        LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, .. }) => {
            let below = below(input)?;
            if group_expr.is_empty() {
                return Ok(below.grouped(&[], width));
            }
            let groups: Vec<Option<usize>> = group_expr.iter().map(|expr| column(expr, input.schema())).collect();
            below.grouped(&groups, aggr_expr.len())
        }
        LogicalPlan::Distinct(Distinct::All(input)) => {
            let all: Vec<Option<usize>> = (0..width).map(Some).collect();
            below(input)?.grouped(&all, 0)
        }
        LogicalPlan::Limit(limit) => {
            let input = below(&limit.input)?;
            match limit.get_fetch_type() {
                Ok(FetchType::Literal(Some(rows))) => input.limited_to(rows as f64),
                _ => input,
            }
        }
        LogicalPlan::Sort(sort) => {
            let input = below(&sort.input)?;
            match sort.fetch {
                Some(rows) => input.limited_to(rows as f64),
                None => input,
            }
        }
        LogicalPlan::Union(union) => {
            let inputs = union.inputs.iter().map(|input| below(input)).collect::<Result<Vec<_>>>()?;
            Estimate::united(inputs.into_iter(), width)
        }
        LogicalPlan::EmptyRelation(empty) => Estimate::of_rows(if empty.produce_one_row { 1.0 } else { 0.0 }, width),
        LogicalPlan::Values(values) => Estimate::of_rows(values.values.len() as f64, width),
        other => match other.inputs()[..] {
            [input] => {
                let input = below(input)?;
                Estimate { columns: Estimate::of_rows(input.rows, width).columns, ..input }
            }
            _ => Estimate::of_rows(UNKNOWN_ROWS, width),
        },
    })
}

fn of_scan(session: &Session, scan: &TableScan, inputs: Option<&Inputs<'_>>) -> Result<Estimate> {
    let width = scan.projected_schema.fields().len();
    if let Some(loops) = LoopsTable::of(scan) {
        let all = 0..loops.estimate().columns.len();
        let fields = scan.projection.clone().unwrap_or_else(|| all.collect());
        return Ok(loops.estimate().clone().projected(fields.into_iter().map(Some)));
    }
    let Some(provider) = EngineTable::of(scan) else { return Ok(Estimate::of_rows(UNKNOWN_ROWS, width)) };
    let table = provider.table();
    let all = access::estimated_rows(session, table)?;
    let Conditions { predicate, rowids, other } = of_table(&provider, scan, inputs);
    let fields: Vec<usize> = scan.projection.clone().unwrap_or_else(|| (0..=table.columns.len()).collect());
    let fields = fields.into_iter().map(|field| (field < table.columns.len()).then_some(field as u16));
    let mut found = Estimate::of_table(table, all, predicate.as_ref(), fields);
    if let Some(rows) = provider.hints().cardinality() {
        found.rows = rows;
    }
    let found = found.filtered(other);
    let most = rowids.into_iter().chain(scan.fetch.map(|rows| rows as f64)).reduce(f64::min);
    Ok(match most {
        Some(most) => found.limited_to(most),
        None => found,
    })
}

/// The conditions of a scan.
struct Conditions {
    predicate: Option<Predicate>,
    /// Rowids in a list.
    rowids: Option<f64>,
    /// Share of rows that the others keep.
    other: f64,
}

fn of_table(table: &EngineTable, scan: &TableScan, inputs: Option<&Inputs<'_>>) -> Conditions {
    let mut conditions = Vec::new();
    let mut found = Conditions { predicate: None, rowids: None, other: 1.0 };
    for filter in &scan.filters {
        match push(filter, table.table()) {
            Some(Pushed::Columns(template)) => {
                let bound = of_values(table.parameters(), inputs, |inputs| template.bound(inputs));
                conditions.push(match bound {
                    Ok(Some(predicate)) => predicate,
                    _ => template.shape(),
                });
            }
            Some(Pushed::Rowids(list)) => found.rowids = Some(list.len() as f64),
            None => found.other *= RANGE_SHARE,
        }
    }
    found.predicate = (!conditions.is_empty()).then_some(Predicate::And(conditions));
    found
}

fn of_values<R>(own: &Parameters, inputs: Option<&Inputs<'_>>, work: impl FnOnce(&Inputs<'_>) -> R) -> R {
    match inputs {
        Some(inputs) => work(inputs),
        None => work(&Inputs::of_statement(own.context(), &own.values())),
    }
}

/// Runs `work` with the values of the bind variables: `inputs`, else those that the plan's tables have. None without a
/// table of the engine.
pub(super) fn with_values<R>(
    plan: &LogicalPlan,
    inputs: Option<&Inputs<'_>>,
    work: impl FnOnce(&Inputs<'_>) -> Result<Option<R>>,
) -> Result<Option<R>> {
    match Host::of(plan) {
        Some(host) => of_values(&host.parameters, inputs, work),
        None => Ok(None),
    }
}

/// The cost of a plan, without that of operators between its tables: it is the same in each order of joins.
///
/// # Errors
/// Errors of reading a segment header.
pub(super) fn cost(session: &Session, plan: &LogicalPlan, inputs: Option<&Inputs<'_>>) -> Result<Cost> {
    if let LogicalPlan::TableScan(scan) = plan {
        if let Some(loops) = LoopsTable::of(scan) {
            return Ok(loops.cost());
        }
        let Some(table) = EngineTable::of(scan) else { return Ok(Cost::default()) };
        let Conditions { predicate, rowids, .. } = of_table(&table, scan, inputs);
        return match rowids {
            Some(rows) => Ok(Cost::of_index(rows, rows)),
            None => {
                let all = table.table().columns.len();
                let fields = scan.projection.clone().unwrap_or_else(|| (0..all).collect());
                let wanted: Vec<u16> =
                    fields.into_iter().filter(|field| *field < all).map(|field| field as u16).collect();
                access::cost(session, table.table(), (predicate.as_ref(), &wanted), table.hints())
            }
        };
    }
    let costs = plan.inputs().into_iter().map(|input| cost(session, input, inputs));
    costs.sum::<Result<Cost>>()
}

fn of_join(session: &Session, join: &Join, inputs: Option<&Inputs<'_>>) -> Result<Estimate> {
    let (left, right) = (estimate(session, &join.left, inputs)?, estimate(session, &join.right, inputs)?);
    let keys: Vec<(Option<usize>, Option<usize>)> =
        join.on.iter().map(|(l, r)| (column(l, join.left.schema()), column(r, join.right.schema()))).collect();
    let other = join.filter.as_ref().map_or(1.0, |filter| {
        let both = Estimate::joined(left.clone(), right.clone(), &[], 1.0, Joined::Inner);
        match join.left.schema().join(join.right.schema()) {
            Ok(schema) => share(filter, &both, &schema),
            Err(_) => RANGE_SHARE,
        }
    });
    Ok(Estimate::of_join(join.join_type, left, right, &keys, other))
}

/// The position of the column that an expression is; None for a computed one.
pub(super) fn column(expr: &Expr, schema: &DFSchema) -> Option<usize> {
    match without_trim(expr) {
        Expr::Column(column) => position(column, schema),
        Expr::Alias(alias) => column(&alias.expr, schema),
        _ => None,
    }
}

fn position(column: &Column, schema: &DFSchema) -> Option<usize> {
    schema.maybe_index_of_column(column)
}

/// The CHAR value that is compared without its trailing blanks, or the expression itself.
fn without_trim(expr: &Expr) -> &Expr {
    match expr {
        Expr::ScalarFunction(call) if (call.func.inner().as_ref() as &dyn std::any::Any).is::<BlankTrim>() => {
            call.args.first().unwrap_or(expr)
        }
        other => other,
    }
}

/// The share of rows that satisfy a condition which no scan evaluates.
fn share(condition: &Expr, rows: &Estimate, schema: &DFSchema) -> f64 {
    share_by(condition, rows, &|column| position(column, schema))
}

/// The same; `position` has the places of columns in the estimate.
pub(super) fn share_by(condition: &Expr, rows: &Estimate, position: &dyn Fn(&Column) -> Option<usize>) -> f64 {
    let of = |expr: &Expr| share_by(expr, rows, position);
    let distinct = |expr: &Expr| match without_trim(expr) {
        Expr::Column(column) => position(column).and_then(|at| rows.distinct(at)),
        _ => None,
    };
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And => split_conjunction(condition).into_iter().map(of).product(),
            Operator::Or => {
                let (left, right) = (of(left), of(right));
                left + right - left * right
            }
            op => {
                let known = [distinct(left), distinct(right)];
                share_of(comparison(*op), known.into_iter().flatten().reduce(f64::max))
            }
        },
        Expr::Not(inner) => (1.0 - of(inner)).clamp(0.0, 1.0),
        Expr::IsNotNull(_) => 1.0,
        Expr::InList(list) => {
            let each = share_of(Some(scan::Comparison::Equal), distinct(&list.expr));
            let share = (each * list.list.len() as f64).min(1.0);
            if list.negated { 1.0 - share } else { share }
        }
        Expr::Alias(alias) => of(&alias.expr),
        Expr::Literal(datafusion::common::ScalarValue::Boolean(value), _) => f64::from(u8::from(*value == Some(true))),
        _ => RANGE_SHARE,
    }
}
