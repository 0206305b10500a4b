//! The job queue: the running jobs, and the time of the next look.
//!
//! The engine does not know PL/SQL. The SQL layer runs a coordinator on a thread of its own:
//!
//! ```text
//! let mut due = Due::default();
//! while jobs.wait(&due) {                                  woken by a commit that has changed jobs, at the next
//!                                                          time, or after five seconds
//!     due = jobs.due(&session, now)?;
//!     for job in &due.jobs {                               each on a thread and in a session of its own:
//!         if let Some(mut run) = jobs.begin_run(&session, &job.key(), RunWhen::Due(now))? {
//!             …                                            evaluate the interval, run the job
//!             jobs.end_run(&session, &mut run, &outcome)?;
//!         }
//!     }
//! }
//! ```
//!
//! A job claimed here runs in no other session: a database has one instance. `jobs/run.rs` has a job's rows.

use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex};
use common::{Clock, Error, ProcessNumber};

use super::Instance;
use super::session::Session;
use super::sessions::Background;
use crate::dictionary::{Job, JobKey, SchedulerJob};
use storage::parameters::Parameter;

/// Interval between two looks through an unchanged queue.
const PERIOD_US: u64 = 5_000_000;

/// A job that is to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DueJob {
    Job(Job),
    Scheduled(SchedulerJob),
}

impl DueJob {
    #[must_use]
    pub fn key(&self) -> JobKey {
        match self {
            Self::Job(job) => JobKey::Job(job.number),
            Self::Scheduled(job) => job.key(),
        }
    }

    /// When it is to run, wall time in microseconds since 1970.
    #[must_use]
    pub fn next_us(&self) -> Option<u64> {
        match self {
            Self::Job(job) => Some(job.next_us),
            Self::Scheduled(job) => job.next_us,
        }
    }
}

/// The jobs to run now, and the time of the next look.
#[derive(Clone, Default, Debug)]
pub struct Due {
    pub jobs: Vec<DueJob>,
    /// When the next job is due, wall time in microseconds since 1970.
    pub next_us: Option<u64>,
    /// Counter of changes when the queue was read.
    pub(crate) seen: u64,
}

/// The reason of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunWhen {
    /// The job is due at this wall time (microseconds since 1970), or a user has requested it from the queue.
    Due(u64),
    /// A user runs it now, in his session: DBMS_JOB.RUN, DBMS_SCHEDULER.RUN_JOB. It may be not due, broken or disabled,
    /// and job_queue_processes does not apply. A run of DBMS_SCHEDULER leaves the job's schedule and counts alone, and
    /// is logged.
    Requested,
}

/// The outcome of a run. `next_us` is the interval's value before the run; None for a job that runs once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobOutcome {
    /// A job of DBMS_JOB without a next time is deleted.
    Succeeded {
        next_us: Option<u64>,
    },
    Failed {
        error: Error,
        next_us: Option<u64>,
    },
}

impl JobOutcome {
    pub(crate) fn next_us(&self) -> Option<u64> {
        match self {
            Self::Succeeded { next_us } | Self::Failed { next_us, .. } => *next_us,
        }
    }

    /// The outcome of a run whose work was rolled back because of `error`. A failure keeps its own error.
    #[must_use]
    pub fn failed(&self, error: Error) -> Self {
        match self {
            Self::Succeeded { next_us } => Self::Failed { error, next_us: *next_us },
            Self::Failed { .. } => self.clone(),
        }
    }
}

/// A job that runs: DBA_JOBS_RUNNING, DBA_SCHEDULER_RUNNING_JOBS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunningJob {
    pub key: JobKey,
    pub sid: u32,
    pub serial: u32,
    pub process: ProcessNumber,
    /// Wall time, microseconds since 1970.
    pub since_us: u64,
    /// The queue runs it, not a user.
    pub queued: bool,
    /// The user that has stopped it.
    pub stopped_by: Option<String>,
    /// The job's row says that it runs.
    pub(crate) begun: bool,
    /// Its end is being written: too late to stop it.
    pub(crate) ending: bool,
}

/// A run that has begun. Dropped without [`Jobs::end_run`] it leaves the job unchanged, and due again.
#[derive(Debug)]
pub struct JobRun {
    jobs: Arc<Jobs>,
    pub(crate) key: JobKey,
    pub(crate) job: Option<DueJob>,
    /// Wall time, microseconds since 1970.
    pub(crate) started_us: u64,
    monotonic_us: u64,
    thread_cpu_us: u64,
    pub(crate) sid: u32,
    pub(crate) serial: u32,
    pub(crate) requested: bool,
    /// Requested by a user from the queue: not the scheduled run.
    pub(crate) asked: bool,
    /// The job's row has its end.
    pub(crate) ended: bool,
}

impl JobRun {
    /// The job as it was before the run.
    #[must_use]
    pub fn job(&self) -> Option<&DueJob> {
        self.job.as_ref()
    }

    pub(crate) fn elapsed_us(&self, session: &Session) -> u64 {
        session.meter().clock().monotonic_us().saturating_sub(self.monotonic_us)
    }

    /// CPU time of the thread, when it is the one that has begun the run.
    pub(crate) fn cpu_us(&self, session: &Session) -> u64 {
        session.meter().clock().thread_cpu_us().saturating_sub(self.thread_cpu_us)
    }
}

impl Drop for JobRun {
    fn drop(&mut self) {
        let mut state = self.jobs.state.lock();
        state.running.retain(|running| running.key != self.key);
        if !self.requested {
            state.passed.retain(|key| *key != self.key);
            if self.job.is_none() {
                // The other due jobs come first at the next look.
                state.passed.push(self.key.clone());
            }
        }
        if self.asked && self.job.is_none() {
            // It could not begin, so the user's request stands.
            state.asked.push(self.key.clone());
        }
        // Another job may run now, or this one again. A job that could not begin or end is left to the next look:
        // waking the coordinator would repeat without end.
        if self.ended {
            state.changes += 1;
            self.jobs.changed.notify_all();
        }
    }
}

#[derive(Debug)]
struct QueueState {
    running: Vec<RunningJob>,
    /// Jobs that users have requested, due or not.
    asked: Vec<JobKey>,
    /// Due jobs that could not begin at the last attempt, in that order: another transaction is changing them.
    passed: Vec<JobKey>,
    /// Counts changes after which the queue should be read again.
    changes: u64,
    closed: bool,
}

/// The job queue of an instance, which it does not keep alive.
#[derive(Debug)]
pub struct Jobs {
    state: Mutex<QueueState>,
    changed: Condvar,
    clock: Arc<dyn Clock>,
}

impl Jobs {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let state =
            QueueState { running: Vec::new(), asked: Vec::new(), passed: Vec::new(), changes: 1, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::default(), clock }
    }

    /// Waits until there may be more to do than `due` says: a transaction that has changed jobs has committed, a run
    /// has ended, the next job is due, or five seconds have passed. Returns false when the instance is being closed.
    #[must_use]
    pub fn wait(&self, due: &Due) -> bool {
        let now = self.clock.wall_us();
        let until_next = due.next_us.map_or(PERIOD_US, |next| next.saturating_sub(now));
        let mut state = self.state.lock();
        if state.changes == due.seen && !state.closed {
            self.changed.wait_for(&mut state, Duration::from_micros(until_next.min(PERIOD_US)));
        }
        !state.closed
    }

    /// The jobs that run.
    #[must_use]
    pub fn running(&self) -> Vec<RunningJob> {
        self.state.lock().running.iter().filter(|running| running.begun).cloned().collect()
    }

    /// True: the job runs, or is about to.
    #[must_use]
    pub fn is_running(&self, key: &JobKey) -> bool {
        self.state.lock().running.iter().any(|running| running.key == *key)
    }

    /// DBMS_SCHEDULER.RUN_JOB in a session of its own: requests a run as soon as possible. Requests are lost when the
    /// instance ends.
    pub fn ask(&self, key: &JobKey) {
        let mut state = self.state.lock();
        if !state.asked.contains(key) {
            state.asked.push(key.clone());
        }
        state.changes += 1;
        self.changed.notify_all();
    }

    /// The requested jobs that exist; other requests are dropped.
    pub(crate) fn asked(&self, there: impl Fn(&JobKey) -> bool) -> Vec<JobKey> {
        let mut state = self.state.lock();
        state.asked.retain(there);
        state.asked.clone()
    }

    /// Records that `user` stops a running job, and cancels its run by `cancel`, unless its end is being written.
    /// Returns the running job; None when it does not run, or has ended.
    pub(crate) fn stop(&self, key: &JobKey, user: &str, cancel: impl FnOnce(&RunningJob)) -> Option<RunningJob> {
        let mut state = self.state.lock();
        let running =
            state.running.iter_mut().find(|running| running.key == *key && running.begun && !running.ending)?;
        running.stopped_by = Some(user.to_owned());
        cancel(running);
        Some(running.clone())
    }

    /// Records that the job's row says that it runs. Before that the job cannot be stopped: it would begin again at
    /// once.
    pub(crate) fn note_begun(&self, key: &JobKey) {
        if let Some(running) = self.state.lock().running.iter_mut().find(|running| running.key == *key) {
            running.begun = true;
        }
    }

    /// Waits until a job that is about to run has begun or ended, at most `most`. Returns true when that is so.
    pub(crate) fn wait_begun(&self, key: &JobKey, most: Duration) -> bool {
        let beginning = |state: &QueueState| state.running.iter().any(|running| running.key == *key && !running.begun);
        let mut state = self.state.lock();
        if beginning(&state) {
            self.changed.wait_for(&mut state, most);
        }
        !beginning(&state)
    }

    /// Ends the time in which a run can be stopped; returns the user that has stopped it.
    pub(crate) fn begin_end(&self, key: &JobKey) -> Option<String> {
        let mut state = self.state.lock();
        let running = state.running.iter_mut().find(|running| running.key == *key)?;
        running.ending = true;
        running.stopped_by.clone()
    }

    /// Due jobs that could not begin, the one that has waited longest since its last attempt first.
    pub(crate) fn passed(&self) -> Vec<JobKey> {
        self.state.lock().passed.clone()
    }

    /// Keeps of those jobs the ones that are due.
    pub(crate) fn keep_passed(&self, due: impl Fn(&JobKey) -> bool) {
        self.state.lock().passed.retain(due);
    }

    /// The answer after a failed read of the queue: look again after a change, or after five seconds.
    #[must_use]
    pub fn look_again(&self) -> Due {
        Due { seen: self.changes(), ..Due::default() }
    }

    /// Waits while the end of a run of the job is being written, at most `most`. Returns true when none is.
    pub(crate) fn wait_end_written(&self, key: &JobKey, most: Duration) -> bool {
        let ending = |state: &QueueState| state.running.iter().any(|running| running.key == *key && running.ending);
        let mut state = self.state.lock();
        if ending(&state) {
            self.changed.wait_for(&mut state, most);
        }
        !ending(&state)
    }

    /// Waits until a job has ended, at most `most`. Returns true when it has.
    pub(crate) fn wait_ended(&self, key: &JobKey, most: Duration) -> bool {
        let mut state = self.state.lock();
        if state.running.iter().any(|running| running.key == *key) {
            self.changed.wait_for(&mut state, most);
        }
        state.running.iter().all(|running| running.key != *key)
    }

    /// Wakes the waiting coordinator to read the queue.
    pub(crate) fn note_change(&self) {
        self.state.lock().changes += 1;
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn changes(&self) -> u64 {
        self.state.lock().changes
    }

    /// The number of further jobs that the queue may run.
    pub(crate) fn room(&self, instance: &Instance) -> usize {
        let most = usize::try_from(instance.parameters().unsigned(Parameter::JobQueueProcesses)).unwrap_or(usize::MAX);
        most.saturating_sub(self.state.lock().queued())
    }

    /// Claims a job for this session; None when it runs already, or when job_queue_processes run.
    pub(crate) fn claim(self: &Arc<Self>, session: &Session, key: &JobKey, when: RunWhen) -> Option<JobRun> {
        let meter = session.meter();
        let (requested, clock) = (when == RunWhen::Requested, meter.clock());
        let most = session.instance().parameters().unsigned(Parameter::JobQueueProcesses);
        let started_us = clock.wall_us();
        let mut state = self.state.lock();
        let taken = state.running.iter().any(|running| running.key == *key);
        if taken || state.closed || (!requested && state.queued() as u64 >= most) {
            return None;
        }
        let before = state.asked.len();
        if !requested {
            state.asked.retain(|asked| asked != key);
        }
        let asked = state.asked.len() < before;
        state.running.push(RunningJob {
            key: key.clone(),
            sid: meter.sid(),
            serial: meter.serial(),
            process: session.process(),
            since_us: started_us,
            queued: !requested,
            stopped_by: None,
            begun: false,
            ending: false,
        });
        Some(JobRun {
            jobs: self.clone(),
            key: key.clone(),
            job: None,
            started_us,
            monotonic_us: clock.monotonic_us(),
            thread_cpu_us: clock.thread_cpu_us(),
            sid: meter.sid(),
            serial: meter.serial(),
            requested,
            asked,
            ended: false,
        })
    }
}

impl QueueState {
    fn queued(&self) -> usize {
        self.running.iter().filter(|running| running.queued).count()
    }
}

impl Instance {
    /// True: the instance has threads of its own, and its callers may start some too.
    #[must_use]
    pub fn has_threads(&self) -> bool {
        self.writer.lock().is_some()
    }

    /// The session of the job queue's coordinator: a background process, which takes no user's process number.
    #[must_use]
    pub fn coordinator_session(self: &Arc<Self>) -> Arc<Session> {
        let entry = self.sessions.background(Background::COORDINATOR).clone();
        Arc::new(Session::new(self.clone(), entry, None))
    }

    /// The job queue.
    #[must_use]
    pub fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }
}

impl Session {
    /// Has the commit of the current transaction, which has changed jobs, wake the coordinator.
    pub(crate) fn tell_jobs_at_commit(&self) {
        let jobs = self.instance().jobs().clone();
        self.tell_at_commit(move || jobs.note_change());
    }
}
