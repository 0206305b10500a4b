//! Jobs of DBMS_SCHEDULER, as rows of SCHEDULER$_JOB. Unlike those of DBMS_JOB each call commits the session's
//! transaction.

use std::sync::Arc;
use std::time::Duration;

use common::{Error, Result, Rowid};
use waits::Event;

use super::job::check_text;
use crate::ddl::check_name;
use crate::dictionary::access::{Condition, is};
use crate::dictionary::rows::{SchedulerArgumentRow, SchedulerJobRow};
use crate::dictionary::{JobKey, SchedulerJob, SystemPrivilege};
use crate::instance::{RunningJob, Session};
use storage::txn::CommitWrite;

/// Poll interval of STOP_JOB while it waits for the job; the user may cancel in between.
const LOOK_ROUND: Duration = Duration::from_millis(100);
/// Poll interval while the job is about to run: its beginning is not signalled.
const BEGIN_ROUND: Duration = Duration::from_millis(10);

pub(super) fn named(owner: &str, name: &str) -> Result<[Condition; 2]> {
    Ok([is("OWNER", owner.to_owned())?, is("NAME", name.to_owned())?])
}

/// # Errors
/// ORA-00972, ORA-00904 of its name; ORA-12899 of its texts.
fn check(job: &SchedulerJob) -> Result<()> {
    check_name(&job.name)?;
    check_text(&job.action, "JOB_ACTION")?;
    check_text(job.interval.as_deref().unwrap_or_default(), "REPEAT_INTERVAL")?;
    check_text(job.comments.as_deref().unwrap_or_default(), "COMMENTS")
}

fn no_scheduler_job(owner: &str, name: &str) -> Error {
    Error::user(27475, format!("\"{owner}.{name}\" must be a job"))
}

impl Session {
    /// DBMS_SCHEDULER.CREATE_JOB. Commits.
    ///
    /// # Errors
    /// ORA-27477 there is such a job; ORA-27486 the user lacks the privilege; ORA-12899, ORA-00972; those of changing
    /// rows.
    pub fn create_scheduler_job(self: &Arc<Self>, job: &SchedulerJob) -> Result<()> {
        let (owner, name) = (job.owner.as_str(), job.name.as_str());
        self.check_may_schedule(owner)?;
        check(job)?;
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
            check(&job)?;
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
            // A session that sets the same argument at the same time comes after this.
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

    /// The values of a job's arguments, by position; None for NULL and for values not set.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn scheduler_arguments(self: &Arc<Self>, job: &SchedulerJob) -> Result<Vec<Option<String>>> {
        let mut values = vec![None; job.arguments as usize];
        for (_, row) in self.own_rows::<SchedulerArgumentRow>(&named(&job.owner, &job.name)?)? {
            if let Some(value) = (row.position as usize).checked_sub(1).and_then(|at| values.get_mut(at)) {
                *value = row.value;
            }
        }
        Ok(values)
    }

    /// Waits while the end of a run of a job is being written, which others may see before the run is over. Not for a
    /// session that has changed jobs.
    ///
    /// # Errors
    /// ORA-01013 when the user cancels, and other errors that end a wait.
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

    /// DBMS_SCHEDULER.STOP_JOB: cancels the run that is under way, or with `force` kills its session, and waits until
    /// it has ended.
    ///
    /// # Errors
    /// ORA-27475 no such job; ORA-27366 it does not run; ORA-27486; ORA-00027 it runs in this session; ORA-01013 when
    /// the user cancels the wait.
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
            // A killed session needs no cancel.
            if !force {
                self.instance().cancel(run.sid, run.serial);
            }
        };
        while !jobs.wait_begun(&key, BEGIN_ROUND) {
            self.check_cancelled()?;
        }
        let stopped = jobs.stop(&key, &user, cancel);
        if let Some(run) = stopped.as_ref().filter(|_| force) {
            // The run may have ended just now.
            self.kill(run.sid, run.serial)
                .map(drop)
                .or_else(|error| if error.is_ora(30) { Ok(()) } else { Err(error) })?;
        }
        // A run at its end is over; its outcome is there when this returns.
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
    /// Errors of reading.
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
