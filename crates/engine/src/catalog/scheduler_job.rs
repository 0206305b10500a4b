//! Jobs of DBMS_SCHEDULER, as rows of SCHEDULER$_JOB. Unlike those of DBMS_JOB each call commits, and with it what the session had under way.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use common::{Error, Result, Rowid};
use waits::Event;

use super::SystemPrivilege;
use super::check::check_name;
use super::dictionary::{Condition, is};
use super::field::{Timestamp, damaged};
use super::job::check_text;
use super::rows::{SchedulerArgumentRow, SchedulerJobRow};
use crate::instance::{JobKey, RunningJob, Session};
use storage::txn::CommitWrite;

/// How long who stops a job sleeps between two looks at whether his user has cancelled.
const LOOK_ROUND: Duration = Duration::from_millis(100);
/// The same, while the job is about to run: nobody says when it does.
const BEGIN_ROUND: Duration = Duration::from_millis(10);

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    Disabled,
    Scheduled,
    Running,
    /// It has run as often, or as long, as it was to.
    Completed,
    /// It was to run once, and has.
    Succeeded,
    /// It was to run once, and has failed.
    Failed,
    /// It has failed too often.
    Broken,
    /// It was to run once, and somebody has stopped it.
    Stopped,
}

impl JobState {
    const ALL: [Self; 8] = [
        Self::Disabled,
        Self::Scheduled,
        Self::Running,
        Self::Completed,
        Self::Succeeded,
        Self::Failed,
        Self::Broken,
        Self::Stopped,
    ];

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as u8 == number)
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disabled => "DISABLED",
            Self::Scheduled => "SCHEDULED",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Broken => "BROKEN",
            Self::Stopped => "STOPPED",
        })
    }
}

/// A job. Times are wall time in microseconds since 1970.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchedulerJob {
    pub owner: String,
    pub name: String,
    /// Who made it.
    pub creator: String,
    /// PLSQL_BLOCK or STORED_PROCEDURE.
    pub kind: String,
    pub action: String,
    /// How many arguments the procedure takes; their values are [`Session::scheduler_arguments`].
    pub arguments: u32,
    pub start_us: Option<u64>,
    /// The calendar string or expression; None for a job that runs once.
    pub interval: Option<String>,
    pub end_us: Option<u64>,
    pub class: String,
    pub enabled: bool,
    /// It goes when it has run for the last time.
    pub auto_drop: bool,
    pub state: JobState,
    pub runs: u64,
    pub failures: u64,
    /// Failures since the last run that has succeeded.
    pub failures_in_a_row: u64,
    pub max_runs: Option<u64>,
    /// Failures in a row that break it.
    pub max_failures: Option<u64>,
    pub last_start_us: Option<u64>,
    /// How long the last run took, microseconds.
    pub last_run_us: Option<u64>,
    /// The SQL layer evaluates interval and start. An enabled job without it never runs.
    pub next_us: Option<u64>,
    pub last_error: Option<String>,
    pub comments: Option<String>,
}

impl SchedulerJob {
    /// A job that runs nothing yet, of class DEFAULT_JOB_CLASS: disabled, and dropped when it has run for the last time.
    #[must_use]
    pub fn new(owner: &str, name: &str, kind: &str, action: &str) -> Self {
        Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
            creator: owner.to_owned(),
            kind: kind.to_owned(),
            action: action.to_owned(),
            arguments: 0,
            start_us: None,
            interval: None,
            end_us: None,
            class: "DEFAULT_JOB_CLASS".to_owned(),
            enabled: false,
            auto_drop: true,
            state: JobState::Disabled,
            runs: 0,
            failures: 0,
            failures_in_a_row: 0,
            max_runs: None,
            max_failures: None,
            last_start_us: None,
            last_run_us: None,
            next_us: None,
            last_error: None,
            comments: None,
        }
    }

    /// Enabled, to run at `next_us`; what has broken or ended it before is over.
    pub fn enable(&mut self, next_us: Option<u64>) {
        (self.enabled, self.next_us, self.failures_in_a_row) = (true, next_us, 0);
        if self.state != JobState::Running {
            self.state = JobState::Scheduled;
        }
    }

    /// Not to be run. A run that is under way goes on.
    pub fn disable(&mut self) {
        self.enabled = false;
        if self.state != JobState::Running {
            self.state = JobState::Disabled;
        }
    }

    #[must_use]
    pub fn key(&self) -> JobKey {
        JobKey::Scheduled { owner: self.owner.clone(), name: self.name.clone() }
    }

    pub(super) fn from_row(row: SchedulerJobRow) -> Result<Self> {
        let state = JobState::from_number(row.state)
            .ok_or_else(|| damaged(format_args!("job {}.{} is in an unknown state", row.owner, row.name)))?;
        let at = |moment: Option<Timestamp>| moment.map(|moment| moment.0);
        Ok(Self {
            start_us: at(row.start),
            end_us: at(row.end),
            last_start_us: at(row.last_start),
            next_us: at(row.next),
            owner: row.owner,
            name: row.name,
            creator: row.creator,
            kind: row.kind,
            action: row.action,
            arguments: row.arguments,
            interval: row.interval,
            class: row.class,
            enabled: row.enabled,
            auto_drop: row.auto_drop,
            state,
            runs: row.runs,
            failures: row.failures,
            failures_in_a_row: row.failures_in_a_row,
            max_runs: row.max_runs,
            max_failures: row.max_failures,
            last_run_us: row.last_us,
            last_error: row.last_error,
            comments: row.comments,
        })
    }

    pub(super) fn to_row(&self) -> SchedulerJobRow {
        let at = |us: Option<u64>| us.map(Timestamp);
        SchedulerJobRow {
            owner: self.owner.clone(),
            name: self.name.clone(),
            creator: self.creator.clone(),
            kind: self.kind.clone(),
            action: self.action.clone(),
            arguments: self.arguments,
            start: at(self.start_us),
            interval: self.interval.clone(),
            end: at(self.end_us),
            class: self.class.clone(),
            enabled: self.enabled,
            auto_drop: self.auto_drop,
            state: self.state as u8,
            runs: self.runs,
            failures: self.failures,
            failures_in_a_row: self.failures_in_a_row,
            max_runs: self.max_runs,
            max_failures: self.max_failures,
            last_start: at(self.last_start_us),
            last_us: self.last_run_us,
            next: at(self.next_us),
            last_error: self.last_error.clone(),
            comments: self.comments.clone(),
        }
    }

    fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        check_text(&self.action, "JOB_ACTION")?;
        check_text(self.interval.as_deref().unwrap_or_default(), "REPEAT_INTERVAL")?;
        check_text(self.comments.as_deref().unwrap_or_default(), "COMMENTS")
    }
}

pub(super) fn named(owner: &str, name: &str) -> Result<[Condition; 2]> {
    Ok([is("OWNER", owner.to_owned())?, is("NAME", name.to_owned())?])
}

fn no_scheduler_job(owner: &str, name: &str) -> Error {
    Error::user(27475, format!("\"{owner}.{name}\" must be a job"))
}

impl Session {
    /// DBMS_SCHEDULER.CREATE_JOB. Commits.
    ///
    /// # Errors
    /// ORA-27477 there is such a job; ORA-27486 the user may not; ORA-12899, ORA-00972; those of changing rows.
    pub fn create_scheduler_job(self: &Arc<Self>, job: &SchedulerJob) -> Result<()> {
        let (owner, name) = (job.owner.as_str(), job.name.as_str());
        self.check_may_schedule(owner)?;
        job.check()?;
        self.catalog().require_user(owner)?;
        self.claim_key::<SchedulerJobRow>(&format!("{owner}.{name}"))?;
        self.row_statement(|| {
            if !self.own_rows::<SchedulerJobRow>(&named(owner, name)?)?.is_empty() {
                return Err(Error::user(27477, format!("\"{owner}.{name}\" already exists")));
            }
            self.insert_own(&[job.to_row()])
        })?;
        self.commit_schedule()
    }

    /// DBMS_SCHEDULER.ENABLE, DISABLE, SET_ATTRIBUTE. Commits. `change` may be called more than once.
    ///
    /// # Errors
    /// ORA-27475 no such job; ORA-27486; ORA-12899; those of `change`, of waiting for the row and of changing it.
    pub fn change_scheduler_job(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        change: impl Fn(&mut SchedulerJob) -> Result<()>,
    ) -> Result<()> {
        self.row_statement(|| {
            let (rowid, mut job) = self.scheduler_job_of(owner, name)?;
            change(&mut job)?;
            (job.owner, job.name) = (owner.to_owned(), name.to_owned());
            job.check()?;
            self.update_own(rowid, &job.to_row())
        })?;
        self.commit_schedule()
    }

    /// DBMS_SCHEDULER.SET_JOB_ARGUMENT_VALUE; `position` counts from 1. Commits.
    ///
    /// # Errors
    /// ORA-27465 no such position; as [`Session::change_scheduler_job`].
    pub fn set_scheduler_argument(
        self: &Arc<Self>,
        owner: &str,
        job: &str,
        position: u32,
        value: Option<&str>,
    ) -> Result<()> {
        check_text(value.unwrap_or_default(), "ARGUMENT_VALUE")?;
        self.row_statement(|| {
            let (rowid, found) = self.scheduler_job_of(owner, job)?;
            if position == 0 || position > found.arguments {
                let text = format!("invalid value {position} for attribute ARGUMENT_POSITION");
                return Err(Error::user(27465, text));
            }
            // Whoever sets the same argument at the same time comes after this.
            self.update_own(rowid, &found.to_row())?;
            for (rowid, row) in self.own_rows::<SchedulerArgumentRow>(&named(owner, job)?)? {
                if row.position == position {
                    self.delete_own::<SchedulerArgumentRow>(rowid)?;
                }
            }
            let value = value.map(str::to_owned);
            self.insert_own(&[SchedulerArgumentRow { owner: owner.to_owned(), job: job.to_owned(), position, value }])
        })?;
        self.commit_schedule()
    }

    /// The values of a job's arguments, by position; None for NULL and for what was not set.
    ///
    /// # Errors
    /// Those of reading.
    pub fn scheduler_arguments(self: &Arc<Self>, job: &SchedulerJob) -> Result<Vec<Option<String>>> {
        let mut values = vec![None; job.arguments as usize];
        for (_, row) in self.own_rows::<SchedulerArgumentRow>(&named(&job.owner, &job.name)?)? {
            if let Some(value) = (row.position as usize).checked_sub(1).and_then(|at| values.get_mut(at)) {
                *value = row.value;
            }
        }
        Ok(values)
    }

    /// Waits while the end of a run of a job is being written, which others may see before the run is over. Not for a session that has changed jobs.
    ///
    /// # Errors
    /// ORA-01013 when the user cancels, and what else ends a wait.
    pub fn wait_for_job_end(&self, key: &JobKey) -> Result<()> {
        while !self.instance().jobs().wait_end_written(key, LOOK_ROUND) {
            self.check_cancelled()?;
        }
        Ok(())
    }

    /// DBMS_SCHEDULER.DROP_JOB. Commits.
    ///
    /// # Errors
    /// ORA-27475 no such job; ORA-27478 it is running; ORA-27486; those of waiting for the row and of changing it.
    pub fn drop_scheduler_job(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.wait_for_job_end(&JobKey::Scheduled { owner: owner.to_owned(), name: name.to_owned() })?;
        self.row_statement(|| {
            let (rowid, job) = self.scheduler_job_of(owner, name)?;
            if self.instance().jobs().is_running(&job.key()) {
                return Err(Error::user(27478, format!("job \"{owner}.{name}\" is running")));
            }
            self.delete_scheduler_job(rowid, &job)
        })?;
        self.commit_schedule()
    }

    /// DBMS_SCHEDULER.STOP_JOB: cancels the run that is under way, or with `force` kills its session, and waits until it has ended.
    ///
    /// # Errors
    /// ORA-27475 no such job; ORA-27366 it does not run; ORA-27486; ORA-00027 it runs in this session; ORA-01013 when the user cancels the wait.
    pub fn stop_scheduler_job(self: &Arc<Self>, owner: &str, name: &str, force: bool) -> Result<()> {
        let (_, job) = self.scheduler_job_of(owner, name)?;
        let user = self.user();
        let privilege = SystemPrivilege::ManageScheduler;
        if force && !self.catalog().has_system_privilege(&user, privilege) {
            return Err(Error::user(27486, format!("insufficient privileges: {user} lacks {privilege}")));
        }
        let (jobs, key) = (self.instance().jobs(), job.key());
        let idle = || Error::user(27366, format!("job \"{owner}.{name}\" is not running"));
        let own = jobs.running().iter().any(|run| run.key == key && (run.sid, run.serial) == self.identity());
        if own {
            return Err(Error::user(27, "cannot kill current session: the job runs in it"));
        }
        let cancel = |run: &RunningJob| {
            // One that is killed is told so without this.
            if !force {
                self.instance().cancel(run.sid, run.serial);
            }
        };
        while !jobs.wait_begun(&key, BEGIN_ROUND) {
            self.check_cancelled()?;
        }
        let stopped = jobs.stop(&key, &user, cancel);
        if let Some(run) = stopped.as_ref().filter(|_| force) {
            // It may have ended just now.
            self.kill(run.sid, run.serial)
                .map(drop)
                .or_else(|error| if error.is_ora(30) { Ok(()) } else { Err(error) })?;
        }
        // One that is at its end has run; what that has come to is there when this returns.
        let Some(run) = stopped.clone().or_else(|| jobs.running().into_iter().find(|run| run.key == key)) else {
            return Err(idle());
        };
        self.meter().wait(Event::InactiveSession, [u64::from(run.sid), 0, 0], -1, || {
            while !jobs.wait_ended(&key, LOOK_ROUND) {
                self.check_cancelled()?;
            }
            Ok(())
        })?;
        stopped.map(drop).ok_or_else(idle)
    }

    pub(super) fn delete_scheduler_job(self: &Arc<Self>, rowid: Rowid, job: &SchedulerJob) -> Result<()> {
        self.delete_own::<SchedulerJobRow>(rowid)?;
        for (rowid, _) in self.own_rows::<SchedulerArgumentRow>(&named(&job.owner, &job.name)?)? {
            self.delete_own::<SchedulerArgumentRow>(rowid)?;
        }
        Ok(())
    }

    fn scheduler_job_of(self: &Arc<Self>, owner: &str, name: &str) -> Result<(Rowid, SchedulerJob)> {
        let found = self.own_rows::<SchedulerJobRow>(&named(owner, name)?)?.into_iter().next();
        let (rowid, row) = found.ok_or_else(|| no_scheduler_job(owner, name))?;
        self.check_may_schedule(owner)?;
        Ok((rowid, SchedulerJob::from_row(row)?))
    }

    /// The jobs that the session sees, by owner and name.
    ///
    /// # Errors
    /// Those of reading.
    pub fn scheduler_jobs(self: &Arc<Self>) -> Result<Vec<SchedulerJob>> {
        let rows = self.own_rows::<SchedulerJobRow>(&[])?.into_iter();
        let mut jobs: Vec<_> = rows.map(|(_, row)| SchedulerJob::from_row(row)).collect::<Result<_>>()?;
        jobs.sort_by(|a, b| (&a.owner, &a.name).cmp(&(&b.owner, &b.name)));
        Ok(jobs)
    }

    fn check_may_schedule(&self, owner: &str) -> Result<()> {
        let user = self.rights();
        let privilege = if user == owner { SystemPrivilege::CreateJob } else { SystemPrivilege::CreateAnyJob };
        if self.catalog().has_system_privilege(&user, privilege) {
            return Ok(());
        }
        Err(Error::user(27486, format!("insufficient privileges: {user} lacks {privilege}")))
    }

    fn commit_schedule(&self) -> Result<()> {
        self.tell_jobs_at_commit();
        self.commit(CommitWrite::default())
    }
}
