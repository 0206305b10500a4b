//! The content of the tables, as the workload knows it.

use std::collections::{BTreeMap, BTreeSet};

use common::sync::Arc;

/// A row's columns; the first is its key, four bytes with the highest first.
pub type Row = Vec<Option<Vec<u8>>>;
/// Rows by key.
pub type Rows = BTreeMap<u32, Arc<Row>>;

/// A table of the workload.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Table {
    pub rows: Arc<Rows>,
    /// Names of its indexes.
    pub indexes: Arc<BTreeSet<String>>,
    pub tablespace: String,
}

/// All tables and tablespaces of the workload. A copy costs little.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct WorkloadState {
    pub tables: BTreeMap<String, Table>,
    /// Names of tablespaces other than those of every database.
    pub tablespaces: Arc<BTreeSet<String>>,
}

/// The session that a row belongs to: no two sessions change the same row.
#[must_use]
pub fn session_of(key: u32, sessions: usize) -> usize {
    key as usize % sessions
}

impl WorkloadState {
    /// A table's rows, to change them.
    pub fn rows_mut(&mut self, table: &str) -> Option<&mut Rows> {
        self.tables.get_mut(table).map(|table| Arc::make_mut(&mut table.rows))
    }

    /// Replaces the rows of one session by those in `other`.
    pub fn take_part(&mut self, other: &Self, session: usize, sessions: usize) {
        for (name, table) in &mut self.tables {
            let Some(from) = other.tables.get(name) else { continue };
            if Arc::ptr_eq(&table.rows, &from.rows) {
                continue;
            }
            let own = |key: &u32| session_of(*key, sessions) == session;
            let rows = Arc::make_mut(&mut table.rows);
            rows.retain(|key, _| !own(key));
            rows.extend(from.rows.iter().filter(|(key, _)| own(key)).map(|(key, row)| (*key, row.clone())));
        }
    }

    /// The differences to `expected`: missing and unexpected entries.
    #[must_use]
    pub fn difference(&self, expected: &Self) -> Difference {
        let mut difference = Difference::default();
        for (lost, one, other) in [(true, expected, self), (false, self, expected)] {
            for name in one.tablespaces.difference(&other.tablespaces) {
                difference.add(lost, format!("tablespace {name}"));
            }
        }
        let none = Arc::default();
        let names: BTreeSet<&String> = self.tables.keys().chain(expected.tables.keys()).collect();
        for name in names {
            let rows =
                |state: &Self| state.tables.get(name).map_or_else(|| Arc::clone(&none), |table| table.rows.clone());
            let here = self.tables.contains_key(name);
            if here != expected.tables.contains_key(name) {
                difference.add(!here, format!("table {name}"));
                continue;
            }
            let (found, wanted) = (rows(self), rows(expected));
            let keys: BTreeSet<&u32> = found.keys().chain(wanted.keys()).collect();
            for key in keys {
                let row = found.get(key);
                if row != wanted.get(key) {
                    let lost = row.is_none() || wanted.contains_key(key);
                    let what = if row.is_none() { "is missing" } else { "is not what it must be" };
                    difference.add(lost, format!("row {key} of {name} {what}"));
                }
            }
        }
        difference
    }
}

/// Acknowledged entries that are missing, and unexpected ones.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Difference {
    pub lost: Vec<String>,
    pub phantom: Vec<String>,
}

impl Difference {
    fn add(&mut self, lost: bool, text: String) {
        if lost { self.lost.push(text) } else { self.phantom.push(text) }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.phantom.is_empty()
    }
}
