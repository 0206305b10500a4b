//! The fast full scan: all blocks of an index below its high-water mark, in their order on disk, by multiblock reads.
//!
//! Entries come in no order. A split moves entries into a block that the scan may have passed, or has yet to come to.
//! So the scan looks at the number of splits behind each block that it gets: while that stays as it was, each entry is
//! in one leaf, the one in which the scan finds it. Once there has been a split, the rest is read in key order from
//! leaf to leaf, without the entries between the first and the last key of the leaves that were handed over before.
//!
//! Cells scan the blocks of a large index that is theirs. They answer the entries that satisfy the caller's condition,
//! leaf by leaf. The scan looks at the number of splits with each part of an answer, and at the end: what cells had
//! read before a split was counted is handed over. Entries of a leaf that they left out before the first one or behind
//! the last one may be read again, and the caller's condition leaves them out again.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Bound, Range};

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ObjectNumber, Result, Rowid};
use format::index::key::ROWID_BYTES;
use format::index::{self, Leaf, key};
use format::transaction;
use scan::{Predicate, RowSink, ScanSpec};
use waits::{SegmentStatistic, Statistic};

use super::IndexDef;
use super::key::{own_columns, rowid};
use super::scan::Cursor;
use super::worker::{EntryKey, shape, table_data_object, with_tree_as_seen};
use crate::cache::BlockScan;
use crate::segment::past_cache;
use crate::segment::smart_scan::{Next, SmartScan};
use crate::snapshot::Snapshot;
use crate::txn::Worker;

/// An index of no more blocks than this percentage of the buffers of its block size stays in the cache as any other
/// blocks do.
const SHORT_INDEX_PERCENT: u64 = 2;
/// Entries of cells that are taken at a time.
const FOUND_MAX: usize = 1000;

/// Source of the blocks.
enum Blocks {
    Cached(BlockScan),
    Cells(Box<SmartScan>),
}

/// Entries that cells have found.
#[derive(Default)]
struct Found {
    bytes: Vec<u8>,
    entries: Vec<Range<usize>>,
    /// The place of each leaf's first entry among them.
    leaves: Vec<usize>,
}

impl RowSink for Found {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {
        self.leaves.push(self.entries.len());
    }

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        let from = self.bytes.len();
        columns.iter().flatten().for_each(|column| self.bytes.extend_from_slice(column));
        self.entries.push(from..self.bytes.len());
    }
}

impl Found {
    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.leaves.clear();
    }

    /// The stored key of an entry, and its rowid.
    fn entry(&self, at: usize, unique: bool) -> (&[u8], [u8; ROWID_BYTES]) {
        let stored = &self.bytes[self.entries[at].clone()];
        if unique {
            let (rowid, key) = stored.split_first_chunk().unwrap_or((&[0; ROWID_BYTES], &[]));
            (key, *rowid)
        } else {
            (stored, stored.last_chunk().copied().unwrap_or_default())
        }
    }

    /// The first and the last key of each leaf.
    fn through(&self, unique: bool) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let ends = self.leaves.iter().skip(1).chain(std::iter::once(&self.entries.len())).copied().collect::<Vec<_>>();
        let leaves = self.leaves.iter().copied().zip(ends).filter(|(from, end)| from < end);
        leaves.map(move |(from, end)| (self.entry(from, unique).0.to_vec(), self.entry(end - 1, unique).0.to_vec()))
    }
}

/// A fast full scan under way. It sees the index as the session's statement did when the scan was made, and holds no
/// latch between calls.
pub struct FastFullScan {
    worker: Arc<Worker>,
    index: Arc<IndexDef>,
    snapshot: Arc<Snapshot>,
    table_data_object: ObjectNumber,
    blocks: Blocks,
    /// Number of the index's splits when the blocks were listed.
    splits: u32,
    /// A copy of the present leaf; empty where the present entries are those of cells.
    leaf: Vec<u8>,
    found: Found,
    /// The next one of the present entries.
    at: usize,
    /// The first and the last key of each leaf that was handed over.
    through: Vec<(Vec<u8>, Vec<u8>)>,
    /// The rest in key order, once the index has been split.
    rest: Option<Cursor>,
}

impl fmt::Debug for FastFullScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FastFullScan({})", self.index.name)
    }
}

impl FastFullScan {
    /// Starts a scan: reads the list of blocks from the segment header and its maps. Entries that do not satisfy the
    /// condition, which is about the table's columns, may be left out.
    ///
    /// # Errors
    /// ORA-08103 when the index was given up; errors of getting blocks, and of writing dirty buffers.
    pub fn new(s: &Arc<Worker>, index: &Arc<IndexDef>, condition: Option<&Predicate>) -> Result<Self> {
        let snapshot = s.snapshot();
        let segment = &index.segment;
        let splits = segment.index_splits();
        let ranges = segment.scan_ranges_at(s, snapshot.scn())?;
        let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
        let buffers = s.store().cache().pool_of(segment.block_size()).capacity() as u64;
        let short = blocks * 100 <= buffers * SHORT_INDEX_PERCENT;
        s.meter().count(Statistic::IndexFastFullScansFull, 1);
        s.meter().segment(segment.data_object(), SegmentStatistic::SegmentScans, 1);
        let by_cells = if segment.is_offloaded(s) && past_cache::is_worth(s, segment, &ranges, false) {
            let spec = ScanSpec { predicate: condition.cloned(), ..ScanSpec::default() };
            SmartScan::new(s, segment, &spec, snapshot.scn(), &ranges)?
        } else {
            None
        };
        let blocks = match by_cells {
            Some(scan) => {
                s.meter().count(Statistic::IndexFastFullScansDirectRead, 1);
                s.meter().count(Statistic::CellIndexScans, 1);
                Blocks::Cells(Box::new(scan.of_index(&index.columns)))
            }
            None => Blocks::Cached(s.scan_blocks(ranges, BlockClass::Data, !short)),
        };
        Ok(Self {
            worker: s.clone(),
            index: index.clone(),
            snapshot,
            table_data_object: table_data_object(s, index),
            blocks,
            splits,
            leaf: Vec::new(),
            found: Found::default(),
            at: 0,
            through: Vec::new(),
            rest: None,
        })
    }

    /// The next entry: its key columns and its row. None at the end.
    ///
    /// # Errors
    /// As [`IndexScan::next`](super::IndexScan::next).
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend the key")]
    pub fn next(&mut self) -> Result<Option<(EntryKey<'_>, Rowid)>> {
        let at = loop {
            if self.rest.is_some() {
                let Some(at) = self.next_of_rest()? else { return Ok(None) };
                break at;
            }
            if self.at < self.found.entries.len() {
                self.at += 1;
                break self.at - 1;
            }
            let leaf = (!self.leaf.is_empty()).then(|| Leaf::of(&self.leaf));
            if let Some(leaf) = leaf.filter(|leaf| self.at < leaf.entries()) {
                self.at += 1;
                if !leaf.is_deleted(self.at - 1) {
                    break self.at - 1;
                }
                continue;
            }
            if !self.next_entries()? {
                return Ok(None);
            }
        };
        let (stored, restricted) = match &self.rest {
            Some(cursor) => cursor.entry(at),
            None if self.leaf.is_empty() => self.found.entry(at, self.index.unique),
            None => {
                let entry = Leaf::of(&self.leaf).entry(at);
                (entry.key, entry.rowid)
            }
        };
        let key = EntryKey::of(own_columns(shape(&self.index), stored));
        Ok(Some((key, rowid(self.table_data_object, restricted))))
    }

    /// Copies the next leaf, or takes entries of cells. False at the end of the blocks; true, too, when the rest is to
    /// be read in key order.
    fn next_entries(&mut self) -> Result<bool> {
        let segment = Arc::clone(&self.index.segment);
        self.at = 0;
        loop {
            self.worker.check_cancelled()?;
            self.found.clear();
            self.leaf.clear();
            let next = match &mut self.blocks {
                Blocks::Cached(scan) => scan.next_block().map(|block| block.map_or(Next::End, Next::Block)),
                Blocks::Cells(scan) => scan.next(&mut self.found, FOUND_MAX),
            };
            let next = next.map_err(|error| segment.explained(&self.worker, self.snapshot.scn(), error))?;
            let block = match next {
                Next::End => {
                    if matches!(self.blocks, Blocks::Cached(_)) {
                        return Ok(false);
                    }
                    // Of leaves without an entry that is wanted cells send nothing.
                    segment.check_there(self.snapshot.scn())?;
                    return Ok(self.is_split());
                }
                Next::Rows(_) => {
                    segment.check_there(self.snapshot.scn())?;
                    if !self.is_split() {
                        self.through.extend(self.found.through(self.index.unique));
                    }
                    return Ok(true);
                }
                Next::Block(block) => block,
                Next::Unread(address) => {
                    let got = self.worker.consistent(address, BlockClass::Data);
                    got.map_err(|error| segment.explained(&self.worker, self.snapshot.scn(), error))?
                }
            };
            if transaction::header(&block).object_number() != segment.data_object() {
                let name = self.index.qualified_name();
                return Err(Error::user(8103, format!("index {name} no longer exists where it was")));
            }
            if index::is_blank(&block) {
                continue;
            }
            index::check(&block, block.address())?;
            let is_leaf = index::is_leaf(&block);
            if !is_leaf {
                self.worker.meter().count(Statistic::ConsistentGetsExamination, 1);
            }
            if self.is_split() {
                return Ok(true);
            }
            if !is_leaf {
                continue;
            }
            let block = segment.as_seen(&self.worker, block, &self.snapshot)?;
            let leaf = Leaf::of(&block);
            let Some(last) = leaf.entries().checked_sub(1) else { continue };
            self.through.push((leaf.key(0).to_vec(), leaf.key(last).to_vec()));
            self.leaf.extend_from_slice(&block);
            return Ok(true);
        }
    }

    /// True: a leaf has been split, so the rest is read in key order. A session that splits a leaf counts it between
    /// the change and the end of the latches. So no block, in the cache or on disk, is as a split has left it before
    /// that split is counted. A scan that reads the new count finds the buffers dirty, and writes them before cells
    /// read.
    fn is_split(&mut self) -> bool {
        if self.index.segment.index_splits() == self.splits {
            return false;
        }
        self.found.clear();
        self.through.sort_unstable_by(|one, other| key::compare(&one.0, &other.0));
        self.rest = Some(Cursor::new(Bound::Unbounded, Bound::Unbounded, false));
        true
    }

    /// The next entry in key order that was not in a leaf handed over before.
    fn next_of_rest(&mut self) -> Result<Option<usize>> {
        let Self { worker, index, snapshot, through, rest, .. } = self;
        let Some(cursor) = rest else { return Ok(None) };
        loop {
            let Some(at) = cursor.step() else {
                if !with_tree_as_seen(worker, index, Some(snapshot), |tree| cursor.advance(tree))? {
                    return Ok(None);
                }
                continue;
            };
            let (stored, _) = cursor.entry(at);
            let before = through.partition_point(|(first, _)| key::compare(first, stored) != Ordering::Greater);
            let is_through = before.checked_sub(1).and_then(|at| through.get(at));
            if is_through.is_none_or(|(_, last)| key::compare(last, stored) == Ordering::Less) {
                return Ok(Some(at));
            }
        }
    }
}
