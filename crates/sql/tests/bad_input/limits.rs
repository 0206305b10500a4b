//! The reject limit, whichever statement reads, and overlong records.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::SystemClock;
use common::sync::atomic::{AtomicU64, Ordering};
use device::{FileSystem, MemoryFileSystem};
use sql::FileLoad;

use super::{external, failed, one, output, run, support};

const LINES: &str = "records delimited by newline fields terminated by '|'";

/// 3,000 rows, and three invalid records: 1,001, 2,002 and 3,003.
fn some_bad(folder: &Path) {
    let mut text = String::new();
    for row in 1..=3000 {
        text.push_str(&format!("{row}|row {row}\n"));
        if row % 1000 == 0 {
            text.push_str(&format!("x|bad {row}\n"));
        }
    }
    fs::write(folder.join("t.dat"), text).unwrap();
}

#[test]
fn a_reject_limit_holds_for_each_statement_and_beyond_it_nothing_stands() {
    let folder = tempfile::tempdir().unwrap();
    some_bad(folder.path());
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    let database = support::database_on(Arc::clone(&files));
    let mut c = database.connect("system", None).unwrap();
    run(&mut c, "create table kept (a number primary key, b varchar2(20))");
    run(&mut c, "insert into kept values (-1, 'before')");
    run(&mut c, "commit");
    for (limit, enough) in [("0", false), ("2", false), ("3", true), ("unlimited", true)] {
        external(&mut c, folder.path(), "a number, b varchar2(20)", LINES, &format!("reject limit {limit}"));
        let last = if limit == "0" { "record 1001 of t.dat" } else { "record 3003 of t.dat" };
        for statement in [
            "create table t as select * from e",
            "create table t nologging as select * from e order by b",
            "insert into kept select * from e",
            "insert /*+ append */ into kept select * from e",
            "insert /*+ append */ into kept select * from e where a > 0 order by b",
            "merge into kept using e on (kept.a = e.a) when not matched then insert values (e.a, e.b)",
            "begin insert /*+ append */ into kept select * from e; end;",
        ] {
            // Earlier changes of the transaction stay.
            run(&mut c, "insert into kept values (-2, 'in it')");
            if statement.starts_with("create") {
                run(&mut c, "rollback");
                run(&mut c, "insert into kept values (-2, 'in it')");
            }
            let done = c.run(statement);
            if enough {
                done.unwrap_or_else(|error| panic!("{limit}: {statement}: {error}"));
            } else {
                let error = done.expect_err(statement);
                assert!(
                    error.is_ora(29913) && error.text.contains("ORA-30653") && error.text.contains(last),
                    "{error}"
                );
            }
            run(&mut c, "commit");
            let rows = if enough { 3000 } else { 0 };
            if statement.starts_with("create") {
                if enough {
                    assert_eq!(one(&mut c, "select count(*) from t"), "3000");
                    run(&mut c, "drop table t purge");
                } else {
                    assert!(failed(&mut c, "select * from t").is_ora(942));
                }
                assert_eq!(one(&mut c, "select count(*) from kept"), "2");
            } else {
                assert_eq!(one(&mut c, "select count(*) from kept"), (rows + 2).to_string(), "{limit}: {statement}");
                assert_eq!(one(&mut c, "select count(*) from kept where a > 0"), rows.to_string());
            }
            let bad = if limit == "0" { "x|bad 1000\n" } else { "x|bad 1000\nx|bad 2000\nx|bad 3000\n" };
            assert_eq!(output(folder.path(), "bad"), bad, "{limit}: {statement}");
            run(&mut c, "delete from kept where a <> -1");
            run(&mut c, "commit");
        }
        run(&mut c, "drop table e");
    }
    let log = output(folder.path(), "log");
    assert!(
        log.starts_with("rejected records of SYSTEM.E\nrecord 1001 of t.dat: error processing column A: ORA-01722"),
        "{log}"
    );
    let instance = Arc::clone(c.session().instance());
    drop((c, database));
    instance.shutdown().unwrap();
    drop(instance);
    let report = engine::verify::verify(files, Path::new(support::DIRECTORY), Arc::new(SystemClock::default()), None);
    assert_eq!(report.unwrap().problems, []);
}

#[test]
fn a_record_that_is_too_long_ends_the_statement_with_its_file_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("1|one\n2|two\n3|{}\n4|four\n", "x".repeat(600_000));
    fs::write(folder.path().join("t.dat"), long).unwrap();
    let mut c = support::connect();
    external(&mut c, folder.path(), "a number, b varchar2(20)", LINES, "reject limit unlimited");
    run(&mut c, "create table kept (a number, b varchar2(20))");
    for statement in [
        "select count(*) from e",
        "create table t as select * from e",
        "insert into kept select * from e",
        "insert /*+ append */ into kept select * from e",
    ] {
        let error = failed(&mut c, statement);
        assert!(error.is_ora(29913), "{error}");
        assert!(
            error
                .text
                .ends_with("KUP-04020: found record longer than buffer size supported, 524288: record 3 of t.dat"),
            "{error}"
        );
        run(&mut c, "commit");
        assert_eq!(one(&mut c, "select count(*) from kept"), "0");
    }
    // A field that is too long for itself, or for its column, rejects its record alone.
    fs::write(folder.path().join("t.dat"), format!("1|one\n2|{}\n3|{}\n", "x".repeat(256), "y".repeat(21))).unwrap();
    assert_eq!(one(&mut c, "select a from e"), "1");
    let log = output(folder.path(), "log");
    assert!(log.contains("record 2 of t.dat: KUP-04021: field formatting error for field B: KUP-04026"), "{log}");
    assert!(
        log.contains(
            "record 3 of t.dat: error processing column B: ORA-12899: value too large (actual: 21, maximum: 20)"
        ),
        "{log}"
    );
}

/// Ten gigabytes without an end of a line: at most a record's maximum is read, so no more is held.
#[test]
fn a_file_of_one_line_is_given_up_early() {
    let folder = tempfile::tempdir().unwrap();
    let mut c = support::connect();
    run(&mut c, "create table t (a varchar2(10), b varchar2(10))");
    let path = folder.path().join("long.csv");
    for beginning in ["", "a,b\n", "a,b\n\"", "a,\"b"] {
        fs::write(&path, beginning).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(10 << 30).unwrap();
        for header in [false, true] {
            let read = Arc::new(AtomicU64::new(0));
            let load = FileLoad {
                table: "t".to_owned(),
                path: path.clone(),
                delimiter: b',',
                header,
                date_format: None,
                timestamp_format: None,
                errors: None,
                bad: None,
                read: Arc::clone(&read),
            };
            let error = c.load(&load).unwrap_err();
            assert!(error.text.contains("long.csv"), "{error}");
            assert!(error.text.contains("KUP-04020") || error.text.contains("the first row has more than"), "{error}");
            let read = read.load(Ordering::Relaxed);
            assert!(read <= 10 << 20, "{read} bytes were read");
            assert_eq!(one(&mut c, "select count(*) from t"), "0");
        }
    }
}
