//! ALTER SYSTEM KILL SESSION.
//!
//! A session that is killed begins no more call. One that has a call under way finds out where it looks for a cancel, as ORA-00028; its call ends, and before it
//! counts as ended its transaction is rolled back. One that has none is tidied up by who kills it.

use common::sync::Arc;
use common::{Error, ErrorKind, Number, Result};

use super::entry::SessionKind;
use super::{Instance, Session};

/// How far a session that is killed has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killed {
    /// Its transaction is rolled back and what it held is free.
    Now,
    /// It has a call under way, and ends with that: ORA-00031 is what Oracle says then.
    Marked,
}

pub(super) fn killed() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(28), "your session has been killed")
}

pub(super) fn not_logged_on() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1012), "not logged on: the session has been killed")
}

impl Instance {
    /// Kills a session of a user. Not to be called for the session that calls; see [`Session::kill`].
    ///
    /// # Errors
    /// ORA-00030 when there is no such session; ORA-00029 for a background process.
    pub fn kill(&self, sid: u32, serial: u32) -> Result<Killed> {
        let no_session =
            || Error::user(30, format!("user session ID does not exist: there is no session {sid},{serial}"));
        let entry = self.sessions.find(sid, serial).ok_or_else(no_session)?;
        if entry.kind == SessionKind::Background {
            let text = format!("session {sid},{serial} is not a user session but {}", entry.program());
            return Err(Error::user(29, text));
        }
        if !self.calls.kill(&entry) {
            // It may be waiting for a lock.
            self.locks().wake();
            return Ok(if entry.calls.is_tidy() { Killed::Now } else { Killed::Marked });
        }
        match entry.session() {
            Some(session) => session.tidy_up(),
            // Nobody refers to it any more: it rolls back as it goes.
            None => entry.calls.set_tidy(),
        }
        self.calls.end(&entry);
        Ok(Killed::Now)
    }
}

impl Session {
    /// Kills another session.
    ///
    /// # Errors
    /// ORA-00027 for this session itself; those of [`Instance::kill`].
    pub fn kill(&self, sid: u32, serial: u32) -> Result<Killed> {
        if (self.sid(), self.meter().serial()) == (sid, serial) {
            return Err(Error::user(27, "cannot kill current session"));
        }
        self.instance().kill(sid, serial)
    }

    /// Whether the session has been killed.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.entry().is_killed()
    }

    /// Gives up what a session holds that has been killed.
    pub(super) fn tidy_up(&self) {
        // What fails here is rolled back at the next open.
        if self.instance().health().check().is_ok() {
            let _ = self.rollback();
        }
        self.set_statement(None);
        self.entry().calls.set_tidy();
    }

    pub(super) fn end_call(self: &Arc<Self>) {
        let calls = &self.instance().calls;
        while !calls.end(self.entry()) {
            self.tidy_up();
        }
    }
}
