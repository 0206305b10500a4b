//! The differences of the arms: a tablespace's block size, a table's PCTFREE, and the search for room for migrated
//! rows.

use crate::block_size::block_bytes;
use crate::experiment::factor::{Factor, Role, Shown, Values};
use crate::experiment::setting::Setting;

/// The block sizes of the arms.
pub(crate) const SIZES: [u32; 3] = [4096, 8192, 16384];
/// PCTFREE: rows migrate, and they do not.
pub(crate) const LOW: u32 = 10;
pub(crate) const HIGH: u32 = 35;

pub static BLOCK_BYTES: Factor =
    block_bytes(&SIZES, Role::Line, "Overheads of a block and of an extent count for more rows in a large one");

pub static PCTFREE: Factor = Factor {
    unit: "%",
    words: |value| format!("PCTFREE {value}"),
    why: "Room that inserts leave in a block for rows that grow",
    ..Factor::number("pctfree", "PCTFREE", Values::Range(0, 90), Some(10))
};

/// The search of the releases with bug 6918210.
pub static LEGACY_SEARCH: Factor = Factor {
    role: Role::Fixed,
    shown: Shown::Changed,
    words: |_| "legacy search".to_owned(),
    why: "The search for room asked the same blocks again and again",
    ..Factor::number("legacy_search", "legacy search", Values::Switch, Some(0))
};

pub(super) static FACTORS: [&Factor; 3] = [&BLOCK_BYTES, &PCTFREE, &LEGACY_SEARCH];

/// An arm of the published test.
#[must_use]
pub fn plain(block_bytes: u32, pctfree: u32) -> Setting {
    Setting::new(&FACTORS).with(&BLOCK_BYTES, block_bytes).with(&PCTFREE, pctfree)
}

/// An arm whose rows migrate, with the legacy search.
#[must_use]
pub fn legacy(block_bytes: u32) -> Setting {
    plain(block_bytes, LOW).with(&LEGACY_SEARCH, 1)
}

/// The published six.
pub fn published() -> impl Iterator<Item = Setting> {
    SIZES.into_iter().flat_map(|bytes| [LOW, HIGH].map(|pctfree| plain(bytes, pctfree)))
}

/// Those, and the ones with the legacy search.
pub(super) fn arms() -> Vec<Setting> {
    published().chain([legacy(8192), legacy(16384)]).collect()
}

/// The arm's tablespace.
pub(crate) fn tablespace(setting: Setting) -> String {
    format!("rm_{}k", setting.number(&BLOCK_BYTES) / 1024)
}
