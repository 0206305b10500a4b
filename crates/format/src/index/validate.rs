//! The thorough check of one index block: every entry is valid, every byte accounted for.

use std::cmp::Ordering;

use common::{BlockAddress, Error, Result, limits};

use super::header::{self, UNIQUE};
use super::key::{self, Columns, ROWID_BYTES};
use super::leaf::{DELETED, Leaf};
use super::node::Node;
use crate::{itl, transaction};

/// Checks an index block by itself; the engine checks its place in the tree. Safe on any bytes.
///
/// # Errors
/// ORA-01578 with the address and the first thing that is wrong.
pub fn validate(block: &[u8], address: BlockAddress) -> Result<()> {
    header::check(block, address)?;
    let bad = |why: String| Err(Error::corrupt(address, why));
    let common = header::common(block);
    let node = Node::of(block);
    if common.flags & !UNIQUE != 0 {
        return bad(format!("unknown index flags {:#04x}", common.flags));
    }
    if usize::from(common.key_columns) > limits::INDEX_COLUMNS_MAX + 1 {
        return bad(format!("{} key columns", common.key_columns));
    }

    let end_of_directory = usize::from(common.free_begin.get());
    let free_end = usize::from(common.free_end.get());
    let mut extents = Vec::with_capacity(node.entries);
    let mut taken = 0;
    for i in 0..node.entries {
        let start = node.offset(i);
        let Some(bytes) = node.entry_bytes(i).filter(|_| start >= free_end) else {
            return bad(format!("entry {i} at {start} is not an entry"));
        };
        extents.push((start, start + bytes));
        taken += bytes;
        if i > 0 && key::compare(node.key(i - 1), node.key(i)) != Ordering::Less {
            return bad(format!("entry {i} is not greater than the one before"));
        }
    }
    extents.sort_unstable();
    if let Some(pair) = extents.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        return bad(format!("entries at {} and {} overlap", pair[0].0, pair[1].0));
    }
    let available = node.body.len() - end_of_directory - taken;
    if usize::from(common.available.get()) != available {
        return bad(format!("{} bytes available, header says {}", available, common.available));
    }

    if common.level > 0 {
        let leftmost = BlockAddress::unpack(header::branch(block).leftmost.get());
        return if leftmost.is_none() { bad("branch has no leftmost child".to_owned()) } else { Ok(()) };
    }
    let leaf = Leaf::of(block);
    let unique = common.flags & UNIQUE != 0;
    let data = usize::from(header::leaf(block).data_bytes);
    if data != if unique { ROWID_BYTES } else { 0 } {
        return bad(format!("{data} data bytes in front of a key"));
    }
    let deleted = (0..leaf.entries()).filter(|i| leaf.is_deleted(*i)).count();
    if deleted != leaf.deleted() {
        return bad(format!("{deleted} entries deleted, header says {}", leaf.deleted()));
    }
    let mut locked = [0u16; 256];
    for i in 0..leaf.entries() {
        let entry = leaf.entry(i);
        locked[usize::from(entry.lock)] += 1;
        if entry.lock > transaction::header(block).itl_count {
            return bad(format!("entry {i} is held by ITL slot {}, which is not there", entry.lock));
        }
        if entry.flags & !DELETED != 0 {
            return bad(format!("entry {i} has unknown flags {:#04x}", entry.flags));
        }
        if !unique && Columns::of(entry.key).last().flatten().map(<[u8]>::len) != Some(ROWID_BYTES) {
            return bad(format!("entry {i} does not end with a rowid"));
        }
    }
    for (number, slot) in itl::slots(block) {
        let count = locked[usize::from(number)];
        if slot.lock_count() != count || (slot.is_cleaned() && count > 0) || slot.credit() > 0 {
            return bad(format!(
                "ITL slot {number} has flags {:#06x} and a credit of {}, it holds {count} entries",
                slot.flags,
                slot.credit()
            ));
        }
    }
    Ok(())
}
