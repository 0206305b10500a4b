//! A query on one table, or on several by nested loops over their indexes, compiled from the planner's optimised plan.

use std::sync::Arc;

use common::Result;
use datafusion::catalog::TableProvider;
use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, DFSchemaRef, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, Sort};
use datafusion::logical_expr::{Aggregate, Expr, FetchType, Filter, JoinType, LogicalPlan, SkipType, TableScan};
use engine::instance::Session;
use scalar::DatumType;

use super::order_cost::OrderCosts;
use super::value::{Inputs, Places, Test, Value};
use crate::cursor::child::Work;
use crate::functions::aggregate::{Aggregate as NumberAggregate, Measure};
use crate::optimizer::cost::Cost;
use crate::optimizer::loops_table::LoopsTable;
use crate::plan::hints::HintFate;
use crate::plan::query::BoundQuery;
use crate::scan::index_way::IndexWay;
use crate::scan::read_plan::{Path, ReadPlan};
use crate::scan::table::EngineTable;

/// A table of more blocks is scanned the long way: there a batch of rows costs less than its rows do here.
const SMALL_BLOCKS: u64 = 24;

/// An aggregate over all rows.
#[derive(Clone, Debug)]
pub(crate) enum Total {
    /// Rows.
    Count,
    /// Rows where the value is not NULL.
    CountOf(Value),
    /// Distinct values.
    CountDistinct(Value),
    Sum(Value),
    Least(Value),
    Greatest(Value),
}

/// A condition on the rows of a join.
#[derive(Clone, Debug)]
pub(crate) struct RowTest {
    /// The number of the last table that it is about, from the outermost: the rows of those behind it are looked up for
    /// what satisfies it.
    pub(crate) level: usize,
    /// True: it is about what the join gives, a row without a partner included, and not about partners.
    pub(crate) above: bool,
    pub(crate) test: Test,
}

/// How a table is joined to those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopKind {
    Inner,
    /// A row without a partner stays, with NULLs.
    Outer,
    /// A row stays that has a partner, or that has none; the table gives no columns.
    Semi,
    Anti,
}

/// What is expected of a loop and all that it goes through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopEstimate {
    pub(crate) rows: f64,
    /// Bytes of a row.
    pub(crate) bytes: f64,
    pub(crate) cost: Cost,
}

/// What has been compiled, or how the statement is worked off instead.
pub(crate) type Compiled<T> = std::result::Result<T, Work>;

/// A compiled query.
#[derive(Debug)]
pub(crate) struct DirectQuery {
    /// The table, of a join the outermost one.
    pub(crate) read: Arc<ReadPlan>,
    /// The other tables of a join, each read by an index for every row of those before it. Their conditions name
    /// columns of all tables before them.
    pub(crate) inner: Vec<Arc<ReadPlan>>,
    /// How each of them is joined.
    pub(crate) kinds: Vec<LoopKind>,
    /// What is expected of the join with each of these tables.
    pub(crate) joined: Vec<LoopEstimate>,
    /// Conditions that the scan does not evaluate on stored columns.
    pub(crate) tests: Vec<RowTest>,
    pub(crate) totals: Option<Vec<Total>>,
    /// The select list: over the columns that are read, or over the totals.
    pub(crate) outputs: Vec<Value>,
    /// The types of the select list's values.
    pub(crate) types: Vec<DatumType>,
    pub(crate) skip: usize,
    pub(crate) fetch: Option<usize>,
}

/// False where a glance at a plan that is not optimised yet shows that it reads several tables, or needs an operator
/// that is not known here: then the planner need not look at it twice.
pub(crate) fn may_be_direct(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(scan) => engine_table(scan).is_some(),
        LogicalPlan::Aggregate(aggregate) if !aggregate.group_expr.is_empty() => false,
        LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Aggregate(_) => plan.inputs().into_iter().all(may_be_direct),
        LogicalPlan::Join(join) => {
            let loops =
                matches!(join.join_type, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti);
            loops && plan.inputs().into_iter().all(may_be_direct)
        }
        _ => false,
    }
}

/// True: it counts distinct values of a join. The planner makes a grouping of that, and a semi-join.
pub(crate) fn counts_distinct_joined(plan: &LogicalPlan) -> bool {
    let is = |node: &LogicalPlan| match node {
        LogicalPlan::Aggregate(aggregate) => aggregate.aggr_expr.iter().any(|expr| match expr {
            Expr::AggregateFunction(call) => call.params.distinct,
            _ => false,
        }),
        _ => false,
    };
    plan.exists(|node| Ok(is(node))).unwrap_or(false)
        && plan.exists(|node| Ok(matches!(node, LogicalPlan::Join(_)))).unwrap_or(false)
}

/// The table of the engine that is scanned; None for a view of figures, or files.
pub(crate) fn engine_table(scan: &TableScan) -> Option<Arc<dyn TableProvider>> {
    let provider = source_as_provider(&scan.source).ok()?;
    (provider.as_ref() as &dyn std::any::Any).is::<EngineTable>().then_some(provider)
}

/// The plan so far, from below: what its schema's columns are.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(super) read: ReadPlan,
    pub(super) inner: Vec<ReadPlan>,
    pub(crate) kinds: Vec<LoopKind>,
    /// What is expected of the join with each of them.
    pub(crate) joined: Vec<LoopEstimate>,
    pub(super) tests: Vec<RowTest>,
    pub(super) totals: Option<Vec<Total>>,
    pub(crate) schema: DFSchemaRef,
    pub(crate) values: Vec<Value>,
    pub(super) skip: usize,
    pub(crate) fetch: Option<usize>,
}

impl Places for Stage {
    fn place(&self, column: &Column) -> Option<Value> {
        let at = self.schema.index_of_column(column).ok()?;
        self.values.get(at).cloned()
    }
}

impl Stage {
    /// True: nothing limits or groups the rows yet.
    pub(crate) fn is_rows(&self) -> bool {
        self.totals.is_none() && self.skip == 0 && self.fetch.is_none()
    }
}

impl Stage {
    /// Has its first table report these fates of hints.
    pub(crate) fn add_fates(&mut self, fates: &[HintFate]) {
        self.read.hints.extend_from_slice(fates);
    }

    /// The query of these values, of at most `limit` rows.
    pub(crate) fn with_outputs(self, outputs: Vec<Value>, types: Vec<DatumType>, limit: Option<usize>) -> DirectQuery {
        let fetch = match (self.fetch, limit) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let Self { read, inner, kinds, joined, tests, totals, skip, .. } = self;
        let read = Arc::new(read);
        let inner = inner.into_iter().map(Arc::new).collect();
        DirectQuery { read, inner, kinds, joined, tests, totals, outputs, types, skip, fetch }
    }
}

/// True: NULLs stand last in ascending order and first in descending order, as in an index.
fn as_in_index(key: &Sort) -> bool {
    key.nulls_first != key.asc
}

impl Stage {
    /// Reads the rows in the order of these keys, if the index that finds them has it. False otherwise.
    fn is_in_order(&mut self, keys: &[Sort]) -> bool {
        let Some(first) = keys.first().filter(|_| self.inner.is_empty()) else { return false };
        if !keys.iter().all(|key| key.asc == first.asc && as_in_index(key)) {
            return false;
        }
        let places = keys.iter().map(|key| Value::of(&key.expr, self)).collect::<Option<Vec<_>>>();
        let columns = places.iter().flatten().map(|place| self.column(place)).collect::<Option<Vec<u16>>>();
        if places.is_none() || !columns.is_some_and(|columns| self.read.has_order(&columns)) {
            return false;
        }
        self.read.descending = !first.asc;
        true
    }

    /// Takes an index that has the rows in the order of these keys, if to read it costs less than to read the table, or
    /// what of it conditions find, and to sort that. False otherwise.
    fn takes_order(&mut self, session: &Session, keys: &[Sort], inputs: &Inputs<'_>) -> Result<bool> {
        if !self.inner.is_empty() || matches!(self.read.path, Path::Rowids(_)) || self.read.table.indexes.is_empty() {
            return Ok(false);
        }
        let before = self.read.clone();
        let wanted = self.fetch.map(|fetch| fetch as f64).into_iter().chain(before.first_rows).reduce(f64::min);
        let table = Arc::clone(&before.table);
        let Some(costs) = OrderCosts::of(session, &before, inputs, wanted)? else { return Ok(false) };
        let mut best = costs.sorted;
        let mut found = false;
        for index in &table.indexes {
            let Some(cost) = costs.of_whole(index) else { continue };
            let taken = self.read.clone();
            self.read.take(Path::Index(Arc::clone(index), IndexWay::Whole));
            if cost < best && self.is_in_order(keys) {
                (best, found) = (cost, true);
            } else {
                self.read = taken;
            }
        }
        self.read.in_order = found;
        Ok(found)
    }

    /// The table's column that a value is.
    fn column(&self, value: &Value) -> Option<u16> {
        match value {
            Value::Column(at, _) => self.read.projection.get(*at).copied(),
            _ => None,
        }
    }

    /// Has MIN or MAX of a column take the first row of an index that has the column in order.
    fn take_extreme(&mut self, totals: &[Total]) {
        let [Total::Least(value) | Total::Greatest(value)] = totals else { return };
        if !self.inner.is_empty() {
            return;
        }
        let Some(column) = self.column(value) else { return };
        if self.read.projection.len() != 1 || !self.tests.is_empty() {
            return;
        }
        if self.read.conditions.is_none() && self.read.hints.is_empty() {
            // Rows without an entry have NULL in the column.
            let indexes = &self.read.table.indexes;
            if let Some(index) = indexes.iter().find(|index| index.columns.first() == Some(&column)) {
                self.read.take(Path::Index(Arc::clone(index), IndexWay::Whole));
            }
        }
        if self.read.has_order(&[column]) {
            self.read.first_only = true;
            self.read.descending = matches!(totals, [Total::Greatest(_)]);
        }
    }
}

impl DirectQuery {
    /// False when the table that is read whole has grown much since the plan was made, or may have: then a scan the
    /// long way finds out.
    pub(crate) fn is_still_small(&self) -> bool {
        let Some(segment) = self.read.whole_segment() else { return true };
        segment.known_blocks().is_some_and(|blocks| u64::from(blocks) <= 2 * SMALL_BLOCKS)
    }

    /// Compiles the query of an optimised plan for the values of the first execution, `inputs`. Returns how the query
    /// is executed instead where the planner's operators alone can carry it out, or do it better, and where the size
    /// of the table is not known.
    ///
    /// # Errors
    /// Errors of reading the table's size.
    pub(crate) fn of(
        session: &Session,
        plan: &LogicalPlan,
        query: &BoundQuery,
        inputs: &Inputs<'_>,
    ) -> Result<Compiled<Self>> {
        let Some(stage) = stage(session, plan, inputs)? else { return Ok(Err(Work::Planned)) };
        if let Some(segment) = stage.read.whole_segment() {
            match segment.known_blocks() {
                None => return Ok(Err(Work::Unknown)),
                Some(blocks) if u64::from(blocks) > SMALL_BLOCKS => return Ok(Err(Work::Planned)),
                Some(_) => {}
            }
        }
        if stage.values.len() != query.outputs.len() {
            return Ok(Err(Work::Planned));
        }
        let types = query.outputs.iter().map(|output| output.kind).collect();
        let outputs = stage.values.clone();
        Ok(Ok(stage.with_outputs(outputs, types, None)))
    }
}

/// Compiles a part of a plan; None where only the planner's operators can carry it out.
///
/// # Errors
/// Errors of reading a table's size.
pub(crate) fn stage(session: &Session, plan: &LogicalPlan, inputs: &Inputs<'_>) -> Result<Option<Stage>> {
    match plan {
        LogicalPlan::TableScan(scan) => table_scan(session, scan, inputs),
        LogicalPlan::SubqueryAlias(alias) => {
            let Some(below) = stage(session, &alias.input, inputs)? else { return Ok(None) };
            Ok(Some(Stage { schema: Arc::clone(&alias.schema), ..below }))
        }
        LogicalPlan::Projection(projection) => {
            let Some(below) = stage(session, &projection.input, inputs)? else { return Ok(None) };
            let values = projection.expr.iter().map(|expr| Value::of(expr, &below)).collect::<Option<Vec<_>>>();
            Ok(values.map(|values| Stage { schema: Arc::clone(&projection.schema), values, ..below }))
        }
        LogicalPlan::Filter(Filter { predicate, input, .. }) => {
            let Some(mut below) = stage(session, input, inputs)?.filter(Stage::is_rows) else { return Ok(None) };
            let Some(test) = Test::of(predicate, &below) else { return Ok(None) };
            below.tests.push(RowTest { level: below.inner.len(), above: true, test });
            Ok(Some(below))
        }
        LogicalPlan::Sort(sort) => {
            let Some(mut below) = stage(session, &sort.input, inputs)?.filter(Stage::is_rows) else { return Ok(None) };
            below.fetch = sort.fetch;
            let in_order = below.is_in_order(&sort.expr) || below.takes_order(session, &sort.expr, inputs)?;
            Ok(in_order.then_some(below))
        }
        LogicalPlan::Limit(limit) => {
            let (Ok(SkipType::Literal(skip)), Ok(FetchType::Literal(fetch))) =
                (limit.get_skip_type(), limit.get_fetch_type())
            else {
                return Ok(None);
            };
            let Some(below) = stage(session, &limit.input, inputs)? else { return Ok(None) };
            let within = below.is_rows() || below.skip == 0 && skip == 0 && below.totals.is_none();
            let fetch = match (fetch, below.fetch) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            Ok(within.then_some(Stage { skip, fetch, ..below }))
        }
        LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, schema, .. }) => {
            if !group_expr.is_empty() {
                return Ok(None);
            }
            let Some(mut below) = stage(session, input, inputs)?.filter(Stage::is_rows) else { return Ok(None) };
            let Some(totals) = aggr_expr.iter().map(|expr| total(expr, &below)).collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            let values = (0..totals.len()).map(Value::Computed).collect();
            below.take_extreme(&totals);
            Ok(Some(Stage { schema: Arc::clone(schema), values, totals: Some(totals), ..below }))
        }
        _ => Ok(None),
    }
}

fn total(expr: &Expr, below: &Stage) -> Option<Total> {
    let call = match expr {
        Expr::Alias(alias) => return total(&alias.expr, below),
        Expr::AggregateFunction(call) => call,
        _ => return None,
    };
    let AggregateFunction { func, params } = call;
    if params.filter.is_some() || !params.order_by.is_empty() || params.null_treatment.is_some() {
        return None;
    }
    let [argument] = params.args.as_slice() else { return None };
    let own: &dyn std::any::Any = func.inner().as_ref();
    let value = || Value::of(argument, below);
    if params.distinct {
        return (func.name() == "count").then(value)?.map(Total::CountDistinct);
    }
    if let Some(number) = own.downcast_ref::<NumberAggregate>() {
        return (number.measure() == Measure::Sum).then_some(Total::Sum(value()?));
    }
    Some(match func.name() {
        "count" if matches!(argument, Expr::Literal(value, _) if !matches!(value, ScalarValue::Null) && !value.is_null()) => {
            Total::Count
        }
        "count" => Total::CountOf(value()?),
        "min" => Total::Least(value()?),
        "max" => Total::Greatest(value()?),
        _ => return None,
    })
}

fn table_scan(session: &Session, scan: &TableScan, inputs: &Inputs<'_>) -> Result<Option<Stage>> {
    if let Some(loops) = LoopsTable::of(scan) {
        return Ok(Some(loops.stage(scan)));
    }
    let Some(provider) = engine_table(scan) else { return Ok(None) };
    let provider: &dyn std::any::Any = provider.as_ref();
    let Some(provider) = provider.downcast_ref::<EngineTable>() else { return Ok(None) };
    let table = provider.table();
    let fields: Vec<usize> = scan.projection.clone().unwrap_or_else(|| (0..=table.columns.len()).collect());
    let made = ReadPlan::of(session, table, provider.hints(), &fields, &scan.filters, inputs)?;
    let Some((read, sources)) = made else { return Ok(None) };
    let value = |source: &Option<usize>| match source {
        Some(at) => Value::Column(*at, table.columns[usize::from(read.projection[*at])].data_type),
        None => Value::Rowid(0),
    };
    let values = sources.iter().map(value).collect();
    let schema = Arc::clone(&scan.projected_schema);
    let (inner, kinds, joined, tests) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Ok(Some(Stage { read, inner, kinds, joined, tests, totals: None, schema, values, skip: 0, fetch: scan.fetch }))
}
