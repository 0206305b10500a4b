//! Jobs: the coordinator that looks for due ones, and their runs, each on a thread and in a session of its own.

use std::sync::{Arc, Weak};

use common::limits::SESSION_STACK_BYTES;
use common::sync::spawn_with_stack;
use common::{Error, ErrorKind, Result};
use engine::dictionary::{Job, JobKey, Rights};
use engine::instance::{Due, DueJob, JobOutcome, JobRun, RunWhen};
use plsql::run::session::Session;
use scalar::Datum;

use super::host::SessionHost;
use super::job_settings;
use super::schedule::{self, wall_us};
use crate::cursor::connection::Connection;
use crate::cursor::database::Database;

const US: i64 = 1_000_000;

/// A job's text as a block.
fn block(what: &str) -> String {
    format!("BEGIN {what} END;")
}

/// Checks that a job's text compiles.
///
/// # Errors
/// ORA-06550 with the errors of the text.
pub(super) fn check_text(host: &mut SessionHost<'_>, what: &str) -> Result<()> {
    let library = Arc::clone(host.connection().database().programs());
    let schema = host.connection().schema.clone();
    let checked = library.block(host, &schema, &block(what), &[]);
    checked.map(drop).map_err(|errors| plsql::compile::error::block_error(&errors))
}

/// Checks that an interval is a date in the future: ORA-23420, ORA-23319.
pub(super) fn check_interval(host: &mut SessionHost<'_>, interval: Option<&str>) -> Result<()> {
    let Some(interval) = interval else { return Ok(()) };
    let connection = host.connection();
    let now_us = connection.session.meter().clock().wall_us();
    let next = next_time(connection, interval)?;
    in_future(next, now_us).map(drop)
}

/// Checks the value of an interval: one in the past would repeat the job without end. A second's tolerance is for the
/// precision of DATE.
pub(super) fn in_future(next: Option<u64>, now_us: u64) -> Result<Option<u64>> {
    match next {
        Some(next) if next + US as u64 <= now_us => {
            Err(Error::user(23420, "interval must evaluate to a time in the future"))
        }
        next => Ok(next),
    }
}

/// The next run by an interval, wall time in microseconds since 1970; None for NULL.
pub(super) fn next_time(connection: &mut Connection, interval: &str) -> Result<Option<u64>> {
    let bad = |error: Error| Error::user(23319, format!("parameter value \"{interval}\" is not appropriate: {error}"));
    let now_us = connection.session.meter().clock().wall_us();
    let rows = connection
        .query(&format!(
            "select to_date(to_char({interval}, 'YYYY-MM-DD HH24:MI:SS'), 'YYYY-MM-DD HH24:MI:SS') from dual"
        ))
        .map_err(bad)?;
    let Some(at) = rows.first().and_then(|row| row.first()).and_then(Datum::as_datetime) else { return Ok(None) };
    // A DATE has no fractions of a second.
    Ok(wall_us(&at, now_us.saturating_sub(US as u64)))
}

/// The next run of a DBMS_JOB job that begins at `now_us`.
fn next_of(connection: &mut Connection, job: &Job, now_us: u64) -> Result<Option<u64>> {
    let Some(interval) = &job.interval else { return Ok(None) };
    in_future(next_time(connection, interval)?, now_us)
}

/// Runs `work` with the names of a schema and the rights of a user.
fn for_user<R>(
    host: &mut SessionHost<'_>,
    session: &mut Session,
    (schema, user): (&str, &str),
    work: impl FnOnce(&mut SessionHost<'_>, &mut Session) -> R,
) -> R {
    let outer = session.schema().to_owned();
    host.enter(schema, Rights::of_user(user));
    session.set_schema(schema);
    let result = work(host, session);
    session.set_schema(&outer);
    host.leave();
    result
}

fn outcome_of(result: Result<()>, next_us: Option<u64>) -> JobOutcome {
    match result {
        Ok(()) => JobOutcome::Succeeded { next_us },
        Err(error) => JobOutcome::Failed { error, next_us },
    }
}

/// Ends a run in its session. If that fails, for example because the session was killed, ends it in another one as a
/// failure, since its transaction is lost.
fn end(connection: &mut Connection, run: &mut JobRun, outcome: &JobOutcome) -> Result<JobOutcome> {
    let failed = match connection.end_job_run(run, outcome) {
        // The instance is ending, or the waiting user has cancelled.
        Err(error) if error.kind == ErrorKind::Poisoned || [1013, 1089].iter().any(|n| error.is_ora(*n)) => {
            return Err(error);
        }
        Err(error) => outcome.failed(error),
        ended => return ended,
    };
    // A killed session holds nothing any more. Another session gives up its lock of the job's row.
    let _ = connection.session.rollback();
    let other = Connection::of_user(Arc::clone(connection.database()), &connection.user())?;
    let queue = Arc::clone(other.session.instance().jobs());
    queue.end_run(&other.session, run, &failed)
}

/// DBMS_JOB.RUN: in the session of the caller, whose transaction it commits, with the names and rights of the job.
pub(super) fn run_now(host: &mut SessionHost<'_>, session: &mut Session, number: u64) -> Result<()> {
    let connection = host.connection();
    let (queue, engine) = (Arc::clone(connection.session.instance().jobs()), Arc::clone(&connection.session));
    engine.own_job(number)?;
    connection.commit_implicitly()?;
    let missing = || Error::user(23421, format!("job number {number} is not a job in the job queue"));
    let Some(mut run) = queue.begin_run(&engine, &JobKey::Job(number), RunWhen::Requested)? else {
        return Err(missing());
    };
    let Some(DueJob::Job(job)) = run.job().cloned() else { return Err(missing()) };
    let now_us = engine.meter().clock().wall_us();
    let outcome = for_user(host, session, (&job.schema_user, &job.priv_user), |host, session| {
        let before = match job_settings::apply(host.connection(), job.nls.as_deref().unwrap_or_default()) {
            Ok(before) => before,
            Err(error) => return JobOutcome::Failed { error, next_us: None },
        };
        let outcome = match next_of(host.connection(), &job, now_us) {
            Ok(next_us) => outcome_of(session.run_block(host, &block(&job.what), &mut []), next_us),
            Err(error) => JobOutcome::Failed { error, next_us: None },
        };
        match before.put_back(host.connection()) {
            Ok(()) => outcome,
            Err(error) => outcome.failed(error),
        }
    });
    match end(host.connection(), &mut run, &outcome)? {
        JobOutcome::Succeeded { .. } => Ok(()),
        JobOutcome::Failed { error, .. } => Err(Error {
            text: format!("error in running job {number}\n{error}"),
            number: common::Number::Ora(12011),
            ..error
        }),
    }
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
    let Some(mut run) = queue.begin_run(&engine, &key, RunWhen::Requested)? else {
        return Err(if queue.is_running(&key) {
            Error::user(27478, format!("job \"{owner}.{name}\" is running"))
        } else {
            Error::user(27475, format!("\"{owner}.{name}\" must be a job"))
        });
    };
    let Some(DueJob::Scheduled(job)) = run.job().cloned() else { return Err(Error::bug("a run without a job")) };
    let result = for_user(host, session, (owner, owner), |host, session| {
        schedule::block(host.connection(), &job).and_then(|text| session.run_block(host, &text, &mut []))
    });
    match end(host.connection(), &mut run, &outcome_of(result, None))? {
        JobOutcome::Succeeded { .. } => Ok(()),
        JobOutcome::Failed { error, .. } => Err(error),
    }
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
                // A failure is retried when the queue changes, or after a while; an instance that has stopped reports
                // that to its sessions.
                let again = queue.look_again();
                due = database.start_due().unwrap_or(again);
            }
        };
        spawn_with_stack("cjq0", SESSION_STACK_BYTES, coordinate).map(drop).map_err(|error| {
            Error::own(ErrorKind::OutOfResource, 2, format!("no thread for the job coordinator: {error}"))
        })
    }

    fn start_due(self: &Arc<Self>) -> Result<Due> {
        let instance = self.instance();
        let session = instance.coordinator_session();
        let due = instance.jobs().due(&session, instance.clock().wall_us())?;
        for job in &due.jobs {
            let (database, job) = (Arc::downgrade(self), job.clone());
            // If no thread can be started, the next look tries again.
            drop(spawn_with_stack("job", SESSION_STACK_BYTES, move || drop(run_due(&database, &job))));
        }
        Ok(due)
    }
}

/// The statement of a job's run, and the time of the next run.
fn prepare(connection: &mut Connection, job: &DueJob, now_us: u64) -> Result<(String, Option<u64>)> {
    match job {
        DueJob::Job(job) => {
            connection.schema.clone_from(&job.schema_user);
            job_settings::apply(connection, job.nls.as_deref().unwrap_or_default())?;
            let next = next_of(connection, job, now_us)?;
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

/// Runs a due job in a session of its owner.
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
    let Some(mut run) = queue.begin_run(&engine, &job.key(), RunWhen::Due(now_us))? else { return Ok(()) };
    let Some(job) = run.job().cloned() else { return Err(Error::bug("a run without a job")) };
    // Evaluated before the run: a long run does not shift the schedule.
    let outcome = match prepare(&mut connection, &job, now_us) {
        Err(error) => JobOutcome::Failed { error, next_us: None },
        Ok((text, next_us)) => outcome_of(connection.run(&text).map(drop), next_us),
    };
    end(&mut connection, &mut run, &outcome).map(drop)
}
