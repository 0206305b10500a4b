//! The tables of snapshots. `report` defines them: no column is known here.

use common::{Error, Result};
use engine::ddl::UserSpec;
use report::statspack::{LocalTime, Snapshot, TABLES, Table, TableRows, Taken, Value};
use scalar::{DateTime, Datum};

use super::OWNER;
use crate::cursor::connection::Connection;
use crate::cursor::open::CursorNumber;

/// Numbers the snapshots; there are gaps where one failed.
const SEQUENCE: &str = "STATS$SNAPSHOT_ID";

/// A session that keeps snapshots.
pub(super) fn open(caller: &Connection) -> Result<Connection> {
    let catalog = caller.session.catalog();
    let is_there = |name: &str| catalog.resolve(OWNER, Some(OWNER), name).is_ok_and(|found| found.object.is_some());
    let missing: Vec<&Table> = TABLES.iter().filter(|table| !is_there(table.name)).collect();
    let is_counted = is_there(SEQUENCE);
    if !missing.is_empty() || !is_counted {
        let mut sys = caller.worker("SYS")?;
        if catalog.user(OWNER).is_none() {
            // The user cannot log on: it has no password, and is locked.
            let spec = UserSpec { locked: Some(true), ..UserSpec::default() };
            made_meanwhile(sys.session.create_user(OWNER, &spec), 1920)?;
        }
        // Each time: a crash may have come between the user and its privileges.
        sys.run(&format!("grant create session, create table, create sequence, unlimited tablespace to {OWNER}"))?;
    }
    let mut keeper = caller.worker(OWNER)?;
    for table in missing {
        made_meanwhile(keeper.run(&table.create_statement(OWNER)), 955)?;
    }
    if !is_counted {
        made_meanwhile(keeper.run(&format!("create sequence {SEQUENCE} nocache")), 955)?;
    }
    Ok(keeper)
}

/// Accepts the error that another session has made it first.
fn made_meanwhile<T>(result: Result<T>, exists: u32) -> Result<()> {
    match result {
        Err(error) if !error.is_ora(exists) => Err(error),
        _ => Ok(()),
    }
}

/// The number of a new snapshot.
pub(super) fn next_id(keeper: &mut Connection) -> Result<u64> {
    let rows = keeper.query(&format!("select {SEQUENCE}.nextval from dual"))?;
    number(rows.first()).ok_or_else(|| Error::bug("a sequence without a value"))
}

/// Writes a snapshot, and commits.
pub(super) fn keep(keeper: &mut Connection, snapshot: &Snapshot) -> Result<()> {
    let mut tables = TABLES.iter().zip(snapshot.to_rows());
    match tables.try_for_each(|(table, TableRows { rows, .. })| insert(keeper, table, &rows)) {
        Ok(()) => keeper.run("commit").map(drop),
        Err(error) => {
            // The session's end rolls back if this cannot.
            let _ = keeper.run("rollback");
            Err(error)
        }
    }
}

fn insert(keeper: &mut Connection, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cursor = keeper.parse(&table.insert_statement(OWNER))?;
    let result = rows.iter().try_for_each(|row| {
        let values = row.iter().map(datum).collect::<Result<Vec<_>>>()?;
        bind(keeper, cursor, &values)?;
        keeper.execute(cursor).map(drop)
    });
    keeper.close(cursor);
    result
}

/// A snapshot of this database; without rows when there is none of that number.
pub(super) fn read(keeper: &mut Connection, database: u64, id: u64) -> Result<Snapshot> {
    let keys = [id, database, 1].map(Value::Number);
    let keys = keys.iter().map(datum).collect::<Result<Vec<_>>>()?;
    let mut tables = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        tables.push((table.name, query(keeper, &table.select_statement(OWNER), &keys)?));
    }
    Snapshot::from_rows(&tables)
}

/// The snapshots there are of this database.
pub(super) fn taken(keeper: &mut Connection, database: u64) -> Result<Vec<Taken>> {
    let Some(header) = TABLES.first() else { return Ok(Vec::new()) };
    let columns: Vec<&str> = header.columns().map(|column| column.name).collect();
    let text = format!("select {} from {OWNER}.{} where dbid = :1", columns.join(", "), header.name);
    let rows = query(keeper, &text, &[datum(&Value::Number(database))?])?;
    rows.iter().map(|row| Taken::from_row(row)).collect()
}

fn query(keeper: &mut Connection, text: &str, binds: &[Datum]) -> Result<Vec<Vec<Value>>> {
    let cursor = keeper.parse(text)?;
    let fetched = bind(keeper, cursor, binds)
        .and_then(|()| keeper.execute(cursor))
        .and_then(|_| keeper.fetch(cursor, usize::MAX));
    keeper.close(cursor);
    fetched?.rows.iter().map(|row| row.iter().map(value).collect()).collect()
}

/// Gives `:1`, `:2` … their values.
fn bind(keeper: &mut Connection, cursor: CursorNumber, values: &[Datum]) -> Result<()> {
    let mut numbered = (1..).zip(values);
    numbered.try_for_each(|(at, value): (usize, _)| keeper.bind(cursor, &at.to_string(), value.clone()))
}

fn number(row: Option<&Vec<Datum>>) -> Option<u64> {
    let number = row?.first()?.as_number()?;
    format::number::decode_i64(number).and_then(|number| u64::try_from(number).ok())
}

fn datum(value: &Value) -> Result<Datum> {
    Ok(match value {
        Value::Null => Datum::Null,
        Value::Number(number) => Datum::Number(format::number::encode_i128(i128::from(*number), 0)?),
        // The shortest decimal that reads back as the same number.
        Value::Real(real) => Datum::Number(format::number::parse(&real.to_string())?),
        Value::Text(text) => Datum::varchar2(text.clone()),
        Value::Date(time) => Datum::Date(DateTime::from_unix_seconds(time.0)?.date()),
    })
}

fn value(datum: &Datum) -> Result<Value> {
    Ok(match datum {
        Datum::Null => Value::Null,
        Datum::Number(number) => match format::number::decode_i128(number, 0).map(u64::try_from) {
            Some(Ok(whole)) => Value::Number(whole),
            _ => Value::Real(format::number::decode_f64(number)),
        },
        Datum::Varchar2(text) | Datum::Char(text) => Value::Text(text.clone()),
        Datum::Date(date) => Value::Date(LocalTime(format::date::decode(date).unix_seconds())),
        other => return Err(Error::bug(format!("a value of type {} in a table of snapshots", other.datum_type()))),
    })
}
