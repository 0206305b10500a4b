//! Finding blocks for row pieces: arrays of rows, chained rows, migrated rows.

use common::sync::atomic::{AtomicU32, Ordering};
use common::{BlockClass, Error, Result};
use format::heap::chain::Chain;
use format::heap::{self, RowAddress, RowBuffer};
use format::transaction::ITL_BYTES;

use crate::catalog::TableDef;
use crate::instance::Session;

/// Numbers the statements that move rows: a migrated row takes an ITL slot that no other row of its statement has.
/// It starts again with the process; a number that comes twice costs a slot that could have been shared, and nothing else.
static STATEMENTS: AtomicU32 = AtomicU32::new(1);

pub(super) fn next_statement() -> u32 {
    STATEMENTS.fetch_add(1, Ordering::Relaxed)
}

/// Puts encoded rows into blocks, from `addresses.len()` on, and appends the address of each that stands. One get and one change a block visit.
pub(super) fn place_rows(
    s: &Session,
    table: &TableDef,
    rows: &RowBuffer,
    addresses: &mut Vec<RowAddress>,
    slots: &mut Vec<u16>,
) -> Result<()> {
    while let Some(first) = rows.get(addresses.len()) {
        let mut block = table.segment.block_for_insert(s, first.len())?;
        slots.clear();
        let from = addresses.len();
        s.change(&mut block, |bytes| heap::insert_rows(bytes, rows, from, table.segment.pctfree(), slots));
        if slots.is_empty() {
            return Err(Error::bug(format!("block {} was given for a row that it does not take", block.address())));
        }
        let address = block.address();
        addresses.extend(slots.iter().map(|slot| RowAddress::new(address, *slot)));
        let next_row = rows.get(addresses.len()).map(<[u8]>::len);
        table.segment.inserted(s, block, next_row)?;
    }
    Ok(())
}

/// Puts one piece into a block by the insert rule.
fn place_piece(s: &Session, table: &TableDef, piece: &[u8]) -> Result<RowAddress> {
    let mut block = table.segment.block_for_insert(s, piece.len())?;
    let slot = s.change(&mut block, |bytes| heap::insert(bytes, piece));
    let Some(slot) = slot else {
        return Err(Error::bug(format!("block {} was given for a row piece that it does not take", block.address())));
    };
    let address = RowAddress::new(block.address(), slot);
    table.segment.inserted(s, block, None)?;
    Ok(address)
}

/// Puts a chained row into blocks, last piece first, and returns the address of its first piece. On an error no piece stays.
pub(super) fn place_chain(s: &Session, table: &TableDef, chain: &Chain<'_>) -> Result<RowAddress> {
    let rest = place_tail(s, table, chain)?;
    let mut piece = Vec::new();
    chain.encode(0, None, rest.first().copied(), &mut piece);
    match place_piece(s, table, &piece) {
        Ok(address) => Ok(address),
        Err(error) => {
            remove_pieces(s, table, &rest)?;
            Err(error)
        }
    }
}

/// Puts all pieces of a chained row but the first into blocks; their addresses in the row's order.
pub(super) fn place_tail(s: &Session, table: &TableDef, chain: &Chain<'_>) -> Result<Vec<RowAddress>> {
    let mut placed: Vec<RowAddress> = Vec::with_capacity(chain.len());
    let mut piece = Vec::new();
    for index in (1..chain.len()).rev() {
        piece.clear();
        chain.encode(index, None, placed.last().copied(), &mut piece);
        match place_piece(s, table, &piece) {
            Ok(address) => placed.push(address),
            Err(error) => {
                remove_pieces(s, table, &placed)?;
                return Err(error);
            }
        }
    }
    placed.reverse();
    Ok(placed)
}

/// Puts migrated pieces into receiving blocks, each with an ITL slot of its own; their addresses in the same order. On an error no piece stays.
pub(super) fn receive(s: &Session, table: &TableDef, pieces: &RowBuffer, statement: u32) -> Result<Vec<RowAddress>> {
    let mut placed = Vec::with_capacity(pieces.len());
    while placed.len() < pieces.len() {
        if let Err(error) = receive_some(s, table, pieces, statement, &mut placed) {
            remove_pieces(s, table, &placed)?;
            return Err(error);
        }
    }
    Ok(placed)
}

/// One receiving block.
fn receive_some(
    s: &Session,
    table: &TableDef,
    pieces: &RowBuffer,
    statement: u32,
    placed: &mut Vec<RowAddress>,
) -> Result<()> {
    let Some(first) = pieces.get(placed.len()) else { return Ok(()) };
    let pctfree = table.segment.pctfree();
    let room = (first.len() + ITL_BYTES).min(super::piece_capacity(table));
    let mut block = table.segment.block_for_insert(s, room)?;
    let address = block.address();
    let before = placed.len();
    s.change(&mut block, |bytes| {
        while let Some(piece) = pieces.get(placed.len()) {
            if !heap::fits_migrated(bytes, piece.len(), pctfree, statement) {
                break;
            }
            let Some(slot) = heap::insert_migrated(bytes, piece, statement) else { break };
            placed.push(RowAddress::new(address, slot));
        }
        // A block with all the ITL slots it may have, and a row too large for any block together with a slot, share one.
        if placed.len() == before
            && let Some(slot) = heap::insert(bytes, first)
        {
            placed.push(RowAddress::new(address, slot));
        }
    });
    if placed.len() == before {
        return Err(Error::bug(format!("block {address} was given for a row that it does not take")));
    }
    let next_row = pieces.get(placed.len()).map(|piece| piece.len() + ITL_BYTES);
    table.segment.inserted(s, block, next_row)
}

/// Takes row pieces out of their blocks; those that are gone are passed over.
pub(super) fn remove_pieces(s: &Session, table: &TableDef, pieces: &[RowAddress]) -> Result<()> {
    for piece in pieces {
        let mut block = s.current_mut(piece.block, BlockClass::Data)?;
        if heap::row(&block, piece.slot).is_some() {
            table.segment.watch(&mut block);
            s.change(&mut block, |bytes| heap::delete(bytes, piece.slot));
            table.segment.changed(s, block)?;
        }
    }
    Ok(())
}
