//! Jobs: the coordinator that looks which are due, and their runs, each on a thread and in a session of its own.

use std::sync::{Arc, Weak};

use common::{Error, Result};
use engine::instance::{Due, DueJob, JobKey, JobOutcome, RunWhen};
use plsql::run::session::Session;
use scalar::Datum;

use super::host::SessionHost;
use crate::cursor::connection::Connection;
use crate::cursor::context::utc_offset_seconds;
use crate::cursor::database::Database;

const US: i64 = 1_000_000;

/// What a job's text becomes: a block.
fn block(what: &str) -> String {
    format!("BEGIN {what} END;")
}

/// Whether a job's text compiles.
///
/// # Errors
/// ORA-06550 with what is wrong with it.
pub(super) fn check_text(host: &mut SessionHost<'_>, what: &str) -> Result<()> {
    let library = Arc::clone(host.connection().database().programs());
    let schema = host.connection().schema.clone();
    let checked = library.block(host, &schema, &block(what), &[]);
    checked.map(drop).map_err(|errors| plsql::compile::error::block_error(&errors))
}

/// Whether an interval is a date in the future: ORA-23420, ORA-23319.
pub(super) fn check_interval(host: &mut SessionHost<'_>, interval: Option<&str>) -> Result<()> {
    let Some(interval) = interval else { return Ok(()) };
    let connection = host.connection();
    let now_us = connection.session.meter().clock().wall_us();
    match next_time(connection, interval)? {
        Some(next) if next + US as u64 <= now_us => {
            Err(Error::user(23420, "interval must evaluate to a time in the future"))
        }
        _ => Ok(()),
    }
}

/// When an interval says that a job runs next, wall time in microseconds since 1970; None when it gives NULL.
fn next_time(connection: &mut Connection, interval: &str) -> Result<Option<u64>> {
    let bad = |error: Error| Error::user(23319, format!("parameter value \"{interval}\" is not appropriate: {error}"));
    let rows = connection
        .query(&format!(
            "select to_date(to_char({interval}, 'YYYY-MM-DD HH24:MI:SS'), 'YYYY-MM-DD HH24:MI:SS') from dual"
        ))
        .map_err(bad)?;
    let Some(at) = rows.first().and_then(|row| row.first()).and_then(Datum::as_datetime) else { return Ok(None) };
    let local_us = at.unix_seconds() * US;
    let offset = u64::try_from(local_us).map_or(0, |wall| i64::from(utc_offset_seconds(wall)) * US);
    Ok(u64::try_from(local_us - offset).ok())
}

/// DBMS_JOB.RUN: in the session of the caller.
pub(super) fn run_now(host: &mut SessionHost<'_>, session: &mut Session, number: u64) -> Result<()> {
    let connection = host.connection();
    let (queue, engine) = (Arc::clone(connection.session.instance().jobs()), Arc::clone(&connection.session));
    let missing = || Error::user(23421, format!("job number {number} is not a job in the job queue"));
    let Some(run) = queue.begin_run(&engine, &JobKey::Job(number), RunWhen::Requested)? else { return Err(missing()) };
    let Some(DueJob::Job(job)) = run.job().cloned() else { return Err(missing()) };
    let next_us = match &job.interval {
        Some(interval) => next_time(host.connection(), interval)?,
        None => None,
    };
    let result = session.run_block(host, &block(&job.what), &mut []);
    let outcome = match &result {
        Ok(()) => JobOutcome::Succeeded { next_us },
        Err(error) => JobOutcome::Failed { error: error.clone(), next_us },
    };
    queue.end_run(&engine, run, &outcome)?;
    result.map_err(|error| Error {
        text: format!("error in running job {number}\n{error}"),
        number: common::Number::Ora(12011),
        ..error
    })
}

impl Database {
    /// Starts the thread that looks for due jobs; it ends with the instance.
    pub(crate) fn start_coordinator(self: &Arc<Self>) -> Result<()> {
        let database = Arc::downgrade(self);
        let queue = Arc::clone(self.instance().jobs());
        let coordinate = move || {
            let mut due = Due::default();
            while queue.wait(&due) {
                let Some(database) = database.upgrade() else { return };
                // What fails is tried again at the next look; an instance that has stopped says so to its sessions.
                due = database.start_due().unwrap_or_default();
            }
        };
        common::sync::spawn("cjq0", coordinate).map(drop).map_err(|error| {
            Error::own(common::ErrorKind::OutOfResource, 2, format!("no thread for the job coordinator: {error}"))
        })
    }

    fn start_due(self: &Arc<Self>) -> Result<Due> {
        let instance = self.instance();
        let session = instance.coordinator_session();
        let due = instance.jobs().due(&session, instance.clock().wall_us())?;
        for job in &due.jobs {
            let (database, job) = (Arc::downgrade(self), job.clone());
            // A thread that cannot be had now is asked for again at the next look.
            drop(common::sync::spawn("job", move || drop(run_due(&database, &job))));
        }
        Ok(due)
    }
}

/// Runs a job that is due, in a session of its owner's.
fn run_due(database: &Weak<Database>, job: &DueJob) -> Result<()> {
    let Some(database) = database.upgrade() else { return Ok(()) };
    let queue = Arc::clone(database.instance().jobs());
    let user = match job {
        DueJob::Job(job) => job.priv_user.clone(),
        DueJob::Scheduled(job) => job.owner.clone(),
    };
    let mut connection = Connection::of_user(Arc::clone(&database), &user)?;
    drop(database);
    let engine = Arc::clone(&connection.session);
    let now_us = engine.meter().clock().wall_us();
    let Some(run) = queue.begin_run(&engine, &job.key(), RunWhen::Due(now_us))? else { return Ok(()) };
    let (text, interval) = match run.job() {
        Some(DueJob::Job(job)) => {
            connection.schema.clone_from(&job.schema_user);
            (block(&job.what), job.interval.clone())
        }
        Some(DueJob::Scheduled(job)) => {
            let text =
                if job.kind == "STORED_PROCEDURE" { format!("BEGIN {}; END;", job.action) } else { job.action.clone() };
            (text, job.interval.clone())
        }
        None => return Err(Error::bug("a run without a job")),
    };
    // As it is before the run: a job that takes long does not drift by that.
    let next = match &interval {
        Some(interval) => next_time(&mut connection, interval),
        None => Ok(None),
    };
    let result = next.and_then(|next_us| connection.run(&text).map(|_| next_us));
    let outcome = match result {
        Ok(next_us) => JobOutcome::Succeeded { next_us },
        Err(error) => JobOutcome::Failed { error, next_us: None },
    };
    if engine.is_killed() {
        // It begins no call any more: what became of the run another session notes.
        let other = Connection::of_user(Arc::clone(connection.database()), &user)?;
        return queue.end_run(&other.session, run, &outcome);
    }
    queue.end_run(&engine, run, &outcome)
}
