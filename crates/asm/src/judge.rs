//! Telling which of the different copies of a block is damaged: the group knows bytes, and others know blocks.

use std::fmt::Debug;

use crate::name::FileName;

/// A file, by its names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedFile {
    pub name: FileName,
    /// The name that a user has given it, with the group.
    pub alias: Option<String>,
}

/// Knows the blocks of files. It is asked where copies differ, at a mount after a crash and by a check of the group.
pub trait Judge: Debug + Send + Sync {
    /// True: the file's users read all copies, take the newest whole one, and write it again. Its copies are left as a
    /// crash has left them.
    fn is_read_whole(&self, _file: &JudgedFile) -> bool {
        false
    }

    /// Bytes of a block of the file. None: nothing is known about the file.
    fn block_bytes(&self, file: &JudgedFile) -> Option<u64>;

    /// False: the block at this offset of the file is damaged. Of two copies that are not, either may be taken: the
    /// write of one of them was not acknowledged.
    fn is_sound(&self, file: &JudgedFile, offset: u64, block: &[u8]) -> bool;

    /// Tells which of two blocks that are not damaged is the later one: a disk may have lost a write that it said to
    /// have made.
    fn version(&self, _file: &JudgedFile, _offset: u64, _block: &[u8]) -> u64 {
        0
    }
}
