//! Deletion of entries: they are marked deleted.
//!
//! A leaf that has become empty stays in its place in the tree and in the chain of leaves; keys that belong there fill
//! it again.

use common::{BlockAddress, Error, Result};
use waits::Statistic;

use super::blocks::Blocks;
use super::key::Entries;
use super::tree::Tree;
use super::visit::Goal;

impl<B: Blocks> Tree<'_, B> {
    /// Deletes sorted entries.
    ///
    /// # Errors
    /// ORA-08102 when an entry is missing, and errors of the block layer. The entries before it are then deleted.
    pub(super) fn delete(&self, entries: &Entries) -> Result<()> {
        let mut done = 0;
        let result = self.apply(entries, Goal::Out, &mut done);
        self.blocks.count(Statistic::IndexEntriesDeleted, done as u64);
        result
    }

    pub(super) fn missing(&self, address: BlockAddress) -> Error {
        Error::user(
            8102,
            format!("index key not found, index {}, file {}, block {}", self.name, address.file.0, address.block),
        )
    }
}
