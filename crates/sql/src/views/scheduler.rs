//! Jobs of DBMS_SCHEDULER, those that run, and the log of their runs.

use common::Result;
use engine::dictionary::{JobKey, SchedulerJob, SchedulerRun, SystemPrivilege};
use engine::instance::RunningJob;
use scalar::{Datum, calendar};

use super::view::{Column, Each, Scope, Table, View, ViewContext, duration, maybe, n, number, s, text, timestamp};

const JOBS: &[Column<SchedulerJob>] = &[
    text("OWNER", 128, |job| s(&job.owner)),
    text("JOB_NAME", 128, |job| s(&job.name)),
    text("JOB_STYLE", 17, |_| s("REGULAR")),
    text("JOB_CREATOR", 128, |job| s(&job.creator)),
    text("JOB_TYPE", 16, |job| s(&job.kind)),
    text("JOB_ACTION", 4000, |job| s(&job.action)),
    number("NUMBER_OF_ARGUMENTS", |job| n(job.arguments)),
    text("SCHEDULE_TYPE", 12, |job| s(schedule_type(job))),
    timestamp("START_DATE", |job| job.start_us),
    text("REPEAT_INTERVAL", 4000, |job| maybe(job.interval.as_ref(), s)),
    timestamp("END_DATE", |job| job.end_us),
    text("JOB_CLASS", 128, |job| s(&job.class)),
    text("ENABLED", 5, |job| truth(job.enabled)),
    text("AUTO_DROP", 5, |job| truth(job.auto_drop)),
    text("STATE", 20, |job| s(job.state.to_string())),
    number("RUN_COUNT", |job| n(job.runs)),
    number("MAX_RUNS", |job| maybe(job.max_runs, n)),
    number("FAILURE_COUNT", |job| n(job.failures)),
    number("MAX_FAILURES", |job| maybe(job.max_failures, n)),
    timestamp("LAST_START_DATE", |job| job.last_start_us),
    text("LAST_RUN_DURATION", 20, |job| maybe(job.last_run_us, duration)),
    timestamp("NEXT_RUN_DATE", |job| job.next_us),
    text("COMMENTS", 4000, |job| maybe(job.comments.as_ref(), s)),
];

/// A run under way.
struct Running {
    owner: String,
    name: String,
    sid: u32,
    process: u32,
    elapsed_us: u64,
}

const RUNNING: &[Column<Running>] = &[
    text("OWNER", 128, |run| s(&run.owner)),
    text("JOB_NAME", 128, |run| s(&run.name)),
    text("JOB_STYLE", 17, |_| s("REGULAR")),
    text("DETACHED", 5, |_| s("FALSE")),
    number("SESSION_ID", |run| n(run.sid)),
    text("SLAVE_OS_PROCESS_ID", 12, |_| s(std::process::id().to_string())),
    number("SLAVE_PROCESS_ID", |run| n(run.process)),
    number("RUNNING_INSTANCE", |_| n(1)),
    text("ELAPSED_TIME", 20, |run| duration(run.elapsed_us)),
];

const RUNS: &[Column<SchedulerRun>] = &[
    number("LOG_ID", |run| n(run.id)),
    timestamp("LOG_DATE", |run| Some(run.logged_us)),
    text("OWNER", 128, |run| s(&run.owner)),
    text("JOB_NAME", 128, |run| s(&run.job)),
    text("STATUS", 30, |run| s(run.status.to_string())),
    number("ERROR#", |run| n(run.error)),
    timestamp("REQ_START_DATE", |run| run.requested_us),
    timestamp("ACTUAL_START_DATE", |run| run.started_us),
    text("RUN_DURATION", 20, |run| duration(run.elapsed_us)),
    number("INSTANCE_ID", |_| n(1)),
    text("SESSION_ID", 128, |run| maybe(run.session, |(sid, serial)| s(format!("{sid},{serial}")))),
    text("CPU_USED", 20, |run| duration(run.cpu_us)),
    text("ADDITIONAL_INFO", 4000, |run| maybe(run.information.as_ref(), s)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SCHEDULER_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::Dba)),
    &Table::new("ALL_SCHEDULER_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::All)),
    &Table::new("USER_SCHEDULER_JOBS", &[JOBS], |cx, each| jobs(cx, each, Scope::User)).without(&["OWNER"]),
    &Table::new("DBA_SCHEDULER_RUNNING_JOBS", &[RUNNING], |cx, each| running(cx, each, Scope::Dba)),
    &Table::new("ALL_SCHEDULER_RUNNING_JOBS", &[RUNNING], |cx, each| running(cx, each, Scope::All)),
    &Table::new("USER_SCHEDULER_RUNNING_JOBS", &[RUNNING], |cx, each| running(cx, each, Scope::User))
        .without(&["OWNER"]),
    &Table::new("DBA_SCHEDULER_JOB_RUN_DETAILS", &[RUNS], |cx, each| runs(cx, each, Scope::Dba)),
    &Table::new("ALL_SCHEDULER_JOB_RUN_DETAILS", &[RUNS], |cx, each| runs(cx, each, Scope::All)),
    &Table::new("USER_SCHEDULER_JOB_RUN_DETAILS", &[RUNS], |cx, each| runs(cx, each, Scope::User)),
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

fn jobs(cx: &ViewContext, each: Each<'_, SchedulerJob>, scope: Scope) -> Result<()> {
    cx.session.scheduler_jobs()?.into_iter().filter(|job| shows(cx, scope, &job.owner)).try_for_each(each)
}

fn running(cx: &ViewContext, each: Each<'_, Running>, scope: Scope) -> Result<()> {
    let now_us = cx.session.meter().clock().wall_us();
    for run in cx.session.instance().jobs().running() {
        let RunningJob { key: JobKey::Scheduled { owner, name }, sid, process, since_us, .. } = run else { continue };
        if shows(cx, scope, &owner) {
            let elapsed_us = now_us.saturating_sub(since_us);
            each(Running { owner, name, sid, process: process.0, elapsed_us })?;
        }
    }
    Ok(())
}

fn runs(cx: &ViewContext, each: Each<'_, SchedulerRun>, scope: Scope) -> Result<()> {
    cx.session.scheduler_runs()?.into_iter().filter(|run| shows(cx, scope, &run.owner)).try_for_each(each)
}
