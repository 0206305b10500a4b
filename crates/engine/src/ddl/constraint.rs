//! Constraints: adding, dropping, enabling, disabling, renaming.
//!
//! Adding or enabling one checks the rows that are there, under the table's exclusive lock, before the dictionary
//! changes. Conditions of checks are expressions, which the engine cannot evaluate: the caller hands in a test of the
//! table's rows.

use std::sync::Arc;

use common::{Error, Result};
use scan::Predicate;

use super::check::{PhysicalAttributes, check_name};
use super::statement::Ddl;
use crate::constraint::orphan;
use crate::dictionary::access::{equal, is};
use crate::dictionary::field::Moment;
use crate::dictionary::rows::{ColumnRow, ConstraintColumnRow, ConstraintNameRow, ConstraintRow};
use crate::dictionary::{
    ConstraintDef, ConstraintKind, ConstraintState, ObjectPrivilege, OnDelete, Reference, Rights, SystemPrivilege,
    TableDef,
};
use crate::instance::Session;
use storage::segment::Storage;
use storage::txn::{LockWait, TableLock};

/// Tests a condition on every row of the table; true when it is false for none.
pub type RowTest<'a> = dyn FnMut(&Arc<TableDef>, &str) -> Result<bool> + 'a;

/// Which index enforces a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyIndex {
    /// One that begins with the key's columns if there is one, else a new one with these attributes.
    Made { tablespace: Option<String>, physical: PhysicalAttributes, storage: Storage, logging: Option<bool> },
    /// The index of this owner and name.
    Existing { owner: String, name: String },
}

impl Default for KeyIndex {
    fn default() -> Self {
        let (physical, storage) = (PhysicalAttributes::default(), Storage::default());
        Self::Made { tablespace: None, physical, storage, logging: None }
    }
}

/// The rule of a constraint. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstraintRule {
    NotNull {
        column: String,
    },
    /// `columns` are those that the condition names; the caller has checked it.
    Check {
        condition: String,
        columns: Vec<String>,
    },
    Key {
        primary: bool,
        columns: Vec<String>,
        index: KeyIndex,
    },
    ForeignKey {
        columns: Vec<String>,
        owner: String,
        table: String,
        /// Empty: the primary key.
        referenced: Vec<String>,
        on_delete: OnDelete,
    },
}

/// A constraint to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstraintSpec {
    /// None: `SYS_Cnnnnnn`.
    pub name: Option<String>,
    pub rule: ConstraintRule,
    pub state: ConstraintState,
}

impl ConstraintSpec {
    /// A NOT NULL without a name.
    #[must_use]
    pub fn not_null(column: &str) -> Self {
        let rule = ConstraintRule::NotNull { column: column.to_owned() };
        Self { name: None, rule, state: ConstraintState::default() }
    }
}

/// A statement's reference to a constraint of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstraintName {
    Name(String),
    PrimaryKey,
    Unique(Vec<String>),
}

/// Change of an existing constraint by ALTER TABLE; None: unchanged.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ConstraintChange {
    pub enabled: Option<bool>,
    pub validated: Option<bool>,
    pub deferred: Option<bool>,
    /// DISABLE of a key that foreign keys refer to disables them too.
    pub cascade: bool,
    /// KEEP INDEX, DROP INDEX.
    pub keep_index: Option<bool>,
    /// USING INDEX, for ENABLE.
    pub index: KeyIndex,
}

impl Session {
    /// ALTER TABLE … ADD CONSTRAINT.
    ///
    /// # Errors
    /// ORA-02264 the name is taken; ORA-02260, 02261, 02275 there is such a constraint; ORA-02268, 02270, 02256, 02267
    /// the key referred to does not fit; ORA-02296, 02293, 02298, 02299, 02437 the rows do not satisfy it; those of
    /// CREATE INDEX for a key; ORA-00942, 01031, 00054.
    pub fn add_constraint(
        self: &Arc<Self>,
        owner: &str,
        table: &str,
        spec: &ConstraintSpec,
        test: &mut RowTest<'_>,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, table, SystemPrivilege::AlterAnyTable)?;
            ddl.lock(&table)?;
            ddl.add_constraint(&table, spec, test)
        })
    }

    /// ALTER TABLE … DROP CONSTRAINT; `cascade` drops the foreign keys that refer to it too.
    ///
    /// # Errors
    /// ORA-02443, 02441, 02442 there is none; ORA-02273 it is referred to; ORA-00942, 01031, 00054.
    pub fn drop_constraint(
        self: &Arc<Self>,
        owner: &str,
        table: &str,
        name: &ConstraintName,
        cascade: bool,
        keep_index: Option<bool>,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, table, SystemPrivilege::AlterAnyTable)?;
            ddl.lock(&table)?;
            let constraint = find(&table, name, |name| match name {
                ConstraintName::Name(name) => {
                    Error::user(2443, format!("cannot drop constraint {name}: there is none of this name"))
                }
                ConstraintName::PrimaryKey => Error::user(2441, "the table has no primary key to drop"),
                ConstraintName::Unique(_) => Error::user(2442, "the table has no such unique key to drop"),
            })?;
            ddl.drop_constraint(&constraint, cascade, keep_index)
        })
    }

    /// ALTER TABLE … ENABLE, DISABLE and MODIFY CONSTRAINT.
    ///
    /// # Errors
    /// ORA-02430, 02431 there is none; ORA-02297 enabled foreign keys refer to it; ORA-02447 it is not deferrable;
    /// those of adding one.
    pub fn change_constraint(
        self: &Arc<Self>,
        owner: &str,
        table: &str,
        name: &ConstraintName,
        change: &ConstraintChange,
        test: &mut RowTest<'_>,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, table, SystemPrivilege::AlterAnyTable)?;
            ddl.lock(&table)?;
            let constraint = find(&table, name, |_| match change.enabled {
                Some(false) => Error::user(2431, "cannot disable constraint: the table has no such constraint"),
                _ => Error::user(2430, "cannot enable constraint: the table has no such constraint"),
            })?;
            ddl.change_constraint(&constraint, change, test)
        })
    }

    /// ALTER TABLE … RENAME CONSTRAINT.
    ///
    /// # Errors
    /// ORA-23292 there is none; ORA-02264 the name is taken; ORA-00942, 01031, 00054.
    pub fn rename_constraint(self: &Arc<Self>, owner: &str, table: &str, from: &str, to: &str) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, table, SystemPrivilege::AlterAnyTable)?;
            ddl.lock(&table)?;
            let constraint = find(&table, &ConstraintName::Name(from.to_owned()), |_| {
                Error::user(23292, format!("constraint {from} does not exist"))
            })?;
            ddl.check_constraint_name(&constraint.owner, to)?;
            ddl.update::<ConstraintNameRow>(&equal("CON#", constraint.number)?, |row| to.clone_into(&mut row.name))?;
            let renamed = ConstraintDef { name: to.to_owned(), generated: false, ..ConstraintDef::clone(&constraint) };
            ddl.update::<ConstraintRow>(&equal("CON#", constraint.number)?, |row| row.generated = false)?;
            ddl.catalog.put_constraint(renamed);
            Ok(())
        })
    }
}

fn find(
    table: &TableDef,
    name: &ConstraintName,
    missing: impl FnOnce(&ConstraintName) -> Error,
) -> Result<Arc<ConstraintDef>> {
    let found = match name {
        ConstraintName::Name(name) => table.constraint(name),
        ConstraintName::PrimaryKey => table.primary_key(),
        ConstraintName::Unique(columns) => {
            let columns = positions(table, columns)?;
            table.constraints.iter().find(|key| key.kind == ConstraintKind::Unique && key.columns == columns)
        }
    };
    found.cloned().ok_or_else(|| missing(name))
}

/// Positions of columns in the table.
pub(super) fn positions(table: &TableDef, names: &[String]) -> Result<Vec<u16>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let position = table
            .column(name)
            .and_then(|position| u16::try_from(position).ok())
            .ok_or_else(|| Error::user(904, format!("\"{name}\": invalid identifier")))?;
        if found.contains(&position) {
            return Err(Error::user(957, format!("duplicate column name: {name}")));
        }
        found.push(position);
    }
    Ok(found)
}

impl Ddl<'_> {
    /// Adds a constraint to a table that is locked, or that no other session can see yet.
    pub(super) fn add_constraint(
        &mut self,
        table: &Arc<TableDef>,
        spec: &ConstraintSpec,
        test: &mut RowTest<'_>,
    ) -> Result<()> {
        let number = self.new_constraint();
        if let Some(name) = &spec.name {
            self.check_constraint_name(&table.owner, name)?;
        }
        let name = spec.name.clone().unwrap_or_else(|| format!("SYS_C{number:06}"));
        let (kind, columns, condition, reference) = self.resolved(table, &spec.rule)?;
        let mut constraint = ConstraintDef {
            number,
            owner: table.owner.clone(),
            name,
            generated: spec.name.is_none(),
            kind,
            table: table.object,
            columns,
            condition,
            index: None,
            own_index: false,
            reference,
            state: spec.state,
            changed_us: self.now_us(),
        };
        if let ConstraintRule::Key { index, .. } = &spec.rule
            && spec.state.enabled
        {
            self.give_index(table, &mut constraint, index)?;
        }
        if spec.state.enabled && spec.state.validated {
            self.check_rows(table, &constraint, test)?;
        }
        self.insert(&[ConstraintNameRow {
            owner: self.owner_number(&constraint.owner)?,
            name: constraint.name.clone(),
            number,
        }])?;
        self.insert(&[constraint_row(&constraint)])?;
        let column = |(position, column): (u16, &u16)| ConstraintColumnRow {
            number,
            table: table.object.0,
            position,
            column: column + 1,
        };
        let columns: Vec<_> = (1u16..).zip(&constraint.columns).map(column).collect();
        self.insert(&columns)?;
        self.catalog.put_constraint(constraint);
        self.set_nullability(table)
    }

    fn owner_number(&self, owner: &str) -> Result<u32> {
        Ok(self.catalog.require_user(owner)?.number.0)
    }

    /// # Errors
    /// ORA-02264.
    fn check_constraint_name(&self, owner: &str, name: &str) -> Result<()> {
        check_name(name)?;
        if self.catalog.constraint(owner, name).is_some() {
            return Err(Error::user(2264, format!("the name {name} is used by another constraint")));
        }
        Ok(())
    }

    /// Kind, columns, condition and reference of a rule, all names looked up.
    #[expect(clippy::type_complexity, reason = "the parts of a definition, taken apart where they arrive")]
    fn resolved(
        &self,
        table: &TableDef,
        rule: &ConstraintRule,
    ) -> Result<(ConstraintKind, Vec<u16>, Option<String>, Option<Reference>)> {
        match rule {
            ConstraintRule::NotNull { column } => {
                let columns = positions(table, std::slice::from_ref(column))?;
                let there =
                    |other: &Arc<ConstraintDef>| other.kind == ConstraintKind::NotNull && other.columns == columns;
                if table.constraints.iter().any(there) {
                    return Err(Error::user(1442, format!("column {column} is NOT NULL already")));
                }
                Ok((ConstraintKind::NotNull, columns, Some(format!("\"{column}\" IS NOT NULL")), None))
            }
            ConstraintRule::Check { condition, columns } => {
                Ok((ConstraintKind::Check, positions(table, columns)?, Some(condition.clone()), None))
            }
            ConstraintRule::Key { primary, columns, .. } => {
                let columns = positions(table, columns)?;
                if *primary && table.primary_key().is_some() {
                    return Err(Error::user(2260, format!("table {} has a primary key already", table.name)));
                }
                if table.constraints.iter().any(|other| other.kind.is_key() && other.columns == columns) {
                    return Err(Error::user(2261, "the table has such a unique or primary key already"));
                }
                Ok((if *primary { ConstraintKind::PrimaryKey } else { ConstraintKind::Unique }, columns, None, None))
            }
            ConstraintRule::ForeignKey { columns, owner, table: parent, referenced, on_delete } => {
                let columns = positions(table, columns)?;
                let reference = self.reference(table, &columns, owner, parent, referenced, *on_delete)?;
                let there = |other: &Arc<ConstraintDef>| {
                    other.columns == columns && other.reference.as_ref().is_some_and(|r| r.key == reference.key)
                };
                if table.constraints.iter().any(there) {
                    return Err(Error::user(2275, "the table has such a foreign key already"));
                }
                Ok((ConstraintKind::ForeignKey, columns, None, Some(reference)))
            }
        }
    }

    fn reference(
        &self,
        table: &TableDef,
        columns: &[u16],
        owner: &str,
        parent: &str,
        referenced: &[String],
        on_delete: OnDelete,
    ) -> Result<Reference> {
        let parent = self.catalog.require_table(owner, parent)?.clone();
        // The owner of the child must hold the privilege, even where a DBA makes the constraint.
        if table.owner != parent.owner && !parent.is_dictionary() {
            let user = self.session.rights();
            let holder = if user == *table.owner.as_str() { user } else { Rights::of_owner(&table.owner) };
            self.catalog.check_table(&holder, &parent, ObjectPrivilege::References)?;
        }
        let key = if referenced.is_empty() {
            parent
                .primary_key()
                .ok_or_else(|| Error::user(2268, format!("{} has no primary key", parent.qualified_name())))?
        } else {
            if referenced.len() != columns.len() {
                return Err(Error::user(2256, "a foreign key has as many columns as the key that it refers to"));
            }
            let referenced = positions(&parent, referenced)?;
            parent
                .constraints
                .iter()
                .find(|key| key.kind.is_key() && key.columns == referenced)
                .ok_or_else(|| Error::user(2270, "there is no unique or primary key on these columns"))?
        };
        if key.columns.len() != columns.len() {
            return Err(Error::user(2256, "a foreign key has as many columns as the key that it refers to"));
        }
        for (own, other) in columns.iter().zip(&key.columns) {
            let (own, other) = (&table.columns[usize::from(*own)], &parent.columns[usize::from(*other)]);
            check_types(own.data_type, other.data_type, &own.name)?;
        }
        for column in columns.iter().filter(|_| on_delete == OnDelete::SetNull) {
            if table.refuses_null(usize::from(*column)) {
                let name = &table.columns[usize::from(*column)].name;
                return Err(Error::user(1407, format!("ON DELETE SET NULL on column {name}, which is NOT NULL")));
            }
        }
        Ok(Reference { table: parent.object, key: key.number, columns: key.columns.clone(), on_delete })
    }

    /// Checks a constraint against existing rows.
    fn check_rows(&self, table: &Arc<TableDef>, constraint: &ConstraintDef, test: &mut RowTest<'_>) -> Result<()> {
        let name = constraint.qualified_name();
        match (constraint.kind, &constraint.condition, &constraint.reference) {
            (ConstraintKind::NotNull, ..) => {
                for column in &constraint.columns {
                    if self.has_rows(table, Some(Predicate::IsNull(*column)))? {
                        return Err(Error::user(2296, format!("cannot enable ({name}) - null values found")));
                    }
                }
            }
            (ConstraintKind::PrimaryKey, ..) => {
                for column in &constraint.columns {
                    if self.has_rows(table, Some(Predicate::IsNull(*column)))? {
                        return Err(Error::user(1449, "column contains NULL values; cannot alter to NOT NULL"));
                    }
                }
                self.check_unique(table, constraint)?;
            }
            (ConstraintKind::Unique, ..) => self.check_unique(table, constraint)?,
            (ConstraintKind::Check, Some(condition), _) => {
                if !test(table, condition)? {
                    return Err(Error::user(2293, format!("cannot validate ({name}) - check constraint violated")));
                }
            }
            (ConstraintKind::ForeignKey, _, Some(reference)) => {
                let parent = self.catalog.table_by_number(reference.table).cloned();
                let parent = parent.ok_or_else(|| Error::bug("a foreign key refers to a table that is gone"))?;
                self.check_key_enabled(&parent, reference)?;
                // Parents that other sessions are about to delete would be missing afterwards.
                self.session.lock_table(parent.object, TableLock::Share, LockWait::NoWait)?;
                if orphan(self.session, table, constraint, &parent)? {
                    return Err(Error::user(2298, format!("cannot validate ({name}) - parent keys not found")));
                }
            }
            (ConstraintKind::Check | ConstraintKind::ForeignKey, ..) => {
                return Err(Error::bug(format!("constraint {name} has no rule")));
            }
        }
        Ok(())
    }

    fn check_key_enabled(&self, parent: &TableDef, reference: &Reference) -> Result<()> {
        let enabled = self.catalog.constraint_by_number(reference.key).is_some_and(|key| key.state.enabled);
        if enabled {
            return Ok(());
        }
        Err(Error::user(2270, format!("the key of {} that is referred to is disabled", parent.qualified_name())))
    }

    /// Sets every column's `nullable` from the present constraints.
    fn set_nullability(&mut self, table: &TableDef) -> Result<()> {
        let current = self.catalog.table_by_number(table.object).cloned();
        let current = current.ok_or_else(|| Error::bug("a table is gone"))?;
        let mut changed = TableDef::clone(&current);
        for (position, column) in changed.heap_mut().columns.iter_mut().enumerate() {
            let trusted = |constraint: &Arc<ConstraintDef>| {
                constraint.state.enabled && constraint.state.validated && constraint.forbids_null(position)
            };
            let nullable = !current.constraints.iter().any(trusted);
            if column.nullable != nullable {
                column.nullable = nullable;
                let row = [is("OBJ#", table.object.0)?, is("COL#", position as u16 + 1)?];
                self.update::<ColumnRow>(&row, |row| row.not_null = !nullable)?;
            }
        }
        if changed.columns != current.columns {
            self.catalog.put_table(changed);
        }
        Ok(())
    }

    /// Drops a constraint of a table that is locked.
    pub(super) fn drop_constraint(
        &mut self,
        constraint: &Arc<ConstraintDef>,
        cascade: bool,
        keep_index: Option<bool>,
    ) -> Result<()> {
        let table = self.catalog.table_by_number(constraint.table).cloned();
        let table = table.ok_or_else(|| Error::bug("a constraint's table is gone"))?;
        for foreign in self.referring_to(constraint) {
            if !cascade {
                return Err(Error::user(
                    2273,
                    format!("foreign key {} refers to this unique or primary key", foreign.qualified_name()),
                ));
            }
            if let Some(child) = self.catalog.table_by_number(foreign.table).cloned() {
                self.lock(&child)?;
            }
            self.drop_constraint(&foreign, false, None)?;
        }
        self.forget_constraint(constraint)?;
        self.release_index(constraint, keep_index)?;
        self.set_nullability(&table)
    }

    /// Takes a constraint out of the dictionary and the catalog; its index and the NULL of its columns stay as they
    /// are.
    pub(super) fn forget_constraint(&mut self, constraint: &ConstraintDef) -> Result<()> {
        let number = constraint.number;
        self.delete::<ConstraintColumnRow>(&equal("CON#", number)?)?;
        self.delete::<ConstraintRow>(&equal("CON#", number)?)?;
        self.delete::<ConstraintNameRow>(&equal("CON#", number)?)?;
        self.catalog.remove_constraint(number);
        Ok(())
    }

    /// The foreign keys that refer to a key.
    fn referring_to(&self, key: &ConstraintDef) -> Vec<Arc<ConstraintDef>> {
        let refers = |foreign: &&Arc<ConstraintDef>| foreign.reference.as_ref().is_some_and(|r| r.key == key.number);
        self.catalog.constraints().filter(refers).cloned().collect()
    }

    fn change_constraint(
        &mut self,
        constraint: &Arc<ConstraintDef>,
        change: &ConstraintChange,
        test: &mut RowTest<'_>,
    ) -> Result<()> {
        let table = self.catalog.table_by_number(constraint.table).cloned();
        let table = table.ok_or_else(|| Error::bug("a constraint's table is gone"))?;
        let mut changed = ConstraintDef { changed_us: self.now_us(), ..ConstraintDef::clone(constraint) };
        if let Some(deferred) = change.deferred {
            if deferred && !constraint.state.deferrable {
                return Err(Error::user(2447, format!("constraint {} is not deferrable", constraint.name)));
            }
            changed.state.deferred = deferred;
        }
        if change.enabled == Some(false) {
            for foreign in self.referring_to(constraint).into_iter().filter(|foreign| foreign.state.enabled) {
                if !change.cascade {
                    return Err(Error::user(
                        2297,
                        format!(
                            "cannot disable constraint ({}) - dependencies exist: {}",
                            constraint.qualified_name(),
                            foreign.qualified_name()
                        ),
                    ));
                }
                if let Some(child) = self.catalog.table_by_number(foreign.table).cloned() {
                    self.lock(&child)?;
                }
                let disable = ConstraintChange { enabled: Some(false), ..ConstraintChange::default() };
                self.change_constraint(&foreign, &disable, test)?;
            }
            self.release_index(constraint, change.keep_index)?;
            changed.state.enabled = false;
            changed.state.validated = false;
            (changed.index, changed.own_index) = (None, false);
        }
        let was = constraint.state;
        if change.enabled == Some(true) {
            changed.state.enabled = true;
            changed.state.validated = change.validated.unwrap_or(true);
            if constraint.kind.is_key() && constraint.index.is_none() {
                self.give_index(&table, &mut changed, &change.index)?;
            }
        } else if let (None, Some(validated)) = (change.enabled, change.validated) {
            changed.state.validated = validated;
        }
        if changed.state.enabled && changed.state.validated && !(was.enabled && was.validated) {
            self.check_rows(&table, &changed, test)?;
        }
        let row = constraint_row(&changed);
        self.update::<ConstraintRow>(&equal("CON#", changed.number)?, |stored| *stored = row.clone())?;
        self.catalog.put_constraint(changed);
        self.set_nullability(&table)
    }

    /// Before a table goes: foreign keys of other tables that refer to it go with `cascade`, else they keep it.
    ///
    /// # Errors
    /// ORA-02449; ORA-00054 when rows of a referring table are being changed.
    pub(super) fn drop_foreign_keys_to(&mut self, table: &TableDef, cascade: bool) -> Result<()> {
        let foreign: Vec<_> =
            table.referencing.iter().filter(|foreign| foreign.table != table.object).cloned().collect();
        if let Some(one) = foreign.first().filter(|_| !cascade) {
            return Err(Error::user(
                2449,
                format!(
                    "unique or primary keys of the table are referred to by foreign keys, as {}",
                    one.qualified_name()
                ),
            ));
        }
        for foreign in foreign {
            if let Some(child) = self.catalog.table_by_number(foreign.table).cloned() {
                self.lock(&child)?;
            }
            self.forget_constraint(&foreign)?;
        }
        Ok(())
    }
}

/// Refuses types whose equal values may differ in bytes: keys are compared as stored.
fn check_types(own: common::DataType, other: common::DataType, name: &str) -> Result<()> {
    use common::DataType as T;
    match (own, other) {
        (T::Number { .. }, T::Number { .. })
        | (T::Varchar2 { .. }, T::Varchar2 { .. })
        | (T::Raw { .. }, T::Raw { .. })
        | (T::Date, T::Date)
        | (T::Timestamp { .. }, T::Timestamp { .. }) => Ok(()),
        (T::Char { bytes: a }, T::Char { bytes: b }) if a == b => Ok(()),
        (T::Char { .. }, T::Char { .. }) => {
            Err(Error::unsupported(format!("a foreign key between CHAR columns of different lengths: {name}")))
        }
        _ => Err(Error::user(2267, format!("column {name} is of another type than the column that it refers to"))),
    }
}

fn constraint_row(constraint: &ConstraintDef) -> ConstraintRow {
    let reference = constraint.reference.as_ref();
    ConstraintRow {
        number: constraint.number,
        table: constraint.table.0,
        kind: constraint.kind.number(),
        referenced_table: reference.map(|reference| reference.table.0),
        referenced_key: reference.map(|reference| reference.key),
        on_delete: reference.map_or(0, |reference| reference.on_delete.number()),
        enabled: constraint.state.enabled.then(|| constraint.index.map_or(1, |index| index.0)),
        validated: constraint.state.validated,
        deferrable: constraint.state.deferrable,
        deferred: constraint.state.deferred,
        generated: constraint.generated,
        own_index: constraint.own_index,
        changed: Moment(constraint.changed_us),
        condition: constraint.condition.clone(),
    }
}
