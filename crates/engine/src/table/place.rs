//! Finding blocks for row pieces: arrays of rows, chained rows, migrated rows.

use common::{BlockAddress, Error, Result};
use format::heap::chain::Chain;
use format::heap::{self, RowAddress, RowBuffer};
use format::transaction::ITL_BYTES;
use waits::Event;

use super::change::{Check, RowChanges, Work};
use crate::cache::BlockMut;
use crate::catalog::TableDef;
use crate::instance::Session;
use crate::txn::{Interest, LockWait, operation};

/// Undo payload of an array of rows: a block seldom has more than a few runs of free slots; what does not fit goes in another visit.
const RUNS_BYTES: usize = 1024;

/// A block in which a piece fits, and this transaction's ITL slot in it.
fn block_with_slot(s: &Session, table: &TableDef, bytes: usize, own_slot: bool) -> Result<(BlockMut, (u8, bool))> {
    let mut room = bytes;
    loop {
        let xid = s.prepare(RUNS_BYTES)?;
        let mut block = table.segment.block_for_insert(s, room)?;
        let interest = if own_slot { s.new_interest(&mut block, xid)? } else { s.interest(&mut block, xid)? };
        match interest {
            Interest::Slot { number, fresh } if heap::fits(&block, bytes, table.segment.pctfree()) => {
                return Ok((block, (number, fresh)));
            }
            Interest::Slot { .. } => {
                // The slot has taken the row's room.
                room = (bytes + ITL_BYTES).min(super::piece_capacity(table));
                table.segment.inserted(s, block, Some(room))?;
            }
            Interest::Full(_) if own_slot => {
                // As many slots as the block may have: the row shares one of the transaction's.
                if let Some(number) = format::itl::find(&block, xid) {
                    return Ok((block, (number, false)));
                }
                return Err(Error::bug(format!("block {} has no ITL slot for a migrated row", block.address())));
            }
            Interest::Full(holder) => {
                table.segment.inserted(s, block, None)?;
                s.instance().locks().wait_for(s, holder, LockWait::Forever, Event::EnqTxAllocateItlEntry, 4)?;
            }
        }
    }
}

/// Puts encoded rows into blocks, from `addresses.len()` on, and appends the address of each that stands. One get and one change a block visit.
pub(super) fn place_rows(
    s: &Session,
    table: &TableDef,
    rows: &RowBuffer,
    addresses: &mut Vec<RowAddress>,
    slots: &mut Vec<u16>,
) -> Result<()> {
    let pctfree = table.segment.pctfree();
    while let Some(first) = rows.get(addresses.len()) {
        let (mut block, slot) = block_with_slot(s, table, first.len(), false)?;
        slots.clear();
        let from = addresses.len();
        let _group = s.group();
        let object = table.segment.data_object();
        let placed = s.transact(&mut block, slot, object, operation::INSERT_ROWS, |bytes, itl| {
            heap::change::insert_rows(bytes, rows, from, pctfree, itl, slots);
            (!slots.is_empty()).then(|| ((), operation::slots(slots)))
        })?;
        let address = block.address();
        if placed.is_none() {
            return Err(Error::bug(format!("block {address} was given for a row that it does not take")));
        }
        addresses.extend(slots.iter().map(|slot| RowAddress::new(address, *slot)));
        let next_row = rows.get(addresses.len()).map(<[u8]>::len);
        table.segment.inserted(s, block, next_row)?;
    }
    Ok(())
}

/// Puts one piece into a block by the insert rule.
fn place_piece(s: &Session, table: &TableDef, piece: &[u8]) -> Result<RowAddress> {
    let (mut block, slot) = block_with_slot(s, table, piece.len(), false)?;
    let _group = s.group();
    let address = block.address();
    let placed = insert_one(s, table, &mut block, slot, piece)?;
    table.segment.inserted(s, block, None)?;
    placed.ok_or_else(|| Error::bug(format!("block {address} was given for a row piece that it does not take")))
}

fn insert_one(
    s: &Session,
    table: &TableDef,
    block: &mut BlockMut,
    slot: (u8, bool),
    piece: &[u8],
) -> Result<Option<RowAddress>> {
    let address = block.address();
    let object = table.segment.data_object();
    let placed = s.transact(block, slot, object, operation::INSERT_ROWS, |bytes, itl| {
        let slot = heap::change::insert(bytes, piece, itl)?;
        Some((slot, operation::slots(&[slot])))
    })?;
    Ok(placed.map(|slot| RowAddress::new(address, slot)))
}

/// Puts a chained row into blocks, last piece first, and returns the address of its first piece. What an error leaves is taken back with the statement.
pub(super) fn place_chain(s: &Session, table: &TableDef, chain: &Chain<'_>) -> Result<RowAddress> {
    let rest = place_tail(s, table, chain)?;
    let mut piece = Vec::new();
    chain.encode(0, None, rest.first().copied(), &mut piece);
    place_piece(s, table, &piece)
}

/// Puts all pieces of a chained row but the first into blocks; their addresses in the row's order.
pub(super) fn place_tail(s: &Session, table: &TableDef, chain: &Chain<'_>) -> Result<Vec<RowAddress>> {
    let mut placed: Vec<RowAddress> = Vec::with_capacity(chain.len());
    let mut piece = Vec::new();
    for index in (1..chain.len()).rev() {
        piece.clear();
        chain.encode(index, None, placed.last().copied(), &mut piece);
        placed.push(place_piece(s, table, &piece)?);
    }
    placed.reverse();
    Ok(placed)
}

/// Puts migrated pieces into receiving blocks, each with an ITL slot of its own; their addresses in the same order.
pub(super) fn receive(s: &Session, table: &TableDef, pieces: &RowBuffer) -> Result<Vec<RowAddress>> {
    let mut placed = Vec::with_capacity(pieces.len());
    while placed.len() < pieces.len() {
        receive_some(s, table, pieces, &mut placed)?;
    }
    Ok(placed)
}

/// One receiving block.
fn receive_some(s: &Session, table: &TableDef, pieces: &RowBuffer, placed: &mut Vec<RowAddress>) -> Result<()> {
    let Some(first) = pieces.get(placed.len()) else { return Ok(()) };
    let pctfree = table.segment.pctfree();
    let room = (first.len() + ITL_BYTES).min(super::piece_capacity(table));
    let (mut block, slot) = block_with_slot(s, table, room.min(first.len().max(room - ITL_BYTES)), true)?;
    let _group = s.group();
    let address = block.address();
    let Some(at) = insert_one(s, table, &mut block, slot, first)? else {
        return Err(no_room(address));
    };
    placed.push(at);
    while let (Some(piece), Some(xid)) = (pieces.get(placed.len()), s.xid()) {
        if !s.has_undo_room(RUNS_BYTES) || !heap::change::fits_migrated(&block, piece, pctfree) {
            break;
        }
        let Interest::Slot { number, fresh } = s.new_interest(&mut block, xid)? else { break };
        match insert_one(s, table, &mut block, (number, fresh), piece)? {
            Some(at) => placed.push(at),
            None => break,
        }
    }
    let next_row = pieces.get(placed.len()).map(|piece| piece.len() + ITL_BYTES);
    table.segment.inserted(s, block, next_row)
}

fn no_room(address: BlockAddress) -> Error {
    Error::bug(format!("block {address} was given for a row that it does not take"))
}

/// Takes row pieces out of their blocks, which belong to a row that this transaction holds; those that are gone are passed over.
pub(super) fn remove_pieces(s: &Session, table: &TableDef, pieces: &[RowAddress]) -> Result<()> {
    let mut changes = RowChanges::new(s, table, Check::Held);
    for piece in pieces {
        changes.change(*piece, &Work::Delete, |_| true, |_| {})?;
    }
    changes.release()
}
