//! Constraints between rows: does a key have its parent, does a parent have children, is a key there twice. Asked for many keys at once.
//!
//! See README.md in this folder.

mod child;
mod parent;
mod probe;
#[cfg(test)]
mod tests;

pub use child::{children, has_children};
pub use parent::{key_index, missing_parents, orphan, take_parents};
pub use probe::{duplicate, duplicates};

use std::collections::BTreeSet;

use crate::dictionary::ConstraintDef;
use storage::index::Key;

/// Distinct keys, in the order of an index on them.
pub type KeySet = BTreeSet<Key>;

/// The key of a row in some columns; None when one of them is NULL: a foreign key then refers to nothing, whatever the others are.
#[must_use]
pub fn whole_key<'a>(columns: &[u16], column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let values = || columns.iter().map(|position| column(usize::from(*position)));
    values().all(|value| value.is_some()).then(|| Key::new(values()))
}

/// The key of a row that a unique key speaks of: None when all its columns are NULL.
#[must_use]
pub fn unique_key<'a>(key: &ConstraintDef, column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let found = Key::new(key.columns.iter().map(|position| column(usize::from(*position))));
    (!found.is_all_null()).then_some(found)
}
