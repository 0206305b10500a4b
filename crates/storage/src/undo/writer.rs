//! Writing the undo of a transaction.
//!
//! The header of the current undo block names the newest record that is not undone, so a record costs one change of one
//! block. The transaction table names the current block, and changes only when another block is taken.

use std::collections::VecDeque;

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{BlockAddress, BlockClass, Error, Result, Scn, Uba, Xid};
use format::redo::Reach;
use format::undo::{self, Chain, NEXT_RECORD_OVERHEAD, Previous, RECORD_OVERHEAD_MAX, RECORDS_MAX, UndoRecord};
use waits::Statistic;

use super::UndoSegments;
use super::figures::Live;
use super::segment::{Ending, Taken, Taker, UndoSegment, extent_of};
use crate::cache::BlockMut;
use crate::process::Process;
use crate::process::metadata;

/// The undo of one transaction under way. Dropped without an end, the transaction stays active.
pub struct UndoWriter {
    all: Arc<UndoSegments>,
    segment: Arc<UndoSegment>,
    xid: Xid,
    /// The block for records.
    current: Option<Taken>,
    /// The block taken last.
    newest: BlockAddress,
    /// Blocks for pieces of payloads.
    spare: VecDeque<Taken>,
    first: Uba,
    last: Uba,
    used_blocks: u32,
    used_records: u32,
    extents: Vec<BlockAddress>,
    live: Arc<Live>,
}

impl std::fmt::Debug for UndoWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UndoWriter({} last {})", self.xid, self.last)
    }
}

/// A point in the undo of a transaction, to which the writer can go back.
#[derive(Debug)]
pub struct UndoProgress {
    xid: Xid,
    current: Option<Taken>,
    newest: BlockAddress,
    spare: VecDeque<Taken>,
    first: Uba,
    last: Uba,
    used_blocks: u32,
    used_records: u32,
    extents: usize,
}

/// Payload length up to which a record needs no more room than a record whose payload lies elsewhere.
const SHORT_PAYLOAD: usize = 16;

/// Overhead in bytes of a piece of a payload in a block.
fn piece_overhead() -> usize {
    // A piece has the fields of a record except an ITL slot and a chain.
    RECORD_OVERHEAD_MAX - Uba::BYTES - format::transaction::ITL_BYTES
}

impl UndoWriter {
    pub(super) fn begun(
        all: Arc<UndoSegments>,
        segment: Arc<UndoSegment>,
        xid: Xid,
        taken: Option<Taken>,
        live: Arc<Live>,
    ) -> Self {
        let writer = Self {
            all,
            segment,
            xid,
            current: taken,
            newest: taken.map_or(BlockAddress::NONE, |taken| taken.block),
            spare: VecDeque::new(),
            first: Uba::NONE,
            last: Uba::NONE,
            used_blocks: u32::from(taken.is_some()),
            used_records: 0,
            extents: taken.iter().map(|taken| taken.extent).collect(),
            live,
        };
        writer.note();
        writer
    }

    pub(super) fn resumed(
        all: Arc<UndoSegments>,
        s: &Process,
        segment: Arc<UndoSegment>,
        xid: Xid,
        last: Uba,
        extents: Vec<BlockAddress>,
        live: Arc<Live>,
    ) -> Result<Self> {
        let (slot, bytes) = {
            let header = metadata::current(s, segment.header, BlockClass::UndoHeader)?;
            (*undo::slot(&header, xid.slot), header.to_vec())
        };
        debug_assert!(slot.is_active() && slot.xid(segment.number, xid.slot) == xid, "{xid} is not there: {slot:?}");
        let address = slot.current_block();
        let current = if address.is_none() {
            None
        } else {
            let block = metadata::current(s, address, BlockClass::UndoBlock)?;
            let fields = undo::block_header(&block);
            Some(Taken {
                block: address,
                life: fields.life.get(),
                room: undo::room(&block),
                records: fields.records,
                owned: fields.xid() == xid,
                extent: extent_of(&bytes, address),
            })
        };
        let writer = Self {
            all,
            segment,
            xid,
            current,
            newest: slot.newest_block(),
            spare: VecDeque::new(),
            first: Uba::NONE,
            last,
            used_blocks: slot.used_blocks.get(),
            used_records: slot.used_records.get(),
            extents,
            live,
        };
        writer.note();
        Ok(writer)
    }

    /// The present point of the transaction's undo, without the state in blocks.
    pub(crate) fn progress(&self) -> UndoProgress {
        UndoProgress {
            xid: self.xid,
            current: self.current,
            newest: self.newest,
            spare: self.spare.clone(),
            first: self.first,
            last: self.last,
            used_blocks: self.used_blocks,
            used_records: self.used_records,
            extents: self.extents.len(),
        }
    }

    /// Goes back to an earlier point of the transaction's undo; false when the point is another transaction's. The
    /// caller takes back the changes of blocks since.
    pub(crate) fn go_back(&mut self, progress: UndoProgress) -> bool {
        if progress.xid != self.xid {
            return false;
        }
        debug_assert!(progress.extents <= self.extents.len(), "{self:?}: it goes on instead of back");
        debug_assert!(
            progress.used_records <= self.used_records && progress.used_blocks <= self.used_blocks,
            "{self:?}"
        );
        for extent in self.extents.drain(progress.extents..) {
            self.segment.uses(extent, false);
        }
        (self.current, self.newest, self.spare) = (progress.current, progress.newest, progress.spare);
        (self.first, self.last) = (progress.first, progress.last);
        (self.used_blocks, self.used_records) = (progress.used_blocks, progress.used_records);
        self.note();
        true
    }

    fn note(&self) {
        self.live.note(self.first, self.last, self.used_blocks, self.used_records);
    }

    #[must_use]
    pub fn xid(&self) -> Xid {
        self.xid
    }

    /// The newest record that is not undone; none at the transaction's start.
    #[must_use]
    pub fn last(&self) -> Uba {
        self.last
    }

    /// The first record that was written; unknown after a crash.
    #[must_use]
    pub fn first(&self) -> Uba {
        self.first
    }

    /// SCN at the begin of the transaction; after a crash, at the start of the instance.
    pub(crate) fn start_scn(&self) -> Scn {
        self.live.start_scn
    }

    /// Undo blocks taken so far.
    #[must_use]
    pub fn used_blocks(&self) -> u32 {
        self.used_blocks
    }

    /// Records written so far, undone ones included; after a crash, as of the last time that a block was taken.
    #[must_use]
    pub fn used_records(&self) -> u32 {
        self.used_records
    }

    /// Makes room for one record with so many bytes of payload to be [appended](UndoWriter::append_to). The caller must
    /// have no block latched.
    ///
    /// # Errors
    /// ORA-30036 when the undo tablespace has no room; errors of the cache.
    pub fn reserve(&mut self, s: &Process, payload: usize) -> Result<()> {
        let empty = undo::empty_room(self.segment.block_bytes());
        let whole = payload + RECORD_OVERHEAD_MAX <= empty;
        if !whole {
            let pieces = payload.div_ceil(empty - piece_overhead());
            while self.spare.len() < pieces {
                let taken = self.take(s, false)?;
                self.spare.push_back(taken);
            }
        }
        let need = RECORD_OVERHEAD_MAX + if whole { payload } else { SHORT_PAYLOAD };
        let fits = |taken: &Taken| usize::from(taken.records) < RECORDS_MAX && taken.room >= need;
        if self.current.as_ref().is_none_or(|taken| !fits(taken)) {
            self.current = Some(self.take(s, true)?);
        }
        debug_assert!(self.has_room(payload), "{self:?}: {payload} bytes have no room that was made for them");
        Ok(())
    }

    fn take(&mut self, s: &Process, current: bool) -> Result<Taken> {
        let taker = Taker { xid: self.xid, last: self.last, newest: self.newest, records: self.used_records, current };
        // A block from the pool without a record does not name the transaction, and no chain leads on from it.
        if self.current.is_some_and(|taken| !taken.owned) {
            self.own_current(s)?;
        }
        // Each block is a redo record of its own: nothing may be latched during a wait for an extent.
        let taken = loop {
            let extents = &self.extents;
            if let Some(taken) = self.segment.take(s, &taker, |extent| !extents.contains(&extent))? {
                break taken;
            }
            self.segment.extend(s, &self.all)?;
        };
        if !self.extents.contains(&taken.extent) {
            self.extents.push(taken.extent);
        }
        debug_assert!(
            taken.block != self.newest && taken.owned && taken.records == 0,
            "{self:?}: {taken:?} is not new"
        );
        self.newest = taken.block;
        self.used_blocks += 1;
        debug_assert!(self.extents.len() <= self.used_blocks as usize, "{self:?}: extents without a block");
        self.note();
        self.all.count(s, |interval| interval.undo_blocks += 1);
        Ok(taken)
    }

    fn own_current(&mut self, s: &Process) -> Result<()> {
        let Some(taken) = &mut self.current else { return Ok(()) };
        let mut block = metadata::current_mut(s, taken.block, BlockClass::UndoBlock)?;
        let xid = self.xid;
        s.change(&mut block, |bytes| undo::own_block(bytes, xid));
        taken.owned = true;
        Ok(())
    }

    /// True: a record with so many bytes of payload has room at present.
    #[must_use]
    pub fn has_room(&self, payload: usize) -> bool {
        let empty = undo::empty_room(self.segment.block_bytes());
        let whole = payload + RECORD_OVERHEAD_MAX <= empty;
        let pieces = if whole { 0 } else { payload.div_ceil(empty - piece_overhead()) };
        let need = RECORD_OVERHEAD_MAX + if whole { payload } else { SHORT_PAYLOAD };
        self.spare.len() >= pieces
            && self.current.is_some_and(|taken| usize::from(taken.records) < RECORDS_MAX && taken.room >= need)
    }

    /// The address at which [`UndoWriter::append_to`] will write the record for which room was reserved.
    ///
    /// # Errors
    /// ORA-00600 without a reservation.
    pub fn next(&self) -> Result<Uba> {
        let taken = self.current.ok_or_else(no_reservation)?;
        Ok(Uba { block: taken.block, sequence: taken.life, record: taken.records })
    }

    /// Latches the block to which [`UndoWriter::append_to`] will write. A caller that changes a block does this first,
    /// so that steps that can fail come before the change.
    ///
    /// # Errors
    /// Errors of the cache; ORA-00600 without a reservation.
    pub fn latch(&self, s: &Process) -> Result<BlockMut> {
        self.own_block(s, &self.current.ok_or_else(no_reservation)?)
    }

    /// As [`UndoWriter::append_to`], with a get of the block.
    ///
    /// # Errors
    /// Errors of the cache; ORA-00600 without a reservation.
    #[cfg(any(test, feature = "testing"))]
    pub fn append(&mut self, s: &Process, record: &UndoRecord<'_>) -> Result<Uba> {
        let block = self.latch(s)?;
        self.append_to(s, block, record)
    }

    /// Writes a record into the current undo block, which [`UndoWriter::latch`] has got: one change. Room must have
    /// been [reserved](UndoWriter::reserve).
    ///
    /// # Errors
    /// Errors of the cache, for pieces of a long payload; ORA-00600 without a reservation. The change that the record
    /// was to undo must then not stand.
    pub fn append_to(&mut self, s: &Process, mut block: BlockMut, record: &UndoRecord<'_>) -> Result<Uba> {
        let Some(mut taken) = self.current else { return Err(no_reservation()) };
        let chain = Chain::to(self.last, taken.block);
        let length_with = |more, payload| undo::record_bytes(&record.previous, chain, more, payload) + 2;
        // The reservation may have been for a longer payload, with blocks for pieces: the current block then has room
        // for a short record alone.
        let whole = record.payload.len() + RECORD_OVERHEAD_MAX <= undo::empty_room(self.segment.block_bytes())
            && (self.spare.is_empty() || length_with(false, record.payload.len()) <= taken.room);
        let more = if whole { None } else { self.append_pieces(s, record.payload)? };
        let length = length_with(more.is_some(), if whole { record.payload.len() } else { 0 });
        if length > taken.room || usize::from(taken.records) >= RECORDS_MAX {
            return Err(no_reservation());
        }
        let before = if taken.owned { undo::block_header(&block).last_record() } else { Uba::NONE };
        debug_assert_eq!(before, self.last, "{self:?}: the block's chain leads elsewhere");
        let xid = self.xid;
        let reach = undo::append_reach(&block, 1, length);
        let uba = change_counted(s, &mut block, reach, |bytes| {
            if !taken.owned {
                undo::own_block(bytes, xid);
            }
            undo::append(bytes, record, more)
        });
        let next = Uba { block: taken.block, sequence: taken.life, record: taken.records };
        debug_assert_eq!(uba, next, "{self:?}: the record is not where it was to be");
        taken.owned = true;
        taken.records += 1;
        let left = taken.room - length;
        taken.room = undo::room(&block);
        debug_assert!(taken.room == left || usize::from(taken.records) == RECORDS_MAX, "{self:?}: {left}: {taken:?}");
        drop(block);
        self.current = Some(taken);
        self.last = uba;
        if self.first.is_none() {
            self.first = uba;
        }
        self.used_records += 1;
        self.segment.counts.writes.fetch_add(length as u64, Ordering::Relaxed);
        self.note();
        Ok(uba)
    }

    /// Number of records with these payload lengths for which the current block has room. The records are of changes of
    /// one block that each take an ITL slot (`own`) or share one. 0 where blocks for pieces are reserved.
    #[must_use]
    pub fn records_with_room(&self, own: bool, payloads: impl Iterator<Item = usize>) -> usize {
        let Some(taken) = self.current.filter(|_| self.spare.is_empty()) else { return 0 };
        let (mut room, mut overhead) = (taken.room, RECORD_OVERHEAD_MAX);
        let next = if own { RECORD_OVERHEAD_MAX } else { NEXT_RECORD_OVERHEAD };
        let fits = |payload: &usize| {
            let need = payload + std::mem::replace(&mut overhead, next);
            let left = room.checked_sub(need);
            room = left.unwrap_or(0);
            left.is_some()
        };
        payloads.take(RECORDS_MAX.saturating_sub(usize::from(taken.records))).take_while(fits).count()
    }

    /// As [`UndoWriter::append_to`], for several records that all have [room](UndoWriter::records_with_room): one
    /// change of the undo block. Returns the address of the first; the others follow it by number.
    ///
    /// # Errors
    /// ORA-00600 without room. The changes that the records were to undo must then not stand.
    pub fn append_many_to(&mut self, s: &Process, mut block: BlockMut, records: &[UndoRecord<'_>]) -> Result<Uba> {
        let Some(mut taken) = self.current else { return Err(no_reservation()) };
        let own = records.iter().skip(1).any(|record| matches!(record.previous, Previous::Itl(_)));
        let fitting = self.records_with_room(own, records.iter().map(|record| record.payload.len()));
        if records.is_empty() || fitting < records.len() {
            return Err(no_reservation());
        }
        let before = if taken.owned { undo::block_header(&block).last_record() } else { Uba::NONE };
        debug_assert_eq!(before, self.last, "{self:?}: the block's chain leads elsewhere");
        let xid = self.xid;
        let mut ubas = (Uba::NONE, Uba::NONE);
        let most = |record: &UndoRecord<'_>| record.payload.len() + RECORD_OVERHEAD_MAX;
        let reach = undo::append_reach(&block, records.len(), records.iter().map(most).sum());
        change_counted(s, &mut block, reach, |bytes| {
            if !taken.owned {
                undo::own_block(bytes, xid);
            }
            for record in records {
                let uba = undo::append(bytes, record, None);
                ubas = (if ubas.0.is_none() { uba } else { ubas.0 }, uba);
            }
        });
        let room = undo::room(&block);
        drop(block);
        self.segment.counts.writes.fetch_add((taken.room - room) as u64, Ordering::Relaxed);
        debug_assert_eq!(ubas.0.record, taken.records, "{self:?}: the first record is not the next one");
        debug_assert_eq!(
            usize::from(ubas.1.record - ubas.0.record),
            records.len() - 1,
            "{self:?}: records are missing"
        );
        taken.owned = true;
        taken.records += records.len() as u8;
        taken.room = room;
        self.current = Some(taken);
        self.last = ubas.1;
        if self.first.is_none() {
            self.first = ubas.0;
        }
        self.used_records += records.len() as u32;
        self.note();
        Ok(ubas.0)
    }

    /// A block that the transaction has taken, to change.
    fn own_block(&self, s: &Process, taken: &Taken) -> Result<BlockMut> {
        let block = metadata::current_mut(s, taken.block, BlockClass::UndoBlock)?;
        let fields = undo::block_header(&block);
        if fields.life.get() != taken.life || fields.records != taken.records || undo::room(&block) != taken.room {
            return Err(Error::bug(format!("undo block {} of transaction {} has changed", taken.block, self.xid)));
        }
        Ok(block)
    }

    /// Writes a payload that no block has room for, the last part first. Returns the address of the first part.
    fn append_pieces(&mut self, s: &Process, payload: &[u8]) -> Result<Option<Uba>> {
        let part = undo::empty_room(self.segment.block_bytes()) - piece_overhead();
        let mut next = None;
        for part in payload.chunks(part).rev() {
            let taken = self.spare.pop_front().ok_or_else(no_reservation)?;
            debug_assert!(part.len() + piece_overhead() <= taken.room, "{self:?}: a piece is longer than its block");
            let mut block = self.own_block(s, &taken)?;
            let reach = undo::append_reach(&block, 1, part.len() + piece_overhead());
            next = Some(change_counted(s, &mut block, reach, |bytes| undo::append_piece(bytes, part, next)));
            self.segment.counts.writes.fetch_add((part.len() + piece_overhead()) as u64, Ordering::Relaxed);
        }
        Ok(next)
    }

    /// Notes that the record at `uba`, and all newer ones, are undone: [`UndoWriter::last`] moves to the one before it.
    /// One change of the current undo block.
    ///
    /// # Errors
    /// Errors of [`UndoSegments::read`]; ORA-00600 when the transaction has no undo block.
    pub fn undone_to(&mut self, s: &Process, uba: Uba) -> Result<()> {
        let before = self.all.chain(s, uba, self.xid)?;
        debug_assert!(before.block != uba.block || before.record < uba.record, "{self:?}: {uba} leads on to {before}");
        let taken = self.current.filter(|taken| taken.owned).ok_or_else(no_reservation)?;
        let mut block = self.own_block(s, &taken)?;
        s.change(&mut block, |bytes| undo::set_last(bytes, before));
        drop(block);
        self.last = before;
        self.note();
        Ok(())
    }

    /// The header of the transaction's undo segment, latched for its end.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn header_mut(&self, s: &Process) -> Result<BlockMut> {
        self.segment.header_mut(s)
    }

    /// Ends the transaction as committed at `scn`.
    pub fn commit(&self, s: &Process, header: BlockMut, scn: Scn) {
        self.end(s, header, scn, 0);
    }

    /// Ends the transaction as rolled back. Every record has been undone.
    pub fn rolled_back(&self, s: &Process, header: BlockMut, scn: Scn) {
        debug_assert!(self.last.is_none(), "transaction {} has undo that was not applied", self.xid);
        self.end(s, header, scn, undo::ROLLED_BACK);
    }

    fn end(&self, s: &Process, header: BlockMut, scn: Scn, flags: u8) {
        let ending = Ending {
            xid: self.xid,
            scn,
            flags,
            records: self.used_records,
            current: self.current,
            extents: &self.extents,
        };
        self.segment.end(s, header, &ending);
        self.all.ended(s, self.xid);
    }
}

/// Makes a change of an undo block that adds a record. Its redo vector counts as undo.
fn change_counted<R>(
    s: &Process,
    block: &mut BlockMut,
    reach: Option<Reach>,
    change: impl FnOnce(&mut [u8]) -> R,
) -> R {
    let mini = s.begin_mini();
    let before = mini.record_bytes();
    let result = s.change_within(block, reach.as_ref(), change);
    s.meter().count(Statistic::UndoChangeVectorSize, (mini.record_bytes() - before) as u64);
    mini.commit();
    result
}

fn no_reservation() -> Error {
    Error::bug("an undo record for which no room was reserved")
}
