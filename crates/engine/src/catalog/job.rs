//! Jobs of DBMS_JOB, as rows of JOB$ in the user's transaction: one that is submitted is seen by others when the transaction commits, and gone when it is
//! rolled back. Who runs them and when is `instance/jobs.rs`.

use std::sync::Arc;

use common::{Error, Result, limits};

use super::bootstrap::JOB_SEQUENCE;
use super::dictionary::{Ddl, equal};
use super::field::{Moment, damaged};
use super::rows::{DictionaryRow, JobRow, SchedulerArgumentRow, SchedulerJobRow};
use super::{SYS, SchemaObject};
use crate::instance::Session;
use storage::txn::LockWait;

/// A job. Times are wall time in microseconds since 1970, and kept to the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub number: u64,
    /// Who was logged on when it was submitted.
    pub log_user: String,
    /// Whose privileges it has, and who may change it.
    pub priv_user: String,
    /// Whose schema its names are looked up in.
    pub schema_user: String,
    /// When the last run began that succeeded.
    pub last_us: Option<u64>,
    /// When the run began that is under way.
    pub this_us: Option<u64>,
    pub next_us: u64,
    /// Of all runs, microseconds.
    pub total_us: u64,
    /// The text of an expression of the next time; None for a job that runs once.
    pub interval: Option<String>,
    /// Runs that have failed since the last one that has succeeded.
    pub failures: u32,
    pub broken: bool,
    /// PL/SQL.
    pub what: String,
    /// Settings of the session that it runs in, as the SQL layer writes them.
    pub nls: Option<String>,
    /// As it was asked for.
    pub instance: u32,
}

impl Job {
    /// The failure that breaks a job.
    pub const FAILURES_MAX: u32 = 16;
    /// When a broken job runs next: 1 January 4000.
    pub const NEVER_US: u64 = 64_060_588_800_000_000;

    /// Whether a user may change it and have it run.
    pub(super) fn is_of(&self, user: &str) -> bool {
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

/// # Errors
/// ORA-12899.
pub(super) fn check_text(value: &str, name: &str) -> Result<()> {
    let (bytes, most) = (value.len(), limits::VARCHAR2_BYTES_MAX);
    if bytes <= most {
        return Ok(());
    }
    Err(Error::user(12899, format!("value too large for column {name} (actual: {bytes}, maximum: {most})")))
}

fn check(job: &Job) -> Result<()> {
    check_text(&job.what, "WHAT")?;
    check_text(job.interval.as_deref().unwrap_or_default(), "INTERVAL")?;
    check_text(job.nls.as_deref().unwrap_or_default(), "NLS_ENV")
}

pub(super) fn no_job(number: u64) -> Error {
    Error::user(23421, format!("job number {number} is not a job in the job queue"))
}

impl Session {
    /// A number for a new job. It is not given again, whatever becomes of the transaction.
    ///
    /// # Errors
    /// Those of changing the dictionary.
    pub fn next_job_number(self: &Arc<Self>) -> Result<u64> {
        self.dictionary_number(JOB_SEQUENCE)
    }

    pub(super) fn dictionary_number(self: &Arc<Self>, sequence: &str) -> Result<u64> {
        let Some(SchemaObject::Sequence(sequence)) = self.catalog().object(SYS, sequence) else {
            return Err(damaged(format_args!("there is no sequence {sequence}")));
        };
        let mut number = 0;
        self.sequence_values(&sequence, 1, |value| number = u64::try_from(value).unwrap_or_default())?;
        Ok(number)
    }

    /// DBMS_JOB.SUBMIT and ISUBMIT: the job is in the queue when the transaction commits.
    ///
    /// # Errors
    /// ORA-00001 there is a job of this number; ORA-12899 a text is too long; ORA-01456; those of changing rows.
    pub fn submit_job(self: &Arc<Self>, job: &Job) -> Result<()> {
        check(job)?;
        self.claim_key::<JobRow>(&job.number.to_string())?;
        self.row_statement(|| {
            if !self.own_rows::<JobRow>(&equal("JOB", job.number)?)?.is_empty() {
                return Err(Error::user(1, format!("unique constraint violated: there is a job {}", job.number)));
            }
            self.insert_own(&[JobRow::from(job)])
        })?;
        self.tell_jobs_at_commit();
        Ok(())
    }

    /// DBMS_JOB.CHANGE, WHAT, NEXT_DATE, INTERVAL, BROKEN: changes a job of `user`'s, in the transaction. `change` may be called more than once.
    ///
    /// # Errors
    /// ORA-23421 `user` has no such job; ORA-12899; those of `change`, of waiting for the row and of changing it.
    pub fn change_job(
        self: &Arc<Self>,
        number: u64,
        user: &str,
        change: impl Fn(&mut Job) -> Result<()>,
    ) -> Result<()> {
        self.row_statement(|| {
            let (rowid, mut job) = self.job_of(number, user)?;
            change(&mut job)?;
            job.number = number;
            check(&job)?;
            self.update_own(rowid, &JobRow::from(&job))
        })?;
        self.tell_jobs_at_commit();
        Ok(())
    }

    /// DBMS_JOB.REMOVE, in the transaction. A run that is under way goes on.
    ///
    /// # Errors
    /// ORA-23421 `user` has no such job; those of waiting for the row and of changing it.
    pub fn remove_job(self: &Arc<Self>, number: u64, user: &str) -> Result<()> {
        self.row_statement(|| self.delete_own::<JobRow>(self.job_of(number, user)?.0))?;
        self.tell_jobs_at_commit();
        Ok(())
    }

    fn job_of(self: &Arc<Self>, number: u64, user: &str) -> Result<(common::Rowid, Job)> {
        let found = self.own_rows::<JobRow>(&equal("JOB", number)?)?.into_iter().next();
        let (rowid, row) = found.ok_or_else(|| no_job(number))?;
        let job = Job::from(row);
        if job.is_of(user) { Ok((rowid, job)) } else { Err(no_job(number)) }
    }

    /// A job of the session's user.
    ///
    /// # Errors
    /// ORA-23421 there is none of this number that is his; those of reading.
    pub fn own_job(self: &Arc<Self>, number: u64) -> Result<Job> {
        self.job_of(number, &self.user()).map(|(_, job)| job)
    }

    /// The jobs that the session sees, by number: what others have committed, and what it has done itself.
    ///
    /// # Errors
    /// Those of reading.
    pub fn jobs(self: &Arc<Self>) -> Result<Vec<Job>> {
        let mut jobs: Vec<Job> = self.own_rows::<JobRow>(&[])?.into_iter().map(|(_, row)| Job::from(row)).collect();
        jobs.sort_by_key(|job| job.number);
        Ok(jobs)
    }
}

impl Ddl<'_> {
    /// The jobs of a user who goes.
    ///
    /// # Errors
    /// ORA-00054 where another transaction changes one of them: a DDL statement waits for nobody.
    pub(super) fn delete_jobs_of(&mut self, user: &str) -> Result<()> {
        let name = || user.to_owned();
        self.delete_unlocked::<JobRow>(&equal("POWNER", name())?)?;
        self.delete_unlocked::<SchedulerJobRow>(&equal("OWNER", name())?)?;
        self.delete_unlocked::<SchedulerArgumentRow>(&equal("OWNER", name())?)
    }

    fn delete_unlocked<R: DictionaryRow>(&mut self, conditions: &[super::dictionary::Condition]) -> Result<()> {
        for (rowid, _) in self.select::<R>(conditions)? {
            self.session.lock_own::<R>(rowid, LockWait::NoWait)?;
            self.session.delete_own::<R>(rowid)?;
        }
        Ok(())
    }
}
