//! Jobs: the coordinator that looks which are due, and their runs, each on a thread and in a session of its own.

use std::sync::{Arc, Weak};

use common::{Error, Result};
use engine::instance::{Due, DueJob, JobKey, JobOutcome, RunWhen};
use plsql::run::session::Session;
use scalar::Datum;

use super::host::SessionHost;
use super::schedule::{self, wall_us};
use crate::cursor::connection::Connection;
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
    let next = next_time(connection, interval)?;
    in_future(next, now_us).map(drop)
}

/// What an interval has given. One that leads back would have its job run without end; a second is what a DATE may have lost.
pub(super) fn in_future(next: Option<u64>, now_us: u64) -> Result<Option<u64>> {
    match next {
        Some(next) if next + US as u64 <= now_us => {
            Err(Error::user(23420, "interval must evaluate to a time in the future"))
        }
        next => Ok(next),
    }
}

/// When an interval says that a job runs next, wall time in microseconds since 1970; None when it gives NULL.
pub(super) fn next_time(connection: &mut Connection, interval: &str) -> Result<Option<u64>> {
    let bad = |error: Error| Error::user(23319, format!("parameter value \"{interval}\" is not appropriate: {error}"));
    let rows = connection
        .query(&format!(
            "select to_date(to_char({interval}, 'YYYY-MM-DD HH24:MI:SS'), 'YYYY-MM-DD HH24:MI:SS') from dual"
        ))
        .map_err(bad)?;
    let Some(at) = rows.first().and_then(|row| row.first()).and_then(Datum::as_datetime) else { return Ok(None) };
    Ok(wall_us(&at))
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

/// DBMS_SCHEDULER.RUN_JOB in the session of the caller.
pub(super) fn run_scheduled_now(
    host: &mut SessionHost<'_>,
    session: &mut Session,
    owner: &str,
    name: &str,
) -> Result<()> {
    let connection = host.connection();
    if connection.user() != owner {
        return Err(Error::unsupported("RUN_JOB of another user's job in the current session"));
    }
    connection.commit_implicitly()?;
    let (queue, engine) = (Arc::clone(connection.session.instance().jobs()), Arc::clone(&connection.session));
    let key = JobKey::Scheduled { owner: owner.to_owned(), name: name.to_owned() };
    let Some(run) = queue.begin_run(&engine, &key, RunWhen::Requested)? else {
        return Err(if queue.is_running(&key) {
            Error::user(27478, format!("job \"{owner}.{name}\" is running"))
        } else {
            Error::user(27475, format!("\"{owner}.{name}\" must be a job"))
        });
    };
    let Some(DueJob::Scheduled(job)) = run.job().cloned() else { return Err(Error::bug("a run without a job")) };
    let result = schedule::block(host.connection(), &job).and_then(|text| session.run_block(host, &text, &mut []));
    let outcome = match &result {
        Ok(()) => JobOutcome::Succeeded { next_us: None },
        Err(error) => JobOutcome::Failed { error: error.clone(), next_us: None },
    };
    queue.end_run(&engine, run, &outcome)?;
    result
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

/// What a run of a job executes, and when the next one is due.
fn prepare(connection: &mut Connection, job: &DueJob, now_us: u64) -> Result<(String, Option<u64>)> {
    match job {
        DueJob::Job(job) => {
            connection.schema.clone_from(&job.schema_user);
            let next = match &job.interval {
                Some(interval) => in_future(next_time(connection, interval)?, now_us)?,
                None => None,
            };
            Ok((block(&job.what), next))
        }
        DueJob::Scheduled(job) => {
            connection.session.change_work(|work| {
                work.module = Some("DBMS_SCHEDULER".into());
                work.action = Some(job.name.as_str().into());
            });
            let next = schedule::next_run(connection, job, now_us)?;
            Ok((schedule::block(connection, job)?, next))
        }
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
    let Some(job) = run.job().cloned() else { return Err(Error::bug("a run without a job")) };
    // As it is before the run: a job that takes long does not drift by that.
    let outcome = match prepare(&mut connection, &job, now_us) {
        Err(error) => JobOutcome::Failed { error, next_us: None },
        Ok((text, next_us)) => match connection.run(&text) {
            Ok(_) => JobOutcome::Succeeded { next_us },
            Err(error) => JobOutcome::Failed { error, next_us },
        },
    };
    if engine.is_killed() {
        // It begins no call any more: what became of the run another session notes.
        let other = Connection::of_user(Arc::clone(connection.database()), &user)?;
        return queue.end_run(&other.session, run, &outcome);
    }
    queue.end_run(&engine, run, &outcome)
}
