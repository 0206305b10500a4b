//! Whether the instance may go on: after a failed write or sync, or a panic in the middle of a change, it stops, and says so ever after. It does not
//! go on either once it is closed.

use common::sync::RwLock;
use common::sync::atomic::{AtomicBool, Ordering};
use common::{Error, ErrorKind, Number, Result};

/// Shared by all that write.
#[derive(Debug, Default)]
pub struct Health {
    stopped: AtomicBool,
    closed: AtomicBool,
    why: RwLock<Option<Error>>,
}

impl Health {
    /// Stops the instance because of `error`; returns what the caller shall report.
    pub fn stop(&self, error: &Error) -> Error {
        let mut why = self.why.write();
        if why.is_none() {
            *why = Some(error.clone());
            self.stopped.store(true, Ordering::Release);
        }
        stopped_by(why.as_ref().unwrap_or(error))
    }

    /// From now on nothing is changed: the last checkpoint is being written.
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

    /// Before a block is read, and before a caller is answered: after a stop the cache may show as committed what the next open will not have, and the
    /// disk may be older than what was committed.
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

/// What a session is told that still works after the close.
pub fn closed() -> Error {
    Error::new(ErrorKind::Poisoned, Number::Ora(1092), "the instance has been closed; this session is at its end")
}
