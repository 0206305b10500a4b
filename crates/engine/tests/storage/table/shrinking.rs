//! SHRINK SPACE: the same rows, the same index entries, a sound segment that is no larger and grows again.

use common::sync::Arc;
use common::{BlockSize, Result};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::fixture::{Columns, Database, Rows, borrow, scan_by};
use engine::ddl::{PhysicalAttributes, TableChange};
use engine::dictionary::TableDef;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Deleter, TableScan, Updater};
use storage::txn::{CommitWrite, Isolation};

fn alter(database: &Database, name: &str, change: &TableChange) -> Result<Arc<TableDef>> {
    database.session.alter_table("SYSTEM", name, change)
}

const SHRINK: TableChange = TableChange::Shrink { lower: true, cascade: false };

fn extents(database: &Database, table: &TableDef) -> (usize, u64) {
    let extents = table.segment.extents(&database.session).unwrap();
    (extents.len(), extents.iter().map(|extent| u64::from(extent.blocks)).sum())
}

fn sorted(rows: &Rows) -> Vec<Columns> {
    let mut rows: Vec<Columns> = rows.values().cloned().collect();
    rows.sort();
    rows
}

fn row(number: usize, bytes: usize) -> Columns {
    vec![Some(number.to_string().into_bytes()), Some(vec![b'x'; bytes])]
}

#[derive(Clone, Debug)]
struct Round {
    inserted: usize,
    bytes: usize,
    /// Of each hundred rows, the number deleted, the number that grow, and by how much.
    deleted: usize,
    grown: (usize, usize),
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let round = (1..3_000usize, 1..600usize, 0..101usize, (0..40usize, 0..900usize))
        .prop_map(|(inserted, bytes, deleted, grown)| Round { inserted, bytes, deleted, grown });
    proptest::collection::vec(round, 1..4)
}

fn play(size: BlockSize, rounds: &[Round]) {
    let database = Database::new(size, SpaceManagement::Auto);
    let physical = PhysicalAttributes { pctfree: Some(10), ..PhysicalAttributes::default() };
    database.table_with("T", 2, physical, Storage::default());
    let table = alter(&database, "T", &TableChange::RowMovement(true)).unwrap();
    let mut table = database.index(&table, "T_C0", &[0], true);
    let mut next = 0;
    for round in rounds {
        let rows: Vec<Columns> = (next..next + round.inserted).map(|number| row(number, round.bytes)).collect();
        next += round.inserted;
        database.insert(&table, &rows);
        let found = database.scan(&table);
        let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
        let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
        for (number, (rowid, columns)) in found.iter().enumerate() {
            // Spread over the table by a step that is prime to a hundred.
            let place = number * 37 % 100;
            if place < round.deleted {
                deleter.push(*rowid).unwrap();
            } else if place < round.deleted + round.grown.0 {
                let mut grown = columns.clone();
                let longer = grown[1].as_ref().map_or(0, Vec::len) + round.grown.1;
                grown[1] = Some(vec![b'y'; longer.min(1_500)]);
                updater.push(*rowid, &borrow(&grown)).unwrap();
            }
        }
        deleter.finish().unwrap();
        updater.finish().unwrap();
        database.session.commit(CommitWrite::default()).unwrap();
        let before = database.scan(&table);
        database.check(&table, &before);
        let (_, blocks) = extents(&database, &table);
        let cascade = round.inserted % 2 == 0;
        table = alter(&database, "T", &TableChange::Shrink { lower: true, cascade }).unwrap();
        assert_eq!(table.indexes.len(), 1);
        let after = database.scan(&table);
        assert_eq!(sorted(&after), sorted(&before));
        database.check(&table, &after);
        assert!(extents(&database, &table).1 <= blocks);
    }
    drop(table);
    database.sound();
}

#[test]
fn rows_and_indexes_are_what_they_were() {
    let mut runner = TestRunner::new(ProptestConfig { cases: 12, ..ProptestConfig::default() });
    for size in [BlockSize::K2, BlockSize::K8] {
        runner
            .run(&rounds(), |rounds| {
                play(size, &rounds);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn shrink_returns_free_space_and_the_segment_grows_again() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    database.table("T", 2, 10);
    let table = alter(&database, "T", &TableChange::RowMovement(true)).unwrap();
    // Extents of 64 KB and of 1 MB.
    let rows: Vec<Columns> = (0..9_000).map(|number| row(number, 400)).collect();
    database.insert(&table, &rows);
    database.session.commit(CommitWrite::default()).unwrap();
    let (many, full) = extents(&database, &table);
    assert!(many > 18 && full > 400, "{many} {full}");
    let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
    for rowid in database.scan(&table).keys().skip(100).step_by(2) {
        deleter.push(*rowid).unwrap();
    }
    deleter.finish().unwrap();
    database.session.commit(CommitWrite::default()).unwrap();
    let table = alter(&database, "T", &SHRINK).unwrap();
    let (_, half) = extents(&database, &table);
    // In steps of 1 MB.
    assert!(half * 3 <= full * 2 && half * 5 >= full * 2, "{full} {half}");
    let left = database.scan(&table);
    let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
    left.keys().for_each(|rowid| deleter.push(*rowid).unwrap());
    deleter.finish().unwrap();
    database.session.commit(CommitWrite::default()).unwrap();
    let table = alter(&database, "T", &SHRINK).unwrap();
    assert_eq!(extents(&database, &table), (1, 8));
    assert_eq!(table.segment.scan_ranges(&database.session).unwrap().iter().map(|range| range.blocks).sum::<u32>(), 0);
    database.insert(&table, &rows);
    database.session.commit(CommitWrite::default()).unwrap();
    assert_eq!(extents(&database, &table), (many, full));
    assert_eq!(database.scan(&table).len(), rows.len());
    drop(table);
    database.sound();
}

#[test]
fn initial_stays_and_compact_moves_rows_alone() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let storage = Storage { initial: Some(1 << 20), ..Storage::default() };
    database.table_with("T", 2, PhysicalAttributes::default(), storage);
    let table = alter(&database, "T", &TableChange::RowMovement(true)).unwrap();
    let rows: Vec<Columns> = (0..6_000).map(|number| row(number, 400)).collect();
    database.insert(&table, &rows);
    let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
    database.scan(&table).keys().take(5_990).for_each(|rowid| deleter.push(*rowid).unwrap());
    deleter.finish().unwrap();
    database.session.commit(CommitWrite::default()).unwrap();
    let before = extents(&database, &table);
    let last = *database.scan(&table).keys().last().unwrap();
    let table = alter(&database, "T", &TableChange::Shrink { lower: false, cascade: false }).unwrap();
    assert_eq!(extents(&database, &table), before);
    let moved = database.scan(&table);
    assert!(moved.len() == 10 && moved.keys().all(|rowid| rowid.block < last.block), "{moved:?}");
    let table = alter(&database, "T", &SHRINK).unwrap();
    assert_eq!(extents(&database, &table).1, 128);
    assert_eq!(database.scan(&table), moved);
    drop(table);
    database.sound();
}

#[test]
fn shrink_is_refused_with_the_reason() {
    let manual = Database::new(BlockSize::K8, SpaceManagement::Manual);
    manual.table("T", 2, 10);
    alter(&manual, "T", &TableChange::RowMovement(true)).unwrap();
    assert!(alter(&manual, "T", &SHRINK).unwrap_err().is_ora(10635));
    let automatic = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = automatic.table("T", 2, 10);
    assert!(alter(&automatic, "T", &SHRINK).unwrap_err().is_ora(10636));
    alter(&automatic, "T", &TableChange::RowMovement(true)).unwrap();
    // A session that changes the table.
    let other = automatic.connect();
    let _lock = other.lock_for_change(&table).unwrap();
    assert!(alter(&automatic, "T", &SHRINK).unwrap_err().is_ora(54));
}

#[test]
fn snapshots_from_before_do_not_miss_rows_in_silence() {
    for change in [SHRINK, TableChange::Move(engine::ddl::MoveTo::default())] {
        let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
        database.table("T", 2, 10);
        let table = alter(&database, "T", &TableChange::RowMovement(true)).unwrap();
        let rows: Vec<Columns> = (0..3_000).map(|number| row(number, 400)).collect();
        database.insert(&table, &rows);
        let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
        database.scan(&table).keys().take(2_000).for_each(|rowid| deleter.push(*rowid).unwrap());
        deleter.finish().unwrap();
        database.session.commit(CommitWrite::default()).unwrap();
        let reader = database.connect();
        reader.set_transaction(Isolation::Serializable).unwrap();
        assert_eq!(scan_by(&reader, &table, None, 100).len(), 1_000);
        // Something is committed meanwhile.
        let other = database.table("OTHER", 1, 10);
        database.insert(&other, &[vec![Some(b"x".to_vec())]]);
        database.session.commit(CommitWrite::default()).unwrap();
        let spec = || scan::ScanSpec { projection: vec![0], predicate: None, rowids: true };
        let now = alter(&database, "T", &change).unwrap();
        let error = TableScan::new(reader.worker().clone(), now.heap().clone(), spec()).map(drop).unwrap_err();
        assert!(error.is_ora(1466), "{error:?}");
        reader.rollback().unwrap();
        assert_eq!(scan_by(&reader, &now, None, 100).len(), 1_000);
    }
}
