//! Creating an index of sorted keys: load leaves and then branches by direct path.
//!
//! ```text
//!   root | leaf | leaf | … | leaf | branch | … | branch        (in the order of the segment's blocks)
//! ```
//!
//! The root is the segment's first block, so that it can keep its place. Its contents are known last and are written
//! through the cache. A NOLOGGING index leaves no images of leaves and branches in the log (`segment/direct.rs`); its
//! root has redo, because it is written through the cache.
//!
//! Leaves keep PCTFREE free, branches nothing. The rest of the load does not pass through the cache: the next insert
//! reads the leaves from disk.
//!
//! Sorting is done in memory: 16 bytes and the key for each row.

use std::cmp::Ordering;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockSize, DataType, Error, Result};
use format::index::header::KeyShape;
use format::index::key::{self, ROWID_COLUMN_BYTES};
use format::index::{Branch, Leaf, branch, leaf};

use super::IndexDef;
use super::key::{Entries, own_columns};
use super::statistics::{IndexStatistics, Tally};
use super::worker::shape;
use crate::segment::{DirectLoad, Segment};
use crate::txn::Worker;

/// Result of a build.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    pub root: BlockAddress,
    pub statistics: IndexStatistics,
}

/// Fills the new, empty `segment` with an index. `entries` gathers the entries and returns them sorted. `types` are the
/// types of the columns. `index` need not have its root yet.
///
/// The caller keeps changes of the table away meanwhile.
///
/// # Errors
/// ORA-01452 when the index is to be unique and a key comes twice, ORA-01450 when its columns are too long, ORA-01654
/// when the segment cannot grow; errors of the cache.
pub(crate) fn build(
    s: &Arc<Worker>,
    types: impl IntoIterator<Item = DataType>,
    index: &IndexDef,
    segment: &Segment,
    entries: impl FnOnce(KeyShape) -> Result<Entries>,
) -> Result<Built> {
    let shape = shape(index);
    check_key_length(segment.block_size(), index.unique, types)?;
    let entries = entries(shape)?;
    if shape.unique {
        check_unique(&entries, index)?;
    }
    let mut loader = Loader::new(s, segment, shape, index)?;
    loader.leaves(&entries)?;
    loader.finish()
}

fn check_unique(entries: &Entries, index: &IndexDef) -> Result<()> {
    for i in 1..entries.len() {
        if entries.get(i - 1).key == entries.get(i).key {
            let name = index.qualified_name();
            return Err(Error::user(1452, format!("cannot create unique index {name}: duplicate keys found")));
        }
    }
    Ok(())
}

/// Checks that every key of columns of these types fits a block.
///
/// # Errors
/// ORA-01450.
pub fn check_key_length(size: BlockSize, unique: bool, types: impl IntoIterator<Item = DataType>) -> Result<()> {
    let column = |data_type: DataType| {
        let bytes = match data_type {
            DataType::Number { .. } => 22,
            DataType::Date => 7,
            DataType::Timestamp { .. } => 11,
            DataType::Varchar2 { bytes } | DataType::Char { bytes } | DataType::Raw { bytes } => usize::from(bytes),
        };
        let mut image = Vec::new();
        key::put_column(&mut image, Some(&vec![0; bytes]));
        image.len()
    };
    let rowid = if unique { 0 } else { ROWID_COLUMN_BYTES };
    let longest = key::longest(size);
    let bytes: usize = types.into_iter().map(column).sum::<usize>() + rowid;
    if bytes > longest {
        return Err(Error::user(
            1450,
            format!("maximum key length ({longest}) exceeded: the columns may take {bytes} bytes"),
        ));
    }
    Ok(())
}

/// A block that was written, with the separator from its left-hand neighbour; the first block of a level has an empty
/// one.
struct Child {
    separator: Vec<u8>,
    address: BlockAddress,
}

struct Loader<'a> {
    worker: &'a Worker,
    shape: KeyShape,
    /// Bytes that stay free in a leaf.
    reserve: usize,
    load: DirectLoad<&'a Segment, &'a Worker>,
    root: BlockAddress,
    /// An empty root block, formatted as the segment's blocks are.
    blank: Vec<u8>,
    children: Vec<Child>,
    tally: Tally,
}

impl<'a> Loader<'a> {
    fn new(worker: &'a Worker, segment: &'a Segment, shape: KeyShape, index: &IndexDef) -> Result<Self> {
        let load = DirectLoad::new(segment, worker)?;
        let mut load = if index.logging { load } else { load.unlogged()? };
        let (root, block) = load.next_block()?;
        leaf::init(block, shape, BlockAddress::NONE, BlockAddress::NONE);
        let blank = block.to_vec();
        let reserve = segment.block_size().bytes() * usize::from(index.pctfree) / 100;
        let tally = Tally::default();
        Ok(Self { worker, shape, reserve, load, root, blank, children: Vec::new(), tally })
    }

    /// Writes the leaves; a single one is the root.
    fn leaves(&mut self, entries: &Entries) -> Result<()> {
        let fill = Leaf::of(&self.blank).available() - self.reserve.min(Leaf::of(&self.blank).available());
        let mut first = 0;
        loop {
            let last = self.leaf_end(entries, first, fill);
            let whole = first == 0 && last == entries.len();
            if whole {
                // The root's block is still in memory: the load hands out its buffer.
                if let Some(block) = self.load.last_block() {
                    fill_leaf(block, entries, first..last);
                }
            } else {
                self.leaf(entries, first, last)?;
            }
            for i in first..last {
                let entry = entries.get(i);
                self.tally.entry(own_columns(self.shape, entry.key), entry.rowid);
            }
            first = last;
            if first == entries.len() {
                return Ok(());
            }
        }
    }

    /// End of the leaf that begins with entry `first`. A leaf has at least one entry.
    fn leaf_end(&self, entries: &Entries, first: usize, fill: usize) -> usize {
        let mut used = 0;
        for i in first..entries.len() {
            used += leaf::footprint(self.shape, entries.get(i).key);
            if used > fill && i > first {
                return i;
            }
        }
        entries.len()
    }

    fn leaf(&mut self, entries: &Entries, first: usize, last: usize) -> Result<()> {
        let previous = self.children.last().map_or(BlockAddress::NONE, |child| child.address);
        let (address, block) = self.load.next_block()?;
        leaf::init(block, self.shape, previous, BlockAddress::NONE);
        fill_leaf(block, entries, first..last);
        let separator =
            if first == 0 { Vec::new() } else { key::separator(entries.get(first - 1).key, entries.get(first).key) };
        debug_assert!(first < last, "a leaf without entries");
        debug_assert!(
            self.children.last().is_none_or(|child| key::compare(&child.separator, &separator) == Ordering::Less),
            "separators of leaves do not rise"
        );
        self.children.push(Child { separator, address });
        if last < entries.len() {
            let next = self.load.peek_address()?;
            if let Some(block) = self.load.last_block() {
                leaf::set_next(block, next);
            }
        }
        Ok(())
    }

    /// Writes the branches, level by level, and last the root.
    fn finish(mut self) -> Result<Built> {
        let leaf_blocks = self.children.len().max(1) as u64;
        let mut level = 0;
        let mut root = None;
        while !self.children.is_empty() {
            level += 1;
            let children = std::mem::take(&mut self.children);
            let mut image = self.blank.clone();
            if fill_branch(&mut image, level, self.shape, &children) == children.len() {
                root = Some(image);
                break;
            }
            let mut rest = &children[..];
            while !rest.is_empty() {
                let (address, block) = self.load.next_block()?;
                let taken = fill_branch(block, level, self.shape, rest);
                self.children.push(Child { separator: rest[0].separator.clone(), address });
                debug_assert!(taken > 0, "a branch without children");
                rest = &rest[taken..];
            }
        }
        self.load.finish()?;
        if let Some(image) = root {
            let mut block = self.worker.new_block(self.root, BlockClass::Data)?;
            self.worker.change(&mut block, |bytes| bytes.copy_from_slice(&image));
        }
        Ok(Built { root: self.root, statistics: self.tally.statistics(level, leaf_blocks) })
    }
}

fn fill_leaf(block: &mut [u8], entries: &Entries, range: std::ops::Range<usize>) {
    for i in range {
        let entry = entries.get(i);
        let fits = leaf::append(block, entry.key, entry.rowid);
        debug_assert!(fits, "a leaf's entries were counted before");
    }
}

/// Makes a branch of as many children as fit. Returns their number.
fn fill_branch(block: &mut [u8], level: u8, shape: KeyShape, children: &[Child]) -> usize {
    let rise = |pair: &[Child]| key::compare(&pair[0].separator, &pair[1].separator) == Ordering::Less;
    debug_assert!(children.windows(2).skip(1).all(rise), "separators at level {level} do not rise");
    branch::init(block, level, shape, children[0].address);
    for child in &children[1..] {
        if !branch::append(block, &child.separator, child.address) {
            break;
        }
    }
    Branch::of(block).children()
}
