//! Leaf blocks: one entry a row, in key order, and links to both neighbours.
//!
//! A deleted entry stays, marked, until its room is needed ([`purge`]), so that putting the same key back is a change
//! of its flag, and so is taking a delete back. An entry that is marked no longer counts for uniqueness once its
//! transaction has committed.
//!
//! Entries that a transaction touches carry the number of its ITL slot as their lock byte, as rows do
//! ([`super::change`]).

use std::cmp::Ordering;

use common::BlockAddress;

use super::header::{self, DIRECTORY_BYTES, KeyShape, LEAF_HEADER_BYTES};
use super::itl::{count_locks, set_lock};
use super::key::{self, Columns, ROWID_BYTES, Target};
use super::node::{self, LEAF_PREFIX_BYTES, Node};
use crate::{itl, transaction};

/// The entry's row is gone.
pub const DELETED: u8 = 0x01;

/// Read access to a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    node: Node<'a>,
    header: &'a header::LeafHeader,
}

/// One entry of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafEntry<'a> {
    pub flags: u8,
    /// ITL slot of the transaction that holds the entry; 0 for none.
    pub lock: u8,
    pub rowid: [u8; ROWID_BYTES],
    /// The stored key; where the index is not unique it ends with the rowid.
    pub key: &'a [u8],
    /// Columns of the index, without the rowid.
    columns: usize,
}

impl<'a> LeafEntry<'a> {
    #[must_use]
    pub fn deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    /// The index's columns, the rowid not among them.
    pub fn columns(&self) -> impl Iterator<Item = Option<&'a [u8]>> + use<'a> {
        Columns::of(self.key).take(self.columns)
    }
}

impl<'a> Leaf<'a> {
    /// The block must have passed [`super::check`] and be of level 0.
    #[must_use]
    pub fn of(block: &'a [u8]) -> Self {
        debug_assert!(header::is_leaf(block));
        Self { node: Node::of(block), header: header::leaf(block) }
    }

    /// Entries, those marked deleted among them.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.node.entries
    }

    #[must_use]
    pub fn deleted(&self) -> usize {
        usize::from(self.header.deleted.get())
    }

    #[must_use]
    pub fn next(&self) -> BlockAddress {
        BlockAddress::unpack(self.header.next.get())
    }

    #[must_use]
    pub fn previous(&self) -> BlockAddress {
        BlockAddress::unpack(self.header.previous.get())
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

    /// The stored key of entry `i`.
    #[must_use]
    pub fn key(&self, i: usize) -> &'a [u8] {
        self.node.key(i)
    }

    #[must_use]
    pub fn is_deleted(&self, i: usize) -> bool {
        self.node.entry_onwards(i).first().is_some_and(|flags| flags & DELETED != 0)
    }

    #[must_use]
    pub fn entry(&self, i: usize) -> LeafEntry<'a> {
        let (prefix, _) = self.node.split_entry(i);
        let key = self.node.key(i);
        let rowid = if self.header.data_bytes > 0 {
            prefix.get(LEAF_PREFIX_BYTES..)
        } else {
            key.last_chunk::<ROWID_BYTES>().map(|b| &b[..])
        };
        LeafEntry {
            flags: prefix.first().copied().unwrap_or_default(),
            lock: prefix.get(1).copied().unwrap_or_default(),
            rowid: rowid.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default(),
            key,
            columns: usize::from(self.shape().columns),
        }
    }

    /// Entry `i` behind its flags and its lock: in a unique index the rowid, then the stored key.
    #[must_use]
    pub fn stored(&self, i: usize) -> &'a [u8] {
        let entry = self.node.entry_onwards(i);
        let (_, key) = self.node.split_entry(i);
        let end = entry.len() - key.len() + self.node.key(i).len();
        entry.get(LEAF_PREFIX_BYTES..end).unwrap_or_default()
    }

    /// The first entry behind the place; [`Leaf::entries`] where there is none.
    #[must_use]
    pub fn lower_bound(&self, target: Target<'_>) -> usize {
        self.node.partition(|key| target.is_past_key(key))
    }

    /// The position of `key`, a whole stored key, or the one to insert it at.
    ///
    /// # Errors
    /// The position to insert at, when the key is not there.
    pub fn search(&self, key: &[u8]) -> Result<usize, usize> {
        let at = self.lower_bound(Target::before(key));
        if at < self.node.entries && self.node.key(at) == key { Ok(at) } else { Err(at) }
    }

    /// Bytes of entry `i`, its directory entry included.
    #[must_use]
    pub fn footprint(&self, i: usize) -> usize {
        self.node.entry_bytes(i).unwrap_or_default() + DIRECTORY_BYTES
    }
}

/// Bytes of an entry with this stored key, its directory entry included.
#[must_use]
pub fn footprint(shape: KeyShape, key: &[u8]) -> usize {
    DIRECTORY_BYTES + LEAF_PREFIX_BYTES + if shape.unique { ROWID_BYTES } else { 0 } + key.len()
}

/// Makes an empty leaf of a formatted index block.
pub fn init(block: &mut [u8], shape: KeyShape, previous: BlockAddress, next: BlockAddress) {
    node::init(block, 0, shape, LEAF_HEADER_BYTES);
    let usable = header::usable(block);
    let header = header::leaf_mut(block);
    header.next = next.pack().into();
    header.previous = previous.pack().into();
    header.data_bytes = if shape.unique { ROWID_BYTES as u8 } else { 0 };
    header.usable = (usable as u32).into();
}

pub fn set_next(block: &mut [u8], next: BlockAddress) {
    header::leaf_mut(block).next = next.pack().into();
}

pub fn set_previous(block: &mut [u8], previous: BlockAddress) {
    header::leaf_mut(block).previous = previous.pack().into();
}

/// Inserts an entry as number `at`; false where it does not fit.
pub fn insert(block: &mut [u8], at: usize, key: &[u8], rowid: [u8; ROWID_BYTES]) -> bool {
    let prefix = Node::of(block).prefix_bytes;
    node::insert(block, at, prefix + key.len(), |entry| {
        entry[..LEAF_PREFIX_BYTES].fill(0);
        if prefix > LEAF_PREFIX_BYTES {
            entry[LEAF_PREFIX_BYTES..prefix].copy_from_slice(&rowid);
        }
        entry[prefix..].copy_from_slice(key);
    })
}

/// Appends an entry behind all others, which must be smaller: for loading leaves in key order.
pub fn append(block: &mut [u8], key: &[u8], rowid: [u8; ROWID_BYTES]) -> bool {
    let at = usize::from(header::common(block).entries.get());
    insert(block, at, key, rowid)
}

/// Sets or clears the deleted mark of entry `at`.
pub fn set_deleted(block: &mut [u8], at: usize, deleted: bool) {
    let leaf = Leaf::of(block);
    if leaf.is_deleted(at) == deleted {
        return;
    }
    let start = transaction::body_offset(block) + leaf.node.offset(at);
    block[start] ^= DELETED;
    let header = header::leaf_mut(block);
    if deleted {
        header.deleted += 1;
    } else {
        header.deleted -= 1;
    }
}

/// Brings a deleted entry of the same key back, for the row `rowid`.
pub fn revive(block: &mut [u8], at: usize, rowid: [u8; ROWID_BYTES]) {
    set_deleted(block, at, false);
    set_rowid(block, at, rowid);
}

/// Points entry `at` to another row; the rowid of an index that is not unique is part of its key and stays.
pub(super) fn set_rowid(block: &mut [u8], at: usize, rowid: [u8; ROWID_BYTES]) {
    let node = Node::of(block);
    if node.prefix_bytes > LEAF_PREFIX_BYTES {
        let start = transaction::body_offset(block) + node.offset(at);
        let prefix = node.prefix_bytes;
        block[start + LEAF_PREFIX_BYTES..start + prefix].copy_from_slice(&rowid);
    }
}

/// Takes entry `at` out.
pub fn remove(block: &mut [u8], at: usize) {
    set_lock(block, at, 0);
    if Leaf::of(block).is_deleted(at) {
        header::leaf_mut(block).deleted -= 1;
    }
    node::remove(block, at);
}

/// Removes all entries marked deleted, whichever transaction did it; returns their number.
pub fn purge(block: &mut [u8]) -> usize {
    super::change::purge(block, |_| true)
}

/// The division of a full leaf and one more entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Entries that stay; the rest move to the new right-hand leaf.
    pub keep: usize,
    /// The new entry belongs to the right-hand leaf.
    pub right: bool,
    /// The new entry fits into its leaf. It may not, between two very long keys: the next attempt divides again.
    pub fits: bool,
    /// Only the new entry goes to the new leaf, at the right-hand edge of the index.
    pub ninety_ten: bool,
}

/// The division of a leaf for a new entry of `footprint` bytes at position `at`: 90-10 at the index's right-hand edge,
/// else at half the bytes.
#[must_use]
pub fn cut(block: &[u8], at: usize, footprint: usize) -> Cut {
    let leaf = Leaf::of(block);
    let entries = leaf.entries();
    if at == entries && leaf.next().is_none() && entries > 0 {
        return Cut { keep: entries, right: true, fits: true, ninety_ten: true };
    }
    let capacity = leaf.node.body.len() - LEAF_HEADER_BYTES;
    // The entries and the new one among them, in order; `left` bytes are those of the first `first` of them.
    let bytes = |i: usize| match i.cmp(&at) {
        Ordering::Less => leaf.footprint(i),
        Ordering::Equal => footprint,
        Ordering::Greater => leaf.footprint(i - 1),
    };
    let total: usize = (0..=entries).map(bytes).sum();
    let mut best: Option<(usize, usize)> = None;
    let mut left = 0;
    for first in 1..=entries {
        left += bytes(first - 1);
        let right = total - left;
        if left <= capacity && right <= capacity && best.is_none_or(|(_, worst)| left.max(right) < worst) {
            best = Some((first, left.max(right)));
        }
    }
    match best {
        Some((first, _)) => {
            let right = first <= at;
            Cut { keep: if right { first } else { first - 1 }, right, fits: true, ninety_ten: false }
        }
        None => Cut { keep: at, right: false, fits: false, ninety_ten: false },
    }
}

/// The division of a leaf at half the bytes to make room for ITL slots, without a new entry; None for a leaf of one
/// entry or none.
#[must_use]
pub fn halve(block: &[u8]) -> Option<Cut> {
    let leaf = Leaf::of(block);
    let entries = leaf.entries();
    let total: usize = (0..entries).map(|i| leaf.footprint(i)).sum();
    let mut left = 0;
    let keep = (1..entries).min_by_key(|keep| {
        left += leaf.footprint(keep - 1);
        left.max(total - left)
    })?;
    Some(Cut { keep, right: false, fits: true, ninety_ten: false })
}

/// The separator for a division of a leaf at `keep`, without a new entry.
#[must_use]
pub fn separator_at(block: &[u8], keep: usize) -> Vec<u8> {
    let leaf = Leaf::of(block);
    key::separator(leaf.key(keep - 1), leaf.key(keep))
}

/// The separator for a division.
#[must_use]
pub fn cut_separator(block: &[u8], at: usize, key: &[u8], cut: Cut) -> Vec<u8> {
    let leaf = Leaf::of(block);
    let last = if !cut.right && at == cut.keep { key } else { leaf.key(cut.keep - 1) };
    let first = if cut.right && at == cut.keep { key } else { leaf.key(cut.keep) };
    key::separator(last, first)
}

/// Moves the entries from `keep` on to `right`, which must be an empty leaf of the same index, and copies this leaf's
/// ITL to it. The caller sets the links.
pub fn divide(block: &mut [u8], keep: usize, right: &mut [u8]) {
    move_entries(block, keep, right);
    node::truncate(block, keep);
    count_locks(block);
    let deleted = count_deleted(block);
    header::leaf_mut(block).deleted = deleted.into();
    header::common_mut(block).structure_changes += 1;
}

/// Copies all entries and the ITL to `to`, an empty leaf of the same index.
pub fn copy(block: &[u8], to: &mut [u8]) {
    move_entries(block, 0, to);
}

fn move_entries(from: &[u8], first: usize, to: &mut [u8]) {
    let copied = itl::copy_all(from, to);
    debug_assert!(copied, "an empty leaf has room for the ITL of one like it");
    let cleanout = transaction::header(from).cleanout();
    transaction::header_mut(to).raise_cleanout(cleanout);
    let leaf = Leaf::of(from);
    for i in first..leaf.entries() {
        let entry = leaf.entry(i);
        let fits = append(to, entry.key, entry.rowid);
        debug_assert!(fits, "half a leaf fits an empty one");
        if entry.deleted() {
            set_deleted(to, i - first, true);
        }
        set_lock(to, i - first, entry.lock);
    }
    header::common_mut(to).structure_changes += 1;
}

fn count_deleted(block: &[u8]) -> u16 {
    let leaf = Leaf::of(block);
    (0..leaf.entries()).filter(|i| leaf.is_deleted(*i)).count() as u16
}
