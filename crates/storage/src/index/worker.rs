//! Operations on indexes for the rest of the engine: by a worker and the index's definition in the dictionary.

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

/// Mode of the wait for a transaction's end: share.
const WAIT_MODE: u64 = 4;

/// The blocks of an index, got for a worker.
#[derive(Debug)]
pub(super) struct WorkerBlocks<'a> {
    worker: &'a Worker,
    segment: &'a Segment,
    /// The snapshot through which a scan sees the leaves; without one it reads the current leaves.
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

    fn note_split(&self) {
        self.segment.note_index_split();
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
        // A deleter may have ended without a note in its slot: the look at its lock cleans the slot.
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

/// Runs `work` on the current state of an index.
pub(super) fn with_tree<R>(s: &Worker, index: &IndexDef, work: impl FnOnce(&Tree<'_, WorkerBlocks<'_>>) -> R) -> R {
    with_tree_as_seen(s, index, None, work)
}

pub(super) fn with_tree_as_seen<R>(
    s: &Worker,
    index: &IndexDef,
    snapshot: Option<&Snapshot>,
    work: impl FnOnce(&Tree<'_, WorkerBlocks<'_>>) -> R,
) -> R {
    let blocks = WorkerBlocks { worker: s, segment: &index.segment, snapshot };
    let name = index.name_shown();
    work(&Tree {
        blocks: &blocks,
        root: index.root,
        shape: shape(index),
        data_object: index.segment.data_object(),
        block_size: index.segment.block_size(),
        name: &name,
    })
}

/// Inserts the entries of `rows`, which are images of keys in any order, as part of the session's transaction. Rows
/// whose key is all NULL have no entry. The call waits for a transaction that holds a key of the batch.
///
/// # Errors
/// ORA-00001 when a key is there already, or twice in the batch; ORA-01450 for a key that is too long, ORA-01654 when
/// the segment cannot grow, ORA-00060 in a deadlock, and errors of the cache. A part of the batch may then be in the
/// index: the caller takes its statement back ([`Worker::rollback_to_mark`]).
pub fn insert_batch<'k>(s: &Worker, index: &IndexDef, rows: impl Iterator<Item = (&'k [u8], Rowid)>) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.insert(&entries))
}

/// Deletes the entries of `rows`, in any order, as part of the session's transaction.
///
/// # Errors
/// ORA-08102 when the index has no entry for one of them, ORA-00060 in a deadlock, and errors of the cache. As with
/// [`insert_batch`], the caller takes its statement back.
pub fn delete_batch<'k>(s: &Worker, index: &IndexDef, rows: impl Iterator<Item = (&'k [u8], Rowid)>) -> Result<()> {
    let entries = Entries::sorted(shape(index), rows);
    with_tree(s, index, |tree| tree.delete(&entries))
}

/// The row under a whole key of a unique index, as the session's statement sees it.
///
/// # Errors
/// ORA-01555 when undo that is needed is gone; errors of the cache.
pub fn lookup(s: &Worker, index: &IndexDef, key: &Key) -> Result<Option<Rowid>> {
    s.meter().count(Statistic::IndexFetchByKey, 1);
    let snapshot = s.snapshot();
    let found = with_tree_as_seen(s, index, Some(&snapshot), |tree| tree.lookup(key.image()))?;
    Ok(found.map(|restricted| rowid(table_data_object(s, index), restricted)))
}

/// Another running transaction that has inserted or deleted an entry of the key. The key may be leading columns.
///
/// # Errors
/// Errors of the cache.
pub fn key_holder(s: &Worker, index: &IndexDef, key: &Key) -> Result<Option<Xid>> {
    with_tree(s, index, |tree| tree.holder_of(key.image()))
}

/// Statistics computed from the current index.
///
/// # Errors
/// Errors of the cache.
pub fn statistics(s: &Worker, index: &IndexDef) -> Result<IndexStatistics> {
    with_tree(s, index, |tree| tree.statistics())
}

/// Checks the whole index. Returns its problems; empty for a sound index. `table`: the segment of its table. Rowids
/// must name blocks of the table. The check does not read rows, so it does not find an entry without its row or a row
/// without its entry.
///
/// # Errors
/// When blocks cannot be read at all; corrupt blocks are problems, not errors.
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

/// The data object number in the rowids of the index's table.
pub(super) fn table_data_object(s: &Worker, index: &IndexDef) -> ObjectNumber {
    s.definitions().data_object(index.table).unwrap_or(index.table)
}

/// The key columns of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryKey<'a> {
    image: &'a [u8],
}

impl<'a> EntryKey<'a> {
    /// `image`: key columns without a rowid.
    pub(super) fn of(image: &'a [u8]) -> Self {
        Self { image }
    }

    pub fn columns(&self) -> impl Iterator<Item = Option<&'a [u8]>> + use<'a> {
        Columns::of(self.image)
    }

    /// A copy of the key that the caller may keep.
    #[must_use]
    pub fn to_key(&self) -> Key {
        Key::new(self.columns())
    }
}

impl Key {
    /// The key as entries have it.
    #[must_use]
    pub fn as_entry(&self) -> EntryKey<'_> {
        EntryKey::of(self.image())
    }
}

/// A scan of a range of keys, in their order or backwards. It sees the index as the session's statement did when the
/// scan was made. It holds no latch between calls.
pub struct IndexScan {
    worker: Arc<Worker>,
    index: Arc<IndexDef>,
    cursor: Cursor,
    snapshot: Arc<Snapshot>,
    table_data_object: ObjectNumber,
}

impl IndexScan {
    /// A scan between two bounds. A bound may name leading columns only: `Included` then takes all keys that begin with
    /// them, `Excluded` none of them.
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
    /// The scan makes a get for each leaf when it reaches the leaf, and for the branches on the way to the first one.
    ///
    /// # Errors
    /// ORA-01013 when the user has cancelled, ORA-01555 when undo that is needed is gone, ORA-08103 when the index was
    /// given up, and errors of the cache.
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
        let key = EntryKey::of(own_columns(shape(&self.index), key));
        Ok(Some((key, rowid(self.table_data_object, restricted))))
    }
}

impl IndexScan {
    /// Gets the leaf at which the scan stands once more. A fetch that goes on with a scan does that, because nothing
    /// stays pinned between fetches.
    ///
    /// # Errors
    /// As [`IndexScan::next`].
    pub fn go_on(&self) -> Result<()> {
        let Some(address) = self.cursor.address() else { return Ok(()) };
        with_tree_as_seen(&self.worker, &self.index, Some(&self.snapshot), |tree| {
            tree.shared(address).map(drop).map_err(|error| tree.blocks.explained(error))
        })
    }
}

impl fmt::Debug for IndexScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexScan({})", self.index.name)
    }
}
