//! Room that a transaction has freed: for itself at once, for others after its commit.

use std::collections::BTreeSet;

use common::sync::{Arc, spawn};
use common::{BlockAddress, BlockClass, BlockSize, Rowid};
use format::{freelist, heap};
use waits::Event;

use super::fixture::{Columns, Database, MANAGEMENTS, Rows, scan_by};
use engine::ddl::PhysicalAttributes;
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Deleter, Updater};
use storage::txn::CommitWrite;

const ROW_BYTES: usize = 100;

fn rows(count: u32, from: u32) -> Vec<Columns> {
    (from..from + count).map(|n| vec![Some(n.to_be_bytes().to_vec()), Some(vec![n as u8; ROW_BYTES])]).collect()
}

fn delete<'a>(session: &Arc<Session>, table: &Arc<TableDef>, rowids: impl IntoIterator<Item = &'a Rowid>) {
    let mut deleter = Deleter::new(session.worker().clone(), table.heap().clone());
    for rowid in rowids {
        deleter.push(*rowid).unwrap();
    }
    deleter.finish().unwrap();
}

fn commit(session: &Arc<Session>) {
    session.commit(CommitWrite::default()).unwrap();
}

/// Blocks that take no further row.
fn full(database: &Database, table: &TableDef) -> BTreeSet<BlockAddress> {
    let blocks = database.blocks(table).into_iter();
    blocks.filter(|(_, bytes)| !heap::fits(bytes, ROW_BYTES, 10)).map(|(address, _)| address).collect()
}

fn within(rows: &Rows, before: &Rows, blocks: &BTreeSet<BlockAddress>) -> usize {
    rows.keys().filter(|rowid| !before.contains_key(rowid) && blocks.contains(&rowid.block)).count()
}

#[test]
fn space_freed_by_a_delete_takes_rows_of_its_own_transaction_only() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management);
        let table = database.table("T", 2, 10);
        database.insert(&table, &rows(200, 0));
        commit(&database.session);
        let before = database.scan(&table);
        let blocks = full(&database, &table);
        assert!(blocks.len() >= 10);
        delete(&database.session, &table, before.keys());
        let other = database.connect();
        Database::insert_as(&other, &table, &rows(60, 1000));
        assert_eq!(within(&scan_by(&other, &table, None, 50), &before, &blocks), 0);
        database.insert(&table, &rows(100, 2000));
        let found = within(&database.scan(&table), &before, &blocks);
        assert!(if management == SpaceManagement::Manual { found == 100 } else { found > 0 }, "{found} of 100");
        // Rows of its own that grow use it as well.
        let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
        let mut grown = database.scan(&table);
        for (rowid, row) in grown.iter_mut().filter(|(rowid, _)| blocks.contains(&rowid.block)).step_by(3) {
            row[1] = Some(vec![9; ROW_BYTES + 20]);
            updater.push(*rowid, &super::fixture::borrow(row)).unwrap();
        }
        updater.finish().unwrap();
        assert_eq!(database.scan(&table), grown);
        for (_, bytes) in database.blocks(&table) {
            heap::validate(&bytes).unwrap();
        }
        // Everything comes back, and what was used is free again.
        database.session.rollback().unwrap();
        commit(&other);
        let mut expected = before.clone();
        expected.extend(scan_by(&other, &table, None, 50));
        assert_eq!(expected.len(), 260);
        database.check(&table, &expected);
        database.sound();
    }
}

#[test]
fn a_readers_view_outlives_the_use_of_what_was_deleted() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management);
        let table = database.table("T", 2, 10);
        database.insert(&table, &rows(100, 0));
        commit(&database.session);
        let before = database.scan(&table);
        let reader = database.connect();
        reader.set_transaction(storage::txn::Isolation::ReadOnly).unwrap();
        delete(&database.session, &table, before.keys());
        database.insert(&table, &rows(70, 500));
        database.session.savepoint("S").unwrap();
        database.insert(&table, &rows(10, 700));
        assert_eq!(scan_by(&reader, &table, None, 20), before);
        database.session.rollback_to("S").unwrap();
        assert_eq!(scan_by(&reader, &table, None, 20), before);
        commit(&database.session);
        database.insert(&table, &rows(30, 900));
        assert_eq!(scan_by(&reader, &table, None, 20), before);
        assert_eq!(database.scan(&table).len(), 100);
        commit(&database.session);
        assert_eq!(scan_by(&reader, &table, None, 20), before);
        reader.rollback().unwrap();
        database.sound();
    }
}

/// Under freelists: blocks that a delete has freed are on its transaction's list, of which nobody takes a block before
/// the commit; then the first that finds own and master list empty takes all of it.
#[test]
fn freed_blocks_wait_on_the_transactions_freelist_for_its_commit() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Manual);
    let table = database.table("T", 2, 10);
    database.insert(&table, &rows(200, 0));
    commit(&database.session);
    let before = database.scan(&table);
    let blocks = full(&database, &table);
    let lists = || {
        let header = database.session.current(table.segment.header(), BlockClass::SegmentHeader).unwrap();
        let lists = freelist::transaction_slots(header.len(), 1).map(|slot| *freelist::list(&header, slot));
        lists.filter_map(|list| Some((list.owner()?, list.blocks.get() as usize))).collect::<Vec<_>>()
    };
    assert_eq!(lists(), []);
    delete(&database.session, &table, before.keys());
    let xid = database.session.xid().unwrap();
    assert_eq!(lists(), [(xid, blocks.len())]);
    let other = database.connect();
    let high = || database.blocks(&table).len();
    let (start, mut from) = (high(), 1000);
    while high() < start + 5 {
        Database::insert_as(&other, &table, &rows(10, from));
        from += 10;
    }
    assert_eq!(within(&scan_by(&other, &table, None, 50), &before, &blocks), 0);
    commit(&database.session);
    assert_eq!(lists(), [(xid, blocks.len())], "a commit does nothing to the list");
    let top = high();
    Database::insert_as(&other, &table, &rows(150, 5000));
    assert_eq!(high(), top, "freed blocks come before new ones");
    // Places of rows that are gone are given to new ones.
    let found = scan_by(&other, &table, None, 50).into_keys();
    assert!(found.filter(|rowid| blocks.contains(&rowid.block)).count() > 50);
    assert_eq!(lists(), []);
    commit(&other);
    database.sound();
}

#[test]
fn a_session_without_a_transaction_freelist_slot_waits_for_a_transaction() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Manual);
    let storage = Storage { freelists: freelist::freelists_max(2048), ..Storage::default() };
    let table = database.table_with("T", 2, PhysicalAttributes::default(), storage);
    database.insert(&table, &rows(400, 0));
    commit(&database.session);
    let mut blocks: Vec<Vec<Rowid>> = Vec::new();
    for rowid in database.scan(&table).keys() {
        match blocks.last_mut() {
            Some(block) if block[0].block == rowid.block => block.push(*rowid),
            _ => blocks.push(vec![*rowid]),
        }
    }
    let slots = freelist::transaction_slots(2048, freelist::freelists_max(2048)).len();
    assert_eq!(slots, freelist::TRANSACTION_LISTS);
    let mut full = blocks.into_iter().filter(|block| block.len() > 10);
    let holders: Vec<_> = (0..slots)
        .map(|_| {
            let session = database.connect();
            delete(&session, &table, &full.next().unwrap());
            session
        })
        .collect();
    let (late, last) = (database.connect(), full.next().unwrap());
    let thread = {
        let (late, table, last) = (late.clone(), table.clone(), last.clone());
        spawn("late", move || delete(&late, &table, &last)).unwrap()
    };
    while database.instance.locks().waiters().is_empty() {
        assert!(!thread.is_finished(), "it did not wait");
        std::thread::yield_now();
    }
    for holder in &holders {
        commit(holder);
    }
    thread.join().unwrap();
    assert_eq!(late.meter().event(Event::EnqTxContention).waits, 1);
    assert_eq!(holders[0].meter().event(Event::EnqTxContention).waits, 0);
    // Space freed by ended transactions is found, list by list.
    let high = database.blocks(&table).len();
    late.rollback().unwrap();
    database.insert(&table, &rows(16 * 5, 9000));
    assert_eq!(database.blocks(&table).len(), high);
    commit(&database.session);
    database.sound();
}
