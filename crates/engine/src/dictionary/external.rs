//! External tables: a table's columns over files in directories.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::ColumnDef;
use super::catalog::Catalog;
use super::directory::DirectoryDef;
use super::field::damaged;
use super::load::{Reader, object, owner};
use super::object::SchemaObject;
use super::rows::{
    ColumnRow, DirectoryRow, ExternalLocationRow, ExternalTableRow, KIND_DIRECTORY, KIND_TABLE, ObjectRow, decode_type,
};

/// A file of an external table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalLocation {
    /// None for the default directory.
    pub directory: Option<String>,
    pub name: String,
}

/// An external table.
#[derive(Clone, Debug)]
pub struct ExternalDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    pub columns: Vec<ColumnDef>,
    pub driver: String,
    pub directory: String,
    pub parameters: String,
    pub locations: Vec<ExternalLocation>,
    pub reject_limit: Option<u64>,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    pub changed_us: u64,
}

impl ExternalDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }

    /// ORA-30657: a statement that needs a segment.
    #[must_use]
    pub fn refused(&self) -> Error {
        Error::user(30657, format!("operation not supported on external organized table {}", self.qualified_name()))
    }
}

impl Reader<'_> {
    pub(crate) fn load_directories(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        for row in self.all::<DirectoryRow>()? {
            let object = object(objects, row.object, KIND_DIRECTORY)?;
            catalog.put_directory(DirectoryDef {
                object: ObjectNumber(row.object),
                name: object.name.clone(),
                path: row.path,
                created_us: object.created.0,
                changed_us: object.changed.0,
            });
        }
        Ok(())
    }

    pub(crate) fn load_externals(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        let rows = self.all::<ExternalTableRow>()?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut columns: BTreeMap<u32, BTreeMap<u16, ColumnRow>> = BTreeMap::new();
        for row in self.all::<ColumnRow>()? {
            columns.entry(row.object).or_default().insert(row.position, row);
        }
        let mut locations: BTreeMap<u32, BTreeMap<u16, ExternalLocation>> = BTreeMap::new();
        for row in self.all::<ExternalLocationRow>()? {
            let location = ExternalLocation { directory: row.directory, name: row.name };
            locations.entry(row.object).or_default().insert(row.position, location);
        }
        for row in rows {
            let object = object(objects, row.object, KIND_TABLE)?;
            let columns = columns.remove(&row.object).unwrap_or_default();
            if columns.len() != usize::from(row.columns) {
                return Err(damaged(format_args!("the columns of external table {} are not whole", object.name)));
            }
            let table = ExternalDef {
                object: ObjectNumber(row.object),
                owner: owner(catalog, object)?,
                name: object.name.clone(),
                columns: columns.values().map(column).collect::<Result<_>>()?,
                driver: row.driver,
                directory: row.directory,
                parameters: row.parameters.unwrap_or_default(),
                locations: locations.remove(&row.object).unwrap_or_default().into_values().collect(),
                reject_limit: row.reject_limit,
                created_us: object.created.0,
                changed_us: object.changed.0,
            };
            catalog.put_other(SchemaObject::External(Arc::new(table)));
        }
        Ok(())
    }
}

fn column(row: &ColumnRow) -> Result<ColumnDef> {
    let data_type = decode_type(row)?;
    Ok(ColumnDef { name: row.name.clone(), data_type, nullable: !row.not_null, default: row.default.clone() })
}
