//! The plan node that reads a table.

use std::fmt;
use std::sync::Arc;

use common::Error;
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
use storage::cells::Extreme;

use super::access::Access;
use super::figures::Figures;
use super::join_filter::JoinFilter;
use super::read_plan::ReadPlan;
use super::sink::{ArrowSink, kinds};
use super::source::{ReadSpec, Source};
use super::table::ROWID;
use crate::cursor::open::RowSource;
use crate::direct::value::Inputs;
use crate::error::to_datafusion;
use crate::explain::predicate;
use crate::explain::step::PlanStep;
use crate::optimizer::physical::Expected;
use crate::plan::parameter::Parameters;

/// Rows a batch when no column is wanted: a count reads many blocks before it returns.
const COUNT_BATCH_ROWS: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct TableReadExec {
    session: Arc<Session>,
    plan: Arc<ReadPlan>,
    parameters: Arc<Parameters>,
    /// The read of the present execution.
    pub(crate) spec: Arc<ReadSpec>,
    schema: SchemaRef,
    /// For each field: the index of the projected column, None for ROWID.
    pub(crate) sources: Vec<Option<usize>>,
    pub(crate) limit: Option<usize>,
    /// Filters of joins, each with its column of the table.
    join_filters: Vec<(Arc<JoinFilter>, u16)>,
    /// Least and greatest values are wanted alone.
    extremes: Vec<Extreme>,
    /// Rows that the current fetch wants; 0 for any number.
    demand: Arc<AtomicUsize>,
    pub(crate) figures: Arc<Figures>,
    /// Figures of the index under the table access.
    pub(crate) index_figures: Arc<Figures>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

/// The read with the present values of the bind variables.
fn bound(plan: &Arc<ReadPlan>, parameters: &Parameters) -> Option<Arc<ReadSpec>> {
    let values = parameters.values();
    plan.spec(&Inputs::of_statement(parameters.context(), &values)).map(Arc::new)
}

impl TableReadExec {
    pub(crate) fn new(
        session: Arc<Session>,
        (plan, parameters): (Arc<ReadPlan>, Arc<Parameters>),
        schema: SchemaRef,
        sources: Vec<Option<usize>>,
        limit: Option<usize>,
        demand: Arc<AtomicUsize>,
    ) -> common::Result<Self> {
        let spec = bound(&plan, &parameters).ok_or_else(|| Error::bug("a scan with values that are none"))?;
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Ok(Self {
            session,
            plan,
            parameters,
            spec,
            schema,
            sources,
            limit,
            join_filters: Vec::new(),
            extremes: Vec::new(),
            demand,
            figures: Arc::default(),
            index_figures: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        })
    }

    /// True: the present values of the bind variables fit the read.
    pub(crate) fn takes_parameters(&self) -> bool {
        bound(&self.plan, &self.parameters).is_some()
    }

    /// True: its rows are to be joined by a merge.
    pub(crate) fn is_merged(&self) -> bool {
        self.plan.merges
    }

    /// What is expected of it.
    pub(crate) fn expected(&self) -> Expected {
        let fields = self.sources.iter().map(|source| source.map(|at| self.spec.projection[at]));
        self.spec.expected(&self.session, fields, self.limit)
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
    /// The same read with figures of its own.
    fn copy(&self, spec: Arc<ReadSpec>) -> Self {
        Self {
            session: Arc::clone(&self.session),
            plan: Arc::clone(&self.plan),
            parameters: Arc::clone(&self.parameters),
            spec,
            schema: Arc::clone(&self.schema),
            sources: self.sources.clone(),
            limit: self.limit,
            join_filters: self.join_filters.clone(),
            extremes: self.extremes.clone(),
            demand: Arc::clone(&self.demand),
            figures: Arc::default(),
            index_figures: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::clone(&self.properties),
        }
    }

    /// The read for one that wants least and greatest values of its outputs alone. None: it gives all rows.
    pub(crate) fn of_extremes(&self, wanted: &[(usize, bool)]) -> Option<Self> {
        if self.limit.is_some() || self.spec.rowids || !self.spec.is_offloaded(&self.session) {
            return None;
        }
        let extreme = |(output, greatest): &(usize, bool)| {
            let place = (*self.sources.get(*output)?)?;
            Some(Extreme { place: place as u16, greatest: *greatest })
        };
        let extremes = wanted.iter().map(extreme).collect::<Option<_>>()?;
        Some(Self { extremes, ..self.copy(Arc::clone(&self.spec)) })
    }

    /// The read with a filter on one of its outputs. None: it takes none, because no cell scans the table, or not all
    /// rows are read.
    pub(crate) fn with_join_filter(&self, output: usize, filter: &Arc<JoinFilter>) -> Option<Self> {
        let column = self.spec.projection[(*self.sources.get(output)?)?];
        let takes = self.limit.is_none() && self.spec.is_offloaded(&self.session);
        takes.then(|| {
            let mut read = self.copy(Arc::clone(&self.spec));
            read.join_filters.push((Arc::clone(filter), column));
            read
        })
    }

    /// The row sources of this node, with their figures so far. `several`: the plan reads several tables, so columns
    /// are qualified.
    pub(crate) fn row_sources(&self, depth: u32, several: bool) -> Vec<RowSource> {
        let sources = self.spec.row_sources(&self.session, depth, several, self.limit);
        let sources = self.spec.measured(sources, &self.figures, &self.index_figures);
        self.with_join_filters_shown(sources, depth, several)
    }
}

impl TableReadExec {
    /// Row sources with the filters of joins: a line for each above them, and as conditions that cells check.
    fn with_join_filters_shown(&self, mut sources: Vec<RowSource>, depth: u32, several: bool) -> Vec<RowSource> {
        let mut names: Vec<&str> = self.join_filters.iter().map(|(filter, _)| &*filter.name).collect();
        names.dedup();
        if names.is_empty() {
            return sources;
        }
        let below = names.len() as u32;
        sources.iter_mut().for_each(|source| source.depth += below);
        if let Some(table) = sources.first_mut() {
            let of = |(filter, at): &(Arc<JoinFilter>, u16)| {
                let name = &self.spec.table.columns[usize::from(*at)].name;
                let column = predicate::column(several.then_some(&*self.spec.alias), name);
                format!("SYS_OP_BLOOM_FILTER({},{column})", filter.name)
            };
            let own = self.join_filters.iter().map(of);
            let all: Vec<String> = table.step.filter.take().into_iter().chain(own).collect();
            table.step.filter = Some(all.join(" AND "));
            table.step.access.clone_from(&table.step.filter);
        }
        let figures = sources.first().map(|table| table.figures).unwrap_or_default();
        let lines = names.iter().zip(depth..).map(|(name, depth)| {
            let step = PlanStep::of_join_filter("USE", name);
            RowSource { depth, object: 0, step, figures }
        });
        lines.collect::<Vec<_>>().into_iter().chain(sources).collect()
    }
}

impl DisplayAs for TableReadExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (options, name) = (self.spec.options(), &self.spec.table.name);
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

    /// The same read for another execution.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let spec = bound(&self.plan, &self.parameters);
        let spec = spec.ok_or_else(|| to_datafusion(Error::bug("a scan with values that are none")))?;
        Ok(Arc::new(self.copy(spec)))
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
            spec: Arc::clone(&self.spec),
            join_filters: self.join_filters.clone(),
            extremes: self.extremes.clone(),
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
    spec: Arc<ReadSpec>,
    join_filters: Vec<(Arc<JoinFilter>, u16)>,
    extremes: Vec<Extreme>,
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
        if self.source.is_none() && matches!(self.spec.access, Access::Full) {
            // The rows of the joins' other sides have been read.
            let known = self.join_filters.iter().filter_map(|(filter, column)| filter.condition(*column));
            self.spec = self.spec.with_conditions(known.collect());
            if !self.extremes.is_empty() {
                self.spec = Arc::new(ReadSpec { extremes: self.extremes.clone(), ..ReadSpec::clone(&self.spec) });
            }
        }
        let Self { session, spec, source, sink, left, batch_rows, demand, figures, index_figures, .. } = self;
        let rows = match demand.load(Ordering::Relaxed) {
            0 => *batch_rows,
            wanted => wanted.min(*batch_rows),
        };
        figures.measure(session.meter(), || {
            let source = match source {
                Some(source) => {
                    if demand.load(Ordering::Relaxed) > 0 {
                        source.go_on();
                    }
                    source
                }
                None => {
                    figures.start();
                    if matches!(spec.access, Access::Index { .. }) {
                        index_figures.start();
                    }
                    source.insert(Source::open(session, spec)?)
                }
            };
            source.next((session, spec), sink, rows.min(*left), Some(index_figures))
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
