//! Costs of statements in gets, and their cancellation.

use common::sync::atomic::Ordering;
use common::{BlockClass, BlockSize};
use format::heap;
use scan::{RowSink, ScanSpec};
use waits::{GetMode, Statistic};

use super::fixture::{Columns, Database, MANAGEMENTS, borrow};
use storage::table::{Fetcher, Inserter, Row, TableScan};

struct Counter(usize);

impl RowSink for Counter {
    fn block(&mut self, _: common::ObjectNumber, _: common::BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }
}

fn rows(count: usize) -> Vec<Columns> {
    (0..count).map(|n| vec![Some(format!("{n:08}").into_bytes()), Some(vec![b'x'; 80])]).collect()
}

#[test]
fn an_array_insert_gets_each_block_about_once_an_array() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let table = database.table("T1", 2, 10);
        let before = database.session.meter().gets(BlockClass::Data, GetMode::Current);
        database.insert(&table, &rows(10_000));
        let gets = database.session.meter().gets(BlockClass::Data, GetMode::Current) - before;
        let blocks = database.blocks(&table).iter().filter(|(_, block)| !heap::is_empty(block)).count() as u64;
        assert!(gets <= 5 * blocks, "{management:?}: {gets} current gets for {blocks} blocks");
        assert!(gets < 10_000 / 20, "{management:?}: {gets} current gets for 10,000 rows");
    }
}

#[test]
fn a_scan_gets_a_block_again_for_each_call_that_goes_on_in_its_middle() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let table = database.table("T1", 2, 10);
        database.insert(&table, &rows(5_000));
        let meter = database.session.meter();
        let (rows_before, blocks_before) =
            (meter.value(Statistic::TableScanRowsGotten), meter.value(Statistic::TableScanBlocksGotten));
        let spec = || ScanSpec { projection: vec![0], predicate: None, rowids: false };
        let cost = |array: usize| {
            let before = meter.gets(BlockClass::Data, GetMode::Consistent);
            let mut scan = TableScan::new(database.session.worker().clone(), table.heap().clone(), spec()).unwrap();
            let (mut calls, mut counter) = (1u64, Counter(0));
            while scan.next(&mut counter, array).unwrap() {
                calls += 1;
            }
            assert_eq!(counter.0, 5_000);
            (scan.blocks(), calls, meter.gets(BlockClass::Data, GetMode::Consistent) - before)
        };
        let (blocks, _, gets) = cost(usize::MAX);
        assert_eq!(gets, blocks);
        // A call that ends with the last row of a block need not return to it.
        let (blocks, calls, gets) = cost(1);
        assert_eq!(calls, 5_001);
        let filled = database.blocks(&table).iter().filter(|(_, block)| !heap::is_empty(block)).count() as u64;
        assert_eq!(gets, blocks + 5_000 - filled);
        assert_eq!(meter.value(Statistic::TableScanRowsGotten) - rows_before, 10_000);
        assert_eq!(meter.value(Statistic::TableScanBlocksGotten) - blocks_before, 2 * blocks);
    }
}

#[test]
fn a_fetch_of_neighbours_gets_their_block_once() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let table = database.table("T1", 2, 10);
    database.insert(&table, &rows(500));
    let expected = database.scan(&table);
    let blocks = database.blocks(&table).iter().filter(|(_, block)| !heap::is_empty(block)).count() as u64;
    let meter = database.session.meter();
    let before = meter.gets(BlockClass::Data, GetMode::Consistent);
    let mut fetcher = Fetcher::new(database.session.worker().clone(), table.heap().clone(), vec![0]);
    let mut row = Row::new();
    for (rowid, columns) in &expected {
        assert!(fetcher.fetch(*rowid, &mut row).unwrap());
        assert_eq!(row.column(0), columns[0].as_deref());
    }
    fetcher.release();
    assert_eq!(meter.gets(BlockClass::Data, GetMode::Consistent) - before, blocks);
    assert_eq!(meter.value(Statistic::TableFetchByRowid), 500);
    assert_eq!(meter.value(Statistic::TableFetchContinuedRow), 0);
}

#[test]
fn rowids_of_other_segments_are_refused_and_rows_that_are_gone_are_not_found() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[0]);
    let table = database.table("T1", 2, 10);
    database.insert(&table, &rows(10));
    let mut rowid = *database.scan(&table).keys().next().unwrap();
    rowid.slot = 99;
    assert!(database.fetch(&table, rowid).is_none());
    // The segment header is no block of rows.
    rowid.block = table.segment.header();
    assert!(database.fetch(&table, rowid).is_none());
    rowid.data_object.0 += 1;
    let error = storage::table::fetch(&database.session, &table, rowid, &[0]).unwrap_err();
    assert!(error.is_ora(1410), "{error}");
}

#[test]
fn a_cancelled_insert_says_how_many_rows_stand() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let table = database.table("T1", 2, 10);
    let mut inserter = Inserter::new(database.session.worker().clone(), table.heap().clone()).unwrap();
    for row in rows(1_000) {
        inserter.push(&borrow(&row)).unwrap();
    }
    database.session.cancel_handle().store(true, Ordering::Release);
    let error = inserter.finish().unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    let standing = inserter.rows();
    assert!(standing > 0 && standing < 1_000);
    assert_eq!(database.scan(&table).len() as u64, standing);
    database.session.cancel_handle().store(true, Ordering::Release);
    let spec = ScanSpec::default();
    let mut scan = TableScan::new(database.session.worker().clone(), table.heap().clone(), spec).unwrap();
    assert!(scan.next(&mut Counter(0), usize::MAX).unwrap_err().is_ora(1013));
}
