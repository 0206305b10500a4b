//! The entries of an index: conditions on their columns, and those of a leaf that satisfy one.

use common::ObjectNumber;
use format::index::Leaf;
use format::{block, transaction};

use crate::predicate::{Columns, Predicate};
use crate::scanner::RowSink;

/// The columns of an entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryColumns<'a, 'k> {
    /// The index's columns, as positions in the table.
    pub columns: &'a [u16],
    /// Their values.
    pub values: &'a [Option<&'k [u8]>],
}

impl<'k> Columns<'k> for EntryColumns<'_, 'k> {
    #[inline]
    fn column(&mut self, column: u16) -> Option<&'k [u8]> {
        let at = self.columns.iter().position(|own| *own == column)?;
        self.values.get(at).copied().flatten()
    }
}

/// Hands over the entries of a leaf that are not marked deleted and satisfy a condition, each as one column with the
/// bytes of [`Leaf::stored`], and its place as the slot. The block must have passed [`format::index::check`].
pub fn scan_leaf(bytes: &[u8], columns: &[u16], condition: Option<&Predicate>, sink: &mut (impl RowSink + ?Sized)) {
    let leaf = Leaf::of(bytes);
    let mut values: Vec<Option<&[u8]>> = Vec::with_capacity(columns.len());
    let mut is_announced = false;
    for at in 0..leaf.entries() {
        if leaf.is_deleted(at) {
            continue;
        }
        if let Some(condition) = condition {
            values.clear();
            values.extend(leaf.entry(at).columns());
            if !condition.accepts(&mut EntryColumns { columns, values: &values }) {
                continue;
            }
        }
        if !std::mem::replace(&mut is_announced, true) {
            let object: ObjectNumber = transaction::header(bytes).object_number();
            sink.block(object, block::header(bytes).address());
        }
        sink.row(at as u16, &[Some(leaf.stored(at))]);
    }
}
