//! `verify` and `dump` on a database on disk, whole and damaged.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use common::SystemClock;
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A new database, closed.
fn database() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock::default());
    let options =
        CreateOptions { parameters: vec![("db_cache_size".into(), "16M".into())], ..CreateOptions::default() };
    let instance = Instance::create(Arc::new(OsFileSystem::new()), directory.path(), clock, None, &options).unwrap();
    instance.shutdown().unwrap();
    directory
}

fn change(path: &Path, offset: u64, change: impl Fn(u8) -> u8) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[change(byte[0])], offset).unwrap();
}

#[test]
fn a_new_database_has_no_problems_and_a_flipped_byte_is_found_in_its_block() {
    let directory = database();
    let data = directory.path().to_str().unwrap();
    let clean = highwater(&["verify", "--data", data]);
    assert_eq!(clean.status.code(), Some(0), "{}{}", stdout(&clean), stderr(&clean));
    assert!(stdout(&clean).ends_with("no problems\n"));

    let file = directory.path().join("system01.dbf");
    // In unused space a crash during a load may have left half a block: a note, no problem.
    for (block, used) in [(0u64, true), (1, true), (2, true), (3, true), (130, false), (500, false)] {
        let offset = block * 8192 + 20;
        change(&file, offset, |byte| byte ^ 0x10);
        let found = highwater(&["verify", "--data", data]);
        let (code, what) = if used { (1, "") } else { (0, "note: ") };
        assert_eq!(found.status.code(), Some(code), "{}", stdout(&found));
        let named = format!("{what}file 1 block {block} ({}): ", file.display());
        assert!(stdout(&found).contains(&named), "{}", stdout(&found));
        change(&file, offset, |byte| byte ^ 0x10);
    }
    assert_eq!(highwater(&["verify", "--data", data]).status.code(), Some(0));
}

#[test]
fn files_that_are_missing_short_or_of_another_database_are_named() {
    let directory = database();
    let data = directory.path().to_str().unwrap();
    let (system, users) = (directory.path().join("system01.dbf"), directory.path().join("users01.dbf"));

    let length = std::fs::metadata(&users).unwrap().len();
    OpenOptions::new().write(true).open(&users).unwrap().set_len(length - 8192).unwrap();
    let short = highwater(&["verify", "--data", data]);
    assert_eq!(short.status.code(), Some(1));
    assert!(stdout(&short).contains("file 2") && stdout(&short).contains("truncated"), "{}", stdout(&short));

    std::fs::remove_file(&users).unwrap();
    let missing = highwater(&["verify", "--data", data]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stdout(&missing).contains("file 2") && stdout(&missing).contains("users01.dbf"), "{}", stdout(&missing));

    let other = database();
    std::fs::copy(other.path().join("system01.dbf"), &system).unwrap();
    let foreign = highwater(&["verify", "--data", data]);
    assert!(
        stdout(&foreign).contains("file 1") && stdout(&foreign).contains("another database"),
        "{}",
        stdout(&foreign)
    );
}

#[test]
fn a_file_that_is_garbled_throughout_takes_few_lines() {
    let directory = database();
    let data = directory.path().to_str().unwrap();
    let path = directory.path().join("users01.dbf");
    let blocks = std::fs::metadata(&path).unwrap().len() / 8192;
    assert!(blocks > 1_000);
    std::fs::write(&path, vec![0x5a; blocks as usize * 8192]).unwrap();
    let found = highwater(&["verify", "--data", data]);
    assert_eq!(found.status.code(), Some(1));
    let text = stdout(&found);
    let named = text.lines().filter(|line| line.starts_with("file 2 block ")).count();
    assert_eq!(named, 20, "{text}");
    // Every block is wrong, and so is that the database cannot be opened.
    let more = format!("\n… and {} more in file 2 ({})\n", blocks - 20, path.display());
    assert!(text.contains(&more), "{text}");
    assert!(text.ends_with(&format!("\n{} problems\n", blocks + 1)), "{text}");
}

#[test]
fn blocks_are_dumped() {
    let directory = database();
    let data = directory.path().to_str().unwrap();
    let dump = |file: &str, block: &str| highwater(&["dump", "--data", data, file, block]);
    assert!(stdout(&dump("1", "0")).contains("block size 8192"));
    assert!(stdout(&dump("1", "1")).contains("tablespace 0 SYSTEM"), "{}", stdout(&dump("1", "1")));
    assert!(stdout(&dump("2", "2")).contains("units"));
    for (file, block) in [("1", "99999999"), ("9", "1"), ("0", "0")] {
        let output = dump(file, block);
        assert_eq!(output.status.code(), Some(1), "{file} {block}");
        assert_eq!(stderr(&output).lines().count(), 1);
    }
    assert_eq!(dump("x", "1").status.code(), Some(2));
    let nowhere = highwater(&["dump", "--data", "nosuch/directory", "1", "1"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(stderr(&nowhere).starts_with("ORA-00205"), "{}", stderr(&nowhere));
    let nowhere = highwater(&["verify", "--data", "nosuch/directory"]);
    assert_eq!((nowhere.status.code(), stderr(&nowhere).lines().count()), (Some(1), 1));
}

#[test]
fn redo_is_dumped_and_its_lengths_add_up() {
    let directory = database();
    let data = directory.path().to_str().unwrap();
    let dump = |more: &[&str]| highwater(&[&["dump", "--data", data, "redo"], more].concat());
    let whole = dump(&[]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let text = stdout(&whole);
    let length =
        |line: &str| -> usize { line.split("length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap() };
    let (mut records, mut bytes, mut left) = (0, 0, 0);
    for line in text.lines() {
        if line.starts_with("record ") {
            assert_eq!(left, 0, "{line}");
            (records, bytes) = (records + 1, bytes + length(line));
            left = length(line) - 24;
        } else if line.starts_with("  vector ") {
            left -= length(line);
        }
    }
    assert!(records > 0 && left == 0);
    let end = text.lines().last().unwrap();
    assert!(end.starts_with(&format!("records {records} of {bytes} bytes, end ")), "{end}");
    assert!(text.contains(" of undo block ") && text.contains(" of data block "));
    // A sequence that is in no file, and a block of a file that is not named.
    let missing = dump(&["99"]);
    assert_eq!((missing.status.code(), stderr(&missing).lines().count()), (Some(1), 1));
    assert!(stderr(&missing).starts_with("ORA-00313"), "{}", stderr(&missing));
    assert_eq!(highwater(&["dump", "--data", data, "1"]).status.code(), Some(2));
}
