//! Extents: reserving runs of blocks in the files' bitmaps, and giving them back.
//!
//! A file's space header (block 2) is latched for the whole of an allocation in that file; its bitmap blocks are
//! latched under it. An allocation tries the files of a tablespace in turn, each extent beginning with another file;
//! when all are full, a file is extended if it may be.

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{BlockAddress, BlockClass, BlockRange, BlockSize, Error, ErrorKind, FileNumber, Number, Result};
use format::{extent_bitmap, file};
use waits::Statistic;

use super::Tablespace;
use super::size::{autoextended, set_file_blocks};
use crate::control::ExtentManagement;
use crate::datafile::Datafile;
use crate::process::{Process, metadata};

const KB: u64 = 1 << 10;
const MB: u64 = 1 << 20;

/// The autoallocate ladder: segments below the first size get extents of the second.
const LADDER: [(u64, u64); 4] = [(MB, 64 * KB), (64 * MB, MB), (1024 * MB, 8 * MB), (u64::MAX, 64 * MB)];

/// Blocks of the next extent of a segment with `segment_blocks` blocks, in an autoallocate tablespace.
///
/// Automatic segments of 16 KB and larger blocks start at 1 MB: a smaller extent would hold hardly more than its bitmap
/// blocks.
#[must_use]
pub fn extent_step_blocks(size: BlockSize, automatic: bool, segment_blocks: u32) -> u32 {
    let bytes = u64::from(segment_blocks) * size.bytes() as u64;
    let step = LADDER.iter().find(|(below, _)| bytes < *below).map_or(64 * MB, |(_, step)| *step);
    let least = if automatic && size >= BlockSize::K16 { MB } else { 64 * KB };
    (step.max(least) / size.bytes() as u64) as u32
}

/// Growth of files for an extent: allowed or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Growth {
    Not,
    Allowed,
}

/// A free run of a datafile, for DBA_FREE_SPACE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeSpace {
    pub start: BlockAddress,
    pub blocks: u32,
}

impl Tablespace {
    /// Allocates an extent of `blocks` blocks; in an autoallocate tablespace without such a run, an extent of a smaller
    /// step of the ladder.
    ///
    /// # Errors
    /// ORA-01653, an out-of-resource error without an object's name: the caller adds the name of the object that could
    /// not grow.
    pub(crate) fn allocate(self: &Arc<Self>, s: &Process, blocks: u32) -> Result<BlockRange> {
        self.allocate_within(s, blocks, Growth::Allowed)
    }

    /// As [`Tablespace::allocate`]; without growth it looks only at the present size of the files.
    pub(crate) fn allocate_within(self: &Arc<Self>, s: &Process, blocks: u32, growth: Growth) -> Result<BlockRange> {
        if self.dropping.load(Ordering::Acquire) {
            return Err(Error::user(959, format!("tablespace '{}' is being dropped", self.name)));
        }
        let unit = self.unit_blocks();
        let mut want = blocks.div_ceil(unit) * unit;
        let mut full_disk = None;
        loop {
            let files = self.files_in_turn();
            // A file grows only when none has room. A file that cannot grow, because its disk is full, does not keep
            // the others from growing.
            let rounds = match growth {
                Growth::Not => &[false][..],
                Growth::Allowed if files.len() > 1 => &[false, true],
                Growth::Allowed => &[true],
            };
            for grow in rounds {
                for number in &files {
                    match self.allocate_in(s, *number, want, *grow) {
                        Ok(Some(range)) => {
                            s.meter().count(Statistic::ExtentsAllocated, 1);
                            return Ok(range);
                        }
                        Ok(None) => {}
                        Err(error) if error.is_ora(1237) => full_disk = Some(error),
                        Err(error) => return Err(error),
                    }
                }
            }
            let smaller = LADDER
                .iter()
                .rev()
                .map(|(_, step)| (step / self.block_size.bytes() as u64) as u32)
                .find(|step| *step < want && *step >= unit);
            match smaller {
                Some(step) if self.extent_management == ExtentManagement::Autoallocate => want = step,
                _ => break,
            }
        }
        if let Some(error) = full_disk {
            return Err(error);
        }
        Err(Error::new(
            ErrorKind::OutOfResource,
            Number::Ora(1653),
            format!("no room for an extent of {blocks} blocks in tablespace {}", self.name),
        ))
    }

    fn allocate_in(&self, s: &Process, number: FileNumber, want: u32, grow: bool) -> Result<Option<BlockRange>> {
        s.mini(|| {
            let chosen = s.store().cache().file(number).ok();
            let header = metadata::current_mut(s, space_header_address(number), BlockClass::FileBitmapIndex);
            // The file may have been dropped since it was chosen, and another file may have its number. While its
            // header is latched it cannot be dropped.
            if !self.has_still(s, number, chosen.as_deref()) {
                return Ok(None);
            }
            let mut header = header?;
            loop {
                let space = *file::space_header(&header);
                let units = want / space.unit_blocks.get();
                debug_assert!(units > 0 && want.is_multiple_of(space.unit_blocks.get()), "{want} blocks of {space:?}");
                if space.free_units.get() >= units
                    && let Some(first) = self.find_units(s, number, &space, units)?
                {
                    s.change(&mut header, |block| {
                        let space = file::space_header_mut(block);
                        space.free_units = (space.free_units.get() - units).into();
                        if space.first_free.get() == first {
                            space.first_free = (first + units).into();
                        }
                    });
                    let start = BlockAddress::new(number, space.first_block.get() + first * space.unit_blocks.get());
                    debug_assert!(start.block + want <= space.blocks.get(), "{want} blocks at {start}: {space:?}");
                    return Ok(Some(BlockRange { start, blocks: want }));
                }
                // An earlier growth that ended in an error has left the header's size behind the file's.
                let there = chosen.as_ref().map_or(0, |file| file.blocks());
                if there > space.blocks.get() {
                    s.change(&mut header, |block| resize_header(block, there));
                    continue;
                }
                let longer = if grow { autoextended(s.store(), number, want)? } else { None };
                let Some(blocks) = longer else {
                    return Ok(None);
                };
                set_file_blocks(s, number, blocks)?;
                s.meter().count(Statistic::DatafileExtensions, 1);
                s.change(&mut header, |block| resize_header(block, blocks));
            }
        })
    }

    /// True: the file chosen before its space header was latched is still the latched one, and belongs to this
    /// tablespace.
    fn has_still(&self, s: &Process, number: FileNumber, chosen: Option<&Datafile>) -> bool {
        let now = s.store().cache().file(number).ok();
        let same = matches!((chosen, &now), (Some(chosen), Some(now)) if std::ptr::eq(chosen, &**now));
        same && self.files.read().contains(&number)
    }

    /// Finds and marks `units` consecutive free units.
    fn find_units(
        &self,
        s: &Process,
        number: FileNumber,
        space: &file::SpaceHeader,
        units: u32,
    ) -> Result<Option<u32>> {
        let per_block = extent_bitmap::units_per_block(self.block_size.bytes());
        let align = if self.extent_management == ExtentManagement::Autoallocate {
            units.min((MB / common::limits::AUTOALLOCATE_UNIT_BYTES) as u32)
        } else {
            1
        };
        let mut first = space.first_free.get();
        while first < space.units.get() {
            let n = first / per_block;
            let base = n * per_block;
            let end = (space.units.get() - base).min(per_block);
            let address = BlockAddress::new(number, file::FIRST_BITMAP_BLOCK + n);
            let mut bitmap = metadata::current_mut(s, address, BlockClass::FileBitmap)?;
            if let Some(bit) = extent_bitmap::find_free(&bitmap, first - base, end, units, align) {
                debug_assert!(base + bit >= first && bit + units <= end, "units {bit} of {n} in file {}", number.0);
                s.change(&mut bitmap, |block| extent_bitmap::set(block, bit, units, true));
                return Ok(Some(base + bit));
            }
            first = base + per_block;
        }
        Ok(None)
    }

    /// Gives an extent back to its file.
    ///
    /// # Errors
    /// Errors of the cache; ORA-00600 when the extent is not allocated.
    pub(crate) fn free(&self, s: &Process, range: BlockRange) -> Result<()> {
        s.meter().count(Statistic::ExtentsReleased, 1);
        // Counted before another session can be given the extent.
        self.freed.fetch_add(1, Ordering::AcqRel);
        let header_address = space_header_address(range.start.file);
        s.mini(|| {
            let mut header = metadata::current_mut(s, header_address, BlockClass::FileBitmapIndex)?;
            let space = *file::space_header(&header);
            let per_block = extent_bitmap::units_per_block(self.block_size.bytes());
            let last = space.first_block.get() + space.units.get() * space.unit_blocks.get();
            if range.start.block < space.first_block.get() || range.start.block + range.blocks > last {
                return Err(Error::corrupt(range.start, format!("no extent of {} blocks can be there", range.blocks)));
            }
            let first = (range.start.block - space.first_block.get()) / space.unit_blocks.get();
            let units = range.blocks / space.unit_blocks.get();
            debug_assert!(
                range.blocks.is_multiple_of(space.unit_blocks.get())
                    && (range.start.block - space.first_block.get()).is_multiple_of(space.unit_blocks.get()),
                "{range:?} is no extent: {space:?}"
            );
            debug_assert!(space.free_units.get() + units <= space.units.get(), "{range:?} is free already: {space:?}");
            let (mut at, end) = (first, first + units);
            let mut bitmaps = Vec::new();
            while at < end {
                let n = at / per_block;
                let take = (end - at).min((n + 1) * per_block - at);
                let address = BlockAddress::new(range.start.file, file::FIRST_BITMAP_BLOCK + n);
                let bitmap = metadata::current_mut(s, address, BlockClass::FileBitmap)?;
                let bit = at - n * per_block;
                if (bit..bit + take).any(|b| !extent_bitmap::is_used(&bitmap, b)) {
                    return Err(Error::bug(format!("extent at {} is freed twice", range.start)));
                }
                bitmaps.push((bitmap, bit, take));
                at += take;
            }
            debug_assert_eq!(bitmaps.iter().map(|(_, _, take)| take).sum::<u32>(), units, "{range:?} is freed by half");
            // All bitmap blocks have been got: the extent is freed as a whole or not at all.
            for (bitmap, bit, take) in &mut bitmaps {
                s.change(bitmap, |block| extent_bitmap::set(block, *bit, *take, false));
            }
            s.change(&mut header, |block| {
                let space = file::space_header_mut(block);
                space.free_units = (space.free_units.get() + units).into();
                space.first_free = space.first_free.get().min(first).into();
            });
            Ok(())
        })
    }

    /// The free runs of all files.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn free_space(&self, s: &Process) -> Result<Vec<FreeSpace>> {
        self.runs(s, false)
    }

    /// Number of extents freed since the open. For an extent that the number covers, all redo of its former content is
    /// in the log by the time of this call.
    pub(crate) fn times_freed(&self) -> u64 {
        self.freed.load(Ordering::Acquire)
    }

    /// The used runs of all files. A run may hold several extents.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn used_space(&self, s: &Process) -> Result<Vec<BlockRange>> {
        let used = self.runs(s, true)?;
        Ok(used.into_iter().map(|run| BlockRange { start: run.start, blocks: run.blocks }).collect())
    }

    /// The runs of units of one kind.
    fn runs(&self, s: &Process, used: bool) -> Result<Vec<FreeSpace>> {
        let per_block = extent_bitmap::units_per_block(self.block_size.bytes());
        let mut found: Vec<FreeSpace> = Vec::new();
        for number in self.files() {
            let chosen = s.store().cache().file(number).ok();
            let header = metadata::current(s, space_header_address(number), BlockClass::FileBitmapIndex);
            if !self.has_still(s, number, chosen.as_deref()) {
                continue;
            }
            let header = header?;
            let space = *file::space_header(&header);
            let unit_blocks = space.unit_blocks.get();
            let mut run: Option<FreeSpace> = None;
            let mut first = 0;
            while first < space.units.get() {
                let address = BlockAddress::new(number, file::FIRST_BITMAP_BLOCK + first / per_block);
                let bitmap = metadata::current(s, address, BlockClass::FileBitmap)?;
                for bit in 0..(space.units.get() - first).min(per_block) {
                    if extent_bitmap::is_used(&bitmap, bit) != used {
                        found.extend(run.take());
                        continue;
                    }
                    match &mut run {
                        Some(run) => run.blocks += unit_blocks,
                        None => {
                            let start =
                                BlockAddress::new(number, space.first_block.get() + (first + bit) * unit_blocks);
                            run = Some(FreeSpace { start, blocks: unit_blocks });
                        }
                    }
                }
                first += per_block;
            }
            found.extend(run);
        }
        Ok(found)
    }

    /// Checks the space of all files: the header counts as many free units as the bitmap has, and the first that it
    /// names is the first of them or lies before it. No session may work in the tablespace meanwhile.
    ///
    /// # Errors
    /// ORA-00600 with what is not so; errors of the cache.
    pub fn check_invariants(&self, s: &Process) -> Result<()> {
        let free = self.free_space(s)?;
        for number in self.files() {
            let space = {
                let header = metadata::current(s, space_header_address(number), BlockClass::FileBitmapIndex)?;
                *file::space_header(&header)
            };
            let own = || free.iter().filter(|run| run.start.file == number);
            let units = own().map(|run| run.blocks / space.unit_blocks.get()).sum::<u32>();
            invariant!(units == space.free_units.get(), "file {}: {units} units are free: {space:?}", number.0);
            let first = own().map(|run| (run.start.block - space.first_block.get()) / space.unit_blocks.get()).min();
            invariant!(
                first.is_none_or(|first| first >= space.first_free.get()),
                "file {}: unit {first:?} is free: {space:?}",
                number.0
            );
        }
        Ok(())
    }

    /// Makes a file longer or shorter.
    ///
    /// # Errors
    /// ORA-03297 when used extents lie beyond the new end; ORA-01237 when the file system has no room.
    pub fn resize_file(&self, s: &Process, number: FileNumber, blocks: u32) -> Result<()> {
        let mut header = metadata::current_mut(s, space_header_address(number), BlockClass::FileBitmapIndex)?;
        let space = *file::space_header(&header);
        let least = space.first_block.get() + space.unit_blocks.get();
        if blocks < least {
            return Err(Error::user(3214, format!("file size {blocks} blocks is below the least of {least}")));
        }
        let units = (blocks - space.first_block.get()) / space.unit_blocks.get();
        let per_block = extent_bitmap::units_per_block(self.block_size.bytes());
        for unit in units..space.units.get() {
            let address = BlockAddress::new(number, file::FIRST_BITMAP_BLOCK + unit / per_block);
            let bitmap = metadata::current(s, address, BlockClass::FileBitmap)?;
            if extent_bitmap::is_used(&bitmap, unit % per_block) {
                return Err(Error::user(
                    3297,
                    format!("file contains used data beyond the requested size of {blocks} blocks"),
                ));
            }
        }
        if blocks < space.blocks.get() {
            let start = BlockAddress::new(number, blocks);
            s.store().cache().discard(s.meter(), BlockRange { start, blocks: space.blocks.get() - blocks })?;
        }
        // The space header must never name more blocks than the control file, not even after a crash.
        if blocks < space.blocks.get() {
            s.change(&mut header, |block| resize_header(block, blocks));
            let redo = s.store().redo();
            redo.flush(redo.end())?;
            let cut = set_file_blocks(s, number, blocks);
            if cut.is_err() && s.store().health().check().is_ok() {
                s.change(&mut header, |block| *file::space_header_mut(block) = space);
            }
            return cut;
        }
        set_file_blocks(s, number, blocks)?;
        s.change(&mut header, |block| resize_header(block, blocks));
        Ok(())
    }
}

fn space_header_address(number: FileNumber) -> BlockAddress {
    BlockAddress::new(number, file::SPACE_HEADER_BLOCK)
}

fn resize_header(block: &mut [u8], blocks: u32) {
    let space = file::space_header_mut(block);
    let units = (blocks - space.first_block.get()) / space.unit_blocks.get();
    debug_assert!(space.free_units <= space.units, "more is free than there is: {space:?}");
    let used = space.units.get() - space.free_units.get();
    debug_assert!(used <= units, "a file is cut to {blocks} blocks with extents behind them: {space:?}");
    space.blocks = blocks.into();
    space.units = units.into();
    space.free_units = (units - used).into();
    space.first_free = space.first_free.get().min(units).into();
}
