//! Columns of tables and views.

use common::{DataType, Result};
use engine::dictionary::SchemaObject;

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
            let described = Described {
                owner: &table.owner,
                table: &table.name,
                column: &column.name,
                data_type: Some(column.data_type),
                nullable: column.nullable,
                default: column.default.as_deref(),
            };
            described.add(rows, scope, at)?;
        }
    }
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        if let SchemaObject::External(table) = object {
            for (at, column) in table.columns.iter().enumerate() {
                let described = Described {
                    owner: &table.owner,
                    table: &table.name,
                    column: &column.name,
                    data_type: Some(column.data_type),
                    nullable: true,
                    default: None,
                };
                described.add(rows, scope, at)?;
            }
        }
        let SchemaObject::View(view) = object else { continue };
        for (at, column) in view.columns.iter().enumerate() {
            let described = Described {
                owner: &view.owner,
                table: &view.name,
                column: &column.name,
                data_type: column.data_type,
                nullable: column.nullable,
                default: None,
            };
            described.add(rows, scope, at)?;
        }
    }
    Ok(())
}

/// A column of a table or view.
struct Described<'a> {
    owner: &'a str,
    table: &'a str,
    column: &'a str,
    /// None where a view was made before its base objects.
    data_type: Option<DataType>,
    nullable: bool,
    default: Option<&'a str>,
}

impl Described<'_> {
    fn add(&self, rows: &mut Rows, scope: Scope, at: usize) -> Result<()> {
        let (name, length, precision, scale): (String, u16, Option<i64>, Option<i64>) = match self.data_type {
            None => ("UNDEFINED".to_owned(), 0, None, None),
            Some(DataType::Number { precision, scale }) => (
                "NUMBER".to_owned(),
                22,
                precision.map(i64::from),
                (precision.is_some() || scale != 0).then_some(i64::from(scale)),
            ),
            Some(DataType::Varchar2 { bytes }) => ("VARCHAR2".to_owned(), bytes, None, None),
            Some(DataType::Char { bytes }) => ("CHAR".to_owned(), bytes, None, None),
            Some(DataType::Date) => ("DATE".to_owned(), 7, None, None),
            Some(DataType::Timestamp { precision }) => {
                (format!("TIMESTAMP({precision})"), 11, None, Some(i64::from(precision)))
            }
            Some(DataType::Raw { bytes }) => ("RAW".to_owned(), bytes, None, None),
        };
        let characters = matches!(self.data_type, Some(DataType::Varchar2 { .. } | DataType::Char { .. }));
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(self.owner));
        }
        row.extend([
            s(self.table),
            s(self.column),
            s(name),
            n(length),
            maybe(precision, n),
            maybe(scale, n),
            s(if self.nullable { "Y" } else { "N" }),
            n(at + 1),
            maybe(self.default, |default| n(default.len())),
            maybe(self.default, s),
            n(if characters { length } else { 0 }),
            maybe(characters.then_some("B"), s),
        ]);
        rows.add(&row)
    }
}
