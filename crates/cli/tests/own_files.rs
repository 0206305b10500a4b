//! No statement of the binary makes, replaces or takes a file of the database as something else, by any path.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

/// The output of `highwater sql -S` for these lines.
fn said(directory: &Path, lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["sql", "-S", "--data", "data"])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn reuse_spares_the_files_of_the_database() {
    let place = tempfile::tempdir().unwrap();
    let (here, data) = (place.path(), place.path().join("data"));
    let made = said(here, "create table t (n number) tablespace users;\ninsert into t values (7);\ncommit;\n");
    assert!(made.contains("Commit complete."), "{made}");
    fs::create_dir(data.join("sub")).unwrap();
    symlink("users01.dbf", data.join("link.dbf")).unwrap();
    fs::hard_link(data.join("undotbs01.dbf"), data.join("hard.log")).unwrap();
    let names = [
        "redo02.log",
        "control01.ctl",
        "control02.ctl.new",
        "doublewrite.dbf",
        "sub/../users01.dbf",
        "link.dbf",
        "hard.log",
        "highwater.ora",
        "lock",
    ];
    for name in names {
        let lines = format!(
            "create tablespace s datafile '{name}' size 2M reuse;\n\
             alter tablespace users add datafile '{name}' size 2M reuse;\n\
             alter database add logfile group 9 ('{name}') size 1M reuse;\n\
             alter database add logfile member '{name}' reuse to group 1;\n\
             create diskgroup g external redundancy disk '{name}';\n"
        );
        let answer = said(here, &lines);
        let times = |text: &str| answer.matches(text).count();
        assert_eq!((times("ORA-01537"), times("ORA-01577")), (2, 2), "{name}: {answer}");
        // A disk is searched for among existing files.
        assert_eq!(times("HW-0073") + times("ORA-15031"), 1, "{name}: {answer}");
        assert_eq!(times("ORA-15031") == 1, !data.join(name).exists(), "{name}: {answer}");
    }
    let found = said(here, "select n from t;\n");
    assert!(found.contains("         7"), "{found}");
}

#[test]
fn rejected_records_are_not_written_over_a_datafile() {
    let place = tempfile::tempdir().unwrap();
    let (here, data) = (place.path(), place.path().join("data"));
    fs::write(here.join("rows.csv"), "1\nnone\n").unwrap();
    let lines = format!(
        "create table t (n number) tablespace users;\ninsert into t values (7);\ncommit;\n\
         create directory here as '{}';\ncreate directory data as '{}';\n\
         create table x (n number) organization external (type oracle_loader default directory here\n\
         access parameters (records delimited by newline badfile data:'users01.dbf' nologfile fields terminated by ',')\n\
         location ('rows.csv')) reject limit unlimited;\n\
         select n from x;\n",
        here.display(),
        data.display()
    );
    let answer = said(here, &lines);
    assert!(answer.contains("ORA-29913") && answer.contains("it is a file of the database"), "{answer}");
    let found = said(here, "select n from t;\n");
    assert!(found.contains("         7"), "{found}");
    // `highwater load` has a bad file too.
    symlink(data.join("users01.dbf"), here.join("link.bad")).unwrap();
    let loaded = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["load", "--data", "data", "--table", "t", "--errors", "10", "--bad", "link.bad", "rows.csv"])
        .current_dir(here)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&loaded.stderr).into_owned();
    assert!(!loaded.status.success() && text.contains("it is a file of the database"), "{text}");
    let found = said(here, "select n from t;\n");
    assert!(found.contains("         7"), "{found}");
}
