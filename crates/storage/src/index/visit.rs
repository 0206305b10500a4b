//! Changes of entries, leaf by leaf. Neighbouring keys are changed together: one record for a run of entries that
//! change in the same way.
//!
//! ```text
//! room for undo -> the leaf latched -> the entry, its holder -> ITL slot -> one record: entries, undo, slot
//!      ^                                     |               |                 -> next run
//!      +------------ a wait, a split --------+---------------+          nothing is latched meanwhile
//! ```

use common::{Result, Xid};
use format::index::{Leaf, Target, change, leaf};
use format::redo::Reach;
use waits::Event;

use super::blocks::Blocks;
use super::key::{Entries, LeafEntry};
use super::tree::Tree;
use crate::txn::entries::{self as undo_entries, UNDO_BYTES};
use crate::txn::operation::{DELETE_ENTRIES, INSERT_ENTRIES, REVIVE_ENTRIES};
use crate::txn::{Interest, RowLock};

/// The goal for the entries of a batch: in the index or out of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    In,
    Out,
}

/// The reason why a visit to a leaf ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visited {
    /// The next key belongs further right, or the batch has ended, or there is no room for more undo.
    Through,
    /// The next key does not fit.
    Full,
    /// The leaf has no room for an ITL slot.
    NoSlot,
    /// The leaf has the next key already.
    Duplicate,
    /// The entry to be deleted is missing.
    Missing,
    /// Another transaction holds the entry, or holds one of the ITL slots of a leaf that may have no more.
    Wait(Xid, Event),
}

/// The change of one entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Insert,
    Revive,
    Delete,
}

impl Action {
    fn operation(self) -> u8 {
        match self {
            Self::Insert => INSERT_ENTRIES,
            Self::Revive => REVIVE_ENTRIES,
            Self::Delete => DELETE_ENTRIES,
        }
    }
}

/// Entries that one record changes. A place is the position of the entry, or of its insertion, before the first change.
struct EntryRun {
    action: Action,
    places: Vec<usize>,
}

impl<B: Blocks> Tree<'_, B> {
    /// Inserts or deletes sorted entries. `done` counts the finished ones.
    pub(super) fn apply(&self, entries: &Entries, goal: Goal, done: &mut usize) -> Result<()> {
        let mut visit = None;
        while *done < entries.len() {
            let target = Target::before(entries.get(*done).key);
            let mut here = match visit.take() {
                Some(visit) => self.visit_next(visit, target)?,
                None => {
                    self.blocks.prepare(undo_bytes(entries, *done))?;
                    self.visit_leaf(target)?
                }
            };
            match self.fill(&mut here.leaf, here.upper.as_deref(), entries, goal, done)? {
                // The parent stays latched only while there is room for the undo of the next change.
                Visited::Through => {
                    let goes_on = *done < entries.len() && self.blocks.is_prepared(undo_bytes(entries, *done));
                    visit = goes_on.then_some(here);
                }
                Visited::Full => {
                    drop(here);
                    self.make_room(entries.get(*done))?;
                }
                Visited::NoSlot => {
                    drop(here);
                    self.make_room_for_slot(entries.get(*done))?;
                }
                Visited::Duplicate => return Err(self.duplicate(entries.get(*done))),
                Visited::Missing => return Err(self.missing(B::address(&here.leaf))),
                Visited::Wait(xid, event) => {
                    drop(here);
                    self.blocks.wait_for(xid, event)?;
                }
            }
        }
        Ok(())
    }

    /// Another transaction that holds an entry whose key begins with `key`.
    pub(super) fn holder_of(&self, key: &[u8]) -> Result<Option<Xid>> {
        let mut from = key.to_vec();
        loop {
            let mut visit = self.visit_leaf(Target::before(&from))?;
            let leaf = Leaf::of(&visit.leaf);
            let (first, end) = (leaf.lower_bound(Target::before(key)), leaf.lower_bound(Target::after(key)));
            for at in first..end {
                let lock = Leaf::of(&visit.leaf).entry(at).lock;
                if lock != 0
                    && let RowLock::Other(xid) = self.blocks.holder(&mut visit.leaf, lock)?
                {
                    return Ok(Some(xid));
                }
            }
            match visit.upper {
                Some(upper) if Target::after(key).is_past_separator(&upper) => from = upper.to_vec(),
                _ => return Ok(None),
            }
        }
    }

    /// Changes the entries from `done` on that belong to a leaf, as far as there is room. Returns the reason why it
    /// ended.
    fn fill(
        &self,
        block: &mut B::Exclusive,
        upper: Option<&[u8]>,
        entries: &Entries,
        goal: Goal,
        done: &mut usize,
    ) -> Result<Visited> {
        let mut first_run = true;
        while *done < entries.len() {
            let is_past = upper.is_some_and(|upper| Target::before(entries.get(*done).key).is_past_separator(upper));
            if !first_run && (is_past || !self.blocks.is_prepared(undo_bytes(entries, *done))) {
                break;
            }
            let (run, stop) = self.run(block, upper, entries, goal, *done)?;
            let Some(mut run) = run else { return Ok(stop) };
            let slot = match self.blocks.interest(block)? {
                Interest::Slot { number, fresh } => (number, fresh),
                Interest::Full(xid) => return Ok(Visited::Wait(xid, Event::EnqTxAllocateItlEntry)),
                Interest::NoRoom(xid) => {
                    if self.blocks.purge(block)? > 0 {
                        continue;
                    }
                    // A split makes room for a slot. A leaf with one entry cannot be divided, but has room for a good
                    // number of slots.
                    return Ok(match run.action {
                        Action::Insert => Visited::Full,
                        _ if Leaf::of(block).entries() > 1 => Visited::NoSlot,
                        _ => Visited::Wait(xid, Event::EnqTxAllocateItlEntry),
                    });
                }
            };
            if run.action == Action::Insert {
                let fits = self.fitting(block, entries, *done, run.places.len());
                run.places.truncate(fits);
                if fits == 0 {
                    if self.blocks.purge(block)? > 0 {
                        continue;
                    }
                    return Ok(Visited::Full);
                }
            }
            let reach = reach_of(block, &run, entries, *done);
            debug_assert!(!run.places.is_empty(), "a run without entries");
            let changed = self.blocks.transact(block, slot, run.action.operation(), reach, |bytes, itl| {
                let (count, payload) = change_run(bytes, itl, &run, entries, *done);
                (count > 0).then_some((count, payload))
            })?;
            *done += changed.ok_or_else(|| self.unchangeable(B::address(block)))?;
            debug_assert!(*done <= entries.len(), "{} of {} entries are changed", done, entries.len());
            first_run = false;
        }
        Ok(Visited::Through)
    }

    /// The entries from `first` on that belong to the leaf and change in the same way as the first. Without any, the
    /// second value is the reason.
    fn run(
        &self,
        block: &mut B::Exclusive,
        upper: Option<&[u8]>,
        entries: &Entries,
        goal: Goal,
        first: usize,
    ) -> Result<(Option<EntryRun>, Visited)> {
        let mut run: Option<EntryRun> = None;
        let (mut stop, mut payload) = (Visited::Through, 0);
        for at in first..entries.len() {
            let entry = entries.get(at);
            payload += undo_entries::entry_bytes(entry.key);
            let is_past = upper.is_some_and(|upper| Target::before(entry.key).is_past_separator(upper));
            if at > first && (payload > UNDO_BYTES || is_past) {
                break;
            }
            if at > first && entries.get(at - 1).key == entry.key {
                stop = if goal == Goal::In { Visited::Duplicate } else { Visited::Missing };
                break;
            }
            let (action, place) = match self.look(block, entry, goal)? {
                Ok(found) => found,
                Err(why) => {
                    stop = why;
                    break;
                }
            };
            let run = run.get_or_insert_with(|| EntryRun { action, places: Vec::new() });
            if run.action != action {
                break;
            }
            debug_assert!(run.places.last().is_none_or(|last| *last <= place), "places of sorted entries do not rise");
            run.places.push(place);
        }
        Ok((run, stop))
    }

    /// The change that one entry needs, and its place.
    fn look(
        &self,
        block: &mut B::Exclusive,
        entry: LeafEntry<'_>,
        goal: Goal,
    ) -> Result<std::result::Result<(Action, usize), Visited>> {
        let (at, lock) = match Leaf::of(block).search(entry.key) {
            Ok(at) => (at, Leaf::of(block).entry(at).lock),
            Err(at) => return Ok(if goal == Goal::In { Ok((Action::Insert, at)) } else { Err(Visited::Missing) }),
        };
        if lock != 0
            && let RowLock::Other(xid) = self.blocks.holder(block, lock)?
        {
            return Ok(Err(Visited::Wait(xid, Event::EnqTxRowLockContention)));
        }
        let found = Leaf::of(block).entry(at);
        Ok(match goal {
            Goal::In if found.deleted() => Ok((Action::Revive, at)),
            Goal::In => Err(Visited::Duplicate),
            Goal::Out if !found.deleted() && found.rowid == entry.rowid => Ok((Action::Delete, at)),
            Goal::Out => Err(Visited::Missing),
        })
    }

    /// Number of the `count` new entries from `first` on for which the leaf has room.
    fn fitting(&self, block: &[u8], entries: &Entries, first: usize, count: usize) -> usize {
        let mut left = Leaf::of(block).available();
        (first..first + count)
            .take_while(|at| {
                let need = leaf::footprint(self.shape, entries.get(*at).key);
                let fits = need <= left;
                left = left.saturating_sub(need);
                fits
            })
            .count()
    }
}

/// The reach of a run's change; None for a run of several entries, which is worth a comparison of the block.
fn reach_of(block: &[u8], run: &EntryRun, entries: &Entries, first: usize) -> Option<Reach> {
    let [place] = run.places[..] else { return None };
    match run.action {
        Action::Insert => change::insert_reach(block, entries.get(first).key.len()),
        Action::Revive | Action::Delete => change::touch_reach(block, place),
    }
}

/// Changes the entries of a run. Returns their number and the payload of their undo.
fn change_run(bytes: &mut [u8], itl: u8, run: &EntryRun, entries: &Entries, first: usize) -> (usize, Vec<u8>) {
    let mut payload = Vec::new();
    for (n, place) in run.places.iter().enumerate() {
        let entry = entries.get(first + n);
        let lock = || Leaf::of(bytes).entry(*place).lock;
        let changed = match run.action {
            Action::Insert => {
                undo_entries::put_inserted(&mut payload, entry.key);
                change::insert(bytes, place + n, entry.key, entry.rowid, itl)
            }
            Action::Revive => {
                let lock = lock();
                let old = change::revive(bytes, *place, entry.rowid, itl);
                undo_entries::put_revived(&mut payload, entry.key, lock, old.unwrap_or_default());
                old.is_some()
            }
            Action::Delete => {
                undo_entries::put_deleted(&mut payload, entry.key, lock());
                change::mark_deleted(bytes, *place, itl)
            }
        };
        if !changed {
            payload.truncate(payload.len() - undo_entries::written(run.action.operation(), entry.key));
            return (n, payload);
        }
    }
    (run.places.len(), payload)
}

/// Most bytes of undo of the next record, when the entries from `first` on are to be changed.
fn undo_bytes(entries: &Entries, first: usize) -> usize {
    let mut bytes = 0;
    for at in first..entries.len() {
        bytes += undo_entries::entry_bytes(entries.get(at).key);
        if bytes > UNDO_BYTES {
            return if at == first { bytes } else { UNDO_BYTES };
        }
    }
    bytes
}
