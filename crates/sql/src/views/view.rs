//! The declaration of a view, and its rows as a table.
//!
//! A view is a [`Table`]: lists of columns, each with the function that takes its value out of a row, and the function
//! that makes the rows. A row is whatever is at hand where the figures are: a definition of the catalog, a snapshot's
//! totals, or a struct of the few things that the columns need.

use std::fmt;
use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::TableProvider;
use engine::dictionary::{Catalog, SchemaObject};
use engine::instance::Session;
use scalar::{DateTime, Datum, DatumType};

use crate::cursor::context::local_time;
use crate::cursor::tables::SessionTables;
use crate::functions::rows::Builder;
use crate::scan::rows::RowsTable;
use crate::types::column;

/// Name and type of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewColumn {
    pub(crate) name: &'static str,
    pub(crate) data_type: DataType,
}

/// A column of a view whose rows are made of `R`: name, type, and its value in a row.
pub(crate) struct Column<R> {
    pub(crate) described: ViewColumn,
    value: Value<R>,
}

/// The source of a column's value.
enum Value<R> {
    Given(fn(&R) -> Datum),
    Checked(fn(&R) -> Result<Datum>),
    /// Microseconds since 1970 UTC.
    Date(fn(&R) -> Option<u64>),
    Timestamp(fn(&R) -> Option<u64>),
    /// A moment as text.
    Written(fn(&R) -> Option<u64>, fn(&DateTime) -> String),
}

impl<R> Column<R> {
    const fn new(name: &'static str, data_type: DataType, value: Value<R>) -> Self {
        Self { described: ViewColumn { name, data_type }, value }
    }

    /// The column's value in a row.
    ///
    /// # Errors
    /// When a moment is out of the range of dates.
    pub(crate) fn value(&self, row: &R) -> Result<Datum> {
        let (wall_us, made): (_, fn(DateTime) -> Datum) = match &self.value {
            Value::Given(value) => return Ok(value(row)),
            Value::Checked(value) => return value(row),
            Value::Written(moment, written) => {
                return moment(row).map_or(Ok(Datum::Null), |wall_us| Ok(s(written(&local_time(wall_us)?))));
            }
            Value::Date(moment) => (moment(row), |time| Datum::date(&time)),
            Value::Timestamp(moment) => (moment(row), |time| Datum::Timestamp(time.timestamp())),
        };
        wall_us.map_or(Ok(Datum::Null), |wall_us| Ok(made(local_time(wall_us)?)))
    }
}

const NUMBER: DataType = DataType::Number { precision: None, scale: 0 };

pub(crate) const fn number<R>(name: &'static str, value: fn(&R) -> Datum) -> Column<R> {
    Column::new(name, NUMBER, Value::Given(value))
}

/// A number that may not be representable.
pub(crate) const fn checked_number<R>(name: &'static str, value: fn(&R) -> Result<Datum>) -> Column<R> {
    Column::new(name, NUMBER, Value::Checked(value))
}

pub(crate) const fn text<R>(name: &'static str, bytes: u16, value: fn(&R) -> Datum) -> Column<R> {
    Column::new(name, DataType::Varchar2 { bytes }, Value::Given(value))
}

/// A moment, in microseconds since 1970 UTC, as text.
pub(crate) const fn written<R>(
    name: &'static str,
    bytes: u16,
    moment: fn(&R) -> Option<u64>,
    written: fn(&DateTime) -> String,
) -> Column<R> {
    Column::new(name, DataType::Varchar2 { bytes }, Value::Written(moment, written))
}

pub(crate) const fn raw<R>(name: &'static str, bytes: u16, value: fn(&R) -> Datum) -> Column<R> {
    Column::new(name, DataType::Raw { bytes }, Value::Given(value))
}

/// A date from microseconds since 1970 UTC.
pub(crate) const fn date<R>(name: &'static str, moment: fn(&R) -> Option<u64>) -> Column<R> {
    Column::new(name, DataType::Date, Value::Date(moment))
}

/// A timestamp, to the millisecond, from microseconds since 1970 UTC.
pub(crate) const fn timestamp<R>(name: &'static str, moment: fn(&R) -> Option<u64>) -> Column<R> {
    Column::new(name, DataType::Timestamp { precision: 3 }, Value::Timestamp(moment))
}

/// Takes the rows of a view, one after the other.
pub(crate) type Each<'a, R> = &'a mut dyn FnMut(R) -> Result<()>;

/// A view: its columns, and the rows of which they take their values.
pub(crate) struct Table<R: 'static> {
    name: &'static str,
    /// In this order, list by list.
    columns: &'static [&'static [Column<R>]],
    /// Columns of the lists that this view does not have: a USER_ view has no owner.
    without: &'static [&'static str],
    rows: fn(&ViewContext, Each<'_, R>) -> Result<()>,
}

impl<R> Table<R> {
    pub(crate) const fn new(
        name: &'static str,
        columns: &'static [&'static [Column<R>]],
        rows: fn(&ViewContext, Each<'_, R>) -> Result<()>,
    ) -> Self {
        Self { name, columns, without: &[], rows }
    }

    pub(crate) const fn without(self, without: &'static [&'static str]) -> Self {
        Self { without, ..self }
    }

    fn shown(&self) -> impl Iterator<Item = &'static Column<R>> {
        let (columns, without) = (self.columns, self.without);
        columns.iter().copied().flatten().filter(move |column| !without.contains(&column.described.name))
    }
}

/// A view, whatever its rows are made of.
pub(crate) trait View: Sync {
    fn name(&self) -> &'static str;

    fn columns(&self) -> Vec<ViewColumn>;

    /// Reads the view, a builder a column; returns the number of rows.
    fn read(&self, cx: &ViewContext, builders: &mut [Builder]) -> Result<usize>;

    /// Names that [`Table::without`] leaves out and no list has.
    #[cfg(test)]
    fn misnamed(&self) -> Vec<&'static str>;
}

impl<R> View for Table<R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<ViewColumn> {
        self.shown().map(|column| column.described).collect()
    }

    fn read(&self, cx: &ViewContext, builders: &mut [Builder]) -> Result<usize> {
        let columns: Vec<_> = self.shown().collect();
        let mut count = 0;
        (self.rows)(cx, &mut |row| {
            count += 1;
            let values = columns.iter().zip(&mut *builders);
            values.into_iter().try_for_each(|(column, builder)| builder.append(&column.value(&row)?))
        })?;
        Ok(count)
    }

    #[cfg(test)]
    fn misnamed(&self) -> Vec<&'static str> {
        let known = |name: &&str| self.columns.iter().copied().flatten().any(|column| column.described.name == *name);
        self.without.iter().copied().filter(|name| !known(name)).collect()
    }
}

impl fmt::Debug for dyn View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The sources of a view's rows.
#[derive(Clone, Debug)]
pub(crate) struct ViewContext {
    pub(crate) session: Arc<Session>,
    pub(crate) catalog: Arc<Catalog>,
    /// For views that resolve the text of other views.
    pub(crate) tables: SessionTables,
}

impl ViewContext {
    /// True: the session's user may see the table in ALL_ and USER_ views.
    pub(crate) fn sees(&self, table: &engine::dictionary::TableDef) -> bool {
        let user = self.session.rights();
        table.owner == user
            || self.catalog.check_table(&user, table, engine::dictionary::ObjectPrivilege::Select).is_ok()
    }

    /// True: a view of this scope shows the object, of any kind.
    pub(crate) fn shows_object(&self, scope: Scope, object: &SchemaObject) -> bool {
        let user = self.session.rights();
        match scope {
            Scope::Dba => true,
            Scope::All => self.catalog.sees(&user, object),
            Scope::User => object.owner() == user,
        }
    }

    /// True: a view of this scope shows the table: DBA_ all, ALL_ the visible ones, USER_ the user's own.
    pub(crate) fn shows(&self, scope: Scope, table: &engine::dictionary::TableDef) -> bool {
        match scope {
            Scope::Dba => true,
            Scope::All => self.sees(table),
            Scope::User => table.owner == self.session.rights(),
        }
    }
}

/// DBA_, ALL_ or USER_.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    Dba,
    All,
    User,
}

/// A number, as a value of a view.
pub(crate) fn n(value: impl TryInto<i64>) -> Datum {
    Datum::integer(value.try_into().unwrap_or(i64::MAX))
}

/// A text; the empty one is NULL.
pub(crate) fn s(value: impl AsRef<str>) -> Datum {
    Datum::varchar2(value.as_ref())
}

/// YES or NO.
pub(crate) fn yes(value: bool) -> Datum {
    s(if value { "YES" } else { "NO" })
}

/// A moment in microseconds, where 0 says that there was none.
pub(crate) fn unless_zero(wall_us: u64) -> Option<u64> {
    (wall_us != 0).then_some(wall_us)
}

/// Microseconds as Oracle prints an INTERVAL DAY(3) TO SECOND(6), a type that does not exist here.
pub(crate) fn duration(micros: u64) -> Datum {
    let seconds = micros / 1_000_000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    s(format!("+{days:03} {hours:02}:{minutes:02}:{:02}.{:06}", seconds % 60, micros % 1_000_000))
}

/// A value that may be missing.
pub(crate) fn maybe<T>(value: Option<T>, make: impl FnOnce(T) -> Datum) -> Datum {
    value.map_or(Datum::Null, make)
}

/// A view under the name in a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    view: &'static dyn View,
    /// A GV$ view: the instance's number precedes the columns.
    numbered: bool,
}

const INSTANCE: ViewColumn = ViewColumn { name: "INST_ID", data_type: NUMBER };

impl Found {
    pub(super) fn new(view: &'static dyn View, global: bool) -> Self {
        let has_number = view.columns().iter().any(|column| column.name == INSTANCE.name);
        Self { view, numbered: global && !has_number }
    }

    pub(crate) fn columns(self) -> impl Iterator<Item = ViewColumn> {
        self.numbered.then_some(INSTANCE).into_iter().chain(self.view.columns())
    }
}

/// The one view whose row never changes.
pub(super) const DUAL: &str = "DUAL";

/// The view as a table of one statement.
pub(crate) fn provider(found: Found, context: ViewContext) -> Arc<dyn TableProvider> {
    let schema = column::schema(found.columns().map(|column| (column.name, column.data_type)));
    let batch_schema = Arc::clone(&schema);
    let view = found.view;
    let rows = move || {
        let builder = |column: ViewColumn| Builder::new(DatumType::from(column.data_type), 64);
        let mut builders: Vec<Builder> = view.columns().into_iter().map(builder).collect();
        let count = view.read(&context, &mut builders)?;
        if found.numbered {
            let mut numbers = builder(INSTANCE);
            (0..count).try_for_each(|_| numbers.append(&n(1)))?;
            builders.insert(0, numbers);
        }
        let arrays = builders.iter_mut().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(Arc::clone(&batch_schema), arrays, &options)
            .map_err(|error| Error::bug(format!("view {}: {error}", view.name())))
    };
    if view.name() == DUAL { RowsTable::constant(schema, rows) } else { RowsTable::new(schema, rows) }
}
