//! DBMS_SCHEDULER: jobs by name, with a schedule. Each call commits the session's transaction; `jobs.rs` of the folder
//! above runs the jobs.

use std::cell::Cell;
use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::SchedulerJob;
use plsql::run::session::Session;
use scalar::{Datum, calendar};

use super::{flag, number, text};
use crate::cursor::connection::Connection;
use crate::plsql::host::SessionHost;
use crate::plsql::jobs;
use crate::plsql::schedule::{self, wall_us};
use crate::statement::words::Words;

const JOB_CLASS: &str = "DEFAULT_JOB_CLASS";
/// Attempts to change a job that other sessions change too.
const EDITS_MAX: usize = 100;

pub(super) fn call(
    host: &mut SessionHost<'_>,
    session: &mut Session,
    program: &str,
    arguments: &mut [Datum],
) -> Result<Datum> {
    match program {
        "CREATE_JOB" => create(host.connection(), arguments)?,
        "RUN_JOB" => {
            let (owner, name) = job_name(host.connection(), required(arguments, 0, "JOB_NAME")?)?;
            if flag(arguments, 1, true) {
                jobs::run_scheduled_now(host, session, &owner, &name)?;
            } else {
                ask_for(host.connection(), &owner, &name)?;
            }
        }
        "EVALUATE_CALENDAR_STRING" => arguments[3] = evaluate(host.connection(), arguments)?,
        "GENERATE_JOB_NAME" => {
            let number = host.connection().session.next_job_number()?;
            return Ok(Datum::varchar2(format!("{}{number}", text(arguments, 0).unwrap_or_default().to_uppercase())));
        }
        _ => change(host.connection(), program, arguments)?,
    }
    Ok(Datum::Null)
}

/// A required text.
fn required<'a>(arguments: &'a [Datum], at: usize, what: &str) -> Result<&'a str> {
    text(arguments, at).ok_or_else(|| Error::user(27451, format!("{what} cannot be NULL")))
}

/// Owner and name of a job, as written: `NAME`, `OWNER.NAME`, each quoted or not.
fn job_name(connection: &Connection, text: &str) -> Result<(String, String)> {
    let bad = || Error::user(27452, format!("\"{text}\" is an invalid name for a database object"));
    let read = || -> Result<(Option<String>, String)> {
        let mut words = Words::new(text)?;
        let name = words.name()?;
        words.end()?;
        Ok(name)
    };
    let (owner, name) = read().map_err(|_| bad())?;
    Ok((owner.unwrap_or_else(|| connection.schema.clone()), name))
}

/// A moment as wall time in microseconds since 1970; NULL is None.
fn moment(arguments: &[Datum], at: usize, what: &str) -> Result<Option<u64>> {
    let Some(date) = arguments.get(at).and_then(Datum::as_datetime) else { return Ok(None) };
    let wall = wall_us(&date, 0).ok_or_else(|| invalid(what, "a date before 1970"))?;
    Ok(Some(wall))
}

fn invalid(attribute: &str, value: &str) -> Error {
    Error::user(27465, format!("invalid value {value} for attribute {attribute}"))
}

fn job_type(given: &str) -> Result<String> {
    let upper = given.to_uppercase();
    match upper.as_str() {
        "PLSQL_BLOCK" | "STORED_PROCEDURE" => Ok(upper),
        "EXECUTABLE" | "CHAIN" | "EXTERNAL_SCRIPT" | "SQL_SCRIPT" | "BACKUP_SCRIPT" => {
            Err(Error::unsupported(format!("a job of type {upper}")))
        }
        _ => Err(invalid("JOB_TYPE", given)),
    }
}

fn job_class(given: &str) -> Result<String> {
    let upper = given.trim().to_uppercase();
    match upper.strip_prefix("SYS.").unwrap_or(&upper) {
        JOB_CLASS => Ok(JOB_CLASS.to_owned()),
        other => Err(Error::user(27476, format!("\"SYS\".\"{other}\" does not exist"))),
    }
}

/// A procedure's job must have a name as its action.
fn check_action(job: &SchedulerJob) -> Result<()> {
    if job.kind != "STORED_PROCEDURE" {
        return Ok(());
    }
    let parts = job.action.split('.').map(str::trim);
    let is_name = |part: &str| {
        let quoted = part.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
        match quoted {
            Some(inner) => !inner.is_empty() && !inner.contains('"'),
            None => part.starts_with(char::is_alphabetic) && part.chars().all(plain),
        }
    };
    if parts.clone().count() <= 3 && parts.into_iter().all(is_name) {
        return Ok(());
    }
    Err(Error::user(27452, format!("\"{}\" is an invalid name for a database object", job.action)))
}

fn create(connection: &mut Connection, arguments: &[Datum]) -> Result<()> {
    let (owner, name) = job_name(connection, required(arguments, 0, "JOB_NAME")?)?;
    let kind = job_type(required(arguments, 1, "JOB_TYPE")?)?;
    let action = required(arguments, 2, "JOB_ACTION")?;
    let count = number(arguments, 3).unwrap_or_default();
    if !(0.0..=255.0).contains(&count) || (kind == "PLSQL_BLOCK" && count != 0.0) {
        return Err(invalid("NUMBER_OF_ARGUMENTS", &count.to_string()));
    }
    let mut job = SchedulerJob {
        creator: connection.user(),
        arguments: count as u32,
        start_us: moment(arguments, 4, "START_DATE")?,
        interval: text(arguments, 5).map(str::to_owned),
        end_us: moment(arguments, 6, "END_DATE")?,
        class: job_class(text(arguments, 7).unwrap_or(JOB_CLASS))?,
        auto_drop: flag(arguments, 9, true),
        comments: text(arguments, 10).map(str::to_owned),
        ..SchedulerJob::new(&owner, &name, &kind, action)
    };
    check_action(&job)?;
    check_end(connection, &job)?;
    // Earlier changes are committed, as before DDL.
    connection.commit_implicitly()?;
    if flag(arguments, 8, false) {
        if job.arguments > 0 {
            let text =
                format!("job \"{owner}.{name}\" has arguments that were not set: it is to be enabled when they are");
            return Err(Error::user(27457, text));
        }
        schedule::enable(connection, &mut job)?;
    } else {
        schedule::check_interval(connection, &job)?;
    }
    connection.session.create_scheduler_job(&job)
}

/// Refuses an end before the start, or in the past.
fn check_end(connection: &Connection, job: &SchedulerJob) -> Result<()> {
    let now_us = connection.session.meter().clock().wall_us();
    match job.end_us {
        Some(end) if end <= job.start_us.unwrap_or(now_us).max(now_us) => {
            Err(Error::user(27483, format!("\"{}.{}\" has an invalid END_DATE", job.owner, job.name)))
        }
        _ => Ok(()),
    }
}

/// RUN_JOB in a session of its own: the queue runs it as soon as possible.
fn ask_for(connection: &mut Connection, owner: &str, name: &str) -> Result<()> {
    connection.commit_implicitly()?;
    // Checks that the job exists and that the user may run it.
    connection.session.change_scheduler_job(owner, name, |_| Ok(()))?;
    let jobs = connection.session.instance().jobs();
    let key = SchedulerJob::new(owner, name, "", "").key();
    connection.session.wait_for_job_end(&key)?;
    if jobs.is_running(&key) {
        return Err(Error::user(27478, format!("job \"{owner}.{name}\" is running")));
    }
    jobs.ask(&key);
    Ok(())
}

fn evaluate(connection: &Connection, arguments: &[Datum]) -> Result<Datum> {
    let calendar = calendar::parse(required(arguments, 0, "CALENDAR_STRING")?)?;
    let now = connection.statement_context()?.now();
    let date = |at: usize| arguments.get(at).and_then(Datum::as_datetime);
    let start = date(1).unwrap_or(now);
    let after = date(2).unwrap_or(start);
    Ok(Datum::Timestamp(calendar.next(&start, &after)?.timestamp()))
}

fn change(connection: &mut Connection, program: &str, arguments: &[Datum]) -> Result<()> {
    let names = required(arguments, 0, if program.ends_with("_JOB") { "JOB_NAME" } else { "NAME" })?;
    connection.commit_implicitly()?;
    let several = matches!(program, "ENABLE" | "DISABLE" | "DROP_JOB" | "STOP_JOB");
    if !several {
        let (owner, name) = job_name(connection, names)?;
        return change_one(connection, program, (&owner, &name), arguments);
    }
    let all = names.split(',').map(|name| job_name(connection, name)).collect::<Result<Vec<_>>>()?;
    all.iter().try_for_each(|(owner, name)| change_one(connection, program, (owner, name), arguments))
}

fn change_one(
    connection: &mut Connection,
    program: &str,
    (owner, name): (&str, &str),
    arguments: &[Datum],
) -> Result<()> {
    let session = Arc::clone(&connection.session);
    match program {
        "DROP_JOB" => {
            if !flag(arguments, 1, false) {
                return session.drop_scheduler_job(owner, name);
            }
            // A job that runs often may begin again before it is dropped.
            let mut stopped = false;
            loop {
                match session.drop_scheduler_job(owner, name) {
                    Err(error) if error.is_ora(27478) => stopped = true,
                    // It has ended meanwhile, and has been dropped.
                    Err(error) if stopped && error.is_ora(27475) => return Ok(()),
                    dropped => return dropped,
                }
                match session.stop_scheduler_job(owner, name, false) {
                    Err(error) if ![27366, 27475].iter().any(|number| error.is_ora(*number)) => return Err(error),
                    _ => {}
                }
            }
        }
        "STOP_JOB" => session.stop_scheduler_job(owner, name, flag(arguments, 1, false)),
        "ENABLE" => edit(
            connection,
            owner,
            name,
            |connection, job| {
                if job.enabled { Ok(()) } else { schedule::enable(connection, job) }
            },
        ),
        "DISABLE" => {
            let key = SchedulerJob::new(owner, name, "", "").key();
            session.wait_for_job_end(&key)?;
            if !flag(arguments, 1, false) && session.instance().jobs().is_running(&key) {
                return Err(Error::user(27478, format!("job \"{owner}.{name}\" is running")));
            }
            session.change_scheduler_job(owner, name, |job| {
                job.disable();
                Ok(())
            })
        }
        "SET_ATTRIBUTE" | "SET_ATTRIBUTE_NULL" => {
            let attribute = required(arguments, 1, "ATTRIBUTE")?.trim().to_uppercase();
            let value = if program == "SET_ATTRIBUTE" { arguments } else { &[] };
            edit(connection, owner, name, |connection, job| {
                set_attribute(connection, job, &attribute, value)?;
                match attribute.as_str() {
                    // The job counts as disabled during the change.
                    "START_DATE" | "REPEAT_INTERVAL" if job.enabled => schedule::enable(connection, job),
                    "START_DATE" | "REPEAT_INTERVAL" => schedule::check_interval(connection, job),
                    "END_DATE" => schedule::check_end(job, job.next_us.filter(|_| job.enabled)),
                    // The other attributes do not change the next run.
                    _ => Ok(()),
                }
            })
        }
        "SET_JOB_ARGUMENT_VALUE" => {
            let position = number(arguments, 1).unwrap_or_default().max(0.0) as u32;
            session.set_scheduler_argument(owner, name, position, text(arguments, 2))
        }
        _ => Err(Error::unsupported(format!("DBMS_SCHEDULER.{program}"))),
    }
}

/// Changes a job in a way that needs evaluation first; repeats it when the job was changed meanwhile.
fn edit(
    connection: &mut Connection,
    owner: &str,
    name: &str,
    work: impl Fn(&mut Connection, &mut SchedulerJob) -> Result<()>,
) -> Result<()> {
    let session = Arc::clone(&connection.session);
    let busy = || Error::user(54, format!("resource busy: job \"{owner}.{name}\" is changed by others all the time"));
    for _ in 0..EDITS_MAX {
        let found = session.scheduler_jobs()?.into_iter().find(|job| job.owner == owner && job.name == name);
        let Some(found) = found else {
            // The change reports a missing job or privilege.
            return session.change_scheduler_job(owner, name, |_| Ok(()));
        };
        let mut edited = found.clone();
        work(connection, &mut edited)?;
        let stale = Cell::new(false);
        let changed = session.change_scheduler_job(owner, name, |job| {
            stale.set(*job != found);
            if stale.get() {
                return Err(busy());
            }
            job.clone_from(&edited);
            Ok(())
        });
        if !stale.get() {
            return changed;
        }
        session.check_cancelled()?;
    }
    Err(busy())
}

fn set_attribute(connection: &Connection, job: &mut SchedulerJob, attribute: &str, value: &[Datum]) -> Result<()> {
    const AT: usize = 2;
    let given = || text(value, AT).map(str::to_owned);
    let must = |what: &str| given().ok_or_else(|| Error::user(27451, format!("{what} cannot be NULL")));
    let count = |what: &str| match number(value, AT) {
        Some(count) if (1.0..=1_000_000.0).contains(&count) => Ok(Some(count as u64)),
        Some(other) => Err(invalid(what, &other.to_string())),
        None => Ok(None),
    };
    match attribute {
        "JOB_TYPE" => job.kind = job_type(&must(attribute)?)?,
        "JOB_ACTION" => job.action = must(attribute)?,
        "NUMBER_OF_ARGUMENTS" => job.arguments = number(value, AT).unwrap_or_default().clamp(0.0, 255.0) as u32,
        "START_DATE" => job.start_us = moment(value, AT, attribute)?,
        "REPEAT_INTERVAL" => job.interval = given(),
        "END_DATE" => {
            job.end_us = moment(value, AT, attribute)?;
            check_end(connection, job)?;
        }
        "JOB_CLASS" => job.class = job_class(&must(attribute)?)?,
        "AUTO_DROP" => job.auto_drop = flag(value, AT, true),
        "COMMENTS" => job.comments = given(),
        "MAX_RUNS" => job.max_runs = count(attribute)?,
        "MAX_FAILURES" => job.max_failures = count(attribute)?,
        "LOGGING_LEVEL"
        | "RESTARTABLE"
        | "JOB_PRIORITY"
        | "MAX_RUN_DURATION"
        | "SCHEDULE_LIMIT"
        | "STOP_ON_WINDOW_CLOSE"
        | "RAISE_EVENTS"
        | "INSTANCE_ID"
        | "INSTANCE_STICKINESS"
        | "SCHEDULE_NAME"
        | "PROGRAM_NAME"
        | "DATABASE_ROLE" => {
            return Err(Error::unsupported(format!("attribute {attribute} of a job")));
        }
        _ => return Err(Error::user(27469, format!("{attribute} is not a valid JOB attribute"))),
    }
    check_action(job)
}
