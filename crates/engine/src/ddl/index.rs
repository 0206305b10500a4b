//! CREATE and DROP INDEX.

use std::sync::Arc;

use common::{BlockAddress, Error, Result, limits};

use super::check::{Physical, PhysicalAttributes, check_name, check_storage};
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::load::index_segment_spec;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{IndexRow, KIND_INDEX};
use crate::dictionary::table_rows::{index_column_rows, index_row, object_row};
use crate::dictionary::{IndexDef, ObjectPrivilege, SystemPrivilege, TableDef};
use crate::instance::Session;
use storage::cells::FlashUse;
use storage::index;
use storage::segment::Storage;

/// An index to make. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexSpec {
    pub owner: String,
    pub name: String,
    pub table_owner: String,
    pub table_name: String,
    /// Names of columns of the table, in the order of the key.
    pub columns: Vec<String>,
    pub unique: bool,
    /// None: the owner's default tablespace.
    pub tablespace: Option<String>,
    /// PCTUSED does not apply.
    pub physical: PhysicalAttributes,
    pub storage: Storage,
    /// NOLOGGING where false. None: as the tablespace.
    pub logging: Option<bool>,
}

impl Session {
    /// CREATE INDEX. Its statistics are computed while it is built.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-00942 no such table, ORA-00904 no such column, ORA-00957 a column twice, ORA-01408 a
    /// column list that has an index, ORA-01793 too many columns, ORA-01450 a key may be too long for a block,
    /// ORA-01452 duplicate keys for a unique index, ORA-00054, ORA-01031, and those of attributes.
    pub fn create_index(self: &Arc<Self>, spec: &IndexSpec) -> Result<Arc<IndexDef>> {
        self.ddl(|ddl| ddl.create_index(spec))
    }

    /// ALTER INDEX … LOGGING or NOLOGGING: effective when the index is built next.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031, ORA-00054.
    pub fn set_index_logging(self: &Arc<Self>, owner: &str, name: &str, logging: bool) -> Result<()> {
        self.alter_index(owner, name, |index| index.logging = logging).map(drop)
    }

    /// ALTER INDEX … STORAGE (CELL_FLASH_CACHE …).
    ///
    /// # Errors
    /// ORA-01418, ORA-01031, ORA-00054.
    pub fn set_index_flash_cache(self: &Arc<Self>, owner: &str, name: &str, wanted: FlashUse) -> Result<()> {
        let index = self.alter_index(owner, name, |index| index.storage.flash_cache = Some(wanted))?;
        index.segment.set_flash_cache(self, wanted);
        Ok(())
    }

    fn alter_index(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        change: impl FnOnce(&mut IndexDef),
    ) -> Result<Arc<IndexDef>> {
        self.ddl(|ddl| {
            let index = ddl.catalog.require_index(owner, name)?.clone();
            let user = ddl.session.rights();
            if user != owner {
                ddl.catalog.check_system_privilege(&user, SystemPrivilege::AlterAnyIndex)?;
            }
            if let Some(table) = ddl.catalog.table_by_number(index.table).cloned() {
                ddl.lock(&table)?;
            }
            let changed_us = ddl.now_us();
            let mut index = IndexDef { changed_us, ..IndexDef::clone(&index) };
            change(&mut index);
            ddl.update::<IndexRow>(&equal("OBJ#", index.object.0)?, |row| *row = index_row(&index))?;
            ddl.touch(index.object, changed_us)?;
            Ok(ddl.catalog.put_index(index))
        })
    }

    /// DROP INDEX.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031, ORA-00054.
    pub fn drop_index(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            let index = ddl.catalog.require_index(owner, name)?.clone();
            let user = ddl.session.rights();
            if user != owner {
                ddl.catalog.check_system_privilege(&user, SystemPrivilege::DropAnyIndex)?;
            }
            ddl.drop_index(&index)
        })
    }
}

impl Ddl<'_> {
    pub(super) fn create_index(&mut self, spec: &IndexSpec) -> Result<Arc<IndexDef>> {
        let table = self.catalog.require_table(&spec.table_owner, &spec.table_name)?.clone();
        if table.is_dictionary() {
            return Err(insufficient(format_args!("{} is part of the dictionary", table.qualified_name())));
        }
        let user = self.session.rights();
        self.catalog.check_table(&user, &table, ObjectPrivilege::Index)?;
        if user != spec.owner {
            self.catalog.check_system_privilege(&user, SystemPrivilege::CreateAnyIndex)?;
        }
        let owner = self.catalog.require_user(&spec.owner)?.clone();
        check_name(&spec.name)?;
        if self.catalog.index(&spec.owner, &spec.name).is_some() || self.catalog.is_unusable(&spec.owner, &spec.name) {
            return Err(Error::user(955, format!("the name {}.{} is used by another index", spec.owner, spec.name)));
        }
        let columns = key_columns(&table, &spec.columns)?;
        let tablespace = self.tablespace_for(&owner, spec.tablespace.as_deref())?;
        if spec.physical.pctused.is_some() {
            return Err(Error::user(2158, "PCTUSED does not apply to an index"));
        }
        let physical = Physical::INDEX.with(spec.physical, tablespace.block_size(), tablespace.space_management())?;
        check_storage(&spec.storage, &tablespace)?;
        let types = columns.iter().map(|column| table.columns[usize::from(*column)].data_type);
        index::check_key_length(tablespace.block_size(), spec.unique, types)?;
        self.lock(&table)?;
        let object = self.new_object();
        let segment = self.create_segment(&index_segment_spec(
            format!("{}.{}", spec.owner, spec.name),
            object,
            object,
            tablespace.number(),
            physical.pctfree,
            (physical.initrans, physical.maxtrans),
            spec.storage.clone(),
        ))?;
        let now = self.now_us();
        let mut index = IndexDef {
            object,
            owner: spec.owner.clone(),
            name: spec.name.clone(),
            table: table.object,
            table_owner: table.owner.clone(),
            table_name: table.name.clone(),
            columns,
            unique: spec.unique,
            segment,
            root: BlockAddress::NONE,
            pctfree: physical.pctfree,
            initrans: physical.initrans,
            maxtrans: physical.maxtrans,
            storage: spec.storage.clone(),
            logging: spec.logging.unwrap_or_else(|| tablespace.logging()),
            created_us: now,
            changed_us: now,
            statistics: None,
            analyzed_us: now,
        };
        let built = storage::table::build_index(self.session, &table, &index, &index.segment)?;
        index.root = built.root;
        index.statistics = Some(built.statistics);
        self.insert(&[object_row(object, object, owner.number, &spec.name, KIND_INDEX, now)])?;
        self.insert(&[index_row(&index)])?;
        self.insert(&index_column_rows(&index))?;
        Ok(self.catalog.put_index(index))
    }

    /// Drops an index that enforces no key.
    pub(super) fn drop_index(&mut self, index: &Arc<IndexDef>) -> Result<()> {
        self.check_index_free(index)?;
        self.drop_index_of_key(index)
    }

    /// Drops an index; the caller deals with the key that it enforced.
    pub(super) fn drop_index_of_key(&mut self, index: &Arc<IndexDef>) -> Result<()> {
        if let Some(table) = self.catalog.table_by_number(index.table).cloned() {
            self.lock(&table)?;
        }
        self.delete_index_rows(index.object.0)?;
        self.catalog.remove_index(index.object);
        self.drop_at_end(index.segment.clone());
        Ok(())
    }
}

/// The positions of the key's columns.
fn key_columns(table: &TableDef, names: &[String]) -> Result<Vec<u16>> {
    if names.is_empty() {
        return Err(Error::user(904, "an index has at least one column"));
    }
    if names.len() > limits::INDEX_COLUMNS_MAX {
        let most = limits::INDEX_COLUMNS_MAX;
        return Err(Error::user(
            1793,
            format!("{} columns are more than the {most} that an index can have", names.len()),
        ));
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let position = table
            .column(name)
            .and_then(|position| u16::try_from(position).ok())
            .ok_or_else(|| Error::user(904, format!("table {} has no column {name}", table.qualified_name())))?;
        if columns.contains(&position) {
            return Err(Error::user(957, format!("column {name} appears twice in the key")));
        }
        columns.push(position);
    }
    if let Some(other) = table.indexes.iter().find(|index| index.columns == columns) {
        return Err(Error::user(1408, format!("these columns are indexed already, by {}", other.qualified_name())));
    }
    Ok(columns)
}
