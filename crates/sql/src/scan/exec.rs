//! The plan node that reads a table.

use std::fmt;
use std::sync::Arc;

use common::sync::atomic::{AtomicUsize, Ordering};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use engine::instance::Session;

use scan::Predicate;

use super::access::{self, Access};
use super::figures::Figures;
use super::sink::{ArrowSink, kinds};
use super::source::{ReadSpec, Source};
use super::table::ROWID;
use crate::cursor::open::RowSource;
use crate::error::to_datafusion;
use crate::explain::predicate;
use crate::explain::step::{PlanObject, PlanStep};

/// Rows a batch when no column is wanted: a count reads many blocks before it returns.
const COUNT_BATCH_ROWS: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct TableReadExec {
    session: Arc<Session>,
    pub(crate) spec: ReadSpec,
    schema: SchemaRef,
    /// For each field: the index of the projected column, None for ROWID.
    pub(crate) sources: Vec<Option<usize>>,
    pub(crate) limit: Option<usize>,
    /// Rows that the current fetch wants; 0 for any number.
    demand: Arc<AtomicUsize>,
    pub(crate) figures: Arc<Figures>,
    /// Figures of the index under the table access.
    pub(crate) index_figures: Arc<Figures>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl TableReadExec {
    pub(crate) fn new(
        session: Arc<Session>,
        spec: ReadSpec,
        schema: SchemaRef,
        sources: Vec<Option<usize>>,
        limit: Option<usize>,
        demand: Arc<AtomicUsize>,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Self {
            session,
            spec,
            schema,
            sources,
            limit,
            demand,
            figures: Arc::default(),
            index_figures: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        }
    }

    /// The access path's name in traces and plans.
    fn options(&self) -> &'static str {
        match &self.spec.access {
            Access::Full => "FULL",
            Access::Rowids(_) => "BY USER ROWID",
            Access::Index { .. } => "BY INDEX ROWID",
        }
    }

    /// The table's name in the statement, and the column of an output of this node.
    pub(crate) fn column(&self, output: usize) -> Option<(String, String)> {
        let name = match self.sources.get(output)? {
            None => ROWID.to_owned(),
            Some(at) => self.spec.table.columns.get(usize::from(*self.spec.projection.get(*at)?))?.name.clone(),
        };
        Some((self.spec.alias.clone(), name))
    }
}

impl TableReadExec {
    /// The row sources of this node, with their figures so far. `several`: the plan reads several tables, so columns
    /// are qualified.
    pub(crate) fn row_sources(&self, depth: u32, several: bool) -> Vec<RowSource> {
        let ReadSpec { table, alias, predicate, access, .. } = &self.spec;
        let shown = several.then_some(alias.as_str());
        let text = |parts: &[&Predicate]| {
            let parts: Vec<String> = parts.iter().map(|part| predicate::of_scan(part, table, shown)).collect();
            (!parts.is_empty()).then(|| parts.join(" AND "))
        };
        let object = |owner: &str, name: &str, kind| PlanObject {
            owner: owner.to_owned(),
            name: name.to_owned(),
            alias: Some(alias.clone()),
            kind,
        };
        let mut step = PlanStep::new("TABLE ACCESS", self.options());
        step.hints.clone_from(&self.spec.hints);
        step.object = Some(object(&table.owner, &table.name, "TABLE"));
        let mut filters = Vec::new();
        if let Some(predicate) = predicate {
            access::flatten(predicate, &mut filters);
        }
        let analyzed = table.statistics.map(|statistics| statistics.num_rows);
        let mut under = None;
        let found = match access {
            Access::Full => analyzed,
            Access::Rowids(rowids) => {
                step.access = Some(predicate::of_rowids(rowids, shown));
                Some(rowids.len() as u64)
            }
            Access::Index { index, unique, .. } => {
                let used = access::used(index, &filters);
                let mut below = PlanStep::new("INDEX", if *unique { "UNIQUE SCAN" } else { "RANGE SCAN" });
                below.object =
                    Some(object(&index.owner, &index.name, if index.unique { "INDEX (UNIQUE)" } else { "INDEX" }));
                let looked: Vec<&Predicate> = used.iter().map(|at| filters[*at]).collect();
                below.access = text(&looked);
                below.rows = if *unique { Some(1) } else { access::expected(index, &filters) };
                let mut at = 0;
                filters.retain(|_| {
                    at += 1;
                    !used.contains(&(at - 1))
                });
                let rows = below.rows;
                under = Some(RowSource {
                    depth: depth + 1,
                    object: index.object.0,
                    step: below,
                    figures: self.index_figures.value(),
                });
                rows
            }
        };
        step.filter = text(&filters);
        // The selectivity of a further condition is unknown.
        step.rows = found.filter(|_| filters.is_empty());
        if let (Some(rows), Some(limit)) = (step.rows, self.limit) {
            step.rows = Some(rows.min(limit as u64));
        }
        let row_bytes = table.statistics.map(|statistics| statistics.average_row_bytes);
        step.bytes = step.rows.zip(row_bytes).map(|(rows, bytes)| rows * bytes);
        let mut sources = vec![RowSource { depth, object: table.object.0, step, figures: self.figures.value() }];
        sources.extend(under);
        sources
    }
}

impl DisplayAs for TableReadExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (options, name) = (self.options(), &self.spec.table.name);
        write!(f, "TableReadExec: {options} {name}, predicate={:?}", self.spec.predicate)
    }
}

impl ExecutionPlan for TableReadExec {
    fn name(&self) -> &'static str {
        "TableReadExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let kinds = kinds(&self.spec.table.columns);
        let rowid = self.spec.table.columns.len();
        let field_kinds: Vec<_> = self
            .sources
            .iter()
            .map(|source| kinds[source.map_or(rowid, |at| usize::from(self.spec.projection[at]))])
            .collect();
        let no_columns = self.sources.is_empty();
        let batches = Batches {
            session: Arc::clone(&self.session),
            spec: self.spec.clone(),
            source: None,
            sink: ArrowSink::new(Arc::clone(&self.schema), &field_kinds, self.sources.clone()),
            left: self.limit.unwrap_or(usize::MAX),
            batch_rows: if no_columns { COUNT_BATCH_ROWS } else { context.session_config().batch_size() },
            demand: Arc::clone(&self.demand),
            figures: Arc::clone(&self.figures),
            index_figures: Arc::clone(&self.index_figures),
            metrics: BaselineMetrics::new(&self.metrics, partition),
            ended: false,
        };
        let stream = RecordBatchStreamAdapter::new(Arc::clone(&self.schema), futures::stream::iter(batches));
        Ok(Box::pin(datafusion::physical_plan::coop::cooperative(stream)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The batches of one execution. Nothing is read before the first is polled.
struct Batches {
    session: Arc<Session>,
    spec: ReadSpec,
    source: Option<Source>,
    sink: ArrowSink,
    left: usize,
    batch_rows: usize,
    demand: Arc<AtomicUsize>,
    figures: Arc<Figures>,
    index_figures: Arc<Figures>,
    metrics: BaselineMetrics,
    ended: bool,
}

impl Batches {
    fn read(&mut self) -> common::Result<bool> {
        let Self { session, spec, source, sink, left, batch_rows, demand, figures, index_figures, .. } = self;
        let rows = match demand.load(Ordering::Relaxed) {
            0 => *batch_rows,
            wanted => wanted.min(*batch_rows),
        };
        figures.measure(session.meter(), || {
            let source = match source {
                Some(source) => source,
                None => {
                    figures.start();
                    if matches!(spec.access, Access::Index { .. }) {
                        index_figures.start();
                    }
                    source.insert(Source::open(session, spec)?)
                }
            };
            source.next(session, sink, rows.min(*left), index_figures)
        })
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended && self.left > 0 {
            match self.read() {
                Ok(more) => self.ended = !more,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(to_datafusion(error)));
                }
            }
            let rows = self.sink.rows();
            if rows == 0 {
                continue;
            }
            self.left -= rows.min(self.left);
            self.figures.rows(rows as u64);
            self.metrics.record_output(rows);
            return Some(self.sink.take().map_err(to_datafusion));
        }
        // Blocks and position are released as soon as the scan has ended.
        self.source = None;
        None
    }
}
