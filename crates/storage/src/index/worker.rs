//! Indexes as the rest of the engine uses them: by a session, by their definition in the dictionary.

use std::fmt;
use std::ops::Bound;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ObjectNumber, Result, Rowid, Scn, Xid};
use format::index::header::KeyShape;
use format::index::key::Columns;
use format::index::{Leaf, change};
use format::itl::{self, Itl};
use format::redo::Reach;
use waits::{Event, Statistic};

use super::IndexDef;
use super::blocks::Blocks;
use super::key::{Entries, Key, own_columns, rowid};
use super::scan::Cursor;
use super::statistics::IndexStatistics;
use super::tree::Tree;
use super::verify::Problem;
use crate::cache::{Block, BlockMut};
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::txn::{Interest, LockWait, RowLock, Worker};

/// The mode in which a transaction's end is waited for: share.
const WAIT_MODE: u64 = 4;

/// The blocks of an index, got by a session.
#[derive(Debug)]
pub(super) struct WorkerBlocks<'a> {
    worker: &'a Worker,
    segment: &'a Segment,
    /// What a scan sees of the leaves; without one, they are read as they are.
    snapshot: Option<&'a Snapshot>,
}

impl Blocks for WorkerBlocks<'_> {
    type Shared = Block;
    type Exclusive = BlockMut;

    fn consistent(&self, address: BlockAddress) -> Result<Block> {
        self.worker.consistent(address, BlockClass::Data)
    }

    fn current_mut(&self, address: BlockAddress) -> Result<BlockMut> {
        self.worker.current_mut(address, BlockClass::Data)
    }

    fn address(block: &BlockMut) -> BlockAddress {
        block.address()
    }

    fn change<R>(&self, block: &mut BlockMut, change: impl FnOnce(&mut [u8]) -> R) -> R {
        self.worker.change(block, change)
    }

    fn mini<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.worker.mini(work)
    }

    fn empty_block(&self) -> Result<BlockMut> {
        self.segment.empty_block(self.worker)
    }

    fn release_block(&self, block: BlockMut) -> Result<()> {
        self.segment.release_block(self.worker, block)
    }

    fn count(&self, statistic: Statistic, n: u64) {
        self.worker.meter().count(statistic, n);
    }

    fn check_cancelled(&self) -> Result<()> {
        self.worker.check_cancelled()
    }

    fn prepare(&self, payload: usize) -> Result<()> {
        self.worker.prepare(payload).map(drop)
    }

    fn is_prepared(&self, payload: usize) -> bool {
        self.worker.has_undo_room(payload)
    }

    fn interest(&self, block: &mut BlockMut) -> Result<Interest> {
        let xid = self.worker.xid().ok_or_else(|| Error::bug("an index is changed without a transaction"))?;
        self.worker.interest(block, xid, self.segment.itl_slots_max())
    }

    fn holder(&self, block: &mut BlockMut, lock: u8) -> Result<RowLock> {
        self.worker.row_lock(block, lock, self.worker.xid())
    }

    fn transact<R>(
        &self,
        block: &mut BlockMut,
        slot: (u8, bool),
        operation: u8,
        reach: Option<Reach>,
        change: impl FnOnce(&mut [u8], u8) -> Option<(R, Vec<u8>)>,
    ) -> Result<Option<R>> {
        self.worker.transact(block, slot, self.segment.data_object(), operation, reach, change)
    }

    fn purge(&self, block: &mut BlockMut) -> Result<usize> {
        if Leaf::of(block).deleted() == 0 {
            return Ok(0);
        }
        // Whether a deleter has ended, its slot may not have been told.
        for number in 1..=format::transaction::header(block).itl_count {
            if itl::slot(block, number).is_some_and(Itl::is_active) {
                self.worker.row_lock(block, number, self.worker.xid())?;
            }
        }
        let oldest = self.worker.store().oldest_snapshot(self.worker.meter());
        let is_over = |slot: &Itl| slot.committed().is_some_and(|scn| scn <= oldest);
        if !change::is_purgeable(block, is_over) {
            return Ok(0);
        }
        Ok(self.worker.change(block, |bytes| change::purge(bytes, is_over)))
    }

    fn wait_for(&self, xid: Xid, event: Event) -> Result<()> {
        let locks = self.worker.locks();
        let object = self.segment.data_object();
        locks.wait_for_in(self.worker, xid, object, LockWait::Forever, (event, WAIT_MODE))
    }

    fn as_seen(&self, block: Block) -> Result<Block> {
        match self.snapshot {
            Some(snapshot) => self.segment.as_seen(self.worker, block, snapshot),
            None => Ok(block),
        }
    }

    fn explained(&self, error: Error) -> Error {
        let scn = self.snapshot.map_or(Scn(u64::MAX), |snapshot| snapshot.scn());
        self.segment.explained(self.worker, scn, error)
    }
}

/// The keys of an index.
pub(super) fn shape(index: &IndexDef) -> KeyShape {
    KeyShape { columns: index.columns.len() as u8, unique: index.unique }
}

/// Works on an index as it is now.
pub(super) fn with_tree<R>(s: &Worker, index: &IndexDef, work: impl FnOnce(&Tree<'_, WorkerBlocks<'_>>) -> R) -> R {
    with_tree_as_seen(s, index, None, work)
}

fn with_tree_as_seen<R>(
    s: &Worker,
    index: &IndexDef,
    snapshot: Option<&Snapshot>,
    work: impl FnOnce(&Tree<'_, WorkerBlocks<'_>>) -> R,
) -> R {
    let blocks = WorkerBlocks { worker: s, segment: &index.segment, snapshot };
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

/// Puts the entries of some rows, given as the images of their keys, in, in any order, as part of the session's transaction; rows whose key is all NULL have none. A transaction that holds
/// a key of the batch is waited for.
///
/// # Errors
/// ORA-00001 when a key is there already, or twice in the batch; ORA-01450 for a key that is too long, ORA-01654 when
/// the segment cannot grow,
/// ORA-00060 in a deadlock, and those of the cache. A part of the batch may then be in the index: the caller takes its
/// statement back
/// ([`Worker::rollback_to_mark`]).
pub fn insert_batch<'k>(s: &Worker, index: &IndexDef, rows: impl Iterator<Item = (&'k [u8], Rowid)>) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.insert(&entries))
}

/// Takes the entries of some rows out, in any order, as part of the session's transaction.
///
/// # Errors
/// ORA-08102 when the index has no entry for one of them, ORA-00060 in a deadlock, and those of the cache; as for
/// [`insert_batch`], the caller takes its
/// statement back.
pub fn delete_batch<'k>(s: &Worker, index: &IndexDef, rows: impl Iterator<Item = (&'k [u8], Rowid)>) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.delete(&entries))
}

/// The row under a whole key of a unique index, as the session's statement sees it.
///
/// # Errors
/// ORA-01555 when undo that is needed is gone; those of the cache.
pub fn lookup(s: &Worker, index: &IndexDef, key: &Key) -> Result<Option<Rowid>> {
    s.meter().count(Statistic::IndexFetchByKey, 1);
    let snapshot = s.snapshot();
    let found = with_tree_as_seen(s, index, Some(&snapshot), |tree| tree.lookup(key.image()))?;
    Ok(found.map(|restricted| rowid(table_data_object(s, index), restricted)))
}

/// Another transaction that has put an entry of the key in, or taken it out, and has not ended. The key may be leading columns.
///
/// # Errors
/// Those of the cache.
pub fn key_holder(s: &Worker, index: &IndexDef, key: &Key) -> Result<Option<Xid>> {
    with_tree(s, index, |tree| tree.holder_of(key.image()))
}

/// Statistics computed from the index itself, as it is now.
///
/// # Errors
/// Those of the cache.
pub fn statistics(s: &Worker, index: &IndexDef) -> Result<IndexStatistics> {
    with_tree(s, index, |tree| tree.statistics())
}

/// Checks the whole index; empty where all is well. `table`: the segment of its table. Rowids must name blocks of the table; whether a row with the key is there, and whether
/// each row has its entry, takes a look at the rows, which is not done here.
///
/// # Errors
/// When blocks cannot be read at all; corrupt ones are problems, not errors.
pub fn verify(s: &Worker, index: &IndexDef, table: Option<&Segment>) -> Result<Vec<Problem>> {
    let mut ranges = table.map_or(Ok(Vec::new()), |segment| segment.scan_ranges(s))?;
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
fn table_data_object(s: &Worker, index: &IndexDef) -> ObjectNumber {
    s.definitions().data_object(index.table).unwrap_or(index.table)
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

/// A scan of a range of keys, in their order or backwards, as the session's statement saw them when the scan was made. It holds no latch between calls.
pub struct IndexScan {
    worker: Arc<Worker>,
    index: Arc<IndexDef>,
    cursor: Cursor,
    snapshot: Arc<Snapshot>,
    table_data_object: ObjectNumber,
}

impl IndexScan {
    /// The bounds may name leading columns only: `Included` then takes all keys that begin with them, `Excluded` none of them.
    ///
    /// # Errors
    /// None yet; blocks are got by [`IndexScan::next`].
    pub fn new(
        s: &Arc<Worker>,
        index: &Arc<IndexDef>,
        lower: Bound<Key>,
        upper: Bound<Key>,
        descending: bool,
    ) -> Result<Self> {
        s.meter().count(Statistic::IndexScansKdiixs1, 1);
        let image = |bound: Bound<Key>| bound.map(|key| key.image().to_vec());
        Ok(Self {
            worker: s.clone(),
            index: index.clone(),
            cursor: Cursor::new(image(lower), image(upper), descending),
            snapshot: s.snapshot(),
            table_data_object: table_data_object(s, index),
        })
    }

    /// The next entry: its key columns and its row. None at the end of the range.
    ///
    /// A get is made for each leaf, when it is reached, and for the branches on the way to the first.
    ///
    /// # Errors
    /// ORA-01013 when the user has cancelled, ORA-01555 when undo that is needed is gone, ORA-08103 when the index was
    /// given up, and those of the cache.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend the key")]
    pub fn next(&mut self) -> Result<Option<(EntryKey<'_>, Rowid)>> {
        let at = loop {
            if let Some(at) = self.cursor.step() {
                break at;
            }
            let Self { worker, index, cursor, snapshot, .. } = self;
            if !with_tree_as_seen(worker, index, Some(snapshot), |tree| cursor.advance(tree))? {
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
