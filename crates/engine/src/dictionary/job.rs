//! A job of DBMS_JOB.

use super::field::Moment;
use super::rows::JobRow;
use super::user::SYS;

/// A job. Times are wall time in microseconds since 1970, and kept to the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub number: u64,
    /// The user that submitted it.
    pub log_user: String,
    /// The user with whose privileges it runs, and who may change it.
    pub priv_user: String,
    /// The schema in which its names are resolved.
    pub schema_user: String,
    /// Start of the last run that succeeded.
    pub last_us: Option<u64>,
    /// Start of the run under way.
    pub this_us: Option<u64>,
    pub next_us: u64,
    /// Of all runs, microseconds.
    pub total_us: u64,
    /// The text of an expression of the next time; None for a job that runs once.
    pub interval: Option<String>,
    /// Failed runs since the last one that succeeded.
    pub failures: u32,
    pub broken: bool,
    /// PL/SQL.
    pub what: String,
    /// Settings of the session that it runs in, as the SQL layer writes them.
    pub nls: Option<String>,
    /// As given by the user.
    pub instance: u32,
}

impl Job {
    /// A job breaks at this many failures.
    pub const FAILURES_MAX: u32 = 16;
    /// NEXT_DATE of a broken job: 1 January 4000.
    pub const NEVER_US: u64 = 64_060_588_800_000_000;

    /// True: `user` may change the job and run it.
    pub(crate) fn is_of(&self, user: &str) -> bool {
        self.priv_user == user || user == SYS
    }
}

impl From<JobRow> for Job {
    fn from(row: JobRow) -> Self {
        let JobRow { number, log_user, priv_user, schema_user, total_us, interval, failures, broken, .. } = row;
        Self {
            number,
            log_user,
            priv_user,
            schema_user,
            last_us: row.last.map(|last| last.0),
            this_us: row.this.map(|this| this.0),
            next_us: row.next.0,
            total_us,
            interval,
            failures,
            broken,
            what: row.what,
            nls: row.nls,
            instance: row.instance,
        }
    }
}

impl From<&Job> for JobRow {
    fn from(job: &Job) -> Self {
        Self {
            number: job.number,
            log_user: job.log_user.clone(),
            priv_user: job.priv_user.clone(),
            schema_user: job.schema_user.clone(),
            last: job.last_us.map(Moment),
            this: job.this_us.map(Moment),
            next: Moment(job.next_us),
            total_us: job.total_us,
            interval: job.interval.clone(),
            failures: job.failures,
            broken: job.broken,
            what: job.what.clone(),
            nls: job.nls.clone(),
            instance: job.instance,
        }
    }
}
/// The key of a job.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum JobKey {
    /// Of DBMS_JOB, by its number.
    Job(u64),
    /// Of DBMS_SCHEDULER.
    Scheduled { owner: String, name: String },
}
