//! UPDATE and DELETE row by row, with row triggers firing in between.
//!
//! Foreign keys can be checked only after the last trigger has fired: the removed keys are checked then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{Result, Rowid};
use engine::constraint::{KeySet, take_parents, whole_key};
use engine::dictionary::{ConstraintDef, TableDef};
use storage::table::{Deleter, Updater, fetch_row};

use super::checks::RowChecks;
use super::referential::{Consequences, NewRows, orphaned};
use super::returning::Giving;
use super::trigger::{Image, Triggers};
use crate::cursor::connection::Connection;

impl Connection {
    /// A row in the statement's snapshot. A newer row, which only foreign keys find, is returned as it is: its change
    /// restarts the statement.
    fn old_row(&self, table: &Arc<TableDef>, rowid: Rowid) -> Result<Option<Image>> {
        let seen = fetch_row(&self.session, table, rowid)?;
        let row = match seen {
            Some(row) => row,
            None => {
                let _now = self.session.enter(self.session.current_snapshot());
                let Some(row) = fetch_row(&self.session, table, rowid)? else { return Ok(None) };
                row
            }
        };
        let mut columns = row.columns();
        columns.resize(table.columns.len(), None);
        Image::of(table, &columns).map(Some)
    }

    /// As [`Connection::replace_rows`], row by row between the row triggers. `giving` gets the rows as stored.
    pub(crate) fn replace_rows_firing(
        &self,
        triggers: &Triggers<'_>,
        table: &Arc<TableDef>,
        changed: &[usize],
        rows: &NewRows<'_>,
        mut giving: Option<&mut Giving>,
    ) -> Result<u64> {
        // A BEFORE trigger may change any column.
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let changed = if triggers.has_before_row() { &all } else { changed };
        let mut checks = RowChecks::of(self, table, Some(changed))?;
        let mut leaving = LeavingKeys::new(table, changed);
        let mut updater = Updater::new(self.session.worker().clone(), table.heap().clone());
        let named = |error| self.key_named(error);
        rows(&mut |rowid, row| {
            let Some(old) = self.old_row(table, rowid)? else { return Ok(()) };
            let mut new = Image::of(table, row)?;
            triggers.before_row(Some(&old), Some(&mut new))?;
            let columns = new.columns();
            if let Some(checks) = &mut checks {
                checks.add(&columns);
                checks.run(&mut self.shared.deferred.lock())?;
            }
            leaving.add(self, rowid, &old.columns(), &columns)?;
            updater.push(rowid, &columns).map_err(named)?;
            if let Some(giving) = &mut giving {
                giving.add(Some(rowid), &columns);
            }
            if triggers.has_after_row() {
                updater.settle().map_err(named)?;
                triggers.after_row(Some(&old), Some(&mut new))?;
            }
            Ok(())
        })?;
        let rows = updater.finish().map_err(named)?;
        if let Some(checks) = checks {
            checks.finish(&mut self.shared.deferred.lock())?;
        }
        leaving.check(self)?;
        Ok(rows)
    }

    /// Deletes rows one by one between the row triggers, each with its consequences. `giving` gets the old rows.
    pub(crate) fn delete_rows_firing(
        &self,
        triggers: &Triggers<'_>,
        table: &Arc<TableDef>,
        rows: &[Rowid],
        mut giving: Option<&mut Giving>,
    ) -> Result<u64> {
        let named: BTreeSet<Rowid> = rows.iter().copied().collect();
        let mut deleter = Deleter::new(self.session.worker().clone(), table.heap().clone());
        let mut late = Vec::new();
        for rowid in rows {
            let Some(old) = self.old_row(table, *rowid)? else { continue };
            triggers.before_row(Some(&old), None)?;
            if let Some(giving) = &mut giving {
                giving.add(Some(*rowid), &old.columns());
            }
            if !table.referencing.is_empty() {
                let consequences = Consequences::of_one(self, table, *rowid, &named)?;
                consequences.carry_out()?;
                late.extend(consequences.into_keys());
            }
            deleter.push(*rowid)?;
            if triggers.has_after_row() {
                deleter.finish()?;
                triggers.after_row(Some(&old), None)?;
            }
        }
        let rows = deleter.finish()?;
        for (foreign, keys) in &late {
            self.check_keys_now(foreign, keys).map_err(|error| orphaned(error, foreign))?;
        }
        Ok(rows)
    }
}

/// Old keys of rows and the new ones in their place, by the columns of the key.
struct LeavingKeys<'t> {
    table: &'t Arc<TableDef>,
    /// Foreign keys that refer to one of the changing columns.
    foreign: Vec<Arc<ConstraintDef>>,
    keys: BTreeMap<Vec<u16>, (KeySet, KeySet)>,
}

impl<'t> LeavingKeys<'t> {
    fn new(table: &'t Arc<TableDef>, changed: &[usize]) -> Self {
        let concerns = |foreign: &&Arc<ConstraintDef>| {
            foreign.state.enabled
                && foreign.reference.as_ref().is_some_and(|reference| {
                    reference.columns.iter().any(|column| changed.contains(&usize::from(*column)))
                })
        };
        let foreign: Vec<_> = table.referencing.iter().filter(concerns).cloned().collect();
        let columns = foreign.iter().filter_map(|foreign| Some(foreign.reference.as_ref()?.columns.clone()));
        let keys = columns.map(|columns| (columns, Default::default())).collect();
        Self { table, foreign, keys }
    }

    /// Adds a row that is about to change.
    fn add(
        &mut self,
        connection: &Connection,
        rowid: Rowid,
        old: &[Option<&[u8]>],
        new: &[Option<&[u8]>],
    ) -> Result<()> {
        let mut leaves = false;
        for (columns, (gone, there)) in &mut self.keys {
            let before = whole_key(columns, |position| old[position]);
            let after = whole_key(columns, |position| new[position]);
            leaves |= before != after;
            gone.extend(before);
            there.extend(after);
        }
        if leaves {
            take_parents(&connection.session, self.table, std::iter::once(rowid))?;
        }
        Ok(())
    }

    /// After the rows have changed: refuses rows that refer to keys without a row.
    fn check(self, connection: &Connection) -> Result<()> {
        for foreign in &self.foreign {
            let Some((gone, there)) = foreign.reference.as_ref().and_then(|by| self.keys.get(&by.columns)) else {
                continue;
            };
            let vanished: KeySet = gone.difference(there).cloned().collect();
            if vanished.is_empty() {
                continue;
            }
            let deferred = connection.shared.deferred.lock().defers(foreign);
            if deferred {
                connection.shared.deferred.lock().note_keys(foreign, vanished);
            } else {
                connection.check_keys_now(foreign, &vanished).map_err(|error| orphaned(error, foreign))?;
            }
        }
        Ok(())
    }
}
