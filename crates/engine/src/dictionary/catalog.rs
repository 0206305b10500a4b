//! The catalog: the whole dictionary as of one moment.
//!
//! A catalog never changes. DDL makes the next one from it, shares the unchanged parts, and replaces it; statements
//! that began with the old one finish with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::{Error, ObjectNumber, Result};

use super::IndexDef;
use super::constraint::ConstraintDef;
use super::directory::DirectoryDef;
use super::object::SchemaObject;
use super::privilege::no_table;
use super::program::{ProgramDef, ProgramKind};
use super::table::TableDef;
use super::user::{UserDef, UserKind, UserNumber};

/// The names of one schema. Indexes, package bodies and triggers have name spaces of their own; tables share theirs
/// with the other objects.
#[derive(Clone, Default)]
struct Schema {
    tables: BTreeMap<String, Arc<TableDef>>,
    /// External tables, views, sequences, synonyms, procedures, functions and packages.
    others: BTreeMap<String, SchemaObject>,
    indexes: BTreeMap<String, Arc<IndexDef>>,
    constraints: BTreeMap<String, Arc<ConstraintDef>>,
    bodies: BTreeMap<String, Arc<ProgramDef>>,
    triggers: BTreeMap<String, Arc<ProgramDef>>,
}

/// An immutable snapshot of the dictionary.
#[derive(Clone, Default)]
pub struct Catalog {
    version: u64,
    /// The number that the next object gets.
    pub(crate) next_object: u32,
    /// The number that the next constraint gets.
    pub(crate) next_constraint: u32,
    schemas: BTreeMap<String, Arc<Schema>>,
    tables: BTreeMap<ObjectNumber, Arc<TableDef>>,
    indexes: BTreeMap<ObjectNumber, Arc<IndexDef>>,
    constraints: BTreeMap<u32, Arc<ConstraintDef>>,
    /// External tables, views, sequences, synonyms, procedures, functions and packages.
    others: BTreeMap<ObjectNumber, SchemaObject>,
    /// Programs of all kinds.
    programs: BTreeMap<ObjectNumber, Arc<ProgramDef>>,
    /// Of each table or view, by number.
    triggers: BTreeMap<ObjectNumber, BTreeMap<ObjectNumber, Arc<ProgramDef>>>,
    /// The stamp that the next program gets.
    next_stamp: u64,
    /// The version at which each object last changed, since the database was opened. Only changes that programs can see
    /// count.
    object_changes: BTreeMap<ObjectNumber, u64>,
    /// The version of the last change of privileges.
    privilege_change: u64,
    directories: BTreeMap<String, Arc<DirectoryDef>>,
    users: BTreeMap<UserNumber, Arc<UserDef>>,
    user_numbers: BTreeMap<String, UserNumber>,
    /// Tables and indexes, as `OWNER.NAME`, whose segments could not be opened, with the error.
    unusable: BTreeMap<String, Error>,
}

impl Catalog {
    /// Counts DDL statements: all names mean the same in two catalogs of one instance with the same version. Only the
    /// states of programs may differ, because a compilation changes nothing that a statement has resolved (README.md,
    /// Versions and stamps).
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All tables, by object number.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        self.tables.values()
    }

    /// All indexes, by object number.
    pub fn indexes(&self) -> impl Iterator<Item = &Arc<IndexDef>> {
        self.indexes.values()
    }

    /// The tables of one schema, by name.
    pub fn tables_of(&self, owner: &str) -> impl Iterator<Item = &Arc<TableDef>> {
        self.schemas.get(owner).into_iter().flat_map(|schema| schema.tables.values())
    }

    #[must_use]
    pub fn table(&self, owner: &str, name: &str) -> Option<&Arc<TableDef>> {
        self.schemas.get(owner)?.tables.get(name)
    }

    #[must_use]
    pub fn index(&self, owner: &str, name: &str) -> Option<&Arc<IndexDef>> {
        self.schemas.get(owner)?.indexes.get(name)
    }

    /// All external tables, views, sequences, synonyms, procedures, functions and packages, by object number.
    pub fn others(&self) -> impl Iterator<Item = &SchemaObject> {
        self.others.values()
    }

    /// The external tables, views, sequences, synonyms, procedures, functions and packages of one schema, by name.
    /// Public synonyms are those of the schema PUBLIC.
    pub fn others_of(&self, owner: &str) -> impl Iterator<Item = &SchemaObject> {
        self.schemas.get(owner).into_iter().flat_map(|schema| schema.others.values())
    }

    /// The table, view, sequence, synonym, procedure, function or package of this name.
    #[must_use]
    pub fn object(&self, owner: &str, name: &str) -> Option<SchemaObject> {
        let schema = self.schemas.get(owner)?;
        let table = schema.tables.get(name).cloned().map(SchemaObject::Table);
        table.or_else(|| schema.others.get(name).cloned())
    }

    /// The same by number.
    #[must_use]
    pub fn object_by_number(&self, object: ObjectNumber) -> Option<SchemaObject> {
        let table = self.tables.get(&object).cloned().map(SchemaObject::Table);
        table.or_else(|| self.others.get(&object).cloned()).or_else(|| {
            let directory = self.directories.values().find(|directory| directory.object == object);
            directory.cloned().map(SchemaObject::Directory)
        })
    }

    /// All directories, by name.
    pub fn directories(&self) -> impl Iterator<Item = &Arc<DirectoryDef>> {
        self.directories.values()
    }

    #[must_use]
    pub fn directory(&self, name: &str) -> Option<&Arc<DirectoryDef>> {
        self.directories.get(name)
    }

    /// All programs, by object number.
    pub fn programs(&self) -> impl Iterator<Item = &Arc<ProgramDef>> {
        self.programs.values()
    }

    /// The program of this kind and name.
    #[must_use]
    pub fn program(&self, owner: &str, name: &str, kind: ProgramKind) -> Option<&Arc<ProgramDef>> {
        let schema = self.schemas.get(owner)?;
        match kind {
            ProgramKind::PackageBody => schema.bodies.get(name),
            ProgramKind::Trigger => schema.triggers.get(name),
            _ => match schema.others.get(name)? {
                SchemaObject::Program(program) => Some(program).filter(|program| program.kind == kind),
                _ => None,
            },
        }
    }

    #[must_use]
    pub fn program_by_number(&self, object: ObjectNumber) -> Option<&Arc<ProgramDef>> {
        self.programs.get(&object)
    }

    /// The triggers of a table or view, enabled or not, by object number, which is their firing order.
    pub fn triggers_of(&self, base: ObjectNumber) -> impl Iterator<Item = &Arc<ProgramDef>> {
        self.triggers.get(&base).into_iter().flat_map(BTreeMap::values)
    }

    /// True: the object has changed since this version.
    pub(crate) fn has_changed_since(&self, object: ObjectNumber, version: u64) -> bool {
        self.object_changes.get(&object).is_some_and(|change| *change > version)
    }

    pub(crate) fn privileges_have_changed_since(&self, version: u64) -> bool {
        self.privilege_change > version
    }

    #[must_use]
    pub fn table_by_number(&self, object: ObjectNumber) -> Option<&Arc<TableDef>> {
        self.tables.get(&object)
    }

    #[must_use]
    pub fn index_by_number(&self, object: ObjectNumber) -> Option<&Arc<IndexDef>> {
        self.indexes.get(&object)
    }

    /// All constraints, by number.
    pub fn constraints(&self) -> impl Iterator<Item = &Arc<ConstraintDef>> {
        self.constraints.values()
    }

    /// The constraint of this name in a schema.
    #[must_use]
    pub fn constraint(&self, owner: &str, name: &str) -> Option<&Arc<ConstraintDef>> {
        self.schemas.get(owner)?.constraints.get(name)
    }

    #[must_use]
    pub fn constraint_by_number(&self, number: u32) -> Option<&Arc<ConstraintDef>> {
        self.constraints.get(&number)
    }

    /// # Errors
    /// ORA-00942; ORA-30657 for an external table, ORA-01578 for a table that is unusable.
    pub fn require_table(&self, owner: &str, name: &str) -> Result<&Arc<TableDef>> {
        self.table(owner, name).ok_or_else(|| match self.object(owner, name) {
            Some(SchemaObject::External(table)) => table.refused(),
            _ => self.missing(owner, name, no_table),
        })
    }

    /// # Errors
    /// ORA-01418; ORA-01578 for an index that is unusable.
    pub fn require_index(&self, owner: &str, name: &str) -> Result<&Arc<IndexDef>> {
        let none = |owner: &str, name: &str| Error::user(1418, format!("there is no index {owner}.{name}"));
        self.index(owner, name).ok_or_else(|| self.missing(owner, name, none))
    }

    fn missing(&self, owner: &str, name: &str, none: fn(&str, &str) -> Error) -> Error {
        self.unusable.get(&format!("{owner}.{name}")).cloned().unwrap_or_else(|| none(owner, name))
    }

    pub(crate) fn is_unusable(&self, owner: &str, name: &str) -> bool {
        self.unusable.contains_key(&format!("{owner}.{name}"))
    }

    /// Tables and indexes that the dictionary knows and that cannot be used, because their segment headers are damaged.
    pub fn unusable(&self) -> impl Iterator<Item = (&str, &Error)> {
        self.unusable.iter().map(|(name, error)| (name.as_str(), error))
    }

    /// Users, not roles, by number.
    pub fn users(&self) -> impl Iterator<Item = &Arc<UserDef>> {
        self.users.values().filter(|user| user.kind == UserKind::User)
    }

    /// Roles, PUBLIC among them.
    pub fn roles(&self) -> impl Iterator<Item = &Arc<UserDef>> {
        self.users.values().filter(|user| user.kind == UserKind::Role)
    }

    /// Users and roles.
    pub fn grantees_all(&self) -> impl Iterator<Item = &Arc<UserDef>> {
        self.users.values()
    }

    /// The user or role called `name`.
    #[must_use]
    pub fn user(&self, name: &str) -> Option<&Arc<UserDef>> {
        self.users.get(self.user_numbers.get(name)?)
    }

    #[must_use]
    pub fn user_by_number(&self, number: UserNumber) -> Option<&Arc<UserDef>> {
        self.users.get(&number)
    }

    /// # Errors
    /// ORA-01918 where there is no such user; roles are not users.
    pub fn require_user(&self, name: &str) -> Result<&Arc<UserDef>> {
        self.user(name)
            .filter(|user| user.kind == UserKind::User)
            .ok_or_else(|| Error::user(1918, format!("there is no user {name}")))
    }

    // The functions below make the next catalog; DDL calls them on its own copy.

    /// Every object stands under its name in its schema and is the one with its number; indexes and constraints are
    /// those that their tables list; numbers to come are higher than all that are there.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(crate) fn check_invariants(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::bug(format!("catalog: {what}")));
        for (number, table) in &self.tables {
            let name = table.qualified_name();
            if table.object != *number || !self.table(&table.owner, &table.name).is_some_and(|t| Arc::ptr_eq(t, table))
            {
                return wrong(format!("table {name} stands in another place"));
            }
            if number.0 >= self.next_object {
                return wrong(format!("table {name} has a number to come, {}", number.0));
            }
            let known =
                |index: &&Arc<IndexDef>| self.indexes.get(&index.object).is_some_and(|own| Arc::ptr_eq(own, index));
            if !table.indexes.iter().all(|index| known(&index)) {
                return wrong(format!("table {name} has an index that is not there: {:?}", table.indexes));
            }
        }
        for (number, index) in &self.indexes {
            let name = index.qualified_name();
            if index.object != *number || !self.index(&index.owner, &index.name).is_some_and(|i| Arc::ptr_eq(i, index))
            {
                return wrong(format!("index {name} stands in another place"));
            }
            let table = self.tables.get(&index.table);
            if !table.is_some_and(|table| table.indexes.iter().any(|own| Arc::ptr_eq(own, index))) {
                return wrong(format!("index {name} is not among those of its table"));
            }
        }
        for (number, constraint) in &self.constraints {
            let table = self.tables.get(&constraint.table);
            if *number >= self.next_constraint
                || !table.is_some_and(|table| table.constraints.iter().any(|own| Arc::ptr_eq(own, constraint)))
            {
                return wrong(format!("constraint {} is not among those of its table", constraint.name));
            }
        }
        for (number, user) in &self.users {
            if user.number != *number || self.user_numbers.get(&user.name) != Some(number) {
                return wrong(format!("user {} has several numbers", user.name));
            }
        }
        if self.user_numbers.len() != self.users.len() {
            return wrong(format!("{} names of {} users", self.user_numbers.len(), self.users.len()));
        }
        Ok(())
    }

    pub(crate) fn advance(&mut self) {
        self.version += 1;
    }

    /// Gives the catalog a version that no other catalog ever has: a session's private view of objects that it may
    /// never commit.
    pub(crate) fn set_private_version(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
        self.version = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn put_unusable(&mut self, name: String, error: Error) {
        self.unusable.insert(name, error);
    }

    pub(crate) fn remove_unusable(&mut self, owner: &str, name: &str) {
        self.unusable.remove(&format!("{owner}.{name}"));
    }

    fn schema(&mut self, owner: &str) -> &mut Schema {
        Arc::make_mut(self.schemas.entry(owner.to_owned()).or_default())
    }

    /// Puts a table in, or in the place of its older definition, with the indexes that the catalog has for it.
    pub(crate) fn put_table(&mut self, mut table: TableDef) -> Arc<TableDef> {
        if let Some(old) = self.tables.get(&table.object).cloned() {
            self.schema(&old.owner).tables.remove(&old.name);
        }
        table.heap_mut().indexes = self.indexes.values().filter(|index| index.table == table.object).cloned().collect();
        table.constraints =
            self.constraints.values().filter(|constraint| constraint.table == table.object).cloned().collect();
        let refers = |constraint: &&Arc<ConstraintDef>| {
            constraint.reference.as_ref().is_some_and(|reference| reference.table == table.object)
        };
        table.referencing = self.constraints.values().filter(refers).cloned().collect();
        let table = Arc::new(table);
        self.tables.insert(table.object, table.clone());
        let before = self.schema(&table.owner).tables.insert(table.name.clone(), table.clone());
        debug_assert!(before.is_none(), "{} has the name of {before:?}", table.qualified_name());
        table
    }

    /// Puts an index in, or in the place of its older definition. Its table's definition must be put again afterwards.
    fn put_index_alone(&mut self, index: IndexDef) -> Arc<IndexDef> {
        if let Some(old) = self.indexes.get(&index.object).cloned() {
            self.schema(&old.owner).indexes.remove(&old.name);
        }
        let index = Arc::new(index);
        self.indexes.insert(index.object, index.clone());
        let before = self.schema(&index.owner).indexes.insert(index.name.clone(), index.clone());
        debug_assert!(before.is_none(), "{} has the name of {before:?}", index.qualified_name());
        index
    }

    /// Puts an index in, or in the place of its older definition, and gives its table a definition that lists it.
    pub(crate) fn put_index(&mut self, index: IndexDef) -> Arc<IndexDef> {
        let index = self.put_index_alone(index);
        if let Some(table) = self.tables.get(&index.table).cloned() {
            self.put_table(TableDef::clone(&table));
        }
        index
    }

    pub(crate) fn remove_index(&mut self, object: ObjectNumber) {
        if let Some(index) = self.indexes.remove(&object) {
            self.schema(&index.owner).indexes.remove(&index.name);
            if let Some(table) = self.tables.get(&index.table).cloned() {
                self.put_table(TableDef::clone(&table));
            }
        }
    }

    /// Puts a constraint in, or in the place of its older definition, and gives its tables definitions that list it.
    pub(crate) fn put_constraint(&mut self, constraint: ConstraintDef) -> Arc<ConstraintDef> {
        if let Some(old) = self.constraints.get(&constraint.number).cloned() {
            self.schema(&old.owner).constraints.remove(&old.name);
        }
        let constraint = Arc::new(constraint);
        self.constraints.insert(constraint.number, constraint.clone());
        let before = self.schema(&constraint.owner).constraints.insert(constraint.name.clone(), constraint.clone());
        debug_assert!(before.is_none(), "constraint {} has the name of {before:?}", constraint.name);
        self.put_tables_of(&constraint);
        constraint
    }

    pub(crate) fn remove_constraint(&mut self, number: u32) {
        if let Some(constraint) = self.constraints.remove(&number) {
            self.schema(&constraint.owner).constraints.remove(&constraint.name);
            self.put_tables_of(&constraint);
        }
    }

    /// New definitions of the tables that list a constraint.
    fn put_tables_of(&mut self, constraint: &ConstraintDef) {
        let parent = constraint.reference.as_ref().map(|reference| reference.table);
        for object in [Some(constraint.table), parent.filter(|parent| *parent != constraint.table)] {
            if let Some(table) = object.and_then(|object| self.tables.get(&object)).cloned() {
                self.put_table(TableDef::clone(&table));
            }
        }
    }

    /// Takes a table, its indexes, its constraints and the privileges on it out.
    pub(crate) fn remove_table(&mut self, object: ObjectNumber) {
        let Some(table) = self.tables.remove(&object) else { return };
        self.schema(&table.owner).tables.remove(&table.name);
        for constraint in &table.constraints {
            self.remove_constraint(constraint.number);
        }
        for index in &table.indexes {
            self.indexes.remove(&index.object);
            self.schema(&index.owner).indexes.remove(&index.name);
        }
        self.forget_grants(object);
    }

    /// Puts an external table, view, sequence, synonym, procedure, function or package in, or in the place of its older
    /// definition.
    pub(crate) fn put_other(&mut self, object: SchemaObject) {
        if let Some(old) = self.others.get(&object.number()).cloned() {
            self.schema(old.owner()).others.remove(old.name());
        }
        self.others.insert(object.number(), object.clone());
        self.schema(object.owner()).others.insert(object.name().to_owned(), object);
    }

    /// Takes an external table, view, sequence, synonym, procedure, function or package and the privileges on it out.
    pub(crate) fn remove_other(&mut self, object: ObjectNumber) {
        let Some(old) = self.others.remove(&object) else { return };
        self.schema(old.owner()).others.remove(old.name());
        self.forget_grants(object);
    }

    pub(crate) fn put_directory(&mut self, directory: DirectoryDef) -> Arc<DirectoryDef> {
        let directory = Arc::new(directory);
        self.directories.insert(directory.name.clone(), directory.clone());
        directory
    }

    /// Takes a directory and the privileges on it out.
    pub(crate) fn remove_directory(&mut self, directory: &DirectoryDef) {
        self.directories.remove(&directory.name);
        self.forget_grants(directory.object);
    }

    /// Puts a program in, or in the place of its older definition.
    pub(crate) fn put_program(&mut self, program: ProgramDef) -> Arc<ProgramDef> {
        self.take_program_out(program.object);
        let program = Arc::new(program);
        self.programs.insert(program.object, program.clone());
        match program.kind {
            ProgramKind::PackageBody => {
                self.schema(&program.owner).bodies.insert(program.name.clone(), program.clone());
            }
            ProgramKind::Trigger => {
                self.schema(&program.owner).triggers.insert(program.name.clone(), program.clone());
                if let Some(trigger) = &program.trigger {
                    self.triggers.entry(trigger.base).or_default().insert(program.object, program.clone());
                }
            }
            _ => self.put_other(SchemaObject::Program(program.clone())),
        }
        program
    }

    /// Takes a program and the privileges on it out.
    pub(crate) fn remove_program(&mut self, object: ObjectNumber) {
        self.take_program_out(object);
        self.remove_other(object);
    }

    /// Removes a program, without its entry in [`Catalog::others`].
    fn take_program_out(&mut self, object: ObjectNumber) {
        let Some(old) = self.programs.remove(&object) else { return };
        match old.kind {
            ProgramKind::PackageBody => drop(self.schema(&old.owner).bodies.remove(&old.name)),
            ProgramKind::Trigger => {
                self.schema(&old.owner).triggers.remove(&old.name);
                if let Some(trigger) = &old.trigger
                    && let Some(of_base) = self.triggers.get_mut(&trigger.base)
                {
                    of_base.remove(&object);
                    if of_base.is_empty() {
                        self.triggers.remove(&trigger.base);
                    }
                }
            }
            _ => {}
        }
    }

    /// A stamp that no program of the instance has had.
    pub(crate) fn new_stamp(&mut self) -> u64 {
        self.next_stamp += 1;
        self.next_stamp
    }

    /// Records that the current DDL statement changes an object.
    pub(crate) fn note_change(&mut self, object: ObjectNumber) {
        self.object_changes.insert(object, self.version + 1);
    }

    /// Forgets the changes of a dropped object: its dependents find it gone.
    pub(crate) fn forget_changes(&mut self, object: ObjectNumber) {
        self.object_changes.remove(&object);
    }

    /// Records that the current DDL statement changes privileges.
    pub(crate) fn note_privilege_change(&mut self) {
        self.privilege_change = self.version + 1;
    }

    /// Takes the privileges on an object out.
    fn forget_grants(&mut self, object: ObjectNumber) {
        let held: Vec<_> = self
            .users
            .values()
            .filter(|user| user.objects.keys().any(|(of, _)| *of == object))
            .map(|user| UserDef::clone(user))
            .collect();
        for mut user in held {
            user.objects.retain(|(of, _), _| *of != object);
            self.put_user(user);
        }
    }

    pub(crate) fn put_user(&mut self, user: UserDef) {
        self.user_numbers.insert(user.name.clone(), user.number);
        self.users.insert(user.number, Arc::new(user));
    }

    /// Removes quotas in a dropped tablespace.
    pub(crate) fn forget_quotas(&mut self, tablespace: &str) {
        let held: Vec<_> = self
            .users
            .values()
            .filter(|user| user.quotas.contains(tablespace))
            .map(|user| UserDef::clone(user))
            .collect();
        for mut user in held {
            user.quotas.remove(tablespace);
            self.put_user(user);
        }
    }

    pub(crate) fn remove_user(&mut self, number: UserNumber) {
        if let Some(user) = self.users.remove(&number) {
            self.user_numbers.remove(&user.name);
            self.schemas.remove(&user.name);
        }
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog")
            .field("version", &self.version)
            .field("tables", &self.tables.len())
            .field("indexes", &self.indexes.len())
            .field("others", &self.others.len())
            .field("programs", &self.programs.len())
            .field("users", &self.users.len())
            .finish_non_exhaustive()
    }
}
