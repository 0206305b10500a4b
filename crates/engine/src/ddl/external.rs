//! CREATE TABLE … ORGANIZATION EXTERNAL: the dictionary's part of a table whose rows are in files of the operating
//! system.
//!
//! Such a table has no segment, so [`Catalog::table`](crate::dictionary::Catalog::table) does not find it. Access
//! parameters are kept as text; the layer that reads the files interprets them.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::check::{check_columns, check_name};
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::privilege::{insufficient, no_table};
use crate::dictionary::rows::{ColumnRow, ExternalLocationRow, ExternalTableRow, KIND_TABLE};
use crate::dictionary::table_rows::{column_rows, object_row};
use crate::dictionary::{ColumnDef, ExternalDef, ExternalLocation, ObjectPrivilege, SchemaObject, SystemPrivilege};
use crate::instance::Session;

/// The options of CREATE TABLE … ORGANIZATION EXTERNAL.
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

impl Session {
    /// CREATE TABLE … ORGANIZATION EXTERNAL. Missing files are found when they are read.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-06564 no such directory, HW-0001 access parameters that are too long, and those of
    /// CREATE TABLE.
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
        // The table's owner reads the files, whoever makes the table or selects from it.
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
            // A user that may read the table gets ORA-01031; for others it does not exist.
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
