//! `highwater disks`, and the other commands on a database with a disk group.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn disks_are_made_all_or_none_and_overwrite_nothing() {
    let home = tempfile::tempdir().unwrap();
    let disks = |make: &str, size: &str, pattern: &str| {
        highwater(home.path(), &["disks", "--make", make, "--size", size, "--pattern", pattern])
    };
    let (code, out, error) = disks("3", "8M", "group1_*");
    assert_eq!((code, out.as_str(), error.as_str()), (Some(0), "group1_01\ngroup1_02\ngroup1_03\n", ""));
    assert_eq!(names(home.path()), ["group1_01", "group1_02", "group1_03"]);
    assert_eq!(std::fs::read(home.path().join("group1_02")).unwrap(), vec![0; 8 << 20]);

    std::fs::rename(home.path().join("group1_03"), home.path().join("other_02")).unwrap();
    std::fs::write(home.path().join("group1_02"), b"mine").unwrap();
    for (make, pattern, what) in [("3", "group1_%02d", "group1_01"), ("2", "other_%n", "other_02")] {
        let (code, out, error) = disks(make, "8M", pattern);
        assert_eq!((code, out.as_str()), (Some(1), ""));
        let expected = format!("HW-0072: disk \"{what}\" is not made: there is a file of this name\n");
        assert_eq!(error, expected);
    }
    assert_eq!(names(home.path()), ["group1_01", "group1_02", "other_02"]);
    assert_eq!(std::fs::read(home.path().join("group1_02")).unwrap(), b"mine");

    for (make, size, pattern, code, start) in [
        ("2", "8M", "plain", 1, "ORA-15031"),
        ("2", "8M", "a*b*", 1, "ORA-15031"),
        ("2", "8M", "a%s", 1, "ORA-15031"),
        ("2", "1M", "small*", 1, "ORA-15037"),
        ("2", "8M", "nowhere/d*", 1, "HW-0072"),
        ("0", "8M", "d*", 2, ""),
        ("x", "8M", "d*", 2, ""),
        ("2", "8MB", "d*", 2, ""),
        ("70000", "8M", "d*", 2, ""),
    ] {
        let (got, _, error) = disks(make, size, pattern);
        assert_eq!((got, error.lines().count()), (Some(code), 1), "{make} {size} {pattern}: {error}");
        assert!(error.starts_with(start), "{make} {size} {pattern}: {error}");
    }
    assert_eq!(names(home.path()), ["group1_01", "group1_02", "other_02"]);
}

const SCRIPT: &str = "\
create diskgroup group1 external redundancy disk 'group1_*' attribute 'au_size' = '1M';
create tablespace inside datafile '+GROUP1' size 4m blocksize 2k;
create table t (n number, c varchar2(100)) tablespace inside;
insert into t select level, rpad('x', 90, 'x') from dual connect by level <= 5000;
commit;
exit
";

#[test]
fn files_in_a_group_are_dumped_checked_and_mapped() {
    let home = tempfile::tempdir().unwrap();
    let highwater = |arguments: &[&str]| highwater(home.path(), arguments);
    std::fs::create_dir(home.path().join("db")).unwrap();
    std::fs::write(home.path().join("make.sql"), SCRIPT).unwrap();
    std::fs::write(home.path().join("look.sql"), "select count(*), sum(n) from t;\nexit\n").unwrap();
    let made = highwater(&["disks", "--make", "3", "--size", "12M", "--pattern", "db/group1_*"]);
    assert_eq!(made.0, Some(0), "{}", made.2);
    let (code, text, error) = highwater(&["sql", "-S", "--data", "db", "@make.sql"]);
    assert!(code == Some(0) && !text.contains("ORA-"), "{text}{error}");
    assert!(
        text.starts_with("\nDiskgroup created.\n\n\nTablespace created.\n") || text.contains("Diskgroup created."),
        "{text}"
    );

    let (code, text, error) = highwater(&["verify", "--data", "db"]);
    assert_eq!(code, Some(0), "{text}{error}");
    let (code, text, error) = highwater(&["dump", "--data", "db", "4", "1"]);
    assert!(code == Some(0) && text.contains("INSIDE"), "{text}{error}");
    let (code, text, error) = highwater(&["map", "--data", "db", "t"]);
    assert!(code == Some(0) && text.contains("5000 rows") | text.contains("5,000 rows"), "{text}{error}");
    let (code, text, error) = highwater(&["sql", "-S", "--data", "db", "@look.sql"]);
    assert!(code == Some(0) && text.contains("12502500"), "{text}{error}");

    // A disk away: each command names it.
    std::fs::rename(home.path().join("db/group1_02"), home.path().join("away")).unwrap();
    for arguments in [
        &["sql", "-S", "--data", "db", "@look.sql"][..],
        &["dump", "--data", "db", "4", "1"],
        &["verify", "--data", "db"],
        &["map", "--data", "db", "t"],
    ] {
        let (code, text, error) = highwater(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {text}{error}");
        assert!(
            format!("{text}{error}").contains("ASM disk \"GROUP1_0001\" is missing"),
            "{arguments:?}: {text}{error}"
        );
    }
    let (code, text, _) = highwater(&["dump", "--data", "db", "1", "1"]);
    assert!(code == Some(0) && text.contains("SYSTEM"), "{text}");
    std::fs::rename(home.path().join("away"), home.path().join("db/group1_02")).unwrap();
    let (code, text, error) = highwater(&["verify", "--data", "db"]);
    assert_eq!(code, Some(0), "{text}{error}");
}
