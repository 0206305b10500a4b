//! A running query that is carried out row by row.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result, Rowid};
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use engine::instance::Session;
use scalar::{Context, Datum, DatumType};
use scan::{RowSink, Truth};

use super::loops::Loops;
use super::plan::{DirectQuery, RowTest, Total};
use super::value::{Inputs, Value, typed};
use crate::cursor::open::RowSource;
use crate::functions::rows::Builder;
use crate::functions::sum::NumberSum;
use crate::scan::access::Access;
use crate::scan::figures::{Figures, FiguresValue};
use crate::scan::read_plan::Path;
use crate::scan::selectivity::RANGE_SHARE;
use crate::scan::source::{ReadSink, ReadSpec, Source};
use crate::types::ArrowForm;

/// Rows that are read before they are looked at. Each read gets again the block that the one before has left, so it is
/// as many as the planner's operators take.
const READ_AHEAD: usize = 8192;
/// The same for aggregates, which take all rows, of a small table, or where no column is read.
const ALL_ROWS: usize = 1 << 20;

/// Rows as stored, in memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct StoredRows {
    width: usize,
    rowids: Vec<Rowid>,
    bytes: Vec<u8>,
    /// The end of each column in `bytes`; true for NULL.
    ends: Vec<(u32, bool)>,
    rows: usize,
    object: ObjectNumber,
    block: BlockAddress,
}

impl StoredRows {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.rowids.clear();
        self.bytes.clear();
        self.ends.clear();
        self.rows = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn rowid(&self, row: usize) -> Option<Rowid> {
        self.rowids.get(row).copied()
    }

    /// Puts the columns of a row into `columns`.
    pub(crate) fn columns<'r>(&'r self, row: usize, columns: &mut Vec<Option<&'r [u8]>>) {
        columns.clear();
        self.append_columns(row, columns);
    }

    /// Puts the columns of a row behind those that are in `columns`.
    pub(crate) fn append_columns<'r>(&'r self, row: usize, columns: &mut Vec<Option<&'r [u8]>>) {
        let first = row * self.width;
        let mut start = if first == 0 { 0 } else { self.ends[first - 1].0 };
        for (end, null) in &self.ends[first..first + self.width] {
            columns.push(if *null { None } else { self.bytes.get(start as usize..*end as usize) });
            start = *end;
        }
    }
}

impl RowSink for StoredRows {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.object = object;
        self.block = address;
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        self.rowids.push(Rowid { data_object: self.object, block: self.block, slot });
        for column in columns {
            self.bytes.extend_from_slice(column.unwrap_or_default());
            self.ends.push((self.bytes.len() as u32, column.is_none()));
        }
    }

    fn rows(&mut self, count: usize) {
        self.rows += count;
    }
}

impl ReadSink for StoredRows {
    fn held(&self) -> usize {
        self.rows
    }
}

/// A read in progress, with its figures.
#[derive(Debug)]
pub(crate) struct Read {
    session: Arc<Session>,
    spec: Arc<ReadSpec>,
    source: Option<Source>,
    pub(crate) rows: StoredRows,
    ended: bool,
    /// Gets and times of the row sources are wanted.
    measured: bool,
    figures: Figures,
    index_figures: Figures,
}

impl Read {
    pub(crate) fn new(session: &Arc<Session>, spec: ReadSpec, measured: bool) -> Self {
        let rows = StoredRows::new(spec.projection.len());
        Self {
            session: Arc::clone(session),
            spec: Arc::new(spec),
            source: None,
            rows,
            ended: false,
            measured,
            figures: Figures::default(),
            index_figures: Figures::default(),
        }
    }

    /// Begins another read of the same table.
    pub(super) fn restart(&mut self, spec: ReadSpec) {
        self.spec = Arc::new(spec);
        self.source = None;
        self.ended = false;
        self.rows.clear();
    }

    /// A fetch begins.
    pub(super) fn go_on(&mut self) {
        if let Some(source) = &mut self.source {
            source.go_on();
        }
    }

    /// The figures so far, those of an index included.
    pub(super) fn figures(&self) -> FiguresValue {
        self.figures.value()
    }

    /// Replaces the rows held by the next ones, at most `rows`; false when there are none.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn next(&mut self, rows: usize) -> Result<bool> {
        self.rows.clear();
        while !self.ended && self.rows.len() == 0 {
            let Self { session, spec, source, rows: sink, figures, index_figures, measured, .. } = self;
            let mut read = || {
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
                source.next((session, spec), sink, rows, if *measured { Some(index_figures) } else { None })
            };
            let more = if *measured { figures.measure(session.meter(), read) } else { read() };
            let more = more.inspect_err(|_| self.ended = true)?;
            if !more {
                self.ended = true;
                self.source = None;
            }
            self.session.check_cancelled()?;
        }
        self.figures.rows(self.rows.len() as u64);
        Ok(self.rows.len() > 0)
    }

    /// Number of columns that are read.
    pub(super) fn columns(&self) -> usize {
        self.spec.projection.len()
    }

    /// True: its table has been analyzed.
    pub(super) fn has_statistics(&self) -> bool {
        self.spec.plan.table.statistics.is_some()
    }

    /// The row sources of the read, at this depth.
    pub(crate) fn row_sources(&self, depth: u32, several: bool, limit: Option<usize>) -> Vec<RowSource> {
        // An inner table that no row has asked for has no way of this execution: its plan's is shown.
        let shown = self.spec.plan.planned_spec(&self.spec);
        let sources = shown.row_sources(&self.session, depth, several, limit);
        shown.measured(sources, &self.figures, &self.index_figures)
    }
}

/// A query that is being fetched.
pub(crate) struct DirectRun {
    plan: Arc<DirectQuery>,
    loops: Loops,
    context: Arc<dyn Context>,
    parameters: Vec<Datum>,
    to_skip: usize,
    left: usize,
    /// Rows returned.
    pub(crate) rows: u64,
    measured: bool,
}

impl fmt::Debug for DirectRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectRun").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl DirectRun {
    /// Begins an execution. None when its values do not fit the plan.
    pub(crate) fn start(
        session: &Arc<Session>,
        plan: &Arc<DirectQuery>,
        context: Arc<dyn Context>,
        parameters: Vec<Datum>,
        measured: bool,
    ) -> Option<Self> {
        let inputs = Inputs::of_statement(&*context, &parameters);
        let spec = plan.read.spec(&inputs)?;
        if !plan.takes(&inputs) {
            return None;
        }
        Some(Self {
            loops: Loops::new(session, plan, spec, measured),
            plan: Arc::clone(plan),
            context,
            parameters,
            to_skip: plan.skip,
            left: plan.fetch.unwrap_or(usize::MAX),
            rows: 0,
            measured,
        })
    }

    /// Up to `rows` rows; fewer at the end.
    ///
    /// # Errors
    /// Errors of the engine and of the select list.
    pub(crate) fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Datum>>> {
        let result = if self.plan.totals.is_some() { self.totals(rows) } else { self.plain(rows) }?;
        self.rows += result.len() as u64;
        Ok(result)
    }

    fn plain(&mut self, rows: usize) -> Result<Vec<Vec<Datum>>> {
        let mut result = Vec::new();
        let plan = Arc::clone(&self.plan);
        let exact = plan.tests.is_empty();
        self.loops.go_on();
        while result.len() < rows && self.left > 0 {
            let wanted = (rows - result.len()).min(self.left).saturating_add(self.to_skip);
            let wanted = if exact { wanted.min(READ_AHEAD) } else { READ_AHEAD };
            if !self.loops.next(&plan, (&*self.context, &self.parameters), wanted)? {
                break;
            }
            let (mut columns, mut rowids) = (Vec::with_capacity(8), Vec::with_capacity(1));
            self.loops.whole_row(&mut columns, &mut rowids);
            let inputs = Inputs {
                context: &*self.context,
                parameters: &self.parameters,
                columns: &columns,
                rowids: &rowids,
                computed: &[],
            };
            if plan.inner.is_empty() && !plan.accepts(0, true, &inputs)? {
                continue;
            }
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            self.left -= 1;
            result.push(plan.output(&inputs)?);
        }
        Ok(result)
    }

    fn totals(&mut self, rows: usize) -> Result<Vec<Vec<Datum>>> {
        let plan = Arc::clone(&self.plan);
        if rows == 0 || self.left == 0 {
            return Ok(Vec::new());
        }
        let mut states: Vec<State> = plan.totals.iter().flatten().map(State::new).collect();
        // Rows are counted without a look at them where nothing but their number is asked for.
        let counts = plan.read.projection.is_empty()
            && plan.tests.is_empty()
            && !plan.read.rowids
            && plan.totals.iter().flatten().all(|total| matches!(total, Total::Count));
        if let Some(read) = self.loops.only().filter(|_| counts) {
            while read.next(ALL_ROWS)? {
                states.iter_mut().for_each(|state| state.count(read.rows.len() as u64));
            }
        }
        let ahead = match plan.read.path {
            _ if plan.read.first_only => 1,
            Path::Full => ALL_ROWS,
            _ => READ_AHEAD,
        };
        while self.loops.next(&plan, (&*self.context, &self.parameters), ahead)? {
            let (mut columns, mut rowids) = (Vec::with_capacity(8), Vec::with_capacity(1));
            self.loops.whole_row(&mut columns, &mut rowids);
            let inputs = Inputs {
                context: &*self.context,
                parameters: &self.parameters,
                columns: &columns,
                rowids: &rowids,
                computed: &[],
            };
            // NULL is neither the least nor the greatest.
            let skipped = plan.read.first_only && columns.first().is_none_or(Option::is_none);
            if skipped || plan.inner.is_empty() && !plan.accepts(0, true, &inputs)? {
                continue;
            }
            for (total, state) in plan.totals.iter().flatten().zip(&mut states) {
                state.add(total, &inputs)?;
            }
            if plan.read.first_only {
                break;
            }
        }
        let computed = states.into_iter().map(State::value).collect::<Result<Vec<_>>>()?;
        let inputs = Inputs {
            context: &*self.context,
            parameters: &self.parameters,
            columns: &[],
            rowids: &[],
            computed: &computed,
        };
        self.left = 0;
        if self.to_skip > 0 || plan.fetch == Some(0) {
            return Ok(Vec::new());
        }
        Ok(vec![plan.output(&inputs)?])
    }

    /// Up to `rows` rows as arrays.
    ///
    /// # Errors
    /// As [`DirectRun::fetch`].
    pub(crate) fn fetch_arrays(&mut self, rows: usize) -> Result<Vec<RecordBatch>> {
        to_arrays(&self.fetch(rows)?, &self.plan.types)
    }

    /// True: gets and times of its row sources are counted.
    pub(crate) fn is_measured(&self) -> bool {
        self.measured
    }

    /// The row sources, from this depth on.
    pub(crate) fn row_sources(&self, depth: u32) -> Vec<RowSource> {
        let below = |depth, limit| self.loops.row_sources(&self.plan, depth, limit);
        self.plan.row_sources_of(below, depth, self.rows)
    }
}

impl DirectQuery {
    /// The row sources that an execution with these values would have. None when they do not fit the plan.
    pub(crate) fn explained(&self, session: &Arc<Session>, inputs: &Inputs<'_>, depth: u32) -> Option<Vec<RowSource>> {
        let loops = Loops::new(session, self, self.read.spec(inputs)?, false);
        Some(self.row_sources_of(|depth, limit| loops.row_sources(self, depth, limit), depth, 0))
    }

    /// The row sources of an execution whose rows were all used, of one table.
    pub(crate) fn row_sources(&self, read: &Read, depth: u32) -> Vec<RowSource> {
        let rows = read.figures.value().rows;
        self.row_sources_of(|depth, limit| read.row_sources(depth, false, limit), depth, rows)
    }

    /// `below`: the row sources of the reads, from their depth and most rows.
    fn row_sources_of(
        &self,
        below: impl FnOnce(u32, Option<usize>) -> Vec<RowSource>,
        first: u32,
        rows: u64,
    ) -> Vec<RowSource> {
        let above = self.steps();
        let depth = first + above.len() as u32;
        let limit = self.fetch.filter(|_| self.totals.is_none() && self.tests.is_empty());
        let mut sources = below(depth, limit.map(|limit| limit.saturating_add(self.skip)));
        let mut work = FiguresValue::default();
        work.add_work(&sources[0].figures);
        let mut estimate = (sources[0].step.rows, sources[0].step.bytes);
        let cost = (sources[0].step.cost, sources[0].step.io_cost);
        let starts = sources[0].figures.starts;
        for (at, mut step) in above.into_iter().enumerate().rev() {
            if step.operation == "FILTER" {
                let left = |all: u64| ((all as f64 * RANGE_SHARE).round() as u64).max(1);
                estimate = (estimate.0.map(left), estimate.1.map(left));
            }
            if step.rows.is_none() {
                (step.rows, step.bytes) = estimate;
            }
            (step.cost, step.io_cost) = cost;
            let figures = FiguresValue { starts, rows, ..work };
            sources.insert(0, RowSource { depth: first + at as u32, object: 0, step, figures });
        }
        sources
    }

    /// True: the values of the statement fit the conditions of the inner tables. Those of outer rows are not there yet;
    /// an error of theirs shows when a row needs it. With an error of a value of the statement the planner's operators
    /// find out whether any row needs it.
    pub(crate) fn takes(&self, inputs: &Inputs<'_>) -> bool {
        let mut conditions = self.inner.iter().filter_map(|read| read.conditions.as_ref());
        conditions.all(|conditions| !conditions.fails(inputs) && !matches!(conditions.bound(inputs), Ok(None)))
    }

    /// True: a row satisfies the conditions about the tables up to number `level`, that one among them.
    /// `above`: those about what the join gives, or those about partners.
    pub(crate) fn accepts(&self, level: usize, above: bool, inputs: &Inputs<'_>) -> Result<bool> {
        for RowTest { test, .. } in self.tests.iter().filter(|test| test.level == level && test.above == above) {
            if test.evaluate(inputs)? != Truth::True {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn output(&self, inputs: &Inputs<'_>) -> Result<Vec<Datum>> {
        let value = |(value, kind): (&Value, &DatumType)| typed(value.evaluate(inputs)?, *kind);
        self.outputs.iter().zip(&self.types).map(value).collect()
    }
}

/// An aggregate over the rows so far.
enum State {
    Count(u64),
    Distinct(HashSet<Vec<u8>>),
    Sum(NumberSum),
    Extreme(Datum),
}

impl State {
    fn new(total: &Total) -> Self {
        match total {
            Total::Count | Total::CountOf(_) => Self::Count(0),
            Total::CountDistinct(_) => Self::Distinct(HashSet::new()),
            Total::Sum(_) => Self::Sum(NumberSum::default()),
            Total::Least(_) | Total::Greatest(_) => Self::Extreme(Datum::Null),
        }
    }

    /// Adds rows of which no column is read.
    fn count(&mut self, rows: u64) {
        if let Self::Count(count) = self {
            *count += rows;
        }
    }

    fn add(&mut self, total: &Total, inputs: &Inputs<'_>) -> Result<()> {
        match (self, total) {
            (Self::Count(count), Total::Count) => *count += 1,
            (Self::Count(count), Total::CountOf(value)) => *count += u64::from(!value.evaluate(inputs)?.is_null()),
            (Self::Distinct(seen), Total::CountDistinct(value)) => {
                if let Some(bytes) = value.evaluate(inputs)?.as_stored()
                    && !seen.contains(bytes)
                {
                    seen.insert(bytes.to_vec());
                }
            }
            (Self::Sum(sum), Total::Sum(value)) => {
                if let Datum::Number(number) = value.evaluate(inputs)? {
                    sum.add(&number)?;
                }
            }
            (Self::Extreme(extreme), Total::Least(value) | Total::Greatest(value)) => {
                let value = value.evaluate(inputs)?;
                let better = match (value.as_stored(), extreme.as_stored()) {
                    (None, _) => false,
                    (Some(_), None) => true,
                    (Some(value), Some(known)) if matches!(total, Total::Least(_)) => value < known,
                    (Some(value), Some(known)) => value > known,
                };
                if better {
                    *extreme = value;
                }
            }
            _ => return Err(Error::bug("an aggregate with the state of another")),
        }
        Ok(())
    }

    fn value(self) -> Result<Datum> {
        Ok(match self {
            Self::Count(count) => Datum::integer(count as i64),
            Self::Distinct(seen) => Datum::integer(seen.len() as i64),
            Self::Sum(sum) => sum.value()?.map_or(Datum::Null, Datum::Number),
            Self::Extreme(value) => value,
        })
    }
}

/// Rows as arrays, one a column.
///
/// # Errors
/// ORA-00600 for a value that is not of its column's type.
pub(crate) fn to_arrays(rows: &[Vec<Datum>], kinds: &[DatumType]) -> Result<Vec<RecordBatch>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut columns: Vec<Builder> = kinds.iter().map(|kind| Builder::new(*kind, rows.len())).collect();
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.append(value)?;
        }
    }
    let fields = kinds.iter().enumerate().map(|(at, kind)| Field::new(at.to_string(), kind.arrow(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let arrays = columns.iter_mut().map(Builder::finish).collect();
    let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
    Ok(vec![batch.map_err(|error| Error::bug(format!("rows as arrays: {error}")))?])
}
