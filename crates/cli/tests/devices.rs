//! `highwater device` and `highwater cells`, and a database on a cell.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn models_are_listed_and_shown() {
    let home = tempfile::tempdir().unwrap();
    let (code, list, _) = highwater(home.path(), &["device", "list"]);
    assert_eq!(code, Some(0));
    for line in list.lines() {
        let name = line.split_whitespace().next().unwrap();
        let (code, text, error) = highwater(home.path(), &["device", "show", name]);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{name}");
        assert!(text.contains("random reads of 8 KB") && text.contains("\nsources\n"), "{text}");
    }
}

/// A small disk of two zones.
const MODEL: &str = "\
device = \"a small disk\"

[sources]
all = \"made up\"

[disk]
rpm = 10000
surfaces = 2
zones = [{ cylinders = 800, sectors = 100 }, { cylinders = 800, sectors = 80 }]
seek = { single_ms = 1, average_ms = 5, full_ms = 10 }
bus_mb_per_s = 100

[disk.cache]
segments = 4
segment_kb = 64
read_ahead_kb = 32
write_back = false
";

#[test]
fn a_model_with_nonsense_is_refused_with_its_line() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("model.toml");
    for (from, to, line, why) in [
        ("rpm = 10000", "rpm = -3", 7, "not within 0.000001"),
        ("rpm = 10000", "rmp = 10000", 7, "unknown field `rmp`"),
        ("surfaces = 2", "surfaces = 0", 8, "not within 1"),
        ("cylinders = 800, sectors = 80", "cylinders = 800, sectors = 0", 9, "not within 1"),
        ("average_ms = 5", "average_ms = 50", 10, "of a seek"),
        ("bus_mb_per_s = 100", "bus_mb_per_s = fast", 11, ""),
        ("write_back = false", "write_back = 7", 17, "invalid type"),
    ] {
        std::fs::write(&path, MODEL.replace(from, to)).unwrap();
        let (code, _, error) = highwater(home.path(), &["device", "show", "model.toml"]);
        assert_eq!((code, error.lines().count()), (Some(1), 1), "{to}: {error}");
        assert!(error.starts_with(&format!("HW-0080: model.toml, line {line}: ")) && error.contains(why), "{error}");
    }
    std::fs::write(&path, "device = \"x\"\n[sources]\n").unwrap();
    let (code, _, error) = highwater(home.path(), &["device", "show", "model.toml"]);
    assert!(code == Some(1) && error.contains("one of the sections"), "{error}");
    let (code, _, error) = highwater(home.path(), &["device", "show", "none.toml"]);
    assert!(code == Some(1) && error.starts_with("HW-0002: none.toml"), "{error}");
}

#[test]
fn a_trace_is_scored_and_a_wrong_one_refused() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("model.toml"), MODEL).unwrap();
    let mut trace = String::new();
    for number in 0..200_u64 {
        trace.push_str(&format!("R Hit {} 8 {}.0 40000.0\n", number * 7919 % 280_000, 6000 + number * 31 % 4000));
    }
    std::fs::write(home.path().join("trace"), &trace).unwrap();
    let check = || highwater(home.path(), &["device", "check", "model.toml", "--trace", "trace", "--json", "out.json"]);
    let (code, text, error) = check();
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(text.contains("requests                          200") && text.contains("demerit, second half, fitted"));
    let json = std::fs::read_to_string(home.path().join("out.json")).unwrap();
    assert!(json.contains("\"second_half\"") && json.contains("\"read_ahead_kb\""), "{json}");
    for (wrong, line) in [("X Hit 1 2 3 4\n", 201), ("R Hit 1 2 3\n", 201), ("R Hit 1 0 3 4\n", 201)] {
        std::fs::write(home.path().join("trace"), format!("{trace}{wrong}")).unwrap();
        let (code, _, error) = check();
        assert!(code == Some(1) && error.starts_with(&format!("HW-0080: trace, line {line}: ")), "{error}");
    }
    std::fs::write(home.path().join("trace"), format!("{trace}R Hit 9999999 8 1 1\n")).unwrap();
    assert!(check().2.contains("block 10000006"));
}

const SCRIPT: &str = "\
create diskgroup data external redundancy disk '../cell*/DATA_*';
create tablespace inside datafile '+DATA' size 2m;
create table t (n number, c varchar2(100)) tablespace inside;
insert into t select level, rpad('x', 90, 'x') from dual connect by level <= 2000;
commit;
alter system checkpoint;
exit
";

#[test]
fn a_database_on_cells_takes_their_time_and_keeps_its_rows() {
    let home = tempfile::tempdir().unwrap();
    let highwater = |arguments: &[&str]| highwater(home.path(), arguments);
    let make = ["cells", "--make", "2", "--disks", "1", "--model", "disk-15k-600gb", "--grid", "DATA:8M", "--grid"];
    let (code, out, error) = highwater(&[&make[..], &["RECO:4M"]].concat());
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let made =
        "cell01/DATA_CD_00_cell01\ncell01/RECO_CD_00_cell01\ncell02/DATA_CD_00_cell02\ncell02/RECO_CD_00_cell02\n";
    assert_eq!(out, made);
    let (code, _, error) = highwater(&[&make[..], &["RECO:4M"]].concat());
    assert!(code == Some(1) && error.contains("it is there already"), "{error}");
    let (code, _, error) = highwater(&[&make[..], &["RECO:9000G", "--out", "other"]].concat());
    assert!(code == Some(1) && error.contains("a device of the model has"), "{error}");
    let huge = ["cells", "--make", "2000", "--model", "disk-15k-600gb", "--grid", "A:500G", "--out", "more"];
    let (code, _, error) = highwater(&huge);
    assert!(code == Some(1) && error.contains("MB free"), "{error}");

    std::fs::write(home.path().join("make.sql"), SCRIPT).unwrap();
    std::fs::write(home.path().join("look.sql"), "select count(*), sum(n) from t;\nexit\n").unwrap();
    let (code, text, error) = highwater(&["sql", "-S", "--data", "db", "@make.sql"]);
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(error.contains("Cell cell01 (disk-15k-600gb): ") && error.contains("of the modelled time"), "{error}");
    let (code, text, error) = highwater(&["sql", "-S", "--data", "db", "@look.sql"]);
    assert!(code == Some(0) && text.contains("2000") && text.contains("2001000"), "{text}{error}");
    let (code, text, error) = highwater(&["verify", "--data", "db"]);
    assert_eq!(code, Some(0), "{text}{error}");
}
