//! A block of undo records.
//!
//! ```text
//! offset size  field
//!     20    2  segment       undo segment number
//!     22    2  slot          of the transaction that has the block
//!     24    4  sequence      of that transaction
//!     28    2  life          changes each time the block is put to a new use
//!     30    1  records
//!     31    1  spare         zero
//!     32    2  record end    offset of the lowest byte that a record has
//!     34    2  spare         zero
//!     36    8  last          the transaction's newest record that is not undone, here or in an older block
//!     44    4  before        the block that the transaction took before this one
//!     48   2n  directory     offsets of the records
//!      …       records, growing down to here from the tail
//! ```
//!
//! A block belongs to one transaction at a time and may hold records of several that have committed; each record names
//! its transaction.

use common::{BlockAddress, ObjectNumber, Uba, Xid};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::record::{CHAIN, Chain, FIXED_BYTES, ITL, MORE, NO_RECORD, PIECE, Previous, UndoRecord, record_bytes};
use crate::block::{self, BlockType, HEADER_BYTES, TAIL_BYTES};
use crate::redo::Reach;
use crate::transaction::ITL_BYTES;
use crate::view;

/// Records in one block: 255 is "none".
pub const RECORDS_MAX: usize = 255;
const DIRECTORY_OFFSET: usize = HEADER_BYTES + size_of::<UndoBlockHeader>();

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct UndoBlockHeader {
    pub segment: U16,
    pub slot: U16,
    pub sequence: U32,
    pub life: U16,
    pub records: u8,
    pub spare: u8,
    pub record_end: U16,
    pub spare2: U16,
    pub last: [u8; Uba::BYTES],
    pub before: U32,
}

const _: () = assert!(DIRECTORY_OFFSET == 48);

impl UndoBlockHeader {
    /// The transaction that has the block, or had it last.
    #[must_use]
    pub fn xid(&self) -> Xid {
        Xid { segment: self.segment.get(), slot: self.slot.get(), sequence: self.sequence.get() }
    }

    #[must_use]
    pub fn last_record(&self) -> Uba {
        Uba::unpack(self.last)
    }

    #[must_use]
    pub fn before_block(&self) -> BlockAddress {
        BlockAddress::unpack(self.before.get())
    }

    fn set_owner(&mut self, xid: Xid, last: Uba, before: BlockAddress) {
        self.segment = xid.segment.into();
        self.slot = xid.slot.into();
        self.sequence = xid.sequence.into();
        self.last = last.pack();
        self.before = before.pack().into();
    }
}

#[must_use]
pub fn block_header(bytes: &[u8]) -> &UndoBlockHeader {
    view::at(bytes, HEADER_BYTES)
}

fn block_header_mut(bytes: &mut [u8]) -> &mut UndoBlockHeader {
    view::at_mut(bytes, HEADER_BYTES)
}

/// The transaction that has the block.
#[must_use]
pub fn owner(bytes: &[u8]) -> Xid {
    block_header(bytes).xid()
}

/// Formats a block for a transaction whose newest record is `last` and whose newest block is `before`.
pub fn init_block(bytes: &mut [u8], address: BlockAddress, life: u16, xid: Xid, last: Uba, before: BlockAddress) {
    block::format(bytes, BlockType::UndoBlock, address);
    let end = bytes.len() - TAIL_BYTES;
    let header = block_header_mut(bytes);
    header.life = life.into();
    header.record_end = (end as u16).into();
    header.set_owner(xid, last, before);
}

/// Gives a block with room, whose records are of ended transactions, to another transaction as its first.
pub fn own_block(bytes: &mut [u8], xid: Xid) {
    block_header_mut(bytes).set_owner(xid, Uba::NONE, BlockAddress::NONE);
}

/// Moves the end of the transaction's chain: records newer than `last` are undone.
pub fn set_last(bytes: &mut [u8], last: Uba) {
    block_header_mut(bytes).last = last.pack();
}

/// Bytes available for a record and its directory entry; 0 when the block has its maximum of records.
#[must_use]
pub fn room(bytes: &[u8]) -> usize {
    let header = block_header(bytes);
    let records = usize::from(header.records);
    if records >= RECORDS_MAX {
        return 0;
    }
    usize::from(header.record_end.get()) - DIRECTORY_OFFSET - 2 * records
}

/// [`room`] of an empty block.
#[must_use]
pub fn empty_room(block_bytes: usize) -> usize {
    block_bytes - TAIL_BYTES - DIRECTORY_OFFSET
}

/// Makes the space for a record and returns its number; the caller fills it.
fn make_record(bytes: &mut [u8], length: usize) -> (u8, &mut [u8]) {
    debug_assert!(length + 2 <= room(bytes));
    let header = block_header_mut(bytes);
    let number = header.records;
    let start = usize::from(header.record_end.get()) - length;
    header.records = number + 1;
    header.record_end = (start as u16).into();
    *view::at_mut::<U16>(bytes, DIRECTORY_OFFSET + 2 * usize::from(number)) = (start as u16).into();
    let record = &mut bytes[start..start + length];
    record[..2].copy_from_slice(&(length as u16).to_le_bytes());
    (number, record)
}

/// What [`append`] and [`append_piece`] may write, with [`own_block`], for `count` records of at most `length` bytes
/// together.
#[must_use]
pub fn append_reach(bytes: &[u8], count: usize, length: usize) -> Option<Reach> {
    let header = block_header(bytes);
    let directory = DIRECTORY_OFFSET + 2 * (usize::from(header.records) + count);
    let end = usize::from(header.record_end.get());
    let start = end.saturating_sub(length).max(directory);
    Reach::default().with(bytes.len(), HEADER_BYTES..directory)?.with(bytes.len(), start..end)
}

/// Writes a record of the block's own transaction and returns its address. It has `more` when its payload lies in
/// pieces.
pub fn append(bytes: &mut [u8], record: &UndoRecord<'_>, more: Option<Uba>) -> Uba {
    let address = block::header(bytes).address();
    let header = *block_header(bytes);
    let chain = Chain::to(header.last_record(), address);
    let payload = if more.is_some() { &[][..] } else { record.payload };
    let length = record_bytes(&record.previous, chain, more.is_some(), payload.len());
    let (number, out) = make_record(bytes, length);
    out[3] = record.operation;
    out[4..8].copy_from_slice(&record.object.0.to_le_bytes());
    out[8..12].copy_from_slice(&record.block.pack().to_le_bytes());
    out[12] = record.itl;
    out[13] = header.slot.get() as u8;
    out[14..18].copy_from_slice(&header.sequence.get().to_le_bytes());
    out[18] = if let Chain::Here(number) = chain { number } else { NO_RECORD };
    let mut at = FIXED_BYTES;
    let mut put = |field: &[u8]| {
        out[at..at + field.len()].copy_from_slice(field);
        at += field.len();
    };
    let mut flags = 0;
    if let Chain::Elsewhere(last) = chain {
        flags |= CHAIN;
        put(&last.pack());
    }
    if let Some(piece) = more {
        flags |= MORE;
        put(&piece.pack());
    }
    match record.previous {
        Previous::Itl(itl) => {
            flags |= ITL;
            put(itl);
        }
        Previous::Uba(previous) => put(&previous.pack()),
    }
    put(payload);
    out[2] = flags;
    let uba = Uba { block: address, sequence: header.life.get(), record: number };
    set_last(bytes, uba);
    uba
}

/// Writes a part of a payload; `next` is the address of its continuation. The transaction's chain does not include it.
pub fn append_piece(bytes: &mut [u8], part: &[u8], next: Option<Uba>) -> Uba {
    let address = block::header(bytes).address();
    let header = *block_header(bytes);
    let (number, out) = make_record(bytes, FIXED_BYTES + Uba::BYTES + part.len());
    out[2] = PIECE | if next.is_some() { MORE } else { 0 };
    out[13] = header.slot.get() as u8;
    out[14..18].copy_from_slice(&header.sequence.get().to_le_bytes());
    out[18] = NO_RECORD;
    out[FIXED_BYTES..FIXED_BYTES + Uba::BYTES].copy_from_slice(&next.unwrap_or(Uba::NONE).pack());
    out[FIXED_BYTES + Uba::BYTES..].copy_from_slice(part);
    Uba { block: address, sequence: header.life.get(), record: number }
}

/// A record in its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordView<'a> {
    pub xid: Xid,
    /// The transaction's previous record.
    pub chain: Uba,
    /// Address of the payload's continuation.
    pub more: Option<Uba>,
    /// A part of another record's payload: only `xid`, `more` and `payload` mean something.
    pub piece: bool,
    pub record: UndoRecord<'a>,
}

fn uba_at(bytes: &[u8], at: usize) -> Option<Uba> {
    Some(Uba::unpack(bytes.get(at..at + Uba::BYTES)?.try_into().ok()?))
}

/// Record `number`; None when the block has no such record, or when it is damaged.
#[must_use]
pub fn record(bytes: &[u8], number: u8) -> Option<RecordView<'_>> {
    let header = block_header(bytes);
    if number >= header.records {
        return None;
    }
    let start = usize::from(view::at::<U16>(bytes, DIRECTORY_OFFSET + 2 * usize::from(number)).get());
    let length = bytes.get(start..start + 2)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    if start + length > bytes.len() - TAIL_BYTES || length < FIXED_BYTES {
        return None;
    }
    let raw = &bytes[start..start + length];
    let number_at = |at: usize| u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
    let flags = raw[2];
    let piece = flags & PIECE != 0;
    let mut at = FIXED_BYTES;
    let address = block::header(bytes).address();
    let mut chain = match raw[18] {
        NO_RECORD => Uba::NONE,
        record => Uba { block: address, sequence: header.life.get(), record },
    };
    if flags & CHAIN != 0 {
        chain = uba_at(raw, at)?;
        at += Uba::BYTES;
    }
    let mut more = None;
    if piece || flags & MORE != 0 {
        more = Some(uba_at(raw, at)?).filter(|uba| !uba.is_none());
        at += Uba::BYTES;
    }
    let previous = if piece {
        Previous::Uba(Uba::NONE)
    } else if flags & ITL != 0 {
        let itl = raw.get(at..at + ITL_BYTES)?.try_into().ok()?;
        at += ITL_BYTES;
        Previous::Itl(itl)
    } else {
        let uba = uba_at(raw, at)?;
        at += Uba::BYTES;
        Previous::Uba(uba)
    };
    let xid = Xid { segment: header.segment.get(), slot: u16::from(raw[13]), sequence: number_at(14) };
    let record = UndoRecord {
        object: ObjectNumber(number_at(4)),
        block: BlockAddress::unpack(number_at(8)),
        operation: raw[3],
        itl: raw[12],
        previous,
        payload: raw.get(at..)?,
    };
    Some(RecordView { xid, chain, more, piece, record })
}

/// Checks that the block is consistent: for every block from a disk.
///
/// # Errors
/// The fault, in words.
pub fn validate_block(bytes: &[u8]) -> Result<(), String> {
    let header = block_header(bytes);
    let (records, end) = (usize::from(header.records), usize::from(header.record_end.get()));
    if end > bytes.len() - TAIL_BYTES || end < DIRECTORY_OFFSET + 2 * records {
        return Err(format!("{records} undo records down to offset {end}"));
    }
    let mut above = bytes.len() - TAIL_BYTES;
    for number in 0..header.records {
        let start = usize::from(view::at::<U16>(bytes, DIRECTORY_OFFSET + 2 * usize::from(number)).get());
        if start < end || start + FIXED_BYTES > above {
            return Err(format!("undo record {number} at offset {start}"));
        }
        let length = usize::from(u16::from_le_bytes([bytes[start], bytes[start + 1]]));
        if start + length != above {
            return Err(format!("undo record {number} at offset {start} has {length} bytes"));
        }
        let Some(view) = record(bytes, number) else {
            return Err(format!("undo record {number} at offset {start} is no record"));
        };
        if bytes[start + 18] != NO_RECORD && bytes[start + 18] >= number || view.xid.sequence == 0 {
            return Err(format!(
                "undo record {number} follows record {} of transaction {}",
                bytes[start + 18],
                view.xid
            ));
        }
        above = start;
    }
    if above == end { Ok(()) } else { Err(format!("the undo records end at offset {above}, not {end}")) }
}
