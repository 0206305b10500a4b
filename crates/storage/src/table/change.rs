//! The change of one row of one block by a transaction: waits, checks against later commits, the ITL slot, undo, and
//! the change.
//!
//! A session never waits with a block latched. After a wait it looks at the row afresh.

use common::limits::LEAST_ROW_BYTES;
use common::{BlockClass, Error, ErrorKind, Result, Rowid, Xid};
use format::heap::row::WHOLE;
use format::heap::{self, RowAddress, RowPiece};
use waits::Event;

use super::HeapTable;
use super::is_block_of;
use crate::cache::BlockMut;
use crate::snapshot::Snapshot;
use crate::txn::Worker;
use crate::txn::{Interest, Isolation, LockWait, RowLock, Slots, is_changed_since, operation};

/// P1 mode of a wait for a row, and of one for an ITL slot.
const ROW_MODE: u64 = 6;
const SLOT_MODE: u64 = 4;
/// Payload bytes for which room is made before the row has been seen.
const USUAL_PAYLOAD: usize = 256;

/// Number (HW) of the error that makes a statement start again: a row that it is to change was changed since it began.
pub const RESTART: u32 = 43;

/// The check of a row against commits by other transactions since the statement began.
#[derive(Clone, Copy)]
pub(super) enum Check<'a> {
    /// The row must be as this snapshot sees it.
    Against(&'a Snapshot),
    /// A piece of a row whose first piece this transaction holds.
    Held,
}

/// The work on a piece.
pub(super) enum PieceWork<'a> {
    Delete,
    /// Replace the piece by this one, if it fits there.
    Replace(&'a [u8]),
    /// The same for a row in one piece. A row in several pieces, or one whose new piece does not fit, is locked
    /// instead.
    ReplaceWhole(&'a [u8]),
    Lock,
}

/// A piece, and the work on it.
pub(super) struct Change<'a> {
    pub(super) at: RowAddress,
    pub(super) work: PieceWork<'a>,
}

/// Result of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Done {
    Yes,
    /// The row does not exist, or no longer.
    Gone,
    /// The new piece does not fit.
    NoRoom,
    /// Another transaction holds the row, and the caller does not wait.
    Skipped,
}

/// Changes of rows one by one. The block stays latched from one row to the next of the same block.
pub(super) struct RowChanges<'a> {
    worker: &'a Worker,
    table: &'a HeapTable,
    check: Check<'a>,
    wait: LockWait,
    block: Option<BlockMut>,
    payload: usize,
    xid: Xid,
    serializable: bool,
}

/// State of a row before its change: ready, or the reason why not.
enum Ready {
    Slot((u8, bool)),
    Wait(Xid, Event, u64),
    Gone,
}

impl<'a> RowChanges<'a> {
    pub(super) fn new(worker: &'a Worker, table: &'a HeapTable, check: Check<'a>) -> Self {
        let (block, wait) = (None, LockWait::Forever);
        let serializable = worker.serializable_scn().is_some();
        Self { worker, table, check, wait, block, payload: USUAL_PAYLOAD, xid: Xid::NONE, serializable }
    }

    pub(super) fn waiting(mut self, wait: LockWait) -> Self {
        self.wait = wait;
        self
    }

    /// Does `work` to the piece at `at`. `belongs` returns true for the piece that is meant; `seen` gets the piece in
    /// its form before the change.
    ///
    /// # Errors
    /// HW-0043 (restart) or ORA-08177 when the row was changed since the snapshot; ORA-00054, ORA-30006, ORA-00060 of
    /// waits; errors of the cache and of undo.
    pub(super) fn change(
        &mut self,
        at: RowAddress,
        work: &PieceWork<'_>,
        belongs: impl Fn(RowPiece<'_>) -> bool,
        mut seen: impl FnMut(RowPiece<'_>),
    ) -> Result<Done> {
        loop {
            if self.block.as_ref().is_some_and(|block| block.address() != at.block) {
                self.release()?;
            }
            let mut block = match self.block.take() {
                Some(block) => block,
                None => {
                    self.worker.check_cancelled()?;
                    self.xid = self.worker.prepare(self.payload)?;
                    let mut block = self.worker.current_mut(at.block, BlockClass::Data)?;
                    if !is_block_of(self.table, &block) {
                        return Ok(Done::Gone);
                    }
                    self.table.segment.watch(&mut block);
                    block
                }
            };
            let ready = self.ready(&mut block, at, &belongs);
            let piece = heap::live_row(&block, at.slot);
            let need = piece.and_then(RowPiece::encoded).map_or(0, <[u8]>::len) + operation::ROW_BYTES;
            let has_room = self.worker.has_undo_room(need);
            self.block = Some(block);
            match ready? {
                Ready::Gone => return Ok(Done::Gone),
                Ready::Wait(xid, event, mode) => {
                    self.release()?;
                    if self.wait == LockWait::SkipLocked {
                        return Ok(Done::Skipped);
                    }
                    let locks = self.worker.locks();
                    let row = (self.table.object, at.rowid(self.table.segment.data_object()));
                    locks.wait_for_row(self.worker, xid, self.wait, (event, mode), row)?;
                }
                Ready::Slot(_) if !has_room => {
                    // Undo blocks are taken with no block latched.
                    self.release()?;
                    self.payload = need.max(USUAL_PAYLOAD);
                }
                Ready::Slot(slot) => return self.make(at, slot, work, &mut seen),
            }
        }
    }

    /// [`RowChanges::change`] of several pieces in turn; `done` takes the result of each. Changes of one block, by
    /// ascending slots, are made together as far as no wait is needed: one change of the block and one of the undo
    /// block, with an undo record for each.
    ///
    /// # Errors
    /// As [`RowChanges::change`].
    pub(super) fn change_many(
        &mut self,
        changes: &[Change<'_>],
        belongs: impl Fn(RowPiece<'_>) -> bool,
        mut seen: impl FnMut(usize, RowPiece<'_>),
        done: &mut Vec<Done>,
    ) -> Result<()> {
        let mut next = 0;
        while let Some(change) = changes.get(next) {
            let run = self.run(&changes[next..], &belongs, |number, piece| seen(next + number, piece), done)?;
            if run == 0 {
                done.push(self.change(change.at, &change.work, &belongs, |piece| seen(next, piece))?);
            }
            next += run.max(1);
        }
        Ok(())
    }

    /// Makes the first of `changes` together, as many as go together in the latched block. Returns their number.
    fn run(
        &mut self,
        changes: &[Change<'_>],
        belongs: &impl Fn(RowPiece<'_>) -> bool,
        mut seen: impl FnMut(usize, RowPiece<'_>),
        done: &mut Vec<Done>,
    ) -> Result<usize> {
        // A serializable transaction needs its view of the block for each change.
        if changes.len() < 2 || self.serializable {
            return Ok(0);
        }
        let Some(mut block) = self.block.take() else { return Ok(0) };
        let mut slot = None;
        let (mut payloads, mut before) = (Vec::new(), None);
        for change in changes {
            let at = change.at;
            if at.block != block.address() || before.is_some_and(|before| before >= at.slot) {
                break;
            }
            match self.ready(&mut block, at, belongs) {
                Ok(Ready::Slot(found)) if slot.is_none_or(|slot| slot == found) => slot = Some(found),
                // The single change of this row finds the same obstacle, and waits for it or reports it.
                _ => break,
            }
            before = Some(at.slot);
            let piece = heap::live_row(&block, at.slot).and_then(RowPiece::encoded).map_or(0, <[u8]>::len);
            payloads.push(piece + operation::ROW_BYTES);
        }
        let count = self.worker.undo_records_with_room(false, payloads.iter().copied());
        let made = match slot {
            // A single change goes the usual way.
            Some(slot) if count > 1 => self.make_many(&mut block, slot, &changes[..count], &mut seen, done),
            _ => Ok(0),
        };
        self.block = Some(block);
        made
    }

    fn make_many(
        &self,
        block: &mut BlockMut,
        slot: (u8, bool),
        changes: &[Change<'_>],
        seen: &mut dyn FnMut(usize, RowPiece<'_>),
        done: &mut Vec<Done>,
    ) -> Result<usize> {
        let object = self.table.segment.data_object();
        self.worker.transact_many(block, Slots::One(slot), object, changes.len(), |bytes, itl, number, payload| {
            let Change { at, work } = changes.get(number)?;
            let piece = heap::live_row(bytes, at.slot)?;
            let (lock, whole, start) = (piece.lock(), piece.flags() & WHOLE == WHOLE, payload.len());
            seen(number, piece);
            operation::add_row(payload, at.slot, lock, piece.encoded()?);
            let (operation, became) = match work {
                PieceWork::Delete if heap::mark_deleted(bytes, at.slot, itl) => (operation::DELETE_ROW, Done::Yes),
                PieceWork::Replace(new) if heap::change::replace(bytes, at.slot, new, itl) => {
                    (operation::REPLACE_ROW, Done::Yes)
                }
                PieceWork::ReplaceWhole(new) if whole && heap::change::replace(bytes, at.slot, new, itl) => {
                    (operation::REPLACE_ROW, Done::Yes)
                }
                PieceWork::Lock | PieceWork::ReplaceWhole(_) if heap::lock_row(bytes, at.slot, itl) => {
                    payload.truncate(start + operation::ROW_BYTES);
                    (operation::LOCK_ROW, if matches!(work, PieceWork::Lock) { Done::Yes } else { Done::NoRoom })
                }
                // Refused: the single change reports it.
                _ => {
                    payload.truncate(start);
                    return None;
                }
            };
            done.push(became);
            Some(operation)
        })
    }

    fn make(
        &mut self,
        at: RowAddress,
        slot: (u8, bool),
        work: &PieceWork<'_>,
        seen: &mut dyn FnMut(RowPiece<'_>),
    ) -> Result<Done> {
        let Some(block) = &mut self.block else { return Ok(Done::Gone) };
        let Some(piece) = heap::live_row(block, at.slot) else { return Ok(Done::Gone) };
        seen(piece);
        let old = piece.encoded().unwrap_or_default().to_vec();
        let lock = piece.lock();
        if let PieceWork::ReplaceWhole(new) = work {
            if piece.flags() & WHOLE == WHOLE && self.one(at, slot, &PieceWork::Replace(new), lock, &old)? {
                return Ok(Done::Yes);
            }
            // A refused change leaves the ITL slot unchanged.
            let locked = self.one(at, slot, &PieceWork::Lock, lock, &old)?;
            return if locked { Ok(Done::NoRoom) } else { Err(self.refused(at)) };
        }
        match (self.one(at, slot, work, lock, &old)?, work) {
            (true, _) => Ok(Done::Yes),
            (false, PieceWork::Replace(_)) => Ok(Done::NoRoom),
            (false, _) => Err(self.refused(at)),
        }
    }

    fn refused(&self, at: RowAddress) -> Error {
        Error::bug(format!("block {} refused a change of slot {}", at.block, at.slot))
    }

    /// Makes one change, with its undo. False when the block has no room for it.
    fn one(&mut self, at: RowAddress, slot: (u8, bool), work: &PieceWork<'_>, lock: u8, old: &[u8]) -> Result<bool> {
        let Some(block) = &mut self.block else { return Ok(false) };
        if let PieceWork::Replace(piece) = work
            && let Some(growth) = piece.len().max(LEAST_ROW_BYTES).checked_sub(old.len().max(LEAST_ROW_BYTES))
            && growth > 0
            && let Some(past) = self.worker.past(block)?
        {
            let credit = format::itl::find(&past.bytes, self.xid).and_then(|own| format::itl::slot(&past.bytes, own));
            let credit = credit.map_or(0, format::itl::Itl::credit);
            if heap::free_bytes(&past.bytes) + usize::from(credit) < growth {
                return Ok(false);
            }
        }
        let object = self.table.segment.data_object();
        let (operation, payload) = match work {
            PieceWork::Delete => (operation::DELETE_ROW, operation::row(at.slot, lock, old)),
            PieceWork::Replace(_) | PieceWork::ReplaceWhole(_) => {
                (operation::REPLACE_ROW, operation::row(at.slot, lock, old))
            }
            PieceWork::Lock => (operation::LOCK_ROW, operation::row(at.slot, lock, &[])),
        };
        let reach = match work {
            PieceWork::Delete | PieceWork::Lock => heap::change::touch_reach(block, at.slot),
            PieceWork::Replace(piece) | PieceWork::ReplaceWhole(piece) => {
                heap::change::replace_reach(block, at.slot, piece.len())
            }
        };
        let done = self.worker.transact(block, slot, object, operation, reach, |bytes, itl| {
            let done = match work {
                PieceWork::Delete => heap::mark_deleted(bytes, at.slot, itl),
                PieceWork::Replace(piece) | PieceWork::ReplaceWhole(piece) => {
                    heap::change::replace(bytes, at.slot, piece, itl)
                }
                PieceWork::Lock => heap::lock_row(bytes, at.slot, itl),
            };
            done.then_some(((), payload))
        })?;
        Ok(done.is_some())
    }

    /// Looks at a row of a latched block.
    fn ready(&self, block: &mut BlockMut, at: RowAddress, belongs: &impl Fn(RowPiece<'_>) -> bool) -> Result<Ready> {
        let Some(lock) = heap::row(block, at.slot).map(RowPiece::lock) else { return self.gone(block, at, belongs) };
        let holder = self.worker.row_lock(block, lock, Some(self.xid))?;
        if let RowLock::Other(xid) = holder {
            return Ok(Ready::Wait(xid, Event::EnqTxRowLockContention, ROW_MODE));
        }
        // The look at the lock has cleaned out rows that an ended transaction had deleted.
        match heap::live_row(block, at.slot) {
            Some(piece) if belongs(piece) => {}
            // The transaction has deleted the row itself.
            _ if holder == RowLock::Mine => return Ok(Ready::Gone),
            _ => return self.gone(block, at, belongs),
        }
        if let (Check::Against(snapshot), RowLock::Free) = (self.check, holder) {
            let last = format::itl::slot(block, lock).and_then(|slot| slot.committed());
            let known = last.is_some_and(|commit| commit <= snapshot.scn());
            self.check_unchanged(block, at, snapshot, known)?;
        }
        let most = self.table.segment.itl_slots_max();
        if self.serializable && self.worker.past(block)?.is_some_and(|past| !past.has_slot(false, most)) {
            return Err(changed(self.worker));
        }
        Ok(match self.worker.interest(block, self.xid, most)? {
            Interest::Slot { number, fresh } => Ready::Slot((number, fresh)),
            Interest::Full(xid) | Interest::NoRoom(xid) => Ready::Wait(xid, Event::EnqTxAllocateItlEntry, SLOT_MODE),
        })
    }

    /// The result for a row that does not exist now, when no running transaction is the reason.
    ///
    /// # Errors
    /// ORA-08177 when a serializable transaction's snapshot has the row: another transaction has deleted it since.
    /// Errors of reading undo.
    fn gone(&self, block: &BlockMut, at: RowAddress, belongs: &impl Fn(RowPiece<'_>) -> bool) -> Result<Ready> {
        if let Check::Against(snapshot) = self.check
            && self.worker.isolation() == Isolation::Serializable
            && is_changed_since(block, snapshot.scn())
        {
            let mut copy = block.to_vec();
            self.worker.roll_back_copy(at.block, &mut copy, snapshot)?;
            if heap::live_row(&copy, at.slot).is_some_and(belongs) {
                return Err(changed(self.worker));
            }
        }
        Ok(Ready::Gone)
    }

    /// Checks that a row was not changed since the snapshot. `known`: the row's lock byte named the transaction that
    /// changed it last, and that had committed before the snapshot.
    ///
    /// # Errors
    /// When the snapshot sees another row. For a serializable transaction also when the block does not tell: other
    /// transactions have committed changes of the block since, and nothing in it says that this row was not among them.
    fn check_unchanged(&self, block: &BlockMut, at: RowAddress, snapshot: &Snapshot, known: bool) -> Result<()> {
        if known || !is_changed_since(block, snapshot.scn()) {
            return Ok(());
        }
        // Once the transaction has an ITL slot in the block, its own cleanout may have cleared the lock byte: then the
        // rows are compared.
        let cleaned_by_others = format::itl::find(block, self.xid).is_none();
        if self.worker.isolation() == Isolation::Serializable && cleaned_by_others {
            return Err(changed(self.worker));
        }
        let mut copy = block.to_vec();
        self.worker.roll_back_copy(at.block, &mut copy, snapshot)?;
        let without_lock = |bytes: &[u8]| {
            let mut piece = heap::live_row(bytes, at.slot).and_then(RowPiece::encoded)?.to_vec();
            piece[1] = 0;
            Some(piece)
        };
        if without_lock(&copy) == without_lock(block) {
            return Ok(());
        }
        Err(changed(self.worker))
    }

    /// Releases the block, and tells the space manager of its free room.
    pub(super) fn release(&mut self) -> Result<()> {
        match self.block.take() {
            Some(block) => self.table.segment.changed(self.worker, block),
            None => Ok(()),
        }
    }
}

/// The error for a statement whose row was changed since it began.
fn changed(s: &Worker) -> Error {
    if s.isolation() == Isolation::Serializable {
        return Error::user(8177, "can't serialize access for this transaction");
    }
    Error::own(ErrorKind::Retry, RESTART, "a row was changed since the statement began: it is to start again")
}

/// Locks the row at `rowid` for the transaction. False when there is no such row, or when another transaction holds it
/// and `wait` says to skip it.
///
/// # Errors
/// HW-0043 or ORA-08177 when the row was changed since `snapshot`; ORA-00054, ORA-30006, ORA-00060 of waits; ORA-01410;
/// errors of the cache and of undo.
pub fn lock_row(s: &Worker, table: &HeapTable, rowid: Rowid, snapshot: &Snapshot, wait: LockWait) -> Result<bool> {
    s.check_not_loaded(table.object)?;
    let at = super::address_in(table, rowid)?;
    if !super::fetch::can_exist(s, table, at) {
        return Ok(false);
    }
    let mut changes = RowChanges::new(s, table, Check::Against(snapshot)).waiting(wait);
    let done = changes.change(at, &PieceWork::Lock, super::delete::is_head, |_| {});
    changes.release()?;
    Ok(done? == Done::Yes)
}

/// The other transaction that holds the row at `rowid`, if one does.
///
/// # Errors
/// ORA-01410; errors of the cache and of undo.
pub fn row_holder(s: &Worker, table: &HeapTable, rowid: Rowid) -> Result<Option<Xid>> {
    let at = super::address_in(table, rowid)?;
    if !super::fetch::can_exist(s, table, at) {
        return Ok(None);
    }
    let mut block = s.current_mut(at.block, BlockClass::Data)?;
    if !is_block_of(table, &block) || table.segment.is_given_up() {
        return Ok(None);
    }
    let Some(lock) = heap::row(&block, at.slot).map(RowPiece::lock) else { return Ok(None) };
    match s.row_lock(&mut block, lock, s.xid())? {
        RowLock::Other(xid) => Ok(Some(xid)),
        RowLock::Free | RowLock::Mine => Ok(None),
    }
}
