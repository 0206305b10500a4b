//! Transaction freelists: blocks in which a running transaction has freed room.
//!
//! ```text
//! delete, update that shrinks    block below PCTUSED, on no list  ->  head of the transaction's list
//! insert of the same transaction                                  <-  its own list, before all others
//! insert of another              own and master list empty        ->  the list of an ended one becomes the master list
//! ```
//!
//! A list belongs to its transaction until that has ended, by commit or rollback; the commit does nothing to it. The
//! undo segment tells which transactions have ended. Rollback never needs a list: it frees only room of its own rows,
//! which all transactions may use at once.
//!
//! A transaction that finds no slot for its list in the header takes the slot of a transaction that has ended. Where
//! all owners run it waits for one of them (enq: TX - contention), with nothing latched, and looks at its block again.

use common::{BlockAddress, BlockClass, Error, Result, Xid};
use format::freelist::{self, FreeList};
use format::{heap, itl, transaction};
use waits::Event;

use super::freelist::{FreeLists, Lists, Patrol};
use crate::cache::BlockMut;
use crate::process::metadata;
use crate::segment::{RowRoom, Segment};
use crate::txn::{LockWait, OwnFreelist, Worker};

/// Mode of the wait for the end of a transaction: share.
const WAIT_MODE: u64 = 4;

/// Result of merging a list into the master list.
enum Merged {
    /// The first block of the merged list; none when another session was faster.
    Yes(BlockAddress),
    /// Another session has the list's last block latched.
    Busy(BlockAddress),
}

/// Transaction lists in a header, without the list of `own`: slot, owner, and true for an empty list.
fn others(header: &[u8], freelists: u16, own: Option<Xid>) -> Vec<(usize, Xid, bool)> {
    freelist::transaction_slots(header.len(), freelists)
        .filter_map(|slot| {
            let list = freelist::list(header, slot);
            Some((slot, list.owner()?, list.is_empty()))
        })
        .filter(|(_, owner, _)| Some(*owner) != own)
        .collect()
}

impl FreeLists {
    /// A block of the transaction's own list that takes the row.
    pub(super) fn own_block(segment: &Segment, s: &Worker, row: RowRoom) -> Result<Option<BlockMut>> {
        let object = segment.data_object();
        let Some(mut own) = s.own_freelist(object).filter(|own| row.own.is_some() && row.bytes < own.refused) else {
            return Ok(None);
        };
        let lists = Self::lists(segment, s);
        let mut patrol = Patrol::default();
        loop {
            s.check_cancelled()?;
            let address = match own.candidate {
                Some(address) => address,
                None => freelist::list(&metadata::current(s, lists.block, lists.class)?, own.slot).first(),
            };
            if address.is_none() {
                break;
            }
            let mut block = s.current_mut(address, BlockClass::Data)?;
            if !segment.owns(&block) || !transaction::header(&block).on_freelist() {
                own.candidate = None;
                patrol.again(segment)?;
                continue;
            }
            if segment.takes(s, &mut block, row)? {
                own.candidate = Some(address);
                s.set_own_freelist(object, own);
                return Ok(Some(block));
            }
            if Self::is_used(segment, &block) && Self::unlink(segment, s, &mut block)? {
                own.candidate = None;
                continue;
            }
            let next = transaction::header(&block).next_free();
            drop(block);
            if next.is_none() {
                break;
            }
            own.candidate = Some(next);
            if !patrol.step(segment, next)? {
                own.candidate = None;
                patrol.again(segment)?;
            }
        }
        (own.candidate, own.refused) = (None, row.bytes);
        s.set_own_freelist(object, own);
        Ok(None)
    }

    /// Puts a latched block, in which the session's transaction has freed room, on that transaction's list.
    pub(super) fn link_freed(segment: &Segment, s: &Worker, mut block: BlockMut) -> Result<()> {
        let Some(xid) = s.xid() else { return Self::link(segment, s, &mut block) };
        let lists = Self::lists(segment, s);
        let address = block.address();
        loop {
            let taken = s.mini(|| {
                let mut header = lists.block_mut(segment, s)?;
                if let Some(slot) = Self::slot_for(&header, segment.spec.storage.freelists, xid) {
                    let head = freelist::list(&header, slot).first();
                    debug_assert!(
                        Self::is_to_be_linked(segment, &block),
                        "{segment:?}: {address} is on a freelist already"
                    );
                    let own = freelist::list(&header, slot).owner();
                    debug_assert!(own.is_none_or(|own| own == xid), "{segment:?}: list {slot} is that of {own:?}");
                    let number = itl::find(&block, xid).unwrap_or_default();
                    s.change(&mut block, |bytes| {
                        transaction::header_mut(bytes).set_transaction_freelist(number, head);
                    });
                    s.change(&mut header, |bytes| {
                        let list = freelist::list_mut(bytes, slot);
                        if list.owner().is_none() {
                            *list = FreeList::of(xid);
                        }
                        list.push_chain(address, address, 1);
                    });
                    s.set_own_freelist(segment.data_object(), OwnFreelist::new(slot));
                    return Ok(None);
                }
                Ok(Some(others(&header, segment.spec.storage.freelists, Some(xid))))
            })?;
            let Some(taken) = taken else { return Ok(()) };
            drop(block);
            Self::free_slot(segment, s, &lists, taken)?;
            block = s.current_mut(address, BlockClass::Data)?;
            if !segment.owns(&block) || !Self::is_to_be_linked(segment, &block) {
                return Ok(());
            }
        }
    }

    /// The slot of a transaction's list, or an unused slot.
    fn slot_for(header: &[u8], freelists: u16, xid: Xid) -> Option<usize> {
        let slots = || freelist::transaction_slots(header.len(), freelists);
        slots()
            .find(|slot| freelist::list(header, *slot).owner() == Some(xid))
            .or_else(|| slots().find(|slot| freelist::list(header, *slot).owner().is_none()))
    }

    /// True: the block is on no list and belongs on one.
    pub(super) fn is_to_be_linked(segment: &Segment, block: &[u8]) -> bool {
        !transaction::header(block).on_freelist()
            && heap::used_after_commit_percent(block) < usize::from(segment.spec.pctused)
    }

    /// Frees a slot when other transactions have all of them: takes the slot of one that has ended, an empty list
    /// first, or waits for the end of one. The caller must have nothing latched.
    fn free_slot(segment: &Segment, s: &Worker, lists: &Lists, mut taken: Vec<(usize, Xid, bool)>) -> Result<()> {
        taken.sort_by_key(|(slot, _, empty)| (!empty, *slot));
        if Self::merge_ended(segment, s, lists, &taken)?.is_some() || taken.is_empty() {
            return Ok(());
        }
        // Sessions that wait at the same time should not all wait for the same transaction.
        let (_, xid, _) = taken[(s.sid() as usize).wrapping_mul(31) % taken.len()];
        s.locks().wait_for(s, xid, LockWait::Forever, Event::EnqTxContention, WAIT_MODE)
    }

    /// True: other transactions have lists with blocks in the header.
    pub(super) fn has_lists_of_others(segment: &Segment, s: &Worker, header: &[u8]) -> bool {
        others(header, segment.spec.storage.freelists, s.xid()).iter().any(|(_, _, empty)| !empty)
    }

    /// Puts the list of a transaction that has ended in front of the master list. Returns its first block; None when
    /// there is no such list.
    pub(super) fn refill_master(
        segment: &Segment,
        s: &Worker,
        header: BlockMut,
        lists: &Lists,
    ) -> Result<Option<BlockAddress>> {
        let mut full = others(&header, segment.spec.storage.freelists, s.xid());
        drop(header);
        full.retain(|(_, _, empty)| !empty);
        Self::merge_ended(segment, s, lists, &full)
    }

    /// Takes the first of some lists whose transaction has ended: its blocks go to the master list, its slot becomes
    /// unused.
    fn merge_ended(
        segment: &Segment,
        s: &Worker,
        lists: &Lists,
        slots: &[(usize, Xid, bool)],
    ) -> Result<Option<BlockAddress>> {
        for (slot, xid, _) in slots {
            if s.ended(*xid)?.is_none() {
                continue;
            }
            loop {
                match Self::merge(segment, s, lists, *slot, *xid)? {
                    Merged::Yes(first) => return Ok(Some(first)),
                    Merged::Busy(last) => Self::await_block(s, last)?,
                }
            }
        }
        Ok(None)
    }

    /// Merges a list into the master list. The last block of the list is latched against the order of latches, so only
    /// if it is free at once.
    fn merge(segment: &Segment, s: &Worker, lists: &Lists, slot: usize, xid: Xid) -> Result<Merged> {
        s.mini(|| {
            let mut header = lists.block_mut(segment, s)?;
            let list = *freelist::list(&header, slot);
            let slots = freelist::transaction_slots(header.len(), segment.spec.storage.freelists);
            debug_assert!(slots.contains(&slot), "{segment:?}: list {slot} is of no transaction");
            // Another session may have merged it meanwhile.
            if list.owner() != Some(xid) {
                return Ok(Merged::Yes(BlockAddress::NONE));
            }
            let master = freelist::list(&header, 0).first();
            if !list.is_empty() && !master.is_none() {
                let Some(mut last) = s.try_current_mut(list.last(), BlockClass::Data)? else {
                    return Ok(Merged::Busy(list.last()));
                };
                if !segment.owns(&last) || !transaction::header(&last).on_freelist() {
                    let text = format!("freelist {slot} ends at block {}, which is on no freelist", last.address());
                    return Err(Error::corrupt(lists.block, text));
                }
                s.change(&mut last, |bytes| transaction::header_mut(bytes).set_freelist(true, master));
            }
            s.change(&mut header, |bytes| {
                *freelist::list_mut(bytes, slot) = FreeList::UNUSED;
                if !list.is_empty() {
                    freelist::list_mut(bytes, 0).push_chain(list.first(), list.last(), list.blocks.get());
                }
            });
            Ok(Merged::Yes(list.first()))
        })
    }
}
