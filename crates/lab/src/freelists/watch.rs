//! Watches jobs from their begin to their end, and keeps the meters of their sessions, which outlive them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::{Error, ErrorKind, Result};
use engine::instance::Session;
use waits::{Meter, MeterSnapshot};

use crate::laboratory::Laboratory;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(2);
/// Jobs that have not begun by then do not begin, and those that work so much longer than they should do not end.
const PATIENCE_US: u64 = 120_000_000;
const US: u64 = 1_000_000;

/// The jobs that a session has submitted.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    laboratory: &'a Laboratory,
    submitter: &'a Arc<Session>,
    jobs: usize,
    most_us: u64,
    seen: BTreeMap<u32, Seen>,
}

/// A job's session.
#[derive(Debug)]
struct Seen {
    meter: Arc<Meter>,
    process: u32,
    since_us: u64,
}

/// The result of the jobs.
#[derive(Debug)]
pub(super) struct Ended {
    /// By the sessions of the jobs, together.
    pub(super) counted: MeterSnapshot,
    /// From the first begin to the last end.
    pub(super) elapsed_us: u64,
    /// Process numbers of the sessions.
    pub(super) processes: Vec<u32>,
}

/// HW-0011: the jobs failed in their work.
fn failure(text: String) -> Error {
    Error::own(ErrorKind::User, 11, text)
}

impl<'a> Watch<'a> {
    pub(super) fn new(laboratory: &'a Laboratory, submitter: &'a Arc<Session>, jobs: u32, seconds: u32) -> Self {
        let most_us = u64::from(seconds) * US + PATIENCE_US;
        Self { laboratory, submitter, jobs: jobs as usize, most_us, seen: BTreeMap::new() }
    }

    pub(super) fn until_all_ended(mut self) -> Result<Ended> {
        let clock = Arc::clone(self.laboratory.database().instance().clock());
        let from_us = clock.wall_us();
        let ended_us = loop {
            let running = self.look();
            let now_us = clock.wall_us();
            if running == 0 && self.seen.len() >= self.jobs {
                break now_us;
            }
            let waited_us = now_us.saturating_sub(from_us);
            if waited_us > self.most_us || (self.seen.len() < self.jobs && waited_us > PATIENCE_US) {
                let seen = self.seen.len();
                self.check_failures()?;
                return Err(failure(format!("of {} jobs {seen} have begun, and {running} have not ended", self.jobs)));
            }
            std::thread::sleep(LOOK);
        };
        self.check_failures()?;
        self.wait_for_sessions();
        let began_us = self.seen.values().map(|seen| seen.since_us).min().unwrap_or(ended_us);
        let mut counted = MeterSnapshot::default();
        for seen in self.seen.values() {
            counted.add(&seen.meter.snapshot());
        }
        let processes = self.seen.values().map(|seen| seen.process).collect();
        Ok(Ended { counted, elapsed_us: ended_us.saturating_sub(began_us), processes })
    }

    /// Notes the sessions that have begun since the last look; returns how many jobs run.
    fn look(&mut self) -> usize {
        let database = self.laboratory.database();
        let running = database.instance().jobs().running();
        if running.iter().any(|job| !self.seen.contains_key(&job.serial)) {
            let meters = database.instance().meters();
            for job in &running {
                let of_job = |meter: &&Arc<Meter>| (meter.sid(), meter.serial()) == (job.sid, job.serial);
                if let Some(meter) = meters.iter().find(of_job) {
                    let (meter, process) = (Arc::clone(meter), job.process.0);
                    self.seen.entry(job.serial).or_insert(Seen { meter, process, since_us: job.since_us });
                }
            }
        }
        running.len()
    }

    /// A job that has failed stays in the queue, and says how often.
    fn check_failures(&self) -> Result<()> {
        let jobs = self.submitter.jobs()?;
        match jobs.iter().find(|job| job.failures > 0) {
            Some(job) => Err(failure(format!("job {} has failed: {}", job.number, job.what))),
            None => Ok(()),
        }
    }

    /// A session ends a little later than its job. While it is there its process number is taken, and the next job
    /// would have another freelist.
    fn wait_for_sessions(&self) {
        let is_there = |meter: &Arc<Meter>| self.seen.values().any(|seen| Arc::ptr_eq(&seen.meter, meter));
        for _ in 0..1_000 {
            if !self.laboratory.database().instance().meters().iter().any(is_there) {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }
}
