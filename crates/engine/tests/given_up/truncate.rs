//! A statement that gives up segments and fails on the way leaves no trace; or it is complete.

use std::ops::Bound;

use common::sync::Arc;
use common::sync::atomic::Ordering;
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::ddl::{MoveTo, TableChange};
use engine::instance::{Instance, Session};
use storage::index::IndexScan;
use storage::table::delete;
use storage::txn::CommitWrite;

use super::support::{MANAGEMENTS, Options, all, crash, create, index, insert, join, pause, sound, table, table_spec};

const ROWS: u32 = 2_000;

/// A table with two indexes, in a database with an empty cache.
fn prepared(
    files: &Arc<dyn FileSystem>,
    management: storage::control::SpaceManagement,
) -> (Arc<Instance>, Arc<Session>) {
    let (instance, s) = create(files, &Options { management, ..Options::default() });
    let mut spec = table_spec("A");
    spec.row_movement = true;
    s.create_table(&spec).unwrap();
    index(&s, "A", "A_I", "ID");
    index(&s, "A", "A_F", "FILLER");
    insert(&s, &table(&s, "A"), 0..ROWS).unwrap();
    s.commit(CommitWrite::default()).unwrap();
    (instance, s)
}

/// Table and indexes agree.
fn check(s: &Arc<Session>, expected: &[u32]) {
    assert_eq!(all(s, "A"), expected);
    let a = table(s, "A");
    assert_eq!(a.indexes.len(), 2);
    for index in &a.indexes {
        let mut scan = IndexScan::new(s, index, Bound::Unbounded, Bound::Unbounded, false).unwrap();
        let mut found = 0;
        while let Some((_, rowid)) = scan.next().unwrap() {
            assert!(storage::table::fetch_row(s, &a, rowid).unwrap().is_some(), "{}", index.name);
            found += 1;
        }
        assert_eq!(found, expected.len(), "{}", index.name);
        assert_eq!(storage::index::verify(s, index, Some(&a.segment)).unwrap(), []);
    }
}

/// Repeats a statement with its first read failing, then its second, and so on, until no read fails any more.
fn with_each_read_failing(what: &str, step: u64, statement: fn(&Arc<Session>) -> common::Result<()>, after: &[u32]) {
    let before: Vec<_> = (0..ROWS).collect();
    for management in MANAGEMENTS {
        for nth in (1..).step_by(step as usize) {
            let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
            let files: Arc<dyn FileSystem> = faulty.clone();
            let (instance, s) = prepared(&files, management);
            // The statement reads much of the dictionary before its first change: only the tablespace's own reads
            // matter, and those come cold.
            all(&s, "A");
            instance.cache().flush(s.meter()).unwrap();
            let reads = faulty.reads();
            faulty.fail(nth, Fault::Read);
            let done = statement(&s);
            let met = faulty.reads() - reads >= nth;
            faulty.heal();
            let now = table(&s, "A");
            let happened = done.is_ok() || all(&s, "A") == after && after != before;
            if let Err(error) = &done {
                assert!(error.is_ora(1115) || error.is_ora(1578), "{what}, read {nth}: {error}");
            }
            let expected = if happened { after } else { &before[..] };
            check(&s, expected);
            // The table is usable.
            insert(&s, &now, ROWS..ROWS + 10).unwrap();
            let mut more = expected.to_vec();
            more.extend(ROWS..ROWS + 10);
            check(&s, &more);
            s.commit(CommitWrite::default()).unwrap();
            let (instance, s) = crash(&files, instance, s);
            check(&s, &more);
            s.truncate_table("SYSTEM", "A").unwrap();
            check(&s, &[]);
            sound(&files, instance, s);
            if !met {
                assert!(done.is_ok(), "{what}: {done:?}");
                assert!(nth > 3, "{what} reads nothing");
                break;
            }
        }
    }
}

#[test]
fn a_truncate_that_cannot_read_has_not_happened() {
    with_each_read_failing("truncate", 1, |s| s.truncate_table("SYSTEM", "A").map(drop), &[]);
}

#[test]
fn a_move_that_cannot_read_has_not_happened() {
    let all: Vec<_> = (0..ROWS).collect();
    let statement = |s: &Arc<Session>| s.alter_table("SYSTEM", "A", &TableChange::Move(MoveTo::default())).map(drop);
    with_each_read_failing("move", 9, statement, &all);
}

#[test]
fn a_shrink_that_cannot_read_leaves_every_row() {
    for nth in 1.. {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let files: Arc<dyn FileSystem> = faulty.clone();
        let (instance, s) = prepared(&files, storage::control::SpaceManagement::Auto);
        let a = table(&s, "A");
        let mut scan = IndexScan::new(&s, &a.indexes[0], Bound::Unbounded, Bound::Unbounded, false).unwrap();
        for _ in 0..ROWS - 20 {
            let (_, rowid) = scan.next().unwrap().unwrap();
            assert!(delete(&s, &a, rowid).unwrap());
        }
        drop(scan);
        s.commit(CommitWrite::default()).unwrap();
        instance.cache().flush(s.meter()).unwrap();
        let reads = faulty.reads();
        // The rows are found by reads of their own; the reads at the end matter.
        faulty.fail(nth * 11, Fault::Read);
        let done = s.alter_table("SYSTEM", "A", &TableChange::Shrink { lower: true, cascade: false });
        let met = faulty.reads() - reads >= nth * 11;
        faulty.heal();
        let expected: Vec<_> = all(&s, "A");
        assert_eq!(expected.len(), 20);
        check(&s, &expected);
        let (instance, s) = crash(&files, instance, s);
        check(&s, &expected);
        sound(&files, instance, s);
        if !met {
            done.unwrap();
            break;
        }
    }
}

/// A TRUNCATE cancelled at any moment has changed nothing.
#[test]
fn a_truncate_that_is_cancelled_has_not_happened() {
    for management in MANAGEMENTS {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let (mut instance, mut s) = prepared(&files, management);
        let mut expected: Vec<_> = (0..ROWS).collect();
        for round in 0..40 {
            let cancel = s.cancel_handle();
            let canceller = common::sync::spawn("canceller", move || {
                for _ in 0..round * 50 {
                    std::hint::spin_loop();
                }
                if round % 8 == 7 {
                    pause();
                }
                cancel.store(true, Ordering::Release);
            })
            .unwrap();
            match s.truncate_table("SYSTEM", "A") {
                Ok(_) => expected.clear(),
                Err(error) => assert!(error.is_ora(1013), "{error}"),
            }
            join(canceller, 10);
            s.cancel_handle().store(false, Ordering::Release);
            check(&s, &expected);
            if round % 10 == 9 {
                (instance, s) = crash(&files, instance, s);
                check(&s, &expected);
            }
            if expected.is_empty() {
                expected = (0..200).collect();
                insert(&s, &table(&s, "A"), 0..200).unwrap();
                s.commit(CommitWrite::default()).unwrap();
            }
        }
        sound(&files, instance, s);
    }
}
