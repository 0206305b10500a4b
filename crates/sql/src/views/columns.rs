//! Columns of tables and views.

use common::{DataType, Result};
use engine::dictionary::{ColumnStatistics, SchemaObject};
use scalar::Datum;

use super::view::{Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, raw, s, text};

/// A column of a table or view.
struct Described {
    owner: String,
    table: String,
    column: String,
    /// None where a view was made before its base objects.
    data_type: Option<DataType>,
    nullable: bool,
    default: Option<String>,
    /// From 0.
    position: usize,
    statistics: Option<ColumnStatistics>,
    /// When the table was analyzed.
    analyzed_us: Option<u64>,
}

impl Described {
    fn type_name(&self) -> String {
        match self.data_type {
            None => "UNDEFINED".to_owned(),
            Some(DataType::Timestamp { precision }) => format!("TIMESTAMP({precision})"),
            Some(DataType::Number { .. }) => "NUMBER".to_owned(),
            Some(DataType::Varchar2 { .. }) => "VARCHAR2".to_owned(),
            Some(DataType::Char { .. }) => "CHAR".to_owned(),
            Some(DataType::Date) => "DATE".to_owned(),
            Some(DataType::Raw { .. }) => "RAW".to_owned(),
        }
    }

    fn scale(&self) -> Option<i64> {
        match self.data_type {
            Some(DataType::Number { precision: None, scale: 0 }) => None,
            Some(DataType::Number { scale, .. }) => Some(i64::from(scale)),
            Some(DataType::Timestamp { precision }) => Some(i64::from(precision)),
            _ => None,
        }
    }

    fn is_of_characters(&self) -> bool {
        matches!(self.data_type, Some(DataType::Varchar2 { .. } | DataType::Char { .. }))
    }
}

/// Bytes of a column at most; 0 for one without a type.
pub(super) fn length(data_type: Option<DataType>) -> u16 {
    match data_type {
        None => 0,
        Some(DataType::Varchar2 { bytes } | DataType::Char { bytes } | DataType::Raw { bytes }) => bytes,
        Some(DataType::Number { .. }) => 22,
        Some(DataType::Date) => 7,
        Some(DataType::Timestamp { .. }) => 11,
    }
}

/// The statistics of a column; NULL where there are none.
const STATISTICS: &[Column<Described>] = &[
    number("NUM_DISTINCT", |row| maybe(row.statistics.as_ref(), |statistics| n(statistics.distinct))),
    raw("LOW_VALUE", 32, |row| bound(row, |statistics| &statistics.low)),
    raw("HIGH_VALUE", 32, |row| bound(row, |statistics| &statistics.high)),
    number("DENSITY", |row| maybe(row.statistics.as_ref(), density)),
    number("NUM_NULLS", |row| maybe(row.statistics.as_ref(), |statistics| n(statistics.nulls))),
    date("LAST_ANALYZED", |row| row.statistics.as_ref().and(row.analyzed_us)),
];

fn bound(row: &Described, which: fn(&ColumnStatistics) -> &Option<Vec<u8>>) -> Datum {
    maybe(row.statistics.as_ref().and_then(|statistics| which(statistics).clone()), Datum::raw)
}

/// The share of the rows that have one value.
fn density(statistics: &ColumnStatistics) -> Datum {
    match statistics.distinct {
        0 => n(0),
        distinct => maybe(format::number::encode_f64(1.0 / distinct as f64), Datum::Number),
    }
}

const NAMES: &[Column<Described>] = &[
    text("OWNER", 128, |row| s(&row.owner)),
    text("TABLE_NAME", 128, |row| s(&row.table)),
    text("COLUMN_NAME", 128, |row| s(&row.column)),
];

const COLUMNS: &[Column<Described>] = &[
    text("OWNER", 128, |row| s(&row.owner)),
    text("TABLE_NAME", 128, |row| s(&row.table)),
    text("COLUMN_NAME", 128, |row| s(&row.column)),
    text("DATA_TYPE", 128, |row| s(row.type_name())),
    number("DATA_LENGTH", |row| n(length(row.data_type))),
    number("DATA_PRECISION", |row| match row.data_type {
        Some(DataType::Number { precision, .. }) => maybe(precision, n),
        _ => Datum::Null,
    }),
    number("DATA_SCALE", |row| maybe(row.scale(), n)),
    text("NULLABLE", 1, |row| s(if row.nullable { "Y" } else { "N" })),
    number("COLUMN_ID", |row| n(row.position + 1)),
    number("DEFAULT_LENGTH", |row| maybe(row.default.as_ref(), |default| n(default.len()))),
    text("DATA_DEFAULT", 4000, |row| maybe(row.default.as_ref(), s)),
    number("CHAR_LENGTH", |row| n(if row.is_of_characters() { length(row.data_type) } else { 0 })),
    text("CHAR_USED", 1, |row| maybe(row.is_of_characters().then_some("B"), s)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_TAB_COLUMNS", &[COLUMNS, STATISTICS], |cx, each| columns(cx, each, Scope::Dba)),
    &Table::new("ALL_TAB_COLUMNS", &[COLUMNS, STATISTICS], |cx, each| columns(cx, each, Scope::All)),
    &Table::new("USER_TAB_COLUMNS", &[COLUMNS, STATISTICS], |cx, each| columns(cx, each, Scope::User))
        .without(&["OWNER"]),
    &Table::new("DBA_TAB_COL_STATISTICS", &[NAMES, STATISTICS], |cx, each| analyzed(cx, each, Scope::Dba)),
    &Table::new("ALL_TAB_COL_STATISTICS", &[NAMES, STATISTICS], |cx, each| analyzed(cx, each, Scope::All)),
    &Table::new("USER_TAB_COL_STATISTICS", &[NAMES, STATISTICS], |cx, each| analyzed(cx, each, Scope::User))
        .without(&["OWNER"]),
    &Table::new("COLS", &[COLUMNS, STATISTICS], |cx, each| columns(cx, each, Scope::User)).without(&["OWNER"]),
];

/// The columns that have statistics.
fn analyzed(cx: &ViewContext, each: Each<'_, Described>, scope: Scope) -> Result<()> {
    columns(cx, &mut |row| if row.statistics.is_some() { each(row) } else { Ok(()) }, scope)
}

fn columns(cx: &ViewContext, each: Each<'_, Described>, scope: Scope) -> Result<()> {
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        for (position, column) in table.columns.iter().enumerate() {
            each(Described {
                owner: table.owner.clone(),
                table: table.name.clone(),
                column: column.name.clone(),
                data_type: Some(column.data_type),
                nullable: column.nullable,
                default: column.default.clone(),
                position,
                statistics: table.statistics_of(position).cloned(),
                analyzed_us: table.statistics.map(|statistics| statistics.analyzed_us),
            })?;
        }
    }
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        let described = |column: &str, data_type, nullable, position| Described {
            owner: object.owner().to_owned(),
            table: object.name().to_owned(),
            column: column.to_owned(),
            data_type,
            nullable,
            default: None,
            position,
            statistics: None,
            analyzed_us: None,
        };
        match object {
            SchemaObject::External(table) => {
                for (at, column) in table.columns.iter().enumerate() {
                    each(described(&column.name, Some(column.data_type), true, at))?;
                }
            }
            SchemaObject::View(view) => {
                for (at, column) in view.columns.iter().enumerate() {
                    each(described(&column.name, column.data_type, column.nullable, at))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
