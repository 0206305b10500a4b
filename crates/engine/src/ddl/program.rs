//! CREATE and DROP of stored programs.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::check::check_name;
use super::compile::Compilation;
use super::statement::Ddl;
use super::trigger::TriggerSpec;
use crate::dictionary::access::equal;
use crate::dictionary::field::Moment;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::program::source_rows;
use crate::dictionary::rows::{DependencyRow, ErrorRow, ObjectRow, SourceRow, TriggerColumnRow, TriggerRow};
use crate::dictionary::table_rows::object_row;
use crate::dictionary::trigger::no_trigger;
use crate::dictionary::{
    ObjectPrivilege, ProgramDef, ProgramKind, ProgramStatus, SYS, SchemaObject, SystemPrivilege, TriggerDef, UserNumber,
};
use crate::instance::Session;

/// A program to make. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSpec {
    pub owner: String,
    pub name: String,
    pub kind: ProgramKind,
    /// OR REPLACE: a program of this name and kind keeps its object number and the privileges on it.
    pub replace: bool,
    /// From the kind on: what follows CREATE [OR REPLACE].
    pub source: String,
    /// For triggers only.
    pub trigger: Option<TriggerSpec>,
    /// None: the program is made invalid, and compiled when the dictionary knows it, or at its first use.
    pub compilation: Option<Compilation>,
}

impl Session {
    /// CREATE [OR REPLACE] PROCEDURE, FUNCTION, PACKAGE, PACKAGE BODY and TRIGGER. A program with errors is made all
    /// the same.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-04081 a trigger's; ORA-04095 the trigger is on another table; ORA-00942, 00904,
    /// 04089, 25001, 25002, 25006 what a trigger cannot be on; HW-0001 a line of more than 4000 bytes; ORA-00972,
    /// ORA-01031, ORA-01918.
    pub fn create_program(self: &Arc<Self>, spec: &ProgramSpec) -> Result<Arc<ProgramDef>> {
        self.ddl(|ddl| ddl.create_program(spec))
    }

    /// Checks that the user may make programs of this kind in this schema, before the caller compiles one. For a
    /// trigger on a table of another schema only [`Session::create_program`] can tell.
    ///
    /// # Errors
    /// ORA-01031.
    pub fn check_may_create_program(self: &Arc<Self>, owner: &str, kind: ProgramKind) -> Result<()> {
        let (own, any) = create_privileges(kind);
        self.catalog().check_system_privilege(&self.rights(), if self.rights() == owner { own } else { any })
    }

    /// DROP PROCEDURE, FUNCTION, PACKAGE (with its body), PACKAGE BODY and TRIGGER.
    ///
    /// # Errors
    /// ORA-04043 there is none, ORA-04080 no trigger; ORA-01031.
    pub fn drop_program(self: &Arc<Self>, owner: &str, name: &str, kind: ProgramKind) -> Result<()> {
        self.ddl(|ddl| {
            let any = match kind {
                ProgramKind::Trigger => SystemPrivilege::DropAnyTrigger,
                _ => SystemPrivilege::DropAnyProcedure,
            };
            let program = ddl.program_to_change(owner, name, kind, any)?;
            ddl.remove_program(&program)
        })
    }
}

fn create_privileges(kind: ProgramKind) -> (SystemPrivilege, SystemPrivilege) {
    match kind {
        ProgramKind::Trigger => (SystemPrivilege::CreateTrigger, SystemPrivilege::CreateAnyTrigger),
        _ => (SystemPrivilege::CreateProcedure, SystemPrivilege::CreateAnyProcedure),
    }
}

/// The error for a program that is not there, or that a user may not know of.
fn no_program(name: &str, kind: ProgramKind) -> Error {
    match kind {
        ProgramKind::Trigger => no_trigger(name),
        _ => Error::user(4043, format!("object {name} does not exist")),
    }
}

impl Ddl<'_> {
    /// A program that a statement names in order to change or drop it.
    ///
    /// # Errors
    /// ORA-04043, ORA-04080 where there is none, or the user may not know of it; ORA-01031.
    pub(super) fn program_to_change(
        &self,
        owner: &str,
        name: &str,
        kind: ProgramKind,
        any: SystemPrivilege,
    ) -> Result<Arc<ProgramDef>> {
        let program = self.catalog.program(owner, name, kind).cloned().ok_or_else(|| no_program(name, kind))?;
        let user = self.session.rights();
        if user == owner || user == SYS || (owner != SYS && self.catalog.has_system_privilege(&user, any)) {
            return Ok(program);
        }
        // A user that may run the program gets ORA-01031; for others it does not exist.
        let runs = kind.shares_names()
            && self.catalog.check_object(&user, &SchemaObject::Program(program), ObjectPrivilege::Execute).is_ok();
        Err(if runs { insufficient(format_args!("{user} lacks {any}")) } else { no_program(name, kind) })
    }

    fn create_program(&mut self, spec: &ProgramSpec) -> Result<Arc<ProgramDef>> {
        let trigger = match (&spec.trigger, spec.kind) {
            (Some(trigger), ProgramKind::Trigger) => {
                let base = self.trigger_base(&spec.owner, trigger)?.number();
                Some(Arc::new(TriggerDef { base, rule: trigger.rule.clone(), enabled: trigger.enabled }))
            }
            (None, ProgramKind::Trigger) | (Some(_), _) => {
                return Err(Error::bug("a trigger is on a table, and nothing else is"));
            }
            (None, kind) => {
                let (own, any) = create_privileges(kind);
                self.check_schema_privilege(&spec.owner, own, any)?;
                None
            }
        };
        let owner = self.catalog.require_user(&spec.owner)?.number;
        check_name(&spec.name)?;
        let old = self.replaced(spec, trigger.as_deref())?;
        let now = self.now_us();
        let object = old.as_ref().map_or_else(|| self.new_object(), |old| old.object);
        let source = source_rows(object, &spec.source)?;
        let program = ProgramDef {
            object,
            owner: spec.owner.clone(),
            name: spec.name.clone(),
            kind: spec.kind,
            source: spec.source.as_str().into(),
            status: ProgramStatus::Invalid,
            stamp: self.catalog.new_stamp(),
            errors: Arc::default(),
            depends_on: Arc::default(),
            trigger,
            created_us: old.as_ref().map_or(now, |old| old.created_us),
            changed_us: now,
        };
        match old {
            Some(_) => self.replace_rows(&program)?,
            None => self.insert_object(&program, owner)?,
        }
        self.insert(&source)?;
        if let Some(trigger) = &program.trigger {
            self.insert_trigger_rows(object, trigger)?;
        }
        let mut program = self.catalog.put_program(program);
        // Dependents of the specification do not depend on its body; nothing depends on a trigger.
        if spec.kind.shares_names() {
            self.object_changed(object, &spec.owner, &spec.name)?;
        }
        if let Some(compilation) = &spec.compilation {
            program = self.keep_result(&program, compilation)?;
        }
        Ok(program)
    }

    fn insert_object(&mut self, program: &ProgramDef, owner: UserNumber) -> Result<()> {
        let (kind, none) = (program.kind.number(), ObjectNumber(0));
        let row = object_row(program.object, none, owner, &program.name, kind, program.created_us);
        self.insert(&[ObjectRow { status: program.status.number(), ..row }])
    }

    fn replace_rows(&mut self, program: &ProgramDef) -> Result<()> {
        self.delete_program_rows(program.object)?;
        let (status, changed) = (program.status.number(), Moment(program.changed_us));
        self.update::<ObjectRow>(&equal("OBJ#", program.object.0)?, |row| {
            (row.status, row.changed) = (status, changed)
        })?;
        Ok(())
    }

    /// The existing program that a new one replaces.
    ///
    /// # Errors
    /// ORA-00955, ORA-04081, ORA-04095.
    fn replaced(&self, spec: &ProgramSpec, trigger: Option<&TriggerDef>) -> Result<Option<Arc<ProgramDef>>> {
        let old = self.catalog.program(&spec.owner, &spec.name, spec.kind).cloned();
        match (&old, spec.kind) {
            (Some(old), ProgramKind::Trigger) => {
                let name = &spec.name;
                if !spec.replace {
                    return Err(Error::user(4081, format!("trigger '{name}' already exists")));
                }
                if old.trigger.as_ref().map(|old| old.base) != trigger.map(|new| new.base) {
                    let text = format!("trigger '{name}' already exists on another table, cannot replace it");
                    return Err(Error::user(4095, text));
                }
            }
            (Some(_), _) if spec.replace => {}
            (Some(old), ProgramKind::PackageBody) => {
                return Err(Error::user(955, format!("package {} has a body already", old.qualified_name())));
            }
            (None, ProgramKind::PackageBody | ProgramKind::Trigger) => {}
            _ => self.check_name_free(&spec.owner, &spec.name)?,
        }
        Ok(old)
    }

    /// Drops a program; a package with its body.
    pub(super) fn remove_program(&mut self, program: &Arc<ProgramDef>) -> Result<()> {
        if program.kind == ProgramKind::Package
            && let Some(body) = self.catalog.program(&program.owner, &program.name, ProgramKind::PackageBody).cloned()
        {
            self.remove_program(&body)?;
        }
        self.delete_program_rows(program.object)?;
        self.delete_object_rows(program.object)?;
        self.catalog.remove_program(program.object);
        if !program.kind.shares_names() {
            self.catalog.forget_changes(program.object);
            return Ok(());
        }
        self.object_dropped(program.object, &program.owner, &program.name)
    }

    /// Deletes a program's rows beside that in OBJ$.
    fn delete_program_rows(&mut self, object: ObjectNumber) -> Result<()> {
        self.delete::<SourceRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ErrorRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<DependencyRow>(&equal("D_OBJ#", object.0)?)?;
        self.delete::<TriggerRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<TriggerColumnRow>(&equal("OBJ#", object.0)?)?;
        Ok(())
    }
}
