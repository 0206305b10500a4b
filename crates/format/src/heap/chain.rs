//! Cutting of a row that does not fit one piece: larger than a block, or more than 255 columns.
//!
//! Pieces are filled from the row's end, because each must name the next: the last piece is written first. The rest for
//! the first piece is often short. A column that does not fit is cut in two when it is longer than 250 bytes; a shorter
//! one goes whole into the piece before.

use common::limits::COLUMNS_PER_PIECE_MAX;

use super::row::{
    CONTINUED, CONTINUES, FIRST, HEAD, LAST, PIECE_HEADER_BYTES, ROW_ADDRESS_BYTES, RowAddress, SHORT_COLUMN_MAX,
    column_bytes, encode_piece, trim,
};

/// A piece's header with both addresses.
const PIECE_OVERHEAD: usize = PIECE_HEADER_BYTES + 2 * ROW_ADDRESS_BYTES;
/// Less room than this is not worth cutting a column for.
const LEAST_CUT_BYTES: usize = 64;

/// A row cut into pieces, in the row's order. Each may take either address without outgrowing the capacity.
#[derive(Debug)]
pub struct Chain<'a> {
    pieces: Vec<ChainPiece<'a>>,
}

#[derive(Debug)]
struct ChainPiece<'a> {
    /// CONTINUED and CONTINUES.
    flags: u8,
    columns: Vec<Option<&'a [u8]>>,
}

/// True: the row fits one piece of at most `capacity` bytes, with or without a head address.
#[must_use]
pub fn fits_one_piece(columns: &[Option<&[u8]>], capacity: usize, with_head_address: bool) -> bool {
    let columns = trim(columns);
    let header = PIECE_HEADER_BYTES + ROW_ADDRESS_BYTES * usize::from(with_head_address);
    columns.len() <= COLUMNS_PER_PIECE_MAX
        && header + columns.iter().map(|column| column_bytes(*column)).sum::<usize>() <= capacity
}

impl<'a> Chain<'a> {
    /// Cuts a row into pieces of at most `capacity` bytes.
    ///
    /// # Panics
    /// When `capacity` is smaller than any block's.
    #[must_use]
    pub fn cut(columns: &[Option<&'a [u8]>], capacity: usize) -> Self {
        assert!(capacity >= PIECE_OVERHEAD + SHORT_COLUMN_MAX + LEAST_CUT_BYTES);
        let mut pieces = Vec::new();
        let mut piece = ChainPiece { flags: 0, columns: Vec::new() };
        let mut room = capacity - PIECE_OVERHEAD;
        for column in trim(columns).iter().rev() {
            let mut rest = *column;
            loop {
                let full = piece.columns.len() == COLUMNS_PER_PIECE_MAX;
                if !full && column_bytes(rest) <= room {
                    room -= column_bytes(rest);
                    piece.columns.push(rest);
                    break;
                }
                // The column's end goes into this piece, its beginning into the one before.
                let mut flags = 0;
                if let Some(data) = rest
                    && !full
                    && data.len() > SHORT_COLUMN_MAX
                    && room >= LEAST_CUT_BYTES
                {
                    let (before, end) = data.split_at(data.len() - (room - 3));
                    piece.columns.push(Some(end));
                    piece.flags |= CONTINUED;
                    rest = Some(before);
                    flags = CONTINUES;
                }
                piece.columns.reverse();
                pieces.push(std::mem::replace(&mut piece, ChainPiece { flags, columns: Vec::new() }));
                room = capacity - PIECE_OVERHEAD;
            }
        }
        piece.columns.reverse();
        pieces.push(piece);
        pieces.reverse();
        Self { pieces }
    }

    /// Pieces; at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Encodes piece `index`. `next` is given for all but the last; `head` for a first piece that is not at the rowid.
    pub fn encode(&self, index: usize, head: Option<RowAddress>, next: Option<RowAddress>, out: &mut Vec<u8>) {
        let piece = &self.pieces[index];
        let mut flags = piece.flags;
        if index == 0 {
            flags |= if head.is_some() { FIRST } else { HEAD | FIRST };
        }
        if index + 1 == self.pieces.len() {
            flags |= LAST;
        }
        encode_piece(flags, head, next, &piece.columns, out);
    }
}
