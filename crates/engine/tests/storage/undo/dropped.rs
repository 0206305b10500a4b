//! Blocks that name transactions of an undo tablespace which has been dropped.

use common::sync::Arc;
use common::{BlockSize, DataType};
use scan::{RowSink, ScanSpec};

use super::fixture::{Database, fixed};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::Session;
use storage::parameters::Parameter;
use storage::table::{Inserter, TableScan, update};
use storage::txn::CommitWrite;

#[derive(Default)]
struct Found {
    at: Option<(common::ObjectNumber, common::BlockAddress)>,
    rows: Vec<(common::Rowid, Vec<u8>)>,
}

impl RowSink for Found {
    fn block(&mut self, object: common::ObjectNumber, address: common::BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        self.rows.push((common::Rowid { data_object, block, slot }, columns[0].unwrap().to_vec()));
    }
}

fn scan(s: &Arc<Session>, table: &Arc<TableDef>) -> common::Result<Found> {
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: true };
    let mut scan = TableScan::new(s.worker().clone(), table.heap().clone(), spec)?;
    let mut found = Found::default();
    while scan.next(&mut found, 100)? {}
    Ok(found)
}

fn table(s: &Arc<Session>, name: &str) -> Arc<TableDef> {
    let column =
        ColumnDef { name: "A".to_owned(), data_type: DataType::Varchar2 { bytes: 30 }, nullable: true, default: None };
    s.create_table(&TableSpec::new("SYSTEM", name, vec![column])).unwrap()
}

/// A committed row in a block that is not cleaned out: it was not in the cache.
fn write_uncleaned(database: &Database, table: &Arc<TableDef>, text: &[u8]) {
    let s = &database.session;
    let rows = scan(s, table).unwrap().rows;
    if let Some((rowid, _)) = rows.first() {
        assert!(update(s, table, *rowid, &[Some(text)]).unwrap());
    } else {
        let mut inserter = Inserter::new(s.worker().clone(), table.heap().clone()).unwrap();
        inserter.push(&[Some(text)]).unwrap();
        inserter.finish().unwrap();
    }
    database.instance.cache().flush(s.meter()).unwrap();
    s.commit(CommitWrite::default()).unwrap();
}

fn texts(s: &Arc<Session>, table: &Arc<TableDef>) -> Vec<Vec<u8>> {
    scan(s, table).unwrap().rows.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn snapshots_after_a_drop_of_the_undo_tablespace_see_its_commits() {
    let database = Database::with(BlockSize::K8, 2048);
    let sys = database.instance.connect("SYS").unwrap();
    let s = &database.session;
    let tables = ["ONE", "TWO", "THREE"].map(|name| table(s, name));
    write_uncleaned(&database, &tables[0], b"old");
    tables.iter().for_each(|table| write_uncleaned(&database, table, b"new"));
    database.set(Parameter::UndoTablespace, "UNDOTBS1");
    // A session that began before sees it as well, or gets an error: it never sees the earlier version.
    let early = database.instance.connect("SYSTEM").unwrap();
    let snapshot = early.begin_snapshot();
    sys.drop_tablespace("UNDO2", true, true).unwrap();
    // SCNs go on without a commit.
    let advance = |database: &Database, name| {
        database.instance.create_tablespace(&database.session, &fixed(name, BlockSize::K8, 1024)).unwrap();
        for _ in 0..10 {
            database.instance.advance_scn();
        }
    };
    advance(&database, "MORE");
    let s = database.instance.connect("SYSTEM").unwrap();
    assert_eq!(texts(&s, &tables[0]), [b"new"]);
    {
        let _statement = early.enter(snapshot);
        match scan(&early, &tables[1]) {
            Ok(found) => assert_eq!(found.rows[0].1, b"new"),
            Err(error) => assert!(error.is_ora(1555), "{error}"),
        }
    }
    drop((s, sys, early, tables));
    let database = database.reopen();
    advance(&database, "STILL_MORE");
    let s = database.instance.connect("SYSTEM").unwrap();
    for name in ["ONE", "TWO", "THREE"] {
        let table = s.catalog().require_table("SYSTEM", name).unwrap().clone();
        assert_eq!(texts(&s, &table), [b"new"], "{name}");
    }
}
