//! The header and the tail that every block has.
//!
//! ```text
//! offset size  field
//!      0    1  type          BlockType
//!      1    1  format        0x62 2K, 0x82 4K, 0xa2 8K, 0xc2 16K, 0xe2 32K
//!      2    2  spare         zero
//!      4    4  rdba          packed BlockAddress: a misdirected write is seen here
//!      8    4  SCN base      of the last change
//!     12    2  SCN wrap
//!     14    1  seq           changes within that SCN, 1 to 254
//!     15    1  flags         FLAG_*
//!     16    4  checksum      CRC-32C of the block with this field zero; 0 is never stored
//!     20    …  body
//!   last    4  tail          low 16 bits of SCN base, type, seq: a torn write is seen here
//! ```
//!
//! Sizes and the order of fields follow Oracle's cache header, because the space left for the body decides how many
//! rows fit; the bytes are our own.

use common::{BlockAddress, BlockSize, Error, Result, Scn};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of [`BlockHeader`].
pub const HEADER_BYTES: usize = 20;
/// Bytes of the tail check.
pub const TAIL_BYTES: usize = 4;

/// The block was formatted and never written to since.
pub const FLAG_NEW: u8 = 0x01;
/// The checksum field is filled.
pub const FLAG_CHECKSUM: u8 = 0x04;

/// The type of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum BlockType {
    /// Never formatted: all zero on disk.
    Unformatted = 0x00,
    UndoBlock = 0x02,
    /// Rows of a table, or entries of an index.
    Data = 0x06,
    FileHeader = 0x0b,
    /// Segment header under manual space management.
    SegmentHeader = 0x10,
    ExtentMap = 0x12,
    /// A freelist group's own block.
    FreeListGroup = 0x14,
    FileSpaceHeader = 0x1d,
    FileSpaceBitmap = 0x1e,
    FirstLevelBitmap = 0x20,
    SecondLevelBitmap = 0x21,
    ThirdLevelBitmap = 0x22,
    /// Segment header under automatic space management.
    PagetableSegmentHeader = 0x23,
    UndoSegmentHeader = 0x26,
}

impl BlockType {
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0x00 => Self::Unformatted,
            0x02 => Self::UndoBlock,
            0x06 => Self::Data,
            0x0b => Self::FileHeader,
            0x10 => Self::SegmentHeader,
            0x12 => Self::ExtentMap,
            0x14 => Self::FreeListGroup,
            0x1d => Self::FileSpaceHeader,
            0x1e => Self::FileSpaceBitmap,
            0x20 => Self::FirstLevelBitmap,
            0x21 => Self::SecondLevelBitmap,
            0x22 => Self::ThirdLevelBitmap,
            0x23 => Self::PagetableSegmentHeader,
            0x26 => Self::UndoSegmentHeader,
            _ => return None,
        })
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unformatted => "unformatted",
            Self::UndoBlock => "undo block",
            Self::Data => "transaction-managed data",
            Self::FileHeader => "file header",
            Self::SegmentHeader => "segment header (manual)",
            Self::ExtentMap => "extent map",
            Self::FreeListGroup => "freelist group",
            Self::FileSpaceHeader => "file space header",
            Self::FileSpaceBitmap => "file space bitmap",
            Self::FirstLevelBitmap => "first level bitmap",
            Self::SecondLevelBitmap => "second level bitmap",
            Self::ThirdLevelBitmap => "third level bitmap",
            Self::PagetableSegmentHeader => "pagetable segment header",
            Self::UndoSegmentHeader => "undo segment header",
        }
    }
}

/// The first 20 bytes of every block.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct BlockHeader {
    pub kind: u8,
    pub format: u8,
    pub spare: U16,
    pub rdba: U32,
    pub scn_base: U32,
    pub scn_wrap: U16,
    pub seq: u8,
    pub flags: u8,
    pub checksum: U32,
}

const _: () = assert!(size_of::<BlockHeader>() == HEADER_BYTES);

impl BlockHeader {
    #[must_use]
    pub fn address(&self) -> BlockAddress {
        BlockAddress::unpack(self.rdba.get())
    }

    #[must_use]
    pub fn scn(&self) -> Scn {
        Scn(u64::from(self.scn_base.get()) | (u64::from(self.scn_wrap.get()) << 32))
    }

    /// Orders the versions of a block: the SCN, and the sequence within it.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.scn().0 << 8 | u64::from(self.seq)
    }
}

/// The header of a block, which must be at least [`HEADER_BYTES`] long.
#[must_use]
pub fn header(block: &[u8]) -> &BlockHeader {
    BlockHeader::ref_from_prefix(block).map_or_else(|_| unreachable!("a block is longer than its header"), |(h, _)| h)
}

#[must_use]
pub fn header_mut(block: &mut [u8]) -> &mut BlockHeader {
    BlockHeader::mut_from_prefix(block).map_or_else(|_| unreachable!("a block is longer than its header"), |(h, _)| h)
}

/// The type of the block, or None where the type byte is unknown.
#[must_use]
pub fn kind(block: &[u8]) -> Option<BlockType> {
    BlockType::from_byte(block[0])
}

/// True: the block was never formatted, or its type is lost.
#[must_use]
pub fn is_unformatted(block: &[u8]) -> bool {
    kind(block) == Some(BlockType::Unformatted)
}

fn format_byte(bytes: usize) -> u8 {
    match bytes {
        2048 => 0x62,
        4096 => 0x82,
        8192 => 0xa2,
        16384 => 0xc2,
        _ => 0xe2,
    }
}

/// Makes `block` an empty block of type `kind`: zero but for its header.
pub fn format(block: &mut [u8], kind: BlockType, address: BlockAddress) {
    block.fill(0);
    let bytes = block.len();
    let header = header_mut(block);
    header.kind = kind as u8;
    header.format = format_byte(bytes);
    header.rdba = address.pack().into();
    header.seq = 1;
    header.flags = FLAG_NEW;
}

/// Notes a change at `scn`: a new SCN starts the sequence again at 1.
pub fn touch(block: &mut [u8], scn: Scn) {
    let header = header_mut(block);
    if header.scn() == scn {
        header.seq = if header.seq >= 254 { 254 } else { header.seq + 1 };
    } else {
        header.scn_base = (scn.0 as u32).into();
        header.scn_wrap = ((scn.0 >> 32) as u16).into();
        header.seq = 1;
    }
    header.flags &= !FLAG_NEW;
}

fn tail_value(header: &BlockHeader) -> u32 {
    (header.scn_base.get() << 16) | (u32::from(header.kind) << 8) | u32::from(header.seq)
}

fn checksum(block: &[u8]) -> u32 {
    let crc = crc32c::crc32c(&block[..16]);
    let crc = crc32c::crc32c_append(crc, &[0; 4]);
    crc32c::crc32c_append(crc, &block[HEADER_BYTES..]).max(1)
}

/// Prepares a block for being written: tail and checksum.
pub fn seal(block: &mut [u8]) {
    let tail = tail_value(header(block));
    let at = block.len() - TAIL_BYTES;
    block[at..].copy_from_slice(&tail.to_le_bytes());
    header_mut(block).flags |= FLAG_CHECKSUM;
    let sum = checksum(block);
    header_mut(block).checksum = sum.into();
}

/// Checks a block that was read from `address`: type, address, tail and checksum. A block that was never written (all
/// zero) passes.
///
/// # Errors
/// ORA-01578 with the address and the fault.
pub fn check(block: &[u8], address: BlockAddress) -> Result<()> {
    let header = header(block);
    if header.kind == 0 && header.format == 0 {
        return match first_nonzero(block, 0) {
            None => Ok(()),
            Some(at) => Err(Error::corrupt(address, format!("unformatted block is not zero at offset {at}"))),
        };
    }
    if BlockType::from_byte(header.kind).is_none() {
        return Err(Error::corrupt(address, format!("unknown block type {:#04x}", header.kind)));
    }
    if header.format != format_byte(block.len()) {
        return Err(Error::corrupt(
            address,
            format!("format byte {:#04x} is not of a {}-byte block", header.format, block.len()),
        ));
    }
    if header.address() != address {
        return Err(Error::corrupt(address, format!("block says it is {}", header.address())));
    }
    let mut tail = [0; TAIL_BYTES];
    tail.copy_from_slice(&block[block.len() - TAIL_BYTES..]);
    if u32::from_le_bytes(tail) != tail_value(header) {
        return Err(Error::corrupt(address, "head and tail differ (torn block)"));
    }
    if header.flags & FLAG_CHECKSUM != 0 && checksum(block) != header.checksum.get() {
        return Err(Error::corrupt(address, "checksum does not match"));
    }
    Ok(())
}

/// The first byte at or behind `from` that is not zero. Large steps first: never used blocks are many, and each full
/// check reads them.
pub(crate) fn first_nonzero(bytes: &[u8], from: usize) -> Option<usize> {
    const ZEROS: [u8; 1024] = [0; 1024];
    let mut at = from;
    for step in [1024, 128, 8] {
        while at + step <= bytes.len() && bytes[at..at + step] == ZEROS[..step] {
            at += step;
        }
    }
    (at..bytes.len()).find(|at| bytes[*at] != 0)
}

/// The size of a block from its format byte.
#[must_use]
pub fn size_of_format(format: u8) -> Option<BlockSize> {
    BlockSize::ALL.into_iter().find(|size| format_byte(size.bytes()) == format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::FileNumber;

    #[test]
    fn every_flipped_byte_is_found() {
        let address = BlockAddress::new(FileNumber(4), 130);
        let mut block = vec![0u8; 2048];
        assert!(check(&block, address).is_ok());
        format(&mut block, BlockType::Data, address);
        touch(&mut block, Scn(0x1_2345_6789));
        seal(&mut block);
        check(&block, address).unwrap();
        assert_eq!(header(&block).scn(), Scn(0x1_2345_6789));
        for at in 0..block.len() {
            // Bytes 2 and 3 are spare but under the checksum too; the checksum flag itself guards nothing alone.
            let mut bad = block.clone();
            bad[at] ^= 0x10;
            assert!(check(&bad, address).is_err(), "a flipped byte at {at} went unseen");
        }
        assert!(check(&block, address.plus(1)).is_err());
    }
}
