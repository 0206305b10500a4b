//! Statements at the top of something.

use std::io::{Result, Write};

use super::layout::{Block, Cell, Column, Page, count, figure, heading_lines, left, number, right, row_lines, text};
use super::number::{fit, grouped};
use crate::figure::Figure;
use crate::model::{Report, SqlLine, SqlOrder, SqlSection};

/// Statement texts are folded at this width.
const FOLD: usize = 64;

/// A section: its title, what its shares are of, and its columns but the last.
struct Layout {
    order: SqlOrder,
    title: &'static str,
    total: &'static str,
    fields: &'static [Field],
}

/// A column and what stands in it.
struct Field {
    column: Column,
    cell: fn(&SqlLine) -> Cell,
}

const fn field(column: Column, cell: fn(&SqlLine) -> Cell) -> Field {
    Field { column, cell }
}

/// An average over executions; None without any.
fn per_execution(line: &SqlLine, value: Option<f64>) -> Option<f64> {
    line.executions.zip(value).filter(|(executions, _)| *executions > 0.0).map(|(executions, value)| value / executions)
}

fn value(figure: Option<Figure>) -> Option<f64> {
    figure.map(|figure| figure.value)
}

/// In the order of the report.
const LAYOUTS: [Layout; 6] = [
    Layout {
        order: SqlOrder::Elapsed,
        title: "SQL ordered by Elapsed time",
        total: "DB Time",
        fields: &[
            field(right(&["Elapsed", "Time (s)"], 10), |line| figure(line.elapsed_s, 2)),
            field(right(&["Executions"], 10), |line| count(line.executions)),
            field(right(&["Elap per", "Exec (s)"], 10), |line| number(per_execution(line, value(line.elapsed_s)), 2)),
            field(right(&["%Total"], 6), |line| number(line.percent, 2)),
            field(right(&["CPU", "Time (s)"], 10), |line| figure(line.cpu_s, 2)),
            field(right(&["Physical Reads"], 15), |line| count(line.reads)),
        ],
    },
    Layout {
        order: SqlOrder::Cpu,
        title: "SQL ordered by CPU",
        total: "DB CPU",
        fields: &[
            field(right(&["CPU", "Time (s)"], 10), |line| figure(line.cpu_s, 2)),
            field(right(&["Executions"], 10), |line| count(line.executions)),
            field(right(&["CPU per", "Exec (s)"], 10), |line| number(per_execution(line, value(line.cpu_s)), 2)),
            field(right(&["%Total"], 6), |line| number(line.percent, 2)),
            field(right(&["Elapsd", "Time (s)"], 10), |line| figure(line.elapsed_s, 2)),
            field(right(&["Buffer Gets"], 15), |line| count(line.gets)),
        ],
    },
    Layout {
        order: SqlOrder::Gets,
        title: "SQL ordered by Gets",
        total: "Buffer Gets",
        fields: &[
            field(right(&["Buffer Gets"], 15), |line| count(line.gets)),
            field(right(&["Executions"], 11), |line| count(line.executions)),
            field(right(&["Gets per", "Exec"], 12), |line| number(per_execution(line, line.gets), 1)),
            field(right(&["%Total"], 6), |line| number(line.percent, 2)),
            field(right(&["CPU", "Time (s)"], 8), |line| figure(line.cpu_s, 2)),
            field(right(&["Elapsd", "Time (s)"], 9), |line| figure(line.elapsed_s, 2)),
        ],
    },
    Layout {
        order: SqlOrder::Reads,
        title: "SQL ordered by Reads",
        total: "Disk Reads",
        fields: &[
            field(right(&["Physical Rds"], 15), |line| count(line.reads)),
            field(right(&["Executions"], 11), |line| count(line.executions)),
            field(right(&["Rds per", "Exec"], 12), |line| number(per_execution(line, line.reads), 1)),
            field(right(&["%Total"], 6), |line| number(line.percent, 2)),
            field(right(&["CPU", "Time (s)"], 8), |line| figure(line.cpu_s, 2)),
            field(right(&["Elapsd", "Time (s)"], 9), |line| figure(line.elapsed_s, 2)),
        ],
    },
    Layout {
        order: SqlOrder::Executions,
        title: "SQL ordered by Executions",
        total: "Executions",
        fields: &[
            field(right(&["Executions"], 12), |line| count(line.executions)),
            field(right(&["Rows Processed"], 14), |line| count(line.rows)),
            field(right(&["Rows per Exec"], 14), |line| number(per_execution(line, line.rows), 1)),
            field(right(&["CPU per", "Exec (s)"], 11), |line| number(per_execution(line, value(line.cpu_s)), 5)),
            field(right(&["Elap per", "Exec (s)"], 10), |line| number(per_execution(line, value(line.elapsed_s)), 5)),
        ],
    },
    Layout {
        order: SqlOrder::ParseCalls,
        title: "SQL ordered by Parse Calls",
        total: "Parse Calls",
        fields: &[
            field(right(&["Parse Calls"], 12), |line| count(line.parse_calls)),
            field(right(&["Executions"], 12), |line| count(line.executions)),
            field(right(&["% Total", "Parses"], 8), |line| number(line.percent, 2)),
        ],
    },
];

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    for layout in &LAYOUTS {
        let section = report.sql.iter().flatten().find(|section| section.order == layout.order);
        match section.filter(|section| !section.statements.is_empty()) {
            Some(section) => write_section(page, layout, section)?,
            None => page.blocks(layout.title, &[], &[], &[])?,
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

fn notes(page: &Page<'_, impl Write>, layout: &Layout, section: &SqlSection) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(total) = total(page.report, layout.order) {
        let seconds = matches!(layout.order, SqlOrder::Cpu | SqlOrder::Elapsed);
        let label = format!("-> Total {}{}:", layout.total, if seconds { " (s)" } else { "" });
        let digits = if seconds { fit(total, 2, 16) } else { grouped(total, 0) };
        notes.push(format!("{label:<28} {digits:>16}"));
    }
    if let Some(percent) = section.captured_percent {
        notes.push(format!("-> Captured SQL accounts for {:>6}% of Total {}", fit(percent, 1, 6), layout.total));
    }
    notes
}

fn write_section(page: &mut Page<'_, impl Write>, layout: &Layout, section: &SqlSection) -> Result<()> {
    // A row is known by what stands last in it, so that is an identifier that all statements have.
    let with_id = section.statements.iter().all(|line| line.sql_id.is_some());
    let identifier = if with_id { left(&["SQL Id"], 13) } else { right(&["Old", "Hash Value"], 10) };
    let columns: Vec<Column> = layout.fields.iter().map(|field| field.column).chain([identifier]).collect();
    let blocks: Vec<Block> = section
        .statements
        .iter()
        .map(|line| {
            let id = if with_id { line.sql_id.clone() } else { line.hash_value.map(|hash| hash.to_string()) };
            let cells: Vec<Cell> =
                layout.fields.iter().map(|field| (field.cell)(line)).chain([text(id.unwrap_or_default())]).collect();
            let mut block = row_lines(&columns, &cells);
            block.extend(line.module.as_ref().map(|module| format!("Module: {module}")));
            let words: Vec<&str> = line.text.split_whitespace().collect();
            let characters: Vec<char> = words.join(" ").chars().collect();
            block.extend(characters.chunks(FOLD).map(|piece| piece.iter().collect::<String>()));
            block.push(String::new());
            block
        })
        .collect();
    let notes = notes(page, layout, section);
    page.blocks(layout.title, &notes, &heading_lines(&columns), &blocks)
}
