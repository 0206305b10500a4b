//! Rows of one table, or of files, inserted into a table as they are: without arrays, the bytes of a row's columns are
//! copied once.
//!
//! The rows of a batch are gathered while their block is latched, and inserted after its release: only one table's
//! blocks are held at a time.

use std::sync::Arc;

use common::{BlockAddress, DataType, ObjectNumber, Result};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::projection::ProjectionExec;
use engine::dictionary::TableDef;
use engine::instance::Session;
use scan::RowSink;
use storage::table::TableScan;

use super::intake::Intake;
use crate::scan::access::Access;
use crate::scan::exec::TableReadExec;
use crate::scan::external::ExternalReadExec;

/// Rows gathered before they are inserted. A batch that ends within a block costs one more get of that block.
const BATCH_ROWS: usize = 16_384;

/// Records gathered before they are inserted: a batch fits the processor's cache.
const BATCH_RECORDS: usize = 1_024;

/// Bytes of records gathered before they are inserted, beside the last one.
const BATCH_RECORD_BYTES: usize = 16 << 20;

/// Bytes of the rows of a batch: an upper bound for wide rows, within offsets of 32 bits.
const BATCH_BYTES: usize = 256 << 20;

/// A plan of a full scan and a choice of its columns alone.
#[derive(Debug)]
pub(crate) struct Direct<'p> {
    pub(crate) read: Read<'p>,
    /// For each field of the plan: the index among the columns read.
    pub(crate) fields: Vec<usize>,
}

/// The source of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read<'p> {
    Table(&'p TableReadExec),
    External(&'p ExternalReadExec),
}

/// The plan as a direct transfer, if it is one.
pub(crate) fn plan(plan: &Arc<dyn ExecutionPlan>) -> Option<Direct<'_>> {
    let node: &dyn std::any::Any = plan.as_ref();
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        if !matches!(read.spec.access, Access::Full) || read.limit.is_some() {
            return None;
        }
        let fields = read.sources.iter().copied().collect::<Option<Vec<usize>>>()?;
        return Some(Direct { read: Read::Table(read), fields });
    }
    if let Some(read) = node.downcast_ref::<ExternalReadExec>() {
        return read.limit.is_none().then(|| Direct { read: Read::External(read), fields: read.fields.clone() });
    }
    if node.is::<CooperativeExec>() {
        return self::plan(plan.children().into_iter().next()?);
    }
    let projection = node.downcast_ref::<ProjectionExec>()?;
    let below = self::plan(projection.input())?;
    let fields = projection
        .expr()
        .iter()
        .map(|projected| {
            let column: &dyn std::any::Any = projected.expr.as_ref();
            column.downcast_ref::<Column>().map(|column| below.fields[column.index()])
        })
        .collect::<Option<Vec<usize>>>()?;
    Some(Direct { read: below.read, fields })
}

/// Source of a column of a new row.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// One of the columns read.
    Column(usize),
    Constant(Option<Vec<u8>>),
}

/// Scans and inserts.
pub(crate) fn run(session: &Arc<Session>, read: Read<'_>, sources: &[Source], intake: &mut Intake<'_>) -> Result<()> {
    let rows = Rows { width: sources.len(), sources, bytes: Vec::new(), places: Vec::new(), count: 0 };
    match read {
        Read::Table(read) => run_table(session, read, rows, intake),
        Read::External(read) => run_external(session, read, rows, intake),
    }
}

fn run_table(session: &Arc<Session>, read: &TableReadExec, mut rows: Rows<'_>, intake: &mut Intake<'_>) -> Result<()> {
    let meter = session.meter();
    let figures = &read.figures;
    figures.start();
    let mut scan = figures.measure(meter, || {
        TableScan::new(session.worker().clone(), read.spec.table.heap().clone(), read.spec.scan_spec())
    })?;
    let most = batch_rows(&read.spec.table);
    loop {
        let more = figures.measure(meter, || scan.next(&mut rows, most))?;
        figures.rows(rows.count as u64);
        rows.insert(intake)?;
        if !more {
            return Ok(());
        }
    }
}

/// Rows of a table that are gathered at once, whatever their length.
fn batch_rows(table: &TableDef) -> usize {
    let widest = |data_type| match data_type {
        DataType::Varchar2 { bytes } | DataType::Char { bytes } | DataType::Raw { bytes } => usize::from(bytes),
        DataType::Number { .. } | DataType::Date | DataType::Timestamp { .. } => 22,
    };
    let row: usize = table.columns.iter().map(|column| widest(column.data_type)).sum();
    (BATCH_BYTES / row.max(1)).clamp(1, BATCH_ROWS)
}

fn run_external(
    session: &Arc<Session>,
    read: &ExternalReadExec,
    mut rows: Rows<'_>,
    intake: &mut Intake<'_>,
) -> Result<()> {
    let (meter, figures) = (session.meter(), &read.figures);
    figures.start();
    let mut scan = read.open()?;
    loop {
        session.check_cancelled()?;
        let more = figures.measure(meter, || {
            while rows.count < BATCH_RECORDS && rows.bytes.len() < BATCH_RECORD_BYTES {
                match scan.next_row()? {
                    Some(row) => rows.add(|at| row.column(at)),
                    None => return Ok(false),
                }
            }
            Ok(true)
        })?;
        figures.rows(rows.count as u64);
        rows.insert(intake)?;
        if !more {
            return Ok(());
        }
    }
}

/// A value is NULL when its place ends before it starts.
const NULL: (u32, u32) = (1, 0);

struct Rows<'s> {
    width: usize,
    sources: &'s [Source],
    bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
    count: usize,
}

impl Rows<'_> {
    /// Adds a row; `column` returns the columns read.
    #[inline]
    fn add<'a>(&mut self, column: impl Fn(usize) -> Option<&'a [u8]>) {
        self.count += 1;
        for source in self.sources {
            let value = match source {
                Source::Column(at) => column(*at),
                Source::Constant(value) => value.as_deref(),
            };
            self.places.push(match value {
                None => NULL,
                Some(value) => {
                    let start = self.bytes.len() as u32;
                    self.bytes.extend_from_slice(value);
                    (start, self.bytes.len() as u32)
                }
            });
        }
    }

    fn insert(&mut self, intake: &mut Intake<'_>) -> Result<()> {
        let mut row: Vec<Option<&[u8]>> = vec![None; self.width];
        for places in self.places.chunks_exact(self.width) {
            for (value, (start, end)) in row.iter_mut().zip(places) {
                *value = self.bytes.get(*start as usize..*end as usize);
            }
            intake.push(&row)?;
        }
        self.bytes.clear();
        self.places.clear();
        self.count = 0;
        Ok(())
    }
}

impl RowSink for Rows<'_> {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    #[inline]
    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        self.add(|at| columns[at]);
    }

    fn rows(&mut self, count: usize) {
        for _ in 0..count {
            self.row(0, &[]);
        }
    }
}
