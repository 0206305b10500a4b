//! Databases of each format version, as left by the release of their time: the binary opens them and has their rows, or
//! refuses them with the remedy.
//!
//! `format_versions/vN-clean` and `vN-crashed` are data directories, each file packed with xz. The README beside them
//! says how they were made.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format_versions")
}

/// Unpacks the data directory of this name.
fn unpacked(name: &str) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    fs::create_dir(&data).unwrap();
    for packed in fs::read_dir(kept().join(name)).unwrap() {
        let packed = packed.unwrap().path();
        let mut bytes = Vec::new();
        lzma_rust2::XzReader::new(File::open(&packed).unwrap(), false).read_to_end(&mut bytes).unwrap();
        fs::write(data.join(packed.file_stem().unwrap()), bytes).unwrap();
    }
    (place, data)
}

fn highwater(arguments: &[&str], data: &Path, typed: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(arguments)
        .arg("--data")
        .arg(data)
        .current_dir(data.parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The figures of a query, without its headings.
fn figures(data: &Path, query: &str) -> Vec<String> {
    let output = highwater(&["sql", "-S"], data, &format!("set heading off feedback off pagesize 0\n{query};\nexit\n"));
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn databases_of_each_version_open_with_their_rows() {
    for version in [1, 2] {
        for (name, rows, sum) in [("clean", "1000", "500500"), ("crashed", "1100", "715550")] {
            let what = format!("v{version}-{name}");
            let (_place, data) = unpacked(&what);
            let verified = highwater(&["verify"], &data, "");
            assert!(verified.status.success(), "{what}: {}", text(&verified));
            assert_eq!(figures(&data, "select count(*), sum(empno) from emp"), [rows, sum], "{what}");
            assert_eq!(figures(&data, "select count(*) from emp where note like 'never%'"), ["0"], "{what}");
            assert_eq!(figures(&data, "select empno from emp where ename = 'NAME777'"), ["777"], "{what}");
            assert_eq!(figures(&data, "select s.nextval from dual"), ["100"], "{what}");
            // This release changes it, and writes its own version into the control file.
            let changed = "exec raise_all\ncommit;\nselect count(*) from emp where note = 'raised';\nexit\n";
            let changed = highwater(&["sql", "-S"], &data, changed);
            assert!(text(&changed).contains("completed"), "{what}: {}", text(&changed));
            let head = fs::read_to_string(data.join("control01.ctl")).unwrap();
            assert!(head.starts_with("HIGHWATER CONTROL 2 "), "{what}: {}", head.lines().next().unwrap());
            let verified = highwater(&["verify"], &data, "");
            assert!(verified.status.success(), "{what}: {}", text(&verified));
        }
    }
}

#[test]
fn a_file_of_a_version_that_is_not_known_is_refused_with_what_to_do() {
    // Position of the version, as bytes; the checksums of binary headers do not matter, since versions come before
    // them.
    let refused = |name: &str, change: &dyn Fn(&Path)| {
        let (_place, data) = unpacked(name);
        change(&data);
        let output = highwater(&["sql", "-S"], &data, "select count(*) from emp;\nexit\n");
        assert!(!output.status.success(), "{}", text(&output));
        let said = text(&output);
        assert!(said.contains("with the release that wrote it"), "{said}");
        said
    };
    let control = |data: &Path| {
        for copy in ["control01.ctl", "control02.ctl"] {
            let whole = fs::read_to_string(data.join(copy)).unwrap();
            fs::write(data.join(copy), whole.replacen("CONTROL 2", "CONTROL 3", 1)).unwrap();
        }
    };
    assert!(refused("v2-clean", &control).contains("ORA-00201: control file version 3 "));
    let area = |data: &Path| overwrite(&data.join("doublewrite.dbf"), 0, b"HWDW0002");
    assert!(refused("v2-clean", &area).contains("ORA-01130: the double-write area"));
    let logs = |data: &Path| {
        for log in ["redo04.log", "redo05.log"] {
            overwrite(&data.join(log), 8, &2_u32.to_le_bytes());
        }
    };
    assert!(refused("v2-crashed", &logs).contains("log format version 2 "));
}

fn overwrite(path: &Path, at: usize, with: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at..at + with.len()].copy_from_slice(with);
    fs::write(path, bytes).unwrap();
}
