//! Whether a group can lose a disk.

use asm::{DiskGroup, DiskMode};

const MB: u64 = 1 << 20;

/// All disks are online and stay, and all extents have all their copies, in a group with units of 1 MB.
pub(crate) fn is_whole(group: &DiskGroup, copies: usize) -> bool {
    let statistics = group.statistics();
    let online = statistics.disks.iter().all(|disk| disk.mode == DiskMode::Online && !disk.dropping);
    let all_there = group.files().is_ok_and(|files| {
        files.iter().all(|file| {
            let places = group.extents(file.name.number).unwrap_or_default();
            let bytes: u64 = places.iter().map(|place| place.bytes).sum();
            bytes == file.bytes.div_ceil(MB) * MB * copies as u64
        })
    });
    online && all_there
}

/// Whole, and without stale copies: a fault may strike.
pub(crate) fn is_sound(group: &DiskGroup, copies: usize) -> bool {
    is_whole(group, copies) && group.statistics().stale_regions == 0
}
