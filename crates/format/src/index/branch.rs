//! Branch blocks: separators and children. Child 0 has the keys below the first separator, child `i` those from
//! separator `i - 1` on.

use common::BlockAddress;

use super::header::{self, BRANCH_HEADER_BYTES, DIRECTORY_BYTES, KeyShape};
use super::key::{Columns, TERM, Target};
use super::node::{self, CHILD_BYTES, Node};

/// Read access to a branch.
#[derive(Clone, Copy, Debug)]
pub struct Branch<'a> {
    node: Node<'a>,
    header: &'a header::BranchHeader,
}

impl<'a> Branch<'a> {
    /// The block must have passed [`super::check`] and be above level 0.
    #[must_use]
    pub fn of(block: &'a [u8]) -> Self {
        debug_assert!(!header::is_leaf(block));
        Self { node: Node::of(block), header: header::branch(block) }
    }

    #[must_use]
    pub fn level(&self) -> u8 {
        self.header.common.level
    }

    /// Separators; there is one more child.
    #[must_use]
    pub fn separators(&self) -> usize {
        self.node.entries
    }

    #[must_use]
    pub fn children(&self) -> usize {
        self.node.entries + 1
    }

    #[must_use]
    pub fn child(&self, i: usize) -> BlockAddress {
        if i == 0 {
            return BlockAddress::unpack(self.header.leftmost.get());
        }
        let (child, _) = self.node.split_entry(i - 1);
        BlockAddress::unpack(child.try_into().map_or(0, u32::from_le_bytes))
    }

    /// Every key of child `i + 1` is at or above it, every key of child `i` below.
    #[must_use]
    pub fn separator(&self, i: usize) -> &'a [u8] {
        self.node.key(i)
    }

    /// The child to search for entries behind the target.
    #[must_use]
    pub fn find(&self, target: Target<'_>) -> usize {
        self.node.partition(|separator| target.is_past_separator(separator))
    }

    /// Free bytes, holes included.
    #[must_use]
    pub fn available(&self) -> usize {
        usize::from(self.header.common.available.get())
    }

    #[must_use]
    pub fn shape(&self) -> KeyShape {
        let unique = self.header.common.flags & header::UNIQUE != 0;
        KeyShape { columns: self.node.key_columns - u8::from(!unique), unique }
    }

    /// True: one more separator fits.
    #[must_use]
    pub fn fits(&self, separator: &[u8]) -> bool {
        footprint(self.node.key_columns, separator) <= self.available()
    }
}

/// Bytes of a separator, its child and its directory entry included.
fn footprint(key_columns: u8, separator: &[u8]) -> usize {
    let truncated = Columns::of(separator).count() < usize::from(key_columns);
    DIRECTORY_BYTES + CHILD_BYTES + separator.len() + usize::from(truncated)
}

/// Makes a branch with one child from a formatted index block.
pub fn init(block: &mut [u8], level: u8, shape: KeyShape, leftmost: BlockAddress) {
    debug_assert!(level > 0);
    node::init(block, level, shape, BRANCH_HEADER_BYTES);
    let usable = header::usable(block);
    let header = header::branch_mut(block);
    header.leftmost = leftmost.pack().into();
    header.usable = (usable as u32).into();
}

/// Inserts a separator as number `at`, and `child` to its right; false where it does not fit.
pub fn insert(block: &mut [u8], at: usize, separator: &[u8], child: BlockAddress) -> bool {
    let bytes = footprint(Node::of(block).key_columns, separator) - DIRECTORY_BYTES;
    node::insert(block, at, bytes, |entry| {
        entry[..CHILD_BYTES].copy_from_slice(&child.pack().to_le_bytes());
        let (image, term) = entry[CHILD_BYTES..].split_at_mut(separator.len());
        image.copy_from_slice(separator);
        term.fill(TERM);
    })
}

/// Appends a separator behind all others, which must be smaller: for loading branches in key order.
pub fn append(block: &mut [u8], separator: &[u8], child: BlockAddress) -> bool {
    let at = usize::from(header::common(block).entries.get());
    insert(block, at, separator, child)
}

/// Takes separator `at` out, and the child to its right.
pub fn remove(block: &mut [u8], at: usize) {
    node::remove(block, at);
}

/// The separator that moves up when a full branch gets one more at position `at`, counted with the new one among them.
///
/// At the index's right-hand edge the new one does, and the branch stays full; else the one nearest to half the bytes.
#[must_use]
pub fn cut(block: &[u8], at: usize, separator: &[u8], right_edge: bool) -> usize {
    let branch = Branch::of(block);
    let entries = branch.separators();
    if right_edge && at == entries {
        return at;
    }
    let capacity = branch.node.body.len() - BRANCH_HEADER_BYTES;
    let bytes = |i: usize| {
        let image = match i.cmp(&at) {
            std::cmp::Ordering::Less => branch.separator(i),
            std::cmp::Ordering::Equal => separator,
            std::cmp::Ordering::Greater => branch.separator(i - 1),
        };
        footprint(branch.node.key_columns, image)
    };
    let total: usize = (0..=entries).map(bytes).sum();
    // The new separator itself can always move up: both sides were in this block before.
    let mut best = (at, usize::MAX);
    let mut left = 0;
    for middle in 0..=entries {
        let right = total - left - bytes(middle);
        if left <= capacity && right <= capacity && left.max(right) < best.1 {
            best = (middle, left.max(right));
        }
        left += bytes(middle);
    }
    best.0
}

/// The separator that moves up for a cut.
#[must_use]
pub fn promoted(block: &[u8], at: usize, separator: &[u8], middle: usize) -> Vec<u8> {
    let branch = Branch::of(block);
    match middle.cmp(&at) {
        std::cmp::Ordering::Less => branch.separator(middle),
        std::cmp::Ordering::Equal => separator,
        std::cmp::Ordering::Greater => branch.separator(middle - 1),
    }
    .to_vec()
}

/// Divides a branch that gets `separator` and `child` at position `at`: entries behind number `middle` go to `right`, a
/// formatted block.
pub fn divide(block: &mut [u8], at: usize, separator: &[u8], child: BlockAddress, middle: usize, right: &mut [u8]) {
    let branch = Branch::of(block);
    let (level, shape) = (branch.level(), branch.shape());
    let mut items: Vec<(Vec<u8>, BlockAddress)> =
        (0..branch.separators()).map(|i| (branch.separator(i).to_vec(), branch.child(i + 1))).collect();
    items.insert(at, (separator.to_vec(), child));
    init(right, level, shape, items[middle].1);
    for (image, child) in &items[middle + 1..] {
        let fits = append(right, image, *child);
        debug_assert!(fits, "half a branch fits an empty one");
    }
    let unchanged = middle.min(at);
    node::truncate(block, unchanged);
    for (image, child) in &items[unchanged..middle] {
        let fits = append(block, image, *child);
        debug_assert!(fits, "half a branch fits an empty one");
    }
    for side in [block, right] {
        header::common_mut(side).structure_changes += 1;
    }
}

/// Copies all children and separators to `to`, a formatted block.
pub fn copy(block: &[u8], to: &mut [u8]) {
    let branch = Branch::of(block);
    init(to, branch.level(), branch.shape(), branch.child(0));
    for i in 0..branch.separators() {
        let fits = append(to, branch.separator(i), branch.child(i + 1));
        debug_assert!(fits, "a branch fits an empty one");
    }
}
