//! Interested transactions: those with changes of rows or entries in a block, running or ended. For table and index
//! blocks alike.
//!
//! ```text
//! offset size  field            (within a slot of 24 bytes)
//!      0    8  xid              undo segment 2, slot in its transaction table 2, sequence 4
//!      8    7  uba              undo block 4, its sequence 2, record 1: the newest change under this slot
//!     15    1  order            of the slots with the same xid, from 0: the newest has the highest
//!     16    2  flags, locks     flags in the top 4 bits, lock bytes that name this slot in the low 12
//!     18    2  credit           until the commit: bytes that the transaction has freed for itself alone; from then
//!                               on: SCN wrap
//!     20    4  SCN base         of the commit
//! ```
//!
//! | flags | state |
//! | --- | --- |
//! | none, xid zero | unused |
//! | none | running, or ended and this block has not been told |
//! | U | committed at this SCN, lock bytes still set (fast commit) |
//! | C | committed at this SCN, lock bytes cleared |
//! | C U | committed at this SCN or before, lock bytes cleared |
//! | L, beside any of these | what is in the block was loaded under this slot, without undo |
//!
//! Credit and SCN share bytes: [`commit`] removes the rows that the transaction deleted and frees its credit before it
//! writes the SCN. A slot is taken, changes are made, and it is committed and cleaned, or the changes are undone and
//! [`restore`] restores its content from before. A transaction may have several slots, one for each row that migrated
//! into the block.

use common::limits::ITL_SLOTS_MAX;
use common::{BlockAddress, Scn, Uba, Xid};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{HEADER_BYTES, TAIL_BYTES};
use crate::heap::{self, cleanout};
use crate::index;
use crate::redo::Reach;
use crate::transaction::{self, ITL_BYTES, ITL_OFFSET, Owner};

/// Cleaned: no lock byte names the slot any more.
pub const CLEANED: u16 = 0x8000;
/// With [`CLEANED`]: the SCN is an upper bound. Alone: committed, lock bytes still set.
pub const UPPER_BOUND: u16 = 0x2000;
const LOCKS: u16 = 0x0fff;

/// A slot of the ITL.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Itl {
    pub undo_segment: U16,
    pub slot: U16,
    pub sequence: U32,
    pub undo_block: U32,
    pub undo_sequence: U16,
    pub undo_record: u8,
    /// Counts the slots of one transaction in this block.
    pub order: u8,
    /// Flags in the top 4 bits, lock bytes in the low 12.
    pub flags: U16,
    /// Free space credit in bytes, or SCN wrap after commit.
    pub credit: U16,
    pub scn_base: U32,
}

const _: () = assert!(size_of::<Itl>() == 24);
const _: () = assert!(ITL_OFFSET == HEADER_BYTES + 24);
const _: () = assert!(slots_max(8192) == 169 && slots_max(16384) == 255);
const _: () = assert!(common::limits::ROWS_PER_BLOCK_MAX <= LOCKS as usize);

/// The rows of the block were loaded by the slot's transaction, without undo: a reader that does not see that
/// transaction sees none of them.
pub const LOADED: u16 = 0x4000;

/// The state of a slot's transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotState {
    Unused,
    /// Running, or ended without the block having its commit.
    Active,
    Committed(Scn),
}

impl Itl {
    #[must_use]
    pub fn xid(&self) -> Xid {
        Xid { segment: self.undo_segment.get(), slot: self.slot.get(), sequence: self.sequence.get() }
    }

    #[must_use]
    pub fn uba(&self) -> Uba {
        Uba {
            block: BlockAddress::unpack(self.undo_block.get()),
            sequence: self.undo_sequence.get(),
            record: self.undo_record,
        }
    }

    #[must_use]
    pub fn state(&self) -> SlotState {
        if let Some(scn) = self.committed() {
            SlotState::Committed(scn)
        } else if self.is_unused() {
            SlotState::Unused
        } else {
            SlotState::Active
        }
    }

    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.flags.get() == 0 && self.xid().is_none()
    }

    #[must_use]
    pub fn is_active(&self) -> bool {
        self.state() == SlotState::Active
    }

    /// The SCN of the commit, if the block has one.
    #[must_use]
    pub fn committed(&self) -> Option<Scn> {
        (self.flags.get() & (CLEANED | UPPER_BOUND) != 0)
            .then(|| Scn(u64::from(self.credit.get()) << 32 | u64::from(self.scn_base.get())))
    }

    /// The block's content was loaded under this slot, by a transaction ([`set_loading`]) or before any could see it
    /// ([`set_loaded`]): there is no undo of it, and the block was empty before.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.flags.get() & LOADED != 0 || self.is_cleaned() && self.xid().is_none()
    }

    /// True: committed, and lock bytes may still name the slot.
    #[must_use]
    pub fn is_fast_committed(&self) -> bool {
        self.flags.get() & (CLEANED | UPPER_BOUND) == UPPER_BOUND
    }

    #[must_use]
    pub fn is_cleaned(&self) -> bool {
        self.flags.get() & CLEANED != 0
    }

    /// True: the SCN is an upper bound of the commit's.
    #[must_use]
    pub fn is_upper_bound(&self) -> bool {
        self.flags.get() & (CLEANED | UPPER_BOUND) == CLEANED | UPPER_BOUND
    }

    /// Lock bytes that name this slot.
    #[must_use]
    pub fn lock_count(&self) -> u16 {
        self.flags.get() & LOCKS
    }

    /// Bytes that the transaction has freed and no other may use; 0 once it has committed.
    #[must_use]
    pub fn credit(&self) -> u16 {
        if self.committed().is_some() { 0 } else { self.credit.get() }
    }

    pub(crate) fn set_lock_count(&mut self, count: u16) {
        self.flags = (self.flags.get() & !LOCKS | count & LOCKS).into();
    }

    pub(crate) fn set_committed(&mut self, flags: u16, scn: Scn) {
        self.flags = (flags | self.flags.get() & LOADED | self.lock_count()).into();
        self.credit = ((scn.0 >> 32) as u16).into();
        self.scn_base = (scn.0 as u32).into();
    }

    fn set_uba(&mut self, uba: Uba) {
        self.undo_block = uba.block.pack().into();
        self.undo_sequence = uba.sequence.into();
        self.undo_record = uba.record;
    }
}

/// Maximum of ITL slots in a table block of this size: half of the space behind its fixed headers, and 255 at most. 169
/// in a block of 8 KB.
#[must_use]
pub const fn slots_max(block_bytes: usize) -> usize {
    let room = block_bytes - ITL_OFFSET - TAIL_BYTES;
    let half = room / 2 / ITL_BYTES;
    if half < ITL_SLOTS_MAX { half } else { ITL_SLOTS_MAX }
}

/// Locked rows that are worth naming: for more the block is compared.
const FEW_LOCKS: u16 = 4;

fn is_table(block: &[u8]) -> bool {
    transaction::header(block).owner == Owner::Table as u8
}

fn offset(block: &[u8], number: u8) -> Option<usize> {
    let exists = number > 0 && number <= transaction::header(block).itl_count;
    exists.then(|| ITL_OFFSET + ITL_BYTES * (usize::from(number) - 1))
}

/// The ITL slot `number`, from 1.
#[must_use]
pub fn slot(block: &[u8], number: u8) -> Option<&Itl> {
    Itl::ref_from_prefix(block.get(offset(block, number)?..)?).ok().map(|(itl, _)| itl)
}

pub(crate) fn slot_mut(block: &mut [u8], number: u8) -> Option<&mut Itl> {
    let at = offset(block, number)?;
    Itl::mut_from_prefix(block.get_mut(at..)?).ok().map(|(itl, _)| itl)
}

/// All slots with their numbers.
pub fn slots(block: &[u8]) -> impl Iterator<Item = (u8, &Itl)> {
    (1..=transaction::header(block).itl_count).filter_map(|number| Some((number, slot(block, number)?)))
}

/// The newest slot of a running transaction.
#[must_use]
pub fn find(block: &[u8], xid: Xid) -> Option<u8> {
    slots(block)
        .filter(|(_, itl)| itl.is_active() && itl.xid() == xid && !itl.is_loaded())
        .max_by_key(|(_, itl)| itl.order)
        .map(|(number, _)| number)
}

/// A slot that a transaction may take: an unused one, else that of the oldest commit, which must be cleaned first
/// unless it is. The first slot of an index block is for block splits and is never given out.
#[must_use]
pub fn free_slot(block: &[u8]) -> Option<u8> {
    let first = if is_table(block) { 1 } else { 2 };
    slots(block)
        .filter(|(number, _)| *number >= first)
        .filter_map(|(number, itl)| match itl.state() {
            SlotState::Unused => Some((None, number)),
            SlotState::Committed(scn) => Some((Some(scn), number)),
            SlotState::Active => None,
        })
        .min()
        .map(|(_, number)| number)
}

/// True: the block has fewer slots than `maxtrans` and than the maximum of its size. It may lack the room for one more
/// all the same.
#[must_use]
pub fn may_have_more(block: &[u8], maxtrans: u8) -> bool {
    let max = if is_table(block) { slots_max(block.len()) } else { index::itl_slots_max(block.len()) };
    usize::from(transaction::header(block).itl_count) < max.min(usize::from(maxtrans))
}

/// Adds a slot of 24 bytes. None when the block has `maxtrans` already, or as many as a block of its size may have, or
/// lacks the room.
pub fn add(block: &mut [u8], maxtrans: u8) -> Option<u8> {
    if !may_have_more(block, maxtrans) {
        return None;
    }
    let table = is_table(block);
    let count = transaction::header(block).itl_count;
    let grown = if table { cleanout::grow_itl(block) } else { index::grow_itl(block) };
    grown.then_some(count + 1)
}

/// Removes slots from the end of a table block's ITL, down to `keep` of them: unused ones, and cleaned ones for which
/// `is_over` holds, because their transaction committed before every snapshot in use. Returns their number. For blocks
/// without rows, which then take any row that a new block takes.
pub fn remove(block: &mut [u8], keep: u8, is_over: impl Fn(&Itl) -> bool) -> u8 {
    let count = transaction::header(block).itl_count;
    if !is_table(block) || count <= keep {
        return 0;
    }
    let goes = |itl: &Itl| itl.is_unused() || (itl.is_cleaned() && itl.lock_count() == 0 && is_over(itl));
    let removed = (keep + 1..=count).rev().take_while(|number| slot(block, *number).is_some_and(goes)).count() as u8;
    if removed > 0 {
        cleanout::shrink_itl(block, removed);
    }
    removed
}

/// Gives a slot to a transaction. False, and nothing changed, when the slot does not exist, is in use, or not cleaned.
pub fn take(block: &mut [u8], number: u8, xid: Xid, uba: Uba) -> bool {
    let last = slots(block).filter(|(_, itl)| itl.is_active() && itl.xid() == xid).map(|(_, itl)| itl.order).max();
    take_after(block, number, xid, uba, last)
}

/// As [`take`], without a look at the other slots: `last` is the highest order of the slots that the transaction has.
pub fn take_after(block: &mut [u8], number: u8, xid: Xid, uba: Uba, last: Option<u8>) -> bool {
    let free = slot(block, number).is_some_and(|itl| !itl.is_active() && itl.lock_count() == 0);
    if !free || xid.is_none() {
        return false;
    }
    debug_assert_eq!(
        last,
        slots(block).filter(|(_, itl)| itl.is_active() && itl.xid() == xid).map(|(_, itl)| itl.order).max(),
        "the orders of the slots of {xid}"
    );
    let Some(itl) = slot_mut(block, number) else { return false };
    *itl = Itl {
        undo_segment: xid.segment.into(),
        slot: xid.slot.into(),
        sequence: xid.sequence.into(),
        order: last.map_or(0, |order| order.saturating_add(1)),
        ..Itl::default()
    };
    itl.set_uba(uba);
    true
}

/// Marks a new block's first slot: the content was committed at `scn` or before; it was loaded, by no transaction, and
/// there is no undo of it.
pub fn set_loaded(block: &mut [u8], scn: Scn) {
    if let Some(itl) = slot_mut(block, 1) {
        *itl = Itl::default();
        itl.set_committed(CLEANED, scn);
    }
    transaction::header_mut(block).raise_cleanout(scn);
}

/// Marks a new block's first slot: a running transaction loads the content, without undo of it.
pub fn set_loading(block: &mut [u8], xid: Xid) {
    if let Some(itl) = slot_mut(block, 1) {
        *itl = Itl {
            undo_segment: xid.segment.into(),
            slot: xid.slot.into(),
            sequence: xid.sequence.into(),
            flags: LOADED.into(),
            ..Itl::default()
        };
    }
}

/// Removes the rows loaded under slot `number`, unchanged since, and frees the slot. False where there is no such load,
/// or one of its rows has changed.
#[must_use]
pub fn unload(block: &mut [u8], number: u8) -> bool {
    if slot(block, number).is_none_or(|itl| !itl.is_loaded()) {
        return false;
    }
    let rows: Vec<u16> = heap::live_rows(block, 0).map(|(row, _)| row).collect();
    if !rows.into_iter().rev().all(|row| heap::undo_insert(block, row)) {
        return false;
    }
    restore(block, number, &[0; ITL_BYTES]);
    true
}

/// Points a slot to the undo of its transaction's newest change.
pub fn set_uba(block: &mut [u8], number: u8, uba: Uba) {
    if let Some(itl) = slot_mut(block, number) {
        itl.set_uba(uba);
    }
}

/// The slot as bytes, for undo; zero where there is none.
#[must_use]
pub fn bytes(block: &[u8], number: u8) -> [u8; ITL_BYTES] {
    let mut bytes = [0; ITL_BYTES];
    if let Some(itl) = slot(block, number) {
        bytes.copy_from_slice(itl.as_bytes());
    }
    bytes
}

/// Restores a slot's content: the last step of undoing the changes made under it. The count of lock bytes stays as in
/// the block, and so does the credit while the transaction is the same and running; else the remaining credit is free
/// for all.
pub fn restore(block: &mut [u8], number: u8, bytes: &[u8; ITL_BYTES]) {
    let Some(now) = slot(block, number).copied() else { return };
    let Ok(mut itl) = Itl::read_from_bytes(bytes) else { return };
    let left = if itl.is_active() {
        let same = itl.xid() == now.xid();
        itl.credit = if same { now.credit() } else { 0 }.into();
        if same { 0 } else { now.credit() }
    } else {
        now.credit()
    };
    itl.set_lock_count(now.lock_count());
    if let Some(slot) = slot_mut(block, number) {
        *slot = itl;
    }
    if left > 0 && is_table(block) {
        cleanout::give_credit(block, left);
    }
}

/// What [`commit`] of these slots may write; None where rows are to be removed.
#[must_use]
pub fn commit_reach(block: &[u8], numbers: &[u8]) -> Option<Reach> {
    numbers.iter().try_fold(Reach::default(), |reach, number| {
        let at = offset(block, *number)?;
        let credit = slot(block, *number).is_some_and(|itl| itl.credit() > 0);
        if credit { None } else { reach.with(block.len(), at..at + ITL_BYTES) }
    })
}

/// What [`clean`] of slot `number` may write; None where rows are to be removed, where many are to be unlocked, and in
/// an index.
#[must_use]
pub fn clean_reach(block: &[u8], number: u8) -> Option<Reach> {
    let itl = slot(block, number).filter(|itl| itl.lock_count() <= FEW_LOCKS && is_table(block))?;
    if itl.is_active() && itl.credit() > 0 {
        return None;
    }
    let headers = heap::change::headers_reach(block)?;
    if itl.lock_count() == 0 { Some(headers) } else { heap::change::locks_reach(block, number, headers) }
}

/// Writes the commit of a running transaction's slot: the fast form, which leaves lock bytes to [`clean`]. Rows that it
/// deleted are removed.
pub fn commit(block: &mut [u8], number: u8, scn: Scn) {
    if slot(block, number).is_none_or(|itl| !itl.is_active()) {
        return;
    }
    if is_table(block) {
        cleanout::release(block, number);
    }
    if let Some(itl) = slot_mut(block, number) {
        let flag = if itl.lock_count() == 0 { CLEANED } else { UPPER_BOUND };
        itl.set_committed(flag, scn);
    }
}

/// Cleans a slot whose transaction has committed, at `scn` or (`upper_bound`) not later; a slot that has its SCN
/// already keeps it. Clears its lock bytes, removes the rows that it deleted, and raises the block's cleanout SCN.
pub fn clean(block: &mut [u8], number: u8, scn: Scn, upper_bound: bool) {
    let Some(before) = slot(block, number).copied() else { return };
    let (flags, scn) = match before.state() {
        SlotState::Unused => return,
        SlotState::Active => (if upper_bound { CLEANED | UPPER_BOUND } else { CLEANED }, scn),
        SlotState::Committed(scn) if before.is_fast_committed() => (CLEANED, scn),
        SlotState::Committed(scn) => (before.flags.get() & !LOCKS, scn),
    };
    let table = is_table(block);
    if table && before.is_active() {
        cleanout::release(block, number);
    }
    if slot(block, number).is_some_and(|itl| itl.lock_count() > 0) {
        if table {
            cleanout::unlock(block, number);
        } else {
            index::unlock(block, number);
        }
    }
    if let Some(itl) = slot_mut(block, number) {
        itl.set_committed(flags, scn);
    }
    transaction::header_mut(block).raise_cleanout(scn);
}

/// True: the lock bytes of some slot are still set, or its transaction may have ended.
#[must_use]
pub fn needs_cleanout(block: &[u8]) -> bool {
    slots(block).any(|(_, itl)| itl.is_active() || itl.is_fast_committed())
}

/// True: a reader of `snapshot` may take the block as it is: every slot is unused, or committed at that SCN or before.
#[must_use]
pub fn is_visible_fast(block: &[u8], snapshot: Scn) -> bool {
    slots(block).all(|(_, itl)| match itl.state() {
        SlotState::Unused => true,
        SlotState::Active => false,
        SlotState::Committed(scn) => scn <= snapshot,
    })
}

/// Copies all slots to `to`, an empty block of the same kind, which gets as many as `from` has; without lock counts,
/// which follow the entries. False where `to` has no room for them.
pub fn copy_all(from: &[u8], to: &mut [u8]) -> bool {
    let count = transaction::header(from).itl_count;
    while transaction::header(to).itl_count < count {
        if add(to, count).is_none() {
            return false;
        }
    }
    for (number, itl) in slots(from) {
        if let Some(slot) = slot_mut(to, number) {
            *slot = *itl;
            slot.set_lock_count(0);
        }
    }
    true
}

/// Counts one lock byte more or less for slot `number`; nothing for slot 0.
pub(crate) fn count_lock(block: &mut [u8], number: u8, more: bool) {
    if let Some(itl) = slot_mut(block, number) {
        let count = itl.lock_count();
        itl.set_lock_count(if more { (count + 1).min(LOCKS) } else { count.saturating_sub(1) });
    }
}

pub(crate) fn count_locks(block: &mut [u8], number: u8, more: usize) {
    if let Some(itl) = slot_mut(block, number) {
        let count = usize::from(itl.lock_count()) + more;
        itl.set_lock_count(count.min(usize::from(LOCKS)) as u16);
    }
}

/// Changes a running transaction's credit; false when the slot has none.
pub(crate) fn change_credit(block: &mut [u8], number: u8, by: i32) -> bool {
    let Some(itl) = slot_mut(block, number).filter(|itl| itl.is_active()) else { return false };
    let credit = i32::from(itl.credit.get()) + by;
    itl.credit = (credit.clamp(0, i32::from(u16::MAX)) as u16).into();
    true
}

/// Empties a running transaction's credit.
pub(crate) fn take_credit(block: &mut [u8], number: u8) -> u16 {
    let Some(itl) = slot_mut(block, number).filter(|itl| itl.is_active()) else { return 0 };
    let credit = itl.credit.get();
    itl.credit = 0.into();
    credit
}
