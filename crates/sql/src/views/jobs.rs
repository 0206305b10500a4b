//! Jobs of DBMS_JOB, and those that run.

use common::Result;
use engine::dictionary::JobKey;
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text};
use crate::cursor::context::local_time;

/// Microseconds of a second.
const US: u64 = 1_000_000;

const COLUMNS: &[ViewColumn] = &[
    number("JOB"),
    text("LOG_USER", 128),
    text("PRIV_USER", 128),
    text("SCHEMA_USER", 128),
    date("LAST_DATE"),
    text("LAST_SEC", 8),
    date("THIS_DATE"),
    text("THIS_SEC", 8),
    date("NEXT_DATE"),
    text("NEXT_SEC", 8),
    number("TOTAL_TIME"),
    text("BROKEN", 1),
    text("INTERVAL", 4000),
    number("FAILURES"),
    text("WHAT", 4000),
    text("NLS_ENV", 4000),
    number("INSTANCE"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_JOBS", columns: COLUMNS, rows: |cx, rows| jobs(cx, rows, Scope::Dba) },
    View { name: "ALL_JOBS", columns: COLUMNS, rows: |cx, rows| jobs(cx, rows, Scope::User) },
    View { name: "USER_JOBS", columns: COLUMNS, rows: |cx, rows| jobs(cx, rows, Scope::User) },
    View {
        name: "DBA_JOBS_RUNNING",
        columns: &[
            number("SID"),
            number("JOB"),
            number("FAILURES"),
            date("LAST_DATE"),
            text("LAST_SEC", 8),
            date("THIS_DATE"),
            text("THIS_SEC", 8),
            number("INSTANCE"),
        ],
        rows: running,
    },
];

/// The time of day of a moment.
fn second(wall_us: Option<u64>) -> Result<Datum> {
    let Some(wall_us) = wall_us else { return Ok(Datum::Null) };
    let time = local_time(wall_us)?;
    Ok(s(format!("{:02}:{:02}:{:02}", time.hour, time.minute, time.second)))
}

fn jobs(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    let user = cx.session.user();
    for job in cx.session.jobs()? {
        if scope == Scope::User && job.priv_user != user {
            continue;
        }
        // A run under way has taken some time already.
        let now = cx.session.meter().clock().wall_us();
        let total = job.total_us + job.this_us.map_or(0, |this| now.saturating_sub(this));
        rows.add(&[
            n(job.number),
            s(&job.log_user),
            s(&job.priv_user),
            s(&job.schema_user),
            at(job.last_us.unwrap_or(0))?,
            second(job.last_us)?,
            at(job.this_us.unwrap_or(0))?,
            second(job.this_us)?,
            at(job.next_us)?,
            second(Some(job.next_us))?,
            n(total / US),
            s(if job.broken { "Y" } else { "N" }),
            maybe(job.interval.as_ref(), s),
            // As in Oracle, NULL before a job has run.
            if job.failures == 0 && job.last_us.is_none() { Datum::Null } else { n(job.failures) },
            s(&job.what),
            maybe(job.nls.as_ref(), s),
            n(job.instance),
        ])?;
    }
    Ok(())
}

fn running(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let jobs = cx.session.jobs()?;
    for run in cx.session.instance().jobs().running() {
        let JobKey::Job(number) = run.key else { continue };
        let job = jobs.iter().find(|job| job.number == number);
        let last = job.and_then(|job| job.last_us);
        rows.add(&[
            n(run.sid),
            n(number),
            maybe(job, |job| n(job.failures)),
            at(last.unwrap_or(0))?,
            second(last)?,
            at(run.since_us)?,
            second(Some(run.since_us))?,
            n(0),
        ])?;
    }
    Ok(())
}
