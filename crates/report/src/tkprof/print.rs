//! The printed report, in the classic layout: tables and columns are where readers of TKPROF expect them.
//!
//! Times are cut, not rounded, to hundredths of a second, as TKPROF cuts them.

use std::io::{self, Write};

use super::json::goal;
use super::model::{Captured, Figures, Plan, Report, RowSource, Statement, Totals, WaitTotals};
use super::options::Options;

/// Columns after which a statement's text is broken.
const TEXT_WIDTH: usize = 80;

const RULE: &str = "********************************************************************************";

/// Prints a report.
///
/// # Errors
///
/// Errors of `out`.
pub fn print(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    head(report, options, out)?;
    let listed = options.listed(&report.statements);
    for statement in &listed {
        one_statement(statement, options, out)?;
        writeln!(out, "{RULE}")?;
    }
    parse_errors(report, out)?;
    for (title, totals) in [("NON-RECURSIVE", &report.non_recursive), ("RECURSIVE", &report.recursive)] {
        writeln!(out, "\nOVERALL TOTALS FOR ALL {title} STATEMENTS\n")?;
        overall(totals, options, out)?;
    }
    lob_calls(report, out)?;
    tail(report, options, listed.len(), out)
}

fn name(report: &Report) -> &str {
    report.name.as_deref().or(report.header.trace_file.as_deref()).unwrap_or("(unnamed)")
}

fn head(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nTKPROF: Highwater {}\n", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "Trace file: {}", name(report))?;
    writeln!(out, "Sort options: {}", options.sort_text())?;
    let recursive =
        if report.inclusive { "contained in those of their caller" } else { "taken off those of their caller" };
    writeln!(out, "Recursive calls: figures {recursive}\n")?;
    writeln!(out, "{RULE}")?;
    writeln!(out, "count    = calls made")?;
    writeln!(out, "cpu      = seconds on a CPU")?;
    writeln!(out, "elapsed  = seconds from start to end of the calls")?;
    writeln!(out, "disk     = blocks read from disk")?;
    writeln!(out, "query    = blocks got in consistent mode")?;
    writeln!(out, "current  = blocks got in current mode, mostly to change them")?;
    writeln!(out, "rows     = rows that the executions changed or the fetches returned")?;
    writeln!(out, "{RULE}")
}

fn one_statement(statement: &Statement, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    if let Some(sql_id) = &statement.sql_id {
        write!(out, "SQL ID: {sql_id}")?;
        if let Some(plan_hash) = statement.plan_hash {
            write!(out, " Plan Hash: {plan_hash}")?;
        }
        writeln!(out, "\n")?;
    }
    match &statement.sql {
        Some(text) => sql_text(text, out)?,
        None => writeln!(out, "(no text: the cursor was parsed before the trace began)")?,
    }
    if statement.incomplete {
        writeln!(out, "(the text is not all there)")?;
    }
    writeln!(out, "\n")?;
    table(&[("Parse", &statement.parse), ("Execute", &statement.execute), ("Fetch", &statement.fetch)], out)?;
    misses(&statement.parse, &statement.execute, out)?;
    if let Some(number) = statement.goal {
        writeln!(out, "Optimizer mode: {}", goal(number))?;
    }
    if let Some(user) = statement.user {
        let user = if user == 0 { "SYS".to_owned() } else { user.to_string() };
        write!(out, "Parsing user id: {user}")?;
        if statement.depth > 0 {
            write!(out, "     (recursive depth: {})", statement.depth)?;
        }
        writeln!(out)?;
    }
    for error in &statement.errors {
        writeln!(out, "Errors raised: ORA-{:05} ({})", error.error, error.count)?;
    }
    for (number, plan) in (1..).zip(&statement.plans) {
        if statement.plans.len() > 1 {
            writeln!(out, "\nPlan {number} of {}", statement.plans.len())?;
        }
        row_sources(plan, out)?;
    }
    waits(&statement.waits, options, out)
}

/// Prints a statement, long lines broken at blanks outside quotes.
fn sql_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in text.lines() {
        let mut rest = line;
        let mut indent = "";
        while let Some(at) = break_at(rest, TEXT_WIDTH - indent.len()) {
            writeln!(out, "{indent}{}", &rest[..at])?;
            rest = rest[at..].trim_start();
            indent = "  ";
        }
        writeln!(out, "{indent}{rest}")?;
    }
    Ok(())
}

/// Where to break a line that is longer than `width`: at the last blank outside quotes before it, else the first after
/// it.
fn break_at(line: &str, width: usize) -> Option<usize> {
    if line.len() <= width || line.chars().count() <= width {
        return None;
    }
    let mut quoted = false;
    let mut best = None;
    for (column, (at, character)) in line.char_indices().enumerate() {
        match character {
            '\'' | '"' => quoted = !quoted,
            ' ' | '\t' if !quoted && !line[..at].trim().is_empty() => {
                if column > width {
                    return best.or(Some(at));
                }
                best = Some(at);
            }
            _ => {}
        }
    }
    best
}

fn table(rows: &[(&str, &Figures); 3], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "call     count       cpu    elapsed       disk      query    current        rows")?;
    let line = "------- ------  -------- ---------- ---------- ---------- ----------  ----------";
    writeln!(out, "{line}")?;
    let mut total = Figures::default();
    for (call, figures) in rows {
        table_row(call, figures, out)?;
        total = total.plus(figures);
    }
    writeln!(out, "{line}")?;
    table_row("total", &total, out)?;
    writeln!(out)
}

fn table_row(call: &str, figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{call:<7} {:>6}  {:>8} {:>10} {:>10} {:>10} {:>10}  {:>10}",
        figures.count,
        hundredths(figures.cpu),
        hundredths(figures.elapsed),
        figures.disk.max(0),
        figures.query.max(0),
        figures.current.max(0),
        figures.rows
    )
}

/// Microseconds as seconds with two decimals, cut. What recursion took a little below zero is zero.
fn hundredths(microseconds: i64) -> String {
    let hundredths = microseconds.max(0) / 10_000;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn misses(parse: &Figures, execute: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Misses in library cache during parse: {}", parse.misses)?;
    if execute.misses != 0 {
        writeln!(out, "Misses in library cache during execute: {}", execute.misses)?;
    }
    Ok(())
}

fn row_sources(plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    let several = plan.captured > 1;
    let operations = "---------------------------------------------------";
    if several {
        writeln!(out, "Number of plan statistics captured: {}\n", plan.captured)?;
        writeln!(out, "Rows (1st) Rows (avg) Rows (max)  Row Source Operation")?;
        writeln!(out, "---------- ---------- ----------  {operations}")?;
    } else {
        writeln!(out, "\nRows     Row Source Operation")?;
        writeln!(out, "-------  {operations}")?;
    }
    for line in &plan.row_sources {
        let figure = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let rows = &line.rows;
        if several {
            let (first, average, max) = (figure(rows.first), figure(rows.average()), figure(rows.max));
            write!(out, "{first:>10} {average:>10} {max:>10}  ")?;
        } else {
            write!(out, "{:>7}  ", figure(rows.first))?;
        }
        write!(out, "{:indent$}{}", "", line.operation, indent = line.level as usize)?;
        writeln!(out, "{}{}", operation_figures(line), object(line))?;
    }
    writeln!(out)
}

/// ` (cr=3 pr=0 pw=0 time=122 us)` with what the trace has.
fn operation_figures(line: &RowSource) -> String {
    let average = Captured::average;
    let mut parts = Vec::new();
    let mut part = |name: &str, value: Option<i64>, unit: &str| {
        if let Some(value) = value {
            parts.push(format!("{name}={value}{unit}"));
        }
    };
    part("cr", average(&line.query), "");
    part("pr", average(&line.reads), "");
    part("pw", average(&line.writes), "");
    part("time", average(&line.elapsed), " us");
    part("starts", average(&line.starts), "");
    part("cost", line.cost, "");
    part("size", line.size, "");
    part("card", line.cardinality, "");
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" ")) }
}

/// An index shows its number too, because its name does not give its table.
fn object(line: &RowSource) -> String {
    match line.object {
        Some(object) if object > 0 && line.operation.starts_with("INDEX") => format!("(object id {object})"),
        _ => String::new(),
    }
}

fn waits(waits: &[WaitTotals], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    if waits.is_empty() || !options.waits {
        return Ok(());
    }
    writeln!(out, "\nWaits during these calls and after them:")?;
    writeln!(out, "  Event waited on                             Times   Max. Wait  Total Waited")?;
    writeln!(out, "  ----------------------------------------   Waited  ----------  ------------")?;
    for wait in waits {
        let (max, total) = (hundredths(wait.max), hundredths(wait.total));
        writeln!(out, "  {:<40} {:>8}  {max:>10}  {total:>12}", wait.event, wait.count)?;
    }
    Ok(())
}

fn parse_errors(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for failure in &report.parse_errors {
        writeln!(out, "\nNot parsed: ORA-{:05} ({})\n", failure.error, failure.count)?;
        sql_text(&failure.sql, out)?;
        writeln!(out, "{RULE}")?;
    }
    Ok(())
}

fn overall(totals: &Totals, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    table(&[("Parse", &totals.parse), ("Execute", &totals.execute), ("Fetch", &totals.fetch)], out)?;
    misses(&totals.parse, &totals.execute, out)?;
    waits(&totals.waits, options, out)?;
    writeln!(out)
}

fn lob_calls(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.lob_calls.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nCALLS ON LOBS, OF NO CURSOR\n")?;
    writeln!(out, "call             count       cpu    elapsed       disk      query    current       bytes")?;
    writeln!(out, "--------------- ------  -------- ---------- ---------- ---------- ----------  ----------")?;
    for lob in &report.lob_calls {
        let figures = &lob.figures;
        let (cpu, elapsed) = (hundredths(figures.cpu), hundredths(figures.elapsed));
        writeln!(
            out,
            "{:<15} {:>6}  {cpu:>8} {elapsed:>10} {:>10} {:>10} {:>10}  {:>10}",
            lob.operation, figures.count, figures.disk, figures.query, figures.current, lob.bytes
        )?;
    }
    writeln!(out)
}

fn tail(report: &Report, options: &Options, listed: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{RULE}")?;
    writeln!(out, "Trace file: {}", name(report))?;
    if let Some(release) = &report.header.release {
        writeln!(out, "Written by release: {release}")?;
    }
    writeln!(out, "Sort options: {}\n", options.sort_text())?;
    let mut count = |number: u64, what: &str| writeln!(out, "{number:>8}  {what}");
    count(report.sessions, "session(s) in the trace.")?;
    count(report.user_statements, "user SQL statements.")?;
    count(report.internal_statements, "internal SQL statements.")?;
    count(report.user_statements + report.internal_statements, "SQL statements in all.")?;
    count(report.statements.len() as u64, "different SQL statements.")?;
    if listed < report.statements.len() {
        count((report.statements.len() - listed) as u64, "of them not listed here.")?;
    }
    count(report.transactions.commits, "commits.")?;
    count(report.transactions.rollbacks, "rollbacks.")?;
    count(report.reading.lines, "lines in the trace file.")?;
    if let Some(elapsed) = report.elapsed {
        count(u64::try_from(elapsed / 1_000_000).unwrap_or_default(), "seconds from the first call to the last.")?;
    }
    faults(report, out)
}

/// Faults of the trace that limit the report.
fn faults(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    use crate::trace::Truncation;
    let reading = &report.reading;
    if let Some(truncation) = reading.truncation {
        let why = match truncation {
            Truncation::LastLineCut => "the file ends within a line",
            Truncation::StatementUnfinished => "the file ends within a statement's text",
            Truncation::SizeLimit => "the database stopped writing at the size a trace file may have",
        };
        writeln!(out, "\nThe trace is not whole: {why}.")?;
    }
    if reading.overlong_lines > 0 {
        writeln!(out, "\n{} lines were too long and were cut.", reading.overlong_lines)?;
    }
    if reading.not_understood > 0 {
        writeln!(out, "\n{} lines were not understood. The first:", reading.not_understood)?;
        for line in &reading.misread {
            writeln!(out, "  line {}: {}", line.line, line.text)?;
        }
    }
    Ok(())
}
