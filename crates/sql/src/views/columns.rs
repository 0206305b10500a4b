//! Columns of tables.

use common::{DataType, Result};

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, maybe, n, number, s, text};

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("COLUMN_NAME", 128),
    text("DATA_TYPE", 128),
    number("DATA_LENGTH"),
    number("DATA_PRECISION"),
    number("DATA_SCALE"),
    text("NULLABLE", 1),
    number("COLUMN_ID"),
    number("DEFAULT_LENGTH"),
    text("DATA_DEFAULT", 4000),
    number("CHAR_LENGTH"),
    text("CHAR_USED", 1),
];

const fn without_owner() -> &'static [ViewColumn] {
    match COLUMNS.split_first() {
        Some((_, rest)) => rest,
        None => COLUMNS,
    }
}

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_TAB_COLUMNS", columns: COLUMNS, rows: |cx, rows| columns(cx, rows, Scope::Dba) },
    View { name: "ALL_TAB_COLUMNS", columns: COLUMNS, rows: |cx, rows| columns(cx, rows, Scope::All) },
    View { name: "USER_TAB_COLUMNS", columns: without_owner(), rows: |cx, rows| columns(cx, rows, Scope::User) },
    View { name: "COLS", columns: without_owner(), rows: |cx, rows| columns(cx, rows, Scope::User) },
];

fn columns(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        for (at, column) in table.columns.iter().enumerate() {
            let (name, length, precision, scale): (String, u16, Option<i64>, Option<i64>) = match column.data_type {
                DataType::Number { precision, scale } => (
                    "NUMBER".to_owned(),
                    22,
                    precision.map(i64::from),
                    (precision.is_some() || scale != 0).then_some(i64::from(scale)),
                ),
                DataType::Varchar2 { bytes } => ("VARCHAR2".to_owned(), bytes, None, None),
                DataType::Char { bytes } => ("CHAR".to_owned(), bytes, None, None),
                DataType::Date => ("DATE".to_owned(), 7, None, None),
                DataType::Timestamp { precision } => {
                    (format!("TIMESTAMP({precision})"), 11, None, Some(i64::from(precision)))
                }
                DataType::Raw { bytes } => ("RAW".to_owned(), bytes, None, None),
            };
            let characters = matches!(column.data_type, DataType::Varchar2 { .. } | DataType::Char { .. });
            let mut row = Vec::new();
            if scope != Scope::User {
                row.push(s(&table.owner));
            }
            row.extend([
                s(&table.name),
                s(&column.name),
                s(name),
                n(length),
                maybe(precision, n),
                maybe(scale, n),
                s(if column.nullable { "Y" } else { "N" }),
                n(at + 1),
                maybe(column.default.as_ref(), |default| n(default.len())),
                maybe(column.default.as_ref(), s),
                n(if characters { length } else { 0 }),
                maybe(characters.then_some("B"), s),
            ]);
            rows.add(&row)?;
        }
    }
    Ok(())
}
