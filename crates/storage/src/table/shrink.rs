//! SHRINK SPACE: the rows of the last blocks move into free room of the first ones, so that the segment's end can be
//! given back.
//!
//! ```text
//! blocks of the segment   [first …  -> targets     sources <- … last]
//! a source block          its rows are deleted, with their index entries, and put into targets, until the two meet
//! ```
//!
//! Rows are moved by ordinary changes of the session's transaction: the moves have undo, and other sessions see each
//! row once, in the place that their snapshot has. The caller keeps other sessions from changing the table. The moves
//! end at a block that has a part of a row which no single piece can hold, or rows for which there is no room before
//! it.

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Result};
use format::heap::chain::fits_one_piece;
use format::heap::row::{WHOLE, encode_piece, trim};
use format::heap::{self, RowAddress};

use super::HeapTable;
use super::delete::Deleter;
use super::fetch::{Mode, read_row};
use super::keys::KeyBatch;
use super::place::put_into;
use super::row::Row;
use super::{is_block_of, piece_capacity};
use crate::txn::Worker;

/// Moves rows towards the beginning of the segment. Returns the number of rows moved.
///
/// # Errors
/// Errors of the cache, of undo and of the indexes; ORA-01013. The moves so far belong to the transaction, and are
/// rolled back with it.
pub fn compact(s: &Arc<Worker>, table: &Arc<HeapTable>) -> Result<u64> {
    let blocks = data_blocks(s, table)?;
    let (mut target, mut end, mut moved) = (0, blocks.len(), 0);
    while target + 1 < end {
        s.check_cancelled()?;
        let source = blocks[end - 1];
        let Some(rows) = rows_of(s, table, source)? else { break };
        if !rows.is_empty() && !move_rows(s, table, &rows, &blocks[..end - 1], &mut target)? {
            break;
        }
        moved += rows.len() as u64;
        end -= 1;
    }
    Ok(moved)
}

/// The block with the last row of the segment, or a part of one; None where there are no rows.
///
/// # Errors
/// Errors of the cache; ORA-01013.
pub fn last_used(s: &Arc<Worker>, table: &HeapTable) -> Result<Option<BlockAddress>> {
    for address in data_blocks(s, table)?.into_iter().rev() {
        s.check_cancelled()?;
        let block = s.current(address, BlockClass::Data)?;
        if is_block_of(table, &block) && heap::live_rows(&block, 0).next().is_some() {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

/// Formatted data blocks below the high-water mark, in order.
fn data_blocks(s: &Worker, table: &HeapTable) -> Result<Vec<BlockAddress>> {
    let ranges = table.segment.scan_ranges(s)?;
    Ok(ranges.iter().flat_map(|range| (0..range.blocks).map(|at| range.start.plus(at))).collect())
}

/// The homes of the rows that have a piece in a block. None when a piece is not its row's only one and does not name
/// its home.
fn rows_of(s: &Worker, table: &HeapTable, address: BlockAddress) -> Result<Option<Vec<RowAddress>>> {
    let block = s.current(address, BlockClass::Data)?;
    if !is_block_of(table, &block) {
        return Ok(Some(Vec::new()));
    }
    let mut homes = Vec::new();
    for (slot, piece) in heap::live_rows(&block, 0) {
        match piece.head_address() {
            Some(home) => homes.push(home),
            None if super::delete::is_head(piece) => homes.push(RowAddress::new(address, slot)),
            None => return Ok(None),
        }
    }
    homes.sort_unstable_by_key(|home| (home.block, home.slot));
    homes.dedup();
    Ok(Some(homes))
}

/// Moves rows into blocks from `targets[*next]` on. False, without any change, when they have no room there.
fn move_rows(
    s: &Arc<Worker>,
    table: &Arc<HeapTable>,
    homes: &[RowAddress],
    targets: &[BlockAddress],
    next: &mut usize,
) -> Result<bool> {
    let mut rows: Vec<Row> = Vec::with_capacity(homes.len());
    for home in homes {
        let Some((row, _)) = read_row(s, table, *home, Mode::Current, usize::MAX)? else { return Ok(false) };
        if !fits_one_piece(&row.columns(), piece_capacity(table), false) {
            return Ok(false);
        }
        rows.push(row);
    }
    let mark = s.mark();
    let mut deleter = Deleter::new(Arc::clone(s), Arc::clone(table));
    for home in homes {
        deleter.push(home.rowid(table.segment.data_object()))?;
    }
    deleter.finish()?;
    let mut pieces = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut piece = Vec::new();
        encode_piece(WHOLE, None, None, trim(&row.columns()), &mut piece);
        pieces.push(piece);
    }
    let mut addresses = Vec::with_capacity(pieces.len());
    while addresses.len() < pieces.len() {
        let Some(target) = targets.get(*next) else {
            s.rollback_to_mark(mark)?;
            return Ok(false);
        };
        put_into(s, table, *target, &pieces, &mut addresses)?;
        if addresses.len() < pieces.len() {
            *next += 1;
        }
    }
    let mut keys = KeyBatch::new(table);
    for (number, row) in rows.iter().enumerate() {
        keys.add(number, |position| row.column(position));
    }
    keys.insert(s, &addresses)?;
    Ok(true)
}
