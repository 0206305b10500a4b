//! A range of an index, entry by entry.

use std::ops::Bound;
use std::sync::Arc;

use common::{Result, Rowid};
use engine::dictionary::IndexDef;
use engine::instance::Session;
use storage::index::{IndexScan, Key, lookup};

use super::access::KeyBound;

#[derive(Debug)]
pub(crate) enum IndexRange {
    /// The result of a unique lookup.
    One(Option<Rowid>),
    Scan(Box<IndexScan>),
}

impl IndexRange {
    /// `unique`: both bounds are the whole key of a unique index.
    pub(crate) fn open(
        session: &Arc<Session>,
        index: &Arc<IndexDef>,
        (lower, upper): &(KeyBound, KeyBound),
        unique: bool,
        descending: bool,
    ) -> Result<Self> {
        if let (true, Bound::Included(values)) = (unique, lower) {
            return Ok(Self::One(lookup(session, index, &key(values))?));
        }
        let scan = IndexScan::new(session, index, bound(lower), bound(upper), descending)?;
        Ok(Self::Scan(Box::new(scan)))
    }

    pub(crate) fn next(&mut self) -> Result<Option<Rowid>> {
        match self {
            Self::One(rowid) => Ok(rowid.take()),
            Self::Scan(scan) => Ok(scan.next()?.map(|(_, rowid)| rowid)),
        }
    }
}

fn key(values: &[Vec<u8>]) -> Key {
    Key::new(values.iter().map(|value| Some(value.as_slice())))
}

fn bound(bound: &KeyBound) -> Bound<Key> {
    match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(values) => Bound::Included(key(values)),
        Bound::Excluded(values) => Bound::Excluded(key(values)),
    }
}
