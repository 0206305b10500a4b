//! A file of comma-separated values into a table, as one INSERT.

use std::path::PathBuf;
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::{Error, Result};
use engine::dictionary::{SchemaObject, TableDef};
use loader::{Column, DatetimeMask, Input, Layout, Outputs, Setup};

use super::connection::Connection;
use crate::statement::words::Words;

/// The relation name of a load's file in its INSERT.
pub(crate) const FILE: &str = "HIGHWATER$LOAD";

/// Largest row of a file, in bytes.
const ROW_BYTES: usize = 8 << 20;

/// The options of a load.
#[derive(Clone, Debug)]
pub struct FileLoad {
    /// `TABLE` or `OWNER.TABLE`.
    pub table: String,
    pub path: PathBuf,
    pub delimiter: u8,
    /// The first row names the columns; columns that it does not name get their DEFAULT.
    pub header: bool,
    /// Format of dates; None: NLS_DATE_FORMAT.
    pub date_format: Option<String>,
    /// Format of timestamps; None: NLS_TIMESTAMP_FORMAT.
    pub timestamp_format: Option<String>,
    /// Rows that may be rejected; None for any number.
    pub errors: Option<u64>,
    /// File for rejected rows.
    pub bad: Option<PathBuf>,
    /// Set to the number of bytes read.
    pub read: Arc<AtomicU64>,
}

/// The result of a load.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// `OWNER.TABLE`.
    pub table: String,
    pub rows: u64,
    pub rejected: u64,
}

impl Connection {
    /// Inserts the rows of a file into a table, all or none but rejected ones, and leaves the transaction open. A row
    /// is rejected when a value is not of its column's type, too long, or NULL in a NOT NULL column; an error of a
    /// constraint or a trigger ends the load.
    ///
    /// # Errors
    /// ORA-00942, ORA-30657, ORA-01031; ORA-29913 for the file, and with ORA-30653 when more rows are rejected than
    /// allowed; ORA-00904 and ORA-00957 for the columns that the first row names; HW-0001 for such names in a pipe;
    /// those of INSERT.
    pub fn load(&mut self, load: &FileLoad) -> Result<Loaded> {
        let table = self.table_to_load(&load.table)?;
        let name = load.path.display().to_string();
        let input = Input { path: load.path.clone(), name: name.clone(), directory: String::new() };
        let columns = if load.header {
            // The file is read first for the names and then for the rows: a pipe, which cannot be read twice, would
            // lose rows.
            if std::fs::metadata(&load.path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
                let text = format!("a header in {name}, which is no file: it cannot be read twice");
                return Err(Error::unsupported(text));
            }
            named(&table, &loader::header(&input, load.delimiter)?)?
        } else {
            (0..table.columns.len()).collect()
        };
        let fills = self.session.catalog().triggers_of(table.object).next().is_some();
        let columns: Vec<Column> = columns
            .into_iter()
            .map(|at| Column {
                name: table.columns[at].name.clone(),
                data_type: table.columns[at].data_type,
                // A trigger may still give a value.
                required: table.refuses_null(at) && !fills,
            })
            .collect();
        let list = columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ");
        let (owner, target) = (quoted(&table.owner), quoted(&table.name));
        let statement = format!("insert into {owner}.{target} ({list}) select * from {}", quoted(FILE));
        let mask = |timestamp: bool, mask: &Option<String>| mask.clone().map(|mask| DatetimeMask { timestamp, mask });
        let rejected = Arc::new(AtomicU64::new(0));
        let setup = Setup {
            table: table.qualified_name(),
            columns,
            layout: Layout::Csv {
                delimiter: load.delimiter,
                header: load.header,
                row_bytes: ROW_BYTES,
                masks: mask(false, &load.date_format).into_iter().chain(mask(true, &load.timestamp_format)).collect(),
            },
            inputs: vec![input],
            outputs: Outputs { bad: load.bad.clone(), log: None, commented: true, refused: None },
            reject_limit: load.errors,
            progress: Some(Arc::clone(&load.read)),
            rejected: Some(Arc::clone(&rejected)),
        };
        *self.shared.loading.lock() = Some(Arc::new(setup));
        let result = self.run(&statement);
        *self.shared.loading.lock() = None;
        let rows = result?.rows.unwrap_or(0);
        Ok(Loaded { table: table.qualified_name(), rows, rejected: rejected.load(Ordering::Relaxed) })
    }

    fn table_to_load(&self, name: &str) -> Result<Arc<TableDef>> {
        let mut words = Words::new(name)?;
        let (owner, table) = words.name()?;
        words.end()?;
        let catalog = self.session.catalog();
        let resolved = catalog.resolve(&self.schema, owner.as_deref(), &table)?;
        match resolved.object {
            Some(SchemaObject::Table(table)) => Ok(table),
            Some(SchemaObject::External(table)) => Err(table.refused()),
            Some(SchemaObject::View(view)) => {
                Err(Error::unsupported(format!("loading through a view: {}", view.qualified_name())))
            }
            _ => catalog.require_table(&resolved.owner, &resolved.name).cloned(),
        }
    }
}

/// The columns that the first row names, in any case.
fn named(table: &TableDef, names: &[String]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let found = table.column(name).or_else(|| table.column(&name.to_uppercase()));
        let column = found.ok_or_else(|| {
            Error::user(904, format!("\"{name}\": invalid identifier: {} has no such column", table.qualified_name()))
        })?;
        if columns.contains(&column) {
            return Err(Error::user(957, format!("duplicate column name: {name}")));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(Error::user(904, "the file has no first row with names of columns"));
    }
    Ok(columns)
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
