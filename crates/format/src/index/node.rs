//! Leaves and branches in common: a directory in key order over entries of varying length.

use super::header::{self, BRANCH_HEADER_BYTES, DIRECTORY_BYTES, LEAF_HEADER_BYTES};
use super::key::{self, TERM};
use crate::transaction;

/// Bytes in front of the key: flags and lock, and in unique indexes the rowid; in branches the child.
pub(super) const LEAF_PREFIX_BYTES: usize = 2;
pub(super) const CHILD_BYTES: usize = 4;

/// Read access to an index block. Invalid bytes read as empty, never out of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    /// From the start of the body to the end of the entries.
    pub(super) body: &'a [u8],
    pub(super) entries: usize,
    pub(super) key_columns: u8,
    pub(super) header_bytes: usize,
    /// Bytes of an entry in front of its key.
    pub(super) prefix_bytes: usize,
}

impl<'a> Node<'a> {
    pub(super) fn of(block: &'a [u8]) -> Self {
        let common = header::common(block);
        let base = transaction::body_offset(block);
        let leaf = common.level == 0;
        Self {
            body: &block[base..base + header::usable(block)],
            entries: usize::from(common.entries.get()),
            key_columns: common.key_columns,
            header_bytes: if leaf { LEAF_HEADER_BYTES } else { BRANCH_HEADER_BYTES },
            prefix_bytes: if leaf {
                LEAF_PREFIX_BYTES + usize::from(header::leaf(block).data_bytes)
            } else {
                CHILD_BYTES
            },
        }
    }

    #[inline]
    pub(super) fn offset(&self, i: usize) -> usize {
        let at = self.header_bytes + DIRECTORY_BYTES * i;
        self.body.get(at..at + DIRECTORY_BYTES).map_or(usize::MAX, |b| usize::from(u16::from_le_bytes([b[0], b[1]])))
    }

    /// The bytes from the start of entry `i` to the end of all entries.
    #[inline]
    pub(super) fn entry_onwards(&self, i: usize) -> &'a [u8] {
        self.body.get(self.offset(i)..).unwrap_or_default()
    }

    /// The bytes in front of entry `i`'s key, and those from its key on.
    #[inline]
    pub(super) fn split_entry(&self, i: usize) -> (&'a [u8], &'a [u8]) {
        self.entry_onwards(i).split_at_checked(self.prefix_bytes).unwrap_or_default()
    }

    /// The stored key of entry `i`, without a closing TERM. In branches it may have fewer columns than a key.
    #[inline]
    pub(super) fn key(&self, i: usize) -> &'a [u8] {
        let (_, rest) = self.split_entry(i);
        &rest[..columns_bytes(rest, self.key_columns)]
    }

    /// Bytes of entry `i`; None where it does not parse.
    pub(super) fn entry_bytes(&self, i: usize) -> Option<usize> {
        let (_, rest) = self.split_entry(i);
        if self.header_bytes == LEAF_HEADER_BYTES {
            return Some(self.prefix_bytes + key::image_bytes(rest, self.key_columns)?);
        }
        let key = columns_bytes(rest, self.key_columns);
        let whole = key::image_bytes(rest, self.key_columns) == Some(key);
        match rest.get(key) {
            _ if whole => Some(self.prefix_bytes + key),
            Some(&TERM) => Some(self.prefix_bytes + key + 1),
            _ => None,
        }
    }

    /// The first entry for which `is_before` is false; it is true for all before it. In leaves its argument is the
    /// bytes from the key on.
    #[inline]
    pub(super) fn partition(&self, is_before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low.midpoint(high);
            let (_, rest) = self.split_entry(middle);
            // A target has no more columns than a leaf's key, so its search never reads past one; a separator has to be
            // cut.
            let leaf = self.header_bytes == LEAF_HEADER_BYTES;
            if is_before(if leaf { rest } else { &rest[..columns_bytes(rest, self.key_columns)] }) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Bytes of at most `columns` columns at the start of `bytes`.
#[inline]
fn columns_bytes(bytes: &[u8], columns: u8) -> usize {
    let mut walk = key::Columns::of(bytes);
    for _ in 0..columns {
        if walk.next().is_none() {
            break;
        }
    }
    bytes.len() - walk.rest().len()
}

/// Writes the shared header of an empty block whose other header fields are zero.
pub(super) fn init(block: &mut [u8], level: u8, shape: header::KeyShape, header_bytes: usize) {
    let base = transaction::body_offset(block);
    let usable = header::usable(block);
    block[base..base + usable].fill(0);
    let common = header::common_mut(block);
    common.level = level;
    common.flags = if shape.unique { header::UNIQUE } else { 0 };
    common.key_columns = shape.key_columns();
    common.free_begin = (header_bytes as u16).into();
    common.free_end = (usable as u16).into();
    common.available = ((usable - header_bytes) as u16).into();
    super::itl::count_locks(block);
}

/// Makes room for an entry of `bytes` as number `at` and calls `fill` to write it; false where it does not fit.
pub(super) fn insert(block: &mut [u8], at: usize, bytes: usize, fill: impl FnOnce(&mut [u8])) -> bool {
    let need = bytes + DIRECTORY_BYTES;
    let common = *header::common(block);
    if usize::from(common.available.get()) < need {
        return false;
    }
    if usize::from(common.free_end.get()) - usize::from(common.free_begin.get()) < need {
        compact(block);
    }
    let base = transaction::body_offset(block);
    let common = header::common_mut(block);
    let begin = usize::from(common.free_begin.get());
    let start = usize::from(common.free_end.get()) - bytes;
    let directory = begin - DIRECTORY_BYTES * (usize::from(common.entries.get()) - at);
    common.entries += 1;
    common.free_begin = ((begin + DIRECTORY_BYTES) as u16).into();
    common.free_end = (start as u16).into();
    common.available -= need as u16;
    block.copy_within(base + directory..base + begin, base + directory + DIRECTORY_BYTES);
    block[base + directory..base + directory + DIRECTORY_BYTES].copy_from_slice(&(start as u16).to_le_bytes());
    fill(&mut block[base + start..base + start + bytes]);
    true
}

/// Removes entry `at`; its bytes become a hole, or free space where it was the lowest.
pub(super) fn remove(block: &mut [u8], at: usize) {
    let node = Node::of(block);
    let (start, bytes) = (node.offset(at), node.entry_bytes(at).unwrap_or_default());
    let directory = node.header_bytes + DIRECTORY_BYTES * at;
    let base = transaction::body_offset(block);
    let common = header::common_mut(block);
    let begin = usize::from(common.free_begin.get());
    common.entries -= 1;
    common.free_begin = ((begin - DIRECTORY_BYTES) as u16).into();
    common.available += (bytes + DIRECTORY_BYTES) as u16;
    if usize::from(common.free_end.get()) == start {
        common.free_end = ((start + bytes) as u16).into();
    }
    block.copy_within(base + directory + DIRECTORY_BYTES..base + begin, base + directory);
}

/// Drops the entries from `keep` on, and closes the holes.
pub(super) fn truncate(block: &mut [u8], keep: usize) {
    let node = Node::of(block);
    let freed: usize = (keep..node.entries).map(|i| node.entry_bytes(i).unwrap_or_default() + DIRECTORY_BYTES).sum();
    let begin = node.header_bytes + DIRECTORY_BYTES * keep;
    let common = header::common_mut(block);
    common.entries = (keep as u16).into();
    common.free_begin = (begin as u16).into();
    common.available += freed as u16;
    compact(block);
}

/// Moves the entries together at the end of the block, in key order from the top down.
pub(super) fn compact(block: &mut [u8]) {
    let node = Node::of(block);
    let usable = node.body.len();
    let mut packed = vec![0u8; usable];
    let mut offsets = Vec::with_capacity(node.entries);
    let mut end = usable;
    for i in 0..node.entries {
        let entry = &node.entry_onwards(i)[..node.entry_bytes(i).unwrap_or_default()];
        end -= entry.len();
        packed[end..end + entry.len()].copy_from_slice(entry);
        offsets.push(end as u16);
    }
    let (header_bytes, begin) = (node.header_bytes, node.header_bytes + DIRECTORY_BYTES * node.entries);
    let base = transaction::body_offset(block);
    // Free space is zeroed along the way: deleted data does not linger.
    block[base + begin..base + usable].copy_from_slice(&packed[begin..]);
    for (i, offset) in offsets.into_iter().enumerate() {
        let at = base + header_bytes + DIRECTORY_BYTES * i;
        block[at..at + DIRECTORY_BYTES].copy_from_slice(&offset.to_le_bytes());
    }
    let common = header::common_mut(block);
    common.free_end = (end as u16).into();
    debug_assert_eq!(usize::from(common.available.get()), end - begin);
}
