//! Scripts of programs: statements of several users, each after a line with its user's name when that changes, ended by
//! a line `/`; the text up to the next blank line is its result, with the lines of DBMS_OUTPUT. The results are
//! the same when each statement of SQL is planned by itself. `UPDATE_GOLDEN=1` rewrites the results.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use sql::Connection;

/// The script with its results. `direct`: as usual; else each statement of SQL is planned by itself.
fn play(script: &str, direct: bool) -> String {
    let database = support::database();
    if !direct {
        support::plan_all(&database);
    }
    let mut connections: HashMap<String, Connection> = HashMap::new();
    let (mut user, mut written, mut lines) = ("system".to_owned(), String::new(), script.lines());
    while let Some(line) = lines.next() {
        writeln!(written, "{line}").unwrap();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix("connect ") {
            name.clone_into(&mut user);
            continue;
        }
        let mut statement = vec![line];
        for line in lines.by_ref().take_while(|line| *line != "/") {
            writeln!(written, "{line}").unwrap();
            statement.push(line);
        }
        writeln!(written, "/").unwrap();
        for _ in lines.by_ref().take_while(|line| !line.is_empty()) {}
        let connection = connections.entry(user.clone()).or_insert_with(|| {
            let password = (user != "system").then_some(user.as_str());
            let mut connection = database.connect(&user, password).unwrap();
            connection.enable_output(None);
            connection
        });
        let done = support::run(connection, &statement.join("\n"));
        for line in connection.take_output() {
            writeln!(written, "{line}").unwrap();
        }
        writeln!(written, "{done}\n").unwrap();
    }
    format!("{}\n", written.trim_end())
}

#[test]
fn routines() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/routines");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let only = std::env::var("ROUTINES").unwrap_or_default();
    let mut failures = String::new();
    for path in paths.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        let expected = std::fs::read_to_string(path).unwrap();
        let got = play(&expected, true);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, got).unwrap();
            continue;
        }
        for (got, way) in [(got, ""), (play(&expected, false), " (each statement planned)")] {
            let both = expected.lines().zip(got.lines()).zip(1..);
            for ((expected, got), number) in both.filter(|((expected, got), _)| expected != got).take(5) {
                let path = path.display();
                writeln!(failures, "{path}:{number}{way}\n  expected {expected}\n  got      {got}").unwrap();
            }
            if expected.lines().count() != got.lines().count() {
                writeln!(failures, "{}{way}: another number of lines", path.display()).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
