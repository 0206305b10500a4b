//! Direct loads many times as large as all log files, and a TRUNCATE whose record takes much of one.

use common::sync::Arc;
use common::sync::atomic::{AtomicBool, Ordering};
use device::{FileSystem, MemoryFileSystem};
use engine::instance::Session;
use storage::txn::CommitWrite;

use super::support::{
    MANAGEMENTS, Options, all, append, crash, create, create_filled, index, insert, sound, table, table_spec, within,
};

/// 12 MB of rows; the log files have 256 KB each.
const ROWS: u32 = 20_000;
/// Extents of a table whose TRUNCATE needs a record of more than a quarter of a log file.
const EXTENTS: u64 = 1_000;

fn with_small_logs(work: impl Fn(&Arc<Session>) + Send + Copy + 'static) {
    for management in MANAGEMENTS {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let options = Options { management, log_bytes: 256 << 10, ..Options::default() };
        let (instance, s) = create(&files, &options);
        let s = within(60, move || {
            work(&s);
            s
        });
        let expected: Vec<_> = (0..ROWS).collect();
        assert_eq!(all(&s, "A"), expected);
        let (instance, s) = crash(&files, instance, s);
        assert_eq!(all(&s, "A"), expected);
        sound(&files, instance, s);
    }
}

#[test]
fn create_table_as_select_with_small_logs() {
    with_small_logs(|s| {
        create_filled(s, "A", 0..ROWS).unwrap();
        index(s, "A", "A_I", "ID");
        index(s, "A", "A_F", "FILLER");
    });
}

#[test]
fn append_with_indexes_and_small_logs() {
    with_small_logs(|s| {
        s.create_table(&table_spec("A")).unwrap();
        index(s, "A", "A_I", "ID");
        insert(s, &table(s, "A"), 0..100).unwrap();
        s.commit(CommitWrite::default()).unwrap();
        append(s, &table(s, "A"), 100..ROWS).unwrap();
        s.commit(CommitWrite::default()).unwrap();
    });
}

#[test]
fn append_without_logging_and_small_logs() {
    with_small_logs(|s| {
        let mut spec = table_spec("A");
        spec.logging = Some(false);
        s.create_table(&spec).unwrap();
        index(s, "A", "A_I", "ID");
        append(s, &table(s, "A"), 0..ROWS).unwrap();
        s.commit(CommitWrite::default()).unwrap();
    });
}

#[test]
fn loads_at_once_with_small_logs() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = create(&files, &Options { log_bytes: 256 << 10, ..Options::default() });
    let names = ["A", "B", "C"];
    for name in names {
        s.create_table(&table_spec(name)).unwrap();
    }
    let threads: Vec<_> = names
        .into_iter()
        .map(|name| {
            let s = instance.connect("SYSTEM").unwrap();
            common::sync::spawn(name, move || {
                append(&s, &table(&s, name), 0..4_000).unwrap();
                s.commit(CommitWrite::default()).unwrap();
            })
            .unwrap()
        })
        .collect();
    threads.into_iter().for_each(|thread| super::support::join(thread, 60));
    let (instance, s) = crash(&files, instance, s);
    for name in names {
        assert_eq!(all(&s, name), (0..4_000).collect::<Vec<_>>());
    }
    sound(&files, instance, s);
}

/// The record of a TRUNCATE has a part for each extent, and the session has the segment latched when it appends it.
#[test]
fn truncate_of_many_extents_with_small_logs() {
    for management in MANAGEMENTS {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let options = Options { management, log_bytes: 256 << 10, uniform_bytes: Some(64 << 10), ..Options::default() };
        let (instance, s) = create(&files, &options);
        s.create_table(&table_spec("B")).unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let (s, ended) = (instance.connect("SYSTEM").unwrap(), ended.clone());
                common::sync::spawn("writer", move || {
                    while !ended.load(Ordering::SeqCst) {
                        insert(&s, &table(&s, "B"), 0..20).unwrap();
                        s.rollback().unwrap();
                    }
                })
                .unwrap()
            })
            .collect();
        let s = within(120, move || {
            for loops in 0..12 {
                let mut spec = table_spec("A");
                spec.storage.initial = Some(EXTENTS * (64 << 10));
                s.create_table(&spec).unwrap();
                insert(&s, &table(&s, "A"), 0..200).unwrap();
                s.commit(CommitWrite::default()).unwrap();
                s.truncate_table("SYSTEM", "A").unwrap();
                assert!(all(&s, "A").is_empty(), "{loops}");
                s.drop_table("SYSTEM", "A").unwrap();
            }
            s
        });
        ended.store(true, Ordering::SeqCst);
        writers.into_iter().for_each(|thread| super::support::join(thread, 60));
        let (instance, s) = crash(&files, instance, s);
        assert!(all(&s, "B").is_empty());
        sound(&files, instance, s);
    }
}
