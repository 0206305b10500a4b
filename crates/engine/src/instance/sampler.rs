//! The sampler (mmnl): once a second it records the activity of each active session.
//!
//! A user's session is active while it has a call under way and is not in an idle wait. A background process is active
//! while it is in a wait that is not idle, since its work between waits is not reported. Of a session and one that
//! works for it within its call (an autonomous transaction), one is sampled: the one that works while the other waits,
//! and else the caller.

use std::collections::{HashMap, HashSet};
use std::sync::Weak;
use std::time::Duration;

use common::sync::{self, Arc, Condvar, Mutex};
use common::{Error, ErrorKind, Number, Result};
use waits::{ActiveSessionSample, ActiveSessions, Event, Meter, WaitClass, sql_id};

use super::Instance;
use super::entry::{SessionFigures, SessionKind, SessionStatus};
use super::sessions::Background;

/// Time between two samples.
const PERIOD: Duration = Duration::from_secs(1);
/// Lines that are kept: an hour of 32 active sessions.
const KEPT: usize = 60 * 60 * 32;

#[derive(Debug)]
pub(super) struct Sampler {
    pub(super) samples: ActiveSessions,
    closed: Mutex<bool>,
    /// Held during a sample.
    sampling: Mutex<()>,
    wake: Condvar,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            samples: ActiveSessions::new(KEPT),
            closed: Mutex::default(),
            sampling: Mutex::default(),
            wake: Condvar::default(),
        }
    }
}

impl Sampler {
    /// Ends the thread, after a sample under way.
    pub(super) fn close(&self) {
        *self.closed.lock() = true;
        self.wake.notify_all();
    }

    /// Ends the thread, which then never holds the instance again. Not for the thread itself, which may hold the last
    /// reference.
    pub(super) fn stop(&self) {
        self.close();
        drop(self.sampling.lock());
    }

    /// The thread's loop. It holds the instance during a sample only, so an unused instance ends.
    fn run(&self, meter: &Meter, instance: &Weak<Instance>) {
        let mut next = meter.clock().monotonic_us();
        loop {
            // Missed samples are not made up for.
            let now = meter.clock().monotonic_us();
            next = (next + PERIOD.as_micros() as u64).max(now);
            let left = next - now;
            let closed = meter.wait(Event::RdbmsIpcMessage, [PERIOD.as_millis() as u64 / 10, 0, 0], -1, || {
                let mut closed = self.closed.lock();
                if !*closed {
                    self.wake.wait_for(&mut closed, Duration::from_micros(left));
                }
                *closed
            });
            let _sampling = self.sampling.lock();
            if closed || *self.closed.lock() {
                return;
            }
            let Some(instance) = instance.upgrade() else { return };
            instance.sample_sessions();
        }
    }
}

fn is_active(session: &SessionFigures) -> bool {
    let idle = session.wait.is_some_and(|wait| wait.event.class() == WaitClass::Idle);
    match session.kind {
        SessionKind::User => session.status == SessionStatus::Active && !idle,
        SessionKind::Background | SessionKind::Recursive => session.wait.is_some() && !idle,
    }
}

/// The active sessions, without those that wait for a session working for them.
fn active(sessions: Vec<SessionFigures>) -> impl Iterator<Item = SessionFigures> {
    let callers: HashMap<u32, u32> =
        sessions.iter().filter_map(|session| Some((session.sid, session.caller?))).collect();
    let caller_of = |sid: &u32| callers.get(sid).copied();
    let mut represented = HashSet::new();
    for session in sessions.iter().filter(|session| session.caller.is_some() && is_active(session)) {
        represented.extend(std::iter::successors(caller_of(&session.sid), caller_of));
    }
    sessions.into_iter().filter(move |session| is_active(session) && !represented.contains(&session.sid))
}

impl Instance {
    pub(super) fn start_sampler(self: &Arc<Self>) -> Result<()> {
        let (sampler, instance) = (self.sampler.clone(), Arc::downgrade(self));
        let meter = self.sessions.background(Background::SAMPLER).meter.clone();
        sync::spawn("mmnl", move || sampler.run(&meter, &instance))
            .map(drop)
            .map_err(|error| Error::new(ErrorKind::Io, Number::Ora(443), format!("cannot start the sampler: {error}")))
    }

    /// Takes one sample of the active sessions. The sampler calls this each second; callers sample an instance without
    /// threads.
    pub fn sample_sessions(&self) {
        let taken_us = self.clock().wall_us();
        let sample = |session: SessionFigures| ActiveSessionSample {
            sample: 0,
            taken_us,
            sid: session.sid,
            serial: session.serial,
            background: session.kind == SessionKind::Background,
            user: session.user,
            program: session.program,
            module: session.work.module,
            action: session.work.action,
            sql_id: session.statement.map(|text| sql_id(&text).into()),
            wait: session.wait.map(|wait| (wait.event, wait.parameters)),
            waited_us: session.waiting_us,
            object: session.wait.map_or(-1, |wait| wait.object),
            blocking_session: session.blocking_session,
            xid: session.xid,
        };
        self.sampler.samples.add(active(self.sessions()).map(sample).collect());
    }

    /// The samples of the last hour or so: V$ACTIVE_SESSION_HISTORY.
    #[must_use]
    pub fn active_sessions(&self) -> &ActiveSessions {
        &self.sampler.samples
    }
}
