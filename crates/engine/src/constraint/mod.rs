//! Constraints between rows, checked for many keys at once: missing parents, existing children, duplicate keys.
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

/// The key of a row in some columns; None when one of them is NULL: a foreign key then refers to nothing, whatever the
/// others are.
#[must_use]
pub fn whole_key<'a>(columns: &[u16], column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let values = || columns.iter().map(|position| column(usize::from(*position)));
    values().all(|value| value.is_some()).then(|| Key::new(values()))
}

/// The row's value of a unique key; None when all its columns are NULL.
#[must_use]
pub fn unique_key<'a>(key: &ConstraintDef, column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let found = Key::new(key.columns.iter().map(|position| column(usize::from(*position))));
    (!found.is_all_null()).then_some(found)
}
