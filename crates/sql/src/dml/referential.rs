//! Consequences of foreign keys when parent rows are deleted or their keys change: an error, deletion of the children,
//! or NULL in them.
//!
//! All consequences of a DELETE are found before the first row is deleted: the children of children too, as far as ON
//! DELETE CASCADE reaches. Only then do rows change, children first.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{Error, ObjectNumber, Result, Rowid};
use engine::constraint::{KeySet, children, has_children, take_parents, whole_key};
use engine::dictionary::{ChangeLock, ConstraintDef, OnDelete, TableDef};
use storage::table::{Deleter, Fetcher, Row, Updater, fetch_row};

use super::checks::RowChecks;
use super::deferred::child_found;
use super::trigger::{self, Event, Image, Triggers};
use crate::cursor::connection::Connection;

/// A table whose rows change, locked.
#[derive(Debug)]
struct Locked {
    table: Arc<TableDef>,
    _lock: ChangeLock,
}

/// Consequences of deleting rows.
#[derive(Debug)]
pub(crate) struct Consequences<'c> {
    connection: &'c Connection,
    /// The target table of the statement, and its rows.
    target: ObjectNumber,
    named: BTreeSet<Rowid>,
    tables: BTreeMap<ObjectNumber, Locked>,
    /// All rows to delete, including the statement's own.
    deletes: BTreeMap<ObjectNumber, BTreeSet<Rowid>>,
    /// Foreign keys that become NULL, with their rows.
    nulls: Vec<(Arc<ConstraintDef>, BTreeSet<Rowid>)>,
    /// Children that hold their parents, unless they are deleted too.
    holding: Vec<(Arc<ConstraintDef>, BTreeSet<Rowid>)>,
    /// Deleted keys. Triggers may have inserted new children of them by the end of the statement.
    keys: Vec<(Arc<ConstraintDef>, KeySet)>,
    /// True: references are looked up at the end only, in place of `holding`.
    late: bool,
    /// Triggers have been fired.
    fired: Cell<bool>,
}

/// The keys of rows in some columns.
fn keys_of(
    connection: &Connection,
    table: &Arc<TableDef>,
    columns: &[u16],
    rows: &mut dyn Iterator<Item = Rowid>,
) -> Result<KeySet> {
    let projection = columns.iter().map(|column| usize::from(*column)).collect();
    let mut fetcher = Fetcher::new(connection.session.worker().clone(), table.heap().clone(), projection);
    let mut row = Row::new();
    let places: Vec<u16> = (0..columns.len() as u16).collect();
    let mut keys = KeySet::new();
    for rowid in rows {
        if fetcher.fetch(rowid, &mut row)? {
            keys.extend(whole_key(&places, |position| row.column(position)));
        }
    }
    Ok(keys)
}

impl<'c> Consequences<'c> {
    /// Finds the consequences of deleting `rows` of `table`.
    ///
    /// # Errors
    /// ORA-02292 when a row has children that stay; those of reading the tables.
    pub(crate) fn of_delete(
        connection: &'c Connection,
        table: &Arc<TableDef>,
        rows: impl Iterator<Item = Rowid>,
    ) -> Result<Self> {
        let named: BTreeSet<Rowid> = rows.collect();
        let mut found = Self {
            connection,
            target: table.object,
            named: named.clone(),
            tables: BTreeMap::new(),
            deletes: BTreeMap::from([(table.object, named.clone())]),
            nulls: Vec::new(),
            holding: Vec::new(),
            keys: Vec::new(),
            late: false,
            fired: Cell::new(false),
        };
        found.find(table, named)?;
        found.check()?;
        Ok(found)
    }

    /// The consequences of deleting one row of a statement that deletes the rows `named` one by one.
    ///
    /// # Errors
    /// Errors of reading the tables. References to the row are looked up at the end of the statement:
    /// [`Consequences::into_keys`].
    pub(crate) fn of_one(
        connection: &'c Connection,
        table: &Arc<TableDef>,
        row: Rowid,
        named: &BTreeSet<Rowid>,
    ) -> Result<Self> {
        let mut found = Self {
            connection,
            target: table.object,
            named: named.clone(),
            tables: BTreeMap::new(),
            deletes: BTreeMap::from([(table.object, named.clone())]),
            nulls: Vec::new(),
            holding: Vec::new(),
            keys: Vec::new(),
            late: true,
            fired: Cell::new(false),
        };
        found.find(table, BTreeSet::from([row]))?;
        Ok(found)
    }

    /// Foreign keys, with the deleted keys that they may refer to.
    pub(crate) fn into_keys(self) -> Vec<(Arc<ConstraintDef>, KeySet)> {
        self.keys
    }

    /// At the end of the statement: refuses new children of deleted keys that triggers have inserted.
    ///
    /// # Errors
    /// ORA-02292 when there are any; those of reading the tables.
    pub(crate) fn settle(self) -> Result<()> {
        if !self.fired.get() {
            return Ok(());
        }
        let connection = self.connection;
        self.keys.iter().try_for_each(|(foreign, keys)| {
            connection.check_keys_now(foreign, keys).map_err(|error| orphaned(error, foreign))
        })
    }

    fn find(&mut self, table: &Arc<TableDef>, rows: BTreeSet<Rowid>) -> Result<()> {
        let session = &self.connection.session;
        let mut waiting = vec![(Arc::clone(table), rows)];
        let mut named = true;
        while let Some((parent, rows)) = waiting.pop() {
            session.check_cancelled()?;
            // Children were found as of now, and their children by the keys that they have now.
            let _now = (!std::mem::take(&mut named)).then(|| session.enter(session.current_snapshot()));
            if parent.referencing.iter().any(|foreign| foreign.state.enabled) {
                take_parents(session, &parent, rows.iter().copied())?;
            }
            for foreign in parent.referencing.iter().filter(|foreign| foreign.state.enabled) {
                if let Some((child, more)) = self.children_of(&parent, &rows, foreign)? {
                    waiting.push((child, more));
                }
            }
        }
        Ok(())
    }

    /// Notes the children of some rows by one foreign key; returns those to delete that are new.
    fn children_of(
        &mut self,
        parent: &Arc<TableDef>,
        rows: &BTreeSet<Rowid>,
        foreign: &Arc<ConstraintDef>,
    ) -> Result<Option<(Arc<TableDef>, BTreeSet<Rowid>)>> {
        let Some(reference) = &foreign.reference else { return Ok(None) };
        let keys = keys_of(self.connection, parent, &reference.columns, &mut rows.iter().copied())?;
        let acts = reference.on_delete != OnDelete::NoAction;
        if !acts && self.connection.shared.deferred.lock().defers(foreign) {
            self.connection.shared.deferred.lock().note_keys(foreign, keys);
            return Ok(None);
        }
        if !acts && self.late {
            self.keys.push((Arc::clone(foreign), keys));
            return Ok(None);
        }
        let child = self.child(foreign, acts)?;
        let found = children(&self.connection.session, &child, foreign, &keys)?;
        self.keys.push((Arc::clone(foreign), keys));
        let found: BTreeSet<Rowid> = found.into_iter().map(|(_, rowid)| rowid).collect();
        match reference.on_delete {
            OnDelete::NoAction => self.holding.push((Arc::clone(foreign), found)),
            OnDelete::SetNull => self.nulls.push((Arc::clone(foreign), found)),
            OnDelete::Cascade => {
                let gone = self.deletes.entry(child.object).or_default();
                let new: BTreeSet<Rowid> = found.difference(gone).copied().collect();
                gone.extend(new.iter().copied());
                return Ok((!new.is_empty()).then_some((child, new)));
            }
        }
        Ok(None)
    }

    /// The child table of a foreign key; locked when its rows are to change.
    fn child(&mut self, foreign: &ConstraintDef, changes: bool) -> Result<Arc<TableDef>> {
        if let Some(locked) = self.tables.get(&foreign.table) {
            return Ok(Arc::clone(&locked.table));
        }
        let session = &self.connection.session;
        let child = session.catalog().table_by_number(foreign.table).cloned();
        let child = child.ok_or_else(|| Error::bug("the table of a foreign key is gone"))?;
        if !changes {
            return Ok(child);
        }
        let (lock, table) = self.connection.lock_for_change(&child)?;
        self.tables.insert(table.object, Locked { table: Arc::clone(&table), _lock: lock });
        Ok(table)
    }

    fn goes(&self, table: ObjectNumber, row: Rowid) -> bool {
        self.deletes.get(&table).is_some_and(|rows| rows.contains(&row))
    }

    fn check(&self) -> Result<()> {
        for (foreign, rows) in &self.holding {
            if rows.iter().any(|row| !self.goes(foreign.table, *row)) {
                return Err(child_found(foreign));
            }
        }
        Ok(())
    }

    /// Changes the other rows. The caller deletes the statement's own rows afterwards.
    pub(crate) fn carry_out(&self) -> Result<()> {
        for (foreign, rows) in &self.nulls {
            let rows: Vec<Rowid> = rows.iter().copied().filter(|row| !self.goes(foreign.table, *row)).collect();
            self.set_null(foreign, &rows)?;
        }
        for (object, rows) in &self.deletes {
            let Some(locked) = self.tables.get(object) else { continue };
            let rows: Vec<Rowid> =
                rows.iter().copied().filter(|row| *object != self.target || !self.named.contains(row)).collect();
            self.delete(&locked.table, &rows)?;
        }
        Ok(())
    }

    /// Deletes children, whose consequences are in here already.
    fn delete(&self, table: &Arc<TableDef>, rows: &[Rowid]) -> Result<()> {
        let triggers = Triggers::of(self.connection, table, Event::Delete).filter(|_| !rows.is_empty());
        let triggers = triggers.map(|triggers| triggers.because_of(self.target));
        self.fired.set(self.fired.get() || triggers.is_some());
        let session = &self.connection.session;
        let _seen = trigger::begin(triggers.as_ref())?;
        let mut deleter = Deleter::new(session.worker().clone(), table.heap().clone());
        for row in rows {
            let Some(triggers) = triggers.as_ref().filter(|triggers| triggers.has_row()) else {
                deleter.push(*row)?;
                continue;
            };
            let now = session.enter(session.current_snapshot());
            let found = fetch_row(session, table, *row)?;
            drop(now);
            let Some(found) = found else { continue };
            let mut columns = found.columns();
            columns.resize(table.columns.len(), None);
            let old = Image::of(table, &columns)?;
            triggers.before_row(Some(&old), None)?;
            deleter.push(*row)?;
            deleter.finish()?;
            triggers.after_row(Some(&old), None)?;
        }
        deleter.finish()?;
        trigger::end(triggers.as_ref())
    }

    fn set_null(&self, foreign: &ConstraintDef, rows: &[Rowid]) -> Result<()> {
        let Some(Locked { table, .. }) = self.tables.get(&foreign.table) else { return Ok(()) };
        let changed: Vec<usize> = foreign.columns.iter().map(|column| usize::from(*column)).collect();
        if let Some(column) = changed.iter().find(|column| !rows.is_empty() && table.refuses_null(**column)) {
            let name = format!("\"{}\".\"{}\".\"{}\"", table.owner, table.name, table.columns[*column].name);
            return Err(Error::user(1407, format!("cannot update ({name}) to NULL")));
        }
        let triggers = Triggers::of(self.connection, table, Event::Update(&changed)).filter(|_| !rows.is_empty());
        let triggers = triggers.map(|triggers| triggers.because_of(self.target));
        self.fired.set(self.fired.get() || triggers.is_some());
        let session = &self.connection.session;
        let _seen = trigger::begin(triggers.as_ref())?;
        let new_rows: &NewRows<'_> = &|take| {
            for rowid in rows {
                // Children were found as of now; the update detects those changed since the statement began.
                let now = session.enter(session.current_snapshot());
                let row = fetch_row(session, table, *rowid)?;
                drop(now);
                let Some(row) = row else { continue };
                let mut columns = row.columns();
                columns.resize(table.columns.len(), None);
                for column in &changed {
                    columns[*column] = None;
                }
                take(*rowid, &columns)?;
            }
            Ok(())
        };
        match triggers.as_ref().filter(|triggers| triggers.has_row()) {
            Some(triggers) => self.connection.replace_rows_firing(triggers, table, &changed, new_rows, None)?,
            None => self.connection.replace_rows(table, &changed, new_rows)?,
        };
        trigger::end(triggers.as_ref())
    }
}

/// A child without its parent is an error of the parent's statement here; other errors stay as they are.
pub(super) fn orphaned(error: Error, foreign: &ConstraintDef) -> Error {
    if error.is_ora(2291) { child_found(foreign) } else { error }
}

/// Calls the given function with every row in its new form; may be called several times.
pub(crate) type NewRows<'a> = dyn Fn(&mut dyn FnMut(Rowid, &[Option<&[u8]>]) -> Result<()>) -> Result<()> + 'a;

impl Connection {
    /// Changes rows of a table, of which the columns `changed` may have new values: constraints are checked for all of
    /// them before the first one changes. Returns the number of changed rows.
    pub(crate) fn replace_rows(&self, table: &Arc<TableDef>, changed: &[usize], rows: &NewRows<'_>) -> Result<u64> {
        let mut checks = RowChecks::of(self, table, Some(changed))?;
        if let Some(checks) = &mut checks {
            rows(&mut |_, row| {
                checks.add(row);
                Ok(())
            })?;
            checks.run(&mut self.shared.deferred.lock())?;
        }
        let late = self.vanished_keys(table, changed, rows)?;
        let mut updater = Updater::new(self.session.worker().clone(), table.heap().clone());
        let result = rows(&mut |rowid, row| updater.push(rowid, row)).and_then(|()| updater.finish());
        let rows = result.map_err(|error| self.key_named(error))?;
        if let Some(checks) = checks {
            checks.finish(&mut self.shared.deferred.lock())?;
        }
        for (foreign, keys) in &late {
            self.check_keys_now(foreign, keys).map_err(|error| orphaned(error, foreign))?;
        }
        Ok(rows)
    }

    /// Refuses other tables' references to keys that no row of the table has after the change. Returns the keys that
    /// rows of this table may refer to, to be checked when the rows have changed.
    fn vanished_keys(
        &self,
        table: &Arc<TableDef>,
        changed: &[usize],
        rows: &NewRows<'_>,
    ) -> Result<Vec<(Arc<ConstraintDef>, KeySet)>> {
        let mut late = Vec::new();
        let mut known: BTreeMap<u32, KeySet> = BTreeMap::new();
        for foreign in table.referencing.iter().filter(|foreign| foreign.state.enabled) {
            let Some(reference) = &foreign.reference else { continue };
            if !reference.columns.iter().any(|column| changed.contains(&usize::from(*column))) {
                continue;
            }
            let vanished = match known.entry(reference.key) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(place) => {
                    let mut changes = Vec::new();
                    let mut new = KeySet::new();
                    rows(&mut |rowid, row| {
                        let key = whole_key(&reference.columns, |position| row[position]);
                        new.extend(key.clone());
                        changes.push((rowid, key));
                        Ok(())
                    })?;
                    let mut old = KeySet::new();
                    let mut leaving = Vec::new();
                    for (rowid, key) in changes {
                        let before = keys_of(self, table, &reference.columns, &mut std::iter::once(rowid))?;
                        if before.iter().any(|before| Some(before) != key.as_ref()) {
                            leaving.push(rowid);
                            old.extend(before);
                        }
                    }
                    take_parents(&self.session, table, leaving.into_iter())?;
                    place.insert(old.difference(&new).cloned().collect())
                }
            };
            if vanished.is_empty() {
                continue;
            }
            if self.shared.deferred.lock().defers(foreign) {
                self.shared.deferred.lock().note_keys(foreign, vanished.clone());
            } else if foreign.table == table.object {
                late.push((Arc::clone(foreign), vanished.clone()));
            } else {
                let catalog = self.session.catalog();
                let child = catalog.table_by_number(foreign.table);
                let child = child.ok_or_else(|| Error::bug("the table of a foreign key is gone"))?;
                if has_children(&self.session, child, foreign, vanished)? {
                    return Err(child_found(foreign));
                }
            }
        }
        Ok(late)
    }
}
