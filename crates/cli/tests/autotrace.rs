//! SET AUTOTRACE on a database: plans, and statistics that are the arithmetic of blocks and fetches.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The output of `highwater sql -S` for these lines.
fn said(directory: &Path, lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["sql", "-S"])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// The values of a statistic, in the order of the reports.
fn values(said: &str, name: &str) -> Vec<u64> {
    let lines = said.lines().filter_map(|line| line.strip_suffix(&format!("  {name}")));
    lines.map(|number| number.trim().parse().unwrap()).collect()
}

/// Blocks visited by fetches of one row and then `array` rows, and the number of fetches.
fn visits(blocks: &[&str], array: usize) -> (u64, u64) {
    let (mut at, mut visits, mut fetches, mut wanted) = (0, 0, 0, 1);
    loop {
        let rows = &blocks[at..(at + wanted).min(blocks.len())];
        visits += rows.iter().enumerate().filter(|(row, block)| *row == 0 || rows[row - 1] != **block).count() as u64;
        fetches += 1;
        at += rows.len();
        if rows.len() < wanted {
            return (visits, fetches);
        }
        wanted = array;
    }
}

#[test]
fn consistent_gets_are_blocks_and_fetches() {
    let directory = tempfile::tempdir().unwrap();
    let text = said(
        directory.path(),
        "create table t (id number, name varchar2(100));\n\
         insert into t select level, rpad('x', 60, 'x') from dual connect by level <= 1000;\n\
         commit;\n\
         set pagesize 0 feedback off linesize 100\n\
         prompt blocks\n\
         select substr(rowid, 1, 15) from t;\n\
         prompt traced\n\
         set feedback on autotrace traceonly statistics\n\
         select count(*) from t;\n\
         set arraysize 10\n\
         select * from t;\n\
         set arraysize 101\n\
         select * from t;\n\
         set arraysize 333\n\
         select * from t;\n\
         select * from t order by name, id;\n\
         select * from t where id < 0;\n",
    );
    let listed = text.split("blocks\n").nth(1).unwrap().split("traced\n").next().unwrap();
    let blocks: Vec<&str> = listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(blocks.len(), 1000, "{text}");
    let distinct = 1 + blocks.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
    let gets = values(&text, "consistent gets");
    // Gets of a full scan besides the blocks of its rows: the segment header, blocks without rows.
    let besides = gets[0] - distinct;
    let trips = values(&text, "SQL*Net roundtrips to/from client");
    for (report, array) in [(1, 10), (2, 101), (3, 333)] {
        let (visited, fetches) = visits(&blocks, array);
        assert_eq!(gets[report], besides + visited, "arraysize {array}\n{text}");
        // The first fetch goes with the execution.
        assert_eq!(trips[report], fetches, "arraysize {array}\n{text}");
    }
    assert!(gets[1] > gets[2] && gets[2] > gets[3], "{gets:?}");
    // A sort reads the table once, whatever the fetches are, and is a sort.
    assert_eq!(gets[4], gets[0], "{text}");
    assert_eq!(values(&text, "sorts (memory)"), [0, 0, 0, 0, 1, 0], "{text}");
    assert_eq!((trips[0], trips[5]), (2, 1), "{text}");
    assert_eq!(values(&text, "rows processed"), [1, 1000, 1000, 1000, 1000, 0], "{text}");
    assert_eq!(values(&text, "redo size"), [0; 6], "{text}");
    // Sent are the values, and of the same rows the same.
    let sent = values(&text, "bytes sent via SQL*Net to client");
    assert!(sent[1] > 60_000 && sent[1] == sent[3] && sent[5] == 0, "{sent:?}");
    let received = values(&text, "bytes received via SQL*Net from client");
    assert_eq!(received[1], "select * from t".len() as u64, "{text}");
    assert!(!text.contains("xxxxx"), "rows are not shown\n{text}");
    assert_eq!(text.matches("1000 rows selected.").count(), 4, "{text}");
}

#[test]
fn plans_are_said_behind_results() {
    let directory = tempfile::tempdir().unwrap();
    let text = said(
        directory.path(),
        "create table t (id number);\n\
         insert into t values (1);\n\
         commit;\n\
         variable n number\n\
         exec :n := 1\n\
         set autotrace on explain\n\
         show autotrace\n\
         select id from t where id = :n;\n\
         set autotrace traceonly explain\n\
         select id from t order by id;\n\
         select nothing from t;\n\
         update t set id = 2;\n\
         set autotrace off\n\
         select * from t;\n\
         select count(*) from plan_table;\n\
         set autotrace on statistics\n\
         update t set id = 3;\n\
         commit;\n\
         @?/rdbms/admin/utlxplan\n\
         set autotrace off\n\
         explain plan for select * from t;\n\
         select count(*) from plan_table;\n\
         select plan_table_output from table(dbms_xplan.display('plan_table', null, 'basic'));\n",
    );
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing in\n{text}"));
    assert!(text.contains("autotrace ON EXPLAIN\n"), "{text}");
    // The row, then the plan.
    assert!(place("         1\n") < place("Execution Plan\n-----"), "{text}");
    assert!(text.contains("|*  1 |  TABLE ACCESS FULL| T    |"), "{text}");
    assert!(text.contains("   1 - filter(\"ID\"=:N)"), "{text}");
    assert!(text.contains("ORA-00904") && !text.contains("SP2-0612"), "{text}");
    assert!(text.contains("SORT ORDER BY") && text.matches("         1\n").count() == 1, "not executed\n{text}");
    assert!(place("1 row updated.") < place("|   0 | UPDATE STATEMENT"), "{text}");
    assert_eq!(text.matches("Execution Plan\n").count(), 3, "{text}");
    let gets = values(&text, "db block gets");
    assert!(gets.len() == 1 && gets[0] > 0 && values(&text, "redo size")[0] > 0, "{text}");
    assert!(text.contains("Table created.") && text.contains("Explained.\n"), "{text}");
    assert!(text.contains("|   1 |  TABLE ACCESS FULL| T    |"), "{text}");
}
