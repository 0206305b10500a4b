//! Changes of rows and entries by a transaction: an ITL slot in the block, an undo record, and the change, in one redo
//! record.

use common::{BlockAddress, Error, ObjectNumber, Result, Scn, Uba, Xid};
use format::itl;
use format::redo::Reach;
use format::undo::{Previous, UndoRecord};
use waits::Statistic;

use super::Worker;
use crate::cache::BlockMut;
use crate::undo::TransactionState;

/// A transaction's ITL slot in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interest {
    /// Slot `number`; `fresh`: it is to be taken with the change.
    Slot { number: u8, fresh: bool },
    /// All slots are taken, and the block may have no more of them: this transaction has one.
    Full(Xid),
    /// All slots are taken, and there is no room for one more: this transaction has one.
    NoRoom(Xid),
}

/// The ITL slots of several changes of a block.
pub(crate) enum Slots<'a> {
    /// One for all; `true`: it is to be taken with the first change.
    One((u8, bool)),
    /// For each the one that this finds, to be taken with it; None for no further change.
    Own(&'a mut dyn FnMut(&mut [u8], usize) -> Option<u8>),
}

impl Slots<'_> {
    fn of(&mut self, block: &mut [u8], at: usize) -> Option<(u8, bool)> {
        match self {
            Self::One((number, fresh)) => Some((*number, *fresh && at == 0)),
            Self::Own(find) => find(block, at).map(|number| (number, true)),
        }
    }
}

/// One of several changes.
struct Made {
    operation: u8,
    number: u8,
    /// Where its payload ends.
    end: usize,
    fresh: bool,
    before: [u8; format::transaction::ITL_BYTES],
    previous: Uba,
}

/// The holder of a row, or of an index entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowLock {
    Free,
    Mine,
    Other(Xid),
}

/// A block as it was before what others have committed in it, which a serializable transaction sees.
pub(crate) struct Past {
    pub(crate) bytes: Vec<u8>,
    /// The transaction has an ITL slot in the block.
    has_slot: bool,
    /// It may take one that there is.
    reusable: bool,
}

impl Past {
    /// Whether the transaction may have an ITL slot in the block, one more if it is to be `another`, of at most `most`.
    pub(crate) fn has_slot(&self, another: bool, most: u8) -> bool {
        let grows = || itl::add(&mut self.bytes.clone(), most).is_some();
        self.has_slot && !another || self.reusable || grows()
    }
}

/// Whether changes of a block were committed after `seen`, as far as the block tells.
pub(crate) fn is_changed_since(block: &[u8], seen: Scn) -> bool {
    format::transaction::header(block).cleanout() > seen
        || itl::slots(block).any(|(_, slot)| slot.committed().is_some_and(|commit| commit > seen))
}

/// Whether a transaction may change a block under an ITL slot: its own one, or one to be taken that nobody has.
fn is_usable(block: &[u8], (number, fresh): (u8, bool), xid: Xid) -> bool {
    itl::slot(block, number)
        .is_some_and(|slot| if fresh { !slot.is_active() } else { slot.xid() == xid && slot.is_active() })
}

impl Worker {
    /// What became of the transaction of an ITL slot that does not say; None when it still runs. It runs until new
    /// snapshots see that it has ended: a change that uses what it has freed would else come before a snapshot that
    /// sees the one and not the other.
    pub(crate) fn ended(&self, xid: Xid) -> Result<Option<(Scn, bool)>> {
        let (scn, upper_bound) = match self.undo().state(self, xid)? {
            TransactionState::Active => return Ok(None),
            TransactionState::Committed(scn) => (scn, false),
            TransactionState::CommittedBefore(scn) => (scn, true),
        };
        Ok((scn <= self.store().visible_scn()).then_some((scn, upper_bound)))
    }

    /// Cleans an ITL slot whose transaction has ended; the transaction when it has not.
    fn clean_slot(&self, block: &mut BlockMut, number: u8) -> Result<Option<Xid>> {
        let Some(slot) = itl::slot(block, number).copied() else { return Ok(None) };
        let (scn, upper_bound) = match slot.committed() {
            Some(_) if slot.is_cleaned() => return Ok(None),
            Some(scn) => (scn, false),
            None if slot.is_unused() => return Ok(None),
            // Of the own transaction nobody need be asked.
            None if self.xid() == Some(slot.xid()) => return Ok(Some(slot.xid())),
            None => match self.ended(slot.xid())? {
                Some(end) => end,
                None => return Ok(Some(slot.xid())),
            },
        };
        let reach = itl::clean_reach(block, number);
        self.change_within(block, reach.as_ref(), |bytes| itl::clean(bytes, number, scn, upper_bound));
        debug_assert!(itl::slot(block, number).is_some_and(itl::Itl::is_cleaned), "slot {number} stays as it was");
        self.meter().count(Statistic::CommitTxnCountDuringCleanout, 1);
        Ok(None)
    }

    /// Cleans every ITL slot of a latched block whose transaction has ended.
    pub(crate) fn clean_current(&self, block: &mut BlockMut) -> Result<()> {
        if self.clean_ended(block)? {
            self.meter().count(Statistic::ImmediateCurrentBlockCleanoutApplications, 1);
        }
        Ok(())
    }

    /// As [`Worker::clean_current`], for a block that is to be read; whether there was anything to clean.
    pub(crate) fn clean_ended(&self, block: &mut BlockMut) -> Result<bool> {
        if !itl::needs_cleanout(block) {
            return Ok(false);
        }
        let version = format::redo::Version::of(block);
        let own = self.xid();
        for number in 1..=format::transaction::header(block).itl_count {
            // A block may have hundreds of the own transaction's.
            if itl::slot(block, number).is_some_and(|slot| slot.is_active() && Some(slot.xid()) == own) {
                continue;
            }
            if self.clean_slot(block, number)?.is_some() {
                self.meter().count(Statistic::ActiveTxnCountDuringCleanout, 1);
            }
        }
        Ok(format::redo::Version::of(block) != version)
    }

    /// The ITL slot with which the transaction under way can change a latched block; one is added while there are fewer
    /// than `most`.
    pub(crate) fn interest(&self, block: &mut BlockMut, xid: Xid, most: u8) -> Result<Interest> {
        match itl::find(block, xid) {
            Some(number) => {
                debug_assert!(is_usable(block, (number, false), xid), "slot {number} is not that of {xid}");
                Ok(Interest::Slot { number, fresh: false })
            }
            None => self.new_interest(block, xid, most),
        }
    }

    /// As [`Worker::interest`], but a slot of its own even where the transaction has one: migrated rows take one each.
    pub(crate) fn new_interest(&self, block: &mut BlockMut, xid: Xid, most: u8) -> Result<Interest> {
        let mut other = xid;
        for _ in 0..2 {
            if let Some(number) = itl::free_slot(block).filter(|number| self.may_reuse(block, *number))
                && self.clean_slot(block, number)?.is_none()
            {
                return Ok(Interest::Slot { number, fresh: true });
            }
            // Slots that nobody has told of the end of their transactions.
            let mut cleaned = false;
            for number in 1..=format::transaction::header(block).itl_count {
                let active = itl::slot(block, number).is_some_and(|slot| slot.is_active() && slot.xid() != xid);
                if active {
                    match self.clean_slot(block, number)? {
                        Some(running) => other = running,
                        None => cleaned = true,
                    }
                }
            }
            if !cleaned {
                break;
            }
        }
        let added = self.change(block, |bytes| itl::add(bytes, most));
        debug_assert!(
            added.is_none_or(|number| itl::slot(block, number).is_some_and(itl::Itl::is_unused)),
            "{added:?}"
        );
        Ok(match added {
            Some(number) => Interest::Slot { number, fresh: true },
            None if itl::may_have_more(block, most) => Interest::NoRoom(other),
            None => Interest::Full(other),
        })
    }

    /// Whether what a slot says is not needed to see the block as the transaction sees it: what it does itself hides
    /// what the slot said before.
    fn may_reuse(&self, block: &[u8], number: u8) -> bool {
        let commit = itl::slot(block, number).and_then(itl::Itl::committed);
        commit.is_none_or(|commit| self.serializable_scn().is_none_or(|seen| commit <= seen))
    }

    /// A latched block in which others have committed changes since the serializable transaction under way began, as
    /// that sees it with its own changes; None for other transactions and blocks. What the transaction does in the
    /// block must leave room for that version.
    pub(crate) fn past(&self, block: &mut BlockMut) -> Result<Option<Past>> {
        let Some(seen) = self.serializable_scn() else { return Ok(None) };
        self.clean_current(block)?;
        if !is_changed_since(block, seen) {
            return Ok(None);
        }
        let mut bytes = block.to_vec();
        self.roll_back_copy(block.address(), &mut bytes, &self.latest_snapshot())?;
        let has_slot = self.xid().is_some_and(|xid| itl::find(block, xid).is_some());
        let reusable = itl::free_slot(block).is_some_and(|number| self.may_reuse(block, number));
        Ok(Some(Past { bytes, has_slot, reusable }))
    }

    /// The holder of a row with this lock byte, in a latched block; a slot whose transaction has ended is cleaned.
    pub(crate) fn row_lock(&self, block: &mut BlockMut, lock: u8, xid: Option<Xid>) -> Result<RowLock> {
        let Some(slot) = itl::slot(block, lock) else { return Ok(RowLock::Free) };
        if slot.is_active() && Some(slot.xid()) == xid {
            return Ok(RowLock::Mine);
        }
        Ok(self.clean_slot(block, lock)?.map_or(RowLock::Free, RowLock::Other))
    }

    /// Changes a latched block under ITL slot `number`. `change` gives the undo record's payload, for which room was
    /// made by [`Worker::prepare`], or None when it has changed nothing. Undo, ITL slot and change are one
    /// mini-transaction: after an error nothing is changed. `reach`: what the change may write, the block's headers
    /// with its ITL among it.
    pub(crate) fn transact<R>(
        &self,
        block: &mut BlockMut,
        slot: (u8, bool),
        object: ObjectNumber,
        operation: u8,
        reach: Option<Reach>,
        change: impl FnOnce(&mut [u8], u8) -> Option<(R, Vec<u8>)>,
    ) -> Result<Option<R>> {
        let (number, fresh) = slot;
        let mini = self.begin_mini();
        let mut state = self.state.lock();
        let Some(transaction) = &mut state.transaction else {
            return Err(Error::bug("a change without a transaction"));
        };
        let uba = transaction.undo.next()?;
        let undo_block = transaction.undo.latch(self)?;
        let xid = transaction.undo.xid();
        debug_assert!(is_usable(block, slot, xid), "block {}: {xid} may not use slot {slot:?}", block.address());
        let before = itl::bytes(block, number);
        let previous_uba = itl::slot(block, number).map(itl::Itl::uba).unwrap_or_default();
        let done = self.change_within(block, reach.as_ref(), |bytes| {
            if fresh {
                itl::take(bytes, number, xid, uba);
            } else {
                itl::set_uba(bytes, number, uba);
            }
            let done = change(bytes, number);
            if done.is_none() {
                itl::restore(bytes, number, &before);
            }
            done
        });
        let Some((result, payload)) = done else {
            // The slot is as it was, and so is the block but for its version.
            mini.commit();
            return Ok(None);
        };
        let previous = if fresh { Previous::Itl(&before) } else { Previous::Uba(previous_uba) };
        let record = UndoRecord { object, block: block.address(), operation, itl: number, previous, payload: &payload };
        let stopped = |error: &Error| self.store().health().stop(error);
        let progress = transaction.undo.progress();
        let written = match transaction.undo.append_to(self, undo_block, &record) {
            Ok(written) => written,
            Err(error) => {
                transaction.undo.go_back(progress);
                return Err(error);
            }
        };
        if written != uba {
            return Err(stopped(&Error::bug(format!("undo went to {written}, not to {uba}"))));
        }
        transaction.identity.note(uba);
        transaction.note_block(block.address());
        mini.commit();
        Ok(Some(result))
    }

    /// As [`Worker::transact`], for `count` changes of one block: one change of the block and one of the undo block,
    /// with an undo record for each. `change` makes the change of that number, puts its payload behind what is in the
    /// buffer and gives its operation, or gives None when it has changed nothing: then it is the end. There must be
    /// [room](Worker::undo_records_with_room) for all. How many were made.
    pub(crate) fn transact_many(
        &self,
        block: &mut BlockMut,
        mut slots: Slots<'_>,
        object: ObjectNumber,
        count: usize,
        mut change: impl FnMut(&mut [u8], u8, usize, &mut Vec<u8>) -> Option<u8>,
    ) -> Result<usize> {
        let mini = self.begin_mini();
        let mut state = self.state.lock();
        let Some(transaction) = &mut state.transaction else {
            return Err(Error::bug("a change without a transaction"));
        };
        let first = transaction.undo.next()?;
        let undo_block = transaction.undo.latch(self)?;
        let xid = transaction.undo.xid();
        let uba_of = |at: usize| Uba { record: first.record + at as u8, ..first };
        let (mut payloads, mut made) = (Vec::new(), Vec::with_capacity(count));
        let mut last = None;
        self.change(block, |bytes| {
            for at in 0..count {
                let Some((number, fresh)) = slots.of(bytes, at) else { break };
                debug_assert!(is_usable(bytes, (number, fresh), xid), "{xid} may not use slot {number}, {fresh}");
                let before = itl::bytes(bytes, number);
                let previous = itl::slot(bytes, number).map(itl::Itl::uba).unwrap_or_default();
                if fresh {
                    match last {
                        Some(_) => itl::take_after(bytes, number, xid, uba_of(at), last),
                        None => itl::take(bytes, number, xid, uba_of(at)),
                    };
                    last = itl::slot(bytes, number).map(|itl| itl.order);
                }
                let Some(operation) = change(bytes, number, at, &mut payloads) else {
                    itl::restore(bytes, number, &before);
                    break;
                };
                if !fresh {
                    itl::set_uba(bytes, number, uba_of(at));
                }
                debug_assert!(made.last().is_none_or(|last: &Made| last.end <= payloads.len()), "a payload is cut");
                made.push(Made { operation, number, end: payloads.len(), fresh, before, previous });
            }
        });
        if made.is_empty() {
            mini.commit();
            return Ok(0);
        }
        debug_assert!(made.len() <= count && made.last().is_some_and(|made| made.end == payloads.len()), "payloads");
        let address = block.address();
        let mut start = 0;
        let records: Vec<UndoRecord<'_>> = made
            .iter()
            .map(|made| {
                let previous = if made.fresh { Previous::Itl(&made.before) } else { Previous::Uba(made.previous) };
                let payload = &payloads[std::mem::replace(&mut start, made.end)..made.end];
                UndoRecord { object, block: address, operation: made.operation, itl: made.number, previous, payload }
            })
            .collect();
        let stopped = |error: &Error| self.store().health().stop(error);
        let progress = transaction.undo.progress();
        let written = match transaction.undo.append_many_to(self, undo_block, &records) {
            Ok(written) => written,
            Err(error) => {
                transaction.undo.go_back(progress);
                return Err(error);
            }
        };
        if written != first {
            return Err(stopped(&Error::bug(format!("undo went to {written}, not to {first}"))));
        }
        transaction.identity.note(uba_of(made.len() - 1));
        transaction.note_block(address);
        mini.commit();
        Ok(made.len())
    }
}

impl super::worker::Transaction {
    /// For the cleanout at commit.
    fn note_block(&mut self, address: BlockAddress) {
        if self.blocks.last() != Some(&address) {
            self.blocks.push(address);
        }
    }
}
