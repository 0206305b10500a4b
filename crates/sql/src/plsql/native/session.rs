//! DBMS_SESSION and DBMS_MONITOR: traces, settings and identity of sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::SystemPrivilege;
use engine::instance::Session as EngineSession;
use plsql::run::session::Session;
use scalar::Datum;
use storage::parameters::Parameter;

use super::{cut, flag, name, number, text};
use crate::cursor::connection::Connection;
use crate::cursor::trace;

const IDENTIFIER_BYTES: usize = 64;

pub(super) fn call(
    connection: &mut Connection,
    session: &mut Session,
    program: &str,
    arguments: &[Datum],
) -> Result<Datum> {
    match program {
        "SET_SQL_TRACE" if flag(arguments, 0, false) => trace::start(&connection.session, 1)?,
        "SET_SQL_TRACE" | "SESSION_TRACE_DISABLE" => trace::stop(&connection.session)?,
        "SESSION_TRACE_ENABLE" => {
            check_plan_stat(arguments, 2)?;
            trace::start(&connection.session, trace::level(flag(arguments, 0, true), flag(arguments, 1, false)))?;
        }
        "SET_IDENTIFIER" | "CLEAR_IDENTIFIER" => {
            let given = text(arguments, 0).map(|text| Arc::<str>::from(cut(text, IDENTIFIER_BYTES)));
            trace::label(&connection.session, "CLIENT ID", given.as_deref());
            connection.session.change_work(|work| work.client_identifier = given);
        }
        "SET_NLS" => set_nls(connection, arguments)?,
        "UNIQUE_SESSION_ID" => return Ok(Datum::varchar2(unique_id(&connection.session))),
        "RESET_PACKAGE" => session.reset_packages_at_end(),
        "IS_ROLE_ENABLED" => {
            return Ok(Datum::integer(i64::from(has_role(connection, &name(arguments, 0, "ROLENAME")?))));
        }
        _ => return Err(Error::unsupported(format!("DBMS_SESSION.{program}"))),
    }
    Ok(Datum::Null)
}

/// DBMS_MONITOR: the session is this one, or the one of SID and SERIAL#.
pub(super) fn monitor(connection: &Connection, program: &str, arguments: &[Datum]) -> Result<Datum> {
    let own = &connection.session;
    let whole = |at: usize| number(arguments, at).filter(|value| *value >= 0.0).map(|value| value as u32);
    let other = match (whole(0), whole(1)) {
        (None, _) => Arc::clone(own),
        (Some(sid), serial) => {
            own.catalog().check_system_privilege(&own.user(), SystemPrivilege::AlterSystem)?;
            let instance = own.instance();
            let there = || instance.sessions().into_iter().find(|session| session.sid == sid);
            let serial = serial.or_else(|| there().map(|session| session.serial));
            let found = serial.and_then(|serial| instance.session(sid, serial));
            found
                .ok_or_else(|| Error::user(30, format!("user session ID does not exist: there is no session {sid}")))?
        }
    };
    match program {
        "SESSION_TRACE_ENABLE" => {
            check_plan_stat(arguments, 4)?;
            trace::start(&other, trace::level(flag(arguments, 2, true), flag(arguments, 3, false)))?;
        }
        "SESSION_TRACE_DISABLE" => trace::stop(&other)?,
        _ => return Err(Error::unsupported(format!("DBMS_MONITOR.{program}"))),
    }
    Ok(Datum::Null)
}

/// STAT lines are written when a cursor is closed, whatever is asked for; NEVER is refused.
fn check_plan_stat(arguments: &[Datum], at: usize) -> Result<()> {
    match text(arguments, at).map(str::to_uppercase).as_deref() {
        None | Some("FIRST_EXECUTION" | "ALL_EXECUTIONS") => Ok(()),
        Some(other) => Err(Error::unsupported(format!("PLAN_STAT {other}"))),
    }
}

/// As ALTER SESSION SET; the value may be quoted, as it must be there.
fn set_nls(connection: &Connection, arguments: &[Datum]) -> Result<()> {
    let parameter = name(arguments, 0, "PARAM")?;
    let invalid = || Error::user(922, format!("missing or invalid option: {parameter} is not an NLS parameter"));
    if !parameter.starts_with("NLS_") {
        return Err(invalid());
    }
    let given = text(arguments, 1).unwrap_or_default().trim();
    let bare = given.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')).unwrap_or(given);
    let value = bare.replace("''", "'");
    let set = connection.session.parameters().set(&parameter.to_lowercase(), &value)?;
    match set {
        Parameter::NlsDateFormat | Parameter::NlsTimestampFormat | Parameter::NlsNumericCharacters => {
            connection.refresh_nls()
        }
        _ => Ok(()),
    }
}

/// Twelve hexadecimal digits, unique among the instance's sessions: SID, SERIAL#, and 0001 for the instance.
fn unique_id(session: &EngineSession) -> String {
    let (sid, serial) = session.identity();
    format!("{:04X}{:04X}0001", sid & 0xFFFF, serial & 0xFFFF)
}

/// Granted roles are enabled, also those granted through other roles.
fn has_role(connection: &Connection, role: &str) -> bool {
    let catalog = connection.session.catalog();
    let Some(user) = catalog.user(&connection.user()) else { return false };
    let mut seen = BTreeSet::new();
    let mut left: Vec<_> = user.roles.keys().copied().collect();
    while let Some(number) = left.pop() {
        if !seen.insert(number) {
            continue;
        }
        if let Some(found) = catalog.roles().find(|found| found.number == number) {
            if found.name == role {
                return true;
            }
            left.extend(found.roles.keys().copied());
        }
    }
    false
}
