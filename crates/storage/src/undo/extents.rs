//! The next extent of an undo segment: from its own ring, the tablespace, or other segments.
//!
//! In the whole instance one session at a time does this ([`UndoSegments::space`]). Only that session ever latches two
//! undo segment headers at once.

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{BlockAddress, Error, ErrorKind, Number, Result};
use format::undo::{self, Extent};

use super::UndoSegments;
use super::segment::UndoSegment;
use crate::control::ExtentManagement;
use crate::invariants::hold;
use crate::process::Process;
use crate::tablespace::{Growth, Tablespace, extent_step_blocks};

/// Every segment keeps its first extent and one more.
pub(super) const EXTENTS_LEAST: u32 = 2;

/// Extents that may be put to another use: no active transaction uses them, and their transactions ended at this time
/// or before, in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    Expired(u32),
    /// Some of their undo may not have expired.
    Unexpired(u32),
}

impl Reuse {
    fn allows(self, extent: &Extent) -> bool {
        let (Self::Expired(limit) | Self::Unexpired(limit)) = self;
        extent.committed_s.get() <= limit
    }
}

/// Blocks of the next extent of an undo segment.
pub(super) fn step_blocks(tablespace: &Tablespace, segment_blocks: u32, map_half_full: bool) -> u32 {
    match tablespace.extent_management() {
        ExtentManagement::Uniform { blocks } => blocks,
        ExtentManagement::Autoallocate => {
            // The map is in the header alone: when it fills up, extents become larger.
            let step = if map_half_full { 8 } else { 1 };
            extent_step_blocks(tablespace.block_size(), false, segment_blocks) * step
        }
    }
}

/// The error ORA-30036.
pub(super) fn no_room(tablespace: &Tablespace, blocks: u32) -> Error {
    Error::new(
        ErrorKind::OutOfResource,
        Number::Ora(30036),
        format!("unable to extend segment by {blocks} in undo tablespace '{}'", tablespace.name()),
    )
}

impl UndoSegment {
    /// Makes sure that the current extent has a block left.
    ///
    /// # Errors
    /// ORA-30036 when there is no room; errors of the cache.
    pub(super) fn extend(self: &Arc<Self>, s: &Process, all: &UndoSegments) -> Result<()> {
        let _space = all.space(s, self.number);
        // An extent leaves its old place and enters the segment in one record. The latches are released before the next
        // session may take extents.
        s.mini(|| {
            // Another transaction of the segment may have extended it meanwhile.
            if self.has_block(s)? {
                return Ok(());
            }
            let retention = all.retention(s, &self.tablespace);
            let (expired, unexpired) = (Reuse::Expired(retention.expired), Reuse::Unexpired(retention.unguaranteed));
            let done = self.reuse_own(s, all, expired)?
                || self.add(s, Growth::Not)?
                || self.steal(s, all, expired)?
                || self.add(s, Growth::Allowed)?
                || self.reuse_own(s, all, unexpired)?
                || self.steal(s, all, unexpired)?;
            if done {
                return Ok(());
            }
            all.count(s, |interval| interval.no_space_errors += 1);
            Err(no_room(&self.tablespace, step_blocks(&self.tablespace, 0, false)))
        })
    }

    /// Moves into an extent of the segment's own: the first one behind the current one that may be used again.
    fn reuse_own(&self, s: &Process, all: &UndoSegments, reuse: Reuse) -> Result<bool> {
        let mut header = self.header_mut(s)?;
        let fields = *undo::header(&header);
        let (count, current) = (fields.extents.get(), fields.current_extent.get());
        let found = (1..=count).map(|n| (current + n) % count).find(|ordinal| {
            let extent = undo::extent(&header, *ordinal as usize);
            reuse.allows(extent) && extent.blocks.get() > self.first_block(extent) && !self.is_used(extent.address())
        });
        let Some(ordinal) = found else { return Ok(false) };
        let extent = *undo::extent(&header, ordinal as usize);
        let life = fields.life.get().wrapping_add(1);
        debug_assert!(ordinal < count, "{self:?}: extent {ordinal} of {count}");
        self.enter(s, &mut header, ordinal, life);
        drop(header);
        self.counts.wraps.fetch_add(1, Ordering::Relaxed);
        if extent.committed_s.get() > 0 {
            all.count(s, |interval| {
                let counter = match reuse {
                    Reuse::Expired(_) => &mut interval.expired_blocks_reused,
                    Reuse::Unexpired(_) => &mut interval.unexpired_blocks_reused,
                };
                *counter += u64::from(extent.blocks.get());
            });
            if let Reuse::Unexpired(_) = reuse {
                all.gave_up(s, extent.committed_s.get());
            }
        }
        Ok(true)
    }

    /// Of the extents that can be taken from the segment, the one whose transactions ended longest ago, by its place in
    /// the latched header.
    pub(super) fn oldest(&self, header: &[u8], reuse: Reuse) -> Option<u32> {
        let fields = undo::header(header);
        (0..fields.extents.get())
            .filter(|ordinal| *ordinal != fields.current_extent.get())
            .map(|ordinal| (ordinal, undo::extent(header, ordinal as usize)))
            .filter(|(_, extent)| {
                reuse.allows(extent) && extent.address() != self.header && !self.is_used(extent.address())
            })
            .min_by_key(|(_, extent)| extent.committed_s.get())
            .map(|(ordinal, _)| ordinal)
    }

    /// Number of blocks at the start of an extent that are not for undo.
    fn first_block(&self, extent: &Extent) -> u32 {
        u32::from(extent.address() == self.header)
    }

    /// Makes extent `ordinal` the current one. Its old undo is lost.
    fn enter(&self, s: &Process, header: &mut crate::cache::BlockMut, ordinal: u32, life: u16) {
        let start = undo::extent(header, ordinal as usize).address();
        debug_assert!(!self.is_used(start), "{self:?}: {start} has undo of a transaction under way");
        debug_assert!(life != undo::header(header).life.get(), "{self:?}: life {life} has been");
        s.change(header, |bytes| {
            let extent = undo::extent_mut(bytes, ordinal as usize);
            extent.committed_s = 0.into();
            extent.scn = 0.into();
            let extent = *extent;
            let header = undo::header_mut(bytes);
            header.forget_pooled(&extent);
            header.current_extent = ordinal.into();
            header.current_block = self.first_block(&extent).into();
            header.life = life.into();
        });
        hold(|| self.check_header(header));
    }

    /// Adds an extent from the tablespace.
    fn add(&self, s: &Process, growth: Growth) -> Result<bool> {
        let (extents, blocks) = {
            let header = self.header_mut(s)?;
            let fields = undo::header(&header);
            (fields.extents.get() as usize, fields.blocks.get())
        };
        let most = undo::extents_max(self.block_bytes());
        if extents >= most {
            return Ok(false);
        }
        let want = step_blocks(&self.tablespace, blocks, 2 * extents > most);
        let range = match self.tablespace.allocate_within(s, want, growth) {
            Ok(range) => range,
            Err(error) if error.kind == ErrorKind::OutOfResource => return Ok(false),
            Err(error) => return Err(error),
        };
        let mut header = self.header_mut(s)?;
        debug_assert!(range.blocks > 0 && range.blocks <= want, "{range:?} for {want} blocks");
        self.append_and_enter(s, &mut header, Extent::new(range.start, range.blocks), None);
        Ok(true)
    }

    /// Appends an extent to the map and makes it the current one. `other`: the life that blocks of the extent may have
    /// from the segment that had it before.
    fn append_and_enter(&self, s: &Process, header: &mut crate::cache::BlockMut, extent: Extent, other: Option<u16>) {
        let own = undo::header(header).life.get();
        // Lives wrap around; the later of two is less than half of the range ahead.
        let later = match other {
            Some(other) if other.wrapping_sub(own) < 1 << 15 => other,
            _ => own,
        };
        let extent = Extent::new(extent.address(), extent.blocks.get());
        let ordinal = undo::header(header).extents.get();
        debug_assert!((ordinal as usize) < undo::extents_max(self.block_bytes()), "{self:?}: its map is full");
        s.change(header, |bytes| undo::add_extent(bytes, extent));
        self.enter(s, header, ordinal, later.wrapping_add(1));
        self.counts.extends.fetch_add(1, Ordering::Relaxed);
        self.counts.most_blocks.fetch_max(undo::header(header).blocks.get(), Ordering::Relaxed);
    }

    /// Takes an extent from another segment of the tablespace: from the first segment that has one, the extent whose
    /// transactions ended longest ago.
    fn steal(&self, s: &Process, all: &UndoSegments, reuse: Reuse) -> Result<bool> {
        let expired = matches!(reuse, Reuse::Expired(_));
        all.count(s, |interval| {
            if expired {
                interval.expired_steals += 1;
            } else {
                interval.unexpired_steals += 1;
            }
        });
        for victim in all.by_use(self.tablespace.number()) {
            if victim.number == self.number {
                continue;
            }
            let mut theirs = victim.header_mut(s)?;
            let fields = *undo::header(&theirs);
            if fields.extents.get() <= EXTENTS_LEAST {
                continue;
            }
            let Some(ordinal) = victim.oldest(&theirs, reuse) else { continue };
            let mut own = self.header_mut(s)?;
            if undo::header(&own).extents.get() as usize >= undo::extents_max(self.block_bytes()) {
                return Ok(false);
            }
            let extent = s.change(&mut theirs, |bytes| undo::remove_extent(bytes, ordinal as usize));
            debug_assert!(
                !victim.is_used(extent.address()) && extent.address() != victim.header,
                "{victim:?}: {extent:?}"
            );
            hold(|| victim.check_header(&theirs));
            self.append_and_enter(s, &mut own, extent, Some(fields.life.get()));
            drop((theirs, own));
            victim.shrunk(u64::from(extent.blocks.get()));
            if !expired {
                all.gave_up(s, extent.committed_s.get());
            }
            all.count(s, |interval| {
                let counter = if expired {
                    &mut interval.expired_blocks_released
                } else {
                    &mut interval.unexpired_blocks_released
                };
                *counter += u64::from(extent.blocks.get());
            });
            return Ok(true);
        }
        Ok(false)
    }
}

/// Makes an undo segment with its first two extents, and links it behind `last`. The caller holds
/// [`UndoSegments::space`].
pub(super) fn make_segment(
    s: &Process,
    tablespace: &Arc<Tablespace>,
    number: u16,
    last: Option<BlockAddress>,
) -> Result<UndoSegment> {
    let want = step_blocks(tablespace, 0, false);
    let allocate = || {
        tablespace.allocate(s, want).map_err(|error| if error.is_ora(1653) { no_room(tablespace, want) } else { error })
    };
    let first = allocate()?;
    let second = allocate()?;
    debug_assert!(first.start != second.start && first.blocks > 0 && second.blocks > 0, "{first:?}, {second:?}");
    let address = first.start;
    {
        let mut header = s.new_block(address, common::BlockClass::UndoHeader)?;
        s.change(&mut header, |bytes| {
            undo::init_header(bytes, address, number, tablespace.number().0);
            for range in [first, second] {
                undo::add_extent(bytes, Extent::new(range.start, range.blocks));
            }
            // An extent of one block has room for the header alone.
            undo::header_mut(bytes).current_block = 1.into();
        });
        hold(|| UndoSegment::new(number, address, tablespace.clone()).check_header(&header));
    }
    if let Some(last) = last {
        let mut before = crate::process::metadata::current_mut(s, last, common::BlockClass::UndoHeader)?;
        s.change(&mut before, |bytes| undo::header_mut(bytes).next_segment = address.pack().into());
    }
    Ok(UndoSegment::new(number, address, tablespace.clone()))
}
