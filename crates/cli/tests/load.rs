//! `highwater generate` and `highwater load` from outside.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn highwater(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).current_dir(folder).args(arguments).output().unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = highwater(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The last line on stderr of a command that fails with this exit code.
fn failed(folder: &Path, code: i32, arguments: &[&str]) -> String {
    let output = highwater(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text.trim_end().lines().last().unwrap_or_default().to_owned()
}

/// The output of a script of statements on the database `db`.
fn sql(folder: &Path, statements: &str) -> String {
    fs::write(folder.join("x.sql"), format!("set heading off feedback off pagesize 0\n{statements}\nexit\n")).unwrap();
    done(folder, &["sql", "--data", "db", "-S", "@x.sql"]).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_generated_can_be_selected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let printed = done(folder, &["generate", "tpcds", "--scale", "0.01", "--table", "reason", "--out", "files"]);
    assert!(printed.contains("75 rows") && printed.contains("files/reason.dat"), "{printed}");
    assert!(folder.join("files/reason.dat").is_file());
    let again = failed(folder, 1, &["generate", "tpcds", "--scale", "1", "--table", "REASON", "--out", "files"]);
    assert!(again.contains("reason.dat") && again.contains("stays as it is"), "{again}");
    done(folder, &["generate", "tpch", "--scale", "0.01", "--table", "nation", "--out", "files"]);
    let counts = sql(
        folder,
        "create directory files as 'files';
         create table reason (r_sk number(38), r_id varchar2(16), r_desc varchar2(100)) organization external (type oracle_loader
           default directory files access parameters (records delimited by newline fields terminated by '|' missing field values are null)
           location ('reason.dat'));
         create table nation (n_key number(38), n_name varchar2(25), n_region number(38), n_comment varchar2(152)) organization external (
           type oracle_loader default directory files access parameters (records delimited by newline fields terminated by '|')
           location ('nation.tbl'));
         select count(*), max(r_sk) from reason;
         select count(*), max(n_key) from nation;",
    );
    assert_eq!(counts, "75 75 25 24");
    let unknown = failed(folder, 2, &["generate", "tpch", "--scale", "1", "--table", "reason"]);
    assert!(unknown.contains("lineitem"), "{unknown}");
    let nowhere = failed(folder, 1, &["generate", "tpch", "--scale", "1", "--table", "nation", "--out", "x.sql/y"]);
    assert!(nowhere.contains("x.sql"), "{nowhere}");
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // The output goes to a device that is always full.
    std::os::unix::fs::symlink("/dev/full", folder.join("nation.tbl.part")).unwrap();
    let full = failed(folder, 1, &["generate", "tpch", "--scale", "1", "--table", "nation"]);
    assert!(full.contains("nation.tbl") && full.contains("No space left"), "{full}");
    assert!(folder.join("nation.tbl").symlink_metadata().is_err());
    sql(folder, "create table t (a number);");
    fs::write(folder.join("t.csv"), "x\n").unwrap();
    let full =
        failed(folder, 1, &["load", "--data", "db", "--table", "t", "--errors", "1", "--bad", "/dev/full", "t.csv"]);
    assert!(full.contains("/dev/full") && full.contains("No space left"), "{full}");
}

#[test]
fn a_file_is_loaded_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    sql(
        folder,
        "create user u identified by x;
         grant unlimited tablespace to u;
         create table u.t (id number(4) primary key, name varchar2(11) not null, born date, state varchar2(3) default 'new');",
    );
    let load = |file: &str, text: &str, more: &[&str]| {
        fs::write(folder.join(file), text).unwrap();
        let mut arguments = vec!["load", "--data", "db", "--table", "u.t", "--date-format", "YYYY-MM-DD", file];
        arguments.extend_from_slice(more);
        let output = highwater(folder, &arguments);
        let said = if output.status.success() { output.stdout } else { output.stderr };
        let said = String::from_utf8(said).unwrap();
        (output.status.code().unwrap(), said.trim_end().lines().last().unwrap_or_default().to_owned())
    };
    let count = || sql(folder, "select count(*) from u.t;");

    // No line end behind the last row; a line end within a value.
    let (code, said) = load("a.csv", "1,\"one,\nof two\",2026-01-31,x\n2,two,,", &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("2 rows loaded into U.T in ") && said.ends_with("rows/s"), "{said}");
    let (code, said) = load("b.csv", "NAME;id\nthree;3\n", &["--header", "--delimiter", ";"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(
        sql(folder, "select id || name || to_char(born, 'DDMMYY') || state from u.t order by id;"),
        "1one, of two310126x 2two 3threenew"
    );

    for (text, why) in [
        ("4,four,2026-02-30,x\n", "line 1 of c.csv: error processing column BORN: ORA-01839"),
        ("4,four,,x\n5,five\n", "line 2 of c.csv: the row has 2 fields, and 4 are to be"),
        ("4,four,,x\n\n5x,five,,x\n", "line 3 of c.csv: error processing column ID: ORA-01722"),
        ("4,,,x\n", "line 1 of c.csv: error processing column NAME: ORA-01400"),
        ("4,\"four,,x\n5,five,,x\n", "line 1 of c.csv: a quotation mark is not closed"),
        ("4,much too long a name,,x\n", "line 1 of c.csv: error processing column NAME: ORA-12899"),
        ("4,four,,x\n1,again,,x\n", "ORA-00001"),
    ] {
        let (code, said) = load("c.csv", text, &[]);
        assert!(code == 1 && said.contains(why), "{text}: {said}");
        assert_eq!(count(), "3", "{text}");
    }
    fs::write(folder.join("d.csv"), b"4,f\xfcr,,x\n").unwrap();
    let said = failed(folder, 1, &["load", "--data", "db", "--table", "U.T", "d.csv"]);
    assert!(said.contains("line 1 of d.csv") && said.contains("ORA-29275") && said.contains("f\\xfcr"), "{said}");

    // As many as may be.
    let rows = "4,four,,x\nx,bad,,x\n5,five,,x\n6,bad,yesterday,x\n";
    let (code, said) = load("e.csv", rows, &["--errors", "1"]);
    assert!(code == 1 && said.contains("reject limit reached") && said.contains("line 4 of e.csv"), "{said}");
    assert_eq!(count(), "3");
    let (code, said) = load("e.csv", rows, &["--errors", "2", "--bad", "rejected"]);
    assert!(code == 0 && said.starts_with("2 rows loaded") && said.ends_with("; 2 rejected, in rejected"), "{said}");
    let bad = fs::read_to_string(folder.join("rejected")).unwrap();
    let lines: Vec<&str> = bad.lines().collect();
    assert_eq!(lines.len(), 4, "{bad}");
    assert!(lines[0].starts_with("# line 2 of e.csv: ") && lines[2].starts_with("# line 4 of e.csv: "), "{bad}");
    assert_eq!((lines[1], lines[3]), ("x,bad,,x", "6,bad,yesterday,x"));
    assert_eq!(count(), "5");
}

#[test]
fn what_cannot_be_loaded_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.csv"), "a,b\n1,2\n").unwrap();
    let none = failed(folder, 1, &["load", "--data", "db", "--table", "t", "a.csv"]);
    assert!(none.contains("no database in db") && !folder.join("db").exists(), "{none}");
    sql(folder, "create table t (a number, c number);
         create directory d as '.';
                 create table e (a number) organization external (type oracle_loader default directory d location ('a.csv'));
                 create view v as select * from t;");
    for (table, more, why) in [
        ("nosuch", "a.csv", "ORA-00942"),
        ("e", "a.csv", "ORA-30657"),
        ("v", "a.csv", "HW-0001"),
        ("t", "nosuch.csv", "nosuch.csv"),
        ("sys.obj$", "a.csv", "ORA-01031"),
    ] {
        let said = failed(folder, 1, &["load", "--data", "db", "--table", table, more]);
        assert!(said.contains(why), "{table}: {said}");
    }
    let said = failed(folder, 1, &["load", "--data", "db", "--table", "t", "--header", "a.csv"]);
    assert!(said.contains("ORA-00904") && said.contains("\"b\""), "{said}");
    let said = failed(folder, 2, &["load", "--data", "db", "--table", "t", "--delimiter", "::", "a.csv"]);
    assert!(said.contains("--delimiter"), "{said}");
    let said = failed(folder, 1, &["load", "--data", "db", "--table", "t", "--errors", "5", "--bad", "a.csv", "a.csv"]);
    assert!(said.contains("one of those that are read"), "{said}");
    assert_eq!(fs::read_to_string(folder.join("a.csv")).unwrap(), "a,b\n1,2\n");
    // One line without an end.
    let long = fs::File::create(folder.join("long.csv")).unwrap();
    long.set_len(64 << 20).unwrap();
    let said = failed(folder, 1, &["load", "--data", "db", "--table", "t", "long.csv"]);
    assert!(said.contains("KUP-04020") && said.contains("line 1 of long.csv"), "{said}");
}

/// With four gigabytes of address space: a file of ten is neither held nor read to its end.
#[test]
fn ten_gigabytes_in_one_line_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    sql(
        folder,
        "alter system set db_cache_size = 32m scope = spfile;
         create table t (a varchar2(10));
         create directory d as '.';
         create table e (a varchar2(10)) organization external (type oracle_loader default directory d
           access parameters (records delimited by newline fields terminated by '|') location ('long.csv')) reject limit unlimited;",
    );
    fs::File::create(folder.join("long.csv")).unwrap().set_len(10 << 30).unwrap();
    let bounded = |command: &str| {
        let shell = format!("ulimit -v 4194304; {command}");
        let mut sh = Command::new("sh");
        sh.current_dir(folder).args(["-c", &shell]).env("HIGHWATER", env!("CARGO_BIN_EXE_highwater"));
        let output = sh.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let said = bounded("\"$HIGHWATER\" load --data db --table t long.csv");
    assert!(said.contains("KUP-04020") && said.contains("line 1 of long.csv"), "{said}");
    // The same from a pipe that has no end.
    let said = bounded("mkfifo pipe; cat /dev/zero > pipe & \"$HIGHWATER\" load --data db --table t pipe");
    assert!(said.contains("KUP-04020") && said.contains("line 1 of pipe"), "{said}");
    fs::write(
        folder.join("e.sql"),
        "insert into t select * from e;\ninsert /*+ append */ into t select * from e;\ncreate table u as select * from e;\nselect count(*) from t;\nexit\n",
    )
    .unwrap();
    let said = bounded("\"$HIGHWATER\" sql --data db -S @e.sql");
    assert_eq!(said.matches("KUP-04020").count(), 3, "{said}");
    assert_eq!(said.matches("record 1 of long.csv").count(), 3, "{said}");
    assert_eq!(sql(folder, "select count(*) from t;"), "0");
}

/// Names of columns are read before the rows: from a pipe they would be read once, and rows with them.
#[test]
fn rows_come_from_a_pipe_but_not_behind_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    sql(folder, "create table t (a number, b varchar2(10));");
    let piped = |options: &str| {
        let command =
            format!("seq 1 20000 | sed 's/$/,x/' | \"$HIGHWATER\" load --data db --table t {options} /dev/stdin");
        let mut sh = Command::new("sh");
        sh.current_dir(folder).args(["-c", &command]).env("HIGHWATER", env!("CARGO_BIN_EXE_highwater"));
        let output = sh.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let said = piped("--header");
    assert!(said.contains("HW-0001") && said.contains("cannot be read twice"), "{said}");
    assert_eq!(sql(folder, "select count(*) from t;"), "0");
    let said = piped("");
    assert!(said.contains("20000 rows loaded"), "{said}");
    assert_eq!(sql(folder, "select count(*), sum(a) from t;"), "20000 200010000");
}

/// A full tablespace: no row of the file is in the table, and the database is sound.
#[test]
fn a_load_that_finds_no_room_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    sql(
        folder,
        "create tablespace small datafile 'small.dbf' size 2m;
         create table t (a number, b varchar2(100)) tablespace small;
         insert into t values (-1, 'before');
         commit;",
    );
    let text = |rows: usize| (1..=rows).map(|row| format!("{row},{}\n", "x".repeat(90))).collect::<String>();
    fs::write(folder.join("t.csv"), text(20_000)).unwrap();
    for _ in 0..3 {
        let said = failed(folder, 1, &["load", "--data", "db", "--table", "t", "t.csv"]);
        assert!(said.contains("ORA-01653") && said.contains("SYSTEM.T") && said.contains("tablespace SMALL"), "{said}");
        assert_eq!(sql(folder, "select count(*), sum(a) from t;"), "1 -1");
    }
    done(folder, &["verify", "--data", "db"]);
    fs::write(folder.join("t.csv"), text(2_000)).unwrap();
    done(folder, &["load", "--data", "db", "--table", "t", "t.csv"]);
    assert_eq!(sql(folder, "select count(*) from t;"), "2001");
}

/// Gigabytes of records of half a megabyte each, of which few fit into memory at once.
#[test]
fn long_records_do_not_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let columns = |name: &str| (1..=120).map(|column| format!("c{column} {name}(4000)")).collect::<Vec<_>>().join(", ");
    sql(
        folder,
        &format!(
            "alter system set db_cache_size = 32m scope = spfile;
             create directory d as '.';
             create table t ({});
             create table e ({}) organization external (type oracle_loader default directory d
               access parameters (records delimited by newline fields terminated by '|' ({})) location ('long.dat'));",
            columns("varchar2"),
            columns("varchar2"),
            columns("char")
        ),
    );
    let record = vec!["x".repeat(4000); 120].join("|");
    fs::write(folder.join("record"), record + "\n").unwrap();
    let lengths = (1..=120).map(|column| format!("length(c{column})")).collect::<Vec<_>>().join(" + ");
    let query = format!("set heading off feedback off\nselect count(*), sum({lengths}) from e;\nexit\n");
    fs::write(folder.join("e.sql"), query).unwrap();
    let mut sh = Command::new("sh");
    let records = "i=0; while [ $i -lt 7000 ]; do cat record || break; i=$((i + 1)); done > long.dat";
    let command = format!("ulimit -v 3145728; mkfifo long.dat; ({records}) & \"$HIGHWATER\" sql --data db -S @e.sql");
    sh.current_dir(folder).args(["-c", &command]).env("HIGHWATER", env!("CARGO_BIN_EXE_highwater"));
    let output = sh.output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["7000", "3360000000"], "{said}");
}
