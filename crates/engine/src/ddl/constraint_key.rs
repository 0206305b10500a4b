//! The index that enforces a key: found, made, released.
//!
//! A key that is checked at the end of each statement has a unique index; a deferrable one needs an index that takes
//! the same key twice until the transaction ends. An index that existed before may be of either kind: where it is not
//! unique, DML looks for duplicates.

use std::sync::Arc;

use common::{Error, Result};

use super::constraint::KeyIndex;
use super::index::IndexSpec;
use super::statement::Ddl;
use crate::constraint::duplicate;
use crate::dictionary::{ConstraintDef, ConstraintKind, IndexDef, TableDef};

/// True: the index can enforce the key. Its leading columns are the key's, and it is not unique on more columns, nor
/// unique where duplicates may wait.
fn serves(index: &IndexDef, key: &ConstraintDef) -> bool {
    index.columns.starts_with(&key.columns)
        && !(index.unique && (key.state.deferrable || index.columns.len() > key.columns.len()))
}

impl Ddl<'_> {
    /// Finds or makes the index of a key that is to be enabled.
    pub(super) fn give_index(
        &mut self,
        table: &Arc<TableDef>,
        key: &mut ConstraintDef,
        wanted: &KeyIndex,
    ) -> Result<()> {
        // The table as it is now: an earlier step of the statement may have made an index.
        let table = self.catalog.table_by_number(table.object).unwrap_or(table).clone();
        match wanted {
            KeyIndex::Existing { owner, name } => {
                let index = self.catalog.require_index(owner, name)?;
                if index.table != table.object || !serves(index, key) {
                    return Err(Error::user(14196, format!("index {} cannot enforce the key", index.qualified_name())));
                }
                key.index = Some(index.object);
            }
            KeyIndex::Made { tablespace, physical, storage, logging } => {
                if let Some(index) = table.indexes.iter().find(|index| serves(index, key)) {
                    key.index = Some(index.object);
                    return Ok(());
                }
                let names = key.columns.iter().map(|column| table.columns[usize::from(*column)].name.clone());
                let spec = IndexSpec {
                    logging: *logging,
                    owner: table.owner.clone(),
                    name: key.name.clone(),
                    table_owner: table.owner.clone(),
                    table_name: table.name.clone(),
                    columns: names.collect(),
                    unique: !key.state.deferrable,
                    tablespace: tablespace.clone(),
                    physical: *physical,
                    storage: storage.clone(),
                };
                let index =
                    self.create_index(&spec).map_err(|error| if error.is_ora(1452) { violated(key) } else { error })?;
                key.index = Some(index.object);
                key.own_index = true;
            }
        }
        Ok(())
    }

    /// Releases the index of a key that is dropped or disabled: a unique index that was made for it is dropped, unless
    /// it is to be kept or another key uses it.
    pub(super) fn release_index(&mut self, key: &ConstraintDef, keep: Option<bool>) -> Result<()> {
        let Some(index) = key.index.and_then(|index| self.catalog.index_by_number(index)).cloned() else {
            return Ok(());
        };
        let keep = keep.unwrap_or(!key.own_index);
        let shared =
            self.catalog.constraints().any(|other| other.number != key.number && other.index == Some(index.object));
        if keep || shared {
            return Ok(());
        }
        self.drop_index_of_key(&index)
    }

    /// # Errors
    /// ORA-02429: the index enforces a key.
    pub(super) fn check_index_free(&self, index: &IndexDef) -> Result<()> {
        let enforces = |key: &&Arc<ConstraintDef>| key.index == Some(index.object);
        match self.catalog.constraints().find(enforces) {
            Some(key) => Err(Error::user(
                2429,
                format!("index {} enforces the unique or primary key {}", index.qualified_name(), key.qualified_name()),
            )),
            None => Ok(()),
        }
    }

    /// Checks for duplicate keys when the index does not.
    pub(super) fn check_unique(&self, table: &Arc<TableDef>, key: &ConstraintDef) -> Result<()> {
        let index = key.index.and_then(|index| self.catalog.index_by_number(index)).cloned();
        let index = index.ok_or_else(|| Error::bug(format!("key {} of {} has no index", key.name, table.name)))?;
        if !index.unique && duplicate(self.session, &index, key.columns.len())? {
            return Err(violated(key));
        }
        Ok(())
    }
}

/// ORA-02437 or ORA-02299: rows that are there already have the same key.
fn violated(key: &ConstraintDef) -> Error {
    let name = key.qualified_name();
    if key.kind == ConstraintKind::PrimaryKey {
        Error::user(2437, format!("cannot validate ({name}) - primary key violated"))
    } else {
        Error::user(2299, format!("cannot validate ({name}) - duplicate keys found"))
    }
}
