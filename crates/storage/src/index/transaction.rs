//! Rollback of index changes. It looks for each entry by its key, because splits may have moved it since the undo
//! record was written.

use std::cell::OnceCell;
use std::collections::HashMap;

use common::sync::Arc;
use common::{Error, ObjectNumber, Result, Uba};
use format::index::{Leaf, Target, key};
use format::itl::{self, Itl};
use waits::Statistic;

use super::IndexDef;
use super::blocks::Blocks;
use super::tree::Tree;
use super::worker::with_tree;
use crate::txn::Worker;
use crate::txn::entries::{Changed, entries, take_back};
use crate::undo::{OwnedPrevious, Record};

/// Takes changes back in their indexes, in the leaves that have the entries by now. The records are of one transaction,
/// the newest first. A change that is taken back already stays so. `find` finds the index of a data object; it fails
/// when an index that could not be read may be the one.
///
/// # Errors
/// Errors of getting blocks.
pub(crate) fn undo(
    s: &Worker,
    records: &[&Record],
    find: impl Fn(ObjectNumber) -> Result<Option<Arc<IndexDef>>>,
) -> Result<()> {
    let mut rest = records.to_vec();
    while let Some(object) = rest.first().map(|record| record.object) {
        let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|record| record.object == object);
        rest = others;
        // In an index that has been dropped there is nothing to take back.
        let Some(index) = find(object)? else { continue };
        let batch = UndoBatch::new(s, &own);
        with_tree(s, &index, |tree| tree.undo(&own, |from, record| batch.leads_to(from, record)))?;
        s.meter().count(Statistic::RollbackChangesUndoRecordsApplied, own.len() as u64);
    }
    Ok(())
}

/// Records that are taken back together, with their chains to earlier records.
struct UndoBatch<'a> {
    worker: &'a Worker,
    records: &'a [&'a Record],
    /// The predecessor of each record; made at the first use.
    previous: OnceCell<HashMap<Uba, OwnedPrevious>>,
}

impl<'a> UndoBatch<'a> {
    fn new(worker: &'a Worker, records: &'a [&'a Record]) -> Self {
        Self { worker, records, previous: OnceCell::new() }
    }

    fn previous(&self, uba: Uba, record: &Record) -> Result<OwnedPrevious> {
        let all = || self.records.iter().map(|record| (record.uba, record.previous)).collect();
        match self.previous.get_or_init(all).get(&uba) {
            Some(previous) => Ok(*previous),
            None => Ok(self.worker.undo().read(self.worker, uba, Some(record.xid))?.previous),
        }
    }

    /// True: the chain from `from` back through the records of one leaf meets `record`. Both are of one transaction.
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
    /// Number of its record; the newest is 0.
    record: usize,
    changed: Changed<'a>,
}

impl<B: Blocks> Tree<'_, B> {
    /// Takes the entries of records back, the newest record first. Each leaf is visited once, for all entries in it.
    /// `leads_to` returns true when the chain back from a record meets another one.
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
        debug_assert!(records.windows(2).all(|pair| pair[0].xid == pair[1].xid), "records of several transactions");
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

    /// Takes entries back in the leaf to which they belong by now. They come in the order of their records.
    fn undo_in(
        &self,
        leaf: &mut B::Exclusive,
        records: &[&Record],
        undone: &[Undone<'_>],
        leads_to: impl Fn(Uba, &Record) -> Result<bool>,
    ) -> Result<()> {
        let by_record = || undone.chunk_by(|a, b| a.record == b.record);
        // When the turn of a record comes, all later changes of the transaction in this leaf are taken back. If its
        // slot still names a later record, the entries of that record have moved away.
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
