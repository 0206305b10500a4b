//! Direct loads of tables in use: visibility, and rollback.

use std::collections::HashSet;

use common::sync::Arc;
use common::sync::atomic::{AtomicBool, Ordering};
use common::{BlockSize, Rowid};
use format::{heap, itl};

use super::fixture::{Columns, Database, MANAGEMENTS, Rows, borrow, entries_by, scan_by, scan_directly_by};
use engine::ddl::{TableChange, TableSpec};
use engine::dictionary::TableDef;
use engine::instance::{DatafileSpec, Session, TablespaceSpec};
use storage::table::{Appender, Deleter, Inserter, MOST, delete, fetch_row, lock_row, update};
use storage::txn::{CommitWrite, Isolation, LockWait};

const SIZES: [BlockSize; 2] = [BlockSize::K2, BlockSize::K8];

/// Mostly short, some of most of a block, some of several.
fn row(number: u32) -> Columns {
    let bytes = match number % 97 {
        3 => 3_900,
        7 => 1_500,
        rest => 10 + rest as usize,
    };
    vec![Some(number.to_be_bytes().to_vec()), None, Some(vec![number as u8; 5]), Some(vec![number as u8; bytes])]
}

fn rows(numbers: std::ops::Range<u32>) -> Vec<Columns> {
    numbers.map(row).collect()
}

fn load(session: &Arc<Session>, table: &Arc<TableDef>, rows: &[Columns]) -> common::Result<u64> {
    let mut appender = Appender::into_table(session.worker().clone(), table.heap().clone())?;
    for row in rows {
        appender.push(&borrow(row))?;
    }
    appender.finish()
}

/// A table with a unique index and another one, and rows that are committed.
fn prepared(database: &Database) -> (Arc<TableDef>, Rows) {
    let table = database.table("T", 4, 10);
    database.index(&table, "T_U", &[0], true);
    let table = database.index(&table, "T_N", &[2], false);
    database.insert(&table, &rows(0..500));
    database.session.commit(CommitWrite::default()).unwrap();
    let found = database.scan(&table);
    (table, found)
}

fn each(work: impl Fn(Database)) {
    for size in SIZES {
        for management in MANAGEMENTS {
            work(Database::new(size, management));
        }
    }
}

fn sorted(numbers: std::ops::Range<u32>) -> Vec<Columns> {
    let mut all = rows(numbers);
    all.sort();
    all
}

fn contents(rows: &Rows) -> Vec<Columns> {
    let mut all: Vec<_> = rows.values().cloned().collect();
    all.sort();
    all
}

/// The rows that a session sees by all access paths other than the indexes' own rowids.
fn seen(session: &Arc<Session>, table: &Arc<TableDef>) -> Rows {
    let found = scan_by(session, table, None, 100);
    assert!(scan_directly_by(session, table, 100) == found);
    for (number, _) in table.indexes.iter().enumerate() {
        let entries = entries_by(session, table, number, false);
        assert_eq!(entries.len(), found.len(), "index {number}");
        assert!(entries.iter().all(|(_, rowid)| found.contains_key(rowid)), "index {number}");
    }
    found
}

fn loaded_rowids(database: &Database, table: &TableDef) -> Vec<Rowid> {
    let object = table.segment.data_object();
    let blocks = database.blocks(table).into_iter();
    let loading =
        blocks.filter(|(_, block)| itl::slot(block, 1).is_some_and(|slot| slot.is_loaded() && slot.is_active()));
    loading
        .flat_map(|(address, block)| {
            let slots: Vec<u16> = heap::live_rows(&block, 0).map(|(slot, _)| slot).collect();
            slots.into_iter().map(move |slot| Rowid { data_object: object, block: address, slot })
        })
        .collect()
}

#[test]
fn a_load_is_seen_from_its_commit_on() {
    each(|database| {
        let (table, before) = prepared(&database);
        let (other, late) = (database.connect(), database.connect());
        late.set_transaction(Isolation::Serializable).unwrap();
        assert_eq!(load(&database.session, &table, &rows(500..3_000)).unwrap(), 2_500);
        for session in [&other, &late] {
            assert!(seen(session, &table) == before, "uncommitted");
            let loaded = loaded_rowids(&database, &table);
            assert!(loaded.len() >= 2_500);
            assert!(loaded.iter().step_by(37).all(|rowid| fetch_row(session, &table, *rowid).unwrap().is_none()));
        }
        let loaded = loaded_rowids(&database, &table);
        database.session.commit(CommitWrite::default()).unwrap();
        assert!(seen(&late, &table) == before, "a snapshot from before the commit");
        let after = seen(&other, &table);
        assert!(contents(&after) == sorted(0..3_000));
        // The blocks are cleaned out, and still invisible to snapshots from before the commit.
        assert!(loaded_rowids(&database, &table).is_empty());
        assert!(seen(&late, &table) == before);
        assert!(loaded.iter().step_by(37).all(|rowid| fetch_row(&late, &table, *rowid).unwrap().is_none()));
        // Changes of the loaded rows, by other sessions and in reused slots.
        let mut left = after.clone();
        for (n, (rowid, row)) in after.iter().enumerate().filter(|(_, (rowid, _))| loaded.contains(rowid)).take(300) {
            if n % 5 == 0 {
                assert!(delete(&other, &table, *rowid).unwrap());
                left.remove(rowid);
            } else if n % 5 == 1 {
                let mut longer = row.clone();
                longer[1] = Some(vec![9; 60]);
                assert!(update(&other, &table, *rowid, &borrow(&longer)).unwrap());
                left.insert(*rowid, longer);
            }
            if n % 11 == 0 {
                other.commit(CommitWrite::default()).unwrap();
            }
        }
        assert!(seen(&late, &table) == before);
        other.commit(CommitWrite::default()).unwrap();
        assert!(seen(&late, &table) == before);
        late.rollback().unwrap();
        database.check(&table, &left);
        drop((other, late));
        database.sound();
    });
}

#[test]
fn after_a_direct_load_the_session_gets_ora_12838_until_the_end() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let (table, before) = prepared(&database);
    let session = &database.session;
    let (rowid, first) = before.iter().next().unwrap();
    session.savepoint("A").unwrap();
    load(session, &table, &rows(500..600)).unwrap();
    let refused = |result: common::Result<()>| assert!(result.unwrap_err().is_ora(12838));
    let spec = || scan::ScanSpec { projection: vec![0], predicate: None, rowids: false };
    refused(storage::table::TableScan::new(session.worker().clone(), table.heap().clone(), spec()).map(drop));
    refused(storage::table::TableScan::for_query(session.worker().clone(), table.heap().clone(), spec()).map(drop));
    refused(Inserter::new(session.worker().clone(), table.heap().clone()).map(drop));
    refused(update(session, &table, *rowid, &borrow(first)).map(drop));
    refused(delete(session, &table, *rowid).map(drop));
    refused(Deleter::new(session.worker().clone(), table.heap().clone()).push(*rowid));
    refused(fetch_row(session, &table, *rowid).map(drop));
    refused(lock_row(session, &table, *rowid, &session.snapshot(), LockWait::NoWait).map(drop));
    refused(load(session, &table, &rows(600..601)).map(drop));
    session.rollback_to("A").unwrap();
    assert!(database.scan(&table) == before);
    load(session, &table, &rows(500..600)).unwrap();
    session.rollback().unwrap();
    assert!(database.scan(&table) == before);
    load(session, &table, &rows(500..600)).unwrap();
    session.commit(CommitWrite::default()).unwrap();
    assert_eq!(database.scan(&table).len(), 600);
    database.sound();
}

/// A statement that began before the load, and reads on after it.
#[test]
fn a_cursor_from_before_the_own_load_sees_nothing_of_it() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let (table, before) = prepared(&database);
    let session = &database.session;
    assert!(update(session, &table, *before.keys().next().unwrap(), &borrow(&row(0))).unwrap());
    let snapshot = session.begin_snapshot();
    load(session, &table, &rows(500..3_000)).unwrap();
    let loaded = loaded_rowids(&database, &table);
    session.commit(CommitWrite::default()).unwrap();
    let _seen = session.enter(snapshot);
    assert!(database.scan(&table) == before);
    assert!(loaded.iter().step_by(37).all(|rowid| fetch_row(session, &table, *rowid).unwrap().is_none()));
}

#[test]
fn rolled_back_loads_free_their_blocks() {
    each(|database| {
        let (table, before) = prepared(&database);
        let session = &database.session;
        let other = database.connect();
        for round in 0..3 {
            load(session, &table, &rows(500..2_000)).unwrap();
            assert!(seen(&other, &table) == before);
            session.rollback().unwrap();
            database.check(&table, &before);
            assert_eq!(loaded_rowids(&database, &table), [], "round {round}");
        }
        let blocks: HashSet<_> = database.blocks(&table).into_iter().map(|(address, _)| address).collect();
        // Inserts from here on find the room.
        database.insert(&table, &rows(500..2_000));
        let found = database.scan(&table);
        let again = found.keys().filter(|rowid| !before.contains_key(rowid) && blocks.contains(&rowid.block)).count();
        assert!(again > 1_000, "{again} of 1500 rows are in blocks of the loads");
        session.commit(CommitWrite::default()).unwrap();
        assert!(contents(&database.scan(&table)) == sorted(0..2_000));
        drop(other);
        database.sound();
    });
}

#[test]
fn a_load_that_fails_leaves_what_the_transaction_did_before() {
    each(|database| {
        let (table, _) = prepared(&database);
        let session = &database.session;
        database.insert(&table, &rows(10_000..10_050));
        let before = database.scan(&table);
        let fails = |mut more: Vec<Columns>, last: u32| {
            more.push(row(last));
            let mark = session.mark();
            let error = load(session, &table, &more).unwrap_err();
            assert!(error.is_ora(1), "{error}");
            session.rollback_to_mark(mark).unwrap();
            database.check(&table, &before);
        };
        // A key of the table, one of the load, one of the own transaction.
        fails(rows(500..1_500), 7);
        fails(rows(500..1_500), 501);
        fails(rows(500..1_500), 10_001);
        // One that is not finished.
        let mark = session.mark();
        let mut appender = Appender::into_table(session.worker().clone(), table.heap().clone()).unwrap();
        rows(500..3_000).iter().for_each(|row| appender.push(&borrow(row)).unwrap());
        drop(appender);
        session.rollback_to_mark(mark).unwrap();
        database.check(&table, &before);
        load(session, &table, &rows(500..1_500)).unwrap();
        session.commit(CommitWrite::default()).unwrap();
        assert_eq!(database.scan(&table).len(), 1_550);
        database.sound();
    });
}

/// Keys go into the indexes while the load goes on, and several undo records name its blocks.
#[test]
fn a_long_load_lets_go_on_its_way() {
    let usual = MOST.replace((100, 2));
    each(|database| {
        let (table, before) = prepared(&database);
        let session = &database.session;
        let other = database.connect();
        for end in ["rollback", "failure", "commit"] {
            let mark = session.mark();
            let mut more = rows(500..3_000);
            if end == "failure" {
                more.push(row(3));
            }
            let done = load(session, &table, &more);
            assert_eq!(done.is_err(), end == "failure");
            assert!(seen(&other, &table) == before, "{end}");
            match end {
                "rollback" => session.rollback().unwrap(),
                "failure" => session.rollback_to_mark(mark).unwrap(),
                _ => session.commit(CommitWrite::default()).unwrap(),
            }
            if end != "commit" {
                database.check(&table, &before);
            }
        }
        assert!(contents(&seen(&other, &table)) == sorted(0..3_000));
        drop(other);
        database.sound();
    });
    MOST.set(usual);
}

/// A transaction loads, and changes other tables before and after.
#[test]
fn a_load_among_other_changes_is_undone_with_them() {
    each(|database| {
        let (table, before) = prepared(&database);
        let other = database.table("OTHER", 4, 10);
        let session = &database.session;
        database.insert(&other, &rows(0..100));
        load(session, &table, &rows(500..1_000)).unwrap();
        database.insert(&other, &rows(100..200));
        session.savepoint("A").unwrap();
        database.insert(&other, &rows(200..300));
        session.rollback_to("A").unwrap();
        assert!(database.session.check_not_loaded(table.object).is_err());
        assert_eq!(database.scan(&other).len(), 200);
        session.rollback().unwrap();
        assert!(database.scan(&other).is_empty());
        database.check(&table, &before);
        database.sound();
    });
}

#[test]
fn a_load_for_which_there_is_no_room_leaves_what_was_there() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let session = &database.session;
        let file = DatafileSpec { name: "small.dbf".to_owned(), bytes: 2 << 20, reuse: false, autoextend: None };
        let spec = TablespaceSpec {
            logging: true,
            name: "SMALL".to_owned(),
            files: vec![file],
            block_size: None,
            uniform_bytes: None,
            space_management: management,
        };
        database.instance.create_tablespace(session, &spec).unwrap();
        let columns = database.table("T", 4, 10).columns.clone();
        let mut spec = TableSpec::new("SYSTEM", "SMALL", columns);
        spec.tablespace = Some("SMALL".to_owned());
        let table = session.create_table(&spec).unwrap();
        database.insert(&table, &rows(0..100));
        session.commit(CommitWrite::default()).unwrap();
        let before = database.scan(&table);
        for _ in 0..2 {
            let mark = session.mark();
            let error = load(session, &table, &rows(100..30_000)).unwrap_err();
            assert!(error.is_ora(1653), "{error}");
            session.rollback_to_mark(mark).unwrap();
            database.check(&table, &before);
        }
        // Space of the load is free for others.
        load(session, &table, &rows(100..2_000)).unwrap();
        session.commit(CommitWrite::default()).unwrap();
        database.insert(&table, &rows(2_000..5_000));
        session.commit(CommitWrite::default()).unwrap();
        assert_eq!(database.scan(&table).len(), 5_000);
        database.sound();
    }
}

#[test]
fn a_load_that_is_cancelled_leaves_what_was_there() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let (table, before) = prepared(&database);
    let session = &database.session;
    let mark = session.mark();
    let mut appender = Appender::into_table(session.worker().clone(), table.heap().clone()).unwrap();
    rows(500..2_000).iter().for_each(|row| appender.push(&borrow(row)).unwrap());
    session.cancel_handle().store(true, Ordering::Relaxed);
    let error = appender.finish().unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    session.rollback_to_mark(mark).unwrap();
    database.check(&table, &before);
    database.sound();
}

/// Loads without images, each of blocks that had rows before, while another session writes redo without a pause.
#[test]
fn loads_without_images_go_on_beside_others() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let (table, _) = prepared(&database);
    let busy = database.table("BUSY", 4, 10);
    let session = &database.session;
    session.alter_table("SYSTEM", "T", &TableChange::Logging(false)).unwrap();
    let (other, stop) = (database.connect(), AtomicBool::new(false));
    let inserted = std::thread::scope(|scope| {
        let inserting = scope.spawn(|| {
            let mut inserted = 0;
            while !stop.load(Ordering::Relaxed) {
                Database::insert_as(&other, &busy, &rows(0..20));
                other.commit(CommitWrite::default()).unwrap();
                inserted += 20;
            }
            inserted
        });
        for round in 0..5 {
            session.truncate_table("SYSTEM", "T").unwrap();
            let table = session.catalog().table("SYSTEM", "T").unwrap().clone();
            load(session, &table, &rows(round * 100..2_000)).unwrap();
            session.commit(CommitWrite::default()).unwrap();
            assert!(contents(&seen(session, &table)) == sorted(round * 100..2_000));
        }
        stop.store(true, Ordering::Relaxed);
        inserting.join().unwrap()
    });
    assert_eq!(database.scan(&busy).len(), inserted);
    drop((table, other));
    database.sound();
}
