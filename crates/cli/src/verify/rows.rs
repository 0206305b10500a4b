//! Rows and index entries: chains lead somewhere, and an index has the rows of its table, no more and no fewer.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, ObjectNumber, Result, Rowid};
use engine::catalog::{IndexDef, TableDef};
use engine::index::IndexScan;
use engine::instance::Session;
use engine::table::TableScan;
use format::heap::row::{FIRST, HEAD};
use format::heap::{self, RowAddress};
use scan::{RowSink, ScanSpec};

use super::Findings;
use super::segments::{Whole, is_own};

/// Rows of a scan call.
const ROWS_A_CALL: usize = 10_000;

/// Each piece that names another names one of this segment, of the right kind, and is named by it in turn where it was migrated.
pub(super) fn verify_pieces(session: &Session, whole: &Whole<'_>, findings: &mut Findings) -> Result<()> {
    for address in whole.below(whole.header.high) {
        let bytes = session.current(address, BlockClass::Data)?;
        if !is_own(whole, &bytes) {
            continue;
        }
        let mut links = Vec::new();
        for slot in 0..heap::slot_count(&bytes) {
            let Some(piece) = heap::row(&bytes, slot) else { continue };
            if let Some(next) = piece.next_address() {
                links.push((slot, piece.is_stub(), next));
            }
        }
        drop(bytes);
        for (slot, stub, next) in links {
            if let Some(why) = wrong_link(session, whole, RowAddress::new(address, slot), stub, next)? {
                findings.block(address, format!("{}: row piece {slot}: {why}", whole.segment.name()));
            }
        }
    }
    Ok(())
}

fn wrong_link(
    session: &Session,
    whole: &Whole<'_>,
    from: RowAddress,
    stub: bool,
    to: RowAddress,
) -> Result<Option<String>> {
    let target = || format!("goes on at {} slot {}", to.block, to.slot);
    if !whole.contains(to.block) {
        return Ok(Some(format!("{}, which is not in the segment", target())));
    }
    let bytes = session.current(to.block, BlockClass::Data)?;
    let piece = if is_own(whole, &bytes) { heap::row(&bytes, to.slot) } else { None };
    let Some(piece) = piece else {
        return Ok(Some(format!("{}, where there is no row piece", target())));
    };
    if stub && piece.head_address() != Some(from) {
        return Ok(Some(format!("{}, which does not lead back", target())));
    }
    if !stub && piece.flags() & (HEAD | FIRST) != 0 {
        return Ok(Some(format!("{}, where another row begins", target())));
    }
    Ok(None)
}

/// Counts rows, and sums up hashes of rowid and columns: the same for the same rows in any order.
#[derive(Default)]
struct Sum {
    rows: u64,
    hash: u64,
    object: ObjectNumber,
    block: BlockAddress,
}

impl Sum {
    fn add<'a>(&mut self, rowid: Rowid, columns: impl Iterator<Item = Option<&'a [u8]>>) {
        let mut hasher = DefaultHasher::new();
        rowid.hash(&mut hasher);
        for column in columns {
            column.hash(&mut hasher);
        }
        self.rows += 1;
        self.hash = self.hash.wrapping_add(hasher.finish());
    }
}

impl RowSink for Sum {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.object, self.block) = (object, address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        // A row whose key is all NULL has no index entry.
        if columns.is_empty() || columns.iter().any(Option::is_some) {
            let rowid = Rowid { data_object: self.object, block: self.block, slot };
            self.add(rowid, columns.iter().copied());
        }
    }
}

fn sum(session: &Arc<Session>, table: &Arc<TableDef>, projection: Vec<u16>) -> Result<Sum> {
    let mut sum = Sum::default();
    let spec = ScanSpec { projection, predicate: None, rowids: true };
    let mut scan = TableScan::new(Arc::clone(session), Arc::clone(table), spec)?;
    while scan.next(&mut sum, ROWS_A_CALL)? {}
    Ok(sum)
}

/// Reads every row with all its columns; their number.
pub(super) fn verify_table(session: &Arc<Session>, table: &Arc<TableDef>, findings: &mut Findings) -> Result<u64> {
    let all = (0..table.columns.len() as u16).collect();
    match sum(session, table, all) {
        Ok(_) => sum(session, table, Vec::new()).map(|sum| sum.rows),
        Err(error) => {
            findings.problem(format!("{}: {error}", table.qualified_name()));
            Ok(0)
        }
    }
}

/// The tree by itself, then its entries against the rows; their number.
pub(super) fn verify_index(session: &Arc<Session>, index: &Arc<IndexDef>, findings: &mut Findings) -> Result<u64> {
    let name = index.qualified_name();
    let problems = engine::index::verify(session, index)?;
    for problem in &problems {
        findings.block(problem.address, format!("{name}: {}", problem.text));
    }
    if !problems.is_empty() {
        return Ok(0);
    }
    let mut entries = Sum::default();
    let mut scan = IndexScan::new(session, index, Bound::Unbounded, Bound::Unbounded, false)?;
    while let Some((key, rowid)) = scan.next()? {
        entries.add(rowid, key.columns());
    }
    let catalog = session.catalog();
    let Some(table) = catalog.table_by_number(index.table) else {
        findings.problem(format!("{name}: its table is not in the dictionary"));
        return Ok(entries.rows);
    };
    let rows = sum(session, table, index.columns.clone())?;
    if rows.rows != entries.rows {
        findings.problem(format!("{name}: {} entries for {} rows with a key", entries.rows, rows.rows));
    } else if rows.hash != entries.hash {
        findings.problem(format!("{name}: its keys or rowids are not those of the rows of {}", table.qualified_name()));
    }
    Ok(entries.rows)
}
