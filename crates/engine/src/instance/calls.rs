//! Calls: a session's work between a request and its answer, and how the close of an instance ends it.
//!
//! A call is admitted when it begins and counted until it ends. The close admits no more (ORA-01089), cancels running
//! calls where they check for a cancel, and waits until the last has ended; only then are the last blocks written. So a
//! call either ends before the close, with all its writes, or does not begin. A call inside a call is part of the outer
//! one: a statement may still clean up after itself.

use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, Condvar, Mutex, MutexGuard, ThreadId};
use common::{Error, ErrorKind, Number, Result};
use waits::{LatchName, Meter};

use super::entry::SessionEntry;
use super::kill::{killed, not_logged_on};
use super::session::Session;
use storage::health::closed;

/// The stage of the close of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum CloseStage {
    #[default]
    Open,
    Closing,
    Closed,
}

#[derive(Default, Debug)]
struct CallsState {
    stage: CloseStage,
    /// Sessions that have a call running.
    running: usize,
}

/// The calls of all sessions.
#[derive(Default, Debug)]
pub(super) struct Calls {
    state: Mutex<CallsState>,
    /// Signalled when a session's outermost call ends that a waiter may wait for, and when the close ends.
    ended: Condvar,
    closing: AtomicBool,
}

/// The calls of one session; the count is changed under the lock of [`Calls`].
#[derive(Default, Debug)]
pub(super) struct SessionCalls {
    depth: AtomicU32,
    /// Thread of the call under way, or 0.
    thread: AtomicI32,
    /// The running statement has got the error of the close, which it gets once, as for a cancel.
    told: AtomicBool,
    /// When the last call began or ended, on the monotonic clock.
    changed_us: AtomicU64,
    /// The session has got the error of its kill.
    told_killed: AtomicBool,
    /// The session has been killed and cleaned up.
    tidy: AtomicBool,
    /// The call under way is that of the killing session, which cleans this one up; meanwhile the session itself begins
    /// none.
    killers: AtomicBool,
}

impl SessionCalls {
    pub(super) fn new(now_us: u64) -> Self {
        Self { changed_us: AtomicU64::new(now_us), ..Self::default() }
    }

    pub(super) fn running(&self) -> bool {
        self.depth.load(Ordering::Relaxed) > 0
    }

    /// True: the session itself has a call under way.
    fn in_own_call(&self) -> bool {
        self.running() && !self.killers.load(Ordering::Relaxed)
    }

    /// The thread that has begun the call under way.
    pub(super) fn thread(&self) -> Option<ThreadId> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|thread| *thread != 0).map(ThreadId)
    }

    pub(super) fn changed_us(&self) -> u64 {
        self.changed_us.load(Ordering::Relaxed)
    }

    pub(super) fn is_tidy(&self) -> bool {
        self.tidy.load(Ordering::Acquire)
    }

    pub(super) fn set_tidy(&self) {
        self.tidy.store(true, Ordering::Release);
    }

    /// The error of a killed session: ORA-00028 once, then ORA-01012.
    fn death(&self) -> Error {
        if self.told_killed.swap(true, Ordering::Relaxed) { not_logged_on() } else { killed() }
    }

    /// The error for the running call of a killed session.
    pub(super) fn death_in_call(&self) -> Error {
        self.told_killed.store(true, Ordering::Relaxed);
        killed()
    }
}

/// A call under way; it ends when this is dropped.
#[derive(Debug)]
pub struct Call(Arc<Session>);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.end_call();
    }
}

/// A call that runs on another thread for a while; holds the thread before.
#[derive(Debug)]
pub struct MovedCall<'c>(&'c Session, i32);

impl Drop for MovedCall<'_> {
    fn drop(&mut self) {
        self.0.entry().calls.thread.store(self.1, Ordering::Relaxed);
    }
}

fn closing() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1089), "the instance is being closed: no more work is done in it")
}

impl Calls {
    fn state(&self, meter: &Meter) -> MutexGuard<'_, CallsState> {
        meter.latch(LatchName::SessionIdleBit, &self.state)
    }

    fn begin(&self, entry: &SessionEntry) -> Result<()> {
        let now_us = entry.meter.clock().monotonic_us();
        let mut state = self.state(&entry.meter);
        if entry.is_killed() && !entry.calls.in_own_call() {
            return Err(entry.calls.death());
        }
        self.admit(&mut state, entry, now_us)
    }

    fn admit(&self, state: &mut CallsState, entry: &SessionEntry, now_us: u64) -> Result<()> {
        let session = &entry.calls;
        if session.depth.load(Ordering::Relaxed) == 0 {
            match state.stage {
                CloseStage::Open => {}
                CloseStage::Closing => return Err(closing()),
                CloseStage::Closed => return Err(closed()),
            }
            state.running += 1;
            session.changed_us.store(now_us, Ordering::Relaxed);
            session.thread.store(ThreadId::current().0, Ordering::Relaxed);
        }
        let before = session.depth.fetch_add(1, Ordering::Relaxed);
        debug_assert!(state.running > 0, "a call at depth {before} and none under way");
        Ok(())
    }

    /// Begins the call in which a session ends when its last reference is dropped, killed or not.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub(super) fn enter<'c>(&'c self, entry: &'c SessionEntry) -> Result<LastCall<'c>> {
        let now_us = entry.meter.clock().monotonic_us();
        self.admit(&mut self.state(&entry.meter), entry, now_us)?;
        Ok(LastCall(self, entry))
    }

    /// Ends a call. Returns false, and leaves the call open, when it is the last of a killed session that has yet to be
    /// cleaned up.
    pub(super) fn end(&self, entry: &SessionEntry) -> bool {
        let session = &entry.calls;
        let now_us = entry.meter.clock().monotonic_us();
        let mut state = self.state(&entry.meter);
        if session.depth.load(Ordering::Relaxed) == 1 {
            if entry.is_killed() && !session.is_tidy() {
                return false;
            }
            debug_assert!(state.running > 0, "a call ends, and none is under way");
            state.running -= 1;
            session.changed_us.store(now_us, Ordering::Relaxed);
            session.thread.store(0, Ordering::Relaxed);
            if state.stage != CloseStage::Open || entry.is_killed() {
                self.ended.notify_all();
            }
        }
        let before = session.depth.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(before > 0, "a call ends that has not begun");
        true
    }

    /// Waits for the cleanup of a killed session, at most `most`. Returns true when it is done.
    pub(super) fn wait_tidy(&self, session: &SessionCalls, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !session.is_tidy() {
            self.ended.wait_for(&mut state, most);
        }
        session.is_tidy()
    }

    /// Kills a session: it begins no more call. Returns true when the caller must clean it up, within a call of the
    /// session that the caller then ends. A session with a call under way cleans up itself; one killed while the
    /// instance is being closed has ended anyway.
    pub(super) fn kill(&self, entry: &SessionEntry) -> bool {
        let mut state = self.state.lock();
        let first = entry.set_killed();
        if !first || entry.calls.running() || state.stage != CloseStage::Open {
            return false;
        }
        state.running += 1;
        entry.calls.depth.fetch_add(1, Ordering::Relaxed);
        entry.calls.thread.store(ThreadId::current().0, Ordering::Relaxed);
        entry.calls.killers.store(true, Ordering::Relaxed);
        true
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
            CloseStage::Open => Ok(()),
            CloseStage::Closing => Err(Error::user(1090, "the instance is being closed: nobody is let in")),
            CloseStage::Closed => Err(Error::user(1034, "the database is not open")),
        }
    }

    /// Admits no more calls and waits until the last has ended. Returns false when another close was first; that one
    /// has ended then.
    pub(super) fn close(&self) -> bool {
        let mut state = self.state.lock();
        let first = state.stage == CloseStage::Open;
        if first {
            state.stage = CloseStage::Closing;
            self.closing.store(true, Ordering::Relaxed);
        }
        while if first { state.running > 0 } else { state.stage != CloseStage::Closed } {
            self.ended.wait(&mut state);
        }
        first
    }

    /// Ends the close when dropped, by a panic too.
    pub(super) fn until_closed(&self) -> UntilClosed<'_> {
        UntilClosed(self)
    }
}

/// A call of a session that is ending.
#[derive(Debug)]
pub(super) struct LastCall<'c>(&'c Calls, &'c SessionEntry);

impl Drop for LastCall<'_> {
    fn drop(&mut self) {
        if !self.0.end(self.1) {
            // Killed meanwhile: it has just released everything.
            self.1.calls.set_tidy();
            self.0.end(self.1);
        }
    }
}

/// A close under way.
#[derive(Debug)]
pub(super) struct UntilClosed<'c>(&'c Calls);

impl Drop for UntilClosed<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        debug_assert!(state.stage != CloseStage::Open, "a close ends that has not begun");
        state.stage = CloseStage::Closed;
        drop(state);
        self.0.ended.notify_all();
    }
}

impl Session {
    /// Begins a call. All work for a session happens within one: the close of the instance waits for it.
    ///
    /// # Errors
    /// ORA-01089 when the instance is being closed, ORA-01092 when it has been; ORA-00028, then ORA-01012, when the
    /// session has been killed; HW-0010 when the instance has stopped.
    pub fn call(self: &Arc<Self>) -> Result<Call> {
        self.instance().health().check_stopped()?;
        self.instance().calls.begin(self.entry())?;
        Ok(Call(self.clone()))
    }

    /// The thread on which the session's call runs, while one is under way.
    #[must_use]
    pub fn thread(&self) -> Option<ThreadId> {
        self.entry().calls.thread()
    }

    /// Moves the call to the calling thread until this is dropped; the thread before waits for that.
    #[must_use]
    pub fn moved(&self) -> MovedCall<'_> {
        MovedCall(self, self.entry().calls.thread.swap(ThreadId::current().0, Ordering::Relaxed))
    }

    /// True: a call of the session is under way.
    #[must_use]
    pub fn in_call(&self) -> bool {
        self.entry().calls.running()
    }
}
