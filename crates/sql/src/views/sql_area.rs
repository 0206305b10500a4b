//! Costs of statements. A statement has one row, whatever sessions parsed it: there are no child cursors.

use std::sync::Arc;

use common::Result;
use scalar::DateTime;
use waits::{SqlFigures, SqlStatement};

use super::view::{Column, Each, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero, written};

/// Bytes of a statement in SQL_TEXT.
const SQL_TEXT_BYTES: usize = 1000;

/// A statement, and its figures at one moment.
struct Costs {
    statement: Arc<SqlStatement>,
    figures: SqlFigures,
}

const STATEMENTS: &[Column<Costs>] = &[
    text("SQL_TEXT", 1000, |row| s(beginning(&row.statement.source().text))),
    text("SQL_ID", 13, |row| s(&row.statement.source().sql_id)),
    number("HASH_VALUE", |row| n(row.statement.source().hash)),
    number("COMMAND_TYPE", |row| n(row.statement.source().command)),
    text("PARSING_SCHEMA_NAME", 128, |row| s(&row.statement.source().schema)),
    text("MODULE", 64, |row| maybe(row.statement.source().module.as_ref(), s)),
    text("ACTION", 64, |row| maybe(row.statement.source().action.as_ref(), s)),
    written("FIRST_LOAD_TIME", 19, |row| Some(row.statement.first_load_us()), load_time),
    date("LAST_ACTIVE_TIME", |row| unless_zero(row.figures.last_active_us)),
    number("PARSE_CALLS", |row| n(row.figures.parse_calls)),
    number("EXECUTIONS", |row| n(row.figures.executions)),
    number("FETCHES", |row| n(row.figures.fetches)),
    number("ROWS_PROCESSED", |row| n(row.figures.rows_processed)),
    number("SORTS", |row| n(row.figures.sorts)),
    number("BUFFER_GETS", |row| n(row.figures.buffer_gets)),
    number("DISK_READS", |row| n(row.figures.disk_reads)),
    number("DIRECT_WRITES", |row| n(row.figures.direct_writes)),
    // Times are microseconds.
    number("ELAPSED_TIME", |row| n(row.figures.elapsed_us)),
    number("CPU_TIME", |row| n(row.figures.cpu_us)),
    number("APPLICATION_WAIT_TIME", |row| n(row.figures.application_wait_us)),
    number("CONCURRENCY_WAIT_TIME", |row| n(row.figures.concurrency_wait_us)),
    number("CLUSTER_WAIT_TIME", |row| n(row.figures.cluster_wait_us)),
    number("USER_IO_WAIT_TIME", |row| n(row.figures.user_io_wait_us)),
    number("PHYSICAL_READ_REQUESTS", |row| n(row.figures.physical_read_requests)),
    number("PHYSICAL_READ_BYTES", |row| n(row.figures.physical_read_bytes)),
    number("PHYSICAL_WRITE_REQUESTS", |row| n(row.figures.physical_write_requests)),
    number("PHYSICAL_WRITE_BYTES", |row| n(row.figures.physical_write_bytes)),
    number("IO_CELL_OFFLOAD_ELIGIBLE_BYTES", |row| n(row.figures.eligible_bytes)),
    number("IO_INTERCONNECT_BYTES", |row| n(row.figures.interconnect_bytes)),
    number("IO_CELL_OFFLOAD_RETURNED_BYTES", |row| n(row.figures.returned_bytes)),
];

pub(crate) const VIEWS: &[&dyn View] =
    &[&Table::new("V$SQL", &[STATEMENTS], statements), &Table::new("V$SQLAREA", &[STATEMENTS], statements)];

fn statements(cx: &ViewContext, each: Each<'_, Costs>) -> Result<()> {
    let mut statements = cx.session.instance().sql_area().statements();
    statements.sort_by(|a, b| a.source().sql_id.cmp(&b.source().sql_id));
    statements.into_iter().try_for_each(|statement| {
        let figures = statement.figures();
        each(Costs { statement, figures })
    })
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(SQL_TEXT_BYTES)]
}

/// `YYYY-MM-DD/HH24:MI:SS`.
fn load_time(at: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, .. } = at;
    format!("{year:04}-{month:02}-{day:02}/{hour:02}:{minute:02}:{second:02}")
}
