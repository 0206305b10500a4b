//! The compiler's queries of the dictionary: names, package bodies, statements. No program runs here.

use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::{Holder, ObjectPrivilege, ProgramStatus, Rights, SchemaObject};
use plsql::ast::SqlText;
use plsql::host::{
    Column, DynamicSql, Executed, ExecutedMany, Host, Mark, Object, OpenQuery, PreparedSql, StatementKey, Viewer,
};
use plsql::run::session::Session;
use scalar::{Context, Datum};

use super::host::ProgramName;
use super::prepare::prepare;
use crate::cursor::tables::SessionTables;
use crate::plan::binder::{Relation, Tables};
use crate::plan::hints::Hints;

/// The resolution of a path, and the number of its parts that name the object.
pub(super) type Resolution = Option<(Object, usize)>;

fn columns_of(relation: &Relation) -> Vec<Column> {
    let shown = relation.columns.iter().filter(|column| !column.pseudo);
    shown
        .map(|column| Column {
            name: column.name.as_str().into(),
            data_type: column.data_type,
            nullable: column.nullable,
        })
        .collect()
}

/// Resolves `path`; also returns the name of a program that must be compiled anew.
pub(super) fn resolve(
    tables: SessionTables,
    viewer: Viewer<'_>,
    path: &[&str],
) -> Result<(Resolution, Option<ProgramName>)> {
    let tables = SessionTables { names_only: true, ..tables.viewed(viewer) };
    let catalog = &tables.catalog;
    let candidates: [(Option<&str>, Option<&str>, usize); 2] =
        [(None, path.first().copied(), 1), (path.first().copied(), path.get(1).copied(), 2)];
    for (owner, name, used) in candidates {
        let Some(name) = name else { continue };
        let resolved = catalog.resolve(&tables.schema, owner, name)?;
        let mut invalid = None;
        let object = match &resolved.object {
            Some(SchemaObject::Sequence(sequence)) => {
                Some(Object::Sequence { owner: sequence.owner.as_str().into(), name: sequence.name.as_str().into() })
            }
            Some(SchemaObject::Table(_) | SchemaObject::External(_) | SchemaObject::View(_)) | None => {
                // Dictionary views are no objects of a schema.
                match tables.relation(owner, name, &Hints::default()) {
                    Ok(Some(relation)) => Some(Object::Relation {
                        owner: resolved.owner.as_str().into(),
                        name: resolved.name.as_str().into(),
                        columns: columns_of(&relation),
                    }),
                    Ok(None) => None,
                    Err(error) if error.is_ora(942) => None,
                    Err(error) => return Err(error),
                }
            }
            Some(object @ SchemaObject::Program(program)) => {
                if catalog.check_object(&tables.user, object, ObjectPrivilege::Execute).is_ok() {
                    if program.status != ProgramStatus::Valid {
                        invalid = Some((program.owner.clone(), program.name.clone(), program.kind));
                    }
                    Some(super::program::object_of(program))
                } else {
                    None
                }
            }
            Some(SchemaObject::Synonym(_) | SchemaObject::Directory(_)) => None,
        };
        if let Some(object) = object {
            return Ok((Some((object, used)), invalid));
        }
    }
    Ok((None, None))
}

/// Key of the users that share compiled blocks: sessions of one user with the same roles.
pub(super) fn viewer_name(rights: &Rights) -> Box<str> {
    let roles = if rights.has_roles() { "" } else { " alone" };
    format!("{rights}{roles}").into()
}

/// The dictionary of one statement, for the compiler.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub(super) tables: SessionTables,
}

fn nothing<T>() -> Result<T> {
    Err(Error::bug("a compiler ran something"))
}

impl Host for Dictionary {
    fn resolve(&mut self, viewer: Viewer<'_>, path: &[&str]) -> Result<Resolution> {
        // The call finds out whether it must be compiled anew.
        resolve(self.tables.clone(), viewer, path).map(|(found, _)| found)
    }

    fn package_body(&mut self, owner: &str, name: &str) -> Result<Option<(Arc<str>, u64)>> {
        Ok(super::program::package_body(&self.tables.catalog, owner, name))
    }

    fn prepare(
        &mut self,
        viewer: Viewer<'_>,
        sql: &SqlText,
        is_variable: &mut dyn FnMut(&[&str]) -> bool,
    ) -> Result<PreparedSql> {
        prepare(self.tables.clone(), viewer, sql, is_variable)
    }

    fn dictionary_version(&mut self) -> Option<u64> {
        Some(self.tables.catalog.version())
    }

    fn viewer_name(&mut self) -> Box<str> {
        viewer_name(&self.tables.user)
    }

    fn context(&mut self) -> Result<Arc<dyn Context>> {
        Ok(Arc::clone(&self.tables.context))
    }

    fn check(&mut self) -> Result<()> {
        self.tables.session.check_cancelled()
    }

    fn execute(&mut self, _: &mut Session, _: StatementKey, _: &PreparedSql, _: &[Datum]) -> Result<Executed> {
        nothing()
    }

    fn execute_many(
        &mut self,
        _: &mut Session,
        _: StatementKey,
        _: &PreparedSql,
        _: &[Vec<Datum>],
    ) -> Result<ExecutedMany> {
        nothing()
    }

    fn open(&mut self, _: &mut Session, _: StatementKey, _: &PreparedSql, _: &[Datum]) -> Result<OpenQuery> {
        nothing()
    }

    fn prepare_dynamic(&mut self, _: &str) -> Result<DynamicSql> {
        nothing()
    }

    fn execute_dynamic(&mut self, _: &mut Session, _: &DynamicSql, _: &mut [Datum]) -> Result<Executed> {
        nothing()
    }

    fn open_dynamic(&mut self, _: &mut Session, _: &DynamicSql, _: &[Datum]) -> Result<OpenQuery> {
        nothing()
    }

    fn fetch(&mut self, _: &mut Session, _: OpenQuery, _: usize) -> Result<(Vec<Vec<Datum>>, bool)> {
        nothing()
    }

    fn columns(&mut self, _: OpenQuery) -> Result<Vec<Column>> {
        nothing()
    }

    fn current_rowid(&mut self, _: OpenQuery, _: usize) -> Result<Datum> {
        nothing()
    }

    fn locks_rows(&mut self, _: OpenQuery) -> Result<bool> {
        nothing()
    }

    fn close(&mut self, _: OpenQuery) {}

    fn sequence(&mut self, _: &str, _: &str, _: bool) -> Result<Datum> {
        nothing()
    }

    fn mark(&mut self) -> Mark {
        Mark(0)
    }

    fn back_to(&mut self, _: Mark) -> Result<()> {
        nothing()
    }

    fn begin_autonomous(&mut self) -> Result<()> {
        nothing()
    }

    fn end_autonomous(&mut self) -> Result<()> {
        nothing()
    }

    fn native(&mut self, _: &mut Session, _: &str, _: &mut [Datum]) -> Result<Datum> {
        nothing()
    }
}
