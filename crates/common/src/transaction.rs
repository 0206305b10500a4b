//! What names a transaction, and where its undo is.

use std::fmt;

use crate::address::BlockAddress;

/// A transaction: a slot in the transaction table of an undo segment, and how often that slot has been used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Xid {
    pub segment: u16,
    pub slot: u16,
    /// From 1: a transaction is never all zero.
    pub sequence: u32,
}

impl Xid {
    pub const NONE: Self = Self { segment: 0, slot: 0, sequence: 0 };

    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

impl fmt::Display for Xid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.segment, self.slot, self.sequence)
    }
}

/// An undo record: its block, how often that block has been used, and the record's number in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Uba {
    pub block: BlockAddress,
    pub sequence: u16,
    pub record: u8,
}

impl Uba {
    pub const NONE: Self = Self { block: BlockAddress::NONE, sequence: 0, record: 0 };

    #[must_use]
    pub fn is_none(self) -> bool {
        self.block.is_none()
    }
}

impl fmt::Display for Uba {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.block, self.sequence, self.record)
    }
}
