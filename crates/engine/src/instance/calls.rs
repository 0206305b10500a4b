//! Calls: a session's work between its caller's request and the answer, and how the close of an instance puts an end to it.
//!
//! A call is admitted when it begins and counted until it ends. The close admits no more (ORA-01089), lets those that run find out where they look
//! for a cancel, and waits until the last has ended; only then is anything written for the last time. So a call either ends before the close, with
//! all that it did on disk, or does not begin. A call inside a call is part of the outer one: what a statement must still tidy up is let through.

use common::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use common::sync::{Arc, Condvar, Mutex};
use common::{Error, ErrorKind, Number, Result};

use super::Session;

/// How far the close of an instance has come.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stage {
    #[default]
    Open,
    Closing,
    Closed,
}

#[derive(Default, Debug)]
struct State {
    stage: Stage,
    /// Sessions that have a call running.
    running: usize,
}

/// The calls of all sessions.
#[derive(Default, Debug)]
pub(super) struct Calls {
    state: Mutex<State>,
    /// A session's outermost call has ended, or the close has.
    ended: Condvar,
    closing: AtomicBool,
}

/// What a session keeps about its calls; the count is changed under the lock of [`Calls`].
#[derive(Default, Debug)]
pub(super) struct SessionCalls {
    depth: AtomicU32,
    /// The statement that runs has been told of the close: once is enough, as for a cancel.
    told: AtomicBool,
}

/// A call under way; it ends when this is dropped.
#[derive(Debug)]
pub struct Call(Arc<Session>);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.instance().calls.end(&self.0.calls);
    }
}

fn closing() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1089), "the instance is being closed: no more work is done in it")
}

/// What a session is told that still works after the close.
pub(super) fn closed() -> Error {
    Error::new(ErrorKind::Poisoned, Number::Ora(1092), "the instance has been closed; this session is at its end")
}

impl Calls {
    fn begin(&self, session: &SessionCalls) -> Result<()> {
        let mut state = self.state.lock();
        if session.depth.load(Ordering::Relaxed) == 0 {
            match state.stage {
                Stage::Open => {}
                Stage::Closing => return Err(closing()),
                Stage::Closed => return Err(closed()),
            }
            state.running += 1;
        }
        session.depth.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Begins the call in which a session ends that nobody refers to any more.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub(super) fn enter<'c>(&'c self, session: &'c SessionCalls) -> Result<LastCall<'c>> {
        self.begin(session)?;
        Ok(LastCall(self, session))
    }

    fn end(&self, session: &SessionCalls) {
        let mut state = self.state.lock();
        if session.depth.fetch_sub(1, Ordering::Relaxed) == 1 {
            state.running -= 1;
            if state.stage != Stage::Open {
                self.ended.notify_all();
            }
        }
    }

    /// # Errors
    /// ORA-01089, once a session, when the instance is being closed.
    pub(super) fn check(&self, session: &SessionCalls) -> Result<()> {
        if !self.closing.load(Ordering::Relaxed) || session.told.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        Err(closing())
    }

    /// # Errors
    /// ORA-01090 while the instance is being closed, ORA-01034 afterwards.
    pub(super) fn check_open(&self) -> Result<()> {
        match self.state.lock().stage {
            Stage::Open => Ok(()),
            Stage::Closing => Err(Error::user(1090, "the instance is being closed: nobody is let in")),
            Stage::Closed => Err(Error::user(1034, "the database is not open")),
        }
    }

    /// Admits no more calls and waits until the last has ended. False when another close was first; that one has come to its end then.
    pub(super) fn close(&self) -> bool {
        let mut state = self.state.lock();
        let first = state.stage == Stage::Open;
        if first {
            state.stage = Stage::Closing;
            self.closing.store(true, Ordering::Relaxed);
        }
        while if first { state.running > 0 } else { state.stage != Stage::Closed } {
            self.ended.wait(&mut state);
        }
        first
    }

    /// The close has come to its end when this is dropped, by a panic too.
    pub(super) fn until_closed(&self) -> UntilClosed<'_> {
        UntilClosed(self)
    }
}

/// A call of a session that is ending.
#[derive(Debug)]
pub(super) struct LastCall<'c>(&'c Calls, &'c SessionCalls);

impl Drop for LastCall<'_> {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

/// A close under way.
#[derive(Debug)]
pub(super) struct UntilClosed<'c>(&'c Calls);

impl Drop for UntilClosed<'_> {
    fn drop(&mut self) {
        self.0.state.lock().stage = Stage::Closed;
        self.0.ended.notify_all();
    }
}

impl Session {
    /// Begins a call. Whoever works for a session does so within one: the close of the instance waits for it.
    ///
    /// # Errors
    /// ORA-01089 when the instance is being closed, ORA-01092 when it has been.
    pub fn call(self: &Arc<Self>) -> Result<Call> {
        self.instance().calls.begin(&self.calls)?;
        Ok(Call(self.clone()))
    }

    /// Whether a call of the session is under way.
    #[must_use]
    pub fn in_call(&self) -> bool {
        self.calls.depth.load(Ordering::Relaxed) > 0
    }
}
