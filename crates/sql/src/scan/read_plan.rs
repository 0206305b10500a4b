//! The read of one table, worked out once and bound for each execution.

use std::sync::Arc;

use common::{Result, Rowid};
use datafusion::logical_expr::Expr;
use engine::dictionary::{IndexDef, TableDef};
use engine::instance::Session;
use scan::{Comparison, Predicate, Truth};
use storage::segment::Segment;

use super::access::{self, Access, Chosen, CostSettings};
use super::index_way::IndexWay;
use super::predicate::{Pushed, push};
use super::source::ReadSpec;
use super::template::{Operand, Template};
use crate::direct::value::Inputs;
use crate::plan::hints::{HintFate, Hints, is_for_access};

/// The read of one table.
#[derive(Clone, Debug)]
pub(crate) struct ReadPlan {
    pub(crate) table: Arc<TableDef>,
    pub(crate) alias: String,
    /// Table positions of the columns that are read.
    pub(crate) projection: Vec<u16>,
    pub(crate) conditions: Option<Template>,
    pub(crate) path: Path,
    /// The index has all that is wanted: the table is not visited.
    pub(crate) only: bool,
    /// An index is read from its end.
    pub(crate) descending: bool,
    /// The index is read for its order.
    pub(crate) in_order: bool,
    /// Rows that a hint wants soon.
    pub(crate) first_rows: Option<f64>,
    /// The first row in the order of the index is all that is wanted.
    pub(crate) first_only: bool,
    /// The rows' addresses are wanted.
    pub(crate) rowids: bool,
    pub(crate) hints: Vec<HintFate>,
    /// Hints say how the table is read.
    pub(crate) is_hinted: bool,
    /// Rows that a hint says there are.
    pub(crate) cardinality: Option<f64>,
    /// The rows are joined by a merge.
    pub(crate) merges: bool,
}

/// How the rows are found.
#[derive(Clone, Debug)]
pub(crate) enum Path {
    Full,
    /// By lists of rowids: the rows that are in all of them.
    Rowids(Vec<Vec<Operand>>),
    Index(Arc<IndexDef>, IndexWay),
}

impl ReadPlan {
    /// The read of some fields of a table, ROWID last among them, under conditions. The second value has for each field
    /// its index among the columns read, None for ROWID. The way to the rows is chosen for the values of `inputs`. None
    /// when one of the conditions cannot be evaluated on stored columns, or has a value that is none.
    ///
    /// # Errors
    /// Errors of reading the table's size.
    pub(crate) fn of(
        session: &Session,
        table: &Arc<TableDef>,
        hints: &Hints,
        fields: &[usize],
        filters: &[Expr],
        inputs: &Inputs<'_>,
    ) -> Result<Option<(Self, Vec<Option<usize>>)>> {
        let rowid_field = table.columns.len();
        let (mut projection, mut sources) = (Vec::new(), Vec::new());
        for field in fields {
            if *field == rowid_field {
                sources.push(None);
            } else {
                sources.push(Some(projection.len()));
                projection.push(*field as u16);
            }
        }
        let mut conditions = Vec::new();
        let mut rowids: Vec<Vec<Operand>> = Vec::new();
        for filter in filters {
            match push(filter, table) {
                Some(Pushed::Columns(condition)) => conditions.push(condition),
                Some(Pushed::Rowids(list)) => rowids.push(list),
                None => return Ok(None),
            }
        }
        let conditions = match conditions.len() {
            0 => None,
            1 => conditions.pop(),
            _ => Some(Template::And(conditions)),
        };
        let alias = hints.table.clone().unwrap_or_else(|| table.name.clone());
        let is_hinted = hints.list.iter().any(|hint| is_for_access(&hint.name));
        let merges = hints.merges;
        let (cardinality, first_rows) = (hints.cardinality(), hints.first_rows());
        let (path, hints) = if rowids.is_empty() {
            let predicate = match &conditions {
                None => None,
                Some(conditions) => match conditions.bound(inputs) {
                    Ok(Some(predicate)) => Some(predicate),
                    _ => return Ok(None),
                },
            };
            let blocks = || access::blocks(session, table);
            let blocks = (blocks, CostSettings::of(session));
            let (chosen, fates) = access::choose(table, blocks, (predicate.as_ref(), &projection), hints)?;
            match chosen {
                Chosen::Index(index, way) => (Path::Index(Arc::clone(index), way), fates),
                Chosen::Full => (Path::Full, fates),
            }
        } else {
            (Path::Rowids(rowids), access::unused(hints, "rows are read by their rowids"))
        };
        let mut read = Self {
            table: Arc::clone(table),
            alias,
            projection,
            conditions,
            path: Path::Full,
            only: false,
            descending: false,
            in_order: false,
            first_rows,
            first_only: false,
            rowids: sources.contains(&None),
            hints,
            is_hinted,
            cardinality,
            merges,
        };
        read.take(path);
        Ok(Some((read, sources)))
    }

    /// Takes this way to the rows.
    pub(crate) fn take(&mut self, path: Path) {
        self.only = match &path {
            Path::Index(index, _) => {
                let shape = self.conditions.as_ref().map(Template::shape);
                access::is_covered(index, &self.projection, shape.as_ref())
            }
            Path::Full | Path::Rowids(_) => false,
        };
        self.path = path;
    }

    /// The segment that is read from its first block to its last; None where the rows are found otherwise.
    pub(crate) fn whole_segment(&self) -> Option<&Segment> {
        match &self.path {
            Path::Full => Some(&self.table.segment),
            Path::Index(index, IndexWay::Fast) => Some(&index.segment),
            Path::Index(index, IndexWay::Whole) if !self.first_only && !self.in_order => Some(&index.segment),
            Path::Index(..) | Path::Rowids(_) => None,
        }
    }

    /// True: the index that finds the rows gives them in the order of these columns.
    pub(crate) fn has_order(&self, columns: &[u16]) -> bool {
        let Path::Index(index, IndexWay::Range | IndexWay::Whole) = &self.path else { return false };
        let mut conditions = Vec::new();
        if let Some(condition) = &self.conditions {
            condition.flatten(&mut conditions);
        }
        let constant = |column: u16| {
            conditions.iter().any(|condition| {
                matches!(condition, Template::Compare { column: c, comparison: Comparison::Equal, .. } if *c == column)
            })
        };
        let mut keys = columns.iter().copied().filter(|column| !constant(*column)).peekable();
        for column in index.columns.iter().filter(|column| !constant(**column)) {
            match keys.peek() {
                None => return true,
                Some(key) if key == column => drop(keys.next()),
                Some(_) => return false,
            }
        }
        keys.peek().is_none()
    }

    /// The read of one execution. None when its values do not fit the plan, or when one of them is an error: the long
    /// way finds out whether a row needs it.
    pub(crate) fn spec(self: &Arc<Self>, inputs: &Inputs<'_>) -> Option<ReadSpec> {
        let predicate = match &self.conditions {
            None => None,
            Some(conditions) => match conditions.bound(inputs) {
                Ok(Some(predicate)) => Some(predicate),
                _ => return None,
            },
        };
        let access = match &self.path {
            Path::Full => Access::Full,
            Path::Rowids(lists) => {
                let mut found: Option<Vec<Rowid>> = None;
                for list in lists {
                    let rowids = rowids_of(list, inputs)?;
                    found = Some(match found {
                        None => rowids,
                        Some(before) => before.into_iter().filter(|rowid| rowids.contains(rowid)).collect(),
                    });
                }
                Access::Rowids(found.unwrap_or_default())
            }
            Path::Index(index, way) => match access::of_index(index, *way, predicate.as_ref(), self.only) {
                Some(Access::Index { index, way, mut ranges, unique, only, filter, .. }) => {
                    if self.descending {
                        ranges.reverse();
                    }
                    Access::Index { index, way, ranges, unique, descending: self.descending, only, filter }
                }
                // A comparison with NULL: no row.
                _ if predicate.as_ref().is_some_and(is_never) => Access::Rowids(Vec::new()),
                _ => return None,
            },
        };
        Some(ReadSpec { plan: Arc::clone(self), predicate, access, extremes: Vec::new() })
    }

    /// The read as plans show it: `now`, or where that finds nothing, the way of the plan with any values.
    pub(crate) fn planned_spec(self: &Arc<Self>, now: &Arc<ReadSpec>) -> Arc<ReadSpec> {
        let unasked = matches!((&now.access, &self.path), (Access::Rowids(_), Path::Index(..)));
        if !unasked {
            return Arc::clone(now);
        }
        let predicate = self.conditions.as_ref().map(Template::shape);
        let Path::Index(index, way) = &self.path else { return Arc::clone(now) };
        match access::of_index(index, *way, predicate.as_ref(), self.only) {
            Some(access) => Arc::new(ReadSpec { plan: Arc::clone(self), predicate, access, extremes: Vec::new() }),
            None => Arc::clone(now),
        }
    }

    /// The condition on rowids as plans show it, where it is not a list of them.
    pub(super) fn rowids_shown(&self) -> Option<String> {
        match &self.path {
            Path::Rowids(lists) => crate::explain::predicate::of_later_rowids(&lists.concat()),
            _ => None,
        }
    }
}

/// The rowids of a list in this execution, in order; None when one is no rowid.
fn rowids_of(list: &[Operand], inputs: &Inputs<'_>) -> Option<Vec<Rowid>> {
    let mut rowids = Vec::with_capacity(list.len());
    for operand in list {
        if let Some(bytes) = operand.bytes(inputs).ok()?? {
            rowids.push(std::str::from_utf8(&bytes).ok()?.parse::<Rowid>().ok()?);
        }
    }
    rowids.sort_unstable();
    rowids.dedup();
    Some(rowids)
}

/// True: no row satisfies the condition.
fn is_never(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Constant(value) => *value != Truth::True,
        Predicate::And(parts) => parts.iter().any(is_never),
        Predicate::In { values, .. } => values.is_empty(),
        _ => false,
    }
}
