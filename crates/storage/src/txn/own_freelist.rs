//! The freelist that a transaction has in a segment.

use common::BlockAddress;

/// The freelist of the transaction under way in one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnFreelist {
    /// Its slot in the header.
    pub(crate) slot: usize,
    /// Where a search begins: the block that took a row last, or the list's head.
    pub(crate) candidate: Option<BlockAddress>,
    /// No block of it takes a row of so many bytes.
    pub(crate) refused: usize,
}

impl OwnFreelist {
    pub(crate) fn new(slot: usize) -> Self {
        Self { slot, candidate: None, refused: usize::MAX }
    }

    /// More may be free than when a row was refused.
    pub(crate) fn look_again(&mut self) {
        (self.candidate, self.refused) = (None, usize::MAX);
    }
}
