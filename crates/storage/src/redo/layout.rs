//! What the blocks of a log file look like. docs/formats/redo-log.md has the tables.
//!
//! A write is a run of blocks with one first block. The first block tells how many bytes of records follow, so that a
//! reader takes a write whole or not at all: a record is never cut at the end of the redo.

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes in a log block.
pub const BLOCK: usize = 512;
/// Bytes of the header of each log block.
pub(super) const HEADER: usize = 16;
/// Bytes of each log block that hold something.
pub(super) const PAYLOAD: usize = BLOCK - HEADER;
/// Bytes of payload at the start of each write that tell about the write.
pub(super) const WRITE_HEADER: usize = 24;
/// The first block that holds redo; before it are the file header and the redo header.
pub const FIRST_BLOCK: u32 = 2;
/// Bytes in the header of a record, which is the least a record can have.
pub const RECORD_HEADER: usize = 24;

const MAGIC: [u8; 8] = *b"HIGHREDO";
const VERSION: u32 = 1;
/// Says that blocks have 512 bytes.
const SIZE_CODE: u8 = 0x22;
const CHECKSUM_AT: usize = 12;

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LogBlockKind {
    /// The first block of a write.
    First = 1,
    /// Another block of a write.
    More = 2,
    /// The redo header, block 1 of the file.
    Header = 3,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct BlockHeader {
    kind: u8,
    size_code: u8,
    /// Where in the block its first record starts, 0 when none does.
    first_record: U16,
    block: U32,
    sequence: U32,
    checksum: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Clone, Copy)]
#[repr(C)]
struct WriteHeader {
    lsn: U64,
    durable: U64,
    bytes: U32,
    spare: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct FileHeader {
    magic: [u8; 8],
    version: U32,
    block_bytes: U32,
    blocks: U32,
    checksum: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct RedoHeader {
    database: U64,
    group: U32,
    blocks: U32,
    first_lsn: U64,
    first_scn: U64,
    first_us: U64,
}

const _: () = assert!(size_of::<BlockHeader>() == HEADER);
const _: () = assert!(size_of::<WriteHeader>() == WRITE_HEADER);
const _: () = assert!(size_of::<FileHeader>() == 24);
const _: () = assert!(size_of::<RedoHeader>() == 40);

/// What the first block of a write tells about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Write {
    /// Where its first record is.
    pub(super) lsn: u64,
    /// Everything before this was durable when the write was made.
    pub(super) durable: u64,
    /// Bytes of records.
    pub(super) bytes: u32,
}

impl Write {
    /// Blocks of a write of so many bytes of records.
    pub(super) fn blocks_of(bytes: u64) -> u64 {
        (WRITE_HEADER as u64 + bytes).div_ceil(PAYLOAD as u64)
    }

    pub(super) fn blocks(self) -> u32 {
        Self::blocks_of(u64::from(self.bytes)) as u32
    }
}

/// The largest number of record bytes that `blocks` blocks hold as one write.
pub(super) fn room_of(blocks: u64) -> u64 {
    let room = (blocks * PAYLOAD as u64).saturating_sub(WRITE_HEADER as u64);
    debug_assert!(room == 0 || Write::blocks_of(room) == blocks, "{room} bytes do not fill {blocks} blocks");
    room
}

fn checksum(block: &[u8]) -> u32 {
    let sum = crc32c::crc32c(&block[..CHECKSUM_AT]);
    crc32c::crc32c_append(sum, &block[CHECKSUM_AT + 4..])
}

fn seal(block: &mut [u8], kind: LogBlockKind, first_record: u16, number: u32, sequence: u32) {
    let header = BlockHeader {
        kind: kind as u8,
        size_code: SIZE_CODE,
        first_record: first_record.into(),
        block: number.into(),
        sequence: sequence.into(),
        checksum: 0.into(),
    };
    debug_assert!(first_record == 0 || (HEADER..BLOCK).contains(&usize::from(first_record)), "{kind:?} {number}");
    block[..HEADER].copy_from_slice(header.as_bytes());
    let sum = checksum(block);
    block[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
}

/// Whether a block is what it must be: kind, number, sequence and checksum.
pub(super) fn is_valid(block: &[u8], kind: LogBlockKind, number: u32, sequence: u32) -> bool {
    let Ok((header, _)) = BlockHeader::ref_from_prefix(block) else { return false };
    block.len() == BLOCK
        && header.kind == kind as u8
        && header.size_code == SIZE_CODE
        && header.block.get() == number
        && header.sequence.get() == sequence
        && header.checksum.get() == checksum(block)
}

/// Orders what may stand at a block of a log file: 0 for zeros, and more the later it was written. None: it is damaged.
#[must_use]
pub fn version_of_block(block: &[u8], number: u32) -> Option<u64> {
    if block.iter().all(|byte| *byte == 0) {
        return Some(0);
    }
    if number == 0 {
        let (file, _) = FileHeader::ref_from_prefix(block).ok()?;
        let whole = file.magic == MAGIC && file.checksum.get() == crc32c::crc32c(&file.as_bytes()[..20]);
        return whole.then_some(1);
    }
    let (header, _) = BlockHeader::ref_from_prefix(block).ok()?;
    let kind = [LogBlockKind::First, LogBlockKind::More, LogBlockKind::Header]
        .into_iter()
        .find(|kind| *kind as u8 == header.kind)?;
    let sequence = header.sequence.get();
    is_valid(block, kind, number, sequence).then_some(u64::from(sequence) + 1)
}

/// Lays records out as blocks from block `first` on. `blocks` is zeros, as many as the records need; `starts` are the
/// records' places in `records`.
pub(super) fn fill(blocks: &mut [u8], write: Write, sequence: u32, first: u32, records: &[u8], starts: &[u32]) {
    let header = WriteHeader {
        lsn: write.lsn.into(),
        durable: write.durable.into(),
        bytes: write.bytes.into(),
        spare: 0.into(),
    };
    debug_assert_eq!(blocks.len(), write.blocks() as usize * BLOCK, "{write:?} has other blocks");
    debug_assert_eq!(records.len(), write.bytes as usize, "{write:?} has other records");
    debug_assert!(first >= FIRST_BLOCK, "redo in the header of a log file");
    debug_assert_eq!(starts.first(), Some(&0), "a write begins with a whole record");
    debug_assert!(starts.is_sorted_by(|one, next| one + RECORD_HEADER as u32 <= *next), "records lie in one another");
    let mut rest = records;
    let mut starts = starts.iter().map(|start| *start as usize + WRITE_HEADER).peekable();
    for (index, block) in blocks.chunks_exact_mut(BLOCK).enumerate() {
        let mut at = HEADER;
        let mut kind = LogBlockKind::More;
        if index == 0 {
            block[HEADER..HEADER + WRITE_HEADER].copy_from_slice(header.as_bytes());
            at += WRITE_HEADER;
            kind = LogBlockKind::First;
        }
        let (now, later) = rest.split_at(rest.len().min(BLOCK - at));
        block[at..at + now.len()].copy_from_slice(now);
        rest = later;
        let end = (index + 1) * PAYLOAD;
        let first_record = starts.peek().filter(|start| **start < end).map_or(0, |start| start % PAYLOAD + HEADER);
        while starts.next_if(|start| *start < end).is_some() {}
        seal(block, kind, first_record as u16, first + index as u32, sequence);
    }
    debug_assert!(rest.is_empty() && starts.peek().is_none(), "records are left over");
}

/// The write header of a valid first block. None when it cannot be that of a write of `room` blocks at most.
pub(super) fn write_of(block: &[u8], room: u32) -> Option<Write> {
    let (header, _) = WriteHeader::read_from_prefix(block.get(HEADER..)?).ok()?;
    let write = Write { lsn: header.lsn.get(), durable: header.durable.get(), bytes: header.bytes.get() };
    (write.bytes > 0 && Write::blocks_of(u64::from(write.bytes)) <= u64::from(room)).then_some(write)
}

/// What the header of a log file tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LogHeader {
    pub(super) database: u64,
    pub(super) group: u32,
    pub(super) blocks: u32,
    pub(super) sequence: u32,
    pub(super) first_lsn: u64,
    pub(super) first_scn: u64,
    pub(super) first_us: u64,
}

impl LogHeader {
    /// Blocks 0 and 1.
    pub(super) fn encode(self) -> [u8; 2 * BLOCK] {
        let mut bytes = [0; 2 * BLOCK];
        let mut file = FileHeader {
            magic: MAGIC,
            version: VERSION.into(),
            block_bytes: (BLOCK as u32).into(),
            blocks: self.blocks.into(),
            checksum: 0.into(),
        };
        file.checksum = crc32c::crc32c(&file.as_bytes()[..20]).into();
        bytes[..24].copy_from_slice(file.as_bytes());
        let redo = RedoHeader {
            database: self.database.into(),
            group: self.group.into(),
            blocks: self.blocks.into(),
            first_lsn: self.first_lsn.into(),
            first_scn: self.first_scn.into(),
            first_us: self.first_us.into(),
        };
        let block = &mut bytes[BLOCK..];
        block[HEADER..HEADER + 40].copy_from_slice(redo.as_bytes());
        seal(block, LogBlockKind::Header, 0, 1, self.sequence);
        bytes
    }

    /// # Errors
    /// What is wrong with the blocks, in words.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (file, _) = FileHeader::ref_from_prefix(bytes).map_err(|_| "the file is too short")?;
        if file.magic != MAGIC {
            return Err("not a log file".to_owned());
        }
        if file.version.get() != VERSION {
            return Err(format!(
                "log format version {} is not one that this release reads ({VERSION}): open the database with the release that wrote it, and close \
                 it cleanly there",
                file.version.get()
            ));
        }
        if file.checksum.get() != crc32c::crc32c(&file.as_bytes()[..20]) || file.block_bytes.get() != BLOCK as u32 {
            return Err("the file header is damaged".to_owned());
        }
        let block = bytes.get(BLOCK..2 * BLOCK).ok_or("the file is too short")?;
        let (header, _) = BlockHeader::ref_from_prefix(block).map_err(|_| "the file is too short")?;
        let sequence = header.sequence.get();
        if !is_valid(block, LogBlockKind::Header, 1, sequence) {
            return Err("the redo header is damaged".to_owned());
        }
        let (redo, _) = RedoHeader::ref_from_prefix(&block[HEADER..]).map_err(|_| "the file is too short")?;
        Ok(Self {
            database: redo.database.get(),
            group: redo.group.get(),
            blocks: redo.blocks.get(),
            sequence,
            first_lsn: redo.first_lsn.get(),
            first_scn: redo.first_scn.get(),
            first_us: redo.first_us.get(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_tell_where_records_start() {
        let records: Vec<u8> = (0..1400_u32).map(|i| i as u8).collect();
        let write = Write { lsn: 77, durable: 70, bytes: 1400 };
        assert_eq!(write.blocks(), 3);
        let mut blocks = vec![0; 3 * BLOCK];
        fill(&mut blocks, write, 9, 40, &records, &[0, 100, 1300]);
        let parts: Vec<&[u8]> = blocks.chunks(BLOCK).collect();
        assert!(is_valid(parts[0], LogBlockKind::First, 40, 9) && is_valid(parts[1], LogBlockKind::More, 41, 9));
        assert!(!is_valid(parts[0], LogBlockKind::First, 40, 8) && !is_valid(parts[0], LogBlockKind::First, 41, 9));
        assert_eq!(write_of(parts[0], 3), Some(write));
        assert_eq!(write_of(parts[0], 2), None);
        let first = |block: &[u8]| u16::from_le_bytes([block[2], block[3]]);
        assert_eq!((first(parts[0]), first(parts[1]), first(parts[2])), (40, 0, 16 + 1324 - 2 * 496));
        let mut back = parts[0][HEADER + WRITE_HEADER..].to_vec();
        back.extend_from_slice(&parts[1][HEADER..]);
        back.extend_from_slice(&parts[2][HEADER..]);
        assert_eq!(&back[..1400], &records[..]);
        blocks[600] ^= 1;
        assert!(!is_valid(&blocks[BLOCK..2 * BLOCK], LogBlockKind::More, 41, 9));
    }

    #[test]
    fn headers_come_back_and_damage_is_seen() {
        let header =
            LogHeader { database: 5, group: 2, blocks: 64, sequence: 17, first_lsn: 9, first_scn: 8, first_us: 7 };
        let bytes = header.encode();
        assert_eq!(LogHeader::decode(&bytes), Ok(header));
        for at in [0, 9, 17, 513, 530, 1000] {
            let mut bad = bytes;
            bad[at] ^= 4;
            assert!(LogHeader::decode(&bad).is_err(), "{at}");
        }
    }
}
