//! The keys of all rows of a table, for the build of an index.

use common::sync::Arc;
use common::{BlockAddress, ObjectNumber, Result};
use format::index::header::KeyShape;
use format::index::key::ROWID_BYTES;
use scan::{RowSink, ScanSpec};
use waits::Statistic;

use super::{HeapTable, TableScan};
use crate::index::{self, Built, Entries, IndexDef};
use crate::segment::Segment;
use crate::txn::Worker;

/// Most rows of one call of the table scan.
const SCAN_ROWS: usize = 10_000;

/// Fills the new, empty `segment` with the index of all rows of the table. `index` need not have its root yet.
///
/// The caller keeps other sessions from changing the table meanwhile.
///
/// # Errors
/// ORA-01452 when the index is to be unique and a key comes twice, ORA-01450 when its columns are too long, ORA-01654
/// when the segment cannot grow; errors of scanning the table.
pub fn build_index(s: &Arc<Worker>, table: &HeapTable, index: &IndexDef, segment: &Segment) -> Result<Built> {
    let columns = index.columns.iter().filter_map(|position| table.columns.get(usize::from(*position)));
    let types = columns.map(|column| column.data_type);
    let seen = s.store().visible_scn();
    let built = index::build(s, types, index, segment, |shape| gather(s, table, index, shape))?;
    // Older snapshots have rows of which the build knows nothing.
    if seen.0 > 0 {
        segment.moved(seen);
    }
    Ok(built)
}

/// The keys of all rows, sorted.
fn gather(s: &Arc<Worker>, table: &HeapTable, index: &IndexDef, shape: KeyShape) -> Result<Entries> {
    let spec = ScanSpec { projection: index.columns.clone(), predicate: None, rowids: true };
    let mut scan = TableScan::new(s.clone(), Arc::new(table.clone()), spec)?;
    let mut sink = KeySink { entries: Entries::new(shape), block: [0; 4] };
    while scan.next(&mut sink, SCAN_ROWS)? {}
    let mut entries = sink.entries;
    s.check_cancelled()?;
    entries.sort();
    s.meter().count(Statistic::SortsMemory, 1);
    s.meter().count(Statistic::SortsRows, entries.len() as u64);
    Ok(entries)
}

/// Takes the index's columns of each row.
struct KeySink {
    entries: Entries,
    /// The packed address of the current block.
    block: [u8; 4],
}

impl RowSink for KeySink {
    fn block(&mut self, _: ObjectNumber, address: BlockAddress) {
        self.block = address.pack().to_be_bytes();
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let mut rowid = [0; ROWID_BYTES];
        rowid[..4].copy_from_slice(&self.block);
        rowid[4..].copy_from_slice(&slot.to_be_bytes());
        self.entries.push(columns.iter().copied(), rowid);
    }
}
