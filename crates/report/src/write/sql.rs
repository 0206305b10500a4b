//! Statements at the top of something.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, figure, left, number, right, widths};
use crate::model::{SqlLine, SqlOrder, SqlSection};

/// Statement texts are folded at this width.
const FOLD: usize = 64;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    for section in page.report.sql.iter().flatten().filter(|section| !section.statements.is_empty()) {
        write_section(page, section)?;
    }
    Ok(())
}

fn title(order: SqlOrder) -> Option<&'static str> {
    Some(match order {
        SqlOrder::Elapsed => "SQL ordered by Elapsed time",
        SqlOrder::Cpu => "SQL ordered by CPU",
        SqlOrder::UserIo => "SQL ordered by User I/O Wait Time",
        SqlOrder::Gets => "SQL ordered by Gets",
        SqlOrder::Reads => "SQL ordered by Reads",
        SqlOrder::Executions => "SQL ordered by Executions",
        SqlOrder::ParseCalls => "SQL ordered by Parse Calls",
        SqlOrder::SharableMemory => "SQL ordered by Sharable Memory",
        SqlOrder::VersionCount => "SQL ordered by Version Count",
        SqlOrder::UnoptimizedReads | SqlOrder::ClusterWait => return None,
    })
}

/// A figure of a statement, and the column that holds it.
struct Field {
    column: Column,
    cell: fn(&SqlLine) -> String,
}

/// All columns that a section may have; those that are empty in all its statements are left out.
const FIELDS: [Field; 11] = [
    Field { column: right(&["Elapsed", "Time (s)"], 10), cell: |line| figure(line.elapsed_s, 2) },
    Field { column: right(&["CPU", "Time (s)"], 10), cell: |line| figure(line.cpu_s, 2) },
    Field { column: right(&["User I/O", "Time (s)"], 10), cell: |line| figure(line.user_io_s, 2) },
    Field { column: right(&["Buffer Gets"], 15), cell: |line| count(line.gets) },
    Field { column: right(&["Physical", "Reads"], 12), cell: |line| count(line.reads) },
    Field { column: right(&["Executions"], 12), cell: |line| count(line.executions) },
    Field { column: right(&["Rows", "Processed"], 12), cell: |line| count(line.rows) },
    Field { column: right(&["Parse Calls"], 12), cell: |line| count(line.parse_calls) },
    Field { column: right(&["Sharable", "Mem (b)"], 12), cell: |line| count(line.sharable_bytes) },
    Field { column: right(&["Version", "Count"], 8), cell: |line| count(line.versions) },
    Field { column: right(&["%Total"], 6), cell: |line| number(line.percent, 2) },
];

const HASH_VALUE: Field = Field {
    column: right(&["Hash Value"], 10),
    cell: |line| line.hash_value.map_or(String::new(), |hash| hash.to_string()),
};
const SQL_ID: Field = Field { column: left(&["SQL Id"], 13), cell: |line| line.sql_id.clone().unwrap_or_default() };

fn write_section(page: &mut Page<'_, impl Write>, section: &SqlSection) -> Result<()> {
    let Some(title) = title(section.order) else { return Ok(()) };
    page.title(title)?;
    if let Some(percent) = section.captured_percent {
        page.line(
            &format!("-> Captured SQL accounts for {} % of the total", number(Some(percent), 1)).replace(" %", "%"),
        )?;
        page.line("")?;
    }
    let used = FIELDS.iter().filter(|field| section.statements.iter().any(|line| !(field.cell)(line).is_empty()));
    let mut used: Vec<&Field> = used.collect();
    // A row is known by what stands last in it, so that is an identifier that all statements have.
    let all_have = |field: &Field| section.statements.iter().all(|line| !(field.cell)(line).is_empty());
    let identifiers = if all_have(&SQL_ID) { [&HASH_VALUE, &SQL_ID] } else { [&SQL_ID, &HASH_VALUE] };
    used.extend(
        identifiers.into_iter().filter(|field| section.statements.iter().any(|line| !(field.cell)(line).is_empty())),
    );
    let columns: Vec<Column> =
        used.iter().map(|field| Column { heading: field.column.heading, ..field.column }).collect();
    let rows: Vec<Vec<String>> =
        section.statements.iter().map(|line| used.iter().map(|field| (field.cell)(line)).collect()).collect();
    let widths = widths(&columns, &rows);
    page.heading(&columns, &widths)?;
    for (row, statement) in rows.iter().zip(&section.statements) {
        page.row(&columns, &widths, row)?;
        if let Some(module) = &statement.module {
            page.line(&format!("Module: {module}"))?;
        }
        let words: Vec<&str> = statement.text.split_whitespace().collect();
        let text: Vec<char> = words.join(" ").chars().collect();
        for line in text.chunks(FOLD) {
            page.line(&line.iter().collect::<String>())?;
        }
        page.line("")?;
    }
    page.end()
}
