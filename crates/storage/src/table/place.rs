//! Finding blocks for row pieces: arrays of rows, chained rows, migrated rows.

use common::{BlockAddress, BlockClass, Error, Result, Xid};
use format::heap::chain::Chain;
use format::heap::{self, RowAddress, RowBuffer};
use format::transaction::ITL_BYTES;
use waits::Event;

use super::HeapTable;
use super::change::{Check, PieceWork, RowChanges};
use super::is_block_of;
use crate::cache::BlockMut;
use crate::parameters::Parameter;
use crate::segment::RowRoom;
use crate::txn::Worker;
use crate::txn::{Interest, LockWait, Slots, is_changed_since, operation};

/// Bytes of undo payload for an array of rows. A block seldom has more than a few runs of free slots; rows beyond them
/// go in with another visit.
const RUNS_BYTES: usize = 1024;

/// The room that a row of the transaction `xid` needs. It may use room that the transaction has freed itself, unless it
/// takes an ITL slot of its own: the freed room belongs to another slot.
fn room_for(bytes: usize, xid: Option<Xid>, own_slot: bool) -> RowRoom {
    RowRoom { bytes, own: xid.filter(|_| !own_slot), own_slot }
}

/// A block in which a piece fits, and this transaction's ITL slot in it.
fn block_with_slot(s: &Worker, table: &HeapTable, bytes: usize, own_slot: bool) -> Result<(BlockMut, (u8, bool))> {
    let (segment, most) = (&table.segment, table.segment.itl_slots_max());
    let mut room = bytes;
    loop {
        let xid = s.prepare(RUNS_BYTES)?;
        let mut block = segment.block_for_insert(s, room_for(room, Some(xid), own_slot))?;
        let interest =
            if own_slot { s.new_interest(&mut block, xid, most)? } else { s.interest(&mut block, xid, most)? };
        match interest {
            Interest::Slot { number, fresh }
                if segment.fits(&block, room_for(bytes, Some(xid).filter(|_| !own_slot), false)) =>
            {
                debug_assert!(is_block_of(table, &block), "{block:?} is not of the table {}", table.name);
                return Ok((block, (number, fresh)));
            }
            Interest::Slot { .. } => {
                // The added slot has taken the row's room.
                room = (bytes + ITL_BYTES).min(super::piece_capacity(table));
                segment.inserted(s, block, Some(room_for(room, Some(xid), own_slot)))?;
            }
            Interest::Full(holder) | Interest::NoRoom(holder) => {
                // Since the block was chosen it has got as many slots as it may have: a migrated row shares one of the
                // transaction's.
                if let Some(number) = format::itl::find(&block, xid).filter(|_| own_slot) {
                    return Ok((block, (number, false)));
                }
                table.segment.inserted(s, block, None)?;
                let (object, how) = (segment.data_object(), (Event::EnqTxAllocateItlEntry, 4));
                s.locks().wait_for_in(s, holder, object, LockWait::Forever, how)?;
            }
        }
    }
}

/// Puts encoded rows into blocks, from `addresses.len()` on, and appends the address of each placed row. One get and
/// one change a block visit.
pub(super) fn place_rows(
    s: &Worker,
    table: &HeapTable,
    rows: &RowBuffer,
    addresses: &mut Vec<RowAddress>,
    slots: &mut Vec<u16>,
) -> Result<()> {
    let pctfree = table.segment.pctfree();
    while let Some(first) = rows.get(addresses.len()) {
        let (mut block, slot) = block_with_slot(s, table, first.len(), false)?;
        slots.clear();
        let from = addresses.len();
        let is_changed = s.serializable_scn().is_some_and(|seen| is_changed_since(&block, seen));
        let is_one = rows.len() == from + 1 && heap::fits(&block, first.len(), pctfree);
        let one_reach = is_one.then(|| heap::change::insert_reach(&block, first.len())).flatten();
        s.mini(|| {
            let object = table.segment.data_object();
            let address = block.address();
            let placed = if is_changed {
                // The block was chosen with room for one row, for a serializable transaction also in the block as it
                // sees it.
                let at = insert_one(s, table, &mut block, slot, first)?;
                at.map(|at| slots.push(at.slot))
            } else {
                s.transact(&mut block, slot, object, operation::INSERT_ROWS, one_reach, |bytes, itl| {
                    let before = credit(bytes, itl);
                    heap::change::insert_rows(bytes, rows, from, pctfree, itl, slots);
                    let taken = before - credit(bytes, itl);
                    (!slots.is_empty()).then(|| ((), operation::slots_and_credit(slots, taken)))
                })?
            };
            if placed.is_none() {
                return Err(Error::bug(format!("block {address} was given for a row that it does not take")));
            }
            debug_assert!(slots.iter().all(|slot| heap::live_row(&block, *slot).is_some()), "{address}: {slots:?}");
            debug_assert!(from + slots.len() <= rows.len(), "{address} took rows that are not there: {slots:?}");
            addresses.extend(slots.iter().map(|slot| RowAddress::new(address, *slot)));
            let next_row = rows.get(addresses.len()).map(|row| room_for(row.len(), s.xid(), false));
            table.segment.inserted(s, block, next_row)
        })?;
    }
    Ok(())
}

/// Puts one piece into a block by the insert rule.
fn place_piece(s: &Worker, table: &HeapTable, piece: &[u8]) -> Result<RowAddress> {
    let (mut block, slot) = block_with_slot(s, table, piece.len(), false)?;
    s.mini(|| {
        let address = block.address();
        let placed = insert_one(s, table, &mut block, slot, piece)?;
        table.segment.inserted(s, block, None)?;
        placed.ok_or_else(|| Error::bug(format!("block {address} was given for a row piece that it does not take")))
    })
}

/// Bytes that the transaction of an ITL slot has freed in the block and not used again.
fn credit(block: &[u8], itl: u8) -> u16 {
    format::itl::slot(block, itl).map_or(0, format::itl::Itl::credit)
}

fn insert_one(
    s: &Worker,
    table: &HeapTable,
    block: &mut BlockMut,
    slot: (u8, bool),
    piece: &[u8],
) -> Result<Option<RowAddress>> {
    let address = block.address();
    let object = table.segment.data_object();
    let pctfree = table.segment.pctfree();
    let fits = heap::fits(block, piece.len(), pctfree);
    let reach = fits.then(|| heap::change::insert_reach(block, piece.len())).flatten();
    let placed = s.transact(block, slot, object, operation::INSERT_ROWS, reach, |bytes, itl| {
        let before = credit(bytes, itl);
        let slot = if heap::fits(bytes, piece.len(), pctfree) {
            heap::change::insert(bytes, piece, itl)?
        } else {
            heap::change::insert_freed(bytes, piece, itl)?
        };
        debug_assert!(credit(bytes, itl) <= before, "{address}: a row gives room instead of taking it");
        Some((slot, operation::slots_and_credit(&[slot], before - credit(bytes, itl))))
    })?;
    Ok(placed.map(|slot| RowAddress::new(address, slot)))
}

/// Puts a chained row into blocks, last piece first. Returns the address of its first piece. After an error the
/// rollback of the statement removes the placed pieces.
pub(super) fn place_chain(s: &Worker, table: &HeapTable, chain: &Chain<'_>) -> Result<RowAddress> {
    let rest = place_tail(s, table, chain)?;
    let mut piece = Vec::new();
    chain.encode(0, None, rest.first().copied(), &mut piece);
    place_piece(s, table, &piece)
}

/// Puts all pieces of a chained row but the first into blocks. Returns their addresses in the row's order.
pub(super) fn place_tail(s: &Worker, table: &HeapTable, chain: &Chain<'_>) -> Result<Vec<RowAddress>> {
    let mut placed: Vec<RowAddress> = Vec::with_capacity(chain.len());
    let mut piece = Vec::new();
    for index in (1..chain.len()).rev() {
        piece.clear();
        chain.encode(index, None, placed.last().copied(), &mut piece);
        placed.push(place_piece(s, table, &piece)?);
    }
    debug_assert_eq!(placed.len() + 1, chain.len(), "each piece behind the first has its place");
    placed.reverse();
    Ok(placed)
}

/// Puts pieces into the named block, from `addresses.len()` on, as far as they have room there by the insert rule.
/// Appends the address of each.
pub(super) fn put_into(
    s: &Worker,
    table: &HeapTable,
    address: BlockAddress,
    pieces: &[Vec<u8>],
    addresses: &mut Vec<RowAddress>,
) -> Result<()> {
    let segment = &table.segment;
    while let Some(piece) = pieces.get(addresses.len()) {
        let xid = s.prepare(RUNS_BYTES)?;
        let mut block = s.current_mut(address, BlockClass::Data)?;
        if !is_block_of(table, &block) {
            return Ok(());
        }
        segment.watch(&mut block);
        let has_room = |block: &BlockMut| heap::fits(block, piece.len(), segment.pctfree());
        if !has_room(&block) {
            return Ok(());
        }
        let Interest::Slot { number, fresh } = s.interest(&mut block, xid, segment.itl_slots_max())? else {
            return segment.changed(s, block);
        };
        // The added slot may have taken the room.
        if !has_room(&block) {
            return segment.changed(s, block);
        }
        s.mini(|| {
            let at = insert_one(s, table, &mut block, (number, fresh), piece)?.ok_or_else(|| no_room(address))?;
            addresses.push(at);
            segment.changed(s, block)
        })?;
    }
    Ok(())
}

/// Puts migrated pieces into receiving blocks, each with an ITL slot of its own. Returns their addresses in the same
/// order.
pub(super) fn receive(s: &Worker, table: &HeapTable, pieces: &RowBuffer) -> Result<Vec<RowAddress>> {
    let mut placed = Vec::with_capacity(pieces.len());
    while placed.len() < pieces.len() {
        let before = placed.len();
        receive_some(s, table, pieces, &mut placed)?;
        debug_assert!(placed.len() > before, "a receiving block took no piece");
    }
    debug_assert_eq!(placed.len(), pieces.len(), "each migrated piece has one place");
    Ok(placed)
}

/// Puts the next migrated pieces into one receiving block.
fn receive_some(s: &Worker, table: &HeapTable, pieces: &RowBuffer, placed: &mut Vec<RowAddress>) -> Result<()> {
    let Some(first) = pieces.get(placed.len()) else { return Ok(()) };
    let (pctfree, most) = (table.segment.pctfree(), table.segment.itl_slots_max());
    let legacy = s.parameters().boolean(Parameter::LegacySpaceSearch);
    let (mut block, slot) = block_with_slot(s, table, first.len(), true)?;
    s.mini(|| {
        let address = block.address();
        let Some(at) = insert_one(s, table, &mut block, slot, first)? else {
            return Err(no_room(address));
        };
        placed.push(at);
        let is_changed = s.serializable_scn().is_some_and(|seen| is_changed_since(&block, seen));
        // The releases of `_legacy_space_search` searched for each row.
        while !is_changed && !legacy && placed.len() < pieces.len() {
            if receive_run(s, table, pieces, &mut block, placed)? > 0 {
                continue;
            }
            let (Some(piece), Some(xid)) = (pieces.get(placed.len()), s.xid()) else { break };
            if !s.has_undo_room(RUNS_BYTES) || !heap::change::fits_migrated(&block, piece.len(), pctfree, most) {
                break;
            }
            let Interest::Slot { number, fresh } = s.new_interest(&mut block, xid, most)? else { break };
            match insert_one(s, table, &mut block, (number, fresh), piece)? {
                Some(at) => placed.push(at),
                None => break,
            }
        }
        let next_row = pieces.get(placed.len()).map(|piece| room_for(piece.len(), None, true));
        table.segment.inserted(s, block, next_row)
    })
}

/// Puts further pieces into a receiving block together, as many as have room, each with an ITL slot that is added for
/// it. Returns their number: 0 while the block has a free slot, so that none need be added.
fn receive_run(
    s: &Worker,
    table: &HeapTable,
    pieces: &RowBuffer,
    block: &mut BlockMut,
    placed: &mut Vec<RowAddress>,
) -> Result<usize> {
    let (pctfree, most) = (table.segment.pctfree(), table.segment.itl_slots_max());
    let from = placed.len();
    let payload = operation::slots(&[0]).len();
    let count = s.undo_records_with_room(true, (from..pieces.len()).map(|_| payload));
    // Added slots are in use at once, so a block without a free slot does not get one meanwhile.
    let admits = |bytes: &[u8], at: usize| {
        let piece = pieces.get(from + at)?;
        heap::change::fits_migrated_with_slot(bytes, piece.len(), pctfree, most).then_some(piece)
    };
    if count == 0 || format::itl::free_slot(block).is_some() || admits(block, 0).is_none() {
        return Ok(0);
    }
    let (object, address) = (table.segment.data_object(), block.address());
    let mut add = |bytes: &mut [u8], at: usize| {
        admits(bytes, at)?;
        format::itl::add(bytes, most)
    };
    s.transact_many(block, Slots::Own(&mut add), object, count, |bytes, itl, at, payload| {
        let slot = heap::change::insert(bytes, pieces.get(from + at)?, itl)?;
        payload.extend_from_slice(&operation::slots(&[slot]));
        placed.push(RowAddress::new(address, slot));
        Some(operation::INSERT_ROWS)
    })
}

fn no_room(address: BlockAddress) -> Error {
    Error::bug(format!("block {address} was given for a row that it does not take"))
}

/// Removes pieces of a row that this transaction holds from their blocks. Pieces that are gone are passed over.
pub(super) fn remove_pieces(s: &Worker, table: &HeapTable, pieces: &[RowAddress]) -> Result<()> {
    let mut changes = RowChanges::new(s, table, Check::Held);
    for piece in pieces {
        changes.change(*piece, &PieceWork::Delete, |_| true, |_| {})?;
    }
    changes.release()
}
