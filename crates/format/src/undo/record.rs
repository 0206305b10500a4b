//! An undo record.
//!
//! ```text
//! offset size  field
//!      0    2  length        of the whole record
//!      2    1  flags         ITL, CHAIN, MORE, PIECE
//!      3    1  operation     what was done, in the numbers of those who read it back
//!      4    4  object        data object number
//!      8    4  block         the block changed
//!     12    1  ITL slot      in that block
//!     13    1  slot          of the transaction in its undo segment
//!     14    4  sequence      of the transaction
//!     18    1  rci           the transaction's previous record when it is in this block; 255 when it is not
//!     19  [8]  chain         CHAIN: the transaction's previous record, in another block
//!         [8]  next piece    MORE: where the payload goes on
//!    8|24      previous      ITL: the block's ITL slot as it was; else the transaction's previous record for the same
//!                            block
//!         …    payload
//! ```
//!
//! A payload that no block has room for lies in pieces (PIECE): records that have no chain and no previous, each with a
//! part of it. The record itself, which then has no payload of its own, names the first.

use common::{BlockAddress, ObjectNumber, Uba};

use crate::transaction::ITL_BYTES;

pub(super) const ITL: u8 = 0x01;
pub(super) const CHAIN: u8 = 0x02;
pub(super) const MORE: u8 = 0x04;
pub(super) const PIECE: u8 = 0x08;

/// Bytes that every record has.
pub(super) const FIXED_BYTES: usize = 19;
/// `rci` of a record whose predecessor is elsewhere.
pub(super) const NO_RECORD: u8 = 255;
/// Bytes of a record beside its payload, its directory entry included, at the most.
pub const RECORD_OVERHEAD_MAX: usize = FIXED_BYTES + 2 * Uba::BYTES + ITL_BYTES + 2;
/// The same of a record right behind another of its transaction, of a change under the same ITL slot.
pub const NEXT_RECORD_OVERHEAD: usize = FIXED_BYTES + Uba::BYTES + 2;

/// State before the change, for readers that make an older state of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Previous<'a> {
    /// The transaction's first change of the block: its ITL slot before it.
    Itl(&'a [u8; ITL_BYTES]),
    /// The transaction's previous record for the same block.
    Uba(Uba),
}

/// Content of an undo record, written before a block is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UndoRecord<'a> {
    /// Data object of the block changed.
    pub object: ObjectNumber,
    /// The block changed.
    pub block: BlockAddress,
    /// Operation, in the numbers of the code that undoes it.
    pub operation: u8,
    /// ITL slot in that block.
    pub itl: u8,
    pub previous: Previous<'a>,
    pub payload: &'a [u8],
}

/// Address of the transaction's previous record, as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chain {
    None,
    /// In the same block.
    Here(u8),
    Elsewhere(Uba),
}

impl Chain {
    /// The predecessor `last` of a record in `block`.
    #[must_use]
    pub fn to(last: Uba, block: BlockAddress) -> Self {
        match last {
            last if last.is_none() => Self::None,
            last if last.block == block => Self::Here(last.record),
            last => Self::Elsewhere(last),
        }
    }
}

/// Bytes of a record in its block without its directory entry; `payload` is the part stored with it.
#[must_use]
pub fn record_bytes(previous: &Previous<'_>, chain: Chain, split: bool, payload: usize) -> usize {
    let previous = if matches!(previous, Previous::Itl(_)) { ITL_BYTES } else { Uba::BYTES };
    let chain = if matches!(chain, Chain::Elsewhere(_)) { Uba::BYTES } else { 0 };
    FIXED_BYTES + chain + usize::from(split) * Uba::BYTES + previous + payload
}
