//! CREATE and DROP SYNONYM.
//!
//! A synonym is an owner and a name, resolved when a statement uses it; the target need not exist.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::rows::{KIND_SYNONYM, SynonymRow};
use crate::dictionary::table_rows::object_row;
use crate::dictionary::{PUBLIC, SchemaObject, SynonymDef, SystemPrivilege, UserNumber};
use crate::instance::Session;

impl Session {
    /// CREATE [OR REPLACE] [PUBLIC] SYNONYM; the owner of a public one is PUBLIC. `target` is owner and name.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-01471 a synonym for itself, ORA-01031, ORA-00972, ORA-01918.
    pub fn create_synonym(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        target: (&str, &str),
        replace: bool,
    ) -> Result<Arc<SynonymDef>> {
        self.ddl(|ddl| ddl.create_synonym(owner, name, target, replace))
    }

    /// DROP [PUBLIC] SYNONYM.
    ///
    /// # Errors
    /// ORA-01434 no such synonym, ORA-01432 no such public one, ORA-01031.
    pub fn drop_synonym(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            if owner == PUBLIC {
                ddl.check_privilege(SystemPrivilege::DropPublicSynonym)?;
            } else if ddl.session.rights() != owner {
                ddl.check_privilege(SystemPrivilege::DropAnySynonym)?;
            }
            match ddl.catalog.object(owner, name) {
                Some(object @ SchemaObject::Synonym(_)) => ddl.drop_other(&object),
                _ if owner == PUBLIC => Err(Error::user(1432, format!("there is no public synonym {name}"))),
                _ => Err(Error::user(1434, format!("there is no private synonym {owner}.{name}"))),
            }
        })
    }
}

impl Ddl<'_> {
    fn create_synonym(
        &mut self,
        owner: &str,
        name: &str,
        (target_owner, target_name): (&str, &str),
        replace: bool,
    ) -> Result<Arc<SynonymDef>> {
        let number = if owner == PUBLIC {
            self.check_privilege(SystemPrivilege::CreatePublicSynonym)?;
            UserNumber::PUBLIC
        } else {
            let any = SystemPrivilege::CreateAnySynonym;
            self.check_schema_privilege(owner, SystemPrivilege::CreateSynonym, any)?;
            self.catalog.require_user(owner)?.number
        };
        check_name(name)?;
        if owner == target_owner && name == target_name {
            return Err(Error::user(1471, format!("a synonym cannot have the name of its object {owner}.{name}")));
        }
        let old = match self.catalog.object(owner, name) {
            Some(SchemaObject::Synonym(old)) if replace => Some(old),
            _ => None,
        };
        if old.is_none() {
            self.check_name_free(owner, name)?;
        }
        let now = self.now_us();
        let object = old.as_ref().map_or_else(|| self.new_object(), |old| old.object);
        let synonym = SynonymDef {
            object,
            owner: owner.to_owned(),
            name: name.to_owned(),
            target_owner: target_owner.to_owned(),
            target_name: target_name.to_owned(),
            created_us: old.as_ref().map_or(now, |old| old.created_us),
            changed_us: now,
        };
        let row = SynonymRow { object: object.0, owner: target_owner.to_owned(), name: target_name.to_owned() };
        if old.is_some() {
            self.update::<SynonymRow>(&equal("OBJ#", object.0)?, |stored| *stored = row.clone())?;
            self.touch(object, now)?;
        } else {
            self.insert(&[object_row(object, ObjectNumber(0), number, name, KIND_SYNONYM, now)])?;
            self.insert(&[row])?;
        }
        let synonym = Arc::new(synonym);
        self.catalog.put_other(SchemaObject::Synonym(synonym.clone()));
        self.object_changed(object, owner, name)?;
        Ok(synonym)
    }
}
