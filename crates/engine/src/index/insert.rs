//! Putting entries in: neighbouring keys together, one change a leaf visit.

use common::{Error, Result};
use format::index::header::KeyShape;
use format::index::{Leaf, Target, key, leaf};
use waits::Statistic;

use super::blocks::Blocks;
use super::key::{Entries, Entry};
use super::tree::Tree;

/// Why a visit to a leaf ended.
pub(super) enum Visited {
    /// The next key belongs further right, or there is none.
    Through,
    /// The next key does not fit.
    Full,
    /// The next key is there already.
    Duplicate,
}

impl<B: Blocks> Tree<'_, B> {
    /// Puts sorted entries in. On a duplicate, those already in are taken out again: all or nothing.
    ///
    /// # Errors
    /// ORA-00001, ORA-01450, and those of the block layer.
    pub(super) fn insert(&self, entries: &Entries) -> Result<()> {
        self.check_lengths(entries)?;
        let mut done = 0;
        let result = self.insert_from(entries, &mut done);
        match result {
            Ok(()) => {
                self.blocks.count(Statistic::IndexEntriesInserted, done as u64);
                Ok(())
            }
            Err(error) => {
                // The duplicate is what the caller must know, whatever else befalls.
                self.delete_range(entries, 0..done).map_err(|_| error.clone())?;
                Err(error)
            }
        }
    }

    fn check_lengths(&self, entries: &Entries) -> Result<()> {
        let longest = key::longest(self.block_size);
        if entries.longest() > longest {
            return Err(Error::user(
                1450,
                format!(
                    "maximum key length ({longest}) exceeded: index {} got one of {}",
                    self.name,
                    entries.longest()
                ),
            ));
        }
        Ok(())
    }

    fn insert_from(&self, entries: &Entries, done: &mut usize) -> Result<()> {
        let mut visit = None;
        while *done < entries.len() {
            let target = Target::before(entries.get(*done).key);
            let mut here = match visit.take() {
                Some(visit) => self.visit_next(visit, target)?,
                None => self.visit_leaf(target)?,
            };
            let (count, outcome) = self.fill(&mut here.leaf, here.upper.as_deref(), entries, *done);
            *done += count;
            match outcome {
                Visited::Through => visit = Some(here),
                Visited::Duplicate => return Err(self.duplicate(entries.get(*done))),
                Visited::Full => {
                    drop(here);
                    self.split_for(entries.get(*done))?;
                    *done += 1;
                }
            }
        }
        Ok(())
    }

    /// Puts entries from `first` on into a leaf, as many as belong there and fit: how many, and why no more.
    pub(super) fn fill(
        &self,
        block: &mut B::Exclusive,
        upper: Option<&[u8]>,
        entries: &Entries,
        first: usize,
    ) -> (usize, Visited) {
        // A visit that changes nothing must not count as a change.
        match room(block, self.shape, entries.get(first)) {
            Visited::Through => {}
            refused => return (0, refused),
        }
        self.blocks.change(block, |block| {
            let mut count = 0;
            while let Some(entry) = (first + count < entries.len()).then(|| entries.get(first + count)) {
                if count > 0 && upper.is_some_and(|upper| Target::before(entry.key).is_past_separator(upper)) {
                    break;
                }
                match put(block, self.shape, entry) {
                    Visited::Through => count += 1,
                    refused => return (count, refused),
                }
            }
            (count, Visited::Through)
        })
    }

    pub(super) fn duplicate(&self, entry: Entry<'_>) -> Error {
        if self.shape.unique {
            Error::user(1, format!("unique constraint ({}) violated", self.name))
        } else {
            Error::bug(format!("index {} already has the row {:02x?} under its key", self.name, entry.rowid))
        }
    }
}

/// Whether the entry can go into this leaf.
fn room(block: &[u8], shape: KeyShape, entry: Entry<'_>) -> Visited {
    let leaf = Leaf::of(block);
    match leaf.search(entry.key) {
        Ok(at) if leaf.is_deleted(at) => Visited::Through,
        Ok(_) => Visited::Duplicate,
        Err(_) => {
            let need = leaf::footprint(shape, entry.key);
            let fits =
                need <= leaf.available() || leaf.deleted() > 0 && need <= leaf.available() + deleted_bytes(&leaf);
            if fits { Visited::Through } else { Visited::Full }
        }
    }
}

fn deleted_bytes(leaf: &Leaf<'_>) -> usize {
    (0..leaf.entries()).filter(|i| leaf.is_deleted(*i)).map(|i| leaf.footprint(i)).sum()
}

/// Puts one entry into a leaf to which it belongs: in place of a deleted one of its key, or as a new one, purging deleted ones for its room.
fn put(block: &mut [u8], shape: KeyShape, entry: Entry<'_>) -> Visited {
    let leaf = Leaf::of(block);
    match leaf.search(entry.key) {
        Ok(at) if leaf.is_deleted(at) => leaf::revive(block, at, entry.rowid),
        Ok(_) => return Visited::Duplicate,
        Err(at) => {
            let need = leaf::footprint(shape, entry.key);
            if need > leaf.available() {
                if leaf.deleted() == 0 || need > leaf.available() + deleted_bytes(&leaf) {
                    return Visited::Full;
                }
                leaf::purge(block);
                return put(block, shape, entry);
            }
            leaf::insert(block, at, entry.key, entry.rowid);
        }
    }
    Visited::Through
}
