//! Extents that a crash has left to nobody: a statement had them and was not through, or had given its segment up and not its extents.
//!
//! Looked for when a database is opened after a crash, once the dictionary is loaded: nobody works in it yet, so an extent that no segment of the
//! dictionary has will never be anyone's.

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockAddress, BlockRange, FileNumber, Result};

use crate::control::TablespaceKind;
use crate::segment::Segment;
use crate::txn::Worker;

/// Frees what is not of one of these segments, which are all of the dictionary's; how many blocks. Undo segments are not in the dictionary: their tablespaces
/// are left alone.
///
/// # Errors
/// Those of reading segments and of changing the files' bitmaps.
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

/// What is left of a range without the ranges that lie in it.
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
    fn what_nobody_has_is_what_lies_between() {
        assert_eq!(without(range(8, 8), &[]), [range(8, 8)]);
        assert_eq!(without(range(8, 8), &[range(8, 8)]), []);
        assert_eq!(
            without(range(8, 32), &[range(24, 8), range(100, 8), range(16, 4)]),
            [range(8, 8), range(20, 4), range(32, 8)]
        );
    }
}
