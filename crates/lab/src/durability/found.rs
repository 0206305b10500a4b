//! Reads the contents of the tables of an open database.

use std::collections::BTreeMap;

use common::{Error, Result};
use scalar::Datum;
use sql::Connection;

use super::change::{Change, Id, Table, Work, amount, filler};
use super::ledger::{Fault, Finding};
use super::setup::{name, side_name};
use super::state::{DatabaseState, Own, Row, Side};

/// The contents of the database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) state: DatabaseState,
    /// Rows that no transaction can have made: fillers that are not their key's, rows of no session, rows that are
    /// there twice.
    pub(super) findings: Vec<Finding>,
}

/// Reads all of it, in one read-only transaction.
pub(super) fn read(connection: &mut Connection, sessions: u32) -> Result<Found> {
    connection.run("set transaction read only")?;
    let found = read_all(connection, sessions);
    connection.run("commit")?;
    found
}

fn read_all(connection: &mut Connection, sessions: u32) -> Result<Found> {
    let mut state =
        DatabaseState { accounts: BTreeMap::new(), journal: BTreeMap::new(), ..DatabaseState::new(sessions) };
    let mut wrong = Vec::new();
    for row in connection.query("select id, balance from accounts")? {
        let account = small(integer(&row[0])?)?;
        if state.accounts.insert(account, integer(&row[1])?).is_some() {
            wrong.push(format!("account {account} is there twice"));
        }
    }
    for row in connection.query("select session_id, txn, amount, changes from journal")? {
        let id = Id { session: small(integer(&row[0])?)?, number: integer(&row[1])?.unsigned_abs() };
        let text = text(&row[3])?;
        if !text.parse().is_ok_and(|work| agrees(&work, integer(&row[2]).ok())) {
            wrong.push(format!("transaction {id}: its row in the journal does not agree with itself: {text}"));
        }
        if state.journal.insert(id, text).is_some() {
            wrong.push(format!("transaction {id} is in the journal twice"));
        }
    }
    state.sessions = owned(connection, sessions, &mut wrong)?;
    let findings = wrong.into_iter().map(|text| Finding::new(Fault::Half, text)).collect();
    Ok(Found { state, findings })
}

/// The rows and tables of the sessions, each its own.
pub(super) fn owned(connection: &mut Connection, sessions: u32, wrong: &mut Vec<String>) -> Result<Vec<Own>> {
    let mut owned: Vec<Own> = (0..sessions).map(|_| Own::default()).collect();
    for table in [Table::Manual, Table::Auto] {
        for row in connection.query(&format!("select id, session_id, txn, filler from {}", name(table)))? {
            let (key, session) = (integer(&row[0])?, small(integer(&row[1])?)?);
            let length = length(key, &row[3], name(table), wrong)?;
            let Some(own) = owned.get_mut(session as usize) else {
                wrong.push(format!("{}, row {key} is of session {session}", name(table)));
                continue;
            };
            let rows = if table == Table::Manual { &mut own.manual } else { &mut own.auto };
            if rows.insert(key, Row { number: integer(&row[2])?.unsigned_abs(), length }).is_some() {
                wrong.push(format!("{}, row {key} is there twice", name(table)));
            }
        }
    }
    sides(connection, &mut owned, wrong)?;
    Ok(owned)
}

fn agrees(work: &Work, amount_there: Option<i64>) -> bool {
    matches!(work, Work::Changes(changes) if amount_there == Some(amount(changes)) && changes.iter().all(has_sense))
}

fn has_sense(change: &Change) -> bool {
    !matches!(change, Change::Transfer { amount, .. } if *amount <= 0)
}

fn sides(connection: &mut Connection, owned: &mut [Own], wrong: &mut Vec<String>) -> Result<()> {
    for row in connection.query("select table_name from user_tables where table_name like 'SIDE%'")? {
        let table = text(&row[0])?;
        let mut parts = table.split('_').skip(1).map(str::parse::<u64>);
        let (Some(Ok(session)), Some(Ok(number))) = (parts.next(), parts.next()) else {
            wrong.push(format!("table {table} is there"));
            continue;
        };
        let indexes = connection.query(&format!("select index_name from user_indexes where table_name = '{table}'"))?;
        let mut side = Side { number, indexed: !indexes.is_empty(), rows: BTreeMap::new() };
        for row in connection.query(&format!("select id, filler from {table}"))? {
            let key = integer(&row[0])?;
            let length = length(key, &row[1], &table, wrong)?;
            if side.rows.insert(key, length).is_some() {
                wrong.push(format!("{table}, row {key} is there twice"));
            }
        }
        let own = usize::try_from(session).ok().and_then(|session| owned.get_mut(session));
        match own {
            Some(own) if own.side.is_none() => own.side = Some(side),
            Some(own) => {
                let other = own.side.as_ref().map_or(0, |side| side.number);
                wrong.push(format!("table {table} is there beside {}", side_name(session as u32, other)));
            }
            None => wrong.push(format!("table {table} is of session {session}")),
        }
    }
    Ok(())
}

fn length(key: i64, value: &Datum, table: &str, wrong: &mut Vec<String>) -> Result<u32> {
    let text = text(value)?;
    let length = u32::try_from(text.len()).map_err(|_| Error::bug("a filler is too long"))?;
    if text != filler(key, length) {
        wrong.push(format!("{table}, row {key} has a filler that is not its own: {text:.60}"));
    }
    Ok(length)
}

fn integer(value: &Datum) -> Result<i64> {
    let whole = if let Datum::Number(number) = value { format::number::decode_i64(number) } else { None };
    whole.ok_or_else(|| Error::bug(format!("not a whole number: {value:?}")))
}

fn small(value: i64) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::bug(format!("not a small number: {value}")))
}

fn text(value: &Datum) -> Result<String> {
    match value {
        Datum::Varchar2(text) | Datum::Char(text) => Ok(text.clone()),
        Datum::Null => Ok(String::new()),
        other => Err(Error::bug(format!("not a text: {other:?}"))),
    }
}
