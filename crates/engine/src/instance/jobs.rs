//! The job queue: which jobs run, and when to look for more.
//!
//! The engine does not know PL/SQL. Who does runs a coordinator on a thread of its own:
//!
//! ```text
//! let mut due = Due::default();
//! while jobs.wait(&due) {                                  woken by a commit that has changed jobs, at the next time, or after five seconds
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
//! A job that is claimed here runs in nobody else's session: there is one instance on a database. What is in the rows of a job is `jobs/run.rs`.

use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex};
use common::{Clock, Error, ProcessNumber};

use super::Instance;
use super::session::Session;
use super::sessions::Background;
use crate::dictionary::{Job, JobKey, SchedulerJob};
use storage::parameters::Parameter;

/// The queue is looked through this often when nobody has changed it.
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

/// What there is to do.
#[derive(Clone, Default, Debug)]
pub struct Due {
    pub jobs: Vec<DueJob>,
    /// When the next one will be due, wall time in microseconds since 1970.
    pub next_us: Option<u64>,
    /// How many changes had been made when the queue was looked through.
    pub(crate) seen: u64,
}

/// Why a job is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunWhen {
    /// It is due at this wall time (microseconds since 1970), or the queue has been asked for it.
    Due(u64),
    /// A user wants it now, in his session: DBMS_JOB.RUN, DBMS_SCHEDULER.RUN_JOB. Whether it is due, broken or enabled does not matter, nor how many
    /// run. A run of DBMS_SCHEDULER's leaves the job's schedule and counts alone, and is logged.
    Requested,
}

/// What has become of a run. `next_us` is what the interval said before the run; None for a job that runs once.
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

    /// What has become of a run whose work does not stand, because of `error`. A failure keeps the reason that it has.
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
    /// The user who has stopped it.
    pub stopped_by: Option<String>,
    /// That it runs is in the job's row.
    pub(crate) begun: bool,
    /// Its end is being written: it is too late to stop it.
    pub(crate) ending: bool,
}

/// A run that has begun. Dropped without [`Jobs::end_run`] it leaves the job as it was: it is due again.
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
    /// A user has asked the queue for it: it is not the run that the schedule has planned.
    pub(crate) asked: bool,
    /// Its end is in the job's row.
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
                // The others that are due come first at the next look.
                state.passed.push(self.key.clone());
            }
        }
        if self.asked && self.job.is_none() {
            // It could not begin: whoever has asked for it is still waiting.
            state.asked.push(self.key.clone());
        }
        // Another one may run now, or this one again. What could not begin or end is left to the next look: it would be woken for without end.
        if self.ended {
            state.changes += 1;
            self.jobs.changed.notify_all();
        }
    }
}

#[derive(Debug)]
struct QueueState {
    running: Vec<RunningJob>,
    /// Jobs that users want to be run now, whether they are due or not.
    asked: Vec<JobKey>,
    /// Jobs that were due and could not begin when that was tried last, in that order: a transaction is changing them.
    passed: Vec<JobKey>,
    /// Counts what makes it worth while to look through the queue.
    changes: u64,
    closed: bool,
}

/// The job queue of an instance. It does not keep the instance.
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

    /// Waits until there may be more to do than `due` says: a transaction that has changed jobs has committed, a run has ended, the next job is due, or
    /// five seconds have passed. False when the instance is being closed.
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

    /// Whether a job runs, or is about to.
    #[must_use]
    pub fn is_running(&self, key: &JobKey) -> bool {
        self.state.lock().running.iter().any(|running| running.key == *key)
    }

    /// DBMS_SCHEDULER.RUN_JOB in a session of its own: the queue is to run a job as soon as it can. What is asked for is forgotten when the instance ends.
    pub fn ask(&self, key: &JobKey) {
        let mut state = self.state.lock();
        if !state.asked.contains(key) {
            state.asked.push(key.clone());
        }
        state.changes += 1;
        self.changed.notify_all();
    }

    /// What users have asked for of the jobs that there are; the others are forgotten.
    pub(crate) fn asked(&self, there: impl Fn(&JobKey) -> bool) -> Vec<JobKey> {
        let mut state = self.state.lock();
        state.asked.retain(there);
        state.asked.clone()
    }

    /// Notes that a user stops a job that runs, and cancels its run by `cancel`, which no run is given whose end is being written; what runs it. None when
    /// it does not run, or has come to its end.
    pub(crate) fn stop(&self, key: &JobKey, user: &str, cancel: impl FnOnce(&RunningJob)) -> Option<RunningJob> {
        let mut state = self.state.lock();
        let running =
            state.running.iter_mut().find(|running| running.key == *key && running.begun && !running.ending)?;
        running.stopped_by = Some(user.to_owned());
        cancel(running);
        Some(running.clone())
    }

    /// That a job runs is in its row. Before that nobody stops it: it would begin again at once.
    pub(crate) fn note_begun(&self, key: &JobKey) {
        if let Some(running) = self.state.lock().running.iter_mut().find(|running| running.key == *key) {
            running.begun = true;
        }
    }

    /// Waits until a job that is about to run does, or does not any more, but no longer than `most`. Whether that is so.
    pub(crate) fn wait_begun(&self, key: &JobKey, most: Duration) -> bool {
        let beginning = |state: &QueueState| state.running.iter().any(|running| running.key == *key && !running.begun);
        let mut state = self.state.lock();
        if beginning(&state) {
            self.changed.wait_for(&mut state, most);
        }
        !beginning(&state)
    }

    /// From now on nobody stops a run; the user who has.
    pub(crate) fn begin_end(&self, key: &JobKey) -> Option<String> {
        let mut state = self.state.lock();
        let running = state.running.iter_mut().find(|running| running.key == *key)?;
        running.ending = true;
        running.stopped_by.clone()
    }

    /// Jobs that were due and could not begin when that was tried, the one that has waited longest since then first.
    pub(crate) fn passed(&self) -> Vec<JobKey> {
        self.state.lock().passed.clone()
    }

    /// Forgets of those jobs the ones that are not due.
    pub(crate) fn keep_passed(&self, due: impl Fn(&JobKey) -> bool) {
        self.state.lock().passed.retain(due);
    }

    /// What there is to do for who could not look through the queue: to look again when it changes, or after five seconds.
    #[must_use]
    pub fn look_again(&self) -> Due {
        Due { seen: self.changes(), ..Due::default() }
    }

    /// Waits until no end of a run of a job is being written, but no longer than `most`. Whether that is so.
    pub(crate) fn wait_end_written(&self, key: &JobKey, most: Duration) -> bool {
        let ending = |state: &QueueState| state.running.iter().any(|running| running.key == *key && running.ending);
        let mut state = self.state.lock();
        if ending(&state) {
            self.changed.wait_for(&mut state, most);
        }
        !ending(&state)
    }

    /// Waits until a job does not run any more, but no longer than `most`. Whether that is so.
    pub(crate) fn wait_ended(&self, key: &JobKey, most: Duration) -> bool {
        let mut state = self.state.lock();
        if state.running.iter().any(|running| running.key == *key) {
            self.changed.wait_for(&mut state, most);
        }
        state.running.iter().all(|running| running.key != *key)
    }

    /// Who waits looks through the queue.
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

    /// How many more jobs the queue may run.
    pub(crate) fn room(&self, instance: &Instance) -> usize {
        let most = usize::try_from(instance.parameters().unsigned(Parameter::JobQueueProcesses)).unwrap_or(usize::MAX);
        most.saturating_sub(self.state.lock().queued())
    }

    /// Makes a job this session's to run; None when it runs already, or when as many run as may.
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
    /// Whether the instance has threads of its own, and who uses it may have some too.
    #[must_use]
    pub fn has_threads(&self) -> bool {
        self.writer.lock().is_some()
    }

    /// The session of the job queue's coordinator: a process of the background, that takes nobody's number.
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
    /// The transaction under way has changed jobs: its commit wakes the job coordinator.
    pub(crate) fn tell_jobs_at_commit(&self) {
        let jobs = self.instance().jobs().clone();
        self.tell_at_commit(move || jobs.note_change());
    }
}
