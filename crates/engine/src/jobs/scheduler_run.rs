//! The scheduler's log: a row of SCHEDULER$_JOB_RUN_DETAILS for each run that has ended.

use std::sync::Arc;

use common::Result;

use crate::dictionary::SchedulerRun;
use crate::dictionary::field::Timestamp;
use crate::dictionary::own::SCHEDULER_LOG_SEQUENCE;
use crate::dictionary::program::cut;
use crate::dictionary::rows::SchedulerRunRow;
use crate::instance::Session;

impl Session {
    /// Adds a run to the log, in the transaction, and sets its id.
    pub(super) fn log_run(self: &Arc<Self>, run: &SchedulerRun) -> Result<()> {
        self.insert_own(&[SchedulerRunRow {
            id: self.dictionary_number(SCHEDULER_LOG_SEQUENCE)?,
            logged: Timestamp(run.logged_us),
            owner: run.owner.clone(),
            job: run.job.clone(),
            status: run.status.to_string(),
            error: run.error,
            requested: run.requested_us.map(Timestamp),
            started: run.started_us.map(Timestamp),
            elapsed_us: run.elapsed_us,
            cpu_us: run.cpu_us,
            session: run.session.map(|(sid, _)| sid),
            serial: run.session.map(|(_, serial)| serial),
            information: run.information.as_deref().map(cut),
        }])
    }

    /// The runs that have ended, by id.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn scheduler_runs(self: &Arc<Self>) -> Result<Vec<SchedulerRun>> {
        let rows = self.own_rows::<SchedulerRunRow>(&[])?.into_iter();
        let mut runs: Vec<_> = rows.map(|(_, row)| SchedulerRun::from_row(row)).collect::<Result<_>>()?;
        runs.sort_by_key(|run| run.id);
        Ok(runs)
    }
}
