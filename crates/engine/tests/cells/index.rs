//! Fast full scans of indexes by cells: the same entries as by the cache.

use std::collections::BTreeSet;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use common::{Rowid, Seeded};
use engine::ddl::{IndexSpec, PhysicalAttributes};
use engine::dictionary::IndexDef;
use engine::instance::Session;
use scan::{Comparison, Predicate};
use storage::disk_group::Redundancy;
use storage::index::FastFullScan;
use storage::segment::Storage;
use storage::table::{Deleter, Updater};
use storage::txn::CommitWrite;
use waits::{Event, Statistic};

use super::{Bench, OWNER, ROWS, count, insert, own_rows, some, table};

fn create(s: &Arc<Session>, name: &str, columns: &[&str], unique: bool) -> Arc<IndexDef> {
    create_filled(s, name, columns, unique, None)
}

fn create_filled(s: &Arc<Session>, name: &str, columns: &[&str], unique: bool, pctfree: Option<u64>) -> Arc<IndexDef> {
    let spec = IndexSpec {
        owner: OWNER.to_owned(),
        name: name.to_owned(),
        table_owner: OWNER.to_owned(),
        table_name: "T".to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        unique,
        tablespace: Some("ON_CELLS".to_owned()),
        physical: PhysicalAttributes { pctfree, ..PhysicalAttributes::default() },
        storage: Storage::default(),
        logging: None,
    };
    s.create_index(&spec).unwrap()
}

/// The value of K in an entry, and its row.
type Entry = (String, Rowid);

/// The next entry that satisfies the condition, which is that K is `least` or more.
fn next(scan: &mut FastFullScan, index: &IndexDef, least: &str) -> Option<Entry> {
    loop {
        let (key, rowid) = scan.next().unwrap()?;
        let columns: Vec<_> = key.columns().collect();
        assert_eq!(columns.len(), index.columns.len());
        let at = index.columns.iter().position(|column| *column == 0).unwrap();
        let key = String::from_utf8(columns[at].unwrap().to_vec()).unwrap();
        if *key >= *least {
            return Some((key, rowid));
        }
    }
}

fn from(least: &str) -> Predicate {
    Predicate::compare(0, Comparison::GreaterOrEqual, least.as_bytes())
}

fn start(s: &Arc<Session>, index: &Arc<IndexDef>, least: &str) -> FastFullScan {
    let condition = (!least.is_empty()).then(|| from(least));
    FastFullScan::new(s.worker(), index, condition.as_ref()).unwrap()
}

/// All entries, in the order of keys.
fn entries(s: &Arc<Session>, index: &Arc<IndexDef>, least: &str) -> Vec<Entry> {
    let mut scan = start(s, index, least);
    let mut found: Vec<Entry> = std::iter::from_fn(|| next(&mut scan, index, least)).collect();
    found.sort_unstable();
    found
}

/// The same by the cache.
fn cached(s: &Arc<Session>, index: &Arc<IndexDef>, least: &str) -> Vec<Entry> {
    s.worker().parameters().set("cell_offload_processing", "false").unwrap();
    let found = entries(s, index, least);
    s.worker().parameters().set("cell_offload_processing", "true").unwrap();
    found
}

fn compare(s: &Arc<Session>, indexes: &[Arc<IndexDef>], what: &str) {
    for index in indexes {
        for least in ["", "000300", "000590"] {
            let (by_cells, by_cache) = (entries(s, index, least), cached(s, index, least));
            assert_eq!(by_cells.len(), by_cache.len(), "{what}, {}, from {least}", index.name);
            assert!(by_cells == by_cache, "{what}, {}, from {least}", index.name);
        }
    }
}

#[test]
fn cells_send_the_entries_that_are_wanted() {
    let bench = Bench::new(Redundancy::External);
    let s = bench.connect();
    insert(&s, 2000..20_000, 10);
    s.commit(CommitWrite::default()).unwrap();
    for (name, columns, unique) in [("T_K", &["K"][..], true), ("T_WK", &["W", "K"], false)] {
        let index = create(&s, name, columns, unique);
        bench.flush(&s);
        let of = |s: &Session| {
            let bytes = Statistic::CellPhysicalIoInterconnectBytesReturnedBySmartScan;
            [Statistic::CellIndexScans, Statistic::CellScans, bytes, Statistic::TableScanRowsGotten]
                .map(|statistic| count(s, statistic))
        };
        let (before, waits) = (of(&s), s.meter().event(Event::CellSmartIndexScan).waits);
        let found = entries(&s, &index, "019990");
        assert_eq!(found.len(), 10, "{name}");
        let after = of(&s);
        assert_eq!((after[0] - before[0], after[1] - before[1], after[3] - before[3]), (1, 0, 0));
        assert!(after[2] - before[2] < 2000, "{} bytes", after[2] - before[2]);
        assert!(s.meter().event(Event::CellSmartIndexScan).waits > waits);
        assert!(found == cached(&s, &index, "019990"));
        assert_eq!(entries(&s, &index, "").len(), (ROWS + 18_000) as usize);
        assert_eq!(of(&s)[0] - before[0], 2);
        compare(&s, &[index], "at rest");
    }
}

/// What a scan finds while the index is split under it, at each place.
#[test]
fn entries_are_found_once_whatever_is_split_meanwhile() {
    for unique in [false, true] {
        let bench = Bench::new(Redundancy::External);
        let (reader, writer) = (bench.connect(), bench.connect());
        // More than the answer to one request, and than what is taken of an answer at a time.
        for round in 0..20 {
            insert(&writer, (1000 + round * 1000)..(1000 + round * 1000 + 900), 1);
        }
        writer.commit(CommitWrite::default()).unwrap();
        let index = create(&writer, "T_K", &["K"], unique);
        for (round, before) in [0, 1, 999, 1000, 1001, 5000, 12_000, 18_000].into_iter().enumerate() {
            for least in ["", "000500"] {
                let expected = entries(&reader, &index, least);
                let mut scan = start(&reader, &index, least);
                let mut found: Vec<_> = (0..before).map_while(|_| next(&mut scan, &index, least)).collect();
                assert_eq!(found.len(), before);
                let splits = writer.meter().value(Statistic::LeafNodeSplits);
                let first = 1900 + round as u32 * 1000 + if least.is_empty() { 0 } else { 50 };
                insert(&writer, first..first + 50, 1);
                insert(&writer, 100_000 + first * 10..100_000 + first * 10 + 500, 1);
                writer.commit(CommitWrite::default()).unwrap();
                assert!(writer.meter().value(Statistic::LeafNodeSplits) > splits, "nothing was split");
                // What cells have not read yet they read as it is now.
                bench.flush(&writer);
                found.extend(std::iter::from_fn(|| next(&mut scan, &index, least)));
                found.sort_unstable();
                assert!(found == expected, "unique {unique}, from {least}, after {before}: {}", found.len());
            }
        }
        assert!(count(&reader, Statistic::CellIndexScans) > 0);
    }
}

/// Of a leaf without an entry that is wanted a cell sends nothing: what a split has taken out of it is found all the
/// same.
#[test]
fn an_entry_that_a_split_moves_is_found_though_nothing_else_is_wanted() {
    for unique in [false, true] {
        let bench = Bench::new(Redundancy::External);
        let (reader, writer) = (bench.connect(), bench.connect());
        (1000..4000).for_each(|key| insert(&writer, key * 10..key * 10 + 1, 1));
        writer.commit(CommitWrite::default()).unwrap();
        let index = create_filled(&writer, "T_K", &["K"], unique, Some(0));
        let last = "039990";
        let expected = entries(&reader, &index, last);
        assert_eq!(expected.len(), 1);
        let splits = || writer.meter().value(Statistic::LeafNodeSplits);
        let mut key = 39_400;
        loop {
            let mut scan = start(&reader, &index, last);
            let (before, whole) = (splits(), count(&reader, Statistic::CellBlocksReturnedForUndo));
            key += if key % 10 == 9 { 2 } else { 1 };
            insert(&writer, key..key + 1, 1);
            writer.commit(CommitWrite::default()).unwrap();
            bench.flush(&writer);
            let found: Vec<_> = std::iter::from_fn(|| next(&mut scan, &index, last)).collect();
            assert_eq!(found, expected, "unique {unique}, after {key}");
            if splits() > before {
                // The transaction has changed nothing in the left half of the leaf.
                assert_eq!(count(&reader, Statistic::CellBlocksReturnedForUndo), whole, "it came back");
                break;
            }
        }
    }
}

/// Sessions write while others scan: what was committed before a scan is there once, and nothing is there twice.
#[test]
fn writers_and_readers_at_once() {
    let bench = Arc::new(Bench::new(Redundancy::Normal));
    let s = bench.connect();
    let index = create(&s, "T_K", &["K"], false);
    let done = Arc::new(AtomicBool::new(false));
    let writer = {
        let (bench, done) = (Arc::clone(&bench), Arc::clone(&done));
        spawn("writer", move || {
            let s = bench.connect();
            let mut random = Seeded::new(3);
            for round in 0..150_u32 {
                // Keys between others, so that leaves in the midst of the index are split.
                for _ in 0..20 {
                    let key = 1000 + (random.below(9000) as u32);
                    insert(&s, key..key + 1, 1);
                }
                if round % 5 == 4 { s.rollback().unwrap() } else { s.commit(CommitWrite::default()).unwrap() }
            }
            done.store(true, Ordering::Relaxed);
        })
        .unwrap()
    };
    let (mut known, mut scans) = (Vec::new(), 0);
    while !done.load(Ordering::Relaxed) {
        let found = entries(&s, &index, "");
        let distinct: BTreeSet<Rowid> = found.iter().map(|(_, rowid)| *rowid).collect();
        assert_eq!(distinct.len(), found.len(), "an entry was found twice");
        let lost = known.iter().filter(|(_, rowid)| !distinct.contains(rowid)).count();
        assert_eq!(lost, 0, "entries were not found that were there before");
        (known, scans) = (found, scans + 1);
    }
    writer.join().unwrap();
    assert!(scans > 5, "{scans}");
    compare(&s, &[index], "at the end");
}

#[test]
fn an_index_on_a_disk_that_fails_is_read_whole() {
    let bench = Bench::new(Redundancy::Normal);
    let s = bench.connect();
    let index = create(&s, "T_K", &["K"], true);
    bench.flush(&s);
    bench.files.lose(std::path::Path::new("/data/cell01/disk01"));
    compare(&s, &[index], "a disk has failed");
}

/// Random changes in three sessions, of which some are open at any time.
#[test]
fn random_changes_are_seen_alike() {
    for seed in 0..5 {
        let mut random = Seeded::new(seed);
        let bench = Bench::new(Redundancy::External);
        let sessions = [bench.connect(), bench.connect(), bench.connect()];
        let indexes =
            [create(&sessions[0], "T_K", &["K"], seed % 2 == 0), create(&sessions[0], "T_WK", &["W", "K"], false)];
        let (mut following, mut whole) = (10_000, 0);
        for step in 0..60 {
            let at = random.index(3);
            let s = &sessions[at];
            match random.below(10) {
                0..=2 => {
                    insert(s, following..following + 1 + random.below(300) as u32, 10);
                    following += 400;
                }
                3..=4 => {
                    let value = vec![b'w'; random.index(90)];
                    let rows = own_rows(s, at, &mut random);
                    let mut updater = Updater::new(s.worker().clone(), table(s).heap().clone());
                    for (rowid, key) in &rows {
                        updater.push(*rowid, &[Some(key), Some(b"v"), Some(&value), None]).unwrap();
                    }
                    updater.finish().unwrap();
                }
                5..=6 => {
                    let rows = own_rows(s, at, &mut random);
                    let mut deleter = Deleter::new(s.worker().clone(), table(s).heap().clone());
                    rows.iter().take(5).for_each(|(rowid, _)| deleter.push(*rowid).unwrap());
                    deleter.finish().unwrap();
                }
                7 => s.rollback().unwrap(),
                _ => s.commit(CommitWrite::default()).unwrap(),
            }
            if step % 4 == 3 {
                for (number, s) in sessions.iter().enumerate() {
                    let undo = || count(s, Statistic::CellBlocksReturnedForUndo);
                    let before = undo();
                    compare(s, &indexes, &format!("seed {seed}, step {step}, session {number}"));
                    whole += undo() - before;
                }
            }
        }
        assert!(whole > 0, "seed {seed}: nothing was left to undo");
        let rows = super::cached(&sessions[0], &some(0)).rows.len();
        assert_eq!(entries(&sessions[0], &indexes[1], "").len(), rows);
    }
}
