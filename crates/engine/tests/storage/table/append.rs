//! Direct loads: rows of all lengths, in every block size, under both kinds of space management.

use common::BlockSize;
use format::{heap, itl};
use waits::Statistic;

use super::fixture::{Columns, Database, MANAGEMENTS, borrow, scan_by, scan_directly_by};
use storage::table::{Appender, delete, update};
use storage::txn::{CommitWrite, Isolation};

/// Mostly short, some of most of a block, some of several.
fn row(number: u32) -> Columns {
    let bytes = match number % 97 {
        3 => 3_900,
        7 => 1_500,
        rest => 10 + rest as usize,
    };
    vec![Some(number.to_be_bytes().to_vec()), None, Some(vec![7; 5]), Some(vec![number as u8; bytes])]
}

#[test]
fn loaded_rows_are_visible_and_can_be_changed() {
    for size in [BlockSize::K2, BlockSize::K8, BlockSize::K16] {
        for management in MANAGEMENTS {
            let database = Database::new(size, management);
            let table = database.table("T", 4, 10);
            // It sees no rows of a later load.
            let before = database.connect();
            before.set_transaction(Isolation::Serializable).unwrap();
            let other = database.table("OTHER", 1, 10);
            database.insert(&other, &[vec![Some(vec![1])]]);
            database.session.commit(CommitWrite::default()).unwrap();
            let rows: Vec<Columns> = (0..3_000).map(row).collect();
            let mut appender = Appender::new(database.session.worker().clone(), table.heap().clone()).unwrap();
            for row in &rows {
                appender.push(&borrow(row)).unwrap();
            }
            assert!(database.scan(&table).is_empty(), "nothing before the end");
            assert_eq!(appender.finish().unwrap(), 3_000);
            let found = database.scan(&table);
            let mut contents: Vec<_> = found.values().cloned().collect();
            contents.sort();
            let mut expected = rows;
            expected.sort();
            assert_eq!(contents.len(), expected.len());
            assert!(contents == expected, "{size:?} {management:?}");
            assert!(scan_directly_by(&database.session, &table, 100) == found);
            assert!(scan_by(&before, &table, None, 100).is_empty(), "{size:?} {management:?}");
            for (_, block) in database.blocks(&table) {
                assert!(itl::slot(&block, 1).unwrap().is_loaded());
                heap::validate(&block).unwrap();
            }
            let mut left = found.clone();
            for (n, (rowid, row)) in found.iter().enumerate().take(400) {
                if n % 5 == 0 {
                    assert!(delete(&database.session, &table, *rowid).unwrap());
                    left.remove(rowid);
                } else if n % 5 == 1 {
                    let mut longer = row.clone();
                    longer[1] = Some(vec![9; 60]);
                    assert!(update(&database.session, &table, *rowid, &borrow(&longer)).unwrap());
                    left.insert(*rowid, longer);
                }
            }
            assert!(scan_by(&before, &table, None, 100).is_empty());
            database.session.commit(CommitWrite::default()).unwrap();
            assert!(scan_by(&before, &table, None, 100).is_empty());
            before.rollback().unwrap();
            database.check(&table, &left);
            drop(before);
            database.sound();
        }
    }
}

#[test]
fn a_load_goes_past_the_cache() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let table = database.table("T", 4, 10);
    let gets = database.session.meter().value(Statistic::DbBlockGets);
    let mut appender = Appender::new(database.session.worker().clone(), table.heap().clone()).unwrap();
    for number in 0..80_000 {
        appender.push(&borrow(&row(number))).unwrap();
    }
    appender.finish().unwrap();
    let meter = database.session.meter();
    let (gets, written) = (meter.value(Statistic::DbBlockGets) - gets, meter.value(Statistic::PhysicalWritesDirect));
    let blocks = database.blocks(&table).len() as u64;
    assert_eq!(written, blocks);
    assert!(gets < blocks / 2, "{gets} gets for {blocks} blocks");
    assert_eq!(database.scan(&table).len(), 80_000);
}
