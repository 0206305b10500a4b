//! CREATE, ALTER and DROP TABLESPACE, and ALTER DATABASE DATAFILE: privileges, and the objects that a tablespace holds.
//! `storage::tablespace` has the files.

use std::sync::Arc;

use common::{Error, Result};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::own::SYSTEM_TABLESPACE;
use crate::dictionary::rows::{IndexRow, ObjectRow, QuotaRow, TableRow};
use crate::dictionary::{DEFAULT_TABLESPACE, SystemPrivilege, TableDef, UserNumber};
use crate::instance::{DatafileSpec, Session, TablespaceSpec};
use storage::control::TablespaceKind;
use storage::tablespace::Tablespace;

/// A change to a tablespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TablespaceChange {
    AddDatafiles(Vec<DatafileSpec>),
    /// By name, or by number as text.
    DropDatafile(String),
    /// RETENTION GUARANTEE (true) or NOGUARANTEE.
    Retention(bool),
    /// LOGGING (true) or NOLOGGING for objects made in it.
    Logging(bool),
}

/// A change to a datafile, which is named or given by number as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatafileChange {
    /// The new size in bytes.
    Resize(u64),
    /// Growth step and largest size in bytes; None switches it off.
    Autoextend(Option<(u64, Option<u64>)>),
}

impl Session {
    /// CREATE TABLESPACE.
    ///
    /// # Errors
    /// ORA-01031, ORA-01543, and those of making files.
    pub fn create_tablespace(self: &Arc<Self>, spec: &TablespaceSpec) -> Result<Arc<Tablespace>> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::CreateTablespace)?;
            check_name(&spec.name)?;
            self.instance().create_tablespace(self, spec)
        })
    }

    /// CREATE UNDO TABLESPACE, with RETENTION GUARANTEE or without.
    ///
    /// # Errors
    /// As [`Session::create_tablespace`]; ORA-30036 when its segments have no room.
    pub fn create_undo_tablespace(
        self: &Arc<Self>,
        spec: &TablespaceSpec,
        guaranteed: bool,
    ) -> Result<Arc<Tablespace>> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::CreateTablespace)?;
            check_name(&spec.name)?;
            self.instance().create_undo_tablespace(self, spec, guaranteed)
        })
    }

    /// ALTER TABLESPACE.
    ///
    /// # Errors
    /// ORA-01031, ORA-00959, ORA-30044, and those of making and removing files.
    pub fn alter_tablespace(self: &Arc<Self>, name: &str, change: &TablespaceChange) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterTablespace)?;
            let tablespace = self.instance().tablespaces().named(name)?;
            match change {
                TablespaceChange::AddDatafiles(files) => self.instance().add_datafiles(self, &tablespace, files),
                TablespaceChange::DropDatafile(file) => self.instance().drop_datafile(self, &tablespace, file),
                TablespaceChange::Retention(guaranteed) => {
                    self.instance().set_retention_guarantee(&tablespace, *guaranteed)
                }
                TablespaceChange::Logging(logging) => self.instance().set_tablespace_logging(&tablespace, *logging),
            }
        })
    }

    /// ALTER DATABASE DATAFILE.
    ///
    /// # Errors
    /// ORA-01031, ORA-01516 no such file, and those of resizing.
    pub fn alter_datafile(self: &Arc<Self>, file: &str, change: DatafileChange) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterDatabase)?;
            match change {
                DatafileChange::Resize(bytes) => self.instance().resize_datafile(self, file, bytes),
                DatafileChange::Autoextend(autoextend) => self.instance().set_autoextend(file, autoextend),
            }
        })
    }

    /// DROP TABLESPACE [INCLUDING CONTENTS [AND DATAFILES]]. The contents are dropped first; the tablespace follows
    /// their commit, after a crash at the next open.
    ///
    /// # Errors
    /// ORA-00959, ORA-01031, ORA-01549 not empty without `contents`, ORA-01550 SYSTEM, ORA-12919 the default tablespace
    /// of users.
    pub fn drop_tablespace(self: &Arc<Self>, name: &str, contents: bool, datafiles: bool) -> Result<()> {
        let mut begun = None;
        let emptied = self.ddl(|ddl| ddl.empty_tablespace(name, contents, datafiles, &mut begun));
        // Space that a damaged extent map keeps from being freed goes with the files.
        let committed = begun.as_ref().is_some_and(|tablespace: &Arc<Tablespace>| {
            self.instance().is_drop_noted(tablespace) && self.is_without_objects(tablespace)
        });
        let dropped = match emptied {
            Err(error) if !committed => Err(error),
            _ => self.ddl(|ddl| {
                // Another session may have made an object in it since.
                ddl.check_tablespace_empty(name)?;
                let tablespace = self.instance().tablespaces().named(name)?;
                ddl.delete::<QuotaRow>(&equal("TS", name.to_owned())?)?;
                ddl.catalog.forget_quotas(name);
                self.instance().drop_tablespace_files(self, &tablespace, datafiles)
            }),
        };
        if let (Err(_), Some(tablespace)) = (&dropped, begun)
            && self.instance().tablespaces().named(name).is_ok()
        {
            self.instance().end_drop(&tablespace)?;
        }
        dropped
    }

    /// True: the dictionary has no object in the tablespace.
    fn is_without_objects(&self, tablespace: &Tablespace) -> bool {
        let catalog = self.catalog();
        let number = tablespace.number();
        !catalog.tables().any(|table| table.segment.tablespace().number() == number)
            && !catalog.indexes().any(|index| index.segment.tablespace().number() == number)
    }
}

/// Finishes a DROP TABLESPACE INCLUDING CONTENTS that a crash has cut short: if its tables are gone, the tablespace is
/// dropped too. If they are there, the statement had not committed, and the tablespace stays.
///
/// # Errors
/// Errors of the control file. An error that keeps a tablespace from being dropped is noted, and the tablespace stays.
pub(crate) fn finish_drops(session: &Arc<Session>) -> Result<()> {
    let instance = session.instance();
    let begun: Vec<_> = {
        let control = instance.control();
        let records = control.data().tablespaces.iter();
        records.filter_map(|record| Some((record.name.clone(), record.dropping?))).collect()
    };
    for (name, datafiles) in begun {
        let tablespace = instance.tablespaces().named(&name)?;
        if !session.is_without_objects(&tablespace) {
            instance.end_drop(&tablespace)?;
        } else if let Err(error) = session.drop_tablespace(&name, false, datafiles) {
            instance.health().check()?;
            let what = match instance.tablespaces().named(&name) {
                Ok(_) => "is still there",
                Err(_) => "is gone, and a file of it is not",
            };
            instance.end_drop(&tablespace)?;
            instance.note(format!("Tablespace {name} {what}: a crash had cut its drop short, and now: {error}."));
        }
    }
    Ok(())
}

impl Ddl<'_> {
    pub(super) fn check_privilege(&self, privilege: SystemPrivilege) -> Result<()> {
        self.catalog.check_system_privilege(&self.session.rights(), privilege)
    }

    /// Drops the objects in a tablespace. `begun` is set to the tablespace when its drop has begun; the caller must end
    /// that drop if it is not carried through.
    fn empty_tablespace(
        &mut self,
        name: &str,
        contents: bool,
        datafiles: bool,
        begun: &mut Option<Arc<Tablespace>>,
    ) -> Result<()> {
        self.check_privilege(SystemPrivilege::DropTablespace)?;
        let tablespace = self.session.instance().tablespaces().named(name)?;
        let number = tablespace.number();
        if name == SYSTEM_TABLESPACE {
            return Err(Error::user(1550, "the tablespace SYSTEM cannot be dropped"));
        }
        if self.session.instance().undo().in_use(self.session, number) {
            return Err(Error::user(30013, format!("undo tablespace '{name}' is currently in use")));
        }
        if name == DEFAULT_TABLESPACE {
            return Err(Error::user(12919, format!("{name} is the default tablespace of users and cannot be dropped")));
        }
        if !contents {
            return self.check_tablespace_empty(name);
        }
        let tables: Vec<_> =
            self.catalog.tables().filter(|table| table.segment.tablespace().number() == number).cloned().collect();
        let from_elsewhere = |table: &Arc<TableDef>| {
            table.referencing.iter().any(|foreign| !tables.iter().any(|inside| inside.object == foreign.table))
        };
        if tables.iter().any(from_elsewhere) {
            return Err(Error::user(
                2449,
                "keys of tables in the tablespace are referred to by foreign keys elsewhere",
            ));
        }
        if tablespace.kind() == TablespaceKind::Permanent {
            tablespace.begin_drop();
            *begun = Some(Arc::clone(&tablespace));
        }
        for table in &tables {
            let Some(table) = self.catalog.table_by_number(table.object).cloned() else { continue };
            self.drop_table(&table, true)?;
        }
        // Indexes in this tablespace on tables elsewhere.
        let indexes: Vec<_> =
            self.catalog.indexes().filter(|index| index.segment.tablespace().number() == number).cloned().collect();
        for index in &indexes {
            self.drop_index(index)?;
        }
        self.delete_unusable(number.0)?;
        // Every table is locked by now. The commit that follows drops the tables, and the tablespace after it, in one
        // step.
        match begun {
            Some(tablespace) => self.session.instance().note_drop(tablespace, Some(datafiles)),
            None => Ok(()),
        }
    }

    /// Tables and indexes whose segment headers are damaged are in the dictionary and not in the catalog. Their space
    /// goes with the tablespace.
    fn delete_unusable(&mut self, tablespace: u32) -> Result<()> {
        for (_, table) in self.select::<TableRow>(&equal("TS#", tablespace)?)? {
            for (_, index) in self.select::<IndexRow>(&equal("BO#", table.object)?)? {
                self.forget_unusable(index.object)?;
                self.delete_index_rows(index.object)?;
            }
            self.forget_unusable(table.object)?;
            self.drop_triggers_of(common::ObjectNumber(table.object))?;
            self.delete_table_rows(table.object)?;
        }
        for (_, index) in self.select::<IndexRow>(&equal("TS#", tablespace)?)? {
            self.forget_unusable(index.object)?;
            self.delete_index_rows(index.object)?;
        }
        Ok(())
    }

    fn forget_unusable(&mut self, object: u32) -> Result<()> {
        for (_, row) in self.select::<ObjectRow>(&equal("OBJ#", object)?)? {
            if let Some(owner) = self.catalog.user_by_number(UserNumber(row.owner)).map(|user| user.name.clone()) {
                self.catalog.remove_unusable(&owner, &row.name);
            }
        }
        Ok(())
    }

    fn check_tablespace_empty(&self, name: &str) -> Result<()> {
        let number = self.session.instance().tablespaces().named(name)?.number();
        let table = self.catalog.tables().find(|table| table.segment.tablespace().number() == number);
        let index = self.catalog.indexes().find(|index| index.segment.tablespace().number() == number);
        let object = table.map(|table| table.qualified_name()).or_else(|| index.map(|index| index.qualified_name()));
        let damaged = || -> Result<bool> {
            Ok(!self.select::<TableRow>(&equal("TS#", number.0)?)?.is_empty()
                || !self.select::<IndexRow>(&equal("TS#", number.0)?)?.is_empty())
        };
        let object = match object {
            None if damaged()? => Some("an object that is damaged".to_owned()),
            object => object,
        };
        match object {
            Some(object) => Err(Error::user(
                1549,
                format!("tablespace {name} is not empty (it holds {object}): INCLUDING CONTENTS drops what is in it"),
            )),
            None => Ok(()),
        }
    }
}
