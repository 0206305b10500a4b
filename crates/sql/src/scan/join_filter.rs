//! Bloom filters of hash joins: the side that is read first says which values of the join's keys it has, and the cells
//! that scan the other side's table leave out rows with other ones.
//!
//! ```text
//!   HashJoinExec
//!     JoinFilterExec ── notes the keys of its rows ──> JoinFilter
//!       …                                                  │ when all rows were there
//!     …                                                    v
//!       TableReadExec <── one more condition, when it begins
//! ```

use std::fmt;
use std::sync::Arc;

use common::sync::Mutex;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType as ArrowType, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};
use scan::{BloomFilter, Comparison, Predicate, Truth};

use crate::error::to_datafusion;

/// True: values of the type are in Arrow as they are stored.
pub(crate) fn has_stored_form(arrow: &ArrowType) -> bool {
    matches!(arrow, ArrowType::Binary | ArrowType::Utf8 | ArrowType::LargeBinary)
}

/// The values of a key, as the first side of a join has them.
#[derive(Debug)]
pub(crate) struct JoinFilter {
    /// As plans show it.
    pub(crate) name: String,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Rows are still read.
    Collecting(Collected),
    /// The condition on the other side, without its column; None where there are too many values.
    Done(Option<Found>),
}

#[derive(Default, Debug)]
struct Collected {
    hashes: Vec<u64>,
    least: Option<Box<[u8]>>,
    greatest: Option<Box<[u8]>>,
}

/// As values are kept in rows.
type LeastAndGreatest = (Box<[u8]>, Box<[u8]>);

#[derive(Debug)]
struct Found {
    filter: Arc<BloomFilter>,
    /// Least and greatest value; None where there is none.
    range: Option<LeastAndGreatest>,
}

impl Collected {
    fn add(&mut self, value: &[u8]) {
        self.hashes.push(BloomFilter::hash(value));
        if self.least.as_deref().is_none_or(|least| value < least) {
            self.least = Some(value.into());
        }
        if self.greatest.as_deref().is_none_or(|greatest| value > greatest) {
            self.greatest = Some(value.into());
        }
    }
}

impl JoinFilter {
    pub(crate) fn new(name: String) -> Self {
        Self { name, state: Mutex::new(State::Done(None)) }
    }

    /// An execution begins.
    fn begin(&self) {
        *self.state.lock() = State::Collecting(Collected::default());
    }

    fn add(&self, column: &dyn Array) {
        let mut state = self.state.lock();
        let State::Collecting(collected) = &mut *state else { return };
        match column.data_type() {
            ArrowType::Binary => column.as_binary::<i32>().iter().flatten().for_each(|value| collected.add(value)),
            ArrowType::LargeBinary => column.as_binary::<i64>().iter().flatten().for_each(|value| collected.add(value)),
            ArrowType::Utf8 => {
                column.as_string::<i32>().iter().flatten().for_each(|value| collected.add(value.as_bytes()));
            }
            _ => *state = State::Done(None),
        }
        if matches!(&*state, State::Collecting(collected) if collected.hashes.len() > BloomFilter::VALUES_MAX) {
            *state = State::Done(None);
        }
    }

    /// All rows were there.
    fn end(&self) {
        let mut state = self.state.lock();
        if let State::Collecting(Collected { hashes, least, greatest }) = &mut *state {
            let range = least.take().zip(greatest.take());
            let filter = BloomFilter::of(hashes);
            *state = State::Done(filter.map(|filter| Found { filter: Arc::new(filter), range }));
        }
    }

    /// What a row of the other side satisfies that has a partner, by the column of its key. None: nothing is known.
    pub(crate) fn condition(&self, column: u16) -> Option<Predicate> {
        let state = self.state.lock();
        let State::Done(Some(Found { filter, range })) = &*state else { return None };
        let Some((least, greatest)) = range else { return Some(Predicate::Constant(Truth::False)) };
        Some(Predicate::And(vec![
            Predicate::compare(column, Comparison::GreaterOrEqual, least),
            Predicate::compare(column, Comparison::LessOrEqual, greatest),
            Predicate::InFilter { column, filter: Arc::clone(filter) },
        ]))
    }
}

/// Passes the rows of a join's first side on, and notes their keys.
#[derive(Debug)]
pub(crate) struct JoinFilterExec {
    input: Arc<dyn ExecutionPlan>,
    /// Each with the column of its key.
    filters: Vec<(usize, Arc<JoinFilter>)>,
}

impl JoinFilterExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, filters: Vec<(usize, Arc<JoinFilter>)>) -> Self {
        Self { input, filters }
    }

    /// The filters' name in plans.
    pub(crate) fn filter_name(&self) -> &str {
        self.filters.first().map_or("", |(_, filter)| &filter.name)
    }
}

impl DisplayAs for JoinFilterExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinFilterExec: {}", self.filter_name())
    }
}

impl ExecutionPlan for JoinFilterExec {
    fn name(&self) -> &'static str {
        "JoinFilterExec"
    }

    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| to_datafusion(common::Error::bug("a side of a join without rows")))?;
        Ok(Arc::new(Self { input, filters: self.filters.clone() }))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        self.filters.iter().for_each(|(_, filter)| filter.begin());
        let filters = self.filters.clone();
        let ends = self.filters.clone();
        let noted = input.map(move |batch| {
            if let Ok(batch) = &batch {
                note(batch, &filters);
            }
            batch
        });
        // Behind the last batch: an input that fails or is dropped has not told everything.
        let end = stream::poll_fn(move |_| {
            ends.iter().for_each(|(_, filter)| filter.end());
            std::task::Poll::Ready(None::<Result<RecordBatch>>)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), noted.chain(end))))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.input.metrics()
    }
}

fn note(batch: &RecordBatch, filters: &[(usize, Arc<JoinFilter>)]) {
    for (column, filter) in filters {
        filter.add(batch.column(*column));
    }
}
