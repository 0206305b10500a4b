//! Index blocks: the leaves and branches of a B-tree, behind the transaction header.
//!
//! ```text
//!   body_offset                                                             usable        tail
//!   | header 36 (leaf) / 28 (branch) | directory 2 x n -> |  free  | <- entries | reserve 60 | 4
//!                                                   free_begin   free_end
//!
//!   leaf entry    flags 1, lock 1, [rowid 6 when unique], key columns, [06 rowid 6 when not unique]
//!   branch entry  child 4, shortest prefix of a key that separates it from its left neighbour, [TERM]
//! ```
//!
//! Offsets in the header and in the directory count from the start of the body, so that a growing ITL can move the body
//! as a whole. The directory is in key order; the entries lie in the order of their arrival.
//! docs/formats/index-block.md has every field.
//!
//! Invariants, checked by [`validate`]: entries strictly ascending by key; `available` = free bytes, holes included;
//! nothing overlaps; `deleted` counts the entries marked so.
//!
//! This module does not know the tree: `storage::index` has parents, children and the propagation of splits.

pub mod branch;
pub mod change;
pub mod dump;
pub mod header;
mod itl;
pub mod key;
pub mod leaf;
mod node;
pub mod validate;

pub use branch::Branch;
pub use dump::dump;
pub use header::{check, is_blank, is_leaf, level};
pub(crate) use itl::{grow_itl, itl_slots_max, unlock};
pub use key::Target;
pub use leaf::{Leaf, LeafEntry};
pub use validate::validate;

#[cfg(test)]
mod reach_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transaction_tests;
