//! Golden scripts: statements with their expected results, which are the same whether statements by key go their own
//! way, are planned each time, or are executed again by what is kept of them. `UPDATE_GOLDEN=1 cargo test -p sql`
//! rewrites the files.
//!
//! `# disks N SIZE PATTERN` makes N files of SIZE megabytes beside the database before the script begins.
//!
//! A script is a text file of blocks: a statement ended by `;` or, over several lines, up to it; then `---` and the
//! result. A block that begins with the line `# direct` shows plans that only the way of their own has.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use device::{FileSystem, MemoryFileSystem};
use waits::Statistic;

/// The ways of a script's statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Usual,
    /// Each statement is planned by itself.
    Planned,
    /// Each query is executed three times; the last time by what is kept.
    Kept,
    /// Tables are on storage cells, which carry out all full scans.
    Offloaded,
}

/// Scripts that show plans which only the usual way has, and the plan of the query before.
const USUAL: &[&str] = &["plans"];

/// Scripts whose queries have other results when they are executed again: they take values of sequences, or count what
/// queries do.
const CHANGING: &[&str] = &["sequences", "synonyms", "waits"];

/// Scripts that show tablespaces, files, blocks or plans: those are others where tables are on cells.
const PLACES: &[&str] = &[
    "access_paths",
    "disk_groups",
    "group_names",
    "index_ways",
    "joins",
    "log_and_undo",
    "mirrored_groups",
    "once_each",
    "order_kept",
    "others",
    "views",
];

/// Makes the default tablespace one on a cell, and has all full scans read past the cache.
fn put_on_cells(database: &Arc<sql::Database>) {
    let mut connection = database.connect("system", None).unwrap();
    for statement in [
        "create diskgroup cells external redundancy disk 'cell01/DISK*' attribute 'cell.smart_scan_capable' = 'TRUE'",
        "create tablespace on_cells datafile '+CELLS' size 16m autoextend on",
        "alter user system default tablespace on_cells",
        "alter system set \"_serial_direct_read\" = always",
    ] {
        connection.run(statement).unwrap();
    }
}

/// Runs a script. Returns how many scans cells have carried out.
fn check(path: &Path, way: Way) -> Result<u64, String> {
    let direct = way != Way::Planned;
    let name = path.file_stem().unwrap().to_str().unwrap();
    if way != Way::Usual && USUAL.contains(&name) || way == Way::Kept && CHANGING.contains(&name) {
        return Ok(0);
    }
    if way == Way::Offloaded && (USUAL.contains(&name) || PLACES.contains(&name)) {
        return Ok(0);
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    for line in text.lines().filter_map(|line| line.strip_prefix("# disks ")) {
        let [count, megabytes, pattern] = line.split(' ').collect::<Vec<_>>()[..] else { return Err(line.to_owned()) };
        for number in 1..=count.parse::<u32>().unwrap() {
            let path = Path::new(support::DIRECTORY).join(pattern.replace('*', &format!("{number:02}")));
            files.create(&path, megabytes.parse::<u64>().unwrap() << 20).unwrap();
        }
    }
    if way == Way::Offloaded {
        let cell = Path::new(support::DIRECTORY).join("cell01");
        files.create_directory(&cell).unwrap();
        files.create(&cell.join("cell.toml"), 0).unwrap();
        files.create(&cell.join("flash_cache"), 32 << 20).unwrap();
        files.create(&cell.join("flash_log"), 4 << 20).unwrap();
        for number in 0..3 {
            files.create(&cell.join(format!("DISK{number}")), 256 << 20).unwrap();
        }
    }
    let database = support::database_on(files);
    if way == Way::Offloaded {
        put_on_cells(&database);
    }
    if !direct {
        support::plan_all(&database);
    }
    let mut connection = database.connect("system", None).unwrap();
    let mut written = String::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        if block.lines().all(|line| line.starts_with('#')) {
            writeln!(written, "{block}\n").unwrap();
            continue;
        }
        let input = block.split("\n---").next().unwrap_or(block).trim();
        let only_direct = !direct && input.starts_with("# direct");
        if only_direct {
            writeln!(written, "{block}\n").unwrap();
        }
        let mut done = String::new();
        let input = match input.strip_prefix("# direct\n") {
            Some(statements) => {
                writeln!(done, "# direct").unwrap();
                statements
            }
            None => input,
        };
        writeln!(done, "{input}\n---").unwrap();
        for statement in input.split(";\n").map(|statement| statement.trim().trim_end_matches(';')) {
            writeln!(done, "{}", support::run_times(&mut connection, statement, if way == Way::Kept { 3 } else { 1 }))
                .unwrap();
        }
        if !only_direct {
            writeln!(written, "{done}").unwrap();
        }
    }
    let written = format!("{}\n", written.trim_end());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return std::fs::write(path, written).map(|()| 0).map_err(|error| error.to_string());
    }
    if written == text {
        let counted = database.instance().store().system_meter().snapshot();
        return Ok(counted.value(Statistic::CellScans));
    }
    let mut difference = String::new();
    for (got, expected) in written.lines().zip(text.lines()) {
        if got != expected {
            writeln!(difference, "  expected {expected}\n  got      {got}").unwrap();
        }
    }
    let way = match way {
        Way::Usual => "",
        Way::Planned => " (each statement planned)",
        Way::Kept => " (executed again)",
        Way::Offloaded => " (scanned by cells)",
    };
    Err(format!("{}{way}:\n{difference}", path.display()))
}

/// On a stack as large as a session's: some scripts nest deeply.
#[test]
fn golden_scripts() {
    let worker = common::sync::spawn_with_stack("golden", common::limits::SESSION_STACK_BYTES, all_scripts).unwrap();
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

fn all_scripts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let ways: &[Way] = if std::env::var_os("UPDATE_GOLDEN").is_some() {
        &[Way::Usual]
    } else {
        &[Way::Usual, Way::Planned, Way::Kept, Way::Offloaded]
    };
    let mut failures = Vec::new();
    for way in ways {
        let mut scans = 0;
        for path in &paths {
            match check(path, *way) {
                Ok(by_cells) => scans += by_cells,
                Err(failure) => failures.push(failure),
            }
        }
        assert_eq!(scans > 100, *way == Way::Offloaded, "{scans} scans by cells");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
