//! Reading a range of keys, forwards or backwards, from leaf to leaf by their links.
//!
//! A scan copies a leaf when it reaches it and releases the latch, so a scan that pauses holds no latch. It stays
//! correct when leaves are split meanwhile:
//!
//! - Forwards, the link noted with the copy leads past the new leaves to which the copied leaf gave entries: the scan
//!   has seen those entries.
//! - Backwards, the left-hand neighbour may have been split since. Then the scan goes right from it until it finds the
//!   leaf whose link leads back to the leaf that the scan comes from.
//!
//! Leaves never leave the chain, so a noted link stays good.
//!
//! The copy is the leaf as the reader's snapshot sees it. Its links are the current ones, which is right: they tell the
//! keys for which the leaf stands. A version that another reader has made is used only while the link to the right is
//! still the same. A leaf only ever loses keys to its right, and a snapshot's entries are in the leaf to which their
//! keys belong now.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;

use common::{BlockAddress, Result};
use format::index::key::ROWID_BYTES;
use format::index::{Leaf, Target, key};

use super::blocks::Blocks;
use super::tree::Tree;

/// The place just before the first key of a range.
pub(super) fn lower_target(bound: &Bound<Vec<u8>>) -> Target<'_> {
    match bound {
        Bound::Unbounded => Target::before(&[]),
        Bound::Included(image) => Target::before(image),
        Bound::Excluded(image) => Target::after(image),
    }
}

/// The place just after the last key of a range.
pub(super) fn upper_target(bound: &Bound<Vec<u8>>) -> Target<'_> {
    match bound {
        Bound::Unbounded => Target::after(&[]),
        Bound::Included(image) => Target::after(image),
        Bound::Excluded(image) => Target::before(image),
    }
}

/// The position of a scan.
#[derive(Debug)]
pub(super) struct Cursor {
    /// All key columns, or leading ones.
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
    descending: bool,
    /// A copy of the leaf; empty before the first.
    leaf: Vec<u8>,
    address: BlockAddress,
    /// Range of the entries that are still to come.
    from: usize,
    to: usize,
    state: Reached,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    Before,
    Within,
    /// The current leaf is the last one of the range.
    LastLeaf,
}

impl Cursor {
    pub(super) fn new(lower: Bound<Vec<u8>>, upper: Bound<Vec<u8>>, descending: bool) -> Self {
        let (leaf, address) = (Vec::new(), BlockAddress::NONE);
        Self { lower, upper, descending, leaf, address, from: 0, to: 0, state: Reached::Before }
    }

    /// The current leaf; None before the first.
    pub(super) fn address(&self) -> Option<BlockAddress> {
        (!self.leaf.is_empty()).then_some(self.address)
    }

    /// The next entry of the range in the current leaf that is not deleted.
    pub(super) fn step(&mut self) -> Option<usize> {
        while self.from < self.to {
            let at = if self.descending {
                self.to -= 1;
                self.to
            } else {
                self.from += 1;
                self.from - 1
            };
            if !Leaf::of(&self.leaf).is_deleted(at) {
                return Some(at);
            }
        }
        None
    }

    /// An entry of the current leaf: its stored key and its rowid.
    pub(super) fn entry(&self, at: usize) -> (&[u8], [u8; ROWID_BYTES]) {
        let entry = Leaf::of(&self.leaf).entry(at);
        (entry.key, entry.rowid)
    }

    /// Copies the next leaf. False when the range has ended.
    pub(super) fn advance<B: Blocks>(&mut self, tree: &Tree<'_, B>) -> Result<bool> {
        tree.blocks.check_cancelled()?;
        self.next_leaf(tree).map_err(|error| tree.blocks.explained(error))
    }

    fn next_leaf<B: Blocks>(&mut self, tree: &Tree<'_, B>) -> Result<bool> {
        let block = match self.state {
            Reached::LastLeaf => return Ok(false),
            Reached::Before if self.descending => Some(tree.find_leaf(upper_target(&self.upper))?),
            Reached::Before => Some(tree.find_leaf(lower_target(&self.lower))?),
            Reached::Within if self.descending => self.left(tree)?,
            Reached::Within => {
                let next = Leaf::of(&self.leaf).next();
                if next.is_none() { None } else { Some(tree.shared_at(next, 0)?) }
            }
        };
        let Some(block) = block else {
            self.state = Reached::LastLeaf;
            return Ok(false);
        };
        let block = tree.blocks.as_seen(block)?;
        let before = self.edge();
        self.leaf.clear();
        self.leaf.extend_from_slice(&block);
        drop(block);
        self.address = format::block::header(&self.leaf).address();
        let leaf = Leaf::of(&self.leaf);
        self.from = leaf.lower_bound(lower_target(&self.lower));
        self.to = leaf.lower_bound(upper_target(&self.upper)).max(self.from);
        if cfg!(debug_assertions) {
            self.check_edge(before.as_deref(), tree.name);
        }
        let more = if self.descending { self.from == 0 } else { self.to == leaf.entries() };
        self.state = if more { Reached::Within } else { Reached::LastLeaf };
        Ok(true)
    }

    /// The last key of the copied leaf in the scan's direction, in debug builds.
    fn edge(&self) -> Option<Vec<u8>> {
        if !cfg!(debug_assertions) || self.leaf.is_empty() {
            return None;
        }
        let leaf = Leaf::of(&self.leaf);
        let at = if self.descending { 0 } else { leaf.entries().checked_sub(1)? };
        (at < leaf.entries()).then(|| leaf.key(at).to_vec())
    }

    /// The keys of the next leaf lie behind those of the leaf before it.
    fn check_edge(&self, before: Option<&[u8]>, name: &dyn fmt::Display) {
        let leaf = Leaf::of(&self.leaf);
        let (Some(before), Some(last)) = (before, leaf.entries().checked_sub(1)) else { return };
        let (at, order) = if self.descending { (last, Ordering::Less) } else { (0, Ordering::Greater) };
        debug_assert_eq!(
            key::compare(leaf.key(at), before),
            order,
            "index {name}: a scan goes back at {}",
            self.address
        );
    }

    /// The present left-hand neighbour of the current leaf.
    fn left<B: Blocks>(&self, tree: &Tree<'_, B>) -> Result<Option<B::Shared>> {
        let previous = Leaf::of(&self.leaf).previous();
        if previous.is_none() {
            return Ok(None);
        }
        let mut block = tree.shared_at(previous, 0)?;
        loop {
            let next = Leaf::of(&block).next();
            if next == self.address || next.is_none() {
                return Ok(Some(block));
            }
            tree.examined();
            block = tree.shared_at(next, 0)?;
        }
    }
}

impl<B: Blocks> Tree<'_, B> {
    /// The row under a whole key of a unique index.
    pub(super) fn lookup(&self, key: &[u8]) -> Result<Option<[u8; ROWID_BYTES]>> {
        let found = self.find_leaf(Target::before(key)).and_then(|leaf| self.blocks.as_seen(leaf));
        let block = found.map_err(|error| self.blocks.explained(error))?;
        let leaf = Leaf::of(&block);
        Ok(leaf.search(key).ok().map(|at| leaf.entry(at)).filter(|entry| !entry.deleted()).map(|entry| entry.rowid))
    }
}
