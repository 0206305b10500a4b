//! Indexes as the rest of the engine uses them: by a session, by their definition in the dictionary.

use std::fmt;
use std::ops::Bound;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, ObjectNumber, Result, Rowid};
use format::index::header::KeyShape;
use format::index::key::Columns;
use waits::Statistic;

use super::blocks::Blocks;
use super::key::{Entries, Key, own_columns, rowid};
use super::scan::Cursor;
use super::statistics::IndexStatistics;
use super::tree::Tree;
use super::verify::Problem;
use crate::cache::{Block, BlockMut};
use crate::catalog::IndexDef;
use crate::instance::Session;
use crate::segment::Segment;

/// The blocks of an index, got by a session.
#[derive(Debug)]
struct SessionBlocks<'a> {
    session: &'a Session,
    segment: &'a Segment,
}

impl Blocks for SessionBlocks<'_> {
    type Shared = Block;
    type Exclusive = BlockMut;

    fn consistent(&self, address: BlockAddress) -> Result<Block> {
        self.session.consistent(address, BlockClass::Data)
    }

    fn current_mut(&self, address: BlockAddress) -> Result<BlockMut> {
        self.session.current_mut(address, BlockClass::Data)
    }

    fn address(block: &BlockMut) -> BlockAddress {
        block.address()
    }

    fn change<R>(&self, block: &mut BlockMut, change: impl FnOnce(&mut [u8]) -> R) -> R {
        self.session.change(block, change)
    }

    fn grouped<R>(&self, changes: impl FnOnce() -> R) -> R {
        let _group = self.session.group();
        changes()
    }

    fn empty_block(&self) -> Result<BlockMut> {
        self.segment.empty_block(self.session)
    }

    fn release_block(&self, block: BlockMut) -> Result<()> {
        self.segment.release_block(self.session, block)
    }

    fn count(&self, statistic: Statistic, n: u64) {
        self.session.meter().count(statistic, n);
    }

    fn check_cancelled(&self) -> Result<()> {
        self.session.check_cancelled()
    }
}

/// The keys of an index.
pub(super) fn shape(index: &IndexDef) -> KeyShape {
    KeyShape { columns: index.columns.len() as u8, unique: index.unique }
}

fn with_tree<R>(s: &Session, index: &IndexDef, work: impl FnOnce(&Tree<'_, SessionBlocks<'_>>) -> R) -> R {
    let blocks = SessionBlocks { session: s, segment: &index.segment };
    let name = index.qualified_name();
    work(&Tree {
        blocks: &blocks,
        root: index.root,
        shape: shape(index),
        data_object: index.segment.data_object(),
        block_size: index.segment.block_size(),
        name: &name,
    })
}

/// Puts the entries of some rows in, in any order; rows whose key is all NULL have none.
///
/// # Errors
/// ORA-00001 when a key is there already, or twice in the batch: none of the batch is then in the index. ORA-01450 for a key that is too
/// long, ORA-01654 when the segment cannot grow, and those of the cache.
pub fn insert_batch(s: &Session, index: &IndexDef, rows: &[(Key, Rowid)]) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.insert(&entries))
}

/// Takes the entries of some rows out, in any order.
///
/// # Errors
/// ORA-08102 when the index has no entry for one of them, and those of the cache.
pub fn delete_batch(s: &Session, index: &IndexDef, rows: &[(Key, Rowid)]) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.delete(&entries))
}

/// The row under a whole key of a unique index.
///
/// # Errors
/// Those of the cache.
pub fn lookup(s: &Session, index: &IndexDef, key: &Key) -> Result<Option<Rowid>> {
    s.meter().count(Statistic::IndexFetchByKey, 1);
    let found = with_tree(s, index, |tree| tree.lookup(key.image()))?;
    Ok(found.map(|restricted| rowid(table_data_object(s, index), restricted)))
}

/// Statistics computed from the index itself.
///
/// # Errors
/// Those of the cache.
pub fn statistics(s: &Session, index: &IndexDef) -> Result<IndexStatistics> {
    with_tree(s, index, |tree| tree.statistics())
}

/// Checks the whole index; empty where all is well. Rowids must name blocks of the table; whether a row with the key is there, and whether
/// each row has its entry, takes a look at the rows, which is not done here.
///
/// # Errors
/// When blocks cannot be read at all; corrupt ones are problems, not errors.
pub fn verify(s: &Session, index: &IndexDef) -> Result<Vec<Problem>> {
    let mut ranges = match s.catalog().table_by_number(index.table) {
        Some(table) => table.segment.scan_ranges(s)?,
        None => Vec::new(),
    };
    ranges.sort_unstable_by_key(|range| range.start);
    let in_table = |row: Rowid| {
        let after = ranges.partition_point(|range| range.start <= row.block);
        after > 0 && ranges[after - 1].contains(row.block)
    };
    with_tree(s, index, |tree| {
        tree.verify(&mut |_, restricted| {
            let row = rowid(ObjectNumber(0), restricted);
            (!in_table(row)).then(|| format!("block {} is not one of table {}", row.block, index.table_name))
        })
    })
}

/// The data object number that the rowids of the index's table have.
fn table_data_object(s: &Session, index: &IndexDef) -> ObjectNumber {
    s.catalog().table_by_number(index.table).map_or(index.table, |table| table.segment.data_object())
}

/// The key columns of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryKey<'a> {
    image: &'a [u8],
}

impl<'a> EntryKey<'a> {
    pub fn columns(&self) -> impl Iterator<Item = Option<&'a [u8]>> + use<'a> {
        Columns::of(self.image)
    }

    /// A key to keep.
    #[must_use]
    pub fn to_key(&self) -> Key {
        Key::new(self.columns())
    }
}

/// A scan of a range of keys, in their order or backwards. It holds no latch between calls.
pub struct IndexScan {
    session: Arc<Session>,
    index: Arc<IndexDef>,
    cursor: Cursor,
    table_data_object: ObjectNumber,
}

impl IndexScan {
    /// The bounds may name leading columns only: `Included` then takes all keys that begin with them, `Excluded` none of them.
    ///
    /// # Errors
    /// None yet; blocks are got by [`IndexScan::next`].
    pub fn new(
        s: &Arc<Session>,
        index: &Arc<IndexDef>,
        lower: Bound<Key>,
        upper: Bound<Key>,
        descending: bool,
    ) -> Result<Self> {
        s.meter().count(Statistic::IndexScansKdiixs1, 1);
        let image = |bound: Bound<Key>| bound.map(|key| key.image().to_vec());
        Ok(Self {
            session: s.clone(),
            index: index.clone(),
            cursor: Cursor::new(image(lower), image(upper), descending),
            table_data_object: table_data_object(s, index),
        })
    }

    /// The next entry: its key columns and its row. None at the end of the range.
    ///
    /// A get is made for each leaf, when it is reached, and for the branches on the way to the first.
    ///
    /// # Errors
    /// ORA-01013 when the user has cancelled, and those of the cache.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend the key")]
    pub fn next(&mut self) -> Result<Option<(EntryKey<'_>, Rowid)>> {
        let at = loop {
            if let Some(at) = self.cursor.step() {
                break at;
            }
            let Self { session, index, cursor, .. } = self;
            if !with_tree(session, index, |tree| cursor.advance(tree))? {
                return Ok(None);
            }
        };
        let (key, restricted) = self.cursor.entry(at);
        let key = EntryKey { image: own_columns(shape(&self.index), key) };
        Ok(Some((key, rowid(self.table_data_object, restricted))))
    }
}

impl fmt::Debug for IndexScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexScan({})", self.index.name)
    }
}
