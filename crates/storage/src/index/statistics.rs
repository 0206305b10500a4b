//! Statistics of an index, from a walk over its leaves.

use common::Result;
use format::index::{self, Branch, Leaf, Target};

use super::blocks::Blocks;
use super::key::own_columns;
use super::tree::Tree;

/// The figures that USER_INDEXES shows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IndexStatistics {
    /// Branch levels: 0 where the root is a leaf.
    pub blevel: u32,
    pub leaf_blocks: u64,
    pub distinct_keys: u64,
    /// Number of changes of the table block when the rows are visited in key order.
    pub clustering_factor: u64,
    pub num_rows: u64,
}

/// Counts entries as they pass in key order.
#[derive(Default, Debug)]
pub(super) struct Tally {
    last_key: Vec<u8>,
    last_block: Option<[u8; 4]>,
    distinct_keys: u64,
    clustering_factor: u64,
    num_rows: u64,
}

impl Tally {
    /// Counts the next entry. `key`: its key without the rowid.
    pub(super) fn entry(&mut self, key: &[u8], rowid: [u8; 6]) {
        if self.num_rows == 0 || self.last_key != key {
            self.distinct_keys += 1;
            self.last_key.clear();
            self.last_key.extend_from_slice(key);
        }
        let block = [rowid[0], rowid[1], rowid[2], rowid[3]];
        if self.last_block != Some(block) {
            self.clustering_factor += 1;
            self.last_block = Some(block);
        }
        self.num_rows += 1;
    }

    pub(super) fn statistics(&self, blevel: u8, leaf_blocks: u64) -> IndexStatistics {
        debug_assert!(self.distinct_keys <= self.num_rows && self.clustering_factor <= self.num_rows, "{self:?}");
        IndexStatistics {
            blevel: u32::from(blevel),
            leaf_blocks,
            distinct_keys: self.distinct_keys,
            clustering_factor: self.clustering_factor,
            num_rows: self.num_rows,
        }
    }
}

impl<B: Blocks> Tree<'_, B> {
    /// Walks all leaves. Empty ones count as blocks, deleted entries do not count.
    pub(super) fn statistics(&self) -> Result<IndexStatistics> {
        let mut block = self.shared(self.root)?;
        let blevel = index::level(&block);
        while !index::is_leaf(&block) {
            let branch = Branch::of(&block);
            block = self.shared_at(branch.child(branch.find(Target::before(&[]))), branch.level() - 1)?;
        }
        let mut tally = Tally::default();
        let mut leaf_blocks = 0;
        loop {
            let leaf = Leaf::of(&block);
            self.examined();
            leaf_blocks += 1;
            for i in (0..leaf.entries()).filter(|i| !leaf.is_deleted(*i)) {
                let entry = leaf.entry(i);
                tally.entry(own_columns(self.shape, entry.key), entry.rowid);
            }
            let next = leaf.next();
            if next.is_none() {
                debug_assert_eq!(blevel > 0, leaf_blocks > 1, "{leaf_blocks} leaves at level {blevel}");
                return Ok(tally.statistics(blevel, leaf_blocks));
            }
            self.blocks.check_cancelled()?;
            // The latch is released before the next leaf's is taken: a leaf's right-hand link stays good.
            drop(block);
            block = self.shared_at(next, 0)?;
        }
    }
}
