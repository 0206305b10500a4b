//! The state of an open database, read through the engine alone.

use common::sync::Arc;
use common::{BlockAddress, Error, ObjectNumber, Result};
use engine::dictionary::TableDef;
use engine::instance::Session;
use scan::{RowSink, ScanSpec};
use storage::table::TableScan;

use super::plan::ACCOUNTS;
use super::state::{Rows, Table, WorkloadState};

/// The owner of the tables.
const OWNER: &str = "SYSTEM";
/// Blocks of one call of a scan.
const BLOCKS: u32 = 100;

#[derive(Default)]
struct Found {
    rows: Rows,
    wrong: Vec<String>,
    table: String,
}

impl RowSink for Found {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        let number = |column: usize| columns.get(column).copied().flatten().and_then(format::number::decode_i64);
        let (Some(id), Some(n)) = (number(0), number(1)) else {
            self.wrong.push(format!("{} has a row without an id or n", self.table));
            return;
        };
        let filler = columns.get(2).copied().flatten().unwrap_or_default();
        let own = self.table == ACCOUNTS || filler.starts_with(format!("{id}.{n}.").as_bytes());
        if !own {
            self.wrong.push(format!("row {id} of {} has n = {n} and the filler of another", self.table));
        }
        if self.rows.insert(id, n).is_some() {
            self.wrong.push(format!("row {id} of {} is there twice", self.table));
        }
    }
}

/// All objects of the workload, and those that no statement can have made.
///
/// # Errors
/// Errors of reading.
pub fn read(session: &Arc<Session>) -> Result<(WorkloadState, Vec<String>)> {
    let mut state = WorkloadState::default();
    let mut wrong = Vec::new();
    let catalog = session.catalog();
    for (name, error) in catalog.unusable() {
        wrong.push(format!("{name} cannot be used: {error}"));
    }
    for table in catalog.tables_of(OWNER).filter(|table| is_ours(&table.name)) {
        let rows = scan(session, table, &mut wrong)?;
        let indexes = table.indexes.iter().map(|index| index.name.clone()).collect();
        let tablespace = table.segment.tablespace().name().to_owned();
        state.tables.insert(table.name.clone(), Table { rows: Arc::new(rows), indexes, tablespace });
    }
    let control = session.instance().control();
    let data = control.data();
    for tablespace in data.tablespaces.iter().filter(|tablespace| is_our_space(&tablespace.name)) {
        let files = data.datafiles.iter().filter(|file| file.tablespace == tablespace.number);
        let mut bytes: Vec<u64> = files.map(|file| u64::from(file.blocks) * tablespace.block_bytes).collect();
        bytes.sort_unstable();
        state.tablespaces.insert(tablespace.name.clone(), bytes);
    }
    state.groups = data.disk_groups.iter().map(|group| group.name.clone()).collect();
    Ok((state, wrong))
}

/// The tables of the workload: others come with a database.
fn is_ours(name: &str) -> bool {
    let numbered = name.strip_prefix('T').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    numbered || ["ACCOUNTS", "ROWS_MANUAL", "ROWS_AUTO", "JOB_A", "JOB_B"].contains(&name)
}

fn is_our_space(name: &str) -> bool {
    let rest = name.strip_prefix("TS").or_else(|| name.strip_prefix("UN"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

fn scan(session: &Arc<Session>, table: &Arc<TableDef>, wrong: &mut Vec<String>) -> Result<Rows> {
    let spec = ScanSpec { projection: vec![0, 1, 2], predicate: None, rowids: false };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec)
        .map_err(|error| Error { text: format!("{}: {}", table.name, error.text), ..error })?;
    let mut found = Found { table: table.name.clone(), ..Found::default() };
    while scan.next(&mut found, BLOCKS as usize)? {}
    wrong.append(&mut found.wrong);
    Ok(found.rows)
}
