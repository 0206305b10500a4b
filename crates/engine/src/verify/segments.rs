//! One segment: header, extent map, high-water marks, and each of its blocks.

use std::collections::HashSet;

use common::{BlockAddress, BlockRange, ObjectNumber};
use format::block::BlockType;
use format::segment::{self, ExtentEntry, HighWaterMark, SegmentHeader};
use format::transaction::Owner;

use super::image::Image;
use super::report::Report;
use super::space::Claims;
use super::{bitmaps, freelists};
use storage::control::SpaceManagement;
use storage::segment::Segment;

/// A segment as the dictionary describes it.
pub(super) struct Expected {
    pub(super) name: String,
    pub(super) header: BlockAddress,
    pub(super) data_object: ObjectNumber,
    pub(super) owner: Owner,
    pub(super) management: SpaceManagement,
    pub(super) pctfree: u8,
    pub(super) block_bytes: usize,
    pub(super) freelists: u16,
    pub(super) freelist_groups: u16,
}

impl Expected {
    pub(super) fn of(segment: &Segment) -> Self {
        let spec = segment.spec();
        Self {
            name: spec.name.clone(),
            header: segment.header(),
            data_object: spec.data_object,
            owner: spec.owner,
            management: segment.management(),
            pctfree: spec.pctfree,
            block_bytes: segment.block_size().bytes(),
            freelists: spec.storage.freelists,
            freelist_groups: spec.storage.freelist_groups,
        }
    }
}

/// A segment as its header describes it.
pub(super) struct Walk<'a> {
    pub(super) image: &'a Image,
    pub(super) expected: &'a Expected,
    pub(super) header: SegmentHeader,
    pub(super) header_bytes: Vec<u8>,
    pub(super) extents: Vec<ExtentEntry>,
}

/// A block's place in its segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockPlace {
    Metadata,
    BelowLow,
    BetweenMarks,
    AboveHigh,
}

/// Checks a segment by itself. Returns false when its extents could not be read.
pub(super) fn check(image: &Image, expected: &Expected, claims: &mut Claims, report: &mut Report) -> bool {
    report.checked.segments += 1;
    let Some(walk) = Walk::new(image, expected, report) else { return false };
    let claimant = claims.claimant(&expected.name);
    report.checked.extents += walk.extents.len() as u64;
    let mut sound = true;
    let mut claimed = true;
    for extent in &walk.extents {
        let range = BlockRange { start: extent.address(), blocks: extent.blocks.get() };
        claimed &= claims.claim(claimant, range, report);
        if extent.metadata.get() > extent.blocks.get() {
            walk.problem(report, extent.address(), "the extent has more metadata than blocks");
            sound = false;
        }
    }
    sound &= walk.check_mark("high-water mark", walk.header.high, report);
    if expected.management == SpaceManagement::Auto {
        sound &= walk.check_mark("low high-water mark", walk.header.low, report);
        if position(walk.header.low) > position(walk.header.high) {
            walk.problem(report, expected.header, "the low high-water mark is above the high one");
        }
    }
    if !sound || !claimed {
        return claimed;
    }
    walk.check_metadata(report);
    let above = walk.blocks().filter(|(address, place)| *place == BlockPlace::AboveHigh && image.is_corrupt(*address));
    claims.unused.extend(above.map(|(address, _)| address));
    match expected.management {
        SpaceManagement::Manual => freelists::check(&walk, report),
        SpaceManagement::Auto => bitmaps::check(&walk, &mut claims.unused, report),
    }
    true
}

fn position(mark: HighWaterMark) -> (u32, u32) {
    (mark.extent.get(), mark.block.get())
}

impl<'a> Walk<'a> {
    fn new(image: &'a Image, expected: &'a Expected, report: &mut Report) -> Option<Self> {
        let kind = match expected.management {
            SpaceManagement::Manual => BlockType::SegmentHeader,
            SpaceManagement::Auto => BlockType::PagetableSegmentHeader,
        };
        let header_bytes = image.block_of(expected.header, kind, &expected.name, report)?;
        let header = *segment::header(&header_bytes);
        let mut walk = Self { image, expected, header, header_bytes, extents: Vec::new() };
        if header.object.get() != expected.data_object.0 || header.owner != expected.owner as u8 {
            let text =
                format!("the segment header is of object {}, not {}", header.object.get(), expected.data_object.0);
            walk.problem(report, expected.header, text);
            return None;
        }
        walk.read_extents(report)?;
        Some(walk)
    }

    pub(super) fn problem(&self, report: &mut Report, address: BlockAddress, text: impl Into<String>) {
        report.problem(Some(&self.expected.name), Some(address), text);
    }

    fn read_extents(&mut self, report: &mut Report) -> Option<()> {
        let count = self.header.extents.get() as usize;
        let inline = count.min(segment::extents_inline(&self.header_bytes));
        self.extents = (0..inline).map(|n| *segment::extent(&self.header_bytes, n)).collect();
        let mut seen = HashSet::new();
        let mut next = BlockAddress::unpack(self.header.first_map.get());
        let mut last = BlockAddress::NONE;
        while !next.is_none() {
            if !seen.insert(next) {
                self.problem(report, next, "the chain of extent map blocks runs in a circle");
                return None;
            }
            let bytes = self.image.block_of(next, BlockType::ExtentMap, &self.expected.name, report)?;
            let map = *segment::map_header(&bytes);
            let entries = map.entries.get() as usize;
            if map.object.get() != self.expected.data_object.0
                || map.first.get() as usize != self.extents.len()
                || entries > segment::extents_per_map(bytes.len())
            {
                self.problem(report, next, "the extent map block does not continue the map");
                return None;
            }
            self.extents.extend((0..entries).map(|n| *segment::map_extent(&bytes, n)));
            last = next;
            next = BlockAddress::unpack(map.next.get());
        }
        let header = self.expected.header;
        if self.extents.len() != count {
            self.problem(report, header, format!("the extent map has {} of {count} extents", self.extents.len()));
            return None;
        }
        if seen.len() != self.header.map_blocks.get() as usize
            || last != BlockAddress::unpack(self.header.last_map.get())
        {
            self.problem(report, header, "the header does not know its extent map blocks");
        }
        let blocks: u64 = self.extents.iter().map(|extent| u64::from(extent.blocks.get())).sum();
        if blocks != u64::from(self.header.blocks.get()) {
            let said = self.header.blocks.get();
            self.problem(report, header, format!("the extents have {blocks} blocks, the header says {said}"));
            return None;
        }
        if self.extents.first().is_none_or(|first| !covers(first, header)) {
            self.problem(report, header, "the segment header is not in the first extent");
            return None;
        }
        Some(())
    }

    /// A mark must be within its extent and count the blocks below it rightly.
    fn check_mark(&self, name: &str, mark: HighWaterMark, report: &mut Report) -> bool {
        let (extent, block) = position(mark);
        let Some(entry) = self.extents.get(extent as usize) else {
            self.problem(
                report,
                self.expected.header,
                format!("the {name} is in extent {extent}, which does not exist"),
            );
            return false;
        };
        let before: u32 = self.extents[..extent as usize].iter().map(|extent| extent.blocks.get()).sum();
        if block > entry.blocks.get() || mark.blocks.get() != before + block {
            let text = format!(
                "the {name} is at block {block} of extent {extent} with {} blocks below it: that does not fit the extents",
                mark.blocks.get()
            );
            self.problem(report, self.expected.header, text);
            return false;
        }
        true
    }

    /// Every block of the segment and where it lies.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (BlockAddress, BlockPlace)> {
        let high = position(self.header.high);
        // A manual segment has one mark.
        let low = match self.expected.management {
            SpaceManagement::Manual => high,
            SpaceManagement::Auto => position(self.header.low),
        };
        (0u32..).zip(&self.extents).flat_map(move |(ordinal, extent)| {
            (0..extent.blocks.get()).map(move |n| {
                let place = if n < extent.metadata.get() {
                    BlockPlace::Metadata
                } else if (ordinal, n) < low {
                    BlockPlace::BelowLow
                } else if (ordinal, n) < high {
                    BlockPlace::BetweenMarks
                } else {
                    BlockPlace::AboveHigh
                };
                (extent.address().plus(n), place)
            })
        })
    }

    fn check_metadata(&self, report: &mut Report) {
        for (address, _) in self.blocks().filter(|(_, place)| *place == BlockPlace::Metadata) {
            let kind = self.image.facts(address).and_then(|facts| facts.kind);
            let metadata = matches!(
                kind,
                Some(
                    BlockType::SegmentHeader
                        | BlockType::PagetableSegmentHeader
                        | BlockType::ExtentMap
                        | BlockType::FreeListGroup
                        | BlockType::FirstLevelBitmap
                        | BlockType::SecondLevelBitmap
                        | BlockType::ThirdLevelBitmap
                )
            );
            if !metadata && !self.image.is_corrupt(address) {
                self.problem(report, address, "is counted as metadata and is none");
            }
        }
    }

    /// Checks that a block is a formatted data block of this segment. Returns false when it is not, or cannot be read.
    pub(super) fn check_data_block(&self, address: BlockAddress, report: &mut Report) -> bool {
        if self.image.is_corrupt(address) {
            return false;
        }
        let automatic = self.expected.management == SpaceManagement::Auto;
        let Some(facts) = self.image.facts(address) else { return false };
        if facts.kind != Some(BlockType::Data) {
            let kind = facts.kind.map_or("of unknown type", BlockType::name);
            self.problem(report, address, format!("must be a formatted data block and is {kind}"));
            return false;
        }
        if facts.object != self.expected.data_object.0 || facts.owner != self.expected.owner as u8 {
            let text = format!("holds data of object {}, not of {}", facts.object, self.expected.data_object.0);
            self.problem(report, address, text);
            return false;
        }
        if facts.automatic != automatic {
            self.problem(report, address, "is laid out for the other kind of space management");
            return false;
        }
        if let Some(wrong) = &facts.wrong {
            self.problem(report, address, wrong.to_string());
            return false;
        }
        true
    }
}

fn covers(extent: &ExtentEntry, address: BlockAddress) -> bool {
    BlockRange { start: extent.address(), blocks: extent.blocks.get() }.contains(address)
}
