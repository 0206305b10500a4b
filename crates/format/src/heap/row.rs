//! The row piece: a whole row, or one link of a row that is chained or has migrated.
//!
//! ```text
//! bytes  part
//!     1  flags          HEAD, DELETED, FIRST, LAST, CONTINUED, CONTINUES
//!     1  lock           ITL slot that holds the row, from 1; 0 none
//!     1  columns        in this piece, at most 255
//!    [6] head address   in a FIRST piece that is not the HEAD: where the row's rowid points
//!    [6] next address   in a piece that is not the LAST: where the row goes on
//!     …  columns        length and data each: 0 to 250 in one byte; 0xfe and two bytes; 0xff for NULL
//! ```
//!
//! | row | pieces |
//! | --- | --- |
//! | in one place | HEAD + FIRST + LAST |
//! | migrated | HEAD (the stub: no columns) -> FIRST + LAST with head address |
//! | chained | HEAD + FIRST -> … -> LAST; a column cut in two has CONTINUES on one side and CONTINUED on the other |
//! | migrated and chained | HEAD -> FIRST with head address -> … -> LAST |
//!
//! NULL columns at the end of a row are not stored.

use common::limits::{COLUMNS_PER_PIECE_MAX, LEAST_ROW_BYTES};
use common::{BlockAddress, ObjectNumber, Rowid};

use super::header::{self, FREE_SLOT};

/// The piece the rowid points to.
pub const HEAD: u8 = 0x20;
/// Deleted, and not yet reclaimed.
pub const DELETED: u8 = 0x10;
/// Holds the row's first column.
pub const FIRST: u8 = 0x08;
/// Holds the row's last column.
pub const LAST: u8 = 0x04;
/// The first column began in the piece before.
pub const CONTINUED: u8 = 0x02;
/// The last column goes on in the next piece.
pub const CONTINUES: u8 = 0x01;
/// A row in one piece.
pub const WHOLE: u8 = HEAD | FIRST | LAST;

/// Flags, lock, column count.
pub const PIECE_HEADER_BYTES: usize = 3;
/// Bytes of a [`RowAddress`].
pub const ROW_ADDRESS_BYTES: usize = 6;
const LONG: u8 = 0xfe;
const NULL: u8 = 0xff;
/// The longest column whose length takes one byte.
pub const SHORT_COLUMN_MAX: usize = 250;

const _: () = assert!(PIECE_HEADER_BYTES + ROW_ADDRESS_BYTES == LEAST_ROW_BYTES);

/// Address of a row piece: block and slot. On disk as [`Rowid::restricted`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowAddress {
    pub block: BlockAddress,
    pub slot: u16,
}

impl RowAddress {
    #[must_use]
    pub fn new(block: BlockAddress, slot: u16) -> Self {
        Self { block, slot }
    }

    #[must_use]
    pub fn rowid(self, data_object: ObjectNumber) -> Rowid {
        Rowid { data_object, block: self.block, slot: self.slot }
    }

    #[must_use]
    pub fn bytes(self) -> [u8; ROW_ADDRESS_BYTES] {
        self.rowid(ObjectNumber(0)).restricted()
    }

    #[must_use]
    pub fn from_bytes(bytes: [u8; ROW_ADDRESS_BYTES]) -> Self {
        Self::from(Rowid::from_restricted(ObjectNumber(0), bytes))
    }
}

impl From<Rowid> for RowAddress {
    fn from(rowid: Rowid) -> Self {
        Self { block: rowid.block, slot: rowid.slot }
    }
}

/// True: a piece with these flags carries the address of the row's head.
#[must_use]
pub fn has_head_address(flags: u8) -> bool {
    flags & (HEAD | FIRST) == FIRST
}

/// True: a piece with these flags carries the address of the next piece.
#[must_use]
pub fn has_next_address(flags: u8) -> bool {
    flags & LAST == 0
}

/// Offset of the first column within a piece.
#[must_use]
pub fn columns_offset(flags: u8) -> usize {
    PIECE_HEADER_BYTES
        + ROW_ADDRESS_BYTES * usize::from(has_head_address(flags))
        + ROW_ADDRESS_BYTES * usize::from(has_next_address(flags))
}

/// Bytes of a column in a row.
#[must_use]
pub fn column_bytes(column: Option<&[u8]>) -> usize {
    match column {
        None => 1,
        Some(data) if data.len() <= SHORT_COLUMN_MAX => 1 + data.len(),
        Some(data) => 3 + data.len(),
    }
}

/// Bytes of a row in one piece, without its directory entry; at least [`LEAST_ROW_BYTES`].
#[must_use]
pub fn row_bytes(columns: &[Option<&[u8]>]) -> usize {
    let columns = trim(columns);
    (PIECE_HEADER_BYTES + columns.iter().map(|column| column_bytes(*column)).sum::<usize>()).max(LEAST_ROW_BYTES)
}

/// The columns that are stored: without the NULLs at the end.
#[must_use]
pub fn trim<'a, 'b>(columns: &'a [Option<&'b [u8]>]) -> &'a [Option<&'b [u8]>] {
    let stored = columns.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    &columns[..stored]
}

/// Appends one column.
#[inline]
pub(super) fn encode_column(column: Option<&[u8]>, out: &mut Vec<u8>) {
    match column {
        None => out.push(NULL),
        Some(data) => {
            if data.len() <= SHORT_COLUMN_MAX {
                out.push(data.len() as u8);
            } else {
                let length = (data.len() as u16).to_le_bytes();
                out.extend_from_slice(&[LONG, length[0], length[1]]);
            }
            out.extend_from_slice(data);
        }
    }
}

/// Appends a row piece. `head` and `next` are written when the flags ask for them.
///
/// # Panics
/// With more than 255 columns, and when a flag asks for an address that is not given.
pub fn encode_piece(
    flags: u8,
    head: Option<RowAddress>,
    next: Option<RowAddress>,
    columns: &[Option<&[u8]>],
    out: &mut Vec<u8>,
) {
    assert!(columns.len() <= COLUMNS_PER_PIECE_MAX, "{} columns in a piece", columns.len());
    assert!(head.is_some() == has_head_address(flags) && next.is_some() == has_next_address(flags));
    out.extend_from_slice(&[flags, 0, columns.len() as u8]);
    if let Some(head) = head {
        out.extend_from_slice(&head.bytes());
    }
    if let Some(next) = next {
        out.extend_from_slice(&next.bytes());
    }
    for column in columns {
        encode_column(*column, out);
    }
}

/// A forwarding stub.
#[must_use]
pub fn stub(next: RowAddress) -> [u8; LEAST_ROW_BYTES] {
    let mut bytes = [0; LEAST_ROW_BYTES];
    bytes[0] = HEAD;
    bytes[PIECE_HEADER_BYTES..].copy_from_slice(&next.bytes());
    bytes
}

/// Reads one column at `at`: its data and the offset behind it. None where the bytes do not hold it.
#[inline]
#[must_use]
pub fn column_at(bytes: &[u8], at: usize) -> Option<(Option<&[u8]>, usize)> {
    let first = *bytes.get(at)?;
    let (start, length) = if usize::from(first) <= SHORT_COLUMN_MAX {
        (at + 1, usize::from(first))
    } else {
        match first {
            NULL => return Some((None, at + 1)),
            LONG => (at + 3, usize::from(u16::from_le_bytes([*bytes.get(at + 1)?, *bytes.get(at + 2)?]))),
            _ => return None,
        }
    };
    Some((Some(bytes.get(start..start + length)?), start + length))
}

/// A row piece in its block.
#[derive(Clone, Copy, Debug)]
pub struct RowPiece<'a> {
    /// From the flag byte on, and beyond the piece: only reading the columns tells where it ends.
    bytes: &'a [u8],
}

impl<'a> RowPiece<'a> {
    /// The piece at the beginning of `bytes`; None where its fixed part does not fit.
    #[inline]
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        (bytes.len() >= LEAST_ROW_BYTES && bytes.len() >= columns_offset(bytes[0])).then_some(Self { bytes })
    }

    #[must_use]
    pub fn flags(self) -> u8 {
        self.bytes[0]
    }

    /// The ITL slot that holds the row, from 1; 0 for none.
    #[must_use]
    pub fn lock(self) -> u8 {
        self.bytes[1]
    }

    /// Deleted by a transaction that has not ended, or whose end this block does not have yet.
    #[must_use]
    pub fn is_deleted(self) -> bool {
        self.flags() & DELETED != 0
    }

    #[must_use]
    pub fn column_count(self) -> usize {
        usize::from(self.bytes[2])
    }

    /// True: a full scan finds a row here. It skips stubs and later pieces of a chain.
    #[must_use]
    pub fn starts_row(self) -> bool {
        self.flags() & FIRST != 0
    }

    /// True: the row continues in another piece.
    #[must_use]
    pub fn continues(self) -> bool {
        has_next_address(self.flags())
    }

    /// True: the piece only forwards to the row.
    #[must_use]
    pub fn is_stub(self) -> bool {
        self.flags() & (HEAD | FIRST) == HEAD
    }

    fn address(self, at: usize) -> RowAddress {
        let mut bytes = [0; ROW_ADDRESS_BYTES];
        bytes.copy_from_slice(&self.bytes[at..at + ROW_ADDRESS_BYTES]);
        RowAddress::from_bytes(bytes)
    }

    /// The row's own address, where this piece has migrated.
    #[must_use]
    pub fn head_address(self) -> Option<RowAddress> {
        has_head_address(self.flags()).then(|| self.address(PIECE_HEADER_BYTES))
    }

    /// Address of the next piece.
    #[must_use]
    pub fn next_address(self) -> Option<RowAddress> {
        let skip = ROW_ADDRESS_BYTES * usize::from(has_head_address(self.flags()));
        has_next_address(self.flags()).then(|| self.address(PIECE_HEADER_BYTES + skip))
    }

    /// Bytes from the first column on.
    #[must_use]
    pub fn column_data(self) -> &'a [u8] {
        &self.bytes[columns_offset(self.flags())..]
    }

    /// The columns of this piece; the iterator ends early where the bytes are not columns.
    #[must_use]
    pub fn columns(self) -> Columns<'a> {
        Columns { bytes: self.column_data(), at: 0, left: self.column_count() }
    }

    /// Encoded bytes of the piece; it may take more in the block, see [`Self::stored_bytes`]. None where its columns
    /// leave the block.
    #[must_use]
    pub fn encoded_bytes(self) -> Option<usize> {
        let mut at = columns_offset(self.flags());
        for _ in 0..self.column_count() {
            at = column_at(self.bytes, at)?.1;
        }
        Some(at)
    }

    /// Bytes the piece takes in its block.
    #[must_use]
    pub fn stored_bytes(self) -> Option<usize> {
        self.encoded_bytes().map(|bytes| bytes.max(LEAST_ROW_BYTES))
    }

    /// The piece's own bytes, flags first.
    #[must_use]
    pub fn encoded(self) -> Option<&'a [u8]> {
        self.encoded_bytes().map(|bytes| &self.bytes[..bytes])
    }
}

/// The columns of a row piece.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    bytes: &'a [u8],
    at: usize,
    left: usize,
}

impl<'a> Iterator for Columns<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let (column, next) = column_at(self.bytes, self.at)?;
        self.left -= 1;
        self.at = next;
        Some(column)
    }
}

/// The row piece at `slot`, also when it is marked deleted; None for a free or missing slot.
#[must_use]
pub fn row(block: &[u8], slot: u16) -> Option<RowPiece<'_>> {
    piece_of(block, header::entry(block, slot)?)
}

fn piece_of(block: &[u8], entry: u16) -> Option<RowPiece<'_>> {
    if entry & FREE_SLOT != 0 {
        return None;
    }
    RowPiece::new(block.get(usize::from(entry)..block.len() - crate::block::TAIL_BYTES)?)
}

/// The row piece at `slot` for readers: None also when it is marked deleted.
#[must_use]
pub fn live_row(block: &[u8], slot: u16) -> Option<RowPiece<'_>> {
    row(block, slot).filter(|piece| !piece.is_deleted())
}

/// As [`rows`], without the pieces that are marked deleted.
pub fn live_rows(block: &[u8], from: u16) -> impl Iterator<Item = (u16, RowPiece<'_>)> {
    rows(block, from).filter(|(_, piece)| !piece.is_deleted())
}

/// Slots in use from `from` on, in order, with their pieces, including those marked deleted.
pub fn rows(block: &[u8], from: u16) -> impl Iterator<Item = (u16, RowPiece<'_>)> {
    let entries = header::directory(block).iter().enumerate().skip(usize::from(from));
    entries.filter_map(move |(slot, entry)| Some((slot as u16, piece_of(block, entry.get())?)))
}

/// Encoded rows one after another: an array on its way into blocks.
#[derive(Clone, Default, Debug)]
pub struct RowBuffer {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl RowBuffer {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row in one piece.
    ///
    /// # Panics
    /// With more than 255 columns stored: such a row is chained.
    #[inline]
    pub fn push(&mut self, columns: &[Option<&[u8]>]) {
        let columns = trim(columns);
        assert!(columns.len() <= COLUMNS_PER_PIECE_MAX, "{} columns in a piece", columns.len());
        self.bytes.extend_from_slice(&[WHOLE, 0, columns.len() as u8]);
        for column in columns {
            encode_column(*column, &mut self.bytes);
        }
        self.ends.push(self.bytes.len() as u32);
    }

    /// Appends a piece that is encoded already.
    pub fn push_encoded(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.ends.push(self.bytes.len() as u32);
    }

    /// The row at `index`.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        self.bytes.get(start..end)
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all rows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}
