//! Steps of a run that need transactions: savepoints, rollbacks, long readers, the bank.

use common::sync::Arc;
use common::{Error, Result};
use storage::txn::Isolation;

use super::bank;
use super::engine as statements;
use super::run::Run;
use super::state::{Row, Table, session_of};

impl Run {
    /// Sets a savepoint, or rolls back to the present one.
    pub(super) fn savepoint(&mut self, session: usize) -> Result<()> {
        let s = self.sessions[session].clone();
        match self.savepoints[session].take() {
            None => {
                s.savepoint("HERE")?;
                self.savepoints[session] = Some(self.live.clone());
            }
            Some(state) => {
                s.rollback_to("HERE")?;
                self.live.take_part(&state, session, self.plan.sessions);
            }
        }
        Ok(())
    }

    /// A long reader reads once more: it must see the state committed when it began. Now and then it ends, and another
    /// one begins.
    pub(super) fn read(&mut self) -> Result<()> {
        let (reader, state) = match self.reader.take() {
            Some(reader) if self.random.percent(75) => reader,
            _ => {
                let reader = self.instance.connect(statements::OWNER)?;
                reader.set_transaction(Isolation::ReadOnly)?;
                (reader, self.states.last().cloned().unwrap_or_default())
            }
        };
        let found = match statements::read_part(&reader, self.part, self.plan.threads) {
            // Another thread has dropped the undo tablespace.
            Err(error) if self.plan.threads > 0 && error.is_ora(1555) => return Ok(()),
            found => found?,
        };
        let difference = found.difference(&state);
        if !difference.is_empty() {
            return Err(Error::bug(format!("a read-only transaction sees what was not committed: {difference:?}")));
        }
        self.reader = Some((reader, state));
        Ok(())
    }

    pub(super) fn open_bank(&mut self) -> Result<()> {
        let mut state = self.live.clone();
        let tablespace = self.plan.tablespace(0);
        state.tables.insert(bank::TABLE.to_owned(), Table { tablespace: tablespace.clone(), ..Table::default() });
        self.definition_of(state, |s| statements::create_table(s, bank::TABLE, &tablespace, 10))?;
        for session in 0..self.plan.sessions {
            let keys = (0..bank::ACCOUNTS).filter(|key| session_of(*key, self.plan.sessions) == session);
            let rows: Vec<Row> = keys.map(|key| bank::account(key, bank::OPENING)).collect();
            let mut state = self.live.clone();
            if let Some(accounts) = state.rows_mut(bank::TABLE) {
                accounts.extend(rows.iter().filter_map(|row| Some((statements::key_of(row)?, Arc::new(row.clone())))));
            }
            let s = self.sessions[session].clone();
            self.rows(&s, state, || statements::insert(&s, bank::TABLE, &rows))?;
            self.commit(session)?;
        }
        Ok(())
    }

    /// Moves money between two accounts, in two statements; then commits or rolls back.
    pub(super) fn transfer(&mut self, session: usize) -> Result<()> {
        let keys = self.own(session, bank::TABLE, 4);
        let ([from, to, ..], s) = (&keys[..], self.sessions[session].clone()) else { return Ok(()) };
        let amount = self.random.below(50) as i64;
        for (key, change) in [(*from, -amount), (*to, amount)] {
            let mut state = self.live.clone();
            let Some(accounts) = state.rows_mut(bank::TABLE) else { return Ok(()) };
            let balance = accounts.get(&key).map_or(0, |row| bank::balance(row));
            let row = bank::account(key, balance + change);
            accounts.insert(key, Arc::new(row.clone()));
            if !self.rows(&s, state, || statements::update(&s, bank::TABLE, &[(key, row)]))? {
                return self.rollback(session);
            }
        }
        if self.random.percent(80) { self.commit(session) } else { self.rollback(session) }
    }

    pub(super) fn rollback(&mut self, session: usize) -> Result<()> {
        self.savepoints[session] = None;
        self.sessions[session].rollback()?;
        if let Some(state) = self.states.last() {
            self.live.take_part(state, session, self.plan.sessions);
        }
        Ok(())
    }
}
