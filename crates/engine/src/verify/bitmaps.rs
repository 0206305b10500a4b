//! The three levels of bitmaps of a segment under automatic space management: each block of the segment in exactly one
//! first-level block, in a state that it can have.
//!
//! States of fullness are hints: an outdated one is no problem, one that hides much room is a note.

use std::collections::{HashMap, HashSet};

use common::BlockAddress;
use format::bitmap::{self, BlockState};
use format::block::BlockType;
use format::segment;
use format::transaction::Owner;

use super::report::Report;
use super::segments::{BlockPlace, Walk};

/// A block's entry in the bitmaps.
#[derive(Clone, Copy)]
struct BitmapEntry {
    first_level: BlockAddress,
    state: BlockState,
}

/// `unused` collects the corrupt blocks that are not formatted yet.
pub(super) fn check(walk: &Walk<'_>, unused: &mut HashSet<BlockAddress>, report: &mut Report) {
    let Some(second_levels) = second_levels(walk, report) else { return };
    let mut entries = HashMap::new();
    let mut first_levels = HashSet::new();
    let mut whole = true;
    for (address, parent) in &second_levels {
        whole &= check_second_level(walk, *address, *parent, &mut first_levels, &mut entries, report).is_some();
    }
    if !whole {
        return;
    }
    if first_levels.len() != walk.header.first_level_blocks.get() as usize {
        let said = walk.header.first_level_blocks.get();
        let text = format!("{} first-level bitmap blocks are listed, the header says {said}", first_levels.len());
        walk.problem(report, walk.expected.header, text);
    }
    for (address, place) in walk.blocks() {
        match entries.remove(&address) {
            Some(entry) => {
                if entry.state == BlockState::Unformatted && walk.image.is_corrupt(address) {
                    unused.insert(address);
                }
                check_state(walk, address, place, entry, report);
            }
            None => walk.problem(report, address, "is covered by no first-level bitmap block"),
        }
    }
    for (address, entry) in entries {
        walk.problem(report, entry.first_level, format!("covers block {address}, which is not of the segment"));
    }
}

/// The second-level blocks, each with the block that lists it.
fn second_levels(walk: &Walk<'_>, report: &mut Report) -> Option<Vec<(BlockAddress, BlockAddress)>> {
    let count = walk.header.second_level_blocks.get() as usize;
    let header = walk.expected.header;
    let mut all: Vec<_> = (0..count.min(segment::SECOND_LEVEL_INLINE))
        .map(|n| (segment::second_level(&walk.header_bytes, n), header))
        .collect();
    let mut seen = HashSet::new();
    let mut next = BlockAddress::unpack(walk.header.first_third_level.get());
    while !next.is_none() {
        if !seen.insert(next) {
            walk.problem(report, next, "the chain of third-level bitmap blocks runs in a circle");
            return None;
        }
        let bytes = upper(walk, next, BlockType::ThirdLevelBitmap, header, report)?;
        report.checked.bitmap_blocks += 1;
        let entries = (bitmap::upper(&bytes).entries.get() as usize).min(bitmap::third_level_capacity(bytes.len()));
        all.extend((0..entries).map(|n| (bitmap::third_level_entry(&bytes, n), next)));
        next = BlockAddress::unpack(bitmap::upper(&bytes).next.get());
    }
    if all.len() != count || seen.len() != walk.header.third_level_blocks.get() as usize {
        let text = format!("{} second-level bitmap blocks are listed, the header says {count}", all.len());
        walk.problem(report, header, text);
        return None;
    }
    Some(all)
}

/// A second- or third-level block that must belong to this segment and to `parent`.
fn upper(
    walk: &Walk<'_>,
    address: BlockAddress,
    kind: BlockType,
    parent: BlockAddress,
    report: &mut Report,
) -> Option<Vec<u8>> {
    let bytes = walk.image.block_of(address, kind, &walk.expected.name, report)?;
    let header = bitmap::upper(&bytes);
    if header.object.get() != walk.expected.data_object.0 || header.parent.get() != parent.pack() {
        walk.problem(report, address, format!("the {} is not listed by {parent} for this segment", kind.name()));
        return None;
    }
    Some(bytes)
}

fn check_second_level(
    walk: &Walk<'_>,
    address: BlockAddress,
    parent: BlockAddress,
    first_levels: &mut HashSet<BlockAddress>,
    entries: &mut HashMap<BlockAddress, BitmapEntry>,
    report: &mut Report,
) -> Option<()> {
    let bytes = upper(walk, address, BlockType::SecondLevelBitmap, parent, report)?;
    report.checked.bitmap_blocks += 1;
    let count = bitmap::upper(&bytes).entries.get() as usize;
    if count > bitmap::second_level_capacity(bytes.len()) {
        walk.problem(report, address, format!("lists {count} first-level bitmap blocks, more than it can"));
        return None;
    }
    for slot in 0..count {
        let listed = BlockAddress::unpack(bitmap::second_level_entry(&bytes, slot).first_level.get());
        let first = walk.image.block_of(listed, BlockType::FirstLevelBitmap, &walk.expected.name, report)?;
        report.checked.bitmap_blocks += 1;
        let header = bitmap::first_level(&first);
        if header.object.get() != walk.expected.data_object.0
            || header.parent.get() != address.pack()
            || header.parent_slot.get() as usize != slot
        {
            walk.problem(report, listed, format!("slot {slot} of {address} lists it, and it says otherwise"));
            return None;
        }
        if let Err(why) = bitmap::validate_first_level(&first) {
            walk.problem(report, listed, why);
            return None;
        }
        if !first_levels.insert(listed) {
            walk.problem(report, listed, "the first-level bitmap block is listed twice");
            return None;
        }
        for index in 0..usize::from(header.covered.get()) {
            let Some(covered) = bitmap::address_of(&first, index) else { continue };
            let entry = BitmapEntry { first_level: listed, state: bitmap::state(&first, index) };
            if let Some(other) = entries.insert(covered, entry) {
                walk.problem(report, covered, format!("is covered by {listed} and by {}", other.first_level));
                return None;
            }
        }
    }
    Some(())
}

fn check_state(walk: &Walk<'_>, address: BlockAddress, place: BlockPlace, entry: BitmapEntry, report: &mut Report) {
    let (l1, state) = (entry.first_level, entry.state);
    match (place, state) {
        (BlockPlace::Metadata, BlockState::Metadata) | (BlockPlace::AboveHigh, BlockState::Unformatted) => {}
        (BlockPlace::BetweenMarks, BlockState::Unformatted) => {}
        (BlockPlace::Metadata, _) => walk.problem(report, address, format!("is metadata; {l1} says {state:?}")),
        (_, BlockState::Metadata) => walk.problem(report, address, format!("is no metadata block; {l1} says it is")),
        (BlockPlace::AboveHigh, _) => {
            walk.problem(report, address, format!("is above the high-water mark; {l1} says {state:?}"));
        }
        (BlockPlace::BelowLow, BlockState::Unformatted) => {
            walk.problem(report, address, format!("is below the low high-water mark; {l1} says it is unformatted"));
        }
        (BlockPlace::BelowLow | BlockPlace::BetweenMarks, _) => check_formatted(walk, address, entry, report),
    }
}

fn check_formatted(walk: &Walk<'_>, address: BlockAddress, entry: BitmapEntry, report: &mut Report) {
    if !walk.check_data_block(address, report) {
        return;
    }
    let Some(facts) = walk.image.facts(address) else { return };
    if facts.bitmap != entry.first_level {
        let text = format!("says that {} covers it; {} does", facts.bitmap, entry.first_level);
        walk.problem(report, address, text);
        return;
    }
    let bytes = walk.expected.block_bytes;
    let hidden = match walk.expected.owner {
        // A block that refused a row counts as full while an eighth of it is free above PCTFREE, and stays so within
        // its quarter.
        Owner::Table => {
            let reserve = bytes * usize::from(walk.expected.pctfree) / 100;
            let free = usize::from(facts.free);
            entry.state == BlockState::Full && free > (reserve + bytes / 8).max(bytes / 4)
        }
        Owner::Index => facts.on_freelist && entry.state != BlockState::Free100,
    };
    if hidden {
        let name = Some(walk.expected.name.as_str());
        report.note(
            name,
            Some(address),
            format!("has room that {} does not show ({:?})", entry.first_level, entry.state),
        );
    }
}
