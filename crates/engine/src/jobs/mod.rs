//! Jobs of DBMS_JOB and DBMS_SCHEDULER: submitted, changed, run.
//!
//! See README.md in this folder.

mod job;
mod run;
mod scheduler_job;
mod scheduler_run;

pub(crate) use run::clear_runs;
