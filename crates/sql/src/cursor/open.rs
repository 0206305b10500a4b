//! A session's open cursor.

use std::sync::Arc;

use common::{DataType, Result, Rowid};
use datafusion::arrow::record_batch::RecordBatch;
use scalar::{Datum, DatumType, Nls};
use storage::snapshot::Snapshot;

use super::arrays::to_rows;
use super::child::Child;
use super::kept_plan::{ChangePlan, KeptPlan};
use super::library::SharedCursor;
use super::run::Running;
use crate::direct::lock::Settled;
use crate::direct::run::{DirectRun, to_arrays};
use crate::dml::direct::Direct;
use crate::explain::plan::CursorPlan;
use crate::explain::step::PlanStep;
use crate::plan::query::BoundQuery;
use crate::scan::figures::FiguresValue;

/// Names a cursor of a connection.
pub type CursorNumber = u64;

/// A column of a query's result, or of a described table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnDescription {
    pub name: String,
    pub data_type: DataType,
    pub kind: DatumType,
    pub nullable: bool,
}

/// A row source of a plan that has run.
#[derive(Clone, Debug)]
pub(crate) struct RowSource {
    pub(crate) depth: u32,
    pub(crate) object: u32,
    pub(crate) step: PlanStep,
    pub(crate) figures: FiguresValue,
}

/// A query bound at the parse, for the execution that follows at once.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) query: BoundQuery,
    pub(crate) catalog_version: u64,
    pub(crate) nls: Arc<Nls>,
    pub(crate) wall_us: u64,
}

/// A query in execution.
#[derive(Debug)]
pub(crate) enum Query {
    /// By the planner's operators.
    Planned(Running),
    /// Row by row.
    Direct(Box<DirectRun>),
    /// Run to its end already.
    Settled(Settled),
}

impl Query {
    /// Up to `rows` rows; fewer at the end.
    ///
    /// # Errors
    /// Any error of the query.
    pub(crate) fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Datum>>> {
        match self {
            Self::Planned(running) => to_rows(&running.fetch(rows)?),
            Self::Direct(running) => running.fetch(rows),
            Self::Settled(settled) => Ok(settled.rows.by_ref().take(rows).collect()),
        }
    }

    /// The same as arrays.
    ///
    /// # Errors
    /// Any error of the query.
    pub(crate) fn fetch_arrays(&mut self, rows: usize) -> Result<Vec<RecordBatch>> {
        match self {
            Self::Planned(running) => running.fetch(rows),
            Self::Direct(running) => running.fetch_arrays(rows),
            Self::Settled(settled) => {
                let found: Vec<_> = settled.rows.by_ref().take(rows).collect();
                to_arrays(&found, &settled.kinds)
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Cursor {
    pub(crate) shared: Arc<SharedCursor>,
    pub(crate) binds: Vec<(String, Datum)>,
    pub(crate) columns: Vec<ColumnDescription>,
    pub(crate) prepared: Option<Prepared>,
    /// An INSERT of one row that needs no planner.
    pub(crate) direct: Direct,
    /// The child cursor of the last execution.
    pub(crate) child: Option<Arc<Child>>,
    /// The plan of its last execution, if it is kept.
    pub(crate) plan: Option<KeptPlan>,
    pub(crate) running: Option<Query>,
    /// The rowids, in the first table, of the rows that the query has locked; and the number fetched.
    pub(crate) locked_rows: Vec<Option<Rowid>>,
    pub(crate) fetched: usize,
    /// The query's snapshot, from one fetch to the next.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// Figures of the last execution's plan, for STAT lines.
    pub(crate) row_sources: Vec<RowSource>,
    /// Bind variables set by RETURNING … INTO.
    pub(crate) returned: Vec<(String, Datum)>,
    /// The values of RETURNING of each row.
    pub(crate) returned_rows: Vec<Vec<Datum>>,
    pub(crate) executed: bool,
    pub(crate) parse_was_hard: bool,
    /// EXPLAIN: only the plan is wanted.
    pub(crate) explaining: bool,
    /// Row source statistics of the execution are wanted.
    pub(crate) measured: bool,
    /// When its query locked its rows, by the connection's counter of locking.
    pub(crate) locked_at: Option<u64>,
}

impl Cursor {
    /// Ends the running query, if there is one.
    pub(crate) fn end(&mut self, wall_us: u64) {
        let Some(query) = self.running.take() else { return };
        self.snapshot = None;
        self.row_sources = match query {
            // The plan is known; its figures are not wanted.
            Query::Planned(running) if running.is_of_kept_plan() && !self.measured && self.shared.has_plan() => {
                Vec::new()
            }
            Query::Planned(running) => running.row_sources(),
            Query::Direct(running) if !running.is_measured() && self.shared.has_plan() => Vec::new(),
            Query::Direct(running) => running.row_sources(0),
            Query::Settled(settled) => settled.row_sources,
        };
        self.keep_plan(wall_us);
    }

    /// Stores the plan of the ended execution in the shared cursor.
    pub(crate) fn keep_plan(&self, wall_us: u64) {
        if !self.row_sources.is_empty() {
            let plan = CursorPlan::new(&self.shared, self.row_sources.clone(), self.measured);
            self.shared.keep_plan(CursorPlan { wall_us, ..plan });
        }
    }

    /// True: the row sources of this change of rows are to be noted. Those of a plan that is executed again are known.
    pub(crate) fn wants_row_sources(&self, query: &ChangePlan) -> bool {
        self.measured || !query.is_kept() || !self.shared.has_plan()
    }

    pub(crate) fn new(shared: Arc<SharedCursor>) -> Self {
        Self {
            shared,
            binds: Vec::new(),
            columns: Vec::new(),
            prepared: None,
            direct: Direct::Unknown,
            child: None,
            plan: None,
            running: None,
            locked_rows: Vec::new(),
            fetched: 0,
            snapshot: None,
            row_sources: Vec::new(),
            returned: Vec::new(),
            returned_rows: Vec::new(),
            executed: false,
            parse_was_hard: false,
            explaining: false,
            measured: false,
            locked_at: None,
        }
    }
}
