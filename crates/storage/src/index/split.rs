//! Splits: a full leaf becomes two, and their separator goes to the parent, which may be full itself, and so on up to
//! the root.
//!
//! ```text
//!        parent  [ … s | … ]                    parent  [ … s | x | … ]
//!                    |             ->                       |    \
//!        leaf    [a b c d e f]  (new: d')       leaf   [a b c] <-> [d e f]  new block
//! ```
//!
//! A split makes room and inserts nothing: it is no part of the transaction that needs it, has no undo, and stays. Both
//! halves have the leaf's ITL, so the transactions that hold entries still hold them. The descent is made again for the
//! entry.
//!
//! Every step that can fail comes first: the split latches the path, chooses the cuts, and gets the right-hand
//! neighbour and the new blocks. Then it makes the changes, which cannot fail, so no reader and no error ever meets
//! half a split.
//!
//! First only the leaf and its parent are latched exclusively. When the parent has no room for the separator, the
//! descent is made again with the whole path latched exclusively: one leaf split in some hundred.
//!
//! The root keeps its address: its contents move down into a new block, which is then split like any other.

use std::cmp::Ordering;

use common::{BlockAddress, Error, Result};
use format::index::{self, Branch, Leaf, Target, branch, key, leaf};
use format::transaction::ITL_BYTES;
use waits::Statistic;

use super::blocks::Blocks;
use super::key::LeafEntry;
use super::tree::{Path, Step, Tree, WHOLE};

/// The plan of a split, made before any block is changed.
struct Plan {
    cut: leaf::Cut,
    separator: Vec<u8>,
    /// For each branch that splits too, from the leaf's parent upwards: the number of the separator that moves up.
    middles: Vec<usize>,
    /// The root itself splits: its contents move down first.
    lift: bool,
}

impl<B: Blocks> Tree<'_, B> {
    /// Splits the leaf to which an entry belongs, unless the leaf has room for it, or has the entry, by now. The split
    /// is no part of the session's transaction: it stays even if that rolls back.
    pub(super) fn make_room(&self, entry: LeafEntry<'_>) -> Result<()> {
        let mut level = 1;
        loop {
            let path = self.path(Target::before(entry.key), level)?;
            let leaf = Leaf::of(&path.leaf);
            // The insert may have to add an ITL slot too.
            let need = leaf::footprint(self.shape, entry.key) + ITL_BYTES;
            if leaf.search(entry.key).is_ok() || leaf.available() >= need {
                return Ok(());
            }
            let at = leaf.search(entry.key).unwrap_or_else(|at| at);
            let cut = leaf::cut(&path.leaf, at, leaf::footprint(self.shape, entry.key));
            let separator = leaf::cut_separator(&path.leaf, at, entry.key, cut);
            match self.plan(&path, cut, separator) {
                Some(plan) => return self.split(path, plan),
                None => level = WHOLE,
            }
        }
    }

    /// Splits the leaf of an entry in two halves, each with room for one more ITL slot, unless the leaf has room for
    /// one by now. So a session need not wait for a transaction that has nothing but a slot in the entry's leaf.
    pub(super) fn make_room_for_slot(&self, entry: LeafEntry<'_>) -> Result<()> {
        let mut level = 1;
        loop {
            let path = self.path(Target::before(entry.key), level)?;
            if Leaf::of(&path.leaf).available() >= ITL_BYTES {
                return Ok(());
            }
            let Some(cut) = leaf::halve(&path.leaf) else { return Ok(()) };
            let separator = leaf::separator_at(&path.leaf, cut.keep);
            match self.plan(&path, cut, separator) {
                Some(plan) => return self.split(path, plan),
                None => level = WHOLE,
            }
        }
    }

    /// None where a branch that is not latched would have to split.
    #[expect(clippy::unused_self, reason = "a plan is one of the tree's blocks")]
    fn plan(&self, path: &Path<B::Exclusive>, cut: leaf::Cut, separator: Vec<u8>) -> Option<Plan> {
        let mut middles = Vec::new();
        let mut moving = separator.clone();
        for step in path.steps.iter().rev() {
            if Branch::of(&step.block).fits(&moving) {
                return Some(Plan { cut, separator, middles, lift: false });
            }
            let middle = branch::cut(&step.block, step.child, &moving, step.right_edge);
            moving = branch::promoted(&step.block, step.child, &moving, middle);
            middles.push(middle);
        }
        path.whole.then_some(Plan { cut, separator, middles, lift: true })
    }

    fn split(&self, path: Path<B::Exclusive>, plan: Plan) -> Result<()> {
        // The neighbour is latched before the new blocks: a session that looks for a new block may wait a moment for a
        // block that another session has just taken, and that session must not be waiting for a leaf by then.
        let neighbour = Leaf::of(&path.leaf).next();
        let neighbour = if neighbour.is_none() { None } else { Some(self.exclusive_at(neighbour, 0)?) };
        debug_assert!(plan.cut.keep <= Leaf::of(&path.leaf).entries(), "a leaf keeps entries that it does not have");
        debug_assert!(
            self.separates(&path.leaf, &plan),
            "index {}: the separator is not between the halves",
            self.name
        );
        let new_blocks = self.new_blocks(1 + plan.middles.len() + usize::from(plan.lift))?;
        // From here on nothing fails, and all of it is one record.
        self.blocks.mini(|| {
            self.divide(path, neighbour, new_blocks, plan)?;
            self.blocks.note_split();
            Ok(())
        })
    }

    /// Whether the plan's separator is behind the keys that the leaf keeps, and not behind those that it gives away.
    fn separates(&self, leaf: &[u8], plan: &Plan) -> bool {
        let (leaf, keep) = (Leaf::of(leaf), plan.cut.keep);
        let is_before = |at: usize| key::compare(leaf.key(at), &plan.separator) == Ordering::Less;
        keep.checked_sub(1).is_none_or(is_before) && (keep == leaf.entries() || !is_before(keep))
    }

    fn divide(
        &self,
        mut path: Path<B::Exclusive>,
        neighbour: Option<B::Exclusive>,
        mut new_blocks: Vec<B::Exclusive>,
        plan: Plan,
    ) -> Result<()> {
        if plan.lift
            && let Some(down) = new_blocks.pop()
        {
            self.lift(&mut path, down);
        }
        let right = new_blocks.pop().ok_or_else(miscounted)?;
        let mut child = self.split_leaf(&mut path.leaf, right, neighbour, &plan);
        let mut separator = plan.separator;
        let mut steps = path.steps.into_iter().rev();
        for (middle, mut step) in plan.middles.into_iter().zip(steps.by_ref()) {
            let mut right = new_blocks.pop().ok_or_else(miscounted)?;
            let up = branch::promoted(&step.block, step.child, &separator, middle);
            let right_address = B::address(&right);
            self.blocks.change(&mut step.block, |left| {
                self.blocks.change(&mut right, |right| {
                    branch::divide(left, step.child, &separator, child, middle, right);
                });
            });
            self.blocks.count(Statistic::BranchNodeSplits, 1);
            separator = up;
            child = right_address;
        }
        if let Some(mut parent) = steps.next() {
            self.blocks.change(&mut parent.block, |block| {
                let fits = branch::insert(block, parent.child, &separator, child);
                debug_assert!(fits, "the plan found room in the parent");
            });
        }
        debug_assert!(new_blocks.is_empty(), "index {}: a split took more blocks than it needs", self.name);
        Ok(())
    }

    fn new_blocks(&self, count: usize) -> Result<Vec<B::Exclusive>> {
        let mut blocks = Vec::with_capacity(count);
        for _ in 0..count {
            match self.blocks.empty_block() {
                Ok(block) => blocks.push(block),
                Err(error) => {
                    for block in blocks {
                        self.blocks.release_block(block)?;
                    }
                    return Err(error);
                }
            }
        }
        debug_assert_eq!(blocks.len(), count, "index {}: blocks for a split", self.name);
        // The caller takes blocks from the end, so the first one becomes the new leaf.
        blocks.reverse();
        Ok(blocks)
    }

    /// Divides the leaf. Returns the address of the new leaf to its right.
    fn split_leaf(
        &self,
        block: &mut B::Exclusive,
        mut right: B::Exclusive,
        neighbour: Option<B::Exclusive>,
        plan: &Plan,
    ) -> BlockAddress {
        let (here, new) = (B::address(block), B::address(&right));
        let cut = plan.cut;
        debug_assert!(here != new, "index {}: leaf {here} is given out as a new block", self.name);
        self.blocks.change(block, |left| {
            self.blocks.change(&mut right, |right| {
                leaf::init(right, self.shape, here, Leaf::of(left).next());
                leaf::divide(left, cut.keep, right);
                leaf::set_next(left, new);
            });
        });
        if let Some(mut neighbour) = neighbour {
            debug_assert_eq!(Leaf::of(&neighbour).previous(), here, "index {}: leaves are not linked", self.name);
            self.blocks.change(&mut neighbour, |block| leaf::set_previous(block, new));
        }
        debug_assert_eq!(Leaf::of(block).next(), new, "index {}: a new leaf is not in the chain", self.name);
        self.blocks.count(Statistic::LeafNodeSplits, 1);
        if cut.ninety_ten {
            self.blocks.count(Statistic::LeafNode9010Splits, 1);
        }
        new
    }

    /// Moves the root's contents down into `down`; the root becomes a branch with this one child.
    fn lift(&self, path: &mut Path<B::Exclusive>, mut down: B::Exclusive) {
        let root = path.steps.first_mut().map_or(&mut path.leaf, |step| &mut step.block);
        let level = index::level(root);
        debug_assert_eq!(B::address(root), self.root, "index {}: it is not the root that is lifted", self.name);
        let new = B::address(&down);
        self.blocks.change(root, |root| {
            self.blocks.change(&mut down, |down| {
                if level == 0 {
                    leaf::init(down, self.shape, BlockAddress::NONE, BlockAddress::NONE);
                    leaf::copy(root, down);
                } else {
                    branch::copy(root, down);
                }
            });
            branch::init(root, level + 1, self.shape, new);
        });
        debug_assert_eq!(index::level(&down), level, "index {}: what moves down keeps its level", self.name);
        let root = std::mem::replace(root, down);
        path.steps.insert(0, Step { block: root, child: 0, right_edge: true });
        self.blocks.count(Statistic::RootNodeSplits, 1);
    }
}

fn miscounted() -> Error {
    Error::bug("an index split took fewer blocks than it needs")
}
