//! Scripts with PL/SQL through `highwater sql`: their output. `UPDATE_GOLDEN=1` rewrites it.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

fn check(name: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let home = tempfile::tempdir().unwrap();
    let script = format!("@{}", directory.join(format!("{name}.sql")).display());
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["sql", "-S", "--data", "db", &script])
        .current_dir(home.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let expected = directory.join(format!("{name}.out"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&expected, &printed).unwrap();
    }
    assert_eq!(printed, std::fs::read_to_string(&expected).unwrap());
}

#[test]
fn programs() {
    check("programs");
}

#[test]
fn triggers() {
    check("triggers");
}

#[test]
fn triggers_of_all_statements() {
    check("trigger_statements");
}

#[test]
fn triggers_refused() {
    check("trigger_errors");
}

#[test]
fn returning() {
    check("returning");
}

#[test]
fn jobs() {
    check("jobs");
}
