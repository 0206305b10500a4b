//! Extents that a crash has left without a segment: a statement had allocated them and did not finish, or had given up
//! its segment but not yet the extents.
//!
//! The open after a crash looks for them once the dictionary is loaded. No session works yet, so an extent that no
//! segment of the dictionary has belongs to none and never will.

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockAddress, BlockRange, FileNumber, Result};

use crate::control::TablespaceKind;
use crate::segment::Segment;
use crate::txn::Worker;

/// Frees the extents that belong to none of `owners`, which are all segments of the dictionary. Returns the number of
/// blocks freed. Undo segments are not in the dictionary: their tablespaces are left alone.
///
/// # Errors
/// Errors of reading segments and of changing the files' bitmaps.
pub fn free_unowned(s: &Worker, owners: &[Arc<Segment>]) -> Result<u64> {
    let mut owned: BTreeMap<FileNumber, Vec<BlockRange>> = BTreeMap::new();
    for segment in owners {
        for range in segment.extents(s)? {
            owned.entry(range.start.file).or_default().push(range);
        }
    }
    let mut freed = 0;
    for tablespace in s.tablespaces().all() {
        if tablespace.kind() != TablespaceKind::Permanent {
            continue;
        }
        for range in tablespace.used_space(s)? {
            let ranges = owned.get(&range.start.file).map_or(&[][..], Vec::as_slice);
            for hole in without(range, ranges) {
                tablespace.free(s, hole)?;
                freed += u64::from(hole.blocks);
            }
        }
    }
    Ok(freed)
}

/// The parts of a range outside of the `taken` ranges, which lie in it.
fn without(range: BlockRange, taken: &[BlockRange]) -> Vec<BlockRange> {
    let end = range.start.block + range.blocks;
    let mut inside: Vec<_> = taken.iter().filter(|other| range.contains(other.start)).copied().collect();
    inside.sort_by_key(|other| other.start.block);
    let mut left = Vec::new();
    let mut at = range.start.block;
    let mut add = |from: u32, to: u32| {
        if to > from {
            left.push(BlockRange { start: BlockAddress::new(range.start.file, from), blocks: to - from });
        }
    };
    for other in inside {
        add(at, other.start.block);
        at = at.max(other.start.block + other.blocks);
    }
    add(at, end);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(block: u32, blocks: u32) -> BlockRange {
        BlockRange { start: BlockAddress::new(FileNumber(3), block), blocks }
    }

    #[test]
    fn the_free_ranges_lie_between_the_taken_ones() {
        assert_eq!(without(range(8, 8), &[]), [range(8, 8)]);
        assert_eq!(without(range(8, 8), &[range(8, 8)]), []);
        assert_eq!(
            without(range(8, 32), &[range(24, 8), range(100, 8), range(16, 4)]),
            [range(8, 8), range(20, 4), range(32, 8)]
        );
    }
}
