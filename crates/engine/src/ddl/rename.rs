//! RENAME, and DROP of objects without a segment.

use std::sync::Arc;

use common::{Error, Result};

use super::alter_table::TableChange;
use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::field::Moment;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{ObjectRow, SequenceRow, SynonymRow};
use crate::dictionary::{ExternalDef, SchemaObject, SequenceDef, SynonymDef, ViewDef};
use crate::instance::Session;

impl Session {
    /// RENAME: a new name for a table, view, sequence or private synonym of the user's own schema.
    ///
    /// # Errors
    /// ORA-04043 where there is none of the old name, ORA-04044 a program, ORA-00955 where the new one is in use,
    /// ORA-00972, ORA-01031, ORA-00054.
    pub fn rename(self: &Arc<Self>, owner: &str, from: &str, to: &str) -> Result<()> {
        match self.catalog().object(owner, from) {
            Some(SchemaObject::Table(_)) => {
                self.alter_table(owner, from, &TableChange::RenameTable(to.to_owned())).map(|_| ())
            }
            _ => self.ddl(|ddl| ddl.rename_other(owner, from, to)),
        }
    }
}

impl Ddl<'_> {
    fn rename_other(&mut self, owner: &str, from: &str, to: &str) -> Result<()> {
        let object = match self.catalog.object(owner, from) {
            Some(SchemaObject::Program(program)) => {
                return Err(Error::user(
                    4044,
                    format!("procedure, function or package is not allowed here: {}", program.name),
                ));
            }
            Some(object) if !matches!(object, SchemaObject::Table(_)) => object,
            // Damaged tables exist and cannot be renamed.
            _ if self.catalog.is_unusable(owner, from) => return self.catalog.require_table(owner, from).map(drop),
            _ => return Err(Error::user(4043, format!("object {from} does not exist"))),
        };
        if self.session.rights() != owner {
            return Err(insufficient(format_args!("RENAME is for objects of one's own schema")));
        }
        check_name(to)?;
        self.check_name_free(owner, to)?;
        let (now, number) = (self.now_us(), object.number());
        self.update::<ObjectRow>(&equal("OBJ#", number.0)?, |row| {
            to.clone_into(&mut row.name);
            row.changed = Moment(now);
        })?;
        let (name, changed_us) = (to.to_owned(), now);
        self.catalog.put_other(match object {
            SchemaObject::View(view) => {
                SchemaObject::View(Arc::new(ViewDef { name, changed_us, ..ViewDef::clone(&view) }))
            }
            SchemaObject::Sequence(sequence) => {
                SchemaObject::Sequence(Arc::new(SequenceDef { name, changed_us, ..SequenceDef::clone(&sequence) }))
            }
            SchemaObject::Synonym(synonym) => {
                SchemaObject::Synonym(Arc::new(SynonymDef { name, changed_us, ..SynonymDef::clone(&synonym) }))
            }
            SchemaObject::External(table) => {
                SchemaObject::External(Arc::new(ExternalDef { name, changed_us, ..ExternalDef::clone(&table) }))
            }
            other @ (SchemaObject::Table(_) | SchemaObject::Program(_) | SchemaObject::Directory(_)) => other,
        });
        self.object_changed(number, owner, from)?;
        self.object_changed(number, owner, to)
    }

    /// Drops a view, sequence, synonym or program.
    pub(super) fn drop_other(&mut self, object: &SchemaObject) -> Result<()> {
        let number = object.number();
        match object {
            SchemaObject::View(_) => {
                self.drop_triggers_of(number)?;
                self.delete_view_rows(number)?;
            }
            SchemaObject::Synonym(_) => drop(self.delete::<SynonymRow>(&equal("OBJ#", number.0)?)?),
            SchemaObject::Sequence(sequence) => {
                // While this lock is held no session takes values between the reading of the row and its deletion: they
                // would be given again if the statement failed.
                let state = sequence.state.clone();
                let _still = state.hold();
                self.delete::<SequenceRow>(&equal("OBJ#", number.0)?)?;
                self.end_at_end(state.clone());
            }
            SchemaObject::Table(table) => return self.drop_table(table, true),
            SchemaObject::Program(program) => return self.remove_program(program),
            SchemaObject::External(_) => self.delete_external_rows(number)?,
            SchemaObject::Directory(directory) => return self.drop_directory(directory),
        }
        self.delete_object_rows(number)?;
        self.catalog.remove_other(number);
        self.object_dropped(number, object.owner(), object.name())
    }
}
