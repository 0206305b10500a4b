//! Costs of statements. A statement has one row, whatever sessions parsed it: there are no child cursors.

use common::Result;
use scalar::{DateTime, Datum};
use waits::SqlStatement;

use super::view::{Rows, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text};
use crate::cursor::context::local_time;

/// Bytes of a statement in SQL_TEXT.
const SQL_TEXT_BYTES: usize = 1000;

const COLUMNS: &[ViewColumn] = &[
    text("SQL_TEXT", 1000),
    text("SQL_ID", 13),
    number("HASH_VALUE"),
    number("COMMAND_TYPE"),
    text("PARSING_SCHEMA_NAME", 128),
    text("MODULE", 64),
    text("ACTION", 64),
    text("FIRST_LOAD_TIME", 19),
    date("LAST_ACTIVE_TIME"),
    number("PARSE_CALLS"),
    number("EXECUTIONS"),
    number("FETCHES"),
    number("ROWS_PROCESSED"),
    number("SORTS"),
    number("BUFFER_GETS"),
    number("DISK_READS"),
    number("DIRECT_WRITES"),
    // Times are microseconds.
    number("ELAPSED_TIME"),
    number("CPU_TIME"),
    number("APPLICATION_WAIT_TIME"),
    number("CONCURRENCY_WAIT_TIME"),
    number("CLUSTER_WAIT_TIME"),
    number("USER_IO_WAIT_TIME"),
];

pub(crate) const VIEWS: &[View] =
    &[View { name: "V$SQL", columns: COLUMNS, rows }, View { name: "V$SQLAREA", columns: COLUMNS, rows }];

fn rows(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let mut statements = cx.session.instance().sql_area().statements();
    statements.sort_by(|a, b| a.source().sql_id.cmp(&b.source().sql_id));
    statements.iter().try_for_each(|statement| rows.add(&row(statement)?))
}

fn row(statement: &SqlStatement) -> Result<Vec<Datum>> {
    let (source, figures) = (statement.source(), statement.figures());
    Ok(vec![
        s(beginning(&source.text)),
        s(&source.sql_id),
        n(source.hash),
        n(source.command),
        s(&source.schema),
        maybe(source.module.as_ref(), s),
        maybe(source.action.as_ref(), s),
        s(load_time(&local_time(statement.first_load_us())?)),
        at(figures.last_active_us)?,
        n(figures.parse_calls),
        n(figures.executions),
        n(figures.fetches),
        n(figures.rows_processed),
        n(figures.sorts),
        n(figures.buffer_gets),
        n(figures.disk_reads),
        n(figures.direct_writes),
        n(figures.elapsed_us),
        n(figures.cpu_us),
        n(figures.application_wait_us),
        n(figures.concurrency_wait_us),
        n(figures.cluster_wait_us),
        n(figures.user_io_wait_us),
    ])
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(SQL_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `YYYY-MM-DD/HH24:MI:SS`.
fn load_time(at: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, .. } = at;
    format!("{year:04}-{month:02}-{day:02}/{hour:02}:{minute:02}:{second:02}")
}
