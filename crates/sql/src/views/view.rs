//! The declaration of a view, and its rows as a table.

use std::fmt;
use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::TableProvider;
use engine::dictionary::{Catalog, SchemaObject};
use engine::instance::Session;
use scalar::{Datum, DatumType};

use crate::cursor::context::local_time;
use crate::cursor::tables::SessionTables;
use crate::functions::rows::Builder;
use crate::scan::rows::RowsTable;
use crate::types::column;

#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewColumn {
    pub(crate) name: &'static str,
    pub(crate) data_type: DataType,
}

pub(crate) const fn number(name: &'static str) -> ViewColumn {
    ViewColumn { name, data_type: DataType::Number { precision: None, scale: 0 } }
}

pub(crate) const fn text(name: &'static str, bytes: u16) -> ViewColumn {
    ViewColumn { name, data_type: DataType::Varchar2 { bytes } }
}

pub(crate) const fn raw(name: &'static str, bytes: u16) -> ViewColumn {
    ViewColumn { name, data_type: DataType::Raw { bytes } }
}

pub(crate) const fn date(name: &'static str) -> ViewColumn {
    ViewColumn { name, data_type: DataType::Date }
}

/// To the millisecond.
pub(crate) const fn timestamp(name: &'static str) -> ViewColumn {
    ViewColumn { name, data_type: DataType::Timestamp { precision: 3 } }
}

/// A view.
pub(crate) struct View {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [ViewColumn],
    pub(crate) rows: fn(&ViewContext, &mut Rows) -> Result<()>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
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

/// The rows of a view, as they are made.
#[derive(Debug)]
pub(crate) struct Rows {
    builders: Vec<Builder>,
    count: usize,
}

impl Rows {
    pub(crate) fn add(&mut self, values: &[Datum]) -> Result<()> {
        if values.len() != self.builders.len() {
            return Err(Error::bug(format!("{} values for {} columns of a view", values.len(), self.builders.len())));
        }
        self.count += 1;
        self.builders.iter_mut().zip(values).try_for_each(|(builder, value)| builder.append(value))
    }
}

/// A number, as a value of a view.
pub(crate) fn n(value: impl TryInto<i64>) -> Datum {
    Datum::integer(value.try_into().unwrap_or(i64::MAX))
}

/// A text.
pub(crate) fn s(value: impl AsRef<str>) -> Datum {
    Datum::varchar2(value.as_ref())
}

/// YES or NO.
pub(crate) fn yes(value: bool) -> Datum {
    s(if value { "YES" } else { "NO" })
}

/// A date from microseconds since 1970 UTC; 0 is NULL.
pub(crate) fn at(wall_us: u64) -> Result<Datum> {
    if wall_us == 0 {
        return Ok(Datum::Null);
    }
    Ok(Datum::date(&local_time(wall_us)?))
}

/// A timestamp from microseconds since 1970 UTC.
pub(crate) fn moment(wall_us: Option<u64>) -> Result<Datum> {
    wall_us.map_or(Ok(Datum::Null), |wall_us| Ok(Datum::Timestamp(local_time(wall_us)?.timestamp())))
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
    view: &'static View,
    /// A GV$ view: the instance's number precedes the columns.
    numbered: bool,
}

const INSTANCE: ViewColumn = number("INST_ID");

impl Found {
    pub(super) fn new(view: &'static View, global: bool) -> Self {
        let has_number = view.columns.iter().any(|column| column.name == INSTANCE.name);
        Self { view, numbered: global && !has_number }
    }

    pub(crate) fn columns(self) -> impl Iterator<Item = ViewColumn> {
        self.numbered.then_some(INSTANCE).into_iter().chain(self.view.columns.iter().copied())
    }
}

/// The view as a table of one statement.
pub(crate) fn provider(found: Found, context: ViewContext) -> Arc<dyn TableProvider> {
    let schema = column::schema(found.columns().map(|column| (column.name, column.data_type)));
    let batch_schema = Arc::clone(&schema);
    let view = found.view;
    RowsTable::new(schema, move || {
        let builders = view.columns.iter().map(|column| Builder::new(DatumType::from(column.data_type), 64)).collect();
        let mut rows = Rows { builders, count: 0 };
        (view.rows)(&context, &mut rows)?;
        if found.numbered {
            let mut numbers = Builder::new(DatumType::from(INSTANCE.data_type), rows.count);
            (0..rows.count).try_for_each(|_| numbers.append(&n(1)))?;
            rows.builders.insert(0, numbers);
        }
        let arrays = rows.builders.iter_mut().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows.count));
        RecordBatch::try_new_with_options(Arc::clone(&batch_schema), arrays, &options)
            .map_err(|error| Error::bug(format!("view {}: {error}", view.name)))
    })
}
