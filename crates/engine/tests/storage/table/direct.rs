//! Full scans past the cache.

use common::sync::spawn;
use common::{BlockClass, BlockSize};
use waits::{Event, GetMode, Statistic};

use super::fixture::{Columns, Database, borrow, scan_by, scan_directly_by};
use storage::control::SpaceManagement;
use storage::table::{Inserter, Updater};
use storage::txn::CommitWrite;

const ROWS: usize = 6000;

fn row(n: usize) -> Columns {
    vec![Some(n.to_be_bytes()[4..].to_vec()), Some(vec![(n % 251) as u8; 300])]
}

#[test]
fn direct_reads_see_changes_of_cached_blocks() {
    for (size, management) in [(BlockSize::K8, SpaceManagement::Auto), (BlockSize::K2, SpaceManagement::Manual)] {
        let database = Database::new(size, management);
        let table = database.table("T", 2, 10);
        database.insert(&table, &(0..ROWS).map(row).collect::<Vec<_>>());
        database.session.commit(CommitWrite::default()).unwrap();
        let meter = database.session.meter().clone();
        let cached = scan_by(&database.session, &table, None, 100);
        for array in [7, 100, usize::MAX] {
            let before = meter.snapshot();
            assert_eq!(scan_directly_by(&database.session, &table, array), cached);
            let spent = meter.snapshot().minus(&before);
            let ranges = table.segment.scan_ranges(&database.session).unwrap();
            let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
            assert_eq!(spent.value(Statistic::PhysicalReadsDirect), blocks);
            assert_eq!(spent.value(Statistic::TableScansDirectRead), 1);
            // Each block once, and once more for each call that goes on in the middle of it.
            let gets = spent.gets(BlockClass::Data, GetMode::Consistent);
            assert!(
                gets >= blocks && gets <= blocks + (ROWS / array.min(ROWS)) as u64,
                "{gets} gets of {blocks} blocks"
            );
            let reads = meter.snapshot().minus(&before).value(Statistic::PhysicalReadIoRequests);
            assert!(reads >= (blocks * size.bytes() as u64).div_ceil(1 << 20), "{reads} reads");
        }
        database.sound();
    }
}

#[test]
fn sessions_see_their_own_versions() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 10);
    database.insert(&table, &(0..ROWS).map(row).collect::<Vec<_>>());
    database.session.commit(CommitWrite::default()).unwrap();
    let before = scan_by(&database.session, &table, None, 100);
    // Another session's rows and changes, not committed: some rows migrate.
    let other = database.connect();
    let mut inserter = Inserter::new(other.worker().clone(), table.heap().clone()).unwrap();
    (ROWS..ROWS + 500).for_each(|n| inserter.push(&borrow(&row(n))).unwrap());
    inserter.finish().unwrap();
    let mut updater = Updater::new(other.worker().clone(), table.heap().clone());
    for (rowid, row) in before.iter().step_by(3) {
        let longer = vec![row[0].clone(), Some(vec![9; 900])];
        updater.push(*rowid, &borrow(&longer)).unwrap();
    }
    updater.finish().unwrap();
    assert_eq!(scan_directly_by(&database.session, &table, 100), before);
    let changed = scan_by(&other, &table, None, 100);
    assert_ne!(changed, before);
    assert_eq!(scan_directly_by(&other, &table, 100), changed);
    other.commit(CommitWrite::default()).unwrap();
    assert_eq!(scan_directly_by(&database.session, &table, 100), changed);
    database.sound();
}

/// Rows that are changed and committed, two at a time, while they are read: each scan sees one snapshot, in which the
/// sum holds.
#[test]
fn a_scan_beside_a_writer_sees_one_moment() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 20);
    let even = |n: u8| vec![Some(vec![n, 128]), Some(vec![1; 200])];
    database.insert(&table, &(0..200).map(even).collect::<Vec<_>>());
    database.session.commit(CommitWrite::default()).unwrap();
    let rowids: Vec<_> = scan_by(&database.session, &table, None, 100).keys().copied().collect();
    let (writer, its_table) = (database.connect(), table.clone());
    let work = spawn("writer", move || {
        for round in 0..300_usize {
            let (a, b) = (round % 200, (round * 7 + 100) % 200);
            let (low, high) = (1 + (round % 100) as u8, 255 - (round % 100) as u8);
            let mut updater = Updater::new(writer.worker().clone(), its_table.heap().clone());
            if a != b {
                updater.push(rowids[a], &borrow(&vec![Some(vec![a as u8, low]), Some(vec![2; 200])])).unwrap();
                updater.push(rowids[b], &borrow(&vec![Some(vec![b as u8, high]), Some(vec![3; 200])])).unwrap();
            }
            updater.finish().unwrap();
            writer.commit(CommitWrite::default()).unwrap();
            let mut updater = Updater::new(writer.worker().clone(), its_table.heap().clone());
            if a != b {
                updater.push(rowids[a], &borrow(&even(a as u8))).unwrap();
                updater.push(rowids[b], &borrow(&even(b as u8))).unwrap();
            }
            updater.finish().unwrap();
            writer.commit(CommitWrite::default()).unwrap();
        }
    })
    .unwrap();
    while !work.is_finished() {
        let rows = scan_directly_by(&database.session, &table, 50);
        let sum: u32 = rows.values().map(|row| u32::from(row[0].as_ref().unwrap()[1])).sum();
        assert_eq!((rows.len(), sum), (200, 200 * 128));
    }
    work.join().unwrap();
    assert!(database.session.meter().event(Event::DirectPathRead).waits > 0);
    database.sound();
}
