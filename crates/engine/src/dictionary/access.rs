//! Rows of the dictionary's own tables: read by a full scan, written as rows of any table are.

use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result, Rowid};
use scan::{Comparison, Predicate, RowSink, ScanSpec};
use waits::Statistic;

use super::field::{Field, damaged};
use super::rows::DictionaryRow;
use super::table::TableDef;
use storage::table;
use storage::txn::Worker;

/// The stored values of one row.
pub(crate) type StoredRow = Vec<Option<Vec<u8>>>;

/// A column, by name, and the value that it must have.
pub(crate) struct Condition {
    column: &'static str,
    value: Option<Vec<u8>>,
}

/// One condition: `column = value`.
pub(crate) fn is(column: &'static str, value: impl Field) -> Result<Condition> {
    Ok(Condition { column, value: value.encode()? })
}

/// [`is`], where it is the only condition.
pub(crate) fn equal(column: &'static str, value: impl Field) -> Result<[Condition; 1]> {
    Ok([is(column, value)?])
}

fn predicate(table: &TableDef, conditions: &[Condition]) -> Result<Option<Predicate>> {
    if conditions.is_empty() {
        return Ok(None);
    }
    let parts = conditions.iter().map(|condition| {
        let column = table
            .column(condition.column)
            .and_then(|column| u16::try_from(column).ok())
            .ok_or_else(|| Error::bug(format!("{} has no column {}", table.name, condition.column)))?;
        Ok(equals(column, condition.value.as_deref()))
    });
    Ok(Some(Predicate::And(parts.collect::<Result<_>>()?)))
}

fn equals(column: u16, value: Option<&[u8]>) -> Predicate {
    match value {
        Some(value) => Predicate::compare(column, Comparison::Equal, value),
        None => Predicate::IsNull(column),
    }
}

/// Reads all rows that satisfy `conditions`, by a full scan: the dictionary is small.
pub(crate) fn select<R: DictionaryRow>(
    worker: &Arc<Worker>,
    table: &Arc<TableDef>,
    conditions: &[Condition],
) -> Result<Vec<(Rowid, R)>> {
    let found = scan(worker, table, predicate(table, conditions)?)?;
    found.into_iter().map(|(rowid, row)| Ok((rowid, decode(&row)?))).collect()
}

fn decode<R: DictionaryRow>(row: &StoredRow) -> Result<R> {
    let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
    R::decode(&columns)
}

/// As [`select`], without damaged rows.
pub(crate) fn select_whole<R: DictionaryRow>(worker: &Arc<Worker>, table: &Arc<TableDef>) -> Result<Vec<R>> {
    Ok(scan(worker, table, None)?.into_iter().filter_map(|(_, row)| decode(&row).ok()).collect())
}

fn scan(worker: &Arc<Worker>, table: &Arc<TableDef>, predicate: Option<Predicate>) -> Result<Vec<(Rowid, StoredRow)>> {
    worker.meter().count(Statistic::RecursiveCalls, 1);
    let columns = u16::try_from(table.columns.len()).map_err(|_| Error::bug("too many columns"))?;
    let spec = ScanSpec { projection: (0..columns).collect(), predicate, rowids: true };
    let mut scan = table::TableScan::new(worker.clone(), table.heap().clone(), spec)?;
    let mut sink = Collector { data_object: ObjectNumber(0), address: BlockAddress::NONE, rows: Vec::new() };
    while scan.next(&mut sink, 1000)? {}
    Ok(sink.rows)
}

struct Collector {
    data_object: ObjectNumber,
    address: BlockAddress,
    rows: Vec<(Rowid, StoredRow)>,
}

impl RowSink for Collector {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.data_object, self.address) = (object, address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let rowid = Rowid { data_object: self.data_object, block: self.address, slot };
        self.rows.push((rowid, columns.iter().map(|value| value.map(<[u8]>::to_vec)).collect()));
    }
}

/// Adds rows to a dictionary table.
pub(crate) fn insert_rows(worker: &Arc<Worker>, table: &Arc<TableDef>, rows: &[StoredRow]) -> Result<()> {
    worker.meter().count(Statistic::RecursiveCalls, 1);
    let mut inserter = table::Inserter::new(worker.clone(), table.heap().clone())?;
    for row in rows {
        let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
        inserter.push(&columns)?;
    }
    inserter.finish()?;
    Ok(())
}

pub(crate) fn delete_row(worker: &Arc<Worker>, table: &Arc<TableDef>, rowid: Rowid) -> Result<()> {
    worker.meter().count(Statistic::RecursiveCalls, 1);
    if table::delete(worker, table, rowid)? {
        Ok(())
    } else {
        Err(damaged(format_args!("a row of {} is gone", table.name)))
    }
}

pub(crate) fn update_row(worker: &Arc<Worker>, table: &Arc<TableDef>, rowid: Rowid, row: &StoredRow) -> Result<()> {
    worker.meter().count(Statistic::RecursiveCalls, 1);
    let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
    if table::update(worker, table, rowid, &columns)? {
        Ok(())
    } else {
        Err(damaged(format_args!("a row of {} is gone", table.name)))
    }
}
