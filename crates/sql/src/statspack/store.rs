//! The tables that keep snapshots. What they are, `report` says: nothing here knows a column.

use std::sync::Arc;

use common::{Error, Result};
use report::statspack::{LocalTime, Snapshot, TABLES, Table, TableRows, Value};
use scalar::{DateTime, Datum};

use super::OWNER;
use crate::cursor::connection::Connection;

/// Numbers the snapshots; there are gaps where one failed.
const SEQUENCE: &str = "STATS$SNAPSHOT_ID";

/// A session that keeps snapshots.
pub(super) fn open(caller: &Connection) -> Result<Connection> {
    let database = Arc::clone(caller.database());
    if database.instance().connect("SYS")?.catalog().user(OWNER).is_none() {
        let mut sys = Connection::of_user(Arc::clone(&database), "SYS")?;
        made_meanwhile(sys.run(&format!("create user {OWNER} account lock")), 1920)?;
        sys.run(&format!("grant create session, create table, create sequence, unlimited tablespace to {OWNER}"))?;
    }
    let mut keeper = Connection::of_user(database, OWNER)?;
    let catalog = keeper.session.catalog();
    for table in TABLES {
        if catalog.table(OWNER, table.name).is_none() {
            made_meanwhile(keeper.run(&table.create_statement()), 955)?;
        }
    }
    let known = catalog.resolve(OWNER, Some(OWNER), SEQUENCE)?.object.is_some();
    if !known {
        made_meanwhile(keeper.run(&format!("create sequence {SEQUENCE} nocache")), 955)?;
    }
    Ok(keeper)
}

/// Another session was faster.
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
    let result = snapshot.to_rows().iter().try_for_each(|rows| insert(keeper, rows));
    match result {
        Ok(()) => keeper.run("commit").map(drop),
        Err(error) => {
            keeper.run("rollback")?;
            Err(error)
        }
    }
}

fn insert(keeper: &mut Connection, of: &TableRows) -> Result<()> {
    let Some(first) = of.rows.first() else { return Ok(()) };
    let places: Vec<String> = (1..=first.len()).map(|at| format!(":{at}")).collect();
    let cursor = keeper.parse(&format!("insert into {} values ({})", of.table, places.join(", ")))?;
    let result = of.rows.iter().try_for_each(|row| {
        let values = row.iter().map(datum).collect::<Result<Vec<_>>>()?;
        keeper.bind_numbered(cursor, &values)?;
        keeper.execute(cursor).map(drop)
    });
    keeper.close(cursor);
    result
}

/// A snapshot; `which` is said where it is missing.
pub(super) fn read(keeper: &mut Connection, database: u64, id: u64, which: &str) -> Result<Snapshot> {
    let mut tables = Vec::with_capacity(TABLES.len());
    for (at, table) in TABLES.iter().enumerate() {
        let rows = keeper.query(&select(table, database, id))?;
        if at == 0 && rows.is_empty() {
            let text = format!("{which} snapshot {id} does not exist for this database/instance");
            return Err(Error::user(20200, text));
        }
        let rows = rows.iter().map(|row| row.iter().map(value).collect()).collect::<Result<Vec<_>>>()?;
        tables.push((table.name, rows));
    }
    Snapshot::from_rows(&tables)
}

fn select(table: &Table, database: u64, id: u64) -> String {
    let columns: Vec<&str> = table.columns().map(|column| column.name).collect();
    format!("select {} from {} where snap_id = {id} and dbid = {database}", columns.join(", "), table.name)
}

/// The two snapshots taken last, the older first.
pub(super) fn last_two(keeper: &mut Connection, database: u64) -> Result<[u64; 2]> {
    let header = TABLES[0].name;
    let mut rows = keeper.query(&format!("select snap_id from {header} where dbid = {database} order by snap_id desc"))?;
    rows.truncate(2);
    match (number(rows.get(1)), number(rows.first())) {
        (Some(before), Some(last)) => Ok([before, last]),
        (_, last) => {
            let there = if last.is_some() { "there is one" } else { "there is none" };
            Err(Error::user(20200, format!("a report takes two snapshots, and {there}: EXEC PERFSTAT.STATSPACK.SNAP takes one")))
        }
    }
}

fn number(row: Option<&Vec<Datum>>) -> Option<u64> {
    let number = row?.first()?.as_number()?;
    format::number::decode_i64(number).and_then(|number| u64::try_from(number).ok())
}

fn datum(value: &Value) -> Result<Datum> {
    Ok(match value {
        Value::Null => Datum::Null,
        Value::Number(number) => Datum::Number(format::number::encode_i128(i128::from(*number), 0)?),
        Value::Real(real) => format::number::encode_f64(*real).map_or(Datum::Null, Datum::Number),
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
