//! The subprograms of supplied packages that need the session. Arguments stand in the order of the package's
//! specification; a BOOLEAN is 1 or 0.

mod application_info;
mod jobs;
mod metadata;
mod method_opt;
mod random;
mod scheduler;
mod session;
mod set_stats;
mod space;
mod stats;
mod statspack;
mod time;

use common::{Error, Result};
use plsql::run::session::Session;
use scalar::Datum;

use super::host::SessionHost;

/// Executes one.
pub(super) fn call(
    host: &mut SessionHost<'_>,
    session: &mut Session,
    name: &str,
    arguments: &mut [Datum],
) -> Result<Datum> {
    let connection = host.connection();
    match name {
        "DBMS_LOCK.SLEEP" | "DBMS_SESSION.SLEEP" => time::sleep(connection, arguments),
        "DBMS_UTILITY.GET_TIME" => Ok(time::get_time(connection)),
        "DBMS_UTILITY.GET_CPU_TIME" => Ok(time::get_cpu_time(connection)),
        "DBMS_STATS.GATHER_TABLE_STATS" => stats::gather_table(connection, arguments),
        "DBMS_STATS.GATHER_INDEX_STATS" => stats::gather_index(connection, arguments),
        "DBMS_STATS.GATHER_SCHEMA_STATS" => stats::gather_schema(connection, arguments),
        "DBMS_STATS.DELETE_TABLE_STATS" => stats::delete_table(connection, arguments),
        "DBMS_STATS.DELETE_INDEX_STATS" => set_stats::delete_index(connection, arguments),
        "DBMS_STATS.DELETE_COLUMN_STATS" => set_stats::delete_column(connection, arguments),
        "DBMS_STATS.SET_TABLE_STATS" => set_stats::table(connection, arguments),
        "DBMS_STATS.SET_INDEX_STATS" => set_stats::index(connection, arguments),
        "DBMS_STATS.SET_COLUMN_STATS" => set_stats::column(connection, arguments),
        "DBMS_SPACE.FREE_BLOCKS" => space::free_blocks(connection, arguments),
        "DBMS_SPACE.UNUSED_SPACE" => space::unused_space(connection, arguments),
        "DBMS_SPACE.SPACE_USAGE" => space::space_usage(connection, arguments),
        "DBMS_RANDOM.SEED" | "DBMS_RANDOM.INITIALIZE" => random::seed(connection, arguments),
        // There is nothing to release.
        "DBMS_RANDOM.TERMINATE" => Ok(Datum::Null),
        "DBMS_METADATA.GET_DDL" => metadata::call(connection, arguments),
        _ if name.starts_with("STATSPACK.") => {
            statspack::call(connection, session, &name["STATSPACK.".len()..], arguments)
        }
        _ if name.starts_with("DBMS_APPLICATION_INFO.") => {
            application_info::call(connection, &name["DBMS_APPLICATION_INFO.".len()..], arguments)
        }
        _ if name.starts_with("DBMS_SESSION.") => {
            session::call(connection, session, &name["DBMS_SESSION.".len()..], arguments)
        }
        _ if name.starts_with("DBMS_MONITOR.") => {
            session::monitor(connection, &name["DBMS_MONITOR.".len()..], arguments)
        }
        _ if name.starts_with("DBMS_SCHEDULER.") => {
            scheduler::call(host, session, &name["DBMS_SCHEDULER.".len()..], arguments)
        }
        _ if name.starts_with("DBMS_JOB.") => jobs::call(host, session, &name["DBMS_JOB.".len()..], arguments),
        _ => Err(Error::unsupported(name)),
    }
}

/// A text argument; NULL is None.
fn text(arguments: &[Datum], at: usize) -> Option<&str> {
    arguments.get(at).and_then(Datum::as_text)
}

/// A required text argument, in upper case unless quoted.
fn name(arguments: &[Datum], at: usize, what: &str) -> Result<String> {
    let given = text(arguments, at).ok_or_else(|| Error::user(20000, format!("{what} is NULL")))?;
    Ok(match given.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(quoted) => quoted.to_owned(),
        None => given.trim().to_uppercase(),
    })
}

/// A BOOLEAN argument; NULL is `usual`.
fn flag(arguments: &[Datum], at: usize, usual: bool) -> bool {
    number(arguments, at).map_or(usual, |value| value != 0.0)
}

/// A text cut to so many bytes, at a character boundary.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A number argument as a float; NULL is None.
fn number(arguments: &[Datum], at: usize) -> Option<f64> {
    arguments.get(at)?.as_number()?.to_string().parse().ok()
}
