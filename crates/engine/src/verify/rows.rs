//! Rows and index entries, read through the engine: the structure of each index, and that indexes and tables agree both
//! ways.
//!
//! For each index the rows' keys are summed while the table is scanned, and the entries while the index is walked:
//! equal counts and equal sums of hashes mean equal sets, with overwhelming probability. Only where they differ are
//! both written out and compared one by one.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;

use common::{BlockAddress, ObjectNumber, Result, Rowid};
use scan::{RowSink, ScanSpec};

use super::report::Report;
use crate::dictionary::{IndexDef, TableDef};
use crate::instance::Session;
use storage::index::{self, IndexScan};
use storage::table;

/// Differences between a table and an index that are listed.
const DIFFERENCES_MAX: usize = 20;

type OwnedKey = Vec<Option<Vec<u8>>>;

/// An order-free sum of keys with rowids.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct KeySum {
    count: u64,
    hashes: u64,
}

impl KeySum {
    fn add<'k>(&mut self, key: impl Iterator<Item = Option<&'k [u8]>>, rowid: Rowid) {
        let mut hasher = DefaultHasher::new();
        for column in key {
            column.hash(&mut hasher);
        }
        rowid.hash(&mut hasher);
        self.count += 1;
        self.hashes = self.hashes.wrapping_add(hasher.finish());
    }
}

/// Reads a table and its indexes.
pub(super) fn check(session: &Arc<Session>, table: &Arc<TableDef>, report: &mut Report) {
    let name = table.qualified_name();
    report.checked.tables += 1;
    let sums = match sum_rows(session, table) {
        Ok((rows, sums)) => {
            report.checked.rows += rows;
            sums
        }
        Err(error) => {
            report.problem(Some(&name), None, format!("its rows cannot be read: {error}"));
            return;
        }
    };
    for (index, rows) in table.indexes.iter().zip(sums) {
        report.checked.indexes += 1;
        if let Err(error) = check_index(session, table, index, rows, report) {
            report.problem(Some(&index.qualified_name()), None, format!("its entries cannot be read: {error}"));
        }
    }
}

fn check_index(
    session: &Arc<Session>,
    table: &Arc<TableDef>,
    index: &Arc<IndexDef>,
    rows: KeySum,
    report: &mut Report,
) -> Result<()> {
    let name = index.qualified_name();
    let problems = index::verify(session, index, Some(&table.segment))?;
    let sound = problems.is_empty();
    for problem in problems {
        report.problem(Some(&name), Some(problem.address), problem.text);
    }
    if !sound {
        return Ok(());
    }
    let mut entries = KeySum::default();
    let mut scan = IndexScan::new(session, index, Bound::Unbounded, Bound::Unbounded, false)?;
    while let Some((key, rowid)) = scan.next()? {
        entries.add(key.columns(), rowid);
    }
    report.checked.index_entries += entries.count;
    if entries != rows {
        list_differences(session, table, index, report)?;
    }
    Ok(())
}

/// Counts the rows, and sums the keys of those that each index has an entry for: those with a column that is not NULL.
fn sum_rows(session: &Arc<Session>, table: &Arc<TableDef>) -> Result<(u64, Vec<KeySum>)> {
    let mut sums = vec![KeySum::default(); table.indexes.len()];
    let rows = each_row(session, table, |row, rowid| {
        for (sum, index) in sums.iter_mut().zip(&table.indexes) {
            let key = || index.columns.iter().map(|column| row.get(usize::from(*column)).copied().flatten());
            if key().any(|column| column.is_some()) {
                sum.add(key(), rowid);
            }
        }
    })?;
    Ok((rows, sums))
}

fn each_row(session: &Arc<Session>, table: &Arc<TableDef>, visit: impl FnMut(&[Option<&[u8]>], Rowid)) -> Result<u64> {
    let columns = table.columns.len() as u16;
    let spec = ScanSpec { projection: (0..columns).collect(), predicate: None, rowids: true };
    let mut scan = table::TableScan::new(session.worker().clone(), table.heap().clone(), spec)?;
    let mut sink = VisitedRows { data_object: ObjectNumber(0), address: BlockAddress::NONE, rows: 0, visit };
    while scan.next(&mut sink, 10_000)? {}
    Ok(sink.rows)
}

struct VisitedRows<F> {
    data_object: ObjectNumber,
    address: BlockAddress,
    rows: u64,
    visit: F,
}

impl<F: FnMut(&[Option<&[u8]>], Rowid)> RowSink for VisitedRows<F> {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.data_object, self.address) = (object, address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        (self.visit)(columns, Rowid { data_object: self.data_object, block: self.address, slot });
    }
}

/// Lists rows without an entry and entries without a row.
fn list_differences(
    session: &Arc<Session>,
    table: &Arc<TableDef>,
    index: &Arc<IndexDef>,
    report: &mut Report,
) -> Result<()> {
    let name = index.qualified_name();
    // For each row and key: rows minus entries.
    let mut balance: BTreeMap<(Rowid, OwnedKey), i32> = BTreeMap::new();
    each_row(session, table, |row, rowid| {
        let key: Vec<_> = index
            .columns
            .iter()
            .map(|column| row.get(usize::from(*column)).copied().flatten().map(<[u8]>::to_vec))
            .collect();
        if key.iter().any(Option::is_some) {
            *balance.entry((rowid, key)).or_default() += 1;
        }
    })?;
    let mut scan = IndexScan::new(session, index, Bound::Unbounded, Bound::Unbounded, false)?;
    while let Some((key, rowid)) = scan.next()? {
        let key: Vec<_> = key.columns().map(|column| column.map(<[u8]>::to_vec)).collect();
        *balance.entry((rowid, key)).or_default() -= 1;
    }
    let wrong: Vec<_> = balance.into_iter().filter(|(_, count)| *count != 0).collect();
    for ((rowid, _), count) in wrong.iter().take(DIFFERENCES_MAX) {
        let text = if *count > 0 {
            format!("row {rowid} has no entry with its key")
        } else {
            format!("an entry leads to {rowid}, and there is no row with its key")
        };
        report.problem(Some(&name), Some(rowid.block), text);
    }
    if wrong.len() > DIFFERENCES_MAX {
        report.problem(Some(&name), None, format!("{} rows and entries do not match in all", wrong.len()));
    }
    Ok(())
}
