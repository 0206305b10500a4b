//! `highwater map` on segments of all kinds.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::process::Command;

const SCRIPT: &str = "
create tablespace m datafile 'm.dbf' size 2m extent management local uniform size 256k segment space management manual;
create tablespace a datafile 'a.dbf' size 2m extent management local uniform size 256k segment space management auto;
create table manual_t (n number, v varchar2(4000)) tablespace m pctfree 10 storage (freelists 3);
create table auto_t (n number, v varchar2(4000)) tablespace a pctfree 10;
insert into manual_t select level, rpad('x', 1000) from dual connect by level <= 60;
insert into auto_t select level, rpad('x', 1000) from dual connect by level <= 60;
commit;
delete from manual_t where n <= 14;
update auto_t set v = rpad('y', 3000) where n <= 5;
create index auto_i on auto_t (n) tablespace a;
commit;
exit
";

/// The number in front of a line of the legend.
fn count(text: &str, label: &str) -> u64 {
    let line = text.lines().find(|line| line.ends_with(label)).unwrap_or_else(|| panic!("no {label} in\n{text}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn each_block_of_a_segment_has_its_letter() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("make.sql"), SCRIPT).unwrap();
    let highwater = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text, String::from_utf8(output.stderr).unwrap())
    };
    let (code, text, error) = highwater(&["sql", "-S", "--data", "db", "@make.sql"]);
    assert!(code == Some(0) && !text.contains("ORA-"), "{text}{error}");

    let (code, manual, error) = highwater(&["map", "--data", "db", "system.manual_t"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        manual.starts_with(
            "SYSTEM.MANUAL_T in M, 8 KB blocks, PCTFREE 10, manual space management, freelists 3, 1 extents\n"
        ),
        "{manual}"
    );
    // 46 rows of 1,000 bytes, seven a block: two blocks emptied by the delete are on the list of the transaction that
    // emptied them; blocks that took rows until one was refused are on none; prepared blocks, and the one being filled,
    // are on a process list.
    assert!(manual.contains("32 blocks, 46 rows, 0 of them migrated"), "{manual}");
    assert_eq!(count(&manual, "segment header"), 1);
    assert_eq!(count(&manual, "on a transaction's freelist"), 2, "{manual}");
    assert!(count(&manual, "on a process freelist") >= 1);
    assert_eq!(count(&manual, "on no freelist, 75 to 90 % used"), 6, "{manual}");
    let legend: u64 = manual
        .lines()
        .skip_while(|line| !line.contains("  H  "))
        .filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .sum();
    assert_eq!(legend, 32, "{manual}");

    let (_, auto, _) = highwater(&["map", "--data", "db", "auto_t"]);
    assert!(auto.contains("60 rows, ") && !auto.contains("60 rows, 0 of them migrated"), "{auto}");
    assert!(auto.contains("  x  "), "{auto}");
    assert!(count(&auto, "bitmap, level 1") >= 1 && count(&auto, "bitmap, level 2") == 1);
    assert!(count(&auto, "full, says the bitmap") >= 5, "{auto}");
    let (_, index, _) = highwater(&["map", "--data", "db", "auto_i"]);
    assert_eq!(count(&index, "index leaf"), 1, "{index}");

    let (code, _, error) = highwater(&["map", "--data", "db", "auto_t", "manual_t", "--html", "out.html"]);
    assert_eq!(code, Some(0), "{error}");
    let page = std::fs::read_to_string(home.path().join("out.html")).unwrap();
    // Each cell has a title, and so has the document.
    assert_eq!(page.matches("<title>").count(), 64 + 1, "a cell a block");
    assert!(!page.contains("http://") && !page.contains("https://"));

    let (code, _, error) = highwater(&["map", "--data", "db", "nothing.there"]);
    assert_eq!(code, Some(1));
    assert_eq!(error.trim_end(), "ORA-00942: table or index does not exist: NOTHING.THERE");
    // Looking has changed nothing.
    let (code, text, _) = highwater(&["verify", "--data", "db"]);
    assert_eq!(code, Some(0), "{text}");
}
