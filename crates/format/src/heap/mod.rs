//! The heap block: rows of a table in any order, each at a slot that never changes while the row lives in the block.
//!
//! ```text
//!  0        block header, 20 bytes
//! 20        transaction header, 24 bytes, 24 more an ITL slot, 8 more under automatic space management
//!  B        data header, 14 bytes                        (B = transaction::body_offset)
//!  B+14     table directory, 4 bytes
//!  B+18     row directory, 2 bytes a slot  ->  grows up
//!  begin    free space
//!  end      row pieces                     <-  grow down
//!  last 4   tail
//! ```
//!
//! Invariants, all checked by [`validate()`]:
//! - a slot in use holds the block offset of its row piece; a free slot holds `0x8000` and the next free slot;
//! - a row piece takes at least [`common::limits::LEAST_ROW_BYTES`], so that a forwarding stub always fits in its
//!   place;
//! - `total` = bytes between directory and tail less the bytes of all row pieces that are not marked deleted;
//!   `available`, the free bytes at present, is `total` less the credits of the ITL slots. Holes that deletes and moves
//!   leave between row pieces are part of it; they are closed by compaction when the gap between `begin` and `end` is
//!   too small for a row that would fit;
//! - a piece marked deleted is held by an ITL slot whose transaction has not ended as far as the block knows, and is
//!   part of that slot's credit. It may have been cut down to an empty piece, when the transaction has used its bytes
//!   for rows of its own;
//! - pieces do not overlap, and every piece lies between `end` and the tail.
//!
//! Offsets count from the block, not from the data header: a new ITL slot then moves the directory and no row.
//!
//! - [`row`]: the row piece as bytes, and its encoding
//! - [`chain`]: cutting a row that is too large for one piece
//! - [`block`]: free space; inserting, replacing, deleting at once, without a transaction
//! - [`change`]: the same by transactions; [`undo`]: taking that back. Cleaning up after them is in [`crate::itl`]
//! - [`validate()`], [`dump()`]

pub mod block;
pub mod chain;
pub mod change;
pub(crate) mod cleanout;
mod dump;
mod header;
mod lock;
pub mod row;
mod space;
pub mod undo;
mod validate;

#[cfg(test)]
mod reach_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transaction_tests;

pub use crate::itl;
pub use block::{
    available, capacity, delete, fits, free_after_commit, free_bytes, init, insert, insert_rows, is_empty, replace,
    replace_fits, row_count, used_after_commit_percent, used_percent,
};
pub use change::{lock_row, mark_deleted};
pub use dump::dump;
pub use header::{DATA_HEADER_BYTES, DataHeader, SLOT_BYTES, TABLE_DIRECTORY_BYTES, is_within, slot_count};
pub use row::{RowAddress, RowBuffer, RowPiece, live_row, live_rows, row, rows};
pub use undo::{undo_delete, undo_insert, undo_lock, undo_replace};
pub use validate::validate;
