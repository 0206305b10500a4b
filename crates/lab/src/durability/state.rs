//! The contents of the tables, by the committed transactions. The sessions keep their own part of it, the killing
//! process all of it.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Definition, Id, Table, Work};

/// Opening balance of each account.
pub(super) const OPENING_BALANCE: i64 = 1_000;
/// Accounts of the bank.
pub(super) const ACCOUNTS: u32 = 64;

/// A session's row: the transaction that was the last to change it, and the length of its filler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub number: u64,
    pub length: u32,
}

/// A session's side table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Side {
    /// Of the transaction that made it; it is in the name.
    pub number: u64,
    pub indexed: bool,
    /// Lengths of fillers by key.
    pub rows: BTreeMap<i64, u32>,
}

/// The rows and tables of one session.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Own {
    pub manual: BTreeMap<i64, Row>,
    pub auto: BTreeMap<i64, Row>,
    pub side: Option<Side>,
}

impl Own {
    /// Rows of one of the tables that stay.
    #[must_use]
    pub(super) fn rows(&self, table: Table) -> &BTreeMap<i64, Row> {
        if table == Table::Manual { &self.manual } else { &self.auto }
    }

    fn rows_mut(&mut self, table: Table) -> &mut BTreeMap<i64, Row> {
        if table == Table::Manual { &mut self.manual } else { &mut self.auto }
    }

    /// Applies a change of the transaction with this number; a transfer changes nothing that a session owns.
    pub(super) fn apply(&mut self, number: u64, change: &Change) {
        let mut put = |table: Table, key: i64, length: u32| {
            if table != Table::Side {
                self.rows_mut(table).insert(key, Row { number, length });
            } else if let Some(side) = &mut self.side {
                side.rows.insert(key, length);
            }
        };
        match *change {
            Change::Transfer { .. } => {}
            Change::Insert { table, key, length } | Change::Update { table, key, length } => put(table, key, length),
            Change::InsertMany { table, key, rows, length } => {
                (key..key + i64::from(rows)).for_each(|key| put(table, key, length));
            }
            Change::Delete { table, key } if table != Table::Side => {
                self.rows_mut(table).remove(&key);
            }
            Change::Delete { key, .. } => {
                if let Some(side) = &mut self.side {
                    side.rows.remove(&key);
                }
            }
            Change::DeleteOf { table, number } => self.rows_mut(table).retain(|_, row| row.number != number),
        }
    }

    pub(super) fn define(&mut self, number: u64, definition: Definition) {
        match (definition, &mut self.side) {
            (Definition::Create { from, .. }, side) => {
                let rows = if from == Table::Manual { &self.manual } else { &self.auto };
                let rows = rows.iter().map(|(key, row)| (*key, row.length)).collect();
                *side = Some(Side { number, indexed: false, rows });
            }
            (Definition::Index, Some(side)) => side.indexed = true,
            (Definition::Truncate, Some(side)) => side.rows.clear(),
            (Definition::Drop, side) => *side = None,
            (Definition::Index | Definition::Truncate, None) => {}
        }
    }

    pub(super) fn work(&mut self, number: u64, work: &Work) {
        match work {
            Work::Changes(changes) => changes.iter().for_each(|change| self.apply(number, change)),
            Work::Definition(definition) => self.define(number, *definition),
        }
    }
}

/// All that is in the tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DatabaseState {
    /// Balances by account.
    pub accounts: BTreeMap<u32, i64>,
    pub sessions: Vec<Own>,
    /// The work of each transaction, from its row in the journal.
    pub journal: BTreeMap<Id, String>,
}

impl DatabaseState {
    /// Before any session has worked.
    #[must_use]
    pub(super) fn new(sessions: u32) -> Self {
        Self {
            accounts: (0..ACCOUNTS).map(|account| (account, OPENING_BALANCE)).collect(),
            sessions: (0..sessions).map(|_| Own::default()).collect(),
            journal: BTreeMap::new(),
        }
    }

    /// A transaction that committed.
    pub(super) fn apply(&mut self, id: Id, work: &Work) {
        if let Some(own) = self.sessions.get_mut(id.session as usize) {
            own.work(id.number, work);
        }
        let Work::Changes(changes) = work else { return };
        self.journal.insert(id, work.to_string());
        for change in changes {
            let Change::Transfer { from, to, amount } = *change else { continue };
            *self.accounts.entry(from).or_default() -= amount;
            *self.accounts.entry(to).or_default() += amount;
        }
    }

    /// Differences between this and `found`, without the journal.
    #[must_use]
    pub(super) fn differences(&self, found: &Self) -> Vec<String> {
        let mut said = Vec::new();
        compare("account", &self.accounts, &found.accounts, &mut said);
        for session in 0..self.sessions.len().max(found.sessions.len()) {
            let nothing = Own::default();
            let expected = self.sessions.get(session).unwrap_or(&nothing);
            let own = found.sessions.get(session).unwrap_or(&nothing);
            compare(&format!("session {session}, manual row"), &expected.manual, &own.manual, &mut said);
            compare(&format!("session {session}, auto row"), &expected.auto, &own.auto, &mut said);
            match (&expected.side, &own.side) {
                (Some(expected), Some(own)) if (expected.number, expected.indexed) == (own.number, own.indexed) => {
                    compare(&format!("session {session}, side table's row"), &expected.rows, &own.rows, &mut said);
                }
                (expected, own) if expected != own => {
                    let name = |side: &Option<Side>| match side {
                        Some(Side { number, indexed, .. }) => {
                            format!("{number}{}", if *indexed { " with an index" } else { "" })
                        }
                        None => "none".to_owned(),
                    };
                    said.push(format!(
                        "session {session}, side table: {} is there, {} is right",
                        name(own),
                        name(expected)
                    ));
                }
                _ => {}
            }
        }
        said
    }
}

fn compare<K: Ord + std::fmt::Display, V: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: &BTreeMap<K, V>,
    found: &BTreeMap<K, V>,
    said: &mut Vec<String>,
) {
    let keys: BTreeSet<&K> = expected.keys().chain(found.keys()).collect();
    for key in keys {
        match (expected.get(key), found.get(key)) {
            (Some(expected), Some(found)) if expected == found => {}
            (Some(expected), Some(found)) => {
                said.push(format!("{what} {key}: {found:?} is there, {expected:?} is right"))
            }
            (Some(expected), None) => said.push(format!("{what} {key} is missing: {expected:?}")),
            (None, found) => said.push(format!("{what} {key} is not to be there: {found:?}")),
        }
    }
}
