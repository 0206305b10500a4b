//! DBMS_APPLICATION_INFO: a client's description of its work, for V$SESSION, V$SQL, samples of active sessions and
//! traces.

use std::sync::Arc;

use common::{Error, Result};
use engine::instance::Progress;
use scalar::Datum;

use super::{cut, number, text};
use crate::cursor::connection::Connection;
use crate::cursor::trace;

/// Bytes kept.
const MODULE_BYTES: usize = 48;
const ACTION_BYTES: usize = 32;
const CLIENT_INFO_BYTES: usize = 64;
const LONG_OPERATION_BYTES: usize = 64;
const TARGET_BYTES: usize = 32;
/// DBMS_APPLICATION_INFO.SET_SESSION_LONGOPS_NOHINT: a new operation.
const NO_HINT: f64 = -1.0;

pub(super) fn call(connection: &Connection, program: &str, arguments: &mut [Datum]) -> Result<Datum> {
    let session = &connection.session;
    let said = |at: usize, most: usize| text(arguments, at).map(|text| Arc::<str>::from(cut(text, most)));
    let datum = |text: Option<Arc<str>>| text.map_or(Datum::Null, |text| Datum::varchar2(&*text));
    match program {
        "SET_MODULE" => {
            let (module, action) = (said(0, MODULE_BYTES), said(1, ACTION_BYTES));
            trace::label(session, "MODULE NAME", module.as_deref());
            trace::label(session, "ACTION NAME", action.as_deref());
            session.change_work(|work| (work.module, work.action) = (module, action));
        }
        "SET_ACTION" => {
            let action = said(0, ACTION_BYTES);
            trace::label(session, "ACTION NAME", action.as_deref());
            session.change_work(|work| work.action = action);
        }
        "SET_CLIENT_INFO" => {
            let client_info = said(0, CLIENT_INFO_BYTES);
            session.change_work(|work| work.client_info = client_info);
        }
        "READ_MODULE" => {
            let work = session.work();
            (arguments[0], arguments[1]) = (datum(work.module), datum(work.action));
        }
        "READ_CLIENT_INFO" => arguments[0] = datum(session.work().client_info),
        "SET_SESSION_LONGOPS" => long_operation(connection, arguments)?,
        _ => return Err(Error::unsupported(format!("DBMS_APPLICATION_INFO.{program}"))),
    }
    Ok(Datum::Null)
}

/// SET_SESSION_LONGOPS: RINDEX and SLNO are in and out; the engine chooses their values.
fn long_operation(connection: &Connection, arguments: &mut [Datum]) -> Result<()> {
    let whole = |at: usize| number(arguments, at).map_or(0, |value| value.max(0.0) as u64);
    let kept = |at: usize, most: usize| text(arguments, at).map(|text| cut(text, most).to_owned());
    let progress = Progress {
        name: kept(2, LONG_OPERATION_BYTES),
        target: whole(3),
        context: whole(4),
        so_far: number(arguments, 5).unwrap_or_default(),
        total: number(arguments, 6).unwrap_or_default(),
        target_description: kept(7, TARGET_BYTES),
        units: kept(8, TARGET_BYTES),
    };
    let index =
        number(arguments, 0).ok_or_else(|| Error::user(6502, "PL/SQL: numeric or value error: RINDEX is NULL"))?;
    let index = (index != NO_HINT).then_some(index.max(0.0) as u64);
    let index = connection.session.note_long_operation(index, progress);
    let index = Datum::integer(i64::try_from(index).unwrap_or(i64::MAX));
    (arguments[0], arguments[1]) = (index.clone(), index);
    Ok(())
}
