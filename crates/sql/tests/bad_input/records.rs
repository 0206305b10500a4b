//! Invalid records, and their errors.

use std::fs;

use super::{external, failed, one, output, run, support};

const LINES: &str = "records delimited by newline fields terminated by '|'";

#[test]
fn dates_that_are_none_are_told_with_record_column_and_value() {
    let folder = tempfile::tempdir().unwrap();
    let lines =
        "1|2026-02-28\n2|2026-02-30\n3|2026-13-01\n4|yesterday\n5|\n6|2026-02-28 12:00\n7|0000-01-01\n8|28-FEB\n";
    fs::write(folder.path().join("t.dat"), lines).unwrap();
    let mut c = support::connect();
    let masked = format!("{LINES} (a, d char(20) date_format date mask \"YYYY-MM-DD\")");
    external(&mut c, folder.path(), "a number, d date", &masked, "reject limit unlimited");
    assert_eq!(one(&mut c, "select a || ':' || to_char(d, 'DDMMYYYY') from e order by a"), "1:28022026 5:");
    let log = output(folder.path(), "log");
    for (record, number, value) in [
        (2, "ORA-01839", "2026-02-30"),
        (3, "ORA-01843", "2026-13-01"),
        (4, "ORA-01858", "yesterday"),
        (6, "ORA-01830", "2026-02-28 12:00"),
        (7, "ORA-01841", "0000-01-01"),
        (8, "ORA-018", "28-FEB"),
    ] {
        let line = log.lines().find(|line| line.starts_with(&format!("record {record} of t.dat: "))).unwrap();
        assert!(line.contains("error processing column D: ") && line.contains(number), "{line}");
        assert!(line.ends_with(&format!("'{value}'")), "{line}");
    }
    let rejected: Vec<&str> = lines.lines().filter(|line| !line.starts_with(['1', '5'])).collect();
    assert_eq!(output(folder.path(), "bad").lines().collect::<Vec<_>>(), rejected);
    // Without a mask the session's format applies.
    run(&mut c, "drop table e");
    external(&mut c, folder.path(), "a number, d date", LINES, "reject limit 7");
    run(&mut c, "alter session set nls_date_format = 'DD-MON-RR'");
    assert_eq!(one(&mut c, "select a from e order by a"), "5");
}

#[test]
fn short_lines_are_rejected_unless_what_is_missing_is_null() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.dat"), "1|one|x\n2|two\n3\n\n4|four|\n").unwrap();
    let mut c = support::connect();
    let columns = "a number, b varchar2(10), c varchar2(10)";
    external(&mut c, folder.path(), columns, LINES, "reject limit unlimited");
    assert_eq!(one(&mut c, "select a from e order by a"), "1 4");
    assert_eq!(output(folder.path(), "bad"), "2|two\n3\n\n");
    let log = output(folder.path(), "log");
    for (record, field) in [(2, 'C'), (3, 'B'), (4, 'B')] {
        let why = format!(
            "record {record} of t.dat: KUP-04021: field formatting error for field {field}: KUP-04023: field start is after end of record"
        );
        assert!(log.contains(&why), "{why}: {log}");
    }
    run(&mut c, "drop table e");
    let missing = format!("{LINES} missing field values are null");
    external(&mut c, folder.path(), columns, &missing, "");
    assert_eq!(one(&mut c, "select count(*), count(a), count(b), count(c) from e"), "5 4 3 1");
    run(&mut c, "drop table e");
    let all = format!("{missing} reject rows with all null fields");
    external(&mut c, folder.path(), columns, &all, "");
    let error = failed(&mut c, "create table t as select * from e");
    assert!(error.is_ora(29913) && error.text.contains("record 4 of t.dat: KUP-04073"), "{error}");
    assert!(failed(&mut c, "select * from t").is_ora(942));
}

#[test]
fn bytes_of_another_encoding_reject_their_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    fs::write(&path, b"1|caf\xc3\xa9\n2|caf\xe9\n3|\xc3\n4|\xed\xa0\x80\n5|\xc0\xaf\n\xe96|x\n").unwrap();
    let mut c = support::connect();
    external(&mut c, folder.path(), "a number, b varchar2(10)", LINES, "reject limit 5");
    assert_eq!(one(&mut c, "select a || b from e"), "1café");
    let log = output(folder.path(), "log");
    for (record, byte) in [(2, 4), (3, 1), (4, 1), (5, 1)] {
        let why = format!(
            "record {record} of t.dat: error processing column B: ORA-29275: partial multibyte character: byte {byte} of"
        );
        assert!(log.contains(&why), "{why}: {log}");
    }
    assert!(log.contains("record 6 of t.dat: error processing column A: ORA-01722"), "{log}");
    // The bad file has the original bytes.
    let bad = fs::read(folder.path().join(format!("E_{}.bad", std::process::id()))).unwrap();
    assert_eq!(bad, b"2|caf\xe9\n3|\xc3\n4|\xed\xa0\x80\n5|\xc0\xaf\n\xe96|x\n");

    run(&mut c, "drop table e");
    let ascii = "records delimited by newline characterset us7ascii fields terminated by '|'";
    external(&mut c, folder.path(), "a number, b varchar2(10)", ascii, "");
    let error = failed(&mut c, "create table t as select * from e");
    assert!(
        error.text.contains("record 1 of t.dat") && error.text.contains("byte 4 of the field is not US7ASCII"),
        "{error}"
    );
    assert!(failed(&mut c, "select * from t").is_ora(942));

    // UTF-16 is not supported as a character set, and does not read as text.
    let wide: Vec<u8> = "1|one\n2|two\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&path, [b"\xff\xfe".as_slice(), &wide].concat()).unwrap();
    run(&mut c, "drop table e");
    external(&mut c, folder.path(), "a varchar2(10), b varchar2(10)", LINES, "");
    let error = failed(&mut c, "select count(*) from e");
    assert!(error.text.contains("record 1 of t.dat") && error.text.contains("ORA-29275"), "{error}");
    // The byte order mark of UTF-8 is no part of the first value.
    fs::write(&path, b"\xef\xbb\xbfone|1\ntwo|2\n").unwrap();
    assert_eq!(one(&mut c, "select length(a) || a || b from e"), "3one1 3two2");
}

#[test]
fn the_last_record_of_each_file_needs_no_end() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.dat"), "1|one\nx|bad").unwrap();
    fs::write(folder.path().join("u.dat"), "2|two\ny|bad").unwrap();
    fs::write(folder.path().join("v.dat"), "").unwrap();
    let mut c = support::connect();
    external(&mut c, folder.path(), "a number, b varchar2(10)", LINES, "reject limit 2");
    run(&mut c, "drop table e");
    run(
        &mut c,
        "create table e (a number, b varchar2(10)) organization external (type oracle_loader default directory d
         access parameters (records delimited by newline fields terminated by '|') location ('t.dat', 'u.dat', 'v.dat')) reject limit 2",
    );
    run(&mut c, "create table t as select * from e");
    assert_eq!(one(&mut c, "select a || b from t order by a"), "1one 2two");
    assert_eq!(output(folder.path(), "bad"), "x|bad\ny|bad\n");
    let log = output(folder.path(), "log");
    assert!(log.contains("record 2 of t.dat: ") && log.contains("record 2 of u.dat: "), "{log}");
    // Records of one length must be whole.
    run(&mut c, "drop table e");
    fs::write(folder.path().join("t.dat"), "0102030").unwrap();
    external(&mut c, folder.path(), "a number", "records fixed 2 fields (a position(1:2))", "reject limit unlimited");
    let error = failed(&mut c, "create table u as select * from e");
    assert!(
        error.is_ora(29913) && error.text.contains("KUP-04018") && error.text.contains("record 4 has 1 bytes"),
        "{error}"
    );
    assert!(failed(&mut c, "select * from u").is_ora(942));
}

/// Rejected records can be corrected and read by the same access parameters.
#[test]
fn a_bad_file_has_the_records_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut c = support::connect();
    for (text, records, bad) in [
        ("1|a#x|b#2|c#y|d", "records delimited by '#' badfile 'bad' nologfile fields terminated by '|'", "x|b#y|d#"),
        ("1|x|2|y|", "records fixed 2 badfile 'bad' nologfile fields terminated by '|'", "x|y|"),
        (
            "1|a\r\nx|b\r\n",
            "records delimited by detected newline badfile 'bad' nologfile fields terminated by '|'",
            "x|b\n",
        ),
    ] {
        fs::write(folder.path().join("t.dat"), text).unwrap();
        external(
            &mut c,
            folder.path(),
            "a number, b varchar2(10)",
            &format!("{records} missing field values are null"),
            "reject limit 2",
        );
        run(&mut c, "select * from e");
        one(&mut c, "select count(*) from e");
        assert_eq!(fs::read_to_string(folder.path().join("bad")).unwrap(), bad);
        run(&mut c, "drop table e");
    }
}
