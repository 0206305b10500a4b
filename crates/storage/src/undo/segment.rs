//! One undo segment: its transaction table, and the blocks that it hands to transactions.
//!
//! The session that has the header latched may format an undo block that it has just taken: no other session can reach
//! such a block. Otherwise an undo block is latched before the header.

use std::collections::HashMap;

use common::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockClass, Result, Scn, Uba, Xid};
use format::undo::{self, PooledBlock, Slot};

use crate::cache::{BlockMut, Mini};
use crate::invariants::hold;
use crate::process::Process;
use crate::process::metadata;
use crate::tablespace::Tablespace;

/// Debug builds check a header at the beginning and the end of one in so many transactions.
const CHECKED: u64 = 16;

/// `_SYSSMUn$`.
pub(super) fn name_of(number: u16) -> String {
    format!("_SYSSMU{number}$")
}

/// Seconds since 1970, as blocks hold them.
pub(super) fn now_s(s: &Process) -> u32 {
    u32::try_from(s.meter().clock().wall_us() / 1_000_000).unwrap_or(u32::MAX)
}

/// An online undo segment. All fields beside its place can be worked out from its blocks.
pub struct UndoSegment {
    pub(super) number: u16,
    pub(super) header: BlockAddress,
    pub(super) tablespace: Arc<Tablespace>,
    /// Transactions bound to the segment.
    pub(super) transactions: AtomicU32,
    /// Number of active transactions with blocks in an extent, by the start of the extent. Changed only while the
    /// header is latched exclusively.
    pub(super) uses: Mutex<HashMap<BlockAddress, u32>>,
    pub(super) counts: Counts,
    /// True: transactions may be bound to it. Changed only while [`UndoSegments::bind`](super::UndoSegments) is kept
    /// out.
    pub(super) online: AtomicBool,
    /// The sum of [`Counts::wraps`] and [`Counts::extends`], and [`Counts::begun`], at the last look at the segment's
    /// needs.
    pub needed: Mutex<(u64, u64)>,
}

/// Counts since the start of the instance.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) gets: AtomicU64,
    /// Gets that waited for a session with the header latched.
    pub(super) waits: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) wraps: AtomicU64,
    pub(super) extends: AtomicU64,
    pub(super) shrinks: AtomicU64,
    pub(super) shrunk_bytes: AtomicU64,
    pub(super) most_blocks: AtomicU32,
    /// Transactions that took a slot.
    pub(super) begun: AtomicU64,
}

/// A block that a transaction has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) block: BlockAddress,
    pub(super) life: u16,
    /// Bytes for a record and its directory entry.
    pub(super) room: usize,
    pub(super) records: u8,
    /// True: the block names the transaction already. A block from the pool names it from its first record on.
    pub(super) owned: bool,
    /// Start of its extent.
    pub(super) extent: BlockAddress,
}

/// The transaction that takes a block.
#[derive(Clone, Copy)]
pub(super) struct Taker {
    pub(super) xid: Xid,
    pub(super) last: Uba,
    pub(super) newest: BlockAddress,
    pub(super) records: u32,
    /// True: the new block is for records. False: it is for pieces of payloads only.
    pub(super) current: bool,
}

/// The end of a transaction, as its slot and blocks note it.
pub(super) struct Ending<'a> {
    pub(super) xid: Xid,
    pub(super) scn: Scn,
    pub(super) flags: u8,
    pub(super) records: u32,
    pub(super) current: Option<Taken>,
    pub(super) extents: &'a [BlockAddress],
}

impl std::fmt::Debug for UndoSegment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UndoSegment({} at {})", self.number, self.header)
    }
}

impl UndoSegment {
    pub(super) fn new(number: u16, header: BlockAddress, tablespace: Arc<Tablespace>) -> Self {
        Self {
            number,
            header,
            tablespace,
            transactions: AtomicU32::new(0),
            uses: Mutex::default(),
            counts: Counts::default(),
            online: AtomicBool::new(true),
            needed: Mutex::default(),
        }
    }

    /// Gets the header. Counts the get, and a wait for a session that has the header latched.
    pub(super) fn got<B>(&self, s: &Process, get: impl FnOnce() -> Result<B>) -> Result<B> {
        let waits = || s.meter().buffer_waits(BlockClass::UndoHeader);
        let before = waits();
        let got = get();
        self.counts.gets.fetch_add(1, Ordering::Relaxed);
        self.counts.waits.fetch_add(waits().saturating_sub(before), Ordering::Relaxed);
        got
    }

    pub(super) fn block_bytes(&self) -> usize {
        self.tablespace.block_size().bytes()
    }

    pub fn header_mut(&self, s: &Process) -> Result<BlockMut> {
        self.got(s, || metadata::current_mut(s, self.header, BlockClass::UndoHeader))
    }

    /// Takes the slot that has been free for longest, and a block: from the pool, else from the current extent if that
    /// has one left. None when every slot is in use.
    pub(super) fn begin(&self, s: &Process) -> Result<Option<(Xid, Option<Taken>)>> {
        // The block is taken and formatted in one record.
        let mini = s.begin_mini();
        let mut header = self.header_mut(s)?;
        let fields = *undo::header(&header);
        let number = fields.first_free.get();
        if number == undo::NO_SLOT {
            return Ok(None);
        }
        let old = *undo::slot(&header, number);
        debug_assert!(!old.is_active(), "{self:?}: slot {number} is free, and a transaction has it");
        debug_assert!(old.scn.get() >= old.previous_scn.get(), "{self:?}: ends of slot {number} go back: {old:?}");
        let xid = Xid { segment: self.number, slot: number, sequence: old.sequence.get().wrapping_add(1).max(1) };
        debug_assert!(xid.sequence > old.sequence.get() || xid.sequence == 1, "{xid} comes after {old:?}");
        let pooled = fields.pool.iter().rposition(|entry| entry.block.get() != 0);
        let taker = Taker { xid, last: Uba::NONE, newest: BlockAddress::NONE, records: 0, current: true };
        let taken = match pooled {
            Some(at) => Some(from_pool(&header, &fields.pool[at])),
            None => self.format_next(s, &header, &taker)?,
        };
        debug_assert!(taken.is_none_or(|taken| taken.block != self.header), "{xid} has the header for its undo");
        let begun = now_s(s);
        Mini::note_session(xid, s.process().0, begun, &s.client().user());
        let reach = undo::slots_reach(&header, &[number]);
        s.change_within(&mut header, reach.as_ref(), |bytes| {
            let block = taken.map_or(0, |taken| taken.block.pack());
            *undo::slot_mut(bytes, number) = Slot {
                state: undo::ACTIVE,
                flags: 0,
                next: undo::NO_SLOT.into(),
                sequence: xid.sequence.into(),
                scn: 0.into(),
                previous_scn: old.scn,
                current: block.into(),
                newest: block.into(),
                used_blocks: u32::from(taken.is_some()).into(),
                used_records: 0.into(),
                begun_s: begun.into(),
                ended_s: 0.into(),
            };
            let header = undo::header_mut(bytes);
            header.first_free = old.next;
            if old.next.get() == undo::NO_SLOT {
                header.last_free = undo::NO_SLOT.into();
            }
            header.recycled_scn = header.recycled_scn.get().max(old.scn.get()).into();
            match pooled {
                Some(at) => header.pool[at] = PooledBlock::EMPTY,
                None if taken.is_some() => header.current_block = (header.current_block.get() + 1).into(),
                None => {}
            }
        });
        mini.commit();
        if let Some(taken) = taken {
            self.uses(taken.extent, true);
        }
        if self.counts.begun.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHECKED) {
            hold(|| self.check_header(&header));
        }
        Ok(Some((xid, taken)))
    }

    /// Notes that a transaction has its first block in an extent (`begins`), or that it has ended. The caller has the
    /// header latched.
    pub(super) fn uses(&self, extent: BlockAddress, begins: bool) {
        let mut uses = self.uses.lock();
        let count = uses.entry(extent).or_default();
        if begins {
            *count += 1;
        } else {
            debug_assert!(*count > 0, "extent {extent} is given up by a transaction that does not use it");
            *count = count.saturating_sub(1);
            if *count == 0 {
                uses.remove(&extent);
            }
        }
    }

    pub(super) fn is_used(&self, extent: BlockAddress) -> bool {
        self.uses.lock().contains_key(&extent)
    }

    /// Formats the next block of the current extent, if it has one left. The block counts as taken once the header says
    /// so.
    fn format_next(&self, s: &Process, header: &BlockMut, taker: &Taker) -> Result<Option<Taken>> {
        let fields = undo::header(header);
        let extent = undo::extent(header, fields.current_extent.get() as usize);
        let at = fields.current_block.get();
        if at >= extent.blocks.get() {
            return Ok(None);
        }
        let address = extent.address().plus(at);
        let life = fields.life.get();
        debug_assert!(address != self.header && extent.contains(address), "{self:?}: {address} is not for undo");
        let mut block = s.new_block(address, BlockClass::UndoBlock)?;
        s.change(&mut block, |bytes| {
            undo::init_block(bytes, address, life, taker.xid, taker.last, taker.newest);
        });
        let room = undo::room(&block);
        Ok(Some(Taken { block: address, life, room, records: 0, owned: true, extent: extent.address() }))
    }

    /// Takes a block of the current extent for a transaction; None when none is left. `first_use` returns true when the
    /// transaction had no block in the extent before.
    pub(super) fn take(
        &self,
        s: &Process,
        taker: &Taker,
        first_use: impl FnOnce(BlockAddress) -> bool,
    ) -> Result<Option<Taken>> {
        s.mini(|| {
            let mut header = self.header_mut(s)?;
            let Some(taken) = self.format_next(s, &header, taker)? else { return Ok(None) };
            let slot = undo::slot(&header, taker.xid.slot);
            debug_assert!(
                slot.is_active() && slot.xid(self.number, taker.xid.slot) == taker.xid,
                "{slot:?}: {taken:?}"
            );
            s.change(&mut header, |bytes| {
                let slot = undo::slot_mut(bytes, taker.xid.slot);
                slot.newest = taken.block.pack().into();
                if taker.current {
                    slot.current = slot.newest;
                }
                slot.used_blocks = (slot.used_blocks.get() + 1).into();
                slot.used_records = taker.records.into();
                let header = undo::header_mut(bytes);
                header.current_block = (header.current_block.get() + 1).into();
            });
            if first_use(taken.extent) {
                self.uses(taken.extent, true);
            }
            Ok(Some(taken))
        })
    }

    /// Ends a transaction: frees its slot, puts its last block into the pool if that has room for others, and notes the
    /// time of the end in its extents.
    pub(super) fn end(&self, s: &Process, mut header: BlockMut, ending: &Ending<'_>) {
        hold(|| self.check_ending(&header, ending));
        let now = now_s(s);
        let reach = undo::slots_and_extents_reach(&header, &[ending.xid.slot, undo::header(&header).last_free.get()]);
        s.change_within(&mut header, reach.as_ref(), |bytes| {
            let last_free = undo::header(bytes).last_free.get();
            let slot = undo::slot_mut(bytes, ending.xid.slot);
            slot.state = undo::INACTIVE;
            slot.flags = ending.flags;
            slot.next = undo::NO_SLOT.into();
            slot.scn = ending.scn.0.into();
            slot.used_records = ending.records.into();
            slot.ended_s = now.into();
            if last_free != undo::NO_SLOT {
                undo::slot_mut(bytes, last_free).next = ending.xid.slot.into();
            }
            for n in 0..undo::header(bytes).extents.get() as usize {
                let extent = undo::extent_mut(bytes, n);
                if ending.extents.contains(&extent.address()) {
                    extent.committed_s = extent.committed_s.get().max(now).into();
                    extent.scn = extent.scn.get().max(ending.scn.0).into();
                }
            }
            let block_bytes = bytes.len();
            let header = undo::header_mut(bytes);
            header.last_free = ending.xid.slot.into();
            if last_free == undo::NO_SLOT {
                header.first_free = ending.xid.slot.into();
            }
            if let Some(taken) = &ending.current {
                header.put_pooled(block_bytes, PooledBlock::new(taken.block, taken.life, taken.room, taken.records));
            }
        });
        for extent in ending.extents {
            self.uses(*extent, false);
        }
        if self.counts.begun.load(Ordering::Relaxed).is_multiple_of(CHECKED) {
            hold(|| self.check_header(&header));
        }
        drop(header);
        let bound = self.transactions.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(bound > 0, "{self:?}: a transaction ends, and none is bound to it");
    }

    /// What is true of a transaction that ends, in the segment's latched header.
    fn check_ending(&self, header: &[u8], ending: &Ending<'_>) -> Result<()> {
        let Ending { xid, scn, .. } = *ending;
        let slot = undo::slot(header, xid.slot);
        let (is_there, extents) = (|extent: &BlockAddress| ordinal_of(header, *extent).is_some(), ending.extents);
        invariant!(
            slot.is_active() && slot.xid(self.number, xid.slot) == xid,
            "{self:?}: transaction {xid} ends in a slot that is not its own: {slot:?}"
        );
        invariant!(
            scn.0 > slot.previous_scn.get(),
            "{self:?}: transaction {xid} ends at {scn:?}, and the one before it later: {slot:?}"
        );
        invariant!(extents.iter().all(is_there), "{self:?}: transaction {xid} ends with foreign extents: {extents:?}");
        invariant!(
            undo::header(header).last_free.get() != xid.slot,
            "{self:?}: the slot of transaction {xid} is free already"
        );
        Ok(())
    }

    /// What is true of the segment's latched header: the format's own rules; the extents are apart; the pool and those
    /// that are in use are of them; free slots stand in the order in which their transactions ended.
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    pub(super) fn check_header(&self, header: &[u8]) -> Result<()> {
        let valid = undo::validate_header(header);
        invariant!(valid.is_ok(), "{self:?}: {}", valid.err().unwrap_or_default());
        let fields = undo::header(header);
        invariant!(
            fields.segment.get() == self.number && fields.tablespace.get() == self.tablespace.number().0,
            "{self:?}: the header is another segment's: {fields:?}"
        );
        let mut extents: Vec<_> = (0..fields.extents.get() as usize).map(|n| *undo::extent(header, n)).collect();
        let current = extents[fields.current_extent.get() as usize];
        invariant!(
            current.address() != self.header || fields.current_block.get() > 0,
            "{self:?}: the header is the next block for undo"
        );
        extents.sort_by_key(|extent| (extent.address().file, extent.address().block));
        invariant!(
            extents.windows(2).all(|pair| !pair[0].contains(pair[1].address())),
            "{self:?}: extents overlap: {extents:?}"
        );
        invariant!(extents.iter().any(|extent| extent.contains(self.header)), "{self:?}: the header is in no extent");
        for entry in fields.pool.iter().filter(|entry| entry.block.get() != 0) {
            let block = BlockAddress::unpack(entry.block.get());
            invariant!(
                block != self.header && extents.iter().any(|extent| extent.contains(block)),
                "{self:?}: block {block} of the pool is not of the segment"
            );
        }
        {
            let uses = self.uses.lock();
            let foreign = uses.keys().find(|extent| ordinal_of(header, **extent).is_none());
            invariant!(foreign.is_none(), "{self:?}: {foreign:?} is in use and not of the segment");
        }
        let (mut next, mut ended) = (fields.first_free.get(), 0);
        while next != undo::NO_SLOT {
            let slot = undo::slot(header, next);
            invariant!(slot.scn.get() >= ended, "{self:?}: free slot {next} ended before the one before it: {slot:?}");
            (next, ended) = (slot.next.get(), slot.scn.get());
        }
        Ok(())
    }

    /// True: the current extent has a block left.
    pub fn has_block(&self, s: &Process) -> Result<bool> {
        let header = self.got(s, || metadata::current(s, self.header, BlockClass::UndoHeader))?;
        let fields = undo::header(&header);
        let extent = undo::extent(&header, fields.current_extent.get() as usize);
        Ok(fields.current_block.get() < extent.blocks.get())
    }
}

/// The place in the map of the extent that starts at an address.
fn ordinal_of(header: &[u8], start: BlockAddress) -> Option<usize> {
    (0..undo::header(header).extents.get() as usize).find(|n| undo::extent(header, *n).address() == start)
}

/// Start of the extent of a block of the segment; the block itself where no extent of the map has it.
pub(super) fn extent_of(header: &[u8], block: BlockAddress) -> BlockAddress {
    (0..undo::header(header).extents.get() as usize)
        .map(|n| undo::extent(header, n))
        .find(|extent| extent.contains(block))
        .map_or(block, undo::Extent::address)
}

fn from_pool(header: &[u8], entry: &PooledBlock) -> Taken {
    let block = BlockAddress::unpack(entry.block.get());
    debug_assert!(ordinal_of(header, extent_of(header, block)).is_some(), "{block} is in the pool of another segment");
    Taken {
        block,
        life: entry.life.get(),
        room: usize::from(entry.room.get()),
        records: entry.records,
        owned: false,
        extent: extent_of(header, block),
    }
}

#[cfg(test)]
mod tests {
    use common::{FileNumber, TablespaceNumber};
    use format::undo::Extent;

    use super::*;
    use crate::control::{ExtentManagement, SpaceManagement, TablespaceKind, TablespaceRecord};

    fn address(block: u32) -> BlockAddress {
        BlockAddress::new(FileNumber(2), block)
    }

    fn segment() -> UndoSegment {
        let record = TablespaceRecord {
            number: 4,
            name: "UNDO".to_owned(),
            block_bytes: 8192,
            extent_management: ExtentManagement::Autoallocate,
            space_management: SpaceManagement::Manual,
            kind: TablespaceKind::Undo,
            retention_guarantee: false,
            unfinished: false,
            dropping: None,
            nologging: false,
        };
        let tablespace = Tablespace::new(&record, vec![FileNumber(2)]).unwrap();
        assert_eq!(tablespace.number(), TablespaceNumber(4));
        UndoSegment::new(3, address(128), Arc::new(tablespace))
    }

    /// Breaks the header of a segment with two extents: what its check says.
    fn broken(change: impl FnOnce(&UndoSegment, &mut [u8])) -> String {
        let (segment, mut bytes) = (segment(), vec![0; 8192]);
        undo::init_header(&mut bytes, segment.header, 3, 4);
        for start in [128, 136] {
            undo::add_extent(&mut bytes, Extent::new(address(start), 8));
        }
        undo::header_mut(&mut bytes).current_block = 1.into();
        segment.check_header(&bytes).unwrap();
        change(&segment, &mut bytes);
        segment.check_header(&bytes).unwrap_err().text
    }

    #[test]
    fn a_broken_header_is_seen() {
        let said = broken(|_, bytes| undo::header_mut(bytes).segment = 5.into());
        assert!(said.contains("another segment's"), "{said}");
        let said = broken(|_, bytes| undo::header_mut(bytes).current_block = 0.into());
        assert!(said.contains("the header is the next block"), "{said}");
        let said = broken(|_, bytes| undo::extent_mut(bytes, 1).start = address(130).pack().into());
        assert!(said.contains("extents overlap"), "{said}");
        let said = broken(|_, bytes| undo::extent_mut(bytes, 0).start = address(256).pack().into());
        assert!(said.contains("the header is in no extent"), "{said}");
        let said = broken(|_, bytes| {
            undo::header_mut(bytes).pool[0] = PooledBlock::new(address(200), 1, 4000, 1);
        });
        assert!(said.contains("of the pool is not of the segment"), "{said}");
        let said = broken(|segment, _| segment.uses(address(300), true));
        assert!(said.contains("in use and not of the segment"), "{said}");
        let said = broken(|_, bytes| undo::slot_mut(bytes, 0).scn = 9.into());
        assert!(said.contains("ended before the one before it"), "{said}");
        let said = broken(|_, bytes| undo::slot_mut(bytes, 7).state = undo::ACTIVE);
        assert!(said.contains("chain of free slots"), "{said}");
    }
}
