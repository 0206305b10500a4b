//! The header of an index block: the part common to leaves and branches, and the fields of each.

use common::{BlockAddress, BlockSize, Error, Result};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, TAIL_BYTES};
use crate::transaction::{self, Owner};

/// Entries are unique without the rowid, which is then data in front of the key.
pub const UNIQUE: u8 = 0x01;

/// Bytes of a leaf's header, of a branch's header, and of a directory entry.
pub const LEAF_HEADER_BYTES: usize = size_of::<LeafHeader>();
pub const BRANCH_HEADER_BYTES: usize = size_of::<BranchHeader>();
pub const DIRECTORY_BYTES: usize = 2;
/// Unused bytes between the entries and the tail, as in Oracle's index blocks: an 8 KB leaf with two ITL slots holds
/// 8,000 bytes of entries and directory. Without it a leaf would take 0.75 % more entries than the published counts
/// show.
pub const RESERVE_BYTES: usize = 60;

/// Fields common to leaves and branches.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct CommonHeader {
    /// 0 is a leaf; the root has the greatest.
    pub level: u8,
    pub flags: u8,
    pub spare: u8,
    /// Columns of a key, the rowid among them where the index is not unique.
    pub key_columns: u8,
    /// Number of splits of the block, or with it.
    pub structure_changes: U32,
    pub entries: U16,
    /// End of the directory.
    pub free_begin: U16,
    /// Lowest byte of an entry.
    pub free_end: U16,
    /// Free bytes, holes between entries included.
    pub available: U16,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct LeafHeader {
    pub common: CommonHeader,
    pub spare: U16,
    /// Entries marked deleted.
    pub deleted: U16,
    pub next: U32,
    pub previous: U32,
    /// Bytes of data in front of each key: 6 in a unique index (the rowid), else 0.
    pub data_bytes: u8,
    pub spare_bytes: [u8; 3],
    /// End of the entries.
    pub usable: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct BranchHeader {
    pub common: CommonHeader,
    /// The child with the keys below the first separator.
    pub leftmost: U32,
    pub spare: U32,
    /// End of the entries.
    pub usable: U32,
}

const _: () = assert!(size_of::<CommonHeader>() == 16);
const _: () = assert!(LEAF_HEADER_BYTES == 36);
const _: () = assert!(BRANCH_HEADER_BYTES == 28);

/// The number of columns of an index's keys, and whether the rowid is one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyShape {
    /// Columns of the index, without the rowid.
    pub columns: u8,
    pub unique: bool,
}

impl KeyShape {
    /// Columns of a stored key.
    #[must_use]
    pub fn key_columns(self) -> u8 {
        self.columns + u8::from(!self.unique)
    }
}

#[must_use]
pub(super) fn common(block: &[u8]) -> &CommonHeader {
    CommonHeader::ref_from_prefix(&block[transaction::body_offset(block)..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub(super) fn common_mut(block: &mut [u8]) -> &mut CommonHeader {
    let base = transaction::body_offset(block);
    CommonHeader::mut_from_prefix(&mut block[base..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub(super) fn leaf(block: &[u8]) -> &LeafHeader {
    LeafHeader::ref_from_prefix(&block[transaction::body_offset(block)..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub(super) fn leaf_mut(block: &mut [u8]) -> &mut LeafHeader {
    let base = transaction::body_offset(block);
    LeafHeader::mut_from_prefix(&mut block[base..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub(super) fn branch(block: &[u8]) -> &BranchHeader {
    BranchHeader::ref_from_prefix(&block[transaction::body_offset(block)..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub(super) fn branch_mut(block: &mut [u8]) -> &mut BranchHeader {
    let base = transaction::body_offset(block);
    BranchHeader::mut_from_prefix(&mut block[base..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

/// The block's level: 0 for a leaf.
#[must_use]
pub fn level(block: &[u8]) -> u8 {
    common(block).level
}

#[must_use]
pub fn is_leaf(block: &[u8]) -> bool {
    level(block) == 0
}

/// The keys of the block's index.
#[must_use]
pub fn shape(block: &[u8]) -> KeyShape {
    let header = common(block);
    let unique = header.flags & UNIQUE != 0;
    KeyShape { columns: header.key_columns.saturating_sub(u8::from(!unique)), unique }
}

/// End of the entries, counted from the start of the body.
pub(super) fn usable(block: &[u8]) -> usize {
    (block.len() - TAIL_BYTES - RESERVE_BYTES).saturating_sub(transaction::body_offset(block))
}

/// Bytes that entries and their directory may take in an empty leaf of this size.
#[must_use]
pub fn leaf_capacity(size: BlockSize, itl_slots: u8, automatic: bool) -> usize {
    let extra = if automatic { transaction::ASSM_BYTES } else { 0 };
    let body = transaction::ITL_OFFSET + transaction::ITL_BYTES * usize::from(itl_slots) + extra;
    size.bytes() - body - LEAF_HEADER_BYTES - RESERVE_BYTES - TAIL_BYTES
}

/// True: a formatted block of an index that its tree has not taken, or has given back: its body is zeros.
#[must_use]
pub fn is_blank(block: &[u8]) -> bool {
    let body = transaction::body_offset(block);
    block.get(body..body + LEAF_HEADER_BYTES).is_some_and(|header| header.iter().all(|byte| *byte == 0))
}

/// The cheap check at each visit: the block is an index block with a plausible header. [`super::validate()`] checks
/// every entry.
///
/// # Errors
/// ORA-01578 with the fault.
pub fn check(block: &[u8], address: BlockAddress) -> Result<()> {
    let bad = |why: String| Err(Error::corrupt(address, why));
    if block::kind(block) != Some(BlockType::Data) || transaction::header(block).owner != Owner::Index as u8 {
        return bad("not an index block".to_owned());
    }
    let limit = block.len() - TAIL_BYTES - RESERVE_BYTES;
    if transaction::body_offset(block) + LEAF_HEADER_BYTES > limit {
        return bad(format!("{} ITL slots leave no room", transaction::header(block).itl_count));
    }
    let header = common(block);
    let stored = if header.level == 0 { leaf(block).usable.get() } else { branch(block).usable.get() } as usize;
    let header_bytes = if header.level == 0 { LEAF_HEADER_BYTES } else { BRANCH_HEADER_BYTES };
    let (begin, end) = (usize::from(header.free_begin.get()), usize::from(header.free_end.get()));
    if stored != usable(block) {
        return bad(format!("index block says {stored} usable bytes, {} are", usable(block)));
    }
    if begin != header_bytes + DIRECTORY_BYTES * usize::from(header.entries.get()) || begin > end || end > stored {
        return bad(format!("index block with {} entries has free space {begin} to {end}", header.entries));
    }
    if usize::from(header.available.get()) < end - begin || header.key_columns == 0 {
        return bad(format!(
            "index block has {} bytes available, {} key columns",
            header.available, header.key_columns
        ));
    }
    Ok(())
}
