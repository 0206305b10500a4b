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
//! - a row piece takes at least [`common::limits::LEAST_ROW_BYTES`], so that a forwarding stub always fits in its place;
//! - `available` = bytes between directory and tail less the bytes of all row pieces. Holes that deletes and moves leave between row pieces are
//!   part of it; they are closed by compaction when the gap between `begin` and `end` is too small for a row that would fit;
//! - pieces do not overlap, and every piece lies between `end` and the tail.
//!
//! Offsets are those of the block, not of the data header: a new ITL slot then moves the directory and no row.
//!
//! - [`row`]: the row piece as bytes, and its encoding
//! - [`chain`]: cutting a row that is too large for one piece
//! - [`block`]: inserting, replacing, deleting; how much room there is
//! - [`itl`]: the ITL slots that migrated rows take
//! - [`validate()`], [`dump()`]

pub mod block;
pub mod chain;
mod dump;
mod header;
pub mod itl;
pub mod row;
mod validate;

#[cfg(test)]
mod tests;

pub use block::{
    available, capacity, delete, fits, free_bytes, init, insert, insert_rows, is_empty, replace, replace_fits,
    row_count, used_percent,
};
pub use dump::dump;
pub use header::{DATA_HEADER_BYTES, DataHeader, SLOT_BYTES, TABLE_DIRECTORY_BYTES, slot_count};
pub use itl::{fits_migrated, insert_migrated};
pub use row::{RowAddress, RowBuffer, RowPiece, row, rows};
pub use validate::validate;
