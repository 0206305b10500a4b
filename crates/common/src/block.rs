//! Block sizes and block classes.

use std::fmt;

use crate::error::{Error, Result};

/// Size of a block in bytes; a tablespace has one for all its files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum BlockSize {
    K2 = 0,
    K4 = 1,
    K8 = 2,
    K16 = 3,
    K32 = 4,
}

impl BlockSize {
    pub const ALL: [Self; 5] = [Self::K2, Self::K4, Self::K8, Self::K16, Self::K32];

    #[must_use]
    pub const fn bytes(self) -> usize {
        2048 << (self as u8)
    }

    /// # Errors
    /// ORA-00374 when `bytes` is not 2048, 4096, 8192, 16384 or 32768.
    pub fn from_bytes(bytes: u64) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|size| size.bytes() as u64 == bytes)
            .ok_or_else(|| Error::user(374, format!("block size {bytes} is not one of 2048, 4096, 8192, 16384, 32768")))
    }
}

impl fmt::Display for BlockSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bytes())
    }
}

/// Class of a block, by which gets and buffer waits are broken down. The numbers are those of the `class#` wait
/// parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum BlockClass {
    Data = 1,
    Sort = 2,
    SaveUndo = 3,
    SegmentHeader = 4,
    SaveUndoHeader = 5,
    FreeList = 6,
    ExtentMap = 7,
    FirstLevelBitmap = 8,
    SecondLevelBitmap = 9,
    ThirdLevelBitmap = 10,
    FileBitmap = 11,
    FileBitmapIndex = 12,
    FileHeader = 13,
    Unused = 14,
    SystemUndoHeader = 15,
    SystemUndoBlock = 16,
    UndoHeader = 17,
    UndoBlock = 18,
}

impl BlockClass {
    /// One more than the largest class number: the length of an array indexed by class.
    pub const COUNT: usize = 19;

    pub const ALL: [Self; 18] = [
        Self::Data,
        Self::Sort,
        Self::SaveUndo,
        Self::SegmentHeader,
        Self::SaveUndoHeader,
        Self::FreeList,
        Self::ExtentMap,
        Self::FirstLevelBitmap,
        Self::SecondLevelBitmap,
        Self::ThirdLevelBitmap,
        Self::FileBitmap,
        Self::FileBitmapIndex,
        Self::FileHeader,
        Self::Unused,
        Self::SystemUndoHeader,
        Self::SystemUndoBlock,
        Self::UndoHeader,
        Self::UndoBlock,
    ];

    /// The `class#` of a block of this class. Blocks of undo segments have numbers of their own for each segment: 15 +
    /// 2n for the header of segment n, 16 + 2n for its other blocks; statistics are kept for all segments together,
    /// under the numbers of segment 1.
    #[must_use]
    pub fn number(self, undo_segment: u16) -> u32 {
        match self {
            Self::UndoHeader => 15 + 2 * u32::from(undo_segment),
            Self::UndoBlock => 16 + 2 * u32::from(undo_segment),
            _ => self as u32,
        }
    }

    /// As V$WAITSTAT and the reports name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data block",
            Self::Sort => "sort block",
            Self::SaveUndo => "save undo block",
            Self::SegmentHeader => "segment header",
            Self::SaveUndoHeader => "save undo header",
            Self::FreeList => "free list",
            Self::ExtentMap => "extent map",
            Self::FirstLevelBitmap => "1st level bmb",
            Self::SecondLevelBitmap => "2nd level bmb",
            Self::ThirdLevelBitmap => "3rd level bmb",
            Self::FileBitmap => "bitmap block",
            Self::FileBitmapIndex => "bitmap index block",
            Self::FileHeader => "file header block",
            Self::Unused => "unused",
            Self::SystemUndoHeader => "system undo header",
            Self::SystemUndoBlock => "system undo block",
            Self::UndoHeader => "undo header",
            Self::UndoBlock => "undo block",
        }
    }
}
