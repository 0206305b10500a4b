//! Invalid input and space that runs out: the errors, and no partial object afterwards.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod blocks;
mod files;
mod full;
mod limits;
mod records;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use common::Error;
use sql::Connection;

fn run(connection: &mut Connection, text: &str) {
    connection.run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
}

/// The error of a statement that must fail.
fn failed(connection: &mut Connection, text: &str) -> Error {
    let done =
        if text.starts_with("select") { connection.query(text).map(drop) } else { connection.run(text).map(drop) };
    match done {
        Ok(()) => panic!("{text}: it worked"),
        Err(error) => error,
    }
}

/// The values of a query, with blanks between.
fn one(connection: &mut Connection, query: &str) -> String {
    let rows = connection.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let values = rows.iter().flatten().map(|value| connection.text(value).unwrap());
    values.collect::<Vec<_>>().join(" ")
}

/// An external table over `t.dat` of a folder.
fn external(connection: &mut Connection, folder: &Path, columns: &str, parameters: &str, tail: &str) {
    run(connection, &format!("create or replace directory d as '{}'", folder.display()));
    run(
        connection,
        &format!(
            "create table e ({columns}) organization external (type oracle_loader default directory d
             access parameters ({parameters}) location ('t.dat')) {tail}"
        ),
    );
}

/// The file of rejected records, or the log, under its default name.
fn output(folder: &Path, ending: &str) -> String {
    let bytes = std::fs::read(folder.join(format!("E_{}.{ending}", std::process::id())));
    bytes.map_or_else(|error| error.kind().to_string(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}
