//! When jobs of DBMS_SCHEDULER run: the calendar strings and expressions of their repeat intervals, and what a run executes.

use std::sync::Arc;

use common::{Error, Result};
use engine::catalog::SchedulerJob;
use scalar::DateTime;
use scalar::calendar;

use super::jobs::next_time;
use crate::cursor::connection::Connection;
use crate::cursor::context::{local_time, utc_offset_seconds};

const US: i64 = 1_000_000;

/// Local time as wall time in microseconds since 1970; None for what was before.
pub(super) fn wall_us(local: &DateTime) -> Option<u64> {
    let local_us = local.unix_seconds() * US + i64::from(local.nanosecond / 1000);
    let wall = u64::try_from(local_us).ok()?;
    u64::try_from(local_us - i64::from(utc_offset_seconds(wall)) * US).ok()
}

fn invalid_interval(interval: &str, error: &Error) -> Error {
    Error::user(27412, format!("repeat interval or calendar contains invalid identifier: {interval} ({error})"))
}

/// The time after `after_us` that a job's repeat interval gives; None when it does not run again. An expression says when that is by itself.
///
/// # Errors
/// ORA-27412 and its like for an interval that is none; ORA-23420 for an expression that does not lead on.
pub(super) fn next_run(connection: &mut Connection, job: &SchedulerJob, after_us: u64) -> Result<Option<u64>> {
    let Some(interval) = &job.interval else { return Ok(None) };
    if !calendar::is_calendar(interval) {
        let next = next_time(connection, interval).map_err(|error| invalid_interval(interval, &error))?;
        return super::jobs::in_future(next, after_us);
    }
    let calendar = calendar::parse(interval)?;
    let after = local_time(after_us)?;
    let start = job.start_us.map_or(Ok(after), local_time)?;
    calendar.next(&start, &after).map(|next| wall_us(&next))
}

/// Enables a job: when it runs first. A calendar without a start date counts from now.
///
/// # Errors
/// As [`next_run`]; ORA-27483 for a job that has ended before it begins.
pub(super) fn enable(connection: &mut Connection, job: &mut SchedulerJob) -> Result<()> {
    let now_us = connection.session.meter().clock().wall_us();
    let by_calendar = job.interval.as_deref().is_some_and(calendar::is_calendar);
    let first = if by_calendar {
        let start_us = *job.start_us.get_or_insert(now_us);
        // The start itself counts, if it matches.
        let after_us = if start_us < now_us { now_us } else { start_us.saturating_sub(US as u64) };
        next_run(connection, job, after_us)?
    } else {
        // An expression is checked before it is needed.
        if job.interval.is_some() {
            next_run(connection, job, now_us)?;
        }
        Some(job.start_us.map_or(now_us, |start| start.max(now_us)))
    };
    if let (Some(first), Some(end)) = (first, job.end_us)
        && first > end
    {
        let text = format!("\"{}.{}\" has an invalid END_DATE: it is over before the job runs", job.owner, job.name);
        return Err(Error::user(27483, text));
    }
    job.enable(first);
    Ok(())
}

/// Whether a repeat interval is one, for a job that is not enabled yet.
///
/// # Errors
/// As [`next_run`].
pub(super) fn check_interval(connection: &mut Connection, job: &SchedulerJob) -> Result<()> {
    let now_us = connection.session.meter().clock().wall_us();
    next_run(connection, job, now_us).map(drop)
}

/// The block that a run of a job executes.
pub(super) fn block(connection: &Connection, job: &SchedulerJob) -> Result<String> {
    if job.kind != "STORED_PROCEDURE" {
        return Ok(format!("BEGIN {}\nEND;", job.action));
    }
    if job.arguments == 0 {
        return Ok(format!("BEGIN {}; END;", job.action));
    }
    let session = Arc::clone(&connection.session);
    let values = session.scheduler_arguments(job)?;
    let literal =
        |value: Option<String>| value.map_or("NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")));
    let arguments: Vec<String> = values.into_iter().map(literal).collect();
    Ok(format!("BEGIN {}({}); END;", job.action, arguments.join(", ")))
}
