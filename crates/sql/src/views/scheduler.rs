//! Jobs of DBMS_SCHEDULER, those that run, and the log of their runs.

use common::Result;
use engine::dictionary::{JobKey, SchedulerJob, SystemPrivilege};
use engine::instance::RunningJob;
use scalar::{Datum, calendar};

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, duration, maybe, moment, n, number, s, text, timestamp};

const OWNER: ViewColumn = text("OWNER", 128);
const JOB_NAME: ViewColumn = text("JOB_NAME", 128);

macro_rules! columns_of_jobs {
    ($($owner:expr,)?) => {
        &[
            $($owner,)?
            JOB_NAME,
            text("JOB_STYLE", 17),
            text("JOB_CREATOR", 128),
            text("JOB_TYPE", 16),
            text("JOB_ACTION", 4000),
            number("NUMBER_OF_ARGUMENTS"),
            text("SCHEDULE_TYPE", 12),
            timestamp("START_DATE"),
            text("REPEAT_INTERVAL", 4000),
            timestamp("END_DATE"),
            text("JOB_CLASS", 128),
            text("ENABLED", 5),
            text("AUTO_DROP", 5),
            text("STATE", 20),
            number("RUN_COUNT"),
            number("MAX_RUNS"),
            number("FAILURE_COUNT"),
            number("MAX_FAILURES"),
            timestamp("LAST_START_DATE"),
            text("LAST_RUN_DURATION", 20),
            timestamp("NEXT_RUN_DATE"),
            text("COMMENTS", 4000),
        ]
    };
}

macro_rules! columns_of_running_jobs {
    ($($owner:expr,)?) => {
        &[
            $($owner,)?
            JOB_NAME,
            text("JOB_STYLE", 17),
            text("DETACHED", 5),
            number("SESSION_ID"),
            text("SLAVE_OS_PROCESS_ID", 12),
            number("SLAVE_PROCESS_ID"),
            number("RUNNING_INSTANCE"),
            text("ELAPSED_TIME", 20),
        ]
    };
}

const COLUMNS_OF_RUNS: &[ViewColumn] = &[
    number("LOG_ID"),
    timestamp("LOG_DATE"),
    OWNER,
    JOB_NAME,
    text("STATUS", 30),
    number("ERROR#"),
    timestamp("REQ_START_DATE"),
    timestamp("ACTUAL_START_DATE"),
    text("RUN_DURATION", 20),
    number("INSTANCE_ID"),
    text("SESSION_ID", 128),
    text("CPU_USED", 20),
    text("ADDITIONAL_INFO", 4000),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SCHEDULER_JOBS", columns: columns_of_jobs!(OWNER,), rows: |cx, rows| jobs(cx, rows, Scope::Dba) },
    View { name: "ALL_SCHEDULER_JOBS", columns: columns_of_jobs!(OWNER,), rows: |cx, rows| jobs(cx, rows, Scope::All) },
    View { name: "USER_SCHEDULER_JOBS", columns: columns_of_jobs!(), rows: |cx, rows| jobs(cx, rows, Scope::User) },
    View {
        name: "DBA_SCHEDULER_RUNNING_JOBS",
        columns: columns_of_running_jobs!(OWNER,),
        rows: |cx, rows| running(cx, rows, Scope::Dba),
    },
    View {
        name: "ALL_SCHEDULER_RUNNING_JOBS",
        columns: columns_of_running_jobs!(OWNER,),
        rows: |cx, rows| running(cx, rows, Scope::All),
    },
    View {
        name: "USER_SCHEDULER_RUNNING_JOBS",
        columns: columns_of_running_jobs!(),
        rows: |cx, rows| running(cx, rows, Scope::User),
    },
    View {
        name: "DBA_SCHEDULER_JOB_RUN_DETAILS",
        columns: COLUMNS_OF_RUNS,
        rows: |cx, rows| runs(cx, rows, Scope::Dba),
    },
    View {
        name: "ALL_SCHEDULER_JOB_RUN_DETAILS",
        columns: COLUMNS_OF_RUNS,
        rows: |cx, rows| runs(cx, rows, Scope::All),
    },
    View {
        name: "USER_SCHEDULER_JOB_RUN_DETAILS",
        columns: COLUMNS_OF_RUNS,
        rows: |cx, rows| runs(cx, rows, Scope::User),
    },
];

/// True: the view shows the jobs of this owner; a user that may make jobs for everybody sees those of all.
fn shows(cx: &ViewContext, scope: Scope, owner: &str) -> bool {
    let user = cx.session.user();
    let any = || cx.catalog.has_system_privilege(&user, SystemPrivilege::CreateAnyJob);
    scope == Scope::Dba || owner == user || (scope == Scope::All && any())
}

fn truth(value: bool) -> Datum {
    s(if value { "TRUE" } else { "FALSE" })
}

fn schedule_type(job: &SchedulerJob) -> &'static str {
    match &job.interval {
        Some(interval) if calendar::is_calendar(interval) => "CALENDAR",
        Some(_) => "PLSQL",
        None if job.start_us.is_some() => "ONCE",
        None => "IMMEDIATE",
    }
}

fn jobs(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for job in cx.session.scheduler_jobs()? {
        if !shows(cx, scope, &job.owner) {
            continue;
        }
        let mut values = if scope == Scope::User { Vec::new() } else { vec![s(&job.owner)] };
        values.extend([
            s(&job.name),
            s("REGULAR"),
            s(&job.creator),
            s(&job.kind),
            s(&job.action),
            n(job.arguments),
            s(schedule_type(&job)),
            moment(job.start_us)?,
            maybe(job.interval.as_ref(), s),
            moment(job.end_us)?,
            s(&job.class),
            truth(job.enabled),
            truth(job.auto_drop),
            s(job.state.to_string()),
            n(job.runs),
            maybe(job.max_runs, n),
            n(job.failures),
            maybe(job.max_failures, n),
            moment(job.last_start_us)?,
            maybe(job.last_run_us, duration),
            moment(job.next_us)?,
            maybe(job.comments.as_ref(), s),
        ]);
        rows.add(&values)?;
    }
    Ok(())
}

fn running(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    let process = std::process::id().to_string();
    let now_us = cx.session.meter().clock().wall_us();
    for run in cx.session.instance().jobs().running() {
        let RunningJob { key: JobKey::Scheduled { owner, name }, sid, process: number, since_us, .. } = run else {
            continue;
        };
        if !shows(cx, scope, &owner) {
            continue;
        }
        let mut values = if scope == Scope::User { Vec::new() } else { vec![s(&owner)] };
        values.extend([
            s(&name),
            s("REGULAR"),
            s("FALSE"),
            n(sid),
            s(&process),
            n(number.0),
            n(1),
            duration(now_us.saturating_sub(since_us)),
        ]);
        rows.add(&values)?;
    }
    Ok(())
}

fn runs(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for run in cx.session.scheduler_runs()? {
        if !shows(cx, scope, &run.owner) {
            continue;
        }
        rows.add(&[
            n(run.id),
            moment(Some(run.logged_us))?,
            s(&run.owner),
            s(&run.job),
            s(run.status.to_string()),
            n(run.error),
            moment(run.requested_us)?,
            moment(run.started_us)?,
            duration(run.elapsed_us),
            n(1),
            maybe(run.session, |(sid, serial)| s(format!("{sid},{serial}"))),
            duration(run.cpu_us),
            maybe(run.information.as_ref(), s),
        ])?;
    }
    Ok(())
}
