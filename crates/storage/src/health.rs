//! Health of the instance. It stops after a failed write or sync, or after a panic in the middle of a change; every
//! later call reports that. A closed instance does not go on either.

use common::sync::RwLock;
use common::sync::atomic::{AtomicBool, Ordering};
use common::{Error, ErrorKind, Number, Result};

/// The health of one instance, shared by all code that writes.
#[derive(Debug, Default)]
pub struct Health {
    stopped: AtomicBool,
    closed: AtomicBool,
    why: RwLock<Option<Error>>,
}

impl Health {
    /// Stops the instance because of `error`. Returns the error that the caller is to report.
    pub fn stop(&self, error: &Error) -> Error {
        let mut why = self.why.write();
        if why.is_none() {
            *why = Some(error.clone());
            self.stopped.store(true, Ordering::Release);
        }
        stopped_by(why.as_ref().unwrap_or(error))
    }

    /// Refuses every change from now on: the last checkpoint is being written.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// # Errors
    /// HW-0010 once the instance has stopped, ORA-01092 once it has been closed.
    pub fn check(&self) -> Result<()> {
        self.check_stopped()?;
        if self.closed.load(Ordering::Acquire) { Err(closed()) } else { Ok(()) }
    }

    /// # Errors
    /// HW-0010 once the instance has stopped.
    pub fn check_stopped(&self) -> Result<()> {
        if !self.stopped.load(Ordering::Acquire) {
            return Ok(());
        }
        let why = self.why.read();
        Err(why.as_ref().map_or_else(|| Error::bug("stopped without a reason"), stopped_by))
    }

    /// For use before a block is read, and before a caller is answered. After a stop the cache may show commits that
    /// the next open will not have, and the disk may be older than the last commits.
    ///
    /// # Errors
    /// As [`Health::check`].
    pub fn check_readable(&self) -> Result<()> {
        self.check()
    }
}

fn stopped_by(error: &Error) -> Error {
    if error.kind == ErrorKind::Poisoned {
        return error.clone();
    }
    let why = if error.kind == ErrorKind::Bug { "after an internal error" } else { "after a failed write" };
    Error::new(
        ErrorKind::Poisoned,
        Number::Hw(10),
        format!(
            "the instance has stopped {why}; it has to be opened again, which recovers what was committed ({error})"
        ),
    )
}

/// The error for a session that still works after the close.
pub fn closed() -> Error {
    Error::new(ErrorKind::Poisoned, Number::Ora(1092), "the instance has been closed; this session is at its end")
}
