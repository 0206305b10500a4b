//! Tells a group which copy of a datafile's block is damaged.

use std::fmt;
use std::sync::OnceLock;

use asm::{Judge, JudgedFile};
use common::{BlockAddress, BlockSize, FileNumber};
use format::block;
use format::file::OS_BLOCK;

/// Finds a datafile by one of its names in a group.
pub(super) type Find = Box<dyn Fn(&JudgedFile) -> Option<(FileNumber, BlockSize)> + Send + Sync>;

/// Judges blocks by their addresses, tails and checksums. It knows datafiles once it is told how to find them.
#[derive(Default)]
pub(super) struct BlockJudge {
    find: OnceLock<Find>,
}

impl fmt::Debug for BlockJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockJudge")
    }
}

impl BlockJudge {
    pub(super) fn set_find(&self, find: Find) {
        let set = self.find.set(find);
        debug_assert!(set.is_ok(), "a second way to find datafiles");
    }

    fn find(&self, file: &JudgedFile) -> Option<(FileNumber, BlockSize)> {
        self.find.get().and_then(|find| find(file))
    }
}

impl Judge for BlockJudge {
    fn block_bytes(&self, file: &JudgedFile) -> Option<u64> {
        self.find(file).map(|(_, size)| size.bytes() as u64)
    }

    fn is_sound(&self, file: &JudgedFile, offset: u64, bytes: &[u8]) -> bool {
        let Some((number, size)) = self.find(file) else { return true };
        let Ok(block) = u32::try_from(offset / size.bytes() as u64) else { return true };
        // The first block has its own format, without a checksum; behind the last one is no block.
        block == OS_BLOCK
            || bytes.len() != size.bytes()
            || block::check(bytes, BlockAddress { file: number, block }).is_ok()
    }

    fn version(&self, file: &JudgedFile, offset: u64, bytes: &[u8]) -> u64 {
        let Some((_, size)) = self.find(file) else { return 0 };
        let first = offset / size.bytes() as u64 == u64::from(OS_BLOCK);
        if first || bytes.len() != size.bytes() { 0 } else { block::header(bytes).version() }
    }
}
