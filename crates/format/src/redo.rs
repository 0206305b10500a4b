//! Redo records and change vectors.
//!
//! ```text
//! record                                        vector
//! offset size field                             offset size field
//!      0    4 length, of the whole record            0    1 layer      0
//!      4    1 flags                                  1    1 code       CHANGE, NEW, SESSION
//!      5    1 spare                                  2    2 class      block class
//!      6    2 vectors                                4    4 rdba       packed block address
//!      8    8 SCN                                    8    6 before     SCN of the block before the change
//!     16    4 session                               14    1 before     seq of the block before the change
//!     20    4 spare                                 15    1 after      seq of the block after the change
//!     24    … vectors                               16    6 after      SCN of the block after the change
//!                                                   22    2 length     of the pieces that follow, in bytes
//!                                                   24    4 object     data object number of the block, NO_OBJECT
//!                                                                      for others
//!                                                   28    … pieces: offset (2), length (2), bytes; padded to 4
//!                                                           at the end
//! ```
//!
//! A vector gives new bytes for a part of one block. `before` and `after` are the block's SCN and seq: a vector is
//! applied to a block that is at `before`, and skipped where the block is at `after` or beyond. NEW: the pieces go into
//! a block of zeros, whatever it was. SESSION: of no block, and without use for recovery: the session that began a
//! transaction. Its pieces are fields, numbered by their offset (`FIELD_*`). The vectors of a record are applied
//! together or not at all: a record that is incomplete in the log is not applied.

mod dump;
mod reach;

use common::{BlockAddress, Error, Result, Scn, Xid};

pub use self::dump::dump;
pub use self::reach::{Before, Reach};
use crate::block::{self, BlockType, HEADER_BYTES, TAIL_BYTES};
use crate::transaction;

/// Bytes of a record's header.
pub const RECORD_BYTES: usize = 24;
/// Bytes of a vector's header.
pub const VECTOR_BYTES: usize = 28;
/// The object of a block that belongs to no segment of a table or an index.
pub const NO_OBJECT: u32 = u32::MAX;
const PIECE_BYTES: usize = 4;
/// Equal bytes that cost less than a piece of their own.
const GAP: usize = 8;

/// Pieces change bytes of the block as it is.
pub const CHANGE: u8 = 1;
/// Pieces go into a block of zeros.
pub const NEW: u8 = 2;
/// Pieces are fields about the session that began a transaction.
pub const SESSION: u8 = 3;

/// The transaction: segment (2), slot (2), sequence (4).
pub const FIELD_TRANSACTION: usize = 0;
/// The number of the session's process (4).
pub const FIELD_PROCESS: usize = 1;
/// Seconds since 1970 (4).
pub const FIELD_BEGUN: usize = 2;
/// The name of the user.
pub const FIELD_USER: usize = 3;

/// The state of a block: when it was last changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Version {
    pub scn: u64,
    pub seq: u8,
}

impl Version {
    /// The version that a block's header states.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let header = block::header(bytes);
        Self { scn: header.scn().0, seq: header.seq }
    }

    /// The next version at an SCN; None when the seq is used up: the SCN must go on first.
    #[must_use]
    pub fn next(self, scn: Scn) -> Option<Self> {
        if self.scn < scn.0 {
            return Some(Self { scn: scn.0, seq: 1 });
        }
        (self.seq < 254).then_some(Self { scn: self.scn, seq: self.seq + 1 })
    }

    /// Writes it into a block's header.
    pub fn stamp(self, bytes: &mut [u8]) {
        let header = block::header_mut(bytes);
        header.scn_base = (self.scn as u32).into();
        header.scn_wrap = ((self.scn >> 32) as u16).into();
        header.seq = self.seq;
        header.flags &= !block::FLAG_NEW;
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8], at: usize) {
    out.extend_from_slice(&(at as u16).to_le_bytes());
    out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Starts a record in an empty buffer.
pub fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(RECORD_BYTES, 0);
}

/// Completes a record.
pub fn finish(out: &mut [u8], vectors: u16, scn: Scn, session: u32) {
    let length = out.len() as u32;
    out[..4].copy_from_slice(&length.to_le_bytes());
    out[6..8].copy_from_slice(&vectors.to_le_bytes());
    out[8..16].copy_from_slice(&scn.0.to_le_bytes());
    out[16..20].copy_from_slice(&session.to_le_bytes());
}

fn six(value: u64) -> [u8; 6] {
    let mut bytes = [0; 6];
    bytes.copy_from_slice(&value.to_le_bytes()[..6]);
    bytes
}

/// Writes the vector's header into `out`; [`end_vector`] fills in its length.
fn begin_vector(
    out: &mut Vec<u8>,
    code: u8,
    class: u16,
    address: BlockAddress,
    before: Version,
    after: Version,
    object: u32,
) -> usize {
    let start = out.len();
    out.push(0);
    out.push(code);
    out.extend_from_slice(&class.to_le_bytes());
    out.extend_from_slice(&address.pack().to_le_bytes());
    out.extend_from_slice(&six(before.scn));
    out.push(before.seq);
    out.push(after.seq);
    out.extend_from_slice(&six(after.scn));
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(&object.to_le_bytes());
    start
}

fn end_vector(out: &mut Vec<u8>, start: usize) {
    while !(out.len() - start).is_multiple_of(4) {
        out.push(0);
    }
    let length = (out.len() - start - VECTOR_BYTES) as u16;
    out[start + 22..start + 24].copy_from_slice(&length.to_le_bytes());
}

fn object_of(block: &[u8]) -> u32 {
    let is_data = block::kind(block) == Some(BlockType::Data);
    if is_data { transaction::header(block).object.get() } else { NO_OBJECT }
}

/// Appends the vector about the session that began a transaction.
pub fn session(out: &mut Vec<u8>, xid: Xid, process: u32, begun_s: u32, user: &str) {
    let none = Version::default();
    let start = begin_vector(out, SESSION, 0, BlockAddress::NONE, none, none, NO_OBJECT);
    let mut transaction = [0; 8];
    transaction[..2].copy_from_slice(&xid.segment.to_le_bytes());
    transaction[2..4].copy_from_slice(&xid.slot.to_le_bytes());
    transaction[4..].copy_from_slice(&xid.sequence.to_le_bytes());
    put(out, &transaction, FIELD_TRANSACTION);
    put(out, &process.to_le_bytes(), FIELD_PROCESS);
    put(out, &begun_s.to_le_bytes(), FIELD_BEGUN);
    put(out, user.as_bytes(), FIELD_USER);
    end_vector(out, start);
}

/// The bytes of a block that redo describes: version, checksum and tail follow from the rest.
fn comparable(at: usize) -> bool {
    !(8..=14).contains(&at) && !(16..HEADER_BYTES).contains(&at)
}

/// Appends the vector that leads from what was before to `new`. Bytes that were not kept count as unchanged.
pub fn difference(
    out: &mut Vec<u8>,
    class: u16,
    address: BlockAddress,
    old: &Before<'_>,
    new: &[u8],
    before: Version,
    after: Version,
) {
    let start = begin_vector(out, CHANGE, class, address, before, after, object_of(new));
    match old {
        Before::Whole(old) => pieces(out, old, new),
        Before::Within(reach, _) => {
            for range in reach.ranges() {
                pieces_of(out, old.bytes(range.clone()), &new[range.clone()], range.start);
            }
        }
    }
    end_vector(out, start);
}

/// The bytes that a vector of [`difference`] overwrites in what was before, in pieces of its form: offset (2), length
/// (2), bytes.
#[must_use]
pub fn overwritten(vector: &[u8], old: &Before<'_>) -> Vec<u8> {
    let mut rest = &vector[VECTOR_BYTES..];
    let mut bytes = Vec::with_capacity(rest.len());
    // A rest too short for a piece pads the vector.
    while let Some((head, after)) = rest.split_first_chunk::<PIECE_BYTES>() {
        let at = usize::from(u16::from_le_bytes([head[0], head[1]]));
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        put(&mut bytes, old.bytes(at..at + length), at);
        rest = &after[length..];
    }
    bytes
}

/// Appends the vector that makes `new` from an empty block.
pub fn image(out: &mut Vec<u8>, class: u16, address: BlockAddress, new: &[u8], after: Version) {
    let start = begin_vector(out, NEW, class, address, Version::default(), after, object_of(new));
    let mut at = 0;
    let end = new.len() - TAIL_BYTES;
    while let Some(from) = block::first_nonzero(&new[..end], at) {
        let to = end_of_piece(from + 1, end, |at| word(new, at));
        let to = (to..end.min(to + GAP)).rev().find(|at| new[*at] != 0).map_or(to, |last| last + 1);
        put(out, &new[from..to], from);
        at = to;
    }
    if out.len() - start - VECTOR_BYTES > new.len() {
        out.truncate(start + VECTOR_BYTES);
        put(out, &new[..end], 0);
    }
    end_vector(out, start);
}

/// The first position at or behind `from` where the two differ. Most of a block is unchanged: large steps first, which
/// the C library compares with the widest registers there are.
fn next_difference(old: &[u8], new: &[u8], from: usize, end: usize) -> Option<usize> {
    let mut at = from;
    for step in [1024, 128, 8] {
        while at + step <= end && old[at..at + step] == new[at..at + step] {
            at += step;
        }
    }
    (at..end).find(|at| old[*at] != new[*at])
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

/// End of a piece that has reached `to`: before the next [`GAP`] bytes for which `differs` (of eight bytes, one bit or
/// more in each that counts) is zero. Eight at a time, the value of GAP.
fn end_of_piece(mut to: usize, end: usize, differs: impl Fn(usize) -> Option<u64>) -> usize {
    const { assert!(GAP == size_of::<u64>()) };
    while to + GAP <= end
        && let Some(bits) = differs(to)
        && bits != 0
    {
        // In a long run of differences the last byte mostly differs too: a predicted branch is faster than waiting for
        // the count.
        to += if bits >> 56 != 0 { GAP } else { GAP - bits.leading_zeros() as usize / 8 };
    }
    to
}

/// The pieces of a run of bytes that begins at `offset` of its block.
fn pieces_of(out: &mut Vec<u8>, old: &[u8], new: &[u8], offset: usize) {
    let (mut at, end) = (0, new.len());
    while let Some(from) = next_difference(old, new, at, end) {
        let to = end_of_piece(from + 1, end, |at| Some(word(old, at)? ^ word(new, at)?));
        let to = (to..end.min(to + GAP)).rev().find(|at| old[*at] != new[*at]).map_or(to, |last| last + 1);
        put(out, &new[from..to], offset + from);
        at = to;
    }
}

fn pieces(out: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let start = out.len();
    let end = new.len() - TAIL_BYTES;
    // The header has bytes that do not count: one by one.
    for at in (0..HEADER_BYTES).filter(|at| comparable(*at)) {
        if old[at] != new[at] {
            put(out, &new[at..=at], at);
        }
    }
    pieces_of(out, &old[HEADER_BYTES..end], &new[HEADER_BYTES..end], HEADER_BYTES);
    if out.len() - start > new.len() {
        out.truncate(start);
        put(out, &new[..end], 0);
    }
}

/// One vector of a parsed record.
#[derive(Clone, Copy, Debug)]
pub struct Vector<'a> {
    pub code: u8,
    pub class: u16,
    pub address: BlockAddress,
    pub before: Version,
    pub after: Version,
    /// The data object number of the block, or [`NO_OBJECT`].
    pub object: u32,
    pieces: &'a [u8],
}

/// A parsed record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub scn: Scn,
    pub session: u32,
    vectors: u16,
    bytes: &'a [u8],
}

fn damaged(what: &str) -> Error {
    Error::new(common::ErrorKind::Corrupt, common::Number::Ora(353), format!("a redo record is damaged: {what}"))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut value = [0; 8];
    value[..length].copy_from_slice(bytes.get(at..at + length)?);
    Some(u64::from_le_bytes(value))
}

impl<'a> Record<'a> {
    /// # Errors
    /// ORA-00353 for bytes that are no record.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let read = |at, length| number(bytes, at, length).ok_or_else(|| damaged("its header is cut"));
        if read(0, 4)? != bytes.len() as u64 {
            return Err(damaged("its length is another"));
        }
        Ok(Self {
            scn: Scn(read(8, 8)?),
            session: read(16, 4)? as u32,
            vectors: read(6, 2)? as u16,
            bytes: bytes.get(RECORD_BYTES..).ok_or_else(|| damaged("its header is cut"))?,
        })
    }

    /// Its vectors in order, each with its offset behind the record's header.
    pub fn each(&self) -> impl Iterator<Item = Result<(usize, Vector<'a>)>> + use<'a> {
        let (bytes, mut at, mut left) = (self.bytes, 0, self.vectors);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let vector = bytes.get(at..).ok_or_else(|| damaged("a vector is cut")).and_then(Vector::parse);
            let place = at;
            match &vector {
                Ok(vector) => at += vector.bytes(),
                Err(_) => left = 0,
            }
            Some(vector.map(|vector| (place, vector)))
        })
    }

    /// Its vectors in order.
    ///
    /// # Errors
    /// ORA-00353 where one is cut.
    pub fn vectors(&self) -> Result<Vec<Vector<'a>>> {
        self.each().map(|vector| vector.map(|(_, vector)| vector)).collect()
    }
}

impl<'a> Vector<'a> {
    /// The vector that `bytes` begin with.
    ///
    /// # Errors
    /// ORA-00353 where it is cut.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let (head, rest) = bytes.split_first_chunk::<VECTOR_BYTES>().ok_or_else(|| damaged("a vector is cut"))?;
        let two = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let four = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let six = |at: usize| u64::from(four(at)) | u64::from(two(at + 4)) << 32;
        Ok(Self {
            code: head[1],
            class: two(2),
            address: BlockAddress::unpack(four(4)),
            before: Version { scn: six(8), seq: head[14] },
            after: Version { scn: six(16), seq: head[15] },
            object: four(24),
            pieces: rest.get(..usize::from(two(22))).ok_or_else(|| damaged("a vector is cut"))?,
        })
    }
}

/// The pieces of a vector: offset in the block, and bytes; ORA-00353 when one is cut, and none after it.
#[derive(Clone, Debug)]
pub struct Pieces<'a>(&'a [u8]);

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<(usize, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let (header, rest) = self.0.split_first_chunk::<PIECE_BYTES>()?;
        let offset = usize::from(u16::from_le_bytes([header[0], header[1]]));
        let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
        // Zeros at the end make the vector's length a multiple of four.
        if length == 0 {
            return None;
        }
        let split = rest.split_at_checked(length);
        self.0 = split.map_or(&[], |(_, rest)| rest);
        Some(split.map(|(bytes, _)| (offset, bytes)).ok_or_else(|| damaged("a piece is cut")))
    }
}

impl<'a> Vector<'a> {
    /// Bytes of the vector in its record.
    #[must_use]
    pub fn bytes(&self) -> usize {
        VECTOR_BYTES + self.pieces.len()
    }

    /// Its pieces, with their offsets.
    #[must_use]
    pub fn pieces(&self) -> Pieces<'a> {
        Pieces(self.pieces)
    }

    /// Puts the vector's bytes into a block, which is at the vector's `before` (or is new).
    ///
    /// # Errors
    /// ORA-00353 when a piece is outside the block.
    pub fn apply(&self, block: &mut [u8]) -> Result<()> {
        if self.code == NEW {
            block.fill(0);
        }
        for piece in self.pieces() {
            let (offset, from) = piece?;
            block
                .get_mut(offset..offset + from.len())
                .ok_or_else(|| damaged("a piece is outside its block"))?
                .copy_from_slice(from);
        }
        self.after.stamp(block);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockType;
    use common::FileNumber;
    use proptest::prelude::*;

    fn changed(old: &[u8], edits: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut new = old.to_vec();
        for (at, bytes) in edits {
            let at = HEADER_BYTES + usize::from(*at) % (old.len() - HEADER_BYTES - TAIL_BYTES);
            let take = bytes.len().min(old.len() - TAIL_BYTES - at);
            new[at..at + take].copy_from_slice(&bytes[..take]);
        }
        new
    }

    /// Pieces byte by byte: each begins and ends with a byte that differs, and fewer than `GAP` equal ones lie between
    /// two that do.
    fn plain_pieces(old: &[u8], new: &[u8]) -> Vec<u8> {
        let end = new.len() - TAIL_BYTES;
        let places: Vec<usize> = (HEADER_BYTES..end).filter(|at| old[*at] != new[*at]).collect();
        let mut out = Vec::new();
        for piece in places.chunk_by(|one, next| next - one <= GAP) {
            let (from, to) = (piece[0], piece[piece.len() - 1] + 1);
            put(&mut out, &new[from..to], from);
        }
        out
    }

    proptest! {
        #[test]
        fn pieces_are_those_found_byte_by_byte(
            first in prop::collection::vec((any::<u16>(), prop::collection::vec(0u8..3, 0..300)), 0..20),
            second in prop::collection::vec((any::<u16>(), prop::collection::vec(0u8..3, 0..60)), 0..30),
            last in prop::collection::vec(0u8..3, 0..20),
        ) {
            let old = changed(&vec![0; 2048], &first);
            let mut new = changed(&old, &second);
            let end = new.len() - TAIL_BYTES;
            new[end - last.len()..end].copy_from_slice(&last);
            let mut found = Vec::new();
            pieces(&mut found, &old, &new);
            let plain = plain_pieces(&old, &new);
            prop_assume!(plain.len() <= new.len());
            prop_assert_eq!(found, plain);
        }

        #[test]
        fn apply_repeats_the_change(
            size in prop::sample::select(vec![2048usize, 8192, 32768]),
            first in prop::collection::vec((any::<u16>(), prop::collection::vec(any::<u8>(), 0..300)), 0..20),
            second in prop::collection::vec((any::<u16>(), prop::collection::vec(any::<u8>(), 0..3000)), 0..20),
        ) {
            let address = BlockAddress::new(FileNumber(4), 77);
            let mut zero = vec![0; size];
            block::format(&mut zero, BlockType::Data, address);
            let one = Version { scn: 9, seq: 1 };
            let two = Version { scn: 9, seq: 2 };
            let mut old = changed(&zero, &first);
            one.stamp(&mut old);
            let mut new = changed(&old, &second);
            two.stamp(&mut new);
            let mut record = Vec::new();
            begin(&mut record);
            image(&mut record, 1, address, &old, one);
            difference(&mut record, 1, address, &Before::Whole(&old), &new, one, two);
            finish(&mut record, 2, Scn(9), 3);
            let parsed = Record::parse(&record).unwrap();
            let vectors = parsed.vectors().unwrap();
            let mut block = vec![0xee; size];
            vectors[0].apply(&mut block).unwrap();
            prop_assert_eq!(&block[..size - TAIL_BYTES], &old[..size - TAIL_BYTES]);
            vectors[1].apply(&mut block).unwrap();
            prop_assert_eq!(&block[..size - TAIL_BYTES], &new[..size - TAIL_BYTES]);
            prop_assert_eq!((vectors[1].before, vectors[1].after, vectors[1].address), (one, two, address));
            prop_assert!(vectors[1].bytes() <= VECTOR_BYTES + size + 8);
        }

        #[test]
        fn damaged_records_are_refused_or_harmless(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(record) = Record::parse(&bytes) && let Ok(vectors) = record.vectors() {
                for vector in vectors {
                    let _ = vector.apply(&mut [0; 2048]);
                }
            }
        }
    }
}
