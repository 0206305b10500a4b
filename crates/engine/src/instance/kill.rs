//! ALTER SYSTEM KILL SESSION.
//!
//! A killed session begins no more call. If it has a call under way, the call gets ORA-00028 where it checks for a
//! cancel and ends; before it counts as ended the transaction is rolled back. If it has none, the killing session
//! cleans it up.

use std::time::Duration;

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{Error, ErrorKind, Number, Result};
use waits::Event;

use super::Instance;
use super::entry::SessionKind;
use super::session::Session;

/// Poll interval of a wait; the user may cancel in between.
const LOOK_ROUND: Duration = Duration::from_millis(100);

/// The progress of a session's kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killed {
    /// Its transaction is rolled back and its locks are released.
    Now,
    /// It has a call under way and ends with it: ORA-00031 is Oracle's answer when that takes long.
    Marked,
}

pub(super) fn killed() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(28), "your session has been killed")
}

pub(super) fn not_logged_on() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1012), "not logged on: the session has been killed")
}

impl Instance {
    /// Kills a session of a user, other than the caller's own; see [`Session::kill`].
    ///
    /// # Errors
    /// ORA-00030 when there is no such session; ORA-00029 for one of the database's own; the error that kept its
    /// transaction from being rolled back.
    pub fn kill(&self, sid: u32, serial: u32) -> Result<Killed> {
        let no_session =
            || Error::user(30, format!("user session ID does not exist: there is no session {sid},{serial}"));
        let entry = self.sessions.find(sid, serial).ok_or_else(no_session)?;
        if entry.kind != SessionKind::User {
            let text = format!("session {sid},{serial} is not a user session but {}", entry.program());
            return Err(Error::user(29, text));
        }
        if !self.calls.kill(&entry) {
            // The session may be waiting for a lock.
            self.locks().wake();
            return Ok(if entry.calls.is_tidy() { Killed::Now } else { Killed::Marked });
        }
        match entry.session() {
            Some(session) => session.tidy_up(),
            // The last reference is gone: it rolls back in its drop.
            None => entry.calls.set_tidy(),
        }
        self.calls.end(&entry);
        entry.check_left()?;
        Ok(Killed::Now)
    }

    /// Cancels the running statement of a session: it fails with ORA-01013.
    pub(crate) fn cancel(&self, sid: u32, serial: u32) {
        let Some(entry) = self.sessions.find(sid, serial) else { return };
        entry.cancelled.store(true, Ordering::Release);
        // The session may be waiting for a lock.
        self.locks().wake();
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

    /// Waits for the cleanup of a killed session, at most `most`. Returns true when it is done.
    ///
    /// # Errors
    /// ORA-01013 when the user cancels, and other errors that end a wait:
    /// [`Process::check_cancelled`](storage::process::Process::check_cancelled); the error that kept the transaction
    /// from being rolled back.
    pub fn wait_for_killed(&self, sid: u32, serial: u32, most: Duration) -> Result<bool> {
        let Some(entry) = self.instance().sessions.find(sid, serial) else { return Ok(true) };
        if entry.calls.is_tidy() {
            return entry.check_left().map(|()| true);
        }
        let at = [u64::from(sid), most.as_secs(), 0];
        self.meter().wait(Event::InactiveSession, at, -1, || {
            let clock = self.meter().clock();
            let until = clock.monotonic_us() + most.as_micros() as u64;
            loop {
                let left = Duration::from_micros(until.saturating_sub(clock.monotonic_us()));
                if self.instance().calls.wait_tidy(&entry.calls, left.min(LOOK_ROUND)) {
                    return entry.check_left().map(|()| true);
                }
                self.check_cancelled()?;
                if left.is_zero() {
                    return Ok(false);
                }
            }
        })
    }

    /// True: the session has been killed.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.entry().is_killed()
    }

    /// Cleans up a killed session: rolls back, releases its locks.
    pub(super) fn tidy_up(&self) {
        // A failed cleanup is retried when the session is dropped, and done by the next open; the killing session gets
        // the error.
        if self.instance().health().check().is_ok()
            && let Err(error) = self.rollback()
        {
            self.entry().note_left(error);
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use common::SystemClock;
    use device::MemoryFileSystem;

    use super::*;
    use crate::startup::CreateOptions;

    fn instance() -> Arc<Instance> {
        let files = Arc::new(MemoryFileSystem::new());
        let clock = Arc::new(SystemClock::default());
        Instance::create(files, Path::new("/database"), clock, None, &CreateOptions::default()).unwrap()
    }

    /// Killing such a session in mid-work would undo changes that others rely on, such as a sequence's refill.
    #[test]
    fn recursive_sessions_cannot_be_killed() {
        let instance = instance();
        let killer = instance.connect("SYSTEM").unwrap();
        let of = |session: &Session| (session.sid(), session.meter().serial());
        let own = instance.connect_recursive().unwrap();
        let (sid, serial) = of(&own);
        assert!(killer.kill(sid, serial).unwrap_err().is_ora(29));
        assert!(instance.kill(sid, serial).unwrap_err().is_ora(29));
        assert!(!own.is_killed() && own.call().is_ok());
        // The same user's session, once one has connected.
        let user = instance.connect("SYS").unwrap();
        let (sid, serial) = of(&user);
        assert_eq!(killer.kill(sid, serial).unwrap(), Killed::Now);
        assert!(user.is_killed() && user.call().is_err());
        assert!(killer.kill(killer.sid(), killer.meter().serial()).unwrap_err().is_ora(27));
        drop((own, user, killer));
        instance.shutdown().unwrap();
    }

    #[test]
    fn why_a_killed_session_still_holds_what_it_held_is_said() {
        let instance = instance();
        let victim = instance.connect("SYSTEM").unwrap();
        let (sid, serial) = victim.identity();
        victim.entry().note_left(Error::user(1578, "a block is damaged"));
        let error = instance.kill(sid, serial).unwrap_err();
        assert!(error.is_ora(1578) && error.text.contains("could not be rolled back"), "{error}");
        let killer = instance.connect("SYSTEM").unwrap();
        assert!(killer.wait_for_killed(sid, serial, Duration::ZERO).unwrap_err().is_ora(1578));
        drop(victim);
        assert!(killer.wait_for_killed(sid, serial, Duration::ZERO).unwrap());
        instance.shutdown().unwrap();
    }

    #[test]
    fn a_killed_session_begins_no_call_during_its_cleanup() {
        let instance = instance();
        let victim = instance.connect("SYSTEM").unwrap();
        assert!(instance.calls.kill(victim.entry()));
        assert!(victim.in_call());
        assert!(victim.call().unwrap_err().is_ora(28));
        assert!(victim.call().unwrap_err().is_ora(1012));
        let killer = instance.connect("SYSTEM").unwrap();
        let (sid, serial) = (victim.sid(), victim.meter().serial());
        assert!(!killer.wait_for_killed(sid, serial, Duration::from_millis(1)).unwrap());
        assert_eq!(killer.meter().event(Event::InactiveSession).waits, 1);
        victim.tidy_up();
        assert!(killer.wait_for_killed(sid, serial, Duration::ZERO).unwrap());
        assert!(instance.calls.end(victim.entry()));
        assert!(victim.call().unwrap_err().is_ora(1012));
        assert!(!victim.in_call());
        instance.shutdown().unwrap();
    }
}
