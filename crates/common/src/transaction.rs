//! Transactions and places in undo.

use std::fmt;

use crate::address::BlockAddress;

/// A transaction: its undo segment, its slot in that segment's transaction table, and the slot's sequence number.
///
/// A sequence of 0 is no transaction's: slots count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Xid {
    pub segment: u16,
    pub slot: u16,
    pub sequence: u32,
}

impl Xid {
    /// No transaction.
    pub const NONE: Self = Self { segment: 0, slot: 0, sequence: 0 };

    #[must_use]
    pub fn is_none(self) -> bool {
        self.sequence == 0
    }
}

impl fmt::Display for Xid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.segment, self.slot, self.sequence)
    }
}

/// An undo record: its block, which life of that block, and its number in the block.
///
/// The sequence of an undo block changes each time the block is put to a new use, so an address of older undo is
/// recognised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Uba {
    pub block: BlockAddress,
    pub sequence: u16,
    pub record: u8,
}

impl Uba {
    /// No record.
    pub const NONE: Self = Self { block: BlockAddress::NONE, sequence: 0, record: 0 };
    /// Bytes of the packed form.
    pub const BYTES: usize = 8;

    #[must_use]
    pub fn is_none(self) -> bool {
        self.block.is_none()
    }

    /// The form inside undo records and undo blocks: packed block address, sequence, record, a spare byte.
    #[must_use]
    pub fn pack(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.block.pack().to_le_bytes());
        bytes[4..6].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[6] = self.record;
        bytes
    }

    #[must_use]
    pub fn unpack(bytes: [u8; Self::BYTES]) -> Self {
        Self {
            block: BlockAddress::unpack(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            sequence: u16::from_le_bytes([bytes[4], bytes[5]]),
            record: bytes[6],
        }
    }
}

impl fmt::Display for Uba {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.block, self.sequence, self.record)
    }
}
