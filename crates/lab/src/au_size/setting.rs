//! Allocation units, places on the disks, extents and reads: the differences between the arms of the experiment, and
//! between the points of its sweeps.

use crate::experiment::factor::{Factor, Role, Shown, Values};
use crate::experiment::setting::Setting;

/// AU_SIZE of the disk group.
pub static AU_MB: Factor = Factor {
    unit: "MB",
    short: "a",
    words: |value| format!("{value} MB units"),
    why: "A request for a scan ends where an allocation unit ends, and the next unit is on another disk",
    ..Factor::number("au_mb", "AU_SIZE", Values::OneOf(&[1, 2, 4, 8, 16, 32, 64]), Some(4))
};

/// Tracks of the disks that the group's grid disks are on.
pub static PLACE: Factor = Factor {
    role: Role::Line,
    words: |value| if value == 0 { "outer tracks".to_owned() } else { "inner tracks".to_owned() },
    why: "An outer track passes more blocks under the head in a turn than an inner one",
    ..Factor::number("place", "place on the disks", Values::Words(&["outer", "inner"]), Some(0))
};

/// The round of the published test.
pub static ROUND: Factor = Factor {
    role: Role::Fixed,
    words: |value| if value == 0 { "side by side".to_owned() } else { "made anew".to_owned() },
    ..Factor::number("round", "round", Values::Words(&["first", "rebuilt"]), Some(1))
};

/// Extents of the tablespace; 0: they grow, as AUTOALLOCATE has them.
pub static EXTENT_MB: Factor = Factor {
    unit: "MB",
    short: "e",
    shown: Shown::Changed,
    role: Role::Crossed,
    words: |value| if value == 0 { "autoallocate".to_owned() } else { format!("extents of {value} MB") },
    why: "Extents that end within a unit leave the rest of it to others",
    ..Factor::number("extent_mb", "extents (0: autoallocate)", Values::OneOf(&[0, 1, 2, 4, 8, 16, 32, 64]), Some(0))
};

/// Blocks of a read where the session reads; 0: cells scan.
pub static READ_COUNT: Factor = Factor {
    unit: "blocks",
    short: "r",
    shown: Shown::Changed,
    words: |value| if value == 0 { "by cells".to_owned() } else { format!("reads of {value} blocks") },
    why: "Without cells that scan, the session reads so many blocks at a time; 0 is with them",
    ..Factor::number("multiblock_read_count", "DB_FILE_MULTIBLOCK_READ_COUNT", Values::Range(0, 128), Some(0))
};

pub static FACTORS: [&Factor; 5] = [&AU_MB, &EXTENT_MB, &PLACE, &ROUND, &READ_COUNT];

fn group(au_mb: u32, place: u32, round: u32) -> Setting {
    Setting::new(&FACTORS).with(&AU_MB, au_mb).with(&PLACE, place).with(&ROUND, round)
}

/// The group of the first round: that of 4 MB on the outer tracks, the others on inner ones.
#[must_use]
pub fn first(au_mb: u32) -> Setting {
    group(au_mb, u32::from(au_mb != 4), 0)
}

/// A group made anew where that of 4 MB was.
#[must_use]
pub fn rebuilt(au_mb: u32) -> Setting {
    group(au_mb, 0, 1)
}

/// The group of 4 MB made anew on inner tracks. The published test had none: it tells what the place alone does.
#[must_use]
pub fn inner() -> Setting {
    group(4, 1, 1)
}

/// The arms of the published test, and one more.
#[must_use]
pub fn arms() -> Vec<Setting> {
    let rounds = [first, rebuilt].into_iter().flat_map(|round| [1, 4, 8].map(round));
    rounds.chain([inner()]).collect()
}
