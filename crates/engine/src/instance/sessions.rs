//! The list of sessions: those of users, with the numbers of their processes, and the background processes.

use std::collections::{HashMap, HashSet};

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, Mutex, MutexGuard};
use common::{Clock, Error, ErrorKind, Number, ProcessNumber, Result};
use waits::{LatchName, Meter, SystemMeter};

use super::Instance;
use super::entry::{SessionEntry, SessionFigures, SessionKind};
use super::session::Session;
use storage::parameters::Parameter;

/// Lower process numbers and session ids belong to background processes.
const FIRST_USER_PROCESS: u32 = 10;

/// PROGRAM of a session until it gives another.
const PROGRAM: &str = "highwater";

/// A background process: its number, which is its session id too, and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Background(u32, &'static str);

impl Background {
    /// Its meter also counts work that belongs to no session.
    pub(super) const WRITER: Self = Self(2, "dbw0");
    pub(super) const MONITOR: Self = Self(3, "smon");
    pub(super) const LOG_WRITER: Self = Self(4, "lgwr");
    pub(super) const SAMPLER: Self = Self(5, "mmnl");
    /// Of the job queue.
    pub(super) const COORDINATOR: Self = Self(6, "cjq0");

    const ALL: [Self; 5] = [Self::WRITER, Self::MONITOR, Self::LOG_WRITER, Self::SAMPLER, Self::COORDINATOR];
}

/// All present sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    entries: Mutex<Vec<Arc<SessionEntry>>>,
    next_serial: AtomicU32,
    /// For work that belongs to no session.
    meter: Arc<Meter>,
    background: [Arc<SessionEntry>; Background::ALL.len()],
}

impl Sessions {
    pub(super) fn new(system: &Arc<SystemMeter>, clock: &Arc<dyn Clock>) -> Self {
        let background = Background::ALL.map(|Background(number, name)| {
            let meter = Meter::new(system, clock.clone(), number, 1);
            SessionEntry::new(SessionKind::Background, meter, ProcessNumber(number), "SYS", name, None)
        });
        let meter = background[0].meter.clone();
        Self { entries: Mutex::new(background.to_vec()), next_serial: AtomicU32::new(1), meter, background }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<SessionEntry>>> {
        self.meter.latch(LatchName::ProcessAllocation, &self.entries)
    }

    /// The entry of a background process.
    pub(super) fn background(&self, process: Background) -> &Arc<SessionEntry> {
        let found = self.background.iter().find(|entry| entry.process.0 == process.0);
        found.unwrap_or(&self.background[0])
    }

    /// Enters a session under the least free number; None when there are `limit` already.
    fn enter(
        &self,
        instance: &Instance,
        user: &str,
        kind: SessionKind,
        caller: Option<Arc<SessionEntry>>,
        limit: u64,
    ) -> Option<Arc<SessionEntry>> {
        let mut entries = self.lock();
        let of_users = || entries.iter().filter(|entry| entry.kind != SessionKind::Background);
        if of_users().count() as u64 >= limit {
            return None;
        }
        let is_free = |number: &u32| of_users().all(|entry| entry.process.0 != *number);
        let process = ProcessNumber((FIRST_USER_PROCESS..).find(is_free)?);
        let serial = self.next_serial.fetch_add(1, Ordering::Relaxed);
        let meter = Meter::new(instance.system_meter(), instance.clock().clone(), process.0, serial);
        let entry = SessionEntry::new(kind, meter, process, user, PROGRAM, caller);
        let same = |other: &Arc<SessionEntry>| other.meter.sid() == entry.meter.sid();
        debug_assert!(!entries.iter().any(same), "session {} is there already", entry.meter.sid());
        debug_assert!(
            entry.caller_sid().is_none_or(|caller| entries.iter().any(|other| other.meter.sid() == caller)),
            "session {} works for one that is not there",
            entry.meter.sid()
        );
        entries.push(entry.clone());
        Some(entry)
    }

    /// Removes the session; background processes stay.
    pub(super) fn leave(&self, entry: &Arc<SessionEntry>) {
        let stays = |other: &Arc<SessionEntry>| other.kind == SessionKind::Background || !Arc::ptr_eq(other, entry);
        self.lock().retain(stays);
    }

    /// Sessions have numbers of their own, and work for sessions that are there. `sids`: sessions that hold something.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(super) fn check_invariants(&self, sids: impl Iterator<Item = u32>) -> Result<()> {
        let entries = self.all();
        let mut there = HashSet::new();
        for entry in &entries {
            let (sid, process) = (entry.meter.sid(), entry.process.0);
            if !there.insert(sid) || sid != process {
                return Err(Error::bug(format!("sessions: session {sid} of process {process} is there twice")));
            }
        }
        let gone = entries.iter().find(|entry| entry.caller_sid().is_some_and(|caller| !there.contains(&caller)));
        if let Some(entry) = gone {
            let sid = entry.meter.sid();
            return Err(Error::bug(format!("sessions: session {sid} works for one that is not there")));
        }
        // 0 stands for what a crash has left.
        match sids.into_iter().find(|sid| *sid != 0 && !there.contains(sid)) {
            Some(sid) => Err(Error::bug(format!("sessions: session {sid} holds locks and is not there"))),
            None => Ok(()),
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<SessionEntry>> {
        self.lock().clone()
    }

    pub(super) fn find(&self, sid: u32, serial: u32) -> Option<Arc<SessionEntry>> {
        self.lock().iter().find(|entry| entry.meter.sid() == sid && entry.meter.serial() == serial).cloned()
    }
}

impl Session {
    /// Starts a session that works for this one, within its call, with a transaction of its own: an autonomous
    /// transaction. Meanwhile this one does nothing else: a cancel or kill of this one ends its calls too, its wait for
    /// a lock that this one holds is a deadlock, and it cannot be killed alone.
    ///
    /// # Errors
    /// As [`Instance::connect`].
    pub fn connect_for(&self, user: &str) -> Result<Arc<Self>> {
        self.instance().connect_as(user, SessionKind::Recursive, Some(self))
    }
}

impl Instance {
    /// The meters of all sessions, the background processes' too, by session id.
    #[must_use]
    pub fn meters(&self) -> Vec<Arc<Meter>> {
        let mut meters: Vec<_> = self.sessions.all().iter().map(|entry| entry.meter.clone()).collect();
        meters.sort_by_key(|meter| meter.sid());
        meters
    }

    /// Starts a session for an existing user; the caller has checked the password.
    ///
    /// # Errors
    /// ORA-01017 unknown user; ORA-00020 no process left; ORA-01090 while the instance is being closed, ORA-01034 when
    /// it has been; HW-0010 when it has stopped.
    pub fn connect(self: &Arc<Self>, user: &str) -> Result<Arc<Session>> {
        self.connect_as(user, SessionKind::User, None)
    }

    /// A session of SYS for a change of the dictionary within another session's call.
    ///
    /// # Errors
    /// As [`Instance::connect`].
    pub(crate) fn connect_recursive(self: &Arc<Self>) -> Result<Arc<Session>> {
        self.connect_as(crate::dictionary::SYS, SessionKind::Recursive, None)
    }

    /// The present session of this SID and SERIAL#.
    #[must_use]
    pub fn session(&self, sid: u32, serial: u32) -> Option<Arc<Session>> {
        self.sessions.find(sid, serial)?.session()
    }

    fn connect_as(self: &Arc<Self>, user: &str, kind: SessionKind, caller: Option<&Session>) -> Result<Arc<Session>> {
        self.calls.check_open()?;
        self.health().check()?;
        let limit = self.parameters().unsigned(Parameter::Processes);
        let calling = caller.map(|caller| caller.entry().clone());
        let entry = self.sessions.enter(self, user, kind, calling, limit).ok_or_else(|| {
            Error::new(
                ErrorKind::OutOfResource,
                Number::Ora(20),
                format!("maximum number of processes ({limit}) exceeded"),
            )
        })?;
        entry.meter.count(waits::Statistic::LogonsCumulative, 1);
        let session = Arc::new(Session::new(self.clone(), entry.clone(), caller));
        entry.is_of(&session);
        if let Some(caller) = caller {
            self.locks().acts_for(session.sid(), caller.sid());
        }
        Ok(session)
    }

    /// Numbers of the processes of sessions that are connected.
    #[must_use]
    pub fn processes(&self) -> Vec<ProcessNumber> {
        let of_users = |entry: &Arc<SessionEntry>| (entry.kind != SessionKind::Background).then_some(entry.process);
        self.sessions.all().iter().filter_map(of_users).collect()
    }

    /// The counters of the background processes, added up.
    #[must_use]
    pub fn background_snapshot(&self) -> waits::MeterSnapshot {
        let mut sum = waits::MeterSnapshot::default();
        self.sessions.background.iter().for_each(|entry| sum.add(&entry.meter.snapshot()));
        sum
    }

    /// Every session, the background processes' too, by session id: V$SESSION, V$SESSION_WAIT, V$PROCESS.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionFigures> {
        let blockers: HashMap<u32, u32> =
            self.locks().waiters().into_iter().map(|waiter| (waiter.sid, waiter.holder)).collect();
        let transactions: HashMap<u32, common::Xid> =
            self.locks().transactions().into_iter().map(|(xid, sid)| (sid, xid)).collect();
        let mut all: Vec<_> = self.sessions.all().iter().map(|entry| entry.figures()).collect();
        for session in &mut all {
            session.blocking_session = blockers.get(&session.sid).copied();
            session.xid = transactions.get(&session.sid).copied();
        }
        all.sort_by_key(|session| session.sid);
        all
    }
}
