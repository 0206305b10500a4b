//! A session's entry in the list of sessions: its figures for other sessions, and their requests to it.

use std::sync::{OnceLock, Weak};

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Mutex, RwLock, ThreadId};
use common::{Error, ProcessNumber, Result};
use waits::{CurrentWait, LastWait, Meter};

use super::calls::SessionCalls;
use super::session::Session;

/// The kind of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionKind {
    User,
    /// Begun by the database within a session's call, for a change that stands whether that call succeeds or not; it
    /// cannot be killed.
    Recursive,
    /// A background process of the instance.
    Background,
}

/// STATUS of V$SESSION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionStatus {
    /// A call is under way, or it is a background process.
    Active,
    Inactive,
    /// Killed; it runs nothing more.
    Killed,
}

/// The client's description of its work; None: not given.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ClientWork {
    pub module: Option<Arc<str>>,
    pub action: Option<Arc<str>>,
    pub client_info: Option<Arc<str>>,
    pub client_identifier: Option<Arc<str>>,
}

/// A session as V$SESSION, V$SESSION_WAIT and V$PROCESS show it, at one moment.
#[derive(Clone, Debug)]
pub struct SessionFigures {
    pub sid: u32,
    pub serial: u32,
    pub process: ProcessNumber,
    pub kind: SessionKind,
    pub status: SessionStatus,
    /// The thread on which its call runs, while one is under way.
    pub thread: Option<ThreadId>,
    /// The user name, upper case.
    pub user: Arc<str>,
    pub program: Arc<str>,
    /// When it began, microseconds since 1970.
    pub logon_us: u64,
    /// Microseconds since its last call began or, when none is under way, ended: LAST_CALL_ET.
    pub since_call_us: u64,
    /// The text of the current statement.
    pub statement: Option<Arc<str>>,
    /// The text of the previous statement.
    pub previous_statement: Option<Arc<str>>,
    pub work: ClientWork,
    /// The current wait.
    pub wait: Option<CurrentWait>,
    /// Microseconds of the current wait so far.
    pub waiting_us: u64,
    /// While it is not waiting: its last wait.
    pub last_wait: Option<LastWait>,
    /// Microseconds since the last wait ended.
    pub since_wait_us: u64,
    /// The session within whose call it was begun, and for which it works.
    pub caller: Option<u32>,
    /// The session that it waits for, if known; 0 for a transaction that a crash has left.
    pub blocking_session: Option<u32>,
    /// Its transaction.
    pub xid: Option<common::Xid>,
}

#[derive(Default, Debug)]
struct SessionTexts {
    current: Option<Arc<str>>,
    previous: Option<Arc<str>>,
    work: ClientWork,
}

/// A session's entry in the list of sessions: it stays there until the session ends.
#[derive(Debug)]
pub(crate) struct SessionEntry {
    pub(super) kind: SessionKind,
    pub(super) process: ProcessNumber,
    pub(super) meter: Arc<Meter>,
    pub(super) logon_us: u64,
    pub(super) calls: SessionCalls,
    pub(super) cancelled: Arc<AtomicBool>,
    killed: AtomicBool,
    user: RwLock<Arc<str>>,
    program: RwLock<Arc<str>>,
    statements: Mutex<SessionTexts>,
    /// Unset for a background process.
    session: OnceLock<Weak<Session>>,
    /// The session within whose call it was begun, and for which it works.
    caller: Option<Arc<Self>>,
    /// Error that kept its cleanup after a kill from finishing.
    left: Mutex<Option<Error>>,
}

impl SessionEntry {
    pub(super) fn new(
        kind: SessionKind,
        meter: Arc<Meter>,
        process: ProcessNumber,
        user: &str,
        program: &str,
        caller: Option<Arc<Self>>,
    ) -> Arc<Self> {
        let logon_us = meter.clock().wall_us();
        Arc::new(Self {
            kind,
            process,
            logon_us,
            calls: SessionCalls::new(meter.clock().monotonic_us()),
            meter,
            // A cancel of the caller's call cancels this session's too.
            cancelled: caller.as_ref().map_or_else(Arc::default, |caller| caller.cancelled.clone()),
            killed: AtomicBool::new(false),
            user: RwLock::new(user.into()),
            program: RwLock::new(program.into()),
            statements: Mutex::default(),
            session: OnceLock::new(),
            caller,
            left: Mutex::default(),
        })
    }

    /// Sets the session of the entry.
    pub(super) fn is_of(&self, session: &Arc<Session>) {
        let set = self.session.set(Arc::downgrade(session));
        debug_assert!(set.is_ok(), "an entry is of one session");
    }

    pub(super) fn session(&self) -> Option<Arc<Session>> {
        self.session.get()?.upgrade()
    }

    pub(super) fn user(&self) -> Arc<str> {
        self.user.read().clone()
    }

    pub(super) fn set_user(&self, user: &str) {
        *self.user.write() = user.into();
    }

    pub(super) fn program(&self) -> Arc<str> {
        self.program.read().clone()
    }

    pub(super) fn set_program(&self, program: &str) {
        *self.program.write() = program.into();
    }

    pub(super) fn statement(&self) -> Option<Arc<str>> {
        self.statements.lock().current.clone()
    }

    pub(super) fn set_statement(&self, text: Option<Arc<str>>) -> Option<Arc<str>> {
        let mut statements = self.statements.lock();
        let before = std::mem::replace(&mut statements.current, text);
        if before.is_some() {
            statements.previous.clone_from(&before);
        }
        before
    }

    pub(super) fn work(&self) -> ClientWork {
        self.statements.lock().work.clone()
    }

    pub(super) fn change_work(&self, change: impl FnOnce(&mut ClientWork)) {
        change(&mut self.statements.lock().work);
    }

    /// True: a session that it works for has been killed.
    pub(super) fn is_orphaned(&self) -> bool {
        let callers = std::iter::successors(self.caller.as_ref(), |entry| entry.caller.as_ref());
        callers.into_iter().any(|caller| caller.is_killed())
    }

    /// SID of the session that it works for.
    pub(super) fn caller_sid(&self) -> Option<u32> {
        self.caller.as_ref().map(|caller| caller.meter.sid())
    }

    pub(super) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    /// Marks it killed; false when it was before.
    pub(super) fn set_killed(&self) -> bool {
        !self.killed.swap(true, Ordering::AcqRel)
    }

    /// Records why the cleanup after a kill failed.
    pub(super) fn note_left(&self, error: Error) {
        *self.left.lock() = Some(error);
    }

    /// # Errors
    /// The error that kept the cleanup after a kill from finishing.
    pub(super) fn check_left(&self) -> Result<()> {
        let Some(error) = self.left.lock().clone() else { return Ok(()) };
        let (sid, serial) = (self.meter.sid(), self.meter.serial());
        let text = format!(
            "session {sid},{serial} has been killed, but its transaction could not be rolled back and keeps its locks until the session has gone: {error}"
        );
        Err(Error { text, ..error })
    }

    pub(super) fn status(&self) -> SessionStatus {
        if self.is_killed() {
            SessionStatus::Killed
        } else if self.kind == SessionKind::Background || self.calls.running() {
            SessionStatus::Active
        } else {
            SessionStatus::Inactive
        }
    }

    /// The session's figures, without those that need the lock table.
    pub(super) fn figures(&self) -> SessionFigures {
        let now = self.meter.clock().monotonic_us();
        let (wait, last_wait) = (self.meter.current_wait(), self.meter.last_wait());
        let (statement, previous_statement, work) = {
            let statements = self.statements.lock();
            (statements.current.clone(), statements.previous.clone(), statements.work.clone())
        };
        SessionFigures {
            sid: self.meter.sid(),
            serial: self.meter.serial(),
            process: self.process,
            kind: self.kind,
            status: self.status(),
            thread: self.calls.thread(),
            user: self.user(),
            program: self.program(),
            logon_us: self.logon_us,
            since_call_us: now.saturating_sub(self.calls.changed_us()),
            statement,
            previous_statement,
            work,
            waiting_us: wait.map_or(0, |wait| now.saturating_sub(wait.since_us)),
            since_wait_us: last_wait.map_or(0, |wait| now.saturating_sub(wait.ended_us)),
            last_wait: last_wait.filter(|_| wait.is_none()),
            wait,
            caller: self.caller_sid(),
            blocking_session: None,
            xid: None,
        }
    }
}
