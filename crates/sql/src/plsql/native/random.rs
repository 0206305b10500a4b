//! DBMS_RANDOM: the state of a session's random numbers.

use common::sync::atomic::Ordering;
use common::{Error, Result};
use scalar::Datum;

use crate::cursor::connection::Connection;

/// SEED and INITIALIZE: the same seed gives the same numbers from then on, in every session and on every machine.
pub(super) fn seed(connection: &Connection, arguments: &[Datum]) -> Result<Datum> {
    let text = match arguments.first() {
        Some(Datum::Number(number)) => number.to_string(),
        Some(Datum::Varchar2(text) | Datum::Char(text)) => text.to_string(),
        _ => return Err(Error::user(6502, "PL/SQL: numeric or value error")),
    };
    connection.shared.random.store(u64::from(waits::sql_hash(&text)), Ordering::Relaxed);
    Ok(Datum::Null)
}
