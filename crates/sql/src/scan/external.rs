//! A table whose rows are in files of the operating system, as DataFusion reads it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use common::Error;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use engine::dictionary::{Catalog, ColumnDef, DirectoryDef, ExternalDef, Holder, ObjectPrivilege};
use engine::instance::{Instance, Session};
use loader::{Column, Input, Layout, Output, Outputs, Scan, Setup};
use scalar::DatumType;

use super::figures::Figures;
use super::sink::ArrowSink;
use crate::cursor::open::RowSource;
use crate::error::to_datafusion;
use crate::explain::step::{PlanObject, PlanStep};
use crate::types::column;

/// The scan of an external table, for `user`.
///
/// # Errors
/// ORA-06564, ORA-29289: directories that the user may not read; those of the access parameters; KUP-04076 for a name
/// with a path in it.
pub(crate) fn setup(catalog: &Catalog, user: &(impl Holder + ?Sized), table: &ExternalDef) -> common::Result<Setup> {
    let access = loader::access::parse(&table.parameters)?;
    let default = catalog.usable_directory(user, &table.directory, ObjectPrivilege::Read)?;
    let inputs = table
        .locations
        .iter()
        .map(|location| {
            let directory = match &location.directory {
                None => default,
                Some(name) => catalog.usable_directory(user, name, ObjectPrivilege::Read)?,
            };
            Ok(Input {
                path: path_in(directory, &location.name)?,
                name: location.name.clone(),
                directory: directory.name.clone(),
            })
        })
        .collect::<common::Result<_>>()?;
    let mut refused = None;
    let mut output = |output: &Output, ending: &str| -> common::Result<Option<PathBuf>> {
        let (directory, name) = match output {
            Output::Nowhere => return Ok(None),
            Output::Usual => (&table.directory, format!("{}_%p.{ending}", table.name)),
            Output::Named { directory, name } => (directory.as_ref().unwrap_or(&table.directory), name.clone()),
        };
        match catalog.usable_directory(user, directory, ObjectPrivilege::Write) {
            Ok(found) => path_in(found, &name).map(Some),
            Err(error) => {
                // Needed only when a record is rejected.
                refused = Some(error);
                Ok(Some(PathBuf::from(name)))
            }
        }
    };
    let bad = output(&access.records.bad, "bad")?;
    let log = output(&access.records.log, "log")?;
    Ok(Setup {
        table: table.qualified_name(),
        columns: columns(table),
        layout: Layout::Loader(Box::new(access)),
        inputs,
        outputs: Outputs { bad, log, commented: false, refused },
        reject_limit: table.reject_limit,
        progress: None,
        rejected: None,
    })
}

/// Refuses a bad file that is a file of the database.
///
/// # Errors
/// ORA-27037 when the file system fails.
pub(crate) fn spare_own_files(instance: &Instance, mut setup: Setup) -> common::Result<Setup> {
    for path in [&setup.outputs.bad, &setup.outputs.log].into_iter().flatten() {
        if instance.is_own_file(path)? {
            let text = format!(
                "error in executing ODCIEXTTABLEFETCH callout: ORA-29400: data cartridge error: KUP-04001: error opening file {}: it is a file of \
                 the database",
                path.display()
            );
            setup.outputs.refused = Some(Error::user(29913, text));
        }
    }
    Ok(setup)
}

/// The columns of its rows.
pub(crate) fn columns(table: &ExternalDef) -> Vec<Column> {
    let column =
        |column: &ColumnDef| Column { name: column.name.clone(), data_type: column.data_type, required: false };
    table.columns.iter().map(column).collect()
}

/// A file of a directory; `%p` stands for the number of the process and `%a` for that of the agent.
fn path_in(directory: &DirectoryDef, name: &str) -> common::Result<PathBuf> {
    if name.contains('/') || name == ".." {
        return Err(Error::user(
            29913,
            format!(
                "error in executing ODCIEXTTABLEOPEN callout: ORA-29400: data cartridge error: KUP-04076: file name cannot contain a path \
                 specification: {name}"
            ),
        ));
    }
    let name = name.replace("%p", &std::process::id().to_string()).replace("%a", "000");
    Ok(Path::new(&directory.path).join(name))
}

/// Files as a table, in one statement of one session.
#[derive(Debug)]
pub(crate) struct ExternalTable {
    session: Arc<Session>,
    /// An error if it cannot be read: its columns are known all the same.
    setup: common::Result<Setup>,
    /// Name in traces and plans.
    name: String,
    object: u32,
    context: Arc<dyn scalar::Context>,
    schema: SchemaRef,
}

impl ExternalTable {
    pub(crate) fn new(
        session: Arc<Session>,
        columns: &[Column],
        setup: common::Result<Setup>,
        (name, object): (&str, u32),
        context: Arc<dyn scalar::Context>,
    ) -> Arc<Self> {
        let schema = column::schema(columns.iter().map(|column| (column.name.as_str(), column.data_type)));
        Arc::new(Self { session, setup, name: name.to_owned(), object, context, schema })
    }
}

#[async_trait]
impl TableProvider for ExternalTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let setup = self.setup.clone().map_err(to_datafusion)?;
        let fields: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&fields)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Ok(Arc::new(ExternalReadExec {
            session: Arc::clone(&self.session),
            setup,
            name: self.name.clone(),
            object: self.object,
            context: Arc::clone(&self.context),
            schema,
            fields,
            limit,
            figures: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        }))
    }
}

/// The plan node that reads files. All columns of a record are checked, whichever are wanted: rejection does not depend
/// on the query.
#[derive(Debug)]
pub(crate) struct ExternalReadExec {
    session: Arc<Session>,
    setup: Setup,
    name: String,
    object: u32,
    context: Arc<dyn scalar::Context>,
    schema: SchemaRef,
    /// The columns wanted.
    pub(crate) fields: Vec<usize>,
    pub(crate) limit: Option<usize>,
    pub(crate) figures: Arc<Figures>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl ExternalReadExec {
    /// The rows, with all columns. No file is opened before the first is read.
    ///
    /// # Errors
    /// Errors of the setup: invalid formats.
    pub(crate) fn open(&self) -> common::Result<Scan> {
        Scan::new(self.setup.clone(), Arc::clone(&self.context))
    }

    /// The row source of this node, with what it has done so far.
    pub(crate) fn row_source(&self, depth: u32) -> RowSource {
        let mut figures = self.figures.value();
        figures.starts = figures.starts.max(u64::from(self.metrics.clone_inner().iter().next().is_some()));
        let mut step = PlanStep::new("EXTERNAL TABLE ACCESS", "FULL");
        step.object = Some(PlanObject {
            owner: self.setup.table.split('.').next().unwrap_or_default().to_owned(),
            name: self.name.clone(),
            alias: None,
            kind: "TABLE",
        });
        RowSource { depth, object: self.object, step, figures }
    }
}

impl DisplayAs for ExternalReadExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExternalReadExec: {}", self.name)
    }
}

impl ExecutionPlan for ExternalReadExec {
    fn name(&self) -> &'static str {
        "ExternalReadExec"
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
        let kinds: Vec<DatumType> =
            self.fields.iter().map(|at| DatumType::from(self.setup.columns[*at].data_type)).collect();
        let sources = self.fields.iter().copied().map(Some).collect();
        let batches = Batches {
            session: Arc::clone(&self.session),
            scan: self.open().map_err(to_datafusion)?,
            sink: ArrowSink::new(Arc::clone(&self.schema), &kinds, sources),
            left: self.limit.unwrap_or(usize::MAX),
            batch_rows: context.session_config().batch_size(),
            figures: Arc::clone(&self.figures),
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

/// Bytes of the rows of a batch, beside the last one: long records do not add up.
const BATCH_BYTES: usize = 16 << 20;

/// The batches of one execution. No file is opened before the first is polled.
struct Batches {
    session: Arc<Session>,
    scan: Scan,
    sink: ArrowSink,
    left: usize,
    batch_rows: usize,
    figures: Arc<Figures>,
    metrics: BaselineMetrics,
    ended: bool,
}

impl Batches {
    fn read(&mut self) -> common::Result<()> {
        let Self { session, scan, sink, left, batch_rows, figures, ended, .. } = self;
        session.check_cancelled()?;
        let wanted = (*left).min(*batch_rows);
        figures.measure(session.meter(), || {
            let mut bytes = 0;
            while sink.rows() < wanted && bytes < BATCH_BYTES {
                match scan.next_row()? {
                    Some(row) => {
                        bytes += row.len();
                        sink.values(|at| row.column(at));
                    }
                    None => {
                        *ended = true;
                        break;
                    }
                }
            }
            Ok(())
        })
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.left == 0 {
            return None;
        }
        if let Err(error) = self.read() {
            self.ended = true;
            return Some(Err(to_datafusion(error)));
        }
        let rows = self.sink.rows();
        if rows == 0 {
            return None;
        }
        self.left -= rows.min(self.left);
        self.figures.rows(rows as u64);
        self.metrics.record_output(rows);
        Some(self.sink.take().map_err(to_datafusion))
    }
}
