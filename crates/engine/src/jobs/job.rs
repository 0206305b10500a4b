//! Jobs of DBMS_JOB, as rows of JOB$ in the user's transaction: other sessions see a submitted job when the transaction
//! commits; a rollback removes it. `instance/jobs.rs` decides when they run.

use std::sync::Arc;

use common::{Error, Result, limits};

use crate::dictionary::access::equal;
use crate::dictionary::field::damaged;
use crate::dictionary::own::JOB_SEQUENCE;
use crate::dictionary::rows::JobRow;
use crate::dictionary::{Job, SYS, SchemaObject};
use crate::instance::Session;

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
    /// A number for a new job. It is never given again, even if the transaction is rolled back.
    ///
    /// # Errors
    /// Errors of changing the dictionary.
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

    /// DBMS_JOB.CHANGE, WHAT, NEXT_DATE, INTERVAL, BROKEN: changes a job of `user`, in the transaction. `change` may be
    /// called more than once.
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
    /// ORA-23421 the user has no job of this number; those of reading.
    pub fn own_job(self: &Arc<Self>, number: u64) -> Result<Job> {
        self.job_of(number, &self.user()).map(|(_, job)| job)
    }

    /// The jobs that the session sees, by number: committed ones and its own changes.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn jobs(self: &Arc<Self>) -> Result<Vec<Job>> {
        let mut jobs: Vec<Job> = self.own_rows::<JobRow>(&[])?.into_iter().map(|(_, row)| Job::from(row)).collect();
        jobs.sort_by_key(|job| job.number);
        Ok(jobs)
    }
}
