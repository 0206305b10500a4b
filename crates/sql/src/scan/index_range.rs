//! A range of an index, entry by entry.

use std::ops::Bound;
use std::sync::Arc;

use common::{Result, Rowid};
use engine::dictionary::IndexDef;
use engine::instance::Session;
use scan::Predicate;
use storage::index::{EntryKey, FastFullScan, IndexScan, Key, lookup};

use super::access::KeyBound;
use super::index_way::IndexWay;

#[derive(Debug)]
pub(crate) enum IndexRange {
    /// The result of a unique lookup, with its key.
    One(Key, Option<Rowid>),
    Scan(Box<IndexScan>),
    Fast(Box<FastFullScan>),
    Skip(Box<SkipScan>),
}

impl IndexRange {
    pub(crate) fn none() -> Self {
        Self::One(Key::default(), None)
    }

    /// `unique`: both bounds are the whole key of a unique index. `way` says of which columns the bounds are, and that
    /// a whole index is read block by block: then without entries, perhaps, that do not satisfy the condition.
    pub(crate) fn open(
        session: &Arc<Session>,
        (index, way): (&Arc<IndexDef>, IndexWay),
        (lower, upper): &(KeyBound, KeyBound),
        unique: bool,
        descending: bool,
        condition: Option<&Predicate>,
    ) -> Result<Self> {
        match way {
            IndexWay::Fast => return Ok(Self::Fast(Box::new(FastFullScan::new(session, index, condition)?))),
            IndexWay::Skip(columns) => {
                let (index, bounds) = (Arc::clone(index), (lower.clone(), upper.clone()));
                let session = Arc::clone(session);
                let skip = SkipScan { session, index, columns, bounds, descending, prefix: None, within: None };
                return Ok(Self::Skip(Box::new(skip)));
            }
            IndexWay::Range | IndexWay::Whole => {}
        }
        if let (true, Bound::Included(values)) = (unique, lower) {
            let key = key(&[], values);
            let found = lookup(session, index, &key)?;
            return Ok(Self::One(key, found));
        }
        let scan = IndexScan::new(session, index, bound(&[], lower), bound(&[], upper), descending)?;
        Ok(Self::Scan(Box::new(scan)))
    }

    /// A call begins that goes on with the range.
    pub(crate) fn go_on(&self) -> Result<()> {
        match self {
            Self::Scan(scan) => scan.go_on(),
            Self::Skip(skip) => skip.within.as_ref().map_or(Ok(()), |(scan, _)| scan.go_on()),
            Self::One(..) | Self::Fast(_) => Ok(()),
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<(EntryKey<'_>, Rowid)>> {
        match self {
            Self::One(key, rowid) => Ok(rowid.take().map(|rowid| (key.as_entry(), rowid))),
            Self::Scan(scan) => scan.next(),
            Self::Fast(scan) => scan.next(),
            Self::Skip(scan) => Ok(scan.next()?.map(|(key, rowid)| (key.as_entry(), rowid))),
        }
    }
}

/// Leading key columns.
type Prefix = Vec<Option<Vec<u8>>>;

/// A range behind leading columns that have no condition: for each of their values, which are found one after the
/// other, the index is entered once more.
#[derive(Debug)]
pub(crate) struct SkipScan {
    session: Arc<Session>,
    index: Arc<IndexDef>,
    /// Number of the leading columns.
    columns: usize,
    bounds: (KeyBound, KeyBound),
    descending: bool,
    /// The values of the leading columns in the range that is being read, or was read last.
    prefix: Option<Prefix>,
    within: Option<(IndexScan, Key)>,
}

impl SkipScan {
    fn next(&mut self) -> Result<Option<(&Key, Rowid)>> {
        loop {
            if let Some((scan, _)) = &mut self.within {
                let found = scan.next()?.map(|(key, rowid)| (key.to_key(), rowid));
                if let Some((found, rowid)) = found {
                    let Some((_, key)) = &mut self.within else { return Ok(None) };
                    *key = found;
                    return Ok(Some((key, rowid)));
                }
                self.within = None;
            }
            let Some(prefix) = self.next_prefix()? else { return Ok(None) };
            let (lower, upper) = (bound(&prefix, &self.bounds.0), bound(&prefix, &self.bounds.1));
            let scan = IndexScan::new(&self.session, &self.index, lower, upper, self.descending)?;
            self.prefix = Some(prefix);
            self.within = Some((scan, Key::default()));
        }
    }

    /// The next values of the leading columns.
    fn next_prefix(&self) -> Result<Option<Prefix>> {
        let beyond = match &self.prefix {
            Some(prefix) => Bound::Excluded(key(prefix, &[])),
            None => Bound::Unbounded,
        };
        let (lower, upper) = if self.descending { (Bound::Unbounded, beyond) } else { (beyond, Bound::Unbounded) };
        let mut scan = IndexScan::new(&self.session, &self.index, lower, upper, self.descending)?;
        let owned = |column: Option<&[u8]>| column.map(<[u8]>::to_vec);
        Ok(scan.next()?.map(|(key, _)| key.columns().take(self.columns).map(owned).collect()))
    }
}

fn key(prefix: &[Option<Vec<u8>>], values: &[Vec<u8>]) -> Key {
    let leading = prefix.iter().map(Option::as_deref);
    Key::new(leading.chain(values.iter().map(|value| Some(value.as_slice()))))
}

/// A bound behind leading columns.
fn bound(prefix: &[Option<Vec<u8>>], bound: &KeyBound) -> Bound<Key> {
    match bound {
        Bound::Unbounded if prefix.is_empty() => Bound::Unbounded,
        Bound::Unbounded => Bound::Included(key(prefix, &[])),
        Bound::Included(values) => Bound::Included(key(prefix, values)),
        Bound::Excluded(values) => Bound::Excluded(key(prefix, values)),
    }
}
