//! What undo records say was done. The numbers are in undo blocks: they stay.

use common::{BlockAddress, BlockRange};

/// Rows put in: pairs of first slot and count, two bytes each; then, where they took any, the bytes of the ITL slot's
/// credit that they took (2).
pub(crate) const INSERT_ROWS: u8 = 1;
/// A row marked deleted: its slot (2), its lock byte before (1), the piece.
pub(crate) const DELETE_ROW: u8 = 2;
/// A row replaced: its slot (2), its lock byte before (1), the piece before.
pub(crate) const REPLACE_ROW: u8 = 3;
/// A row locked: its slot (2), its lock byte before (1).
pub(crate) const LOCK_ROW: u8 = 4;
/// Index entries put in.
pub(crate) const INSERT_ENTRIES: u8 = 5;
/// Index entries marked deleted.
pub(crate) const DELETE_ENTRIES: u8 = 6;
/// Deleted index entries brought back, with the rowids that they had.
pub(crate) const REVIVE_ENTRIES: u8 = 7;

/// Blocks loaded: runs of them, first block (4) and count (4).
pub(crate) const LOAD_BLOCKS: u8 = 8;

/// Whether it was done to an index.
pub(crate) fn is_of_index(operation: u8) -> bool {
    matches!(operation, INSERT_ENTRIES | DELETE_ENTRIES | REVIVE_ENTRIES)
}

/// Runs of blocks, for [`LOAD_BLOCKS`].
pub(crate) fn blocks(ranges: &[BlockRange]) -> Vec<u8> {
    let bytes = |range: &BlockRange| [range.start.pack().to_le_bytes(), range.blocks.to_le_bytes()].concat();
    ranges.iter().flat_map(bytes).collect()
}

/// The blocks of [`blocks`].
pub(crate) fn read_blocks(payload: &[u8]) -> impl Iterator<Item = BlockAddress> + '_ {
    payload.as_chunks::<8>().0.iter().flat_map(|[a, b, c, d, count @ ..]| {
        let start = BlockAddress::unpack(u32::from_le_bytes([*a, *b, *c, *d]));
        (0..u32::from_le_bytes(*count)).map(move |n| start.plus(n))
    })
}

/// Runs of slots, for [`INSERT_ROWS`].
pub(crate) fn slots(slots: &[u16]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8);
    for run in slots.chunk_by(|a, b| a + 1 == *b) {
        out.extend_from_slice(&run[0].to_le_bytes());
        out.extend_from_slice(&(run.len() as u16).to_le_bytes());
    }
    out
}

/// [`slots`] of rows that took `credit` bytes of the ITL slot's credit.
pub(crate) fn slots_and_credit(rows: &[u16], credit: u16) -> Vec<u8> {
    let mut out = slots(rows);
    if credit > 0 {
        out.extend_from_slice(&credit.to_le_bytes());
    }
    out
}

/// The credit of [`slots_and_credit`].
pub(crate) fn read_credit(payload: &[u8]) -> u16 {
    match payload.chunks_exact(4).remainder() {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    }
}

/// The slots of [`slots`].
pub(crate) fn read_slots(payload: &[u8]) -> impl DoubleEndedIterator<Item = u16> + '_ {
    payload.chunks_exact(4).flat_map(|run| {
        let first = u16::from_le_bytes([run[0], run[1]]);
        let count = u16::from_le_bytes([run[2], run[3]]);
        first..first.saturating_add(count)
    })
}

/// Bytes of [`row`] beside the piece.
pub(crate) const ROW_BYTES: usize = 3;

/// A row's slot, lock byte and piece, for the others.
pub(crate) fn row(slot: u16, lock: u8, piece: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(ROW_BYTES + piece.len());
    add_row(&mut out, slot, lock, piece);
    out
}

/// Puts what [`row`] gives behind what is in a buffer.
pub(crate) fn add_row(out: &mut Vec<u8>, slot: u16, lock: u8, piece: &[u8]) {
    out.extend_from_slice(&slot.to_le_bytes());
    out.push(lock);
    out.extend_from_slice(piece);
}

/// What [`row`] made; None where it is cut.
pub(crate) fn read_row(payload: &[u8]) -> Option<(u16, u8, &[u8])> {
    let (head, piece) = payload.split_at_checked(3)?;
    Some((u16::from_le_bytes([head[0], head[1]]), head[2], piece))
}
