//! Offsets on a disk.
//!
//! ```text
//!   0        4 KB                      2 MB - 4 KB   2 MB                                    a multiple of the AU
//!   | header |  nothing                | header copy | metadata copy | second, if alone |    | allocation units ...
//! ```
//!
//! The header's copy is at a fixed offset, because the size of an allocation unit is in the header. Each disk has a
//! place for a copy of the metadata, the only disk of a group two; three disks have one that is current.

use common::{Error, Result};

/// A mebibyte.
pub(crate) const MB: u64 = 1 << 20;
/// Block of the metadata: no two writes share one, so that a torn write never harms an earlier one.
pub(crate) const BLOCK: u64 = 4096;
/// Offset of the disk header.
pub(crate) const HEADER_AT: u64 = 0;
/// Offset of its copy: far enough from the header to survive an overwritten start of the disk, and before the metadata.
pub(crate) const HEADER_COPY_AT: u64 = 2 * MB - BLOCK;
/// Offset of the first copy of the metadata, on disks that have one.
pub(crate) const METADATA_AT: u64 = 2 * MB;
/// Disks that carry a current copy of the metadata.
pub(crate) const METADATA_DISKS: usize = 3;
/// Bytes of a snapshot's area, at the least.
const SNAPSHOT_BYTES_MIN: u64 = 256 << 10;
/// Bytes of a snapshot's area for each allocation unit of the group: four extent pointers, one for now and the rest for
/// growth.
const SNAPSHOT_BYTES_PER_UNIT: u64 = 32;
/// Bytes of the journal: 128 changes and more between two snapshots.
const JOURNAL_BYTES: u64 = 512 << 10;

/// The size of a group's allocation units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AuSize(u32);

impl Default for AuSize {
    /// 1 MB.
    fn default() -> Self {
        Self(MB as u32)
    }
}

impl AuSize {
    /// An allocation unit of this size.
    ///
    /// # Errors
    /// ORA-15238 when that is not 1, 2, 4, 8, 16, 32 or 64 MB.
    pub fn new(bytes: u64) -> Result<Self> {
        if bytes.is_power_of_two() && (MB..=64 * MB).contains(&bytes) {
            Ok(Self(bytes as u32))
        } else {
            let text = format!("{bytes} is not a valid value for attribute au_size: it is 1, 2, 4, 8, 16, 32 or 64 MB");
            Err(Error::user(15238, text))
        }
    }

    /// Bytes of a unit.
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.0)
    }

    /// Mebibytes of a unit.
    #[must_use]
    pub fn megabytes(self) -> u64 {
        self.bytes() / MB
    }
}

/// The areas of one copy of the metadata, one after another: two for snapshots, and the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Areas {
    pub(crate) snapshot_bytes: u64,
    pub(crate) journal_bytes: u64,
}

impl Areas {
    /// For a group with this number of allocation units.
    pub(crate) fn for_units(units: u64) -> Self {
        let snapshot_bytes = (units * SNAPSHOT_BYTES_PER_UNIT).max(SNAPSHOT_BYTES_MIN).next_multiple_of(BLOCK);
        Self { snapshot_bytes, journal_bytes: JOURNAL_BYTES }
    }

    /// Bytes of one copy.
    pub(crate) fn bytes(self) -> u64 {
        2 * self.snapshot_bytes + self.journal_bytes
    }
}

/// Number of places for copies of the metadata on each disk of a group of `disks` disks.
pub(crate) fn places(disks: usize) -> u64 {
    if disks == 1 { 2 } else { 1 }
}

/// Allocation units at the start of a disk that no file gets.
pub(crate) fn reserved_units(copies: u64, areas: Areas, au: AuSize) -> u64 {
    (METADATA_AT + copies * areas.bytes()).div_ceil(au.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_unit_is_a_power_of_two_from_1_to_64_mb() {
        for megabytes in [1, 2, 4, 8, 16, 32, 64] {
            assert_eq!(AuSize::new(megabytes * MB).unwrap().megabytes(), megabytes);
        }
        for bytes in [0, 1, 512 << 10, 3 * MB, MB + 1, 128 * MB, u64::MAX] {
            let error = AuSize::new(bytes).unwrap_err();
            assert!(error.is_ora(15238), "{error}");
        }
        assert_eq!(AuSize::default().bytes(), MB);
    }

    #[test]
    fn a_small_group_loses_little_to_its_metadata() {
        let areas = Areas::for_units(64);
        assert_eq!(areas.bytes(), MB);
        let units = |disks| reserved_units(places(disks), areas, AuSize::default());
        assert_eq!((units(1), units(2), units(4)), (4, 3, 3));
        assert_eq!(reserved_units(1, areas, AuSize::new(64 * MB).unwrap()), 1);
    }
}
