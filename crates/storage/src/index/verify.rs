//! Checks a whole index: each block by itself, then the rules between blocks.
//!
//! - every key of a child lies between the separators beside it, and the keys of a leaf lie behind those of the leaf
//!   before it;
//! - a child's level is one less than its parent's, and no block is reached twice;
//! - the chain has the leaves in the order of the tree, forwards and backwards;
//! - every entry's rowid is valid, and passes the caller's own check.
//!
//! The index must not change meanwhile: the check looks at one block after another.

use std::cmp::Ordering;
use std::collections::HashSet;

use common::{BlockAddress, ErrorKind, Result, limits};
use format::index::key::{self, ROWID_BYTES};
use format::index::{self, Branch, Leaf};

use super::blocks::Blocks;
use super::tree::Tree;

/// A fault of an index, with its block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub address: BlockAddress,
    pub text: String,
}

/// The caller's check of an entry, by its key columns and rowid. Returns the text of a fault.
pub(super) type EntryCheck<'c> = dyn FnMut(&[u8], [u8; ROWID_BYTES]) -> Option<String> + 'c;

/// Most problems that are reported; further ones tell the reader nothing new.
const PROBLEMS_MAX: usize = 1000;

struct Walk<'t, 'c, B> {
    tree: &'t Tree<'t, B>,
    check: &'c mut EntryCheck<'c>,
    problems: Vec<Problem>,
    seen: HashSet<BlockAddress>,
    /// The leaf before: its address, the address in its link to the right, and its last key.
    last: Option<(BlockAddress, BlockAddress, Vec<u8>)>,
}

impl<B: Blocks> Tree<'_, B> {
    /// All faults in the blocks that can be reached.
    ///
    /// # Errors
    /// Only when blocks cannot be got; corrupt blocks are problems.
    pub(super) fn verify<'c>(&self, check: &'c mut EntryCheck<'c>) -> Result<Vec<Problem>> {
        let mut walk = Walk { tree: self, check, problems: Vec::new(), seen: HashSet::new(), last: None };
        walk.block(self.root, None, None, None)?;
        if let Some((address, next, _)) = walk.last.take()
            && !next.is_none()
        {
            walk.problem(address, format!("the last leaf has a link to {next}"));
        }
        Ok(walk.problems)
    }
}

impl<B: Blocks> Walk<'_, '_, B> {
    fn problem(&mut self, address: BlockAddress, text: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { address, text });
        }
    }

    /// Checks a block and what is below it. Its keys must be at or above `lower` and below `upper`.
    fn block(
        &mut self,
        address: BlockAddress,
        level: Option<u8>,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()> {
        if !self.seen.insert(address) {
            self.problem(address, "reached twice".to_owned());
            return Ok(());
        }
        // A copy: no block stays latched during the walk.
        let bytes = match self.tree.shared(address) {
            Ok(block) => block.to_vec(),
            Err(error) if matches!(error.kind, ErrorKind::Corrupt | ErrorKind::User | ErrorKind::Bug) => {
                self.problem(address, error.text);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if let Err(error) = index::validate(&bytes, address) {
            self.problem(address, error.text);
            return Ok(());
        }
        let found = index::level(&bytes);
        if level.is_some_and(|level| level != found) {
            self.problem(address, format!("level {found} below level {}", level.map_or(0, |level| level + 1)));
            return Ok(());
        }
        self.tree.blocks.check_cancelled()?;
        if index::is_leaf(&bytes) {
            self.tree.examined();
            self.leaf(address, &bytes, lower, upper);
            return Ok(());
        }
        let branch = Branch::of(&bytes);
        for i in 0..branch.separators() {
            self.bounds(address, "separator", i, branch.separator(i), lower, upper);
        }
        for i in 0..branch.children() {
            let lower = if i == 0 { lower } else { Some(branch.separator(i - 1)) };
            let upper = if i == branch.separators() { upper } else { Some(branch.separator(i)) };
            self.block(branch.child(i), Some(found - 1), lower, upper)?;
        }
        Ok(())
    }

    fn bounds(
        &mut self,
        address: BlockAddress,
        what: &str,
        i: usize,
        key: &[u8],
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) {
        if lower.is_some_and(|lower| key::compare(key, lower) == Ordering::Less) {
            self.problem(address, format!("{what} {i} lies below the block's separator"));
        }
        if upper.is_some_and(|upper| key::compare(key, upper) != Ordering::Less) {
            self.problem(address, format!("{what} {i} does not lie below the next block's separator"));
        }
    }

    fn leaf(&mut self, address: BlockAddress, bytes: &[u8], lower: Option<&[u8]>, upper: Option<&[u8]>) {
        let leaf = Leaf::of(bytes);
        let (before, link, last_key) = self.last.take().unwrap_or((BlockAddress::NONE, address, Vec::new()));
        if link != address {
            self.problem(before, format!("the next leaf is {address}, the link says {link}"));
        }
        if leaf.previous() != before {
            self.problem(address, format!("the leaf before is {before}, the link says {}", leaf.previous()));
        }
        for i in 0..leaf.entries() {
            let entry = leaf.entry(i);
            self.bounds(address, "entry", i, entry.key, lower, upper);
            let row = common::Rowid::from_restricted(common::ObjectNumber(0), entry.rowid);
            if row.block.file.0 == 0
                || row.block.file.0 > limits::FILES_MAX
                || usize::from(row.slot) >= limits::ROWS_PER_BLOCK_MAX
            {
                self.problem(address, format!("entry {i} has rowid {} slot {}", row.block, row.slot));
            } else if !entry.deleted()
                && let Some(text) = (self.check)(super::key::own_columns(self.tree.shape, entry.key), entry.rowid)
            {
                self.problem(address, format!("entry {i}, row {} slot {}: {text}", row.block, row.slot));
            }
        }
        if leaf.entries() > 0 && !last_key.is_empty() && key::compare(&last_key, leaf.key(0)) != Ordering::Less {
            self.problem(address, format!("the first entry is not greater than the last of {before}"));
        }
        let last_key = if leaf.entries() > 0 { leaf.key(leaf.entries() - 1).to_vec() } else { last_key };
        self.last = Some((address, leaf.next(), last_key));
    }
}
