//! The rows of a running job: due jobs, THIS_DATE at the beginning of a run, the outcome at its end.
//!
//! ```text
//! due ──> begin_run ──> the SQL layer runs the job ──> end_run
//!         claim             in its session             success: row and the job's last changes are one commit
//!         THIS_DATE, commit                            failure: rolled back, then FAILURES and the next time
//! ```
//!
//! The claim in memory ([`Jobs`]) keeps a job from running twice. THIS_DATE and the state RUNNING are for display; if
//! the instance ends during a run the next open clears them ([`clear_runs`]), and the job is due as before.

use std::sync::Arc;

use common::sync::atomic::Ordering;
use common::{Error, Result, Rowid};

use super::scheduler_job::named;
use crate::dictionary::access::equal;
use crate::dictionary::program::cut;
use crate::dictionary::rows::{JobRow, SchedulerJobRow};
use crate::dictionary::scheduler_run::error_number;
use crate::dictionary::{Job, JobKey, JobState, RunStatus, SchedulerJob, SchedulerRun};
use crate::instance::session::cancelled;
use crate::instance::{Due, DueJob, JobOutcome, JobRun, Jobs, RunWhen, Session};
use storage::txn::{CommitWrite, LockWait};

const MINUTE_US: u64 = 60_000_000;

/// Time of the next attempt after so many failures in a row: in a minute, two, four …, but no later than its interval
/// says.
fn retry_us(now_us: u64, failures: u32, next_us: Option<u64>) -> u64 {
    let wait = MINUTE_US << failures.saturating_sub(1).min(Job::FAILURES_MAX);
    let retry = now_us + wait;
    next_us.filter(|next| *next > now_us).map_or(retry, |next| next.min(retry))
}

impl Jobs {
    /// The jobs to run at `now_us`, those that have waited longest first, as many as may run; and the time of the next
    /// one. Those that could not begin at the last attempt come after the others.
    ///
    /// # Errors
    /// Errors of reading; ORA-01089 when the instance is being closed.
    pub fn due(&self, session: &Arc<Session>, now_us: u64) -> Result<Due> {
        let _call = session.call()?;
        let seen = self.changes();
        let (mut jobs, mut next): (Vec<DueJob>, Option<u64>) = (Vec::new(), None);
        // A damaged row keeps no other job from running; queries of the row report it.
        let rows = session.whole_own_rows::<JobRow>()?;
        let waiting = rows.into_iter().map(Job::from).filter(|job| !job.broken).map(DueJob::Job);
        let enabled = |job: &SchedulerJob| job.enabled && matches!(job.state, JobState::Scheduled | JobState::Running);
        let rows = session.whole_own_rows::<SchedulerJobRow>()?;
        let scheduled: Vec<_> = rows.into_iter().filter_map(|row| SchedulerJob::from_row(row).ok()).collect();
        let asked = self.asked(|key| scheduled.iter().any(|job| job.key() == *key));
        let wanted = scheduled.into_iter().filter(|job| enabled(job) || asked.contains(&job.key()));
        for job in waiting.chain(wanted.map(DueJob::Scheduled)) {
            match job.next_us() {
                _ if asked.contains(&job.key()) && !self.is_running(&job.key()) => jobs.push(job),
                Some(at) if at > now_us => next = Some(next.map_or(at, |next| next.min(at))),
                Some(_) if !self.is_running(&job.key()) => jobs.push(job),
                _ => {}
            }
        }
        self.keep_passed(|key| jobs.iter().any(|job| job.key() == *key));
        let passed = self.passed();
        let tried = |job: &DueJob| passed.iter().position(|key| *key == job.key());
        jobs.sort_by_cached_key(|job| (tried(job), job.next_us()));
        jobs.truncate(self.room(session.instance()));
        Ok(Due { jobs, next_us: next, seen })
    }

    /// Begins a run in `session`, whose transaction commits; the SQL layer has made its checks before a commit. None
    /// when there is no run: the job runs already, is not due any more, is gone, another transaction is changing it, or
    /// job_queue_processes run (the last three for runs of the queue only); or a user asks for a DBMS_JOB job of
    /// another user. The job in the answer is as it was before.
    ///
    /// # Errors
    /// Errors of reading and changing rows; ORA-01089 when the instance is being closed.
    pub fn begin_run(self: &Arc<Self>, session: &Arc<Session>, key: &JobKey, when: RunWhen) -> Result<Option<JobRun>> {
        let _call = session.call()?;
        if when == RunWhen::Requested {
            session.wait_for_job_end(key)?;
        }
        let Some(mut run) = self.claim(session, key, when) else { return Ok(None) };
        let Some(job) = session.row_statement(|| session.begin_run(key, when, run.asked))? else {
            if matches!(when, RunWhen::Due(_)) {
                session.commit(CommitWrite::default())?;
            }
            return Ok(None);
        };
        // A lost start of a run needs no recovery.
        let no_wait = matches!(when, RunWhen::Due(_));
        session.commit(CommitWrite { no_wait, batch: false })?;
        run.job = Some(job);
        self.note_begun(key);
        Ok(Some(run))
    }

    /// Ends a run, and returns its outcome. After success the session is the one that ran the job, and its open changes
    /// commit with this. After failure it is any session: its open transaction is rolled back first. A run that a user
    /// has stopped before this has failed, though it may have done all its work; from here it can no longer be stopped.
    ///
    /// # Errors
    /// Errors of changing rows; ORA-00028 when the session has been killed; ORA-01089 when the instance is being
    /// closed. After a rollback the caller may retry, as a failure and in another session. If the run is dropped
    /// without an end, the job is due at the next look.
    pub fn end_run(&self, session: &Arc<Session>, run: &mut JobRun, outcome: &JobOutcome) -> Result<JobOutcome> {
        let stopped_by = self.begin_end(&run.key);
        // A cancel was meant for the work, not for its end.
        session.cancel_handle().store(false, Ordering::Release);
        let stopped = stopped_by.as_ref().map(|_| outcome.failed(cancelled()));
        let outcome = stopped.as_ref().unwrap_or(outcome);
        let _call = session.call()?;
        if matches!(outcome, JobOutcome::Failed { .. }) {
            session.rollback()?;
        }
        match &run.job {
            Some(DueJob::Job(job)) => session.row_statement(|| session.end_run_of_job(run, job, outcome))?,
            Some(DueJob::Scheduled(job)) => {
                session.row_statement(|| session.end_scheduled_run(run, job, (outcome, stopped_by.as_deref())))?
            }
            None => return Err(Error::bug("a run without a job")),
        }
        session.commit(CommitWrite::default())?;
        run.ended = true;
        Ok(outcome.clone())
    }
}

impl Session {
    fn begin_run(self: &Arc<Self>, key: &JobKey, when: RunWhen, asked: bool) -> Result<Option<DueJob>> {
        let now_us = self.meter().clock().wall_us();
        let (due_us, wait) = match when {
            RunWhen::Due(now) => (now, LockWait::SkipLocked),
            RunWhen::Requested => (u64::MAX, LockWait::Forever),
        };
        let requested = when == RunWhen::Requested;
        match key {
            JobKey::Job(number) => {
                let found = self.own_rows::<JobRow>(&equal("JOB", *number)?)?.into_iter().next();
                let Some((rowid, row)) = found else { return Ok(None) };
                let job = Job::from(row);
                if requested && !job.is_of(&self.user()) {
                    return Ok(None);
                }
                if !requested && (job.broken || job.next_us > due_us) || !self.lock_own::<JobRow>(rowid, wait)? {
                    return Ok(None);
                }
                self.update_own(rowid, &JobRow::from(&Job { this_us: Some(now_us), ..job.clone() }))?;
                Ok(Some(DueJob::Job(job)))
            }
            JobKey::Scheduled { owner, name } => {
                let found = self.own_rows::<SchedulerJobRow>(&named(owner, name)?)?.into_iter().next();
                let Some((rowid, row)) = found else { return Ok(None) };
                let job = SchedulerJob::from_row(row)?;
                if requested {
                    return Ok(Some(DueJob::Scheduled(job)));
                }
                if !asked && (!job.enabled || job.next_us.is_none_or(|next| next > due_us)) {
                    return Ok(None);
                }
                if !self.lock_own::<SchedulerJobRow>(rowid, wait)? {
                    return Ok(None);
                }
                if !asked && job.end_us.is_some_and(|end| end < now_us) {
                    self.end_schedule(rowid, SchedulerJob { state: JobState::Completed, ..job })?;
                    return Ok(None);
                }
                let running = SchedulerJob { state: JobState::Running, last_start_us: Some(now_us), ..job.clone() };
                self.update_own(rowid, &running.to_row())?;
                Ok(Some(DueJob::Scheduled(job)))
            }
        }
    }

    fn end_run_of_job(self: &Arc<Self>, run: &JobRun, before: &Job, outcome: &JobOutcome) -> Result<()> {
        let found = self.own_rows::<JobRow>(&equal("JOB", before.number)?)?.into_iter().next();
        // The job may have been removed while it ran.
        let Some((rowid, row)) = found else { return Ok(()) };
        let mut job = Job::from(row);
        job.this_us = None;
        job.total_us += run.elapsed_us(self);
        match outcome {
            JobOutcome::Succeeded { next_us: None } => return self.delete_own::<JobRow>(rowid),
            JobOutcome::Succeeded { next_us: Some(next) } => {
                // A broken job that has run on request is no longer broken; one that has broken itself stays so.
                job.broken &= !before.broken;
                (job.last_us, job.failures, job.next_us) = (Some(run.started_us), 0, *next);
            }
            JobOutcome::Failed { next_us, .. } => {
                job.failures += 1;
                job.broken |= job.failures >= Job::FAILURES_MAX;
                job.next_us = retry_us(self.meter().clock().wall_us(), job.failures, *next_us);
            }
        }
        if job.broken {
            job.next_us = Job::NEVER_US;
        }
        self.update_own(rowid, &JobRow::from(&job))
    }

    fn end_scheduled_run(
        self: &Arc<Self>,
        run: &JobRun,
        before: &SchedulerJob,
        (outcome, stopped_by): (&JobOutcome, Option<&str>),
    ) -> Result<()> {
        let elapsed_us = run.elapsed_us(self);
        let failure = match outcome {
            JobOutcome::Failed { error, .. } => Some(error),
            JobOutcome::Succeeded { .. } => None,
        };
        let (status, information) = match (&stopped_by, failure) {
            (Some(user), _) => (RunStatus::Stopped, Some(format!("REASON=\"Stop job called by user: '{user}'\""))),
            (None, Some(error)) => (RunStatus::Failed, Some(error.to_string())),
            (None, None) => (RunStatus::Succeeded, None),
        };
        self.log_run(&SchedulerRun {
            id: 0,
            logged_us: self.meter().clock().wall_us(),
            owner: before.owner.clone(),
            job: before.name.clone(),
            status,
            error: failure.map_or(0, error_number),
            requested_us: before.next_us.filter(|_| !run.requested && !run.asked),
            started_us: Some(run.started_us),
            elapsed_us,
            cpu_us: run.cpu_us(self),
            session: Some((run.sid, run.serial)),
            information,
        })?;
        // A user's run in his own session leaves the schedule alone.
        let found = self.own_rows::<SchedulerJobRow>(&named(&before.owner, &before.name)?)?.into_iter().next();
        let Some((rowid, row)) = found.filter(|_| !run.requested) else { return Ok(()) };
        let mut job = SchedulerJob::from_row(row)?;
        job.runs += 1;
        job.last_run_us = Some(elapsed_us);
        match failure {
            None => job.failures_in_a_row = 0,
            Some(_) if stopped_by.is_some() => {}
            Some(error) => {
                job.failures += 1;
                job.failures_in_a_row += 1;
                job.last_error = Some(cut(&error.to_string()));
            }
        }
        // A run requested from the queue leaves the next time alone.
        let planned = if run.asked { job.next_us } else { outcome.next_us() };
        let next_us = planned.filter(|next| job.end_us.is_none_or(|end| *next <= end));
        // When the interval fails there is no next time, and the job ends.
        let endless = failure.is_some() && stopped_by.is_none() && planned.is_none() && job.interval.is_some();
        let last = if job.max_failures.is_some_and(|most| job.failures_in_a_row >= most) || (endless && !run.asked) {
            Some(JobState::Broken)
        } else if run.asked && job.max_runs.is_none_or(|most| job.runs < most) {
            None
        } else if job.max_runs.is_some_and(|most| job.runs >= most) || (next_us.is_none() && job.interval.is_some()) {
            Some(JobState::Completed)
        } else if next_us.is_none() {
            Some(match (&stopped_by, failure) {
                (Some(_), _) => JobState::Stopped,
                (None, Some(_)) => JobState::Failed,
                (None, None) => JobState::Succeeded,
            })
        } else {
            None
        };
        match last {
            Some(state) => self.end_schedule(rowid, SchedulerJob { state, ..job }),
            None => {
                job.next_us = next_us;
                job.state = if job.enabled { JobState::Scheduled } else { JobState::Disabled };
                self.update_own(rowid, &job.to_row())
            }
        }
    }

    /// Ends the schedule of a job. A broken or stopped job stays, to be looked at.
    fn end_schedule(self: &Arc<Self>, rowid: Rowid, job: SchedulerJob) -> Result<()> {
        if job.auto_drop && !matches!(job.state, JobState::Broken | JobState::Stopped) {
            return self.delete_scheduler_job(rowid, &job);
        }
        self.update_own(rowid, &SchedulerJob { enabled: false, next_us: None, ..job }.to_row())
    }
}

/// Clears the marks of running jobs: nothing runs in a database that is being opened.
pub(crate) fn clear_runs(session: &Arc<Session>) -> Result<()> {
    let now_us = session.meter().clock().wall_us();
    for (rowid, row) in session.own_rows::<JobRow>(&[])? {
        if row.this.is_some() {
            session.update_own(rowid, &JobRow { this: None, ..row })?;
        }
    }
    for (rowid, row) in session.own_rows::<SchedulerJobRow>(&[])? {
        let job = SchedulerJob::from_row(row)?;
        if job.state != JobState::Running {
            continue;
        }
        session.log_run(&SchedulerRun {
            id: 0,
            logged_us: now_us,
            owner: job.owner.clone(),
            job: job.name.clone(),
            status: RunStatus::Stopped,
            error: 0,
            requested_us: job.next_us,
            started_us: job.last_start_us,
            elapsed_us: 0,
            cpu_us: 0,
            session: None,
            information: Some("the instance ended while the job ran".to_owned()),
        })?;
        let state = if job.enabled { JobState::Scheduled } else { JobState::Disabled };
        session.update_own(rowid, &SchedulerJob { state, ..job }.to_row())?;
    }
    session.commit(CommitWrite::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_tried_again_after_twice_as_long() {
        let minutes = |failures, next: Option<u64>| {
            retry_us(5 * MINUTE_US, failures, next.map(|next| next * MINUTE_US)) / MINUTE_US - 5
        };
        assert_eq!([1, 2, 3, 15].map(|failures| minutes(failures, None)), [1, 2, 4, 1 << 14]);
        // Not later than its regular time; a time that has passed does not count.
        assert_eq!(minutes(5, Some(12)), 7);
        assert_eq!(minutes(1, Some(12)), 1);
        assert_eq!(minutes(1, Some(3)), 1);
    }

    #[test]
    fn a_broken_job_waits_until_the_year_4000() {
        let date = format::date::DateTime::from_unix_micros(i64::try_from(Job::NEVER_US).unwrap()).unwrap();
        assert_eq!(date, format::date::DateTime::midnight(4000, 1, 1));
    }
}
