//! The parts of a block that a change may write, named before it is made: nothing else of the block has to be kept and
//! compared.

use std::ops::Range;

use super::GAP;
use crate::block::{HEADER_BYTES, TAIL_BYTES};

/// Ranges of a reach at most: a change that writes in more places is not worth naming them.
const RANGES_MAX: usize = 6;

/// Ranges of bytes of one block, in ascending order. Two that a piece of redo could reach across are one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    ranges: [Range<usize>; RANGES_MAX],
    count: usize,
}

impl Reach {
    /// With `range` as well: offsets in the block. None when there are too many, or it lies in the block's header or
    /// tail, which redo does not describe.
    #[must_use]
    pub fn with(mut self, block_bytes: usize, range: Range<usize>) -> Option<Self> {
        if range.is_empty() {
            return Some(self);
        }
        if range.start < HEADER_BYTES || range.end > block_bytes - TAIL_BYTES {
            return None;
        }
        let mut merged = range;
        let mut rest: [Range<usize>; RANGES_MAX] = Default::default();
        let mut count = 0;
        for other in self.ranges() {
            if other.end + GAP <= merged.start || merged.end + GAP <= other.start {
                rest[count] = other.clone();
                count += 1;
            } else {
                merged = merged.start.min(other.start)..merged.end.max(other.end);
            }
        }
        if count == RANGES_MAX {
            return None;
        }
        let at = rest[..count].iter().position(|other| other.start > merged.start).unwrap_or(count);
        rest[at..=count].rotate_right(1);
        rest[at] = merged;
        (self.ranges, self.count) = (rest, count + 1);
        Some(self)
    }

    /// The ranges, in ascending order.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges[..self.count]
    }

    /// Puts the bytes of all ranges behind one another into an empty buffer.
    pub fn keep(&self, block: &[u8], kept: &mut Vec<u8>) {
        self.ranges().iter().for_each(|range| kept.extend_from_slice(&block[range.clone()]));
    }
}

/// A block before a change, as far as it was kept.
#[derive(Clone, Copy, Debug)]
pub enum Before<'a> {
    Whole(&'a [u8]),
    /// What [`Reach::keep`] has kept.
    Within(&'a Reach, &'a [u8]),
}

impl Before<'_> {
    /// The bytes of a range of the block, which must have been kept.
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        match self {
            Self::Whole(block) => &block[range],
            Self::Within(reach, kept) => {
                let mut place = 0;
                for other in reach.ranges() {
                    if other.start <= range.start && range.end <= other.end {
                        let from = place + range.start - other.start;
                        return &kept[from..from + range.len()];
                    }
                    place += other.len();
                }
                unreachable!("bytes {range:?} are not within {reach:?}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::block::{self, BlockType};
    use crate::redo::{Version, difference, overwritten};
    use common::{BlockAddress, FileNumber};

    const BYTES: usize = 2048;

    fn reach(ranges: &[(usize, usize)]) -> Option<Reach> {
        ranges.iter().try_fold(Reach::default(), |reach, (start, end)| reach.with(BYTES, *start..*end))
    }

    fn merged(ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
        reach(ranges).unwrap().ranges().iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn ranges_are_in_order_and_apart() {
        assert_eq!(merged(&[(900, 910), (30, 40), (300, 310)]), [(30, 40), (300, 310), (900, 910)]);
        assert_eq!(merged(&[(30, 40), (60, 70), (41, 59)]), [(30, 70)]);
        assert_eq!(merged(&[(30, 40), (47, 50)]), [(30, 50)]);
        assert_eq!(merged(&[(30, 40), (48, 50)]), [(30, 40), (48, 50)]);
        assert_eq!(merged(&[(100, 100)]), []);
    }

    #[test]
    fn header_tail_and_too_many_places_are_refused() {
        assert_eq!(reach(&[(10, 30)]), None);
        assert_eq!(reach(&[(2000, BYTES)]), None);
        let many: Vec<_> = (1..=7).map(|n| (n * 100, n * 100 + 1)).collect();
        assert!(reach(&many[..6]).is_some());
        assert_eq!(reach(&many), None);
    }

    proptest! {
        #[test]
        fn redo_is_the_same_as_of_the_whole_block(
            places in proptest::collection::vec((HEADER_BYTES..1900, 1_usize..120), 1..6),
            changes in proptest::collection::vec((0_usize..6, 0_usize..120, any::<u8>()), 0..80),
        ) {
            let address = BlockAddress::new(FileNumber(4), 77);
            let ranges: Vec<_> = places.iter().map(|(start, length)| (*start, *start + *length)).collect();
            let Some(reach) = reach(&ranges) else { return Ok(()) };
            let mut old: Vec<u8> = (0..BYTES).map(|at| (at / 7) as u8).collect();
            block::format(&mut old, BlockType::Data, address);
            let mut new = old.clone();
            for (range, offset, byte) in changes {
                let (start, end) = ranges[range % ranges.len()];
                new[start + offset % (end - start)] = byte;
            }
            let mut kept = Vec::new();
            reach.keep(&old, &mut kept);
            let (one, two) = (Version { scn: 9, seq: 1 }, Version { scn: 12, seq: 1 });
            let (mut whole, mut within) = (Vec::new(), Vec::new());
            let (all, part) = (Before::Whole(&old), Before::Within(&reach, &kept));
            difference(&mut whole, 1, address, &all, &new, one, two);
            difference(&mut within, 1, address, &part, &new, one, two);
            prop_assert_eq!(&whole, &within);
            prop_assert_eq!(overwritten(&whole, &all), overwritten(&within, &part));
        }
    }
}
