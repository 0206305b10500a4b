//! Files that are missing, no files, unreadable or unwritable.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{external, failed, one, run, support};

const LINES: &str = "records delimited by newline fields terminated by '|'";

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    let mut c = support::connect();
    external(&mut c, folder.path(), "a number, b varchar2(10)", LINES, "reject limit unlimited");
    run(&mut c, "create table kept (a number, b varchar2(10))");
    let mut says = |what: &str| {
        for statement in [
            "select count(*) from e",
            "create table t as select * from e",
            "insert into kept select * from e",
            "insert /*+ append */ into kept select * from e",
        ] {
            let error = failed(&mut c, statement);
            assert!(error.is_ora(29913) && error.text.contains(what), "{error}");
            run(&mut c, "commit");
            assert_eq!(one(&mut c, "select count(*) from kept"), "0");
            assert!(failed(&mut c, "select * from t").is_ora(942));
        }
    };
    says("KUP-04040: file t.dat in D not found");
    fs::create_dir(&path).unwrap();
    says("KUP-04001: error opening file t.dat: it is a directory");
    fs::remove_dir(&path).unwrap();
    // A link to itself, which cannot be opened.
    symlink(&path, &path).unwrap();
    says("KUP-04001: error opening file t.dat: ");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "1|one\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Privileged users may read any file.
    if fs::File::open(&path).is_err() {
        says("KUP-04001: error opening file t.dat: Permission denied");
    }
    fs::remove_file(&path).unwrap();
    let gone = folder.path().to_owned();
    drop(folder);
    assert!(!gone.exists());
    says("KUP-04040: file t.dat in D not found");
}

/// The second file is found missing before the first is read.
#[test]
fn one_file_of_several_that_is_missing_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.dat"), "1|one\n").unwrap();
    let mut c = support::connect();
    external(&mut c, folder.path(), "a number, b varchar2(10)", LINES, "");
    run(&mut c, "drop table e");
    run(
        &mut c,
        "create table e (a number, b varchar2(10)) organization external (type oracle_loader default directory d
         access parameters (records delimited by newline fields terminated by '|') location ('t.dat', 'u.dat'))",
    );
    run(&mut c, "create table kept (a number, b varchar2(10))");
    for hint in ["", "/*+ append */"] {
        let error = failed(&mut c, &format!("insert {hint} into kept select * from e"));
        assert!(error.text.contains("KUP-04040: file u.dat in D not found"), "{error}");
        run(&mut c, "commit");
        assert_eq!(one(&mut c, "select count(*) from kept"), "0");
    }
}

#[test]
fn where_rejected_records_cannot_be_written_nothing_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("t.dat"), "1|one\nx|two\n3|three\n").unwrap();
    fs::create_dir(at("taken")).unwrap();
    symlink("/dev/full", at("full")).unwrap();
    let mut c = support::connect();
    run(&mut c, "create directory gone as '/no/such/place'");
    run(&mut c, "create table kept (a number, b varchar2(10))");
    for (outputs, why) in [
        ("badfile 'taken' nologfile", "taken: Is a directory"),
        ("nobadfile logfile 'taken'", "taken: Is a directory"),
        ("badfile gone:'bad' nologfile", "/no/such/place/bad: No such file or directory"),
        ("nobadfile logfile gone:'log'", "/no/such/place/log: No such file or directory"),
        ("badfile 'full' nologfile", "full: No space left on device"),
        ("nobadfile logfile 'full'", "full: No space left on device"),
    ] {
        let parameters = format!("records delimited by newline {outputs} fields terminated by '|'");
        external(&mut c, folder.path(), "a number, b varchar2(10)", &parameters, "reject limit unlimited");
        for statement in [
            "create table t as select * from e",
            "insert into kept select * from e",
            "insert /*+ append */ into kept select * from e",
        ] {
            let error = failed(&mut c, statement);
            assert!(
                error.is_ora(29913) && error.text.contains("KUP-04001: error ") && error.text.contains(why),
                "{error}"
            );
            run(&mut c, "commit");
            assert_eq!(one(&mut c, "select count(*) from kept"), "0");
            assert!(failed(&mut c, "select * from t").is_ora(942));
        }
        run(&mut c, "drop table e");
    }
}
