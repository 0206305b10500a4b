//! Consistent reads: a block as a snapshot sees it.
//!
//! The block as it is, where every change in it was committed in time; else a version with the others taken back, which
//! the cache keeps for the next reader ([`crate::cache`], clones).

use common::{BlockAddress, BlockClass, Error, Result, Scn, Uba, Xid};
use format::itl;
use format::transaction::Owner;
use waits::Statistic;

use super::{Worker, entries, operation};
use crate::cache::Block;
use crate::snapshot::Snapshot;
use crate::undo::{OwnedPrevious, Record, TransactionState};

/// What a reader makes of an ITL slot.
enum SlotVisibility {
    Yes,
    /// Committed in time, which the block does not say: what it deleted is to be taken away first.
    Ended(Scn, bool),
    /// Of a transaction that runs, or committed too late: the SCN, if it has one.
    No(Option<Scn>),
}

/// What was done to a copy of a block.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RolledBack {
    /// Slots learnt of the end of their transactions.
    cleaned: bool,
    /// Undo was applied.
    undone: bool,
    /// The earliest commit whose changes were taken back.
    before: Option<Scn>,
}

/// What became of transactions, each asked for once: one that ends while a copy is made would else run under some of
/// its ITL slots and have ended under others, and its changes would be taken back in the wrong order.
#[derive(Default)]
struct Known(Vec<(Xid, TransactionState)>);

impl Known {
    fn state(&mut self, worker: &Worker, xid: Xid) -> Result<TransactionState> {
        if let Some((_, state)) = self.0.iter().find(|(other, _)| *other == xid) {
            return Ok(*state);
        }
        let state = worker.undo().state(worker, xid)?;
        self.0.push((xid, state));
        Ok(state)
    }
}

/// The last commit that a version of a block shows; None where it shows changes of a transaction that has not ended.
fn seen_from(bytes: &[u8]) -> Option<Scn> {
    itl::slots(bytes).try_fold(Scn(0), |from, (_, slot)| match slot.state() {
        itl::SlotState::Unused => Some(from),
        itl::SlotState::Active => None,
        itl::SlotState::Committed(scn) => Some(from.max(scn)),
    })
}

impl Worker {
    /// A block of rows or entries that was got for a consistent read, as a snapshot sees it. `is_given_up`: whether its
    /// segment has been given up, so that nothing of it is to be changed.
    ///
    /// # Errors
    /// ORA-01555 when undo that is needed is gone; those of [`crate::cache::Cache::get`].
    pub(crate) fn version_seen(
        &self,
        block: Block,
        snapshot: &Snapshot,
        is_given_up: impl Fn() -> bool,
    ) -> Result<Block> {
        let meter = self.meter();
        if itl::is_visible_fast(&block, snapshot.scn()) {
            meter.count(Statistic::NoWorkConsistentReadGets, 1);
            return Ok(block);
        }
        let cache = self.store().cache();
        // Versions with changes of the own transaction are nobody else's. While it runs it has a slot where it has
        // changed the block; once it has ended another transaction may have that slot.
        let is_own = snapshot
            .own()
            .is_some_and(|own| self.xid() != Some(own) || itl::slots(&block).any(|(_, slot)| slot.xid() == own));
        let is_private = block.is_private();
        if !is_own
            && !is_private
            && let Some(clone) = cache.clone_for(meter, &block, snapshot.scn())
        {
            meter.count(Statistic::NoWorkConsistentReadGets, 1);
            return Ok(clone);
        }
        // Asked for before any transaction is asked whether it has ended: one that has not, and one that changes the
        // block later, commits behind this.
        let visible = self.store().visible_scn();
        let (mut changed, mut ended, mut known) = (false, false, Known::default());
        for (_, slot) in itl::slots(&block) {
            match self.seen(slot, snapshot, &mut known)? {
                SlotVisibility::Yes => {}
                // A load has deleted and locked nothing: a block that is not kept is as it is to be seen.
                SlotVisibility::Ended(..) if is_private && slot.is_loaded() => {}
                SlotVisibility::Ended(..) => ended = true,
                SlotVisibility::No(_) => {
                    changed = true;
                    break;
                }
            }
        }
        if !changed && !ended {
            meter.count(Statistic::NoWorkConsistentReadGets, 1);
            return Ok(block);
        }
        let address = block.address();
        let mut bytes = block.to_vec();
        drop(block);
        if !changed {
            // The block is as the snapshot sees it, but lacks the SCN of a commit: delayed block cleanout, by its first
            // reader.
            if !is_private
                && let Some(mut block) = cache.try_cached_mut(meter, address, BlockClass::Data)?
                && *block == *bytes
                && !is_given_up()
            {
                self.clean_ended(&mut block)?;
                meter.count(Statistic::CleanoutsOnlyConsistentReadGets, 1);
                meter.count(Statistic::ImmediateCrBlockCleanoutApplications, 1);
                return Ok(Block::own(block));
            }
        }
        let done = self.roll_back_copy(address, &mut bytes, snapshot)?;
        match (done.cleaned, done.undone) {
            (true, true) => meter.count(Statistic::CleanoutsAndRollbacksConsistentReadGets, 1),
            (true, false) => meter.count(Statistic::CleanoutsOnlyConsistentReadGets, 1),
            (false, _) => meter.count(Statistic::RollbacksOnlyConsistentReadGets, 1),
        }
        match seen_from(&bytes) {
            Some(from) if !is_own && !is_private => {
                let until = done.before.map_or(visible, |scn| visible.min(Scn(scn.0 - 1)));
                debug_assert!(from <= snapshot.scn(), "{address}: a version of {from:?} for {snapshot:?}");
                Ok(cache.keep_clone(meter, address, bytes, [from, until]))
            }
            _ => Ok(Block::copy(address, bytes)),
        }
    }

    fn seen(&self, slot: &itl::Itl, snapshot: &Snapshot, known: &mut Known) -> Result<SlotVisibility> {
        let scn = match slot.state() {
            itl::SlotState::Unused => return Ok(SlotVisibility::Yes),
            itl::SlotState::Committed(scn) if scn <= snapshot.scn() => return Ok(SlotVisibility::Yes),
            // It may have been in time, or not: nobody knows any more.
            itl::SlotState::Committed(_) if slot.is_upper_bound() => return Err(self.too_old(slot.xid())),
            itl::SlotState::Committed(scn) => Some(scn),
            itl::SlotState::Active => match snapshot.sees_own(slot.xid(), slot.uba()) {
                // A transaction that has loaded a table does not read it before its end: a cursor that still does began
                // before the load.
                Some(true) if slot.is_loaded() => None,
                Some(true) => return Ok(SlotVisibility::Yes),
                Some(false) => None,
                None => match known.state(self, slot.xid())? {
                    TransactionState::Active => None,
                    TransactionState::Committed(scn) if scn <= snapshot.scn() => {
                        return Ok(SlotVisibility::Ended(scn, false));
                    }
                    TransactionState::Committed(scn) => Some(scn),
                    TransactionState::CommittedBefore(scn) if scn <= snapshot.scn() => {
                        return Ok(SlotVisibility::Ended(scn, true));
                    }
                    // It may have been in time, or not: the slot in the undo segment has been used again.
                    TransactionState::CommittedBefore(_) => return Err(self.too_old(slot.xid())),
                },
            },
        };
        if !slot.is_loaded() && snapshot.sees_own(slot.xid(), slot.uba()) == Some(true) {
            return Ok(SlotVisibility::Yes);
        }
        Ok(SlotVisibility::No(scn))
    }

    fn too_old(&self, xid: Xid) -> Error {
        Error::user(1555, format!("snapshot too old: when transaction {xid} committed is not known any more"))
    }

    /// Takes everything out of a copy of a block that the snapshot does not see.
    pub(crate) fn roll_back_copy(
        &self,
        address: BlockAddress,
        bytes: &mut [u8],
        snapshot: &Snapshot,
    ) -> Result<RolledBack> {
        self.meter().count(Statistic::CrBlocksCreated, 1);
        let (mut done, mut known) = (RolledBack::default(), Known::default());
        // What has ended in time goes first: deleted rows of it are not there.
        let count = format::transaction::header(bytes).itl_count;
        for number in 1..=count {
            done.cleaned |= self.clean_copy(bytes, number, snapshot, &mut known)?;
        }
        if done.cleaned {
            self.meter().count(Statistic::ImmediateCrBlockCleanoutApplications, 1);
        }
        // Newest first: those that run, then by commit; of one transaction's slots the newest.
        loop {
            let mut next: Option<(u64, u8, u8)> = None;
            for (number, slot) in itl::slots(bytes) {
                match self.seen(slot, snapshot, &mut known)? {
                    SlotVisibility::Yes | SlotVisibility::Ended(..) => {}
                    SlotVisibility::No(scn) => {
                        let rank = (scn.map_or(u64::MAX, |scn| scn.0), slot.order, number);
                        next = next.max(Some(rank));
                        done.before = done.before.into_iter().chain(scn).min();
                    }
                }
            }
            let Some((_, _, number)) = next else { return Ok(done) };
            done.undone = true;
            self.undo_slot(address, bytes, number, snapshot)?;
            self.clean_copy(bytes, number, snapshot, &mut known)?;
        }
    }

    /// Cleans a slot of a copy whose transaction ended in time; false where it is another.
    fn clean_copy(&self, bytes: &mut [u8], number: u8, snapshot: &Snapshot, known: &mut Known) -> Result<bool> {
        let Some(slot) = itl::slot(bytes, number).copied() else { return Ok(false) };
        let SlotVisibility::Ended(scn, upper_bound) = self.seen(&slot, snapshot, known)? else { return Ok(false) };
        itl::clean(bytes, number, scn, upper_bound);
        Ok(true)
    }

    /// Takes the changes back that were made under one ITL slot, down to what the snapshot sees.
    fn undo_slot(&self, address: BlockAddress, bytes: &mut [u8], number: u8, snapshot: &Snapshot) -> Result<()> {
        let Some(slot) = itl::slot(bytes, number).copied() else { return Ok(()) };
        if slot.is_loaded() {
            // Before the load nothing was there.
            let gone = itl::unload(bytes, number);
            return if gone { Ok(()) } else { Err(not_unloaded(address)) };
        }
        let (xid, mut uba) = (slot.xid(), slot.uba());
        loop {
            if snapshot.sees_own(xid, uba) == Some(true) {
                itl::set_uba(bytes, number, uba);
                return Ok(());
            }
            let record = self.undo().read(self, uba, Some(xid))?;
            debug_assert_eq!((record.uba, record.xid), (uba, xid), "{address}: another record");
            // Where an index block was split, its record names the block that the entry was in.
            undo_change(bytes, &record, address)?;
            self.meter().count(Statistic::ConsistentChanges, 1);
            self.meter().count(Statistic::DataBlocksConsistentReadsUndoRecordsApplied, 1);
            match record.previous {
                OwnedPrevious::Itl(before) => {
                    itl::restore(bytes, number, &before);
                    debug_assert!(
                        itl::slot(bytes, number).is_none_or(|slot| !slot.is_active() || slot.xid() != xid),
                        "{address}: slot {number} is that of {xid} before its first change"
                    );
                    return Ok(());
                }
                OwnedPrevious::Uba(previous) => uba = previous,
            }
        }
    }
}

pub(crate) fn not_unloaded(address: BlockAddress) -> Error {
    Error::corrupt(address, "rows that were loaded cannot be taken out")
}

/// Takes one recorded change back in a block, as it was when the record was its newest.
///
/// # Errors
/// ORA-00600 when the block is not what the record says.
pub(crate) fn undo_change(bytes: &mut [u8], record: &Record, address: BlockAddress) -> Result<()> {
    let is_index = format::transaction::header(bytes).owner == Owner::Index as u8;
    let done = if is_index { entries::undo_in_leaf(bytes, record) } else { undo_rows(bytes, record) };
    if done {
        return Ok(());
    }
    Err(Error::bug(format!(
        "undo record {} (operation {}) does not go with block {address}",
        record.uba, record.operation
    )))
}

fn undo_rows(bytes: &mut [u8], record: &Record) -> bool {
    use format::heap;
    match record.operation {
        operation::INSERT_ROWS => {
            let slots: Vec<u16> = operation::read_slots(&record.payload).collect();
            let credit = usize::from(operation::read_credit(&record.payload));
            slots.into_iter().rev().all(|slot| heap::undo_insert(bytes, slot))
                && heap::undo::return_credit(bytes, record.itl, credit)
        }
        operation::DELETE_ROW => operation::read_row(&record.payload)
            .is_some_and(|(slot, lock, piece)| heap::undo_delete(bytes, slot, lock, piece)),
        operation::REPLACE_ROW => operation::read_row(&record.payload)
            .is_some_and(|(slot, lock, piece)| heap::undo_replace(bytes, slot, lock, piece)),
        operation::LOCK_ROW => {
            operation::read_row(&record.payload).is_some_and(|(slot, lock, _)| heap::undo_lock(bytes, slot, lock))
        }
        _ => false,
    }
}

/// Whether a record is the newest change under its slot in a block that has not been undone.
pub(crate) fn is_newest(bytes: &[u8], record: &Record) -> bool {
    newest(bytes, record.itl) == Some((record.xid, record.uba))
}

fn newest(bytes: &[u8], number: u8) -> Option<(Xid, Uba)> {
    itl::slot(bytes, number).map(|slot| (slot.xid(), slot.uba()))
}
