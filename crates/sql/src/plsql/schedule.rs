//! Schedules of DBMS_SCHEDULER: the calendar strings and expressions of repeat intervals, and the block of a run.

use std::sync::Arc;

use common::{Error, Result};
use engine::dictionary::SchedulerJob;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use scalar::DateTime;
use scalar::calendar::{self, Calendar};

use super::jobs::next_time;
use crate::cursor::connection::Connection;
use crate::cursor::context::moment_of;

const US: i64 = 1_000_000;

/// Local time as wall time in microseconds since 1970; None before 1970. If clocks show it twice, the first time after
/// `after_us`.
pub(super) fn wall_us(local: &DateTime, after_us: u64) -> Option<u64> {
    moment_of(&TimeZone::system(), local, after_us)
}

fn invalid_interval(interval: &str, error: &Error) -> Error {
    Error::user(27412, format!("repeat interval or calendar contains invalid identifier: {interval} ({error})"))
}

/// The next run after `after_us` by a job's repeat interval; None when there is none. An expression is evaluated as of
/// now.
///
/// # Errors
/// ORA-27412 and its like for an invalid interval; ORA-23420 for an expression that gives no later time.
pub(super) fn next_run(connection: &mut Connection, job: &SchedulerJob, after_us: u64) -> Result<Option<u64>> {
    let Some(interval) = &job.interval else { return Ok(None) };
    if !calendar::is_calendar(interval) {
        let next = next_time(connection, interval).map_err(|error| invalid_interval(interval, &error))?;
        return super::jobs::in_future(next, after_us);
    }
    let start_us = job.start_us.unwrap_or(after_us);
    next_of(&calendar::parse(interval)?, &TimeZone::system(), (start_us, after_us)).map(Some)
}

/// The first moment after `after_us` at which clocks of `zone` show a date of a calendar. A date that clocks show
/// twice, when they are put back, counts once if the calendar fixes the hours, and both times if it repeats by hours or
/// less.
fn next_of(calendar: &Calendar, zone: &TimeZone, (start_us, after_us): (u64, u64)) -> Result<u64> {
    let none = || Error::user(27419, "unable to determine valid execution date from repeat interval");
    let timestamp = |wall_us: u64| {
        let at = i64::try_from(wall_us).ok().and_then(|us| Timestamp::from_microsecond(us).ok());
        at.ok_or_else(none)
    };
    // The clock's time, `before_us` earlier.
    let local = |wall_us: u64, before_us: i64| {
        let at = timestamp(wall_us)?;
        DateTime::from_unix_micros(at.as_microsecond() + i64::from(zone.to_offset(at).seconds()) * US - before_us)
    };
    let start = local(start_us, 0)?;
    let first_after = |mut after: DateTime, moment_us: u64| {
        loop {
            let next = calendar.next(&start, &after)?;
            let wall = moment_of(zone, &next, moment_us).ok_or_else(none)?;
            if wall > moment_us {
                return Ok(wall);
            }
            // Never back, whatever the clocks do.
            after = next;
        }
    };
    let next = first_after(local(after_us, 0)?, after_us)?;
    if !calendar.is_within_days() {
        return Ok(next);
    }
    // If clocks are put back before then, they show the times after it again.
    let change = zone.following(timestamp(after_us)?).next();
    let change = change.and_then(|change| u64::try_from(change.timestamp().as_microsecond()).ok());
    match change.filter(|change| *change < next) {
        Some(change) => first_after(local(change, US)?, change - 1).map(|again| again.min(next)),
        None => Ok(next),
    }
}

/// Enables a job and computes its first run. A calendar without a start date counts from now.
///
/// # Errors
/// As [`next_run`]; ORA-27483 for a job that ends before it begins.
pub(super) fn enable(connection: &mut Connection, job: &mut SchedulerJob) -> Result<()> {
    let now_us = connection.session.meter().clock().wall_us();
    let by_calendar = job.interval.as_deref().is_some_and(calendar::is_calendar);
    let first = if by_calendar {
        let start_us = *job.start_us.get_or_insert(now_us);
        // The start itself counts, if it matches.
        let after_us = if start_us < now_us { now_us } else { start_us.saturating_sub(US as u64) };
        next_run(connection, job, after_us)?
    } else {
        // An expression is checked before its first use.
        if job.interval.is_some() {
            next_run(connection, job, now_us)?;
        }
        Some(job.start_us.map_or(now_us, |start| start.max(now_us)))
    };
    check_end(job, first)?;
    job.enable(first);
    Ok(())
}

/// Checks that a job can run before its end.
///
/// # Errors
/// ORA-27483.
pub(super) fn check_end(job: &SchedulerJob, first_us: Option<u64>) -> Result<()> {
    if first_us.is_none_or(|first| job.end_us.is_none_or(|end| first <= end)) {
        return Ok(());
    }
    let text = format!("\"{}.{}\" has an invalid END_DATE: it is over before the job runs", job.owner, job.name);
    Err(Error::user(27483, text))
}

/// Checks a repeat interval of a job that is not enabled yet.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Central Europe: clocks are put forward at 01:00 UTC of the last Sunday of March, back at that of October.
    fn zone() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    fn utc(text: &str) -> u64 {
        u64::try_from(text.parse::<Timestamp>().unwrap().as_microsecond()).unwrap()
    }

    /// Times of a calendar that began long ago, in order.
    fn times(calendar: &str, after: &str, count: usize) -> Vec<String> {
        let calendar = calendar::parse(calendar).unwrap();
        let (mut after_us, mut times) = (utc(after), Vec::new());
        for _ in 0..count {
            let next = next_of(&calendar, &zone(), (utc("2024-01-01T00:00:00Z"), after_us)).unwrap();
            assert!(next > after_us);
            after_us = next;
            let at = Timestamp::from_microsecond(i64::try_from(next).unwrap()).unwrap().to_string();
            times.push(at[5..16].to_owned());
        }
        times
    }

    #[test]
    fn what_clocks_do_not_show_comes_an_hour_later() {
        let daily = "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0";
        assert_eq!(times(daily, "2024-03-30T12:00:00Z", 2), ["03-31T01:30", "04-01T00:30"]);
        let hourly = "FREQ=HOURLY;BYMINUTE=15;BYSECOND=0";
        assert_eq!(times(hourly, "2024-03-31T00:00:00Z", 2), ["03-31T00:15", "03-31T01:15"]);
    }

    #[test]
    fn what_clocks_show_twice_comes_once_a_day_and_every_hour() {
        let daily = "FREQ=DAILY;BYHOUR=2;BYMINUTE=30;BYSECOND=0";
        assert_eq!(times(daily, "2024-10-26T12:00:00Z", 2), ["10-27T00:30", "10-28T01:30"]);
        // From the second half past two on, and from a quarter past.
        assert_eq!(times(daily, "2024-10-27T01:30:00Z", 1), ["10-28T01:30"]);
        let hourly = "FREQ=HOURLY;BYMINUTE=30;BYSECOND=0";
        let half_past = ["10-26T23:30", "10-27T00:30", "10-27T01:30", "10-27T02:30"];
        assert_eq!(times(hourly, "2024-10-26T23:00:00Z", 4), half_past);
        let minutes = "FREQ=MINUTELY;INTERVAL=20;BYSECOND=0";
        let thirds = ["10-27T00:40", "10-27T01:00", "10-27T01:20", "10-27T01:40", "10-27T02:00"];
        assert_eq!(times(minutes, "2024-10-27T00:20:00Z", 5), thirds);
    }

    #[test]
    fn a_local_time_is_the_first_one_after_a_moment() {
        let local = |text: &str| DateTime::from_unix_micros(i64::try_from(utc(text)).unwrap()).unwrap();
        let of = |text: &str, after: &str| moment_of(&zone(), &local(text), utc(after));
        let (first, second) = (Some(utc("2024-10-27T00:30:00Z")), Some(utc("2024-10-27T01:30:00Z")));
        assert_eq!(of("2024-10-27T02:30:00Z", "2024-01-01T00:00:00Z"), first);
        assert_eq!(of("2024-10-27T02:30:00Z", "2024-10-27T00:30:00Z"), second);
        assert_eq!(of("2024-10-27T02:30:00Z", "2025-01-01T00:00:00Z"), second);
        assert_eq!(of("2024-03-31T02:30:00Z", "2024-01-01T00:00:00Z"), Some(utc("2024-03-31T01:30:00Z")));
        assert_eq!(of("2024-06-01T12:00:00Z", "2025-01-01T00:00:00Z"), Some(utc("2024-06-01T10:00:00Z")));
        assert_eq!(moment_of(&zone(), &DateTime::midnight(1960, 1, 1), 0), None);
    }
}
