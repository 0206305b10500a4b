//! Our summary compared with TKPROF's own, figure by figure, for traces that have both.
//!
//! The files are others' data and no part of the project: they are read where they stand beside it, and where they are
//! absent the tests say so and pass. Nothing here but the parser of the printed report knows what is in them.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use report::tkprof::{self, Figures, Options, Report, Statement, WaitTotals};

/// The samples' folder, if it is there.
fn sample(path: &str) -> Option<PathBuf> {
    let whole = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples").join(path);
    if whole.is_file() {
        return Some(whole);
    }
    println!("skipped: no sample {path}");
    None
}

/// One row of a printed table: count, then cpu and elapsed in hundredths of a second, disk, query, current, rows.
type Row = [i64; 7];

#[derive(Debug, Default)]
struct PrintedStatement {
    sql: String,
    /// Parse, Execute, Fetch, total.
    rows: BTreeMap<String, Row>,
    parse_misses: i64,
    execute_misses: i64,
    goal: Option<String>,
    user: Option<String>,
    depth: u32,
    /// Event, count, longest and total in hundredths.
    waits: Vec<(String, i64, i64, i64)>,
    /// First, average, maximum and the rest of the line.
    row_sources: Vec<(i64, i64, i64, String)>,
}

#[derive(Debug, Default)]
struct Printed {
    statements: Vec<PrintedStatement>,
    /// Non-recursive, recursive.
    totals: Vec<PrintedStatement>,
    tail: BTreeMap<String, i64>,
}

fn hundredths(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap();
    assert_eq!(part.len(), 2);
    whole.parse::<i64>().unwrap() * 100 + part.parse::<i64>().unwrap()
}

/// Reads what TKPROF printed. A section ends with a line of asterisks; the text of a statement is what stands before
/// its table.
fn printed(text: &str) -> Printed {
    let mut out = Printed::default();
    let mut section = PrintedStatement::default();
    let mut sql = Vec::new();
    let mut in_waits = false;
    let mut in_plan = false;
    for line in text.lines() {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        if line.starts_with("*****") || line.starts_with("OVERALL TOTALS") {
            let done = std::mem::take(&mut section);
            if done.rows.contains_key("total") {
                let overall = done.sql.contains("OVERALL");
                if overall { &mut out.totals } else { &mut out.statements }.push(done);
            }
            sql.clear();
            (in_waits, in_plan) = (false, false);
            if line.starts_with("OVERALL") {
                sql.push(line);
            }
        } else if line.starts_with("call     count") {
            section.sql = std::mem::take(&mut sql).join("\n");
        } else if matches!(words.first(), Some(&("Parse" | "Execute" | "Fetch" | "total"))) && words.len() == 8 {
            let number = |at: usize| words[at].parse::<i64>().unwrap();
            let row =
                [number(1), hundredths(words[2]), hundredths(words[3]), number(4), number(5), number(6), number(7)];
            section.rows.insert(words[0].into(), row);
        } else if let Some(count) = line.strip_prefix("Misses in library cache during parse: ") {
            section.parse_misses = count.trim().parse().unwrap();
        } else if let Some(count) = line.strip_prefix("Misses in library cache during execute: ") {
            section.execute_misses = count.trim().parse().unwrap();
        } else if let Some(goal) = line.strip_prefix("Optimizer mode: ") {
            section.goal = Some(goal.trim().into());
        } else if let Some(user) = line.strip_prefix("Parsing user id: ") {
            section.user = user.split_ascii_whitespace().next().map(str::to_owned);
            if let Some((_, depth)) = user.split_once("recursive depth: ") {
                section.depth = depth.trim_end_matches(')').parse().unwrap();
            }
        } else if line.starts_with("Rows (1st)") {
            in_plan = true;
        } else if line.starts_with("  Event waited on") {
            in_waits = true;
        } else if line.contains("------") {
            continue;
        } else if in_waits && words.len() >= 4 && line.starts_with("  ") {
            let (event, figures) = words.split_at(words.len() - 3);
            section.waits.push((
                event.join(" "),
                figures[0].parse().unwrap(),
                hundredths(figures[1]),
                hundredths(figures[2]),
            ));
        } else if in_plan && words.len() > 3 && words[0].parse::<i64>().is_ok() {
            let number = |at: usize| words[at].parse::<i64>().unwrap();
            section.row_sources.push((number(0), number(1), number(2), words[3..].join(" ")));
        } else if words.is_empty() {
            in_plan = false;
            if in_waits && !section.waits.is_empty() {
                in_waits = false;
            }
        } else if line.ends_with("in trace file.") || line.ends_with("in tracefile.") {
            out.tail.insert(words[1..].join(" "), words[0].parse().unwrap());
        } else if section.rows.is_empty() && !line.starts_with("SQL ID: ") {
            sql.push(line);
        }
    }
    out
}

/// A text without its blanks: TKPROF breaks lines where it likes.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn cut(microseconds: i64) -> i64 {
    microseconds.max(0) / 10_000
}

fn row(figures: &Figures) -> Row {
    let count = i64::try_from(figures.count).unwrap();
    let (cpu, elapsed) = (cut(figures.cpu), cut(figures.elapsed));
    [count, cpu, elapsed, figures.disk, figures.query, figures.current, figures.rows]
}

fn wait_row(wait: &WaitTotals) -> (String, i64, i64, i64) {
    (wait.event.clone(), i64::try_from(wait.count).unwrap(), cut(wait.max), cut(wait.total))
}

/// Counts figures, equal and in all, and lists those that differ.
#[derive(Default)]
struct FigureComparison {
    equal: usize,
    different: Vec<String>,
}

impl FigureComparison {
    fn check<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: T, theirs: T) {
        if ours == theirs {
            self.equal += 1;
        } else {
            self.different.push(format!("{what}: ours {ours:?}, TKPROF's {theirs:?}"));
        }
    }

    fn rows(&mut self, what: &str, ours: [(&str, Figures); 4], theirs: &PrintedStatement) {
        for (call, figures) in ours {
            let columns = ["count", "cpu", "elapsed", "disk", "query", "current", "rows"];
            for (column, (ours, theirs)) in columns.iter().zip(row(&figures).into_iter().zip(theirs.rows[call])) {
                self.check(&format!("{what}: {call} {column}"), ours, theirs);
            }
        }
    }

    fn statement(&mut self, ours: &Statement, theirs: &PrintedStatement) {
        let what = theirs.sql.chars().take(40).collect::<String>();
        let rows = [("Parse", ours.parse), ("Execute", ours.execute), ("Fetch", ours.fetch), ("total", ours.total())];
        self.rows(&what, rows, theirs);
        self.check(&format!("{what}: parse misses"), ours.parse.misses, theirs.parse_misses);
        self.check(&format!("{what}: execute misses"), ours.execute.misses, theirs.execute_misses);
        self.check(&format!("{what}: depth"), ours.depth, theirs.depth);
        let user = ours.user.map(|user| if user == 0 { "SYS".to_owned() } else { user.to_string() });
        self.check(&format!("{what}: user"), user, theirs.user.clone());
        let goal = ours.goal.map(|goal| ["?", "ALL_ROWS", "FIRST_ROWS", "RULE", "CHOOSE"][goal as usize].to_owned());
        self.check(&format!("{what}: optimizer mode"), goal, theirs.goal.clone());
        let waits: Vec<_> = ours.waits.iter().map(wait_row).collect();
        self.check(&format!("{what}: waits"), &waits, &theirs.waits);
        let sources: Vec<_> = ours.plans.iter().flat_map(|plan| &plan.row_sources).collect();
        self.check(&format!("{what}: row sources"), sources.len(), theirs.row_sources.len());
        for (ours, theirs) in sources.iter().zip(&theirs.row_sources) {
            let rows = [ours.rows.first, ours.rows.average(), ours.rows.max];
            self.check(
                &format!("{what}: rows of a row source"),
                rows,
                [Some(theirs.0), Some(theirs.1), Some(theirs.2)],
            );
            let mut figures = String::new();
            let mut figure = |name: &str, value: Option<i64>| {
                if let Some(value) = value {
                    figures.push_str(&format!("{name}={value}"));
                }
            };
            figure("cr", ours.query.average());
            figure("pr", ours.reads.average());
            figure("pw", ours.writes.average());
            figure("time", ours.elapsed.average());
            let printed = squeezed(&theirs.3);
            let expected = format!("{}({figures}us", squeezed(&ours.operation));
            self.check(&format!("{what}: {}", ours.operation), printed.starts_with(&expected), true);
        }
    }

    fn totals(&mut self, what: &str, ours: &tkprof::Totals, theirs: &PrintedStatement) {
        let rows = [("Parse", ours.parse), ("Execute", ours.execute), ("Fetch", ours.fetch), ("total", ours.total())];
        self.rows(what, rows, theirs);
        self.check(&format!("{what}: parse misses"), ours.parse.misses, theirs.parse_misses);
        self.check(&format!("{what}: execute misses"), ours.execute.misses, theirs.execute_misses);
        let waits: Vec<_> = ours.waits.iter().map(wait_row).collect();
        self.check(&format!("{what}: waits"), &waits, &theirs.waits);
    }
}

fn compare(report: &Report, options: &Options, theirs: &Printed) -> FigureComparison {
    let mut comparison = FigureComparison::default();
    let listed = options.listed(&report.statements);
    let order: Vec<_> = listed.iter().map(|s| squeezed(s.sql.as_deref().unwrap())).collect();
    comparison.check("order", &order, &theirs.statements.iter().map(|s| squeezed(&s.sql)).collect());
    for printed in &theirs.statements {
        let text = squeezed(&printed.sql);
        match listed.iter().find(|s| s.sql.as_deref().is_some_and(|sql| squeezed(sql) == text)) {
            Some(ours) => comparison.statement(ours, printed),
            None => comparison.different.push(format!("not found: {}", printed.sql)),
        }
    }
    comparison.totals("non-recursive", &report.non_recursive, &theirs.totals[0]);
    comparison.totals("recursive", &report.recursive, &theirs.totals[1]);
    let mut tail = |what: &str, ours: u64| {
        comparison.check(what, Some(i64::try_from(ours).unwrap()), theirs.tail.get(what).copied());
    };
    tail("session in tracefile.", report.sessions);
    tail("user SQL statements in trace file.", report.user_statements);
    tail("internal SQL statements in trace file.", report.internal_statements);
    tail("SQL statements in trace file.", report.user_statements + report.internal_statements);
    tail("unique SQL statements in trace file.", report.statements.len() as u64);
    tail("lines in trace file.", report.reading.lines);
    tail("elapsed seconds in trace file.", u64::try_from(report.elapsed.unwrap()).unwrap() / 1_000_000);
    comparison
}

/// Compares one trace, with recursive calls subtracted and included; returns both comparisons.
fn both_ways(trace: &str, report: &str, words: &[&str]) -> Option<[FigureComparison; 2]> {
    let (trace_file, report_file) = (sample(trace)?, sample(report)?);
    let bytes = std::fs::read(trace_file).unwrap();
    let theirs = printed(&String::from_utf8_lossy(&std::fs::read(report_file).unwrap()));
    assert!(!theirs.statements.is_empty() && theirs.totals.len() == 2 && theirs.tail.len() >= 6);
    Some([false, true].map(|inclusive| {
        let mut options = Options { inclusive, ..Options::default() };
        words.iter().for_each(|word| options.apply(word).unwrap());
        let ours = tkprof::summarise(&bytes[..], &options).unwrap();
        assert_eq!(ours.reading.not_understood, 0, "{:?}", ours.reading.misread);
        let comparison = compare(&ours, &options, &theirs);
        let (equal, different) = (comparison.equal, comparison.different.len());
        let way = if inclusive { "recursive calls left in" } else { "recursive calls taken off" };
        println!(
            "{trace}: {way}: {} statements, {equal} of {} figures equal",
            theirs.statements.len(),
            equal + different
        );
        comparison
    }))
}

#[test]
fn a_job_with_contention_of_10_2() {
    let sample =
        both_ways("trc10046/top1_bbw_dbm10203_j000_8552.trc", "tkprof/top1_dbm10203_j000_8552.txt", &["sys=no"]);
    let Some([exclusive, inclusive]) = sample else { return };
    assert_eq!(exclusive.different, [""; 0]);
    assert!(!inclusive.different.is_empty());
}

#[test]
fn a_commit_loop_of_19() {
    let sample = both_ways(
        "trc10046/brownbag_ORCLDB_ora_53279_SESS1.trc",
        "tkprof/brownbag_ORCLDB_ora_53279_SESS1.tkp.txt",
        &["sort=fchela,exeela,prsela"],
    );
    let Some([exclusive, inclusive]) = sample else { return };
    assert_eq!(exclusive.different, [""; 0]);
    assert!(!inclusive.different.is_empty());
}
