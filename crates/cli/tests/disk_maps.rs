//! `highwater map --disks`: where the extents of a segment are on the disks of its group.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A group on these disks with a table of some extents, and a table outside of it.
fn database(home: &Path, disks: &str) {
    let script = format!(
        "create diskgroup data external redundancy disk '{disks}';
create tablespace inside datafile '+DATA' size 4m extent management local uniform size 256k;
create table t (n number, c varchar2(200)) tablespace inside;
insert into t select level, rpad('x', 150, 'x') from dual connect by level <= 8000;
create tablespace outside datafile 'outside.dbf' size 2m;
create table o (n number) tablespace outside;
insert into o values (1);
commit;
exit
"
    );
    std::fs::write(home.join("make.sql"), script).unwrap();
    let (code, text, error) = highwater(home, &["sql", "-S", "--data", "db", "@make.sql"]);
    assert!(code == Some(0) && !text.contains("ORA-"), "{text}{error}");
}

/// The rows of the tables: blanks at the margin, then figures. Sum of the last column, and the extents of the first.
fn kilobytes(text: &str) -> (u64, Vec<usize>) {
    let (mut sum, mut extents) = (0, Vec::new());
    for line in text.lines().filter(|line| line.starts_with("              ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let (Some(Ok(extent)), Some(Ok(kb))) = (
            words.first().map(|word| word.parse::<usize>()),
            words.last().map(|word| word.replace(',', "").parse::<u64>()),
        ) {
            sum += kb;
            extents.push(extent);
        }
    }
    extents.sort_unstable();
    extents.dedup();
    (sum, extents)
}

#[test]
fn extents_are_shown_on_plain_disks_by_allocation_unit() {
    let home = tempfile::tempdir().unwrap();
    let make = ["disks", "--make", "3", "--size", "12M", "--pattern", "disk_*"];
    assert_eq!(highwater(home.path(), &make).0, Some(0));
    database(home.path(), "../disk_*");
    let (code, text, error) = highwater(home.path(), &["map", "--data", "db", "t", "--disks"]);
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(text.starts_with("SYSTEM.T in INSIDE, 8 KB blocks, PCTFREE 10, "), "{text}");
    assert!(text.contains("\ndisk group DATA, allocation units of 1024 KB, disks: 3\n"), "{text}");
    for disk in ["DATA_0000, ../disk_01: allocation units 0 to 1", "DATA_0001, ../disk_02: ", "DATA_0002, ../disk_03: "]
    {
        assert!(text.contains(disk), "{disk}\n{text}");
    }
    assert!(text.contains("from allocation unit") && text.contains("to allocation unit"), "{text}");
    // 8,000 rows of 150 bytes and more are in extents of 256 KB, all of them somewhere, each byte once.
    let (sum, extents) = kilobytes(&text);
    assert!(extents.len() >= 5 && extents == (0..extents.len()).collect::<Vec<_>>(), "{extents:?}\n{text}");
    assert_eq!(sum, extents.len() as u64 * 256, "{text}");

    let (code, _, error) = highwater(home.path(), &["map", "--data", "db", "t", "--disks", "--html", "out.html"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let page = std::fs::read_to_string(home.path().join("out.html")).unwrap();
    assert!(page.contains("<title>Highwater: map of SYSTEM.T</title>") && page.contains(": extent 0"), "{page}");
    assert_eq!(page.matches("<svg ").count(), 3);
    assert!(!page.contains("http://") && !page.contains("https://"));

    let (code, out, error) = highwater(home.path(), &["map", "--data", "db", "o", "--disks"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let expected = "HW-0003: SYSTEM.O: extent 0 is in outside.dbf, which is in no disk group: ";
    assert!(error.starts_with(expected), "{error}");
    let (code, _, error) = highwater(home.path(), &["map", "--data", "db", "nothing", "--disks"]);
    assert!(code == Some(1) && error.starts_with("ORA-00942"), "{error}");
    // Looking has changed nothing.
    let (code, text, _) = highwater(home.path(), &["verify", "--data", "db"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn extents_are_shown_on_modelled_disks_by_track() {
    let home = tempfile::tempdir().unwrap();
    let make = [
        "cells",
        "--make",
        "2",
        "--disks",
        "1",
        "--model",
        "disk-15k-600gb",
        "--grid",
        "FIRST:64M",
        "--grid",
        "DATA:16M",
    ];
    let (code, _, error) = highwater(home.path(), &make);
    assert_eq!(code, Some(0), "{error}");
    database(home.path(), "../cell*/DATA_*");
    let (code, text, error) = highwater(home.path(), &["map", "--data", "db", "t", "--disks"]);
    assert_eq!(code, Some(0), "{text}{error}");
    // The grid disk begins behind the first one: not at track 0.
    let first = "DATA_0000, ../cell01/DATA_CD_00_cell01: device 0 of cell01 (disk-15k-600gb), tracks ";
    let tracks = text.split(first).nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(tracks.split(' ').next().unwrap().parse::<u64>().unwrap() > 10, "{text}");
    assert!(text.contains("from track") && text.contains("(cylinder ") && text.contains(", head "), "{text}");
    let (sum, extents) = kilobytes(&text);
    assert!(extents.len() >= 5 && sum == extents.len() as u64 * 256, "{sum} {extents:?}\n{text}");
    let (code, _, error) = highwater(home.path(), &["map", "--data", "db", "t", "--disks", "--html", "out.html"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let page = std::fs::read_to_string(home.path().join("out.html")).unwrap();
    assert!(page.contains("<title>track ") && page.contains("fill=\"hsl("), "{page}");
}
