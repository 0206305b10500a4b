//! Used allocation units of a datafile: one bit a unit, 1 = used, least significant bit first.
//!
//! ```text
//! offset size  field
//!     20    4  first unit    the unit of bit 0
//!     24    4  used          bits set
//!    252    …  bits          block size - 256 bytes of them
//!   last    4  tail
//! ```
//!
//! The 256 bytes of overhead are Oracle's (an 8K block maps 63,488 units).

use common::BlockAddress;
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES};
use crate::view;

const BITS_OFFSET: usize = 252;
const OVERHEAD_BYTES: usize = 256;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct BitmapHeader {
    pub first_unit: U32,
    pub used: U32,
}

/// Units that one bitmap block maps.
#[must_use]
pub fn units_per_block(block_bytes: usize) -> u32 {
    ((block_bytes - OVERHEAD_BYTES) * 8) as u32
}

/// Formats a bitmap block with every unit free.
pub fn init(block: &mut [u8], address: BlockAddress, first_unit: u32) {
    block::format(block, BlockType::FileSpaceBitmap, address);
    view::at_mut::<BitmapHeader>(block, HEADER_BYTES).first_unit = first_unit.into();
}

#[must_use]
pub fn header(block: &[u8]) -> &BitmapHeader {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn is_used(block: &[u8], bit: u32) -> bool {
    block[BITS_OFFSET + (bit / 8) as usize] & (1 << (bit % 8)) != 0
}

/// Sets or clears `count` bits from `first`.
pub fn set(block: &mut [u8], first: u32, count: u32, used: bool) {
    let mut changed = 0;
    for bit in first..first + count {
        let byte = &mut block[BITS_OFFSET + (bit / 8) as usize];
        let mask = 1 << (bit % 8);
        if (*byte & mask != 0) != used {
            changed += 1;
            *byte ^= mask;
        }
    }
    let header = view::at_mut::<BitmapHeader>(block, HEADER_BYTES);
    let total = header.used.get();
    header.used = if used { total + changed } else { total - changed }.into();
}

/// First run of `count` free bits in `from..end`, aligned to `align` units counted from unit 0 of the file.
#[must_use]
pub fn find_free(block: &[u8], from: u32, end: u32, count: u32, align: u32) -> Option<u32> {
    let first_unit = header(block).first_unit.get();
    let mut bit = from;
    while bit + count <= end {
        let misaligned = (first_unit + bit) % align;
        if misaligned != 0 {
            bit += align - misaligned;
            continue;
        }
        match (bit..bit + count).rev().find(|b| is_used(block, *b)) {
            None => return Some(bit),
            Some(used) => bit = used + 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::FileNumber;

    #[test]
    fn finds_runs_and_counts_bits() {
        let mut block = vec![0; 2048];
        init(&mut block, BlockAddress::new(FileNumber(1), 3), 0);
        assert_eq!(units_per_block(8192), 63_488);
        set(&mut block, 0, 3, true);
        set(&mut block, 10, 2, true);
        assert_eq!(header(&block).used.get(), 5);
        assert_eq!(find_free(&block, 0, 100, 1, 1), Some(3));
        assert_eq!(find_free(&block, 0, 100, 8, 1), Some(12));
        assert_eq!(find_free(&block, 0, 100, 16, 16), Some(16));
        assert_eq!(find_free(&block, 0, 12, 8, 1), None);
        set(&mut block, 10, 2, false);
        assert_eq!(header(&block).used.get(), 3);
        assert_eq!(find_free(&block, 0, 12, 8, 1), Some(3));
    }
}
