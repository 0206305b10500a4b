//! DBMS_JOB: jobs are rows of the user's transaction; `jobs.rs` of the folder above runs them.

use common::{Error, Result};
use engine::dictionary::Job;
use plsql::run::session::Session;
use scalar::Datum;

use super::{number, text};
use crate::plsql::host::SessionHost;
use crate::plsql::schedule::wall_us;
use crate::plsql::{job_settings, jobs};

/// A DATE as wall time in microseconds since 1970; NULL is None.
fn moment(argument: Option<&Datum>) -> Result<Option<u64>> {
    let Some(date) = argument.and_then(Datum::as_datetime) else { return Ok(None) };
    let wall = wall_us(&date, 0).ok_or_else(|| Error::user(23420, "interval must evaluate to a time in the future"))?;
    Ok(Some(wall))
}

fn job_number(arguments: &[Datum]) -> Result<u64> {
    let given = number(arguments, 0).filter(|number| *number >= 1.0);
    given.map(|number| number as u64).ok_or_else(|| Error::user(23421, "job number is not a job in the job queue"))
}

pub(super) fn call(
    host: &mut SessionHost<'_>,
    session: &mut Session,
    program: &str,
    arguments: &mut [Datum],
) -> Result<Datum> {
    match program {
        "SUBMIT" => {
            // FORCE concerns the choice among instances.
            if let Some(instance) = number(arguments, 5).filter(|instance| *instance != 0.0) {
                let text = format!(
                    "job associated instance number {instance} is not valid: there is one instance, and 0 means any"
                );
                return Err(Error::user(23428, text));
            }
            let connection = host.connection();
            let number = connection.session.next_job_number()?;
            submit(host, number, arguments, [1, 2, 3, 4])?;
            arguments[0] = Datum::integer(number as i64);
        }
        "ISUBMIT" => {
            let number = job_number(arguments)?;
            submit(host, number, arguments, [1, 2, 3, 4])?;
        }
        "RUN" => jobs::run_now(host, session, job_number(arguments)?)?,
        _ => change(host, program, arguments)?,
    }
    Ok(Datum::Null)
}

/// `at`: positions of WHAT, NEXT_DATE, INTERVAL and NO_PARSE.
fn submit(host: &mut SessionHost<'_>, number: u64, arguments: &[Datum], at: [usize; 4]) -> Result<()> {
    let [what_at, next_at, interval_at, no_parse_at] = at;
    let what = text(arguments, what_at).ok_or_else(|| Error::user(23422, "the job's WHAT is NULL"))?.to_owned();
    let interval = text(arguments, interval_at).map(str::to_owned);
    let no_parse = super::number(arguments, no_parse_at).is_some_and(|value| value != 0.0);
    if !no_parse {
        jobs::check_text(host, &what)?;
    }
    jobs::check_interval(host, interval.as_deref())?;
    let connection = host.connection();
    let now_us = connection.session.meter().clock().wall_us();
    let job = Job {
        number,
        log_user: connection.user(),
        priv_user: connection.user(),
        schema_user: connection.schema.clone(),
        last_us: None,
        this_us: None,
        next_us: moment(arguments.get(next_at))?.unwrap_or(now_us),
        total_us: 0,
        interval,
        failures: 0,
        broken: false,
        what,
        nls: Some(job_settings::text(connection)),
        instance: 0,
    };
    connection.session.submit_job(&job)
}

fn change(host: &mut SessionHost<'_>, program: &str, arguments: &[Datum]) -> Result<()> {
    let number = job_number(arguments)?;
    let user = host.connection().user();
    let given = |at: usize| text(arguments, at).map(str::to_owned);
    match program {
        "REMOVE" => host.connection().session.remove_job(number, &user),
        "WHAT" => {
            let what = given(1).ok_or_else(|| Error::user(23422, "the job's WHAT is NULL"))?;
            jobs::check_text(host, &what)?;
            host.connection().session.change_job(number, &user, |job| {
                job.what.clone_from(&what);
                Ok(())
            })
        }
        "NEXT_DATE" => {
            let next = moment(arguments.get(1))?;
            host.connection().session.change_job(number, &user, |job| {
                job.next_us = next.unwrap_or(Job::NEVER_US);
                Ok(())
            })
        }
        "INTERVAL" => {
            let interval = given(1);
            jobs::check_interval(host, interval.as_deref())?;
            host.connection().session.change_job(number, &user, |job| {
                job.interval.clone_from(&interval);
                Ok(())
            })
        }
        "BROKEN" => {
            let broken = super::number(arguments, 1).is_some_and(|value| value != 0.0);
            let now_us = host.connection().session.meter().clock().wall_us();
            let next = moment(arguments.get(2))?.unwrap_or(now_us);
            host.connection().session.change_job(number, &user, |job| {
                job.broken = broken;
                job.next_us = if broken { Job::NEVER_US } else { next };
                if !broken {
                    job.failures = 0;
                }
                Ok(())
            })
        }
        "CHANGE" => {
            let (what, next, interval) = (given(1), moment(arguments.get(2))?, given(3));
            if let Some(what) = &what {
                jobs::check_text(host, what)?;
            }
            jobs::check_interval(host, interval.as_deref())?;
            host.connection().session.change_job(number, &user, |job| {
                if let Some(what) = &what {
                    job.what.clone_from(what);
                }
                if let Some(next) = next {
                    job.next_us = next;
                }
                job.interval.clone_from(&interval);
                Ok(())
            })
        }
        _ => Err(Error::unsupported(format!("DBMS_JOB.{program}"))),
    }
}
