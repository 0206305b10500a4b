//! Checks of constraints on new and changed rows, for many rows at once.
//!
//! ```text
//! add row ──> columns of checks as arrays     run ──> conditions evaluated over the batch
//!        └──> keys of foreign keys                └──> keys not seen yet looked up in the parent's index, in its order
//!        └──> keys whose index is not unique      …    finish ──> looked up when the rows are in
//! ```
//!
//! `run` comes before the rows go in. `finish` checks constraints that the statement's own rows decide: foreign keys to
//! the same table, and unique keys whose index takes duplicates. NOT NULL is checked where values are assigned, unique
//! keys with a unique index by that index.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::physical_expr::PhysicalExpr;
use engine::constraint::{KeySet, duplicates, missing_parents, unique_key, whole_key};
use engine::dictionary::{ConstraintDef, ConstraintKind, IndexDef, TableDef};
use engine::instance::Session;

use super::condition::{Condition, StoredRows, any_false};
use super::deferred::{Deferred, parent_missing, violated_key};
use crate::cursor::connection::Connection;

/// Found parent keys that a statement remembers.
const KNOWN_MAX: usize = 100_000;

#[derive(Debug)]
struct Check {
    constraint: Arc<ConstraintDef>,
    condition: Arc<dyn PhysicalExpr>,
}

#[derive(Debug)]
struct ForeignKey {
    constraint: Arc<ConstraintDef>,
    /// Keys of the rows added since the last `run`.
    new: KeySet,
    /// Keys whose parents were found.
    known: KeySet,
    /// Keys to look up when the statement's rows are in.
    late: KeySet,
}

#[derive(Debug)]
struct UniqueKey {
    constraint: Arc<ConstraintDef>,
    index: Arc<IndexDef>,
    keys: KeySet,
}

/// The constraints of one table that a statement must check.
#[derive(Debug)]
pub(crate) struct RowChecks {
    session: Arc<Session>,
    checks: Vec<Check>,
    rows: Option<StoredRows>,
    foreign: Vec<ForeignKey>,
    unique: Vec<UniqueKey>,
}

impl RowChecks {
    /// For new rows, or for rows whose columns `changed` change. None when there is nothing to check.
    pub(crate) fn of(connection: &Connection, table: &TableDef, changed: Option<&[usize]>) -> Result<Option<Self>> {
        let touched = |constraint: &&Arc<ConstraintDef>| {
            constraint.state.enabled
                && changed.is_none_or(|changed| {
                    constraint.columns.iter().any(|column| changed.contains(&usize::from(*column)))
                        // A condition without columns.
                        || constraint.columns.is_empty()
                })
        };
        let mut conditions = Vec::new();
        let (mut foreign, mut unique) = (Vec::new(), Vec::new());
        let catalog = connection.session.catalog();
        for constraint in table.constraints.iter().filter(touched) {
            match constraint.kind {
                ConstraintKind::Check => {
                    let text = constraint.condition.as_deref().unwrap_or_default();
                    let condition = Condition::bind(connection, text, &table.name, &table.columns)
                        .map_err(|error| Error { position: None, ..error })?;
                    conditions.push((Arc::clone(constraint), condition));
                }
                ConstraintKind::ForeignKey => foreign.push(ForeignKey {
                    constraint: Arc::clone(constraint),
                    new: KeySet::new(),
                    known: KeySet::new(),
                    late: KeySet::new(),
                }),
                ConstraintKind::PrimaryKey | ConstraintKind::Unique => {
                    let index = constraint.index.and_then(|index| catalog.index_by_number(index)).cloned();
                    let index = index.ok_or_else(|| Error::bug(format!("key {} has no index", constraint.name)))?;
                    if !index.unique {
                        unique.push(UniqueKey { constraint: Arc::clone(constraint), index, keys: KeySet::new() });
                    }
                }
                ConstraintKind::NotNull => {}
            }
        }
        if conditions.is_empty() && foreign.is_empty() && unique.is_empty() {
            return Ok(None);
        }
        let mut columns: Vec<usize> =
            conditions.iter().flat_map(|(check, _)| check.columns.iter().map(|column| usize::from(*column))).collect();
        columns.sort_unstable();
        columns.dedup();
        let rows = if conditions.is_empty() { None } else { Some(StoredRows::new(table, &columns)?) };
        let mut checks = Vec::new();
        if let Some(rows) = &rows {
            for (constraint, condition) in conditions {
                checks.push(Check { constraint, condition: condition.physical(&rows.schema)? });
            }
        }
        Ok(Some(Self { session: Arc::clone(&connection.session), checks, rows, foreign, unique }))
    }

    /// Adds a row: all columns of the table, encoded.
    pub(crate) fn add(&mut self, row: &[Option<&[u8]>]) {
        if let Some(rows) = &mut self.rows {
            rows.add(row);
        }
        for foreign in &mut self.foreign {
            if let Some(key) = whole_key(&foreign.constraint.columns, |position| row[position])
                && !foreign.known.contains(&key)
            {
                foreign.new.insert(key);
            }
        }
        for unique in &mut self.unique {
            unique.keys.extend(unique_key(&unique.constraint, |position| row[position]));
        }
    }

    /// Checks the rows added since the last time, which are not in the table yet.
    pub(crate) fn run(&mut self, deferred: &mut Deferred) -> Result<()> {
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.len() > 0) {
            let batch = rows.take()?;
            for check in &self.checks {
                if any_false(&check.condition, &batch)? {
                    if !deferred.defers(&check.constraint) {
                        let name = check.constraint.qualified_name();
                        return Err(Error::user(2290, format!("check constraint ({name}) violated")));
                    }
                    deferred.note_check(&check.constraint);
                }
            }
        }
        for foreign in &mut self.foreign {
            let keys = std::mem::take(&mut foreign.new);
            if deferred.defers(&foreign.constraint) {
                deferred.note_keys(&foreign.constraint, keys);
                continue;
            }
            let missing = missing_parents(&self.session, &foreign.constraint, &keys)?;
            let own = foreign.constraint.reference.as_ref().is_some_and(|r| r.table == foreign.constraint.table);
            if !missing.is_empty() && !own {
                return Err(parent_missing(&foreign.constraint));
            }
            if foreign.known.len() < KNOWN_MAX {
                foreign.known.extend(keys.into_iter().filter(|key| !missing.contains(key)));
            }
            foreign.late.extend(missing);
        }
        Ok(())
    }

    /// Runs the checks that need all of the statement's rows in the table.
    pub(crate) fn finish(self, deferred: &mut Deferred) -> Result<()> {
        for foreign in self.foreign {
            if !missing_parents(&self.session, &foreign.constraint, &foreign.late)?.is_empty() {
                return Err(parent_missing(&foreign.constraint));
            }
        }
        for unique in self.unique {
            if deferred.defers(&unique.constraint) {
                deferred.note_keys(&unique.constraint, unique.keys);
            } else {
                let width = unique.constraint.columns.len();
                if !duplicates(&self.session, &unique.index, &unique.keys, width)?.is_empty() {
                    return Err(violated_key(&unique.constraint));
                }
            }
        }
        Ok(())
    }
}
