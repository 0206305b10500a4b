//! Index entries under transactions: what undo records of an index say, and taking changes back.
//!
//! A record is of one leaf when it is written; splits may have moved its entries since. Rollback looks for each by its key. A consistent read takes back in
//! its copy of a leaf what it finds of a record; what it does not find is in the copies of other leaves.
//!
//! | record | each entry |
//! | --- | --- |
//! | insert | length of the stored key (2), stored key |
//! | delete | the same, then the lock byte before (1) |
//! | revive | the same, then the rowid before (6) |

use std::cell::OnceCell;
use std::collections::HashMap;

use common::{Error, Result, Uba};
use format::index::key::{self, ROWID_BYTES};
use format::index::{Leaf, Target, change};
use format::itl::{self, Itl};
use waits::Statistic;

use super::blocks::Blocks;
use super::session::with_tree;
use super::tree::Tree;
use crate::instance::Session;
use crate::txn::operation::{DELETE_ENTRIES, INSERT_ENTRIES, REVIVE_ENTRIES};
use crate::undo::{self, OwnedPrevious, Record};

/// Bytes of payload at which a record is cut, unless its only entry is longer.
pub(super) const UNDO_BYTES: usize = 2000;

const LENGTH_BYTES: usize = 2;

/// Bytes that an entry takes at most in a record.
pub(super) fn entry_bytes(key: &[u8]) -> usize {
    written(REVIVE_ENTRIES, key)
}

/// Bytes that an entry takes in a record.
pub(super) fn written(operation: u8, key: &[u8]) -> usize {
    let more = match operation {
        INSERT_ENTRIES => 0,
        DELETE_ENTRIES => 1,
        _ => 1 + ROWID_BYTES,
    };
    LENGTH_BYTES + key.len() + more
}

pub(super) fn put_inserted(payload: &mut Vec<u8>, key: &[u8]) {
    payload.extend_from_slice(&(key.len() as u16).to_le_bytes());
    payload.extend_from_slice(key);
}

pub(super) fn put_deleted(payload: &mut Vec<u8>, key: &[u8], lock: u8) {
    put_inserted(payload, key);
    payload.push(lock);
}

pub(super) fn put_revived(payload: &mut Vec<u8>, key: &[u8], lock: u8, rowid: [u8; ROWID_BYTES]) {
    put_deleted(payload, key, lock);
    payload.extend_from_slice(&rowid);
}

/// An entry of a record.
#[derive(Clone, Copy, Debug)]
struct Changed<'a> {
    key: &'a [u8],
    /// Before the change.
    lock: u8,
    rowid: [u8; ROWID_BYTES],
}

/// The entries of a record; None when it is none of an index.
fn entries(record: &Record) -> Option<Vec<Changed<'_>>> {
    if !matches!(record.operation, INSERT_ENTRIES | DELETE_ENTRIES | REVIVE_ENTRIES) {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = &record.payload[..];
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let (key, after) = after.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        let mut changed = Changed { key, lock: 0, rowid: [0; ROWID_BYTES] };
        rest = after;
        if record.operation != INSERT_ENTRIES {
            let (lock, after) = rest.split_first()?;
            (changed.lock, rest) = (*lock, after);
        }
        if record.operation == REVIVE_ENTRIES {
            let (rowid, after) = rest.split_first_chunk::<ROWID_BYTES>()?;
            (changed.rowid, rest) = (*rowid, after);
        }
        out.push(changed);
    }
    Some(out)
}

/// Takes the change of entry `at` back; nothing where it is not as the change left it.
fn take_back(bytes: &mut [u8], at: usize, operation: u8, changed: Changed<'_>) -> bool {
    match operation {
        INSERT_ENTRIES => change::undo_insert(bytes, at),
        DELETE_ENTRIES => change::undo_delete(bytes, at, changed.lock),
        _ => change::undo_revive(bytes, at, changed.lock, changed.rowid),
    }
}

/// Takes changes back in their indexes, wherever their entries are by now: for rollback. The records are of one transaction, the newest first. What is back
/// already stays as it is.
///
/// # Errors
/// Those of getting blocks.
pub(crate) fn undo(s: &Session, records: &[&Record]) -> Result<()> {
    let catalog = s.catalog();
    let mut rest = records.to_vec();
    while let Some(object) = rest.first().map(|record| record.object) {
        let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|record| record.object == object);
        rest = others;
        let Some(index) = catalog.indexes().find(|index| index.segment.data_object() == object) else {
            match catalog.unusable().next() {
                // An index that is not there any more has nothing to take back.
                None => continue,
                // One that could not be read may be this one. Its entries must not be taken for taken back.
                Some((_, error)) => return Err(error.clone()),
            }
        };
        let batch = Batch::new(s, &own);
        with_tree(s, index, |tree| tree.undo(&own, |from, record| batch.leads_to(from, record)))?;
        s.meter().count(Statistic::RollbackChangesUndoRecordsApplied, own.len() as u64);
    }
    Ok(())
}

/// Records that are taken back together, to be followed back.
struct Batch<'a> {
    session: &'a Session,
    records: &'a [&'a Record],
    /// What was before each, once it is asked for.
    previous: OnceCell<HashMap<Uba, OwnedPrevious>>,
}

impl<'a> Batch<'a> {
    fn new(session: &'a Session, records: &'a [&'a Record]) -> Self {
        Self { session, records, previous: OnceCell::new() }
    }

    fn previous(&self, uba: Uba, record: &Record) -> Result<OwnedPrevious> {
        let all = || self.records.iter().map(|record| (record.uba, record.previous)).collect();
        match self.previous.get_or_init(all).get(&uba) {
            Some(previous) => Ok(*previous),
            None => Ok(undo::read(self.session, uba, Some(record.xid))?.previous),
        }
    }

    /// Whether a record of the same transaction is met on the way back from `from` through the records of one leaf.
    fn leads_to(&self, from: Uba, record: &Record) -> Result<bool> {
        let mut at = from;
        while at != record.uba {
            match self.previous(at, record)? {
                OwnedPrevious::Uba(previous) => at = previous,
                OwnedPrevious::Itl(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// An entry of one of the records that are taken back together.
struct Undone<'a> {
    prefix: u64,
    /// Which record: the newest is 0.
    record: usize,
    changed: Changed<'a>,
}

impl<B: Blocks> Tree<'_, B> {
    /// Takes the entries of records back, the newest record first. Each leaf is visited once, for all that is in it. `leads_to`: whether a record is met on
    /// the way back from another.
    fn undo(&self, records: &[&Record], leads_to: impl Fn(Uba, &Record) -> Result<bool>) -> Result<()> {
        let mut all = Vec::with_capacity(records.len());
        for (number, record) in records.iter().enumerate() {
            let found = entries(record);
            let found =
                found.ok_or_else(|| Error::bug(format!("undo record {} is not one of an index", record.uba)))?;
            all.extend(found.into_iter().map(|changed| Undone {
                prefix: key::sort_prefix(changed.key),
                record: number,
                changed,
            }));
        }
        all.sort_by(|a, b| {
            let keys = || key::compare(a.changed.key, b.changed.key);
            a.prefix.cmp(&b.prefix).then_with(keys).then(a.record.cmp(&b.record))
        });
        let (mut rest, mut visit) = (&mut all[..], None);
        while let Some(first) = rest.first() {
            let target = Target::before(first.changed.key);
            let mut here = match visit.take() {
                Some(visit) => self.visit_next(visit, target)?,
                None => self.visit_leaf(target)?,
            };
            let belongs = |undone: &&Undone<'_>| {
                !here.upper.as_ref().is_some_and(|upper| Target::before(undone.changed.key).is_past_separator(upper))
            };
            let count = rest.iter().take_while(belongs).count().max(1);
            let (now, further) = rest.split_at_mut(count);
            rest = further;
            now.sort_by_key(|undone| undone.record);
            self.undo_in(&mut here.leaf, records, now, &leads_to)?;
            visit = Some(here);
        }
        Ok(())
    }

    /// Takes entries back in the leaf that they belong into by now; they are in the order of their records.
    fn undo_in(
        &self,
        leaf: &mut B::Exclusive,
        records: &[&Record],
        undone: &[Undone<'_>],
        leads_to: impl Fn(Uba, &Record) -> Result<bool>,
    ) -> Result<()> {
        let by_record = || undone.chunk_by(|a, b| a.record == b.record);
        // All that the transaction did in this leaf after a record is taken back by then. Where its slot still names a later record, that is because the
        // entries of that one have moved away.
        let mut slots: HashMap<u8, Option<Uba>> = HashMap::new();
        let mut restores = Vec::new();
        for here in by_record() {
            let record = records[here[0].record];
            let named = || itl::slot(leaf, record.itl).filter(|slot| is_of(slot, record)).map(Itl::uba);
            let named = slots.entry(record.itl).or_insert_with(named);
            let restore = match *named {
                Some(uba) => leads_to(uba, record)?,
                None => false,
            };
            if restore {
                *named = match record.previous {
                    OwnedPrevious::Itl(_) => None,
                    OwnedPrevious::Uba(previous) => Some(previous),
                };
            }
            restores.push(restore);
        }
        let is_held = |bytes: &[u8], at: usize, record: &Record| {
            let lock = Leaf::of(bytes).entry(at).lock;
            itl::slot(bytes, lock).is_some_and(|slot| is_of(slot, record))
        };
        let any = restores.contains(&true)
            || undone.iter().any(|undone| {
                let found = Leaf::of(leaf).search(undone.changed.key);
                found.is_ok_and(|at| is_held(leaf, at, records[undone.record]))
            });
        if !any {
            return Ok(());
        }
        self.blocks.change(leaf, |bytes| {
            for (here, restore) in by_record().zip(restores) {
                let record = records[here[0].record];
                for undone in here {
                    if let Ok(at) = Leaf::of(bytes).search(undone.changed.key)
                        && is_held(bytes, at, record)
                    {
                        take_back(bytes, at, record.operation, undone.changed);
                    }
                }
                if restore {
                    match &record.previous {
                        OwnedPrevious::Itl(before) => itl::restore(bytes, record.itl, before),
                        OwnedPrevious::Uba(previous) => itl::set_uba(bytes, record.itl, *previous),
                    }
                }
            }
        });
        Ok(())
    }
}

fn is_of(slot: &Itl, record: &Record) -> bool {
    slot.is_active() && slot.xid() == record.xid
}

/// Takes a change back in a copy of a leaf, as far as its entries are there: for consistent reads. False when the record is none of an index.
pub(crate) fn undo_in_leaf(bytes: &mut [u8], record: &Record) -> bool {
    let Some(entries) = entries(record) else { return false };
    for changed in entries.iter().rev() {
        if let Ok(at) = Leaf::of(bytes).search(changed.key) {
            take_back(bytes, at, record.operation, *changed);
        }
    }
    true
}
