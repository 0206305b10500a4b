//! A database in memory for tests, and results as text.

use std::path::Path;
use std::sync::Arc;

use common::SystemClock;
use device::{FileSystem, MemoryFileSystem};
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database, Datum};

/// Where databases of tests are.
pub(crate) const DIRECTORY: &str = "/database";

/// A new database in memory.
pub(crate) fn database() -> Arc<Database> {
    database_on(Arc::new(MemoryFileSystem::default()))
}

/// A new database on these files.
pub(crate) fn database_on(files: Arc<dyn FileSystem>) -> Arc<Database> {
    let parameters = vec![("db_cache_size".to_owned(), "32M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let instance =
        Instance::create(files, Path::new(DIRECTORY), Arc::new(SystemClock::default()), None, &options).unwrap();
    Database::new(instance)
}

/// Has the database plan each statement by itself.
pub(crate) fn plan_all(database: &Arc<Database>) {
    let mut connection = database.connect("system", None).unwrap();
    connection.run("alter system set \"_direct_execution\" = false scope = memory").unwrap();
}

/// A session of SYSTEM.
pub(crate) fn connect() -> Connection {
    database().connect("system", None).unwrap()
}

/// The result of a statement: rows as `a | b`, one a line; or the feedback; or the error.
pub(crate) fn run(connection: &mut Connection, text: &str) -> String {
    run_times(connection, text, 1)
}

/// The same; a query is executed so many times by one cursor, and the result is the last one.
pub(crate) fn run_times(connection: &mut Connection, text: &str, times: usize) -> String {
    match try_run(connection, text, times) {
        Ok(text) => text,
        Err(error) => match error.position {
            Some(position) => format!("{error} [{position}]"),
            None => error.to_string(),
        },
    }
}

fn try_run(connection: &mut Connection, text: &str, times: usize) -> common::Result<String> {
    let cursor = connection.parse(text)?;
    let result = (|| {
        let mut executed = connection.execute(cursor)?;
        for _ in 1..times {
            if executed.is_query {
                while !connection.fetch(cursor, 15)?.end {}
                executed = connection.execute(cursor)?;
            }
        }
        if !executed.is_query {
            let mut done = match executed.rows {
                Some(rows) => format!("{}: {rows} rows", executed.verb),
                None => executed.verb.to_owned(),
            };
            for (name, value) in connection.returned(cursor)? {
                done.push_str(&format!(", {name} = {}", shown(connection, &value)?));
            }
            for notice in connection.take_notices() {
                done.push_str(&format!("\nnotice: {notice}"));
            }
            return Ok(done);
        }
        let columns = connection.describe(cursor)?;
        let mut lines = vec![columns.into_iter().map(|column| column.name).collect::<Vec<_>>().join(" | ")];
        loop {
            let fetched = connection.fetch(cursor, 15)?;
            for row in &fetched.rows {
                let values = row.iter().map(|value| shown(connection, value)).collect::<common::Result<Vec<_>>>()?;
                lines.push(values.join(" | "));
            }
            if fetched.end {
                break;
            }
        }
        Ok(lines.join("\n"))
    })();
    connection.close(cursor);
    result
}

fn shown(connection: &Connection, value: &Datum) -> common::Result<String> {
    if value.is_null() { Ok("-".to_owned()) } else { connection.text(value) }
}
