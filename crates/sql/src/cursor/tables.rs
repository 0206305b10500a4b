//! The tables, views and sequences that a statement of a session can name.
//!
//! A view's text is bound where it is used, by a binder of its own: in the schema and with the privileges of the view's
//! owner.

use std::sync::Arc;

use common::sync::atomic::AtomicUsize;
use common::{Error, ErrorKind, Result};
use engine::dictionary::{Catalog, ExternalDef, ObjectPrivilege, Resolved, Rights, SchemaObject, TableDef, ViewDef};
use engine::instance::Session;
use loader::{Column, Setup};
use plsql::compile::sql_call::CallArgument;
use plsql::host::Viewer;
use scalar::{Context, Datum};

use super::connection::bind_value;
use super::database::Database;
use super::load::FILE;
use super::nested::{CallPlace, Nested};
use crate::explain::function::Argument;
use crate::functions::program::Program;
use crate::functions::sequence::{CurrentValues, Sequence};
use crate::plan::binder::{BindContext, BindValue, Binder, Relation, Source, TableColumn, Tables};
use crate::plan::hints::Hints;
use crate::plan::parameter::Parameters;
use crate::plan::query::BoundQuery;
use crate::scan::external::{self, ExternalTable};
use crate::scan::sink::ROWID_TYPE;
use crate::scan::table::{EngineTable, ROWID};
use crate::statement::parse::Statement;
use crate::{explain, views};

/// Depth of views inside views.
const DEPTH_MAX: usize = 32;

/// Name resolution for one statement.
#[derive(Clone, Debug)]
pub(crate) struct SessionTables {
    pub(crate) database: Arc<Database>,
    pub(crate) session: Arc<Session>,
    pub(crate) catalog: Arc<Catalog>,
    /// The schema of names without an owner.
    pub(crate) schema: String,
    /// The rights in force: inside a view, its owner's.
    pub(crate) user: Rights,
    /// Any privilege on a table or view is enough: a program's names are looked up now, and checked when its statement
    /// is bound.
    pub(crate) names_only: bool,
    /// For the compiler of a program: nothing is executed.
    pub(crate) compiling: bool,
    pub(crate) context: Arc<dyn Context>,
    /// The views whose texts are being bound, outermost first: owner and name.
    pub(crate) within: Vec<(String, String)>,
    /// Rows that the current fetch wants; 0 for any number.
    pub(crate) demand: Arc<AtomicUsize>,
    /// The bind variables of a plan that is kept.
    pub(crate) parameters: Arc<Parameters>,
    pub(crate) current_values: CurrentValues,
    /// For programs that the statement calls.
    pub(crate) nested: Arc<Nested>,
    /// The kind of statement that calls them.
    pub(crate) place: CallPlace,
    /// The file that the statement loads, named [`FILE`] there.
    pub(crate) loading: Option<Arc<Setup>>,
}

impl Tables for SessionTables {
    fn check_cancelled(&self) -> Result<()> {
        self.session.check_cancelled()
    }

    fn relation(&self, owner: Option<&str>, name: &str, hints: &Hints) -> Result<Option<Relation>> {
        if let Some(setup) = self.loading.as_ref().filter(|_| owner.is_none() && name == FILE) {
            return Ok(Some(self.file(&setup.columns, Ok(Setup::clone(setup)), FILE, (FILE, 0))));
        }
        let resolved = self.catalog.resolve(&self.schema, owner, name)?;
        // A column is qualified by the name in the statement, not by the synonym's target.
        let written = owner.unwrap_or(&self.schema);
        let shown = if resolved.synonym { written } else { resolved.owner.as_str() };
        match &resolved.object {
            Some(object @ (SchemaObject::Table(_) | SchemaObject::External(_) | SchemaObject::View(_)))
                if self.names_only && !self.catalog.sees(&self.user, object) =>
            {
                Ok(None)
            }
            Some(SchemaObject::Table(table)) => {
                if !self.names_only {
                    self.catalog.check_table(&self.user, table, ObjectPrivilege::Select)?;
                }
                Ok(Some(self.table(table, shown, hints)))
            }
            Some(object @ SchemaObject::External(table)) => {
                if !self.names_only {
                    self.catalog.check_object(&self.user, object, ObjectPrivilege::Select)?;
                }
                Ok(Some(self.external(table, shown)))
            }
            Some(object @ SchemaObject::View(view)) => {
                if !self.names_only {
                    self.catalog.check_object(&self.user, object, ObjectPrivilege::Select)?;
                }
                self.view(view, shown).map(Some)
            }
            Some(SchemaObject::Sequence(_) | SchemaObject::Synonym(_) | SchemaObject::Directory(_)) => {
                Err(Error::user(2201, format!("sequence not allowed here: {name}")))
            }
            Some(SchemaObject::Program(_)) => {
                Err(Error::user(4044, format!("procedure, function or package is not allowed here: {name}")))
            }
            None => self.fixed(&resolved),
        }
    }

    fn sequence(&self, owner: Option<&str>, name: &str) -> Result<Option<Sequence>> {
        let resolved = self.catalog.resolve(&self.schema, owner, name)?;
        let Some(object @ SchemaObject::Sequence(sequence)) = &resolved.object else { return Ok(None) };
        self.catalog.check_object(&self.user, object, ObjectPrivilege::Select)?;
        Ok(Some(Sequence::new(&self.session, sequence, &self.current_values)))
    }

    fn is_program(&self, path: &[String]) -> bool {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let program = |owner: Option<&str>, name: &str| {
            let resolved = self.catalog.resolve(&self.schema, owner, name);
            resolved.is_ok_and(|resolved| matches!(resolved.object, Some(SchemaObject::Program(_))))
        };
        plsql::packages::find(&parts).is_some()
            || parts.first().is_some_and(|name| program(None, name))
            || parts.get(1).is_some_and(|name| program(parts.first().copied(), name))
    }

    fn table_function(&self, path: &[String], arguments: &[Argument]) -> Result<Option<Relation>> {
        explain::function::relation(self, path, arguments)
    }

    fn program(&self, path: &[String], arguments: Vec<CallArgument>) -> Result<Option<Program>> {
        crate::plsql::function(self, path, arguments)
    }
}

impl SessionTables {
    /// Resolves names as a program's compiler does.
    pub(crate) fn viewed(mut self, viewer: Viewer<'_>) -> Self {
        viewer.schema().clone_into(&mut self.schema);
        if let Viewer::Owner(owner) = viewer {
            self.user = Rights::of_owner(owner);
        }
        self
    }

    /// Runs `work` with a binder over these tables.
    pub(crate) fn with_binder<R>(
        &self,
        text: &str,
        binds: &[(String, Datum)],
        work: impl FnOnce(&Binder<'_>) -> Result<R>,
    ) -> Result<R> {
        let variables = binds.iter().map(bind_value).collect::<Result<Vec<_>>>()?;
        self.with_variables(text, &variables, work)
    }

    /// Runs `work` with a binder over these tables and bind variables.
    pub(crate) fn with_variables<R>(
        &self,
        text: &str,
        variables: &[BindValue],
        work: impl FnOnce(&Binder<'_>) -> Result<R>,
    ) -> Result<R> {
        let context = BindContext { tables: self, context: Arc::clone(&self.context), text, variables };
        work(&Binder::new(&context))
    }

    fn table(&self, table: &Arc<TableDef>, owner: &str, hints: &Hints) -> Relation {
        let mut columns: Vec<TableColumn> = table
            .columns
            .iter()
            .map(|column| TableColumn {
                name: column.name.clone(),
                data_type: column.data_type,
                nullable: column.nullable,
                pseudo: false,
            })
            .collect();
        columns.push(TableColumn { name: ROWID.to_owned(), data_type: ROWID_TYPE, nullable: false, pseudo: true });
        let (session, demand) = (Arc::clone(&self.session), Arc::clone(&self.demand));
        let parameters = Arc::clone(&self.parameters);
        let provider = EngineTable::new(session, Arc::clone(table), hints.clone(), demand, parameters);
        Relation { owner: owner.to_owned(), columns, source: Source::Provider(provider) }
    }

    /// A table over files. Errors of the files show when they are read.
    fn external(&self, table: &ExternalDef, owner: &str) -> Relation {
        let setup = external::setup(&self.catalog, &self.user, table);
        self.file(&external::columns(table), setup, owner, (&table.name, table.object.0))
    }

    /// Files as a relation, with the name and number for plans and traces.
    fn file(&self, columns: &[Column], setup: Result<Setup>, owner: &str, named: (&str, u32)) -> Relation {
        let (session, context) = (Arc::clone(&self.session), Arc::clone(&self.context));
        let setup = setup.and_then(|setup| external::spare_own_files(session.instance(), setup));
        let provider = ExternalTable::new(session, columns, setup, named, context);
        let columns = columns
            .iter()
            .map(|column| TableColumn {
                name: column.name.clone(),
                data_type: column.data_type,
                nullable: !column.required,
                pseudo: false,
            })
            .collect();
        Relation { owner: owner.to_owned(), columns, source: Source::Provider(provider) }
    }

    /// A user's view.
    fn view(&self, view: &ViewDef, owner: &str) -> Result<Relation> {
        let query = self.view_query(view)?;
        let columns = query
            .outputs
            .iter()
            .map(|output| TableColumn {
                name: output.name.clone(),
                data_type: output.declared,
                nullable: output.nullable,
                pseudo: false,
            })
            .collect();
        Ok(Relation { owner: owner.to_owned(), columns, source: Source::Query(Box::new(query)) })
    }

    /// The query of a view, its columns named as the view names them.
    ///
    /// # Errors
    /// ORA-04063 when the view's text is no longer valid.
    pub(crate) fn view_query(&self, view: &ViewDef) -> Result<BoundQuery> {
        let key = (view.owner.clone(), view.name.clone());
        if self.within.contains(&key) {
            return Err(Error::user(1731, format!("circular view definition encountered: {}", view.qualified_name())));
        }
        if self.within.len() == DEPTH_MAX {
            return Err(Error::unsupported(format!("more than {DEPTH_MAX} views inside each other")));
        }
        let invalid = |why: &str| Error::user(4063, format!("view \"{}.{}\" has errors: {why}", view.owner, view.name));
        let bound = self.view_text(view).map_err(|error| match error.kind {
            ErrorKind::User if !error.is_ora(1731) => invalid(&error.to_string()),
            _ => Error { position: None, ..error },
        });
        let mut query = bound?;
        if !view.columns.is_empty() {
            if view.columns.len() != query.outputs.len() {
                return Err(invalid("its query has another number of columns"));
            }
            for (output, column) in query.outputs.iter_mut().zip(&view.columns) {
                output.name.clone_from(&column.name);
            }
        }
        Ok(query)
    }

    fn view_text(&self, view: &ViewDef) -> Result<BoundQuery> {
        let (shared, _) = self.database.library().find(&view.text, &view.owner, self.catalog.version())?;
        let Statement::Query { query, headings, lock: None } = &shared.statement else {
            return Err(Error::user(928, "missing SELECT keyword"));
        };
        let tables = self.inside(&view.owner, &view.name);
        let context =
            BindContext { tables: &tables, context: Arc::clone(&self.context), text: &view.text, variables: &[] };
        Binder::new(&context).query(query, None, headings)
    }

    /// Name resolution inside a view's text.
    pub(crate) fn inside(&self, owner: &str, view: &str) -> Self {
        let mut within = self.within.clone();
        within.push((owner.to_owned(), view.to_owned()));
        Self { schema: owner.to_owned(), user: Rights::of_user(owner), within, names_only: false, ..self.clone() }
    }

    /// A built-in view: of the dictionary, or of the instance's figures.
    fn fixed(&self, resolved: &Resolved) -> Result<Option<Relation>> {
        let full_name = format!("{}.{}", resolved.owner, resolved.name);
        if let Some((_, error)) = self.catalog.unusable().find(|(unusable, _)| *unusable == full_name) {
            return Err(error.clone());
        }
        let absent = || {
            if resolved.synonym {
                return Err(Error::user(980, format!("synonym translation is no longer valid: {full_name}")));
            }
            Ok(None)
        };
        let name = resolved.name.as_str();
        if resolved.qualified && resolved.owner != "SYS" && resolved.owner != "PUBLIC" {
            return absent();
        }
        let Some(view) = views::find(name) else { return absent() };
        // DBA_ views show the objects of all users: without the privilege they do not exist.
        let everything = engine::dictionary::SystemPrivilege::SelectAnyDictionary;
        if name.starts_with("DBA_") && !self.catalog.has_system_privilege(&self.user, everything) {
            return absent();
        }
        let columns = view
            .columns()
            .map(|column| TableColumn {
                name: column.name.to_owned(),
                data_type: column.data_type,
                nullable: true,
                pseudo: false,
            })
            .collect();
        let source = views::ViewContext {
            session: Arc::clone(&self.session),
            catalog: Arc::clone(&self.catalog),
            tables: Self { within: Vec::new(), ..self.clone() },
        };
        Ok(Some(Relation { owner: "SYS".to_owned(), columns, source: Source::Provider(views::provider(view, source)) }))
    }
}
