//! Taking entries out: they are marked deleted, neighbouring keys together, one change a leaf visit.
//!
//! A leaf that has become empty stays where it is, in the tree and in the chain of leaves; keys that belong there fill it again.

use std::ops::Range;

use common::{Error, Result};
use format::index::{Leaf, Target, leaf};
use waits::Statistic;

use super::blocks::Blocks;
use super::key::{Entries, Entry};
use super::tree::Tree;

impl<B: Blocks> Tree<'_, B> {
    /// Takes sorted entries out.
    ///
    /// # Errors
    /// ORA-08102 where one is not there; those before it are then out.
    pub(super) fn delete(&self, entries: &Entries) -> Result<()> {
        self.delete_range(entries, 0..entries.len())?;
        self.blocks.count(Statistic::IndexEntriesDeleted, entries.len() as u64);
        Ok(())
    }

    pub(super) fn delete_range(&self, entries: &Entries, range: Range<usize>) -> Result<()> {
        let mut visit = None;
        let mut at = range.start;
        while at < range.end {
            let target = Target::before(entries.get(at).key);
            let mut here = match visit.take() {
                Some(visit) => self.visit_next(visit, target)?,
                None => self.visit_leaf(target)?,
            };
            // A visit that finds nothing must not count as a change.
            if find(&here.leaf, entries.get(at)).is_none() {
                return Err(self.missing(B::address(&here.leaf)));
            }
            let address = B::address(&here.leaf);
            let upper = here.upper.as_deref();
            let first = at;
            let found = self.blocks.change(&mut here.leaf, |block| {
                while at < range.end {
                    let entry = entries.get(at);
                    if at > first && upper.is_some_and(|upper| Target::before(entry.key).is_past_separator(upper)) {
                        break;
                    }
                    let Some(position) = find(block, entry) else { return false };
                    leaf::set_deleted(block, position, true);
                    at += 1;
                }
                true
            });
            if !found {
                return Err(self.missing(address));
            }
            visit = Some(here);
        }
        Ok(())
    }

    fn missing(&self, address: common::BlockAddress) -> Error {
        Error::user(
            8102,
            format!("index key not found, index {}, file {}, block {}", self.name, address.file.0, address.block),
        )
    }
}

/// Where the entry of just this row is.
fn find(block: &[u8], entry: Entry<'_>) -> Option<usize> {
    let leaf = Leaf::of(block);
    let at = leaf.search(entry.key).ok()?;
    let found = leaf.entry(at);
    (!found.deleted() && found.rowid == entry.rowid).then_some(at)
}
