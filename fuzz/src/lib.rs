//! What the targets share: reading a fuzzer's bytes as decisions, and blocks that are right but for a few bytes.
//!
//! Random bytes never pass a checksum, so the targets start from a block that the library itself has made, change some
//! of its bytes, and seal it again. That is what a bug would leave on a disk, and what `validate` has to find.

pub mod heap_block;
pub mod index_block;
mod input;
pub mod other_block;
pub mod reports;

pub use input::Input;

use common::{BlockAddress, BlockSize, FileNumber};
use format::block::{self, BlockType};

/// Where the blocks of the targets say that they are.
pub const HERE: BlockAddress = BlockAddress { file: FileNumber(4), block: 130 };

/// A block of a size that the input chooses, formatted as `kind`.
pub fn formatted(input: &mut Input<'_>, kind: BlockType) -> Vec<u8> {
    let mut bytes = vec![0; size(input).bytes()];
    block::format(&mut bytes, kind, HERE);
    bytes
}

pub fn size(input: &mut Input<'_>) -> BlockSize {
    // Small blocks more often: they are full sooner.
    let size = input.byte() % 8;
    BlockSize::ALL.into_iter().nth(usize::from(size)).unwrap_or(BlockSize::K2)
}

/// Writes up to seven runs of bytes over the block, anywhere but over what says which block it is.
pub fn patch(block: &mut [u8], input: &mut Input<'_>) {
    for _ in 0..input.byte() % 8 {
        let at = usize::from(input.word());
        // Headers and directories more often than rows.
        let at = if input.byte() % 4 == 0 { at % block.len() } else { at % 160 };
        let count = usize::from(input.byte() % 8) + 1;
        for (byte, new) in block[at..].iter_mut().zip(input.take(count)) {
            *byte = *new;
        }
    }
}
