//! Programs whose dependencies change.
//!
//! A program depends on objects by their numbers, and on names without an object by owner and name. A statement that
//! makes, changes, renames or drops an object invalidates the programs that depend on it, and those that depend on
//! these, in the same transaction. A package's body and triggers end each such chain: nothing depends on them.

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{ObjectNumber, Result};

use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::rows::ObjectRow;
use crate::dictionary::{ProgramDef, ProgramStatus, SchemaObject, UserDef, UserKind};

impl Ddl<'_> {
    /// Called when an object of this number and name has been made, changed or dropped; for a renamed object, once with
    /// each name.
    pub(super) fn object_changed(&mut self, object: ObjectNumber, owner: &str, name: &str) -> Result<()> {
        self.catalog.note_change(object);
        self.invalidate_dependents(object, owner, name)
    }

    /// As [`Ddl::object_changed`], of a dropped object.
    pub(super) fn object_dropped(&mut self, object: ObjectNumber, owner: &str, name: &str) -> Result<()> {
        self.catalog.forget_changes(object);
        self.invalidate_dependents(object, owner, name)
    }

    /// Makes the programs invalid that depend on an object, directly or through others.
    pub(super) fn invalidate_dependents(&mut self, object: ObjectNumber, owner: &str, name: &str) -> Result<()> {
        let direct = |program: &ProgramDef| program.is_dependent_on(object, owner, name);
        let first: Vec<_> = self.catalog.programs().filter(|program| direct(program)).cloned().collect();
        self.invalidate(object, first)
    }

    /// Invalidates programs and their dependents, but not `origin`, whose change is the reason.
    fn invalidate(&mut self, origin: ObjectNumber, first: Vec<Arc<ProgramDef>>) -> Result<()> {
        // A compilation under way has not seen this.
        self.new_version |= !first.is_empty();
        let mut met = BTreeSet::from([origin]);
        let mut waiting = first;
        while let Some(program) = waiting.pop() {
            if !met.insert(program.object) {
                continue;
            }
            self.catalog.note_change(program.object);
            if program.status != ProgramStatus::Invalid {
                self.set_program_status(&program, ProgramStatus::Invalid)?;
            }
            if program.kind.shares_names() {
                let depends = |other: &ProgramDef| other.is_dependent_on(program.object, &program.owner, &program.name);
                waiting.extend(self.catalog.programs().filter(|other| depends(other)).cloned());
            }
        }
        Ok(())
    }

    /// Sets the status alone; the stamp stays.
    pub(super) fn set_program_status(&mut self, program: &ProgramDef, status: ProgramStatus) -> Result<()> {
        let number = status.number();
        self.update::<ObjectRow>(&equal("OBJ#", program.object.0)?, |row| row.status = number)?;
        self.catalog.put_program(ProgramDef { status, ..program.clone() });
        Ok(())
    }

    /// Privileges on an object have changed: programs that use it are compiled again. A GRANT can only help programs
    /// that have errors.
    pub(super) fn object_privileges_changed(
        &mut self,
        of: &SchemaObject,
        grantee: &UserDef,
        taken: bool,
    ) -> Result<()> {
        self.catalog.note_privilege_change();
        let (number, owner, name) = (of.number(), of.owner(), of.name());
        let touched =
            |program: &ProgramDef| concerns(program, grantee, taken) && program.is_dependent_on(number, owner, name);
        let first: Vec<_> = self.catalog.programs().filter(|program| touched(program)).cloned().collect();
        self.invalidate(number, first)
    }

    /// The same for a system privilege or a role.
    pub(super) fn system_privileges_changed(&mut self, grantee: &UserDef, taken: bool) -> Result<()> {
        self.catalog.note_privilege_change();
        let first: Vec<_> =
            self.catalog.programs().filter(|program| concerns(program, grantee, taken)).cloned().collect();
        self.invalidate(ObjectNumber(0), first)
    }
}

/// True: a change of this grantee's privileges may change the outcome of compiling the program.
fn concerns(program: &ProgramDef, grantee: &UserDef, taken: bool) -> bool {
    (grantee.kind == UserKind::Role || program.owner == grantee.name)
        && (program.status == ProgramStatus::Errors || (taken && program.status == ProgramStatus::Valid))
}
