//! Placement of the rows of sessions that insert at the same time, under bitmaps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockSize, Rowid, SystemClock};
use device::{Fault, FaultyFileSystem, MemoryFileSystem};

use super::fixture::{Columns, Database, borrow, scan_by};
use engine::ddl::{PhysicalAttributes, TableSpec};
use engine::dictionary::TableDef;
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::table::{Inserter, delete};
use storage::txn::CommitWrite;

fn row(session: usize, n: usize) -> Columns {
    vec![Some(vec![session as u8 + 1, (n / 256) as u8, n as u8]), Some(vec![7; 250])]
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, row: &Columns) {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    inserter.push(&borrow(row)).unwrap();
    inserter.finish().unwrap();
}

/// Rows that a session inserts in one transaction.
const TOGETHER: usize = 50;

/// The sessions that have put rows into each block, by the round of transactions in which they did.
fn writers(database: &Database, table: &Arc<TableDef>) -> BTreeMap<BlockAddress, BTreeMap<usize, BTreeSet<u8>>> {
    let mut writers: BTreeMap<BlockAddress, BTreeMap<usize, BTreeSet<u8>>> = BTreeMap::new();
    for (rowid, row) in database.scan(table) {
        let key = row[0].as_ref().unwrap();
        let round = (usize::from(key[1]) * 256 + usize::from(key[2])) / TOGETHER;
        writers.entry(rowid.block).or_default().entry(round).or_default().insert(key[0]);
    }
    writers
}

/// Each session inserts in turn and keeps its transaction open for a while: no session uses a block in which another
/// one has a transaction, and all their blocks are full but the last few.
#[test]
fn sessions_at_work_have_blocks_of_their_own() {
    const ROWS: usize = 300;
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 10);
    let sessions: Vec<_> = (0..5).map(|_| database.connect()).collect();
    for n in 0..ROWS {
        for (number, session) in sessions.iter().enumerate() {
            insert(session, &table, &row(number, n));
        }
        if (n + 1) % TOGETHER == 0 {
            sessions.iter().for_each(|session| session.commit(CommitWrite::default()).unwrap());
        }
    }
    let writers = writers(&database, &table);
    let shared = writers.values().flat_map(BTreeMap::values).filter(|sessions| sessions.len() > 1).count();
    assert_eq!(shared, 0, "{writers:?}");
    // 27 rows to a block, and each session's last one.
    let rows = ROWS * sessions.len();
    assert!(writers.len() <= rows.div_ceil(26) + 2 * sessions.len(), "{} blocks", writers.len());
}

/// One session after the other, each with a transaction that has ended: the later ones fill the blocks that the first
/// has begun once their own are full.
#[test]
fn sessions_fill_blocks_that_others_have_left() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 10);
    let sessions: Vec<_> = (0..5).map(|_| database.connect()).collect();
    for (number, session) in sessions.iter().enumerate() {
        for n in 0..200 {
            insert(session, &table, &row(number, n));
            session.commit(CommitWrite::default()).unwrap();
        }
    }
    let blocks = writers(&database, &table).len();
    assert!(blocks <= 1000_usize.div_ceil(26) + 5, "{blocks} blocks");
}

/// A table in a tablespace that ends at two megabytes: its file does not grow, or, with `autoextend`, finds no room on
/// its disk.
fn confined(autoextend: bool) -> (Arc<Instance>, Arc<TableDef>) {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::default())));
    let clock = Arc::new(SystemClock::default());
    let instance =
        Instance::create(files.clone(), Path::new("/database"), clock, None, &CreateOptions::default()).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let file = DatafileSpec {
        name: "t.dbf".to_owned(),
        bytes: 2 << 20,
        reuse: false,
        autoextend: autoextend.then_some((1 << 20, None)),
    };
    let spec = TablespaceSpec {
        logging: true,
        name: "T".to_owned(),
        files: vec![file],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    instance.create_tablespace(&session, &spec).unwrap();
    (1..2000).for_each(|nth| files.fail(nth, Fault::Growth));
    let column = |name: &str| engine::dictionary::ColumnDef {
        name: name.to_owned(),
        data_type: common::DataType::Varchar2 { bytes: 4000 },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new("SYSTEM", "T", vec![column("A"), column("B")]);
    spec.tablespace = Some("T".to_owned());
    spec.physical = PhysicalAttributes { pctfree: Some(0), ..PhysicalAttributes::default() };
    let table = session.create_table(&spec).unwrap();
    (instance, table)
}

/// An insert fails for want of space only after it has tried every block in which another session is at work.
#[test]
fn blocks_in_use_are_better_than_none() {
    for (autoextend, number) in [(false, 1653), (true, 1237)] {
        let (instance, table) = confined(autoextend);
        let (owner, busy) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
        let large: Columns = vec![Some(vec![7; 3]), Some(vec![7; 1900])];
        let full = loop {
            let mut inserter = Inserter::new(owner.worker().clone(), table.heap().clone()).unwrap();
            if let Err(error) = inserter.push(&borrow(&large)).and_then(|()| inserter.finish()) {
                break error;
            }
        };
        assert!(full.is_ora(number), "{full}");
        owner.commit(CommitWrite::default()).unwrap();
        for in_use in [1, 31, 32, 33] {
            let mut blocks: BTreeMap<BlockAddress, Vec<Rowid>> = BTreeMap::new();
            for rowid in scan_by(&owner, &table, None, 100).into_keys() {
                blocks.entry(rowid.block).or_default().push(rowid);
            }
            // Room in so many blocks, and another session's transaction in each of them.
            let chosen: Vec<_> = blocks.values().filter(|rowids| rowids.len() == 4).take(in_use).collect();
            assert_eq!(chosen.len(), in_use);
            for rowids in &chosen {
                rowids[1..].iter().for_each(|rowid| assert!(delete(&owner, &table, *rowid).unwrap()));
            }
            owner.commit(CommitWrite::default()).unwrap();
            for rowids in &chosen {
                assert!(delete(&busy, &table, rowids[0]).unwrap());
            }
            let other = instance.connect("SYSTEM").unwrap();
            let mut inserter = Inserter::new(other.worker().clone(), table.heap().clone()).unwrap();
            let inserted = inserter.push(&borrow(&large)).and_then(|()| inserter.finish());
            assert!(inserted.is_ok(), "{in_use} blocks in use: {inserted:?}");
            drop(inserter);
            other.rollback().unwrap();
            busy.rollback().unwrap();
            // As full as before.
            for _ in 0..3 * in_use {
                insert(&owner, &table, &large);
            }
            owner.commit(CommitWrite::default()).unwrap();
        }
        drop((owner, busy));
        instance.shutdown().unwrap();
    }
}
