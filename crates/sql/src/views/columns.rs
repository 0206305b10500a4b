//! Columns of tables and views.

use common::{DataType, Result};
use engine::dictionary::{ColumnStatistics, HistogramKind, SchemaObject};
use format::number::NumberBytes;
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
    number("NUM_BUCKETS", |row| maybe(row.statistics.as_ref(), |known| n(buckets(known)))),
    text("HISTOGRAM", 15, |row| s(row.statistics.as_ref().map_or("NONE", histogram))),
    date("LAST_ANALYZED", |row| row.statistics.as_ref().and(row.analyzed_us)),
];

fn bound(row: &Described, which: fn(&ColumnStatistics) -> &Option<Vec<u8>>) -> Datum {
    maybe(row.statistics.as_ref().and_then(|statistics| which(statistics).clone()), Datum::raw)
}

fn buckets(statistics: &ColumnStatistics) -> usize {
    match &statistics.histogram {
        Some(histogram) => histogram.buckets.len(),
        None => usize::from(statistics.distinct > 0),
    }
}

fn histogram(statistics: &ColumnStatistics) -> &'static str {
    match statistics.histogram.as_ref().map(|histogram| histogram.kind) {
        None => "NONE",
        Some(HistogramKind::Frequency) => "FREQUENCY",
        Some(HistogramKind::Hybrid) => "HYBRID",
    }
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
    &Table::new("DBA_TAB_HISTOGRAMS", &[ENDPOINTS], |cx, each| endpoints(cx, each, Scope::Dba)),
    &Table::new("ALL_TAB_HISTOGRAMS", &[ENDPOINTS], |cx, each| endpoints(cx, each, Scope::All)),
    &Table::new("USER_TAB_HISTOGRAMS", &[ENDPOINTS], |cx, each| endpoints(cx, each, Scope::User)).without(&["OWNER"]),
    &Table::new("COLS", &[COLUMNS, STATISTICS], |cx, each| columns(cx, each, Scope::User)).without(&["OWNER"]),
];

/// An end of a bucket of a histogram, or the least and the greatest value of a column without one.
struct Endpoint {
    owner: String,
    table: String,
    column: String,
    data_type: DataType,
    number: u64,
    value: Vec<u8>,
    repeats: u64,
}

impl Endpoint {
    /// The value as a number: of a date its day by Julian count, of a text its first bytes.
    fn as_number(&self) -> Datum {
        let number = match self.data_type {
            DataType::Number { .. } => return maybe(NumberBytes::from_bytes(&self.value), Datum::Number),
            DataType::Date | DataType::Timestamp { .. } if format::date::is_valid(&self.value) => {
                // Day 2440588 began at midnight of 1 January 1970.
                format::date::decode(&self.value).unix_seconds() as f64 / 86_400.0 + 2_440_588.0
            }
            _ => {
                let bytes = self.value.iter().copied().chain(std::iter::repeat(0)).take(15);
                bytes.fold(0.0, |sum, byte| sum * 256.0 + f64::from(byte))
            }
        };
        maybe(format::number::encode_f64(number), Datum::Number)
    }

    /// The value as text; NULL of other types.
    fn actual(&self) -> Datum {
        match self.data_type {
            DataType::Varchar2 { .. } | DataType::Char { .. } => s(String::from_utf8_lossy(&self.value)),
            _ => Datum::Null,
        }
    }
}

const ENDPOINTS: &[Column<Endpoint>] = &[
    text("OWNER", 128, |row| s(&row.owner)),
    text("TABLE_NAME", 128, |row| s(&row.table)),
    text("COLUMN_NAME", 4000, |row| s(&row.column)),
    number("ENDPOINT_NUMBER", |row| n(row.number)),
    number("ENDPOINT_VALUE", Endpoint::as_number),
    text("ENDPOINT_ACTUAL_VALUE", 4000, Endpoint::actual),
    number("ENDPOINT_REPEAT_COUNT", |row| n(row.repeats)),
];

fn endpoints(cx: &ViewContext, each: Each<'_, Endpoint>, scope: Scope) -> Result<()> {
    columns(
        cx,
        &mut |row| {
            let (Some(statistics), Some(data_type)) = (&row.statistics, row.data_type) else { return Ok(()) };
            let mut end = |number: u64, value: &[u8], repeats: u64| {
                each(Endpoint {
                    owner: row.owner.clone(),
                    table: row.table.clone(),
                    column: row.column.clone(),
                    data_type,
                    number,
                    value: value.to_vec(),
                    repeats,
                })
            };
            match &statistics.histogram {
                Some(histogram) => {
                    let repeats = |count: u64| if histogram.kind == HistogramKind::Hybrid { count } else { 0 };
                    histogram.buckets.iter().try_for_each(|b| end(b.rows, &b.value, repeats(b.repeats)))
                }
                None => {
                    let ends = [&statistics.low, &statistics.high].into_iter().flatten();
                    (0u64..).zip(ends).try_for_each(|(number, value)| end(number, value, 0))
                }
            }
        },
        scope,
    )
}

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
