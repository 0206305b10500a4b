//! A job of DBMS_SCHEDULER.

use std::fmt;

use common::Result;

use super::field::{Timestamp, damaged};
use super::job::JobKey;
use super::rows::SchedulerJobRow;

/// The state of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    Disabled,
    Scheduled,
    Running,
    /// It has reached its maximum of runs, or its end date.
    Completed,
    /// A job that runs once has succeeded.
    Succeeded,
    /// A job that runs once has failed.
    Failed,
    /// It has reached its maximum of failures.
    Broken,
    /// A job that runs once was stopped by a user.
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
    /// The user that made it.
    pub creator: String,
    /// PLSQL_BLOCK or STORED_PROCEDURE.
    pub kind: String,
    pub action: String,
    /// The number of arguments of the procedure; [`scheduler_arguments`](crate::instance::Session::scheduler_arguments)
    /// has their values.
    pub arguments: u32,
    pub start_us: Option<u64>,
    /// The calendar string or expression; None for a job that runs once.
    pub interval: Option<String>,
    pub end_us: Option<u64>,
    pub class: String,
    pub enabled: bool,
    /// Dropped after its last run.
    pub auto_drop: bool,
    pub state: JobState,
    pub runs: u64,
    pub failures: u64,
    /// Failures since the last run that succeeded.
    pub failures_in_a_row: u64,
    pub max_runs: Option<u64>,
    /// Failures in a row after which it is broken.
    pub max_failures: Option<u64>,
    pub last_start_us: Option<u64>,
    /// Duration of the last run, microseconds.
    pub last_run_us: Option<u64>,
    /// Evaluated from interval and start by the SQL layer. An enabled job without it never runs.
    pub next_us: Option<u64>,
    pub last_error: Option<String>,
    pub comments: Option<String>,
}

impl SchedulerJob {
    /// A disabled job of class DEFAULT_JOB_CLASS without a schedule, dropped after its last run.
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

    /// Enables the job, to run at `next_us`; an earlier broken or ended state is reset.
    pub fn enable(&mut self, next_us: Option<u64>) {
        (self.enabled, self.next_us, self.failures_in_a_row) = (true, next_us, 0);
        if self.state != JobState::Running {
            self.state = JobState::Scheduled;
        }
    }

    /// Disables the job. A run under way goes on.
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

    pub(crate) fn from_row(row: SchedulerJobRow) -> Result<Self> {
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

    pub(crate) fn to_row(&self) -> SchedulerJobRow {
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
}
