//! Space that runs out, and disks that fail, in the middle of a load: the table is unchanged, and its space is usable
//! again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::sync::atomic::AtomicU64;
use common::{Result, SystemClock};
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::instance::Instance;
use sql::{Connection, Database, FileLoad};

use super::{external, one, run, support};

/// 110 bytes a row: many for a file of 2 MB, of which half is for rows, and few enough for it.
const MANY: usize = 30_000;
const FEW: usize = 5_000;

/// Ways of loading rows into a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Created,
    Appended,
    Inserted,
    Loaded,
}

const WAYS: [Way; 4] = [Way::Created, Way::Appended, Way::Inserted, Way::Loaded];

/// The object without room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Full {
    Table,
    Index,
}

fn write(folder: &Path, rows: usize) {
    let text: String = (1..=rows).map(|row| format!("{row},{}\n", "x".repeat(100))).collect();
    fs::write(folder.join("t.dat"), text).unwrap();
}

fn load(folder: &Path) -> FileLoad {
    FileLoad {
        table: "kept".to_owned(),
        path: folder.join("t.dat"),
        delimiter: b',',
        header: false,
        date_format: None,
        timestamp_format: None,
        errors: None,
        bad: None,
        read: Arc::new(AtomicU64::new(0)),
    }
}

fn done(c: &mut Connection, way: Way, folder: &Path) -> Result<()> {
    match way {
        Way::Created => c.run("create table made tablespace small as select * from e").map(drop),
        Way::Appended => c.run("insert /*+ append */ into kept select * from e").map(drop),
        Way::Inserted => c.run("insert into kept select * from e").map(drop),
        Way::Loaded => c.load(&load(folder)).map(drop),
    }
}

/// The table KEPT in the tablespace SMALL, or with a key that has its index there.
fn prepare(c: &mut Connection, folder: &Path, storage: &str, full: Full) {
    run(c, &format!("create tablespace small datafile 'small.dbf' {storage}"));
    write(folder, 1);
    let lines = "records delimited by newline nologfile nobadfile fields terminated by ','";
    external(c, folder, "a number, b varchar2(100)", lines, "");
    let (key, tablespace) = match full {
        Full::Table => ("", "small"),
        Full::Index => (", primary key (a, b) using index tablespace small", "users"),
    };
    run(c, &format!("create table kept (a number, b varchar2(100){key}) tablespace {tablespace}"));
    run(c, "insert into kept select -level, 'before' from dual connect by level <= 100");
    run(c, "commit");
}

fn close(c: Connection, database: Arc<Database>, files: &Arc<dyn FileSystem>) {
    let instance = Arc::clone(c.session().instance());
    drop((c, database));
    instance.shutdown().unwrap();
    drop(instance);
    assert_eq!(problems(files), [""; 0]);
}

fn problems(files: &Arc<dyn FileSystem>) -> Vec<String> {
    let clock = Arc::new(SystemClock::default());
    let report = engine::verify::verify(files.clone(), Path::new(support::DIRECTORY), clock, None).unwrap();
    report.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_tablespace_that_cannot_grow_keeps_what_was_there_and_takes_what_fits() {
    for (full, number) in [(Full::Table, 1653), (Full::Index, 1654)] {
        for way in WAYS.into_iter().filter(|way| full == Full::Table || *way != Way::Created) {
            for management in ["auto", "manual"] {
                let folder = tempfile::tempdir().unwrap();
                let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
                let database = support::database_on(Arc::clone(&files));
                let mut c = database.connect("system", None).unwrap();
                let storage = format!("size 2m segment space management {management}");
                prepare(&mut c, folder.path(), &storage, full);
                let what = format!("{way:?} {management} {full:?}");
                // Repeated failures use up nothing.
                for _ in 0..3 {
                    write(folder.path(), MANY);
                    let error = done(&mut c, way, folder.path()).expect_err(&what);
                    assert!(error.is_ora(number), "{what}: {error}");
                    let owner = if way == Way::Created { "SYSTEM.MADE" } else { "SYSTEM." };
                    assert!(error.text.contains(owner) && error.text.contains("tablespace SMALL"), "{what}: {error}");
                    run(&mut c, "commit");
                    assert_eq!(one(&mut c, "select count(*), sum(a) from kept"), "100 -5050", "{what}");
                    assert_eq!(one(&mut c, "select count(*) from user_tables where table_name = 'MADE'"), "0");
                }
                write(folder.path(), FEW);
                done(&mut c, way, folder.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
                run(&mut c, "commit");
                let table = if way == Way::Created { "made" } else { "kept" };
                let sum = FEW * (FEW + 1) / 2;
                assert_eq!(one(&mut c, &format!("select sum(a) from {table} where a > 0")), sum.to_string(), "{what}");
                close(c, database, &files);
            }
        }
    }
}

/// Files may grow, and the disk is full: the statement fails, the instance goes on, and with room again the load
/// succeeds.
#[test]
fn a_full_disk_ends_the_statement_and_nothing_else() {
    for way in WAYS {
        for nth in [1, 2, 3] {
            let folder = tempfile::tempdir().unwrap();
            let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::default())));
            let files: Arc<dyn FileSystem> = faulty.clone();
            let database = support::database_on(Arc::clone(&files));
            let mut c = database.connect("system", None).unwrap();
            prepare(&mut c, folder.path(), "size 2m autoextend on next 256k", Full::Table);
            write(folder.path(), MANY);
            (nth..nth + 1_000).for_each(|nth| faulty.fail(nth, Fault::Growth));
            let error = done(&mut c, way, folder.path()).unwrap_err();
            assert!(error.is_ora(1237) && error.text.contains("small.dbf"), "{way:?}: {error}");
            run(&mut c, "commit");
            assert_eq!(one(&mut c, "select count(*), sum(a) from kept"), "100 -5050", "{way:?}");
            assert_eq!(one(&mut c, "select count(*) from user_tables where table_name = 'MADE'"), "0");
            faulty.heal();
            done(&mut c, way, folder.path()).unwrap();
            run(&mut c, "commit");
            let table = if way == Way::Created { "made" } else { "kept" };
            assert_eq!(one(&mut c, &format!("select count(*) from {table} where a > 0")), MANY.to_string());
            close(c, database, &files);
        }
    }
}

/// A failing write stops the instance; the next open has the committed rows.
#[test]
fn a_disk_that_fails_in_a_load_leaves_what_was_committed() {
    let mut stopped = 0;
    for way in WAYS {
        for nth in [1, 2, 4, 8, 16, 32] {
            let folder = tempfile::tempdir().unwrap();
            let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::default())));
            let files: Arc<dyn FileSystem> = faulty.clone();
            let database = support::database_on(Arc::clone(&files));
            let mut c = database.connect("system", None).unwrap();
            prepare(&mut c, folder.path(), "size 2m autoextend on next 256k", Full::Table);
            write(folder.path(), FEW);
            faulty.fail(nth, Fault::Write);
            let loaded = done(&mut c, way, folder.path());
            let committed = c.run("commit").map(drop);
            let instance = Arc::clone(c.session().instance());
            drop((c, database));
            let closed = instance.shutdown();
            drop(instance);
            faulty.heal();
            stopped += usize::from(loaded.is_err());
            let clock = Arc::new(SystemClock::default());
            let instance = Instance::open(files.clone(), &PathBuf::from(support::DIRECTORY), clock, None).unwrap();
            let database = Database::new(instance);
            let mut c = database.connect("system", None).unwrap();
            let created = one(&mut c, "select count(*) from user_tables where table_name = 'MADE'") == "1";
            assert_eq!(one(&mut c, "select count(*), sum(a) from kept where a < 0"), "100 -5050");
            let rows = match way {
                Way::Created if created => one(&mut c, "select count(*) from made"),
                Way::Created => "0".to_owned(),
                _ => one(&mut c, "select count(*) from kept where a > 0"),
            };
            let all = FEW.to_string();
            let what = format!("{way:?} {nth}: {rows} rows after {loaded:?}, {committed:?}, {closed:?}");
            // A failed commit may have reached the disk; a failed load has not, unless it commits by itself.
            assert!(rows == all || rows == "0" && !(created && way == Way::Created), "{what}");
            assert!(rows == all || loaded.is_err() || committed.is_err(), "{what}");
            assert!(rows == "0" || loaded.is_ok() || way == Way::Created, "{what}");
            close(c, database, &files);
        }
    }
    assert!(stopped >= 8, "{stopped} loads were stopped");
}
