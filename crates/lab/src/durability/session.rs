//! One session of a process that will be killed: transactions chosen at random, and its lines about each.

use std::io::{self, Write};

use common::{Error, Result, Seeded};
use scalar::Datum;
use sql::Connection;

use super::change::{Change, Definition, Id, Table, Work, amount, filler};
use super::line::Line;
use super::setup::{FILLER_MAX, name, run, side_name, tablespace};
use super::state::{ACCOUNTS, OPENING_BALANCE, Own};

/// Transactions of one session in one process: numbers of the next process begin behind them.
pub(super) const NUMBERS: u64 = 50_000;
/// Rows of a session in one table, beyond which it deletes.
const ROWS_MAX: usize = 150;
/// Rows that one statement inserts at most, and the keys that are kept for each.
const MANY_MAX: u64 = 60;
const KEYS: u64 = 64;
/// Changes in one transaction, beyond which it inserts nothing more: keys are made of its number and theirs.
const CHANGES_MAX: usize = 15;
/// Accounts that most transfers are about, so that sessions meet.
const BUSY: u32 = 6;
/// Scattered keys are this many bits long.
const KEY_BITS: u32 = 34;

/// Says a line, in one write.
pub(super) fn say(line: &Line) -> Result<()> {
    let text = format!("{line}\n");
    let mut out = io::stdout().lock();
    let said = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    said.map_err(|error| Error::own(common::ErrorKind::Io, 2, format!("standard output: {error}")))
}

#[derive(Debug)]
pub(super) struct Worker {
    connection: Connection,
    /// Of the last transaction.
    id: Id,
    sessions: u32,
    random: Seeded,
    own: Own,
}

/// A transaction under way.
struct Doing {
    id: Id,
    own: Own,
    changes: Vec<Change>,
    /// Changes made so far, those that were taken back included.
    made: usize,
}

impl Worker {
    /// `life` counts the processes that have worked on the database.
    pub(super) fn new(connection: Connection, session: u32, sessions: u32, life: u64, seed: u64, own: Own) -> Self {
        let random = Seeded::at(seed, (life << 8) + u64::from(session) + 1);
        Self { connection, id: Id { session, number: life * NUMBERS }, sessions, random, own }
    }

    /// Works until something is wrong.
    pub(super) fn work(&mut self) -> Result<()> {
        loop {
            self.id.number += 1;
            let id = self.id;
            let done = match self.random.below(100) {
                0..4 => self.look(),
                4..10 => self.define(id),
                _ => self.transaction(id),
            };
            match done {
                Err(error) if error.is_ora(60) => {
                    self.run("rollback", &[])?;
                    say(&Line::RolledBack { id, deadlock: true })?;
                }
                done => done?,
            }
        }
    }

    fn run(&mut self, text: &str, binds: &[(&str, Datum)]) -> Result<u64> {
        run(&mut self.connection, text, binds)
            .map_err(|error| Error { text: format!("{} ({text:.80})", error.text), ..error })
    }

    /// The bank's total, as a query sees it amid the others' transfers.
    fn look(&mut self) -> Result<()> {
        let rows = self.connection.query("select sum(balance), count(*) from accounts")?;
        let expected =
            vec![vec![Datum::integer(i64::from(ACCOUNTS) * OPENING_BALANCE), Datum::integer(i64::from(ACCOUNTS))]];
        if rows == expected { Ok(()) } else { Err(Error::bug(format!("the bank's total: {rows:?}"))) }
    }

    fn transaction(&mut self, id: Id) -> Result<()> {
        let mut doing = Doing { id, own: self.own.clone(), changes: Vec::new(), made: 0 };
        self.changes(&mut doing)?;
        if self.random.percent(20) {
            self.run("savepoint here", &[])?;
            let (own, changes) = (doing.own.clone(), doing.changes.clone());
            self.changes(&mut doing)?;
            self.run("rollback to here", &[])?;
            (doing.own, doing.changes) = (own, changes);
            if self.random.percent(50) {
                self.changes(&mut doing)?;
            }
        }
        if self.random.percent(8) {
            self.run("rollback", &[])?;
            return say(&Line::RolledBack { id, deadlock: false });
        }
        let Doing { own, changes, .. } = doing;
        let work = Work::Changes(changes.clone());
        let binds = [
            ("session", Datum::integer(i64::from(id.session))),
            ("txn", Datum::integer(id.number as i64)),
            ("amount", Datum::integer(amount(&changes))),
            ("changes", Datum::varchar2(work.to_string())),
        ];
        self.run("insert into journal values (:session, :txn, :amount, :changes)", &binds)?;
        let (commit, wait) = match self.random.below(10) {
            0 => ("commit write nowait", false),
            1 => ("commit write batch nowait", false),
            2 => ("commit write batch wait", true),
            _ => ("commit", true),
        };
        say(&Line::Commit { id, wait, work })?;
        self.run(commit, &[])?;
        say(&Line::Acknowledged(id))?;
        self.own = own;
        Ok(())
    }

    fn changes(&mut self, doing: &mut Doing) -> Result<()> {
        for _ in 0..=self.random.below(3) {
            if doing.made < CHANGES_MAX {
                let change = self.choose(doing);
                self.carry_out(doing.id, &change)?;
                doing.own.apply(doing.id.number, &change);
                doing.changes.push(change);
                doing.made += 1;
            }
        }
        Ok(())
    }

    fn choose(&mut self, doing: &Doing) -> Change {
        let random = &mut self.random;
        if random.percent(50) {
            let account = |random: &mut Seeded| {
                let accounts = if random.percent(60) { BUSY } else { ACCOUNTS };
                random.below(accounts.into()) as u32
            };
            let from = account(random);
            let to = account(random);
            let to = if to == from { (to + 1) % ACCOUNTS } else { to };
            return Change::Transfer { from, to, amount: 1 + random.below(90) as i64 };
        }
        let longest = if random.percent(70) { 80 } else { FILLER_MAX };
        let length = 1 + random.below(longest.into()) as u32;
        if let Some(side) = &doing.own.side
            && random.percent(15)
        {
            let keys: Vec<i64> = side.rows.keys().copied().collect();
            let key = self.key(doing, Table::Manual, 1);
            return match self.random.pick(&keys) {
                Some(key) if self.random.percent(40) => Change::Delete { table: Table::Side, key: *key },
                _ => Change::Insert { table: Table::Side, key, length },
            };
        }
        let table = [Table::Manual, Table::Auto][random.index(2)];
        let rows = doing.own.rows(table);
        let keys: Vec<i64> = rows.keys().copied().collect();
        let many = rows.len() > ROWS_MAX;
        let Some(some) = random.pick(&keys).copied() else {
            return Change::Insert { table, key: self.key(doing, table, 1), length };
        };
        match random.below(100) {
            0..30 if !many => Change::Insert { table, key: self.key(doing, table, 1), length },
            30..40 if !many => {
                let rows = 1 + random.below(MANY_MAX);
                Change::InsertMany {
                    table,
                    key: self.key(doing, table, rows),
                    rows: rows as u32,
                    length: length.min(300),
                }
            }
            40..75 => Change::Update { table, key: some, length },
            75..80 => Change::DeleteOf { table, number: rows[&some].number },
            _ => Change::Delete { table, key: some },
        }
    }

    /// A key that no row has had: of the transaction's number and the change's. Under bitmaps keys are scattered, so
    /// that leaves split everywhere.
    fn key(&self, doing: &Doing, table: Table, rows: u64) -> i64 {
        debug_assert!(rows <= KEYS, "a change has keys for so many rows");
        let change = (doing.id.number * u64::from(self.sessions) + u64::from(doing.id.session))
            * (CHANGES_MAX as u64 + 1)
            + doing.made as u64;
        let place = if table == Table::Auto {
            // An odd factor: no two give the same.
            change.wrapping_mul(0x9e37_79b9_7f4a_7c15) & ((1 << KEY_BITS) - 1)
        } else {
            change
        };
        (place * KEYS) as i64
    }

    fn carry_out(&mut self, id: Id, change: &Change) -> Result<()> {
        let number = Datum::integer(id.number as i64);
        let session = Datum::integer(i64::from(id.session));
        let side = self.own.side.as_ref().map_or(0, |side| side.number);
        let of = |table: Table| {
            if table == Table::Side { side_name(id.session, side) } else { name(table).to_owned() }
        };
        let (changed, expected) = match *change {
            Change::Transfer { from, to, amount } => {
                let text = "update accounts set balance = balance + :amount where id = :id";
                let mut done = 0;
                for (account, amount) in [(from, -amount), (to, amount)] {
                    let binds = [("amount", Datum::integer(amount)), ("id", Datum::integer(account.into()))];
                    done += self.run(text, &binds)?;
                }
                (done, 2)
            }
            Change::Insert { table: Table::Side, key, length } => {
                let binds = [("id", Datum::integer(key)), ("filler", Datum::varchar2(filler(key, length)))];
                (self.run(&format!("insert into {} values (:id, :filler)", of(Table::Side)), &binds)?, 1)
            }
            Change::Insert { table, key, length } => {
                let filler = Datum::varchar2(filler(key, length));
                let binds = [("id", Datum::integer(key)), ("session", session), ("txn", number), ("filler", filler)];
                (self.run(&format!("insert into {} values (:id, :session, :txn, :filler)", of(table)), &binds)?, 1)
            }
            Change::InsertMany { table, key, rows, length } => {
                let text = format!(
                    "insert into {} select {key} + level - 1, :session, :txn, \
                     rpad(({key} + level - 1) || '.', {length}, ({key} + level - 1) || '.') from dual connect by level <= {rows}",
                    of(table)
                );
                (self.run(&text, &[("session", session), ("txn", number)])?, u64::from(rows))
            }
            Change::Update { table, key, length } => {
                let binds =
                    [("txn", number), ("filler", Datum::varchar2(filler(key, length))), ("id", Datum::integer(key))];
                (self.run(&format!("update {} set txn = :txn, filler = :filler where id = :id", of(table)), &binds)?, 1)
            }
            Change::Delete { table, key } => {
                (self.run(&format!("delete from {} where id = :id", of(table)), &[("id", Datum::integer(key))])?, 1)
            }
            Change::DeleteOf { table, number } => {
                let binds = [("session", session), ("txn", Datum::integer(number as i64))];
                let text = format!("delete from {} where session_id = :session and txn = :txn", of(table));
                (self.run(&text, &binds)?, 0)
            }
        };
        if changed == expected || expected == 0 {
            return Ok(());
        }
        Err(Error::bug(format!("transaction {id}: {change} was about {changed} rows")))
    }

    /// CREATE TABLE AS SELECT, CREATE INDEX, TRUNCATE or DROP of the session's side table.
    fn define(&mut self, id: Id) -> Result<()> {
        let (definition, text) = match &self.own.side {
            None => {
                let tables = [Table::Manual, Table::Auto];
                let (from, place) = (tables[self.random.index(2)], tables[self.random.index(2)]);
                let text = format!(
                    "create table {} tablespace {} as select id, filler from {} where session_id = {}",
                    side_name(id.session, id.number),
                    tablespace(place),
                    name(from),
                    id.session
                );
                (Definition::Create { from, place }, text)
            }
            Some(side) => {
                let name = side_name(id.session, side.number);
                match self.random.below(10) {
                    0..4 if !side.indexed => {
                        let place = tablespace([Table::Manual, Table::Auto][self.random.index(2)]);
                        (Definition::Index, format!("create index {name}_i on {name} (id) tablespace {place}"))
                    }
                    0..7 => (Definition::Truncate, format!("truncate table {name}")),
                    _ => (Definition::Drop, format!("drop table {name}")),
                }
            }
        };
        say(&Line::Commit { id, wait: true, work: Work::Definition(definition) })?;
        self.run(&text, &[])?;
        say(&Line::Acknowledged(id))?;
        self.own.define(id.number, definition);
        Ok(())
    }
}
