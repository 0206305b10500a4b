//! The extent map: in the segment header, and in chained extent map blocks once it outgrows the header.

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockRange, Error, ErrorKind, Result, Scn};
use format::segment::{self, ExtentEntry, HighWaterMark, SegmentHeader};

use super::Segment;
use crate::cache::BlockMut;
use crate::datafile::Datafile;
use crate::process::metadata;
use crate::txn::Worker;

/// A place in a segment: an extent's ordinal, and the number of its blocks below the place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position {
    pub(super) extent: u32,
    pub(super) block: u32,
}

impl From<HighWaterMark> for Position {
    fn from(mark: HighWaterMark) -> Self {
        Self { extent: mark.extent.get(), block: mark.block.get() }
    }
}

/// Mode of the gets of map blocks and the header: a scan reads consistently, growth reads the current state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Consistent,
    Current,
}

impl Segment {
    /// The segment header's fields and the whole extent map.
    pub(super) fn map(&self, s: &Worker, reading: Reading) -> Result<(SegmentHeader, Vec<ExtentEntry>)> {
        let block = self.header_block(s, reading)?;
        let header = *segment::header(&block);
        let count = header.extents.get() as usize;
        let inline = count.min(segment::extents_inline(&block));
        let mut entries: Vec<_> = (0..inline).map(|n| *segment::extent(&block, n)).collect();
        drop(block);
        let mut next = BlockAddress::unpack(header.first_map.get());
        for _ in 0..header.map_blocks.get() {
            if entries.len() >= count {
                break;
            }
            let block = match reading {
                Reading::Consistent => metadata::consistent(s, next, BlockClass::ExtentMap)?,
                Reading::Current => metadata::current(s, next, BlockClass::ExtentMap)?,
            };
            let map = segment::map_header(&block);
            if map.first.get() as usize != entries.len() {
                let first = map.first.get();
                return Err(Error::corrupt(
                    next,
                    format!("the map goes on with extent {first}, not {}", entries.len()),
                ));
            }
            let here = (map.entries.get() as usize).min(segment::extents_per_map(block.len()));
            entries.extend((0..here).map(|n| *segment::map_extent(&block, n)));
            next = BlockAddress::unpack(map.next.get());
        }
        // The last map block may have got another entry since the header was read.
        entries.truncate(count);
        self.check_map(s, &header, &entries)?;
        Ok((header, entries))
    }

    /// Checks that a map agrees with its header, and that all extents lie within files.
    fn check_map(&self, s: &Worker, header: &SegmentHeader, entries: &[ExtentEntry]) -> Result<()> {
        let wrong = |why: String| Err(Error::corrupt(self.header, why));
        let count = header.extents.get() as usize;
        if entries.len() < count {
            return wrong(format!("the extent map has {} of {count} extents", entries.len()));
        }
        let mut file: Option<Arc<Datafile>> = None;
        let mut blocks = 0;
        for entry in entries {
            let number = entry.address().file;
            if file.as_ref().is_none_or(|file| file.number() != number) {
                file = s.store().cache().file(number).ok();
            }
            Self::check_entry(self.header, file.as_deref(), entry)?;
            blocks += u64::from(entry.blocks.get());
        }
        if blocks != u64::from(header.blocks.get()) {
            return wrong(format!("the extents have {blocks} blocks, the header says {}", header.blocks.get()));
        }
        for mark in [header.low, header.high] {
            let whole = entries.iter().take(mark.extent.get() as usize).map(|entry| u64::from(entry.blocks.get()));
            let within = entries.get(mark.extent.get() as usize).is_some_and(|e| mark.block <= e.blocks);
            let manual = mark.blocks.get() == 0;
            if !within || (!manual && whole.sum::<u64>() + u64::from(mark.block.get()) != u64::from(mark.blocks.get()))
            {
                return wrong(format!("a high-water mark is at no place of the extents: {mark:?}"));
            }
        }
        Ok(())
    }

    fn check_entry(header: BlockAddress, file: Option<&Datafile>, entry: &ExtentEntry) -> Result<()> {
        let (start, blocks) = (entry.address(), entry.blocks.get());
        let within = file.is_some_and(|file| {
            start.block > 0 && u64::from(start.block) + u64::from(blocks) <= u64::from(file.blocks())
        });
        if within && entry.metadata.get() < blocks {
            return Ok(());
        }
        let why = format!("the extent at {start} of {blocks} blocks, {} for metadata, is none", entry.metadata.get());
        Err(Error::corrupt(header, why))
    }

    /// The segment's extents.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn extents(&self, s: &Worker) -> Result<Vec<BlockRange>> {
        let (_, entries) = self.map(s, Reading::Current)?;
        Ok(entries.iter().map(|e| BlockRange { start: e.address(), blocks: e.blocks.get() }).collect())
    }

    /// Formatted data blocks below the high-water mark, in extent order. Segment header and maps are consistent gets.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn scan_ranges(&self, s: &Worker) -> Result<Vec<BlockRange>> {
        self.space.scan_ranges(self, s)
    }

    /// As [`Segment::scan_ranges`], for a reader at `scn`. Other sessions may give the segment up meanwhile.
    ///
    /// # Errors
    /// ORA-08103 when the segment was given up; errors of the cache.
    pub(crate) fn scan_ranges_at(&self, s: &Worker, scn: Scn) -> Result<Vec<BlockRange>> {
        self.check_alive()?;
        let ranges = match self.scan_ranges(s) {
            // A listed map block may leave the segment before it is read (SHRINK SPACE): the second try waits for the
            // shrink.
            Err(error) if error.kind == ErrorKind::Corrupt => {
                drop(self.growing(s));
                self.scan_ranges(s)
            }
            ranges => ranges,
        };
        ranges.map_err(|error| self.explained(s, scn, error))
    }

    /// Entry `ordinal` of the map, given the header block.
    pub(super) fn extent_entry(&self, s: &Worker, header: &[u8], ordinal: u32) -> Result<ExtentEntry> {
        let entry = self.find_entry(s, header, ordinal)?;
        let file = s.store().cache().file(entry.address().file).ok();
        Self::check_entry(self.header, file.as_deref(), &entry)?;
        Ok(entry)
    }

    fn find_entry(&self, s: &Worker, header: &[u8], ordinal: u32) -> Result<ExtentEntry> {
        let inline = segment::extents_inline(header);
        if (ordinal as usize) < inline {
            return Ok(*segment::extent(header, ordinal as usize));
        }
        let fields = segment::header(header);
        // Callers mostly want the last extent, which is in the last map block.
        for start in [fields.last_map.get(), fields.first_map.get()] {
            let mut next = BlockAddress::unpack(start);
            for _ in 0..fields.map_blocks.get() {
                if next.is_none() {
                    break;
                }
                let block = metadata::current(s, next, BlockClass::ExtentMap)?;
                let map = segment::map_header(&block);
                let at = ordinal.wrapping_sub(map.first.get());
                if at < map.entries.get() {
                    return Ok(*segment::map_extent(&block, at as usize));
                }
                next = BlockAddress::unpack(map.next.get());
            }
        }
        Err(Error::corrupt(self.header, format!("extent {ordinal} is in no extent map block")))
    }

    /// True: the next extent needs a new extent map block, which then is one of the extent's own leading blocks.
    pub(super) fn needs_map_block(&self, s: &Worker, header: &[u8]) -> Result<bool> {
        let fields = segment::header(header);
        let inline = segment::extents_inline(header);
        if (fields.extents.get() as usize) < inline {
            return Ok(false);
        }
        let last = BlockAddress::unpack(fields.last_map.get());
        if last.is_none() {
            return Ok(true);
        }
        let block = metadata::current(s, last, BlockClass::ExtentMap)?;
        Ok(segment::map_header(&block).entries.get() as usize >= segment::extents_per_map(block.len()))
    }

    /// Appends an extent to the map. `map_block` is the address for a new map block, when one is needed.
    pub(super) fn append_extent(
        &self,
        s: &Worker,
        header: &mut BlockMut,
        entry: ExtentEntry,
        map_block: Option<BlockAddress>,
    ) -> Result<()> {
        let ordinal = segment::header(header).extents.get();
        let inline = segment::extents_inline(header);
        debug_assert!(entry.metadata.get() < entry.blocks.get(), "{self:?}: {entry:?} has no room for data");
        debug_assert!(
            map_block.is_none_or(|map| map.file == entry.address().file
                && (entry.address().block..entry.address().block + entry.metadata.get()).contains(&map.block)),
            "{self:?}: a map block at {map_block:?}, not in {entry:?}"
        );
        if (ordinal as usize) < inline {
            s.change(header, |block| *segment::extent_mut(block, ordinal as usize) = entry);
        } else {
            let last = BlockAddress::unpack(segment::header(header).last_map.get());
            let target = match map_block {
                None => last,
                Some(address) => {
                    let mut map = s.new_block(address, BlockClass::ExtentMap)?;
                    let object = self.spec.data_object;
                    s.change(&mut map, |block| segment::init_map(block, address, object, ordinal));
                    drop(map);
                    if !last.is_none() {
                        let mut previous = metadata::current_mut(s, last, BlockClass::ExtentMap)?;
                        s.change(&mut previous, |block| segment::map_header_mut(block).next = address.pack().into());
                    }
                    s.change(header, |block| {
                        let fields = segment::header_mut(block);
                        fields.map_blocks = (fields.map_blocks.get() + 1).into();
                        fields.last_map = address.pack().into();
                        if fields.first_map.get() == 0 {
                            fields.first_map = address.pack().into();
                        }
                    });
                    address
                }
            };
            let mut map = metadata::current_mut(s, target, BlockClass::ExtentMap)?;
            let fields = *segment::map_header(&map);
            debug_assert_eq!(fields.first.get() + fields.entries.get(), ordinal, "{self:?}: the map has a hole");
            debug_assert!((fields.entries.get() as usize) < segment::extents_per_map(map.len()), "{self:?}: {target}");
            s.change(&mut map, |block| {
                let at = segment::map_header(block).entries.get();
                *segment::map_extent_mut(block, at as usize) = entry;
                segment::map_header_mut(block).entries = (at + 1).into();
            });
        }
        s.change(header, |block| {
            let fields = segment::header_mut(block);
            fields.extents = (ordinal + 1).into();
            fields.blocks = (fields.blocks.get() + entry.blocks.get()).into();
        });
        Ok(())
    }
}
