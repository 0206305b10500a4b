//! Rows from the engine, by the chosen access path.

use std::ops::Deref;
use std::sync::Arc;

use common::{Error, Result, Rowid};
use engine::dictionary::{IndexDef, TableDef};
use engine::instance::Session;
use scan::{Columns, EntryColumns, Predicate, RowSink, ScanSpec};
use storage::cells::Extreme;
use storage::index::EntryKey;
use storage::table::{Fetcher, Row, TableScan};

use super::access::{Access, KeyBound};
use super::figures::Figures;
use super::index_range::IndexRange;
use super::read_plan::ReadPlan;

/// A read of one execution: plain data.
#[derive(Clone, Debug)]
pub(crate) struct ReadSpec {
    pub(crate) plan: Arc<ReadPlan>,
    /// The condition in this execution.
    pub(crate) predicate: Option<Predicate>,
    pub(crate) access: Access,
    /// Rows that have none of these may be left out. Empty: all rows are wanted.
    pub(crate) extremes: Vec<Extreme>,
}

impl Deref for ReadSpec {
    type Target = ReadPlan;

    fn deref(&self) -> &ReadPlan {
        &self.plan
    }
}

/// Takes the rows of a read.
pub(crate) trait ReadSink: RowSink {
    /// Rows taken and not yet given on.
    fn held(&self) -> usize;

    /// A row fetched by its rowid.
    fn fetched(&mut self, rowid: Rowid, columns: &[Option<&[u8]>]) {
        self.block(rowid.data_object, rowid.block);
        self.row(rowid.slot, columns);
    }
}

impl ReadSpec {
    /// A read that finds no row: of a table whose rows are looked up later.
    pub(crate) fn nothing(plan: &Arc<ReadPlan>) -> Self {
        Self { plan: Arc::clone(plan), predicate: None, access: Access::Rowids(Vec::new()), extremes: Vec::new() }
    }

    /// The read under further conditions.
    pub(crate) fn with_conditions(self: &Arc<Self>, further: Vec<Predicate>) -> Arc<Self> {
        if further.is_empty() {
            return Arc::clone(self);
        }
        let all = self.predicate.clone().into_iter().chain(further).collect();
        Arc::new(Self { predicate: Some(Predicate::And(all)), ..Self::clone(self) })
    }

    pub(crate) fn scan_spec(&self) -> ScanSpec {
        ScanSpec { projection: self.projection.clone(), predicate: self.predicate.clone(), rowids: self.rowids }
    }
}

/// A read in progress.
#[derive(Debug)]
pub(crate) enum Source {
    Full(TableScan),
    Rowids {
        fetch: RowidFetch,
        rowids: std::vec::IntoIter<Rowid>,
    },
    /// `again`: a fetch has begun that goes on with the range.
    Index {
        rows: EntryRows,
        range: IndexRange,
        following: std::vec::IntoIter<(KeyBound, KeyBound)>,
        again: bool,
    },
}

impl Source {
    pub(crate) fn open(session: &Arc<Session>, spec: &ReadSpec) -> Result<Self> {
        spec.table.segment.check_readable(session.snapshot().scn())?;
        session.check_not_loaded(spec.table.object)?;
        Ok(match &spec.access {
            Access::Full => {
                let (worker, heap) = (session.worker().clone(), spec.table.heap().clone());
                let mut scan = TableScan::for_query(worker, heap, spec.scan_spec())?;
                scan.keep_extremes(spec.extremes.clone());
                Self::Full(scan)
            }
            Access::Rowids(rowids) => Self::Rowids { fetch: RowidFetch::new(spec), rowids: rowids.clone().into_iter() },
            Access::Index { index, way, ranges, unique, descending, .. } => {
                index.segment.check_readable(session.snapshot().scn())?;
                let mut following = ranges.clone().into_iter();
                let range = match following.next() {
                    Some(range) => {
                        IndexRange::open(session, (index, *way), &range, *unique, *descending, tested(spec))?
                    }
                    None => IndexRange::none(),
                };
                Self::Index { rows: EntryRows::new(spec, index), range, following, again: false }
            }
        })
    }

    /// A fetch begins that goes on with this: what the fetch before has left is got once more, because nothing stays
    /// pinned from one to the next.
    pub(crate) fn go_on(&mut self) {
        if let Self::Index { again, .. } = self {
            *again = true;
        }
    }

    /// Puts at most `rows` rows into the sink; false at the end. `inner` takes the figures of the index under a table
    /// access, where they are wanted.
    pub(crate) fn next(
        &mut self,
        (session, spec): (&Arc<Session>, &ReadSpec),
        sink: &mut impl ReadSink,
        rows: usize,
        inner: Option<&Figures>,
    ) -> Result<bool> {
        match self {
            Self::Full(scan) => scan.next(sink, rows),
            Self::Rowids { fetch, rowids } => {
                let wanted = sink.held() + rows;
                let mut fetcher = fetch.fetcher(session);
                while sink.held() < wanted {
                    let Some(rowid) = rowids.next() else { return Ok(false) };
                    fetch.one(&mut fetcher, rowid, sink)?;
                }
                Ok(true)
            }
            Self::Index { rows: entries, range, following, again } => {
                let wanted = sink.held() + rows;
                let Access::Index { index, way, unique, descending, only, .. } = &spec.access else {
                    return Err(Error::bug("an index read by another access path"));
                };
                let mut fetcher = (!only).then(|| entries.fetch.fetcher(session));
                // The table's row source is that of the index where the table is not visited.
                let inner = inner.filter(|_| !only);
                let tested = tested(spec);
                if std::mem::take(again) {
                    match inner {
                        Some(inner) => inner.measure(session.meter(), || range.go_on())?,
                        None => range.go_on()?,
                    }
                }
                if *only && following.len() == 0 {
                    // The only range: entry by entry without a look at anything else.
                    let mut looked = 0_u32;
                    while let Some((key, rowid)) = range.next()? {
                        entries.take(key, tested, rowid, Some(&mut *sink));
                        if sink.held() >= wanted {
                            return Ok(true);
                        }
                        looked = looked.wrapping_add(1);
                        if looked.is_multiple_of(ENTRIES_A_CHECK) {
                            session.check_cancelled()?;
                        }
                    }
                    return Ok(false);
                }
                while sink.held() < wanted {
                    let mut found = || -> Result<Option<Rowid>> {
                        while let Some((key, rowid)) = range.next()? {
                            if tested.is_none() && !only {
                                return Ok(Some(rowid));
                            }
                            if entries.take(key, tested, rowid, only.then_some(&mut *sink)) {
                                return Ok(Some(rowid));
                            }
                            session.check_cancelled()?;
                        }
                        Ok(None)
                    };
                    let found = match inner {
                        Some(inner) => inner.measure(session.meter(), found)?.inspect(|_| inner.rows(1)),
                        None => found()?,
                    };
                    let Some(rowid) = found else {
                        let Some(next) = following.next() else { return Ok(false) };
                        let open = || IndexRange::open(session, (index, *way), &next, *unique, *descending, tested);
                        *range = match inner {
                            Some(inner) => {
                                inner.start();
                                inner.measure(session.meter(), open)?
                            }
                            None => open()?,
                        };
                        continue;
                    };
                    session.check_cancelled()?;
                    if let Some(fetcher) = &mut fetcher {
                        entries.fetch.one(fetcher, rowid, sink)?;
                    }
                }
                Ok(true)
            }
        }
    }
}

/// The condition on the entries of a read by an index.
fn tested(spec: &ReadSpec) -> Option<&Predicate> {
    match &spec.access {
        Access::Index { only: true, .. } => spec.predicate.as_ref(),
        Access::Index { filter, .. } => filter.as_ref(),
        Access::Full | Access::Rowids(_) => None,
    }
}

/// Most columns of an index, and of most indexes.
const COLUMNS_MAX: usize = 32;
const FEW_COLUMNS: usize = 4;

/// Entries between two looks whether the user has cancelled.
const ENTRIES_A_CHECK: u32 = 256;

/// Rows out of the entries of an index, or by their rowids.
#[derive(Debug)]
pub(crate) struct EntryRows {
    fetch: RowidFetch,
    /// The columns of the index.
    columns: Vec<u16>,
    /// Of each column that is read the place in the entry; empty where the entry lacks some.
    places: Vec<usize>,
}

impl EntryRows {
    fn new(spec: &ReadSpec, index: &IndexDef) -> Self {
        if matches!(spec.access, Access::Index { only: false, filter: None, .. }) {
            // Entries are not looked at.
            return Self { fetch: RowidFetch::new(spec), columns: Vec::new(), places: Vec::new() };
        }
        let place = |column: &u16| index.columns.iter().position(|own| own == column);
        let places = spec.projection.iter().map(place).collect::<Option<Vec<_>>>().unwrap_or_default();
        Self { fetch: RowidFetch::new(spec), columns: index.columns.clone(), places }
    }

    /// True: the entry satisfies the condition. Then `sink` takes its row, where it is given.
    fn take(
        &self,
        key: EntryKey<'_>,
        condition: Option<&Predicate>,
        rowid: Rowid,
        sink: Option<&mut impl ReadSink>,
    ) -> bool {
        match (condition, sink) {
            // Rows are counted, or their rowids are wanted alone.
            (None, Some(sink)) if self.places.is_empty() => {
                sink.fetched(rowid, &[]);
                true
            }
            (condition, sink) if self.columns.len() <= FEW_COLUMNS => {
                self.take_of::<FEW_COLUMNS>(key, condition, rowid, sink)
            }
            (condition, sink) => self.take_of::<COLUMNS_MAX>(key, condition, rowid, sink),
        }
    }

    /// The same of an index with at most `N` columns.
    fn take_of<const N: usize>(
        &self,
        key: EntryKey<'_>,
        condition: Option<&Predicate>,
        rowid: Rowid,
        sink: Option<&mut impl ReadSink>,
    ) -> bool {
        let mut values: [Option<&[u8]>; N] = [None; N];
        values.iter_mut().zip(key.columns()).for_each(|(value, column)| *value = column);
        let mut entry = EntryColumns { columns: &self.columns, values: &values };
        if condition.is_some_and(|condition| !condition.accepts(&mut entry)) {
            return false;
        }
        if let Some(sink) = sink {
            let mut row = [None; N];
            row.iter_mut().zip(&self.places).for_each(|(column, at)| *column = values.get(*at).copied().flatten());
            sink.fetched(rowid, &row[..self.places.len()]);
        }
        true
    }
}

/// Fetches rows by rowid, filters and projects them. The engine's fetcher lives for one call: no block stays pinned
/// between calls.
#[derive(Debug)]
pub(crate) struct RowidFetch {
    table: Arc<TableDef>,
    width: usize,
    predicate: Option<Predicate>,
    projection: Vec<u16>,
    row: Row,
}

impl RowidFetch {
    fn new(spec: &ReadSpec) -> Self {
        let mut width = spec.projection.iter().map(|column| usize::from(*column) + 1).max().unwrap_or(0);
        if let Some(predicate) = &spec.predicate {
            predicate.for_each_column(&mut |column| width = width.max(usize::from(column) + 1));
        }
        Self {
            table: Arc::clone(&spec.table),
            width,
            predicate: spec.predicate.clone(),
            projection: spec.projection.clone(),
            row: Row::new(),
        }
    }

    fn fetcher(&self, session: &Arc<Session>) -> Fetcher {
        Fetcher::new(session.worker().clone(), self.table.heap().clone(), (0..self.width).collect())
    }

    fn one(&mut self, fetcher: &mut Fetcher, rowid: Rowid, sink: &mut impl ReadSink) -> Result<()> {
        let found = match fetcher.fetch(rowid, &mut self.row) {
            // A rowid of another segment is no row of this table.
            Err(error) if error.is_ora(1410) => false,
            other => other?,
        };
        if !found {
            return Ok(());
        }
        let accepted = self.predicate.as_ref().is_none_or(|predicate| predicate.accepts(&mut WholeRow(&self.row)));
        if accepted {
            let columns: Vec<Option<&[u8]>> =
                self.projection.iter().map(|column| self.row.column(usize::from(*column))).collect();
            sink.fetched(rowid, &columns);
        }
        Ok(())
    }
}

struct WholeRow<'a>(&'a Row);

impl<'a> Columns<'a> for WholeRow<'a> {
    fn column(&mut self, column: u16) -> Option<&'a [u8]> {
        self.0.column(usize::from(column))
    }
}
