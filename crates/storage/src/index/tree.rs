//! The tree: its blocks, and the descent to a leaf.
//!
//! Latches are coupled: a descent releases a block's latch only when it holds the child's, so that no session meets a
//! half-made split. Latches are taken from the root downwards and from left to right, never the other way.

use std::fmt;
use std::ops::Deref;

use common::{BlockAddress, BlockSize, Error, ObjectNumber, Result};
use format::index::header::KeyShape;
use format::index::{self, Branch, Target};
use format::transaction;
use waits::Statistic;

use super::blocks::Blocks;

/// One index, for the algorithms.
pub(super) struct Tree<'a, B> {
    pub(super) blocks: &'a B,
    pub(super) root: BlockAddress,
    pub(super) shape: KeyShape,
    /// The segment's data object number: a block with another one no longer belongs to the index.
    pub(super) data_object: ObjectNumber,
    pub(super) block_size: BlockSize,
    /// `OWNER.NAME`, for messages.
    pub(super) name: &'a dyn fmt::Display,
}

/// A leaf latched for changes, and its parent latched against splits.
#[derive(Debug)]
pub(super) struct Visit<S, X> {
    /// None where the leaf is the root.
    parent: Option<S>,
    parent_upper: Option<Vec<u8>>,
    pub(super) leaf: X,
    /// Keys from here on belong to leaves further right; None in the rightmost leaf.
    pub(super) upper: Option<Vec<u8>>,
}

/// A branch latched exclusively during a descent to a leaf.
#[derive(Debug)]
pub(super) struct Step<X> {
    pub(super) block: X,
    /// Number of the child with which the descent goes on.
    pub(super) child: usize,
    /// The branch is the last one of its level.
    pub(super) right_edge: bool,
}

/// The path to a leaf, latched exclusively from some level on.
#[derive(Debug)]
pub(super) struct Path<X> {
    /// From the top down; the last one is the leaf's parent.
    pub(super) steps: Vec<Step<X>>,
    pub(super) leaf: X,
    /// True: the path begins at the root.
    pub(super) whole: bool,
}

impl<B: Blocks> Tree<'_, B> {
    fn checked<G: Deref<Target = [u8]>>(&self, block: G, address: BlockAddress) -> Result<G> {
        if transaction::header(&block).object_number() != self.data_object {
            return Err(Error::user(8103, format!("index {} no longer exists where it was", self.name)));
        }
        index::check(&block, address)?;
        let shape = index::header::shape(&block);
        if shape != self.shape {
            return Err(Error::corrupt(
                address,
                format!("keys of index {} are {:?}, not {shape:?}", self.name, self.shape),
            ));
        }
        Ok(block)
    }

    /// A block to read, checked. A branch is read in its current form. A caller that reads a leaf in its current form
    /// calls [`Self::examined`].
    pub(super) fn shared(&self, address: BlockAddress) -> Result<B::Shared> {
        let block = self.checked(self.blocks.consistent(address)?, address)?;
        if !index::is_leaf(&block) {
            self.examined();
        }
        Ok(block)
    }

    /// Counts a block that was got for a consistent read and is not made consistent.
    pub(super) fn examined(&self) {
        self.blocks.count(Statistic::ConsistentGetsExamination, 1);
    }

    /// A block to change, checked.
    pub(super) fn exclusive(&self, address: BlockAddress) -> Result<B::Exclusive> {
        self.checked(self.blocks.current_mut(address)?, address)
    }

    /// Checks that a block has the level that its parent, or its neighbour, implies.
    fn level_checked<G: Deref<Target = [u8]>>(&self, block: G, address: BlockAddress, level: u8) -> Result<G> {
        let found = index::level(&block);
        if found != level {
            return Err(Error::corrupt(address, format!("index {}: level {found} where {level} must be", self.name)));
        }
        Ok(block)
    }

    pub(super) fn shared_at(&self, address: BlockAddress, level: u8) -> Result<B::Shared> {
        self.level_checked(self.shared(address)?, address, level)
    }

    pub(super) fn exclusive_at(&self, address: BlockAddress, level: u8) -> Result<B::Exclusive> {
        self.level_checked(self.exclusive(address)?, address, level)
    }

    /// The leaf with the first entry behind the target, to read.
    pub(super) fn find_leaf(&self, target: Target<'_>) -> Result<B::Shared> {
        let mut node = self.shared(self.root)?;
        while !index::is_leaf(&node) {
            let branch = Branch::of(&node);
            // The parent's latch is released once the child's is held.
            node = self.shared_at(branch.child(branch.find(target)), branch.level() - 1)?;
        }
        Ok(node)
    }

    /// The leaf with the first entry behind the target, to change.
    pub(super) fn visit_leaf(&self, target: Target<'_>) -> Result<Visit<B::Shared, B::Exclusive>> {
        loop {
            let mut node = self.shared(self.root)?;
            if index::is_leaf(&node) {
                drop(node);
                self.examined();
                let leaf = self.exclusive(self.root)?;
                if index::is_leaf(&leaf) {
                    return Ok(Visit { parent: None, parent_upper: None, leaf, upper: None });
                }
                // The root was split between the two gets.
                continue;
            }
            let mut upper = None;
            loop {
                let branch = Branch::of(&node);
                let (child, below) = child_of(&branch, target, upper.as_ref());
                if branch.level() == 1 {
                    let leaf = self.exclusive_at(child, 0)?;
                    return Ok(Visit { parent: Some(node), parent_upper: upper, leaf, upper: below });
                }
                node = self.shared_at(child, branch.level() - 1)?;
                upper = below;
            }
        }
    }

    /// The next leaf to change, for a greater target. Where the same parent has that leaf, no new descent is made.
    pub(super) fn visit_next(
        &self,
        visit: Visit<B::Shared, B::Exclusive>,
        target: Target<'_>,
    ) -> Result<Visit<B::Shared, B::Exclusive>> {
        let Visit { parent, parent_upper, leaf, upper } = visit;
        debug_assert!(
            parent.is_none() || upper.as_ref().is_none_or(|upper| target.is_past_separator(upper)),
            "index {}: a visit goes on in the leaf that it leaves",
            self.name
        );
        drop(leaf);
        match parent {
            Some(parent) if !parent_upper.as_ref().is_some_and(|upper| target.is_past_separator(upper)) => {
                let (child, upper) = child_of(&Branch::of(&parent), target, parent_upper.as_ref());
                let leaf = self.exclusive_at(child, 0)?;
                Ok(Visit { parent: Some(parent), parent_upper, leaf, upper })
            }
            parent => {
                drop(parent);
                self.visit_leaf(target)
            }
        }
    }

    /// The path to a leaf, with the branches of `level` and below latched exclusively. Branches above are latched in
    /// share mode and released.
    pub(super) fn path(&self, target: Target<'_>, level: u8) -> Result<Path<B::Exclusive>> {
        loop {
            if let Some(path) = self.try_path(target, level)? {
                return Ok(path);
            }
        }
    }

    /// None where the root was split between two looks at it.
    fn try_path(&self, target: Target<'_>, level: u8) -> Result<Option<Path<B::Exclusive>>> {
        let mut right_edge = true;
        let mut block = None;
        if level != WHOLE {
            let mut node = self.shared(self.root)?;
            if index::is_leaf(&node) {
                self.examined();
            }
            while index::level(&node) > level {
                let branch = Branch::of(&node);
                let at = branch.find(target);
                right_edge &= at == branch.separators();
                let (child, below) = (branch.child(at), branch.level() - 1);
                if below == level {
                    block = Some(self.exclusive_at(child, below)?);
                    break;
                }
                node = self.shared_at(child, below)?;
            }
        }
        let whole = block.is_none();
        let mut block = match block {
            Some(block) => block,
            None => self.exclusive(self.root)?,
        };
        if index::level(&block) > level {
            return Ok(None);
        }
        let mut steps = Vec::new();
        while !index::is_leaf(&block) {
            let branch = Branch::of(&block);
            let at = branch.find(target);
            let edge_below = right_edge && at == branch.separators();
            let child = self.exclusive_at(branch.child(at), branch.level() - 1)?;
            steps.push(Step { block: std::mem::replace(&mut block, child), child: at, right_edge });
            right_edge = edge_below;
        }
        let top = steps.first().map_or(&block, |step| &step.block);
        debug_assert!(!whole || B::address(top) == self.root, "index {}: a whole path begins at the root", self.name);
        debug_assert!(
            steps
                .iter()
                .zip((1..=steps.len()).rev())
                .all(|(step, level)| usize::from(index::level(&step.block)) == level),
            "index {}: a path goes down level by level",
            self.name
        );
        Ok(Some(Path { steps, leaf: block, whole }))
    }
}

/// A level above every tree: the whole path is latched exclusively.
pub(super) const WHOLE: u8 = u8::MAX;

/// The child that covers the target, and the upper bound of its keys.
fn child_of(branch: &Branch<'_>, target: Target<'_>, upper: Option<&Vec<u8>>) -> (BlockAddress, Option<Vec<u8>>) {
    let at = branch.find(target);
    let below = if at < branch.separators() { Some(branch.separator(at).to_vec()) } else { upper.cloned() };
    (branch.child(at), below)
}
