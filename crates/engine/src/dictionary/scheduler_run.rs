//! An entry of the scheduler's log.

use std::fmt;

use common::{Error, Number, Result};

use super::field::damaged;
use super::rows::SchedulerRunRow;

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunStatus {
    Succeeded,
    Failed,
    /// The instance ended during the run.
    Stopped,
}

impl RunStatus {
    const ALL: [Self; 3] = [Self::Succeeded, Self::Failed, Self::Stopped];
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Stopped => "STOPPED",
        })
    }
}

/// A run that has ended. Times are wall time in microseconds since 1970, durations microseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchedulerRun {
    /// LOG_ID.
    pub id: u64,
    pub logged_us: u64,
    pub owner: String,
    pub job: String,
    pub status: RunStatus,
    /// The number of the error, 0 for none.
    pub error: u32,
    /// The time at which it was due.
    pub requested_us: Option<u64>,
    pub started_us: Option<u64>,
    pub elapsed_us: u64,
    pub cpu_us: u64,
    /// SID and SERIAL# of the session that ran it.
    pub session: Option<(u32, u32)>,
    pub information: Option<String>,
}

impl SchedulerRun {
    pub(crate) fn from_row(row: SchedulerRunRow) -> Result<Self> {
        let status = RunStatus::ALL
            .into_iter()
            .find(|status| status.to_string() == row.status)
            .ok_or_else(|| damaged(format_args!("run {} ended in an unknown way", row.id)))?;
        Ok(Self {
            id: row.id,
            logged_us: row.logged.0,
            owner: row.owner,
            job: row.job,
            status,
            error: row.error,
            requested_us: row.requested.map(|at| at.0),
            started_us: row.started.map(|at| at.0),
            elapsed_us: row.elapsed_us,
            cpu_us: row.cpu_us,
            session: row.session.zip(row.serial),
            information: row.information,
        })
    }
}

/// The number of an error, without its prefix.
pub(crate) fn error_number(error: &Error) -> u32 {
    match error.number {
        Number::Ora(number) | Number::Hw(number) | Number::Sp2(number) => number,
    }
}
