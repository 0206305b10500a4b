//! Bitmaps: header, third, second and first level hang together, every block of the segment is covered once, and what is called formatted is.
//!
//! How full a block is called is a hint and not checked.

use std::collections::HashSet;

use common::{BlockAddress, BlockClass, Result};
use engine::instance::Session;
use format::bitmap::{self, BlockState};
use format::block::{self, BlockType};
use format::{segment, transaction};

use super::Findings;
use super::segments::{Whole, is_own};

pub(super) fn verify(session: &Session, whole: &Whole<'_>, findings: &mut Findings) -> Result<()> {
    let name = whole.segment.name();
    let mut covered = HashSet::new();
    let mut first_levels = 0;
    let second_levels = second_levels(session, whole)?;
    if second_levels.len() != whole.header.second_level_blocks.get() as usize {
        let (found, says) = (second_levels.len(), whole.header.second_level_blocks.get());
        findings.block(whole.segment.header(), format!("{name}: {found} second-level blocks, its header says {says}"));
    }
    for second in second_levels {
        let bytes = session.current(second, BlockClass::SecondLevelBitmap)?.to_vec();
        if !is_bitmap(whole, &bytes, BlockType::SecondLevelBitmap, second, findings) {
            continue;
        }
        for slot in 0..bitmap::upper(&bytes).entries.get() as usize {
            let first = BlockAddress::unpack(bitmap::second_level_entry(&bytes, slot).first_level.get());
            first_levels += 1;
            verify_first_level(session, whole, first, (second, slot), &mut covered, findings)?;
        }
    }
    if first_levels != whole.header.first_level_blocks.get() {
        let says = whole.header.first_level_blocks.get();
        findings.block(
            whole.segment.header(),
            format!("{name}: {first_levels} first-level blocks, its header says {says}"),
        );
    }
    for address in whole.extents.iter().flat_map(|extent| (0..extent.blocks).map(|n| extent.start.plus(n))) {
        if !covered.contains(&address) {
            findings.block(address, format!("{name}: is in no first-level block"));
        }
    }
    Ok(())
}

/// The second-level blocks, from the header or through third-level blocks.
fn second_levels(session: &Session, whole: &Whole<'_>) -> Result<Vec<BlockAddress>> {
    let header = session.current(whole.segment.header(), BlockClass::SegmentHeader)?.to_vec();
    let count = whole.header.second_level_blocks.get() as usize;
    let mut all: Vec<_> =
        (0..count.min(segment::SECOND_LEVEL_INLINE)).map(|n| segment::second_level(&header, n)).collect();
    let mut next = BlockAddress::unpack(whole.header.first_third_level.get());
    let mut seen = HashSet::new();
    while !next.is_none() && seen.insert(next) {
        let bytes = session.current(next, BlockClass::ThirdLevelBitmap)?.to_vec();
        let upper = bitmap::upper(&bytes);
        all.extend((0..upper.entries.get() as usize).map(|slot| bitmap::third_level_entry(&bytes, slot)));
        next = BlockAddress::unpack(upper.next.get());
    }
    Ok(all)
}

fn is_bitmap(whole: &Whole<'_>, bytes: &[u8], kind: BlockType, address: BlockAddress, findings: &mut Findings) -> bool {
    let name = whole.segment.name();
    // Object numbers stand in the same place in all three levels.
    let object = bitmap::upper(bytes).object.get();
    if block::kind(bytes) == Some(kind) && object == whole.segment.data_object().0 && whole.contains(address) {
        return true;
    }
    findings.block(address, format!("{name}: its {} is expected here", kind.name()));
    false
}

fn verify_first_level(
    session: &Session,
    whole: &Whole<'_>,
    address: BlockAddress,
    parent: (BlockAddress, usize),
    covered: &mut HashSet<BlockAddress>,
    findings: &mut Findings,
) -> Result<()> {
    let name = whole.segment.name();
    let bytes = session.current(address, BlockClass::FirstLevelBitmap)?.to_vec();
    if !is_bitmap(whole, &bytes, BlockType::FirstLevelBitmap, address, findings) {
        return Ok(());
    }
    let head = bitmap::first_level(&bytes);
    if (BlockAddress::unpack(head.parent.get()), head.parent_slot.get() as usize) != parent {
        findings.block(address, format!("{name}: names another second-level block than the one that lists it"));
    }
    let mut counts = [0u16; 16];
    for index in 0..usize::from(head.covered.get()) {
        let state = bitmap::state(&bytes, index);
        counts[state as usize & 15] += 1;
        let Some(block) = bitmap::address_of(&bytes, index) else { continue };
        if !whole.contains(block) {
            findings.block(address, format!("{name}: covers {block}, which is not in the segment"));
            continue;
        }
        if !covered.insert(block) {
            findings.block(block, format!("{name}: is in two first-level blocks"));
        }
        if matches!(state, BlockState::Unformatted | BlockState::Metadata) {
            continue;
        }
        let data = session.current(block, BlockClass::Data)?;
        if !is_own(whole, &data) || transaction::header(&data).bitmap_block() != address {
            findings.block(block, format!("{name}: is not formatted under first-level block {address}, which says so"));
        }
    }
    for (code, counted) in head.counts.iter().enumerate() {
        if counted.get() != counts[code] {
            let why = format!("{name}: {} blocks of state {code}, it counts {}", counts[code], counted.get());
            findings.block(address, why);
        }
    }
    Ok(())
}
