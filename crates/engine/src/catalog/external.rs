//! CREATE TABLE … ORGANIZATION EXTERNAL: what the dictionary keeps of a table whose rows are in files of the operating system.
//!
//! Such a table has no segment, so it is none of those that [`Catalog::table`](super::Catalog::table) finds. What its access parameters mean is the matter of
//! whoever reads the files; here they are a text.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::check::{check_columns, check_name};
use super::dictionary::{Ddl, equal};
use super::field::damaged;
use super::load::{Reader, object, owner};
use super::object::SchemaObject;
use super::privilege::{ObjectPrivilege, SystemPrivilege, insufficient, no_table};
use super::rows::{
    ColumnRow, DirectoryRow, ExternalLocationRow, ExternalTableRow, KIND_DIRECTORY, KIND_TABLE, ObjectRow, decode_type,
};
use super::table_rows::{column_rows, object_row};
use super::{Catalog, ColumnDef, DirectoryDef};
use crate::instance::Session;

/// A file of an external table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalLocation {
    /// None for the default directory.
    pub directory: Option<String>,
    pub name: String,
}

/// What CREATE TABLE … ORGANIZATION EXTERNAL asks for.
#[derive(Clone, Debug)]
pub struct ExternalSpec {
    pub owner: String,
    pub name: String,
    pub columns: Vec<ColumnDef>,
    /// The access driver.
    pub driver: String,
    pub directory: String,
    /// The access parameters as written.
    pub parameters: String,
    pub locations: Vec<ExternalLocation>,
    /// Rows that may be rejected; None for any number.
    pub reject_limit: Option<u64>,
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

    /// ORA-30657: what cannot be done with a table that has no segment.
    #[must_use]
    pub fn refused(&self) -> Error {
        Error::user(30657, format!("operation not supported on external organized table {}", self.qualified_name()))
    }
}

impl Session {
    /// CREATE TABLE … ORGANIZATION EXTERNAL. Whether there are such files shows when they are read.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-06564 no such directory, HW-0001 access parameters that are too long, and those of CREATE TABLE.
    pub fn create_external_table(self: &Arc<Self>, spec: &ExternalSpec) -> Result<Arc<ExternalDef>> {
        self.ddl(|ddl| ddl.create_external_table(spec))
    }
}

impl Ddl<'_> {
    fn create_external_table(&mut self, spec: &ExternalSpec) -> Result<Arc<ExternalDef>> {
        let any = SystemPrivilege::CreateAnyTable;
        self.check_schema_privilege(&spec.owner, SystemPrivilege::CreateTable, any)?;
        let owner = self.catalog.require_user(&spec.owner)?.number;
        check_name(&spec.name)?;
        self.check_name_free(&spec.owner, &spec.name)?;
        check_columns(&spec.columns)?;
        if spec.parameters.len() > limits::VARCHAR2_BYTES_MAX {
            let most = limits::VARCHAR2_BYTES_MAX;
            return Err(Error::unsupported(format!("access parameters of more than {most} bytes")));
        }
        // Its owner reads the files, whoever makes the table or selects from it.
        let named = spec.locations.iter().filter_map(|location| location.directory.as_ref());
        for directory in [&spec.directory].into_iter().chain(named) {
            self.catalog.usable_directory(spec.owner.as_str(), directory, ObjectPrivilege::Read)?;
        }
        let (now, object) = (self.now_us(), self.new_object());
        self.insert(&[object_row(object, ObjectNumber(0), owner, &spec.name, KIND_TABLE, now)])?;
        self.insert(&[ExternalTableRow {
            object: object.0,
            directory: spec.directory.clone(),
            driver: spec.driver.clone(),
            columns: spec.columns.len() as u16,
            reject_limit: spec.reject_limit,
            parameters: Some(spec.parameters.clone()).filter(|text| !text.is_empty()),
        }])?;
        self.insert(&column_rows(object, &spec.columns))?;
        for (position, location) in (1u16..).zip(&spec.locations) {
            let (directory, name) = (location.directory.clone(), location.name.clone());
            self.insert(&[ExternalLocationRow { object: object.0, position, directory, name }])?;
        }
        let table = Arc::new(ExternalDef {
            object,
            owner: spec.owner.clone(),
            name: spec.name.clone(),
            columns: spec.columns.clone(),
            driver: spec.driver.clone(),
            directory: spec.directory.clone(),
            parameters: spec.parameters.clone(),
            locations: spec.locations.clone(),
            reject_limit: spec.reject_limit,
            created_us: now,
            changed_us: now,
        });
        self.catalog.put_other(SchemaObject::External(table.clone()));
        self.object_changed(object, &spec.owner, &spec.name)?;
        Ok(table)
    }

    /// DROP TABLE of an external one. Its files stay.
    pub(super) fn drop_external(&mut self, table: &Arc<ExternalDef>) -> Result<()> {
        let (user, any) = (self.session.rights(), SystemPrivilege::DropAnyTable);
        let object = SchemaObject::External(table.clone());
        if user != table.owner.as_str() && !self.catalog.has_system_privilege(&user, any) {
            // Whoever may read it is told that this is too little; for others it does not exist.
            self.catalog
                .check_object(&user, &object, ObjectPrivilege::Select)
                .map_err(|_| no_table(&table.owner, &table.name))?;
            return Err(insufficient(format_args!("{user} lacks {any}")));
        }
        self.drop_other(&object)
    }

    pub(super) fn delete_external_rows(&mut self, object: ObjectNumber) -> Result<()> {
        self.delete::<ColumnRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ExternalLocationRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ExternalTableRow>(&equal("OBJ#", object.0)?)?;
        Ok(())
    }
}

impl Reader<'_> {
    pub(super) fn load_directories(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
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

    pub(super) fn load_externals(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
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
