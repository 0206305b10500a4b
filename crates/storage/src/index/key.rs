//! Keys as callers have them, and sorted entries.
//!
//! Sorting works on 16-byte records: eight bytes of key that decide nearly every comparison, and the place of the whole
//! key in one arena.

use std::cmp::Ordering;

use common::{ObjectNumber, Rowid};
use format::index::header::KeyShape;
use format::index::key::{self, Columns, ROWID_BYTES, ROWID_COLUMN_BYTES};

/// The key columns of one row, without its rowid.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Key {
    image: Vec<u8>,
}

impl Key {
    /// A key of `columns`, in the index's order. Leading columns alone make a key to search with.
    #[must_use]
    pub fn new<'a>(columns: impl IntoIterator<Item = Option<&'a [u8]>>) -> Self {
        let mut image = Vec::with_capacity(24);
        for column in columns {
            key::put_column(&mut image, column);
        }
        Self { image }
    }

    /// The key in the form of index blocks.
    #[must_use]
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    pub fn columns(&self) -> impl Iterator<Item = Option<&[u8]>> {
        Columns::of(&self.image)
    }

    /// True: all columns are NULL. Such a row has no entry.
    #[must_use]
    pub fn is_all_null(&self) -> bool {
        key::all_null(&self.image)
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        key::compare(&self.image, &other.image)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Many keys in one allocation.
#[derive(Clone, Default, Debug)]
pub struct Keys {
    images: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// Adds a key: its columns in the index's order.
    pub fn push<'a>(&mut self, columns: impl IntoIterator<Item = Option<&'a [u8]>>) {
        debug_assert!(self.ends.last().is_none_or(|end| *end == self.images.len()), "keys lie one behind the other");
        for column in columns {
            key::put_column(&mut self.images, column);
        }
        self.ends.push(self.images.len());
    }

    /// Key `at`, in the form of index blocks; empty behind the last one.
    #[must_use]
    pub fn image(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before).copied().unwrap_or_default());
        self.ends.get(at).map_or(&[], |end| &self.images[start..*end])
    }

    pub fn clear(&mut self) {
        self.images.clear();
        self.ends.clear();
    }
}

/// A key in a sort.
#[derive(Clone, Copy, Debug)]
struct Record {
    prefix: u64,
    /// Offset of the stored key in the arena, 48 bits, and its length, 16 bits.
    place: u64,
}

const LENGTH_BITS: u32 = 16;

/// Entries of one index: gathered in any order, then sorted into the index's order.
#[derive(Debug)]
pub(crate) struct Entries {
    shape: KeyShape,
    /// Stored entries. Unique index: rowid, key. Other index: key, with the rowid as its last column.
    arena: Vec<u8>,
    records: Vec<Record>,
}

/// An entry as a leaf stores it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafEntry<'a> {
    pub(super) key: &'a [u8],
    pub(super) rowid: [u8; ROWID_BYTES],
}

impl Entries {
    pub(crate) fn new(shape: KeyShape) -> Self {
        Self { shape, arena: Vec::new(), records: Vec::new() }
    }

    /// The sorted entries of `rows`, which are images of keys with rowids. Rows whose key is all NULL are left out.
    pub(super) fn sorted<'k>(shape: KeyShape, rows: impl Iterator<Item = (&'k [u8], Rowid)>) -> Self {
        let mut entries = Self::new(shape);
        for (image, rowid) in rows {
            entries.push(Columns::of(image), rowid.restricted());
        }
        entries.sort();
        entries
    }

    /// Adds the entry of a row, unless all columns are NULL.
    pub(crate) fn push<'c>(&mut self, columns: impl Iterator<Item = Option<&'c [u8]>>, rowid: [u8; ROWID_BYTES]) {
        let begin = self.arena.len();
        if self.shape.unique {
            self.arena.extend_from_slice(&rowid);
        }
        let start = self.arena.len();
        let mut all_null = true;
        for column in columns {
            all_null &= column.is_none();
            key::put_column(&mut self.arena, column);
        }
        if all_null {
            self.arena.truncate(begin);
            return;
        }
        if !self.shape.unique {
            key::put_rowid(&mut self.arena, rowid);
        }
        self.record(start);
    }

    fn record(&mut self, start: usize) {
        let stored = &self.arena[start..];
        debug_assert!(stored.len() <= usize::from(u16::MAX), "a key of {} bytes", stored.len());
        self.records.push(Record {
            prefix: key::sort_prefix(stored),
            place: (start as u64) << LENGTH_BITS | stored.len().min(usize::from(u16::MAX)) as u64,
        });
    }

    pub(crate) fn sort(&mut self) {
        let arena = &self.arena;
        self.records.sort_unstable_by(|a, b| {
            let keys = || key::compare(stored(arena, a.place), stored(arena, b.place));
            // Of equal keys the first one pushed comes first.
            a.prefix.cmp(&b.prefix).then_with(keys).then(a.place.cmp(&b.place))
        });
        // The prefix is to order as the keys do.
        let keys = || self.records.iter().map(|record| stored(arena, record.place));
        debug_assert!(keys().is_sorted_by(|a, b| key::compare(a, b) != Ordering::Greater), "entries are out of order");
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn get(&self, i: usize) -> LeafEntry<'_> {
        let place = self.records[i].place;
        let key = stored(&self.arena, place);
        let rowid = if self.shape.unique {
            let start = (place >> LENGTH_BITS) as usize;
            &self.arena[start - ROWID_BYTES..start]
        } else {
            &key[key.len() - ROWID_BYTES..]
        };
        LeafEntry { key, rowid: rowid.try_into().unwrap_or_default() }
    }

    /// Length of the longest stored key.
    pub(super) fn longest(&self) -> usize {
        self.records.iter().map(|record| (record.place & 0xffff) as usize).max().unwrap_or_default()
    }
}

fn stored(arena: &[u8], place: u64) -> &[u8] {
    let start = (place >> LENGTH_BITS) as usize;
    &arena[start..start + (place & 0xffff) as usize]
}

/// The columns of a stored key without the rowid.
pub(super) fn own_columns(shape: KeyShape, stored: &[u8]) -> &[u8] {
    if shape.unique { stored } else { &stored[..stored.len().saturating_sub(ROWID_COLUMN_BYTES)] }
}

/// The row of an entry, in the table with this data object number.
pub(super) fn rowid(data_object: ObjectNumber, restricted: [u8; ROWID_BYTES]) -> Rowid {
    Rowid::from_restricted(data_object, restricted)
}

/// Rows in the form that batches take: images of keys, with rowids.
#[cfg(any(test, feature = "testing"))]
pub fn images(rows: &[(Key, Rowid)]) -> impl Iterator<Item = (&[u8], Rowid)> {
    rows.iter().map(|(key, row)| (key.image(), *row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::{BlockAddress, FileNumber};
    use proptest::prelude::*;

    fn row(n: u16) -> Rowid {
        Rowid {
            data_object: ObjectNumber(9),
            block: BlockAddress::new(FileNumber(3), 128 + u32::from(n) / 50),
            slot: n % 50,
        }
    }

    proptest! {
        #[test]
        fn entries_come_out_in_order(
            keys in prop::collection::vec((prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..12)), 2), any::<u16>()), 0..80),
            unique: bool,
        ) {
            let shape = KeyShape { columns: 2, unique };
            let rows: Vec<(Key, Rowid)> =
                keys.iter().map(|(columns, n)| (Key::new(columns.iter().map(|c| c.as_deref())), row(*n))).collect();
            let entries = Entries::sorted(shape, images(&rows));
            let mut expected: Vec<(Key, Rowid)> = rows.into_iter().filter(|(key, _)| !key.is_all_null()).collect();
            expected.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.block.cmp(&b.1.block)).then(a.1.slot.cmp(&b.1.slot)));
            prop_assert_eq!(entries.len(), expected.len());
            for (i, (key, row)) in expected.iter().enumerate() {
                let entry = entries.get(i);
                prop_assert_eq!(own_columns(shape, entry.key), key.image());
                if !unique {
                    prop_assert_eq!(&rowid(ObjectNumber(9), entry.rowid), row);
                }
            }
        }
    }
}
