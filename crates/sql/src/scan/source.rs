//! Rows from the engine, by the chosen access path.

use std::ops::Deref;
use std::sync::Arc;

use common::{Error, Result, Rowid};
use engine::dictionary::TableDef;
use engine::instance::Session;
use scan::{Columns, Predicate, RowSink, ScanSpec};
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
        Self { plan: Arc::clone(plan), predicate: None, access: Access::Rowids(Vec::new()) }
    }

    pub(crate) fn scan_spec(&self) -> ScanSpec {
        ScanSpec { projection: self.projection.clone(), predicate: self.predicate.clone(), rowids: self.rowids }
    }
}

/// A read in progress.
#[derive(Debug)]
pub(crate) enum Source {
    Full(TableScan),
    Rowids { fetch: RowidFetch, rowids: std::vec::IntoIter<Rowid> },
    Index { fetch: RowidFetch, range: IndexRange, following: std::vec::IntoIter<(KeyBound, KeyBound)> },
}

impl Source {
    pub(crate) fn open(session: &Arc<Session>, spec: &ReadSpec) -> Result<Self> {
        spec.table.segment.check_readable(session.snapshot().scn())?;
        session.check_not_loaded(spec.table.object)?;
        Ok(match &spec.access {
            Access::Full => {
                Self::Full(TableScan::for_query(session.worker().clone(), spec.table.heap().clone(), spec.scan_spec())?)
            }
            Access::Rowids(rowids) => Self::Rowids { fetch: RowidFetch::new(spec), rowids: rowids.clone().into_iter() },
            Access::Index { index, ranges, unique, descending } => {
                let mut following = ranges.clone().into_iter();
                let range = match following.next() {
                    Some(range) => IndexRange::open(session, index, &range, *unique, *descending)?,
                    None => IndexRange::One(None),
                };
                Self::Index { fetch: RowidFetch::new(spec), range, following }
            }
        })
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
            Self::Index { fetch, range, following } => {
                let wanted = sink.held() + rows;
                let mut fetcher = fetch.fetcher(session);
                let Access::Index { index, unique, descending, .. } = &spec.access else {
                    return Err(Error::bug("an index read by another access path"));
                };
                while sink.held() < wanted {
                    let found = match inner {
                        Some(inner) => inner.measure(session.meter(), || range.next())?.inspect(|_| inner.rows(1)),
                        None => range.next()?,
                    };
                    let Some(rowid) = found else {
                        let Some(next) = following.next() else { return Ok(false) };
                        let open = || IndexRange::open(session, index, &next, *unique, *descending);
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
                    fetch.one(&mut fetcher, rowid, sink)?;
                }
                Ok(true)
            }
        }
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
