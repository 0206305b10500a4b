//! The outcome of a compilation, kept with the program by the session that compiled it.
//!
//! Programs are compiled outside the DDL latch, with a catalog that may be outdated when the outcome comes. So an
//! outcome names the version of its catalog. If a dependency has changed since, the outcome is discarded and the
//! program stays invalid, to be compiled again.
//!
//! Several sessions may find a program invalid at once, and all compile it. The first outcome counts; the others get
//! the definition that it made.
//!
//! Keeping an outcome is no DDL statement of the user's: it has a transaction of its own, leaves the user's open, and
//! the catalog keeps its version.

use std::sync::Arc;

use common::{ObjectNumber, Result};

use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::field::Moment;
use crate::dictionary::program::cut;
use crate::dictionary::rows::{DependencyRow, ErrorRow, ObjectRow};
use crate::dictionary::{Catalog, CompileError, Dependency, ProgramDef, ProgramKind, ProgramStatus, SystemPrivilege};
use crate::instance::Session;

/// The outcome of a compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compilation {
    /// [`Catalog::version`] of the catalog that it was made with.
    pub version: u64,
    /// None: the program is valid.
    pub errors: Vec<CompileError>,
    /// Everything whose change may change the outcome: objects; synonyms passed through; names of one's own schema, of
    /// PUBLIC or elsewhere under which there was nothing; the base objects of views that are used. Not the program
    /// itself.
    pub depends_on: Vec<Dependency>,
}

impl Compilation {
    fn status(&self) -> ProgramStatus {
        if self.errors.is_empty() { ProgramStatus::Valid } else { ProgramStatus::Errors }
    }

    /// True: a dependency has changed since the compilation.
    fn is_stale(&self, catalog: &Catalog) -> bool {
        let stale = |parent: &Dependency| match parent.object {
            Some(object) => !exists(catalog, object) || catalog.has_changed_since(object, self.version),
            None => catalog
                .object(&parent.owner, &parent.name)
                .is_some_and(|now| catalog.has_changed_since(now.number(), self.version)),
        };
        catalog.privileges_have_changed_since(self.version) || self.depends_on.iter().any(stale)
    }
}

fn exists(catalog: &Catalog, object: ObjectNumber) -> bool {
    catalog.object_by_number(object).is_some() || catalog.program_by_number(object).is_some()
}

/// Without the program itself, and each once; a body depends on its specification, a trigger on its table, whether the
/// compiler says so or not.
fn completed(program: &ProgramDef, given: &[Dependency], catalog: &Catalog) -> Vec<Dependency> {
    let mut all: Vec<Dependency> = Vec::with_capacity(given.len() + 1);
    let own = |parent: &Dependency| {
        program.kind.shares_names() && parent.owner == program.owner && parent.name == program.name
    };
    for parent in given {
        if parent.object != Some(program.object) && !own(parent) && !all.contains(parent) {
            all.push(parent.clone());
        }
    }
    let needed = match (program.kind, &program.trigger) {
        (ProgramKind::PackageBody, _) => Some(Dependency {
            object: catalog.object(&program.owner, &program.name).map(|found| found.number()),
            owner: program.owner.clone(),
            name: program.name.clone(),
        }),
        (_, Some(trigger)) => catalog.object_by_number(trigger.base).map(|base| Dependency {
            object: Some(trigger.base),
            owner: base.owner().to_owned(),
            name: base.name().to_owned(),
        }),
        _ => None,
    };
    all.extend(needed.filter(|needed| !all.contains(needed)));
    all
}

impl Session {
    /// Keeps the outcome of a compilation of `program` in a transaction of its own. Returns the program as it is now:
    /// with this outcome; with that of another session that was first; or still invalid, to be compiled again with a
    /// new catalog, because a dependency has changed meanwhile. None when the program is gone. The session does not
    /// wait for durability: a crash costs a compilation.
    ///
    /// A session that is filling a table that it makes (CREATE TABLE AS SELECT) cannot keep anything: it gets its own
    /// outcome back.
    ///
    /// # Errors
    /// ORA-00020 no process left; those of changing the dictionary. No error when another session was first.
    pub fn set_program_state(
        self: &Arc<Self>,
        program: &ProgramDef,
        compilation: &Compilation,
    ) -> Result<Option<Arc<ProgramDef>>> {
        let (object, stamp) = (program.object, program.stamp);
        let now = self.kept_catalog().program_by_number(object).cloned();
        match now {
            None => return Ok(None),
            Some(now) if is_done(&now, stamp) => return Ok(Some(now)),
            Some(_) => {}
        }
        if self.is_within_ddl() {
            return Ok(Some(Arc::new(with_result(program, compilation, &self.catalog(), stamp))));
        }
        let own = self.instance().connect_recursive()?;
        own.change_states(|ddl| ddl.set_program_state(object, stamp, compilation))
    }

    /// ALTER PROCEDURE, FUNCTION, PACKAGE, TRIGGER … COMPILE: keeps the outcome whatever the program's state was.
    ///
    /// # Errors
    /// ORA-04043, ORA-04080 there is none; ORA-01031.
    pub fn alter_program_compile(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        kind: ProgramKind,
        compilation: &Compilation,
    ) -> Result<Arc<ProgramDef>> {
        self.ddl(|ddl| {
            let any = match kind {
                ProgramKind::Trigger => SystemPrivilege::AlterAnyTrigger,
                _ => SystemPrivilege::AlterAnyProcedure,
            };
            let program = ddl.program_to_change(owner, name, kind, any)?;
            let now = ddl.now_us();
            ddl.update::<ObjectRow>(&equal("OBJ#", program.object.0)?, |row| row.changed = Moment(now))?;
            ddl.keep_result(&ProgramDef { changed_us: now, ..ProgramDef::clone(&program) }, compilation)
        })
    }
}

/// True: another session has kept an outcome for the program with this stamp.
fn is_done(now: &ProgramDef, stamp: u64) -> bool {
    now.stamp != stamp || now.status == ProgramStatus::Valid
}

fn with_result(program: &ProgramDef, compilation: &Compilation, catalog: &Catalog, stamp: u64) -> ProgramDef {
    let kept = |error: &CompileError| CompileError { text: cut(&error.text), ..error.clone() };
    ProgramDef {
        status: compilation.status(),
        stamp,
        errors: compilation.errors.iter().map(kept).collect(),
        depends_on: completed(program, &compilation.depends_on, catalog).into(),
        ..program.clone()
    }
}

impl Ddl<'_> {
    fn set_program_state(
        &mut self,
        object: ObjectNumber,
        stamp: u64,
        compilation: &Compilation,
    ) -> Result<Option<Arc<ProgramDef>>> {
        let Some(now) = self.catalog.program_by_number(object).cloned() else { return Ok(None) };
        if is_done(&now, stamp) {
            return Ok(Some(now));
        }
        self.keep_result(&now, compilation).map(Some)
    }

    /// Stores the outcome of a compilation in the program's rows and in the catalog.
    pub(super) fn keep_result(&mut self, program: &ProgramDef, compilation: &Compilation) -> Result<Arc<ProgramDef>> {
        self.state_changed = true;
        let stamp = self.catalog.new_stamp();
        let mut new = with_result(program, compilation, &self.catalog, stamp);
        if compilation.is_stale(&self.catalog) {
            // Until the program is compiled again, its current dependencies are better known than the earlier ones.
            new.status = ProgramStatus::Invalid;
        }
        let object = equal("OBJ#", program.object.0)?;
        if new.errors != program.errors {
            self.delete::<ErrorRow>(&object)?;
            self.insert(&error_rows(&new))?;
        }
        if new.depends_on != program.depends_on {
            self.delete::<DependencyRow>(&equal("D_OBJ#", program.object.0)?)?;
            self.insert(&dependency_rows(&new))?;
        }
        let status = new.status.number();
        self.update::<ObjectRow>(&object, |row| row.status = status)?;
        let (had_errors, new) = (program.status == ProgramStatus::Errors, self.catalog.put_program(new));
        // Dependents that failed because of its errors may compile now, and the other way round.
        let settled = |other: &ProgramDef| {
            other.status != ProgramStatus::Invalid && other.is_dependent_on(new.object, &new.owner, &new.name)
        };
        if new.kind.shares_names()
            && had_errors != (new.status == ProgramStatus::Errors)
            && self.catalog.programs().any(|other| settled(other))
        {
            self.invalidate_dependents(new.object, &new.owner, &new.name)?;
        }
        Ok(new)
    }
}

pub(super) fn error_rows(program: &ProgramDef) -> Vec<ErrorRow> {
    let row = |(sequence, error): (u32, &CompileError)| ErrorRow {
        object: program.object.0,
        sequence,
        line: error.line,
        position: error.position,
        text: error.text.clone(),
    };
    (1u32..).zip(program.errors.iter()).map(row).collect()
}

pub(super) fn dependency_rows(program: &ProgramDef) -> Vec<DependencyRow> {
    let row = |(order, parent): (u32, &Dependency)| DependencyRow {
        object: program.object.0,
        order,
        parent: parent.object.map(|parent| parent.0),
        parent_owner: parent.owner.clone(),
        parent_name: parent.name.clone(),
    };
    (1u32..).zip(program.depends_on.iter()).map(row).collect()
}
