//! The head of a datafile: operating-system block, file header, space header.
//!
//! ```text
//! block 0      OsBlock           whose the file is, before its block size is known
//! block 1      FileHeader        identity; checked at every open
//! block 2      SpaceHeader       allocation unit, size, free units
//! block 3 …    extent bitmap     to the end of the header area (extent_bitmap.rs)
//! 1 MB …       units             extents
//! ```
//!
//! The header area is 1 MB whatever the block size, so that extents of 1 MB are aligned to 1 MB.

use common::limits::FILE_HEADER_AREA_BYTES;
use common::{BlockAddress, BlockSize, Error, ErrorKind, FileNumber, Result};
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES};
use crate::view;

pub const OS_BLOCK: u32 = 0;
pub const FILE_HEADER_BLOCK: u32 = 1;
pub const SPACE_HEADER_BLOCK: u32 = 2;
pub const FIRST_BITMAP_BLOCK: u32 = 3;

const MAGIC: [u8; 8] = *b"HIGHWATR";
/// Version of the datafile format; a file of another version is refused.
pub const FORMAT_VERSION: u32 = 1;

/// Blocks of the header area at a block size.
#[must_use]
pub fn header_area_blocks(size: BlockSize) -> u32 {
    (FILE_HEADER_AREA_BYTES / size.bytes() as u64) as u32
}

/// First bytes of the file, readable before the block size is known.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct OsBlock {
    pub magic: [u8; 8],
    pub version: U32,
    pub block_bytes: U32,
    pub database_id: U64,
    pub checksum: U32,
    pub spare: U32,
}

const _: () = assert!(size_of::<OsBlock>() == 32);

/// Bytes to read from the start of a file to learn its block size.
pub const OS_BLOCK_BYTES: usize = size_of::<OsBlock>();

/// Writes block 0.
pub fn write_os_block(block: &mut [u8], database_id: u64) {
    block.fill(0);
    let bytes = block.len() as u32;
    let os = view::at_mut::<OsBlock>(block, 0);
    os.magic = MAGIC;
    os.version = FORMAT_VERSION.into();
    os.block_bytes = bytes.into();
    os.database_id = database_id.into();
    os.checksum = crc32c::crc32c(&os.as_bytes()[..24]).into();
}

/// Reads block 0: the block size and the database id.
///
/// # Errors
/// ORA-27047-like when the bytes are no datafile's, or of another format version.
pub fn read_os_block(bytes: &[u8]) -> Result<(BlockSize, u64)> {
    let bad = |why: &str| {
        Error::new(
            ErrorKind::Corrupt,
            common::Number::Ora(27047),
            format!("unable to read the header block of file: {why}"),
        )
    };
    let Ok((os, _)) = OsBlock::ref_from_prefix(bytes) else {
        return Err(bad("the file is shorter than a header"));
    };
    if os.magic != MAGIC {
        return Err(bad("not a Highwater datafile"));
    }
    if os.checksum.get() != crc32c::crc32c(&os.as_bytes()[..24]) {
        return Err(bad("checksum does not match"));
    }
    if os.version.get() != FORMAT_VERSION {
        let text = format!(
            "datafile format version {} is not one that this release reads ({FORMAT_VERSION}): open the database with the release that wrote it",
            os.version.get()
        );
        return Err(Error::new(ErrorKind::Corrupt, common::Number::Ora(1130), text));
    }
    Ok((BlockSize::from_bytes(u64::from(os.block_bytes.get()))?, os.database_id.get()))
}

/// True: block 0 is the output of [`write_os_block`], to the last spare byte.
#[must_use]
pub fn is_os_block(block: &[u8], database_id: u64) -> bool {
    let mut expected = vec![0; block.len()];
    write_os_block(&mut expected, database_id);
    expected == block
}

/// Body of block 1.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct FileHeader {
    pub database_id: U64,
    pub database_name: [u8; 16],
    pub file: U32,
    pub tablespace: U32,
    pub tablespace_name: [u8; 32],
    /// Blocks of the file when the header was last written.
    pub blocks: U32,
    pub block_bytes: U32,
    /// Microseconds since 1970.
    pub created_us: U64,
    pub creation_scn: U64,
    pub checkpoint_scn: U64,
    /// Log sequence, block and offset of the checkpoint: from the Transactions issue on.
    pub checkpoint_rba: [u8; 12],
    pub checkpoint_count: U32,
    pub spare: [u8; 64],
}

const _: () = assert!(size_of::<FileHeader>() == 176);

#[must_use]
pub fn file_header(block: &[u8]) -> &FileHeader {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn file_header_mut(block: &mut [u8]) -> &mut FileHeader {
    view::at_mut(block, HEADER_BYTES)
}

/// Copies `name` into a fixed field, cut to its length.
pub fn put_name<const N: usize>(field: &mut [u8; N], name: &str) {
    field.fill(0);
    let bytes = name.as_bytes();
    let take = bytes.len().min(N);
    field[..take].copy_from_slice(&bytes[..take]);
}

/// A fixed name field as text.
#[must_use]
pub fn name(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// Body of block 2: division and free space of the file.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct SpaceHeader {
    pub file: U32,
    /// Blocks of one allocation unit: one bit.
    pub unit_blocks: U32,
    /// Blocks of the file, header area included.
    pub blocks: U32,
    /// First block of unit 0.
    pub first_block: U32,
    pub units: U32,
    pub free_units: U32,
    /// No unit below this one is free: a search starts here.
    pub first_free: U32,
    pub spare: [u8; 36],
}

const _: () = assert!(size_of::<SpaceHeader>() == 64);

#[must_use]
pub fn space_header(block: &[u8]) -> &SpaceHeader {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn space_header_mut(block: &mut [u8]) -> &mut SpaceHeader {
    view::at_mut(block, HEADER_BYTES)
}

/// Formats block 2 of an empty file.
pub fn init_space_header(block: &mut [u8], file: FileNumber, size: BlockSize, unit_blocks: u32, blocks: u32) {
    block::format(block, BlockType::FileSpaceHeader, BlockAddress::new(file, SPACE_HEADER_BLOCK));
    let first_block = header_area_blocks(size);
    let units = blocks.saturating_sub(first_block) / unit_blocks;
    let header = space_header_mut(block);
    header.file = u32::from(file.0).into();
    header.unit_blocks = unit_blocks.into();
    header.blocks = blocks.into();
    header.first_block = first_block.into();
    header.units = units.into();
    header.free_units = units.into();
}
