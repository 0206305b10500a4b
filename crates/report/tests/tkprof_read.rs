//! TKPROF's output read back: the layouts of several releases (made up), our own printed and read, and Oracle's beside
//! its trace where there are samples.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use report::tkprof::{
    self, Captured, ErrorCount, FailedParse, Figures, LobTotals, Options, Plan, Report, RowSource, SortKey, Statement,
    Totals, WaitTotals,
};

const RULE: &str = "********************************************************************************";

fn legend() -> String {
    format!("{RULE}\ncount    = number of calls\ncpu      = cpu time in seconds\nrows     = rows\n{RULE}\n")
}

/// 8i: no SQL id, "Optimizer goal", no waits, a plan by rows, and what EXPLAIN PLAN says now.
fn eight() -> String {
    format!(
        "\nTKPROF: Release 8.1.7.4.0 - Production on Tue May 3 10:00:00 2005\n\n(c) Copyright\n\nTrace file: ora_17.trc\nSort options: default\n\n{}\n\
select a\n  from t\n where b = 'x'\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        2      0.01       0.02          0          0          0           0\n\
Execute      3      0.00       0.00          0          0          0           0\n\
Fetch        4      1.25      10.50        100       2000          3          40\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total        9      1.26      10.52        100       2000          3          40\n\n\
Misses in library cache during parse: 1\nOptimizer goal: CHOOSE\nParsing user id: 17  (SHOP)   (recursive depth: 1)\n\n\
Rows     Row Source Operation\n-------  ---------------------------------------------------\n     40  SORT ORDER BY \n     40   TABLE ACCESS FULL T \n\n\n\
Rows     Execution Plan\n-------  ---------------------------------------------------\n      0  SELECT STATEMENT   GOAL: CHOOSE\n     40   SORT (ORDER BY)\n\n{RULE}\n\n\n\n\
OVERALL TOTALS FOR ALL NON-RECURSIVE STATEMENTS\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        2      0.01       0.02          0          0          0           0\n\
Execute      3      0.00       0.00          0          0          0           0\n\
Fetch        4      1.25      10.50        100       2000          3          40\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total        9      1.26      10.52        100       2000          3          40\n\n\
Misses in library cache during parse: 1\n\n\n\
OVERALL TOTALS FOR ALL RECURSIVE STATEMENTS\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        0      0.00       0.00          0          0          0           0\n\
Execute      0      0.00       0.00          0          0          0           0\n\
Fetch        0      0.00       0.00          0          0          0           0\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total        0      0.00       0.00          0          0          0           0\n\n\
Misses in library cache during parse: 0\n\n    1  user  SQL statements in session.\n    0  internal SQL statements in session.\n    1  SQL statements in session.\n    0  statements EXPLAINed in this session.\n{RULE}\n\
Trace file: ora_17.trc\nTrace file compatibility: 8.00.04\nSort options: default\n\n       1  session in tracefile.\n       1  user  SQL statements in trace file.\n       0  internal SQL statements in trace file.\n       1  SQL statements in trace file.\n       1  unique SQL statements in trace file.\n      57  lines in trace file.\n",
        legend()
    )
}

/// 11.2 to 19c: SQL id and plan hash, three columns of rows, waits, a statement that could not be parsed.
fn eleven(id_line: &str) -> String {
    format!(
        "\nTKPROF: Release 11.2.0.4.0 - Development on Tue Feb 3 20:51:59 2015\n\nCopyright\n\nTrace file: toy_ora_1.trc\nSort options: exeela  fchela  \n{}\n\
The following statement encountered a error during parse:\n\nselect nothing\nfrom nowhere\n\nError encountered: ORA-00942\n{RULE}\n\n{id_line}\n\n\
update /*+ index(t) */ t set d = sysdate \nwhere\n id = :b1\n\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        1      0.00       0.00          0          0          0           0\n\
Execute 1000000    120.94     365.69  123456789012      31934      29484     1000000\n\
Fetch        0      0.00       0.00          0          0          0           0\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total   1000001    120.94     365.69  123456789012      31934      29484     1000000\n\n\
Misses in library cache during parse: 1\nMisses in library cache during execute: 2\nOptimizer mode: ALL_ROWS\nParsing user id: SYS   (recursive depth: 2)\nNumber of plan statistics captured: 3\n\n\
Rows (1st) Rows (avg) Rows (max)  Row Source Operation\n---------- ---------- ----------  ---------------------------------------------------\n\
         0          0          0  UPDATE  T (cr=3 pr=0 pw=0 time=123 us starts=1)\n\
         1          2          4   INDEX RANGE SCAN T_I (cr=2 pr=1 pw=0 time=45 us starts=1 cost=1 size=26 card=1)(object id 4711)\n\n\n\
Elapsed times include waiting on following events:\n  Event waited on                             Times   Max. Wait  Total Waited\n  ----------------------------------------   Waited  ----------  ------------\n\
  buffer busy waits                          123456        0.01          4.64\n  enq: TX - row lock contention                   2       12.00         15.01\n{RULE}\n\n\n\n\
OVERALL TOTALS FOR ALL NON-RECURSIVE STATEMENTS\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        0      0.00       0.00          0          0          0           0\n\
Execute      0      0.00       0.00          0          0          0           0\n\
Fetch        0      0.00       0.00          0          0          0           0\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total        0      0.00       0.00          0          0          0           0\n\n\
Misses in library cache during parse: 0\n\n\nOVERALL TOTALS FOR ALL RECURSIVE STATEMENTS\n\n\
call     count       cpu    elapsed       disk      query    current        rows\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        1      0.00       0.00          0          0          0           0\n\
Execute 1000000    120.94     365.69  123456789012      31934      29484     1000000\n\
Fetch        0      0.00       0.00          0          0          0           0\n\
------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
total   1000001    120.94     365.69  123456789012      31934      29484     1000000\n\n\
Misses in library cache during parse: 1\nMisses in library cache during execute: 2\n\n\
Elapsed times include waiting on following events:\n  Event waited on                             Times   Max. Wait  Total Waited\n  ----------------------------------------   Waited  ----------  ------------\n\
  buffer busy waits                          123456        0.01          4.64\n\n    1  user  SQL statements in session.\n    0  internal SQL statements in session.\n    1  SQL statements in session.\n{RULE}\n\
Trace file: toy_ora_1.trc\nTrace file compatibility: 11.1.0.7\nSort options: exeela  fchela  \n       1  session in tracefile.\n       2  user  SQL statements in trace file.\n       3  internal SQL statements in trace file.\n       5  SQL statements in trace file.\n       2  unique SQL statements in trace file.\n   13411  lines in trace file.\n     366  elapsed seconds in trace file.\n\n\n",
        legend()
    )
}

fn read(text: &str) -> tkprof::Printed {
    let printed = tkprof::read(text).unwrap();
    assert_eq!(printed.misread, []);
    printed
}

#[test]
fn eight_i() {
    let printed = read(&eight());
    assert!(!printed.cut && printed.sort.is_empty());
    let report = &printed.report;
    assert_eq!(report.header.release.as_ref().map(ToString::to_string).as_deref(), Some("8.1.7.4.0"));
    assert_eq!(report.name.as_deref(), Some("ora_17.trc"));
    let [statement] = &report.statements[..] else { panic!("one statement") };
    assert_eq!(statement.sql.as_deref(), Some("select a\n  from t\n where b = 'x'"));
    assert_eq!(
        (statement.sql_id.as_deref(), statement.goal, statement.user, statement.depth),
        (None, Some(4), Some(17), 1)
    );
    let fetch = Figures {
        count: 4,
        cpu: 1_250_000,
        elapsed: 10_500_000,
        disk: 100,
        query: 2000,
        current: 3,
        rows: 40,
        misses: 0,
    };
    assert_eq!((statement.fetch, statement.parse.misses), (fetch, 1));
    let plan: Vec<_> = statement.plans[0]
        .row_sources
        .iter()
        .map(|s| (s.operation.as_str(), s.level, s.rows.first, s.query.first))
        .collect();
    assert_eq!(plan, [("SORT ORDER BY", 0, Some(40), None), ("TABLE ACCESS FULL T", 1, Some(40), None)]);
    assert_eq!((statement.plans.len(), statement.waits.len()), (1, 0));
    assert_eq!(report.non_recursive.fetch, fetch);
    assert_eq!((report.reading.lines, report.user_statements, report.elapsed), (57, 1, None));
}

#[test]
fn eleven_and_later() {
    for id_line in [
        "SQL ID: 7ha1afu1z55yh Plan Hash: 1234",
        "SQL ID : 7ha1afu1z55yh\nPlan Hash: 1234",
        "SQL ID: 7ha1afu1z55yh\nPlan Hash: 1234",
    ] {
        let printed = read(&eleven(id_line));
        assert_eq!(printed.sort, [SortKey::ExecuteElapsed, SortKey::FetchElapsed]);
        let report = &printed.report;
        let [statement] = &report.statements[..] else { panic!("one statement") };
        assert_eq!((statement.sql_id.as_deref(), statement.plan_hash), (Some("7ha1afu1z55yh"), Some(1234)));
        assert_eq!((statement.user, statement.depth, statement.goal), (Some(0), 2, Some(1)));
        assert_eq!(
            (statement.execute.count, statement.execute.disk, statement.execute.misses),
            (1_000_000, 123_456_789_012, 2)
        );
        let plan = &statement.plans[0];
        let index = &plan.row_sources[1];
        assert_eq!(
            (plan.captured, index.operation.as_str(), index.object, index.parent),
            (3, "INDEX RANGE SCAN T_I", Some(4711), Some(1))
        );
        assert_eq!((index.rows.first, index.rows.average(), index.rows.max), (Some(1), Some(2), Some(4)));
        assert_eq!((index.query.average(), index.starts.average(), index.cardinality), (Some(2), Some(1), Some(1)));
        assert_eq!(
            statement.waits[1],
            WaitTotals { event: "enq: TX - row lock contention".into(), count: 2, max: 12_000_000, total: 15_010_000 }
        );
        assert_eq!(report.recursive.waits.len(), 1);
        assert_eq!(
            report.parse_errors.iter().map(|e| (e.sql.as_str(), e.error)).collect::<Vec<_>>(),
            [("select nothing\nfrom nowhere", 942)]
        );
        assert_eq!((report.elapsed, report.internal_statements), (Some(366_000_000), 3));
    }
}

#[test]
fn windows_line_ends_cuts_and_what_is_no_tkprof() {
    let text = eleven("SQL ID: 7ha1afu1z55yh Plan Hash: 1234");
    assert_eq!(read(&text.replace('\n', "\r\n")).report, read(&text).report);
    for end in (0..text.len()).step_by(7) {
        match tkprof::read(&text[..end]) {
            Ok(printed) => assert!(printed.report.statements.len() <= 1),
            Err(error) => assert!(["HW-0801", "HW-0803"].contains(&error.number.to_string().as_str())),
        }
    }
    let cut = tkprof::read(&text[..text.find("OVERALL").unwrap()]).unwrap();
    assert!(cut.cut && cut.report.statements.len() == 1);
    assert_eq!(tkprof::read("a text about call count cpu\n").unwrap_err().number.to_string(), "HW-0803");
    let damaged = text.replace("Fetch        0      0.00 ", "Fetch        0 #########");
    let printed = tkprof::read(&damaged).unwrap();
    assert_eq!(printed.not_understood, 3);
    assert!(printed.misread[0].text.starts_with("Fetch"));
}

fn print(report: &Report) -> String {
    let mut out = Vec::new();
    tkprof::print(report, &Options::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn our_own_of_each_fixture_is_printed_the_same_again() {
    for name in ["8i.trc", "9i.trc", "10g.trc", "11g.trc", "23ai.trc"] {
        let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap();
        let mut report = tkprof::summarise(&bytes[..], &Options::default()).unwrap();
        // The reader's remarks about the trace are not part of the model that is read back.
        (report.reading.misread, report.reading.not_understood, report.reading.truncation) = (Vec::new(), 0, None);
        let text = print(&report);
        let again = print(&read(&text).report);
        assert_eq!(again, text, "{name}");
    }
}

fn hundredths() -> impl Strategy<Value = i64> {
    (0..50_000_000i64).prop_map(|hundredths| hundredths * 10_000)
}

fn figures(misses: bool) -> impl Strategy<Value = Figures> {
    let counts = proptest::array::uniform4(0..1_000_000_000_000i64);
    (0..10_000_000u64, hundredths(), hundredths(), counts, 0..1000i64).prop_map(
        move |(count, cpu, elapsed, [disk, query, current, rows], missed)| Figures {
            count,
            cpu,
            elapsed,
            disk,
            query,
            current,
            rows,
            misses: if misses { missed } else { 0 },
        },
    )
}

fn wait_list() -> impl Strategy<Value = Vec<WaitTotals>> {
    let events = [
        "log file sync",
        "enq: TX - row lock contention",
        "log file switch (checkpoint incomplete)",
        "SQL*Net message from client",
    ];
    let one = (proptest::sample::select(events.to_vec()), 0..1_000_000u64, hundredths(), hundredths());
    proptest::collection::vec(one, 0..4).prop_map(|list| {
        list.into_iter()
            .map(|(event, count, max, total)| WaitTotals { event: event.into(), count, max, total })
            .collect()
    })
}

fn mean(value: Option<i64>, captured: u64) -> Captured {
    value.map_or_else(Captured::default, |value| Captured {
        first: Some(value),
        max: Some(value),
        sum: value * i64::try_from(captured).unwrap(),
        count: captured,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let operations = ["SORT ORDER BY", "NESTED LOOPS OUTER", "TABLE ACCESS BY INDEX ROWID T", "HASH JOIN (SEMI)"];
    let optional = || proptest::option::of(0..1_000_000i64);
    let one = (
        0..3u32,
        proptest::sample::select(operations.to_vec()),
        proptest::array::uniform3(0..1_000_000i64),
        proptest::array::uniform4(optional()),
        optional(),
    );
    (1..5u64, proptest::collection::vec(one, 1..6)).prop_map(|(captured, lines)| {
        let mut row_sources: Vec<RowSource> = Vec::new();
        for (deeper, operation, rows, [query, reads, elapsed, cost], cardinality) in lines {
            let above = row_sources.last().map_or(0, |last| last.level + 1);
            let level = if row_sources.is_empty() { 0 } else { above.saturating_sub(deeper).max(1) };
            let parent = row_sources.iter().rev().find(|line| line.level < level).map_or(0, |line| line.id);
            let siblings = row_sources.iter().filter(|line| line.parent == Some(parent)).count();
            let [first, average, max] = if captured == 1 { [rows[0]; 3] } else { rows };
            row_sources.push(RowSource {
                id: u32::try_from(row_sources.len() + 1).unwrap(),
                parent: Some(parent),
                position: Some(u32::try_from(siblings + 1).unwrap()),
                level,
                operation: operation.into(),
                rows: Captured { first: Some(first), max: Some(max), ..mean(Some(average), captured) },
                query: mean(query, captured),
                reads: mean(reads, captured),
                elapsed: mean(elapsed, captured),
                cost,
                cardinality,
                ..RowSource::default()
            });
        }
        Plan { captured, row_sources }
    })
}

fn statement() -> impl Strategy<Value = Statement> {
    let texts = ["select 1 from dual", "update t set a = :1\nwhere b = 'x  y'", "begin\n  null;\n\nend;", "commit"];
    let id = proptest::option::of(("[0-9a-z]{13}", proptest::option::of(0..4_294_967_295u64)));
    let head = (
        id,
        proptest::option::of(proptest::sample::select(texts.to_vec())),
        any::<bool>(),
        0..5u32,
        proptest::option::of(0..200u32),
        proptest::option::of(1..5u32),
    );
    let calls = (figures(true), figures(true), figures(false));
    let errors = proptest::collection::vec((1..30_000u32, 1..9u64), 0..2);
    (head, calls, proptest::collection::vec(plan(), 0..3), wait_list(), errors).prop_map(
        |((id, sql, incomplete, depth, user, goal), (parse, execute, fetch), plans, waits, errors)| Statement {
            sql_id: id.as_ref().map(|(id, _)| id.clone()),
            plan_hash: id.and_then(|(_, hash)| hash),
            sql: sql.map(str::to_owned),
            incomplete,
            // Depth and user stand in one line.
            depth: if user.is_some() { depth } else { 0 },
            user,
            goal,
            parse,
            execute,
            fetch,
            plans,
            waits,
            errors: errors.into_iter().map(|(error, count)| ErrorCount { error, count }).collect(),
            ..Statement::default()
        },
    )
}

fn totals() -> impl Strategy<Value = Totals> {
    (figures(true), figures(true), figures(false), wait_list()).prop_map(|(parse, execute, fetch, waits)| Totals {
        parse,
        execute,
        fetch,
        waits,
    })
}

/// A model that holds nothing but what is printed.
fn model() -> impl Strategy<Value = Report> {
    let lob = ("LOB(READ|WRITE)", 0..1_000_000i64, figures(false)).prop_map(|(operation, bytes, figures)| LobTotals {
        operation,
        bytes,
        figures: Figures { rows: 0, ..figures },
    });
    let failed = (1..30_000u32, 1..10u64).prop_map(|(error, count)| FailedParse {
        sql: "select a\nfrom".into(),
        error,
        user: None,
        depth: None,
        count,
    });
    let counts = proptest::array::uniform4(0..100_000u64);
    (
        proptest::collection::vec(statement(), 0..4),
        (totals(), totals()),
        proptest::collection::vec(lob, 0..3),
        proptest::collection::vec(failed, 0..3),
        counts,
        (proptest::option::of(0..100_000i64), any::<bool>(), proptest::option::of("[a-z]{1,8}[.]trc")),
    )
        .prop_map(
            |(statements, (non_recursive, recursive), lob_calls, parse_errors, counts, (elapsed, inclusive, name))| {
                let [user_statements, internal_statements, lines, sessions] = counts;
                let mut report = Report {
                    name,
                    inclusive,
                    statements,
                    non_recursive,
                    recursive,
                    lob_calls,
                    parse_errors,
                    ..Report::default()
                };
                (report.user_statements, report.internal_statements, report.sessions) =
                    (user_statements, internal_statements, sessions);
                (report.transactions.commits, report.transactions.rollbacks) = (lines / 3, lines / 7);
                report.reading.lines = lines;
                report.elapsed = elapsed.map(|seconds| seconds * 1_000_000);
                report
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_reports_are_read_back(report in model()) {
        let text = print(&report);
        let printed = tkprof::read(&text).unwrap();
        prop_assert_eq!(&printed.misread, &[]);
        let mut read = printed.report;
        // The line of the TKPROF that printed it is not the trace's.
        read.header = report.header.clone();
        prop_assert_eq!(read, report);
    }

    #[test]
    fn any_text(text in "((Parse|Execute|call|Rows|SQL ID:|OVERALL TOTALS FOR ALL |Trace file: |Elapsed times include waiting on|[*]{45})? ?[ -~]{0,60}\n){0,30}") {
        let _ = tkprof::read(&text);
        let _ = tkprof::read(&format!("call     count       cpu\n{text}"));
    }
}

/// The samples' folder, if it is there.
fn sample(path: &str) -> Option<PathBuf> {
    let whole = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples").join(path);
    if whole.is_file() {
        return Some(whole);
    }
    println!("skipped: no sample {path}");
    None
}

#[test]
fn oracles_own_beside_the_summary_of_its_trace() {
    for (trace, text, words) in [
        ("trc10046/top1_bbw_dbm10203_j000_8552.trc", "tkprof/top1_dbm10203_j000_8552.txt", "sys=no"),
        (
            "trc10046/brownbag_ORCLDB_ora_53279_SESS1.trc",
            "tkprof/brownbag_ORCLDB_ora_53279_SESS1.tkp.txt",
            "sort=fchela,exeela,prsela",
        ),
    ] {
        let (Some(trace), Some(text)) = (sample(trace), sample(text)) else { continue };
        let mut options = Options::default();
        options.apply(words).unwrap();
        let ours = tkprof::summarise(std::fs::File::open(trace).unwrap(), &options).unwrap();
        let theirs = tkprof::read(&String::from_utf8_lossy(&std::fs::read(text).unwrap())).unwrap();
        assert_eq!(theirs.misread, []);
        assert!(!theirs.cut);
        let listed = options.listed(&ours.statements);
        assert_eq!(listed.len(), theirs.report.statements.len());
        let cut = |microseconds: i64| microseconds.max(0) / 10_000 * 10_000;
        let shown = |f: Figures| Figures { cpu: cut(f.cpu), elapsed: cut(f.elapsed), ..f };
        for (ours, theirs) in listed.into_iter().zip(&theirs.report.statements) {
            assert_eq!(shown(ours.parse), theirs.parse);
            assert_eq!(shown(ours.execute), theirs.execute);
            assert_eq!(Figures { misses: 0, ..shown(ours.fetch) }, theirs.fetch);
            assert_eq!((ours.user, ours.depth, ours.goal), (theirs.user, theirs.depth, theirs.goal));
            let waits = |waits: &[WaitTotals]| {
                waits.iter().map(|w| (w.event.clone(), w.count, cut(w.max), cut(w.total))).collect::<Vec<_>>()
            };
            assert_eq!(waits(&ours.waits), waits(&theirs.waits));
            let plans = |s: &Statement| {
                let lines = s.plans.iter().flat_map(|plan| &plan.row_sources);
                lines
                    .map(|r| {
                        let operation = r.operation.split_whitespace().collect::<String>();
                        (operation, r.level, r.rows.first, r.rows.average(), r.query.average())
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(plans(ours), plans(theirs));
        }
        assert_eq!(shown(ours.recursive.total()).elapsed, theirs.report.recursive.total().elapsed);
        assert_eq!(ours.reading.lines, theirs.report.reading.lines);
    }
}
