//! Reading a range of keys, forwards or backwards, from leaf to leaf by their links.
//!
//! A leaf is copied when it is reached and its latch given up, so a scan that pauses holds nothing. What splits did meanwhile it gets right:
//!
//! - Forwards, the link noted with the copy leads past the new leaves that the copied one gave entries to: those were seen already.
//! - Backwards, the left-hand neighbour may have been split since; then the leaf whose link leads back to where the scan comes from is
//!   found by going right from it.
//!
//! Leaves never leave the chain, so a noted link stays good.
//!
//! The copy is what the reader's snapshot sees of the leaf. Its links are those of the moment, which is right: they say which keys it stands for. A version
//! that another reader has made is used only while the link to the right is still the same.
//! A leaf only ever loses keys to its right, and the entries of a snapshot are found in the leaf that their keys belong to now.

use std::ops::Bound;

use common::{BlockAddress, Result};
use format::index::key::ROWID_BYTES;
use format::index::{Leaf, Target};

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

/// Where a scan is.
#[derive(Debug)]
pub(super) struct Cursor {
    /// Key columns, or the leading ones of them.
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
    descending: bool,
    /// A copy of the leaf; empty before the first.
    leaf: Vec<u8>,
    address: BlockAddress,
    /// Entries of it that are still to come.
    from: usize,
    to: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Before,
    Within,
    /// The leaf at hand is the last one of the range.
    LastLeaf,
}

impl Cursor {
    pub(super) fn new(lower: Bound<Vec<u8>>, upper: Bound<Vec<u8>>, descending: bool) -> Self {
        let (leaf, address) = (Vec::new(), BlockAddress::NONE);
        Self { lower, upper, descending, leaf, address, from: 0, to: 0, state: State::Before }
    }

    /// The next entry of the range that is not deleted, among those of the leaf at hand.
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

    /// An entry of the leaf at hand: its stored key and its rowid.
    pub(super) fn entry(&self, at: usize) -> (&[u8], [u8; ROWID_BYTES]) {
        let entry = Leaf::of(&self.leaf).entry(at);
        (entry.key, entry.rowid)
    }

    /// Copies the next leaf; false where the range has ended.
    pub(super) fn advance<B: Blocks>(&mut self, tree: &Tree<'_, B>) -> Result<bool> {
        tree.blocks.check_cancelled()?;
        self.next_leaf(tree).map_err(|error| tree.blocks.explained(error))
    }

    fn next_leaf<B: Blocks>(&mut self, tree: &Tree<'_, B>) -> Result<bool> {
        let block = match self.state {
            State::LastLeaf => return Ok(false),
            State::Before if self.descending => Some(tree.find_leaf(upper_target(&self.upper))?),
            State::Before => Some(tree.find_leaf(lower_target(&self.lower))?),
            State::Within if self.descending => self.left(tree)?,
            State::Within => {
                let next = Leaf::of(&self.leaf).next();
                if next.is_none() { None } else { Some(tree.shared_at(next, 0)?) }
            }
        };
        let Some(block) = block else {
            self.state = State::LastLeaf;
            return Ok(false);
        };
        let block = tree.blocks.as_seen(block)?;
        self.leaf.clear();
        self.leaf.extend_from_slice(&block);
        drop(block);
        self.address = format::block::header(&self.leaf).address();
        let leaf = Leaf::of(&self.leaf);
        self.from = leaf.lower_bound(lower_target(&self.lower));
        self.to = leaf.lower_bound(upper_target(&self.upper)).max(self.from);
        let more = if self.descending { self.from == 0 } else { self.to == leaf.entries() };
        self.state = if more { State::Within } else { State::LastLeaf };
        Ok(true)
    }

    /// The leaf to the left of the one at hand, as it is now.
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
