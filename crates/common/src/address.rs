//! Addresses: files, blocks, objects, rows, points in time.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::limits;

/// Absolute datafile number, from 1; 10 bits in a [`BlockAddress`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct FileNumber(pub u16);

/// Tablespace number (`TS#`); SYSTEM is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct TablespaceNumber(pub u32);

/// Object number (`OBJ#`), and data object number where a segment is meant: it changes on TRUNCATE.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ObjectNumber(pub u32);

/// Process number (`PID`), from 1. It picks the process freelist and the place where a bitmap search starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ProcessNumber(pub u32);

/// System change number, 48 bits on disk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Scn(pub u64);

/// A block: absolute file number and block number within the file.
///
/// On disk 4 bytes: 10 bits of file, 22 bits of block. All zero is "none".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BlockAddress {
    pub file: FileNumber,
    pub block: u32,
}

impl BlockAddress {
    /// The null address: no file has number 0.
    pub const NONE: Self = Self { file: FileNumber(0), block: 0 };

    /// # Panics
    /// In debug builds when either part does not fit the packed form.
    #[must_use]
    pub fn new(file: FileNumber, block: u32) -> Self {
        debug_assert!(file.0 <= limits::FILES_MAX && block < limits::BLOCKS_PER_FILE_MAX);
        Self { file, block }
    }

    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The packed form, 10 bits of file and 22 bits of block.
    #[must_use]
    pub fn pack(self) -> u32 {
        (u32::from(self.file.0) << 22) | (self.block & 0x003F_FFFF)
    }

    #[must_use]
    pub fn unpack(packed: u32) -> Self {
        Self { file: FileNumber((packed >> 22) as u16), block: packed & 0x003F_FFFF }
    }

    /// The block `n` further on in the same file.
    #[must_use]
    pub fn plus(self, n: u32) -> Self {
        Self::new(self.file, self.block + n)
    }
}

/// Consecutive blocks of one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockRange {
    pub start: BlockAddress,
    pub blocks: u32,
}

impl BlockRange {
    #[must_use]
    pub fn contains(&self, address: BlockAddress) -> bool {
        address.file == self.start.file
            && address.block >= self.start.block
            && address.block < self.start.block + self.blocks
    }
}

impl fmt::Display for BlockAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.file.0, self.block)
    }
}

impl fmt::Debug for BlockAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.file.0, self.block)
    }
}

/// Address of a row: its segment's data object number, its block and its slot in the block's row directory.
///
/// Text form: 18 characters of base 64, `OOOOOOFFFBBBBBBRRR`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rowid {
    pub data_object: ObjectNumber,
    pub block: BlockAddress,
    pub slot: u16,
}

const ROWID_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Rowid {
    /// The 18 characters of the extended form, as [`Display`](fmt::Display) shows them.
    #[must_use]
    pub fn text(self) -> [u8; 18] {
        let mut text = [0u8; 18];
        let mut put = |at: usize, digits: usize, mut value: u64| {
            for i in (0..digits).rev() {
                text[at + i] = ROWID_DIGITS[(value & 63) as usize];
                value >>= 6;
            }
        };
        put(0, 6, u64::from(self.data_object.0));
        put(6, 3, u64::from(self.block.file.0));
        put(9, 6, u64::from(self.block.block));
        put(15, 3, u64::from(self.slot));
        text
    }

    /// The form in index entries and row pieces: packed block address, big-endian, then the slot. It sorts as the
    /// address does.
    #[must_use]
    pub fn restricted(self) -> [u8; 6] {
        let mut bytes = [0; 6];
        bytes[..4].copy_from_slice(&self.block.pack().to_be_bytes());
        bytes[4..].copy_from_slice(&self.slot.to_be_bytes());
        bytes
    }

    #[must_use]
    pub fn from_restricted(data_object: ObjectNumber, bytes: [u8; 6]) -> Self {
        Self {
            data_object,
            block: BlockAddress::unpack(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            slot: u16::from_be_bytes([bytes[4], bytes[5]]),
        }
    }
}

impl fmt::Display for Rowid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).map_err(|_| fmt::Error)?)
    }
}

/// The value of each byte as a digit of a rowid.
const ROWID_VALUES: [Option<u8>; 256] = {
    let mut values = [None; 256];
    let mut digit = 0;
    while digit < ROWID_DIGITS.len() {
        values[ROWID_DIGITS[digit] as usize] = Some(digit as u8);
        digit += 1;
    }
    values
};

impl FromStr for Rowid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::user(1410, "invalid ROWID");
        if text.len() != 18 {
            return Err(bad());
        }
        let mut digits = [0u64; 18];
        for (digit, byte) in digits.iter_mut().zip(text.bytes()) {
            *digit = u64::from(ROWID_VALUES[usize::from(byte)].ok_or_else(bad)?);
        }
        let take = |range: std::ops::Range<usize>| digits[range].iter().fold(0u64, |value, digit| (value << 6) | digit);
        let object = u32::try_from(take(0..6)).map_err(|_| bad())?;
        let file = u16::try_from(take(6..9)).map_err(|_| bad())?;
        let block = u32::try_from(take(9..15)).map_err(|_| bad())?;
        let slot = u16::try_from(take(15..18)).map_err(|_| bad())?;
        if file > limits::FILES_MAX || block >= limits::BLOCKS_PER_FILE_MAX {
            return Err(bad());
        }
        Ok(Self { data_object: ObjectNumber(object), block: BlockAddress::new(FileNumber(file), block), slot })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rowid_text_round_trips() {
        let rowid = Rowid { data_object: ObjectNumber(74_321), block: BlockAddress::new(FileNumber(4), 130), slot: 17 };
        let text = rowid.to_string();
        assert_eq!(text.len(), 18);
        assert_eq!(text.parse::<Rowid>().unwrap(), rowid);
        assert_eq!(Rowid::from_restricted(rowid.data_object, rowid.restricted()), rowid);
        assert!("AAA".parse::<Rowid>().is_err());
        assert!("AAAAAAAAAAAAAAAAA!".parse::<Rowid>().is_err());
    }

    #[test]
    fn block_address_packs_into_four_bytes() {
        let address = BlockAddress::new(FileNumber(1022), 4_194_303);
        assert_eq!(BlockAddress::unpack(address.pack()), address);
        assert!(BlockAddress::unpack(0).is_none());
    }
}
