//! Tables whose rows are computed when they are read: views over the instance's own figures, the dictionary, DUAL.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::to_datafusion;

type Source = dyn Fn() -> common::Result<RecordBatch> + Send + Sync;

/// A table whose content is a function's result, taken when the statement is planned for execution.
pub(crate) struct RowsTable {
    schema: SchemaRef,
    source: Box<Source>,
    constant: bool,
}

impl fmt::Debug for RowsTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl RowsTable {
    pub(crate) fn new(
        schema: SchemaRef,
        source: impl Fn() -> common::Result<RecordBatch> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { schema, source: Box::new(source), constant: false })
    }

    /// A table that always has the same rows: a plan may keep them.
    pub(crate) fn constant(
        schema: SchemaRef,
        source: impl Fn() -> common::Result<RecordBatch> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { schema, source: Box::new(source), constant: true })
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.constant
    }
}

#[async_trait]
impl TableProvider for RowsTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let batch = (self.source)().map_err(to_datafusion)?;
        let plan = MemorySourceConfig::try_new_exec(&[vec![batch]], Arc::clone(&self.schema), projection.cloned())?;
        Ok(plan)
    }
}
