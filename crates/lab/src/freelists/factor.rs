//! What a sweep may change of a table, beside the number of sessions.

use std::ops::RangeInclusive;

use common::Result;
use format::freelist::freelists_max;
use format::itl::slots_max;

use super::setting::Setting;
use crate::management::Management;
use crate::options::wrong_use;

/// An attribute of the table, or of an index on its column, as CREATE TABLE and CREATE INDEX take it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Factor {
    Freelists,
    FreelistGroups,
    Initrans,
    Pctused,
    IndexFreelists,
}

/// Bytes of the blocks in which the tables are.
const BLOCK_BYTES: usize = 8192;

/// What there is to know of a factor.
struct Facts {
    name: &'static str,
    short: &'static str,
    option: &'static str,
    /// What the attribute may be in a block of 8 KB.
    range: RangeInclusive<u32>,
    /// Whether it means something under bitmaps.
    under_bitmaps: bool,
    get: fn(&Setting) -> Option<u16>,
    set: fn(&mut Setting, u16),
}

impl Factor {
    pub const ALL: [Self; 5] =
        [Self::Freelists, Self::FreelistGroups, Self::Initrans, Self::Pctused, Self::IndexFreelists];

    fn facts(self) -> Facts {
        let lists = 1..=u32::from(freelists_max(BLOCK_BYTES));
        match self {
            Self::Freelists => Facts {
                name: "FREELISTS",
                short: "",
                option: "freelists",
                range: lists,
                under_bitmaps: false,
                get: |setting| Some(setting.freelists),
                set: |setting, value| setting.freelists = value,
            },
            // Each has a block of its own in the first extent; so many are more than any sessions here use.
            Self::FreelistGroups => Facts {
                name: "FREELIST GROUPS",
                short: "g",
                option: "freelist-groups",
                range: 1..=100,
                under_bitmaps: false,
                get: |setting| Some(setting.freelist_groups),
                set: |setting, value| setting.freelist_groups = value,
            },
            Self::Initrans => Facts {
                name: "INITRANS",
                short: "i",
                option: "initrans",
                range: 1..=slots_max(BLOCK_BYTES) as u32,
                under_bitmaps: true,
                get: |setting| Some(setting.initrans),
                set: |setting, value| setting.initrans = value,
            },
            // PCTFREE is 10.
            Self::Pctused => Facts {
                name: "PCTUSED",
                short: "u",
                option: "pctused",
                range: 0..=90,
                under_bitmaps: false,
                get: |setting| Some(setting.pctused),
                set: |setting, value| setting.pctused = value,
            },
            Self::IndexFreelists => Facts {
                name: "FREELISTS of the index",
                short: "x",
                option: "index-freelists",
                range: lists,
                under_bitmaps: false,
                get: |setting| setting.index_freelists,
                set: |setting, value| setting.index_freelists = Some(value),
            },
        }
    }

    /// As a statement writes it: `FREELIST GROUPS`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The letter before its value in lists; empty for FREELISTS.
    pub(super) fn short(self) -> &'static str {
        self.facts().short
    }

    /// The option of the command line, without its dashes.
    #[must_use]
    pub fn option(self) -> &'static str {
        self.facts().option
    }

    /// The column of a CSV file, and the name in JSON.
    pub(crate) fn key(self) -> String {
        self.option().replace('-', "_")
    }

    /// Its value in a setting; None where there is no index, and where bitmaps take no notice of it.
    #[must_use]
    pub fn of(self, setting: &Setting) -> Option<u16> {
        let facts = self.facts();
        (self.counts_under(setting.management)).then(|| (facts.get)(setting)).flatten()
    }

    /// What the setting says of it, whatever manages the space.
    pub(super) fn said(self, setting: &Setting) -> Option<u16> {
        (self.facts().get)(setting)
    }

    /// The setting with this value.
    #[must_use]
    pub fn with(self, setting: Setting, value: u16) -> Setting {
        let mut changed = setting;
        (self.facts().set)(&mut changed, value);
        changed
    }

    /// Whether it means something under freelists or bitmaps.
    #[must_use]
    pub fn counts_under(self, management: Management) -> bool {
        management == Management::Manual || self.facts().under_bitmaps
    }

    /// # Errors
    /// HW-0003 when the attribute cannot be `value`.
    pub(crate) fn check(self, value: u32) -> Result<u16> {
        let Facts { name, range, .. } = self.facts();
        let fits = u16::try_from(value).ok().filter(|_| range.contains(&value));
        fits.ok_or_else(|| wrong_use(format!("{name} is {} to {}, not {value}", range.start(), range.end())))
    }
}
