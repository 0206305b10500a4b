//! V$SQL_SHARED_CURSOR: the child cursors of statements, and why the ones before them did not do.

use std::sync::Arc;

use scalar::Datum;

use super::view::{Column, Table, View, n, number, s, text};
use crate::cursor::child::{Child, Mismatch};
use crate::cursor::library::SharedCursor;

/// A child, and the cursor that it is of.
type Row = (Arc<SharedCursor>, Arc<Child>);

fn is(row: &Row, mismatch: Mismatch) -> Datum {
    s(if row.1.mismatch == mismatch { "Y" } else { "N" })
}

/// Addresses are as in traces; a child's is its cursor's with its number behind it.
fn address(cursor: &SharedCursor, number: u32) -> Datum {
    s(format!("{:016X}", cursor.address + u64::from(number)))
}

const COLUMNS: &[Column<Row>] = &[
    text("SQL_ID", 13, |row| s(&row.0.sql_id)),
    text("ADDRESS", 16, |row| address(&row.0, 0)),
    text("CHILD_ADDRESS", 16, |row| address(&row.0, row.1.number)),
    number("CHILD_NUMBER", |row| n(row.1.number)),
    text("BIND_MISMATCH", 1, |row| is(row, Mismatch::BindTypes)),
    text("LANGUAGE_MISMATCH", 1, |row| is(row, Mismatch::Language)),
    text("AUTH_CHECK_MISMATCH", 1, |row| is(row, Mismatch::Rights)),
    text("ROLL_INVALID_MISMATCH", 1, |row| is(row, Mismatch::Age)),
];

pub(crate) const VIEWS: &[&dyn View] = &[&Table::new("V$SQL_SHARED_CURSOR", &[COLUMNS], |cx, each| {
    cx.tables.database.library().children().into_iter().try_for_each(each)
})];
