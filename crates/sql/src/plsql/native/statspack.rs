//! STATSPACK: snapshots, and their report as lines of DBMS_OUTPUT.

use common::{Error, Result};
use plsql::run::session::Session;
use scalar::Datum;

use super::{number, text};
use crate::cursor::connection::Connection;

/// What Statspack takes by itself; it is kept, and changes nothing: everything is always collected.
const DEFAULT_LEVEL: u64 = 5;

pub(super) fn call(
    connection: &mut Connection,
    session: &mut Session,
    name: &str,
    arguments: &mut [Datum],
) -> Result<Datum> {
    match name {
        "SNAP" => {
            let level = number(arguments, 0).map_or(DEFAULT_LEVEL, |level| level.max(0.0) as u64);
            let id = connection.statspack_snap(level, text(arguments, 1).unwrap_or_default())?;
            Ok(datum(id))
        }
        "CHOOSE" => {
            let chosen = connection.statspack_choose(snapshot(arguments, 0)?, snapshot(arguments, 1)?)?;
            for (argument, id) in arguments.iter_mut().zip(chosen) {
                *argument = datum(id);
            }
            Ok(Datum::Null)
        }
        "REPORT" => {
            let lines = connection.statspack_report(snapshot(arguments, 0)?, snapshot(arguments, 1)?)?;
            for line in lines {
                session.output.put(&line)?;
                session.output.new_line();
            }
            Ok(Datum::Null)
        }
        _ => Err(Error::unsupported(format!("STATSPACK.{name}"))),
    }
}

/// A snapshot's number; NULL is None.
fn snapshot(arguments: &[Datum], at: usize) -> Result<Option<u64>> {
    let Some(given) = arguments.get(at).and_then(Datum::as_number) else { return Ok(None) };
    match format::number::decode_i64(given).map(u64::try_from) {
        Some(Ok(id)) => Ok(Some(id)),
        _ => Err(Error::user(20200, format!("{given} is not the number of a snapshot"))),
    }
}

fn datum(id: u64) -> Datum {
    Datum::Number(format::number::encode_i64(i64::try_from(id).unwrap_or(i64::MAX)))
}
