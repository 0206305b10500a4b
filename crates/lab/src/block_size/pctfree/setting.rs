//! What the arms differ in.

use serde::Serialize;

/// An arm: a tablespace's block size, a table's PCTFREE, and how room for migrated rows is searched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Setting {
    pub block_bytes: u32,
    pub pctfree: u8,
    /// As the releases with bug 6918210 searched.
    pub legacy_search: bool,
}

/// The block sizes of the arms.
pub(crate) const BLOCK_BYTES: [u32; 3] = [4096, 8192, 16384];
/// PCTFREE: rows migrate, and they do not.
pub(crate) const LOW: u8 = 10;
pub(crate) const HIGH: u8 = 35;

impl Setting {
    #[must_use]
    pub const fn new(block_bytes: u32, pctfree: u8) -> Self {
        Self { block_bytes, pctfree, legacy_search: false }
    }

    #[must_use]
    pub const fn legacy(block_bytes: u32) -> Self {
        Self { block_bytes, pctfree: LOW, legacy_search: true }
    }

    /// The published six.
    pub fn published() -> impl Iterator<Item = Self> {
        BLOCK_BYTES.into_iter().flat_map(|bytes| [LOW, HIGH].map(|pctfree| Self::new(bytes, pctfree)))
    }

    /// Those, and the ones with the legacy search.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::published().chain([Self::legacy(8192), Self::legacy(16384)])
    }

    /// `8 KB, PCTFREE 10`.
    #[must_use]
    pub fn name(self) -> String {
        let legacy = if self.legacy_search { ", legacy search" } else { "" };
        format!("{} KB, PCTFREE {}{legacy}", self.block_bytes / 1024, self.pctfree)
    }

    /// The arm's tablespace.
    pub(crate) fn tablespace(self) -> String {
        format!("rm_{}k", self.block_bytes / 1024)
    }
}
