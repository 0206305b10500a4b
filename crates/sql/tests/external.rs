//! External tables over files that a test makes: rejected records are kept and reported, and the dictionary keeps the
//! tables.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::SystemClock;
use device::MemoryFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

/// A directory D of the operating system, and an external table T of it.
fn table(connection: &mut Connection, folder: &Path, parameters: &str, tail: &str) {
    connection.run(&format!("create or replace directory d as '{}'", folder.display())).unwrap();
    connection
        .run(&format!(
            "create table t (a number, b varchar2(10)) organization external (type oracle_loader default directory d
             access parameters ({parameters}) location ('t.dat')) {tail}"
        ))
        .unwrap();
}

fn usual(folder: &Path, ending: &str) -> PathBuf {
    folder.join(format!("T_{}.{ending}", std::process::id()))
}

#[test]
fn rejected_records_are_kept_and_told_of() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.dat"), "1|one\nx|two\n3|three\n4|far too long a text\n").unwrap();
    let mut connection = support::connect();
    table(&mut connection, folder.path(), "records delimited by newline fields terminated by '|'", "reject limit 2");
    assert_eq!(connection.query("select a from t").unwrap().len(), 2);
    let bad = std::fs::read_to_string(usual(folder.path(), "bad")).unwrap();
    assert_eq!(bad, "x|two\n4|far too long a text\n");
    let log = std::fs::read_to_string(usual(folder.path(), "log")).unwrap();
    assert!(log.contains("record 2 of t.dat: error processing column A: ORA-01722"), "{log}");
    assert!(log.contains("record 4 of t.dat: error processing column B: ORA-12899"), "{log}");
    // The bad file is of the last scan, the log of all.
    connection.query("select a from t").unwrap();
    assert_eq!(std::fs::read_to_string(usual(folder.path(), "bad")).unwrap(), bad);
    assert_eq!(std::fs::read_to_string(usual(folder.path(), "log")).unwrap().len(), 2 * log.len());
}

#[test]
fn nothing_is_written_where_nothing_is_rejected_or_wanted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.dat"), "1|one\n2|two").unwrap();
    let mut connection = support::connect();
    table(&mut connection, folder.path(), "fields terminated by '|'", "");
    assert_eq!(connection.query("select a from t").unwrap().len(), 2);
    connection.run("drop table t").unwrap();
    let named = "records delimited by newline badfile 'own.bad' nologfile fields terminated by '|' (b, a)";
    table(&mut connection, folder.path(), named, "");
    let error = connection.query("select a from t").unwrap_err();
    assert!(error.is_ora(29913) && error.text.contains("ORA-30653") && error.text.contains("record 1"), "{error}");
    let mut left: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["own.bad", "t.dat"]);
}

#[test]
fn a_table_whose_files_cannot_be_read_can_be_described() {
    let folder = tempfile::tempdir().unwrap();
    let mut connection = support::connect();
    table(&mut connection, folder.path(), "fields terminated by '|'", "");
    connection.run("drop directory d").unwrap();
    assert_eq!(connection.describe_object("t").unwrap().len(), 2);
    assert!(connection.query("select a from t").unwrap_err().is_ora(6564));
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.dat"), "x|one\n").unwrap();
    let mut connection = support::connect();
    let own = "records delimited by newline badfile 't.dat' nologfile fields terminated by '|'";
    table(&mut connection, folder.path(), own, "reject limit 5");
    let error = connection.query("select a from t").unwrap_err();
    assert!(error.is_ora(29913) && error.text.contains("t.dat: it is one of those that are read"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path().join("t.dat")).unwrap(), "x|one\n");
}

#[test]
fn who_may_not_write_may_read_what_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.dat"), "1|one\n").unwrap();
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    table(&mut connection, folder.path(), "fields terminated by '|'", "reject limit 5");
    for statement in
        ["create user reader identified by x", "grant create session to reader", "grant select on t to reader"]
    {
        connection.run(statement).unwrap();
    }
    let mut reader = database.connect("reader", Some("x")).unwrap();
    let error = reader.query("select a from system.t").unwrap_err();
    assert!(error.is_ora(6564), "{error}");
    connection.run("grant read on directory d to reader").unwrap();
    assert_eq!(reader.query("select a from system.t").unwrap().len(), 1);
    std::fs::write(folder.path().join("t.dat"), "1|one\nx|two\n").unwrap();
    let error = reader.query("select a from system.t").unwrap_err();
    assert!(error.is_ora(29289) && error.text.contains("WRITE"), "{error}");
    connection.run("grant write on directory d to reader").unwrap();
    assert_eq!(reader.query("select a from system.t").unwrap().len(), 1);
}

#[test]
fn the_dictionary_keeps_directories_and_external_tables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.dat"), "1|one\n2|two\n").unwrap();
    let files = Arc::new(MemoryFileSystem::default());
    let clock = Arc::new(SystemClock::default());
    let parameters = vec![("db_cache_size".to_owned(), "32M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let instance = Instance::create(files.clone(), Path::new("/database"), clock.clone(), None, &options).unwrap();
    let database = Database::new(instance.clone());
    let mut connection = database.connect("system", None).unwrap();
    table(&mut connection, folder.path(), "records delimited by newline fields terminated by '|'", "reject limit 7");
    connection.run("create user u identified by x").unwrap();
    connection.run("grant read on directory d to u").unwrap();
    let said = |connection: &mut Connection| {
        [
            "select * from all_directories",
            "select * from user_external_tables",
            "select * from user_external_locations",
            "select grantee, privilege from dba_tab_privs where type = 'DIRECTORY' order by 1, 2",
            "select * from t",
        ]
        .map(|query| connection.query(query).unwrap())
    };
    let before = said(&mut connection);
    assert!(before.iter().all(|rows| !rows.is_empty()));
    drop(connection);
    instance.shutdown().unwrap();
    drop(database);
    let instance = Instance::open(files, Path::new("/database"), clock, None).unwrap();
    let mut connection = Database::new(instance).connect("system", None).unwrap();
    assert_eq!(said(&mut connection), before);
}
