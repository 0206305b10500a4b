//! Statements at the top of something. A row takes a line of figures, its module and its text below it.

use std::io::Result;

use super::column::Field::{Optional, Other, Text};
use super::column::{Column, column, count, number, of, printed, read_by, rows, seconds, worked_out};
use crate::grid::view::View;
use crate::model::{Report, SqlLine, SqlOrder, SqlSection};
use crate::page::digits::{fit, grouped};
use crate::page::{self, Block, Page};

/// Statement texts are folded at this width.
pub(crate) const FOLD: usize = 64;

/// A section that is printed.
struct PrintedStatements {
    order: SqlOrder,
    title: &'static str,
    /// What its shares are of.
    total: &'static str,
    /// Its columns but the last, which identifies the statement.
    columns: &'static [Column<SqlLine>],
}

const ELAPSED: Column<SqlLine> = column(
    &["elapsedtimes", "elapsdtimes", "elapstimes", "elapsedtimesec", "elapseds"],
    seconds(2, of!(SqlLine.elapsed_s)),
);
const CPU: Column<SqlLine> = column(&["cputimes", "cputimesec", "cpus"], seconds(2, of!(SqlLine.cpu_s)));
const GETS: Column<SqlLine> = column(&["buffergets", "gets"], count(of!(SqlLine.gets)));
const READS: Column<SqlLine> =
    column(&["physicalreads", "physicalrds", "physreads", "diskreads"], count(of!(SqlLine.reads)));
const UNOPTIMIZED_READS: Column<SqlLine> =
    column(&["unoptimizedreadreqs", "unoptimizedreads"], count(of!(SqlLine.reads)));
const EXECUTIONS: Column<SqlLine> = column(&["executions", "execs"], count(of!(SqlLine.executions)));
const ROWS: Column<SqlLine> = column(&["rowsprocessed"], count(of!(SqlLine.rows)));
const PARSE_CALLS: Column<SqlLine> = column(&["parsecalls"], count(of!(SqlLine.parse_calls)));
const PERCENT: Column<SqlLine> = column(&["%total", "%totalparses", "pcttotal"], number(2, of!(SqlLine.percent)));
const SQL_ID: Column<SqlLine> = column(&["sqlid"], Optional(of!(SqlLine.sql_id))).left(&["SQL Id"], 13);
const HASH_VALUE: Column<SqlLine> = column(
    &["oldhashvalue", "hashvalue", "hash"],
    Other {
        read: |statement: &mut SqlLine, line, column| statement.hash_value = line.text(Some(column)).parse().ok(),
        cell: |statement, _| page::text(statement.hash_value.map_or(String::new(), |hash| hash.to_string())),
    },
)
.right(&["Old", "Hash Value"], 10);

/// An average over executions, with so many decimals; empty where there were none.
macro_rules! per_execution {
    ($decimals:literal, $value:expr, $heading:expr, $width:literal) => {
        column(
            &[],
            worked_out(|line: &SqlLine, _| {
                let value: fn(&SqlLine) -> Option<f64> = $value;
                let executions = line.executions.filter(|executions| *executions > 0.0);
                page::number(executions.zip(value(line)).map(|(executions, value)| value / executions), $decimals)
            }),
        )
        .right($heading, $width)
    };
}

fn elapsed(line: &SqlLine) -> Option<f64> {
    line.elapsed_s.map(|figure| figure.value)
}

fn cpu(line: &SqlLine) -> Option<f64> {
    line.cpu_s.map(|figure| figure.value)
}

/// Those that Statspack has, as it orders them.
static ORDERS: [PrintedStatements; 6] = [
    PrintedStatements {
        order: SqlOrder::Elapsed,
        title: "SQL ordered by Elapsed time",
        total: "DB Time",
        columns: &[
            ELAPSED.right(&["Elapsed", "Time (s)"], 10),
            EXECUTIONS.right(&["Executions"], 10),
            per_execution!(2, elapsed, &["Elap per", "Exec (s)"], 10),
            PERCENT.right(&["%Total"], 6),
            CPU.right(&["CPU", "Time (s)"], 10),
            READS.right(&["Physical Reads"], 15),
        ],
    },
    PrintedStatements {
        order: SqlOrder::Cpu,
        title: "SQL ordered by CPU",
        total: "DB CPU",
        columns: &[
            CPU.right(&["CPU", "Time (s)"], 10),
            EXECUTIONS.right(&["Executions"], 10),
            per_execution!(2, cpu, &["CPU per", "Exec (s)"], 10),
            PERCENT.right(&["%Total"], 6),
            ELAPSED.right(&["Elapsd", "Time (s)"], 10),
            GETS.right(&["Buffer Gets"], 15),
        ],
    },
    PrintedStatements {
        order: SqlOrder::Gets,
        title: "SQL ordered by Gets",
        total: "Buffer Gets",
        columns: &[
            GETS.right(&["Buffer Gets"], 15),
            EXECUTIONS.right(&["Executions"], 11),
            per_execution!(1, |line| line.gets, &["Gets per", "Exec"], 12),
            PERCENT.right(&["%Total"], 6),
            CPU.right(&["CPU", "Time (s)"], 8),
            ELAPSED.right(&["Elapsd", "Time (s)"], 9),
        ],
    },
    PrintedStatements {
        order: SqlOrder::Reads,
        title: "SQL ordered by Reads",
        total: "Disk Reads",
        columns: &[
            READS.right(&["Physical Rds"], 15),
            EXECUTIONS.right(&["Executions"], 11),
            per_execution!(1, |line| line.reads, &["Rds per", "Exec"], 12),
            PERCENT.right(&["%Total"], 6),
            CPU.right(&["CPU", "Time (s)"], 8),
            ELAPSED.right(&["Elapsd", "Time (s)"], 9),
        ],
    },
    PrintedStatements {
        order: SqlOrder::Executions,
        title: "SQL ordered by Executions",
        total: "Executions",
        columns: &[
            EXECUTIONS.right(&["Executions"], 12),
            ROWS.right(&["Rows Processed"], 14),
            per_execution!(1, |line| line.rows, &["Rows per Exec"], 14),
            per_execution!(5, cpu, &["CPU per", "Exec (s)"], 11),
            per_execution!(5, elapsed, &["Elap per", "Exec (s)"], 10),
        ],
    },
    PrintedStatements {
        order: SqlOrder::ParseCalls,
        title: "SQL ordered by Parse Calls",
        total: "Parse Calls",
        columns: &[
            PARSE_CALLS.right(&["Parse Calls"], 12),
            EXECUTIONS.right(&["Executions"], 12),
            PERCENT.right(&["% Total", "Parses"], 8),
        ],
    },
];

/// The columns of all releases. They have no headings, which differ by section: all names stand here. No column may
/// skip a row. `reads` is the one of a section's own reads.
const fn all(reads: Column<SqlLine>) -> [Column<SqlLine>; 20] {
    [
        SQL_ID.one_of(),
        HASH_VALUE.one_of(),
        column(
            &["planhashvalue", "planhash"],
            read_by(|statement: &mut SqlLine, line, column| statement.plan_hash = line.text(Some(column)).parse().ok()),
        ),
        column(&["sqlmodule", "module"], Optional(of!(SqlLine.module))),
        column(&["pdbname", "containername", "pdb"], Optional(of!(SqlLine.container))),
        column(&["sqltext"], Text(of!(SqlLine.text))),
        ELAPSED,
        CPU,
        column(&["useriotimes", "useriowaittimes", "iowaittimes"], seconds(2, of!(SqlLine.user_io_s))),
        GETS,
        reads,
        EXECUTIONS,
        ROWS,
        PARSE_CALLS,
        column(
            &[],
            read_by(|statement: &mut SqlLine, line, column| {
                statement.sharable_bytes = line.number(Some(column)).map(|kilobytes| kilobytes * 1024.0);
            }),
        )
        .ending(&["memorykb", "memkb"]),
        column(
            &["sharablememb"],
            read_by(|statement: &mut SqlLine, line, column| {
                statement.sharable_bytes = line.number(Some(column)).or(statement.sharable_bytes);
            }),
        ),
        column(&["versioncount", "maxversioncount", "endversioncount", "versions"], count(of!(SqlLine.versions))),
        PERCENT,
        column(&["%cpu"], number(0, of!(SqlLine.cpu_percent))),
        column(&["%io"], number(0, of!(SqlLine.io_percent))),
    ]
}

/// The statements of a table, one for each of its rows; None when nothing identifies them. Module, container and text
/// may stand below a row, too.
pub(crate) fn read_statements(order: SqlOrder, view: &View<'_>) -> Option<Vec<SqlLine>> {
    let reads = if order == SqlOrder::UnoptimizedReads { UNOPTIMIZED_READS } else { READS };
    rows(&all(reads), view, false)
}

pub(crate) fn write_statements(page: &mut Page<'_>) -> Result<()> {
    let report = page.report;
    for section in &ORDERS {
        let found = report.sql.iter().flatten().find(|found| found.order == section.order);
        match found.filter(|found| !found.statements.is_empty()) {
            Some(found) => write_section(page, section, found)?,
            None => page.blocks(section.title, &[], &[], &[])?,
        }
    }
    Ok(())
}

/// The total of which a section's shares are parts, over the window.
fn total(report: &Report, order: SqlOrder) -> Option<f64> {
    match order {
        SqlOrder::Cpu => report.time_model_s("DB CPU"),
        SqlOrder::Elapsed => report.time_model_s("DB time"),
        SqlOrder::Gets => report.statistic("session logical reads"),
        SqlOrder::Reads => report.statistic("physical reads"),
        SqlOrder::Executions => report.statistic("execute count"),
        SqlOrder::ParseCalls => report.statistic("parse count (total)"),
        _ => None,
    }
}

fn notes(page: &Page<'_>, section: &PrintedStatements, found: &SqlSection) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(total) = total(page.report, section.order) {
        let seconds = matches!(section.order, SqlOrder::Cpu | SqlOrder::Elapsed);
        let label = format!("-> Total {}{}:", section.total, if seconds { " (s)" } else { "" });
        let digits = if seconds { fit(total, 2, 16) } else { grouped(total, 0) };
        notes.push(format!("{label:<28} {digits:>16}"));
    }
    if let Some(percent) = found.captured_percent {
        notes.push(format!("-> Captured SQL accounts for {:>6}% of Total {}", fit(percent, 1, 6), section.total));
    }
    notes
}

fn write_section(page: &mut Page<'_>, section: &PrintedStatements, found: &SqlSection) -> Result<()> {
    // A row is known by what stands last in it, so that is an identifier that all statements have.
    let with_id = found.statements.iter().all(|line| line.sql_id.is_some());
    let identifier = if with_id { &SQL_ID } else { &HASH_VALUE };
    let (columns, rows) = printed(section.columns.iter().chain([identifier]), page.report, &found.statements);
    let blocks: Vec<Block> = found
        .statements
        .iter()
        .zip(rows)
        .map(|(statement, row)| {
            let mut block = page::row_lines(&columns, &row);
            block.extend(statement.module.as_ref().map(|module| format!("Module: {module}")));
            let words: Vec<&str> = statement.text.split_whitespace().collect();
            let characters: Vec<char> = words.join(" ").chars().collect();
            block.extend(characters.chunks(FOLD).map(|piece| piece.iter().collect::<String>()));
            block.push(String::new());
            block
        })
        .collect();
    let notes = notes(page, section, found);
    page.blocks(section.title, &notes, &page::heading_lines(&columns), &blocks)
}

#[cfg(test)]
mod tests {
    use super::{ORDERS, READS, all};
    use crate::grid::Table;
    use crate::grid::view::{Form, View};
    use crate::value::Numbers;

    #[test]
    fn what_is_printed_is_read_under_its_heading() {
        for section in &ORDERS {
            for column in section.columns {
                let Some(heading) = column.heading() else { panic!("{}: a column without a heading", section.title) };
                let table = Table { columns: vec![heading.clone()], caption: String::new(), rows: Vec::new() };
                let form = Form { cuts_names: true, of_cluster: false };
                let view = View::new(&table, Numbers::of(std::iter::empty()), form);
                let is_read = all(READS).iter().any(|column| column.find(&view).is_some());
                assert_eq!(is_read, !column.is_worked_out(), "{}: {heading}", section.title);
            }
        }
    }
}
