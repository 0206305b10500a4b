//! Views, sequences and synonyms: execution by the engine's methods.

use common::{Error, ErrorKind, Result};
use engine::ddl::ViewSpec;
use engine::dictionary::{PUBLIC, Resolved, SchemaObject, ViewColumn};

use super::command::{Command, CreateView, Name};
use super::execute::check_column_name;
use crate::cursor::connection::Connection;
use crate::plan::binder::{BindContext, Binder};
use crate::plan::query::BoundQuery;
use crate::statement::parse::parse_query;

impl Connection {
    /// Executes commands on sequences, synonyms and views, except CREATE VIEW.
    pub(super) fn object_command(&self, command: &Command) -> Result<()> {
        let session = &self.session;
        match command {
            Command::CreateSequence { name, spec } => {
                let (owner, name) = self.qualified(name);
                session.create_sequence(&owner, &name, spec).map(drop)
            }
            Command::AlterSequence { name, spec } => {
                let (owner, name) = self.qualified(name);
                session.alter_sequence(&owner, &name, spec)
            }
            Command::DropSequence(name) => {
                let (owner, name) = self.qualified(name);
                session.drop_sequence(&owner, &name)
            }
            Command::DropView(name) => {
                let (owner, name) = self.qualified(name);
                session.drop_view(&owner, &name)
            }
            Command::CreateSynonym { name, public, target, replace } => {
                let (owner, name) = if *public { (PUBLIC.to_owned(), name.1.clone()) } else { self.qualified(name) };
                if *public && !*replace && crate::views::find(&name).is_some() {
                    return Err(Error::user(955, format!("the name {name} is used by a view of the dictionary")));
                }
                let (target_owner, target_name) = self.target_of_synonym(target);
                session.create_synonym(&owner, &name, (&target_owner, &target_name), *replace).map(drop)
            }
            Command::DropSynonym { name, public } => {
                let (owner, name) = if *public { (PUBLIC.to_owned(), name.1.clone()) } else { self.qualified(name) };
                session.drop_synonym(&owner, &name)
            }
            other => Err(Error::bug(format!("no command about an object: {other:?}"))),
        }
    }

    /// The target of a new synonym. A name alone is in the current schema, unless it is a built-in view.
    fn target_of_synonym(&self, target: &Name) -> (String, String) {
        let (owner, name) = self.qualified(target);
        let fixed = target.0.is_none()
            && self.session.catalog().object(&owner, &name).is_none()
            && crate::views::find(&name).is_some();
        (if fixed { engine::dictionary::SYS.to_owned() } else { owner }, name)
    }

    /// Resolves the name of an object in GRANT or REVOKE.
    pub(super) fn resolved(&self, name: &Name) -> Result<Resolved> {
        self.session.catalog().resolve(&self.schema, name.0.as_deref(), &name.1)
    }

    /// CREATE VIEW; false where FORCE made a view that cannot be used yet.
    pub(crate) fn create_view(&self, create: &CreateView, text: &str) -> Result<bool> {
        let (owner, name) = self.qualified(&create.name);
        self.session.check_may_create_view(&owner)?;
        self.session.catalog().require_user(&owner)?;
        let query = &text[create.query.clone()];
        let offset = create.query.start;
        let bound = self.view_query(query, offset, &owner, &name);
        let (columns, kept, valid) = match bound {
            Ok((bound, kept)) => (view_columns(&bound, &create.columns)?, kept, true),
            // FORCE does not allow syntax errors and circles.
            Err(error)
                if create.force
                    && error.kind == ErrorKind::User
                    && !error.is_ora(1731)
                    && parse_query(query, offset).is_ok() =>
            {
                let unknown = |name: &String| ViewColumn { name: name.clone(), data_type: None, nullable: true };
                (create.columns.iter().map(unknown).collect(), query.to_owned(), false)
            }
            Err(error) => return Err(error),
        };
        self.session.create_view(&ViewSpec {
            owner,
            name,
            text: kept,
            columns,
            read_only: create.read_only,
            replace: create.replace,
        })?;
        Ok(valid)
    }

    /// ALTER VIEW … COMPILE: takes over the present types of the base columns; false where the text is no longer valid.
    pub(crate) fn compile_view(&self, name: &Name) -> Result<bool> {
        let (owner, name) = self.qualified(name);
        let catalog = self.session.catalog();
        let Some(SchemaObject::View(view)) = catalog.object(&owner, &name) else {
            return Err(Error::user(942, format!("table or view does not exist: {name}")));
        };
        self.session.check_may_create_view(&owner)?;
        let names: Vec<String> = view.columns.iter().map(|column| column.name.clone()).collect();
        let bound = self.view_query(&view.text, 0, &owner, &name);
        let columns = bound.and_then(|(bound, _)| view_columns(&bound, &names));
        let (columns, valid) = match columns {
            Ok(columns) => (columns, true),
            Err(error) if error.kind == ErrorKind::User => (view.columns.clone(), false),
            Err(error) => return Err(error),
        };
        let (text, read_only) = (view.text.clone(), view.read_only);
        self.session.create_view(&ViewSpec { owner, name, text, columns, read_only, replace: true })?;
        Ok(valid)
    }

    /// The query of a new view, and its text with every `*` replaced by columns: columns that a table gets later are
    /// not in the view.
    fn view_query(&self, text: &str, offset: usize, owner: &str, name: &str) -> Result<(BoundQuery, String)> {
        let (query, headings) = parse_query(text, offset)?;
        let tables = self.tables()?.inside(owner, name);
        let context =
            BindContext { tables: &tables, context: std::sync::Arc::clone(&tables.context), text, variables: &[] };
        let binder = Binder::new(&context);
        let bound = binder.query(&query, None, &headings).map_err(|error| Error {
            position: error.position.map(|position| position + offset),
            ..match error {
                error if error.is_ora(1008) => Error {
                    text: "bind variables not allowed for data definition operations".to_owned(),
                    number: common::Number::Ora(1027),
                    ..error
                },
                error => error,
            }
        })?;
        let mut wildcards = binder.wildcards.take();
        wildcards.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        wildcards.dedup();
        let mut kept = text.to_owned();
        for (place, columns) in wildcards {
            kept.replace_range(place, &columns);
        }
        Ok((bound, kept))
    }
}

fn view_columns(query: &BoundQuery, names: &[String]) -> Result<Vec<ViewColumn>> {
    if !names.is_empty() && names.len() != query.outputs.len() {
        return Err(Error::user(1730, "invalid number of column names specified"));
    }
    query
        .outputs
        .iter()
        .enumerate()
        .map(|(at, output)| {
            let name = match names.get(at) {
                Some(name) => name.clone(),
                None => {
                    check_column_name(&output.name)?;
                    output.name.clone()
                }
            };
            Ok(ViewColumn { name, data_type: Some(output.declared), nullable: output.nullable })
        })
        .collect()
}
