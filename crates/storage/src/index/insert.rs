//! Insertion of entries.

use common::{BlockAddress, Error, Result};
use format::index::key;
use waits::Statistic;

use super::blocks::Blocks;
use super::key::{Entries, LeafEntry};
use super::tree::Tree;
use super::visit::Goal;

impl<B: Blocks> Tree<'_, B> {
    /// Inserts sorted entries.
    ///
    /// # Errors
    /// ORA-00001, ORA-01450, and errors of the block layer. The entries before the refused one are then in the index.
    pub(super) fn insert(&self, entries: &Entries) -> Result<()> {
        self.check_lengths(entries)?;
        let mut done = 0;
        let result = self.apply(entries, Goal::In, &mut done);
        self.blocks.count(Statistic::IndexEntriesInserted, done as u64);
        result
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

    pub(super) fn duplicate(&self, entry: LeafEntry<'_>) -> Error {
        if self.shape.unique {
            Error::user(1, format!("unique constraint ({}) violated", self.name))
        } else {
            Error::bug(format!("index {} already has the row {:02x?} under its key", self.name, entry.rowid))
        }
    }

    pub(super) fn unchangeable(&self, address: BlockAddress) -> Error {
        Error::bug(format!("index {}: an entry of leaf {address} is not the transaction's to change", self.name))
    }
}
