//! Tells a group which copy of a datafile's block is damaged.

use std::fmt;
use std::sync::OnceLock;

use asm::{FileKind, Judge, JudgedFile};
use common::{BlockAddress, BlockSize, FileNumber};
use format::block;
use format::file::{OS_BLOCK, read_os_block};

/// Bytes of a block of a log file.
const LOG_BLOCK: u64 = 512;

/// Finds a datafile by one of its names in a group.
pub(super) type Find = Box<dyn Fn(&JudgedFile) -> Option<(FileNumber, BlockSize)> + Send + Sync>;

/// Orders what may stand at a block of a log file, given the block's number. None: it is damaged.
pub type LogVersion = fn(&[u8], u32) -> Option<u64>;

/// Judges blocks by their addresses, tails and checksums. It knows datafiles once it is told how to find them.
#[derive(Default)]
pub(super) struct BlockJudge {
    find: OnceLock<Find>,
    log: OnceLock<LogVersion>,
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

    pub(super) fn set_log(&self, log: LogVersion) {
        let set = self.log.set(log);
        debug_assert!(set.is_ok(), "a second way to judge log files");
    }

    /// The version of a block of a log file; None of other files.
    fn log_version(&self, file: &JudgedFile, offset: u64, bytes: &[u8]) -> Option<Option<u64>> {
        let log = self.log.get().filter(|_| file.name.kind == FileKind::OnlineLog)?;
        let number = u32::try_from(offset / LOG_BLOCK).unwrap_or(u32::MAX);
        Some(if bytes.len() as u64 == LOG_BLOCK { log(bytes, number) } else { Some(0) })
    }

    fn find(&self, file: &JudgedFile) -> Option<(FileNumber, BlockSize)> {
        self.find.get().and_then(|find| find(file))
    }
}

impl Judge for BlockJudge {
    fn is_read_whole(&self, file: &JudgedFile) -> bool {
        file.name.kind == FileKind::ControlFile
    }

    fn block_bytes(&self, file: &JudgedFile) -> Option<u64> {
        if file.name.kind == FileKind::OnlineLog && self.log.get().is_some() {
            return Some(LOG_BLOCK);
        }
        self.find(file).map(|(_, size)| size.bytes() as u64)
    }

    fn is_sound(&self, file: &JudgedFile, offset: u64, bytes: &[u8]) -> bool {
        if let Some(version) = self.log_version(file, offset, bytes) {
            return version.is_some();
        }
        let Some((number, size)) = self.find(file) else { return true };
        let Ok(block) = u32::try_from(offset / size.bytes() as u64) else { return true };
        // Behind the last block is none.
        if block == OS_BLOCK {
            return read_os_block(bytes).is_ok();
        }
        bytes.len() != size.bytes() || block::check(bytes, BlockAddress { file: number, block }).is_ok()
    }

    fn version(&self, file: &JudgedFile, offset: u64, bytes: &[u8]) -> u64 {
        if let Some(version) = self.log_version(file, offset, bytes) {
            return version.unwrap_or(0);
        }
        let Some((_, size)) = self.find(file) else { return 0 };
        let first = offset / size.bytes() as u64 == u64::from(OS_BLOCK);
        if first || bytes.len() != size.bytes() { 0 } else { block::header(bytes).version() }
    }
}
