//! Objects that share the name space of a schema (tables, external ones too, views, sequences, synonyms, procedures,
//! functions and packages), and name resolution.
//!
//! ```text
//! name          ─> schema ─> PUBLIC's synonyms
//! owner.name    ─> owner's schema
//! either          a synonym found goes on to the owner and name that it stands for
//! ```

use std::fmt;
use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::catalog::Catalog;
use super::directory::DirectoryDef;
use super::external::ExternalDef;
use super::program::{ProgramDef, ProgramKind};
use super::sequence::SequenceDef;
use super::synonym::SynonymDef;
use super::table::TableDef;
use super::user::{PUBLIC, SYS};
use super::view::ViewDef;

/// The kinds that share one name space in a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Table,
    View,
    Sequence,
    Synonym,
    Procedure,
    Function,
    Package,
    /// Directories have a name space of their own, in no schema; SYS owns them.
    Directory,
}

impl ObjectKind {
    /// A procedure, function or package.
    #[must_use]
    pub fn is_program(self) -> bool {
        matches!(self, Self::Procedure | Self::Function | Self::Package)
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "TABLE",
            Self::View => "VIEW",
            Self::Sequence => "SEQUENCE",
            Self::Synonym => "SYNONYM",
            Self::Procedure => "PROCEDURE",
            Self::Function => "FUNCTION",
            Self::Package => "PACKAGE",
            Self::Directory => "DIRECTORY",
        })
    }
}

/// An object of one of these kinds.
#[derive(Clone, Debug)]
pub enum SchemaObject {
    Table(Arc<TableDef>),
    View(Arc<ViewDef>),
    Sequence(Arc<SequenceDef>),
    Synonym(Arc<SynonymDef>),
    /// A procedure, function or package; package bodies and triggers have name spaces of their own.
    Program(Arc<ProgramDef>),
    /// A table whose rows are in files of the operating system.
    External(Arc<ExternalDef>),
    /// Found by [`Catalog::directory`] alone.
    Directory(Arc<DirectoryDef>),
}

impl SchemaObject {
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        match self {
            Self::Table(_) | Self::External(_) => ObjectKind::Table,
            Self::Directory(_) => ObjectKind::Directory,
            Self::View(_) => ObjectKind::View,
            Self::Sequence(_) => ObjectKind::Sequence,
            Self::Synonym(_) => ObjectKind::Synonym,
            Self::Program(program) => match program.kind {
                ProgramKind::Function => ObjectKind::Function,
                ProgramKind::Package | ProgramKind::PackageBody => ObjectKind::Package,
                ProgramKind::Procedure | ProgramKind::Trigger => ObjectKind::Procedure,
            },
        }
    }

    #[must_use]
    pub fn number(&self) -> ObjectNumber {
        match self {
            Self::Table(table) => table.object,
            Self::View(view) => view.object,
            Self::Sequence(sequence) => sequence.object,
            Self::Synonym(synonym) => synonym.object,
            Self::Program(program) => program.object,
            Self::External(table) => table.object,
            Self::Directory(directory) => directory.object,
        }
    }

    /// The schema; PUBLIC for public synonyms.
    #[must_use]
    pub fn owner(&self) -> &str {
        match self {
            Self::Table(table) => &table.owner,
            Self::View(view) => &view.owner,
            Self::Sequence(sequence) => &sequence.owner,
            Self::Synonym(synonym) => &synonym.owner,
            Self::Program(program) => &program.owner,
            Self::External(table) => &table.owner,
            Self::Directory(_) => SYS,
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Table(table) => &table.name,
            Self::View(view) => &view.name,
            Self::Sequence(sequence) => &sequence.name,
            Self::Synonym(synonym) => &synonym.name,
            Self::Program(program) => &program.name,
            Self::External(table) => &table.name,
            Self::Directory(directory) => &directory.name,
        }
    }

    /// Wall time of creation and of the last DDL, microseconds since 1970.
    #[must_use]
    pub fn times_us(&self) -> (u64, u64) {
        match self {
            Self::Table(table) => (table.created_us, table.changed_us),
            Self::View(view) => (view.created_us, view.changed_us),
            Self::Sequence(sequence) => (sequence.created_us, sequence.changed_us),
            Self::Synonym(synonym) => (synonym.created_us, synonym.changed_us),
            Self::Program(program) => (program.created_us, program.changed_us),
            Self::External(table) => (table.created_us, table.changed_us),
            Self::Directory(directory) => (directory.created_us, directory.changed_us),
        }
    }

    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner(), self.name())
    }
}

/// The resolution of a name in a statement.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The owner of the object, or of the missing one, behind all synonyms.
    pub owner: String,
    pub name: String,
    /// Never a synonym. None where the catalog has no object of this name: it may be one of the built-in views.
    pub object: Option<SchemaObject>,
    /// The statement gives the owner, or a synonym does.
    pub qualified: bool,
    /// The name was that of a synonym.
    pub synonym: bool,
}

impl Catalog {
    /// Resolves a name in a statement of a user in `schema`, through synonyms.
    ///
    /// # Errors
    /// ORA-01775 for a circle of synonyms; ORA-00980 for a synonym without a target.
    pub fn resolve(&self, schema: &str, owner: Option<&str>, name: &str) -> Result<Resolved> {
        let own = owner.unwrap_or(schema);
        let mut found = self.object(own, name);
        if found.is_none() && owner.is_none() && !self.is_unusable(schema, name) {
            found = self.object(PUBLIC, name);
        }
        let Some(mut object) = found else {
            let (owner, qualified) = (own.to_owned(), owner.is_some());
            return Ok(Resolved { owner, name: name.to_owned(), object: None, qualified, synonym: false });
        };
        let mut chain: Vec<Arc<SynonymDef>> = Vec::new();
        while let SchemaObject::Synonym(synonym) = &object {
            if chain.iter().any(|before| before.object == synonym.object) {
                return Err(looping(name));
            }
            chain.push(synonym.clone());
            let Some(next) = self.object(&synonym.target_owner, &synonym.target_name) else {
                return self.behind(&chain, synonym);
            };
            object = next;
        }
        Ok(Resolved {
            owner: object.owner().to_owned(),
            name: object.name().to_owned(),
            qualified: owner.is_some() || !chain.is_empty(),
            synonym: !chain.is_empty(),
            object: Some(object),
        })
    }

    /// The target of the last synonym of a chain, which is no object of the catalog.
    fn behind(&self, chain: &[Arc<SynonymDef>], last: &SynonymDef) -> Result<Resolved> {
        let (owner, name) = (last.target_owner.clone(), last.target_name.clone());
        if owner == SYS || self.is_unusable(&owner, &name) {
            return Ok(Resolved { owner, name, object: None, qualified: true, synonym: true });
        }
        // A public synonym whose object is gone is found again under the object's name.
        if chain.iter().any(|before| before.owner == PUBLIC && before.name == name) {
            return Err(looping(&chain[0].name));
        }
        Err(Error::user(980, format!("synonym translation is no longer valid: {owner}.{name} does not exist")))
    }
}

fn looping(name: &str) -> Error {
    Error::user(1775, format!("looping chain of synonyms: {name}"))
}
