//! Statements of the workload, over the engine's own interface.

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockAddress, DataType, Error, ObjectNumber, Result, Rowid};
use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::Session;
use scan::{RowSink, ScanSpec};
use storage::segment::Storage;
use storage::table::{Appender, Deleter, Inserter, TableScan, Updater};

use super::part;
use super::state::{Row, Rows, Table, WorkloadState};

/// The owner of the tables.
pub(crate) const OWNER: &str = "SYSTEM";
/// Columns of each table: the key, something short, something long.
pub(crate) const COLUMNS: usize = 3;

/// Tablespaces of every database.
const ALWAYS: [&str; 3] = ["SYSTEM", "USERS", "UNDOTBS1"];

#[derive(Default)]
struct Found {
    at: Option<(ObjectNumber, BlockAddress)>,
    rows: Vec<(Rowid, Row)>,
}

impl RowSink for Found {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        if let Some((data_object, block)) = self.at {
            let row = columns.iter().map(|column| column.map(<[u8]>::to_vec)).collect();
            self.rows.push((Rowid { data_object, block, slot }, row));
        }
    }
}

pub(crate) fn key_of(row: &Row) -> Option<u32> {
    row.first()?.as_deref()?.try_into().ok().map(u32::from_be_bytes)
}

/// Every row of a table with its rowid.
///
/// # Errors
/// Errors of the scan; ORA-00600 for a row without a key, or two with the same.
pub(crate) fn scan(session: &Arc<Session>, table: &Arc<TableDef>) -> Result<BTreeMap<u32, (Rowid, Row)>> {
    let spec = ScanSpec { projection: (0..COLUMNS as u16).collect(), predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec)?;
    let mut found = Found::default();
    while scan.next(&mut found, 100)? {}
    let mut rows = BTreeMap::new();
    for (rowid, row) in found.rows {
        let key = key_of(&row).ok_or_else(|| Error::bug(format!("{}: a row without a key", table.name)))?;
        if rows.insert(key, (rowid, row)).is_some() {
            return Err(Error::bug(format!("{}: two rows have the key {key}", table.name)));
        }
    }
    Ok(rows)
}

/// The content of all tables of the workload, as a session sees it.
///
/// # Errors
/// As [`scan`].
pub fn read(session: &Arc<Session>) -> Result<WorkloadState> {
    read_part(session, 0, 1)
}

/// The content of one part's tables. Those of the others are not read: their threads may be dropping them.
///
/// # Errors
/// As [`scan`].
pub(super) fn read_part(session: &Arc<Session>, number: usize, parts: usize) -> Result<WorkloadState> {
    let own = |name: &str| parts < 2 || part::owner(name) == number;
    let all = session.instance().tablespaces().all();
    let others = all.iter().map(|t| t.name().to_owned()).filter(|name| !ALWAYS.contains(&name.as_str()) && own(name));
    let mut state = WorkloadState { tablespaces: Arc::new(others.collect()), ..WorkloadState::default() };
    let catalog = session.catalog();
    for table in catalog.tables_of(OWNER).filter(|table| own(&table.name)) {
        let rows: Rows = scan(session, table)?.into_iter().map(|(key, (_, row))| (key, Arc::new(row))).collect();
        let indexes = table.indexes.iter().map(|index| index.name.clone()).collect();
        let tablespace = table.segment.tablespace().name().to_owned();
        state.tables.insert(table.name.clone(), Table { rows: Arc::new(rows), indexes: Arc::new(indexes), tablespace });
    }
    Ok(state)
}

pub(crate) fn table(session: &Arc<Session>, name: &str) -> Result<Arc<TableDef>> {
    session.catalog().require_table(OWNER, name).cloned()
}

fn borrow(row: &Row) -> Vec<Option<&[u8]>> {
    row.iter().map(Option::as_deref).collect()
}

/// Makes a table of the workload's kind.
///
/// # Errors
/// Errors of CREATE TABLE.
pub fn create_table(session: &Arc<Session>, name: &str, tablespace: &str, pctfree: u64) -> Result<()> {
    let column = |number: usize, bytes| ColumnDef {
        name: format!("C{number}"),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new(OWNER, name, vec![column(0, 4), column(1, 300), column(2, 4000)]);
    spec.tablespace = Some(tablespace.to_owned());
    spec.physical = PhysicalAttributes { pctfree: Some(pctfree), ..PhysicalAttributes::default() };
    session.create_table(&spec).map(drop)
}

/// Some of the indexes and tablespaces of each run are NOLOGGING, by their names: the log has no images of direct
/// loads.
pub(crate) fn is_logged(name: &str) -> bool {
    name.bytes().map(u32::from).sum::<u32>() % 3 != 0
}

pub(crate) fn create_index(
    session: &Arc<Session>,
    table: &str,
    name: &str,
    columns: &[usize],
    unique: bool,
    tablespace: &str,
) -> Result<()> {
    let spec = IndexSpec {
        logging: Some(is_logged(name)),
        owner: OWNER.to_owned(),
        name: name.to_owned(),
        table_owner: OWNER.to_owned(),
        table_name: table.to_owned(),
        columns: columns.iter().map(|number| format!("C{number}")).collect(),
        unique,
        tablespace: Some(tablespace.to_owned()),
        physical: PhysicalAttributes::default(),
        storage: Storage::default(),
    };
    session.create_index(&spec).map(drop)
}

/// Inserts rows.
///
/// # Errors
/// Errors of the insert; ORA-00600 when not all of them are in.
pub fn insert(session: &Arc<Session>, name: &str, rows: &[Row]) -> Result<()> {
    let mut inserter = Inserter::new(session.worker().clone(), table(session, name)?.heap().clone())?;
    for row in rows {
        inserter.push(&borrow(row))?;
    }
    expect(inserter.finish()?, rows.len(), "inserted")
}

/// Loads rows past the cache; unless `whole` the load is dropped before its end.
pub(crate) fn load(session: &Arc<Session>, name: &str, rows: &[Row], whole: bool) -> Result<()> {
    let mut appender = Appender::into_table(session.worker().clone(), table(session, name)?.heap().clone())?;
    for row in rows {
        appender.push(&borrow(row))?;
    }
    if whole { expect(appender.finish()?, rows.len(), "loaded") } else { Ok(()) }
}

pub(crate) fn update(session: &Arc<Session>, name: &str, rows: &[(u32, Row)]) -> Result<()> {
    let table = table(session, name)?;
    let found = scan(session, &table)?;
    let mut updater = Updater::new(session.worker().clone(), table.heap().clone());
    for (key, row) in rows {
        updater.push(place(&found, *key)?, &borrow(row))?;
    }
    expect(updater.finish()?, rows.len(), "updated")
}

pub(crate) fn delete(session: &Arc<Session>, name: &str, keys: &[u32]) -> Result<()> {
    let table = table(session, name)?;
    let found = scan(session, &table)?;
    let mut deleter = Deleter::new(session.worker().clone(), table.heap().clone());
    for key in keys {
        deleter.push(place(&found, *key)?)?;
    }
    expect(deleter.finish()?, keys.len(), "deleted")
}

fn place(found: &BTreeMap<u32, (Rowid, Row)>, key: u32) -> Result<Rowid> {
    found.get(&key).map(|(rowid, _)| *rowid).ok_or_else(|| Error::bug(format!("row {key} is not found")))
}

fn expect(found: u64, rows: usize, what: &str) -> Result<()> {
    if found == rows as u64 { Ok(()) } else { Err(Error::bug(format!("{found} of {rows} rows were {what}"))) }
}
