//! STATSPACK: snapshots, and their report as lines of DBMS_OUTPUT.

use common::{Error, Result};
use plsql::run::session::Session;
use scalar::Datum;

use super::{number, text};
use crate::cursor::connection::Connection;

/// Statspack's default.
const DEFAULT_LEVEL: u64 = 5;

/// The levels of Statspack. A level is kept with the snapshot; the same data is collected at all of them.
const LEVELS: [u64; 5] = [0, 5, 6, 7, 10];

pub(super) fn call(
    connection: &mut Connection,
    session: &mut Session,
    name: &str,
    arguments: &mut [Datum],
) -> Result<Datum> {
    match name {
        "SNAP" => {
            let level = level(arguments)?;
            let id = connection.statspack_snap(level, text(arguments, 1).unwrap_or_default())?;
            if level != DEFAULT_LEVEL {
                connection
                    .shared
                    .notice(format!("I_SNAP_LEVEL {level} is kept, but what is collected is the same at every level"));
            }
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

fn level(arguments: &[Datum]) -> Result<u64> {
    let Some(given) = number(arguments, 0) else { return Ok(DEFAULT_LEVEL) };
    LEVELS
        .into_iter()
        .find(|level| *level as f64 == given)
        .ok_or_else(|| Error::user(20100, format!("there is no snapshot level {given}: levels are 0, 5, 6, 7 and 10")))
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
