//! Where rows go: full blocks, migration, chaining, coming home.

use common::BlockSize;
use format::heap::row::FIRST;
use format::{heap, transaction};
use waits::Statistic;

use super::fixture::{Columns, Database, MANAGEMENTS, borrow};
use storage::table::{Deleter, Updater, update};

/// A NUMBER of eight digits, and a second column that is NULL: 9 bytes.
fn short_row(n: usize) -> Columns {
    let digits = |shift: usize| (n / shift % 100) as u8 + 1;
    vec![Some(vec![0xc4, digits(1_000_000).max(2), digits(10_000), digits(100), digits(1)]), None]
}

/// Rows of 9 bytes that grow to 15: blocks fill to the row, and the published share of the rows migrates.
#[test]
fn rows_that_outgrow_their_blocks_migrate_as_the_arithmetic_says() {
    // Blocks of manual segments have eight bytes more: not enough for a row, enough for one or two to grow.
    for (size, per_block, growing) in [(BlockSize::K4, 324, [69, 68]), (BlockSize::K8, 659, [138, 136])] {
        for (management, growing) in MANAGEMENTS.into_iter().zip(growing) {
            let database = Database::new(size, management);
            let table = database.table("T1", 2, 10);
            let rows: Vec<Columns> = (0..per_block * 6).map(short_row).collect();
            assert_eq!(database.insert(&table, &rows), rows.len() as u64);
            let expected = database.scan(&table);
            let full = database.blocks(&table).iter().filter(|(_, block)| heap::row_count(block) == per_block).count();
            assert_eq!(full, 6, "{size} {management:?}");

            let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
            let mut after = expected.clone();
            for (rowid, row) in &mut after {
                row[1] = row[0].clone();
                updater.push(*rowid, &borrow(row)).unwrap();
            }
            assert_eq!(updater.finish().unwrap(), after.len() as u64);
            let migrated = database.session.meter().value(Statistic::RowsMigrated);
            assert_eq!(migrated, 6 * (per_block - growing) as u64, "{size} {management:?}");
            database.check(&table, &after);
            // Each migrated row has an ITL slot of its own in the block that received it.
            for (address, block) in database.blocks(&table) {
                let guests = heap::rows(&block, 0).filter(|(_, piece)| piece.head_address().is_some()).count();
                let slots = usize::from(transaction::header(&block).itl_count);
                assert!(guests <= slots, "{address}: {guests} migrated rows, {slots} ITL slots");
            }
        }
    }
}

#[test]
fn pctfree_35_keeps_every_row_at_home() {
    let database = Database::new(BlockSize::K8, storage::control::SpaceManagement::Auto);
    let table = database.table("T1", 2, 35);
    let rows: Vec<Columns> = (0..3000).map(short_row).collect();
    database.insert(&table, &rows);
    let blocks = database.blocks(&table).iter().filter(|(_, block)| !heap::is_empty(block)).count();
    let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
    let mut after = database.scan(&table);
    for (rowid, row) in &mut after {
        row[1] = row[0].clone();
        updater.push(*rowid, &borrow(row)).unwrap();
    }
    updater.finish().unwrap();
    assert_eq!(database.session.meter().value(Statistic::RowsMigrated), 0);
    assert_eq!(database.blocks(&table).iter().filter(|(_, block)| !heap::is_empty(block)).count(), blocks);
    database.check(&table, &after);
}

#[test]
fn a_migrated_row_moves_on_behind_one_stub_and_comes_home_when_there_is_room() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management);
        let table = database.table("T1", 2, 0);
        let row = |bytes: usize| vec![Some(vec![b'x'; bytes]), Some(b"tail".to_vec())];
        database.insert(&table, &vec![row(80); 60]);
        let mut expected = database.scan(&table);
        let rowid = *expected.keys().next().unwrap();
        let mut set = |bytes: usize| {
            assert!(update(&database.session, &table, rowid, &borrow(&row(bytes))).unwrap());
            expected.insert(rowid, row(bytes));
            database.check(&table, &expected);
        };
        set(900);
        set(1500);
        // Larger than a block: chained behind the same stub or at home.
        set(3900);
        set(1700);
        let guests = |database: &Database| {
            let blocks = database.blocks(&table);
            blocks
                .iter()
                .map(|(_, block)| heap::live_rows(block, 0).filter(|(_, p)| p.head_address().is_some()).count())
                .sum::<usize>()
        };
        assert_eq!(guests(&database), 1, "one piece away from home, and no piece left behind");
        set(60);
        assert_eq!(guests(&database), 0, "the row came home");
        let found = database.scan(&table);
        assert_eq!(found.len(), 60);
    }
}

#[test]
fn deleting_chained_and_migrated_rows_leaves_no_piece_behind() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K4, management);
        let table = database.table("T1", 3, 10);
        let row = |bytes: usize| vec![Some(vec![1; bytes]), Some(vec![2; bytes]), Some(vec![3; bytes])];
        let rows: Vec<Columns> = (0..40).map(|n| row(if n % 4 == 0 { 4000 } else { 30 })).collect();
        database.insert(&table, &rows);
        let all = database.scan(&table);
        assert_eq!(all.len(), 40);
        for rowid in all.keys().filter(|rowid| rowid.slot % 3 == 1) {
            update(&database.session, &table, *rowid, &borrow(&row(1300))).unwrap();
        }
        let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
        for rowid in all.keys() {
            deleter.push(*rowid).unwrap();
            // Twice in one statement is once.
            deleter.push(*rowid).unwrap();
        }
        assert_eq!(deleter.finish().unwrap(), 40);
        for (address, block) in database.blocks(&table) {
            heap::validate(&block).unwrap();
            assert_eq!(heap::row_count(&block), 0, "{address} has rows left");
        }
        // The freed space is used again, once the delete has committed.
        database.session.commit(storage::txn::CommitWrite::default()).unwrap();
        let before = table.segment.extents(&database.session).unwrap().len();
        database.insert(&table, &rows);
        assert_eq!(table.segment.extents(&database.session).unwrap().len(), before);
    }
}

#[test]
fn rows_wider_than_255_columns_start_in_a_first_piece() {
    let database = Database::new(BlockSize::K8, storage::control::SpaceManagement::Manual);
    let table = database.table("WIDE", 600, 10);
    let row: Columns = (0..600).map(|n| Some(vec![(n % 251) as u8; 2])).collect();
    database.insert(&table, &[row.clone(), row.clone()]);
    let found = database.scan(&table);
    assert_eq!(found.values().collect::<Vec<_>>(), [&row, &row]);
    let blocks = database.blocks(&table);
    let firsts = blocks.iter().flat_map(|(_, block)| heap::rows(block, 0).map(|(_, p)| p.flags() & FIRST != 0));
    let flags: Vec<bool> = firsts.collect();
    assert_eq!((flags.iter().filter(|first| **first).count(), flags.len()), (2, 6), "three pieces a row");
}
