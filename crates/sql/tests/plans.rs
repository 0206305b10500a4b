//! Plans of cursors: DBMS_XPLAN.DISPLAY_CURSOR agrees with the execution's STAT lines.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::SystemClock;
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database, Datum};

/// A database in files, for traces.
fn on_disk(directory: &Path) -> (Arc<Database>, PathBuf) {
    let parameters = vec![("db_cache_size".to_owned(), "32M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let data = directory.join("data");
    let (files, clock) = (Arc::new(OsFileSystem::new()), Arc::new(SystemClock::default()));
    (Database::new(Instance::create(files, &data, clock, None, &options).unwrap()), data)
}

fn find(directory: &Path, end: &str) -> Option<PathBuf> {
    std::fs::read_dir(directory).ok()?.filter_map(Result::ok).find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return find(&path, end);
        }
        path.to_string_lossy().ends_with(end).then_some(path)
    })
}

fn texts(rows: Vec<Vec<Datum>>) -> Vec<String> {
    let text = |value: &Datum| match value {
        Datum::Varchar2(text) => text.clone(),
        Datum::Number(number) => number.to_string(),
        _ => String::new(),
    };
    rows.into_iter().map(|row| text(&row[0])).collect()
}

/// The lines of a plan's box by operation number, each cell by its column's heading.
fn boxed(lines: &[String]) -> Vec<Vec<(String, String)>> {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let heading = lines.iter().find(|line| line.starts_with("| Id ")).expect("a heading");
    let headings = cells(heading);
    lines
        .iter()
        .filter(|line| line.starts_with('|') && *line != heading)
        .map(|line| headings.iter().cloned().zip(cells(line)).collect())
        .collect()
}

fn cell(line: &[(String, String)], heading: &str) -> u64 {
    let found = line.iter().find(|(name, _)| name == heading);
    found.map_or(0, |(_, text)| text.parse().unwrap_or_else(|_| panic!("{heading}: {line:?}")))
}

/// Runs a query in fetches of `array` rows, then returns its STAT lines' figures and its box.
fn compared(connection: &mut Connection, data: &Path, query: &str, array: usize) {
    connection.run("alter system flush buffer_cache").unwrap();
    connection.run("alter session set events '10046 trace name context forever, level 1'").unwrap();
    let cursor = connection.parse(query).unwrap();
    let executed = connection.execute(cursor).unwrap();
    while executed.is_query && !connection.fetch(cursor, array).unwrap().end {}
    connection.close(cursor);
    let last = "select * from table(dbms_xplan.display_cursor(format => 'allstats last'))";
    let lines = texts(connection.query(last).unwrap());
    connection.run("alter session set events '10046 trace name context off'").unwrap();
    let trace = std::fs::read_to_string(find(data, "plans.trc").expect("a trace file")).unwrap();
    let figure = |line: &str, name: &str| -> u64 {
        let rest = &line[line.find(name).unwrap_or_else(|| panic!("{name} in {line}")) + name.len()..];
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap()].parse().unwrap()
    };
    let stats: Vec<&str> = trace.lines().filter(|line| line.starts_with(&format!("STAT #{cursor} "))).collect();
    let shown = boxed(&lines);
    assert!(!stats.is_empty() && shown.len() == stats.len() + 1, "{query}\n{stats:?}\n{lines:?}");
    let mut read = 0;
    for (line, stat) in shown[1..].iter().zip(&stats) {
        assert_eq!(cell(line, "A-Rows"), figure(stat, "cnt="), "{stat}\n{line:?}");
        assert_eq!(cell(line, "Starts"), 1, "{line:?}");
        let reads = figure(stat, "pr=");
        assert_eq!(cell(line, "Reads"), reads, "{stat}\n{line:?}");
        if executed.is_query {
            // For DML, gets in current mode are buffers too.
            assert_eq!(cell(line, "Buffers"), figure(stat, "cr="), "{stat}\n{line:?}");
        } else {
            assert!(cell(line, "Buffers") >= figure(stat, "cr="), "{stat}\n{line:?}");
        }
        read += reads;
    }
    // The statement's own line has the sum of the plan.
    let (statement, top) = (&shown[0], &shown[1]);
    assert_eq!((cell(statement, "Buffers"), cell(statement, "Reads")), (cell(top, "Buffers"), cell(top, "Reads")));
    assert!(cell(top, "Buffers") > 0 && read > 0, "{lines:?}");
}

#[test]
fn display_cursor_says_what_stat_lines_say() {
    let directory = tempfile::tempdir().unwrap();
    let (database, data) = on_disk(directory.path());
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t as select level id, mod(level, 7) grp, 'name ' || level name from dual connect by level <= 5000").unwrap();
    connection.run("create unique index t_id on t (id)").unwrap();
    connection.run("create table small as select level * 10 id from dual connect by level <= 50").unwrap();
    connection.run("alter session set tracefile_identifier = 'plans'").unwrap();
    for (query, array) in [
        ("select * from t", 15),
        ("select * from t", 500),
        ("select name from t where id = 4711", 1),
        ("select /*+ index(t t_id) */ name from t where id between 1000 and 1100", 10),
        ("select small.id, t.name from small, t where small.id = t.id order by t.name", 15),
        ("select grp, count(*) from t group by grp order by grp", 15),
        ("select id from t where grp = 3 union all select id from small", 100),
        ("update t set name = 'x' where id = 5", 0),
        ("delete from t where grp = 6", 0),
        ("insert into small select id from t where grp = 1", 0),
    ] {
        compared(&mut connection, &data, query, array);
    }
    connection.run("rollback").unwrap();
    drop(connection);
    database.instance().shutdown().unwrap();
}

/// Row source statistics are shown on request, and add up over executions.
#[test]
fn statistics_are_shown_when_they_were_asked_for() {
    let mut connection = support::connect();
    connection.run("create table t as select level id from dual connect by level <= 100").unwrap();
    let shown = |connection: &mut Connection, format: &str| {
        texts(
            connection.query(&format!("select * from table(dbms_xplan.display_cursor(format => '{format}'))")).unwrap(),
        )
    };
    connection.query("select id from t").unwrap();
    let lines = shown(&mut connection, "allstats last");
    assert!(lines.iter().any(|line| line.contains("basic plan statistics not available")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("A-Rows")), "{lines:?}");
    let query = "select /*+ gather_plan_statistics */ id from t";
    for _ in 0..3 {
        connection.query(query).unwrap();
    }
    let id = waits::sql_id(query);
    let all = shown(&mut connection, "allstats");
    assert_eq!(cell(&boxed(&all)[1], "A-Rows"), 300);
    let of = |connection: &mut Connection, format: &str| {
        let query = format!("select * from table(dbms_xplan.display_cursor('{id}', 0, '{format}'))");
        boxed(&texts(connection.query(&query).unwrap()))
    };
    let (all, last) = (of(&mut connection, "allstats"), of(&mut connection, "allstats last"));
    assert_eq!((cell(&all[1], "Starts"), cell(&all[1], "A-Rows")), (3, 300));
    assert_eq!((cell(&last[1], "Starts"), cell(&last[1], "A-Rows")), (1, 100));
    assert_eq!(cell(&all[1], "Buffers"), 3 * cell(&last[1], "Buffers"));
}

/// EXPLAIN of an UPDATE takes no lock and changes nothing, whoever holds the rows.
#[test]
fn explaining_waits_for_nobody() {
    let database = support::database();
    let (mut one, mut two) = (database.connect("system", None).unwrap(), database.connect("system", None).unwrap());
    one.run("create table t as select level id from dual connect by level <= 10").unwrap();
    one.run("lock table t in exclusive mode").unwrap();
    two.run("explain plan for update t set id = 0").unwrap();
    two.run("explain plan for delete from t").unwrap();
    let plans = |connection: &mut Connection| {
        texts(connection.query("select count(distinct plan_id) from plan_table").unwrap())
    };
    assert_eq!((plans(&mut two), plans(&mut one)), (vec!["2".to_owned()], vec!["0".to_owned()]));
    let explained = two.explain("select * from t where id = 1", &[]).unwrap();
    assert!(explained.iter().any(|line| line == "   1 - filter(\"ID\"=1)"), "{explained:?}");
    assert_eq!(plans(&mut two), ["2"]);
    assert!(two.explain("commit", &[]).unwrap_err().is_ora(905));
}

/// A sort is counted where it is done.
#[test]
fn sorts_are_counted() {
    let mut connection = support::connect();
    connection.run("create table t as select level id from dual connect by level <= 100").unwrap();
    let counted = |connection: &mut Connection, query: &str| {
        let value = |connection: &Connection| {
            (connection.statistic("sorts (memory)").unwrap(), connection.statistic("sorts (rows)").unwrap())
        };
        let before = value(connection);
        connection.query(query).unwrap();
        let after = value(connection);
        (after.0 - before.0, after.1 - before.1)
    };
    assert_eq!(counted(&mut connection, "select id from t"), (0, 0));
    assert_eq!(counted(&mut connection, "select id from t order by id desc"), (1, 100));
    assert_eq!(counted(&mut connection, "select id from t where id < 0 order by id"), (1, 0));
    let two = "select * from (select id from t order by id fetch first 5 rows only) union all select id from t where id > 90 order by 1";
    assert_eq!(counted(&mut connection, two).0, 2);
    assert_eq!(connection.statistic("nothing"), None);
}
