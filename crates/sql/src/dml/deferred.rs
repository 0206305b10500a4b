//! Deferred constraints: checks that a session's transaction has yet to make, and SET CONSTRAINTS.
//!
//! A statement notes possible violations: keys of foreign and unique keys, and checks as such. The notes are checked
//! anew at the end of the transaction, because later statements may have corrected the rows.
//! [`Connection::check_deferred`] is called before a commit.

use std::collections::{BTreeMap, BTreeSet};

use common::{Error, Result};
use engine::constraint::{KeySet, duplicates, has_children, missing_parents};
use engine::dictionary::{ConstraintDef, ConstraintKind};

use crate::cursor::connection::Connection;
use crate::ddl::command::Name;

/// Deferred checks of a session's transaction.
#[derive(Default, Debug)]
pub(crate) struct Deferred {
    /// SET CONSTRAINTS ALL.
    all: Option<bool>,
    /// SET CONSTRAINT of single ones, by number.
    one: BTreeMap<u32, bool>,
    /// Possible violations, in the order of the statements.
    notes: Vec<Note>,
    /// The number of the next note.
    next: u64,
}

/// A possible violation.
#[derive(Debug)]
struct Note {
    number: u64,
    constraint: u32,
    /// For a foreign or unique key; empty for a check.
    keys: KeySet,
    /// The note number at which SET CONSTRAINTS last found no violation. Later statements note or check their own; but
    /// a savepoint from before may undo the rows of that check.
    passed: Option<u64>,
}

impl Deferred {
    /// True: the constraint is checked at the end of the transaction at present.
    pub(crate) fn defers(&self, constraint: &ConstraintDef) -> bool {
        let state = constraint.state;
        state.deferrable && self.one.get(&constraint.number).copied().or(self.all).unwrap_or(state.deferred)
    }

    pub(crate) fn note_keys(&mut self, constraint: &ConstraintDef, keys: KeySet) {
        if !keys.is_empty() {
            self.note(constraint, keys);
        }
    }

    fn note(&mut self, constraint: &ConstraintDef, keys: KeySet) {
        self.notes.push(Note { number: self.next, constraint: constraint.number, keys, passed: None });
        self.next += 1;
    }

    /// The present position, for [`Deferred::back_to`].
    pub(crate) fn mark(&self) -> u64 {
        self.next
    }

    /// Forgets notes and passed checks since the mark, whose changes have been rolled back.
    pub(crate) fn back_to(&mut self, mark: u64) {
        self.notes.retain(|note| note.number < mark);
        for note in &mut self.notes {
            note.passed = note.passed.filter(|at| *at < mark);
        }
    }

    pub(crate) fn note_check(&mut self, constraint: &ConstraintDef) {
        self.note(constraint, KeySet::new());
    }

    /// Notes still to be checked.
    fn open(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.passed.is_none())
    }

    fn numbers(&self) -> BTreeSet<u32> {
        self.open().map(|note| note.constraint).collect()
    }

    fn keys(&self, number: u32) -> KeySet {
        self.open().filter(|note| note.constraint == number).flat_map(|note| note.keys.iter().cloned()).collect()
    }

    /// The constraint has been found to hold.
    fn passed(&mut self, number: u32) {
        let now = self.next;
        // Marks from before and after this differ.
        self.next += 1;
        for note in self.notes.iter_mut().filter(|note| note.constraint == number) {
            note.passed.get_or_insert(now);
        }
    }
}

/// ORA-02291.
pub(crate) fn parent_missing(foreign: &ConstraintDef) -> Error {
    let name = foreign.qualified_name();
    Error::user(2291, format!("integrity constraint ({name}) violated - parent key not found"))
}

/// ORA-02292.
pub(crate) fn child_found(foreign: &ConstraintDef) -> Error {
    let name = foreign.qualified_name();
    Error::user(2292, format!("integrity constraint ({name}) violated - child record found"))
}

/// ORA-00001.
pub(crate) fn violated_key(key: &ConstraintDef) -> Error {
    Error::user(1, format!("unique constraint ({}) violated", key.qualified_name()))
}

impl Connection {
    /// Checks all that the transaction has deferred. Called before a commit.
    ///
    /// # Errors
    /// That of the first violated constraint; the notes stay, and the transaction goes on.
    pub(crate) fn check_deferred(&self) -> Result<()> {
        let numbers = self.shared.deferred.lock().numbers();
        numbers.into_iter().try_for_each(|number| self.check_one_deferred(number))
    }

    /// Forgets all notes and SET CONSTRAINTS at the end of the transaction.
    pub(crate) fn forget_deferred(&self) {
        *self.shared.deferred.lock() = Deferred::default();
    }

    fn check_one_deferred(&self, number: u32) -> Result<()> {
        let catalog = self.session.catalog();
        // A constraint that has been dropped or disabled since is not checked.
        let Some(constraint) = catalog.constraint_by_number(number).filter(|found| found.state.enabled) else {
            return Ok(());
        };
        let Some(table) = catalog.table_by_number(constraint.table) else { return Ok(()) };
        let keys = self.shared.deferred.lock().keys(number);
        let _now = self.session.enter(self.session.current_snapshot());
        match constraint.kind {
            ConstraintKind::ForeignKey => self.check_keys_now(constraint, &keys),
            ConstraintKind::PrimaryKey | ConstraintKind::Unique => {
                let index = constraint.index.and_then(|index| catalog.index_by_number(index));
                let index = index.ok_or_else(|| Error::bug(format!("key {} has no index", constraint.name)))?;
                if duplicates(&self.session, index, &keys, constraint.columns.len())?.is_empty() {
                    Ok(())
                } else {
                    Err(violated_key(constraint))
                }
            }
            ConstraintKind::Check => {
                let condition = constraint.condition.as_deref().unwrap_or_default();
                if self.all_rows_satisfy(table, condition)? {
                    return Ok(());
                }
                Err(Error::user(2290, format!("check constraint ({}) violated", constraint.qualified_name())))
            }
            ConstraintKind::NotNull => Ok(()),
        }
    }

    /// Looks for keys with a child and without a parent, in the rows as they are now.
    pub(crate) fn check_keys_now(&self, foreign: &ConstraintDef, keys: &KeySet) -> Result<()> {
        let missing = missing_parents(&self.session, foreign, keys)?;
        if missing.is_empty() {
            return Ok(());
        }
        let catalog = self.session.catalog();
        let Some(child) = catalog.table_by_number(foreign.table) else { return Ok(()) };
        if has_children(&self.session, child, foreign, &missing)? { Err(parent_missing(foreign)) } else { Ok(()) }
    }

    /// SET CONSTRAINTS. No names: all deferrable ones.
    ///
    /// # Errors
    /// ORA-02448 no such constraint; ORA-02447 it is not deferrable; with IMMEDIATE that of a violated constraint,
    /// which stays deferred.
    pub(crate) fn set_constraints(&self, names: &[Name], deferred: bool) -> Result<()> {
        let catalog = self.session.catalog();
        let mut numbers = Vec::new();
        for name in names {
            let (owner, name) = self.qualified(name);
            let found = catalog
                .constraint(&owner, &name)
                .ok_or_else(|| Error::user(2448, format!("constraint {owner}.{name} does not exist")))?;
            if !found.state.deferrable {
                return Err(Error::user(2447, format!("constraint {owner}.{name} is not deferrable")));
            }
            numbers.push(found.number);
        }
        if !deferred {
            let checked = if names.is_empty() {
                self.shared.deferred.lock().numbers().into_iter().collect()
            } else {
                numbers.clone()
            };
            for number in checked {
                self.check_one_deferred(number)?;
                self.shared.deferred.lock().passed(number);
            }
        }
        let mut state = self.shared.deferred.lock();
        if names.is_empty() {
            state.all = Some(deferred);
            state.one.clear();
        }
        state.one.extend(numbers.into_iter().map(|number| (number, deferred)));
        Ok(())
    }
}
