//! Calls: a session's work between its caller's request and the answer, and how the close of an instance puts an end to it.
//!
//! A call is admitted when it begins and counted until it ends. The close admits no more (ORA-01089), lets those that run find out where they look
//! for a cancel, and waits until the last has ended; only then is anything written for the last time. So a call either ends before the close, with
//! all that it did on disk, or does not begin. A call inside a call is part of the outer one: what a statement must still tidy up is let through.

use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, Condvar, Mutex, MutexGuard, ThreadId};
use common::{Error, ErrorKind, Number, Result};
use waits::{LatchName, Meter};

use super::entry::SessionEntry;
use super::kill::{killed, not_logged_on};
use super::session::Session;
use storage::health::closed;

/// How far the close of an instance has come.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stage {
    #[default]
    Open,
    Closing,
    Closed,
}

#[derive(Default, Debug)]
struct CallsState {
    stage: Stage,
    /// Sessions that have a call running.
    running: usize,
}

/// The calls of all sessions.
#[derive(Default, Debug)]
pub(super) struct Calls {
    state: Mutex<CallsState>,
    /// A session's outermost call has ended while somebody may wait for that, or the close has.
    ended: Condvar,
    closing: AtomicBool,
}

/// What a session keeps about its calls; the count is changed under the lock of [`Calls`].
#[derive(Default, Debug)]
pub(super) struct SessionCalls {
    depth: AtomicU32,
    /// That of the call under way, or 0.
    thread: AtomicI32,
    /// The statement that runs has been told of the close: once is enough, as for a cancel.
    told: AtomicBool,
    /// When the last call began or ended, on the monotonic clock.
    changed_us: AtomicU64,
    /// The session has been told that it is killed.
    told_killed: AtomicBool,
    /// It has been killed, and what it held is given up.
    tidy: AtomicBool,
    /// The call that is under way is that of who has killed it and gives up what it held; the session itself begins none beside that.
    killers: AtomicBool,
}

impl SessionCalls {
    pub(super) fn new(now_us: u64) -> Self {
        Self { changed_us: AtomicU64::new(now_us), ..Self::default() }
    }

    pub(super) fn running(&self) -> bool {
        self.depth.load(Ordering::Relaxed) > 0
    }

    /// Whether the session itself has a call under way.
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

    /// What a session is told that has been killed: ORA-00028, and when a call has ended with that, ORA-01012.
    fn death(&self) -> Error {
        if self.told_killed.swap(true, Ordering::Relaxed) { not_logged_on() } else { killed() }
    }

    /// What the call that runs is told.
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

/// A call that goes on on another thread for a while; what is kept is the thread before.
#[derive(Debug)]
pub struct Moved<'c>(&'c Session, i32);

impl Drop for Moved<'_> {
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
                Stage::Open => {}
                Stage::Closing => return Err(closing()),
                Stage::Closed => return Err(closed()),
            }
            state.running += 1;
            session.changed_us.store(now_us, Ordering::Relaxed);
            session.thread.store(ThreadId::current().0, Ordering::Relaxed);
        }
        session.depth.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Begins the call in which a session ends that nobody refers to any more, killed or not.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub(super) fn enter<'c>(&'c self, entry: &'c SessionEntry) -> Result<LastCall<'c>> {
        let now_us = entry.meter.clock().monotonic_us();
        self.admit(&mut self.state(&entry.meter), entry, now_us)?;
        Ok(LastCall(self, entry))
    }

    /// Ends a call. False, and nothing is done, when it is the last of a session that has been killed and has yet to be tidied up.
    pub(super) fn end(&self, entry: &SessionEntry) -> bool {
        let session = &entry.calls;
        let now_us = entry.meter.clock().monotonic_us();
        let mut state = self.state(&entry.meter);
        if session.depth.load(Ordering::Relaxed) == 1 {
            if entry.is_killed() && !session.is_tidy() {
                return false;
            }
            state.running -= 1;
            session.changed_us.store(now_us, Ordering::Relaxed);
            session.thread.store(0, Ordering::Relaxed);
            if state.stage != Stage::Open || entry.is_killed() {
                self.ended.notify_all();
            }
        }
        session.depth.fetch_sub(1, Ordering::Relaxed);
        true
    }

    /// Waits until a session that has been killed has given up what it held, but no longer than `most`. Whether it has.
    pub(super) fn wait_tidy(&self, session: &SessionCalls, most: Duration) -> bool {
        let mut state = self.state.lock();
        if !session.is_tidy() {
            self.ended.wait_for(&mut state, most);
        }
        session.is_tidy()
    }

    /// Kills a session: it begins no more call. True when the caller is to tidy it up, within a call of the session that it then ends; a session that has
    /// a call under way does so itself, and one that is killed when the instance is being closed has come to its end anyway.
    pub(super) fn kill(&self, entry: &SessionEntry) -> bool {
        let mut state = self.state.lock();
        let first = entry.set_killed();
        if !first || entry.calls.running() || state.stage != Stage::Open {
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
pub(super) struct LastCall<'c>(&'c Calls, &'c SessionEntry);

impl Drop for LastCall<'_> {
    fn drop(&mut self) {
        if !self.0.end(self.1) {
            // Killed meanwhile: what it held it has just given up.
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
        self.0.state.lock().stage = Stage::Closed;
        self.0.ended.notify_all();
    }
}

impl Session {
    /// Begins a call. Whoever works for a session does so within one: the close of the instance waits for it.
    ///
    /// # Errors
    /// ORA-01089 when the instance is being closed, ORA-01092 when it has been; ORA-00028, then ORA-01012, when the session has been killed; HW-0010
    /// when the instance has stopped.
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

    /// The call goes on on the calling thread, until this is dropped; the one before waits for that.
    #[must_use]
    pub fn moved(&self) -> Moved<'_> {
        Moved(self, self.entry().calls.thread.swap(ThreadId::current().0, Ordering::Relaxed))
    }

    /// Whether a call of the session is under way.
    #[must_use]
    pub fn in_call(&self) -> bool {
        self.entry().calls.running()
    }
}
