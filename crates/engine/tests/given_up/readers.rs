//! Readers under way when their segment is dropped or truncated end with ORA-08103.

use std::ops::Bound;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use device::{FileSystem, MemoryFileSystem};
use engine::ddl::{MoveTo, TableChange};
use engine::instance::Session;
use storage::index::IndexScan;
use storage::table::{Fetcher, Row};
use storage::txn::{CommitWrite, LockWait, TableLock};

use super::support::{
    MANAGEMENTS, Numbers, Options, append, create, create_filled, index, insert, join, rest, scan, scan_directly,
    sound, table, table_spec,
};

const ROWS: u32 = 3_000;

type GiveUp = (&'static str, fn(&Arc<Session>));

const WAYS: [GiveUp; 4] = [
    ("truncate", |s| drop(s.truncate_table("SYSTEM", "A").unwrap())),
    ("drop", |s| s.drop_table("SYSTEM", "A").unwrap()),
    ("move", |s| drop(s.alter_table("SYSTEM", "A", &TableChange::Move(MoveTo::default())).unwrap())),
    ("drop column", |s| {
        let change = TableChange::DropColumns { names: vec!["FILLER".to_owned()], cascade: false };
        drop(s.alter_table("SYSTEM", "A", &change).unwrap());
    }),
];

/// With `again`, another segment has the blocks when the readers continue.
fn readers_are_told(again: bool) {
    for management in MANAGEMENTS {
        for (what, give_up) in WAYS {
            let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
            let (instance, s) = create(&files, &Options { management, ..Options::default() });
            s.create_table(&table_spec("A")).unwrap();
            index(&s, "A", "A_I", "ID");
            let a = table(&s, "A");
            insert(&s, &a, 0..ROWS).unwrap();
            s.commit(CommitWrite::default()).unwrap();
            let reader = instance.connect("SYSTEM").unwrap();
            let mut cached = scan(&reader, &a);
            let mut direct = scan_directly(&reader, &a);
            let mut entries =
                IndexScan::new(&reader, &a.indexes[0], Bound::Unbounded, Bound::Unbounded, false).unwrap();
            let mut fetcher = Fetcher::new(reader.worker().clone(), a.heap().clone(), vec![0, 1]);
            let mut numbers = Numbers::default();
            for scan in [&mut cached, &mut direct] {
                assert!(scan.next(&mut numbers, 40).unwrap());
            }
            let (_, rowid) = entries.next().unwrap().unwrap();
            let mut row = Row::new();
            assert!(fetcher.fetch(rowid, &mut row).unwrap());
            fetcher.release();
            give_up(&s);
            if again {
                create_filled(&s, "B", 0..ROWS).unwrap();
            }
            let errors = [
                ("scan", rest(&mut cached).map(drop)),
                ("direct scan", rest(&mut direct).map(drop)),
                (
                    "index scan",
                    loop {
                        match entries.next().map(|entry| entry.is_some()) {
                            Ok(true) => {}
                            Ok(false) => break Ok(()),
                            Err(error) => break Err(error),
                        }
                    },
                ),
                ("fetch", fetcher.fetch(rowid, &mut row).map(drop)),
            ];
            for (reader, ended) in errors {
                let error = ended.expect_err(&format!("{reader} of {management:?} beside {what}"));
                assert!(error.is_ora(8103), "{reader} of {management:?} beside {what}: {error}");
                assert_eq!(error.kind, common::ErrorKind::User, "{reader} beside {what}: {error}");
            }
            drop((cached, direct, entries, fetcher, reader));
            sound(&files, instance, s);
        }
    }
}

#[test]
fn readers_end_with_ora_08103_when_their_segment_is_given_up() {
    readers_are_told(false);
}

#[test]
fn readers_end_with_ora_08103_when_their_extents_are_something_elses() {
    readers_are_told(true);
}

#[test]
fn readers_from_before_a_shrink_are_told() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = create(&files, &Options::default());
    let mut spec = table_spec("A");
    spec.row_movement = true;
    s.create_table(&spec).unwrap();
    index(&s, "A", "A_I", "ID");
    let a = table(&s, "A");
    insert(&s, &a, 0..ROWS).unwrap();
    s.commit(CommitWrite::default()).unwrap();
    let reader = instance.connect("SYSTEM").unwrap();
    let mut cached = scan(&reader, &a);
    let mut fetcher = Fetcher::new(reader.worker().clone(), a.heap().clone(), vec![0, 1]);
    let mut entries = IndexScan::new(&reader, &a.indexes[0], Bound::Unbounded, Bound::Unbounded, true).unwrap();
    let (_, last) = entries.next().unwrap().unwrap();
    assert!(cached.next(&mut Numbers::default(), 40).unwrap());
    let mut scan = IndexScan::new(&s, &a.indexes[0], Bound::Unbounded, Bound::Unbounded, false).unwrap();
    let mut deleted = storage::table::Deleter::new(s.worker().clone(), a.heap().clone());
    for _ in 0..ROWS / 2 {
        let (_, rowid) = scan.next().unwrap().unwrap();
        deleted.push(rowid).unwrap();
    }
    deleted.finish().unwrap();
    s.commit(CommitWrite::default()).unwrap();
    s.alter_table("SYSTEM", "A", &TableChange::Shrink { lower: true, cascade: false }).unwrap();
    create_filled(&s, "B", 0..ROWS).unwrap();
    assert!(rest(&mut cached).unwrap_err().is_ora(8103));
    let error = fetcher.fetch(last, &mut Row::new()).expect_err("a row that was there is not found");
    assert!(error.is_ora(8103), "{error}");
    assert_eq!(super::support::all(&s, "A"), (ROWS / 2..ROWS).collect::<Vec<_>>());
    drop((cached, fetcher, entries, reader, scan));
    sound(&files, instance, s);
}

/// Scans get no error while the segment lives, whatever grows, is loaded and rolled back beside them.
#[test]
fn scans_of_a_table_that_grows_go_on() {
    for management in MANAGEMENTS {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let (instance, s) = create(&files, &Options { management, cache: "2M", ..Options::default() });
        s.create_table(&table_spec("A")).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let scanners: Vec<_> = (0..2)
            .map(|n| {
                let (s, done) = (instance.connect("SYSTEM").unwrap(), done.clone());
                let work = move || {
                    let mut most = 0;
                    while !done.load(Ordering::Acquire) {
                        let a = table(&s, "A");
                        let mut scan = if n == 0 { scan(&s, &a) } else { scan_directly(&s, &a) };
                        let found = rest(&mut scan).unwrap().len();
                        assert!(found >= most && found.is_multiple_of(100), "{found} rows after {most}");
                        most = found;
                    }
                };
                spawn(&format!("scanner {n}"), work).unwrap()
            })
            .collect();
        let changers: Vec<_> = (0..3_u32)
            .map(|n| {
                let s = instance.connect("SYSTEM").unwrap();
                let work = move || {
                    for turn in 0..40 {
                        let loads = (n + turn) % 4 == 0;
                        if loads {
                            s.lock_table(table(&s, "A").object, TableLock::Exclusive, LockWait::Forever).unwrap();
                        }
                        let (_lock, a) = s.lock_for_change(&table(&s, "A")).unwrap();
                        if loads {
                            append(&s, &a, 0..100).unwrap();
                        } else {
                            insert(&s, &a, 0..100).unwrap();
                        }
                        if turn % 5 == 4 {
                            s.rollback().unwrap();
                        } else {
                            s.commit(CommitWrite::default()).unwrap();
                        }
                    }
                };
                spawn(&format!("changer {n}"), work).unwrap()
            })
            .collect();
        changers.into_iter().for_each(|thread| join(thread, 100));
        done.store(true, Ordering::Release);
        scanners.into_iter().for_each(|thread| join(thread, 60));
        sound(&files, instance, s);
    }
}
