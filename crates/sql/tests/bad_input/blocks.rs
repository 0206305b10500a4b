//! Block sizes without a cache, PCTFREE that leaves no room, and rows larger than a block.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::SystemClock;
use device::{FileSystem, MemoryFileSystem};
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

use super::{external, failed, one, run, support};

const LINES: &str = "records delimited by newline fields terminated by '|'";

fn database(files: &Arc<dyn FileSystem>, more: &[(&str, &str)]) -> Arc<Instance> {
    let mut parameters = vec![("db_cache_size".to_owned(), "16M".to_owned())];
    parameters.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    Instance::create(files.clone(), Path::new(support::DIRECTORY), clock(), None, &options).unwrap()
}

fn clock() -> Arc<SystemClock> {
    Arc::new(SystemClock::default())
}

fn connect(instance: &Arc<Instance>) -> Connection {
    Database::new(instance.clone()).connect("system", None).unwrap()
}

#[test]
fn a_block_size_without_a_cache_is_refused_and_leaves_no_file() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    let instance = database(&files, &[("db_2k_cache_size", "0"), ("db_32k_cache_size", "0")]);
    let mut c = connect(&instance);
    for kilobytes in [2, 32] {
        let error = failed(&mut c, &format!("create tablespace x datafile 'x.dbf' size 4m blocksize {kilobytes}k"));
        assert!(error.is_ora(29339) && error.text.contains(&format!("db_{kilobytes}k_cache_size")), "{error}");
        assert!(!files.exists(&Path::new(support::DIRECTORY).join("x.dbf")).unwrap());
        assert_eq!(one(&mut c, "select count(*) from dba_tablespaces where tablespace_name = 'X'"), "0");
    }
    assert!(
        failed(&mut c, "create tablespace x datafile 'x.dbf' size 4m blocksize 3k").to_string().starts_with("ORA-")
    );
    run(&mut c, "create tablespace x datafile 'x.dbf' size 4m blocksize 16k");
    run(&mut c, "create table t (a number) tablespace x");
    run(&mut c, "insert into t select level from dual connect by level <= 100");
    run(&mut c, "commit");
    // The cache of an existing tablespace's block size is removed: the open reports it.
    run(&mut c, "alter system set db_16k_cache_size = 0 scope = spfile");
    drop(c);
    instance.shutdown().unwrap();
    drop(instance);
    let error = Instance::open(files.clone(), Path::new(support::DIRECTORY), clock(), None).unwrap_err();
    assert!(error.is_ora(29339) && error.text.contains("db_16k_cache_size"), "{error}");
}

#[test]
fn pctfree_and_pctused_have_their_bounds() {
    let mut c = support::connect();
    for (attributes, number) in [
        ("pctfree 100", 2211),
        ("pctfree 1000000000000", 2211),
        ("pctused 100", 2211),
        ("pctfree 99 pctused 2", 4000),
        ("pctfree 61 pctused 40", 4000),
        ("pctfree 10 pctfree 20", 2212),
        ("pctfree 10 initrans 2 pctused 20 pctused 20", 2213),
        ("initrans 2 initrans 2", 2206),
        ("maxtrans 2 maxtrans 2", 2208),
    ] {
        let error = failed(&mut c, &format!("create table t (a number) {attributes}"));
        assert!(error.is_ora(number), "{attributes}: {error}");
        assert!(failed(&mut c, &format!("create table t {attributes} as select 1 a from dual")).is_ora(number));
        assert!(failed(&mut c, "select * from t").is_ora(942));
    }
    for attributes in ["pctfree -1", "pctfree 1.5", "pctfree x", "pctfree"] {
        let error = failed(&mut c, &format!("create table t (a number) {attributes}"));
        assert!(error.to_string().starts_with("ORA-"), "{attributes}: {error}");
    }
    run(&mut c, "create table t (a number)");
    assert!(failed(&mut c, "alter table t pctfree 100").is_ora(2211));
    assert!(failed(&mut c, "alter table t move pctfree 99 pctused 2").is_ora(4000));
    assert!(failed(&mut c, "create index i on t (a) pctfree 100").is_ora(2211));
    assert_eq!(one(&mut c, "select pct_free from user_tables where table_name = 'T'"), "10");
}

/// With nearly all of a block kept free, each row still gets a place.
#[test]
fn pctfree_99_takes_a_block_a_row() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    let instance = database(&files, &[]);
    let mut c = connect(&instance);
    for (name, kilobytes) in [("two", 2), ("eight", 8), ("wide", 32)] {
        for management in ["auto", "manual"] {
            run(
                &mut c,
                &format!(
                    "create tablespace {name} datafile '{name}.dbf' size 16m blocksize {kilobytes}k segment space management {management}"
                ),
            );
            let rows = "select level a, rpad('x', 400, 'x') b from dual connect by level <= 50";
            run(&mut c, &format!("create table t pctfree 99 pctused 1 tablespace {name} as {rows}"));
            run(&mut c, &format!("insert into t {rows}"));
            run(&mut c, &format!("insert /*+ append */ into t {rows}"));
            run(&mut c, "commit");
            assert_eq!(one(&mut c, "select count(*), count(distinct substr(rowid, 1, 15)) from t"), "150 150");
            run(&mut c, &format!("drop tablespace {name} including contents and datafiles"));
        }
    }
    drop(c);
    instance.shutdown().unwrap();
    assert_eq!(verified(files), [""; 0]);
}

fn verified(files: Arc<dyn FileSystem>) -> Vec<String> {
    let report = engine::verify::verify(files, Path::new(support::DIRECTORY), clock(), None).unwrap();
    report.problems.iter().map(ToString::to_string).collect()
}

/// A row larger than a block is split into pieces by every path; a key larger than a block is refused.
#[test]
fn rows_that_no_block_holds_are_loaded_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let columns: Vec<String> = (1..=20).map(|column| format!("c{column}")).collect();
    let text: String = (1..=5)
        .map(|row| {
            let values: Vec<String> = (1..=20).map(|column| format!("{}{}", row, "v".repeat(3900 + column))).collect();
            values.join("|") + "\n"
        })
        .collect();
    fs::write(folder.path().join("t.dat"), &text).unwrap();
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    let instance = database(&files, &[]);
    let mut c = connect(&instance);
    let typed: Vec<String> = columns.iter().map(|column| format!("{column} varchar2(4000)")).collect();
    let fields: Vec<String> = columns.iter().map(|column| format!("{column} char(4000)")).collect();
    external(&mut c, folder.path(), &typed.join(", "), &format!("{LINES} ({})", fields.join(", ")), "");
    let lengths: Vec<String> = columns.iter().map(|column| format!("sum(length({column}))")).collect();
    let lengths = lengths.join(", ");
    let wanted = one(&mut c, &format!("select count(*), min(c1), max(c20), {lengths} from e"));
    assert!(wanted.starts_with("5 1vvv"));
    for kilobytes in [2, 4, 32] {
        run(&mut c, &format!("create tablespace x datafile 'x.dbf' size 16m blocksize {kilobytes}k"));
        run(&mut c, "create table made tablespace x as select * from e");
        run(&mut c, &format!("create table kept ({}) tablespace x", typed.join(", ")));
        run(&mut c, &format!("create table put ({}) tablespace x", typed.join(", ")));
        run(&mut c, "insert into kept select * from e");
        run(&mut c, "insert /*+ append */ into put select * from e");
        run(&mut c, "commit");
        for table in ["made", "kept", "put"] {
            assert_eq!(one(&mut c, &format!("select count(*), min(c1), max(c20), {lengths} from {table}")), wanted);
        }
        if kilobytes == 2 {
            assert!(failed(&mut c, "create index i on kept (c1) tablespace x").is_ora(1450));
        }
        run(&mut c, "alter system checkpoint");
        run(&mut c, "drop tablespace x including contents and datafiles");
    }
    drop(c);
    instance.shutdown().unwrap();
    assert_eq!(verified(files), [""; 0]);
}
