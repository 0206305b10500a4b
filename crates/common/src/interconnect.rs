//! Bytes that requests of a thread have had carried between the instance and cells.
//!
//! A cell's client notes each message where it is sent and received; the meter of the session that waits takes the sum
//! at the end of each wait. Where a thread makes requests for another one, it hands over what it has noted. The meter
//! also says on behalf of which session the thread works, for captures of the messages.

use std::cell::Cell;

thread_local! {
    static CARRIED: Cell<u64> = const { Cell::new(0) };
    static SESSION: Cell<u32> = const { Cell::new(0) };
}

/// Notes the length of a message, in bytes.
#[inline]
pub fn note(bytes: u64) {
    CARRIED.with(|carried| carried.set(carried.get() + bytes));
}

/// What this thread has noted since it was asked last.
#[inline]
pub fn take() -> u64 {
    CARRIED.with(|carried| carried.replace(0))
}

/// SID of the session for which this thread works; 0 before one was set.
#[inline]
#[must_use]
pub fn session() -> u32 {
    SESSION.with(Cell::get)
}

/// This thread works on behalf of a session from now on.
#[inline]
pub fn set_session(sid: u32) {
    SESSION.with(|session| session.set(sid));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_taken_once() {
        note(3);
        note(4);
        assert_eq!((take(), take()), (7, 0));
    }
}
