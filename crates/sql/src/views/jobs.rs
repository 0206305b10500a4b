//! Jobs of DBMS_JOB, and those that run.

use common::Result;
use engine::dictionary::{Job, JobKey};
use scalar::{DateTime, Datum};

use super::view::{
    Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero, written,
};

/// Microseconds of a second.
const US: u64 = 1_000_000;

/// The time of day.
fn second(time: &DateTime) -> String {
    format!("{:02}:{:02}:{:02}", time.hour, time.minute, time.second)
}

/// A job, and the time that its runs have taken.
struct JobRow {
    job: Job,
    total_us: u64,
}

const JOBS: &[Column<JobRow>] = &[
    number("JOB", |row| n(row.job.number)),
    text("LOG_USER", 128, |row| s(&row.job.log_user)),
    text("PRIV_USER", 128, |row| s(&row.job.priv_user)),
    text("SCHEMA_USER", 128, |row| s(&row.job.schema_user)),
    date("LAST_DATE", |row| row.job.last_us.and_then(unless_zero)),
    written("LAST_SEC", 8, |row| row.job.last_us, second),
    date("THIS_DATE", |row| row.job.this_us.and_then(unless_zero)),
    written("THIS_SEC", 8, |row| row.job.this_us, second),
    date("NEXT_DATE", |row| unless_zero(row.job.next_us)),
    written("NEXT_SEC", 8, |row| Some(row.job.next_us), second),
    number("TOTAL_TIME", |row| n(row.total_us / US)),
    text("BROKEN", 1, |row| s(if row.job.broken { "Y" } else { "N" })),
    text("INTERVAL", 4000, |row| maybe(row.job.interval.as_ref(), s)),
    // As in Oracle, NULL before a job has run.
    number("FAILURES", |row| match row.job.failures {
        0 if row.job.last_us.is_none() => Datum::Null,
        failures => n(failures),
    }),
    text("WHAT", 4000, |row| s(&row.job.what)),
    text("NLS_ENV", 4000, |row| maybe(row.job.nls.as_ref(), s)),
    number("INSTANCE", |row| n(row.job.instance)),
];

/// A run under way; its job may be gone.
struct Running {
    sid: u32,
    number: u64,
    since_us: u64,
    job: Option<Job>,
}

impl Running {
    fn last_us(&self) -> Option<u64> {
        self.job.as_ref().and_then(|job| job.last_us)
    }
}

const RUNNING: &[Column<Running>] = &[
    number("SID", |run| n(run.sid)),
    number("JOB", |run| n(run.number)),
    number("FAILURES", |run| maybe(run.job.as_ref(), |job| n(job.failures))),
    date("LAST_DATE", |run| run.last_us().and_then(unless_zero)),
    written("LAST_SEC", 8, Running::last_us, second),
    date("THIS_DATE", |run| unless_zero(run.since_us)),
    written("THIS_SEC", 8, |run| Some(run.since_us), second),
    number("INSTANCE", |_| n(0)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::Dba)),
    &Table::new("ALL_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::User)),
    &Table::new("USER_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::User)),
    &Table::new("DBA_JOBS_RUNNING", &[RUNNING], running),
];

fn jobs(cx: &ViewContext, each: Each<'_, JobRow>, scope: Scope) -> Result<()> {
    let user = cx.session.user();
    for job in cx.session.jobs()? {
        if scope == Scope::User && job.priv_user != user {
            continue;
        }
        // A run under way has taken some time already.
        let now = cx.session.meter().clock().wall_us();
        let total_us = job.total_us + job.this_us.map_or(0, |this| now.saturating_sub(this));
        each(JobRow { job, total_us })?;
    }
    Ok(())
}

fn running(cx: &ViewContext, each: Each<'_, Running>) -> Result<()> {
    let jobs = cx.session.jobs()?;
    for run in cx.session.instance().jobs().running() {
        let JobKey::Job(number) = run.key else { continue };
        let job = jobs.iter().find(|job| job.number == number).cloned();
        each(Running { sid: run.sid, number, since_us: run.since_us, job })?;
    }
    Ok(())
}
